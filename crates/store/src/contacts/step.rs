//! A step of an import: the contacts that its rows may meet are read with three statements, and new ones are written with one, instead of
//! several for each row.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Value, json};
use uuid::Uuid;

use super::account::{AccountContacts, ContactKey, search_text};
use super::changes::ContactUpdate;
use super::{Contact, phone_number};
use crate::StoreError;
use crate::dialect::Dialect;
use crate::row::micros;

const KEYS: [ContactKey; 3] = [ContactKey::Email, ContactKey::Phone, ContactKey::ExternalId];

/// The contacts of a step, as its rows leave them.
#[derive(Debug, Default)]
pub(super) struct Step {
    contacts: HashMap<Uuid, Contact>,
    /// The contacts of each value that was read, at most a proven and an unproven one.
    by_value: HashMap<(ContactKey, String), Vec<Uuid>>,
    /// Contacts that are to be written at the end, with the numbers that identify them.
    new: Vec<(Uuid, Option<String>)>,
}

impl Step {
    /// Returns the contacts that a value identifies, the proven one first. `None` if the value was not read.
    pub(super) fn find(&self, key: ContactKey, value: &str) -> Option<Vec<Contact>> {
        let ids = self.by_value.get(&(key, value.to_owned()))?;
        let mut found: Vec<Contact> = ids.iter().filter_map(|id| self.contacts.get(id)).cloned().collect();
        found.sort_by_key(|contact| !contact.is_verified);
        Some(found)
    }

    /// Returns whether a contact is to be written at the end.
    pub(super) fn is_new(&self, contact_id: Uuid) -> bool {
        self.new.iter().any(|(id, _)| *id == contact_id)
    }

    /// Keeps a contact that is to be written at the end, or its change.
    pub(super) fn keep(&mut self, contact: &Contact, phone_key: Option<String>) {
        self.note(contact, phone_key.clone());
        self.new.retain(|(id, _)| *id != contact.contact_id);
        self.new.push((contact.contact_id, phone_key));
    }

    /// Notes a contact as it is from now on, with the number that identifies it.
    pub(super) fn note(&mut self, contact: &Contact, phone_key: Option<String>) {
        let id = contact.contact_id;
        if let Some(before) = self.contacts.insert(id, contact.clone()) {
            let number = before.phone.as_deref().and_then(phone_number);
            self.each_value(&before, number, |ids| ids.retain(|known| *known != id));
        }
        self.each_value(contact, phone_key, |ids| ids.push(id));
    }

    /// Changes the lists of the values of a contact. Values that were not read have none: it would look as if no other contact had them.
    fn each_value(&mut self, contact: &Contact, number: Option<String>, change: impl Fn(&mut Vec<Uuid>)) {
        for (key, value) in [
            (ContactKey::Email, contact.email.clone()),
            (ContactKey::Phone, number),
            (ContactKey::ExternalId, contact.external_id.clone()),
        ] {
            if let Some(ids) = value.and_then(|value| self.by_value.get_mut(&(key, value))) {
                change(ids);
            }
        }
    }
}

/// The columns of a contact, each made by a macro from its name and its type.
macro_rules! columns {
    ($column:ident) => {
        columns!($column:
            "contact_id" "TEXT", "email" "TEXT", "name" "TEXT", "phone" "TEXT", "phone_key" "TEXT", "company" "TEXT",
            "custom" "TEXT", "external_id" "TEXT", "is_verified" "BIGINT", "is_managed" "BIGINT", "kind" "TEXT",
            "became_customer_at" "BIGINT", "paid_at" "BIGINT", "payment_amount" "TEXT", "payment_currency" "TEXT",
            "payment_reference" "TEXT", "archived_at" "BIGINT", "last_seen_at" "BIGINT", "updated_at" "BIGINT",
            "search_text" "TEXT", "source" "TEXT", "first_seen_at" "BIGINT", "owner_id" "TEXT", "tags" "TEXT",
            "custom_fields" "TEXT", "consent_marketing" "BIGINT", "consent_at" "BIGINT", "consent_source" "TEXT")
    };
    ($column:ident: $name:literal $type:literal $(, $names:literal $types:literal)*) => {
        concat!($column!($name, $type) $(, ", ", $column!($names, $types))*)
    };
}
macro_rules! name {
    ($name:literal, $type:literal) => {
        $name
    };
}
macro_rules! json_member {
    ($name:literal, $type:literal) => {
        concat!("q.value ->> '", $name, "'")
    };
}
macro_rules! json_column {
    ($name:literal, $type:literal) => {
        concat!("q.", $name)
    };
}
macro_rules! typed {
    ($name:literal, $type:literal) => {
        concat!($name, " ", $type)
    };
}

/// Returns a contact as an object with a member for each of its columns.
fn row(contact: &Contact, phone_key: Option<&str>) -> Value {
    let consent = contact.consent.as_ref();
    json!({
        "contact_id": contact.contact_id,
        "email": contact.email,
        "name": contact.name,
        "phone": contact.phone,
        "phone_key": phone_key,
        "company": contact.company,
        "custom": contact.custom.as_ref().map(ToString::to_string),
        "external_id": contact.external_id,
        "is_verified": i64::from(contact.is_verified),
        "is_managed": i64::from(contact.is_managed),
        "kind": contact.kind.as_str(),
        "became_customer_at": contact.became_customer_at.map(micros),
        "paid_at": contact.paid_at.map(micros),
        "payment_amount": contact.payment_amount,
        "payment_currency": contact.payment_currency,
        "payment_reference": contact.payment_reference,
        "archived_at": contact.archived_at.map(micros),
        "last_seen_at": micros(contact.last_seen_at),
        "updated_at": micros(contact.updated_at),
        "search_text": search_text(contact),
        "source": contact.source.as_str(),
        "first_seen_at": micros(contact.first_seen_at),
        "owner_id": contact.owner_id,
        "tags": contact.tags.to_string(),
        "custom_fields": contact.custom_fields.to_string(),
        "consent_marketing": consent.map(|consent| i64::from(consent.marketing)),
        "consent_at": consent.map(|consent| micros(consent.at)),
        "consent_source": consent.and_then(|consent| consent.source.as_deref()),
    })
}

impl AccountContacts<'_> {
    /// Reads the contacts that have one of the identifying values of these changes. From now on, new contacts are written by
    /// [`end_step`](Self::end_step).
    pub(super) async fn begin_step(
        &mut self,
        dialect: Dialect,
        updates: impl Iterator<Item = &ContactUpdate> + Clone,
    ) -> Result<(), StoreError> {
        macro_rules! find_by {
            ($column:literal) => {
                dialect.pick(
                    concat!(
                        "SELECT ",
                        contact_columns!(),
                        " FROM (SELECT value AS wanted FROM json_each($2)) AS q CROSS JOIN contacts \
                         WHERE account_id = $1 AND ",
                        $column,
                        " = q.wanted"
                    ),
                    // One value at a time, because PostgreSQL might otherwise read all contacts of the account.
                    concat!(
                        "SELECT found.* FROM json_array_elements_text(CAST($2 AS json)) AS q (wanted) \
                         CROSS JOIN LATERAL (SELECT ",
                        contact_columns!(),
                        " FROM contacts WHERE account_id = $1 AND ",
                        $column,
                        " = q.wanted OFFSET 0) AS found"
                    ),
                )
            };
        }
        let mut step = Step::default();
        for key in KEYS {
            let values: BTreeSet<String> = updates.clone().filter_map(|update| update.key(key)).collect();
            let found: Vec<Contact> = sqlx::query_as(match key {
                ContactKey::Email => find_by!("email"),
                ContactKey::Phone => find_by!("phone_key"),
                ContactKey::ExternalId => find_by!("external_id"),
            })
            .bind(self.account_id.to_string())
            .bind(json!(values).to_string())
            .fetch_all(&mut *self.connection)
            .await?;
            step.by_value.extend(values.into_iter().map(|value| ((key, value), Vec::new())));
            for contact in found {
                let value = match key {
                    ContactKey::Email => contact.email.clone(),
                    // The number that identifies a contact is made of the one that it has.
                    ContactKey::Phone => contact.phone.as_deref().and_then(phone_number),
                    ContactKey::ExternalId => contact.external_id.clone(),
                };
                if let Some(ids) = value.and_then(|value| step.by_value.get_mut(&(key, value))) {
                    ids.push(contact.contact_id);
                }
                step.contacts.insert(contact.contact_id, contact);
            }
        }
        self.step = Some(step);
        Ok(())
    }

    /// Writes the new contacts of the step.
    pub(super) async fn end_step(&mut self, dialect: Dialect) -> Result<(), StoreError> {
        let Some(step) = self.step.take() else { return Ok(()) };
        let new = step.new.iter().filter_map(|(id, key)| Some(row(step.contacts.get(id)?, key.as_deref())));
        let rows: Vec<Value> = new.collect();
        if rows.is_empty() {
            return Ok(());
        }
        sqlx::query(dialect.pick(
            concat!(
                "INSERT INTO contacts (account_id, ",
                columns!(name),
                ") SELECT $1, ",
                columns!(json_member),
                " FROM jsonb_each($2) AS q ORDER BY q.key"
            ),
            concat!(
                "INSERT INTO contacts (account_id, ",
                columns!(name),
                ") SELECT $1, ",
                columns!(json_column),
                " FROM json_to_recordset(CAST($2 AS json)) AS q (",
                columns!(typed),
                ")"
            ),
        ))
        .bind(self.account_id.to_string())
        .bind(Value::from(rows).to_string())
        .execute(&mut *self.connection)
        .await?;
        Ok(())
    }
}
