//! [`Refused`] and [`FromRefusal`]: the content of a response that a server sends instead of a handler's.

use http::StatusCode;
use std::collections::BTreeMap;

/// The content of a refusal, independent of the shape that the document declares for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The status of the response.
    pub status: StatusCode,
    /// The message.
    pub message: String,
    /// The violations of an invalid request, by the path of the parameter or field; empty for other refusals.
    pub errors: BTreeMap<String, Vec<String>>,
}

impl Refused {
    /// Returns the message, followed by the violations, for shapes that have no place for them.
    pub fn full_message(&self) -> String {
        let mut text = self.message.clone();
        for (path, failures) in &self.errors {
            for failure in failures {
                text.push_str(&format!(" {path} {failure}."));
            }
        }
        text
    }
}

/// A body that can state any refusal.
///
/// Generated types implement it if they are error bodies whose shape makes clear what belongs where: a text
/// such as `message`, `detail` or `error`, the status as a number, violations by path. A server uses it
/// through `runtime::default_refusals!`.
pub trait FromRefusal {
    /// Makes the body.
    fn from_refusal(refused: Refused) -> Self;
}

impl FromRefusal for String {
    fn from_refusal(refused: Refused) -> Self {
        refused.full_message()
    }
}

/// The body is `{ "message" }`, with `errors` if there are any.
impl FromRefusal for serde_json::Value {
    fn from_refusal(refused: Refused) -> Self {
        let mut body = serde_json::json!({ "message": refused.message });
        if !refused.errors.is_empty() {
            body["errors"] = serde_json::json!(refused.errors);
        }
        body
    }
}

/// Implements `server::Refuse` with [`FromRefusal`] for some of the bodies that the document declares:
///
/// ```ignore
/// default_refusals!(Credentials => NotFound, Problem);
/// ```
#[cfg(feature = "server")]
#[macro_export]
macro_rules! default_refusals {
    ($authenticator:ty => $($body:ty),+ $(,)?) => {
        $(
            impl $crate::server::Refuse<$body> for $authenticator {
                fn refuse(&self, refusal: &$crate::server::Refusal) -> $body {
                    $crate::FromRefusal::from_refusal(refusal.to_refused())
                }
            }
        )+
    };
}

#[cfg(test)]
mod tests {
    use super::{BTreeMap, FromRefusal, Refused, StatusCode};
    use serde_json::{Value, json};

    #[test]
    fn violations_are_never_lost() {
        let errors = BTreeMap::from([("name".to_owned(), vec!["is required".to_owned()])]);
        let message = "The request is invalid.".to_owned();
        let refused = Refused { status: StatusCode::UNPROCESSABLE_ENTITY, message, errors };
        assert_eq!(String::from_refusal(refused.clone()), "The request is invalid. name is required.");
        let body = json!({ "message": "The request is invalid.", "errors": { "name": ["is required"] } });
        assert_eq!(Value::from_refusal(refused), body);
    }
}
