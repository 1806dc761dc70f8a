//! Activities and follow-ups as they are stored.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sqlx::any::AnyRow;
use uuid::Uuid;

use crate::sql::record::{Column, unreadable};

named_values! {
    /// What is to be done.
    pub enum ActivityType as "type of an activity" {
        /// Something.
        Task = "task",
        /// A call.
        Call = "call",
        /// A meeting.
        Meeting = "meeting",
        /// A date that must not be missed.
        Deadline = "deadline",
        /// A message that is sent by itself.
        FollowUp = "follow_up",
    }
}

named_values! {
    /// How far an activity is.
    pub enum ActivityStatus as "status of an activity" {
        /// To be done.
        Open = "open",
        /// Done.
        Done = "done",
        /// Not to be done any more.
        Cancelled = "cancelled",
    }
}

named_values! {
    /// How important an activity is.
    pub enum ActivityPriority as "priority of an activity" {
        /// Less than others.
        Low = "low",
        /// As others.
        Normal = "normal",
        /// More than others.
        High = "high",
    }
}

named_values! {
    /// How a follow-up reaches its contact.
    pub enum FollowUpChannel as "channel of a follow-up" {
        /// By e-mail.
        Email = "email",
        /// By a message in the newest conversation.
        Chat = "chat",
    }
}

named_values! {
    /// When a follow-up is sent first.
    pub enum FollowUpTrigger as "trigger of a follow-up" {
        /// When the activity is due.
        AtTime = "at_time",
        /// Some hours after the last message to the contact.
        AfterNoReply = "after_no_reply",
    }
}

named_values! {
    /// How often a follow-up is sent again.
    pub enum RepeatInterval as "repeat interval" {
        /// Never.
        None = "none",
        /// After a day.
        Daily = "daily",
        /// After a week.
        Weekly = "weekly",
    }
}

named_values! {
    /// How far a follow-up is.
    pub enum FollowUpState as "state of a follow-up" {
        /// The first attempt is planned.
        Scheduled = "scheduled",
        /// An attempt is being made, or was when the process died.
        Sending = "sending",
        /// Another attempt is planned.
        Waiting = "waiting",
        /// All attempts were made.
        Sent = "sent",
        /// A condition has ended it.
        Stopped = "stopped",
        /// An attempt has failed.
        Failed = "failed",
    }
}

named_values! {
    /// What has ended a follow-up.
    pub enum StoppedReason as "reason why a follow-up was stopped" {
        /// The contact has written.
        Replied = "replied",
        /// The deal is won, lost or deleted.
        DealClosed = "deal_closed",
        /// The contact wants no e-mails.
        Unsubscribed = "unsubscribed",
        /// The contact is gone.
        ContactErased = "contact_erased",
        /// Somebody has completed or cancelled the activity.
        Manual = "manual",
        /// The mail server will never accept the e-mail.
        Bounced = "bounced",
        /// The contact has no conversation.
        NoConversation = "no_conversation",
    }
}

named_values! {
    /// Why an attempt has failed.
    pub enum FollowUpErrorCode as "error of a follow-up" {
        /// Nobody knows whether it was sent.
        OutcomeUnknown = "outcome_unknown",
        /// The mail server has not accepted it for too long.
        Unreachable = "unreachable",
        /// The contact has no e-mail address.
        NoAddress = "no_address",
        /// No mail server is configured.
        MailNotConfigured = "mail_not_configured",
        /// The send window never opens.
        NoTime = "no_time",
    }
}

/// The failure of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FollowUpError {
    /// Why.
    pub code: FollowUpErrorCode,
    /// When.
    pub at: Timestamp,
}

/// The hours in which a follow-up may be sent, in its time zone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SendWindow {
    /// The beginning, as `HH:MM`.
    pub from: String,
    /// The end, as `HH:MM`.
    pub to: String,
    /// Names of the days on which it begins; empty for all.
    pub weekdays: Vec<String>,
}

impl SendWindow {
    pub(super) fn to_json(&self) -> String {
        serde_json::json!({ "from": self.from, "to": self.to, "weekdays": self.weekdays }).to_string()
    }
}

impl Column for Option<SendWindow> {
    fn read(row: &AnyRow, name: &str) -> sqlx::Result<Self> {
        let Some(text) = Option::<String>::read(row, name)? else { return Ok(None) };
        serde_json::from_str(&text).map(Some).map_err(|error| unreadable(name, error))
    }
}

/// A message that is sent by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FollowUp {
    /// How it reaches the contact.
    pub channel: FollowUpChannel,
    /// The subject of an e-mail.
    pub subject: Option<String>,
    /// The text.
    pub body: String,
    /// When it is sent first.
    pub trigger: FollowUpTrigger,
    /// Hours after the last message to the contact.
    pub delay_hours: Option<u32>,
    /// The largest number of attempts.
    pub max_attempts: u32,
    /// How often it is sent again.
    pub repeat: RepeatInterval,
    /// The name of the time zone.
    pub timezone: String,
    /// When it may be sent; `None` for any time.
    pub send_window: Option<SendWindow>,
    /// Whether a message of the contact ends it.
    pub stop_on_reply: bool,
    /// How far it is.
    pub state: FollowUpState,
    /// Attempts that were made.
    pub attempts: u32,
    /// When the first attempt was planned, before the window was considered.
    pub anchor_at: Timestamp,
    /// When the next attempt is made; while one is being made, the end of its lease.
    pub next_attempt_at: Option<Timestamp>,
    /// Whether the window does not matter for the next attempt.
    pub send_now: bool,
    /// Messages of the contact after this moment are replies.
    pub replies_after: Timestamp,
    /// When the last attempt was made.
    pub last_attempt_at: Option<Timestamp>,
    /// What has ended it.
    pub stopped_reason: Option<StoppedReason>,
    /// The failure of the last attempt.
    pub last_error: Option<FollowUpError>,
}

impl FollowUp {
    /// Returns whether an attempt is planned.
    pub fn is_planned(&self) -> bool {
        matches!(self.state, FollowUpState::Scheduled | FollowUpState::Waiting)
    }

    /// Returns the state in which the next attempt is waited for.
    pub(super) fn waiting_state(&self) -> FollowUpState {
        if self.attempts == 0 { FollowUpState::Scheduled } else { FollowUpState::Waiting }
    }

    /// Ends it.
    pub fn stop(&mut self, reason: StoppedReason) {
        self.state = FollowUpState::Stopped;
        self.stopped_reason = Some(reason);
        self.next_attempt_at = None;
        self.send_now = false;
    }

    /// Ends it because an attempt has failed.
    pub(super) fn fail(&mut self, code: FollowUpErrorCode, at: Timestamp) {
        self.state = FollowUpState::Failed;
        self.last_error = Some(FollowUpError { code, at });
        self.next_attempt_at = None;
        self.send_now = false;
    }
}

impl Column for Option<FollowUp> {
    fn read(row: &AnyRow, _: &str) -> sqlx::Result<Self> {
        let Some(channel) = Column::read(row, "channel")? else { return Ok(None) };
        let last_error = match Column::read(row, "error_code")? {
            Some(code) => Some(FollowUpError { code, at: Column::read(row, "error_at")? }),
            None => None,
        };
        Ok(Some(FollowUp {
            channel,
            subject: Column::read(row, "subject")?,
            body: Column::read(row, "body")?,
            trigger: Column::read(row, "start_trigger")?,
            delay_hours: Column::read(row, "delay_hours")?,
            max_attempts: Column::read(row, "max_attempts")?,
            repeat: Column::read(row, "repeat_interval")?,
            timezone: Column::read(row, "timezone")?,
            send_window: Column::read(row, "send_window")?,
            stop_on_reply: Column::read(row, "stop_on_reply")?,
            state: Column::read(row, "state")?,
            attempts: Column::read(row, "attempts")?,
            anchor_at: Column::read(row, "anchor_at")?,
            next_attempt_at: Column::read(row, "next_attempt_at")?,
            send_now: Column::read(row, "send_now")?,
            replies_after: Column::read(row, "replies_after")?,
            last_attempt_at: Column::read(row, "last_attempt_at")?,
            stopped_reason: Column::read(row, "stopped_reason")?,
            last_error,
        }))
    }
}

record! {
    /// Something that is to be done for a deal.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct DealActivity, columns deal_activity_columns of "a." {
        /// Identifier.
        pub deal_activity_id: Uuid,
        /// The account of the deal.
        pub account_id: Uuid,
        /// The deal.
        pub deal_id: Uuid,
        /// What is to be done.
        pub kind: ActivityType = "a.type",
        /// The title.
        pub title: String,
        /// Further text.
        pub note: Option<String>,
        /// How far it is.
        pub status: ActivityStatus,
        /// How important it is.
        pub priority: ActivityPriority,
        /// When it is due.
        pub due_at: Option<Timestamp>,
        /// How long it takes, in minutes.
        pub duration_minutes: Option<u32>,
        /// The user who does it.
        pub owner_id: Option<Uuid>,
        /// The contact that it concerns.
        pub contact_id: Option<Uuid>,
        /// Minutes before it is due at which its owner is reminded.
        pub reminder_minutes_before: Option<u32>,
        /// When the reminder is written; `None` if there is none, or it was written.
        pub remind_at: Option<Timestamp>,
        /// What came of it.
        pub result: Option<String>,
        /// When it was completed.
        pub done_at: Option<Timestamp>,
        /// What is sent, for a follow-up.
        pub follow_up: Option<FollowUp> = ["a.channel, a.subject, a.body, a.start_trigger, a.delay_hours, a.max_attempts, \
            a.repeat_interval, a.timezone, a.send_window, a.stop_on_reply, a.state, a.attempts, a.anchor_at, a.next_attempt_at, \
            a.send_now, a.replies_after, a.last_attempt_at, a.stopped_reason, a.error_code, a.error_at"],
        /// When it was created.
        pub created_at: Timestamp,
        /// When it was last changed.
        pub updated_at: Timestamp,
    }
}
