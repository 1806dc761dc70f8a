//! The measured operations: requests to the generated and the handwritten servers.

mod by_hand;
mod generated;

use axum::{Router, body::Body, http::Request, http::request::Builder, response::Response};
use frontdesk_runtime::{Timestamp, Uuid};
use futures_util::FutureExt;
use std::{fmt::Write, sync::LazyLock};
use tower::Service;

/// The widget that is there, and the one that is made.
const KNOWN: Uuid = Uuid::from_u128(7);

static CREATED_AT: LazyLock<Timestamp> =
    LazyLock::new(|| "2026-01-31T09:30:00Z".parse().expect("this is a timestamp"));

fn item_name(number: i64) -> String {
    format!("Item with the number {number}")
}

/// One operation on both sides.
#[derive(Debug)]
pub struct Operation {
    /// What it is called in tables.
    pub name: &'static str,
    /// Written by hand.
    pub by_hand: Router,
    /// Generated.
    pub generated: Router,
    /// A request that succeeds.
    pub good: fn() -> Request<Body>,
    /// Requests that are refused.
    bad: Vec<(u16, Request<Body>, Request<Body>)>,
}

/// The operations that are measured.
pub fn operations() -> Vec<Operation> {
    vec![
        Operation {
            name: "get one",
            by_hand: by_hand::widgets(),
            generated: generated::widgets(),
            good: || of_caller(Request::get(format!("/widgets/{KNOWN}"))).body(Body::empty()).expect(GOOD),
            bad: both(|| {
                ["/widgets/0190b6a5-5f0e-7c62-9c7e-0f3a5b6d7e8f", "/widgets/seven"]
                    .map(|path| (404, of_caller(Request::get(path)).body(Body::empty()).expect(GOOD)))
                    .into()
            }),
        },
        Operation {
            name: "post one",
            by_hand: by_hand::widgets(),
            generated: generated::widgets(),
            good: || widget(JSON, NEW_WIDGET),
            bad: both(|| {
                vec![
                    (422, widget(JSON, BAD_WIDGET)),
                    (422, widget(JSON, r#"{"name": "Lamp", "parts": 7}"#)),
                    (400, widget(JSON, r#"{"name": "Lamp", "parts": ["#)),
                    (415, widget("text/plain", NEW_WIDGET)),
                    (413, widget(JSON, &format!(r#"{{"name": "{}"}}"#, " ".repeat(2 << 20)))),
                ]
            }),
        },
        Operation {
            name: "list 100",
            by_hand: by_hand::pages(),
            generated: generated::pages(),
            good: || page("after=bGFzdCBvbmU&limit=100"),
            bad: both(|| vec![(422, page("limit=101")), (422, page("limit=0")), (422, page("limit=many"))]),
        },
    ]
}

impl Operation {
    /// Makes sure that both servers do the same: same answers, same refusals.
    pub fn assert_alike(&mut self) {
        let name = self.name;
        let (one, other) = (call(&mut self.by_hand, (self.good)()), call(&mut self.generated, (self.good)()));
        assert!(one.status().is_success(), "{name}: {one:?}");
        assert_eq!((one.status(), one.headers()), (other.status(), other.headers()), "{name}");
        assert_eq!(text(one), text(other), "{name}");
        for (status, request, same) in std::mem::take(&mut self.bad) {
            let (one, other) = (call(&mut self.by_hand, request), call(&mut self.generated, same));
            assert_eq!((one.status().as_u16(), other.status().as_u16()), (status, status), "{name}");
            let (one, other) = (text(one), text(other));
            // What serde says of a body is worded as it likes.
            if other.contains("must ") && one.contains("errors") {
                assert_eq!(one, other, "{name}");
            }
        }
    }
}

/// Sends a request to a server in this process, which never has to wait for anything.
pub fn call(server: &mut Router, request: Request<Body>) -> Response {
    let answer = server.call(request).now_or_never().expect("no handler waits");
    let Ok(response) = answer;
    response
}

/// Reads the whole body of a response.
pub fn read(response: Response) -> axum::body::Bytes {
    let body = axum::body::to_bytes(response.into_body(), usize::MAX);
    body.now_or_never().expect("no body waits").expect("the body is complete")
}

fn text(response: Response) -> String {
    String::from_utf8(read(response).into()).expect("every answer is text")
}

const GOOD: &str = "the request is well formed";
const JSON: &str = "application/json";

const NEW_WIDGET: &str = r#"{
  "name": "Desk lamp", "code": "DE-1042", "weight": 12.25, "count": 5, "tags": ["red", "small"],
  "contact": "jo@example.com", "homepage": "https://www.example.com/lamps/1042", "finish": "matte",
  "parts": [{"name": "foot", "parts": [{"name": "weight"}, {"name": "felt"}]}, {"name": "arm", "inside": {"name": "spring"}}]
}"#;

const BAD_WIDGET: &str = r#"{
  "name": "A lamp with a long name", "code": "1042", "weight": 1000.005, "count": 7, "tags": ["small", "longer", "small"],
  "contact": "jo", "homepage": "/lamps", "host": "-", "secret": "short", "parts": [{"name": "", "parts": [{"name": ""}]}]
}"#;

/// What every caller sends.
fn of_caller(request: Builder) -> Builder {
    request.header("host", "api.example.com").header("user-agent", "caller/1.0").header("accept", JSON)
}

fn widget(media_type: &str, body: &str) -> Request<Body> {
    of_caller(Request::post("/widgets"))
        .header("content-type", media_type)
        .header("content-length", body.len())
        .body(Body::from(body.to_owned()))
        .expect(GOOD)
}

fn page(query: &str) -> Request<Body> {
    let mut path = String::from("/pages/cursor");
    let _ = write!(path, "?{query}");
    of_caller(Request::get(path)).body(Body::empty()).expect(GOOD)
}

fn both(requests: impl Fn() -> Vec<(u16, Request<Body>)>) -> Vec<(u16, Request<Body>, Request<Body>)> {
    requests().into_iter().zip(requests()).map(|((status, one), (_, other))| (status, one, other)).collect()
}
