//! What the journal of events says of contacts.

use jiff::Timestamp;
use uuid::Uuid;

use super::record::Contact;
use crate::events;
use crate::events::data::EventData;
use crate::events::snapshots::EventContact;
use crate::sql::database::WriteTransaction;
use crate::sql::error::StoreError;

impl From<&Contact> for EventContact {
    fn from(contact: &Contact) -> Self {
        Self {
            contact_id: contact.contact_id,
            contact_type: match contact.became_customer_at {
                Some(_) => "customer".to_owned(),
                None => contact.kind.to_string(),
            },
            email: contact.email.clone(),
            name: contact.name.clone(),
            phone: contact.phone.clone(),
            company: contact.company.clone(),
            is_verified: contact.is_verified,
            source: contact.source.to_string(),
        }
    }
}

/// Reports that a contact has an e-mail address or a phone number for the first time.
pub(crate) async fn lead_created(
    transaction: &mut WriteTransaction,
    contact: &Contact,
    chatbot_id: Option<Uuid>,
    conversation_id: Option<Uuid>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let data = EventData::LeadCreated { contact: contact.into(), chatbot_id, conversation_id };
    events::insert(transaction, contact.account_id, [data], now).await
}

/// Reports that a contact was changed.
pub(crate) async fn contact_updated(
    transaction: &mut WriteTransaction,
    contact: &Contact,
    now: Timestamp,
) -> Result<(), StoreError> {
    let data = EventData::ContactUpdated { contact: contact.into() };
    events::insert(transaction, contact.account_id, [data], now).await
}

/// Reports that a contact became a paying customer.
pub(crate) async fn contact_became_customer(
    transaction: &mut WriteTransaction,
    contact: &Contact,
    became_customer_at: Timestamp,
    now: Timestamp,
) -> Result<(), StoreError> {
    let data = EventData::ContactBecameCustomer { contact: contact.into(), became_customer_at };
    events::insert(transaction, contact.account_id, [data], now).await
}
