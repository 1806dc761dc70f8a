//! Requests of browsers that are signed in to the console: their cookie, their origin, and the gate through
//! which they use the interface.
//!
//! The cookie reaches the service only with requests of its own pages: it is `SameSite=Strict`, and every
//! request that can change something must say that it comes from the same origin. Other ports of the same
//! host are the same site for browsers, so the cookie alone would not keep their requests out.

use axum::{
    Router,
    extract::{Request, State},
    middleware::Next,
    response::Response,
    routing::any,
};
use frontdesk_console_model::{ForbiddenError, ForbiddenErrorKind};
use frontdesk_runtime::{HeaderMap, HeaderValue, StatusCode, server};
use frontdesk_store::{PENDING_LIFETIME, SESSION_LIFETIME, Session, StoreError};
use http::{Method, Uri, header, uri::PathAndQuery};
use tower::ServiceExt;

use crate::edge::{
    Edge,
    authorization::console,
    http::{ClientAddress, Peer, UsedHttps},
    responses,
};

/// The name of the cookie in the contract. Browsers accept it over HTTPS only, and for this host only.
const NAME: &str = "__Host-frontdesk";
/// What the gate sends in place of an API key. It proves nothing: only a request that the gate has added a
/// session to is accepted with it.
pub(crate) const INTERNAL_BEARER: &str = "console-session";

/// The person who is signed in, added to a request by the gate.
#[derive(Clone, Debug)]
pub(crate) struct SignedIn(pub(crate) Session);

/// The cookie of sessions as the browser of a request knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SessionCookie {
    name: String,
    is_secure: bool,
    /// The token that the browser has sent.
    pub(crate) token: Option<String>,
}

impl SessionCookie {
    fn of(headers: &HeaderMap, host: &str, is_secure: bool) -> Self {
        // Cookies do not distinguish ports, so several services on a machine need names of their own. A page
        // that was loaded without HTTPS cannot have a cookie that is for HTTPS.
        let port = host.rsplit_once(':').map(|(_, port)| port);
        let is_number = |port: &&str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
        let port = port.filter(is_number).unwrap_or("80");
        let name = if is_secure { NAME.to_owned() } else { format!("frontdesk-{port}") };
        let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
        let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let token = pairs.find(|(key, _)| *key == name).map(|(_, value)| value.to_owned());
        Self { name, is_secure, token }
    }

    /// Returns the `Set-Cookie` that gives the browser a token.
    pub(crate) fn set(&self, token: &str) -> String {
        self.with(token, SESSION_LIFETIME.as_secs())
    }

    /// Returns the `Set-Cookie` that gives the browser the token of a sign-in that waits for a code.
    pub(crate) fn set_pending(&self, token: &str) -> String {
        self.with(token, PENDING_LIFETIME.as_secs())
    }

    /// Returns the `Set-Cookie` that has the browser forget the cookie.
    pub(crate) fn forget(&self) -> String {
        self.with("", 0)
    }

    fn with(&self, value: &str, seconds: i64) -> String {
        let secure = if self.is_secure { " Secure;" } else { "" };
        format!("{}={value}; Max-Age={seconds}; Path=/; HttpOnly;{secure} SameSite=Strict", self.name)
    }
}

/// Refuses requests that may come from other websites, and passes the cookie on under the name that the
/// contract has for it.
pub(crate) async fn admit(mut request: Request, next: Next) -> Response {
    let is_secure = request.extensions().get::<UsedHttps>().is_some_and(|https| https.0);
    let host = host(&request).unwrap_or_default();
    if !matches!(*request.method(), Method::GET | Method::HEAD)
        && !is_same_origin(request.headers(), &host, is_secure)
    {
        let text = "This request does not come from a page of this service. Behind a proxy, list it in `http.trusted_proxies`.";
        return server::json(
            StatusCode::FORBIDDEN,
            &ForbiddenError::new(ForbiddenErrorKind::CrossSite, text),
        );
    }
    let cookie = SessionCookie::of(request.headers(), &host, is_secure);
    request.headers_mut().remove(header::COOKIE);
    let sent = cookie.token.as_ref().and_then(|token| HeaderValue::from_str(&format!("{NAME}={token}")).ok());
    if let Some(mut sent) = sent {
        sent.set_sensitive(true);
        request.headers_mut().insert(header::COOKIE, sent);
    }
    request.extensions_mut().insert(cookie);
    next.run(request).await
}

/// Returns the host and port that a request was sent to.
fn host(request: &Request) -> Option<String> {
    let of_header = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
    of_header.or_else(|| request.uri().authority().map(http::uri::Authority::as_str)).map(str::to_lowercase)
}

/// Whether a request comes from a page of the same origin. Browsers say so by themselves, and scripts cannot
/// change what they say; what says nothing is refused.
fn is_same_origin(headers: &HeaderMap, host: &str, is_secure: bool) -> bool {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    match (text("sec-fetch-site"), text("origin")) {
        // A page that was loaded over HTTPS, of a proxy that does not say so: the cookie would go without
        // protection, and all people would have the address of the proxy.
        (Some(_), Some(origin)) if !is_secure && origin.starts_with("https://") => false,
        (Some(site), _) => site == "same-origin",
        (None, Some(origin)) => {
            let scheme = if is_secure { "https" } else { "http" };
            !host.is_empty() && origin.eq_ignore_ascii_case(&format!("{scheme}://{host}"))
        }
        (None, None) => false,
    }
}

#[derive(Clone)]
struct Gate {
    service: Edge,
    interface: Router,
}

/// Returns the routes of the gate: the interface for people who are signed in.
pub(crate) fn gate(service: Edge, interface: Router) -> Router {
    Router::new()
        .route("/console/api/{*path}", any(pass))
        .with_state(Gate { service, interface })
        .layer(axum::middleware::from_fn(admit))
}

/// Passes a request of a signed-in person on to the interface.
async fn pass(State(Gate { service, interface }): State<Gate>, request: Request) -> Response {
    let token = request.extensions().get::<SessionCookie>().and_then(|cookie| cookie.token.clone());
    let session = match &token {
        Some(token) => console::session(&service, token).await,
        None => Ok(None),
    };
    let session = match session {
        Ok(Some(session)) => session,
        Ok(None) => return refusal(&service, token.as_deref()).await,
        Err(error) => return fault(&error),
    };
    if session.lacks_second_factor {
        return server::json(StatusCode::FORBIDDEN, &console::second_factor_required());
    }
    let (mut parts, body) = request.into_parts();
    let Some(uri) = inner(&parts.uri) else {
        return responses::message(StatusCode::NOT_FOUND, "There is nothing at this path.");
    };
    // A request of its own: what the outer router has noted about the path is not that of the interface.
    let mut passed = Request::new(body);
    *passed.method_mut() = parts.method;
    *passed.uri_mut() = uri;
    *passed.version_mut() = parts.version;
    parts.headers.remove(header::COOKIE);
    parts.headers.insert(header::AUTHORIZATION, HeaderValue::from_static("Bearer console-session"));
    *passed.headers_mut() = parts.headers;
    if let Some(peer) = parts.extensions.remove::<Peer>() {
        passed.extensions_mut().insert(peer);
    }
    if let Some(client) = parts.extensions.remove::<ClientAddress>() {
        passed.extensions_mut().insert(client);
    }
    passed.extensions_mut().insert(SignedIn(session));
    match interface.oneshot(passed).await {
        Ok(response) => response,
        Err(never) => match never {},
    }
}

/// 401 for a request without a session.
async fn refusal(service: &Edge, token: Option<&str>) -> Response {
    let Some(token) = token else {
        return server::json(StatusCode::UNAUTHORIZED, &console::unauthorized());
    };
    match console::without_session(service, token).await {
        Ok(error) => server::json(StatusCode::UNAUTHORIZED, &error),
        Err(error) => fault(&error),
    }
}

fn fault(error: &StoreError) -> Response {
    tracing::error!(%error, "a session could not be read");
    responses::message(StatusCode::INTERNAL_SERVER_ERROR, responses::FAULT)
}

/// Returns the address in the interface for an address of the gate.
fn inner(uri: &Uri) -> Option<Uri> {
    let path = uri.path_and_query()?.as_str().strip_prefix("/console")?;
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(path.parse::<PathAndQuery>().ok()?);
    Uri::from_parts(parts).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(list: &[(&'static str, &'static str)]) -> HeaderMap {
        list.iter().map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn only_pages_of_the_same_origin_are_admitted() {
        let admitted =
            |list: &[(&'static str, &'static str)]| is_same_origin(&headers(list), "app.example:8443", true);
        assert!(admitted(&[("sec-fetch-site", "same-origin")]));
        assert!(admitted(&[("origin", "https://app.example:8443")]));
        for list in [
            &[][..],
            &[("sec-fetch-site", "same-site")],
            &[("sec-fetch-site", "cross-site"), ("origin", "https://app.example:8443")],
            &[("sec-fetch-site", "none")],
            &[("origin", "http://app.example:8443")],
            &[("origin", "https://app.example")],
            &[("origin", "https://app.example:8443.evil.example")],
            &[("origin", "null")],
            &[("origin", "")],
        ] {
            assert!(!admitted(list), "{list:?}");
        }
        assert!(!is_same_origin(&headers(&[("origin", "https://")]), "", true));
        // A proxy ends HTTPS and does not say so.
        let behind_proxy = [("sec-fetch-site", "same-origin"), ("origin", "https://app.example")];
        assert!(!is_same_origin(&headers(&behind_proxy), "app.example", false));
        let local = [("sec-fetch-site", "same-origin"), ("origin", "http://127.0.0.1:8080")];
        assert!(is_same_origin(&headers(&local), "127.0.0.1:8080", false));
    }

    #[test]
    fn a_cookie_for_https_is_not_taken_without_it() {
        let sent = headers(&[("cookie", "a=b; __Host-frontdesk=one; frontdesk-8080=two")]);
        let cookie = |host, is_secure| SessionCookie::of(&sent, host, is_secure);
        assert_eq!(cookie("app.example", true).token.as_deref(), Some("one"));
        assert_eq!(cookie("127.0.0.1:8080", false).token.as_deref(), Some("two"));
        assert_eq!(cookie("127.0.0.1:8081", false).token, None);
        assert!(cookie("[::1]", false).set("t").starts_with("frontdesk-80=t;"));
        assert_eq!(
            cookie("app.example", true).set("t"),
            "__Host-frontdesk=t; Max-Age=7776000; Path=/; HttpOnly; Secure; SameSite=Strict"
        );
        assert_eq!(
            cookie("127.0.0.1:8080", false).forget(),
            "frontdesk-8080=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict"
        );
    }
}
