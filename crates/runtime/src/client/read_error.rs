//! [`ReadError`]: why a response does not fit its document.

use serde::de::DeserializeOwned;
use std::{error, fmt};

/// Why a response does not fit its document, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    path: String,
    reason: String,
}

impl ReadError {
    /// Makes an error that concerns the response as a whole.
    pub fn new(reason: impl fmt::Display) -> Self {
        Self { path: String::new(), reason: reason.to_string() }
    }

    /// Finds the member that does not fit. The body is read again for that, because keeping the path costs
    /// time.
    pub(super) fn locate<T: DeserializeOwned>(body: &[u8], error: serde_json::Error) -> Self {
        if !error.is_data() {
            return Self::new(format_args!("the body is not JSON: {error}"));
        }
        let reader = &mut serde_json::Deserializer::from_slice(body);
        match serde_path_to_error::deserialize::<_, T>(reader) {
            Ok(_) => Self::new(error),
            Err(located) => {
                let path = located.path().to_string();
                let path = if path == "." { String::new() } else { path };
                let reason = located.into_inner().to_string();
                // The path says more than the position, which depends on the layout of the body.
                let reason = reason.rsplit_once(" at line ").map_or(reason.as_str(), |(reason, _)| reason);
                Self { path, reason: reason.to_owned() }
            }
        }
    }

    /// Returns the member that does not fit, such as `data.items[3].price`; empty if it is the response as a
    /// whole.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the problem of the member.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            formatter.write_str(&self.reason)
        } else {
            write!(formatter, "{}: {}", self.path, self.reason)
        }
    }
}

impl error::Error for ReadError {}

#[cfg(test)]
mod tests {
    use super::ReadError;
    use std::collections::BTreeMap;

    #[derive(Debug)]
    struct Price {
        price: String,
    }

    crate::object! {
        Price {
            price: required "price",
        }
    }

    fn error(body: &str) -> String {
        type Body = BTreeMap<String, BTreeMap<String, Vec<Price>>>;
        let error = serde_json::from_slice::<Body>(body.as_bytes()).unwrap_err();
        ReadError::locate::<Body>(body.as_bytes(), error).to_string()
    }

    #[test]
    fn the_member_is_named() {
        for (body, expected) in [
            (
                r#"{"data": {"items": [{"price": "1"}, {"price": 2}]}}"#,
                "data.items[1].price: invalid type: integer `2`, expected a string",
            ),
            (r#"{"data": {"items": [{}]}}"#, "data.items[0]: missing field `price`"),
            (r#"{"data": []}"#, "data: invalid type: sequence, expected a map"),
            ("[]", "invalid type: sequence, expected a map"),
            ("<html>", "the body is not JSON: expected value at line 1 column 1"),
        ] {
            assert_eq!(error(body), expected, "{body}");
        }
        let price: Price = serde_json::from_str(r#"{"price": "1"}"#).unwrap();
        assert_eq!(price.price, "1");
    }
}
