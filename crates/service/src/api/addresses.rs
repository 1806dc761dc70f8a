//! Addresses in bodies of requests, brought into their normal form.

use frontdesk_runtime::{Patch, check};
use frontdesk_store::ContactUpdate;

use crate::edge::responses;

/// Returns a web address in its normal form. One that is none is a failing field.
pub(super) fn web_address(text: &str, field: &str, failures: &mut Vec<check::Failure>) -> String {
    frontdesk_address::web_address(text).unwrap_or_else(|| {
        failures
            .push(responses::failure(field, "must be a web address that starts with http:// or https://"));
        text.to_owned()
    })
}

/// Returns a nullable field with a web address in its normal form, likewise.
pub(super) fn web_address_patch(
    patch: Patch<String>,
    field: &str,
    failures: &mut Vec<check::Failure>,
) -> Patch<String> {
    match patch {
        Patch::Value(text) => Patch::Value(web_address(&text, field, failures)),
        other => other,
    }
}

/// Returns the failing field of a contact whose e-mail address is none, so that what is stored can be
/// imported where it was exported.
pub(super) fn check_email(update: &ContactUpdate) -> Option<check::Failure> {
    let email = update.email.as_ref()?.as_deref().map(str::trim).filter(|email| !email.is_empty())?;
    frontdesk_address::email(email)
        .is_none()
        .then(|| responses::failure("email", "must be an e-mail address such as jo@example.com"))
}
