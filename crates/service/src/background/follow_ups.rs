//! Follow-ups: messages to contacts that activities of deals send by themselves.
//!
//! - `timing`: when attempts may be made, in the time zone of the follow-up.
//! - `job`: makes the attempts that are due, and writes reminders.
//! - `page`: the page on which recipients unsubscribe.
//!
//! What ends a follow-up, and what keeps it from being sent twice, is decided by the store
//! (`deal_activities::outbox`).

mod job;
mod page;
mod timing;

use frontdesk_store::{FollowUp, FollowUpPlan, SendWindow};
use jiff::Timestamp;

use self::timing::{Plan, Repeat, time_zone};
pub(crate) use self::{
    job::{RemindOfActivities, SendFollowUps},
    page::{CONTENT_SECURITY_POLICY, asked, unsubscribed},
};

/// The times of follow-ups in their time zones.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CivilPlan;

impl FollowUpPlan for CivilPlan {
    fn permitted(&self, follow_up: &FollowUp, now: Timestamp) -> Option<Timestamp> {
        plan(follow_up)?.permitted(now, now)
    }

    fn after(&self, follow_up: &FollowUp, sent: Timestamp) -> Option<Timestamp> {
        plan(follow_up)?.after(sent)
    }
}

fn plan(follow_up: &FollowUp) -> Option<Plan> {
    let window = match &follow_up.send_window {
        Some(window) => Some(read(window).ok()?),
        None => None,
    };
    let repeat: Repeat = follow_up.repeat.as_str().parse().ok()?;
    Some(Plan { zone: time_zone(&follow_up.timezone)?, anchor: follow_up.anchor_at, window, repeat })
}

fn read(window: &SendWindow) -> Result<timing::SendWindow, timing::WindowError> {
    timing::SendWindow::parse(&window.from, &window.to, window.weekdays.iter().map(String::as_str))
}

/// Returns whether this is the name of a time zone.
pub(crate) fn is_time_zone(name: &str) -> bool {
    time_zone(name).is_some()
}

/// Checks a send window. An error is a member and its problem.
pub(crate) fn check_window(window: &SendWindow) -> Result<(), (String, String)> {
    read(window).map(drop).map_err(|error| (error.field(), error.to_string()))
}
