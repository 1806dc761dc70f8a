//! FAQs: collections of questions with answers, which chatbots of their account answer from.
//!
//! Every change of an FAQ locks its row first and then the rows of its chatbots in the order of their ids, so
//! that two changes never wait for each other. The chunks of the items are brought in line in the same
//! transaction.
//!
//! - `item`: an item as it is stored; `items`: the queries on items.
//! - `chunks`: the chunks of items in the chatbots of an FAQ.
//! - `lock`: the locked row of an FAQ.

pub(crate) mod chunks;
pub(crate) mod item;
pub(crate) mod items;
pub(crate) mod lock;

use std::collections::BTreeSet;

use jiff::Timestamp;
use sqlx::AnyConnection;
use uuid::Uuid;

use self::chunks::ChunkOfItem;
use self::lock::{FaqKey, lock};
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::pages::{Page, PageRequest, Position};
use crate::sql::row::{micros, new_id};
use crate::sql::scope::{Scope, find_by_id, in_scope, row_by_id, scoped_as};

record! {
    /// A collection of questions with answers.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Faq, columns faq_columns {
        /// Identifier.
        pub faq_id: Uuid,
        /// The account that owns it.
        pub account_id: Uuid,
        /// Name.
        pub name: String,
        /// What it is about.
        pub description: Option<String>,
        /// Code of the language of its items; `None` for the language of each chatbot.
        pub language: Option<String>,
        /// The chatbots that answer from it.
        pub chatbot_ids: Vec<Uuid> = "COALESCE((SELECT string_agg(link.chatbot_id, ' ' ORDER BY link.chatbot_id) \
             FROM faq_chatbots AS link WHERE link.faq_id = faqs.faq_id), '')",
        /// Its tags.
        pub tag_ids: Vec<Uuid> = "COALESCE((SELECT string_agg(bound.tag_id, ' ' ORDER BY bound.tag_id) \
             FROM faq_tags AS bound WHERE bound.faq_id = faqs.faq_id), '')",
        /// The number of items.
        pub item_count: u64 = "(SELECT COUNT(*) FROM faq_items AS item WHERE item.faq_id = faqs.faq_id)",
        /// The number of items that answers use.
        pub published_item_count: u64 = "(SELECT COUNT(*) FROM faq_items AS item \
             WHERE item.faq_id = faqs.faq_id AND item.status = 'published')",
        /// When it was created.
        pub created_at: Timestamp,
        /// When its own fields were last changed.
        pub updated_at: Timestamp,
    }
}

/// An FAQ to be created.
#[derive(Debug, Clone, Default)]
pub struct NewFaq {
    /// Name.
    pub name: String,
    /// What it is about.
    pub description: Option<String>,
    /// Code of the language of its items.
    pub language: Option<String>,
    /// The chatbots that answer from it; others than those of its account are ignored.
    pub chatbot_ids: Vec<Uuid>,
    /// Tags of these chatbots; others are ignored.
    pub tag_ids: Vec<Uuid>,
}

/// A change of an FAQ. What is `None` stays.
#[derive(Debug, Clone, Default)]
pub struct FaqUpdate {
    /// Name.
    pub name: Option<String>,
    /// What it is about.
    pub description: Option<Option<String>>,
    /// Code of the language of its items.
    pub language: Option<Option<String>>,
    /// The chatbots that answer from it; others than those of its account are ignored.
    pub chatbot_ids: Option<Vec<Uuid>>,
    /// Tags of these chatbots; others are ignored.
    pub tag_ids: Option<Vec<Uuid>>,
}

group! {
    /// FAQs of accounts.
    pub Faqs, faqs
}

impl Faqs<'_> {
    /// Creates an FAQ without items in the caller's own account.
    pub async fn create(self, scope: &Scope, new: &NewFaq, now: Timestamp) -> Result<Faq, StoreError> {
        let mut transaction = self.store.begin().await?;
        let faq_id = new_id().to_string();
        sqlx::query(
            "INSERT INTO faqs (faq_id, account_id, name, description, language, created_at, updated_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $6)",
        )
        .bind(&faq_id)
        .bind(scope.account_id.to_string())
        .bind(replace_nul(&new.name))
        .bind(new.description.as_deref().map(replace_nul))
        .bind(new.language.as_deref().map(replace_nul))
        .bind(micros(now))
        .execute(&mut *transaction)
        .await?;
        let account_id = scope.account_id.to_string();
        let key = FaqKey { faq_id, account_id, language: new.language.clone() };
        link(&mut transaction, &key, &new.chatbot_ids).await?;
        tag(&mut transaction, &key, &new.tag_ids).await?;
        let faq = stored(&mut transaction, &key).await?;
        transaction.commit().await?;
        Ok(faq)
    }

    /// One page of the FAQs, oldest first; with `chatbot_id` only those that this chatbot answers from.
    pub async fn page(
        self,
        scope: &Scope,
        chatbot_id: Option<Uuid>,
        page: &PageRequest,
    ) -> Result<Page<Faq>, StoreError> {
        let (key, id) = page.after_number();
        let rows = scoped_as(
            concat!(
                "SELECT ",
                faq_columns!(),
                " FROM faqs WHERE ",
                in_scope!(),
                " AND (created_at, faq_id) > ($3, $4) AND ($5 = '' OR EXISTS (SELECT 1 FROM faq_chatbots AS link \
                 WHERE link.faq_id = faqs.faq_id AND link.chatbot_id = $5)) ORDER BY created_at, faq_id LIMIT $6"
            ),
            scope,
        )
        .bind(key)
        .bind(id)
        .bind(chatbot_id.map(|id| id.to_string()).unwrap_or_default())
        .bind(page.rows())
        .fetch_all(self.store.reader())
        .await?;
        Ok(Page::of(rows, page, |last: &Faq| Position::number(micros(last.created_at), last.faq_id)))
    }

    /// One FAQ.
    pub async fn find(self, scope: &Scope, faq_id: Uuid) -> Result<Option<Faq>, StoreError> {
        find_by_id(self.store, row_by_id!(faq_columns of "faqs", "faq_id"), scope, faq_id).await
    }

    /// Changes an FAQ. Chatbots that are added answer from the published items, whose passages `chunk_of`
    /// makes; those that are removed no longer do, and their tags are taken from it. `None` when there is no
    /// such FAQ.
    pub async fn update(
        self,
        scope: &Scope,
        faq_id: Uuid,
        update: &FaqUpdate,
        chunk_of: ChunkOfItem<'_>,
        now: Timestamp,
    ) -> Result<Option<Faq>, StoreError> {
        let mut transaction = self.store.begin().await?;
        let Some(mut key) = lock(&mut transaction, self.store.dialect(), scope, faq_id).await? else {
            return Ok(None);
        };
        sqlx::query(
            "UPDATE faqs SET name = COALESCE($2, name), description = CASE WHEN $3 = 1 THEN $4 ELSE description END, \
             language = CASE WHEN $5 = 1 THEN $6 ELSE language END, \
             updated_at = CASE WHEN $7 > updated_at THEN $7 ELSE updated_at + 1 END WHERE faq_id = $1",
        )
        .bind(&key.faq_id)
        .bind(update.name.as_deref().map(replace_nul))
        .bind(i64::from(update.description.is_some()))
        .bind(update.description.as_ref().and_then(Option::as_deref).map(replace_nul))
        .bind(i64::from(update.language.is_some()))
        .bind(update.language.as_ref().and_then(Option::as_deref).map(replace_nul))
        .bind(micros(now))
        .execute(&mut *transaction)
        .await?;
        let is_translated = update.language.as_ref().is_some_and(|language| *language != key.language);
        if let Some(language) = &update.language {
            key.language.clone_from(language);
        }
        let before = chunks::linked(&mut transaction, &key).await?;
        if let Some(chatbot_ids) = &update.chatbot_ids {
            sqlx::query("DELETE FROM faq_chatbots WHERE faq_id = $1")
                .bind(&key.faq_id)
                .execute(&mut *transaction)
                .await?;
            link(&mut transaction, &key, chatbot_ids).await?;
            // A tag whose chatbot was removed would find nothing, and hide the removal.
            sqlx::query(
                "DELETE FROM faq_tags WHERE faq_id = $1 AND tag_id NOT IN (SELECT t.tag_id FROM tags AS t \
                 JOIN faq_chatbots AS link ON link.chatbot_id = t.chatbot_id WHERE link.faq_id = $1)",
            )
            .bind(&key.faq_id)
            .execute(&mut *transaction)
            .await?;
        }
        if let Some(tag_ids) = &update.tag_ids {
            sqlx::query("DELETE FROM faq_tags WHERE faq_id = $1")
                .bind(&key.faq_id)
                .execute(&mut *transaction)
                .await?;
            tag(&mut transaction, &key, tag_ids).await?;
        }
        let dialect = self.store.dialect();
        let after = chunks::linked(&mut transaction, &key).await?;
        let (old, new): (BTreeSet<Uuid>, BTreeSet<Uuid>) =
            (before.iter().copied().collect(), after.iter().copied().collect());
        if is_translated || old != new {
            let changed = if is_translated { new.clone() } else { new.difference(&old).copied().collect() };
            let removed = old.difference(&new).copied().collect();
            chunks::relink(&mut transaction, dialect, &key, &removed, &changed, chunk_of, now).await?;
        }
        let faq = stored(&mut transaction, &key).await?;
        transaction.commit().await?;
        Ok(Some(faq))
    }

    /// Deletes an FAQ with its items and their passages. `false` when there is no such FAQ.
    pub async fn delete(self, scope: &Scope, faq_id: Uuid) -> Result<bool, StoreError> {
        let mut transaction = self.store.begin().await?;
        let Some(key) = lock(&mut transaction, self.store.dialect(), scope, faq_id).await? else {
            return Ok(false);
        };
        chunks::lock_linked(&mut transaction, self.store.dialect(), &key).await?;
        sqlx::query("DELETE FROM faqs WHERE faq_id = $1")
            .bind(&key.faq_id)
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(true)
    }
}

/// Adds chatbots of the FAQ's account to the ones that answer from it.
async fn link(connection: &mut AnyConnection, key: &FaqKey, chatbot_ids: &[Uuid]) -> Result<(), StoreError> {
    // In this order, because each new row takes a lock on its chatbot.
    for chatbot_id in chatbot_ids.iter().collect::<BTreeSet<_>>() {
        sqlx::query(
            "INSERT INTO faq_chatbots (faq_id, chatbot_id, account_id) \
             SELECT $1, chatbot_id, account_id FROM chatbots WHERE chatbot_id = $2 AND account_id = $3 \
             ON CONFLICT (faq_id, chatbot_id) DO NOTHING",
        )
        .bind(&key.faq_id)
        .bind(chatbot_id.to_string())
        .bind(&key.account_id)
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

/// Gives the FAQ tags of its chatbots.
async fn tag(connection: &mut AnyConnection, key: &FaqKey, tag_ids: &[Uuid]) -> Result<(), StoreError> {
    for tag_id in tag_ids {
        sqlx::query(
            "INSERT INTO faq_tags (tag_id, faq_id) SELECT t.tag_id, link.faq_id FROM tags AS t \
             JOIN faq_chatbots AS link ON link.chatbot_id = t.chatbot_id \
             WHERE t.tag_id = $1 AND link.faq_id = $2 ON CONFLICT (tag_id, faq_id) DO NOTHING",
        )
        .bind(tag_id.to_string())
        .bind(&key.faq_id)
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

/// The FAQ as the transaction has written it.
async fn stored(connection: &mut AnyConnection, key: &FaqKey) -> Result<Faq, StoreError> {
    let faq = sqlx::query_as(concat!("SELECT ", faq_columns!(), " FROM faqs WHERE faq_id = $1"));
    Ok(faq.bind(&key.faq_id).fetch_one(connection).await?)
}
