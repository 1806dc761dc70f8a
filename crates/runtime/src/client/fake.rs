//! [`Fake`]: responses to single operations, for tests of programs that use a client.

use super::{Body, Request, Response};
use crate::Operation;
use http::{HeaderName, HeaderValue, StatusCode, header};
use serde::Serialize;
use std::{
    collections::BTreeMap,
    convert::Infallible,
    fmt,
    future::{Ready, ready},
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
};

/// A service that responds to the operations that a test prepares, for the method `service` of a client's
/// builder. Clones share responses and requests.
///
/// Of several responses to one operation, each is sent once, in order, and the last one again and again. An
/// operation that is not prepared gets the status 501.
#[derive(Clone, Default)]
pub struct Fake(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    answers: BTreeMap<&'static str, Vec<Answer>>,
    requests: Vec<(&'static Operation, Request)>,
}

#[derive(Clone)]
struct Answer {
    status: StatusCode,
    headers: Vec<(HeaderName, HeaderValue)>,
    body: bytes::Bytes,
}

impl Fake {
    /// Starts without responses.
    pub fn new() -> Self {
        Self::default()
    }

    /// Responds to an operation with JSON. With the feature `test-util`, response types of the document have
    /// `new`, and `example` where the document shows one.
    ///
    /// # Panics
    ///
    /// The body cannot be written as JSON.
    #[must_use]
    pub fn on(self, operation: &'static Operation, status: StatusCode, body: &impl Serialize) -> Self {
        let body = serde_json::to_vec(body).expect("the body of a fake response can be written as JSON");
        let headers = vec![(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))];
        self.answer(operation, Answer { status, headers, body: body.into() })
    }

    /// Responds to an operation with the document's example of a successful response.
    ///
    /// # Panics
    ///
    /// The document has no such example that the generated types read.
    #[must_use]
    pub fn on_example(self, operation: &'static Operation) -> Self {
        let Some(example) = operation.example else {
            panic!(
                "the document has no example of a successful response to `{}`: prepare one with `on`",
                operation.id
            )
        };
        let status = StatusCode::from_u16(example.status).expect("a document has statuses of three digits");
        if example.json.is_empty() {
            return self.on_raw(operation, status, [], bytes::Bytes::new());
        }
        let json = (header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        self.on_raw(operation, status, [json], example.json)
    }

    /// Responds to an operation with these headers and bytes.
    #[must_use]
    pub fn on_raw(
        self,
        operation: &'static Operation,
        status: StatusCode,
        headers: impl IntoIterator<Item = (HeaderName, HeaderValue)>,
        body: impl Into<bytes::Bytes>,
    ) -> Self {
        let headers = headers.into_iter().collect();
        self.answer(operation, Answer { status, headers, body: body.into() })
    }

    fn answer(self, operation: &'static Operation, answer: Answer) -> Self {
        self.state(|state| state.answers.entry(operation.id).or_default().push(answer));
        self
    }

    /// Takes the requests that were sent since the last time, each with its operation. Bodies that were
    /// streams are streams.
    pub fn requests(&self) -> Vec<(&'static Operation, Request)> {
        self.state(|state| std::mem::take(&mut state.requests))
    }

    fn state<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl fmt::Debug for Fake {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.state(|state| formatter.debug_set().entries(state.answers.keys()).finish())
    }
}

impl tower_service::Service<Request> for Fake {
    type Response = Response;
    type Error = Infallible;
    type Future = Ready<Result<Response, Infallible>>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let operation = request.extensions().get::<&'static Operation>().copied();
        let answer = self.state(|state| {
            let operation = operation?;
            state.requests.push((operation, request));
            let answers = state.answers.get_mut(operation.id)?;
            if answers.len() > 1 { Some(answers.remove(0)) } else { answers.first().cloned() }
        });
        let mut response = http::Response::new(Body::empty());
        match answer {
            Some(answer) => {
                *response.status_mut() = answer.status;
                response.headers_mut().extend(answer.headers);
                *response.body_mut() = answer.body.into();
            }
            None => *response.status_mut() = StatusCode::NOT_IMPLEMENTED,
        }
        ready(Ok(response))
    }
}
