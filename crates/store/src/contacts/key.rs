//! The values that identify a contact, and their normal forms.

use super::phone::phone_number;
use crate::contacts::visitor_subject::VisitorSubject;
use crate::sql::row::{email_key, email_spellings};

/// A field that identifies a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContactKey {
    /// The email address.
    Email,
    /// The phone number.
    Phone,
    /// The account's own id of the person.
    ExternalId,
}

impl ContactKey {
    /// Returns a value as it is stored, or `None` if it identifies nobody.
    pub(crate) fn normal(self, value: &str) -> Option<String> {
        match self {
            Self::Email => Some(email_key(value)).filter(|email| !email.is_empty()),
            Self::Phone => phone_number(value),
            Self::ExternalId => VisitorSubject::new(value).map(|subject| subject.as_str().to_owned()),
        }
    }

    /// Returns how rows of earlier versions may have a value; the value itself if there is no difference.
    pub(crate) fn older_form(self, value: &str) -> String {
        match self {
            Self::Email => {
                let [_, written] = email_spellings(value);
                written
            }
            Self::Phone | Self::ExternalId => value.to_owned(),
        }
    }
}
