//! What is wrong with a contact that a request describes.

use frontdesk_model::Conflict;
use frontdesk_runtime::check;
use frontdesk_store::{ContactKey, ContactUpdate, Scope, StoreError, phone_number};
use uuid::Uuid;

use crate::{
    api::{Service, references::References},
    edge::responses,
};

/// The rule for phone numbers that the account itself writes.
pub(super) const PHONE_RULE: &str = "must be a phone number with its country code, such as +44 20 7946 0018";

/// Returns whether a field has a value that is not blank.
#[expect(
    clippy::option_option,
    clippy::ref_option,
    reason = "the fields of a change, which distinguish absent from cleared"
)]
pub(super) fn is_filled(field: &Option<Option<String>>) -> bool {
    field.as_ref().and_then(Option::as_deref).is_some_and(|text| !text.trim().is_empty())
}

/// The failure of a phone number without its country code, unless it is stored already.
pub(super) fn check_phone(update: &ContactUpdate, known: Option<&str>) -> Vec<check::Failure> {
    let phone = update.phone.as_ref().and_then(Option::as_deref).map(str::trim);
    let unusable =
        phone.is_some_and(|phone| !phone.is_empty() && phone_number(phone).is_none() && known != Some(phone));
    unusable.then(|| failure("phone", PHONE_RULE)).into_iter().collect()
}

/// What is wrong with the owner and the further fields of a contact of the account in the scope.
pub(super) async fn check_details(
    service: &Service,
    scope: Scope,
    update: &ContactUpdate,
) -> Result<Vec<check::Failure>, StoreError> {
    let mut references = References::new(service, scope);
    references.team_member("owner_id", update.owner_id.flatten()).await?;
    let mut failures = references.failures;
    if update.custom_fields.iter().flatten().any(|(name, _)| !is_field_name(name)) {
        failures.push(failure("custom_fields", FIELD_NAME_RULE));
    }
    Ok(failures)
}

/// The rule for names of further fields.
pub(super) const FIELD_NAME_RULE: &str = "must have names of 1 to 100 characters";

/// Whether a further field may have a name.
pub(super) fn is_field_name(name: &str) -> bool {
    !name.trim().is_empty() && name.chars().count() <= 100
}

/// One problem of one field.
pub(super) fn failure(path: &str, message: &str) -> check::Failure {
    check::Failure { path: path.to_owned(), message: message.to_owned() }
}

/// The external id of a proven identity stays.
pub(super) fn proven_identity() -> check::Failure {
    failure("external_id", "cannot be changed, because the identity of the contact is proven")
}

/// The name of a key field.
pub(super) fn field(key: ContactKey) -> &'static str {
    match key {
        ContactKey::Email => "email",
        ContactKey::Phone => "phone",
        ContactKey::ExternalId => "external_id",
    }
}

/// The response to a value that another contact has.
pub(super) fn taken(contact_id: Uuid, key: ContactKey) -> Conflict {
    let what = match key {
        ContactKey::Email => "email address",
        ContactKey::Phone => "phone number",
        ContactKey::ExternalId => "external id",
    };
    responses::already_exists(&format!("Another contact has this {what} already."), contact_id)
}

/// The account of a caller has just been deleted; nothing is declared for that.
#[derive(Debug, thiserror::Error)]
#[error("the account of the caller is gone")]
pub(crate) struct AccountGone;

/// Turns a missing account into an error that no response is declared for.
pub(super) fn unexpected<T>(_: T) -> AccountGone {
    AccountGone
}
