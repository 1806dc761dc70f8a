//! Webhook endpoints, and the deliveries to them.

mod deliveries;

use frontdesk_model::{
    CreateWebhookEndpointError, DeleteWebhookEndpointError, EventType, GetWebhookEndpointError,
    ListWebhookDeliveriesError, ListWebhookEndpointsError, RecoverWebhookEndpointError,
    ResendWebhookDeliveryError, RotateWebhookSecretError, TestWebhookEndpointError,
    UpdateWebhookEndpointError, WebhookDelivery, WebhookDeliveryList, WebhookEndpoint, WebhookEndpointList,
    WebhookEndpointRequired, WebhookRecovery,
};
use frontdesk_runtime::{Failure, Secret, check};
use frontdesk_server::{
    CreateWebhookEndpoint, DeleteWebhookEndpoint, GetWebhookEndpoint, ListWebhookDeliveries,
    ListWebhookEndpoints, RecoverWebhookEndpoint, ResendWebhookDelivery, RotateWebhookSecret,
    TestWebhookEndpoint, UpdateWebhookEndpoint, WebhookEndpoints,
};
use frontdesk_store::{
    self as store, Chatbot, NewWebhookEndpoint, Redacted, Scope, StoreError, WebhookEndpointError,
    WebhookEndpointUpdate,
};
use http::Extensions;
use jiff::{SignedDuration, Timestamp};
use url::Url;
use uuid::Uuid;

use super::{account::acting, changed::changed, filters::check_known};
use crate::{
    api::{Service, converted_ids},
    background::webhooks::MAX_ENDPOINTS,
    edge::{
        Caller, Edge,
        authorization::resources::{Resource, gone, loaded},
        pages::Listing,
        responses::{self, timestamp},
    },
    platform::secrets::of_webhooks,
};

/// How long the previous secret of an endpoint is used beside the new one.
const PREVIOUS_SECRET: SignedDuration = SignedDuration::from_hours(24);
/// The events of an endpoint for which none were chosen.
const USUAL_EVENTS: [store::EventType; 3] = [
    store::EventType::LeadCreated,
    store::EventType::ConversationCreated,
    store::EventType::HandoffRequested,
];

impl Resource for store::WebhookEndpoint {
    const PARAMETER: &'static str = "webhook_endpoint_id";
    const NOT_FOUND: &'static str = "Webhook endpoint not found.";

    async fn load(
        service: &Edge,
        scope: Option<&Scope>,
        _: &Extensions,
        id: Uuid,
    ) -> Result<Option<Self>, StoreError> {
        let Some(scope) = scope else { return Ok(None) };
        service.store.webhooks().find(scope, id).await
    }
}

impl WebhookEndpoints for Service {
    type Caller = Caller;

    async fn list_webhook_endpoints(
        &self,
        request: ListWebhookEndpoints<Caller>,
    ) -> Result<WebhookEndpointList, Failure<ListWebhookEndpointsError>> {
        let ListWebhookEndpoints { caller, account_id, limit, cursor, incoming } = request;
        let caller = acting(self, caller, account_id.map(Into::into)).await??;
        let listing = Listing::new(&self.cursors, &caller, &incoming);
        let page = listing.page(limit, cursor.as_deref())?;
        let page = self.store.webhooks().page(&caller.scope, &page).await?;
        let now = self.now();
        let endpoints = page.items.into_iter().map(|endpoint| shown(endpoint, now));
        Ok(WebhookEndpointList::new(endpoints, listing.pagination(page.next.as_ref())))
    }

    async fn create_webhook_endpoint(
        &self,
        request: CreateWebhookEndpoint<Caller>,
    ) -> Result<WebhookEndpoint, Failure<CreateWebhookEndpointError>> {
        let CreateWebhookEndpoint { caller, body, .. } = request;
        let caller = acting(self, caller, body.account_id.map(Into::into)).await??;
        let chatbot_ids = converted_ids(body.chatbot_ids.unwrap_or_default());
        let account = Scope::of_account(caller.account_id);
        let mut failures = check_chatbots(self, &account, &chatbot_ids, &[]).await?;
        let url = check_url(self, &body.url, &mut failures);
        let events = check_events(body.events.as_deref().unwrap_or_default(), &mut failures);
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        let webhook_endpoint_id = Uuid::now_v7();
        let issued = of_webhooks::issue(&self.cipher, webhook_endpoint_id)?;
        let new = NewWebhookEndpoint {
            webhook_endpoint_id,
            url,
            description: body.description.into_value(),
            events: if events.is_empty() { USUAL_EVENTS.to_vec() } else { events },
            chatbot_ids,
            enabled: body.enabled.unwrap_or(true),
            secret: issued.encrypted,
        };
        let now = self.now();
        match self.store.webhooks().create(&account, &new, MAX_ENDPOINTS, now).await {
            Ok(endpoint) => Ok(shown(endpoint, now).secret(secret(&issued.secret))),
            Err(WebhookEndpointError::LimitReached(limit)) => {
                let message = format!(
                    "The account has {limit} webhook endpoints already, which is the most that it may have. Delete one first."
                );
                Err(responses::limit_reached(&message).into())
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn get_webhook_endpoint(
        &self,
        request: GetWebhookEndpoint<Caller>,
    ) -> Result<WebhookEndpoint, Failure<GetWebhookEndpointError>> {
        Ok(shown(loaded(&request.incoming)?, self.now()))
    }

    async fn update_webhook_endpoint(
        &self,
        request: UpdateWebhookEndpoint<Caller>,
    ) -> Result<WebhookEndpoint, Failure<UpdateWebhookEndpointError>> {
        let UpdateWebhookEndpoint { caller, webhook_endpoint_id, body, incoming } = request;
        let endpoint: store::WebhookEndpoint = loaded(&incoming)?;
        let account = Scope::of_account(endpoint.account_id);
        let chatbot_ids = body.chatbot_ids.map(converted_ids);
        // Chatbots that stay are not checked again: one may have been deleted since.
        let mut failures =
            check_chatbots(self, &account, chatbot_ids.as_deref().unwrap_or_default(), &endpoint.chatbot_ids)
                .await?;
        let url = body.url.as_deref().map(|url| check_url(self, url, &mut failures));
        let events = body.events.as_deref().map(|events| check_events(events, &mut failures));
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        let update = WebhookEndpointUpdate {
            url,
            description: changed(body.description),
            events,
            chatbot_ids,
            enabled: body.enabled,
        };
        let now = self.now();
        let updated =
            self.store.webhooks().update(&caller.scope, webhook_endpoint_id.uuid(), &update, now).await?;
        Ok(shown(updated.ok_or_else(gone::<store::WebhookEndpoint>)?, now))
    }

    async fn delete_webhook_endpoint(
        &self,
        request: DeleteWebhookEndpoint<Caller>,
    ) -> Result<(), Failure<DeleteWebhookEndpointError>> {
        let DeleteWebhookEndpoint { caller, webhook_endpoint_id, .. } = request;
        let is_deleted = self.store.webhooks().delete(&caller.scope, webhook_endpoint_id.uuid()).await?;
        if is_deleted { Ok(()) } else { Err(gone::<store::WebhookEndpoint>().into()) }
    }

    async fn rotate_webhook_secret(
        &self,
        request: RotateWebhookSecret<Caller>,
    ) -> Result<WebhookEndpoint, Failure<RotateWebhookSecretError>> {
        let RotateWebhookSecret { caller, webhook_endpoint_id, .. } = request;
        let issued = of_webhooks::issue(&self.cipher, webhook_endpoint_id.uuid())?;
        let now = self.now();
        let until = now.saturating_add(PREVIOUS_SECRET)?;
        let webhooks = self.store.webhooks();
        let rotated = webhooks
            .rotate_secret(&caller.scope, webhook_endpoint_id.uuid(), &issued.encrypted, until, now)
            .await?;
        let rotated = rotated.ok_or_else(gone::<store::WebhookEndpoint>)?;
        Ok(shown(rotated, now).secret(secret(&issued.secret)))
    }

    async fn test_webhook_endpoint(
        &self,
        request: TestWebhookEndpoint<Caller>,
    ) -> Result<WebhookDelivery, Failure<TestWebhookEndpointError>> {
        deliveries::test(self, &request).await
    }

    async fn list_webhook_deliveries(
        &self,
        request: ListWebhookDeliveries<Caller>,
    ) -> Result<WebhookDeliveryList, Failure<ListWebhookDeliveriesError>> {
        deliveries::list(self, request).await
    }

    async fn recover_webhook_endpoint(
        &self,
        request: RecoverWebhookEndpoint<Caller>,
    ) -> Result<WebhookRecovery, Failure<RecoverWebhookEndpointError>> {
        deliveries::recover(self, &request).await
    }

    async fn resend_webhook_delivery(
        &self,
        request: ResendWebhookDelivery<Caller>,
    ) -> Result<WebhookDelivery, Failure<ResendWebhookDeliveryError>> {
        deliveries::resend(self, &request).await
    }
}

/// Checks that these are chatbots of the account, unless the endpoint has them already.
async fn check_chatbots(
    service: &Service,
    account: &Scope,
    chatbot_ids: &[Uuid],
    kept: &[Uuid],
) -> Result<Vec<check::Failure>, StoreError> {
    let mut failures = Vec::new();
    for (index, id) in chatbot_ids.iter().enumerate().filter(|(_, id)| !kept.contains(id)) {
        if Chatbot::load(service, Some(account), &Extensions::new(), *id).await?.is_none() {
            failures.push(failure(format!("chatbot_ids.{index}"), "is not a chatbot of this account"));
        }
    }
    Ok(failures)
}

/// Returns an address in its normal form; one that events are not sent to is a failing field. Names are
/// resolved when an event is sent.
fn check_url(service: &Service, text: &str, failures: &mut Vec<check::Failure>) -> String {
    let problem = match Url::parse(text.trim()) {
        Err(_) => "is not a web address",
        Ok(url)
            if url.scheme() != "https" && !(url.scheme() == "http" && service.config.webhooks.allow_http) =>
        {
            "must start with https://"
        }
        Ok(url) if !url.username().is_empty() || url.password().is_some() => {
            "must not contain a user name or password"
        }
        Ok(url) if service.webhook_outbound.check(&url).is_err() => {
            "must lead to a public address, on port 443 or 8443"
        }
        Ok(mut url) => {
            url.set_fragment(None);
            return url.into();
        }
    };
    failures.push(failure("url".to_owned(), problem));
    String::new()
}

fn check_events(events: &[EventType], failures: &mut Vec<check::Failure>) -> Vec<store::EventType> {
    for (index, event_type) in events.iter().enumerate() {
        check_known(&format!("events.{index}"), Some(event_type.as_str()), EventType::KNOWN, failures);
    }
    let mut known: Vec<store::EventType> = Vec::new();
    for event_type in events.iter().filter_map(|event_type| event_type.as_str().parse().ok()) {
        if !known.contains(&event_type) {
            known.push(event_type);
        }
    }
    known
}

fn failure(path: String, message: &str) -> check::Failure {
    check::Failure { path, message: message.to_owned() }
}

fn secret(secret: &Redacted<String>) -> Secret {
    Secret::from(secret.expose().clone())
}

fn shown(stored: store::WebhookEndpoint, now: Timestamp) -> WebhookEndpoint {
    let previous_until = stored.previous_secret_until.filter(|until| now < *until);
    WebhookEndpoint::new(WebhookEndpointRequired {
        webhook_endpoint_id: stored.webhook_endpoint_id.into(),
        url: stored.url,
        description: stored.description,
        events: stored.events.iter().map(|name| EventType::from(name.as_str())).collect(),
        chatbot_ids: converted_ids(stored.chatbot_ids),
        enabled: stored.enabled,
        disabled_reason: stored.disabled_reason.map(|reason| reason.as_str().into()),
        failing_since: stored.failing_since.map(timestamp),
        last_success_at: stored.last_success_at.map(timestamp),
        previous_secret_valid_until: previous_until.map(timestamp),
        created_at: timestamp(stored.created_at),
        updated_at: timestamp(stored.updated_at),
    })
}
