//! Owns [`Secret`]: text that does not show itself in logs.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Text that must not reach a log: `format: password` in a document.
///
/// It travels on the wire like any string; only `Debug` hides it.
#[derive(Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// The text itself; the name is long so that every use is easy to find.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Gives the text away.
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
