//! [`Refusal`]: why a request does not reach its handler, or fails in it; [`Refuse`]: its body as the
//! document declares it.

use super::reply;
use crate::{Credential, Fault, FromRefusal, Operation, Refused, check::Failure};
use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use std::{any::Any, collections::BTreeMap, fmt};

/// Why the router responds instead of a handler.
#[derive(Debug)]
pub enum Refusal {
    /// No operation has this path.
    UnknownPath,
    /// The path has operations, but none with this method.
    MethodNotAllowed {
        /// The methods of the path, as the `Allow` header lists them.
        allow: String,
    },
    /// The operation requires credentials and the request has none.
    MissingCredentials {
        /// The operation.
        operation: &'static Operation,
    },
    /// A path parameter does not have the declared type, so it cannot name anything that exists.
    UnknownResource {
        /// The name of the parameter.
        parameter: &'static str,
    },
    /// The body does not match its media type.
    Malformed {
        /// The problem and its location.
        message: String,
    },
    /// The body is larger than the limit.
    TooLarge {
        /// The limit, in bytes.
        limit: usize,
    },
    /// The operation does not accept this media type.
    UnsupportedMediaType {
        /// The accepted media types.
        expected: &'static [&'static str],
    },
    /// The body is compressed, or encoded in another way that is not read.
    UnsupportedEncoding {
        /// The name of the encoding, such as `gzip`.
        encoding: String,
    },
    /// The `Content-Type` of a body that is text states another charset than UTF-8.
    UnsupportedCharset {
        /// The charset.
        charset: String,
    },
    /// The `Accept` header excludes every media type of the response.
    NotAcceptable {
        /// The media types of the response.
        offered: &'static [&'static str],
    },
    /// Parameters or body violate rules of the document.
    Invalid {
        /// Every violation with its location.
        failures: Vec<Failure>,
    },
    /// The authenticator refuses the request.
    Rejected(Rejection),
    /// The handler failed in a way that the document does not declare.
    Fault(Fault),
}

impl Refusal {
    /// Returns the status of the response.
    pub fn status(&self) -> StatusCode {
        match self {
            Self::UnknownPath | Self::UnknownResource { .. } => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed { .. } => StatusCode::METHOD_NOT_ALLOWED,
            Self::MissingCredentials { .. } => StatusCode::UNAUTHORIZED,
            Self::Malformed { .. } => StatusCode::BAD_REQUEST,
            Self::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType { .. }
            | Self::UnsupportedEncoding { .. }
            | Self::UnsupportedCharset { .. } => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::NotAcceptable { .. } => StatusCode::NOT_ACCEPTABLE,
            Self::Invalid { .. } => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Rejected(rejection) => rejection.status(),
            Self::Fault(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// Returns the message for the client.
    pub fn message(&self) -> String {
        match self {
            Self::UnknownPath => "There is nothing at this path.".to_owned(),
            Self::UnknownResource { .. } => "There is no such resource.".to_owned(),
            Self::MethodNotAllowed { allow } => format!("This path accepts only: {allow}."),
            Self::MissingCredentials { .. } => {
                "This operation requires credentials, and the request has none.".to_owned()
            }
            Self::Malformed { message } => format!("The request could not be read: {message}."),
            Self::TooLarge { limit } => format!("The body is larger than {limit} bytes."),
            Self::UnsupportedMediaType { expected } => {
                format!("The body must be sent as {}.", expected.join(" or "))
            }
            Self::UnsupportedEncoding { encoding } => {
                format!(
                    "The body is encoded as {encoding}, which is not read here; send it without encoding."
                )
            }
            Self::UnsupportedCharset { charset } => {
                format!("The body must be text in UTF-8, but its Content-Type states the charset {charset}.")
            }
            Self::NotAcceptable { offered } => {
                format!("The response is only available as {}; request it with Accept.", offered.join(" or "))
            }
            Self::Invalid { .. } => "The request violates the rules listed under errors.".to_owned(),
            Self::Rejected(rejection) => rejection.message().to_owned(),
            Self::Fault(_) => "Something went wrong on our side.".to_owned(),
        }
    }

    /// Returns every violation of an invalid request.
    pub fn failures(&self) -> &[Failure] {
        match self {
            Self::Invalid { failures } => failures,
            _ => &[],
        }
    }

    /// Returns the reason that the authenticator has given with [`Rejection::because`], if it has this type.
    pub fn reason<R: Any>(&self) -> Option<&R> {
        match self {
            Self::Rejected(rejection) => rejection.reason(),
            _ => None,
        }
    }

    /// Returns the content of the response, for bodies of any shape.
    pub fn to_refused(&self) -> Refused {
        let mut errors: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for failure in self.failures() {
            errors.entry(failure.path.clone()).or_default().push(failure.message.clone());
        }
        Refused { status: self.status(), message: self.message(), errors }
    }

    /// Makes the default response: `{ "message" }`, and `errors` by field if there are any.
    pub fn into_response(self) -> Response {
        match self.into_prepared() {
            Ok(response) => response,
            Err(refusal) => {
                reply::json(refusal.status(), &serde_json::Value::from_refusal(refusal.to_refused()))
            }
        }
    }

    /// Returns the response that the authenticator has prepared, or the refusal if it has not.
    pub(super) fn into_prepared(self) -> Result<Response, Self> {
        match self {
            Self::Rejected(rejection) => match *rejection.0 {
                Rejected { answer: Answer::Prepared(response), headers } => {
                    Ok(reply::with_headers(response, headers))
                }
                reasoned => Err(Self::Rejected(Rejection(Box::new(reasoned)))),
            },
            refusal => Err(refusal),
        }
    }

    /// Returns the headers of an authenticator's rejection, and those that HTTP requires with this response
    /// (RFC 9110, sections 12.5.1, 12.5.3 and 15.5.6).
    pub(super) fn headers(&self) -> Vec<(HeaderName, HeaderValue)> {
        match self {
            Self::Rejected(rejection) => {
                rejection.0.headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
            }
            Self::MethodNotAllowed { allow } => {
                HeaderValue::from_str(allow).map(|value| (header::ALLOW, value)).into_iter().collect()
            }
            Self::UnsupportedMediaType { expected } => HeaderValue::from_str(&expected.join(", "))
                .map(|value| (header::ACCEPT, value))
                .into_iter()
                .collect(),
            Self::UnsupportedEncoding { .. } => {
                vec![(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"))]
            }
            _ => Vec::new(),
        }
    }
}

/// Returns a challenge for each scheme that the operation accepts, once (RFC 9110, section 11.6.1). `ApiKey`
/// is not registered; it states the name and the location of a key.
pub(super) fn challenges(operation: &Operation) -> HeaderValue {
    let mut challenges: Vec<String> = Vec::new();
    for scheme in operation.security.iter().flat_map(|requirement| requirement.schemes) {
        let challenge = match scheme.credential {
            Credential::Bearer if scheme.scopes.is_empty() => "Bearer".to_owned(),
            Credential::Bearer => format!("Bearer scope=\"{}\"", scheme.scopes.join(" ")),
            Credential::Basic => "Basic realm=\"api\"".to_owned(),
            Credential::Http(name) => name.to_owned(),
            Credential::Header(name) => format!("ApiKey in=\"header\", name=\"{name}\""),
            Credential::Query(name) => format!("ApiKey in=\"query\", name=\"{name}\""),
            Credential::Cookie(name) => format!("ApiKey in=\"cookie\", name=\"{name}\""),
            // A certificate is asked for while the connection is made.
            Credential::Connection => continue,
        };
        if !challenges.contains(&challenge) {
            challenges.push(challenge);
        }
    }
    let value = HeaderValue::try_from(challenges.join(", ")).ok().filter(|value| !value.is_empty());
    value.unwrap_or(HeaderValue::from_static("Bearer"))
}

/// Makes the body of refusals as the document declares it.
///
/// The router needs it for each body `T` that an operation declares for a status of [`Refusal`], so an
/// authenticator that makes another shape does not compile. A declared response with a type of its own, such
/// as `NotFound`, includes its headers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not make the body `{T}`, which operations declare for requests that are refused",
    label = "`Refuse<{T}>` is not implemented",
    note = "implement `Refuse<{T}>`, or name the type in `default_refusals!` if it implements `FromRefusal`"
)]
pub trait Refuse<T> {
    /// Makes the body. [`Refusal::status`] is the status of the response.
    fn refuse(&self, refusal: &Refusal) -> T;
}

/// Why the authenticator refuses a request.
///
/// The router writes it as the operation declares the status: the authenticator's [`Refuse`] makes the body,
/// and can use the [reason](Self::because). A status that the operation does not declare is written by the
/// authenticator's `refuse`.
#[derive(Debug)]
pub struct Rejection(Box<Rejected>);

#[derive(Debug)]
struct Rejected {
    answer: Answer,
    headers: HeaderMap,
}

enum Answer {
    Reasoned { status: StatusCode, message: String, reason: Option<Box<dyn Any + Send + Sync>> },
    Prepared(Response),
}

impl fmt::Debug for Answer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reasoned { status, message, .. } => {
                formatter.debug_struct("Reasoned").field("status", status).field("message", message).finish()
            }
            Self::Prepared(response) => formatter.debug_tuple("Prepared").field(&response.status()).finish(),
        }
    }
}

impl Rejection {
    /// Refuses with a status, and a message for the client.
    pub fn new(status: StatusCode, message: impl Into<String>) -> Self {
        let answer = Answer::Reasoned { status, message: message.into(), reason: None };
        Self(Box::new(Rejected { answer, headers: HeaderMap::new() }))
    }

    /// Adds a reason, which [`Refusal::reason`] returns to the authenticator's [`Refuse`].
    pub fn because(mut self, because: impl Any + Send + Sync) -> Self {
        if let Answer::Reasoned { reason, .. } = &mut self.0.answer {
            *reason = Some(Box::new(because));
        }
        self
    }

    /// Adds a header to the response. A value that HTTP does not allow is left out and logged.
    pub fn with_header(mut self, name: HeaderName, value: impl fmt::Display) -> Self {
        crate::headers::write(&mut self.0.headers, name, &value);
        self
    }

    /// Makes the opaque response to a failure of the authentication itself. Log the cause before.
    pub fn fault() -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, Refusal::Fault(Fault::new("")).message())
    }

    pub(super) fn status(&self) -> StatusCode {
        match &self.0.answer {
            Answer::Reasoned { status, .. } => *status,
            Answer::Prepared(response) => response.status(),
        }
    }

    fn message(&self) -> &str {
        match &self.0.answer {
            Answer::Reasoned { message, .. } => message,
            Answer::Prepared(_) => "The request was refused.",
        }
    }

    fn reason<R: Any>(&self) -> Option<&R> {
        match &self.0.answer {
            Answer::Reasoned { reason, .. } => reason.as_ref()?.downcast_ref(),
            Answer::Prepared(_) => None,
        }
    }
}

/// Refuses with a complete response, for example one that was stored. It is sent unchanged: use it only if it
/// has the shape that the operation declares.
impl From<Response> for Rejection {
    fn from(response: Response) -> Self {
        Self(Box::new(Rejected { answer: Answer::Prepared(response), headers: HeaderMap::new() }))
    }
}

impl From<Rejection> for Refusal {
    fn from(rejection: Rejection) -> Self {
        Self::Rejected(rejection)
    }
}
