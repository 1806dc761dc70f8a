//! Messages on their way to a channel, and what becomes of them.
//!
//! A row is written with its message. `sending` is written just before the text is handed over; a message
//! that stays in this state may have been sent, so nobody sends it again. Until then it is `queued`, whoever
//! is connecting. Each attempt has a number, and only the latest one can hand the message over or note what
//! became of it: one that was thought dead cannot.

use jiff::Timestamp;
use sqlx::AnyConnection;
use uuid::Uuid;

use super::Threads;
use super::record::{DeliveryState, Thread, ThreadMessage};
use crate::inbox::inbox_channels::{InboxChannel, inbox_channel_columns};
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::row::{Columns, micros};
use crate::sql::scope::{Scope, in_scope, scoped};
use crate::work::jobs::{self, NewJob};

/// A message to deliver.
#[derive(Debug, Clone, PartialEq)]
pub struct OutgoingMessage {
    /// The channel.
    pub channel: InboxChannel,
    /// The thread.
    pub thread: Thread,
    /// The message.
    pub message: ThreadMessage,
    /// Attempts so far, this one included.
    pub attempts: u32,
}

/// What people read about a message whose handover was interrupted.
const INTERRUPTED: &str =
    "The service was stopped while the message was being sent, so it may have been sent.";

/// What became of an attempt to deliver a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeliveryOutcome {
    /// The channel has accepted it, and knows it by this id.
    Sent {
        /// The id; `None` keeps the present one.
        external_id: Option<String>,
    },
    /// It certainly was not sent, and another attempt may succeed.
    NotSent,
    /// It was not sent, or nobody knows. There is no other attempt.
    Failed {
        /// Why, for people.
        error: String,
    },
}

/// Queues a message in the transaction that writes it.
pub(crate) async fn queue(
    connection: &mut AnyConnection,
    account_id: Uuid,
    message_id: Uuid,
    job: &NewJob,
    now: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO outgoing_messages (message_id, account_id, state, attempts, created_at) VALUES ($1, $2, 'queued', 0, $3)",
    )
    .bind(message_id.to_string())
    .bind(account_id.to_string())
    .bind(micros(now))
    .execute(&mut *connection)
    .await?;
    jobs::insert(connection, Some(&account_id.to_string()), None, job, now).await?;
    Ok(())
}

impl Threads<'_> {
    /// Begins an attempt to deliver a message, and returns it. An earlier attempt can then no longer hand it
    /// over.
    ///
    /// `None` if there is nothing to send: it was sent, it may have been sent by somebody who has not come
    /// back (it is then marked as failed), or its channel is gone (likewise).
    pub async fn take_outgoing(
        self,
        scope: &Scope,
        message_id: Uuid,
    ) -> Result<Option<OutgoingMessage>, StoreError> {
        let mut transaction = self.store.begin().await?;
        let taken = sqlx::query(
            "UPDATE outgoing_messages SET state = CASE state WHEN 'queued' THEN 'queued' ELSE 'finished' END, \
             attempts = attempts + CASE state WHEN 'queued' THEN 1 ELSE 0 END \
             WHERE message_id = $1 AND account_id = $2 AND state <> 'finished' RETURNING state, attempts",
        )
        .bind(message_id.to_string())
        .bind(scope.account_id.to_string())
        .fetch_optional(&mut *transaction)
        .await?;
        let Some(taken) = taken else { return Ok(None) };
        if taken.text("state")? == "finished" {
            set_delivery(&mut transaction, message_id, DeliveryState::Failed, Some(INTERRUPTED), None)
                .await?;
            transaction.commit().await?;
            return Ok(None);
        }
        let message: ThreadMessage = sqlx::query_as(concat!(
            "SELECT ",
            thread_message_columns!(),
            " FROM thread_messages WHERE message_id = $1"
        ))
        .bind(message_id.to_string())
        .fetch_one(&mut *transaction)
        .await?;
        let thread: Thread =
            sqlx::query_as(concat!("SELECT ", thread_columns!(), " FROM threads WHERE thread_id = $1"))
                .bind(message.thread_id.to_string())
                .fetch_one(&mut *transaction)
                .await?;
        let channel: Option<InboxChannel> = sqlx::query_as(concat!(
            "SELECT ",
            inbox_channel_columns!(),
            " FROM inbox_channels WHERE channel_id = $1 AND enabled = 1"
        ))
        .bind(thread.channel_id.map(|id| id.to_string()))
        .fetch_optional(&mut *transaction)
        .await?;
        let Some(channel) = channel else {
            let error = "The channel was deleted or switched off.";
            finish(&mut transaction, message_id).await?;
            set_delivery(&mut transaction, message_id, DeliveryState::Failed, Some(error), None).await?;
            transaction.commit().await?;
            return Ok(None);
        };
        transaction.commit().await?;
        let attempts = taken.number("attempts")?;
        Ok(Some(OutgoingMessage { channel, thread, message, attempts }))
    }

    /// Notes that the message of an attempt is handed over from now on, in one part or in several. Returns
    /// `false` if it must not be: another attempt was begun, or the message was given up.
    pub async fn begin_sending(
        self,
        scope: &Scope,
        message_id: Uuid,
        attempt: u32,
    ) -> Result<bool, StoreError> {
        let begun = sqlx::query(
            "UPDATE outgoing_messages SET state = 'sending' \
             WHERE message_id = $1 AND account_id = $2 AND attempts = $3 AND state <> 'finished'",
        )
        .bind(message_id.to_string())
        .bind(scope.account_id.to_string())
        .bind(i64::from(attempt))
        .execute(self.store.writer())
        .await?;
        Ok(begun.rows_affected() > 0)
    }

    /// Notes what became of an attempt, unless another one was begun.
    pub async fn finish_sending(
        self,
        scope: &Scope,
        message_id: Uuid,
        attempt: u32,
        outcome: &DeliveryOutcome,
    ) -> Result<(), StoreError> {
        let mut transaction = self.store.begin().await?;
        let state = if *outcome == DeliveryOutcome::NotSent { "queued" } else { "finished" };
        let noted = sqlx::query(
            "UPDATE outgoing_messages SET state = $3 \
             WHERE message_id = $1 AND account_id = $2 AND attempts = $4 AND state <> 'finished'",
        )
        .bind(message_id.to_string())
        .bind(scope.account_id.to_string())
        .bind(state)
        .bind(i64::from(attempt))
        .execute(&mut *transaction)
        .await?;
        if noted.rows_affected() > 0 {
            match outcome {
                DeliveryOutcome::Sent { external_id } => {
                    let id = external_id.as_deref();
                    set_delivery(&mut transaction, message_id, DeliveryState::Sent, None, id).await?;
                }
                DeliveryOutcome::NotSent => {}
                DeliveryOutcome::Failed { error } => {
                    set_delivery(&mut transaction, message_id, DeliveryState::Failed, Some(error), None)
                        .await?;
                }
            }
        }
        transaction.commit().await?;
        Ok(())
    }

    /// Gives up a message that is not sent yet. One that is being handed over may have been sent, and says
    /// so.
    pub async fn give_up_outgoing(
        self,
        scope: &Scope,
        message_id: Uuid,
        error: &str,
    ) -> Result<(), StoreError> {
        let mut transaction = self.store.begin().await?;
        for (state, error) in [("queued", error), ("sending", INTERRUPTED)] {
            let given_up = sqlx::query(
                "UPDATE outgoing_messages SET state = 'finished' WHERE message_id = $1 AND account_id = $2 AND state = $3",
            )
            .bind(message_id.to_string())
            .bind(scope.account_id.to_string())
            .bind(state)
            .execute(&mut *transaction)
            .await?;
            if given_up.rows_affected() > 0 {
                set_delivery(&mut transaction, message_id, DeliveryState::Failed, Some(error), None).await?;
            }
        }
        transaction.commit().await?;
        Ok(())
    }

    /// Notes what a channel reports of a message that it has sent, which it knows by `external_id`. A report
    /// never takes back what is known already: a message that was read stays read. Returns whether there is
    /// such a message.
    pub async fn note_delivery(
        self,
        scope: &Scope,
        channel_id: Uuid,
        external_id: &str,
        status: DeliveryState,
        error: Option<&str>,
    ) -> Result<bool, StoreError> {
        let row = scoped(
            concat!(
                "SELECT message_id FROM thread_messages WHERE ",
                in_scope!(),
                " AND channel_id = $3 AND external_id = $4 AND direction = 'outbound'"
            ),
            scope,
        )
        .bind(channel_id.to_string())
        .bind(replace_nul(external_id))
        .fetch_optional(self.store.reader())
        .await?;
        let Some(row) = row else { return Ok(false) };
        let mut connection = self.store.writer().acquire().await?;
        set_delivery(&mut connection, row.parsed("message_id")?, status, error, None).await?;
        Ok(true)
    }

    /// Notes that the contact of a thread, which its channel knows by `thread_key`, has read all messages up
    /// to a time.
    pub async fn note_seen(
        self,
        scope: &Scope,
        channel_id: Uuid,
        thread_key: &str,
        until: Timestamp,
    ) -> Result<(), StoreError> {
        let seen = scoped(
            concat!(
                "UPDATE thread_messages SET delivery_status = 'read' WHERE ",
                in_scope!(),
                " AND direction = 'outbound' AND delivery_status IN ('sent', 'delivered') AND created_at <= $5 \
                 AND thread_id = (SELECT threads.thread_id FROM threads WHERE threads.channel_id = $3 AND threads.external_key = $4)"
            ),
            scope,
        )
        .bind(channel_id.to_string())
        .bind(replace_nul(thread_key))
        .bind(micros(until));
        seen.execute(self.store.writer()).await?;
        Ok(())
    }
}

async fn finish(connection: &mut AnyConnection, message_id: Uuid) -> Result<(), StoreError> {
    sqlx::query("UPDATE outgoing_messages SET state = 'finished' WHERE message_id = $1")
        .bind(message_id.to_string())
        .execute(connection)
        .await?;
    Ok(())
}

/// Sets the delivery of an outbound message, unless more is known of it already.
async fn set_delivery(
    connection: &mut AnyConnection,
    message_id: Uuid,
    status: DeliveryState,
    error: Option<&str>,
    external_id: Option<&str>,
) -> Result<(), StoreError> {
    // A failure is reported after `sent`, but not after the message has arrived.
    let earlier = match status {
        DeliveryState::Queued => "",
        DeliveryState::Sent => "queued",
        DeliveryState::Failed | DeliveryState::Delivered => "queued sent",
        DeliveryState::Read => "queued sent delivered",
    };
    sqlx::query(
        "UPDATE thread_messages SET delivery_status = $2, delivery_error = $3, external_id = COALESCE($5, external_id) \
         WHERE message_id = $1 AND ' ' || $4 || ' ' LIKE '% ' || delivery_status || ' %'",
    )
    .bind(message_id.to_string())
    .bind(status.as_str())
    .bind(error.map(replace_nul))
    .bind(earlier)
    .bind(external_id.map(replace_nul))
    .execute(connection)
    .await?;
    Ok(())
}
