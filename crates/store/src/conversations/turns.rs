//! Turns: what a visitor says, and what the chatbot answers.

use jiff::Timestamp;
use serde_json::Value;
use sqlx::AnyConnection;
use uuid::Uuid;

use super::chats::{self, Said, Step};
use super::error::ConversationError;
use super::insertion::{NewMessage, insert_message};
use super::modes::{self, NewEscalation};
use super::record::{Conversation, Message};
use super::reports;
use crate::accounts::credits::{Charge, Usage};
use crate::contacts::visitor_subject::VisitorSubject;
use crate::events::states::{ConversationMode, MessageRole};
use crate::sql::chatbot_lock::{self, ChatbotKey, RowLock};
use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::hidden::is_hidden;
use crate::sql::nul::replace_nul;
use crate::sql::row::{Columns, micros, new_id, stored};
use crate::sql::scope::{Scope, find_by_id, in_scope, row_by_id, scoped, scoped_as};
use crate::sql::signals::ConversationWatch;

/// What a visitor says.
#[derive(Debug, Clone)]
pub struct NewTurn {
    /// The chatbot it is said to.
    pub chatbot_id: Uuid,
    /// The conversation it continues, if it may; see [`Conversations::begin_turn`].
    pub conversation_id: Option<Uuid>,
    /// The id of the conversation that it begins otherwise; `None` for one that nobody knows yet.
    pub new_conversation_id: Option<Uuid>,
    /// The subject of the visitor's proven identity.
    pub verified_subject: Option<VisitorSubject>,
    /// The visitor, if known; of the chatbot's account, else it is ignored.
    pub contact_id: Option<Uuid>,
    /// Where a conversation takes place that this begins, such as `api`.
    pub source: String,
    /// The words.
    pub text: String,
    /// The session of a widget that sends it. A message that it has sent before is stored once:
    /// [`Conversations::begin_turn`] then fails with an error that [`StoreError::is_repeated`] recognizes. It
    /// also fails when the session has ended, with one that [`StoreError::is_orphaned`] recognizes.
    pub sent_by: Option<SentBy>,
    /// The credits of the answer, which are reserved with the message if the chatbot is to answer it.
    pub charge: Option<Charge>,
}

/// The session of a widget that sends a message, and what it calls the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SentBy {
    /// The session.
    pub session_id: Uuid,
    /// The id that the page gives to the message.
    pub client_message_id: Uuid,
}

/// A visitor's message, stored.
#[derive(Debug, Clone)]
pub struct Turn {
    /// The conversation, with the message.
    pub conversation: Conversation,
    /// The message.
    pub message: Message,
    /// Whether the conversation began with it.
    pub is_new: bool,
    /// The use of the account's credits, with those of the answer; `None` if none were reserved, because a
    /// person answers or too few are left.
    pub reserved: Option<Usage>,
}

/// An answer to a visitor.
#[derive(Debug, Clone)]
pub struct NewAnswer {
    /// Who answers.
    pub role: MessageRole,
    /// The words.
    pub body: String,
    /// The message that it answers.
    pub question_id: Option<Uuid>,
    /// The question whether to hand over to a person, which becomes the last paragraph of the message unless
    /// the conversation already contains it.
    pub offer: Option<String>,
    /// What they cite; an array.
    pub sources: Value,
    /// Whether a person should take over.
    pub needs_escalation: bool,
    /// What the answer cost.
    pub credits_used: u64,
    /// The credits that were reserved for it. What it did not cost is refunded in the same transaction.
    pub charge: Option<Charge>,
}

/// A stored answer.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedAnswer {
    /// The conversation after the answer.
    pub conversation: Conversation,
    /// The answer.
    pub message: Message,
    /// What is used of the allowance after the refund, if credits were refunded.
    pub refunded: Option<Usage>,
}

group! {
    /// Conversations and their messages.
    pub Conversations, conversations
}

impl Conversations<'_> {
    /// Stores what a visitor says, before anything is done about it.
    ///
    /// It continues the conversation that is named if that is one of this chatbot, and either belongs to no
    /// proven identity or to the same one; in the first case it belongs to the given one from now on. Any
    /// other id, unknown, of another chatbot or of another tenant, begins a new conversation under a new id,
    /// without a hint which it was. A closed conversation is opened again. The credits of an answer by the
    /// chatbot are reserved in the same transaction, and the message is stored whether or not enough are
    /// left. `None` when there is no such chatbot.
    pub async fn begin_turn(
        self,
        scope: &Scope,
        turn: &NewTurn,
        now: Timestamp,
    ) -> Result<Option<Turn>, StoreError> {
        let mut transaction = self.store.begin().await?;
        let (dialect, lock) = (self.store.dialect(), RowLock::KeepsExisting);
        let Some(key) = chatbot_lock::lock(&mut transaction, dialect, lock, scope, turn.chatbot_id).await?
        else {
            return Ok(None);
        };
        let contact_id = known_contact(&mut transaction, dialect, &key, turn.contact_id).await?;
        let continued = continue_conversation(&mut transaction, &key, turn, contact_id.clone(), now).await?;
        let is_new = continued.is_none();
        let mut conversation = match continued {
            Some(conversation) => conversation,
            None => begin_conversation(&mut transaction, &key, turn, contact_id, now).await?,
        };
        let message = NewMessage::plain(MessageRole::Visitor, &turn.text);
        let message = insert_message(&mut transaction, &conversation, &message, now).await?;
        if let Some(sent_by) = &turn.sent_by {
            note_sent(&mut transaction, sent_by, &message, &key, now).await?;
        }
        let said = Some(Said::new(&message));
        let thread = chats::follow(&mut transaction, &mut conversation, said, Step::Said, now).await?;
        let reserved = match &turn.charge {
            Some(charge) if conversation.mode == ConversationMode::Ai => {
                charge.reserve(&mut transaction, conversation.account_id, true).await?
            }
            _ => None,
        };
        // Nobody waits for the visitor's own words, so this is not announced.
        reports::visitor_said(&mut transaction, &conversation, &message, is_new, now).await?;
        chats::report(&mut transaction, thread.as_ref(), now).await?;
        transaction.commit().await?;
        Ok(Some(Turn { conversation, message, is_new, reserved }))
    }

    /// Stores an answer and, with `escalation`, asks for a person, in one transaction. Returns `None` if
    /// there is no such conversation, for example because its chatbot has been deleted in the meantime.
    ///
    /// Asking for a person does not take the conversation from a person who has joined in the meantime. The
    /// offer of a person is left out if the conversation already contains one, so that concurrent answers
    /// cannot repeat it.
    ///
    /// If the question was erased while the answer was written, the answer is stored without its words, which
    /// may repeat it. If another process has answered the message of a widget in the meantime, because this
    /// one seemed to have died, nothing is stored ([`ConversationError::AnsweredBefore`]).
    pub async fn record_answer(
        self,
        scope: &Scope,
        conversation_id: Uuid,
        answer: &NewAnswer,
        escalation: Option<&NewEscalation>,
        now: Timestamp,
    ) -> Result<Option<RecordedAnswer>, ConversationError> {
        let mut transaction = self.store.begin().await?;
        let conversation: Option<Conversation> = scoped_as(
            concat!(
                "UPDATE conversations SET message_count = message_count + 1, last_message_at = $4, \
                 needs_escalation = CASE WHEN mode = 'ai' THEN $5 ELSE needs_escalation END, \
                 offer_position = CASE WHEN $6 = 1 THEN COALESCE(offer_position, message_count + 1) \
                 ELSE offer_position END WHERE ",
                in_scope!(),
                " AND conversation_id = $3 RETURNING ",
                conversation_columns!()
            ),
            scope,
        )
        .bind(conversation_id.to_string())
        .bind(micros(now))
        .bind(i64::from(answer.needs_escalation))
        .bind(i64::from(answer.offer.is_some()))
        .fetch_optional(&mut *transaction)
        .await?;
        let Some(conversation) = conversation else { return Ok(None) };
        if let Some(id) = answer.question_id
            && is_answered(&mut transaction, id).await?
        {
            return Err(ConversationError::AnsweredBefore);
        }
        let withheld;
        let (answer, escalation) = match answer.question_id {
            Some(id) if is_erased(&mut transaction, id).await? => {
                withheld = NewAnswer {
                    body: String::new(),
                    offer: None,
                    sources: Value::Array(Vec::new()),
                    needs_escalation: false,
                    ..answer.clone()
                };
                (&withheld, None)
            }
            _ => (answer, escalation),
        };
        let is_requested = matches!(conversation.mode, ConversationMode::Ai | ConversationMode::Closed)
            && escalation.is_some();
        let mut conversation = match escalation.filter(|_| is_requested) {
            Some(escalation) => {
                modes::request_person(&mut transaction, conversation_id, escalation, now).await?
            }
            None => conversation,
        };
        let is_first_offer = conversation.offer_position == Some(conversation.message_count);
        let offer = answer.offer.as_deref().filter(|_| is_first_offer);
        let body = match offer {
            Some(offer) => [answer.body.as_str(), offer].join("\n\n"),
            None => answer.body.clone(),
        };
        let message = NewMessage {
            role: answer.role,
            body: &body,
            sources: &answer.sources,
            needs_escalation: answer.needs_escalation,
            credits_used: answer.credits_used,
            team_member_id: None,
        };
        let message = insert_message(&mut transaction, &conversation, &message, now).await?;
        if let Some(question_id) = answer.question_id {
            sqlx::query("UPDATE visitor_messages SET answer_id = $2 WHERE message_id = $1")
                .bind(question_id.to_string())
                .bind(message.message_id.to_string())
                .execute(&mut *transaction)
                .await?;
        }
        let step = if is_requested { Step::Requested } else { Step::Said };
        let said = Some(Said::new(&message));
        let thread = chats::follow(&mut transaction, &mut conversation, said, step, now).await?;
        let refunded = match &answer.charge {
            Some(charge) if charge.amount > answer.credits_used => {
                let unused = charge.amount - answer.credits_used;
                Some(charge.refund(&mut transaction, conversation.account_id, unused).await?)
            }
            _ => None,
        };
        reports::message_created(&mut transaction, &conversation, &message, now).await?;
        if let Some(escalation) = escalation.filter(|_| is_requested) {
            reports::handoff_requested(&mut transaction, &conversation, escalation, now).await?;
        }
        chats::report(&mut transaction, thread.as_ref(), now).await?;
        transaction.announce_conversation(conversation_id);
        transaction.commit().await?;
        Ok(Some(RecordedAnswer { conversation, message, refunded }))
    }

    /// Watches a conversation. Look into the database afterwards: earlier changes are not reported.
    pub fn watch(self, conversation_id: Uuid) -> ConversationWatch {
        self.store.signals().watch(conversation_id)
    }

    /// One conversation.
    pub async fn find(
        self,
        scope: &Scope,
        conversation_id: Uuid,
    ) -> Result<Option<Conversation>, StoreError> {
        find_by_id(
            self.store,
            row_by_id!(conversation_columns of "conversations", "conversation_id"),
            scope,
            conversation_id,
        )
        .await
    }

    /// One message of a conversation.
    pub async fn find_message(
        self,
        scope: &Scope,
        conversation_id: Uuid,
        message_id: Uuid,
    ) -> Result<Option<Message>, StoreError> {
        let one = scoped_as(
            concat!(
                "SELECT ",
                message_columns!(),
                " FROM messages WHERE ",
                in_scope!(),
                " AND conversation_id = $3 AND message_id = $4"
            ),
            scope,
        )
        .bind(conversation_id.to_string())
        .bind(message_id.to_string());
        Ok(one.fetch_optional(self.store.reader()).await?)
    }

    /// The last `limit` messages of the present exchange, oldest first: the context of an answer. Messages
    /// before the last time the conversation was closed or handed back to the chatbot are left out.
    pub async fn recent_messages(
        self,
        scope: &Scope,
        conversation_id: Uuid,
        limit: u32,
    ) -> Result<Vec<Message>, StoreError> {
        let mut recent: Vec<Message> = scoped_as(
            concat!(
                "SELECT ",
                message_columns!(),
                " FROM messages WHERE ",
                in_scope!(),
                " AND conversation_id = $3 AND position > (SELECT c.context_start FROM conversations AS c \
                 WHERE c.conversation_id = $3) ORDER BY position DESC LIMIT $4"
            ),
            scope,
        )
        .bind(conversation_id.to_string())
        .bind(i64::from(limit))
        .fetch_all(self.store.reader())
        .await?;
        recent.reverse();
        Ok(recent)
    }

    /// Up to `limit` messages of a conversation, oldest first, those after the position `after`, which is 0
    /// for the beginning.
    pub async fn messages(
        self,
        scope: &Scope,
        conversation_id: Uuid,
        after: u64,
        limit: u32,
    ) -> Result<Vec<Message>, StoreError> {
        let some = scoped_as(
            concat!(
                "SELECT ",
                message_columns!(),
                " FROM messages WHERE ",
                in_scope!(),
                " AND conversation_id = $3 AND position > $4 ORDER BY position LIMIT $5"
            ),
            scope,
        )
        .bind(conversation_id.to_string())
        .bind(stored(after))
        .bind(i64::from(limit));
        Ok(some.fetch_all(self.store.reader()).await?)
    }

    /// Says who the visitor of a conversation is. `false` when there is no such conversation, or no such
    /// contact in the conversation's own account.
    pub async fn set_contact(
        self,
        scope: &Scope,
        conversation_id: Uuid,
        contact_id: Uuid,
    ) -> Result<bool, StoreError> {
        let changed = scoped(
            concat!(
                "UPDATE conversations SET contact_id = $4 WHERE ",
                in_scope!(),
                " AND conversation_id = $3 AND EXISTS (SELECT 1 FROM contacts AS person \
                 WHERE person.contact_id = $4 AND person.account_id = conversations.account_id)"
            ),
            scope,
        )
        .bind(conversation_id.to_string())
        .bind(contact_id.to_string());
        Ok(changed.execute(self.store.writer()).await?.rows_affected() > 0)
    }
}

/// The contact as it is stored, if it is one of the chatbot's account. It cannot be erased until the
/// transaction ends; one that is being erased is gone when this returns.
async fn known_contact(
    connection: &mut AnyConnection,
    dialect: Dialect,
    key: &ChatbotKey,
    contact_id: Option<Uuid>,
) -> Result<Option<String>, StoreError> {
    let Some(contact_id) = contact_id else { return Ok(None) };
    let select = dialect.pick(
        "SELECT contact_id FROM contacts WHERE contact_id = $1 AND account_id = $2",
        "SELECT contact_id FROM contacts WHERE contact_id = $1 AND account_id = $2 FOR KEY SHARE",
    );
    let row = sqlx::query(select)
        .bind(contact_id.to_string())
        .bind(&key.account_id)
        .fetch_optional(connection)
        .await?;
    Ok(row.map(|row| row.text("contact_id")).transpose()?)
}

/// Notes that a session has sent a message, whose conversation is one of the session from then on. Fails if
/// the session has sent it before, or has ended.
async fn note_sent(
    connection: &mut AnyConnection,
    sent_by: &SentBy,
    message: &Message,
    key: &ChatbotKey,
    now: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO visitor_messages (session_id, client_message_id, account_id, conversation_id, message_id, claimed_at, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $6)",
    )
    .bind(sent_by.session_id.to_string())
    .bind(sent_by.client_message_id.to_string())
    .bind(&key.account_id)
    .bind(message.conversation_id.to_string())
    .bind(message.message_id.to_string())
    .bind(micros(now))
    .execute(connection)
    .await?;
    Ok(())
}

/// Returns whether a message of a widget has an answer. Whoever asks has locked the conversation, as whoever
/// stores an answer does.
async fn is_answered(connection: &mut AnyConnection, message_id: Uuid) -> Result<bool, StoreError> {
    let answered =
        sqlx::query("SELECT 1 FROM visitor_messages WHERE message_id = $1 AND answer_id IS NOT NULL")
            .bind(message_id.to_string());
    Ok(answered.fetch_optional(connection).await?.is_some())
}

/// Returns whether the text of a message was erased. Whoever asks has locked the conversation, as an erasure
/// does, so the answer stays right until the transaction ends.
async fn is_erased(connection: &mut AnyConnection, message_id: Uuid) -> Result<bool, StoreError> {
    let row = sqlx::query(concat!(
        "SELECT body FROM messages WHERE message_id = $1 AND NOT ",
        is_hidden!("messages" in "conversation_id")
    ))
    .bind(message_id.to_string())
    .fetch_optional(connection)
    .await?;
    // A visitor's message is never empty otherwise.
    Ok(row.map(|row| row.text("body")).transpose()?.is_none_or(|body| body.is_empty()))
}

async fn continue_conversation(
    connection: &mut AnyConnection,
    key: &ChatbotKey,
    turn: &NewTurn,
    contact_id: Option<String>,
    now: Timestamp,
) -> Result<Option<Conversation>, StoreError> {
    let Some(conversation_id) = turn.conversation_id else { return Ok(None) };
    let continued = sqlx::query_as(concat!(
        "UPDATE conversations SET message_count = message_count + 1, last_message_at = $5, \
         contact_id = COALESCE($6, contact_id), verified_subject = COALESCE(verified_subject, $4), \
         mode = CASE WHEN mode = 'closed' THEN 'ai' ELSE mode END \
         WHERE conversation_id = $1 AND chatbot_id = $2 AND account_id = $3 \
         AND (verified_subject IS NULL OR verified_subject = $4) RETURNING ",
        conversation_columns!()
    ))
    .bind(conversation_id.to_string())
    .bind(&key.chatbot_id)
    .bind(&key.account_id)
    .bind(turn.verified_subject.as_ref().map(VisitorSubject::to_string))
    .bind(micros(now))
    .bind(contact_id);
    Ok(continued.fetch_optional(connection).await?)
}

async fn begin_conversation(
    connection: &mut AnyConnection,
    key: &ChatbotKey,
    turn: &NewTurn,
    contact_id: Option<String>,
    now: Timestamp,
) -> Result<Conversation, StoreError> {
    let begun = sqlx::query_as(concat!(
        "INSERT INTO conversations (conversation_id, account_id, chatbot_id, contact_id, mode, source, \
         verified_subject, message_count, context_start, created_at, last_message_at) \
         VALUES ($1, $2, $3, $4, 'ai', $5, $6, 1, 0, $7, $7) RETURNING ",
        conversation_columns!()
    ))
    .bind(turn.new_conversation_id.unwrap_or_else(new_id).to_string())
    .bind(&key.account_id)
    .bind(&key.chatbot_id)
    .bind(contact_id)
    .bind(replace_nul(&turn.source))
    .bind(turn.verified_subject.as_ref().map(VisitorSubject::to_string))
    .bind(micros(now));
    Ok(begun.fetch_one(connection).await?)
}
