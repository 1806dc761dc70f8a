//! [`Refusal`]: why a request does not reach its handler, or fails in it.

use super::reply;
use crate::{Credential, Fault, Operation, check::Failure};
use axum::response::Response;
use http::{HeaderName, HeaderValue, StatusCode, header};
use serde::Serialize;

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
        /// What is wrong, and where.
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
    /// The authenticator refuses the request with a response of its own.
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
            Self::UnsupportedMediaType { .. } => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::NotAcceptable { .. } => StatusCode::NOT_ACCEPTABLE,
            Self::Invalid { .. } => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Rejected(rejection) => rejection.response.status(),
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
            Self::NotAcceptable { offered } => {
                format!("The response is only available as {}; request it with Accept.", offered.join(" or "))
            }
            Self::Invalid { .. } => "The request violates the rules listed under errors.".to_owned(),
            Self::Rejected(_) => "The request was refused.".to_owned(),
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

    /// Makes the default response: `{ "message" }`, and `errors` by field if there are any.
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

    /// Returns the headers that HTTP requires with this response (RFC 9110, sections 11.6.1, 12.5.1 and 15.5.6).
    pub(super) fn headers(&self) -> Vec<(HeaderName, HeaderValue)> {
        match self {
            Self::MethodNotAllowed { allow } => {
                HeaderValue::from_str(allow).map(|value| (header::ALLOW, value)).into_iter().collect()
            }
            Self::MissingCredentials { operation } => {
                vec![(header::WWW_AUTHENTICATE, challenges(operation))]
            }
            Self::UnsupportedMediaType { expected } => HeaderValue::from_str(&expected.join(", "))
                .map(|value| (header::ACCEPT, value))
                .into_iter()
                .collect(),
            _ => Vec::new(),
        }
    }
}

/// Returns a challenge for each scheme that the operation accepts, once (RFC 9110, section 11.6.1). `ApiKey` is not registered;
/// it states the name and the location of a key.
fn challenges(operation: &Operation) -> HeaderValue {
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
        };
        if !challenges.contains(&challenge) {
            challenges.push(challenge);
        }
    }
    let value = HeaderValue::try_from(challenges.join(", ")).ok().filter(|value| !value.is_empty());
    value.unwrap_or(HeaderValue::from_static("Bearer"))
}

/// A response that the authenticator sends instead of the handler.
#[derive(Debug)]
pub struct Rejection {
    response: Box<Response>,
}

impl Rejection {
    /// Makes a response with a JSON body, which should have the type that the document declares for this status.
    pub fn json(status: StatusCode, body: &impl Serialize) -> Self {
        Self { response: Box::new(reply::json(status, body)) }
    }

    /// Adds a header.
    pub fn with_header(mut self, name: HeaderName, value: impl std::fmt::Display) -> Self {
        self.response = Box::new(reply::with_header(*self.response, name, value));
        self
    }

    /// Makes the opaque response to a failure of the authentication itself. Log the cause before.
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
