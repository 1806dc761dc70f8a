//! [`Receiver`]: the system of a customer, which events are sent to.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{Router, body::Bytes, extract::State, http::HeaderMap, response::Response, routing::post};
use frontdesk_client::webhooks::{self, Event};
use frontdesk_runtime::webhook::{Verifier, WebhookError};
use frontdesk_testkit::stand_in;
use jiff::Timestamp;
use serde_json::Value;
use tokio::task::AbortHandle;

use crate::patience::until;

/// A request that has arrived.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) at: Timestamp,
}

impl Received {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers[name].to_str().unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(crate) fn event_type(&self) -> String {
        self.json()["type"].as_str().unwrap().to_owned()
    }

    /// The event, if this secret has signed it.
    pub(crate) fn verified(&self, secret: &str) -> Result<Event, WebhookError> {
        webhooks::receive(&Verifier::new(secret).unwrap(), &self.headers, &self.body)
    }
}

/// How a receiver responds.
pub(crate) enum Reply {
    /// With a status.
    Status(u16),
    /// With a status and a `Retry-After`.
    RetryAfter(u16, u32),
    /// Not at all.
    Never,
}

/// Decides by the requests so far, the present one included.
type Manner = Box<dyn Fn(&[Received]) -> Reply + Send + Sync>;

struct Shared {
    received: Mutex<Vec<Received>>,
    manner: Manner,
}

/// A receiver on this machine.
pub(crate) struct Receiver {
    address: SocketAddr,
    shared: Arc<Shared>,
    server: AbortHandle,
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Receiver {
    /// One that accepts everything.
    pub(crate) async fn start() -> Self {
        Self::replying(|_| Reply::Status(204)).await
    }

    pub(crate) async fn replying(manner: impl Fn(&[Received]) -> Reply + Send + Sync + 'static) -> Self {
        let shared = Arc::new(Shared { received: Mutex::default(), manner: Box::new(manner) });
        let router = Router::new().route("/hook", post(receive)).with_state(Arc::clone(&shared));
        let (address, server) = stand_in::serve_until_aborted(router).await;
        Self { address, shared, server }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    /// Everything that has arrived so far.
    pub(crate) fn received(&self) -> Vec<Received> {
        self.shared.received.lock().unwrap().clone()
    }

    /// Everything that has arrived, once it is at least so much.
    pub(crate) async fn has_received(&self, count: usize) -> Vec<Received> {
        until(&format!("{count} requests have arrived"), async || {
            let received = self.received();
            (received.len() >= count).then_some(received)
        })
        .await
    }
}

async fn receive(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: Bytes) -> Response {
    let reply = {
        let mut received = shared.received.lock().unwrap();
        received.push(Received { headers, body, at: Timestamp::now() });
        (shared.manner)(&received)
    };
    let mut response = Response::default();
    match reply {
        Reply::Status(status) => *response.status_mut() = status.try_into().unwrap(),
        Reply::RetryAfter(status, seconds) => {
            *response.status_mut() = status.try_into().unwrap();
            response.headers_mut().insert("retry-after", seconds.into());
        }
        Reply::Never => tokio::time::sleep(Duration::from_hours(1)).await,
    }
    response
}
