//! [`Interface`]: calls the interface of the service at moments of the past, as its people and its visitors.

use std::{
    net::{IpAddr, Ipv4Addr},
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use axum::{Router, body::Body};
use frontdesk_assistant::Assistant;
use frontdesk_store::Session;
use http::{HeaderValue, Method, Request, StatusCode, header};
use http_body_util::BodyExt;
use jiff::Timestamp;
use serde_json::Value;
use tower::ServiceExt;

use super::{WeekError, script::Story};
use crate::{
    answering::web_search::WebSearch,
    api::{self, Service},
    edge::{
        authorization::{Authorization, KeyHasher, VisitorAuthorization},
        console::{INTERNAL_BEARER, SignedIn},
        http::ClientAddress,
        rate_limit::RateLimits,
    },
    platform::{Clock, config::Config, model_endpoint, secrets::pepper::Peppers},
    startup::StartError,
};

/// How much time passes from one look at the clock to the next, in microseconds: answers come a moment after
/// their questions.
const TICK: i64 = 310_000;
/// Separates the parts of a form.
const BOUNDARY: &str = "a-week-of-the-shop";

/// Who makes a request.
#[derive(Clone, Copy, Debug)]
pub(super) enum Actor<'a> {
    /// A person of the account, as signed in to the console.
    Person(&'a Session),
    /// The browser of a visitor, with the token of its session.
    Visitor(&'a str, IpAddr),
    /// The browser of somebody who has none.
    Anybody(IpAddr),
}

/// The interface, with a clock that is set.
#[derive(Debug)]
pub(super) struct Interface {
    /// The service, by that clock.
    pub(super) service: Service,
    router: Router,
    microseconds: Arc<AtomicI64>,
}

/// A response of the interface.
#[derive(Debug)]
pub(super) struct Response {
    status: StatusCode,
    text: String,
}

impl Response {
    /// Returns the JSON of the response, or null without any. Fails if the request was refused.
    pub(super) fn checked(self, story: &Story, path: &str) -> Result<Value, WeekError> {
        if self.status.is_success() {
            return Ok(serde_json::from_str(&self.text).unwrap_or(Value::Null));
        }
        Err(WeekError::Refused {
            story: story.name.clone(),
            path: path.to_owned(),
            status: self.status,
            body: self.text,
        })
    }
}

impl Interface {
    /// Builds the interface of a service that shares everything with the running one but for the clock, the
    /// rate limits, and whatever reaches other machines.
    pub(super) async fn open(running: &Service) -> Result<Self, StartError> {
        let microseconds = Arc::new(AtomicI64::new(i64::MIN));
        let clock = {
            let microseconds = Arc::clone(&microseconds);
            Clock::from_fn(move || {
                let now = microseconds.fetch_add(TICK, Ordering::Relaxed);
                Timestamp::from_microsecond(now).unwrap_or_else(|_| Timestamp::now())
            })
        };
        let mut service = running.clone();
        let answering = &mut service.answering;
        answering.assistant = Arc::new(Assistant::new(None, model_endpoint::outbound(None, &[])?));
        answering.web_search = WebSearch::default();
        answering.background.edge.rate_limits = RateLimits::in_process();
        let platform = &mut answering.background.edge.platform;
        platform.config = Arc::new(Config { limits: Config::default().limits, ..(*platform.config).clone() });
        platform.clock = clock;

        let edge = service.edge.clone();
        let peppers = Peppers::open(&edge.store, &edge.config.keys).await?;
        let authorization = Authorization::new(edge.clone(), KeyHasher::new(&peppers), api::resolvers())?;
        let visitors = VisitorAuthorization::new(edge, api::visitors::resolvers())?;
        let body_limits = authorization.body_limits();
        let router = api::interface::router(service.clone(), authorization, visitors, body_limits);
        Ok(Self { service, router, microseconds })
    }

    /// Sets the clock, which never goes back.
    pub(super) fn set(&self, now: Timestamp) {
        self.microseconds.fetch_max(now.as_microsecond(), Ordering::Relaxed);
    }

    /// Sends a request with a JSON body, or without one.
    pub(super) async fn send(
        &self,
        actor: Actor<'_>,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Response {
        match body {
            Some(body) => {
                self.call(actor, method, path, Some("application/json"), Body::from(body.to_string())).await
            }
            None => self.call(actor, method, path, None, Body::empty()).await,
        }
    }

    /// Uploads a file.
    pub(super) async fn upload(&self, actor: Actor<'_>, path: &str, name: &str, content: &str) -> Response {
        let body = format!(
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
             Content-Type: application/pdf\r\n\r\n{content}\r\n--{BOUNDARY}--\r\n"
        );
        let media_type = format!("multipart/form-data; boundary={BOUNDARY}");
        self.call(actor, Method::POST, path, Some(&media_type), Body::from(body)).await
    }

    async fn call(
        &self,
        actor: Actor<'_>,
        method: Method,
        path: &str,
        media_type: Option<&str>,
        body: Body,
    ) -> Response {
        let mut request = Request::builder()
            .method(method)
            .uri(format!("/api/v1{path}"))
            .body(body)
            .expect("the paths of the script are valid");
        if let Some(media_type) = media_type.and_then(|media_type| media_type.parse().ok()) {
            request.headers_mut().insert(header::CONTENT_TYPE, media_type);
        }
        let bearer = |token: &str| HeaderValue::try_from(format!("Bearer {token}"));
        let (token, address) = match actor {
            Actor::Person(session) => {
                request.extensions_mut().insert(SignedIn(session.clone()));
                (Some(INTERNAL_BEARER), IpAddr::V4(Ipv4Addr::LOCALHOST))
            }
            Actor::Visitor(token, address) => (Some(token), address),
            Actor::Anybody(address) => (None, address),
        };
        if let Some(value) = token.and_then(|token| bearer(token).ok()) {
            request.headers_mut().insert(header::AUTHORIZATION, value);
        }
        request.extensions_mut().insert(ClientAddress(address));
        let response = match self.router.clone().oneshot(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        };
        let status = response.status();
        let text = match response.into_body().collect().await {
            Ok(content) => String::from_utf8_lossy(&content.to_bytes()).into_owned(),
            Err(error) => error.to_string(),
        };
        Response { status, text }
    }
}
