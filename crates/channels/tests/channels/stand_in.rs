//! A server that records requests and responds as it is told.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, Method, StatusCode, Uri},
    response::IntoResponse,
};
use frontdesk_testkit::stand_in;
use serde_json::Value;
use url::Url;

#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
    /// The body as it arrived.
    pub(crate) raw: Bytes,
}

#[derive(Default)]
struct Told {
    requests: Vec<Request>,
    responses: VecDeque<(u16, String)>,
}

#[derive(Clone)]
pub(crate) struct StandIn {
    told: Arc<Mutex<Told>>,
    pub(crate) url: Url,
}

impl StandIn {
    /// Starts a server that gives these responses, one after the other.
    pub(crate) async fn start(responses: &[(u16, Value)]) -> Self {
        let told = Arc::new(Mutex::new(Told::default()));
        told.lock().unwrap().responses =
            responses.iter().map(|(status, body)| (*status, body.to_string())).collect();
        let app = Router::new().fallback(respond).with_state(Arc::clone(&told));
        let url = format!("http://{}/", stand_in::serve(app).await).parse().unwrap();
        Self { told, url }
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.told.lock().unwrap().requests.clone()
    }
}

async fn respond(
    State(told): State<Arc<Mutex<Told>>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> impl IntoResponse {
    let mut told = told.lock().unwrap();
    let raw = body.clone();
    let body = serde_json::from_slice(&body).unwrap_or_default();
    told.requests.push(Request { method, path: uri.path().to_owned(), headers, body, raw });
    let (status, body) = told.responses.pop_front().unwrap_or((500, "{}".to_owned()));
    (StatusCode::from_u16(status).unwrap(), body)
}
