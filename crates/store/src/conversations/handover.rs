//! Handover of conversations to people, and back to the chatbot. The thread of the inbox follows each change
//! of the mode.

use jiff::Timestamp;
use uuid::Uuid;

use super::chats::{self, Said, Step};
use super::error::ConversationError;
use super::insertion::{NewMessage, insert_message};
use super::modes::{NewEscalation, Reply, end_exchange, lock, request_person, take_over};
use super::record::Conversation;
use super::reports;
use super::turns::Conversations;
use crate::events::states::{ConversationMode, MessageRole};
use crate::sql::error::StoreError;
use crate::sql::row::micros;
use crate::sql::scope::{Scope, in_scope, scoped_as};

impl Conversations<'_> {
    /// Asks for a person. A conversation that waits for one already is returned unchanged; one in which a
    /// person answers, or that is closed, is refused. `None` when there is no such conversation.
    pub async fn escalate(
        self,
        scope: &Scope,
        conversation_id: Uuid,
        escalation: &NewEscalation,
        now: Timestamp,
    ) -> Result<Option<Conversation>, ConversationError> {
        let mut transaction = self.store.begin().await?;
        let Some(found) = lock(&mut transaction, self.store.dialect(), scope, conversation_id).await? else {
            return Ok(None);
        };
        match found.mode {
            ConversationMode::Ai => {
                let mut requested =
                    request_person(&mut transaction, conversation_id, escalation, now).await?;
                let thread =
                    chats::follow(&mut transaction, &mut requested, None, Step::Requested, now).await?;
                reports::handoff_requested(&mut transaction, &requested, escalation, now).await?;
                chats::report(&mut transaction, thread.as_ref(), now).await?;
                transaction.announce_conversation(conversation_id);
                transaction.commit().await?;
                Ok(Some(requested))
            }
            ConversationMode::HumanRequested => Ok(Some(found)),
            mode @ (ConversationMode::Human | ConversationMode::Closed) => {
                Err(ConversationError::WrongMode { mode })
            }
        }
    }

    /// Adds a message of a team member, who answers from now on. A closed conversation is refused. `None`
    /// when there is no such conversation.
    pub async fn reply(
        self,
        scope: &Scope,
        conversation_id: Uuid,
        team_member_id: Uuid,
        text: &str,
        now: Timestamp,
    ) -> Result<Option<Reply>, ConversationError> {
        let mut transaction = self.store.begin().await?;
        let Some(found) = lock(&mut transaction, self.store.dialect(), scope, conversation_id).await? else {
            return Ok(None);
        };
        if found.mode == ConversationMode::Closed {
            return Err(ConversationError::WrongMode { mode: found.mode });
        }
        let mut reply = take_over(&mut transaction, conversation_id, team_member_id, text, now).await?;
        let said = Some(Said::new(&reply.message));
        let thread =
            chats::follow(&mut transaction, &mut reply.conversation, said, Step::TakenOver, now).await?;
        reports::message_created(&mut transaction, &reply.conversation, &reply.message, now).await?;
        if found.mode != ConversationMode::Human {
            reports::handoff_accepted(&mut transaction, &reply.conversation, team_member_id, now).await?;
        }
        chats::report(&mut transaction, thread.as_ref(), now).await?;
        transaction.announce_conversation(conversation_id);
        transaction.commit().await?;
        Ok(Some(reply))
    }

    /// Lets the chatbot answer again. What was said before is no longer context of what follows. A
    /// conversation in which the chatbot answers is returned unchanged; a closed one is refused. `None` when
    /// there is no such conversation.
    pub async fn return_to_ai(
        self,
        scope: &Scope,
        conversation_id: Uuid,
        now: Timestamp,
    ) -> Result<Option<Conversation>, ConversationError> {
        let mut transaction = self.store.begin().await?;
        let Some(found) = lock(&mut transaction, self.store.dialect(), scope, conversation_id).await? else {
            return Ok(None);
        };
        match found.mode {
            ConversationMode::HumanRequested | ConversationMode::Human => {
                let mut returned =
                    end_exchange(&mut transaction, conversation_id, ConversationMode::Ai).await?;
                let thread = chats::follow(&mut transaction, &mut returned, None, Step::Ended, now).await?;
                chats::report(&mut transaction, thread.as_ref(), now).await?;
                transaction.announce_conversation(conversation_id);
                transaction.commit().await?;
                Ok(Some(returned))
            }
            ConversationMode::Ai => Ok(Some(found)),
            mode @ ConversationMode::Closed => Err(ConversationError::WrongMode { mode }),
        }
    }

    /// Ends a conversation. A closed one is returned unchanged. `None` when there is no such conversation.
    pub async fn close(
        self,
        scope: &Scope,
        conversation_id: Uuid,
        now: Timestamp,
    ) -> Result<Option<Conversation>, StoreError> {
        let mut transaction = self.store.begin().await?;
        let Some(found) = lock(&mut transaction, self.store.dialect(), scope, conversation_id).await? else {
            return Ok(None);
        };
        if found.mode == ConversationMode::Closed {
            return Ok(Some(found));
        }
        let mut closed = end_exchange(&mut transaction, conversation_id, ConversationMode::Closed).await?;
        let thread = chats::follow(&mut transaction, &mut closed, None, Step::Ended, now).await?;
        reports::conversation_closed(&mut transaction, &closed, now).await?;
        chats::report(&mut transaction, thread.as_ref(), now).await?;
        transaction.announce_conversation(conversation_id);
        transaction.commit().await?;
        Ok(Some(closed))
    }

    /// The conversations whose visitors have waited too long for a person, those that wait longest first.
    /// They are of all tenants: this is for the recurring work of the installation.
    pub async fn unclaimed(self, now: Timestamp, limit: u32) -> Result<Vec<Conversation>, StoreError> {
        let due = sqlx::query_as(concat!(
            "SELECT ",
            conversation_columns!(),
            " FROM conversations WHERE handover_due_at <= $1 ORDER BY handover_due_at LIMIT $2"
        ))
        .bind(micros(now))
        .bind(i64::from(limit));
        Ok(due.fetch_all(self.store.reader()).await?)
    }

    /// Tells the visitor of a conversation that nobody is available, at most once for each request for a
    /// person. The conversation goes on waiting. `None` when a person has taken over meanwhile, the visitor
    /// was informed, or there is no such conversation.
    pub async fn tell_unclaimed(
        self,
        scope: &Scope,
        conversation_id: Uuid,
        text: &str,
        now: Timestamp,
    ) -> Result<Option<Reply>, StoreError> {
        let mut transaction = self.store.begin().await?;
        let told: Option<Conversation> = scoped_as(
            concat!(
                "UPDATE conversations SET handover_due_at = NULL, message_count = message_count + 1, \
                 last_message_at = $4 WHERE ",
                in_scope!(),
                " AND conversation_id = $3 AND handover_due_at <= $4 RETURNING ",
                conversation_columns!()
            ),
            scope,
        )
        .bind(conversation_id.to_string())
        .bind(micros(now))
        .fetch_optional(&mut *transaction)
        .await?;
        let Some(mut conversation) = told else { return Ok(None) };
        let message = NewMessage::plain(MessageRole::System, text);
        let message = insert_message(&mut transaction, &conversation, &message, now).await?;
        let said = Some(Said::new(&message));
        chats::follow(&mut transaction, &mut conversation, said, Step::Said, now).await?;
        reports::message_created(&mut transaction, &conversation, &message, now).await?;
        transaction.announce_conversation(conversation_id);
        transaction.commit().await?;
        Ok(Some(Reply { conversation, message }))
    }
}
