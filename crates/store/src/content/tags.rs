//! Tags: names that group training content, so that a search can be restricted to some of it.

use jiff::Timestamp;
use uuid::Uuid;

use crate::sql::chatbot_lock::{self, RowLock};
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::pages::{Page, PageRequest, Position};
use crate::sql::row::{micros, new_id};
use crate::sql::scope::{Scope, in_scope, scoped, scoped_as};

record! {
    /// A tag of a chatbot.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Tag, columns tag_columns {
        /// Identifier.
        pub tag_id: Uuid,
        /// The chatbot whose content it marks.
        pub chatbot_id: Uuid,
        /// Its name; unique for the chatbot, upper and lower case being the same.
        pub name: String,
        /// Color in which it is shown, such as `#1f6feb`.
        pub color: Option<String>,
        /// The number of training sources that have it.
        pub usage_count: u64 = "(SELECT COUNT(*) FROM source_tags AS bound WHERE bound.tag_id = tags.tag_id)",
        /// When it was made.
        pub created_at: Timestamp,
    }
}

/// Why a tag cannot be created or renamed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TagError {
    /// The chatbot has a tag with this name already.
    #[error("the chatbot already has a tag with this name ({tag_id})")]
    AlreadyExists {
        /// The tag.
        tag_id: Uuid,
    },
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for TagError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

group! {
    /// Tags of training content.
    pub Tags, tags
}

impl Tags<'_> {
    /// Creates a tag. `None` when there is no such chatbot.
    pub async fn create(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        name: &str,
        color: Option<&str>,
        now: Timestamp,
    ) -> Result<Option<Tag>, TagError> {
        let name = replace_nul(name.trim());
        if name.is_empty() {
            return Err(StoreError::invalid("name", "it is empty").into());
        }
        let mut transaction = self.store.begin().await?;
        let Some(key) =
            chatbot_lock::lock(&mut transaction, self.store.dialect(), RowLock::Exclusive, scope, chatbot_id)
                .await?
        else {
            return Ok(None);
        };
        let created: Option<Tag> = sqlx::query_as(concat!(
            "INSERT INTO tags (tag_id, chatbot_id, account_id, name, name_key, created_at, color) \
             VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (chatbot_id, name_key) DO NOTHING RETURNING ",
            tag_columns!()
        ))
        .bind(new_id().to_string())
        .bind(&key.chatbot_id)
        .bind(&key.account_id)
        .bind(&name)
        .bind(name.to_lowercase())
        .bind(micros(now))
        .bind(color.map(replace_nul))
        .fetch_optional(&mut *transaction)
        .await?;
        if created.is_none() {
            let existing: Tag = sqlx::query_as(concat!(
                "SELECT ",
                tag_columns!(),
                " FROM tags WHERE chatbot_id = $1 AND name_key = $2"
            ))
            .bind(key.chatbot_id)
            .bind(name.to_lowercase())
            .fetch_one(&mut *transaction)
            .await?;
            return Err(TagError::AlreadyExists { tag_id: existing.tag_id });
        }
        transaction.commit().await?;
        Ok(created)
    }

    /// The tags of a chatbot by name.
    pub async fn list(self, scope: &Scope, chatbot_id: Uuid) -> Result<Vec<Tag>, StoreError> {
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
        Ok(all.fetch_all(self.store.reader()).await?)
    }

    /// One page of the tags of a chatbot, by name.
    pub async fn page(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        page: &PageRequest,
    ) -> Result<Page<Tag>, StoreError> {
        let (key, id) = page.after_text();
        let rows = scoped_as(
            concat!(
                "SELECT ",
                tag_columns!(),
                " FROM tags WHERE ",
                in_scope!(),
                " AND chatbot_id = $3 AND (name_key, tag_id) > ($4, $5) ORDER BY name_key, tag_id LIMIT $6"
            ),
            scope,
        )
        .bind(chatbot_id.to_string())
        .bind(key)
        .bind(id)
        .bind(page.rows())
        .fetch_all(self.store.reader())
        .await?;
        Ok(Page::of(rows, page, |last: &Tag| Position::text(last.name.to_lowercase(), last.tag_id)))
    }

    /// One tag of a chatbot.
    pub async fn find(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        tag_id: Uuid,
    ) -> Result<Option<Tag>, StoreError> {
        let one = scoped_as(
            concat!(
                "SELECT ",
                tag_columns!(),
                " FROM tags WHERE ",
                in_scope!(),
                " AND chatbot_id = $3 AND tag_id = $4"
            ),
            scope,
        )
        .bind(chatbot_id.to_string())
        .bind(tag_id.to_string());
        Ok(one.fetch_optional(self.store.reader()).await?)
    }

    /// Changes the name of a tag, its color, or both: what is `None` stays. `None` when there is no such
    /// tag.
    pub async fn update(
        self,
        scope: &Scope,
        tag_id: Uuid,
        name: Option<&str>,
        color: Option<Option<&str>>,
    ) -> Result<Option<Tag>, TagError> {
        let name = name.map(|name| replace_nul(name.trim()));
        let mut transaction = self.store.begin().await?;
        let updated = scoped_as(
            concat!(
                "UPDATE tags SET name = COALESCE($4, name), name_key = COALESCE($5, name_key), \
                 color = CASE WHEN $6 = 1 THEN $7 ELSE color END WHERE ",
                in_scope!(),
                " AND tag_id = $3 RETURNING ",
                tag_columns!()
            ),
            scope,
        )
        .bind(tag_id.to_string())
        .bind(name.clone())
        .bind(name.as_deref().map(str::to_lowercase))
        .bind(i64::from(color.is_some()))
        .bind(color.flatten().map(replace_nul))
        .fetch_optional(&mut *transaction)
        .await
        .map_err(StoreError::from);
        match updated {
            Ok(tag) => {
                transaction.commit().await?;
                Ok(tag)
            }
            Err(error) if error.is_unique_violation() => {
                drop(transaction);
                let name_key = name.unwrap_or_default().to_lowercase();
                let holder: Option<Tag> = scoped_as(
                    concat!(
                        "SELECT ",
                        tag_columns!(),
                        " FROM tags WHERE ",
                        in_scope!(),
                        " AND name_key = $3 AND chatbot_id = (SELECT t.chatbot_id FROM tags AS t WHERE t.tag_id = $4)"
                    ),
                    scope,
                )
                .bind(name_key)
                .bind(tag_id.to_string())
                .fetch_optional(self.store.reader())
                .await?;
                // Gone again since: the caller may repeat the call.
                let holder = holder.ok_or(StoreError::Contended { entity: "tag" })?;
                Err(TagError::AlreadyExists { tag_id: holder.tag_id })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Gives a page a tag of the same chatbot. `false` when there is no such page or no such tag; `true` also
    /// when the page has it already.
    pub async fn tag_webpage(
        self,
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
        Ok(bound.execute(self.store.writer()).await?.rows_affected() > 0)
    }

    /// Takes a tag from a page. `false` when the page does not have it.
    pub async fn untag_webpage(
        self,
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
        Ok(unbound.execute(self.store.writer()).await?.rows_affected() > 0)
    }

    /// Removes a tag; the pages that have it stay. `false` when there is no such tag.
    pub async fn delete(self, scope: &Scope, tag_id: Uuid) -> Result<bool, StoreError> {
        let deleted = scoped(concat!("DELETE FROM tags WHERE ", in_scope!(), " AND tag_id = $3"), scope)
            .bind(tag_id.to_string());
        Ok(deleted.execute(self.store.writer()).await?.rows_affected() > 0)
    }
}
