//! Activities of the store as types of the interface, and the other way round.

use frontdesk_model::{
    DealActivity, DealActivityPriority, DealActivityRequired, DealActivityStatus, DealActivityType, FollowUp,
    FollowUpChannel, FollowUpError, FollowUpErrorCode, FollowUpRepeat, FollowUpRequired, FollowUpState,
    FollowUpStoppedReason, FollowUpTrigger, NewDealActivityPriority, SendWindow, Weekday,
};
use frontdesk_store::{self as store, ActivityPriority, ActivityStatus, FollowUpErrorCode as Code};
use jiff::Timestamp;

use crate::edge::responses::timestamp;

/// Reads a moment.
pub(super) fn moment(given: frontdesk_runtime::Timestamp) -> Timestamp {
    Timestamp::from_microsecond(given.as_microseconds()).unwrap_or(Timestamp::MAX)
}

/// Reads a number whose bounds the contract has checked.
pub(super) fn whole(given: i64) -> u32 {
    u32::try_from(given).unwrap_or(u32::MAX)
}

/// Reads a priority.
pub(super) fn priority(given: NewDealActivityPriority) -> ActivityPriority {
    match given {
        NewDealActivityPriority::Low => ActivityPriority::Low,
        NewDealActivityPriority::Normal => ActivityPriority::Normal,
        NewDealActivityPriority::High => ActivityPriority::High,
    }
}

/// Converts an activity to the type of the interface.
pub(in crate::api) fn shown(stored: store::DealActivity, now: Timestamp) -> DealActivity {
    let is_overdue =
        stored.status == ActivityStatus::Open && stored.due_at.is_some_and(|due_at| due_at < now);
    DealActivity::new(DealActivityRequired {
        deal_activity_id: stored.deal_activity_id.into(),
        deal_id: stored.deal_id.into(),
        r#type: DealActivityType::from(stored.kind.as_str()),
        title: stored.title,
        note: stored.note,
        status: DealActivityStatus::from(stored.status.as_str()),
        priority: DealActivityPriority::from(stored.priority.as_str()),
        due_at: stored.due_at.map(timestamp),
        is_overdue,
        duration_minutes: stored.duration_minutes.map(i64::from),
        owner_id: stored.owner_id.map(Into::into),
        contact_id: stored.contact_id.map(Into::into),
        reminder_minutes_before: stored.reminder_minutes_before.map(i64::from),
        result: stored.result,
        is_automatic: stored.follow_up.is_some(),
        done_at: stored.done_at.map(timestamp),
        follow_up: stored.follow_up.map(follow_up),
        created_at: timestamp(stored.created_at),
        updated_at: timestamp(stored.updated_at),
    })
}

fn follow_up(stored: store::FollowUp) -> FollowUp {
    let window = stored.send_window.map(|window| {
        let weekdays = window.weekdays.iter().map(|day| Weekday::from(day.as_str()));
        SendWindow::new(window.from, window.to).weekdays(weekdays.collect::<Vec<_>>())
    });
    // While an attempt is being made, the stored time is the end of its lease.
    let is_sending = stored.state == store::FollowUpState::Sending;
    FollowUp::new(FollowUpRequired {
        channel: FollowUpChannel::from(stored.channel.as_str()),
        subject: stored.subject,
        body: stored.body,
        trigger: FollowUpTrigger::from(stored.trigger.as_str()),
        delay_hours: stored.delay_hours.map(i64::from),
        max_attempts: i64::from(stored.max_attempts),
        repeat_interval: FollowUpRepeat::from(stored.repeat.as_str()),
        timezone: stored.timezone,
        send_window: window,
        stop_on_reply: stored.stop_on_reply,
        state: FollowUpState::from(stored.state.as_str()),
        attempts: i64::from(stored.attempts),
        next_attempt_at: stored.next_attempt_at.filter(|_| !is_sending).map(timestamp),
        last_attempt_at: stored.last_attempt_at.map(timestamp),
        stopped_reason: stored.stopped_reason.map(|reason| FollowUpStoppedReason::from(reason.as_str())),
        last_error: stored.last_error.map(|error| {
            FollowUpError::new(
                FollowUpErrorCode::from(error.code.as_str()),
                reason(error.code),
                timestamp(error.at),
            )
        }),
    })
}

fn reason(code: Code) -> &'static str {
    match code {
        Code::OutcomeUnknown => {
            "The connection to the mail server broke, or the service stopped, while the e-mail was handed over. It may \
             have been sent, so it is not sent again."
        }
        Code::Unreachable => "The mail server has not accepted the e-mail in any of several tries.",
        Code::NoAddress => "The contact has no email address.",
        Code::MailNotConfigured => "This installation is not configured to send e-mails to contacts.",
        Code::NoTime => "The send window never opens.",
    }
}
