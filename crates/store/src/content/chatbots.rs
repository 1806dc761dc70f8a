//! Chatbots and their settings.

use jiff::Timestamp;
use serde_json::Value;
use sqlx::Row;
use uuid::Uuid;

use crate::accounts::plan_limits::{self, PlanLimitReached, PlanResource};
use crate::content::failure::ChatbotError;
use crate::content::webpages::NewPage;
use crate::content::websites::{self, NewWebsite, WebsiteError, WebsiteOptions, WebsiteSource};
use crate::events::snapshots::EventChatbot;
use crate::events::states::ChatbotStatus;
use crate::events::{self, EventData, EventFailure};
use crate::sql::chatbot_lock::{self, ChatbotKey, RowLock};
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::row::{Columns, micros, new_id};
use crate::sql::scope::{Scope, find_by_id, in_scope, row_by_id, scoped, scoped_as};
use crate::work::jobs::{self, NewJob, Subject};

record! {
    /// A chatbot.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Chatbot, columns chatbot_columns {
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
        pub last_error: Option<ChatbotError> = ["error_code, error_message, error_at"],
        /// The number of sources that it can answer from.
        pub training_sources: u64 = "(SELECT COUNT(*) FROM training_sources AS source \
             WHERE source.chatbot_id = chatbots.chatbot_id)",
        /// When it was made.
        pub created_at: Timestamp,
        /// When its settings or status last changed.
        pub updated_at: Timestamp,
    }
}

impl Chatbot {
    /// The scope of the account the chatbot belongs to, and nothing else.
    pub const fn scope(&self) -> Scope {
        Scope::of_account(self.account_id)
    }
}

/// A chatbot to be made, with the websites that it is trained on and the job that crawls each of them.
#[derive(Debug, Clone)]
pub struct NewChatbot {
    /// Display name.
    pub name: String,
    /// Default language code.
    pub language: Option<String>,
    /// The whole settings document.
    pub settings: Value,
    /// The start pages; each becomes a website. Duplicates are ignored.
    pub pages: Vec<NewPage>,
    /// The job that crawls a website; its subject becomes the new website, whatever `subject` says.
    pub job: NewJob,
}

/// Why a chatbot cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CreateChatbotError {
    /// The plan of the account includes no more chatbots, or no more webpages.
    #[error(transparent)]
    PlanLimit(#[from] PlanLimitReached),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for CreateChatbotError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

impl From<&Chatbot> for EventChatbot {
    fn from(chatbot: &Chatbot) -> Self {
        Self { chatbot_id: chatbot.chatbot_id, name: chatbot.name.clone(), status: chatbot.status }
    }
}

group! {
    /// Chatbots and their settings.
    pub Chatbots, chatbots
}

impl Chatbots<'_> {
    /// Makes a chatbot in the account of the scope, together with its websites and their jobs: all of it or
    /// nothing.
    pub async fn create(
        self,
        scope: &Scope,
        new: &NewChatbot,
        now: Timestamp,
    ) -> Result<Chatbot, CreateChatbotError> {
        let mut transaction = self.store.begin().await?;
        let row = sqlx::query(
            "INSERT INTO chatbots \
             (chatbot_id, account_id, name, status, settings, language, created_at, updated_at) \
             VALUES ($1, $2, $3, 'training', $4, $5, $6, $6) RETURNING chatbot_no, chatbot_id, account_id",
        )
        .bind(new_id().to_string())
        .bind(scope.account_id.to_string())
        .bind(replace_nul(&new.name))
        .bind(new.settings.to_string())
        .bind(new.language.as_deref().map(replace_nul))
        .bind(micros(now))
        .fetch_one(&mut *transaction)
        .await?;
        let key = ChatbotKey {
            chatbot_no: row.try_get("chatbot_no")?,
            chatbot_id: row.text("chatbot_id")?,
            account_id: row.text("account_id")?,
        };
        for page in &new.pages {
            let website = NewWebsite {
                url: page.url.clone(),
                source: WebsiteSource::Crawl,
                options: WebsiteOptions::default(),
                tag_ids: Vec::new(),
                job: new.job.clone(),
            };
            match websites::insert(&mut transaction, self.store.dialect(), &key, &website, now).await {
                Ok(_) | Err(WebsiteError::AlreadyExists { .. }) => {}
                Err(WebsiteError::PlanLimit(reached)) => return Err(reached.into()),
                Err(WebsiteError::Store(error)) => return Err(error.into()),
            }
        }
        for resource in [PlanResource::Chatbots, PlanResource::Webpages] {
            plan_limits::room(&mut transaction, &key.account_id, resource, None).await?.check()?;
        }
        let chatbot: Chatbot =
            sqlx::query_as(concat!("SELECT ", chatbot_columns!(), " FROM chatbots WHERE chatbot_id = $1"))
                .bind(&key.chatbot_id)
                .fetch_one(&mut *transaction)
                .await?;
        transaction.commit().await?;
        Ok(chatbot)
    }

    /// The chatbots of the scope, oldest first.
    pub async fn list(self, scope: &Scope) -> Result<Vec<Chatbot>, StoreError> {
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
        Ok(all.fetch_all(self.store.reader()).await?)
    }

    /// One chatbot.
    pub async fn find(self, scope: &Scope, chatbot_id: Uuid) -> Result<Option<Chatbot>, StoreError> {
        find_by_id(self.store, row_by_id!(chatbot_columns of "chatbots", "chatbot_id"), scope, chatbot_id)
            .await
    }

    /// The chatbot with this id in whatever account, with the scope of that account. Takes no scope because
    /// the e-mail reply of the interface is called without a key: the id is all that is known.
    pub async fn find_public(self, chatbot_id: Uuid) -> Result<Option<(Scope, Chatbot)>, StoreError> {
        let chatbot: Option<Chatbot> =
            sqlx::query_as(concat!("SELECT ", chatbot_columns!(), " FROM chatbots WHERE chatbot_id = $1"))
                .bind(chatbot_id.to_string())
                .fetch_optional(self.store.reader())
                .await?;
        Ok(chatbot.map(|chatbot| (chatbot.scope(), chatbot)))
    }

    /// Chatbots in whatever account that are said to be in training although no job works or waits for them,
    /// as a crash between the end of a job and what follows from it leaves them. Takes no scope because
    /// workers serve all accounts; each chatbot brings its own.
    pub async fn stranded(self) -> Result<Vec<Chatbot>, StoreError> {
        let chatbots = sqlx::query_as(concat!(
            "SELECT ",
            chatbot_columns!(),
            " FROM chatbots WHERE status = 'training' AND NOT EXISTS (SELECT 1 FROM jobs \
             WHERE jobs.state IN ('queued', 'running') AND ((jobs.subject = 'chatbot' \
             AND jobs.subject_id = chatbots.chatbot_id) OR (jobs.subject = 'website' AND jobs.subject_id IN \
             (SELECT w.website_id FROM websites AS w WHERE w.chatbot_id = chatbots.chatbot_id))))"
        ));
        Ok(chatbots.fetch_all(self.store.reader()).await?)
    }

    /// Reads a chatbot, lets `change` edit it and writes `name`, `language` and `settings` back; no other
    /// change of the same chatbot comes between. Everything else in the record belongs to the store, and
    /// edits of it are lost.
    pub async fn update<F>(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        now: Timestamp,
        change: F,
    ) -> Result<Option<Chatbot>, StoreError>
    where
        F: FnOnce(&mut Chatbot) + Send,
    {
        let mut transaction = self.store.begin().await?;
        let Some(key) =
            chatbot_lock::lock(&mut transaction, self.store.dialect(), RowLock::Exclusive, scope, chatbot_id)
                .await?
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
        .bind(replace_nul(&chatbot.name))
        .bind(chatbot.language.as_deref().map(replace_nul))
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
    pub async fn set_status(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        status: ChatbotStatus,
        error: Option<(&str, &str)>,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut transaction = self.store.begin().await?;
        let dialect = transaction.dialect();
        let lock = RowLock::Exclusive;
        if chatbot_lock::lock(&mut transaction, dialect, lock, scope, chatbot_id).await?.is_none() {
            return Ok(false);
        }
        let before = sqlx::query("SELECT status FROM chatbots WHERE chatbot_id = $1")
            .bind(chatbot_id.to_string())
            .fetch_one(&mut *transaction)
            .await?
            .parsed::<ChatbotStatus>("status")?;
        let chatbot: Chatbot = scoped_as(
            concat!(
                "UPDATE chatbots SET status = $4, error_code = $5, error_message = $6, error_at = $7, \
                 updated_at = $8 WHERE ",
                in_scope!(),
                " AND chatbot_id = $3 RETURNING ",
                chatbot_columns!()
            ),
            scope,
        )
        .bind(chatbot_id.to_string())
        .bind(status.as_str())
        .bind(error.map(|(code, _)| replace_nul(code)))
        .bind(error.map(|(_, message)| replace_nul(message)))
        .bind(error.map(|_| micros(now)))
        .bind(micros(now))
        .fetch_one(&mut *transaction)
        .await?;
        if matches!(status, ChatbotStatus::Ready | ChatbotStatus::Failed) && status != before {
            let error = error.map(|(code, message)| EventFailure {
                code: replace_nul(code),
                message: replace_nul(message),
                at: now,
            });
            let data = EventData::TrainingCompleted { chatbot: (&chatbot).into(), error };
            events::insert(&mut transaction, chatbot.account_id, [data], now).await?;
        }
        transaction.commit().await?;
        Ok(true)
    }

    /// Removes a chatbot with everything below it: pages, chunks and their index entries, tags,
    /// conversations, counters and jobs. A worker that holds one of the jobs loses its lease. `false` when
    /// there is no such chatbot.
    pub async fn delete(self, scope: &Scope, chatbot_id: Uuid) -> Result<bool, StoreError> {
        let mut transaction = self.store.begin().await?;
        // Whoever enqueues a job for a website locks the chatbot, so after this lock no further job comes.
        let dialect = self.store.dialect();
        if chatbot_lock::lock(&mut transaction, dialect, RowLock::Exclusive, scope, chatbot_id)
            .await?
            .is_none()
        {
            return Ok(false);
        }
        jobs::cancel_of_websites(&mut transaction, chatbot_id).await?;
        let deleted =
            scoped(concat!("DELETE FROM chatbots WHERE ", in_scope!(), " AND chatbot_id = $3"), scope)
                .bind(chatbot_id.to_string())
                .execute(&mut *transaction)
                .await?;
        if deleted.rows_affected() == 0 {
            return Ok(false);
        }
        // After the chatbot: a transaction that enqueued a job for it has committed by then, and none can
        // begin to.
        jobs::cancel(&mut transaction, Subject::chatbot(chatbot_id)).await?;
        transaction.commit().await?;
        Ok(true)
    }
}
