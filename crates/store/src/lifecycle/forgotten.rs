//! Forgotten passwords: a request for a link, which is mailed.

use jiff::{SignedDuration, Timestamp};

use crate::accounts::people::People;
use crate::events::notices::{self, NoticeContent};
use crate::sql::error::StoreError;
use crate::sql::row::micros;

/// How often a person can be sent a link for a new password, so that nobody can fill their mailbox.
const BETWEEN_RESETS: SignedDuration = SignedDuration::from_mins(5);

impl People<'_> {
    /// Has a link mailed with which the person with an e-mail address chooses a new password, unless that was
    /// done a moment ago. Returns whether it will be. The link is made when it is sent.
    pub async fn request_reset(self, email: &str, now: Timestamp) -> Result<bool, StoreError> {
        let Some(person) = self.find_by_email(email).await? else { return Ok(false) };
        let Some(user) = self.active_user(person.person_id).await? else { return Ok(false) };
        let mut transaction = self.store.begin().await?;
        let due = sqlx::query(
            "UPDATE people SET reset_requested_at = $2 WHERE person_id = $1 AND (reset_requested_at IS NULL OR reset_requested_at <= $3)",
        )
        .bind(person.person_id.to_string())
        .bind(micros(now))
        .bind(now.saturating_sub(BETWEEN_RESETS).map_or(i64::MIN, micros))
        .execute(&mut *transaction)
        .await?;
        if due.rows_affected() == 0 {
            return Ok(false);
        }
        let content = NoticeContent::PasswordReset;
        notices::insert_for_user(&mut transaction, user.account_id, user.user_id, &content, now).await?;
        transaction.commit().await?;
        Ok(true)
    }
}
