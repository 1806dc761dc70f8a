//! Contacts: the visitors of an account, as far as they are known.
//!
//! The identity of a visitor is proven (signed by the account's own server) or merely claimed. A claim never affects
//! a proven contact: it neither changes one nor is attached to one by e-mail address. An address may therefore have
//! two contacts, a proven and a claimed one. Merging them is a decision of people, not of a chat message.

use jiff::Timestamp;
use serde_json::Value;
use sqlx::AnyConnection;
use uuid::Uuid;

use crate::nul::replace_nul;
use crate::row::{email_key, micros, new_id};
use crate::scope::{in_scope, scoped_as};
use crate::visitor_subject::VisitorSubject;
use crate::{Scope, StoreError};

record! {
    /// A visitor.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Contact, columns contact_columns {
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
        /// Further values, unchanged.
        pub custom: Option<Value>,
        /// The account's own id of a proven visitor: the [`VisitorSubject`] of the signed identity.
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
}

/// Details about a visitor. Missing and blank fields are ignored.
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
    /// Returns the fields as they are stored, without blank ones.
    fn cleaned(&self) -> Self {
        let clean = |text: &Option<String>| {
            text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(replace_nul)
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
    /// The account's own id of the visitor.
    pub subject: VisitorSubject,
    /// The details that were signed with it.
    pub fields: ContactFields,
}

/// Everything that a message says about its visitor.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ContactInput {
    /// The claimed details.
    pub claimed: ContactFields,
    /// The proven identity.
    pub verified: Option<Identity>,
    /// The present contact of the conversation. Claims update it, unless it is proven.
    pub conversation_contact: Option<Uuid>,
    /// The source of a contact that this creates, such as `chatbot`.
    pub source: String,
}

group! {
    /// Contacts: the visitors of an account, as far as they are known.
    pub Contacts, contacts
}

impl Contacts<'_> {
    /// Finds or creates the contact of a message in the account of the scope, and updates it. Returns `None` if the
    /// message has no details about its visitor and the conversation has no contact.
    ///
    /// - With a proven identity: the contact with that subject, created if there is none. Signed fields replace
    ///   stored ones. Claims are ignored, except that a new contact takes over a claimed name, company and further
    ///   values that were not signed. An e-mail address of another proven contact stays with that contact.
    /// - With claims only: the unproven contact with that e-mail address, else the unproven contact of the
    ///   conversation if it has no other address, else a new contact. Claimed fields replace stored ones.
    pub async fn upsert(
        self,
        scope: &Scope,
        input: &ContactInput,
        now: Timestamp,
    ) -> Result<Option<Contact>, StoreError> {
        let mut transaction = self.store.begin().await?;
        // Serialized per account: two first messages of the same visitor must not create two contacts.
        let account = sqlx::query(self.store.dialect().pick(
            "SELECT 1 FROM accounts WHERE account_id = $1",
            "SELECT 1 FROM accounts WHERE account_id = $1 FOR NO KEY UPDATE",
        ))
        .bind(scope.account_id.to_string())
        .fetch_optional(&mut *transaction)
        .await?;
        if account.is_none() {
            return Ok(None);
        }
        let mut contacts =
            AccountContacts { connection: &mut transaction, account_id: scope.account_id, now };
        let claimed = input.claimed.cleaned();
        let contact = match &input.verified {
            Some(identity) => Some(contacts.proven(identity, claimed, &input.source).await?),
            None => contacts.claimed(claimed, input.conversation_contact, &input.source).await?,
        };
        transaction.commit().await?;
        Ok(contact)
    }

    /// Returns a contact.
    pub async fn find(self, scope: &Scope, contact_id: Uuid) -> Result<Option<Contact>, StoreError> {
        let one = scoped_as(
            concat!(
                "SELECT ",
                contact_columns!(),
                " FROM contacts WHERE ",
                in_scope!(),
                " AND contact_id = $3"
            ),
            scope,
        )
        .bind(contact_id.to_string());
        Ok(one.fetch_optional(self.store.reader()).await?)
    }

    /// Returns up to `limit` contacts of the scope in the order of their ids, after the id `after`.
    pub async fn list(
        self,
        scope: &Scope,
        after: Option<Uuid>,
        limit: u32,
    ) -> Result<Vec<Contact>, StoreError> {
        let some = scoped_as(
            concat!(
                "SELECT ",
                contact_columns!(),
                " FROM contacts WHERE ",
                in_scope!(),
                " AND contact_id > $3 ORDER BY contact_id LIMIT $4"
            ),
            scope,
        )
        .bind(after.map(|id| id.to_string()).unwrap_or_default())
        .bind(i64::from(limit));
        Ok(some.fetch_all(self.store.reader()).await?)
    }
}

/// A column by which a contact of an account is found.
#[derive(Debug, Clone, Copy)]
enum ContactKey {
    Id,
    Email,
    Subject,
}

/// The contacts of one account inside a transaction.
struct AccountContacts<'a> {
    connection: &'a mut AnyConnection,
    account_id: Uuid,
    now: Timestamp,
}

impl AccountContacts<'_> {
    async fn proven(
        &mut self,
        identity: &Identity,
        claimed: ContactFields,
        source: &str,
    ) -> Result<Contact, StoreError> {
        let subject = identity.subject.as_str();
        let mut fields = identity.fields.cleaned();
        let known = self.find(ContactKey::Subject, subject, true).await?;
        if let Some(email) = &fields.email {
            let holder = self.find(ContactKey::Email, email, true).await?;
            if holder.is_some_and(|holder| holder.external_id.as_deref() != Some(subject)) {
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
                    "SELECT ",
                    contact_columns!(),
                    " FROM contacts WHERE account_id = $1 AND is_verified = $2 AND ",
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
        let updated = sqlx::query_as(concat!(
            "UPDATE contacts SET email = COALESCE($2, email), name = COALESCE($3, name), \
             phone = COALESCE($4, phone), company = COALESCE($5, company), custom = COALESCE($6, custom), \
             last_seen_at = $7 WHERE contact_id = $1 RETURNING ",
            contact_columns!()
        ))
        .bind(contact_id.to_string())
        .bind(fields.email.clone())
        .bind(fields.name.clone())
        .bind(fields.phone.clone())
        .bind(fields.company.clone())
        .bind(fields.custom.as_ref().map(Value::to_string))
        .bind(micros(self.now));
        Ok(updated.fetch_one(&mut *self.connection).await?)
    }

    /// Inserts a contact. It is proven if it has a subject.
    async fn insert(
        &mut self,
        fields: &ContactFields,
        subject: Option<&str>,
        source: &str,
    ) -> Result<Contact, StoreError> {
        let inserted = sqlx::query_as(concat!(
            "INSERT INTO contacts (contact_id, account_id, email, name, phone, company, custom, external_id, \
             is_verified, source, first_seen_at, last_seen_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11) RETURNING ",
            contact_columns!()
        ))
        .bind(new_id().to_string())
        .bind(self.account_id.to_string())
        .bind(fields.email.clone())
        .bind(fields.name.clone())
        .bind(fields.phone.clone())
        .bind(fields.company.clone())
        .bind(fields.custom.as_ref().map(Value::to_string))
        .bind(subject.map(str::to_owned))
        .bind(i64::from(subject.is_some()))
        .bind(replace_nul(source))
        .bind(micros(self.now));
        Ok(inserted.fetch_one(&mut *self.connection).await?)
    }
}
