//! Deliveries to webhook endpoints: the list, tests, and sending again.

use frontdesk_model::{
    ListWebhookDeliveriesError, RateLimited, RecoverWebhookEndpointError, ResendWebhookDeliveryError,
    TestWebhookEndpointError, WebhookAttempt, WebhookAttemptOutcome, WebhookAttemptRequired, WebhookDelivery,
    WebhookDeliveryList, WebhookDeliveryRequired, WebhookDeliveryStatus, WebhookRecovery,
};
use frontdesk_runtime::{Failure, check};
use frontdesk_server::{
    ListWebhookDeliveries, RecoverWebhookEndpoint, ResendWebhookDelivery, TestWebhookEndpoint,
};
use frontdesk_store::{self as store, AttemptOutcome, DeliveryStatus, MissedEvents, Scope, StoreError};
use http::Extensions;
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::{
    api::{Service, filters::check_known},
    background::webhooks,
    edge::{
        Caller, Edge,
        authorization::resources::{Resource, gone, loaded},
        pages::Listing,
        rate_limit::Exceeded,
        responses::{self, timestamp},
    },
};

/// The period for which test events are counted.
const TEST_PERIOD: SignedDuration = SignedDuration::from_mins(1);

impl Resource for store::WebhookDelivery {
    const PARAMETER: &'static str = "webhook_delivery_id";
    const NOT_FOUND: &'static str = "Webhook delivery not found.";

    async fn load(
        service: &Edge,
        scope: Option<&Scope>,
        _: &Extensions,
        id: Uuid,
    ) -> Result<Option<Self>, StoreError> {
        let Some(scope) = scope else { return Ok(None) };
        service.store.webhooks().find_delivery(scope, id).await
    }
}

pub(super) async fn list(
    service: &Service,
    request: ListWebhookDeliveries<Caller>,
) -> Result<WebhookDeliveryList, Failure<ListWebhookDeliveriesError>> {
    let ListWebhookDeliveries { caller, webhook_endpoint_id, status, limit, cursor, incoming } = request;
    let listing = Listing::new(&service.cursors, &caller, &incoming);
    let page = listing.page(limit, cursor.as_deref())?;
    let mut failures = Vec::new();
    let known = WebhookDeliveryStatus::KNOWN;
    check_known("status", status.as_ref().map(WebhookDeliveryStatus::as_str), known, &mut failures);
    if !failures.is_empty() {
        return Err(responses::validation_failed(failures).into());
    }
    let status = status.and_then(|status| status.as_str().parse().ok());
    let page =
        service.store.webhooks().deliveries(&caller.scope, webhook_endpoint_id.uuid(), status, &page).await?;
    let pagination = listing.pagination(page.next.as_ref());
    Ok(WebhookDeliveryList::new(page.items.iter().map(shown), pagination))
}

pub(super) async fn test(
    service: &Service,
    request: &TestWebhookEndpoint<Caller>,
) -> Result<WebhookDelivery, Failure<TestWebhookEndpointError>> {
    let (scope, endpoint, now) = (&request.caller.scope, request.webhook_endpoint_id, service.now());
    let webhooks = service.store.webhooks();
    // Requests at the same moment may exceed the limit by a few; it is there so that nobody knocks at foreign
    // doors.
    let earlier = webhooks.tests_since(scope, endpoint.uuid(), now.saturating_sub(TEST_PERIOD)?).await?;
    let limit = service.config.webhooks.tests_per_minute as usize;
    if let Some(blocking) = earlier.len().checked_sub(limit).and_then(|index| earlier.get(index)) {
        let wait = now.duration_until(blocking.saturating_add(TEST_PERIOD)?);
        return Err(too_many_tests(wait).into());
    }
    let delivery = webhooks.send_test(scope, endpoint.uuid(), now).await?;
    Ok(shown(&delivery.ok_or_else(gone::<store::WebhookEndpoint>)?))
}

fn too_many_tests(wait: SignedDuration) -> RateLimited {
    // A part of a second counts as a whole one, so that the next attempt is not too early.
    let retry_after = wait.as_secs().saturating_add(1).max(1);
    let exceeded = Exceeded { retry_after: u64::try_from(retry_after).unwrap_or(1) };
    RateLimited { retry_after, body: responses::rate_limited(exceeded) }
}

pub(super) async fn recover(
    service: &Service,
    request: &RecoverWebhookEndpoint<Caller>,
) -> Result<WebhookRecovery, Failure<RecoverWebhookEndpointError>> {
    let now = service.now();
    let since = moment(request.body.since);
    let until = request.body.until.map_or(now, moment);
    if since >= until {
        let (path, message) = match request.body.until {
            Some(_) => ("until", "must be after `since`"),
            None => ("since", "must be in the past"),
        };
        let failure = check::Failure { path: path.to_owned(), message: message.to_owned() };
        return Err(responses::validation_failed([failure]).into());
    }
    let endpoint = loaded::<store::WebhookEndpoint>(&request.incoming)?;
    let missed = MissedEvents { since, until, given_up_until: now };
    let queued = webhooks::recover(service, &request.caller.scope, &endpoint, &missed).await?;
    let queued = queued.ok_or_else(gone::<store::WebhookEndpoint>)?;
    Ok(WebhookRecovery::new(i64::try_from(queued).unwrap_or(i64::MAX)))
}

pub(super) async fn resend(
    service: &Service,
    request: &ResendWebhookDelivery<Caller>,
) -> Result<WebhookDelivery, Failure<ResendWebhookDeliveryError>> {
    let webhooks = service.store.webhooks();
    let queued =
        webhooks.resend(&request.caller.scope, request.webhook_delivery_id.uuid(), service.now()).await?;
    Ok(shown(&queued.ok_or_else(gone::<store::WebhookDelivery>)?))
}

fn moment(given: frontdesk_runtime::Timestamp) -> Timestamp {
    Timestamp::from_microsecond(given.as_microseconds()).unwrap_or(Timestamp::MAX)
}

fn shown(stored: &store::WebhookDelivery) -> WebhookDelivery {
    let next_attempt_at = (stored.status == DeliveryStatus::Pending).then_some(stored.due_at);
    WebhookDelivery::new(WebhookDeliveryRequired {
        webhook_delivery_id: stored.webhook_delivery_id.into(),
        webhook_endpoint_id: stored.webhook_endpoint_id.into(),
        event_id: stored.event_id.into(),
        event_type: stored.event_type.as_str().into(),
        status: stored.status.as_str().into(),
        attempts: stored.attempts.iter().map(shown_attempt).collect(),
        next_attempt_at: next_attempt_at.map(timestamp),
        created_at: timestamp(stored.created_at),
        finished_at: stored.finished_at.map(timestamp),
    })
}

fn shown_attempt(stored: &store::Attempt) -> WebhookAttempt {
    let outcome = match stored.outcome {
        AttemptOutcome::Succeeded => WebhookAttemptOutcome::Succeeded,
        AttemptOutcome::HttpError => WebhookAttemptOutcome::HttpError,
        AttemptOutcome::Timeout => WebhookAttemptOutcome::Timeout,
        AttemptOutcome::Unreachable => WebhookAttemptOutcome::Unreachable,
        AttemptOutcome::TlsError => WebhookAttemptOutcome::TlsError,
    };
    let duration_ms = i64::try_from(stored.duration_ms).unwrap_or(i64::MAX);
    WebhookAttempt::new(WebhookAttemptRequired {
        at: timestamp(stored.at),
        duration_ms,
        outcome,
        http_status: stored.http_status.map(i64::from),
    })
}
