//! The outbox of follow-ups: what is sent, and what came of it.
//!
//! One transaction finds a follow-up that is due, checks every condition that ends it, and writes the row of
//! the attempt. Only then is the mail server contacted, by the process that has written the row. Just before
//! it hands the e-mail over, it marks the row as `sending`; nobody else ever hands that attempt over.
//! Whatever a dead process has left as `sending` may have been sent, so it is reported and not sent again;
//! what it has left as `queued` was not sent. A chat message is written in the same transaction, so it has no
//! such state.

use jiff::{SignedDuration, Timestamp};
use sqlx::AnyConnection;
use uuid::Uuid;

use super::record::{
    ActivityStatus, DealActivity, FollowUp, FollowUpChannel, FollowUpErrorCode, FollowUpState,
    FollowUpTrigger, StoppedReason,
};
use super::{DealActivities, save};
use crate::board::secret_tokens::{address_hash, address_hashes, token_hash};
use crate::conversations;
use crate::sql::database::WriteTransaction;
use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::record::Column;
use crate::sql::row::{Columns, micros};

/// When attempts may be made. The store knows no time zones.
pub trait FollowUpPlan: Sync {
    /// Returns when an attempt may be made, not before `now`; `None` if never.
    fn permitted(&self, follow_up: &FollowUp, now: Timestamp) -> Option<Timestamp>;

    /// Returns when the attempt after one that was made at `sent` may be made; `None` if there is none.
    fn after(&self, follow_up: &FollowUp, sent: Timestamp) -> Option<Timestamp>;
}

/// An attempt that this process makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedFollowUp {
    /// The activity.
    pub deal_activity_id: Uuid,
    /// Its account.
    pub account_id: Uuid,
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// How often the mail server was asked to accept it, with this time.
    pub tries: u32,
}

/// An e-mail to be handed to the mail server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutgoingEmail {
    /// The attempt.
    pub claimed: ClaimedFollowUp,
    /// The name of the business.
    pub account_name: String,
    /// The address of the recipient.
    pub to: String,
    /// The name of the recipient.
    pub to_name: Option<String>,
    /// The address for replies.
    pub reply_to: Option<String>,
    /// The subject.
    pub subject: String,
    /// The text.
    pub body: String,
    /// The secret of the link to unsubscribe.
    pub unsubscribe_token: Uuid,
}

/// What became of a follow-up that was due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NextFollowUp {
    /// None is due.
    Nothing,
    /// Another process is changing what is due. Try again in a moment.
    Busy,
    /// It was stopped, postponed, or written into a conversation. Look for the next one.
    Finished,
    /// It has to be handed to the mail server, and the result recorded.
    Send(Box<OutgoingEmail>),
}

/// How the mail server has responded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryResult {
    /// It has accepted the e-mail.
    Sent,
    /// It certainly has not accepted it; the next try is at this time, or there is none.
    NotSent(Option<Timestamp>),
    /// It will never accept it.
    Refused,
    /// Nobody knows.
    Unknown,
}

impl DealActivities<'_> {
    /// Returns whether a follow-up is due. Cheaper than [`claim_follow_up`](Self::claim_follow_up), which
    /// writes. Over all accounts.
    pub async fn is_follow_up_due(self, now: Timestamp) -> Result<bool, StoreError> {
        let row = sqlx::query(
            "SELECT 1 FROM deal_activities WHERE state IN ('scheduled', 'sending', 'waiting') \
             AND next_attempt_at <= $1 LIMIT 1",
        )
        .bind(micros(now))
        .fetch_optional(self.store.reader())
        .await?;
        Ok(row.is_some())
    }

    /// Takes the follow-up of an account that has been due longest, and decides what becomes of it. For
    /// e-mails, the caller has the time `lease` to record the result. Over all accounts, which take turns:
    /// `turn` is the account that was served last, and becomes the one that is served now.
    pub async fn claim_follow_up(
        self,
        turn: &mut Option<Uuid>,
        plan: &impl FollowUpPlan,
        can_mail: bool,
        lease: SignedDuration,
        now: Timestamp,
    ) -> Result<NextFollowUp, StoreError> {
        let mut transaction = self.store.begin().await?;
        let dialect = self.store.dialect();
        let Some(mut activity) = lock_due(&mut transaction, dialect, *turn, now).await? else {
            return Ok(NextFollowUp::Nothing);
        };
        *turn = Some(activity.account_id);
        let Some(mut follow_up) = activity.follow_up.take() else { return Ok(NextFollowUp::Nothing) };
        let decision =
            decide(&mut transaction, dialect, &activity, &mut follow_up, plan, can_mail, now).await?;
        let outcome = match decision {
            Decision::Busy => return Ok(NextFollowUp::Busy),
            Decision::Finished => NextFollowUp::Finished,
            Decision::Chat(conversation_id) => {
                return self
                    .write_into_chat(transaction, activity, follow_up, conversation_id, plan, now)
                    .await;
            }
            Decision::Email { to, to_name } => {
                let attempt = follow_up.attempts + 1;
                match begin_attempt(&mut transaction, &activity, attempt, "queued", now).await? {
                    Some(tries) => {
                        follow_up.state = FollowUpState::Sending;
                        follow_up.next_attempt_at = Some(now.checked_add(lease).unwrap_or(now));
                        let claimed = ClaimedFollowUp {
                            deal_activity_id: activity.deal_activity_id,
                            account_id: activity.account_id,
                            attempt,
                            tries,
                        };
                        let email =
                            address_mail(&mut transaction, &activity, &follow_up, claimed, to, to_name, now);
                        NextFollowUp::Send(Box::new(email.await?))
                    }
                    // The attempt was made, and its result was lost.
                    None => {
                        follow_up.attempts = attempt;
                        follow_up.fail(FollowUpErrorCode::OutcomeUnknown, now);
                        NextFollowUp::Finished
                    }
                }
            }
        };
        activity.follow_up = Some(follow_up);
        activity.updated_at = now;
        save(&mut transaction, &activity).await?;
        transaction.commit().await?;
        Ok(outcome)
    }

    /// Writes a follow-up into a conversation. The message and the attempt are one transaction.
    async fn write_into_chat(
        self,
        mut transaction: WriteTransaction,
        mut activity: DealActivity,
        mut follow_up: FollowUp,
        conversation_id: Uuid,
        plan: &impl FollowUpPlan,
        now: Timestamp,
    ) -> Result<NextFollowUp, StoreError> {
        let attempt = follow_up.attempts + 1;
        if begin_attempt(&mut transaction, &activity, attempt, "sent", now).await?.is_none() {
            return Ok(NextFollowUp::Busy);
        }
        let body = follow_up.body.clone();
        advance(&mut activity, &mut follow_up, plan, now);
        activity.follow_up = Some(follow_up);
        activity.updated_at = now;
        save(&mut transaction, &activity).await?;
        conversations::write_follow_up(&mut transaction, conversation_id, &body, now).await?;
        transaction.announce_conversation(conversation_id);
        transaction.commit().await?;
        Ok(NextFollowUp::Finished)
    }

    /// Notes that the e-mail of an attempt is handed over from now on. Returns `false` if it must not be: the
    /// lease has ended and the attempt was claimed again, or the follow-up was ended meanwhile.
    pub async fn begin_follow_up(self, claimed: &ClaimedFollowUp) -> Result<bool, StoreError> {
        let begun = sqlx::query(
            "UPDATE follow_up_messages SET status = 'sending' WHERE deal_activity_id = $1 AND account_id = $2 AND attempt = $3 \
             AND tries = $4 AND status = 'queued' AND EXISTS (SELECT 1 FROM deal_activities AS a \
             WHERE a.deal_activity_id = $1 AND a.account_id = $2 AND a.state = 'sending')",
        )
        .bind(claimed.deal_activity_id.to_string())
        .bind(claimed.account_id.to_string())
        .bind(i64::from(claimed.attempt))
        .bind(i64::from(claimed.tries))
        .execute(self.store.writer())
        .await?;
        Ok(begun.rows_affected() > 0)
    }

    /// Ends the leases of all follow-ups that a process has claimed. For the start of the only process that
    /// works on a database.
    pub async fn end_all_leases(self, now: Timestamp) -> Result<u64, StoreError> {
        let ended = sqlx::query(
            "UPDATE deal_activities SET next_attempt_at = $1 WHERE state = 'sending' AND next_attempt_at > $1",
        )
        .bind(micros(now));
        Ok(ended.execute(self.store.writer()).await?.rows_affected())
    }

    /// Records how the mail server has responded to an attempt. Returns `false` if the lease has ended and
    /// the attempt counts as unknown, or if the activity is gone.
    pub async fn finish_follow_up(
        self,
        claimed: &ClaimedFollowUp,
        result: DeliveryResult,
        plan: &impl FollowUpPlan,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let status = match result {
            DeliveryResult::Sent => "sent",
            DeliveryResult::NotSent(Some(_)) => "queued",
            DeliveryResult::NotSent(None) | DeliveryResult::Refused => "failed",
            DeliveryResult::Unknown => "unknown",
        };
        macro_rules! select {
            ($lock:literal) => {
                concat!(
                    "SELECT ",
                    deal_activity_columns!(),
                    " FROM deal_activities AS a WHERE a.deal_activity_id = $1 AND a.account_id = $2",
                    $lock
                )
            };
        }
        let mut transaction = self.store.begin().await?;
        let sql = self.store.dialect().pick(select!(""), select!(" FOR NO KEY UPDATE OF a"));
        let found: Option<DealActivity> = sqlx::query_as(sql)
            .bind(claimed.deal_activity_id.to_string())
            .bind(claimed.account_id.to_string())
            .fetch_optional(&mut *transaction)
            .await?;
        let Some(mut activity) = found else { return Ok(false) };
        let finished = sqlx::query(
            "UPDATE follow_up_messages SET status = $4, finished_at = $5 WHERE deal_activity_id = $1 AND attempt = $2 \
             AND tries = $3 AND status IN ('queued', 'sending')",
        )
        .bind(claimed.deal_activity_id.to_string())
        .bind(i64::from(claimed.attempt))
        .bind(i64::from(claimed.tries))
        .bind(status)
        .bind(micros(now))
        .execute(&mut *transaction)
        .await?;
        let Some(mut follow_up) = activity.follow_up.take() else { return Ok(false) };
        if finished.rows_affected() == 0 {
            return Ok(false);
        }
        // Somebody may have completed or cancelled the activity meanwhile; that stays.
        let is_sending = follow_up.state == FollowUpState::Sending;
        match result {
            DeliveryResult::Sent if is_sending => advance(&mut activity, &mut follow_up, plan, now),
            DeliveryResult::Sent => {
                follow_up.attempts += 1;
                follow_up.last_attempt_at = Some(now);
            }
            DeliveryResult::Unknown => {
                follow_up.attempts += 1;
                follow_up.last_attempt_at = Some(now);
                if is_sending {
                    follow_up.fail(FollowUpErrorCode::OutcomeUnknown, now);
                }
            }
            DeliveryResult::NotSent(Some(next)) if is_sending => {
                follow_up.state = follow_up.waiting_state();
                follow_up.next_attempt_at = Some(next);
            }
            DeliveryResult::NotSent(None) if is_sending => {
                follow_up.fail(FollowUpErrorCode::Unreachable, now);
            }
            DeliveryResult::Refused if is_sending => follow_up.stop(StoppedReason::Bounced),
            DeliveryResult::NotSent(_) | DeliveryResult::Refused => {}
        }
        activity.follow_up = Some(follow_up);
        activity.updated_at = now;
        save(&mut transaction, &activity).await?;
        transaction.commit().await?;
        Ok(true)
    }
}

/// What is to be done about a follow-up that is due.
enum Decision {
    /// Its contact is being changed by another transaction.
    Busy,
    /// The follow-up was changed, and has to be saved.
    Finished,
    /// It is sent by e-mail.
    Email { to: String, to_name: Option<String> },
    /// It is written into this conversation.
    Chat(Uuid),
}

/// Finds the follow-up that has been due longest of the next account, and locks it with its deal, so that the
/// deal cannot be closed meanwhile. What another transaction has locked is passed over.
async fn lock_due(
    connection: &mut AnyConnection,
    dialect: Dialect,
    turn: Option<Uuid>,
    now: Timestamp,
) -> Result<Option<DealActivity>, StoreError> {
    macro_rules! select {
        ($lock:literal) => {
            concat!(
                "SELECT ",
                deal_activity_columns!(),
                " FROM deal_activities AS a JOIN deals AS d ON d.deal_id = a.deal_id \
                 WHERE a.state IN ('scheduled', 'sending', 'waiting') AND a.next_attempt_at <= $1 \
                 ORDER BY (a.account_id <= $2), a.account_id, a.next_attempt_at, a.deal_activity_id LIMIT 1",
                $lock
            )
        };
    }
    let sql =
        dialect.pick(select!(""), select!(" FOR NO KEY UPDATE OF a SKIP LOCKED FOR SHARE OF d SKIP LOCKED"));
    let turn = turn.map(|account_id| account_id.to_string()).unwrap_or_default();
    Ok(sqlx::query_as(sql).bind(micros(now)).bind(turn).fetch_optional(connection).await?)
}

/// Checks every condition under which nothing is sent.
async fn decide(
    connection: &mut AnyConnection,
    dialect: Dialect,
    activity: &DealActivity,
    follow_up: &mut FollowUp,
    plan: &impl FollowUpPlan,
    can_mail: bool,
    now: Timestamp,
) -> Result<Decision, StoreError> {
    if follow_up.state == FollowUpState::Sending {
        // The lease has ended: the process has died. If it was handing the e-mail over, nobody knows what it
        // has sent.
        let unknown = sqlx::query(
            "UPDATE follow_up_messages SET status = 'unknown', finished_at = $3 \
             WHERE deal_activity_id = $1 AND attempt = $2 AND status = 'sending'",
        )
        .bind(activity.deal_activity_id.to_string())
        .bind(i64::from(follow_up.attempts + 1))
        .bind(micros(now))
        .execute(&mut *connection)
        .await?;
        if unknown.rows_affected() > 0 {
            follow_up.attempts += 1;
            follow_up.last_attempt_at = Some(now);
            follow_up.fail(FollowUpErrorCode::OutcomeUnknown, now);
            return Ok(Decision::Finished);
        }
        follow_up.state = follow_up.waiting_state();
    }
    let stop = |follow_up: &mut FollowUp, reason| {
        follow_up.stop(reason);
        Ok(Decision::Finished)
    };
    if activity.status != ActivityStatus::Open {
        return stop(follow_up, StoppedReason::Manual);
    }
    let Some(contact_id) = activity.contact_id else {
        return stop(follow_up, StoppedReason::ContactErased);
    };
    // A contact cannot be erased without clearing the reference to it, so one that is not found is locked by
    // somebody.
    let contact = sqlx::query(dialect.pick(
        "SELECT email, name, consent_marketing FROM contacts WHERE contact_id = $1 AND account_id = $2",
        "SELECT email, name, consent_marketing FROM contacts WHERE contact_id = $1 AND account_id = $2 FOR SHARE SKIP LOCKED",
    ))
    .bind(contact_id.to_string())
    .bind(activity.account_id.to_string())
    .fetch_optional(&mut *connection)
    .await?;
    let Some(contact) = contact else { return Ok(Decision::Busy) };
    let email = contact.text_opt("email")?;
    let facts = facts(connection, activity, contact_id, follow_up, email.as_deref()).await?;
    if facts.is_deal_closed {
        return stop(follow_up, StoppedReason::DealClosed);
    }
    let by_email = follow_up.channel == FollowUpChannel::Email;
    let consent = contact.int_opt("consent_marketing")?.map(|consent| consent != 0);
    if by_email && (facts.is_unsubscribed || consent == Some(false)) {
        return stop(follow_up, StoppedReason::Unsubscribed);
    }
    if follow_up.stop_on_reply && facts.written == Written::Since {
        return stop(follow_up, StoppedReason::Replied);
    }
    if by_email && consent != Some(true) && facts.written == Written::Never {
        return stop(follow_up, StoppedReason::NoConversation);
    }
    if !follow_up.send_now {
        if let Some(start) = restarted(follow_up, facts.last_message_at).filter(|start| *start > now) {
            follow_up.anchor_at = start;
        }
        let earliest = if follow_up.attempts == 0 { follow_up.anchor_at.max(now) } else { now };
        match plan.permitted(follow_up, earliest) {
            Some(permitted) if permitted > now => {
                follow_up.next_attempt_at = Some(permitted);
                return Ok(Decision::Finished);
            }
            Some(_) => {}
            None => {
                follow_up.fail(FollowUpErrorCode::NoTime, now);
                return Ok(Decision::Finished);
            }
        }
    }
    match (follow_up.channel, email) {
        (FollowUpChannel::Chat, _) => match facts.newest_conversation {
            Some(conversation_id) => Ok(Decision::Chat(conversation_id)),
            None => stop(follow_up, StoppedReason::NoConversation),
        },
        (FollowUpChannel::Email, Some(to)) if can_mail => {
            Ok(Decision::Email { to, to_name: contact.text_opt("name")? })
        }
        (FollowUpChannel::Email, email) => {
            let code = match email {
                Some(_) => FollowUpErrorCode::MailNotConfigured,
                None => FollowUpErrorCode::NoAddress,
            };
            follow_up.fail(code, now);
            Ok(Decision::Finished)
        }
    }
}

/// Returns when a follow-up that waits for a reply is due, given the last message to the contact.
fn restarted(follow_up: &FollowUp, last_message_at: Option<Timestamp>) -> Option<Timestamp> {
    if follow_up.trigger != FollowUpTrigger::AfterNoReply || follow_up.attempts > 0 {
        return None;
    }
    let delay = SignedDuration::from_hours(i64::from(follow_up.delay_hours?));
    last_message_at?.checked_add(delay).ok()
}

/// When the contact has written, in a chat or to the inbox.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Written {
    Never,
    /// Before the follow-up was planned.
    Before,
    /// Since then.
    Since,
}

/// What decides whether a follow-up may be sent.
struct Facts {
    is_deal_closed: bool,
    is_unsubscribed: bool,
    written: Written,
    /// Without those of widgets whose visitor has only claimed to be the contact, and would read it.
    newest_conversation: Option<Uuid>,
    last_message_at: Option<Timestamp>,
}

async fn facts(
    connection: &mut AnyConnection,
    activity: &DealActivity,
    contact_id: Uuid,
    follow_up: &FollowUp,
    email: Option<&str>,
) -> Result<Facts, StoreError> {
    let [address, older] = email.map(|email| address_hashes(activity.account_id, email)).unwrap_or_default();
    let row = sqlx::query(
        "SELECT (SELECT COUNT(*) FROM deals AS d WHERE d.deal_id = $1 AND d.outcome = 'open' AND d.deleted_at IS NULL) AS open_deals, \
         (SELECT COUNT(*) FROM unsubscribed_addresses AS u WHERE u.account_id = $2 AND u.address_hash IN ($3, $6)) AS unsubscribed, \
         (SELECT COUNT(*) FROM messages AS m JOIN conversations AS c ON c.conversation_id = m.conversation_id \
          WHERE c.account_id = $2 AND c.contact_id = $4 AND m.role = 'visitor' AND m.created_at > $5) \
          + (SELECT COUNT(*) FROM thread_messages AS m JOIN threads AS t ON t.thread_id = m.thread_id \
          WHERE t.account_id = $2 AND t.contact_id = $4 AND m.direction = 'inbound' AND m.created_at > $5) AS replies, \
         (SELECT COUNT(*) FROM (SELECT 1 FROM thread_messages AS m JOIN threads AS t ON t.thread_id = m.thread_id \
          WHERE t.account_id = $2 AND t.contact_id = $4 AND m.direction = 'inbound' LIMIT 1) AS written) AS written, \
         (SELECT COUNT(*) FROM (SELECT 1 FROM conversations AS c WHERE c.account_id = $2 AND c.contact_id = $4 LIMIT 1) AS known) AS conversations, \
         (SELECT c.conversation_id FROM conversations AS c WHERE c.account_id = $2 AND c.contact_id = $4 \
          AND (c.source <> 'widget' OR c.verified_subject IS NOT NULL) \
          ORDER BY c.last_message_at DESC, c.conversation_id DESC LIMIT 1) AS conversation_id, \
         (SELECT MAX(m.created_at) FROM messages AS m JOIN conversations AS c ON c.conversation_id = m.conversation_id \
          WHERE c.account_id = $2 AND c.contact_id = $4 AND m.role IN ('assistant', 'team_member')) AS last_message_at, \
         (SELECT MAX(m.created_at) FROM thread_messages AS m JOIN threads AS t ON t.thread_id = m.thread_id \
          WHERE t.account_id = $2 AND t.contact_id = $4 AND m.direction = 'outbound') AS last_reply_at",
    )
    .bind(activity.deal_id.to_string())
    .bind(activity.account_id.to_string())
    .bind(address)
    .bind(contact_id.to_string())
    .bind(micros(follow_up.replies_after))
    .bind(older)
    .fetch_one(connection)
    .await?;
    let newest_conversation: Option<Uuid> = Column::read(&row, "conversation_id")?;
    Ok(Facts {
        is_deal_closed: row.int("open_deals")? == 0,
        is_unsubscribed: row.int("unsubscribed")? > 0,
        written: if row.int("replies")? > 0 {
            Written::Since
        } else if row.int("conversations")? > 0 || row.int("written")? > 0 {
            Written::Before
        } else {
            Written::Never
        },
        newest_conversation,
        last_message_at: row.time_opt("last_message_at")?.max(row.time_opt("last_reply_at")?),
    })
}

/// Writes the row of an attempt. Returns how often it was tried, or `None` if it was made already.
async fn begin_attempt(
    connection: &mut AnyConnection,
    activity: &DealActivity,
    attempt: u32,
    status: &'static str,
    now: Timestamp,
) -> Result<Option<u32>, StoreError> {
    let row = sqlx::query(
        "INSERT INTO follow_up_messages (deal_activity_id, attempt, account_id, status, tries, created_at) \
         VALUES ($1, $2, $3, $4, 1, $5) ON CONFLICT (deal_activity_id, attempt) DO UPDATE \
         SET status = excluded.status, tries = follow_up_messages.tries + 1, finished_at = NULL \
         WHERE follow_up_messages.status = 'queued' RETURNING tries",
    )
    .bind(activity.deal_activity_id.to_string())
    .bind(i64::from(attempt))
    .bind(activity.account_id.to_string())
    .bind(status)
    .bind(micros(now))
    .fetch_optional(connection)
    .await?;
    Ok(row.map(|row| row.number("tries")).transpose()?)
}

/// Adds what an e-mail needs beside its text, and writes the link by which its recipient unsubscribes.
async fn address_mail(
    connection: &mut AnyConnection,
    activity: &DealActivity,
    follow_up: &FollowUp,
    claimed: ClaimedFollowUp,
    to: String,
    to_name: Option<String>,
    now: Timestamp,
) -> Result<OutgoingEmail, StoreError> {
    let unsubscribe_token = Uuid::new_v4();
    sqlx::query(
        "INSERT INTO unsubscribe_links (token_hash, account_id, contact_id, address_hash, created_at) \
         VALUES ($1, $2, $3, $4, $5)",
    )
    .bind(token_hash(unsubscribe_token))
    .bind(activity.account_id.to_string())
    .bind(activity.contact_id.map(|id| id.to_string()))
    .bind(address_hash(activity.account_id, &to))
    .bind(micros(now))
    .execute(&mut *connection)
    .await?;
    let row = sqlx::query(
        "SELECT k.name AS name, (SELECT u.email FROM users AS u WHERE u.account_id = k.account_id AND u.status = 'active' \
         AND (u.user_id = $2 OR u.role = 'owner') ORDER BY CASE WHEN u.user_id = $2 THEN 0 ELSE 1 END, u.created_at, u.user_id \
         LIMIT 1) AS reply_to FROM accounts AS k WHERE k.account_id = $1",
    )
    .bind(activity.account_id.to_string())
    .bind(activity.owner_id.map(|id| id.to_string()).unwrap_or_default())
    .fetch_one(connection)
    .await?;
    Ok(OutgoingEmail {
        claimed,
        account_name: row.text("name")?,
        to,
        to_name,
        reply_to: row.text_opt("reply_to")?,
        subject: follow_up.subject.clone().unwrap_or_default(),
        body: follow_up.body.clone(),
        unsubscribe_token,
    })
}

/// Counts an attempt that was made, and plans the next one. After the last one the activity is done.
fn advance(activity: &mut DealActivity, follow_up: &mut FollowUp, plan: &impl FollowUpPlan, now: Timestamp) {
    follow_up.attempts += 1;
    follow_up.last_attempt_at = Some(now);
    follow_up.last_error = None;
    follow_up.send_now = false;
    let next = if follow_up.attempts < follow_up.max_attempts { plan.after(follow_up, now) } else { None };
    follow_up.next_attempt_at = next;
    if next.is_some() {
        follow_up.state = FollowUpState::Waiting;
    } else {
        follow_up.state = FollowUpState::Sent;
        activity.status = ActivityStatus::Done;
        activity.done_at = Some(now);
    }
}
