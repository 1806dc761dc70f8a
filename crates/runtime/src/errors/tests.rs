use crate::{
    Failure, StatusCode, Value, WithHeaders,
    client::{DeclaredErrors, Raw, Received},
    codec::{Member, Style},
    server::{ErrorResponse, Refusal, Refusals, Refuse, Rejection, Response},
};
use futures_util::FutureExt;
use http::{HeaderName, HeaderValue, header};
use http_body_util::BodyExt;
use serde_json::json;
use std::collections::BTreeMap;

/// A response that only one status has.
#[derive(Debug)]
pub struct Gone(Value);

impl From<Gone> for WithHeaders<Value> {
    fn from(gone: Gone) -> Self {
        gone.0.into()
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    Json(Value),
    Text(String),
}

crate::errors! {
    /// One error of each form.
    #[derive(Clone, Debug, PartialEq)]
    pub enum EveryError {
        /// 400.
        400 => BadRequest(WithHeaders<Value>) refuses Value,
        /// 402.
        402 => PaymentRequired(WithHeaders<String>) as text("text/plain; charset=utf-8"),
        /// 403.
        403 => Forbidden(WithHeaders<()>) as empty refused empty,
        /// 409.
        409 => Conflict(WithHeaders<Choice>) as one_of(Choice {
            "application/json" => Json as json,
            "text/plain" => Text as text("text/plain; charset=utf-8"),
        }),
        /// 410.
        410 => Gone(WithHeaders<Value>) as json("application/problem+json") from Gone refuses Gone,
        /// 411.
        411 => LengthRequired(WithHeaders<String>) as any_of(
            "text/plain" as text("text/plain; charset=utf-8"), "application/json" as json
        ),
        /// 412.
        412 => PreconditionFailed(WithHeaders<BTreeMap<String, String>>) as form(
            &[Member { name: "a", style: Style::Form, explode: true, reserved: false }]
        ),
        /// 4XX.
        400..=499 => ClientError(StatusCode, WithHeaders<Value>) refuses Value,
        /// Any other status.
        100..=999 => Other(StatusCode, WithHeaders<String>) as text("text/plain; charset=utf-8"),
    }
}

crate::errors! {
    /// None.
    #[derive(Debug)]
    pub enum NoErrors {}
    otherwise (Value) as json("application/problem+json") refuses (Value)
}

struct Guard;

impl Refuse<Value> for Guard {
    fn refuse(&self, refusal: &Refusal) -> Value {
        json!(refusal.message())
    }
}

impl Refuse<Gone> for Guard {
    fn refuse(&self, refusal: &Refusal) -> Gone {
        Gone(json!({ "gone": refusal.message() }))
    }
}

fn received(response: Response) -> Received {
    let (head, body) = response.into_parts();
    let body = body.collect().now_or_never().unwrap().unwrap().to_bytes();
    Raw { status: head.status, headers: head.headers, body }.into()
}

fn read(response: Response) -> Option<EveryError> {
    EveryError::read(&mut received(response)).unwrap()
}

#[test]
fn a_client_reads_every_error_that_a_server_writes() {
    let problem = json!({ "title": "a" });
    for (error, status, media_type) in [
        (EveryError::BadRequest(problem.clone().into()), 400, "application/json"),
        (EveryError::PaymentRequired("a".to_owned().into()), 402, "text/plain; charset=utf-8"),
        (EveryError::Forbidden(().into()), 403, ""),
        (EveryError::Conflict(Choice::Json(problem.clone()).into()), 409, "application/json"),
        (EveryError::Conflict(Choice::Text("a".to_owned()).into()), 409, "text/plain; charset=utf-8"),
        (EveryError::Gone(problem.clone().into()), 410, "application/problem+json"),
        (EveryError::LengthRequired("a".to_owned().into()), 411, "text/plain; charset=utf-8"),
        (
            EveryError::PreconditionFailed(BTreeMap::from([("a".to_owned(), "b".to_owned())]).into()),
            412,
            "application/x-www-form-urlencoded",
        ),
        (EveryError::ClientError(StatusCode::IM_A_TEAPOT, problem.clone().into()), 418, "application/json"),
        (EveryError::Other(StatusCode::BAD_GATEWAY, "a".to_owned().into()), 502, "text/plain; charset=utf-8"),
    ] {
        let response = error.clone().into_response();
        assert_eq!(response.status(), status);
        let written =
            response.headers().get(header::CONTENT_TYPE).map_or("", |value| value.to_str().unwrap());
        assert_eq!(written, media_type, "{status}");
        let mut again = read(response).unwrap();
        headers_of(&mut again).clear();
        assert_eq!(again, error);
    }
}

fn headers_of(error: &mut EveryError) -> &mut http::HeaderMap {
    match error {
        EveryError::BadRequest(held) | EveryError::Gone(held) | EveryError::ClientError(_, held) => {
            &mut held.headers
        }
        EveryError::PaymentRequired(held) | EveryError::LengthRequired(held) | EveryError::Other(_, held) => {
            &mut held.headers
        }
        EveryError::Forbidden(held) => &mut held.headers,
        EveryError::Conflict(held) => &mut held.headers,
        EveryError::PreconditionFailed(held) => &mut held.headers,
    }
}

#[test]
fn headers_go_with_the_body() {
    let (name, value) = (HeaderName::from_static("x-a"), HeaderValue::from_static("1"));
    let error = EveryError::BadRequest(WithHeaders::from(json!(1)).with_header(name.clone(), value.clone()));
    let Some(EveryError::BadRequest(again)) = read(error.into_response()) else { unreachable!() };
    assert_eq!(again.headers.get(name), Some(&value));
}

#[test]
fn a_body_of_another_media_type_is_an_error() {
    let raw = Raw {
        status: StatusCode::CONFLICT,
        headers: http::HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_static("image/png"))]),
        body: "a".into(),
    };
    EveryError::read(&mut raw.into()).unwrap_err();
}

#[test]
fn without_errors_every_status_is_undocumented() {
    let raw = Raw { status: StatusCode::CONFLICT, headers: http::HeaderMap::new(), body: "{}".into() };
    assert!(NoErrors::read(&mut raw.into()).unwrap().is_none());
}

#[test]
fn a_response_that_determines_the_status_becomes_its_error() {
    let failure: Failure<EveryError> = Gone(json!(1)).into();
    assert!(matches!(failure, Failure::Declared(EveryError::Gone(body)) if *body == json!(1)));
}

#[test]
fn requests_are_refused_with_the_error_that_fits_most_closely() {
    let refusal = |status| Refusal::Rejected(Rejection::new(StatusCode::from_u16(status).unwrap(), "no"));
    for (status, body) in [
        (400, Some(json!("no"))),
        // It is declared, but not for refusals, so the next one that fits counts.
        (402, Some(json!("no"))),
        (403, None),
        (410, Some(json!({ "gone": "no" }))),
        (422, Some(json!("no"))),
    ] {
        let response = EveryError::refuse(&Guard, &refusal(status)).unwrap();
        assert_eq!(response.status(), status);
        let raw = received(response);
        assert_eq!(raw.json::<Value>().ok(), body, "{status}");
    }
    assert!(EveryError::refuse(&Guard, &refusal(503)).is_none());
    let response = NoErrors::refuse(&Guard, &refusal(503)).unwrap();
    assert_eq!(
        (response.status(), received(response).json().unwrap()),
        (StatusCode::SERVICE_UNAVAILABLE, json!("no"))
    );
}
