//! What requests plan: reminders, and the first attempt of a follow-up.

use frontdesk_model::{NewFollowUp, NewFollowUpChannel, NewFollowUpRepeat, NewFollowUpTrigger};
use frontdesk_runtime::check;
use frontdesk_store::{
    DealActivity, FollowUp, FollowUpChannel, FollowUpPlan, FollowUpState, FollowUpTrigger, RepeatInterval,
    Scope, SendWindow, StoppedReason, StoreError,
};
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use super::conversion::whole;
use crate::{
    api::Service,
    background::follow_ups::{self, CivilPlan},
    edge::responses::failure,
};

/// What a follow-up is planned by, beside itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Planned {
    /// When its activity is due.
    pub(super) due_at: Option<Timestamp>,
    /// When somebody of the business last wrote to its contact.
    pub(super) last_message_at: Option<Timestamp>,
}

impl Service {
    /// Returns what a follow-up to a contact is planned by.
    pub(super) async fn context(
        &self,
        scope: &Scope,
        contact_id: Option<Uuid>,
        due_at: Option<Timestamp>,
    ) -> Result<Planned, StoreError> {
        let last_message_at = match contact_id {
            Some(id) => self.store.deal_activities().last_message_to(scope, id).await?,
            None => None,
        };
        Ok(Planned { due_at, last_message_at })
    }
}

/// Checks that a reminder has a time before which it comes.
pub(super) fn check_reminder(
    due_at: Option<Timestamp>,
    reminder: Option<u32>,
    failures: &mut Vec<check::Failure>,
) {
    if reminder.is_some() && due_at.is_none() {
        failures.push(failure("reminder_minutes_before", "needs `due_at`"));
    }
}

/// Plans the reminder of an activity, unless the activity is due already.
pub(super) fn plan_reminder(activity: &mut DealActivity, now: Timestamp) {
    activity.remind_at = match (activity.due_at, activity.reminder_minutes_before) {
        (Some(due_at), Some(minutes)) if due_at > now => {
            due_at.checked_sub(SignedDuration::from_mins(i64::from(minutes))).ok()
        }
        _ => None,
    };
}

/// Reads a follow-up and plans its first attempt, or the next one if `before` has made some. Adds what is
/// wrong to `failures`.
pub(super) fn planned(
    new: NewFollowUp,
    context: &Planned,
    before: Option<&FollowUp>,
    now: Timestamp,
    failures: &mut Vec<check::Failure>,
) -> Option<FollowUp> {
    let count = failures.len();
    let mut refuse =
        |field: &str, problem: &str| failures.push(failure(&format!("follow_up.{field}"), problem));
    let channel = match new.channel {
        NewFollowUpChannel::Email => FollowUpChannel::Email,
        NewFollowUpChannel::Chat => FollowUpChannel::Chat,
    };
    match (channel, &new.subject) {
        (FollowUpChannel::Email, None) => refuse("subject", "is required for an e-mail"),
        (FollowUpChannel::Email, Some(subject)) if subject.chars().any(char::is_control) => {
            refuse("subject", "must be one line without control characters");
        }
        (FollowUpChannel::Chat, Some(_)) => refuse("subject", "is allowed for e-mails only"),
        _ => {}
    }
    let trigger = match new.trigger {
        NewFollowUpTrigger::AtTime => FollowUpTrigger::AtTime,
        NewFollowUpTrigger::AfterNoReply => FollowUpTrigger::AfterNoReply,
    };
    match (trigger, new.delay_hours) {
        (FollowUpTrigger::AfterNoReply, None) => refuse("delay_hours", "is required for after_no_reply"),
        (FollowUpTrigger::AtTime, Some(_)) => refuse("delay_hours", "is allowed for after_no_reply only"),
        _ => {}
    }
    let repeat = match new.repeat_interval {
        None | Some(NewFollowUpRepeat::None) => RepeatInterval::None,
        Some(NewFollowUpRepeat::Daily) => RepeatInterval::Daily,
        Some(NewFollowUpRepeat::Weekly) => RepeatInterval::Weekly,
    };
    let max_attempts = new.max_attempts.map_or(1, whole);
    if max_attempts > 1 && repeat == RepeatInterval::None {
        refuse("repeat_interval", "is required for more than one attempt");
    }
    let timezone = new.timezone.unwrap_or_else(|| "UTC".to_owned());
    if !follow_ups::is_time_zone(&timezone) {
        refuse("timezone", "is not a time zone of the IANA database, such as Europe/Berlin");
    }
    let send_window = new.send_window.map(|window| SendWindow {
        from: window.from,
        to: window.to,
        weekdays: window.weekdays.unwrap_or_default().iter().map(|day| day.as_str().to_owned()).collect(),
    });
    if let Some(Err((field, problem))) = send_window.as_ref().map(follow_ups::check_window) {
        refuse(&format!("send_window.{field}"), &problem);
    }
    let anchor_at = match (trigger, context.due_at, new.delay_hours) {
        (FollowUpTrigger::AtTime, None, _) => {
            failures.push(failure("due_at", "is required for a follow-up with the trigger at_time"));
            now
        }
        (FollowUpTrigger::AtTime, Some(due_at), _) => due_at,
        (FollowUpTrigger::AfterNoReply, _, hours) => {
            let from = context.last_message_at.unwrap_or(now);
            from.checked_add(SignedDuration::from_hours(hours.unwrap_or_default())).unwrap_or(now)
        }
    };
    if failures.len() > count {
        return None;
    }
    let attempts = before.map_or(0, |before| before.attempts);
    let replies_after = match (before, trigger) {
        (Some(before), _) => before.replies_after,
        (None, FollowUpTrigger::AfterNoReply) => context.last_message_at.unwrap_or(now),
        (None, FollowUpTrigger::AtTime) => now,
    };
    let mut follow_up = FollowUp {
        channel,
        subject: new.subject,
        body: new.body,
        trigger,
        delay_hours: new.delay_hours.map(whole),
        max_attempts,
        repeat,
        timezone,
        send_window,
        stop_on_reply: new.stop_on_reply.unwrap_or(true),
        state: if attempts == 0 { FollowUpState::Scheduled } else { FollowUpState::Waiting },
        attempts,
        anchor_at,
        next_attempt_at: None,
        send_now: false,
        replies_after,
        last_attempt_at: before.and_then(|before| before.last_attempt_at),
        stopped_reason: None,
        last_error: before.and_then(|before| before.last_error),
    };
    follow_up.next_attempt_at = next(&follow_up, &CivilPlan, now);
    if follow_up.next_attempt_at.is_none() {
        let problem = if attempts < max_attempts {
            failure("follow_up.send_window", "never opens")
        } else {
            failure(
                "follow_up.max_attempts",
                "is not more than the number of attempts that were made already",
            )
        };
        failures.push(problem);
        return None;
    }
    Some(follow_up)
}

/// Returns when the next attempt of a follow-up is made.
fn next(follow_up: &FollowUp, plan: &impl FollowUpPlan, now: Timestamp) -> Option<Timestamp> {
    if follow_up.attempts >= follow_up.max_attempts {
        return None;
    }
    match follow_up.last_attempt_at.filter(|_| follow_up.attempts > 0) {
        None => plan.permitted(follow_up, follow_up.anchor_at.max(now)),
        Some(last) => plan.permitted(follow_up, plan.after(follow_up, last)?.max(now)),
    }
}

/// Changes the follow-up of an activity: by another one that a request describes, or because the activity is
/// due at another time.
pub(super) fn change(
    activity: &mut DealActivity,
    new: Option<NewFollowUp>,
    context: &Planned,
    now: Timestamp,
    failures: &mut Vec<check::Failure>,
) {
    let Some(before) = activity.follow_up.clone() else {
        if new.is_some() {
            failures.push(failure("follow_up", "is allowed for the type follow_up only"));
        }
        return;
    };
    if before.is_planned() && activity.contact_id.is_none() {
        failures.push(failure("contact_id", "is required for a follow-up"));
        return;
    }
    if let Some(new) = new {
        if before.is_planned() {
            activity.follow_up = planned(new, context, Some(&before), now, failures).or(Some(before));
        } else {
            failures.push(failure("follow_up", "has ended; create another activity to send it again"));
        }
        return;
    }
    let is_moved = before.trigger == FollowUpTrigger::AtTime && context.due_at != Some(before.anchor_at);
    if !before.is_planned() || before.attempts > 0 || !is_moved {
        return;
    }
    let Some(due_at) = context.due_at else {
        failures.push(failure("due_at", "is required for a follow-up with the trigger at_time"));
        return;
    };
    let mut moved = FollowUp { anchor_at: due_at, send_now: false, ..before };
    moved.next_attempt_at = next(&moved, &CivilPlan, now);
    activity.follow_up = Some(moved);
}

/// Plans a follow-up again that was stopped because somebody had completed or cancelled its activity.
pub(super) fn resume(activity: &mut DealActivity, plan: &impl FollowUpPlan, now: Timestamp) {
    let Some(follow_up) = activity.follow_up.as_mut() else { return };
    if follow_up.stopped_reason != Some(StoppedReason::Manual) {
        return;
    }
    if let Some(at) = next(follow_up, plan, now) {
        follow_up.state =
            if follow_up.attempts == 0 { FollowUpState::Scheduled } else { FollowUpState::Waiting };
        follow_up.stopped_reason = None;
        follow_up.next_attempt_at = Some(at);
    }
}
