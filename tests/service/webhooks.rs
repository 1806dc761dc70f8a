//! Webhooks: signatures, retries, rotation, recovery, the journal, and e-mail to owners.

mod backlog;
mod delivery;
mod journal;
pub(crate) mod mail;
mod receiver;
mod signatures;

pub(crate) use receiver::{Received, Receiver, Reply};

use frontdesk_client::{
    Client,
    model::{EventType, NewWebhookEndpoint, WebhookEndpoint},
};

/// Every type of event that occurs by itself.
pub(crate) fn all_events() -> Vec<EventType> {
    let known = EventType::KNOWN.iter().filter(|name| **name != "webhook.test");
    known.map(|name| EventType::from(*name)).collect()
}

/// Registers a receiver for all events.
pub(crate) async fn register(client: &Client, receiver: &Receiver) -> WebhookEndpoint {
    let new = NewWebhookEndpoint::new(receiver.url()).events(all_events());
    client.webhook_endpoints().create(new).await.unwrap().into_inner()
}

/// The secret of a new endpoint.
pub(crate) fn secret(endpoint: &WebhookEndpoint) -> String {
    endpoint.secret.as_ref().unwrap().expose().to_owned()
}
