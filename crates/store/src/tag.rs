//! Tags: names by which training content can be told apart and searched in part.

use jiff::Timestamp;
use sqlx::FromRow;
use sqlx::any::AnyRow;
use uuid::Uuid;

use crate::chatbot::{self, Hold};
use crate::row::{Columns, micros, new_id, portable};
use crate::scope::{in_scope, scoped, scoped_as};
use crate::{Scope, Store, StoreError};

/// A tag of a chatbot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// Identifier.
    pub tag_id: Uuid,
    /// The chatbot whose content it marks.
    pub chatbot_id: Uuid,
    /// Its name; unique for the chatbot, upper and lower case being the same.
    pub name: String,
    /// Pages that have it.
    pub usage_count: u64,
    /// When it was made.
    pub created_at: Timestamp,
}

impl FromRow<'_, AnyRow> for Tag {
    fn from_row(row: &AnyRow) -> sqlx::Result<Self> {
        Ok(Self {
            tag_id: row.parsed("tag_id")?,
            chatbot_id: row.parsed("chatbot_id")?,
            name: row.text("name")?,
            usage_count: row.number("usage_count")?,
            created_at: row.time("created_at")?,
        })
    }
}

macro_rules! tag_columns {
    () => {
        "tag_id, chatbot_id, name, created_at, \
         (SELECT COUNT(*) FROM webpage_tags AS bound WHERE bound.tag_id = tags.tag_id) AS usage_count"
    };
}

impl Store {
    /// Makes a tag. `None` when there is no such chatbot.
    pub async fn create_tag(
        &self,
        scope: &Scope,
        chatbot_id: Uuid,
        name: &str,
        now: Timestamp,
    ) -> Result<Option<Tag>, StoreError> {
        let name = portable(name.trim());
        if name.is_empty() {
            return Err(StoreError::invalid("name", "it is empty"));
        }
        let mut transaction = self.begin().await?;
        let Some(key) =
            chatbot::hold(&mut transaction, self.dialect(), Hold::Exclusive, scope, chatbot_id).await?
        else {
            return Ok(None);
        };
        let created: Option<Tag> = sqlx::query_as(concat!(
            "INSERT INTO tags (tag_id, chatbot_id, account_id, name, name_key, created_at) \
             VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (chatbot_id, name_key) DO NOTHING RETURNING ",
            tag_columns!()
        ))
        .bind(new_id().to_string())
        .bind(&key.chatbot_id)
        .bind(&key.account_id)
        .bind(&name)
        .bind(name.to_lowercase())
        .bind(micros(now))
        .fetch_optional(&mut *transaction)
        .await?;
        if created.is_none() {
            let existing: Option<Tag> = sqlx::query_as(concat!(
                "SELECT ",
                tag_columns!(),
                " FROM tags WHERE chatbot_id = $1 AND name_key = $2"
            ))
            .bind(key.chatbot_id)
            .bind(name.to_lowercase())
            .fetch_optional(&mut *transaction)
            .await?;
            return Err(StoreError::AlreadyExists {
                entity: "tag",
                existing_id: existing.map(|tag| tag.tag_id.to_string()),
            });
        }
        transaction.commit().await?;
        Ok(created)
    }

    /// The tags of a chatbot by name.
    pub async fn tags(&self, scope: &Scope, chatbot_id: Uuid) -> Result<Vec<Tag>, StoreError> {
        let all = scoped_as(
            concat!(
                "SELECT ",
                tag_columns!(),
                " FROM tags WHERE ",
                in_scope!(),
                " AND chatbot_id = $3 ORDER BY name_key"
            ),
            scope,
        )
        .bind(chatbot_id.to_string());
        Ok(all.fetch_all(self.reader()).await?)
    }

    /// Gives a page a tag of the same chatbot. `false` when there is no such page or no such tag; `true` also
    /// when the page has it already.
    pub async fn tag_webpage(
        &self,
        scope: &Scope,
        webpage_id: Uuid,
        tag_id: Uuid,
    ) -> Result<bool, StoreError> {
        // The update changes nothing; it makes a binding that exists count as a row.
        let bound = scoped(
            concat!(
                "INSERT INTO webpage_tags (tag_id, webpage_id) SELECT t.tag_id, p.webpage_id FROM tags AS t \
                 JOIN webpages AS p ON p.chatbot_id = t.chatbot_id WHERE ",
                in_scope!("t."),
                " AND t.tag_id = $3 AND p.webpage_id = $4 \
                 ON CONFLICT (tag_id, webpage_id) DO UPDATE SET tag_id = excluded.tag_id"
            ),
            scope,
        )
        .bind(tag_id.to_string())
        .bind(webpage_id.to_string());
        Ok(bound.execute(self.writer()).await?.rows_affected() > 0)
    }

    /// Takes a tag from a page. `false` when the page does not have it.
    pub async fn untag_webpage(
        &self,
        scope: &Scope,
        webpage_id: Uuid,
        tag_id: Uuid,
    ) -> Result<bool, StoreError> {
        let unbound = scoped(
            concat!(
                "DELETE FROM webpage_tags WHERE webpage_id = $4 AND tag_id IN (SELECT t.tag_id FROM tags AS t WHERE ",
                in_scope!("t."),
                " AND t.tag_id = $3)"
            ),
            scope,
        )
        .bind(tag_id.to_string())
        .bind(webpage_id.to_string());
        Ok(unbound.execute(self.writer()).await?.rows_affected() > 0)
    }

    /// Removes a tag; the pages that have it stay. `false` when there is no such tag.
    pub async fn delete_tag(&self, scope: &Scope, tag_id: Uuid) -> Result<bool, StoreError> {
        let deleted = scoped(concat!("DELETE FROM tags WHERE ", in_scope!(), " AND tag_id = $3"), scope)
            .bind(tag_id.to_string());
        Ok(deleted.execute(self.writer()).await?.rows_affected() > 0)
    }
}
