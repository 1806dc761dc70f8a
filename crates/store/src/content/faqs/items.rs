//! Items of FAQs: questions with their answers, in the order of their positions.
//!
//! A published item is searched in every chatbot of its FAQ from the moment the call returns.

use jiff::Timestamp;
use serde_json::json;
use sqlx::AnyConnection;
use uuid::Uuid;

use crate::accounts::plan_limits::{self, PlanLimitReached, Room};
use crate::content::faqs::chunks::{self, ChunkOfItem};
use crate::content::faqs::item::{FaqItem, FaqItemSource, FaqItemStatus, faq_item_columns};
use crate::content::faqs::lock::{self, FaqKey};
use crate::content::question_key::question_key;
use crate::sql::error::StoreError;
use crate::sql::like::containing;
use crate::sql::nul::replace_nul;
use crate::sql::pages::{Page, PageRequest, Position};
use crate::sql::row::{Columns, micros, new_id, stored};
use crate::sql::scope::{Scope, in_scope, scoped, scoped_as};

/// The largest number of items of an FAQ.
pub const MAX_FAQ_ITEMS: u64 = 1000;

/// What an item says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaqItemContent {
    /// The question.
    pub question: String,
    /// Other wordings of it.
    pub alternative_questions: Vec<String>,
    /// The answer.
    pub answer: String,
    /// The address to cite.
    pub url: Option<String>,
    /// Whether answers use it.
    pub status: FaqItemStatus,
}

/// An item to be created.
#[derive(Debug, Clone)]
pub struct NewFaqItem {
    /// What it says.
    pub content: FaqItemContent,
    /// Its place in the FAQ, from 1; the end if `None`. The items from there on move down by one.
    pub position: Option<u64>,
    /// How it came to be.
    pub source: FaqItemSource,
}

/// A change of an item. What is `None` stays.
#[derive(Debug, Clone, Default)]
pub struct FaqItemUpdate {
    /// The question.
    pub question: Option<String>,
    /// Other wordings of it.
    pub alternative_questions: Option<Vec<String>>,
    /// The answer.
    pub answer: Option<String>,
    /// The address to cite.
    pub url: Option<Option<String>>,
    /// Its place in the FAQ, from 1. The items from there on move down by one.
    pub position: Option<u64>,
    /// Whether answers use it.
    pub status: Option<FaqItemStatus>,
}

/// Why an item cannot be added.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FaqItemError {
    /// The FAQ has [`MAX_FAQ_ITEMS`] items.
    #[error("the FAQ has {MAX_FAQ_ITEMS} items already")]
    Full,
    /// The plan of the account includes fewer bytes.
    #[error(transparent)]
    PlanLimit(#[from] PlanLimitReached),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for FaqItemError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

/// What became of a row of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportedItem {
    /// It is an item now.
    Created(Uuid),
    /// The FAQ has the question already, or an earlier row has it.
    Duplicate,
    /// The FAQ has [`MAX_FAQ_ITEMS`] items.
    Full,
    /// The plan of the account includes fewer bytes.
    PlanLimit(PlanLimitReached),
}

/// What became of a new order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ordered {
    /// The items have this order.
    Done,
    /// The list is not the items of the FAQ: these entries are no items of it, or repeat one. If there are
    /// none, items are missing.
    NotPermutation(Vec<usize>),
}

group! {
    /// Items of FAQs.
    pub FaqItems, faq_items
}

impl FaqItems<'_> {
    /// Adds an item. `None` when there is no such FAQ.
    pub async fn create(
        self,
        scope: &Scope,
        faq_id: Uuid,
        new: &NewFaqItem,
        chunk_of: ChunkOfItem<'_>,
        now: Timestamp,
    ) -> Result<Option<FaqItem>, FaqItemError> {
        let mut transaction = self.store.begin().await?;
        let dialect = self.store.dialect();
        let Some(key) = lock::lock(&mut transaction, dialect, scope, faq_id).await? else {
            return Ok(None);
        };
        let chatbots = chunks::lock_linked(&mut transaction, dialect, &key).await?;
        let mut room = plan_limits::storage(&mut transaction, &key.account_id).await?;
        let item = add(&mut transaction, &key, &mut room, new, now).await?;
        let items = std::slice::from_ref(&item);
        chunks::index(&mut transaction, dialect, &key, &chatbots, items, chunk_of, now).await?;
        transaction.commit().await.map_err(StoreError::from)?;
        Ok(Some(item))
    }

    /// Adds items at the end of an FAQ, and returns what became of each. Questions that the FAQ has already
    /// are left out. `None` when there is no such FAQ.
    pub async fn import(
        self,
        scope: &Scope,
        faq_id: Uuid,
        rows: &[FaqItemContent],
        chunk_of: ChunkOfItem<'_>,
        now: Timestamp,
    ) -> Result<Option<Vec<ImportedItem>>, StoreError> {
        let mut transaction = self.store.begin().await?;
        let dialect = self.store.dialect();
        let Some(key) = lock::lock(&mut transaction, dialect, scope, faq_id).await? else {
            return Ok(None);
        };
        let chatbots = chunks::lock_linked(&mut transaction, dialect, &key).await?;
        let mut room = plan_limits::storage(&mut transaction, &key.account_id).await?;
        let (mut outcomes, mut items) = (Vec::with_capacity(rows.len()), Vec::new());
        for row in rows {
            if has_question(&mut transaction, &key, &row.question).await? {
                outcomes.push(ImportedItem::Duplicate);
                continue;
            }
            let new = NewFaqItem { content: row.clone(), position: None, source: FaqItemSource::Import };
            match add(&mut transaction, &key, &mut room, &new, now).await {
                Ok(item) => {
                    outcomes.push(ImportedItem::Created(item.faq_item_id));
                    items.push(item);
                }
                Err(FaqItemError::Full) => outcomes.push(ImportedItem::Full),
                Err(FaqItemError::PlanLimit(reached)) => outcomes.push(ImportedItem::PlanLimit(reached)),
                Err(FaqItemError::Store(error)) => return Err(error),
            }
        }
        chunks::index(&mut transaction, dialect, &key, &chatbots, &items, chunk_of, now).await?;
        transaction.commit().await?;
        Ok(Some(outcomes))
    }

    /// One page of the items of an FAQ in their order; with `status` only those in this state, with `text`
    /// only those that contain it.
    pub async fn page(
        self,
        scope: &Scope,
        faq_id: Uuid,
        status: Option<FaqItemStatus>,
        text: Option<&str>,
        page: &PageRequest,
    ) -> Result<Page<FaqItem>, StoreError> {
        let (key, id) = page.after_number();
        let rows = scoped_as(
            concat!(
                "SELECT ",
                faq_item_columns!(),
                " FROM faq_items WHERE ",
                in_scope!(),
                " AND faq_id = $3 AND (position, faq_item_id) > ($4, $5) AND ($6 = '' OR status = $6) \
                 AND ($7 = '' OR search_text LIKE $7 ESCAPE '!') ORDER BY position, faq_item_id LIMIT $8"
            ),
            scope,
        )
        .bind(faq_id.to_string())
        .bind(key)
        .bind(id)
        .bind(status.map(FaqItemStatus::as_str).unwrap_or_default())
        .bind(text.map(containing).unwrap_or_default())
        .bind(page.rows())
        .fetch_all(self.store.reader())
        .await?;
        Ok(Page::of(rows, page, |last: &FaqItem| Position::number(stored(last.position), last.faq_item_id)))
    }

    /// One item of an FAQ.
    pub async fn find(
        self,
        scope: &Scope,
        faq_id: Uuid,
        faq_item_id: Uuid,
    ) -> Result<Option<FaqItem>, StoreError> {
        let one = scoped_as(
            concat!(
                "SELECT ",
                faq_item_columns!(),
                " FROM faq_items WHERE ",
                in_scope!(),
                " AND faq_id = $3 AND faq_item_id = $4"
            ),
            scope,
        )
        .bind(faq_id.to_string())
        .bind(faq_item_id.to_string());
        Ok(one.fetch_optional(self.store.reader()).await?)
    }

    /// Changes an item. `None` when there is no such item.
    pub async fn update(
        self,
        scope: &Scope,
        faq_id: Uuid,
        faq_item_id: Uuid,
        update: &FaqItemUpdate,
        chunk_of: ChunkOfItem<'_>,
        now: Timestamp,
    ) -> Result<Option<FaqItem>, FaqItemError> {
        let mut transaction = self.store.begin().await?;
        let dialect = self.store.dialect();
        let Some(key) = lock::lock(&mut transaction, dialect, scope, faq_id).await? else {
            return Ok(None);
        };
        let Some(before) = item(&mut transaction, &key, faq_item_id).await? else { return Ok(None) };
        let chatbots = chunks::lock_linked(&mut transaction, dialect, &key).await?;
        let alternatives = json!(before.alternative_questions.0).to_string();
        let former = plan_limits::size_of(&[&before.question, &alternatives, &before.answer]);
        let content = FaqItemContent {
            question: update.question.clone().unwrap_or(before.question),
            alternative_questions: (update.alternative_questions.clone())
                .unwrap_or(before.alternative_questions.0),
            answer: update.answer.clone().unwrap_or(before.answer),
            url: update.url.clone().unwrap_or(before.url),
            status: update.status.unwrap_or(before.status),
        };
        let position = match update.position {
            Some(position) if position != before.position => {
                make_room(&mut transaction, &key, position).await?;
                position
            }
            _ => before.position,
        };
        let texts = Texts::of(&content);
        let grown = texts.size().saturating_sub(former);
        plan_limits::storage(&mut transaction, &key.account_id).await?.take_many(grown)?;
        sqlx::query(
            "UPDATE faq_items SET position = $2, question = $3, question_key = $4, alternative_questions = $5, \
             answer = $6, search_text = $7, url = $8, status = $9, \
             updated_at = CASE WHEN $10 > updated_at THEN $10 ELSE updated_at + 1 END WHERE faq_item_id = $1",
        )
        .bind(faq_item_id.to_string())
        .bind(stored(position))
        .bind(texts.question)
        .bind(texts.question_key)
        .bind(texts.alternatives)
        .bind(texts.answer)
        .bind(texts.search)
        .bind(content.url.as_deref().map(replace_nul))
        .bind(content.status.as_str())
        .bind(micros(now))
        .execute(&mut *transaction)
        .await?;
        let Some(after) = item(&mut transaction, &key, faq_item_id).await? else { return Ok(None) };
        let items = std::slice::from_ref(&after);
        chunks::index(&mut transaction, dialect, &key, &chatbots, items, chunk_of, now).await?;
        transaction.commit().await?;
        Ok(Some(after))
    }

    /// Gives the items of an FAQ the positions 1, 2, 3 and so on. The list must name each item exactly once.
    /// `None` when there is no such FAQ.
    pub async fn order(
        self,
        scope: &Scope,
        faq_id: Uuid,
        faq_item_ids: &[Uuid],
    ) -> Result<Option<Ordered>, StoreError> {
        let mut transaction = self.store.begin().await?;
        let dialect = self.store.dialect();
        let Some(key) = lock::lock(&mut transaction, dialect, scope, faq_id).await? else {
            return Ok(None);
        };
        let rows = sqlx::query("SELECT faq_item_id FROM faq_items WHERE faq_id = $1")
            .bind(&key.faq_id)
            .fetch_all(&mut *transaction)
            .await?;
        let mut left: std::collections::HashSet<Uuid> =
            rows.iter().map(|row| row.parsed("faq_item_id")).collect::<Result<_, _>>()?;
        let wrong: Vec<usize> = faq_item_ids
            .iter()
            .enumerate()
            .filter(|(_, id)| !left.remove(*id))
            .map(|(index, _)| index)
            .collect();
        if !wrong.is_empty() || !left.is_empty() {
            return Ok(Some(Ordered::NotPermutation(wrong)));
        }
        for (index, faq_item_id) in faq_item_ids.iter().enumerate() {
            sqlx::query("UPDATE faq_items SET position = $2 WHERE faq_item_id = $1 AND position <> $2")
                .bind(faq_item_id.to_string())
                .bind(stored(index + 1))
                .execute(&mut *transaction)
                .await?;
        }
        transaction.commit().await?;
        Ok(Some(Ordered::Done))
    }

    /// Deletes an item with its passages. `false` when there is no such item.
    pub async fn delete(self, scope: &Scope, faq_id: Uuid, faq_item_id: Uuid) -> Result<bool, StoreError> {
        let mut transaction = self.store.begin().await?;
        let dialect = self.store.dialect();
        let Some(key) = lock::lock(&mut transaction, dialect, scope, faq_id).await? else {
            return Ok(false);
        };
        chunks::lock_linked(&mut transaction, dialect, &key).await?;
        let deleted = scoped(
            concat!("DELETE FROM faq_items WHERE ", in_scope!(), " AND faq_id = $3 AND faq_item_id = $4"),
            scope,
        )
        .bind(&key.faq_id)
        .bind(faq_item_id.to_string())
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(deleted.rows_affected() > 0)
    }
}

/// The texts of an item as they are stored.
struct Texts {
    question: String,
    question_key: String,
    alternatives: String,
    answer: String,
    search: String,
}

impl Texts {
    fn of(content: &FaqItemContent) -> Self {
        let question = replace_nul(&content.question);
        let answer = replace_nul(&content.answer);
        let alternatives: Vec<String> = content.alternative_questions.iter().map(replace_nul).collect();
        let search = [question.as_str(), &alternatives.join("\n"), answer.as_str()].join("\n").to_lowercase();
        let question_key = question_key(&question);
        Self { question_key, alternatives: json!(alternatives).to_string(), search, question, answer }
    }

    /// Returns what the database counts.
    fn size(&self) -> u64 {
        plan_limits::size_of(&[&self.question, &self.alternatives, &self.answer])
    }
}

/// Adds an item to an FAQ whose row is locked, and takes its room.
pub(crate) async fn add(
    connection: &mut AnyConnection,
    key: &FaqKey,
    room: &mut Room,
    new: &NewFaqItem,
    now: Timestamp,
) -> Result<FaqItem, FaqItemError> {
    let row = sqlx::query(
        "SELECT COUNT(*) AS items, COALESCE(MAX(position), 0) AS last FROM faq_items WHERE faq_id = $1",
    )
    .bind(&key.faq_id)
    .fetch_one(&mut *connection)
    .await?;
    if row.number::<u64>("items")? >= MAX_FAQ_ITEMS {
        return Err(FaqItemError::Full);
    }
    let texts = Texts::of(&new.content);
    room.take_many(texts.size())?;
    let end: u64 = row.number::<u64>("last")? + 1;
    let position = match new.position {
        Some(position) if position < end => {
            make_room(&mut *connection, key, position).await?;
            position
        }
        _ => end,
    };
    let item: FaqItem = sqlx::query_as(concat!(
        "INSERT INTO faq_items (faq_item_id, faq_id, account_id, position, question, question_key, \
         alternative_questions, answer, search_text, url, status, source, created_at, updated_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13) RETURNING ",
        faq_item_columns!()
    ))
    .bind(new_id().to_string())
    .bind(&key.faq_id)
    .bind(&key.account_id)
    .bind(stored(position))
    .bind(texts.question)
    .bind(texts.question_key)
    .bind(texts.alternatives)
    .bind(texts.answer)
    .bind(texts.search)
    .bind(new.content.url.as_deref().map(replace_nul))
    .bind(new.content.status.as_str())
    .bind(new.source.as_str())
    .bind(micros(now))
    .fetch_one(connection)
    .await?;
    Ok(item)
}

async fn item(
    connection: &mut AnyConnection,
    key: &FaqKey,
    faq_item_id: Uuid,
) -> Result<Option<FaqItem>, StoreError> {
    let one = sqlx::query_as(concat!(
        "SELECT ",
        faq_item_columns!(),
        " FROM faq_items WHERE faq_id = $1 AND faq_item_id = $2"
    ));
    Ok(one.bind(&key.faq_id).bind(faq_item_id.to_string()).fetch_optional(connection).await?)
}

/// Moves the items from a position on down by one, unless the position is free.
async fn make_room(connection: &mut AnyConnection, key: &FaqKey, position: u64) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE faq_items SET position = position + 1 WHERE faq_id = $1 AND position >= $2 \
         AND EXISTS (SELECT 1 FROM faq_items AS taken WHERE taken.faq_id = $1 AND taken.position = $2)",
    )
    .bind(&key.faq_id)
    .bind(stored(position))
    .execute(connection)
    .await?;
    Ok(())
}

async fn has_question(
    connection: &mut AnyConnection,
    key: &FaqKey,
    question: &str,
) -> Result<bool, StoreError> {
    let found =
        sqlx::query("SELECT 1 AS found FROM faq_items WHERE faq_id = $1 AND question_key = $2 LIMIT 1")
            .bind(&key.faq_id)
            .bind(question_key(&replace_nul(question)));
    Ok(found.fetch_optional(connection).await?.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_take_wildcards_literally() {
        assert_eq!(containing("50% Off_!"), "%50!% off!_!!%");
    }
}
