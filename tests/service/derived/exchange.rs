//! Requests and responses. Every response is compared with the document.

use std::collections::{BTreeMap, BTreeSet};

use frontdesk_client::Raw;
use frontdesk_runtime::StatusCode;
use serde_json::Value;
use tokio::{io::AsyncWriteExt, net::TcpStream};

use super::{
    contract::{Body, Operation, contract},
    scenarios::LIMITED_BY_STORAGE,
    world::{Tenant, World, text_of},
};
use crate::wire::{Request, early_answer};

/// Separates the parts of a form. It is always the same, so that repeated requests are equal.
const BOUNDARY: &str = "boundary-between-parts";

/// The statuses observed for each operation.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    pairs: BTreeSet<(&'static str, u16)>,
}

impl Ledger {
    /// Returns the declared statuses that were not observed.
    pub(crate) fn missing(&self) -> Vec<String> {
        self.missing_of(&contract().operations)
    }

    /// Returns the declared statuses of some operations that were not observed.
    pub(crate) fn missing_of(&self, operations: &'static [Operation]) -> Vec<String> {
        let declared = operations
            .iter()
            .flat_map(|operation| operation.responses.keys().map(|status| (operation.id, *status)));
        let missing = declared.filter(|pair| !self.pairs.contains(pair));
        missing.map(|(operation, status)| format!("{operation} {status}")).collect()
    }
}

/// A request to one operation.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) operation: &'static Operation,
    /// The value of each path parameter.
    pub(crate) path: BTreeMap<&'static str, String>,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) payload: Payload,
}

/// The body of a request.
#[derive(Clone, Debug)]
pub(crate) enum Payload {
    None,
    /// The fields of a JSON body or a form, whichever the operation declares.
    Json(Value),
    Text {
        media_type: &'static str,
        text: String,
    },
    Bytes {
        media_type: &'static str,
        bytes: Vec<u8>,
    },
}

/// The part of a response that tests compare.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) status: u16,
    /// `null` if there is no body.
    pub(crate) body: Value,
}

impl Call {
    pub(crate) fn new(operation: &'static Operation) -> Self {
        Self {
            operation,
            path: BTreeMap::new(),
            query: Vec::new(),
            headers: Vec::new(),
            payload: Payload::None,
        }
    }

    pub(crate) fn with(mut self, parameter: &'static str, id: &str) -> Self {
        self.path.insert(parameter, id.to_owned());
        self
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn json(self, body: Value) -> Self {
        Self { payload: Payload::Json(body), ..self }
    }

    pub(crate) fn text(self, media_type: &'static str, text: impl Into<String>) -> Self {
        Self { payload: Payload::Text { media_type, text: text.into() }, ..self }
    }

    /// Returns the JSON body.
    pub(crate) fn body(&self) -> Option<&Value> {
        match &self.payload {
            Payload::Json(body) => Some(body),
            _ => None,
        }
    }

    /// Returns the text of the body.
    pub(crate) fn body_text(&self) -> String {
        match &self.payload {
            Payload::Json(body) => body.to_string(),
            Payload::Text { text, .. } => text.clone(),
            Payload::Bytes { .. } | Payload::None => panic!("{} has no text", self.operation.id),
        }
    }

    /// Returns the call with another body of the same meaning, or without a body with a parameter that means
    /// nothing.
    pub(crate) fn altered(mut self) -> Self {
        match &mut self.payload {
            Payload::Json(body) => body["x-other"] = Value::from("other"),
            Payload::Text { text, .. } => text.push('\n'),
            Payload::None => self.query.push(("x-other".to_owned(), "other".to_owned())),
            Payload::Bytes { .. } => panic!("{} has no text", self.operation.id),
        }
        self
    }

    pub(crate) fn target(&self) -> String {
        let mut target = self.operation.path.to_owned();
        for (parameter, value) in &self.path {
            target = target.replace(&format!("{{{parameter}}}"), value);
        }
        assert!(!target.contains('{'), "{} lacks a path parameter: {target}", self.operation.id);
        if !self.query.is_empty() {
            let mut query = url::form_urlencoded::Serializer::new(String::new());
            query.extend_pairs(&self.query);
            target = format!("{target}?{}", query.finish());
        }
        target
    }

    /// Returns the request with this API key.
    fn request(&self, key: Option<&str>) -> Request {
        let mut request = Request::new(&self.operation.method, &self.target());
        if let Some(key) = key {
            request = request.key(key);
        }
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        match &self.payload {
            Payload::None => request,
            Payload::Json(body) if self.operation.body.as_ref().is_some_and(Body::is_form) => request
                .body_of(&format!("multipart/form-data; boundary={BOUNDARY}"), self.form(body, BOUNDARY)),
            Payload::Json(body) => request.json(body.to_string()),
            Payload::Text { media_type, text } => request.body_of(media_type, text.as_str()),
            Payload::Bytes { media_type, bytes } => request.body_of(media_type, bytes.clone()),
        }
    }
}

impl Call {
    /// Returns the parts of a form. A list is a part for each entry, and a field with bytes is a file.
    pub(crate) fn form(&self, body: &Value, boundary: &str) -> String {
        let files = self.operation.body.as_ref().map(Body::files).unwrap_or_default();
        let mut form = String::new();
        for (name, value) in body.as_object().unwrap() {
            let file_name = if files.contains(&name.as_str()) { "; filename=\"upload.txt\"" } else { "" };
            for entry in value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice) {
                let text = text_of(entry);
                form.push_str(&format!(
                    "--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"{file_name}\r\n\r\n{text}\r\n"
                ));
            }
        }
        form + &format!("--{boundary}--\r\n")
    }
}

impl World {
    /// Sends a call with the key of the tenant's owner. Fails if the response contains data of another
    /// tenant.
    pub(crate) async fn send(&self, tenant: &Tenant, call: &Call) -> Outcome {
        let outcome = self.send_as(Some(&tenant.key), call).await;
        let told = outcome.body.to_string();
        let sent = format!("{} {:?}", call.target(), call.payload);
        for secret in self.secrets_of_others(tenant) {
            assert!(
                !told.contains(&secret) || sent.contains(&secret),
                "{} shows {secret} of another account: {told}",
                call.operation.id
            );
        }
        outcome
    }

    /// Sends a call whose body breaks off within a chunk, and records the status. Fails if the response is
    /// not as declared.
    pub(crate) async fn send_broken_off(&self, key: Option<&str>, call: &Call, media_type: &str) -> u16 {
        let request = Request::new(&call.operation.method, &call.target());
        let request = request.header("Content-Type", media_type).header("Transfer-Encoding", "chunked");
        let request = key.into_iter().fold(request, Request::key);
        let mut stream = TcpStream::connect(self.service.address()).await.unwrap();
        stream.write_all(&[&request.head()[..], b"not a length\r\n"].concat()).await.unwrap();
        let raw = early_answer(stream).await;
        check(call, &raw);
        let status = raw.status.as_u16();
        self.ledger.lock().unwrap().pairs.insert((call.operation.id, status));
        status
    }

    /// Sends a call with this key, or without one, and records the status. Fails if the response is not as
    /// declared.
    pub(crate) async fn send_as(&self, key: Option<&str>, call: &Call) -> Outcome {
        let raw = call.request(key).send(self.service.address()).await;
        check(call, &raw);
        let status = raw.status.as_u16();
        self.ledger.lock().unwrap().pairs.insert((call.operation.id, status));
        let body = match call.operation.responses[&status].other_media_type {
            _ if raw.body.is_empty() => Value::Null,
            Some(_) => String::from_utf8_lossy(&raw.body).into_owned().into(),
            None => raw.json().unwrap(),
        };
        Outcome { status, body }
    }

    /// Sends a call and fails unless it succeeds.
    pub(crate) async fn succeed(&self, tenant: &Tenant, call: &Call) -> Outcome {
        let outcome = self.send(tenant, call).await;
        assert!(
            (200..300).contains(&outcome.status),
            "{} is refused: {outcome:?} of {call:?}",
            call.operation.id
        );
        outcome
    }
}

/// Fails unless the document declares the status, the required headers and the body of a response.
fn check(call: &Call, raw: &Raw) {
    let operation = call.operation;
    let status = raw.status.as_u16();
    let Some(declared) = operation.responses.get(&status) else {
        panic!("{} does not declare {status}: {raw:?} of {call:?}", operation.id);
    };
    for name in &declared.headers {
        assert!(raw.headers.contains_key(*name), "{} {status} lacks {name}: {raw:?}", operation.id);
    }
    let media_type = raw.headers.get("content-type").and_then(|value| value.to_str().ok());
    if declared.other_media_type.is_some() {
        // Text is sent with its encoding.
        let essence = media_type.map(|media_type| media_type.split(';').next().unwrap_or_default());
        assert_eq!(essence, declared.other_media_type, "{} {status}: {raw:?}", operation.id);
        return;
    }
    let Some(schema) = declared.schema else {
        assert!(raw.body.is_empty(), "{} {status} declares no body: {raw:?}", operation.id);
        return;
    };
    assert_eq!(media_type, Some("application/json"), "{} {status}: {raw:?}", operation.id);
    let body: Value =
        raw.json().unwrap_or_else(|error| panic!("{} {status}: {error}: {raw:?}", operation.id));
    let faults = contract().responses.faults(schema, &body);
    assert!(faults.is_empty(), "{} {status} is not as declared: {faults:?} in {body}", operation.id);
    // Nothing but storage is limited by the plans of these tests.
    let is_limited = body["error"] == "plan_limit_reached";
    assert!(
        !is_limited || LIMITED_BY_STORAGE.iter().any(|(limited, _)| *limited == operation.id),
        "{} is refused because of a limit of the plan that it does not have: {body}",
        operation.id
    );
    if raw.status == StatusCode::TOO_MANY_REQUESTS {
        let seconds: u64 = raw.headers["retry-after"].to_str().unwrap().parse().unwrap();
        assert!(seconds >= 1, "{}: {raw:?}", operation.id);
    }
}
