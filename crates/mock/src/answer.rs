//! Owns [`answer`]: one request, from the preferences of its caller to the response.

use crate::{
    media::Content,
    mock::Shared,
    operation::{Code, Described, Served},
    prefer::Preferences,
    refusal::{problem, refuse},
    request::{self, Refused},
    value::{self, Missing},
    violation::{Place, Violation, header_text},
    write,
};
use axum::response::Response;
use bytes::Bytes;
use frontdesk_contract::Oracle;
use frontdesk_runtime::codec;
use frontdesk_runtime::server::{Call, Incoming, media, reply};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use serde_json::{Map, Value, json};

/// What the mock could not do.
pub(crate) const WARNING: HeaderName = HeaderName::from_static("x-mock-warning");

/// Which preferences were followed (RFC 7240, section 3).
pub(crate) const APPLIED: HeaderName = HeaderName::from_static("preference-applied");

/// Answers a request whose caller has been let in.
pub(crate) async fn answer(shared: &Shared, served: &Served, mut call: Call<()>) -> Response {
    let (judges, limit) = (&shared.judges, shared.body_limit);
    let preferences = Preferences::of(call.incoming().headers());
    let wanted = chosen(served, &preferences).and_then(|(described, status)| {
        let known = preferences.example.as_ref().is_none_or(|name| described.has_example(name));
        if known { Ok((described, status)) } else { Err(Box::new(unknown_example(served, described))) }
    });
    let (described, status) = match wanted {
        Ok(found) => found,
        Err(response) => return *response,
    };
    let seed = seed(call.incoming(), &preferences, &Bytes::new());
    let content = match negotiated(described, status, call.incoming().headers(), &preferences) {
        Ok(content) => content,
        Err(refused) => return refuse(served, &refused, &judges.responses, seed),
    };
    let body = match request::judge(&mut call, served, &judges.requests, limit).await {
        Ok(body) => body,
        Err(refused) => return refuse(served, &refused, &judges.responses, seed),
    };
    let seed = self::seed(call.incoming(), &preferences, &body);
    let mut response = match content {
        None => reply::empty(status),
        Some(content) => match value::choose(content, &preferences, &judges.responses, seed) {
            Ok(Some(value)) => write::response(status, content, value),
            Ok(None) => write::blank(status, content),
            Err(Missing::Example(_)) => return unknown_example(served, described),
            Err(Missing::Instance(reason)) => warned(
                reply::empty(status),
                &format!("no body, as the schema has no instance that was found: {reason}"),
            ),
        },
    };
    add_headers(&mut response, described, &judges.responses, seed);
    if let Some(applied) = preferences.applied() {
        response.headers_mut().insert(APPLIED, header_text(&applied));
    }
    response
}

/// The response that is asked for, or else the usual one.
fn chosen<'s>(
    served: &'s Served,
    preferences: &Preferences,
) -> Result<(&'s Described, StatusCode), Box<Response>> {
    let Some(code) = &preferences.code else {
        return served.usual().ok_or_else(|| {
            let detail = "the document gives this operation no response that a server could answer with";
            Box::new(problem(StatusCode::NOT_IMPLEMENTED, detail, []))
        });
    };
    let found = Code::read(code).and_then(|code| served.of_code(code));
    found.filter(|(_, status)| !status.is_informational()).ok_or_else(|| {
        let codes: Vec<String> = served.responses.iter().map(|response| response.code.to_string()).collect();
        let detail = format!(
            "`Prefer: code={code}` asks for a response that this operation does not have; it has {}",
            if codes.is_empty() { "none".to_owned() } else { codes.join(", ") }
        );
        Box::new(problem(StatusCode::BAD_REQUEST, &detail, [("codes", json!(codes))]))
    })
}

/// The content that the caller likes best. Errors come as they are: who asks for a page would not learn what went wrong.
fn negotiated<'d>(
    described: &'d Described,
    status: StatusCode,
    headers: &HeaderMap,
    preferences: &Preferences,
) -> Result<Option<&'d Content>, Refused> {
    let named = |content: &&Content| {
        let examples = value::examples(content.node);
        preferences.example.as_ref().is_none_or(|name| examples.iter().any(|(own, _)| own == name))
    };
    // An example may be there for some media types only.
    let contents: Vec<&Content> = described.contents.iter().filter(named).collect();
    let offered: Vec<&str> = contents.iter().map(|content| content.media_type).collect();
    if offered.is_empty() {
        return Ok(None);
    }
    match media::negotiate(&offered, headers) {
        Some(index) => Ok(contents.get(index).copied()),
        None if status.is_client_error() || status.is_server_error() => Ok(contents.first().copied()),
        None => {
            let rule = format!("the answer is only given as {}", offered.join(" or "));
            Err(Refused::new(
                &[StatusCode::NOT_ACCEPTABLE],
                vec![Violation::new(Place::Accept, "", "", rule)],
            ))
        }
    }
}

fn unknown_example(served: &Served, described: &Described) -> Response {
    let mut all = Map::new();
    for response in &served.responses {
        let names = response.example_names();
        if !names.is_empty() {
            all.insert(response.code.to_string(), json!(names));
        }
    }
    let (code, names) = (described.code, described.example_names());
    let detail = if names.is_empty() {
        format!("`Prefer: example` names an example, and the response {code} has none with a name")
    } else {
        format!(
            "`Prefer: example` names an example that the response {code} does not have; it has {}",
            names.join(", ")
        )
    };
    problem(StatusCode::BAD_REQUEST, &detail, [("examples", Value::Object(all))])
}

impl Described {
    fn example_names(&self) -> Vec<&'static str> {
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in self.contents.iter().flat_map(|content| value::examples(content.node)) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    fn has_example(&self, name: &str) -> bool {
        self.example_names().contains(&name)
    }
}

/// Adds the headers that the document describes: those that must be there, and those that it gives an example of.
pub(crate) fn add_headers(response: &mut Response, described: &Described, oracle: &Oracle, seed: u64) {
    /// How often a value is made that a header can hold.
    const ATTEMPTS: u64 = 8;
    for header in &described.headers {
        let text = |value: &Value| -> Option<HeaderValue> {
            let (_, text) = codec::encode(&header.param, value).ok()?.into_iter().next()?;
            HeaderValue::from_str(&text).ok()
        };
        let default = || header.schema?.resolve().ok()?.get("default");
        let named = || value::examples(header.node).into_iter().next().map(|(_, value)| value);
        let given = header.node.get("example").or_else(named);
        let given = given.or_else(|| value::of_schema(header.schema?)).or_else(default);
        let mut found = given.and_then(|given| text(&given.to_json()));
        if found.is_none() && header.required {
            found = (0..ATTEMPTS).find_map(|attempt| match header.schema {
                Some(schema) => {
                    let seed = seed.wrapping_add(attempt);
                    text(&value::instance(schema, &Preferences::default(), oracle, seed).ok()?)
                }
                None => Some(HeaderValue::from_static("value")),
            });
        }
        match found {
            Some(value) => {
                response.headers_mut().insert(header.name.clone(), value);
            }
            None if header.required => {
                let warning = format!("no value was found for the header {}", header.name);
                response.headers_mut().append(WARNING, header_text(&warning));
            }
            None => {}
        }
    }
}

fn warned(mut response: Response, warning: &str) -> Response {
    response.headers_mut().append(WARNING, header_text(warning));
    response
}

/// The same request gives the same number (FNV-1a), on every machine.
fn seed(incoming: &Incoming, preferences: &Preferences, body: &Bytes) -> u64 {
    let target = incoming.parts().uri.path_and_query().map_or("/", |target| target.as_str());
    let wished = preferences.seed.unwrap_or_default().to_le_bytes();
    let bytes = target.bytes().chain(wished).chain(body.iter().copied());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
