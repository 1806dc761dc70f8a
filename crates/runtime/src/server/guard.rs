//! [`Guard`]: authentication, evaluated from the document's security requirements, and authorization.

use super::{Incoming, Refusal, Rejection};
use crate::{Credential, Requirement, Scheme};
use axum::response::Response;
use base64::{Engine, prelude::BASE64_STANDARD};
use bytes::Bytes;
use http::{HeaderMap, StatusCode, header};
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

    /// Checks a scheme that the connection proves and not the request, such as mutual TLS. `None` means that
    /// the connection proves nobody, as it does by default.
    fn check_connection(
        &self,
        _scheme: &'static Scheme,
        _incoming: &Incoming,
    ) -> impl Future<Output = Result<Option<Self::Caller>, Rejection>> + Send {
        async { Ok(None) }
    }

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

/// Identifies the caller by the first security requirement that is met.
///
/// The alternatives are tried in the order of the document: a credential that is refused, such as an expired
/// cookie, does not keep another one from being accepted. If all fail, the most helpful refusal is returned.
/// `Ok(None)` is an anonymous caller of an operation that allows one; whoever presents credentials that are
/// refused is told so and is not taken for anonymous.
pub(super) async fn authenticate<G: Guard>(
    guard: &G,
    incoming: &Incoming,
) -> Result<Option<G::Caller>, Refusal> {
    let operation = incoming.operation();
    let mut best: Option<Rejection> = None;
    let mut failed: Vec<&'static Scheme> = Vec::new();
    for requirement in operation.security {
        let is_known = |scheme: &Scheme| failed.iter().any(|known| is_same(known, scheme));
        if requirement.schemes.is_empty() || requirement.schemes.iter().any(is_known) {
            continue;
        }
        match meet(guard, requirement, incoming, &mut failed).await {
            Ok(Some(caller)) => return Ok(Some(caller)),
            Ok(None) => {}
            Err(rejection) => {
                let is_better = best.as_ref().is_none_or(|best| rank(&rejection) < rank(best));
                best = if is_better { Some(rejection) } else { best };
            }
        }
    }
    match best {
        Some(rejection) => Err(rejection.into()),
        None if operation.allows_anonymous() => Ok(None),
        None => Err(Refusal::MissingCredentials { operation }),
    }
}

/// Returns the caller if the request presents every credential of the requirement, and all are accepted;
/// `None` if one is missing. Nothing is checked before all are there.
async fn meet<G: Guard>(
    guard: &G,
    requirement: &'static Requirement,
    incoming: &Incoming,
    failed: &mut Vec<&'static Scheme>,
) -> Result<Option<G::Caller>, Rejection> {
    let presented: Option<Vec<_>> = requirement
        .schemes
        .iter()
        .map(|scheme| match scheme.credential {
            Credential::Connection => Some((scheme, None)),
            credential => present(credential, incoming).map(|presented| (scheme, Some(presented))),
        })
        .collect();
    let Some(presented) = presented else { return Ok(None) };
    let mut callers = Vec::with_capacity(presented.len());
    for (scheme, presented) in presented {
        let checked = match presented {
            Some(presented) => guard.check(scheme, presented, incoming).await.map(Some),
            None => guard.check_connection(scheme, incoming).await,
        };
        match checked {
            Ok(Some(caller)) => callers.push(caller),
            Ok(None) => return Ok(None),
            Err(rejection) => {
                failed.push(scheme);
                return Err(rejection);
            }
        }
    }
    if callers.len() > 1 { guard.combine(callers).map(Some) } else { Ok(callers.pop()) }
}

/// Whether two requirements name the same scheme with the same scopes, so that both are met or neither.
fn is_same(one: &Scheme, other: &Scheme) -> bool {
    one.name == other.name && one.scopes == other.scopes
}

/// The place of a rejection among those of several alternatives: first of a caller who is known but may not
/// call the operation, then other reasons that another credential would not change, then failures of the
/// service, and last credentials that are wrong.
fn rank(rejection: &Rejection) -> u8 {
    match rejection.status() {
        StatusCode::FORBIDDEN => 0,
        StatusCode::UNAUTHORIZED => 3,
        status if status.is_server_error() => 2,
        _ => 1,
    }
}

/// Returns the credential of a request, or `None` if it has none.
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
        Credential::Connection => None,
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
