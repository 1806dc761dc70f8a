//! The contacts of one account inside a transaction: how they are found, and the only places where they are
//! written.
//!
//! Transactions that write contacts lock the row of the account first, so a value that was free when it was
//! looked for is free when it is written. The unique indexes hold without it; the lock makes conflicts
//! answers instead of failed statements.

use jiff::Timestamp;
use sqlx::AnyConnection;
use uuid::Uuid;

use super::columns::{self, written_columns};
use super::key::ContactKey;
use super::phone::phone_number;
use super::record::Contact;
use super::step::Step;
use crate::accounts::plan_limits::{PlanResource, Room};
use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;

/// The contacts of one account inside a transaction that has locked them.
pub(crate) struct AccountContacts<'a> {
    pub(crate) connection: &'a mut AnyConnection,
    pub(crate) account_id: Uuid,
    pub(crate) now: Timestamp,
    /// Whether a visitor can be reached for the first time: the contact has got an email address or a phone
    /// number.
    pub(crate) has_new_lead: bool,
    /// The contact that got other data, to be reported.
    pub(crate) updated: Option<Contact>,
    /// How many contacts the account itself may add. What people write about themselves is always stored.
    pub(crate) room: Room,
    /// The contacts of a step of an import. Others are looked up and written one by one.
    pub(super) step: Option<Step>,
}

impl<'a> AccountContacts<'a> {
    /// Locks the contacts of an account until the transaction ends. Returns `None` if there is no such
    /// account.
    pub(crate) async fn lock(
        connection: &'a mut AnyConnection,
        dialect: Dialect,
        account_id: Uuid,
        now: Timestamp,
    ) -> Result<Option<Self>, StoreError> {
        let account = sqlx::query(dialect.pick(
            "SELECT 1 FROM accounts WHERE account_id = $1",
            "SELECT 1 FROM accounts WHERE account_id = $1 FOR NO KEY UPDATE",
        ))
        .bind(account_id.to_string())
        .fetch_optional(&mut *connection)
        .await?;
        Ok(account.map(|_| {
            let room = Room::unlimited(PlanResource::Contacts);
            Self { connection, account_id, now, has_new_lead: false, updated: None, room, step: None }
        }))
    }

    /// Returns a contact of the account by its id.
    pub(crate) async fn get(&mut self, contact_id: Uuid) -> Result<Option<Contact>, StoreError> {
        let found = sqlx::query_as(concat!(
            "SELECT ",
            contact_columns!(),
            " FROM contacts WHERE account_id = $1 AND contact_id = $2"
        ))
        .bind(self.account_id.to_string())
        .bind(contact_id.to_string());
        Ok(found.fetch_optional(&mut *self.connection).await?)
    }

    /// Returns the contact that a normalized value identifies among the proven or the unproven ones.
    pub(crate) async fn find(
        &mut self,
        key: ContactKey,
        value: &str,
        is_verified: bool,
    ) -> Result<Option<Contact>, StoreError> {
        Ok(self.all(key, value).await?.into_iter().find(|contact| contact.is_verified == is_verified))
    }

    /// Returns the contact that a normalized value identifies: the proven one, if there are two.
    pub(crate) async fn find_any(
        &mut self,
        key: ContactKey,
        value: &str,
    ) -> Result<Option<Contact>, StoreError> {
        Ok(self.all(key, value).await?.into_iter().next())
    }

    /// Returns another contact than this one that a normalized value identifies.
    pub(crate) async fn holder(
        &mut self,
        key: ContactKey,
        value: &str,
        other_than: Uuid,
    ) -> Result<Option<Contact>, StoreError> {
        Ok(self.all(key, value).await?.into_iter().find(|contact| contact.contact_id != other_than))
    }

    /// The contacts that a value identifies, the proven one first. There are at most two; with an address
    /// that has two spellings, rows of earlier versions may have the other one, which comes last.
    async fn all(&mut self, key: ContactKey, value: &str) -> Result<Vec<Contact>, StoreError> {
        if let Some(known) = self.step.as_ref().and_then(|step| step.find(key, value)) {
            return Ok(known);
        }
        macro_rules! find_by {
            ($column:literal) => {
                concat!(
                    "SELECT ",
                    contact_columns!(),
                    " FROM contacts WHERE account_id = $1 AND ",
                    $column,
                    " IN ($2, $3) ORDER BY is_verified DESC, CASE WHEN ",
                    $column,
                    " = $2 THEN 0 ELSE 1 END"
                )
            };
        }
        let found = sqlx::query_as(match key {
            ContactKey::Email => find_by!("email"),
            ContactKey::Phone => find_by!("phone_key"),
            ContactKey::ExternalId => find_by!("external_id"),
        })
        .bind(self.account_id.to_string())
        .bind(value.to_owned())
        .bind(key.older_form(value));
        Ok(found.fetch_all(&mut *self.connection).await?)
    }

    /// Writes a new contact. Its phone number identifies it, unless it identifies another one already.
    pub(crate) async fn insert(&mut self, contact: Contact) -> Result<Contact, StoreError> {
        if self.step.is_some() {
            return self.keep(contact).await;
        }
        self.write(
            concat!(
                "INSERT INTO contacts (account_id, contact_id, ",
                written_columns!(),
                ") VALUES ($1, $2, ",
                written_columns!(parameters),
                ") RETURNING ",
                contact_columns!()
            ),
            contact,
        )
        .await
    }

    /// Writes a contact that was changed. Its phone number identifies it unless it identifies another one.
    pub(crate) async fn save(&mut self, contact: Contact) -> Result<Contact, StoreError> {
        if self.step.as_ref().is_some_and(|step| step.is_new(contact.contact_id)) {
            return self.keep(contact).await;
        }
        self.write(
            concat!(
                "UPDATE contacts SET ",
                written_columns!(assignments),
                " WHERE account_id = $1 AND contact_id = $2 RETURNING ",
                contact_columns!()
            ),
            contact,
        )
        .await
    }

    /// Writes a contact that was changed, and keeps it for the report if its data differs from before.
    pub(crate) async fn save_changed(
        &mut self,
        before: &Contact,
        contact: Contact,
    ) -> Result<Contact, StoreError> {
        let saved = self.save(contact).await?;
        self.updated = saved.differs(before).then(|| saved.clone());
        Ok(saved)
    }

    /// Keeps a contact until the step of an import writes all of its contacts.
    async fn keep(&mut self, contact: Contact) -> Result<Contact, StoreError> {
        let phone_key = self.phone_key(&contact).await?;
        if let Some(step) = &mut self.step {
            step.keep(&contact, phone_key);
        }
        Ok(contact)
    }

    /// Returns the phone number of a contact, unless it identifies another one.
    async fn phone_key(&mut self, contact: &Contact) -> Result<Option<String>, StoreError> {
        let Some(number) = contact.phone.as_deref().and_then(phone_number) else { return Ok(None) };
        let holders = self.all(ContactKey::Phone, &number).await?;
        let others = holders.iter().filter(|holder| holder.contact_id != contact.contact_id);
        // Nobody can keep a number from a proven contact by claiming it first.
        let is_taken = others.filter(|holder| holder.is_verified || !contact.is_verified).count() > 0;
        Ok((!is_taken).then_some(number))
    }

    async fn write(&mut self, sql: &'static str, contact: Contact) -> Result<Contact, StoreError> {
        let phone_key = self.phone_key(&contact).await?;
        let written = sqlx::query_as(sql).bind(self.account_id.to_string());
        let written = columns::bind(written, &contact, phone_key.as_deref());
        let written: Contact = written.fetch_one(&mut *self.connection).await?;
        if let Some(step) = &mut self.step {
            step.note(&written, phone_key.as_deref());
        }
        Ok(written)
    }

    /// Deletes a contact of the account. Its conversations stay, without a contact.
    pub(crate) async fn delete(&mut self, contact_id: Uuid) -> Result<(), StoreError> {
        sqlx::query("DELETE FROM contacts WHERE account_id = $1 AND contact_id = $2")
            .bind(self.account_id.to_string())
            .bind(contact_id.to_string())
            .execute(&mut *self.connection)
            .await?;
        Ok(())
    }
}
