//! Files of chatbots. Their content is stored outside of the database, under the key that the row names.
//!
//! The text of a file is read by a job. Each change after which it has to be read again raises the revision
//! of the row and enqueues a job in the same transaction; a job that has read an earlier revision changes
//! nothing.

mod reading;
mod warnings;

use jiff::Timestamp;
use sqlx::AnyConnection;
use uuid::Uuid;

use crate::accounts::plan_limits::{self, PlanLimitReached};
use crate::content::chunk::ChunkOwner;
use crate::content::chunks;
use crate::sql::chatbot_lock::{self, ChatbotKey, RowLock};
use crate::sql::error::StoreError;
use crate::sql::like::containing;
use crate::sql::nul::replace_nul;
use crate::sql::pages::{Page, PageRequest, Position};
use crate::sql::row::{Columns, micros, stored};
use crate::sql::scope::{Scope, in_scope, scoped, scoped_as};
use crate::work::jobs::{self, NewJob, Subject};

pub use self::reading::FileOutcome;
pub use self::warnings::{FileWarning, FileWarnings};

named_values! {
    /// The kind of a file.
    pub enum FileKind as "file kind" {
        /// Running text.
        Document = "document",
        /// Tables.
        Spreadsheet = "spreadsheet",
        /// A picture.
        Image = "image",
        /// A recording.
        Audio = "audio",
    }
}

named_values! {
    /// How far the reading of a file has come.
    pub enum FileStatus as "file status" {
        /// It waits for a worker.
        Pending = "pending",
        /// A worker reads it.
        Processing = "processing",
        /// Its text is known.
        Ready = "ready",
        /// It cannot be read.
        Failed = "failed",
        /// Nothing reads files of its kind.
        Skipped = "skipped",
    }
}

record! {
    /// A file.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct File, columns file_columns {
        /// Identifier.
        pub file_id: Uuid,
        /// The chatbot that answers from it.
        pub chatbot_id: Uuid,
        /// The account of that chatbot.
        pub account_id: Uuid,
        /// Title, shown where the file is cited.
        pub title: String,
        /// Whether a person gave the title; otherwise it follows the content.
        pub has_own_title: bool,
        /// Its name, as it was uploaded.
        pub file_name: String,
        /// The address to cite; a file without one is cited by its title.
        pub url: Option<String>,
        /// Its kind.
        pub kind: FileKind,
        /// Media type of its content.
        pub mime_type: String,
        /// Size of its content.
        pub size_bytes: u64,
        /// Hexadecimal SHA-256 of its content.
        pub sha256: String,
        /// Where its content is stored.
        pub object_key: String,
        /// Raised by every change after which the content has to be read again.
        pub revision: u64,
        /// How far the reading has come.
        pub status: FileStatus,
        /// Code of the reason why it could not be read.
        pub error_code: Option<String>,
        /// The reason in words.
        pub error_message: Option<String>,
        /// When the reason was found.
        pub error_at: Option<Timestamp>,
        /// What is missing from its text.
        pub warnings: FileWarnings,
        /// The number of pages, slides or sheets.
        pub page_count: Option<u32>,
        /// Language code of its text.
        pub language: Option<String>,
        /// Whether the chatbot answers from it.
        pub enabled: bool,
        /// The number of characters in its text.
        pub char_count: u64,
        /// The number of answers that used it.
        pub hit_count: u64,
        /// The number of passages in the index; 0 when it is not enabled.
        pub chunk_count: u64 = "(SELECT COUNT(*) FROM chunks AS chunk WHERE chunk.file_id = files.file_id)",
        /// Its tags.
        pub tag_ids: Vec<Uuid> = "COALESCE((SELECT string_agg(bound.tag_id, ' ' ORDER BY bound.tag_id) \
             FROM file_tags AS bound WHERE bound.file_id = files.file_id), '')",
        /// When it was created.
        pub created_at: Timestamp,
        /// When it was last changed or read.
        pub updated_at: Timestamp,
    }
}

/// The content of a file, which is stored already.
#[derive(Debug, Clone)]
pub struct FileContent {
    /// Its name.
    pub file_name: String,
    /// Its kind.
    pub kind: FileKind,
    /// Media type of the content.
    pub mime_type: String,
    /// Size of the content.
    pub size_bytes: u64,
    /// Hexadecimal SHA-256 of the content.
    pub sha256: String,
    /// Where the content is stored.
    pub object_key: String,
}

/// A file to be created.
#[derive(Debug, Clone)]
pub struct NewFile {
    /// Its identifier, which is a part of the object key.
    pub file_id: Uuid,
    /// Its title, if a person gave one.
    pub title: Option<String>,
    /// The title until the content is read.
    pub title_for_now: String,
    /// The address to cite.
    pub url: Option<String>,
    /// Its content.
    pub content: FileContent,
    /// Tags of the same chatbot; others are ignored.
    pub tag_ids: Vec<Uuid>,
    /// The job that reads it.
    pub job: NewJob,
}

/// A change of a file. What is `None` stays.
#[derive(Debug, Clone)]
pub struct FileUpdate {
    /// Title, from now on given by a person.
    pub title: Option<String>,
    /// The address to cite.
    pub url: Option<Option<String>>,
    /// Whether the chatbot answers from it.
    pub enabled: Option<bool>,
    /// Its tags.
    pub tag_ids: Option<Vec<Uuid>>,
    /// The job that reads it anew, if that is necessary.
    pub job: NewJob,
}

/// Which files a list has.
#[derive(Debug, Clone, Default)]
pub struct FilesFilter {
    /// Only those of this kind.
    pub kind: Option<FileKind>,
    /// Only those with this status.
    pub status: Option<FileStatus>,
    /// Only those with this tag.
    pub tag_id: Option<Uuid>,
    /// Only those whose title or name contains this text, regardless of case.
    pub text: Option<String>,
}

/// A file whose content was replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileReplaced {
    /// The file as it is now.
    pub file: File,
    /// Where its former content is stored.
    pub former_object_key: String,
}

/// Why a file cannot be stored.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The chatbot has a file with this content.
    #[error("the chatbot has a file with this content already")]
    AlreadyExists {
        /// That file.
        file_id: Uuid,
    },
    /// The plan of the account includes fewer bytes.
    #[error(transparent)]
    PlanLimit(#[from] PlanLimitReached),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for FileError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

group! {
    /// Files of chatbots.
    pub Files, files
}

impl Files<'_> {
    /// Creates a file that is read by its job. `None` when there is no such chatbot.
    pub async fn create(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        new: &NewFile,
        now: Timestamp,
    ) -> Result<Option<File>, FileError> {
        let mut transaction = self.store.begin().await?;
        let Some(key) = self.lock(&mut transaction, scope, chatbot_id).await? else { return Ok(None) };
        refuse_duplicate(&mut transaction, &key, &new.content.sha256, None).await?;
        plan_limits::storage(&mut transaction, &key.account_id).await?.take_many(new.content.size_bytes)?;
        let title = new.title.as_ref().unwrap_or(&new.title_for_now);
        sqlx::query(
            "INSERT INTO files (file_id, chatbot_id, account_id, title, has_own_title, file_name, search_text, url, \
             kind, mime_type, size_bytes, sha256, object_key, revision, status, enabled, char_count, created_at, \
             updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 1, 'pending', 1, 0, $14, $14)",
        )
        .bind(new.file_id.to_string())
        .bind(&key.chatbot_id)
        .bind(&key.account_id)
        .bind(replace_nul(title))
        .bind(i64::from(new.title.is_some()))
        .bind(replace_nul(&new.content.file_name))
        .bind(search_text(title, &new.content.file_name))
        .bind(new.url.as_deref().map(replace_nul))
        .bind(new.content.kind.as_str())
        .bind(new.content.mime_type.clone())
        .bind(stored(new.content.size_bytes))
        .bind(new.content.sha256.clone())
        .bind(new.content.object_key.clone())
        .bind(micros(now))
        .execute(&mut *transaction)
        .await?;
        bind_tags(&mut transaction, &key, new.file_id, &new.tag_ids).await?;
        enqueue(&mut transaction, &key, chatbot_id, &new.job, now).await?;
        let file = current(&mut transaction, &key, new.file_id).await?;
        transaction.commit().await?;
        Ok(file)
    }

    /// Replaces the content of a file. `None` when there is no such file.
    pub async fn replace_content(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        file_id: Uuid,
        content: &FileContent,
        job: &NewJob,
        now: Timestamp,
    ) -> Result<Option<FileReplaced>, FileError> {
        let mut transaction = self.store.begin().await?;
        let Some(key) = self.lock(&mut transaction, scope, chatbot_id).await? else { return Ok(None) };
        let Some(before) = current(&mut transaction, &key, file_id).await? else { return Ok(None) };
        refuse_duplicate(&mut transaction, &key, &content.sha256, Some(file_id)).await?;
        let grown = content.size_bytes.saturating_sub(before.size_bytes);
        plan_limits::storage(&mut transaction, &key.account_id).await?.take_many(grown)?;
        sqlx::query(
            "UPDATE files SET file_name = $3, search_text = $4, kind = $5, mime_type = $6, size_bytes = $7, \
             sha256 = $8, object_key = $9, revision = revision + 1, status = 'pending', error_code = NULL, \
             error_message = NULL, error_at = NULL, warnings = NULL, updated_at = $10 WHERE file_id = $1 AND chatbot_id = $2",
        )
        .bind(file_id.to_string())
        .bind(&key.chatbot_id)
        .bind(replace_nul(&content.file_name))
        .bind(search_text(&before.title, &content.file_name))
        .bind(content.kind.as_str())
        .bind(content.mime_type.clone())
        .bind(stored(content.size_bytes))
        .bind(content.sha256.clone())
        .bind(content.object_key.clone())
        .bind(micros(now))
        .execute(&mut *transaction)
        .await?;
        enqueue(&mut transaction, &key, chatbot_id, job, now).await?;
        let file = current(&mut transaction, &key, file_id).await?;
        transaction.commit().await?;
        Ok(file.map(|file| FileReplaced { file, former_object_key: before.object_key }))
    }

    /// Changes a file. After a change of what is indexed its content is read again. `None` when there is no
    /// such file.
    pub async fn update(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        file_id: Uuid,
        update: &FileUpdate,
        now: Timestamp,
    ) -> Result<Option<File>, StoreError> {
        let mut transaction = self.store.begin().await?;
        let Some(key) = self.lock(&mut transaction, scope, chatbot_id).await? else { return Ok(None) };
        let Some(before) = current(&mut transaction, &key, file_id).await? else { return Ok(None) };
        let title = update.title.as_ref().unwrap_or(&before.title);
        let url = update.url.as_ref().unwrap_or(&before.url);
        let enabled = update.enabled.unwrap_or(before.enabled);
        let is_changed = *title != before.title || *url != before.url || !before.enabled;
        let reads_again = enabled && is_changed;
        sqlx::query(
            "UPDATE files SET title = $3, has_own_title = CASE WHEN $4 = 1 THEN 1 ELSE has_own_title END, \
             search_text = $5, url = $6, enabled = $7, revision = revision + $8, \
             status = CASE WHEN $8 = 1 THEN 'pending' ELSE status END, updated_at = $9 \
             WHERE file_id = $1 AND chatbot_id = $2",
        )
        .bind(file_id.to_string())
        .bind(&key.chatbot_id)
        .bind(replace_nul(title))
        .bind(i64::from(update.title.is_some()))
        .bind(search_text(title, &before.file_name))
        .bind(url.as_deref().map(replace_nul))
        .bind(i64::from(enabled))
        .bind(i64::from(reads_again))
        .bind(micros(now))
        .execute(&mut *transaction)
        .await?;
        if !enabled {
            let owner = ChunkOwner::File(file_id);
            chunks::replace(&mut transaction, self.store.dialect(), &key, owner, &[]).await?;
        }
        if let Some(tag_ids) = &update.tag_ids {
            bind_tags(&mut transaction, &key, file_id, tag_ids).await?;
        }
        if reads_again {
            enqueue(&mut transaction, &key, chatbot_id, &update.job, now).await?;
        }
        let file = current(&mut transaction, &key, file_id).await?;
        transaction.commit().await?;
        Ok(file)
    }

    /// One page of the files of a chatbot, oldest first.
    pub async fn page(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        filter: &FilesFilter,
        page: &PageRequest,
    ) -> Result<Page<File>, StoreError> {
        let (key, id) = page.after_number();
        let rows = scoped_as(
            concat!(
                "SELECT ",
                file_columns!(),
                " FROM files WHERE ",
                in_scope!(),
                " AND chatbot_id = $3 AND (created_at, file_id) > ($4, $5) \
                 AND ($6 = '' OR EXISTS (SELECT 1 FROM file_tags AS bound \
                 WHERE bound.file_id = files.file_id AND bound.tag_id = $6)) \
                 AND ($7 = '' OR kind = $7) AND ($8 = '' OR status = $8) \
                 AND ($9 = '' OR search_text LIKE $9 ESCAPE '!') ORDER BY created_at, file_id LIMIT $10"
            ),
            scope,
        )
        .bind(chatbot_id.to_string())
        .bind(key)
        .bind(id)
        .bind(filter.tag_id.map(|id| id.to_string()).unwrap_or_default())
        .bind(filter.kind.map(FileKind::as_str).unwrap_or_default())
        .bind(filter.status.map(FileStatus::as_str).unwrap_or_default())
        .bind(filter.text.as_deref().map(containing).unwrap_or_default())
        .bind(page.rows())
        .fetch_all(self.store.reader())
        .await?;
        Ok(Page::of(rows, page, |last: &File| Position::number(micros(last.created_at), last.file_id)))
    }

    /// One file of a chatbot.
    pub async fn find(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        file_id: Uuid,
    ) -> Result<Option<File>, StoreError> {
        let one = scoped_as(
            concat!(
                "SELECT ",
                file_columns!(),
                " FROM files WHERE ",
                in_scope!(),
                " AND chatbot_id = $3 AND file_id = $4"
            ),
            scope,
        )
        .bind(chatbot_id.to_string())
        .bind(file_id.to_string());
        Ok(one.fetch_optional(self.store.reader()).await?)
    }

    /// Deletes a file with its passages, and returns where its content is stored. `None` when there is no
    /// such file.
    pub async fn delete(self, scope: &Scope, file_id: Uuid) -> Result<Option<String>, StoreError> {
        let deleted = scoped(
            concat!("DELETE FROM files WHERE ", in_scope!(), " AND file_id = $3 RETURNING object_key"),
            scope,
        )
        .bind(file_id.to_string());
        let row = deleted.fetch_optional(self.store.writer()).await?;
        Ok(row.map(|row| row.text("object_key")).transpose()?)
    }

    async fn lock(
        self,
        connection: &mut AnyConnection,
        scope: &Scope,
        chatbot_id: Uuid,
    ) -> Result<Option<ChatbotKey>, StoreError> {
        chatbot_lock::lock(connection, self.store.dialect(), RowLock::Exclusive, scope, chatbot_id).await
    }
}

/// Reads a file below a locked chatbot.
async fn current(
    connection: &mut AnyConnection,
    key: &ChatbotKey,
    file_id: Uuid,
) -> Result<Option<File>, StoreError> {
    let file = sqlx::query_as(concat!(
        "SELECT ",
        file_columns!(),
        " FROM files WHERE file_id = $1 AND chatbot_id = $2"
    ))
    .bind(file_id.to_string())
    .bind(&key.chatbot_id);
    Ok(file.fetch_optional(connection).await?)
}

async fn refuse_duplicate(
    connection: &mut AnyConnection,
    key: &ChatbotKey,
    sha256: &str,
    own: Option<Uuid>,
) -> Result<(), FileError> {
    let same =
        sqlx::query("SELECT file_id FROM files WHERE chatbot_id = $1 AND sha256 = $2 AND file_id <> $3")
            .bind(&key.chatbot_id)
            .bind(sha256.to_owned())
            .bind(own.map(|id| id.to_string()).unwrap_or_default())
            .fetch_optional(connection)
            .await?;
    match same {
        Some(row) => Err(FileError::AlreadyExists { file_id: row.parsed("file_id")? }),
        None => Ok(()),
    }
}

async fn enqueue(
    connection: &mut AnyConnection,
    key: &ChatbotKey,
    chatbot_id: Uuid,
    job: &NewJob,
    now: Timestamp,
) -> Result<(), StoreError> {
    // The job is deleted with the chatbot; without its file it finds nothing to do.
    jobs::insert(connection, Some(&key.account_id), Some(Subject::chatbot(chatbot_id)), job, now).await?;
    Ok(())
}

async fn bind_tags(
    connection: &mut AnyConnection,
    key: &ChatbotKey,
    file_id: Uuid,
    tag_ids: &[Uuid],
) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM file_tags WHERE file_id = $1")
        .bind(file_id.to_string())
        .execute(&mut *connection)
        .await?;
    for tag_id in tag_ids {
        sqlx::query(
            "INSERT INTO file_tags (tag_id, file_id) SELECT tag_id, $2 FROM tags WHERE tag_id = $1 AND chatbot_id = $3 \
             ON CONFLICT (tag_id, file_id) DO NOTHING",
        )
        .bind(tag_id.to_string())
        .bind(file_id.to_string())
        .bind(&key.chatbot_id)
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

fn search_text(title: &str, file_name: &str) -> String {
    replace_nul(format!("{title}\n{file_name}")).to_lowercase()
}
