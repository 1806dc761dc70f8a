//! Ratings of messages by visitors.

use jiff::Timestamp;
use uuid::Uuid;

use super::modes::lock;
use super::record::{FeedbackRating, Message};
use super::turns::Conversations;
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::row::micros;
use crate::sql::scope::Scope;

impl Conversations<'_> {
    /// Stores what the visitor thinks of a message, instead of an earlier rating. `None` when the
    /// conversation has no such message, or it is the visitor's own.
    pub async fn rate(
        self,
        scope: &Scope,
        conversation_id: Uuid,
        message_id: Uuid,
        rating: FeedbackRating,
        comment: Option<&str>,
        now: Timestamp,
    ) -> Result<Option<Message>, StoreError> {
        let mut transaction = self.store.begin().await?;
        if lock(&mut transaction, self.store.dialect(), scope, conversation_id).await?.is_none() {
            return Ok(None);
        }
        let rated: Option<Message> = sqlx::query_as(concat!(
            "UPDATE messages SET feedback_rating = $3, feedback_comment = $4, feedback_at = $5 \
             WHERE message_id = $1 AND conversation_id = $2 AND role <> 'visitor' RETURNING ",
            message_columns!()
        ))
        .bind(message_id.to_string())
        .bind(conversation_id.to_string())
        .bind(rating.as_str())
        .bind(comment.map(replace_nul))
        .bind(micros(now))
        .fetch_optional(&mut *transaction)
        .await?;
        if rated.is_none() {
            return Ok(None);
        }
        // `down` comes before `up`, so the least rating is the worst.
        sqlx::query(
            "UPDATE conversations SET feedback = (SELECT MIN(rated.feedback_rating) FROM messages AS rated \
             WHERE rated.conversation_id = $1) WHERE conversation_id = $1",
        )
        .bind(conversation_id.to_string())
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(rated)
    }
}
