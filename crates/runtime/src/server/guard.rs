//! [`Guard`]: authentication, evaluated from the document's security requirements, and authorization.

use super::{Incoming, Refusal, Rejection};
use crate::{Credential, Scheme};
use axum::response::Response;
use base64::{Engine, prelude::BASE64_STANDARD};
use bytes::Bytes;
use http::{HeaderMap, header};
use std::future::Future;

/// A credential found in a request.
#[derive(Clone, PartialEq, Eq)]
pub enum Presented {
    /// A bearer token.
    Bearer(String),
    /// User name and password.
    Basic(String, String),
    /// A key from a header, the query or a cookie.
    Key(String),
}

impl std::fmt::Debug for Presented {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Bearer(_) => "Bearer(…)",
            Self::Basic(..) => "Basic(…)",
            Self::Key(_) => "Key(…)",
        })
    }
}

/// Authentication and authorization in front of every handler. A generated crate implements it over its own
/// `Authenticator` trait.
pub trait Guard: Send + Sync + 'static {
    /// The caller, as handlers receive it.
    type Caller: Send + Sync + 'static;

    /// Checks one credential for one scheme.
    fn check(
        &self,
        scheme: &'static Scheme,
        presented: Presented,
        incoming: &Incoming,
    ) -> impl Future<Output = Result<Self::Caller, Rejection>> + Send;

    /// Makes one caller of those that a combined requirement identifies, in the order of its schemes. There
    /// are at least two.
    fn combine(&self, mut callers: Vec<Self::Caller>) -> Result<Self::Caller, Rejection> {
        callers.pop().ok_or_else(Rejection::fault)
    }

    /// Decides whether the caller may call the operation. The handler sees everything that this adds to
    /// [`Incoming::extensions_mut`].
    fn authorize(
        &self,
        caller: Option<&Self::Caller>,
        incoming: &mut Incoming,
    ) -> impl Future<Output = Result<(), Rejection>> + Send;

    /// Whether [`inspect_body`](Self::inspect_body) wants to see the body of this request, which is
    /// authorized.
    fn inspects_body(&self, _caller: Option<&Self::Caller>, _incoming: &Incoming) -> bool {
        false
    }

    /// Looks at the body of an authorized request before it is decoded, for example to recognize a repeated
    /// request.
    ///
    /// Only requests for which [`inspects_body`](Self::inspects_body) returns `true` are read this early,
    /// once and within the limit of their operation; a longer body is refused with 413 before. The bytes are
    /// as they came: media type and encoding are checked afterwards.
    fn inspect_body(
        &self,
        _caller: Option<&Self::Caller>,
        _incoming: &mut Incoming,
        _body: &Bytes,
    ) -> impl Future<Output = Result<(), Rejection>> + Send {
        async { Ok(()) }
    }

    /// Writes the response to a refused request for which the operation declares none, or that calls no
    /// operation.
    fn refuse(&self, refusal: Refusal) -> Response;
}

/// Identifies the caller by the first security requirement whose credentials are all present.
///
/// `Ok(None)` is an anonymous caller of an operation that allows one.
pub(super) async fn authenticate<G: Guard>(
    guard: &G,
    incoming: &Incoming,
) -> Result<Option<G::Caller>, Refusal> {
    let operation = incoming.operation();
    for requirement in operation.security {
        let presented: Option<Vec<_>> = requirement
            .schemes
            .iter()
            .map(|scheme| present(scheme.credential, incoming).map(|presented| (scheme, presented)))
            .collect();
        let Some(presented) = presented else { continue };
        let mut caller = None;
        let mut others = Vec::new();
        for (scheme, presented) in presented {
            let next = guard.check(scheme, presented, incoming).await?;
            others.extend(caller.replace(next));
        }
        let Some(last) = caller else { continue };
        if others.is_empty() {
            return Ok(Some(last));
        }
        others.push(last);
        return guard.combine(others).map(Some).map_err(Refusal::from);
    }
    if operation.allows_anonymous() { Ok(None) } else { Err(Refusal::MissingCredentials { operation }) }
}

fn present(credential: Credential, incoming: &Incoming) -> Option<Presented> {
    let headers = incoming.headers();
    match credential {
        Credential::Bearer => {
            authorization(headers, "Bearer").map(|token| Presented::Bearer(token.to_owned()))
        }
        Credential::Basic => {
            let bytes = BASE64_STANDARD.decode(authorization(headers, "Basic")?).ok()?;
            let text = String::from_utf8(bytes).ok()?;
            let (user, password) = text.split_once(':')?;
            Some(Presented::Basic(user.to_owned(), password.to_owned()))
        }
        Credential::Http(scheme) => {
            authorization(headers, scheme).map(|rest| Presented::Key(rest.to_owned()))
        }
        Credential::Header(name) => Some(Presented::Key(headers.get(name)?.to_str().ok()?.to_owned())),
        Credential::Query(name) => incoming.query_value(name).map(|value| Presented::Key(value.to_owned())),
        Credential::Cookie(name) => incoming.cookie(name).map(|value| Presented::Key(value.to_owned())),
    }
}

/// Returns the credential in an `Authorization` header of this scheme. Scheme names are case-insensitive (RFC
/// 9110, section 11.1).
fn authorization<'h>(headers: &'h HeaderMap, scheme: &str) -> Option<&'h str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (name, rest) = value.split_once(' ')?;
    let rest = rest.trim();
    (name.eq_ignore_ascii_case(scheme) && !rest.is_empty()).then_some(rest)
}
