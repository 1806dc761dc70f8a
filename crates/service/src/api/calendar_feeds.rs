//! Calendar feeds, and the page on which recipients of follow-ups unsubscribe: operations whose address is a
//! secret.

mod calendar;

use frontdesk_model::{
    CalendarFeed, CalendarFeedList, CalendarFeedRequired, CreateCalendarFeedError, DeleteCalendarFeedError,
    GetCalendarFeedError, IssuedCalendarFeed, IssuedCalendarFeedRequired, ListCalendarFeedsError,
    ReadCalendarError, ReadCalendarOk, RotateCalendarFeedError, ShowUnsubscribePageError,
    ShowUnsubscribePageOk, UnsubscribeRecipientError, UnsubscribeRecipientOk, operations,
};
use frontdesk_runtime::Failure;
use frontdesk_server::{
    CalendarFeeds, CreateCalendarFeed, DeleteCalendarFeed, GetCalendarFeed, ListCalendarFeeds, ReadCalendar,
    RotateCalendarFeed, ShowUnsubscribePage, UnsubscribeRecipient, Unsubscribing,
};
use frontdesk_store::{self as store, ActivityStatus, ActivityType, Scope, StoreError, UnsubscribeLink};
use http::Extensions;
use jiff::SignedDuration;
use uuid::Uuid;

use self::calendar::Entry;
use super::account::acting;
use super::references::References;
use crate::{
    api::Service,
    background::follow_ups,
    edge::{
        Caller, Edge,
        authorization::resources::{Resource, gone, loaded},
        links,
        pages::Listing,
        responses::{self, timestamp},
    },
};

/// How long activities that are over stay in a calendar.
const PAST: SignedDuration = SignedDuration::from_hours(24 * 90);
/// The largest number of activities in a calendar.
const MAX_ENTRIES: u32 = 2000;
const NOSNIFF: &str = "nosniff";

impl Resource for store::CalendarFeed {
    const PARAMETER: &'static str = "calendar_feed_id";
    const NOT_FOUND: &'static str = "Calendar feed not found.";

    async fn load(
        service: &Edge,
        scope: Option<&Scope>,
        _: &Extensions,
        id: Uuid,
    ) -> Result<Option<Self>, StoreError> {
        let Some(scope) = scope else { return Ok(None) };
        service.store.calendar_feeds().find(scope, id).await
    }
}

/// A feed that a secret names. A type of its own, because the secret opens the calendar and nothing else.
#[derive(Clone, Debug)]
pub(super) struct PublicCalendar(store::CalendarFeed);

impl Resource for PublicCalendar {
    const PARAMETER: &'static str = "calendar_token";
    const NOT_FOUND: &'static str = "Calendar not found.";

    async fn load(
        service: &Edge,
        _: Option<&Scope>,
        _: &Extensions,
        token: Uuid,
    ) -> Result<Option<Self>, StoreError> {
        Ok(service.store.calendar_feeds().find_public(token).await?.map(Self))
    }
}

impl Resource for UnsubscribeLink {
    const PARAMETER: &'static str = "unsubscribe_token";
    const NOT_FOUND: &'static str = "This link is not valid.";

    async fn load(
        service: &Edge,
        _: Option<&Scope>,
        _: &Extensions,
        token: Uuid,
    ) -> Result<Option<Self>, StoreError> {
        service.store.unsubscribes().find(token).await
    }
}

impl CalendarFeeds for Service {
    type Caller = Caller;

    async fn list_calendar_feeds(
        &self,
        request: ListCalendarFeeds<Caller>,
    ) -> Result<CalendarFeedList, Failure<ListCalendarFeedsError>> {
        let ListCalendarFeeds { caller, account_id, limit, cursor, incoming } = request;
        let caller = acting(self, caller, account_id.map(Into::into)).await??;
        let listing = Listing::new(&self.cursors, &caller, &incoming);
        let page = listing.page(limit, cursor.as_deref())?;
        let page = self.store.calendar_feeds().page(&caller.scope, &page).await?;
        let pagination = listing.pagination(page.next.as_ref());
        Ok(CalendarFeedList::new(page.items.into_iter().map(shown), pagination))
    }

    async fn create_calendar_feed(
        &self,
        request: CreateCalendarFeed<Caller>,
    ) -> Result<IssuedCalendarFeed, Failure<CreateCalendarFeedError>> {
        let CreateCalendarFeed { caller, body, .. } = request;
        let caller = acting(self, caller, body.account_id.map(Into::into)).await??;
        let mut references = References::new(self, caller.scope);
        references.team_member("owner_id", body.owner_id.map(Into::into)).await?;
        if !references.failures.is_empty() {
            return Err(responses::validation_failed(references.failures).into());
        }
        let feeds = self.store.calendar_feeds();
        let created = feeds
            .create(&caller.scope, &body.name, body.owner_id.map(Into::into), caller.user_id, self.now())
            .await?;
        match created {
            Some((feed, token)) => Ok(issued(self, feed, token)),
            None => {
                Err(responses::limit_reached("The account has as many calendar feeds as it may have.").into())
            }
        }
    }

    async fn get_calendar_feed(
        &self,
        request: GetCalendarFeed<Caller>,
    ) -> Result<CalendarFeed, Failure<GetCalendarFeedError>> {
        Ok(shown(loaded(&request.incoming)?))
    }

    async fn delete_calendar_feed(
        &self,
        request: DeleteCalendarFeed<Caller>,
    ) -> Result<(), Failure<DeleteCalendarFeedError>> {
        if self.store.calendar_feeds().delete(&request.caller.scope, request.calendar_feed_id.uuid()).await? {
            Ok(())
        } else {
            Err(gone::<store::CalendarFeed>().into())
        }
    }

    async fn rotate_calendar_feed(
        &self,
        request: RotateCalendarFeed<Caller>,
    ) -> Result<IssuedCalendarFeed, Failure<RotateCalendarFeedError>> {
        let mut feed: store::CalendarFeed = loaded(&request.incoming)?;
        let now = self.now();
        let rotated =
            self.store.calendar_feeds().rotate(&request.caller.scope, feed.calendar_feed_id, now).await?;
        let token = rotated.ok_or_else(gone::<store::CalendarFeed>)?;
        feed.rotated_at = Some(now);
        Ok(issued(self, feed, token))
    }

    async fn read_calendar(
        &self,
        request: ReadCalendar,
    ) -> Result<ReadCalendarOk, Failure<ReadCalendarError>> {
        let PublicCalendar(feed) = loaded(&request.incoming)?;
        let since = self.now().saturating_sub(PAST)?;
        let entries = self.store.calendar_feeds().entries(&feed, since, MAX_ENTRIES).await?;
        Ok(ReadCalendarOk {
            cache_control: "private, max-age=300".to_owned(),
            x_content_type_options: NOSNIFF.to_owned(),
            body: calendar::feed(&feed.name, entries.into_iter().map(entry)),
        })
    }
}

impl Unsubscribing for Service {
    type Caller = Caller;

    async fn show_unsubscribe_page(
        &self,
        request: ShowUnsubscribePage,
    ) -> Result<ShowUnsubscribePageOk, Failure<ShowUnsubscribePageError>> {
        let link: UnsubscribeLink = loaded(&request.incoming)?;
        Ok(ShowUnsubscribePageOk {
            cache_control: "no-store".to_owned(),
            x_content_type_options: NOSNIFF.to_owned(),
            content_security_policy: follow_ups::CONTENT_SECURITY_POLICY.to_owned(),
            body: follow_ups::asked(&link.account_name),
        })
    }

    async fn unsubscribe_recipient(
        &self,
        request: UnsubscribeRecipient,
    ) -> Result<UnsubscribeRecipientOk, Failure<UnsubscribeRecipientError>> {
        let link: UnsubscribeLink = loaded(&request.incoming)?;
        self.store.unsubscribes().unsubscribe(&link, self.now()).await?;
        Ok(UnsubscribeRecipientOk {
            cache_control: "no-store".to_owned(),
            x_content_type_options: NOSNIFF.to_owned(),
            content_security_policy: follow_ups::CONTENT_SECURITY_POLICY.to_owned(),
            body: follow_ups::unsubscribed(&link.account_name),
        })
    }
}

fn entry(stored: store::CalendarEntry) -> Entry {
    let done = if stored.status == ActivityStatus::Done { "✓ " } else { "" };
    let note = stored.note.map(|note| format!("\n\n{note}")).unwrap_or_default();
    Entry {
        id: stored.deal_activity_id,
        summary: format!("{done}{}", stored.title),
        description: format!("{}{note}", stored.deal_title),
        starts_at: stored.due_at,
        minutes: stored.duration_minutes,
        is_busy: matches!(stored.kind, ActivityType::Call | ActivityType::Meeting),
        is_cancelled: stored.status == ActivityStatus::Cancelled,
        updated_at: stored.updated_at,
    }
}

fn shown(stored: store::CalendarFeed) -> CalendarFeed {
    CalendarFeed::new(CalendarFeedRequired {
        calendar_feed_id: stored.calendar_feed_id.into(),
        name: stored.name,
        owner_id: stored.owner_id.map(Into::into),
        created_at: timestamp(stored.created_at),
        rotated_at: stored.rotated_at.map(timestamp),
    })
}

fn issued(service: &Service, stored: store::CalendarFeed, token: Uuid) -> IssuedCalendarFeed {
    let public_url = service.config.mail.public_url.as_ref();
    let url = links::of_operation(public_url, &operations::calendar_feeds::READ_CALENDAR, token);
    IssuedCalendarFeed::new(IssuedCalendarFeedRequired {
        calendar_feed_id: stored.calendar_feed_id.into(),
        name: stored.name,
        owner_id: stored.owner_id.map(Into::into),
        created_at: timestamp(stored.created_at),
        rotated_at: stored.rotated_at.map(timestamp),
        calendar_token: token,
        url,
    })
}
