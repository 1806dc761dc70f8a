//! Erasing a person's data from every table, in short transactions.
//!
//! The rows of conversations and messages stay, so that counts remain right, but without texts and without
//! any link to the person. What holds such texts is listed in
//! [`personal_data`](crate::lifecycle::personal_data), which the statements here follow; the test
//! `erasing_leaves_no_word` plants a text in every field and searches the whole database for it.
//!
//! An erasure is a row of `erasures` that outlives a crash: it is written first, and deleted when nothing is
//! left. Its steps can be repeated, and the first two are not once both are done: then the row forgets the
//! person.
//!
//! 1. `detaching` takes conversations, threads, activities and deals from the contact, some at a time, and
//!    then deletes it. From the moment at which a conversation or a thread is detached, its messages are read
//!    as empty (`erasing_texts`).
//! 2. `removing` deletes what else has words of the person: sessions of widgets, events, attachments,
//!    questions, e-mails, stored responses.
//! 3. `texts` empties the messages themselves, which may be many, and the pages of the search index.
//!
//! Whoever asked is answered after the second step: from then on, nobody gets to see a word any more.

mod detaching;
mod numbers;
mod person;
mod removing;
mod texts;

use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use sqlx::{AnyConnection, AssertSqlSafe, SqlSafeStr, SqlStr};
use uuid::Uuid;

use self::person::Person;
use crate::contacts::Contacts;
use crate::contacts::account::AccountContacts;
use crate::sql::database::{Store, WriteTransaction};
use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::row::{Columns, micros, texts_of};
use crate::sql::scope::Scope;
use crate::work::idempotency;

pub(crate) use self::texts::rewrite_index;

/// Rows that one transaction changes.
const BATCH: usize = 250;

/// How far the erasure of a contact has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Erased {
    /// There is no such contact.
    Unknown,
    /// Nothing is left.
    Finished,
    /// Nothing is shown any more; what is left goes with [`Contacts::continue_erasure`].
    Continues,
}

impl Contacts<'_> {
    /// Erases a contact: itself, the texts of its conversations and threads, the questions in them that could
    /// not be answered, its traces in deals, events, skipped e-mails, and stored responses that contain any
    /// of it. Responses under way are not stored. Returns `false` if there is no such contact.
    pub async fn erase(self, scope: &Scope, contact_id: Uuid, now: Timestamp) -> Result<bool, StoreError> {
        Ok(self.erase_within(scope, contact_id, Duration::MAX, now).await? != Erased::Unknown)
    }

    /// Like [`erase`](Self::erase), but ends some time after all of it is out of sight: texts of many
    /// messages are then left to [`continue_erasure`](Self::continue_erasure).
    pub async fn erase_within(
        self,
        scope: &Scope,
        contact_id: Uuid,
        time: Duration,
        now: Timestamp,
    ) -> Result<Erased, StoreError> {
        let Some(erasure) = self.begin_erasure(scope, contact_id, now).await? else {
            return Ok(Erased::Unknown);
        };
        Ok(if erasure.run(time).await? { Erased::Finished } else { Erased::Continues })
    }

    /// Erases several contacts, and writes the search index anew only once. Returns how many were erased, and
    /// why others were not: what is left of them goes with [`continue_erasure`](Self::continue_erasure). The
    /// caller has the overwritten content forgotten.
    pub(super) async fn erase_all(
        self,
        scope: &Scope,
        contact_ids: &[Uuid],
        now: Timestamp,
    ) -> (u64, Option<StoreError>) {
        let (mut erasures, mut failure) = (Vec::new(), None);
        for contact_id in contact_ids {
            match self.erase_texts(scope, *contact_id, now).await {
                Ok(erasure) => erasures.extend(erasure),
                Err(error) => failure = Some(error),
            }
        }
        match self.finish_all(&erasures).await {
            Ok(()) => (erasures.len() as u64, failure),
            Err(error) => (0, Some(error)),
        }
    }

    /// Erases a contact but for its words in the search index. Returns `None` if there is no such contact.
    async fn erase_texts(
        self,
        scope: &Scope,
        contact_id: Uuid,
        now: Timestamp,
    ) -> Result<Option<Erasure>, StoreError> {
        let Some(erasure) = self.begin_erasure(scope, contact_id, now).await? else { return Ok(None) };
        erasure.remove().await?;
        while erasure.empty_some().await? {}
        Ok(Some(erasure))
    }

    /// Finishes erasures of one account whose texts are gone.
    async fn finish_all(self, erasures: &[Erasure]) -> Result<(), StoreError> {
        let Some(first) = erasures.first() else { return Ok(()) };
        first.forget_responses().await?;
        rewrite_index(self.store, None).await?;
        for erasure in erasures {
            erasure.finish().await?;
        }
        Ok(())
    }

    /// The contacts whose erasure nobody has worked on since a moment. For recurring work, over all accounts.
    pub async fn unfinished_erasures(self, before: Timestamp, limit: u32) -> Result<Vec<Uuid>, StoreError> {
        let rows =
            sqlx::query("SELECT contact_id FROM erasures WHERE touched_at < $1 ORDER BY touched_at LIMIT $2")
                .bind(micros(before))
                .bind(i64::from(limit))
                .fetch_all(self.store.reader())
                .await?;
        Ok(rows.iter().map(|row| row.parsed("contact_id")).collect::<Result<_, _>>()?)
    }

    /// Goes on with an erasure for about this time. Returns whether nothing is left.
    pub async fn continue_erasure(
        self,
        contact_id: Uuid,
        time: Duration,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        // First of all, so that one that always fails comes after the others the next time.
        let row = sqlx::query("UPDATE erasures SET touched_at = $2 WHERE contact_id = $1 RETURNING person")
            .bind(contact_id.to_string())
            .bind(micros(now))
            .fetch_optional(self.store.writer())
            .await?;
        let Some(row) = row else { return Ok(true) };
        let person = Person::stored(&row.text("person")?)?;
        Erasure::of(self.store, person, now).run(time).await
    }

    /// Writes down that a contact is to be erased. Returns `None` if there is no such contact.
    async fn begin_erasure(
        self,
        scope: &Scope,
        contact_id: Uuid,
        now: Timestamp,
    ) -> Result<Option<Erasure>, StoreError> {
        let Some(known) = self.find(scope, contact_id).await? else { return Ok(None) };
        let mut transaction = self.store.begin().await?;
        let dialect = self.store.dialect();
        let Some(mut contacts) =
            AccountContacts::lock(&mut transaction, dialect, known.account_id, now).await?
        else {
            return Ok(None);
        };
        let Some(person) = contacts.person(contact_id).await? else { return Ok(None) };
        sqlx::query(
            "INSERT INTO erasures (contact_id, account_id, person, touched_at) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (contact_id) DO UPDATE SET person = excluded.person, touched_at = excluded.touched_at",
        )
        .bind(contact_id.to_string())
        .bind(person.account_id.to_string())
        .bind(person.to_stored())
        .bind(micros(now))
        .execute(&mut *transaction)
        .await?;
        idempotency::note_erased(&mut transaction, person.account_id, &person.ids, now).await?;
        transaction.commit().await?;
        Ok(Some(Erasure::of(self.store, person, now)))
    }
}

/// An erasure that is under way.
struct Erasure {
    store: Store,
    person: Person,
    now: Timestamp,
    begun: Instant,
}

impl Erasure {
    fn of(store: &Store, person: Person, now: Timestamp) -> Self {
        Self { store: store.clone(), person, now, begun: Instant::now() }
    }

    /// Runs until nothing is left, or until the time is over and nothing is shown any more. Returns whether
    /// nothing is left.
    async fn run(&self, time: Duration) -> Result<bool, StoreError> {
        if !self.person.is_forgotten() {
            self.remove().await?;
            self.forget_responses().await?;
            self.forget_person().await?;
        }
        while self.empty_some().await? {
            if self.begun.elapsed() > time {
                return Ok(false);
            }
        }
        if self.is_unindexed().await? {
            let left = (time != Duration::MAX).then(|| time.saturating_sub(self.begun.elapsed()));
            if !rewrite_index(&self.store, left).await? {
                return Ok(false);
            }
        }
        self.finish().await?;
        self.store.forget_overwritten().await;
        Ok(true)
    }

    /// Takes everything out of sight but what responses to repeated requests say.
    async fn remove(&self) -> Result<(), StoreError> {
        self.end_sessions().await?;
        self.detach().await?;
        // What has begun meanwhile.
        self.end_sessions().await?;
        self.delete_events().await?;
        self.delete_attachments().await?;
        self.empty_elsewhere().await?;
        self.delete_questions().await?;
        self.delete_skipped_mails().await
    }

    /// Forgets what is known of the person, by which nothing is found any more: what is left is named by
    /// `erasing_texts`. Whoever goes on with the erasure begins there.
    async fn forget_person(&self) -> Result<(), StoreError> {
        sqlx::query("UPDATE erasures SET person = $2 WHERE contact_id = $1")
            .bind(self.person.contact_id.to_string())
            .bind(self.person.forgotten().to_stored())
            .execute(self.store.writer())
            .await?;
        Ok(())
    }

    async fn finish(&self) -> Result<(), StoreError> {
        sqlx::query("DELETE FROM erasures WHERE contact_id = $1")
            .bind(self.person.contact_id.to_string())
            .execute(self.store.writer())
            .await?;
        Ok(())
    }

    /// Begins a transaction, in which nobody else works on this erasure. `None` if somebody else has finished
    /// it.
    async fn begin(&self) -> Result<Option<WriteTransaction>, StoreError> {
        let mut transaction = self.store.begin().await?;
        Ok(self.touch(&mut transaction).await?.then_some(transaction))
    }

    /// Keeps others from working on this erasure until the transaction ends. Returns `false` if somebody else
    /// has finished it. After the locks of the account and the board, as whoever begins an erasure does.
    async fn touch(&self, connection: &mut AnyConnection) -> Result<bool, StoreError> {
        let touched = sqlx::query("UPDATE erasures SET touched_at = $2 WHERE contact_id = $1")
            .bind(self.person.contact_id.to_string())
            .bind(micros(self.moment()))
            .execute(connection)
            .await?;
        Ok(touched.rows_affected() > 0)
    }

    /// The present time.
    fn moment(&self) -> Timestamp {
        let elapsed = SignedDuration::try_from(self.begun.elapsed()).unwrap_or_default();
        self.now.saturating_add(elapsed).unwrap_or(self.now)
    }

    async fn is_unindexed(&self) -> Result<bool, StoreError> {
        let row = sqlx::query("SELECT is_unindexed FROM erasures WHERE contact_id = $1")
            .bind(self.person.contact_id.to_string())
            .fetch_optional(self.store.reader())
            .await?;
        Ok(row.map(|row| row.int("is_unindexed")).transpose()? == Some(1))
    }

    /// Returns the statement in which `{1}` to `{9}` are the lists of texts that are bound at these places,
    /// as JSON.
    fn with_lists(&self, statement: &str) -> SqlStr {
        with_lists(self.store.dialect(), statement)
    }

    /// Returns the ids that a statement reads, which binds the ids of the person.
    async fn ids(&self, statement: &str, column: &str) -> Result<Vec<String>, StoreError> {
        let rows = sqlx::query(self.with_lists(statement))
            .bind(self.person.account_id.to_string())
            .bind(json!(self.person.ids).to_string())
            .fetch_all(self.store.reader())
            .await?;
        Ok(texts_of(&rows, column)?)
    }

    /// Returns the ids that a statement reads, which binds the id of this erasure.
    async fn ids_of_erasure(&self, statement: &'static str, column: &str) -> Result<Vec<String>, StoreError> {
        let rows = sqlx::query(statement)
            .bind(self.person.contact_id.to_string())
            .fetch_all(self.store.reader())
            .await?;
        Ok(texts_of(&rows, column)?)
    }

    /// Runs statements for lists of ids, which each of them binds, some at a time. Returns `false` if
    /// somebody else has finished the erasure.
    async fn in_batches(&self, ids: &[String], statements: &[&str]) -> Result<bool, StoreError> {
        for some in ids.chunks(BATCH) {
            let Some(mut transaction) = self.begin().await? else { return Ok(false) };
            for statement in statements {
                sqlx::query(self.with_lists(statement))
                    .bind(json!(some).to_string())
                    .execute(&mut *transaction)
                    .await?;
            }
            transaction.commit().await?;
        }
        Ok(true)
    }
}

/// Returns the statement in which `{1}` to `{9}` are the lists of texts that are bound at these places, as
/// JSON.
pub(crate) fn with_lists(dialect: Dialect, statement: &str) -> SqlStr {
    let mut text = statement.to_owned();
    for place in 1..=9 {
        let list = match dialect {
            Dialect::Sqlite => format!("IN (SELECT value FROM json_each(${place}))"),
            Dialect::Postgres => {
                format!("= ANY (ARRAY(SELECT json_array_elements_text(CAST(${place} AS json))))")
            }
        };
        text = text.replace(&format!("{{{place}}}"), &list);
    }
    // Statements are constants and names of the registry.
    AssertSqlSafe(text).into_sql_str()
}
