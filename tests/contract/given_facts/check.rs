//! The check: visits every given operation of the document and reports the facts that it does not satisfy.
//!
//! It also records the location of each fact, so that the self-test can break every one of them in turn.

use std::collections::HashSet;

use serde_json::{Value as Json, json};

use super::facts::{self, Endpoint, Field, KEY_PREFIX, Kind, PREFIX, PROSE, Takes, Value};
use super::place::{Schema, locate, names, token};

/// The location of a fact about a value.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// A description for messages.
    pub(crate) name: String,
    /// The object that contains the field, the field's name, and whether it is required; `None` for elements
    /// of lists.
    pub(crate) field: Option<(String, &'static str, bool)>,
    /// The field's schema, after following references; it contains `nullable`.
    pub(crate) schema: String,
    /// The schema behind an `allOf` with one entry; it contains `type`, limits and values.
    pub(crate) target: String,
    pub(crate) value: Value,
}

/// The result of the check.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// The facts that the document does not satisfy, one sentence each.
    pub(crate) findings: Vec<String>,
    /// The locations of the facts about values.
    pub(crate) places: Vec<Place>,
}

/// Checks a bundled document against every fact.
pub(crate) fn check(document: &Json) -> Report {
    let mut check = Check { document, report: Report::default(), seen: HashSet::new() };
    check.versioning();
    check.authentication();
    check.paths();
    for endpoint in facts::endpoints() {
        check.endpoint(&endpoint);
    }
    check.prose();
    check.report
}

const METHODS: &[&str] = &["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// Keywords that restrict what a schema allows, or delegate it to other schemas.
const CONSTRAINTS: &[&str] = &[
    "additionalProperties",
    "allOf",
    "anyOf",
    "default",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "readOnly",
    "uniqueItems",
    "writeOnly",
];

#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
enum Direction {
    Request,
    Response,
}

struct Check<'d> {
    document: &'d Json,
    report: Report,
    /// The objects that were checked already, by purpose; operations share them.
    seen: HashSet<(String, &'static str, Direction)>,
}

impl<'d> Check<'d> {
    fn expect(&mut self, holds: bool, fact: impl FnOnce() -> String) {
        if !holds {
            self.report.findings.push(fact());
        }
    }

    fn at(&self, pointer: &str) -> Option<&'d Json> {
        locate(self.document, pointer).map(|(_, found)| found)
    }

    fn text(&self, pointer: &str) -> &'d str {
        self.at(pointer).and_then(Json::as_str).unwrap_or_default()
    }

    fn len(&self, pointer: &str) -> usize {
        self.at(pointer).and_then(Json::as_array).map_or(0, Vec::len)
    }

    /// Checks that an object is given; without a mark it has the provenance of its container.
    fn given(&mut self, provenance: &str, name: &str) {
        self.expect(provenance == "given", || format!("{name}: x-provenance is {provenance:?}, not given"));
    }

    fn versioning(&mut self) {
        let openapi = self.text("/openapi");
        self.expect(openapi.starts_with("3.0."), || format!("openapi: is {openapi:?}, given the 3.0 form"));
        let version = self.text("/info/version");
        let parts: Vec<Option<u64>> = version.split('.').map(|part| part.parse().ok()).collect();
        let first = matches!(parts[..], [Some(1), Some(_), Some(_)]);
        self.expect(first, || format!("info.version: is {version:?}, given version 1 from 1.0.0 on"));
    }

    fn authentication(&mut self) {
        let schemes = names(self.at("/components/securitySchemes"));
        // Programs have nothing but the key. The token of a visitor's browser is designed.
        self.expect(schemes == ["apiKey", "visitorToken"], || {
            format!(
                "security schemes: are {schemes:?}, given the API key, beside which only visitors have one"
            )
        });
        let scheme = |keyword: &str| self.text(&format!("/components/securitySchemes/apiKey/{keyword}"));
        let (kind, name, format) = (scheme("type"), scheme("scheme"), scheme("bearerFormat"));
        self.expect(kind == "http" && name.eq_ignore_ascii_case("bearer"), || {
            format!("API key: is sent by {kind} {name}, given the Authorization header with Bearer")
        });
        self.expect(format.starts_with(KEY_PREFIX), || {
            format!("API key: looks like {format:?}, given the prefix {KEY_PREFIX}")
        });
        let servers: Vec<&str> =
            (0..self.len("/servers")).map(|index| self.text(&format!("/servers/{index}/url"))).collect();
        let secure = !servers.is_empty() && servers.iter().all(|url| url.starts_with("https://"));
        self.expect(secure, || format!("servers: are {servers:?}, given HTTPS only"));
    }

    fn paths(&mut self) {
        let given = facts::endpoints();
        for path in names(self.at("/paths")) {
            self.expect(path.starts_with(&format!("{PREFIX}/")), || {
                format!("{path}: does not begin with {PREFIX}")
            });
            for method in METHODS {
                let Some(operation) = self.at(&format!("/paths/{}/{method}", token(path))) else { continue };
                let known = given.iter().any(|given| given.path == path && given.method == *method);
                self.expect(known || operation["x-provenance"] == "designed", || {
                    format!(
                        "{} {path}: is not given, so it has to be marked as designed",
                        method.to_uppercase()
                    )
                });
            }
        }
    }

    fn endpoint(&mut self, endpoint: &Endpoint) {
        let name = format!("{} {}", endpoint.method.to_uppercase(), endpoint.path);
        let item = format!("/paths/{}", token(endpoint.path));
        let Some((operation, _)) = locate(self.document, &format!("{item}/{}", endpoint.method)) else {
            self.report.findings.push(format!("{name}: is missing"));
            return;
        };
        let provenance = self.text(&format!("{operation}/x-provenance"));
        self.given(provenance, &name);
        let stability = self.text(&format!("{operation}/x-stability-level"));
        self.expect(stability == "stable", || {
            format!("{name}: x-stability-level is {stability:?}, given stable")
        });
        self.security(endpoint, &operation, &name);
        self.parameters(endpoint, &[format!("{item}/parameters"), format!("{operation}/parameters")], &name);
        self.takes(endpoint, &operation, &name);
        self.answers(endpoint, &operation, &name);
        self.rejects(endpoint, &operation, &name);
    }

    fn security(&mut self, endpoint: &Endpoint, operation: &str, name: &str) {
        let security = self.at(&format!("{operation}/security")).or_else(|| self.at("/security"));
        let (given, words) =
            if endpoint.keyed { (json!([{ "apiKey": [] }]), "the API key") } else { (json!([]), "no key") };
        self.expect(security == Some(&given), || {
            format!("{name}: security is {}, given {words}", security.unwrap_or(&Json::Null))
        });
    }

    fn parameters(&mut self, endpoint: &Endpoint, lists: &[String], name: &str) {
        let mut found = false;
        let pointers: Vec<String> = lists
            .iter()
            .flat_map(|list| (0..self.len(list)).map(move |index| format!("{list}/{index}")))
            .collect();
        for pointer in pointers {
            let Some((pointer, parameter)) = locate(self.document, &pointer) else { continue };
            let (key, location) = (&parameter["name"], &parameter["in"]);
            if key == "chatbot_id" && location == "path" {
                found = true;
                let name = format!("{name} path.chatbot_id");
                self.expect(parameter["required"] == true, || format!("{name}: is not required"));
                let provenance = parameter["x-provenance"].as_str().unwrap_or("given");
                let uuid = Value { kind: Kind::Uuid, nullable: false, limits: Vec::new() };
                self.value(&format!("{pointer}/schema"), &uuid, Direction::Request, provenance, &name, None);
            } else if matches!(endpoint.takes, Takes::Nothing) {
                self.report.findings.push(format!("{name}: takes {location} parameter {key}, given none"));
            } else {
                let designed = parameter["x-provenance"] == "designed" && parameter["required"] != true;
                self.expect(designed, || {
                    format!("{name}: {location} parameter {key} is not given, so it has to be optional and designed")
                });
            }
        }
        self.expect(found == endpoint.path.contains("{chatbot_id}"), || {
            format!("{name} path.chatbot_id: is missing")
        });
    }

    fn takes(&mut self, endpoint: &Endpoint, operation: &str, name: &str) {
        let pointer = format!("{operation}/requestBody");
        let body = self.at(&pointer);
        let (shape, required) = match endpoint.takes {
            Takes::Nothing => {
                self.expect(body.is_none(), || format!("{name}: takes a body, given none"));
                return;
            }
            Takes::Body(shape) => (shape, true),
            Takes::OptionalBody(shape) => (shape, false),
        };
        let name = format!("{name} request");
        self.expect(body.is_some_and(|body| body["required"] == true) == required, || {
            format!("{name}: a body is {}required, given the opposite", if required { "not " } else { "" })
        });
        if let Some(schema) = self.json_content(&pointer, &name) {
            self.object(&schema, shape, Direction::Request, "given", &name);
        }
    }

    fn answers(&mut self, endpoint: &Endpoint, operation: &str, name: &str) {
        let (status, shape) = endpoint.answers;
        let mut success = names(self.at(&format!("{operation}/responses")));
        success.retain(|status| !status.starts_with(['4', '5']));
        self.expect(success == [status], || {
            format!("{name}: succeeds with {success:?}, given {status} alone")
        });
        let pointer = format!("{operation}/responses/{status}");
        let Some(response) = self.at(&pointer) else { return };
        let name = format!("{name} {status}");
        self.given(response["x-provenance"].as_str().unwrap_or("given"), &name);
        let Some(shape) = shape else {
            self.expect(response.get("content").is_none(), || format!("{name}: has content, given none"));
            return;
        };
        if let Some(schema) = self.json_content(&pointer, &name) {
            self.object(&schema, shape, Direction::Response, "given", &name);
        }
        if shape == "created chatbot" {
            let examples = self.at(&format!("{pointer}/content/application~1json/examples"));
            let examples = examples.and_then(Json::as_object);
            let training = examples.is_some_and(|examples| {
                examples.values().all(|example| example["value"]["status"] == "training")
            });
            self.expect(training, || {
                format!("{name}: an example is not in training, the given status after creation")
            });
        }
    }

    fn rejects(&mut self, endpoint: &Endpoint, operation: &str, name: &str) {
        for status in names(self.at(&format!("{operation}/responses"))) {
            let own =
                status.starts_with(['4', '5']) && endpoint.rejects.iter().all(|(given, _)| *given != status);
            let provenance = self.text(&format!("{operation}/responses/{status}/x-provenance"));
            self.expect(!own || provenance == "designed", || {
                format!("{name} {status}: is not given, so it has to be marked as designed")
            });
        }
        for (status, shapes) in &endpoint.rejects {
            let name = format!("{name} {status}");
            let pointer = format!("{operation}/responses/{status}");
            let Some(response) = self.at(&pointer) else {
                self.report.findings.push(format!("{name}: is missing"));
                continue;
            };
            self.given(response["x-provenance"].as_str().unwrap_or("given"), &name);
            if *status == "429" {
                self.retry_after(&pointer, &name);
            }
            if let Some(schema) = self.json_content(&pointer, &name) {
                self.alternatives(&schema, shapes, &name);
            }
        }
    }

    /// Checks an error body: each given shape must be a branch, and further branches must be designed.
    fn alternatives(&mut self, schema: &str, shapes: &[&'static str], name: &str) {
        let one_of = format!("{schema}/oneOf");
        if self.at(&one_of).is_none() {
            self.expect(shapes.len() == 1, || format!("{name}: has one body, given {shapes:?}"));
            self.object(schema, shapes[0], Direction::Response, "given", name);
            return;
        }
        let mut branches: Vec<String> =
            (0..self.len(&one_of)).map(|index| format!("{one_of}/{index}")).collect();
        for shape in shapes {
            let fields = facts::shape(shape);
            let position = branches.iter().position(|branch| {
                let found = names(self.at(&format!("{branch}/properties")));
                self.text(&format!("{branch}/x-provenance")) == "given"
                    && fields.iter().all(|field| found.contains(&field.name))
            });
            match position {
                Some(position) => {
                    let branch = branches.remove(position);
                    self.object(&branch, shape, Direction::Response, "given", &format!("{name} ({shape})"));
                }
                None => self.report.findings.push(format!("{name}: has no branch for the given {shape}")),
            }
        }
        for branch in branches {
            let provenance = self.text(&format!("{branch}/x-provenance"));
            self.expect(provenance == "designed", || {
                format!("{name}: has a branch that is neither given nor marked as designed")
            });
        }
    }

    fn retry_after(&mut self, response: &str, name: &str) {
        let header = self.at(&format!("{response}/headers/Retry-After")).unwrap_or(&Json::Null);
        self.expect(header["required"] == true, || format!("{name}: does not promise a Retry-After header"));
        self.expect(header["schema"]["type"] == "integer", || {
            format!("{name}: Retry-After is not a number of seconds")
        });
        let text = header["description"].as_str().unwrap_or_default();
        self.expect(text.contains("seconds"), || {
            format!("{name}: Retry-After does not say that it is in seconds")
        });
    }

    /// Returns the schema of a body that is given as JSON only.
    fn json_content(&mut self, holder: &str, name: &str) -> Option<String> {
        let content = self.at(&format!("{holder}/content"));
        let mut types = names(content);
        // A further media type of our own changes nothing for callers who do not ask for it.
        types.retain(|name| content.is_none_or(|content| content[*name]["x-provenance"] != "designed"));
        self.expect(types == ["application/json"], || {
            format!("{name}: is {types:?}, given application/json")
        });
        types.contains(&"application/json").then(|| format!("{holder}/content/application~1json/schema"))
    }

    fn object(
        &mut self,
        pointer: &str,
        shape: &'static str,
        direction: Direction,
        inherited: &str,
        name: &str,
    ) {
        let Some(schema) = self.resolve(pointer, name) else { return };
        let provenance = schema.provenance(inherited);
        self.given(provenance, name);
        let kind = schema.text("type");
        self.expect(kind == "object", || format!("{name}: type is {kind:?}, given object"));
        self.unaccounted(&schema, &[], name);
        if !self.seen.insert((schema.target.clone(), shape, direction)) {
            return;
        }
        let fields = facts::shape(shape);
        let required = schema.strings("required");
        let properties = names(schema.keywords.get("properties").copied());
        for Field { name: field, required: must, value } in &fields {
            let name = format!("{name}.{field}");
            if !properties.contains(field) {
                self.report.findings.push(format!("{name}: is missing"));
                continue;
            }
            self.expect(required.contains(field) == *must, || {
                format!("{name}: is {}, given the opposite", if *must { "optional" } else { "required" })
            });
            let place = Some((schema.target.clone(), *field, *must));
            let pointer = format!("{}/properties/{}", schema.target, token(field));
            self.value(&pointer, value, direction, provenance, &name, place);
        }
        for own in properties.iter().filter(|key| fields.iter().all(|field| field.name != **key)) {
            let name = format!("{name}.{own}");
            let pointer = format!("{}/properties/{}", schema.target, token(own));
            let Some(schema) = self.resolve(&pointer, &name) else { continue };
            self.expect(schema.provenance("given") == "designed", || {
                format!("{name}: is not given, so it has to be marked as designed")
            });
            self.expect(direction == Direction::Response || !required.contains(own), || {
                format!("{name}: is not given, so a request need not have it")
            });
        }
        for stray in required.iter().filter(|key| !properties.contains(*key)) {
            self.report.findings.push(format!("{name}.{stray}: is required but not described"));
        }
    }

    fn value(
        &mut self,
        pointer: &str,
        given: &Value,
        direction: Direction,
        inherited: &str,
        name: &str,
        field: Option<(String, &'static str, bool)>,
    ) {
        let Some(schema) = self.resolve(pointer, name) else { return };
        self.report.places.push(Place {
            name: name.to_owned(),
            field,
            schema: schema.pointer.clone(),
            target: schema.target.clone(),
            value: given.clone(),
        });
        let provenance = schema.provenance(inherited);
        if !facts::is_reading(name) {
            self.given(provenance, name);
        }
        let nullable = schema.flag("nullable");
        self.expect(nullable == given.nullable, || {
            format!(
                "{name}: {}, given the opposite",
                if nullable { "may be null" } else { "may not be null" }
            )
        });
        for (keyword, limit) in &given.limits {
            let found = schema.keywords.get(*keyword).copied().unwrap_or(&Json::Null);
            self.expect(found.as_u64() == Some(*limit), || {
                format!("{name}: {keyword} is {found}, given {limit}")
            });
        }
        let (kind, format) = match &given.kind {
            Kind::Object(shape) => {
                self.object(pointer, shape, direction, provenance, name);
                return;
            }
            Kind::Uuid => ("string", Some("uuid")),
            Kind::Timestamp => ("string", Some("date-time")),
            Kind::Integer => ("integer", Some("int64")),
            Kind::Boolean => ("boolean", None),
            Kind::List(_) => ("array", None),
            Kind::Lists => ("object", None),
            Kind::Text | Kind::Closed(_) | Kind::Extended(_) | Kind::Open(_) => ("string", None),
        };
        let found = schema.text("type");
        self.expect(found == kind, || format!("{name}: type is {found:?}, given {kind}"));
        if let Some(format) = format {
            let found = schema.text("format");
            self.expect(found == format, || format!("{name}: format is {found:?}, given {format}"));
        }
        let mut accounted: Vec<&str> = given.limits.iter().map(|(keyword, _)| *keyword).collect();
        accounted.extend(format.map(|_| "format"));
        match &given.kind {
            Kind::Closed(values) | Kind::Extended(values) | Kind::Open(values) => {
                accounted.push("enum");
                self.values(&schema, &given.kind, values, name);
            }
            Kind::List(element) => {
                let items = format!("{}/items", schema.target);
                self.value(&items, element, direction, provenance, &format!("{name}[]"), None);
            }
            Kind::Lists => {
                accounted.push("additionalProperties");
                let list = format!("{}/additionalProperties", schema.target);
                let types = (self.text(&format!("{list}/type")), self.text(&format!("{list}/items/type")));
                self.expect(types == ("array", "string"), || {
                    format!("{name}: does not map fields to lists of texts")
                });
            }
            _ => {}
        }
        self.unaccounted(&schema, &accounted, name);
    }

    fn values(&mut self, schema: &Schema, kind: &Kind, given: &[&str], name: &str) {
        let found = schema.strings("enum");
        for value in given {
            self.expect(found.contains(value), || format!("{name}: does not have the given value {value}"));
        }
        let designed = schema.strings("x-designed-values");
        for value in &found {
            let own = !matches!(kind, Kind::Closed(_)) && designed.contains(value);
            self.expect(given.contains(value) || own, || format!("{name}: has {value}, which is not given"));
        }
        for value in designed.iter().filter(|value| given.contains(value)) {
            self.report.findings.push(format!("{name}: the given value {value} is marked as designed"));
        }
        let open = schema.flag("x-extensible-enum");
        self.expect(open == matches!(kind, Kind::Open(_)), || {
            format!("{name}: its values are {}, given the opposite", if open { "open" } else { "closed" })
        });
    }

    /// Reports constraints that are neither given nor marked as designed, and designed constraints that are
    /// too strict.
    fn unaccounted(&mut self, schema: &Schema, given: &[&str], name: &str) {
        let own = schema.strings("x-designed-bounds");
        for (keyword, value) in schema.keywords.iter().filter(|(keyword, _)| CONSTRAINTS.contains(*keyword)) {
            if given.contains(keyword) {
                self.expect(!own.contains(keyword), || {
                    format!("{name}: the given {keyword} is marked as designed")
                });
                continue;
            }
            let marked = own.contains(keyword) || facts::is_reading(name);
            let harmless = match *keyword {
                "minLength" | "minItems" => marked && value.as_u64().is_some_and(|bound| bound <= 1),
                "minimum" => marked && value.as_i64().is_some_and(|bound| bound <= 0),
                "maxLength" => marked && value.as_u64().is_some_and(|bound| bound >= 35),
                "maxItems" => marked && value.as_u64().is_some_and(|bound| bound >= 50),
                "format" | "pattern" => marked,
                "additionalProperties" => **value == true,
                _ => false,
            };
            self.expect(harmless, || format!("{name}: {keyword} {value} narrows what is given"));
        }
    }

    fn resolve(&mut self, pointer: &str, name: &str) -> Option<Schema<'d>> {
        let schema = Schema::at(self.document, pointer);
        self.expect(schema.is_some(), || format!("{name}: has no schema"));
        schema
    }

    fn prose(&mut self) {
        for prose in PROSE {
            let text = self.text(prose.at).split_whitespace().collect::<Vec<_>>().join(" ");
            for words in prose.words.iter().filter(|words| !text.contains(**words)) {
                self.report.findings.push(format!("{}: {} does not say {words:?}", prose.fact, prose.at));
            }
        }
    }
}
