//! Chatbots and their settings.

use jiff::Timestamp;
use serde_json::Value;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, FromRow, Row};
use uuid::Uuid;

use crate::database::Dialect;
use crate::row::{Columns, micros, new_id, portable, portable_opt};
use crate::scope::{in_scope, scoped, scoped_as};
use crate::{NewJob, NewPage, Scope, Store, StoreError, job, webpage};

named_values! {
    /// How far a chatbot's training has come.
    pub enum ChatbotStatus as "chatbot status" {
        /// Nothing is trained yet, work is under way.
        Training = "training",
        /// It can answer.
        Ready = "ready",
        /// Training ended without anything to answer from.
        Failed = "failed",
    }
}

/// Why a chatbot's training failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatbotError {
    /// A stable code.
    pub code: String,
    /// What happened, for people.
    pub message: String,
    /// When.
    pub at: Timestamp,
}

/// A chatbot.
#[derive(Debug, Clone, PartialEq)]
pub struct Chatbot {
    /// Identifier.
    pub chatbot_id: Uuid,
    /// The account it belongs to.
    pub account_id: Uuid,
    /// Display name.
    pub name: String,
    /// How far training has come.
    pub status: ChatbotStatus,
    /// The whole settings document; its shape is the service's.
    pub settings: Value,
    /// Default language code.
    pub language: Option<String>,
    /// Why training failed, if it did.
    pub last_error: Option<ChatbotError>,
    /// Pages that are trained.
    pub training_sources: u64,
    /// When it was made.
    pub created_at: Timestamp,
    /// When its settings or status last changed.
    pub updated_at: Timestamp,
}

impl Chatbot {
    /// The scope of the account the chatbot belongs to, and nothing else.
    pub const fn scope(&self) -> Scope {
        Scope::of_account(self.account_id)
    }
}

/// The columns of [`Chatbot`], from `chatbots`.
macro_rules! chatbot_columns {
    () => {
        "chatbot_id, account_id, name, status, settings, language, error_code, error_message, error_at, \
         created_at, updated_at, (SELECT COUNT(*) FROM webpages AS page \
         WHERE page.chatbot_id = chatbots.chatbot_id AND page.status = 'ready') AS training_sources"
    };
}

impl FromRow<'_, AnyRow> for Chatbot {
    fn from_row(row: &AnyRow) -> sqlx::Result<Self> {
        let last_error = match (row.text_opt("error_code")?, row.time_opt("error_at")?) {
            (Some(code), Some(at)) => {
                let message = row.text_opt("error_message")?.unwrap_or_default();
                Some(ChatbotError { code, message, at })
            }
            _ => None,
        };
        Ok(Self {
            chatbot_id: row.parsed("chatbot_id")?,
            account_id: row.parsed("account_id")?,
            name: row.text("name")?,
            status: row.parsed("status")?,
            settings: row.json("settings")?,
            language: row.text_opt("language")?,
            last_error,
            training_sources: row.number("training_sources")?,
            created_at: row.time("created_at")?,
            updated_at: row.time("updated_at")?,
        })
    }
}

/// A chatbot to be made, with what it is trained on and the job that will train it.
#[derive(Debug, Clone)]
pub struct NewChatbot {
    /// Display name.
    pub name: String,
    /// Default language code.
    pub language: Option<String>,
    /// The whole settings document.
    pub settings: Value,
    /// Where training starts. Duplicates are ignored.
    pub pages: Vec<NewPage>,
    /// The job that trains it; it gets the new chatbot's id, whatever `chatbot_id` says.
    pub job: NewJob,
}

/// A chatbot found inside a scope, as other tables refer to it.
pub(crate) struct ChatbotKey {
    pub(crate) chatbot_no: i64,
    pub(crate) chatbot_id: String,
    pub(crate) account_id: String,
}

/// How a transaction that writes below a chatbot holds it. SQLite needs neither: its write transactions run one
/// at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hold {
    /// It cannot be deleted meanwhile. For conversations and jobs, which come often and must not wait for
    /// training.
    Existing,
    /// It cannot be written meanwhile by another holder of this kind. For its pages, whose number is bounded.
    Exclusive,
}

/// Finds a chatbot and holds it until the transaction ends. Whatever writes below a chatbot does this first, so
/// such writes never deadlock with each other.
pub(crate) async fn hold(
    connection: &mut AnyConnection,
    dialect: Dialect,
    hold: Hold,
    scope: &Scope,
    chatbot_id: Uuid,
) -> Result<Option<ChatbotKey>, StoreError> {
    macro_rules! select {
        ($lock:literal) => {
            concat!(
                "SELECT chatbot_no, chatbot_id, account_id FROM chatbots WHERE ",
                in_scope!(),
                " AND chatbot_id = $3",
                $lock
            )
        };
    }
    let sql = match (dialect, hold) {
        (Dialect::Sqlite, _) => select!(""),
        (Dialect::Postgres, Hold::Existing) => select!(" FOR KEY SHARE"),
        (Dialect::Postgres, Hold::Exclusive) => select!(" FOR NO KEY UPDATE"),
    };
    let row = scoped(sql, scope).bind(chatbot_id.to_string()).fetch_optional(connection).await?;
    row.map(|row| {
        Ok(ChatbotKey {
            chatbot_no: row.int("chatbot_no")?,
            chatbot_id: row.text("chatbot_id")?,
            account_id: row.text("account_id")?,
        })
    })
    .transpose()
}

impl Store {
    /// Makes a chatbot in the account of the scope, together with its first pages and its training job: all of
    /// it or nothing.
    pub async fn create_chatbot(
        &self,
        scope: &Scope,
        new: &NewChatbot,
        now: Timestamp,
    ) -> Result<Chatbot, StoreError> {
        let mut transaction = self.begin().await?;
        let row = sqlx::query(
            "INSERT INTO chatbots \
             (chatbot_id, account_id, name, status, settings, language, created_at, updated_at) \
             VALUES ($1, $2, $3, 'training', $4, $5, $6, $6) RETURNING chatbot_no, chatbot_id, account_id",
        )
        .bind(new_id().to_string())
        .bind(scope.account_id.to_string())
        .bind(portable(&new.name))
        .bind(new.settings.to_string())
        .bind(portable_opt(new.language.as_deref()))
        .bind(micros(now))
        .fetch_one(&mut *transaction)
        .await?;
        let key = ChatbotKey {
            chatbot_no: row.try_get("chatbot_no")?,
            chatbot_id: row.text("chatbot_id")?,
            account_id: row.text("account_id")?,
        };
        webpage::insert(&mut transaction, &key, &new.pages, u64::MAX, now).await?;
        job::insert(&mut transaction, &key.account_id, Some(&key.chatbot_id), &new.job, now).await?;
        let chatbot =
            sqlx::query_as(concat!("SELECT ", chatbot_columns!(), " FROM chatbots WHERE chatbot_id = $1"))
                .bind(key.chatbot_id)
                .fetch_one(&mut *transaction)
                .await?;
        transaction.commit().await?;
        Ok(chatbot)
    }

    /// The chatbots of the scope, oldest first.
    pub async fn chatbots(&self, scope: &Scope) -> Result<Vec<Chatbot>, StoreError> {
        let all = scoped_as(
            concat!(
                "SELECT ",
                chatbot_columns!(),
                " FROM chatbots WHERE ",
                in_scope!(),
                " ORDER BY created_at, chatbot_id"
            ),
            scope,
        );
        Ok(all.fetch_all(self.reader()).await?)
    }

    /// One chatbot.
    pub async fn chatbot(&self, scope: &Scope, chatbot_id: Uuid) -> Result<Option<Chatbot>, StoreError> {
        let one = scoped_as(
            concat!(
                "SELECT ",
                chatbot_columns!(),
                " FROM chatbots WHERE ",
                in_scope!(),
                " AND chatbot_id = $3"
            ),
            scope,
        )
        .bind(chatbot_id.to_string());
        Ok(one.fetch_optional(self.reader()).await?)
    }

    /// The chatbot with this id in whatever account, with the scope of that account. Takes no scope because the
    /// e-mail reply of the interface is called without a key: the id is all that is known.
    pub async fn chatbot_for_public_reply(
        &self,
        chatbot_id: Uuid,
    ) -> Result<Option<(Scope, Chatbot)>, StoreError> {
        let chatbot: Option<Chatbot> =
            sqlx::query_as(concat!("SELECT ", chatbot_columns!(), " FROM chatbots WHERE chatbot_id = $1"))
                .bind(chatbot_id.to_string())
                .fetch_optional(self.reader())
                .await?;
        Ok(chatbot.map(|chatbot| (chatbot.scope(), chatbot)))
    }

    /// Chatbots in whatever account that are said to be in training although no job works or waits for them, as a crash
    /// between the end of a job and what follows from it leaves them. Takes no scope because workers serve all accounts;
    /// each chatbot brings its own.
    pub async fn stranded_chatbots(&self) -> Result<Vec<Chatbot>, StoreError> {
        let chatbots = sqlx::query_as(concat!(
            "SELECT ",
            chatbot_columns!(),
            " FROM chatbots WHERE status = 'training' AND NOT EXISTS (SELECT 1 FROM jobs \
             WHERE jobs.chatbot_id = chatbots.chatbot_id AND jobs.state IN ('queued', 'running'))"
        ));
        Ok(chatbots.fetch_all(self.reader()).await?)
    }

    /// Reads a chatbot, lets `change` edit it and writes `name`, `language` and `settings` back; no other
    /// change of the same chatbot comes between. Everything else in the record belongs to the store, and edits
    /// of it are lost.
    pub async fn update_chatbot<F>(
        &self,
        scope: &Scope,
        chatbot_id: Uuid,
        now: Timestamp,
        change: F,
    ) -> Result<Option<Chatbot>, StoreError>
    where
        F: FnOnce(&mut Chatbot) + Send,
    {
        let mut transaction = self.begin().await?;
        let Some(key) = hold(&mut transaction, self.dialect(), Hold::Exclusive, scope, chatbot_id).await?
        else {
            return Ok(None);
        };
        let mut chatbot: Chatbot =
            sqlx::query_as(concat!("SELECT ", chatbot_columns!(), " FROM chatbots WHERE chatbot_id = $1"))
                .bind(&key.chatbot_id)
                .fetch_one(&mut *transaction)
                .await?;
        change(&mut chatbot);
        let updated = sqlx::query_as(concat!(
            "UPDATE chatbots SET name = $2, language = $3, settings = $4, updated_at = $5 \
             WHERE chatbot_id = $1 RETURNING ",
            chatbot_columns!()
        ))
        .bind(key.chatbot_id)
        .bind(portable(&chatbot.name))
        .bind(portable_opt(chatbot.language.as_deref()))
        .bind(chatbot.settings.to_string())
        .bind(micros(now))
        .fetch_one(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(Some(updated))
    }

    /// Notes how far training has come, and the error of a failure given as code and message; without one an
    /// earlier error is forgotten. `false` when there is no such chatbot, for instance because it was deleted
    /// during training.
    pub async fn set_chatbot_status(
        &self,
        scope: &Scope,
        chatbot_id: Uuid,
        status: ChatbotStatus,
        error: Option<(&str, &str)>,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let changed = scoped(
            concat!(
                "UPDATE chatbots SET status = $4, error_code = $5, error_message = $6, error_at = $7, \
                 updated_at = $8 WHERE ",
                in_scope!(),
                " AND chatbot_id = $3"
            ),
            scope,
        )
        .bind(chatbot_id.to_string())
        .bind(status.as_str())
        .bind(error.map(|(code, _)| portable(code)))
        .bind(error.map(|(_, message)| portable(message)))
        .bind(error.map(|_| micros(now)))
        .bind(micros(now));
        Ok(changed.execute(self.writer()).await?.rows_affected() > 0)
    }

    /// Removes a chatbot with everything below it: pages, chunks and their index entries, tags, conversations,
    /// counters and jobs. A worker that holds one of the jobs loses its lease. `false` when there is no such
    /// chatbot.
    pub async fn delete_chatbot(&self, scope: &Scope, chatbot_id: Uuid) -> Result<bool, StoreError> {
        let deleted =
            scoped(concat!("DELETE FROM chatbots WHERE ", in_scope!(), " AND chatbot_id = $3"), scope)
                .bind(chatbot_id.to_string());
        Ok(deleted.execute(self.writer()).await?.rows_affected() > 0)
    }
}
