//! Reading and writing the contacts of a step of an import: those that its rows may meet are read with three
//! statements, and new ones are written with one, instead of several for each row.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::account::AccountContacts;
use super::columns::{object, written_columns};
use super::key::ContactKey;
use super::record::Contact;
use super::step::Step;
use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;

impl AccountContacts<'_> {
    /// Reads the contacts that have one of these identifying values, which are normalized, and those that
    /// only have one of these phone numbers without a country code. From now on, new contacts are written by
    /// [`end_step`](Self::end_step).
    pub(super) async fn begin_step(
        &mut self,
        dialect: Dialect,
        values: BTreeMap<ContactKey, BTreeSet<String>>,
        written_phones: &BTreeSet<String>,
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
        for contact in self.by_written_phones(dialect, written_phones).await? {
            step.add_by_written_phone(contact);
        }
        self.step = Some(step);
        Ok(())
    }

    async fn by_written_phones(
        &mut self,
        dialect: Dialect,
        phones: &BTreeSet<String>,
    ) -> Result<Vec<Contact>, StoreError> {
        if phones.is_empty() {
            return Ok(Vec::new());
        }
        macro_rules! find_in {
            ($list:literal) => {
                concat!(
                    "SELECT ",
                    contact_columns!(),
                    " FROM contacts WHERE account_id = $1 AND email IS NULL AND external_id IS NULL \
                     AND phone_key IS NULL AND phone IN ",
                    $list,
                    " ORDER BY contact_id"
                )
            };
        }
        let found = sqlx::query_as(dialect.pick(
            find_in!("(SELECT value FROM json_each($2))"),
            find_in!("(SELECT json_array_elements_text(CAST($2 AS json)))"),
        ))
        .bind(self.account_id.to_string())
        .bind(json!(phones).to_string());
        Ok(found.fetch_all(&mut *self.connection).await?)
    }

    /// Writes the new contacts of the step.
    pub(super) async fn end_step(&mut self, dialect: Dialect) -> Result<(), StoreError> {
        let Some(step) = self.step.take() else { return Ok(()) };
        let rows: Vec<Value> = step.new_contacts().map(|(contact, number)| object(contact, number)).collect();
        if rows.is_empty() {
            return Ok(());
        }
        sqlx::query(dialect.pick(
            concat!(
                "INSERT INTO contacts (account_id, contact_id, ",
                written_columns!(),
                ") SELECT $1, q.value ->> 'contact_id', ",
                written_columns!(json_members),
                " FROM jsonb_each($2) AS q ORDER BY q.key"
            ),
            concat!(
                "INSERT INTO contacts (account_id, contact_id, ",
                written_columns!(),
                ") SELECT $1, q.contact_id, ",
                written_columns!(json_columns),
                " FROM json_to_recordset(CAST($2 AS json)) AS q (contact_id TEXT, ",
                written_columns!(typed),
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
