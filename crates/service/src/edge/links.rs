//! Addresses that a secret opens, such as those in e-mails: of operations, and of the console.

use frontdesk_model::operations;
use frontdesk_runtime::Operation;
use url::Url;
use uuid::Uuid;

/// Returns the address at which the recipient of an e-mail unsubscribes.
pub(crate) fn unsubscribe_url(public_url: &Url, token: Uuid) -> String {
    of_operation(Some(public_url), &operations::unsubscribing::UNSUBSCRIBE_RECIPIENT, token)
}

/// Returns the address of an operation whose only path parameter is a secret.
pub(crate) fn of_operation(public_url: Option<&Url>, operation: &Operation, token: Uuid) -> String {
    let before = operation.path.split('{').next().unwrap_or_default();
    let base = public_url.map(|url| url.as_str().trim_end_matches('/').to_owned()).unwrap_or_default();
    format!("{base}{before}{token}")
}

/// Returns the address of the console with a token, in the fragment, which browsers do not send.
pub(crate) fn to_console(base: &str, purpose: &str, token: &str) -> String {
    format!("{}/console#{purpose}={token}", base.trim_end_matches('/'))
}
