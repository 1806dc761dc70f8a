//! What a message of the inbox says of its author, inside the transaction that stores the message.

use jiff::Timestamp;
use sqlx::AnyConnection;
use uuid::Uuid;

use super::account::AccountContacts;
use super::record::{Contact, ContactFields, ContactSource};
use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;

/// What is known of the author of a message.
pub(crate) struct Claims<'a> {
    pub(crate) account_id: Uuid,
    /// What the message says.
    pub(crate) fields: &'a ContactFields,
    /// Who it is, if the account itself says so.
    pub(crate) stated: Option<Uuid>,
    /// The contact of the thread.
    pub(crate) present: Option<Uuid>,
    /// How a contact comes about that is created.
    pub(crate) source: ContactSource,
}

/// The contact of a message.
pub(crate) struct Claimed {
    pub(crate) contact: Contact,
    /// Whether the person can be reached for the first time. To be reported by an event, at the end of the
    /// transaction.
    pub(crate) is_new_lead: bool,
}

/// Locks the contacts of an account until the transaction ends. Returns whether there is such an account.
pub(crate) async fn lock(
    connection: &mut AnyConnection,
    dialect: Dialect,
    account_id: Uuid,
) -> Result<bool, StoreError> {
    let locked = AccountContacts::lock(connection, dialect, account_id, Timestamp::UNIX_EPOCH).await?;
    Ok(locked.is_some())
}

/// Finds or creates the contact of a message. `None` if nothing is known of its author.
///
/// A contact whose identity is proven stays the author in its own thread, unless the message claims another
/// address; nothing changes it.
pub(crate) async fn claim(
    connection: &mut AnyConnection,
    dialect: Dialect,
    claims: &Claims<'_>,
    now: Timestamp,
) -> Result<Option<Claimed>, StoreError> {
    let Some(mut contacts) = AccountContacts::lock(connection, dialect, claims.account_id, now).await? else {
        return Ok(None);
    };
    if let Some(stated) = claims.stated
        && let Some(contact) = contacts.get(stated).await?
    {
        return Ok(Some(Claimed { contact, is_new_lead: false }));
    }
    let fields = claims.fields.cleaned();
    if let Some(present) = claims.present
        && let Some(contact) = contacts.get(present).await?
        && contact.is_verified
        && (fields.email.is_none() || fields.email == contact.email)
    {
        return Ok(Some(Claimed { contact, is_new_lead: false }));
    }
    let contact = contacts.claimed(fields, claims.present, claims.source).await?;
    let is_new_lead = contacts.has_new_lead;
    Ok(contact.map(|contact| Claimed { contact, is_new_lead }))
}
