//! Contacts as a CSV file, and everything that is stored about one of them.

use frontdesk_model::{
    ContactExport, ContactExportRequired, ExportContactsOk, ExportedConversation,
    ExportedConversationRequired, ExportedMessage, ExportedMessageRequired,
};
use frontdesk_model::{Deal, DealActivity, ExportedThread};
use frontdesk_store::{
    self as store, ContactFilter, DealActivityFilter, DealFilter, DealOrder, MessagesFrom, PageRequest,
    Scope, Store, StoreError, ThreadFilter,
};
use jiff::Timestamp;
use uuid::Uuid;

use super::conversion::{custom_of, shown, type_of};
use crate::api::csv::push_row;
use crate::edge::responses::timestamp;
use crate::{
    api::{self, Service, threads::shown as inbox},
    edge::Caller,
};

/// Rows that are read at a time.
const BATCH: u32 = 500;

/// The columns of the file. The import reads some of them.
const COLUMNS: [&str; 15] = [
    "contact_id",
    "email",
    "name",
    "phone",
    "company",
    "external_id",
    "type",
    "custom",
    "tags",
    "custom_fields",
    "marketing_consent",
    "is_verified",
    "source",
    "first_seen_at",
    "last_seen_at",
];

/// Returns all contacts of the caller's accounts that are not archived, the newest first.
pub(super) async fn all(service: &Service, caller: &Caller) -> Result<ExportContactsOk, StoreError> {
    let mut text = String::new();
    push_row(&mut text, &COLUMNS);
    let mut page = PageRequest::first(BATCH);
    let mut exported = 0;
    loop {
        let contacts = service.store.contacts();
        let found = contacts.page(&caller.scope, &ContactFilter::default(), &page).await?;
        exported += found.items.len();
        found.items.iter().for_each(|contact| push_contact(&mut text, contact));
        let Some(next) = found.next else { break };
        page = PageRequest { after: Some(next), limit: BATCH };
    }
    let (account_id, key_id) = (caller.account_id, caller.key_id);
    tracing::info!(%account_id, %key_id, exported, "contacts were exported");
    Ok(ExportContactsOk {
        content_disposition: "attachment; filename=\"contacts.csv\"".to_owned(),
        x_content_type_options: "nosniff".to_owned(),
        body: text,
    })
}

fn push_contact(text: &mut String, contact: &store::Contact) {
    let optional = |field: &Option<String>| field.clone().unwrap_or_default();
    let cells = [
        contact.contact_id.to_string(),
        optional(&contact.email),
        optional(&contact.name),
        optional(&contact.phone),
        optional(&contact.company),
        optional(&contact.external_id),
        type_of(contact).as_str().to_owned(),
        serde_json::json!(custom_of(contact)).to_string(),
        contact.tags.to_string(),
        contact.custom_fields.to_string(),
        contact.consent.as_ref().map(|consent| consent.marketing.to_string()).unwrap_or_default(),
        contact.is_verified.to_string(),
        contact.source.as_str().to_owned(),
        contact.first_seen_at.to_string(),
        contact.last_seen_at.to_string(),
    ];
    push_row(text, &cells.each_ref().map(String::as_str));
}

/// Returns everything that is stored about one person. Activities are overdue by `now`.
pub(crate) async fn contact_data(
    store: &Store,
    scope: &Scope,
    contact: store::Contact,
    now: Timestamp,
) -> Result<ContactExport, StoreError> {
    let contact_id = contact.contact_id;
    let mut conversations = Vec::new();
    let mut page = PageRequest::first(BATCH);
    loop {
        let found = store.contacts().conversations(scope, contact_id, &page).await?;
        for conversation in found.items {
            conversations.push(with_messages(store, scope, conversation).await?);
        }
        let Some(next) = found.next else { break };
        page = PageRequest { after: Some(next), limit: BATCH };
    }
    conversations.reverse();
    let deals = deals(store, scope, contact_id, now).await?;
    Ok(ContactExport::new(ContactExportRequired {
        contact: shown(contact),
        conversations,
        threads: threads(store, scope, contact_id).await?,
        activities: activities(store, scope, contact_id, &deals, now).await?,
        deals,
    }))
}

/// Returns the threads of a contact that are not conversations with a chatbot.
async fn threads(store: &Store, scope: &Scope, contact_id: Uuid) -> Result<Vec<ExportedThread>, StoreError> {
    let filter = ThreadFilter { contact_id: Some(contact_id), ..ThreadFilter::default() };
    let mut threads = Vec::new();
    let mut page = PageRequest::first(BATCH);
    loop {
        let found = store.threads().page(scope, &filter, &page).await?;
        for thread in found.items.into_iter().filter(|thread| thread.conversation_id.is_none()) {
            let mut messages = Vec::new();
            let mut after = 0;
            loop {
                let from = MessagesFrom::After(after);
                let (found, has_more) =
                    store.threads().messages(scope, thread.thread_id, from, BATCH).await?;
                after = found.last().map_or(after, |last| last.position);
                messages.extend(inbox::messages(store, scope, found).await?);
                if !has_more {
                    break;
                }
            }
            threads.push(ExportedThread::new(inbox::thread(thread), messages));
        }
        let Some(next) = found.next else { return Ok(threads) };
        page = PageRequest { after: Some(next), limit: BATCH };
    }
}

/// Returns the deals that a contact is part of, deleted ones last.
async fn deals(
    store: &Store,
    scope: &Scope,
    contact_id: Uuid,
    now: Timestamp,
) -> Result<Vec<Deal>, StoreError> {
    let mut deals = Vec::new();
    for deleted in [false, true] {
        let filter = DealFilter { contact_id: Some(contact_id), deleted, ..DealFilter::default() };
        let mut page = PageRequest::first(BATCH);
        loop {
            let found = store.deals().page(scope, &filter, DealOrder::default(), &page).await?;
            deals.extend(found.items.into_iter().map(|deal| api::deals::shown(deal, now)));
            let Some(next) = found.next else { break };
            page = PageRequest { after: Some(next), limit: BATCH };
        }
    }
    Ok(deals)
}

/// Returns the activities with a contact. Those of deleted deals are found by the deal only.
async fn activities(
    store: &Store,
    scope: &Scope,
    contact_id: Uuid,
    deals: &[Deal],
    now: Timestamp,
) -> Result<Vec<DealActivity>, StoreError> {
    let deleted = deals.iter().filter(|deal| deal.deleted_at.is_some()).map(|deal| Some(deal.deal_id.uuid()));
    let mut activities = Vec::new();
    for deal_id in std::iter::once(None).chain(deleted) {
        let filter =
            DealActivityFilter { contact_id: Some(contact_id), deal_id, ..DealActivityFilter::default() };
        let mut page = PageRequest::first(BATCH);
        loop {
            let found = store.deal_activities().page(scope, &filter, &page).await?;
            activities
                .extend(found.items.into_iter().map(|activity| api::deal_activities::shown(activity, now)));
            let Some(next) = found.next else { break };
            page = PageRequest { after: Some(next), limit: BATCH };
        }
    }
    Ok(activities)
}

async fn with_messages(
    store: &Store,
    scope: &Scope,
    conversation: store::ContactConversation,
) -> Result<ExportedConversation, StoreError> {
    let mut messages = Vec::new();
    let mut after = 0;
    loop {
        let found = store.conversations().messages(scope, conversation.conversation_id, after, BATCH).await?;
        let Some(last) = found.last() else { break };
        after = last.position;
        messages.extend(found.into_iter().map(|message| {
            let created_at = timestamp(message.created_at);
            ExportedMessage::new(ExportedMessageRequired {
                message_id: message.message_id.into(),
                author: message.role.as_str().to_owned(),
                text: message.body,
                created_at,
            })
        }));
    }
    Ok(ExportedConversation::new(ExportedConversationRequired {
        conversation_id: conversation.conversation_id.into(),
        chatbot_id: conversation.chatbot_id.into(),
        mode: conversation.mode.as_str().to_owned(),
        source: conversation.source,
        created_at: timestamp(conversation.created_at),
        messages,
    }))
}
