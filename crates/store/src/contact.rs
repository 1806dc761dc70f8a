//! Contacts: the visitors of an account, as far as they are known.
//!
//! Who a visitor is can be proven (an identity signed by the account's own server) or merely claimed. A claim
//! never reaches a proven contact: it neither changes one nor is attached to one by e-mail address. The same
//! address may therefore stand once as proven and once as claimed; bringing the two together is a decision of
//! people, not of a chat message.

use jiff::Timestamp;
use serde_json::Value;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, FromRow};
use uuid::Uuid;

use crate::row::{Columns, email_key, micros, new_id, portable, portable_opt};
use crate::scope::{in_scope, scoped_as};
use crate::{Scope, Store, StoreError};

/// A visitor.
#[derive(Debug, Clone, PartialEq)]
pub struct Contact {
    /// Identifier.
    pub contact_id: Uuid,
    /// The account whose visitor it is.
    pub account_id: Uuid,
    /// E-mail address in lower case.
    pub email: Option<String>,
    /// Name.
    pub name: Option<String>,
    /// Phone number.
    pub phone: Option<String>,
    /// Company.
    pub company: Option<String>,
    /// Further values, as they were given.
    pub custom: Option<Value>,
    /// The account's own id of a proven visitor: the subject of the signed identity.
    pub external_id: Option<String>,
    /// Whether the identity is proven.
    pub is_verified: bool,
    /// Where the contact came from, such as `chatbot`.
    pub source: String,
    /// When it was first met.
    pub first_seen_at: Timestamp,
    /// When it was last met.
    pub last_seen_at: Timestamp,
}

impl FromRow<'_, AnyRow> for Contact {
    fn from_row(row: &AnyRow) -> sqlx::Result<Self> {
        let custom = row.text_opt("custom")?.map(|_| row.json("custom")).transpose()?;
        Ok(Self {
            contact_id: row.parsed("contact_id")?,
            account_id: row.parsed("account_id")?,
            email: row.text_opt("email")?,
            name: row.text_opt("name")?,
            phone: row.text_opt("phone")?,
            company: row.text_opt("company")?,
            custom,
            external_id: row.text_opt("external_id")?,
            is_verified: row.flag("is_verified")?,
            source: row.text("source")?,
            first_seen_at: row.time("first_seen_at")?,
            last_seen_at: row.time("last_seen_at")?,
        })
    }
}

/// What is said about a visitor. What is missing or blank says nothing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ContactFields {
    /// E-mail address, in any case.
    pub email: Option<String>,
    /// Name.
    pub name: Option<String>,
    /// Phone number.
    pub phone: Option<String>,
    /// Company.
    pub company: Option<String>,
    /// Further values.
    pub custom: Option<Value>,
}

impl ContactFields {
    /// The same without blanks and in the form in which it is stored.
    fn cleaned(&self) -> Self {
        let clean = |text: &Option<String>| {
            text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(portable)
        };
        Self {
            email: clean(&self.email).map(|email| email_key(&email)),
            name: clean(&self.name),
            phone: clean(&self.phone),
            company: clean(&self.company),
            custom: self.custom.clone().filter(|value| !value.is_null()),
        }
    }

    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A proven identity, from a signature that the service has checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Identity {
    /// The account's own id of the visitor; not empty.
    pub subject: String,
    /// What was signed along with it.
    pub fields: ContactFields,
}

/// What a message says about its visitor.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ContactInput {
    /// What is claimed.
    pub claimed: ContactFields,
    /// What is proven.
    pub verified: Option<Identity>,
    /// The contact of the conversation so far. Claims go on about it, unless it is proven.
    pub conversation_contact: Option<Uuid>,
    /// Where a contact comes from that this makes, such as `chatbot`.
    pub source: String,
}

impl Store {
    /// Finds or makes the contact a message speaks of, in the account of the scope, and writes down what is
    /// new. `None` when the message says nothing about its visitor and none was known.
    ///
    /// - With a proven identity: the contact with that subject, made if there is none. Signed fields replace
    ///   what is there; claims are ignored, except that a contact made just now takes over a claimed name,
    ///   company and further values where nothing was signed. An e-mail address that another proven contact has
    ///   stays with it.
    /// - With claims only: the unproven contact with that e-mail address; else the unproven contact of the
    ///   conversation, if it has no other address; else a new one. Claimed fields replace what is there.
    pub async fn upsert_contact(
        &self,
        scope: &Scope,
        input: &ContactInput,
        now: Timestamp,
    ) -> Result<Option<Contact>, StoreError> {
        let mut transaction = self.begin().await?;
        // One at a time in an account: two first messages of the same visitor must not make two contacts.
        let account = sqlx::query(self.dialect().pick(
            "SELECT 1 FROM accounts WHERE account_id = $1",
            "SELECT 1 FROM accounts WHERE account_id = $1 FOR NO KEY UPDATE",
        ))
        .bind(scope.account_id.to_string())
        .fetch_optional(&mut *transaction)
        .await?;
        if account.is_none() {
            return Ok(None);
        }
        let mut contacts = Contacts { connection: &mut transaction, account_id: scope.account_id, now };
        let claimed = input.claimed.cleaned();
        let contact = match &input.verified {
            Some(identity) => Some(contacts.proven(identity, claimed, &input.source).await?),
            None => contacts.claimed(claimed, input.conversation_contact, &input.source).await?,
        };
        transaction.commit().await?;
        Ok(contact)
    }

    /// One contact.
    pub async fn contact(&self, scope: &Scope, contact_id: Uuid) -> Result<Option<Contact>, StoreError> {
        let one =
            scoped_as(concat!("SELECT * FROM contacts WHERE ", in_scope!(), " AND contact_id = $3"), scope)
                .bind(contact_id.to_string());
        Ok(one.fetch_optional(self.reader()).await?)
    }

    /// Up to `limit` contacts of the scope in the order of their ids, those after `after`.
    pub async fn contacts(
        &self,
        scope: &Scope,
        after: Option<Uuid>,
        limit: u32,
    ) -> Result<Vec<Contact>, StoreError> {
        let some = scoped_as(
            concat!(
                "SELECT * FROM contacts WHERE ",
                in_scope!(),
                " AND contact_id > $3 ORDER BY contact_id LIMIT $4"
            ),
            scope,
        )
        .bind(after.map(|id| id.to_string()).unwrap_or_default())
        .bind(i64::from(limit));
        Ok(some.fetch_all(self.reader()).await?)
    }
}

/// What a contact of an account can be found by.
#[derive(Debug, Clone, Copy)]
enum ContactKey {
    Id,
    Email,
    Subject,
}

/// The contacts of one account inside a transaction.
struct Contacts<'a> {
    connection: &'a mut AnyConnection,
    account_id: Uuid,
    now: Timestamp,
}

impl Contacts<'_> {
    async fn proven(
        &mut self,
        identity: &Identity,
        claimed: ContactFields,
        source: &str,
    ) -> Result<Contact, StoreError> {
        let subject = portable(identity.subject.trim());
        if subject.is_empty() {
            return Err(StoreError::invalid("subject", "it is empty"));
        }
        let mut fields = identity.fields.cleaned();
        let known = self.find(ContactKey::Subject, &subject, true).await?;
        if let Some(email) = &fields.email {
            let holder = self.find(ContactKey::Email, email, true).await?;
            if holder.is_some_and(|holder| holder.external_id.as_ref() != Some(&subject)) {
                fields.email = None;
            }
        }
        if let Some(contact) = known {
            return self.update(contact.contact_id, &fields).await;
        }
        fields.name = fields.name.or(claimed.name);
        fields.company = fields.company.or(claimed.company);
        fields.custom = fields.custom.or(claimed.custom);
        self.insert(&fields, Some(subject), source).await
    }

    async fn claimed(
        &mut self,
        fields: ContactFields,
        conversation_contact: Option<Uuid>,
        source: &str,
    ) -> Result<Option<Contact>, StoreError> {
        let current = match conversation_contact {
            Some(id) => self.find(ContactKey::Id, &id.to_string(), false).await?,
            None => None,
        };
        if fields.is_empty() {
            return Ok(current);
        }
        let by_email = match &fields.email {
            Some(email) => self.find(ContactKey::Email, email, false).await?,
            None => None,
        };
        let same_person = |current: &Contact| {
            fields.email.is_none() || current.email.is_none() || current.email == fields.email
        };
        match by_email.or(current.filter(same_person)) {
            Some(contact) => self.update(contact.contact_id, &fields).await.map(Some),
            None => self.insert(&fields, None, source).await.map(Some),
        }
    }

    async fn find(
        &mut self,
        key: ContactKey,
        value: &str,
        is_verified: bool,
    ) -> Result<Option<Contact>, StoreError> {
        macro_rules! find_by {
            ($column:literal) => {
                concat!(
                    "SELECT * FROM contacts WHERE account_id = $1 AND is_verified = $2 AND ",
                    $column,
                    " = $3"
                )
            };
        }
        let found = sqlx::query_as(match key {
            ContactKey::Id => find_by!("contact_id"),
            ContactKey::Email => find_by!("email"),
            ContactKey::Subject => find_by!("external_id"),
        })
        .bind(self.account_id.to_string())
        .bind(i64::from(is_verified))
        .bind(value.to_owned());
        Ok(found.fetch_optional(&mut *self.connection).await?)
    }

    async fn update(&mut self, contact_id: Uuid, fields: &ContactFields) -> Result<Contact, StoreError> {
        let updated = sqlx::query_as(
            "UPDATE contacts SET email = COALESCE($2, email), name = COALESCE($3, name), \
             phone = COALESCE($4, phone), company = COALESCE($5, company), custom = COALESCE($6, custom), \
             last_seen_at = $7 WHERE contact_id = $1 RETURNING *",
        )
        .bind(contact_id.to_string())
        .bind(fields.email.clone())
        .bind(fields.name.clone())
        .bind(fields.phone.clone())
        .bind(fields.company.clone())
        .bind(fields.custom.as_ref().map(Value::to_string))
        .bind(micros(self.now));
        Ok(updated.fetch_one(&mut *self.connection).await?)
    }

    /// A contact with a subject is proven.
    async fn insert(
        &mut self,
        fields: &ContactFields,
        subject: Option<String>,
        source: &str,
    ) -> Result<Contact, StoreError> {
        let inserted = sqlx::query_as(
            "INSERT INTO contacts (contact_id, account_id, email, name, phone, company, custom, external_id, \
             is_verified, source, first_seen_at, last_seen_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11) RETURNING *",
        )
        .bind(new_id().to_string())
        .bind(self.account_id.to_string())
        .bind(fields.email.clone())
        .bind(fields.name.clone())
        .bind(fields.phone.clone())
        .bind(fields.company.clone())
        .bind(fields.custom.as_ref().map(Value::to_string))
        .bind(portable_opt(subject.as_deref()))
        .bind(i64::from(subject.is_some()))
        .bind(portable(source))
        .bind(micros(self.now));
        Ok(inserted.fetch_one(&mut *self.connection).await?)
    }
}
