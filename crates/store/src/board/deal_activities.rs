//! Activities of deals, and follow-ups that are sent by themselves.
//!
//! - `record`: activities and follow-ups as they are stored.
//! - This file creates, reads, lists, changes and deletes them.
//! - `outbox` decides what is sent, writes it down, and records what came of it.
//! - `reminders` writes notices of activities that are due soon.

#[macro_use]
mod record;
mod outbox;
mod reminders;

use jiff::Timestamp;
use sqlx::AnyConnection;
use uuid::Uuid;

pub use self::outbox::{ClaimedFollowUp, DeliveryResult, FollowUpPlan, NextFollowUp, OutgoingEmail};
pub use self::record::{
    ActivityPriority, ActivityStatus, ActivityType, DealActivity, FollowUp, FollowUpChannel, FollowUpError,
    FollowUpErrorCode, FollowUpState, FollowUpTrigger, RepeatInterval, SendWindow, StoppedReason,
};
use crate::contacts::current::current;
use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::pages::{Page, PageRequest, Position};
use crate::sql::row::{Columns, micros, stored};
use crate::sql::scope::{Scope, in_scope, scoped, scoped_as};

/// The activities that a list is about. What is `None` does not matter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DealActivityFilter {
    /// Those of one deal, whether it is deleted or not. Without a deal, those of deleted deals are left out.
    pub deal_id: Option<Uuid>,
    /// What kind they are.
    pub kind: Option<ActivityType>,
    /// How far they are.
    pub status: Option<ActivityStatus>,
    /// Who does them.
    pub owner_id: Option<Uuid>,
    /// Whom they concern.
    pub contact_id: Option<Uuid>,
    /// Due before this moment.
    pub due_before: Option<Timestamp>,
    /// Due at this moment or later.
    pub due_after: Option<Timestamp>,
    /// Whether they are open and were due before a moment, which is the present one.
    pub overdue: Option<(bool, Timestamp)>,
}

group! {
    /// Activities of deals.
    pub DealActivities, deal_activities
}

impl DealActivities<'_> {
    /// Stores a new activity. Returns `false` if its deal is gone.
    pub async fn create(self, activity: &DealActivity) -> Result<bool, StoreError> {
        let mut transaction = self.store.begin().await?;
        let deal = sqlx::query(self.store.dialect().pick(
            "SELECT 1 FROM deals WHERE deal_id = $1 AND account_id = $2",
            "SELECT 1 FROM deals WHERE deal_id = $1 AND account_id = $2 FOR KEY SHARE",
        ))
        .bind(activity.deal_id.to_string())
        .bind(activity.account_id.to_string())
        .fetch_optional(&mut *transaction)
        .await?;
        if deal.is_none() {
            return Ok(false);
        }
        sqlx::query(
            "INSERT INTO deal_activities (deal_activity_id, account_id, deal_id, type, title, status, priority, due_key, \
             created_at, updated_at) VALUES ($1, $2, $3, $4, '', 'open', 'normal', 0, $5, $5)",
        )
        .bind(activity.deal_activity_id.to_string())
        .bind(activity.account_id.to_string())
        .bind(activity.deal_id.to_string())
        .bind(activity.kind.as_str())
        .bind(micros(activity.created_at))
        .execute(&mut *transaction)
        .await?;
        let mut activity = activity.clone();
        follow_merge(&mut transaction, self.store.dialect(), &mut activity).await?;
        save(&mut transaction, &activity).await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// Returns an activity of a deal.
    pub async fn find(
        self,
        scope: &Scope,
        deal_id: Uuid,
        deal_activity_id: Uuid,
    ) -> Result<Option<DealActivity>, StoreError> {
        let one = scoped_as(
            concat!(
                "SELECT ",
                deal_activity_columns!(),
                " FROM deal_activities AS a WHERE ",
                in_scope!("a."),
                " AND a.deal_id = $3 AND a.deal_activity_id = $4"
            ),
            scope,
        )
        .bind(deal_id.to_string())
        .bind(deal_activity_id.to_string());
        Ok(one.fetch_optional(self.store.reader()).await?)
    }

    /// One page of activities: those that are due first, then those without a due time.
    pub async fn page(
        self,
        scope: &Scope,
        filter: &DealActivityFilter,
        page: &PageRequest,
    ) -> Result<Page<DealActivity>, StoreError> {
        let (key, id) = page.after_number();
        let text = |id: Option<Uuid>| id.map(|id| id.to_string()).unwrap_or_default();
        let (overdue, now) = filter.overdue.map_or((-1, 0), |(is, now)| (i64::from(is), micros(now)));
        let rows: Vec<DealActivity> = scoped_as(
            concat!(
                "SELECT ",
                deal_activity_columns!(),
                " FROM deal_activities AS a WHERE ",
                in_scope!("a."),
                " AND (a.due_key, a.deal_activity_id) > ($3, $4) \
                 AND (a.deal_id = $5 OR ($5 = '' AND EXISTS (SELECT 1 FROM deals AS d WHERE d.deal_id = a.deal_id \
                 AND d.deleted_at IS NULL))) \
                 AND ($6 = '' OR a.type = $6) AND ($7 = '' OR a.status = $7) AND ($8 = '' OR a.owner_id = $8) \
                 AND ($9 = '' OR a.contact_id = $9) AND ($10 = 0 OR a.due_at < $11) AND ($12 = 0 OR a.due_at >= $13) \
                 AND ($14 < 0 OR CASE WHEN a.status = 'open' AND a.due_at < $15 THEN 1 ELSE 0 END = $14) \
                 ORDER BY a.due_key, a.deal_activity_id LIMIT $16"
            ),
            scope,
        )
        .bind(key)
        .bind(id)
        .bind(text(filter.deal_id))
        .bind(filter.kind.map(ActivityType::as_str).unwrap_or_default())
        .bind(filter.status.map(ActivityStatus::as_str).unwrap_or_default())
        .bind(text(filter.owner_id))
        .bind(text(filter.contact_id))
        .bind(i64::from(filter.due_before.is_some()))
        .bind(filter.due_before.map_or(0, micros))
        .bind(i64::from(filter.due_after.is_some()))
        .bind(filter.due_after.map_or(0, micros))
        .bind(overdue)
        .bind(now)
        .bind(page.rows())
        .fetch_all(self.store.reader())
        .await?;
        Ok(Page::of(rows, page, |last: &DealActivity| {
            Position::number(last.due_key(), last.deal_activity_id)
        }))
    }

    /// Changes an activity while nobody else does. An error of `change` leaves it as it is. Returns `None` if
    /// there is no such activity.
    pub async fn edit<E: Send>(
        self,
        scope: &Scope,
        deal_activity_id: Uuid,
        now: Timestamp,
        change: impl FnOnce(&mut DealActivity) -> Result<(), E> + Send,
    ) -> Result<Option<Result<DealActivity, E>>, StoreError> {
        macro_rules! select {
            ($lock:literal) => {
                concat!(
                    "SELECT ",
                    deal_activity_columns!(),
                    " FROM deal_activities AS a WHERE ",
                    in_scope!("a."),
                    " AND a.deal_activity_id = $3",
                    $lock
                )
            };
        }
        let mut transaction = self.store.begin().await?;
        let sql = self.store.dialect().pick(select!(""), select!(" FOR NO KEY UPDATE OF a"));
        let found: Option<DealActivity> = scoped_as(sql, scope)
            .bind(deal_activity_id.to_string())
            .fetch_optional(&mut *transaction)
            .await?;
        let Some(mut activity) = found else { return Ok(None) };
        if let Err(error) = change(&mut activity) {
            return Ok(Some(Err(error)));
        }
        activity.updated_at = now;
        follow_merge(&mut transaction, self.store.dialect(), &mut activity).await?;
        save(&mut transaction, &activity).await?;
        transaction.commit().await?;
        Ok(Some(Ok(activity)))
    }

    /// Deletes an activity. Returns `false` if there is none.
    pub async fn delete(self, scope: &Scope, deal_activity_id: Uuid) -> Result<bool, StoreError> {
        let deleted = scoped(
            concat!("DELETE FROM deal_activities WHERE ", in_scope!(), " AND deal_activity_id = $3"),
            scope,
        )
        .bind(deal_activity_id.to_string())
        .execute(self.store.writer())
        .await?;
        Ok(deleted.rows_affected() > 0)
    }

    /// Returns when somebody of the business last wrote to a contact in a conversation; `None` if nobody has.
    pub async fn last_message_to(
        self,
        scope: &Scope,
        contact_id: Uuid,
    ) -> Result<Option<Timestamp>, StoreError> {
        let row = scoped(
            concat!(
                "SELECT MAX(m.created_at) AS at FROM messages AS m JOIN conversations AS c \
                 ON c.conversation_id = m.conversation_id WHERE ",
                in_scope!("c."),
                " AND c.contact_id = $3 AND m.role IN ('assistant', 'team_member')"
            ),
            scope,
        )
        .bind(contact_id.to_string())
        .fetch_one(self.store.reader())
        .await?;
        Ok(row.time_opt("at")?)
    }
}

/// Puts the contact into which that of an activity was merged in its place.
async fn follow_merge(
    connection: &mut AnyConnection,
    dialect: Dialect,
    activity: &mut DealActivity,
) -> Result<(), StoreError> {
    if let Some(contact_id) = activity.contact_id {
        activity.contact_id = current(connection, dialect, activity.account_id, contact_id).await?;
    }
    Ok(())
}

/// Overwrites everything that can change about an activity.
async fn save(connection: &mut AnyConnection, activity: &DealActivity) -> Result<(), StoreError> {
    let text = |text: &Option<String>| text.as_deref().map(replace_nul);
    let follow_up = activity.follow_up.as_ref();
    sqlx::query(
        "UPDATE deal_activities SET title = $2, note = $3, status = $4, priority = $5, due_at = $6, due_key = $7, \
         duration_minutes = $8, owner_id = $9, contact_id = $10, reminder_minutes_before = $11, remind_at = $12, result = $13, \
         done_at = $14, updated_at = $15, channel = $16, subject = $17, body = $18, start_trigger = $19, delay_hours = $20, \
         max_attempts = $21, repeat_interval = $22, timezone = $23, send_window = $24, stop_on_reply = $25, state = $26, \
         attempts = $27, anchor_at = $28, next_attempt_at = $29, send_now = $30, replies_after = $31, last_attempt_at = $32, \
         stopped_reason = $33, error_code = $34, error_at = $35 WHERE deal_activity_id = $1",
    )
    .bind(activity.deal_activity_id.to_string())
    .bind(replace_nul(activity.title.as_str()))
    .bind(text(&activity.note))
    .bind(activity.status.as_str())
    .bind(activity.priority.as_str())
    .bind(activity.due_at.map(micros))
    .bind(activity.due_key())
    .bind(activity.duration_minutes.map(i64::from))
    .bind(activity.owner_id.map(|id| id.to_string()))
    .bind(activity.contact_id.map(|id| id.to_string()))
    .bind(activity.reminder_minutes_before.map(i64::from))
    .bind(activity.remind_at.map(micros))
    .bind(text(&activity.result))
    .bind(activity.done_at.map(micros))
    .bind(micros(activity.updated_at))
    .bind(follow_up.map(|it| it.channel.as_str()))
    .bind(follow_up.and_then(|it| text(&it.subject)))
    .bind(follow_up.map(|it| replace_nul(it.body.as_str())))
    .bind(follow_up.map(|it| it.trigger.as_str()))
    .bind(follow_up.and_then(|it| it.delay_hours).map(i64::from))
    .bind(follow_up.map(|it| i64::from(it.max_attempts)))
    .bind(follow_up.map(|it| it.repeat.as_str()))
    .bind(follow_up.map(|it| replace_nul(it.timezone.as_str())))
    .bind(follow_up.and_then(|it| it.send_window.as_ref()).map(SendWindow::to_json))
    .bind(follow_up.map(|it| i64::from(it.stop_on_reply)))
    .bind(follow_up.map(|it| it.state.as_str()))
    .bind(follow_up.map(|it| i64::from(it.attempts)))
    .bind(follow_up.map(|it| micros(it.anchor_at)))
    .bind(follow_up.and_then(|it| it.next_attempt_at).map(micros))
    .bind(i64::from(follow_up.is_some_and(|it| it.send_now)))
    .bind(follow_up.map(|it| micros(it.replies_after)))
    .bind(follow_up.and_then(|it| it.last_attempt_at).map(micros))
    .bind(follow_up.and_then(|it| it.stopped_reason).map(StoppedReason::as_str))
    .bind(follow_up.and_then(|it| it.last_error).map(|error| error.code.as_str()))
    .bind(follow_up.and_then(|it| it.last_error).map(|error| micros(error.at)))
    .execute(connection)
    .await?;
    Ok(())
}

/// The key of activities without a due time.
const NEVER_DUE: i64 = i64::MAX;

impl DealActivity {
    /// The number by which lists are ordered.
    fn due_key(&self) -> i64 {
        self.due_at.map_or(NEVER_DUE, |due_at| stored(micros(due_at)))
    }
}
