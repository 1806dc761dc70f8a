//! Merging two contacts of one account.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::board::deals;
use crate::contacts::account::AccountContacts;
use crate::contacts::{self, Contact, ContactFields, Contacts};
use crate::sql::error::StoreError;
use crate::sql::scope::Scope;
use crate::work::idempotency;

/// Why two contacts cannot be merged.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// They are one contact.
    #[error("the contact cannot be merged with itself")]
    SameContact,
    /// There is no other contact with this id in the account of the first one.
    #[error("there is no such contact to merge")]
    NoSource,
    /// The identity of the contact that would be deleted is proven.
    #[error("the contact to merge has a proven identity")]
    SourceProven,
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for MergeError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

impl Contacts<'_> {
    /// Moves the conversations, threads and deals of `source_id` to `target_id`, fills what is empty there,
    /// and deletes the source. Returns `None` if there is no target.
    ///
    /// A proven contact never disappears into another one. Address and number of an unproven contact are
    /// claims, so a proven one does not take them over.
    pub async fn merge(
        self,
        scope: &Scope,
        target_id: Uuid,
        source_id: Uuid,
        now: Timestamp,
    ) -> Result<Option<Contact>, MergeError> {
        let Some(known) = self.find(scope, target_id).await? else { return Ok(None) };
        if target_id == source_id {
            return Err(MergeError::SameContact);
        }
        let mut transaction = self.store.begin().await?;
        let dialect = self.store.dialect();
        let Some(mut contacts) =
            AccountContacts::lock(&mut transaction, dialect, known.account_id, now).await?
        else {
            return Ok(None);
        };
        let Some(target) = contacts.get_unless_erased(target_id).await? else { return Ok(None) };
        let source = contacts.get_unless_erased(source_id).await?.ok_or(MergeError::NoSource)?;
        if source.is_verified {
            return Err(MergeError::SourceProven);
        }
        contacts.move_conversations(source_id, target_id).await?;
        contacts.move_activities(source_id, target_id).await?;
        deals::move_to_contact(contacts.connection, contacts.account_id, source_id, target_id).await?;
        contacts.move_traces(&source, target_id).await?;
        contacts.delete(source_id).await?;
        let before = target.clone();
        let merged = contacts.save(merged(target, source, now)).await?;
        if merged.differs(&before) {
            contacts::contact_updated(&mut transaction, &merged, now).await?;
        }
        // The contact that they name is gone.
        idempotency::erase(&mut transaction, dialect, known.account_id, source_id, now).await?;
        transaction.commit().await?;
        Ok(Some(merged))
    }
}

fn merged(target: Contact, source: Contact, now: Timestamp) -> Contact {
    let mut merged = target;
    let identifiers = if merged.is_verified { (None, None) } else { (source.email, source.phone) };
    merged.fill(ContactFields {
        email: identifiers.0,
        name: source.name,
        phone: identifiers.1,
        company: source.company,
        custom: source.custom,
    });
    if !merged.is_verified {
        merged.external_id = merged.external_id.take().or(source.external_id);
    }
    if merged.became_customer_at.is_none() {
        merged.became_customer_at = source.became_customer_at;
        merged.paid_at = source.paid_at;
        merged.payment_amount = source.payment_amount;
        merged.payment_currency = source.payment_currency;
        merged.payment_reference = source.payment_reference;
    }
    merged.owner_id = merged.owner_id.or(source.owner_id);
    merged.tags = all_tags(&merged.tags, &source.tags);
    if let (Some(fields), Some(further)) =
        (merged.custom_fields.as_object_mut(), source.custom_fields.as_object())
    {
        for (name, value) in further {
            fields.entry(name).or_insert_with(|| value.clone());
        }
    }
    // The latest word of the person counts.
    let latest = merged.consent.take().into_iter().chain(source.consent);
    merged.consent = latest.max_by_key(|consent| consent.at);
    merged.first_seen_at = merged.first_seen_at.min(source.first_seen_at);
    merged.last_seen_at = merged.last_seen_at.max(source.last_seen_at);
    merged.is_managed = true;
    merged.updated_at = now;
    merged
}

/// The labels of two contacts, in the order of the alphabet.
fn all_tags(tags: &Value, further: &Value) -> Value {
    let each = [tags, further].into_iter().filter_map(Value::as_array).flatten();
    json!(each.filter_map(Value::as_str).collect::<BTreeSet<_>>())
}

impl AccountContacts<'_> {
    /// Moves the activities of deals, and notes of unsubscribed addresses, to another contact.
    async fn move_activities(&mut self, from: Uuid, to: Uuid) -> Result<(), StoreError> {
        for statement in [
            "UPDATE deal_activities SET contact_id = $3 WHERE account_id = $1 AND contact_id = $2",
            "UPDATE unsubscribe_links SET contact_id = $3 WHERE account_id = $1 AND contact_id = $2",
            "UPDATE unsubscribed_addresses SET contact_id = $3 WHERE account_id = $1 AND contact_id = $2",
        ] {
            sqlx::query(statement)
                .bind(self.account_id.to_string())
                .bind(from.to_string())
                .bind(to.to_string())
                .execute(&mut *self.connection)
                .await?;
        }
        Ok(())
    }

    /// Returns a contact, unless it is being erased: then nothing must leave it.
    async fn get_unless_erased(&mut self, contact_id: Uuid) -> Result<Option<Contact>, StoreError> {
        let erased = sqlx::query("SELECT 1 FROM erasures WHERE contact_id = $1")
            .bind(contact_id.to_string())
            .fetch_optional(&mut *self.connection)
            .await?;
        if erased.is_some() { Ok(None) } else { self.get(contact_id).await }
    }

    /// Lets a contact remember what another one was known by, which is being merged into it: the erasure of
    /// the person finds by it what still names the other one, such as events.
    async fn move_traces(&mut self, from: &Contact, to: Uuid) -> Result<(), StoreError> {
        let contact_id = Some(from.contact_id.to_string());
        let known = [
            ("contact_id", &contact_id),
            ("email", &from.email),
            ("name", &from.name),
            ("phone", &from.phone),
            ("external_id", &from.external_id),
        ];
        for (kind, value) in known {
            let Some(value) = value else { continue };
            sqlx::query(
                "INSERT INTO contact_traces (contact_id, account_id, kind, value) VALUES ($1, $2, $3, $4) \
                 ON CONFLICT DO NOTHING",
            )
            .bind(to.to_string())
            .bind(self.account_id.to_string())
            .bind(kind)
            .bind(value.clone())
            .execute(&mut *self.connection)
            .await?;
        }
        sqlx::query(
            "INSERT INTO contact_traces (contact_id, account_id, kind, value) \
             SELECT $2, t.account_id, t.kind, t.value FROM contact_traces AS t WHERE t.contact_id = $1 ON CONFLICT DO NOTHING",
        )
        .bind(from.contact_id.to_string())
        .bind(to.to_string())
        .execute(&mut *self.connection)
        .await?;
        Ok(())
    }

    async fn move_conversations(&mut self, from: Uuid, to: Uuid) -> Result<(), StoreError> {
        for statement in [
            "UPDATE conversations SET contact_id = $3 WHERE account_id = $1 AND contact_id = $2",
            "UPDATE threads SET contact_id = $3 WHERE account_id = $1 AND contact_id = $2",
            "UPDATE visitor_sessions SET contact_id = $3 WHERE account_id = $1 AND contact_id = $2",
            "UPDATE thread_messages SET author_id = $3 WHERE account_id = $1 AND author_type = 'contact' AND author_id = $2",
        ] {
            sqlx::query(statement)
                .bind(self.account_id.to_string())
                .bind(from.to_string())
                .bind(to.to_string())
                .execute(&mut *self.connection)
                .await?;
        }
        Ok(())
    }
}
