//! Reading and writing the contacts of a step of an import: those that its rows may meet are read with three
//! statements, and new ones are written with one, instead of several for each row.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::account::AccountContacts;
use super::key::ContactKey;
use super::record::Contact;
use super::step::Step;
use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::row::micros;

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
        "search_text": contact.search_text(),
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
    /// Reads the contacts that have one of these identifying values, which are normalized. From now on, new
    /// contacts are written by [`end_step`](Self::end_step).
    pub(super) async fn begin_step(
        &mut self,
        dialect: Dialect,
        values: BTreeMap<ContactKey, BTreeSet<String>>,
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
                    // One value at a time, because PostgreSQL might otherwise read all contacts of the
                    // account.
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
        for (key, values) in values {
            // Rows of earlier versions may have another form.
            let wanted: BTreeSet<String> =
                values.iter().flat_map(|value| [value.clone(), key.older_form(value)]).collect();
            let found: Vec<Contact> = sqlx::query_as(match key {
                ContactKey::Email => find_by!("email"),
                ContactKey::Phone => find_by!("phone_key"),
                ContactKey::ExternalId => find_by!("external_id"),
            })
            .bind(self.account_id.to_string())
            .bind(json!(wanted).to_string())
            .fetch_all(&mut *self.connection)
            .await?;
            for value in values {
                step.expect(key, value);
            }
            for contact in found {
                step.add(key, contact);
            }
        }
        self.step = Some(step);
        Ok(())
    }

    /// Writes the new contacts of the step.
    pub(super) async fn end_step(&mut self, dialect: Dialect) -> Result<(), StoreError> {
        let Some(step) = self.step.take() else { return Ok(()) };
        let rows: Vec<Value> = step.new_contacts().map(|(contact, number)| row(contact, number)).collect();
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
