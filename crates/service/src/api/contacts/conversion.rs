//! Contacts of the store as types of the interface, and the other way round.

use std::collections::BTreeMap;

use frontdesk_model::{
    Contact, ContactConsent, ContactConversation, ContactConversationRequired, ContactPayment,
    ContactPaymentRequired, ContactRequired, ContactSource, ContactType, NewContact, NewContactConsent,
    NewContactType,
};
use frontdesk_runtime::Patch;
use frontdesk_store::{self as store, ContactKind, ContactUpdate, NewConsent};

use crate::api::{count, texts};
use crate::edge::responses::timestamp;

/// Reads a new contact, or one that is written by its key.
pub(super) fn update_of(body: NewContact) -> Result<ContactUpdate, jiff::Error> {
    // A field of a new contact that is null is one that is left out; it clears nothing of a known one.
    let given = |field: Patch<String>| field.into_value().map(Some);
    Ok(ContactUpdate {
        email: given(body.email),
        name: given(body.name),
        phone: given(body.phone),
        company: given(body.company),
        custom: body.custom.map(Into::into),
        external_id: given(body.external_id),
        kind: body.r#type.map(kind),
        owner_id: body.owner_id.into_value().map(|owner_id| Some(owner_id.into())),
        tags: body.tags,
        custom_fields: body.custom_fields,
        consent: body.consent.into_value().map(|given| consent(given).map(Some)).transpose()?,
        archived: None,
    })
}

/// Reads what a person has agreed to.
pub(super) fn consent(given: NewContactConsent) -> Result<NewConsent, jiff::Error> {
    Ok(NewConsent { marketing: given.marketing, at: given.at.map(moment).transpose()?, source: given.source })
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
    ContactConversation::new(ContactConversationRequired {
        conversation_id: stored.conversation_id.into(),
        chatbot_id: stored.chatbot_id.into(),
        mode: stored.mode.as_str().to_owned(),
        source: stored.source,
        message_count: count(stored.message_count),
        created_at: timestamp(stored.created_at),
        last_message_at: timestamp(stored.last_message_at),
    })
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

/// The further details of a contact by name.
pub(super) fn custom_fields_of(stored: &store::Contact) -> BTreeMap<String, String> {
    let fields = stored.custom_fields.as_object().into_iter().flatten();
    fields.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
}

/// Converts a contact to the type of the interface.
pub(super) fn shown(stored: store::Contact) -> Contact {
    let has_payment = stored.paid_at.is_some()
        || stored.payment_amount.is_some()
        || stored.payment_currency.is_some()
        || stored.payment_reference.is_some();
    let (r#type, custom) = (type_of(&stored), custom_of(&stored));
    let (tags, custom_fields) = (texts(&stored.tags), custom_fields_of(&stored));
    let consent = stored
        .consent
        .map(|consent| ContactConsent::new(consent.marketing, timestamp(consent.at), consent.source));
    let payment = has_payment.then(|| {
        ContactPayment::new(ContactPaymentRequired {
            paid_at: stored.paid_at.map(timestamp),
            amount: stored.payment_amount,
            currency: stored.payment_currency,
            reference: stored.payment_reference,
        })
    });
    Contact::new(ContactRequired {
        contact_id: stored.contact_id.into(),
        r#type,
        email: stored.email,
        name: stored.name,
        phone: stored.phone,
        company: stored.company,
        custom,
        external_id: stored.external_id,
        is_verified: stored.is_verified,
        is_paying_customer: stored.became_customer_at.is_some(),
        became_customer_at: stored.became_customer_at.map(timestamp),
        payment,
        owner_id: stored.owner_id.map(Into::into),
        tags,
        custom_fields,
        consent,
        source: match stored.source {
            store::ContactSource::Chatbot => ContactSource::Chatbot,
            store::ContactSource::Api => ContactSource::Api,
            store::ContactSource::Import => ContactSource::Import,
            store::ContactSource::ContactForm => ContactSource::ContactForm,
            store::ContactSource::Email => ContactSource::Email,
            store::ContactSource::Messaging => ContactSource::Messaging,
        },
        archived_at: stored.archived_at.map(timestamp),
        first_seen_at: timestamp(stored.first_seen_at),
        last_seen_at: timestamp(stored.last_seen_at),
        updated_at: timestamp(stored.updated_at),
    })
}
