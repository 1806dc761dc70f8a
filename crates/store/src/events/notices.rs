//! Notices: e-mails to the people of an account about what has happened, written in the transaction of what
//! they report.
//!
//! A notice is sent at most once. Just before its text is handed over, it is marked as being sent; if the
//! process dies then, or the connection breaks, nobody knows whether it was sent, and it is not sent again.
//! Until then it waits, and each attempt to send it ends earlier ones, whose process may have been thought
//! dead.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sqlx::AnyConnection;
use sqlx::any::AnyRow;
use uuid::Uuid;

use crate::accounts::users::{User, user_columns};
use crate::sql::error::StoreError;
use crate::sql::record::{Column, unreadable};
use crate::sql::redacted::guarded;
use crate::sql::row::{micros, new_id};
use crate::sql::scope::Scope;

named_values! {
    /// How far a notice has come.
    pub enum NoticeStatus as "status of a notice" {
        /// Waits to be sent.
        Queued = "queued",
        /// Is being sent, or was when the process died.
        Sending = "sending",
        /// The mail server has accepted it.
        Sent = "sent",
        /// Given up; `last_error` says why.
        Failed = "failed",
        /// It waited until it was of no use.
        Expired = "expired",
    }
}

/// What a notice says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NoticeContent {
    /// A conversation waits for a person; the event says which.
    HandoffRequested {
        /// The event.
        event_id: Uuid,
    },
    /// A webhook endpoint accepts no events.
    WebhookFailing {
        /// Its address.
        url: String,
        /// Since when.
        #[serde(with = "crate::events::as_text")]
        since: Timestamp,
    },
    /// A webhook endpoint was disabled.
    WebhookDisabled {
        /// Its address.
        url: String,
        /// Whether it said that it is gone. Otherwise it has failed for too long.
        is_gone: bool,
    },
    /// An activity of a deal is due soon.
    ActivityReminder {
        /// The deal.
        deal_id: Uuid,
        /// The activity.
        deal_activity_id: Uuid,
    },
    /// A person has forgotten their password. The link is made when the notice is sent.
    PasswordReset,
    /// A person has switched a second factor on.
    SecondFactorEnabled,
    /// The second factor of a person was removed.
    SecondFactorRemoved,
    /// Somebody has signed in with a recovery code.
    RecoveryCodeUsed {
        /// The codes that are left.
        left: u64,
    },
    /// Somebody who knows the password of a person has entered several wrong codes.
    WrongCodes,
    /// The authenticator app of a person was removed, who still has a passkey.
    AppRemoved,
    /// A person has added a passkey.
    PasskeyAdded {
        /// Its name.
        name: String,
    },
    /// A passkey of a person was removed.
    PasskeyRemoved {
        /// Its name.
        name: String,
        /// Whether the password suffices to sign in from now on.
        is_last: bool,
    },
    /// A passkey of a person was refused, because there may be a copy of it.
    PasskeyRefused {
        /// Its name.
        name: String,
    },
    /// Somebody is invited to the account, who is sent the notice in place of the inviter. The link is made
    /// when it is sent.
    Invitation {
        /// The invitation.
        invitation_id: Uuid,
    },
}

impl Column for NoticeContent {
    fn read(row: &AnyRow, name: &str) -> sqlx::Result<Self> {
        let text = String::read(row, name)?;
        serde_json::from_str(&text).map_err(|error| unreadable(name, error))
    }
}

record! {
    /// A notice.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Notice, columns notice_columns {
        /// Identifier.
        pub notice_id: Uuid,
        /// The account that it is about.
        pub account_id: Uuid,
        /// The recipient: a person of the account, or of its agency.
        pub user_id: Uuid,
        /// What it says.
        pub content: NoticeContent,
        /// How far it has come.
        pub status: NoticeStatus,
        /// Attempts to send it.
        pub attempts: u32,
        /// Why the last attempt failed.
        pub last_error: Option<String>,
        /// When it was written.
        pub created_at: Timestamp,
    }
}

/// Writes a notice to the owners and admins of an account that a conversation waits for a person. A
/// sub-account that has none is looked after by its agency, whose owners get it.
pub(crate) async fn insert_for_handoff(
    connection: &mut AnyConnection,
    account_id: Uuid,
    event_id: Uuid,
    now: Timestamp,
) -> Result<(), StoreError> {
    let content = NoticeContent::HandoffRequested { event_id };
    insert(connection, account_id, "owner admin", &content, now).await
}

/// Writes a notice to the owners of an account, or of its agency if it has none.
pub(crate) async fn insert_for_owners(
    connection: &mut AnyConnection,
    account_id: Uuid,
    content: &NoticeContent,
    now: Timestamp,
) -> Result<(), StoreError> {
    insert(connection, account_id, "owner", content, now).await
}

/// Writes a notice about an account to one active person of it, or of the agency that it belongs to.
pub(crate) async fn insert_for_user(
    connection: &mut AnyConnection,
    account_id: Uuid,
    user_id: Uuid,
    content: &NoticeContent,
    now: Timestamp,
) -> Result<(), StoreError> {
    let content =
        serde_json::to_string(content).map_err(|error| StoreError::invalid("content", error.to_string()))?;
    sqlx::query(
        "INSERT INTO notices (notice_id, account_id, user_id, content, status, attempts, due_at, created_at) \
         SELECT $1, k.account_id, u.user_id, $4, 'queued', 0, $5, $5 FROM users AS u JOIN accounts AS k ON k.account_id = $2 \
         WHERE u.user_id = $3 AND u.status = 'active' AND (u.account_id = k.account_id OR u.account_id = k.parent_id)",
    )
    .bind(new_id().to_string())
    .bind(account_id.to_string())
    .bind(user_id.to_string())
    .bind(content)
    .bind(micros(now))
    .execute(connection)
    .await?;
    Ok(())
}

async fn insert(
    connection: &mut AnyConnection,
    account_id: Uuid,
    roles: &str,
    content: &NoticeContent,
    now: Timestamp,
) -> Result<(), StoreError> {
    let content =
        serde_json::to_string(content).map_err(|error| StoreError::invalid("content", error.to_string()))?;
    let mut recipients = sqlx::query(
        "SELECT user_id FROM users WHERE account_id = $1 AND status = 'active' AND ' ' || $2 || ' ' LIKE '% ' || role || ' %' \
         ORDER BY user_id",
    )
    .bind(account_id.to_string())
    .bind(roles.to_owned())
    .fetch_all(&mut *connection)
    .await?;
    if recipients.is_empty() {
        recipients = sqlx::query(
            "SELECT u.user_id FROM users AS u JOIN accounts AS k ON k.parent_id = u.account_id WHERE k.account_id = $1 \
             AND u.status = 'active' AND u.role = 'owner' ORDER BY u.user_id",
        )
        .bind(account_id.to_string())
        .fetch_all(&mut *connection)
        .await?;
    }
    for recipient in recipients {
        sqlx::query(
            "INSERT INTO notices (notice_id, account_id, user_id, content, status, attempts, due_at, created_at) \
             VALUES ($1, $2, $3, $4, 'queued', 0, $5, $5)",
        )
        .bind(new_id().to_string())
        .bind(account_id.to_string())
        .bind(String::read(&recipient, "user_id")?)
        .bind(&content)
        .bind(micros(now))
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

group! {
    /// Notices: e-mails to the people of accounts.
    pub Notices, notices
}

impl Notices<'_> {
    /// Begins an attempt to send the next notice that is due, and returns it. It stays due until
    /// [`begin_sending`](Self::begin_sending), [`finish`](Self::finish) or [`retry`](Self::retry). Over all
    /// accounts.
    pub async fn take(self, now: Timestamp) -> Result<Option<Notice>, StoreError> {
        self.take_in_turn(None, now).await
    }

    /// Like [`take`](Self::take), for the account after `turn`, which was served last: accounts take turns.
    pub async fn take_in_turn(
        self,
        turn: Option<Uuid>,
        now: Timestamp,
    ) -> Result<Option<Notice>, StoreError> {
        let turn = turn.map(|account_id| account_id.to_string()).unwrap_or_default();
        macro_rules! take {
            ($lock:literal) => {
                concat!(
                    "UPDATE notices SET attempts = attempts + 1 WHERE notice_id = (\
                     SELECT n.notice_id FROM notices AS n WHERE n.status = 'queued' AND n.due_at <= $1 \
                     ORDER BY (n.account_id <= $2), n.account_id, n.due_at, n.notice_id LIMIT 1",
                    $lock,
                    ") AND status = 'queued' RETURNING ",
                    notice_columns!()
                )
            };
        }
        let sql = self.store.dialect().pick(take!(""), take!(" FOR UPDATE OF n SKIP LOCKED"));
        Ok(sqlx::query_as(sql).bind(micros(now)).bind(turn).fetch_optional(self.store.writer()).await?)
    }

    /// Returns whether a notice is due. Cheaper than [`take`](Self::take), which writes. Over all accounts.
    pub async fn is_any_due(self, now: Timestamp) -> Result<bool, StoreError> {
        let row = sqlx::query("SELECT 1 FROM notices WHERE status = 'queued' AND due_at <= $1 LIMIT 1")
            .bind(micros(now))
            .fetch_optional(self.store.reader())
            .await?;
        Ok(row.is_some())
    }

    /// Returns to whom a notice is sent: the person of its account, or of the agency of the account, unless
    /// the person is gone or disabled.
    pub async fn recipient(self, notice: &Notice) -> Result<Option<User>, StoreError> {
        let one = sqlx::query_as(concat!(
            "SELECT ",
            user_columns!(),
            " FROM users WHERE user_id = $2 AND status = 'active' AND account_id IN (SELECT reach.account_id FROM accounts AS reach \
             WHERE reach.account_id = $1 UNION ALL SELECT sub.parent_id FROM accounts AS sub WHERE sub.account_id = $1)"
        ))
        .bind(notice.account_id.to_string())
        .bind(notice.user_id.to_string());
        Ok(one.fetch_optional(self.store.reader()).await?)
    }

    /// Notes that the text of a notice is handed over from now on. Returns `false` if it must not be, because
    /// another attempt was begun.
    pub async fn begin_sending(self, notice: &Notice) -> Result<bool, StoreError> {
        let begun = sqlx::query(
            "UPDATE notices SET status = 'sending' WHERE notice_id = $1 AND status = 'queued' AND attempts = $2",
        )
        .bind(notice.notice_id.to_string())
        .bind(i64::from(notice.attempts))
        .execute(self.store.writer())
        .await?;
        Ok(begun.rows_affected() > 0)
    }

    /// Notes the end of a notice that was taken.
    pub async fn finish(
        self,
        notice: &Notice,
        status: NoticeStatus,
        error: Option<&str>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        sqlx::query(
            "UPDATE notices SET status = $2, last_error = $3, finished_at = $4 \
             WHERE notice_id = $1 AND status IN ('queued', 'sending') AND attempts = $5",
        )
        .bind(notice.notice_id.to_string())
        .bind(status.as_str())
        .bind(error.map(guarded))
        .bind(micros(now))
        .bind(i64::from(notice.attempts))
        .execute(self.store.writer())
        .await?;
        Ok(())
    }

    /// Puts a notice back that was taken and certainly was not sent.
    pub async fn retry(self, notice: &Notice, error: &str, due_at: Timestamp) -> Result<(), StoreError> {
        sqlx::query(
            "UPDATE notices SET status = 'queued', last_error = $2, due_at = $3 \
             WHERE notice_id = $1 AND status IN ('queued', 'sending') AND attempts = $4",
        )
        .bind(notice.notice_id.to_string())
        .bind(guarded(error))
        .bind(micros(due_at))
        .bind(i64::from(notice.attempts))
        .execute(self.store.writer())
        .await?;
        Ok(())
    }

    /// Gives up notices that wait since before a moment. For housekeeping, over all accounts.
    pub async fn expire(self, before: Timestamp, now: Timestamp) -> Result<u64, StoreError> {
        let expired = sqlx::query(
            "UPDATE notices SET status = 'expired', finished_at = $2 WHERE status = 'queued' AND created_at < $1",
        )
        .bind(micros(before))
        .bind(micros(now));
        Ok(expired.execute(self.store.writer()).await?.rows_affected())
    }

    /// Returns up to 100 notices of the scope's own account, newest first.
    pub async fn list(self, scope: &Scope) -> Result<Vec<Notice>, StoreError> {
        let some = sqlx::query_as(concat!(
            "SELECT ",
            notice_columns!(),
            " FROM notices WHERE account_id = $1 ORDER BY created_at DESC, notice_id DESC LIMIT 100"
        ))
        .bind(scope.account_id.to_string());
        Ok(some.fetch_all(self.store.reader()).await?)
    }

    /// Deletes up to `limit` notices that were written before a moment, and returns how many it deleted. For
    /// housekeeping, over all accounts; the limit keeps the write short.
    pub async fn prune(self, before: Timestamp, limit: u32) -> Result<u64, StoreError> {
        let pruned = sqlx::query(
            "DELETE FROM notices WHERE notice_id IN \
             (SELECT notice_id FROM notices WHERE created_at < $1 ORDER BY created_at LIMIT $2)",
        )
        .bind(micros(before))
        .bind(i64::from(limit));
        Ok(pruned.execute(self.store.writer()).await?.rows_affected())
    }
}
