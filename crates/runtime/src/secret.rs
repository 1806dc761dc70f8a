//! [`Secret`]: text that is redacted in logs.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Text that must not appear in logs: `format: password` in a document.
///
/// It is an ordinary string on the wire; only its `Debug` output is redacted.
#[derive(Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Returns the text. The name is conspicuous so that every use is easy to find.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Returns the owned text.
    pub fn into_inner(self) -> String {
        self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(…)")
    }
}

impl<T: Into<String>> From<T> for Secret {
    fn from(text: T) -> Self {
        Self(text.into())
    }
}

#[cfg(test)]
mod tests {
    use super::Secret;

    #[test]
    fn debug_hides_the_text_and_the_wire_does_not() {
        let secret = Secret::from("hunter2");
        assert_eq!(format!("{secret:?}"), "Secret(…)");
        assert_eq!(serde_json::to_string(&secret).unwrap(), r#""hunter2""#);
    }
}
