//! Activities of deals.

mod conversion;
mod planning;

use frontdesk_model::{
    CancelDealActivityError, CompleteDealActivityError, CreateDealActivityError, DealActivity,
    DealActivityList, DealActivityStatus, DealActivityType, DeleteDealActivityError, GetDealActivityError,
    ListActivitiesOfDealError, ListDealActivitiesError, NewDealActivityType, ReopenDealActivityError,
    SendDealActivityNowError, UpdateDealActivityError, ValidationFailed,
};
use frontdesk_runtime::{Failure, check, server::Incoming};
use frontdesk_server::{
    CancelDealActivity, CompleteDealActivity, CreateDealActivity, DealActivities, DeleteDealActivity,
    GetDealActivity, ListActivitiesOfDeal, ListDealActivities, ReopenDealActivity, SendDealActivityNow,
    UpdateDealActivity,
};
use frontdesk_store::{
    self as store, ActivityPriority, ActivityStatus, ActivityType, Contact, Deal, DealActivityFilter, Scope,
    StoppedReason, StoreError,
};
use http::Extensions;
use jiff::Timestamp;
use uuid::Uuid;

pub(super) use self::conversion::shown;
use self::conversion::{moment, whole};
use self::planning::{Planned, check_reminder, plan_reminder, planned};
use super::account::acting;
use super::filters::check_known;
use super::references::References;
use crate::{
    api::Service,
    background::follow_ups::CivilPlan,
    edge::{
        Caller, Edge,
        authorization::resources::{Resource, gone, loaded},
        pages::Listing,
        responses::{self, failure},
    },
};

impl Resource for store::DealActivity {
    const PARAMETER: &'static str = "deal_activity_id";
    const NOT_FOUND: &'static str = "Activity not found.";

    async fn load(
        service: &Edge,
        scope: Option<&Scope>,
        parents: &Extensions,
        id: Uuid,
    ) -> Result<Option<Self>, StoreError> {
        let (Some(scope), Some(deal)) = (scope, parents.get::<Deal>()) else { return Ok(None) };
        service.store.deal_activities().find(scope, deal.deal_id, id).await
    }
}

/// The filters of a list, as a request has them.
struct Filters {
    kind: Option<DealActivityType>,
    status: Option<DealActivityStatus>,
    owner_id: Option<Uuid>,
    contact_id: Option<Uuid>,
    due_before: Option<frontdesk_runtime::Timestamp>,
    due_after: Option<frontdesk_runtime::Timestamp>,
    overdue: Option<bool>,
}

/// Why an operation on an activity is refused.
enum Refused {
    /// Its state does not allow it.
    Conflict(&'static str),
    /// Fields are invalid.
    Invalid(Vec<check::Failure>),
}

impl Service {
    async fn list(
        &self,
        caller: &Caller,
        incoming: &Incoming,
        deal_id: Option<Uuid>,
        filters: Filters,
        page: (Option<i64>, Option<String>),
    ) -> Result<Result<DealActivityList, ValidationFailed>, StoreError> {
        let listing = Listing::new(&self.cursors, caller, incoming);
        let page = match listing.page(page.0, page.1.as_deref()) {
            Ok(page) => page,
            Err(refused) => return Ok(Err(refused)),
        };
        let mut failures = Vec::new();
        let kind = filters.kind.as_ref().map(DealActivityType::as_str);
        check_known("type", kind, DealActivityType::KNOWN, &mut failures);
        let status = filters.status.as_ref().map(DealActivityStatus::as_str);
        check_known("status", status, DealActivityStatus::KNOWN, &mut failures);
        self.check_people(&caller.scope, None, filters.owner_id, filters.contact_id, &mut failures).await?;
        if !failures.is_empty() {
            return Ok(Err(responses::validation_failed(failures)));
        }
        let now = self.now();
        let filter = DealActivityFilter {
            deal_id,
            kind: kind.and_then(|kind| kind.parse().ok()),
            status: status.and_then(|status| status.parse().ok()),
            owner_id: filters.owner_id,
            contact_id: filters.contact_id,
            due_before: filters.due_before.map(moment),
            due_after: filters.due_after.map(moment),
            overdue: filters.overdue.map(|is| (is, now)),
        };
        let page = self.store.deal_activities().page(&caller.scope, &filter, &page).await?;
        let pagination = listing.pagination(page.next.as_ref());
        Ok(Ok(DealActivityList::new(page.items.into_iter().map(|item| shown(item, now)), pagination)))
    }

    /// Checks that an owner and a contact exist. With an account, the contact has to belong to it.
    async fn check_people(
        &self,
        scope: &Scope,
        account_id: Option<Uuid>,
        owner_id: Option<Uuid>,
        contact_id: Option<Uuid>,
        failures: &mut Vec<check::Failure>,
    ) -> Result<(), StoreError> {
        let mut references = References::new(self, *scope);
        references.team_member("owner_id", owner_id).await?;
        failures.extend(references.failures);
        if let Some(id) = contact_id {
            let contact = Contact::load(self, Some(scope), &Extensions::new(), id).await?;
            let fits = contact.is_some_and(|contact| account_id.is_none_or(|id| contact.account_id == id));
            if !fits {
                failures.push(failure("contact_id", "is not a contact of this account"));
            }
        }
        Ok(())
    }

    /// Changes an activity. `None` if it is gone.
    async fn edit(
        &self,
        caller: &Caller,
        deal_activity_id: Uuid,
        change: impl FnOnce(&mut store::DealActivity, Timestamp) -> Result<(), Refused> + Send,
    ) -> Result<Option<Result<DealActivity, Refused>>, StoreError> {
        let now = self.now();
        let activities = self.store.deal_activities();
        let edited =
            activities.edit(&caller.scope, deal_activity_id, now, |activity| change(activity, now)).await?;
        Ok(edited.map(|edited| edited.map(|activity| shown(activity, now))))
    }
}

/// Turns the outcome of [`Service::edit`] into the response of an operation that declares 404 and 409.
macro_rules! answered {
    ($edited:expr) => {
        match $edited {
            Some(Ok(activity)) => Ok(activity),
            Some(Err(Refused::Conflict(message))) => Err(responses::conflict(message).into()),
            Some(Err(Refused::Invalid(_))) | None => Err(gone::<store::DealActivity>().into()),
        }
    };
}

impl DealActivities for Service {
    type Caller = Caller;

    async fn list_deal_activities(
        &self,
        request: ListDealActivities<Caller>,
    ) -> Result<DealActivityList, Failure<ListDealActivitiesError>> {
        let ListDealActivities {
            caller,
            r#type: kind,
            status,
            owner_id,
            contact_id,
            due_before,
            due_after,
            overdue,
            account_id,
            limit,
            cursor,
            incoming,
        } = request;
        let caller = acting(self, caller, account_id.map(Into::into)).await??;
        let filters = Filters {
            kind,
            status,
            owner_id: owner_id.map(Into::into),
            contact_id: contact_id.map(Into::into),
            due_before,
            due_after,
            overdue,
        };
        Ok(self.list(&caller, &incoming, None, filters, (limit, cursor)).await??)
    }

    async fn list_activities_of_deal(
        &self,
        request: ListActivitiesOfDeal<Caller>,
    ) -> Result<DealActivityList, Failure<ListActivitiesOfDealError>> {
        let ListActivitiesOfDeal {
            caller,
            deal_id,
            r#type: kind,
            status,
            owner_id,
            contact_id,
            due_before,
            due_after,
            overdue,
            limit,
            cursor,
            incoming,
        } = request;
        let filters = Filters {
            kind,
            status,
            owner_id: owner_id.map(Into::into),
            contact_id: contact_id.map(Into::into),
            due_before,
            due_after,
            overdue,
        };
        Ok(self.list(&caller, &incoming, Some(deal_id.uuid()), filters, (limit, cursor)).await??)
    }

    async fn create_deal_activity(
        &self,
        request: CreateDealActivity<Caller>,
    ) -> Result<DealActivity, Failure<CreateDealActivityError>> {
        let CreateDealActivity { caller, body, incoming, .. } = request;
        let deal: Deal = loaded(&incoming)?;
        let now = self.now();
        let mut failures = Vec::new();
        let owner_id = body.owner_id.into_value().map(frontdesk_model::TeamMemberId::uuid);
        let contact_id = body.contact_id.into_value().map(frontdesk_model::ContactId::uuid);
        self.check_people(&caller.scope, Some(deal.account_id), owner_id, contact_id, &mut failures).await?;
        let due_at = body.due_at.into_value().map(moment);
        let reminder = body.reminder_minutes_before.into_value().map(whole);
        check_reminder(due_at, reminder, &mut failures);
        let follow_up = match (body.r#type, body.follow_up) {
            (NewDealActivityType::FollowUp, Some(new)) => {
                let context =
                    self.context(&caller.scope, contact_id.filter(|_| failures.is_empty()), due_at).await?;
                if contact_id.is_none() {
                    failures.push(failure("contact_id", "is required for a follow-up"));
                }
                planned(new, &context, None, now, &mut failures)
            }
            (NewDealActivityType::FollowUp, None) => {
                failures.push(failure("follow_up", "is required for a follow-up"));
                None
            }
            (_, Some(_)) => {
                failures.push(failure("follow_up", "is allowed for the type follow_up only"));
                None
            }
            (_, None) => None,
        };
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        let kind = match body.r#type {
            NewDealActivityType::Task => ActivityType::Task,
            NewDealActivityType::Call => ActivityType::Call,
            NewDealActivityType::Meeting => ActivityType::Meeting,
            NewDealActivityType::Deadline => ActivityType::Deadline,
            NewDealActivityType::FollowUp => ActivityType::FollowUp,
        };
        let mut activity = store::DealActivity {
            deal_activity_id: Uuid::now_v7(),
            account_id: deal.account_id,
            deal_id: deal.deal_id,
            kind,
            title: body.title.trim().to_owned(),
            note: body.note.into_value(),
            status: ActivityStatus::Open,
            priority: body.priority.map_or(ActivityPriority::Normal, conversion::priority),
            due_at,
            duration_minutes: body.duration_minutes.into_value().map(whole),
            owner_id,
            contact_id,
            reminder_minutes_before: reminder,
            remind_at: None,
            result: None,
            done_at: None,
            follow_up,
            created_at: now,
            updated_at: now,
        };
        plan_reminder(&mut activity, now);
        if self.store.deal_activities().create(&activity).await? {
            Ok(shown(activity, now))
        } else {
            Err(gone::<Deal>().into())
        }
    }

    async fn get_deal_activity(
        &self,
        request: GetDealActivity<Caller>,
    ) -> Result<DealActivity, Failure<GetDealActivityError>> {
        Ok(shown(loaded(&request.incoming)?, self.now()))
    }

    async fn update_deal_activity(
        &self,
        request: UpdateDealActivity<Caller>,
    ) -> Result<DealActivity, Failure<UpdateDealActivityError>> {
        let UpdateDealActivity { caller, deal_activity_id, body, incoming, .. } = request;
        let before: store::DealActivity = loaded(&incoming)?;
        let mut failures = Vec::new();
        let owner_id = body.owner_id.value().map(|id| id.uuid());
        let contact_id = body.contact_id.value().map(|id| id.uuid());
        let account_id = Some(before.account_id);
        self.check_people(&caller.scope, account_id, owner_id, contact_id, &mut failures).await?;
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        let contact = if body.contact_id.is_absent() { before.contact_id } else { contact_id };
        let context = self.context(&caller.scope, contact, None).await?;
        let edited = self.edit(&caller, deal_activity_id.uuid(), move |activity, now| {
            let mut failures = Vec::new();
            let plans_reminder = !body.due_at.is_absent() || !body.reminder_minutes_before.is_absent();
            if let Some(title) = body.title {
                title.trim().clone_into(&mut activity.title);
            }
            body.note.apply(&mut activity.note);
            map(body.due_at, moment).apply(&mut activity.due_at);
            map(body.duration_minutes, whole).apply(&mut activity.duration_minutes);
            map(body.owner_id, frontdesk_model::TeamMemberId::uuid).apply(&mut activity.owner_id);
            map(body.contact_id, frontdesk_model::ContactId::uuid).apply(&mut activity.contact_id);
            map(body.reminder_minutes_before, whole).apply(&mut activity.reminder_minutes_before);
            if let Some(priority) = body.priority {
                activity.priority = conversion::priority(priority);
            }
            check_reminder(activity.due_at, activity.reminder_minutes_before, &mut failures);
            if plans_reminder {
                plan_reminder(activity, now);
            }
            let context = Planned { due_at: activity.due_at, ..context };
            planning::change(activity, body.follow_up, &context, now, &mut failures);
            if failures.is_empty() { Ok(()) } else { Err(Refused::Invalid(failures)) }
        });
        match edited.await? {
            Some(Ok(activity)) => Ok(activity),
            Some(Err(Refused::Invalid(failures))) => Err(responses::validation_failed(failures).into()),
            Some(Err(Refused::Conflict(_))) | None => Err(gone::<store::DealActivity>().into()),
        }
    }

    async fn delete_deal_activity(
        &self,
        request: DeleteDealActivity<Caller>,
    ) -> Result<(), Failure<DeleteDealActivityError>> {
        if self.store.deal_activities().delete(&request.caller.scope, request.deal_activity_id.uuid()).await?
        {
            Ok(())
        } else {
            Err(gone::<store::DealActivity>().into())
        }
    }

    async fn complete_deal_activity(
        &self,
        request: CompleteDealActivity<Caller>,
    ) -> Result<DealActivity, Failure<CompleteDealActivityError>> {
        let result = request.body.map(|body| body.result).unwrap_or_default();
        let edited = self.edit(&request.caller, request.deal_activity_id.uuid(), |activity, now| {
            if activity.status == ActivityStatus::Cancelled {
                return Err(Refused::Conflict(
                    "The activity is cancelled. Open it again before you complete it.",
                ));
            }
            result.apply(&mut activity.result);
            activity.done_at = activity.done_at.or(Some(now));
            activity.status = ActivityStatus::Done;
            end_follow_up(activity);
            Ok(())
        });
        answered!(edited.await?)
    }

    async fn reopen_deal_activity(
        &self,
        request: ReopenDealActivity<Caller>,
    ) -> Result<DealActivity, Failure<ReopenDealActivityError>> {
        let edited = self.edit(&request.caller, request.deal_activity_id.uuid(), |activity, now| {
            if activity.status != ActivityStatus::Open {
                activity.status = ActivityStatus::Open;
                activity.done_at = None;
                plan_reminder(activity, now);
                planning::resume(activity, &CivilPlan, now);
            }
            Ok(())
        });
        match edited.await? {
            Some(Ok(activity)) => Ok(activity),
            Some(Err(_)) | None => Err(gone::<store::DealActivity>().into()),
        }
    }

    async fn cancel_deal_activity(
        &self,
        request: CancelDealActivity<Caller>,
    ) -> Result<DealActivity, Failure<CancelDealActivityError>> {
        let edited = self.edit(&request.caller, request.deal_activity_id.uuid(), |activity, _| {
            if activity.status == ActivityStatus::Done {
                return Err(Refused::Conflict("The activity is done. Open it again before you cancel it."));
            }
            activity.status = ActivityStatus::Cancelled;
            end_follow_up(activity);
            Ok(())
        });
        answered!(edited.await?)
    }

    async fn send_deal_activity_now(
        &self,
        request: SendDealActivityNow<Caller>,
    ) -> Result<DealActivity, Failure<SendDealActivityNowError>> {
        let edited = self.edit(&request.caller, request.deal_activity_id.uuid(), |activity, now| {
            let is_open = activity.status == ActivityStatus::Open;
            match activity.follow_up.as_mut() {
                Some(follow_up) if is_open && follow_up.is_planned() => {
                    follow_up.next_attempt_at = Some(now);
                    follow_up.send_now = true;
                    Ok(())
                }
                Some(_) => {
                    Err(Refused::Conflict("The follow-up has no planned attempt that could be made now."))
                }
                None => Err(Refused::Conflict("The activity is not a follow-up.")),
            }
        });
        answered!(edited.await?)
    }
}

/// Ends the follow-up of an activity that somebody has completed or cancelled. One that is being sent at this
/// moment is not sent again.
fn end_follow_up(activity: &mut store::DealActivity) {
    activity.remind_at = None;
    if let Some(follow_up) = activity.follow_up.as_mut()
        && (follow_up.is_planned() || follow_up.state == store::FollowUpState::Sending)
    {
        follow_up.stop(StoppedReason::Manual);
    }
}

/// Converts the value of a field, if it has one.
fn map<A, B>(
    patch: frontdesk_runtime::Patch<A>,
    convert: impl FnOnce(A) -> B,
) -> frontdesk_runtime::Patch<B> {
    use frontdesk_runtime::Patch;
    match patch {
        Patch::Absent => Patch::Absent,
        Patch::Null => Patch::Null,
        Patch::Value(value) => Patch::Value(convert(value)),
    }
}
