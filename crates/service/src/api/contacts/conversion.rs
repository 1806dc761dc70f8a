//! Contacts of the store as types of the interface, and the other way round.

use frontdesk_model::{
    Contact, ContactConversation, ContactPayment, ContactSource, ContactType, NewContact, NewContactType,
};
use frontdesk_runtime::Patch;
use frontdesk_store::{self as store, ContactKind, ContactUpdate};

use crate::answers::timestamp;
use crate::api::count;

/// Reads a new contact, or one that is written by its key.
pub(super) fn update_of(body: NewContact) -> ContactUpdate {
    // A field of a new contact that is null is one that is left out; it clears nothing of a known one.
    let given = |field: Patch<String>| field.into_value().map(Some);
    ContactUpdate {
        email: given(body.email),
        name: given(body.name),
        phone: given(body.phone),
        company: given(body.company),
        custom: body.custom.map(Into::into),
        external_id: given(body.external_id),
        kind: body.r#type.map(kind),
        archived: None,
    }
}

/// Reads what a person is to the business.
pub(super) fn kind(given: NewContactType) -> ContactKind {
    match given {
        NewContactType::Lead => ContactKind::Lead,
        NewContactType::Subscriber => ContactKind::Subscriber,
    }
}

/// Reads a moment.
pub(super) fn moment(given: frontdesk_runtime::Timestamp) -> Result<jiff::Timestamp, jiff::Error> {
    jiff::Timestamp::from_microsecond(given.as_microseconds())
}

/// Converts a conversation to the type of the interface.
pub(super) fn conversation(stored: store::ContactConversation) -> ContactConversation {
    ContactConversation::new(
        stored.conversation_id,
        stored.chatbot_id,
        stored.mode.as_str(),
        stored.source,
        count(stored.message_count),
        timestamp(stored.created_at),
        timestamp(stored.last_message_at),
    )
}

/// What a person is to the business.
pub(super) fn type_of(stored: &store::Contact) -> ContactType {
    match (stored.became_customer_at, stored.kind) {
        (Some(_), _) => ContactType::Customer,
        (None, ContactKind::Lead) => ContactType::Lead,
        (None, ContactKind::Subscriber) => ContactType::Subscriber,
    }
}

/// The further details of a contact. Chats and calls store nothing but lists of texts.
pub(super) fn custom_of(stored: &store::Contact) -> Vec<Option<String>> {
    let values = stored.custom.as_ref().and_then(serde_json::Value::as_array);
    values.into_iter().flatten().map(|value| value.as_str().map(str::to_owned)).collect()
}

/// Converts a contact to the type of the interface.
pub(super) fn shown(stored: store::Contact) -> Contact {
    let has_payment = stored.paid_at.is_some()
        || stored.payment_amount.is_some()
        || stored.payment_currency.is_some()
        || stored.payment_reference.is_some();
    let (r#type, custom) = (type_of(&stored), custom_of(&stored));
    let payment = has_payment.then(|| {
        ContactPayment::new(
            stored.paid_at.map(timestamp),
            stored.payment_amount,
            stored.payment_currency,
            stored.payment_reference,
        )
    });
    Contact::new(
        stored.contact_id,
        r#type,
        stored.email,
        stored.name,
        stored.phone,
        stored.company,
        custom,
        stored.external_id,
        stored.is_verified,
        stored.became_customer_at.is_some(),
        stored.became_customer_at.map(timestamp),
        payment,
        match stored.source {
            store::ContactSource::Chatbot => ContactSource::Chatbot,
            store::ContactSource::Api => ContactSource::Api,
            store::ContactSource::Import => ContactSource::Import,
            store::ContactSource::ContactForm => ContactSource::ContactForm,
            store::ContactSource::Email => ContactSource::Email,
            store::ContactSource::Messaging => ContactSource::Messaging,
        },
        stored.archived_at.map(timestamp),
        timestamp(stored.first_seen_at),
        timestamp(stored.last_seen_at),
        timestamp(stored.updated_at),
    )
}
