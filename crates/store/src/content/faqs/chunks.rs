//! Chunks of FAQ items: a published item is one chunk in each chatbot that answers from its FAQ.

use std::collections::BTreeSet;

use jiff::Timestamp;
use sqlx::AnyConnection;
use uuid::Uuid;

use crate::content::chunk::{ChunkOwner, NewChunk};
use crate::content::chunks;
use crate::content::faqs::item::{FaqItem, FaqItemStatus, faq_item_columns};
use crate::content::faqs::lock::FaqKey;
use crate::sql::chatbot_lock::{self, ChatbotKey, RowLock};
use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::row::{Columns, micros};

/// Makes the passage of an item, with its words analyzed in the given language. The store calls it inside of
/// the transaction that changes the item, so that the passage always belongs to the texts that are stored.
pub type ChunkOfItem<'a> = &'a (dyn Fn(&FaqItem, Option<&str>) -> NewChunk + Send + Sync);

/// A locked chatbot that answers from an FAQ.
pub(crate) struct LinkedChatbot {
    key: ChatbotKey,
    language: Option<String>,
}

/// Returns the chatbots that answer from an FAQ, in the order of their ids.
pub(crate) async fn linked(connection: &mut AnyConnection, key: &FaqKey) -> Result<Vec<Uuid>, StoreError> {
    let rows = sqlx::query("SELECT chatbot_id FROM faq_chatbots WHERE faq_id = $1 ORDER BY chatbot_id")
        .bind(&key.faq_id)
        .fetch_all(connection)
        .await?;
    Ok(rows.iter().map(|row| row.parsed("chatbot_id")).collect::<Result<_, _>>()?)
}

/// Locks the chatbots that answer from an FAQ.
pub(crate) async fn lock_linked(
    connection: &mut AnyConnection,
    dialect: Dialect,
    key: &FaqKey,
) -> Result<Vec<LinkedChatbot>, StoreError> {
    let ids = linked(&mut *connection, key).await?;
    lock(connection, dialect, key, ids).await
}

/// Locks chatbots of the FAQ's account, in the order of their ids. Those that were deleted meanwhile are left
/// out.
async fn lock(
    connection: &mut AnyConnection,
    dialect: Dialect,
    key: &FaqKey,
    chatbot_ids: impl IntoIterator<Item = Uuid>,
) -> Result<Vec<LinkedChatbot>, StoreError> {
    let scope = key.scope()?;
    let mut locked = Vec::new();
    for chatbot_id in chatbot_ids.into_iter().collect::<BTreeSet<_>>() {
        let found =
            chatbot_lock::lock(&mut *connection, dialect, RowLock::Exclusive, &scope, chatbot_id).await?;
        let Some(found) = found else { continue };
        let row = sqlx::query("SELECT language FROM chatbots WHERE chatbot_id = $1")
            .bind(&found.chatbot_id)
            .fetch_one(&mut *connection)
            .await?;
        locked.push(LinkedChatbot { key: found, language: row.text_opt("language")? });
    }
    Ok(locked)
}

/// Brings the chunks of some items in line with what is stored, in all chatbots of the FAQ. Returns whether
/// there are any.
pub(crate) async fn index(
    connection: &mut AnyConnection,
    dialect: Dialect,
    key: &FaqKey,
    chatbots: &[LinkedChatbot],
    items: &[FaqItem],
    chunk_of: ChunkOfItem<'_>,
    now: Timestamp,
) -> Result<(), StoreError> {
    for chatbot in chatbots {
        let language = key.language.as_deref().or(chatbot.language.as_deref());
        let mut is_used = false;
        for item in items {
            let chunk = (item.status == FaqItemStatus::Published).then(|| chunk_of(item, language));
            is_used |= chunk.is_some();
            let owner = ChunkOwner::FaqItem(item.faq_item_id);
            chunks::replace(&mut *connection, dialect, &chatbot.key, owner, chunk.as_slice()).await?;
        }
        if is_used {
            set_ready(&mut *connection, &chatbot.key, now).await?;
        }
    }
    Ok(())
}

/// Removes the chunks of an FAQ from some chatbots, and writes them anew in others.
pub(crate) async fn relink(
    connection: &mut AnyConnection,
    dialect: Dialect,
    key: &FaqKey,
    removed: &BTreeSet<Uuid>,
    changed: &BTreeSet<Uuid>,
    chunk_of: ChunkOfItem<'_>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let locked = lock(&mut *connection, dialect, key, removed.union(changed).copied()).await?;
    for chatbot_id in removed {
        sqlx::query(
            "DELETE FROM chunks WHERE chatbot_id = $1 \
             AND faq_item_id IN (SELECT item.faq_item_id FROM faq_items AS item WHERE item.faq_id = $2)",
        )
        .bind(chatbot_id.to_string())
        .bind(&key.faq_id)
        .execute(&mut *connection)
        .await?;
    }
    let changed: BTreeSet<String> = changed.iter().map(Uuid::to_string).collect();
    let chatbots: Vec<LinkedChatbot> =
        locked.into_iter().filter(|chatbot| changed.contains(&chatbot.key.chatbot_id)).collect();
    if chatbots.is_empty() {
        return Ok(());
    }
    let items = published(&mut *connection, key).await?;
    index(connection, dialect, key, &chatbots, &items, chunk_of, now).await
}

/// Returns the items that answers use.
async fn published(connection: &mut AnyConnection, key: &FaqKey) -> Result<Vec<FaqItem>, StoreError> {
    let all = sqlx::query_as(concat!(
        "SELECT ",
        faq_item_columns!(),
        " FROM faq_items WHERE faq_id = $1 AND status = 'published' ORDER BY position, faq_item_id"
    ));
    Ok(all.bind(&key.faq_id).fetch_all(connection).await?)
}

/// A chatbot that had nothing to answer from becomes ready.
async fn set_ready(
    connection: &mut AnyConnection,
    key: &ChatbotKey,
    now: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE chatbots SET status = 'ready', error_code = NULL, error_message = NULL, error_at = NULL, \
         updated_at = $2 WHERE chatbot_id = $1 AND status <> 'ready'",
    )
    .bind(&key.chatbot_id)
    .bind(micros(now))
    .execute(connection)
    .await?;
    Ok(())
}
