//! What the account itself does with its contacts: creating, changing, importing, archiving, and marking
//! customers.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde_json::{Value, json};
use uuid::Uuid;

use super::account::AccountContacts;
use super::key::ContactKey;
use super::phone::phone_number;
use super::record::{Consent, Contact, ContactKind, ContactSource, cleaned};
use super::reports;
use super::visitors::Contacts;
use crate::accounts::plan_limits::{self, PlanLimitReached, PlanResource};
use crate::contacts::visitor_subject::VisitorSubject;
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::row::email_key;
use crate::sql::scope::Scope;

/// A change of a contact. What is `None` stays; `Some(None)` and blank texts clear a field.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ContactUpdate {
    /// E-mail address, in any case.
    pub email: Option<Option<String>>,
    /// Name.
    pub name: Option<Option<String>>,
    /// Phone number; stored in the format E.164 if it has its country code.
    pub phone: Option<Option<String>>,
    /// Company.
    pub company: Option<Option<String>>,
    /// Further values.
    pub custom: Option<Value>,
    /// The account's own id of the person.
    pub external_id: Option<Option<String>>,
    /// What the person is to the business.
    pub kind: Option<ContactKind>,
    /// The team member who takes care of it.
    pub owner_id: Option<Option<Uuid>>,
    /// Labels. Their order and repeats are nothing.
    pub tags: Option<Vec<String>>,
    /// Further values by name.
    pub custom_fields: Option<BTreeMap<String, String>>,
    /// What the person has agreed to.
    pub consent: Option<Option<NewConsent>>,
    /// Whether the contact is archived.
    pub archived: Option<bool>,
}

/// What a person is said to have agreed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewConsent {
    /// Whether the person wants news and offers.
    pub marketing: bool,
    /// When the person agreed or refused; if `None`, what is stored stays unless it says the opposite, and
    /// then it is now.
    pub at: Option<Timestamp>,
    /// Where; if `None`, what is stored stays unless it says the opposite.
    pub source: Option<String>,
}

/// A payment of a customer. What is `None` is not known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Payment {
    /// When it was made.
    pub paid_at: Option<Timestamp>,
    /// The amount, as a decimal number.
    pub amount: Option<String>,
    /// The currency.
    pub currency: Option<String>,
    /// The account's reference.
    pub reference: Option<String>,
}

/// A contact to be imported.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ImportedContact {
    /// The fields of its row.
    pub update: ContactUpdate,
    /// Whether it is a paying customer.
    pub is_customer: bool,
}

/// What became of an imported contact: its id and whether it is new, or why it was refused.
pub type ImportResult = Result<(Uuid, bool), ContactError>;

/// Why a contact cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum ContactError {
    /// An identifying value belongs to another contact.
    #[error("contact {contact_id} has this {key:?} already")]
    AlreadyExists {
        /// The other contact.
        contact_id: Uuid,
        /// The field with the value.
        key: ContactKey,
    },
    /// The external id is that of a proven identity, and stays.
    #[error("the external id is that of a proven identity")]
    ProvenIdentity,
    /// The value of the key field identifies nobody: it is missing, blank, or no phone number with a country
    /// code.
    #[error("there is no usable {0:?}")]
    NoKey(ContactKey),
    /// The plan of the account includes no more contacts.
    #[error(transparent)]
    PlanLimit(#[from] PlanLimitReached),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for ContactError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

impl ContactUpdate {
    /// Returns the phone number as it is written, if there is nothing that identifies the contact.
    fn only_written_phone(&self) -> Option<String> {
        let is_known = [ContactKey::ExternalId, ContactKey::Email, ContactKey::Phone]
            .into_iter()
            .any(|key| self.key(key).is_some());
        if is_known { None } else { cleaned(self.phone.as_ref()?.as_deref()) }
    }

    /// Returns the value of an identifying field as it is stored.
    pub(super) fn key(&self, key: ContactKey) -> Option<String> {
        let field = match key {
            ContactKey::Email => &self.email,
            ContactKey::Phone => &self.phone,
            ContactKey::ExternalId => &self.external_id,
        };
        key.normal(field.as_ref()?.as_deref()?)
    }
}

impl Contacts<'_> {
    /// Creates a contact in the account of the scope. Returns `None` if there is no such account.
    pub async fn create(
        self,
        scope: &Scope,
        new: &ContactUpdate,
        now: Timestamp,
    ) -> Result<Option<Contact>, ContactError> {
        let mut transaction = self.store.begin().await?;
        let dialect = self.store.dialect();
        let account_id = scope.account_id.to_string();
        let room = plan_limits::room(&mut transaction, &account_id, PlanResource::Contacts, None).await?;
        let Some(mut contacts) =
            AccountContacts::lock(&mut transaction, dialect, scope.account_id, now).await?
        else {
            return Ok(None);
        };
        contacts.room = room;
        let contact = Contact::unknown(scope.account_id, ContactSource::Api, now);
        let changed = contacts.changed(&contact, new).await?;
        contacts.room.take()?;
        let created = contacts.insert(changed).await?;
        transaction.commit().await?;
        Ok(Some(created))
    }

    /// Changes a contact. Returns `None` if there is none.
    pub async fn update(
        self,
        scope: &Scope,
        contact_id: Uuid,
        update: &ContactUpdate,
        now: Timestamp,
    ) -> Result<Option<Contact>, ContactError> {
        let Some(known) = self.find(scope, contact_id).await? else { return Ok(None) };
        let mut transaction = self.store.begin().await?;
        let dialect = self.store.dialect();
        let Some(mut contacts) =
            AccountContacts::lock(&mut transaction, dialect, known.account_id, now).await?
        else {
            return Ok(None);
        };
        let Some(contact) = contacts.get(contact_id).await? else { return Ok(None) };
        let changed = contacts.changed(&contact, update).await?;
        let saved = contacts.save_changed(&contact, changed).await?;
        if let Some(updated) = contacts.updated.take() {
            reports::contact_updated(&mut transaction, &updated, now).await?;
        }
        transaction.commit().await?;
        Ok(Some(saved))
    }

    /// Changes the contact that the key field identifies, or creates it; returns also whether it is new. An
    /// archived one becomes active. Returns `None` if there is no such account.
    pub async fn upsert_by_key(
        self,
        scope: &Scope,
        key: ContactKey,
        update: &ContactUpdate,
        now: Timestamp,
    ) -> Result<Option<(Contact, bool)>, ContactError> {
        let mut transaction = self.store.begin().await?;
        let dialect = self.store.dialect();
        let account_id = scope.account_id.to_string();
        let room = plan_limits::room(&mut transaction, &account_id, PlanResource::Contacts, None).await?;
        let Some(mut contacts) =
            AccountContacts::lock(&mut transaction, dialect, scope.account_id, now).await?
        else {
            return Ok(None);
        };
        contacts.room = room;
        let written = contacts.put(key, update, ContactSource::Api).await?;
        if let Some(updated) = contacts.updated.take() {
            reports::contact_updated(&mut transaction, &updated, now).await?;
        }
        transaction.commit().await?;
        Ok(Some(written))
    }

    /// Imports contacts: each changes the contact that its external id, else its e-mail address, else its
    /// phone number identifies, or becomes a new one. A phone number without its country code identifies
    /// nobody: a row with nothing else changes the contact that has nothing else. Returns for each what
    /// became of it, or `None` if there is no such account.
    pub async fn import(
        self,
        scope: &Scope,
        rows: &[ImportedContact],
        now: Timestamp,
    ) -> Result<Option<Vec<ImportResult>>, StoreError> {
        let mut transaction = self.store.begin().await?;
        let dialect = self.store.dialect();
        let account_id = scope.account_id.to_string();
        let room = plan_limits::room(&mut transaction, &account_id, PlanResource::Contacts, None).await?;
        let Some(mut contacts) =
            AccountContacts::lock(&mut transaction, dialect, scope.account_id, now).await?
        else {
            return Ok(None);
        };
        contacts.room = room;
        let keys = [ContactKey::ExternalId, ContactKey::Email, ContactKey::Phone];
        let values = |key| rows.iter().filter_map(move |row| row.update.key(key)).collect();
        let written = rows.iter().filter_map(|row| row.update.only_written_phone()).collect();
        contacts.begin_step(dialect, keys.map(|key| (key, values(key))).into(), &written).await?;
        let mut outcomes = Vec::with_capacity(rows.len());
        for row in rows {
            let key = keys.into_iter().find(|key| row.update.key(*key).is_some());
            let written = match (key, row.update.only_written_phone()) {
                (None, Some(phone)) => contacts.put_by_written_phone(&phone, &row.update).await,
                _ => {
                    let key = key.unwrap_or(ContactKey::Email);
                    contacts.put(key, &row.update, ContactSource::Import).await
                }
            };
            outcomes.push(match written {
                Ok((mut contact, is_new)) => {
                    if row.is_customer && contact.became_customer_at.is_none() {
                        contact.became_customer_at = Some(now);
                        contact = contacts.save(contact).await?;
                    }
                    Ok((contact.contact_id, is_new))
                }
                Err(ContactError::Store(error)) => return Err(error),
                Err(refused) => Err(refused),
            });
        }
        contacts.end_step(dialect).await?;
        transaction.commit().await?;
        Ok(Some(outcomes))
    }

    /// Makes a contact a paying customer, or notes another payment. Returns `None` if there is no such
    /// contact.
    pub async fn mark_as_customer(
        self,
        scope: &Scope,
        contact_id: Uuid,
        payment: &Payment,
        now: Timestamp,
    ) -> Result<Option<Contact>, StoreError> {
        self.edit(scope, contact_id, now, |contact| {
            let since = payment.paid_at.filter(|paid_at| *paid_at < now).unwrap_or(now);
            contact.became_customer_at = contact.became_customer_at.or(Some(since));
            contact.paid_at = Some(payment.paid_at.unwrap_or(now));
            let text =
                |new: &Option<String>, old: &mut Option<String>| cleaned(new.as_deref()).or(old.take());
            contact.payment_amount = text(&payment.amount, &mut contact.payment_amount);
            contact.payment_currency = text(&payment.currency, &mut contact.payment_currency);
            contact.payment_reference = text(&payment.reference, &mut contact.payment_reference);
        })
        .await
    }

    /// Makes a contact what it was before it became a customer. Returns `None` if there is no such contact.
    pub async fn unmark_as_customer(
        self,
        scope: &Scope,
        contact_id: Uuid,
        now: Timestamp,
    ) -> Result<Option<Contact>, StoreError> {
        self.edit(scope, contact_id, now, |contact| {
            contact.became_customer_at = None;
            contact.paid_at = None;
            contact.payment_amount = None;
            contact.payment_currency = None;
            contact.payment_reference = None;
        })
        .await
    }

    /// Archives a contact. Returns `None` if there is none.
    pub async fn archive(
        self,
        scope: &Scope,
        contact_id: Uuid,
        now: Timestamp,
    ) -> Result<Option<Contact>, StoreError> {
        self.edit(scope, contact_id, now, |contact| {
            contact.archived_at = contact.archived_at.or(Some(now));
        })
        .await
    }

    /// Changes fields of a contact that identify nobody.
    async fn edit(
        self,
        scope: &Scope,
        contact_id: Uuid,
        now: Timestamp,
        change: impl FnOnce(&mut Contact) + Send,
    ) -> Result<Option<Contact>, StoreError> {
        let Some(known) = self.find(scope, contact_id).await? else { return Ok(None) };
        let mut transaction = self.store.begin().await?;
        let dialect = self.store.dialect();
        let Some(mut contacts) =
            AccountContacts::lock(&mut transaction, dialect, known.account_id, now).await?
        else {
            return Ok(None);
        };
        let Some(mut contact) = contacts.get(contact_id).await? else { return Ok(None) };
        let before = contact.clone();
        change(&mut contact);
        contact.is_managed = true;
        contact.updated_at = now;
        let saved = contacts.save_changed(&before, contact).await?;
        let updated = contacts.updated.take();
        match (before.became_customer_at, saved.became_customer_at) {
            (None, Some(since)) => {
                reports::contact_became_customer(&mut transaction, &saved, since, now).await?;
            }
            _ => {
                if let Some(updated) = updated {
                    reports::contact_updated(&mut transaction, &updated, now).await?;
                }
            }
        }
        transaction.commit().await?;
        Ok(Some(saved))
    }
}

impl AccountContacts<'_> {
    /// Writes a contact by one of its keys; returns also whether it is new.
    async fn put(
        &mut self,
        key: ContactKey,
        update: &ContactUpdate,
        source: ContactSource,
    ) -> Result<(Contact, bool), ContactError> {
        let value = update.key(key).ok_or(ContactError::NoKey(key))?;
        let known = self.find_any(key, &value).await?;
        self.put_into(known, update, source).await
    }

    /// Writes a contact of a step that only has a phone number without its country code.
    async fn put_by_written_phone(
        &mut self,
        phone: &str,
        update: &ContactUpdate,
    ) -> Result<(Contact, bool), ContactError> {
        let known = self.step.as_ref().and_then(|step| step.find_by_written_phone(phone));
        let (contact, is_new) = self.put_into(known, update, ContactSource::Import).await?;
        if let Some(step) = &mut self.step {
            step.add_by_written_phone(contact.clone());
        }
        Ok((contact, is_new))
    }

    /// Writes a contact that is known, or a new one.
    async fn put_into(
        &mut self,
        known: Option<Contact>,
        update: &ContactUpdate,
        source: ContactSource,
    ) -> Result<(Contact, bool), ContactError> {
        let update = ContactUpdate { archived: Some(false), ..update.clone() };
        if let Some(contact) = known {
            let changed = self.changed(&contact, &update).await?;
            return Ok((self.save_changed(&contact, changed).await?, false));
        }
        let contact = Contact::unknown(self.account_id, source, self.now);
        let changed = self.changed(&contact, &update).await?;
        self.room.take()?;
        Ok((self.insert(changed).await?, true))
    }

    /// Returns a contact with a change of the account itself, unless an identifying value belongs to another
    /// contact.
    async fn changed(&mut self, before: &Contact, update: &ContactUpdate) -> Result<Contact, ContactError> {
        let mut after = before.clone();
        let text = |field: &Option<String>| cleaned(field.as_deref());
        if let Some(email) = &update.email {
            after.email = text(email).map(|email| email_key(&email));
        }
        if let Some(phone) = &update.phone {
            after.phone = text(phone).map(|phone| phone_number(&phone).unwrap_or(phone));
        }
        if let Some(external_id) = &update.external_id {
            let subject = external_id.as_deref().and_then(VisitorSubject::new);
            after.external_id = subject.map(|subject| subject.as_str().to_owned());
        }
        if before.is_verified && after.external_id != before.external_id {
            return Err(ContactError::ProvenIdentity);
        }
        for (key, old, new) in [
            (ContactKey::Email, &before.email, &after.email),
            (ContactKey::Phone, &before.phone, &after.phone),
            (ContactKey::ExternalId, &before.external_id, &after.external_id),
        ] {
            let Some(value) = new.as_ref().filter(|_| new != old).and_then(|value| key.normal(value)) else {
                continue;
            };
            if let Some(holder) = self.holder(key, &value, before.contact_id).await? {
                return Err(ContactError::AlreadyExists { contact_id: holder.contact_id, key });
            }
        }
        if let Some(name) = &update.name {
            after.name = text(name);
        }
        if let Some(company) = &update.company {
            after.company = text(company);
        }
        if let Some(custom) = &update.custom {
            after.custom = Some(custom.clone());
        }
        after.kind = update.kind.unwrap_or(before.kind);
        after.owner_id = update.owner_id.unwrap_or(before.owner_id);
        if let Some(tags) = &update.tags {
            after.tags = json!(tags.iter().filter_map(|tag| cleaned(Some(tag))).collect::<BTreeSet<_>>());
        }
        if let Some(fields) = &update.custom_fields {
            let fields = fields.iter().map(|(name, value)| (replace_nul(name), replace_nul(value)));
            after.custom_fields = json!(fields.collect::<BTreeMap<_, _>>());
        }
        if let Some(consent) = &update.consent {
            after.consent = consent.as_ref().map(|new| {
                let same = before.consent.as_ref().filter(|stored| stored.marketing == new.marketing);
                Consent {
                    marketing: new.marketing,
                    at: new.at.or(same.map(|stored| stored.at)).unwrap_or(self.now),
                    source: text(&new.source).or_else(|| same?.source.clone()),
                }
            });
        }
        match update.archived {
            Some(true) => after.archived_at = before.archived_at.or(Some(self.now)),
            Some(false) => after.archived_at = None,
            None => {}
        }
        after.is_managed = true;
        after.updated_at = self.now;
        Ok(after)
    }
}
