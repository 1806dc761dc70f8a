//! Subjects of proven identities, normalized.

use std::fmt;

use crate::sql::nul::replace_nul;

/// The subject of a proven identity: the id that the account's own system gives a visitor.
///
/// A subject has one form, without surrounding white space and NUL characters, in which contacts and
/// conversations are stored and compared. The same visitor therefore always has the same contact and reaches
/// the same conversations.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct VisitorSubject(String);

impl VisitorSubject {
    /// Normalizes the text of a subject. Returns `None` if nothing remains.
    ///
    /// ```
    /// use frontdesk_store::VisitorSubject;
    ///
    /// assert_eq!(VisitorSubject::new(" customer-7 "), VisitorSubject::new("customer-7"));
    /// assert_eq!(VisitorSubject::new(" "), None);
    /// ```
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty()).then(|| Self(replace_nul(text)))
    }

    /// Returns the normalized text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for VisitorSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}
