//! Tests over real documents: every operation responds, responses match the document, valid requests are
//! accepted, and invalid ones are rejected with the documented error.
//!
//! `FRONTDESK_CORPUS` names the folder of documents; without it, only the fixtures of this repository are
//! tested.

use crate::{
    Mock, Settings,
    media::{BodyFormat, Content},
    operation::ServedOperation,
    parameter::Parameter,
    shared::Shared,
    violation::Location,
};
use axum::{body::Body, response::Response};
use frontdesk_contract::Instances;
use frontdesk_document::{Document, LoadError, Loader};
use frontdesk_runtime::{Credential, Operation, codec};
use http::{Request, StatusCode, header};
use http_body_util::BodyExt;
use serde_json::Value;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use tower::ServiceExt;

/// Documents larger than this take too long for a test.
const LARGEST: u64 = 1_000_000;

/// The number of mutants of a body that are sent.
const MUTANTS: usize = 3;

struct Folder(PathBuf);

impl Loader for Folder {
    fn load(&self, path: &str) -> Result<String, LoadError> {
        fs_err::read_to_string(self.0.join(path)).map_err(|error| LoadError::Failed(error.to_string()))
    }
}

#[derive(Debug, Default)]
struct Tally {
    accepted: usize,
    rejected: usize,
    /// Operations for which no request could be made, because a schema has no instance or a style cannot
    /// express the value.
    unsaid: usize,
}

fn read(folder: &Path, name: &str) -> Option<Mock> {
    let document = Document::read(name, &Folder(folder.to_owned())).0?;
    Some(Mock::new(document, Settings::default()).unwrap())
}

#[tokio::test]
async fn fixtures_are_served() {
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    for name in ["bodies", "events", "minimal", "parameters", "schemas", "widgets"] {
        let tally =
            serve(name, read(&root, &format!("tests/fixtures/ok/{name}/openapi.yaml")).unwrap()).await;
        assert!(tally.accepted > 0, "{name}: {tally:?}");
    }
}

#[tokio::test]
async fn real_documents_are_served() {
    let Some(folder) = std::env::var_os("FRONTDESK_CORPUS").map(PathBuf::from) else {
        let _ = std::io::stderr().write_all(b"SKIPPED: FRONTDESK_CORPUS names no folder of documents\n");
        return;
    };
    let only = std::env::var("FRONTDESK_CORPUS_ONLY").unwrap_or_default();
    let mut names: Vec<String> = fs_err::read_dir(&folder)
        .unwrap()
        .map(Result::unwrap)
        .filter(|entry| entry.metadata().unwrap().len() < LARGEST)
        .map(|entry| entry.file_name().into_string().unwrap())
        .filter(|name| Path::new(name).extension().is_some_and(|it| it == "yaml" || it == "json"))
        .filter(|name| only.split(',').any(|part| name.contains(part)))
        .collect();
    names.sort();
    for name in names {
        let Some(mock) = read(&folder, &name) else { continue };
        let tally = serve(&name, mock).await;
        let _ = writeln!(std::io::stderr(), "{name}: {tally:?}");
    }
}

async fn serve(name: &str, mock: Mock) -> Tally {
    let operations: Vec<_> = mock.operations().collect();
    let shared = mock.shared.clone();
    let router = mock.into_router();
    let mut tally = Tally::default();
    for (index, operation) in operations.into_iter().enumerate() {
        let served = shared.served_at(index);
        let place = format!("{name} {} {}", operation.method, operation.path);
        let (Some(request), Some((_, status))) =
            (valid(operation, served, &shared), served.default_response())
        else {
            tally.unsaid += 1;
            continue;
        };
        let send = async |request: Request<Body>| router.clone().oneshot(request).await.unwrap();
        let response = send(request.with(None)).await;
        let other = response.status() != status
            && (response.status().is_success() || response.status().is_redirection());
        if other {
            // Another operation matches this path too, for example when two templates differ only in the
            // names of parameters.
            tally.unsaid += 1;
            continue;
        }
        assert_eq!(response.status(), status, "{place}: {response:?} to {request:?}");
        assert_answer(&place, served, response, &shared).await;
        tally.accepted += 1;
        let Some((content, value)) = &request.body else { continue };
        if content.format != BodyFormat::Json {
            continue;
        }
        let instances = Instances::new(&shared.oracles.requests);
        for mutant in instances.invalid(content.schema.unwrap(), value, 1, MUTANTS) {
            let response = send(request.with(Some(&mutant.value))).await;
            let reported = response.headers().contains_key("x-mock-violation");
            let expected =
                served.error_response(&[StatusCode::UNPROCESSABLE_ENTITY, StatusCode::BAD_REQUEST]);
            let expected = expected.map_or(StatusCode::UNPROCESSABLE_ENTITY, |(_, status)| status);
            assert!(reported && response.status() == expected, "{place}: {response:?} to {mutant:?}");
            tally.rejected += 1;
        }
    }
    tally
}

/// Asserts that the body of a response matches the document.
async fn assert_answer(place: &str, served: &ServedOperation, response: Response, shared: &Shared) {
    let (described, _) = served.default_response().unwrap();
    let warned = response.headers().contains_key("x-mock-warning");
    let media_type = response.headers().get(header::CONTENT_TYPE).cloned();
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    let Some(content) = described.first().filter(|content| content.format == BodyFormat::Json && !warned)
    else {
        return;
    };
    if bytes.is_empty() {
        return;
    }
    assert!(media_type.is_some(), "{place}");
    let value: Value = serde_json::from_slice(&bytes).unwrap();
    let made = crate::value::given(content).is_none();
    if let Some(schema) = content.schema.filter(|_| made) {
        assert!(shared.oracles.responses.is_valid(schema, &value), "{place}: {value}");
    }
}

/// A valid request.
#[derive(Debug)]
struct Valid<'s> {
    method: http::Method,
    target: String,
    headers: Vec<(String, String)>,
    body: Option<(&'s Content, Value)>,
}

impl Valid<'_> {
    /// Builds the request, with the other body if one is given.
    fn with(&self, other: Option<&Value>) -> Request<Body> {
        let mut request = Request::builder().method(&self.method).uri(&self.target);
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let Some((content, value)) = &self.body else { return request.body(Body::empty()).unwrap() };
        let value = other.unwrap_or(value);
        let (media_type, bytes) = match content.format {
            BodyFormat::Form => {
                (content.media_type.to_owned(), codec::encode_form(value, &content.members).unwrap())
            }
            BodyFormat::Json => ("application/json".to_owned(), value.to_string()),
            _ => (
                content.media_type.to_owned(),
                value.as_str().map_or_else(|| value.to_string(), str::to_owned),
            ),
        };
        request.header(header::CONTENT_TYPE, media_type).body(Body::from(bytes)).unwrap()
    }
}

fn valid<'s>(operation: &Operation, served: &'s ServedOperation, shared: &Shared) -> Option<Valid<'s>> {
    let mut target = operation.path.to_owned();
    let mut query = Vec::new();
    let mut headers = Vec::new();
    let mut cookies = Vec::new();
    let mut names = Vec::new();
    for (index, parameter) in served.parameters.iter().enumerate() {
        let Some(pairs) = pairs(parameter, shared) else {
            if parameter.required {
                return None;
            }
            continue;
        };
        for (name, value) in pairs {
            if parameter.location == Location::Query {
                names.push((index, name.clone()));
            }
            match parameter.location {
                Location::Path => target = target.replace(&format!("{{{}}}", parameter.param.name), &value),
                Location::Query => query.push(format!("{name}={value}")),
                Location::Header => headers.push((name, value)),
                _ => cookies.push(format!("{name}={value}")),
            }
        }
    }
    for scheme in operation.security.first().into_iter().flat_map(|requirement| requirement.schemes) {
        match scheme.credential {
            Credential::Bearer => headers.push(("authorization".to_owned(), "Bearer any".to_owned())),
            Credential::Basic => headers.push(("authorization".to_owned(), "Basic YTpi".to_owned())),
            Credential::Http(name) => headers.push(("authorization".to_owned(), format!("{name} any"))),
            // If a bearer token and a key use the same header, the token serves as both; a repeated header
            // would be rejected.
            Credential::Header(name) if name.eq_ignore_ascii_case("authorization") => {
                headers.insert(0, ("authorization".to_owned(), "Bearer any".to_owned()));
            }
            Credential::Header(name) => headers.push((name.to_owned(), "any".to_owned())),
            Credential::Query(name) => query.push(format!("{name}=any")),
            Credential::Cookie(name) => cookies.push(format!("{name}=any")),
            Credential::Connection => {}
        }
    }
    // The members of two exploded objects may have the same name.
    let mut owners: Vec<(&str, usize)> = Vec::new();
    for (index, name) in &names {
        if owners.iter().any(|(known, owner)| known == name && owner != index) {
            return None;
        }
        owners.push((name, *index));
    }
    if !cookies.is_empty() {
        headers.push(("cookie".to_owned(), cookies.join("; ")));
    }
    if !query.is_empty() {
        target = format!("{target}?{}", query.join("&"));
    }
    // A placeholder without a declared parameter matches any text.
    while let Some((before, after)) = target.split_once('{').filter(|(_, after)| after.contains('}')) {
        target = format!("{before}any{}", after.split_once('}').unwrap().1);
    }
    let content = served.body.as_ref().and_then(|body| body.contents.first());
    let body = match content.filter(|content| content.schema.is_some()) {
        Some(content) if content.format == BodyFormat::Multipart => return None,
        Some(content) => {
            let value = Instances::readable(&shared.oracles.requests).valid(content.schema?, 1).ok()?;
            if content.format == BodyFormat::Form {
                codec::encode_form(&value, &content.members).ok()?;
            }
            Some((content, value))
        }
        None if served.body.as_ref().is_some_and(|body| body.required) => return None,
        None => None,
    };
    // Some documents declare header names and paths that HTTP does not allow.
    target.parse::<http::Uri>().ok()?;
    headers.iter().try_for_each(|(name, _)| http::HeaderName::try_from(name).map(drop)).ok()?;
    Some(Valid { method: operation.method.clone(), target, headers, body })
}

/// Encodes a parameter as text.
fn pairs(parameter: &Parameter, shared: &Shared) -> Option<Vec<(String, String)>> {
    let value = match parameter.schema {
        Some(schema) => Instances::readable(&shared.oracles.requests).valid(schema, 1).ok()?,
        None => Value::from("text"),
    };
    // Values without a text form are left out: `null`, and lists and objects that are empty.
    let empty = match &value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty() || list.contains(&Value::Null),
        Value::Object(members) => members.is_empty() || members.values().any(Value::is_null),
        _ => false,
    };
    let pairs = codec::encode(&parameter.param, &value).ok()?;
    let plain = |(_, text): &(String, String)| http::HeaderValue::from_str(text).is_ok();
    (!empty && pairs.iter().all(plain)).then_some(pairs)
}
