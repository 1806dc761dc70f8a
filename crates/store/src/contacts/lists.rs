//! Reading contacts: pages with filters, looking one up by what identifies it, and the conversations of one.

use jiff::Timestamp;
use uuid::Uuid;

use super::key::ContactKey;
use super::phone::phone_number;
use super::record::{Contact, ContactSource};
use super::visitors::Contacts;
use crate::events::states::ConversationMode;
use crate::sql::error::StoreError;
use crate::sql::like::containing;
use crate::sql::pages::{Page, PageRequest, Position};
use crate::sql::row::{email_spellings, micros};
use crate::sql::scope::{Scope, in_scope, scoped_as};

/// The contacts that a list is about. What is `None` does not matter.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ContactFilter {
    /// `lead`, `subscriber` or `customer`.
    pub kind: Option<String>,
    /// Whether it is a paying customer.
    pub is_customer: Option<bool>,
    /// Whether the identity is proven.
    pub is_verified: Option<bool>,
    /// How it came about.
    pub source: Option<ContactSource>,
    /// E-mail address, in any case.
    pub email: Option<String>,
    /// Phone number, in any form.
    pub phone: Option<String>,
    /// The account's own id of the person.
    pub external_id: Option<String>,
    /// A text in name, e-mail address, phone number or company.
    pub text: Option<String>,
    /// The team member who takes care of it.
    pub owner_id: Option<Uuid>,
    /// A chatbot that it has had a conversation with.
    pub chatbot_id: Option<Uuid>,
    /// A label.
    pub tag: Option<String>,
    /// Created or changed at this moment or later.
    pub updated_since: Option<Timestamp>,
    /// Whether the archived contacts are listed instead of the others.
    pub archived: bool,
}

record! {
    /// A conversation of a contact.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ContactConversation, columns contact_conversation_columns {
        /// Identifier.
        pub conversation_id: Uuid,
        /// The chatbot that it was begun with.
        pub chatbot_id: Uuid,
        /// Who answers.
        pub mode: ConversationMode,
        /// Where it takes place, such as `api`.
        pub source: String,
        /// Messages in it.
        pub message_count: u64,
        /// When it began.
        pub created_at: Timestamp,
        /// When its last message was written.
        pub last_message_at: Timestamp,
    }
}

impl Contacts<'_> {
    /// One page of the contacts of the scope, the newest first.
    pub async fn page(
        self,
        scope: &Scope,
        filter: &ContactFilter,
        page: &PageRequest,
    ) -> Result<Page<Contact>, StoreError> {
        let (key, id) = page.before_number();
        let flag = |flag: Option<bool>| flag.map_or(-1, i64::from);
        let phone =
            filter.phone.as_deref().map(|phone| phone_number(phone).unwrap_or(phone.trim().to_owned()));
        let [email, older_email] = filter.email.as_deref().map(email_spellings).unwrap_or_default();
        macro_rules! select {
            ($tags:literal) => {
                concat!(
                    "SELECT ",
                    contact_columns!(),
                    " FROM contacts WHERE ",
                    in_scope!(),
                    " AND (first_seen_at, contact_id) < ($3, $4) \
                     AND ($5 = '' OR CASE WHEN became_customer_at IS NULL THEN kind ELSE 'customer' END = $5) \
                     AND ($6 < 0 OR CASE WHEN became_customer_at IS NULL THEN 0 ELSE 1 END = $6) \
                     AND ($7 < 0 OR is_verified = $7) AND ($8 = '' OR source = $8) AND ($9 = '' OR email IN ($9, $19)) \
                     AND ($10 = '' OR phone = $10) AND ($11 = '' OR external_id = $11) \
                     AND ($12 = '' OR search_text LIKE $12 ESCAPE '!') AND updated_at >= $13 \
                     AND CASE WHEN archived_at IS NULL THEN 0 ELSE 1 END = $14 AND ($15 = '' OR owner_id = $15) \
                     AND ($16 = '' OR $16 IN (SELECT ",
                    $tags,
                    ")) AND ($17 = '' OR EXISTS (SELECT 1 FROM conversations AS held \
                     WHERE held.contact_id = contacts.contact_id AND held.chatbot_id = $17)) \
                     ORDER BY first_seen_at DESC, contact_id DESC LIMIT $18"
                )
            };
        }
        let sql = self.store.dialect().pick(
            select!("value FROM json_each(tags)"),
            select!("* FROM json_array_elements_text(CAST(tags AS json))"),
        );
        let rows = scoped_as(sql, scope)
            .bind(key)
            .bind(id)
            .bind(filter.kind.clone().unwrap_or_default())
            .bind(flag(filter.is_customer))
            .bind(flag(filter.is_verified))
            .bind(filter.source.map(ContactSource::as_str).unwrap_or_default())
            .bind(email)
            .bind(phone.unwrap_or_default())
            .bind(filter.external_id.as_deref().map(|id| id.trim().to_owned()).unwrap_or_default())
            .bind(filter.text.as_deref().map(containing).unwrap_or_default())
            .bind(filter.updated_since.map_or(i64::MIN, micros))
            .bind(i64::from(filter.archived))
            .bind(filter.owner_id.map(|id| id.to_string()).unwrap_or_default())
            .bind(filter.tag.as_deref().map(str::trim).unwrap_or_default().to_owned())
            .bind(filter.chatbot_id.map(|id| id.to_string()).unwrap_or_default())
            .bind(page.rows())
            .bind(older_email)
            .fetch_all(self.store.reader())
            .await?;
        Ok(Page::of(rows, page, |last: &Contact| {
            Position::number(micros(last.first_seen_at), last.contact_id)
        }))
    }

    /// Returns the contact of the scope that a value identifies: the proven one, if there are two.
    pub async fn lookup(
        self,
        scope: &Scope,
        key: ContactKey,
        value: &str,
    ) -> Result<Option<Contact>, StoreError> {
        macro_rules! find_by {
            ($column:literal) => {
                concat!(
                    "SELECT ",
                    contact_columns!(),
                    " FROM contacts WHERE ",
                    in_scope!(),
                    " AND ",
                    $column,
                    " IN ($3, $4) ORDER BY CASE WHEN account_id = $1 THEN 0 ELSE 1 END, is_verified DESC, CASE WHEN ",
                    $column,
                    " = $3 THEN 0 ELSE 1 END, contact_id LIMIT 1"
                )
            };
        }
        let Some(value) = key.normal(value) else { return Ok(None) };
        let sql = match key {
            ContactKey::Email => find_by!("email"),
            ContactKey::Phone => find_by!("phone_key"),
            ContactKey::ExternalId => find_by!("external_id"),
        };
        let older = key.older_form(&value);
        Ok(scoped_as(sql, scope).bind(value).bind(older).fetch_optional(self.store.reader()).await?)
    }

    /// One page of the conversations of a contact, the newest first.
    pub async fn conversations(
        self,
        scope: &Scope,
        contact_id: Uuid,
        page: &PageRequest,
    ) -> Result<Page<ContactConversation>, StoreError> {
        let (key, id) = page.before_number();
        let rows = scoped_as(
            concat!(
                "SELECT ",
                contact_conversation_columns!(),
                " FROM conversations WHERE ",
                in_scope!(),
                " AND contact_id = $3 AND (created_at, conversation_id) < ($4, $5) \
                 ORDER BY created_at DESC, conversation_id DESC LIMIT $6"
            ),
            scope,
        )
        .bind(contact_id.to_string())
        .bind(key)
        .bind(id)
        .bind(page.rows())
        .fetch_all(self.store.reader())
        .await?;
        Ok(Page::of(rows, page, |last: &ContactConversation| {
            Position::number(micros(last.created_at), last.conversation_id)
        }))
    }
}
