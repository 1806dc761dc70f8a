//! Questions that a chatbot could not answer: the words and how often they were asked, and nothing about who
//! asked.

use jiff::Timestamp;
use sqlx::FromRow;
use uuid::Uuid;

use crate::accounts::plan_limits;
use crate::content::faqs;
use crate::content::faqs::chunks::ChunkOfItem;
use crate::content::faqs::item::{FaqItem, FaqItemSource, FaqItemStatus};
use crate::content::faqs::items::{FaqItemContent, FaqItemError, NewFaqItem};
use crate::content::question_key::question_key;
use crate::conversations::Message;
use crate::sql::chatbot_lock::{self, RowLock};
use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::hidden::is_hidden;
use crate::sql::nul::replace_nul;
use crate::sql::pages::{Page, PageRequest, Position};
use crate::sql::row::{Columns, micros, new_id};
use crate::sql::scope::{Scope, in_scope, scoped, scoped_as};

/// The number of questions that are kept for a chatbot; the least recently asked ones go first.
const KEPT: i64 = 500;

/// The length of a question in characters from which it is cut.
const MAX_LENGTH: usize = 500;

record! {
    /// A question that a chatbot could not answer.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct UnansweredQuestion, columns unanswered_columns {
        /// Identifier.
        pub unanswered_question_id: Uuid,
        /// The chatbot.
        pub chatbot_id: Uuid,
        /// The question as it was first asked, cut after 500 characters.
        pub question: String,
        /// How often it was asked.
        pub times_asked: u64,
        /// When it was first asked.
        pub first_asked_at: Timestamp,
        /// When it was last asked.
        pub last_asked_at: Timestamp,
    }
}

/// The answer to an unanswered question.
#[derive(Debug, Clone)]
pub struct AnsweredQuestion {
    /// The FAQ that the item is added to.
    pub faq_id: Uuid,
    /// The question of the item; the visitor's words if `None`.
    pub question: Option<String>,
    /// The answer.
    pub answer: String,
}

group! {
    /// Questions that chatbots could not answer.
    pub UnansweredQuestions, unanswered_questions
}

impl UnansweredQuestions<'_> {
    /// Counts a question. Returns `None` if there is no such chatbot, or the text has no words.
    pub async fn record(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        question: &str,
        now: Timestamp,
    ) -> Result<Option<UnansweredQuestion>, StoreError> {
        self.record_unless_erased(scope, chatbot_id, question, None, now).await
    }

    /// Like [`record`](Self::record), for a question that a message of a conversation has asked, unless the
    /// message was erased meanwhile.
    pub async fn record_asked(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        question: &str,
        asked: &Message,
        now: Timestamp,
    ) -> Result<Option<UnansweredQuestion>, StoreError> {
        self.record_unless_erased(scope, chatbot_id, question, Some(asked), now).await
    }

    async fn record_unless_erased(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        question: &str,
        asked: Option<&Message>,
        now: Timestamp,
    ) -> Result<Option<UnansweredQuestion>, StoreError> {
        let question = stored_text(question);
        let question_key = question_key(&question);
        if !question_key.chars().any(char::is_alphanumeric) {
            return Ok(None);
        }
        let mut transaction = self.store.begin().await?;
        if self.store.dialect() == Dialect::Postgres {
            let lock = RowLock::KeepsExisting;
            chatbot_lock::lock(&mut transaction, Dialect::Postgres, lock, scope, chatbot_id).await?;
            // An erasure deletes questions after it has locked the conversation: this one is then there, or
            // it is not recorded at all.
            sqlx::query("SELECT 1 FROM conversations WHERE conversation_id = $1 FOR SHARE")
                .bind(asked.map(|asked| asked.conversation_id.to_string()))
                .fetch_optional(&mut *transaction)
                .await?;
        }
        let row = scoped(
            concat!(
                "INSERT INTO unanswered_questions (unanswered_question_id, chatbot_id, account_id, question, \
                 question_key, times_asked, first_asked_at, last_asked_at, conversation_id) \
                 SELECT $4, bot.chatbot_id, bot.account_id, $5, $6, 1, $7, $7, NULLIF($9, '') FROM chatbots AS bot WHERE ",
                in_scope!("bot."),
                " AND bot.chatbot_id = $3 \
                 AND ($8 = '' OR EXISTS (SELECT 1 FROM messages AS m WHERE m.message_id = $8 AND m.body <> '' \
                 AND NOT ",
                is_hidden!("m" in "conversation_id"),
                ")) \
                 ON CONFLICT (chatbot_id, question_key) DO UPDATE SET times_asked = unanswered_questions.times_asked + 1, \
                 last_asked_at = excluded.last_asked_at, \
                 conversation_id = COALESCE(excluded.conversation_id, unanswered_questions.conversation_id) RETURNING ",
                unanswered_columns!(),
                ", (SELECT COUNT(*) FROM unanswered_questions AS kept \
                 WHERE kept.chatbot_id = unanswered_questions.chatbot_id) AS kept"
            ),
            scope,
        )
        .bind(chatbot_id.to_string())
        .bind(new_id().to_string())
        .bind(question)
        .bind(question_key)
        .bind(micros(now))
        .bind(asked.map(|asked| asked.message_id.to_string()).unwrap_or_default())
        .bind(asked.map(|asked| asked.conversation_id.to_string()).unwrap_or_default())
        .fetch_optional(&mut *transaction)
        .await?;
        let Some(row) = row else { return Ok(None) };
        let recorded = UnansweredQuestion::from_row(&row)?;
        // Whether the new question is counted depends on the database. At worst the deletion finds nothing to
        // delete.
        if recorded.times_asked == 1 && row.int("kept")? >= KEPT {
            sqlx::query(
                "DELETE FROM unanswered_questions WHERE unanswered_question_id IN (SELECT old.unanswered_question_id \
                 FROM unanswered_questions AS old WHERE old.chatbot_id = $1 \
                 ORDER BY old.last_asked_at DESC, old.unanswered_question_id DESC LIMIT 100 OFFSET $2)",
            )
            .bind(chatbot_id.to_string())
            .bind(KEPT)
            .execute(&mut *transaction)
            .await?;
        }
        transaction.commit().await?;
        Ok(Some(recorded))
    }

    /// One page of the questions of a chatbot, the most recently asked first.
    pub async fn page(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        page: &PageRequest,
    ) -> Result<Page<UnansweredQuestion>, StoreError> {
        let (key, id) = page.before_number();
        let rows = scoped_as(
            concat!(
                "SELECT ",
                unanswered_columns!(),
                " FROM unanswered_questions WHERE ",
                in_scope!(),
                " AND chatbot_id = $3 AND (last_asked_at, unanswered_question_id) < ($4, $5) \
                 ORDER BY last_asked_at DESC, unanswered_question_id DESC LIMIT $6"
            ),
            scope,
        )
        .bind(chatbot_id.to_string())
        .bind(key)
        .bind(id)
        .bind(page.rows())
        .fetch_all(self.store.reader())
        .await?;
        Ok(Page::of(rows, page, |last: &UnansweredQuestion| {
            Position::number(micros(last.last_asked_at), last.unanswered_question_id)
        }))
    }

    /// One question of a chatbot.
    pub async fn find(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        unanswered_question_id: Uuid,
    ) -> Result<Option<UnansweredQuestion>, StoreError> {
        let one = scoped_as(
            concat!(
                "SELECT ",
                unanswered_columns!(),
                " FROM unanswered_questions WHERE ",
                in_scope!(),
                " AND chatbot_id = $3 AND unanswered_question_id = $4"
            ),
            scope,
        )
        .bind(chatbot_id.to_string())
        .bind(unanswered_question_id.to_string());
        Ok(one.fetch_optional(self.store.reader()).await?)
    }

    /// Deletes a question. `false` when there is no such question.
    pub async fn delete(self, scope: &Scope, unanswered_question_id: Uuid) -> Result<bool, StoreError> {
        let deleted = scoped(
            concat!(
                "DELETE FROM unanswered_questions WHERE ",
                in_scope!(),
                " AND unanswered_question_id = $3"
            ),
            scope,
        )
        .bind(unanswered_question_id.to_string());
        Ok(deleted.execute(self.store.writer()).await?.rows_affected() > 0)
    }

    /// Makes a published item of a question and removes the question, in one transaction. `None` when the
    /// question or the FAQ is gone.
    pub async fn make_item(
        self,
        scope: &Scope,
        question: &UnansweredQuestion,
        answered: &AnsweredQuestion,
        chunk_of: ChunkOfItem<'_>,
        now: Timestamp,
    ) -> Result<Option<FaqItem>, FaqItemError> {
        let mut transaction = self.store.begin().await?;
        let dialect = self.store.dialect();
        let Some(key) = faqs::lock::lock(&mut transaction, dialect, scope, answered.faq_id).await? else {
            return Ok(None);
        };
        let chatbots = faqs::chunks::lock_linked(&mut transaction, dialect, &key).await?;
        let removed = scoped(
            concat!(
                "DELETE FROM unanswered_questions WHERE ",
                in_scope!(),
                " AND unanswered_question_id = $3"
            ),
            scope,
        )
        .bind(question.unanswered_question_id.to_string())
        .execute(&mut *transaction)
        .await?;
        if removed.rows_affected() == 0 {
            return Ok(None);
        }
        let content = FaqItemContent {
            question: answered.question.clone().unwrap_or_else(|| question.question.clone()),
            alternative_questions: Vec::new(),
            answer: answered.answer.clone(),
            url: None,
            status: FaqItemStatus::Published,
        };
        let new = NewFaqItem { content, position: None, source: FaqItemSource::Suggested };
        let mut room = plan_limits::storage(&mut transaction, &key.account_id).await?;
        let item = faqs::items::add(&mut transaction, &key, &mut room, &new, now).await?;
        let items = std::slice::from_ref(&item);
        faqs::chunks::index(&mut transaction, dialect, &key, &chatbots, items, chunk_of, now).await?;
        transaction.commit().await.map_err(StoreError::from)?;
        Ok(Some(item))
    }
}

/// Returns a question as it is stored: on one line, and no longer than its column takes.
pub(crate) fn stored_text(question: &str) -> String {
    let words = question.split_whitespace().collect::<Vec<_>>().join(" ");
    replace_nul(&words).chars().take(MAX_LENGTH).collect()
}
