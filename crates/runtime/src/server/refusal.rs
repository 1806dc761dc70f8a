//! Owns [`Refusal`]: why a request does not reach its handler, or fails in it.

use super::reply;
use crate::{Fault, Operation, check::Failure};
use axum::response::Response;
use http::{HeaderName, HeaderValue, StatusCode, header};
use serde::Serialize;

/// Why the router answers in place of a handler.
#[derive(Debug)]
pub enum Refusal {
    /// No operation has this path.
    UnknownPath,
    /// The path has operations, but none with this method.
    MethodNotAllowed {
        /// The methods that it has, as the `Allow` header lists them.
        allow: String,
    },
    /// The operation asks for credentials and the request carries none of them.
    MissingCredentials {
        /// The operation that asks.
        operation: &'static Operation,
    },
    /// A path parameter does not have the declared type, so it cannot name anything that exists.
    UnknownResource {
        /// The name of the parameter.
        parameter: &'static str,
    },
    /// The body is not what its media type says.
    Malformed {
        /// What is wrong, and where.
        message: String,
    },
    /// The body is larger than the server takes.
    TooLarge {
        /// The most that it takes, in bytes.
        limit: usize,
    },
    /// The operation does not take this media type.
    UnsupportedMediaType {
        /// What it takes.
        expected: &'static [&'static str],
    },
    /// The caller's `Accept` excludes everything that the operation answers with.
    NotAcceptable {
        /// What it answers with.
        offered: &'static [&'static str],
    },
    /// Parameters or body break rules of the document.
    Invalid {
        /// Every failing place.
        failures: Vec<Failure>,
    },
    /// The authenticator refuses, with an answer of its own.
    Rejected(Rejection),
    /// The handler failed in a way that the document does not declare.
    Fault(Fault),
}

impl Refusal {
    /// The status that fits.
    pub fn status(&self) -> StatusCode {
        match self {
            Self::UnknownPath | Self::UnknownResource { .. } => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed { .. } => StatusCode::METHOD_NOT_ALLOWED,
            Self::MissingCredentials { .. } => StatusCode::UNAUTHORIZED,
            Self::Malformed { .. } => StatusCode::BAD_REQUEST,
            Self::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType { .. } => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::NotAcceptable { .. } => StatusCode::NOT_ACCEPTABLE,
            Self::Invalid { .. } => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Rejected(rejection) => rejection.response.status(),
            Self::Fault(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// What the caller is told.
    pub fn message(&self) -> String {
        match self {
            Self::UnknownPath => "There is nothing at this path.".to_owned(),
            Self::UnknownResource { .. } => "There is no such resource.".to_owned(),
            Self::MethodNotAllowed { allow } => format!("This path takes only: {allow}."),
            Self::MissingCredentials { .. } => {
                "This operation needs credentials, and the request carries none.".to_owned()
            }
            Self::Malformed { message } => format!("The request could not be read: {message}."),
            Self::TooLarge { limit } => format!("The body is larger than {limit} bytes."),
            Self::UnsupportedMediaType { expected } => {
                format!("The body must be sent as {}.", expected.join(" or "))
            }
            Self::NotAcceptable { offered } => {
                format!("The answer is only given as {}; ask for that with Accept.", offered.join(" or "))
            }
            Self::Invalid { .. } => "The request breaks the rules listed under errors.".to_owned(),
            Self::Rejected(_) => "The request was refused.".to_owned(),
            Self::Fault(_) => "Something went wrong on our side.".to_owned(),
        }
    }

    /// Every failing place of an invalid request.
    pub fn failures(&self) -> &[Failure] {
        match self {
            Self::Invalid { failures } => failures,
            _ => &[],
        }
    }

    /// The plain answer: `{ "message" }`, and `errors` by field where there are any.
    pub fn into_response(self) -> Response {
        #[derive(Serialize)]
        struct Body {
            message: String,
            #[serde(skip_serializing_if = "Option::is_none")]
            errors: Option<serde_json::Map<String, serde_json::Value>>,
        }

        if let Self::Rejected(rejection) = self {
            return *rejection.response;
        }
        let errors = match &self {
            Self::Invalid { failures } => {
                let mut fields = serde_json::Map::new();
                for failure in failures {
                    let lines =
                        fields.entry(&failure.path).or_insert_with(|| serde_json::Value::Array(Vec::new()));
                    if let serde_json::Value::Array(lines) = lines {
                        lines.push(failure.message.clone().into());
                    }
                }
                Some(fields)
            }
            _ => None,
        };
        reply::json(self.status(), &Body { message: self.message(), errors })
    }

    /// The headers that HTTP itself asks for with this answer (RFC 9110, sections 11.6.1, 12.5.1 and 15.5.6).
    pub(super) fn headers(&self) -> Vec<(HeaderName, HeaderValue)> {
        match self {
            Self::MethodNotAllowed { allow } => {
                HeaderValue::from_str(allow).map(|value| (header::ALLOW, value)).into_iter().collect()
            }
            Self::MissingCredentials { .. } => {
                vec![(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))]
            }
            Self::UnsupportedMediaType { expected } => HeaderValue::from_str(&expected.join(", "))
                .map(|value| (header::ACCEPT, value))
                .into_iter()
                .collect(),
            _ => Vec::new(),
        }
    }
}

/// An answer that the authenticator gives in place of the handler.
#[derive(Debug)]
pub struct Rejection {
    response: Box<Response>,
}

impl Rejection {
    /// An answer with a JSON body, which should be the type that the document gives this status.
    pub fn json(status: StatusCode, body: &impl Serialize) -> Self {
        Self { response: Box::new(reply::json(status, body)) }
    }

    /// Adds a header.
    pub fn with_header(mut self, name: HeaderName, value: impl std::fmt::Display) -> Self {
        self.response = Box::new(reply::with_header(*self.response, name, value));
        self
    }

    /// The opaque answer to a fault while authenticating; log the fault before.
    pub fn fault() -> Self {
        Self {
            response: Box::new(Refusal::Fault(Fault::new("authentication failed to run")).into_response()),
        }
    }
}

impl From<Response> for Rejection {
    fn from(response: Response) -> Self {
        Self { response: Box::new(response) }
    }
}

impl From<Rejection> for Refusal {
    fn from(rejection: Rejection) -> Self {
        Self::Rejected(rejection)
    }
}
