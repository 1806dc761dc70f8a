//! [`respond`]: makes the response to one request.

use crate::{
    headers,
    media::{BodyFormat, Content},
    operation::{Code, DescribedResponse, ServedOperation},
    paging::{PageRequest, Paging},
    prefer::Preferences,
    rejection::{problem, reject},
    request::{self, Rejected},
    shared::Shared,
    value::{self, BodyValue, NoValue},
    violation::{Location, Violation, header_text},
    write,
};
use axum::response::Response;
use bytes::Bytes;
use frontdesk_contract::Oracle;
use frontdesk_runtime::server::{Call, Incoming, media, reply};
use http::{HeaderMap, HeaderName, StatusCode};
use serde_json::{Map, Value, json};

/// The header that names the preferences that were applied (RFC 7240, section 3).
pub(crate) const APPLIED: HeaderName = HeaderName::from_static("preference-applied");

/// Responds to an authenticated request.
pub(crate) async fn respond(shared: &Shared, served: &ServedOperation, mut call: Call<()>) -> Response {
    let (oracles, limit) = (&shared.oracles, shared.body_limit_of(served));
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
    let content = match negotiated(served, described, status, call.incoming().headers(), &preferences) {
        Ok(content) => content,
        Err(rejected) => return reject(served, &rejected, &oracles.responses, seed),
    };
    let body = match request::validate(&mut call, served, &oracles.requests, limit).await {
        Ok(body) => body,
        Err(rejected) => return reject(served, &rejected, &oracles.responses, seed),
    };
    let seed = self::seed(call.incoming(), &preferences, &body);
    // A list whose example the caller names is shown as it is.
    let turns = status.is_success() && preferences.example.is_none();
    let paging = served.paging.as_ref().filter(|_| turns);
    let turning = paging.map(|paging| (paging, PageRequest::new(call.incoming(), &body)));
    let mut warnings = Vec::new();
    if preferences.code.is_none() && (status.is_client_error() || status.is_server_error()) {
        warnings.push(format!(
            "the document declares only errors for this operation, so the request was answered with {} although nothing is wrong with it",
            described.code
        ));
    }
    let mut response = match content {
        None => reply::empty(status),
        Some(content) => match value::choose(content, &preferences, &oracles.responses, seed) {
            Ok(Some(value)) => {
                warnings.extend(broken_example(content, &value, &oracles.responses));
                warnings.extend(unchecked(content, &value));
                let value = match &turning {
                    Some((paging, request)) => page_of(paging, request, content, value, &oracles.responses),
                    None => value,
                };
                write::response(status, content, value)
            }
            Ok(None) => write::blank(status, content),
            Err(NoValue::Example(_)) => return unknown_example(served, described),
            Err(NoValue::Instance(reason)) => headers::with_warning(
                reply::empty(status),
                &format!("the response has no body because no instance of its schema was found: {reason}"),
            ),
        },
    };
    for warning in warnings {
        response = headers::with_warning(response, &warning);
    }
    headers::add_documented(&mut response, described, &oracles.responses, seed);
    if let Some((paging, request)) = &turning {
        paging.link(request, &mut response);
    }
    if let Some(applied) = preferences.applied() {
        response.headers_mut().insert(APPLIED, header_text(&applied));
    }
    response
}

/// Returns the requested page of a list.
fn page_of(
    paging: &Paging,
    request: &PageRequest<'_>,
    content: &Content,
    value: BodyValue,
    oracle: &Oracle,
) -> BodyValue {
    if content.format != BodyFormat::Json {
        return value;
    }
    let body = value.clone().into_json();
    let is_valid = |body: &Value| content.schema.is_none_or(|schema| oracle.is_valid(schema, body));
    // An example that violates its schema cannot be changed in a way that the schema allows.
    let was_valid = is_valid(&body);
    let turned = paging.turned(request, &body, |body| !was_valid || is_valid(body));
    turned.map_or(value, BodyValue::Generated)
}

/// Returns a warning about the keywords of a generated value that are not checked.
fn unchecked(content: &Content, value: &BodyValue) -> Option<String> {
    let BodyValue::Generated(_) = value else { return None };
    let names: Vec<String> = content.unchecked().iter().map(|keyword| format!("`{keyword}`")).collect();
    let warning =
        || format!("the generated body may violate {}, which the mock does not check", names.join(", "));
    (!names.is_empty()).then(warning)
}

/// Returns the problems of an example in the document that does not match its own schema.
fn broken_example(content: &Content, value: &BodyValue, oracle: &Oracle) -> Option<String> {
    let BodyValue::Example(example) = value else { return None };
    let schema = content.schema.filter(|_| content.is_judged())?;
    let fault = oracle.faults(schema, &example.to_json()).into_iter().next()?;
    let place = if fault.pointer.is_empty() { String::new() } else { format!("at {} it ", fault.pointer) };
    let reason = if place.is_empty() { format!("it {}", fault.reason) } else { fault.reason };
    Some(format!("the example of the document does not match its schema: {place}{reason}"))
}

/// Returns the response that the caller prefers, or else the default one.
fn chosen<'s>(
    served: &'s ServedOperation,
    preferences: &Preferences,
) -> Result<(&'s DescribedResponse, StatusCode), Box<Response>> {
    let Some(code) = &preferences.code else {
        return served.default_response().ok_or_else(|| {
            let detail = "the document describes no response of this operation that a server could send";
            Box::new(problem(StatusCode::NOT_IMPLEMENTED, detail, []))
        });
    };
    let found = Code::read(code).and_then(|code| served.response_for(code));
    found.filter(|(_, status)| !status.is_informational()).ok_or_else(|| {
        let codes: Vec<String> = served.responses.iter().map(|response| response.code.to_string()).collect();
        let detail = format!(
            "`Prefer: code={code}` asks for a response that this operation does not declare (declared: {})",
            if codes.is_empty() { "none".to_owned() } else { codes.join(", ") }
        );
        Box::new(problem(StatusCode::BAD_REQUEST, &detail, [("codes", json!(codes))]))
    })
}

/// Returns the content that suits the `Accept` header best. Errors ignore the header, so that the caller
/// learns what is wrong, and so do operations that do not refuse it: a header that excludes everything is a
/// wish that a server may disregard (RFC 9110, section 12.5.1).
fn negotiated<'d>(
    served: &ServedOperation,
    described: &'d DescribedResponse,
    status: StatusCode,
    headers: &HeaderMap,
    preferences: &Preferences,
) -> Result<Option<&'d Content>, Rejected> {
    let named = |content: &&Content| {
        let examples = value::examples(content.node);
        preferences.example.as_ref().is_none_or(|name| examples.iter().any(|(own, _)| own == name))
    };
    // A named example may exist for some media types only.
    let contents: Vec<&Content> = described.contents.iter().filter(named).collect();
    let offered: Vec<&str> = contents.iter().map(|content| content.media_type).collect();
    if offered.is_empty() {
        return Ok(None);
    }
    match media::negotiate(&offered, headers) {
        Some(index) => Ok(contents.get(index).copied()),
        None if status.is_client_error() || status.is_server_error() => Ok(contents.first().copied()),
        None => match served.negotiated_types().filter(|types| media::negotiate(types, headers).is_none()) {
            Some(_) => {
                let rule = format!("the response is only available as {}", offered.join(" or "));
                let violation = Violation::new(Location::Accept, "", "", rule);
                Err(Rejected::new(&[StatusCode::NOT_ACCEPTABLE], vec![violation]))
            }
            None => Ok(contents.first().copied()),
        },
    }
}

fn unknown_example(served: &ServedOperation, described: &DescribedResponse) -> Response {
    let mut all = Map::new();
    for response in &served.responses {
        let names = response.example_names();
        if !names.is_empty() {
            all.insert(response.code.to_string(), json!(names));
        }
    }
    let (code, names) = (described.code, described.example_names());
    let detail = if names.is_empty() {
        format!("`Prefer: example` asks for a named example, but the response {code} has none")
    } else {
        format!(
            "`Prefer: example` asks for an example that the response {code} does not have (available: {})",
            names.join(", ")
        )
    };
    problem(StatusCode::BAD_REQUEST, &detail, [("examples", Value::Object(all))])
}

impl DescribedResponse {
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

/// Returns a seed that is the same for the same request on every machine (FNV-1a).
fn seed(incoming: &Incoming, preferences: &Preferences, body: &Bytes) -> u64 {
    let target = incoming.parts().uri.path_and_query().map_or("/", |target| target.as_str());
    let wished = preferences.seed.unwrap_or_default().to_le_bytes();
    let bytes = target.bytes().chain(wished).chain(body.iter().copied());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
