//! The requests of one document: valid ones, and ones that are wrong in one place.

use frontdesk_contract::{Direction, Instances, Oracle};
use frontdesk_document::{Document, NodeRef, Operation};
use serde_json::Value;

use super::case::{Case, Expected, Skipped};
use super::credentials::{self, Credentials};
use super::draft::Draft;
use super::encoding::{Form, percent};
use super::exchange::Request;
use super::payloads::{self, Payload};

/// The number of valid requests of an operation with random values, besides the readable one.
const RANDOM: u64 = 4;
/// The maximum number of invalid values of a parameter, and of a body.
const BROKEN: (usize, usize) = (6, 24);

/// A parameter of an operation.
struct Parameter<'d> {
    form: Form<'d>,
    required: bool,
    schema: Option<NodeRef<'d>>,
}

/// Returns the schemas of all requests.
fn schemas<'d>(operations: &[Operation<'d>]) -> Vec<NodeRef<'d>> {
    let parameters = |operation: &Operation<'d>| {
        parameters(*operation).into_iter().filter_map(|parameter| parameter.schema).collect::<Vec<_>>()
    };
    operations
        .iter()
        .flat_map(|operation| {
            let bodies = payloads::of(*operation).into_iter().filter_map(|payload| payload.schema);
            parameters(operation).into_iter().chain(bodies).collect::<Vec<_>>()
        })
        .collect()
}

fn parameters(operation: Operation<'_>) -> Vec<Parameter<'_>> {
    operation
        .distinct_parameters()
        .filter_map(|parameter| {
            let node = parameter.node;
            let form = Form::of(node)?;
            // OpenAPI requires header parameters of these names to be ignored.
            let own = ["accept", "authorization", "content-type"];
            if form.place == "header" && own.iter().any(|name| name.eq_ignore_ascii_case(form.name)) {
                return None;
            }
            let content = || node.get("content")?.entries().next()?.1.get("schema");
            let required =
                form.place == "path" || node.get("required").and_then(NodeRef::as_bool) == Some(true);
            Some(Parameter { form, required, schema: node.get("schema").or_else(content) })
        })
        .collect()
}

/// The requests of a document.
#[derive(Clone, Debug, Default)]
pub struct Requests {
    /// The requests.
    pub cases: Vec<Case>,
    /// The operations without any.
    pub skipped: Vec<Skipped>,
}

/// Makes the requests of a document. The same document gives the same requests.
///
/// # Errors
///
/// Returns an error if the validators of the schemas cannot be built.
pub fn of(document: &Document) -> anyhow::Result<Requests> {
    let mut made = Requests::default();
    let mut operations: Vec<Operation<'_>> = Vec::new();
    for operation in document.operations() {
        match unroutable(operation.item.key.text) {
            None => operations.push(operation),
            Some(reason) => {
                made.skipped.push(Skipped { operation: operation.name(), reason: reason.to_owned() });
            }
        }
    }
    let oracle = Oracle::new(schemas(&operations), Direction::Request)?;
    for operation in &operations {
        let maker = Maker::new(document.root(), *operation, &oracle);
        if let Err(reason) = maker.make(&mut made.cases) {
            made.skipped.push(Skipped { operation: operation.name(), reason });
        }
    }
    unknown(&operations, &mut made.cases);
    Ok(made)
}

/// Returns why no request calls a path. Generator and mock interpret such a template differently, and both
/// report it.
fn unroutable(template: &str) -> Option<&'static str> {
    match template {
        _ if !template.starts_with('/') => Some("its path does not begin with a slash"),
        _ if template.contains(['?', '#']) => Some("its path has a query or a fragment"),
        _ if template.contains("}{") => Some("nothing separates two parameters of its path"),
        _ => None,
    }
}

/// Adds requests for paths and methods that the document does not have.
fn unknown(operations: &[Operation<'_>], cases: &mut Vec<Case>) {
    const METHODS: [&str; 7] = ["GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH"];
    let mut seen = Vec::new();
    for operation in operations {
        let template = operation.item.key.text;
        if seen.contains(&template) {
            continue;
        }
        seen.push(template);
        for method in METHODS {
            let has = |method: &str| {
                operations
                    .iter()
                    .any(|other| other.item.key.text == template && other.method.eq_ignore_ascii_case(method))
            };
            if has(method) || method == "HEAD" && has("GET") {
                continue;
            }
            let draft = Draft::new(method, template);
            let purpose = format!("method {method} of {template}");
            cases.push(Case {
                operation: String::new(),
                purpose,
                expected: Expected::Same,
                request: draft.write(),
            });
        }
    }
    for target in ["/differential/no/such/path", "/", "//", "/%7Bid%7D"] {
        let request =
            Request { method: "GET".to_owned(), target: target.to_owned(), headers: Vec::new(), body: None };
        let purpose = format!("path {target}");
        cases.push(Case { operation: String::new(), purpose, expected: Expected::Same, request });
    }
}

/// Returns an object in JSON with its first member twice; `None` for any other JSON.
fn with_doubled_member(json: &[u8]) -> Option<Vec<u8>> {
    let Value::Object(members) = serde_json::from_slice(json).ok()? else { return None };
    let (name, value) = members.iter().next()?;
    let mut text = format!("{{{}:{value},", Value::from(name.as_str())).into_bytes();
    text.extend(&json.trim_ascii_start()[1..]);
    Some(text)
}

/// Makes the requests of one operation.
struct Maker<'d, 'o> {
    operation: Operation<'d>,
    name: String,
    parameters: Vec<Parameter<'d>>,
    payloads: Vec<Payload<'d>>,
    requires_body: bool,
    credentials: Credentials<'d>,
    oracle: &'o Oracle,
}

impl<'d, 'o> Maker<'d, 'o> {
    fn new(root: NodeRef<'d>, operation: Operation<'d>, oracle: &'o Oracle) -> Self {
        let body = operation.body();
        Self {
            operation,
            name: operation.name(),
            parameters: parameters(operation),
            payloads: payloads::of(operation),
            requires_body: body.and_then(|body| body.get("required")?.as_bool()) == Some(true),
            credentials: credentials::of(root, operation.node),
            oracle,
        }
    }

    /// Adds the requests of the operation.
    ///
    /// # Errors
    ///
    /// The part for which no value was found that can be sent.
    fn make(&self, cases: &mut Vec<Case>) -> Result<(), String> {
        let readable = Instances::readable(self.oracle);
        let plain = self.valid(readable, 0, true)?;
        let mut add = |purpose: &str, expected: Expected, draft: &Draft| {
            cases.push(Case {
                operation: self.name.clone(),
                purpose: purpose.to_owned(),
                expected,
                request: draft.write(),
            });
        };
        add("valid, readable", Expected::Reached, &plain);
        if let Ok(draft) = self.valid(readable, 0, false) {
            add("valid, without optional parts", Expected::Reached, &draft);
        }
        let trying = Instances::new(self.oracle);
        for seed in 0..RANDOM {
            if let Ok(draft) = self.valid(trying, seed, seed % 2 == 0) {
                add("valid, random", Expected::Reached, &draft);
            }
        }
        self.addresses(&plain, &mut add);
        self.wrong_parameters(&plain, &mut add);
        self.bodies(&plain, &mut add);
        self.security(&plain, &mut add);
        self.accept(&plain, &mut add);
        Ok(())
    }

    /// Returns a valid request.
    ///
    /// # Errors
    ///
    /// The required part for which no value was found that can be sent.
    fn valid(&self, instances: Instances<'_>, seed: u64, optional: bool) -> Result<Draft, String> {
        let mut draft = Draft::new(&self.operation.method.to_ascii_uppercase(), self.operation.item.key.text);
        for parameter in self.parameters.iter().filter(|parameter| parameter.required || optional) {
            match Self::value(parameter, instances, seed) {
                Some(pairs) => draft.set(&parameter.form, pairs),
                None if parameter.required => {
                    let Form { place, name, .. } = parameter.form;
                    return Err(format!("no value was found for its {place} parameter `{name}`"));
                }
                None => {}
            }
        }
        self.credentials.present(&mut draft, 0);
        if !self.payloads.is_empty() && (self.requires_body || optional) {
            let position = usize::try_from(seed).unwrap_or_default() % self.payloads.len();
            let payload = &self.payloads[position];
            match payload.valid(self.oracle, instances, seed) {
                Some(body) => draft = draft.with_body(&payload.sent_as, body),
                None if self.requires_body => {
                    return Err(format!("no value was found for its body as {}", payload.media_type));
                }
                None => {}
            }
        }
        Ok(draft)
    }

    fn value(
        parameter: &Parameter<'_>,
        instances: Instances<'_>,
        seed: u64,
    ) -> Option<Vec<(String, String)>> {
        const ATTEMPTS: u64 = 8;
        let Some(schema) = parameter.schema else {
            return parameter.form.encode(&Value::from("text"));
        };
        // Not every value can be written as text.
        (0..ATTEMPTS)
            .find_map(|attempt| parameter.form.encode(&instances.valid(schema, seed + attempt * 1_000).ok()?))
    }

    fn addresses(&self, plain: &Draft, add: &mut impl FnMut(&str, Expected, &Draft)) {
        // RFC 3986, section 6.2.2.2: an escaped unreserved character is equivalent to the character.
        let escaped = Draft { escapes_letter: true, ..plain.clone() };
        add("an escaped letter in the path", Expected::Same, &escaped);
        let mut slash = plain.clone();
        slash.template.push('/');
        add("a slash after the path", Expected::Same, &slash);
        let mut query = plain.clone();
        query.query.push(("differential-unknown".to_owned(), "1".to_owned()));
        add("an unknown query parameter", Expected::Same, &query);
        if self.operation.method == "get" {
            let mut head = plain.clone();
            "HEAD".clone_into(&mut head.method);
            add("HEAD instead of GET", Expected::Same, &head);
        }
    }

    fn wrong_parameters(&self, plain: &Draft, add: &mut impl FnMut(&str, Expected, &Draft)) {
        for parameter in &self.parameters {
            let Form { place, name, .. } = parameter.form;
            let without = || {
                let mut draft = plain.clone();
                let own = |pair: &(String, String)| Self::belongs(parameter, &pair.0);
                match place {
                    "path" => draft.path.retain(|pair| pair.0 != name),
                    "query" => draft.query.retain(|pair| !own(pair)),
                    "header" => draft.headers.retain(|pair| !own(pair)),
                    _ => draft.cookies.retain(|pair| !own(pair)),
                }
                draft
            };
            if parameter.required && place != "path" {
                add(&format!("without the {place} parameter {name}"), Expected::Refused, &without());
            }
            let mut double = plain.clone();
            let pairs = match place {
                "query" => Some(&mut double.query),
                "header" => Some(&mut double.headers),
                "cookie" => Some(&mut double.cookies),
                _ => None,
            };
            if let Some(pairs) = pairs {
                let own: Vec<(String, String)> =
                    pairs.iter().filter(|pair| Self::belongs(parameter, &pair.0)).cloned().collect();
                pairs.extend(own);
                add(&format!("twice the {place} parameter {name}"), Expected::Same, &double);
            }
            if place == "query" {
                let mut empty = without();
                empty.query.push((percent(name, b"-._~"), String::new()));
                add(&format!("an empty query parameter {name}"), Expected::Same, &empty);
                let mut broken = without();
                broken.query.push((percent(name, b"-._~"), "%ff".to_owned()));
                add(&format!("no UTF-8 in the query parameter {name}"), Expected::Same, &broken);
            }
            let Some(schema) = parameter.schema else { continue };
            let Ok(valid) = Instances::readable(self.oracle).valid(schema, 0) else { continue };
            for mutant in Instances::new(self.oracle).invalid(schema, &valid, 0, BROKEN.0) {
                let Some(pairs) = parameter.form.encode(&mutant.value) else { continue };
                let mut draft = without();
                draft.set(&parameter.form, pairs);
                // Text has no types: `7` may be a text as well as a number.
                let visible =
                    ["maximum", "minimum", "maxLength", "minLength", "maxItems", "minItems", "multipleOf"];
                let expected =
                    if visible.contains(&mutant.keyword) { Expected::Refused } else { Expected::Same };
                let purpose =
                    format!("the {place} parameter {name} breaks {} at `{}`", mutant.keyword, mutant.pointer);
                add(&purpose, expected, &draft);
            }
        }
    }

    /// Returns whether a pair is, by its encoded name, a part of this parameter.
    fn belongs(parameter: &Parameter<'_>, encoded: &str) -> bool {
        let Form { place, name, .. } = parameter.form;
        let own = if place == "header" { name.to_owned() } else { percent(name, b"-._~") };
        encoded == own
            || encoded.starts_with(&format!("{own}%5B"))
            || parameter.schema.is_some_and(|schema| {
                let members = schema.resolve().ok().and_then(|schema| schema.get("properties"));
                members
                    .into_iter()
                    .flat_map(NodeRef::members)
                    .any(|(member, _)| percent(member, b"-._~") == encoded)
            })
    }

    fn bodies(&self, plain: &Draft, add: &mut impl FnMut(&str, Expected, &Draft)) {
        let mut without = plain.clone();
        without.headers.retain(|(name, _)| name != "Content-Type");
        without.body = None;
        if self.payloads.is_empty() {
            let surplus = plain.with_body("application/json", b"{}".to_vec());
            add("a body that the operation does not have", Expected::Same, &surplus);
            return;
        }
        let expected = if self.requires_body { Expected::Refused } else { Expected::Reached };
        add("without a body", expected, &without);
        let unknown = plain.with_body("application/x-differential", b"abc".to_vec());
        let any = self.payloads.iter().any(|payload| payload.media_type.starts_with("*/"));
        let open = any || self.payloads.iter().any(|payload| payload.media_type.starts_with("application/*"));
        add("an unknown media type", if open { Expected::Same } else { Expected::Refused }, &unknown);
        for payload in &self.payloads {
            let Payload { sent_as, .. } = payload;
            let Some(valid) = payload.valid(self.oracle, Instances::readable(self.oracle), 0) else {
                continue;
            };
            add(&format!("valid as {sent_as}"), Expected::Reached, &plain.with_body(sent_as, valid.clone()));
            add(
                &format!("{sent_as} without a media type"),
                Expected::Same,
                &plain.with_body("", valid.clone()),
            );
            add(
                &format!("an empty body as {sent_as}"),
                Expected::Same,
                &plain.with_body(sent_as, Vec::new()),
            );
            let upper = plain.with_body(&sent_as.to_ascii_uppercase(), valid.clone());
            if !payload.is_multipart() {
                add(&format!("{sent_as} in upper case"), Expected::Reached, &upper);
                for charset in ["utf-8", "iso-8859-1"] {
                    let typed = format!("{sent_as}; charset={charset}");
                    add(
                        &format!("valid as {typed}"),
                        Expected::Same,
                        &plain.with_body(&typed, valid.clone()),
                    );
                }
            }
            add(
                &format!("no UTF-8 as {sent_as}"),
                Expected::Same,
                &plain.with_body(sent_as, b"\"\xff\"".to_vec()),
            );
            if payload.is_json() {
                let mut surplus = valid.clone();
                surplus.extend(b" x");
                add("text after the JSON", Expected::Refused, &plain.with_body(sent_as, surplus));
                if let Some(doubled) = with_doubled_member(&valid) {
                    add("a member twice", Expected::Same, &plain.with_body(sent_as, doubled));
                }
                add("incomplete JSON", Expected::Refused, &plain.with_body(sent_as, b"{\"a\":".to_vec()));
                add("JSON null", Expected::Same, &plain.with_body(sent_as, b"null".to_vec()));
                let mut large = valid.clone();
                large.extend(vec![b' '; 1 << 20]);
                add("a large body", Expected::Same, &plain.with_body(sent_as, large));
            }
            for (keyword, pointer, body) in payload.broken(self.oracle, BROKEN.1) {
                let expected = if payload.is_json() { Expected::Refused } else { Expected::Same };
                let purpose = format!("the body as {sent_as} breaks {keyword} at `{pointer}`");
                add(&purpose, expected, &plain.with_body(sent_as, body));
            }
        }
    }

    fn security(&self, plain: &Draft, add: &mut impl FnMut(&str, Expected, &Draft)) {
        let mut bare = plain.clone();
        self.credentials.clear(&mut bare);
        for number in 0..self.credentials.alternatives() {
            let mut draft = bare.clone();
            self.credentials.present(&mut draft, number);
            add(&format!("alternative {number} of security"), Expected::Reached, &draft);
            for left_out in 0..self.credentials.schemes(number) {
                let mut draft = bare.clone();
                self.credentials.present_without(&mut draft, number, left_out);
                add(
                    &format!("alternative {number} of security without scheme {left_out}"),
                    Expected::Same,
                    &draft,
                );
            }
        }
        if self.credentials.alternatives() > 0 {
            let expected = if self.credentials.is_optional() { Expected::Reached } else { Expected::Refused };
            add("without credentials", expected, &bare);
            for text in
                ["Bearer", "Bearer ", "Basic", "Basic !", "Basic YQ==", "Digest a", "bearer a", "Bearer a b"]
            {
                let mut draft = bare.clone();
                draft.headers.push(("Authorization".to_owned(), text.to_owned()));
                add(&format!("Authorization: {text}"), Expected::Same, &draft);
            }
        }
    }

    fn accept(&self, plain: &Draft, add: &mut impl FnMut(&str, Expected, &Draft)) {
        let successes = self.operation.responses().filter(|(status, _)| status.text.starts_with('2'));
        let contents = successes.filter_map(|(_, node)| node.resolve().ok()?.get("content"));
        let mut types: Vec<&str> = contents
            .flat_map(NodeRef::members)
            .map(|(name, _)| name)
            .filter(|name| !name.contains('*'))
            .collect();
        types.dedup();
        let fixed = ["*/*", "application/x-differential", "text/*;q=0.1, */*;q=0", "application/json;q=0"];
        for accept in types.into_iter().chain(fixed) {
            let mut draft = plain.clone();
            draft.headers.push(("Accept".to_owned(), accept.to_owned()));
            let expected = if accept == "*/*" { Expected::Reached } else { Expected::Same };
            add(&format!("Accept: {accept}"), expected, &draft);
        }
    }
}
