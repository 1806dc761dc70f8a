//! Webhooks: events that are posted to a system of the bakery, and the journal of all events.

use std::sync::{Arc, Mutex, PoisonError};

use axum::{Router, body::Bytes, http::StatusCode, routing::post};
use released_client::{
    model::{
        ConversationId, EventId, EventType, ListEventsError, NewMessage, NewWebhookEndpoint,
        WebhookDeliveryStatus, WebhookEndpointId, WebhookEndpointUpdate, WebhookRecoveryRequest,
    },
    runtime::{HeaderMap, Uuid, webhook::Verifier},
    webhooks::{self, Event},
};
use tokio::net::TcpListener;

use crate::{Bakery, Outcome, waiting::eventually};

/// Registers a receiver, tests it, changes its secret, and catches up on what it has missed.
pub async fn receive(bakery: &Bakery) -> Outcome {
    let (endpoints, receiver) = (bakery.client.webhook_endpoints(), Receiver::start().await?);
    let new = NewWebhookEndpoint::new(&receiver.url).description("Till").events([EventType::LeadCreated]);
    let endpoint = endpoints.create(new).await?.into_inner();
    let id = endpoint.webhook_endpoint_id;
    // The secret is shown once.
    let secret = endpoint.secret.as_ref().ok_or("no secret")?.expose();
    assert_eq!(endpoints.get(id).await?.secret, None);
    let update = WebhookEndpointUpdate::new()
        .events([EventType::ConversationCreated])
        .chatbot_ids([bakery.chatbot_id]);
    let updated = endpoints.update(id, update).await?.into_inner();
    assert_eq!(
        (&*updated.events, updated.description.as_deref()),
        (&[EventType::ConversationCreated][..], Some("Till"))
    );
    assert_eq!(endpoints.list().await?.webhook_endpoints, [updated]);

    let test = endpoints.test(id).await?.into_inner();
    assert_eq!((&test.event_type, &test.status), (&EventType::WebhookTest, &WebhookDeliveryStatus::Pending));
    let event = receiver.event(0, secret).await?;
    assert!(matches!(&event, Event::WebhookTest(test) if test.data.webhook_endpoint_id == id), "{event:?}");
    succeeded(bakery, id, 1).await?;

    // After a rotation, events are signed with both secrets for a day.
    let rotated = endpoints.rotate_webhook_secret(id).await?.into_inner();
    let later = rotated.secret.as_ref().ok_or("no secret")?.expose();
    assert!(rotated.previous_secret_valid_until.is_some() && later != secret);
    let answer = ask(bakery).await?;
    for secret in [secret, later] {
        let event = receiver.event(1, secret).await?;
        assert!(
            matches!(&event, Event::ConversationCreated(event) if event.data.conversation.conversation_id == answer)
        );
    }
    endpoints.resend_webhook_delivery(test.webhook_delivery_id).await?;
    let event = receiver.event(2, later).await?;
    assert!(matches!(&event, Event::WebhookTest(again) if again.id == test.event_id), "{event:?}");

    // What happens while the receiver is off is not lost.
    succeeded(bakery, id, 2).await?;
    endpoints.update(id, WebhookEndpointUpdate::new().enabled(false)).await?;
    let missed = ask(bakery).await?;
    endpoints.update(id, WebhookEndpointUpdate::new().enabled(true)).await?;
    let recovered = endpoints.recover(id, WebhookRecoveryRequest::new(endpoint.created_at)).await?;
    assert_eq!(recovered.queued, 1);
    let event = receiver.event(3, later).await?;
    assert!(
        matches!(&event, Event::ConversationCreated(event) if event.data.conversation.conversation_id == missed)
    );
    endpoints.delete(id).await?;
    assert!(endpoints.get(id).await.is_err_and(|error| error.is_not_found()));

    journal(bakery, missed).await
}

/// Systems that cannot be called ask for events.
async fn journal(bakery: &Bakery, newest: ConversationId) -> Outcome {
    let events = bakery.client.events();
    let mut seen: Vec<i64> = Vec::new();
    let mut all = events.list().limit(50).stream();
    while let Some(event) = all.next().await {
        seen.push(event?.sequence);
    }
    assert!(seen.len() > 50 && seen.is_sorted(), "{seen:?}");
    let begun = events.list().types([EventType::ConversationCreated]).limit(100).await?.into_inner().events;
    let (last, earlier) = begun.split_last().ok_or("no conversation")?;
    assert_eq!(last.data["conversation"]["conversation_id"], newest.to_string());
    let next =
        events.list().types([EventType::ConversationCreated]).after(earlier[earlier.len() - 1].id).await?;
    assert_eq!(next.events.iter().map(|event| event.id).collect::<Vec<_>>(), [last.id]);
    let unknown = events.list().after(EventId::from(Uuid::nil())).await.expect_err("there is no such event");
    assert!(matches!(unknown.declared(), Some(ListEventsError::UnprocessableEntity(_))), "{unknown:?}");
    Ok(())
}

/// Begins a conversation, which is an event.
async fn ask(bakery: &Bakery) -> Outcome<ConversationId> {
    let question = NewMessage::new("What does delivery cost?");
    Ok(bakery.client.messages().send(bakery.chatbot_id, question).await?.conversation_id)
}

/// Waits until so many deliveries have succeeded.
async fn succeeded(bakery: &Bakery, webhook_endpoint_id: WebhookEndpointId, count: usize) -> Outcome {
    eventually("the deliveries have succeeded", async || {
        let list = bakery.client.webhook_endpoints().list_webhook_deliveries(webhook_endpoint_id);
        let done = list.status(WebhookDeliveryStatus::Succeeded).await?.into_inner().webhook_deliveries;
        assert!(done.iter().all(|delivery| !delivery.attempts.is_empty()), "{done:?}");
        Ok((done.len() >= count).then_some(()))
    })
    .await
}

/// What was posted: headers and unchanged bodies.
type Posts = Arc<Mutex<Vec<(HeaderMap, Bytes)>>>;

/// The system of the bakery.
struct Receiver {
    url: String,
    posts: Posts,
}

impl Receiver {
    async fn start() -> Outcome<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}/events", listener.local_addr()?);
        let posts = Posts::default();
        let kept = Arc::clone(&posts);
        let receive = async move |headers: HeaderMap, body: Bytes| {
            kept.lock().unwrap_or_else(PoisonError::into_inner).push((headers, body));
            StatusCode::NO_CONTENT
        };
        let router = Router::new().route("/events", post(receive));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(Self { url, posts })
    }

    /// Waits for the post with this index, and verifies it.
    async fn event(&self, index: usize, secret: &str) -> Outcome<Event> {
        let (headers, body) = eventually("an event arrives", async || {
            Ok(self.posts.lock().unwrap_or_else(PoisonError::into_inner).get(index).cloned())
        })
        .await?;
        Ok(webhooks::receive(&Verifier::new(secret)?, &headers, &body)?)
    }
}
