//! Retries, endpoints that are gone or hang, recovery, limits.

use std::time::Duration;

use frontdesk_client::{
    Client,
    model::{
        NewWebhookEndpoint, WebhookAttemptOutcome, WebhookDelivery, WebhookDeliveryStatus, WebhookEndpoint,
        WebhookEndpointUpdate, WebhookRecoveryRequest,
    },
};
use frontdesk_runtime::Timestamp;
use frontdesk_store::Plan;
use uuid::Uuid;

use super::{Receiver, Reply, register};
use crate::{
    database::Database,
    installation::{Installation, status},
    on_both_databases,
    patience::until,
};

on_both_databases!(
    a_failed_event_is_sent_again,
    an_endpoint_that_is_gone_is_disabled_and_recovers,
    a_hanging_endpoint_delays_no_other,
    an_endpoint_that_fails_for_days_is_disabled,
    endpoints_are_limited,
);

async fn deliveries(client: &Client, webhook_endpoint_id: Uuid) -> Vec<WebhookDelivery> {
    let list = client.webhook_endpoints().list_webhook_deliveries(webhook_endpoint_id.into()).limit(100);
    list.await.unwrap().into_inner().webhook_deliveries
}

/// The only delivery of an endpoint, once it has had so many attempts.
async fn attempted(client: &Client, endpoint: &WebhookEndpoint, attempts: usize) -> WebhookDelivery {
    until("an attempt was made", async || {
        let delivery = deliveries(client, endpoint.webhook_endpoint_id.uuid()).await.remove(0);
        (delivery.attempts.len() >= attempts).then_some(delivery)
    })
    .await
}

async fn a_failed_event_is_sent_again(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let receiver =
        Receiver::replying(|all| if all.len() == 1 { Reply::RetryAfter(503, 7) } else { Reply::Status(200) })
            .await;
    let endpoint = register(&client, &receiver).await;
    client.webhook_endpoints().test(endpoint.webhook_endpoint_id).await.unwrap();
    let failed = attempted(&client, &endpoint, 1).await;
    assert_eq!(failed.status, WebhookDeliveryStatus::Pending);
    let endpoint = client.webhook_endpoints().get(endpoint.webhook_endpoint_id).await.unwrap();
    assert!(endpoint.failing_since.is_some());

    let received = receiver.has_received(2).await;
    let (first, second) = (&received[0], &received[1]);
    assert_eq!((first.header("webhook-id"), &first.body), (second.header("webhook-id"), &second.body));
    // Signed again, with the time of the attempt.
    assert_ne!(first.header("webhook-timestamp"), second.header("webhook-timestamp"));
    assert_ne!(first.header("webhook-signature"), second.header("webhook-signature"));
    // Planned after 4 to 6 seconds; the receiver has asked for 7.
    let waited = first.at.duration_until(second.at).as_millis();
    assert!((6_900..12_000).contains(&waited), "{waited} ms");
    let delivery = attempted(&client, &endpoint, 2).await;
    assert_eq!(delivery.status, WebhookDeliveryStatus::Succeeded);
    let outcomes: Vec<_> = delivery.attempts.iter().map(|attempt| attempt.outcome.clone()).collect();
    assert_eq!(outcomes, [WebhookAttemptOutcome::HttpError, WebhookAttemptOutcome::Succeeded]);
    let endpoint = client.webhook_endpoints().get(endpoint.webhook_endpoint_id).await.unwrap();
    assert!(endpoint.failing_since.is_none() && endpoint.last_success_at.is_some());
    // What was delivered is sent again on demand.
    client.webhook_endpoints().resend_webhook_delivery(delivery.webhook_delivery_id).await.unwrap();
    assert_eq!(receiver.has_received(3).await[2].body, first.body);
    service.stop().await;
}

async fn an_endpoint_that_is_gone_is_disabled_and_recovers(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let endpoints = client.webhook_endpoints();
    let receiver =
        Receiver::replying(|all| if all.len() == 1 { Reply::Status(410) } else { Reply::Status(200) }).await;
    let since = Timestamp::from_microseconds(jiff::Timestamp::now().as_microsecond() - 1_000_000).unwrap();
    let endpoint = register(&client, &receiver).await;
    let id = endpoint.webhook_endpoint_id;
    endpoints.test(id).await.unwrap();
    let disabled = until("the endpoint is disabled", async || {
        let endpoint = endpoints.get(id).await.unwrap().into_inner();
        (!endpoint.enabled).then_some(endpoint)
    });
    assert_eq!(disabled.await.disabled_reason.unwrap().as_str(), "gone");
    // What occurs meanwhile is not queued.
    let chatbot = crate::installation::chatbot_for("Helper", &["http://127.0.0.2/".into()]);
    client.chatbots().create(chatbot).await.unwrap();
    until("two events have occurred", async || {
        (client.events().list().await.unwrap().events.len() == 3).then_some(())
    })
    .await;
    assert_eq!(deliveries(&client, id.uuid()).await.len(), 1);

    let enabled = endpoints.update(id, WebhookEndpointUpdate::new().enabled(true)).await.unwrap();
    assert!(enabled.enabled && enabled.disabled_reason.is_none() && enabled.failing_since.is_none());
    let recovered = endpoints.recover(id, WebhookRecoveryRequest::new(since)).await.unwrap();
    assert_eq!(recovered.queued, 2);
    // Those two, and the test that waited for its second attempt.
    receiver.has_received(4).await;
    until("all deliveries have succeeded", async || {
        let all = deliveries(&client, id.uuid()).await;
        all.iter().all(|delivery| delivery.status == WebhookDeliveryStatus::Succeeded).then_some(())
    })
    .await;
    assert_eq!(endpoints.recover(id, WebhookRecoveryRequest::new(since)).await.unwrap().queued, 0);
    let future = WebhookRecoveryRequest::new(since).until(since);
    assert_eq!(status(&endpoints.recover(id, future).await), 422);
    service.stop().await;
}

async fn a_hanging_endpoint_delays_no_other(database: Database) {
    const EVENTS: usize = 20;
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let (healthy, hanging) = (Receiver::start().await, Receiver::replying(|_| Reply::Never).await);
    let slow = register(&client, &hanging).await;
    let fast = register(&client, &healthy).await;
    for _ in 0..EVENTS {
        client.webhook_endpoints().test(slow.webhook_endpoint_id).await.unwrap();
        client.webhook_endpoints().test(fast.webhook_endpoint_id).await.unwrap();
    }
    let began = std::time::Instant::now();
    healthy.has_received(EVENTS).await;
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    // No more than four at a time, and the first ones still hang.
    assert_eq!(hanging.received().len(), 4);
    service.stop().await;
}

async fn an_endpoint_that_fails_for_days_is_disabled(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let endpoints = client.webhook_endpoints();
    let receiver = Receiver::replying(|_| Reply::Status(500)).await;
    let endpoint = register(&client, &receiver).await;
    let id = endpoint.webhook_endpoint_id;
    let fail_after = async |days: i64, before: usize| {
        let since = jiff::Timestamp::now().as_microsecond() - days * 86_400_000_000;
        service.database.run(&format!("UPDATE webhook_endpoints SET failing_since = {since}")).await;
        endpoints.test(id).await.unwrap();
        receiver.has_received(before + 1).await;
        until("the result is written", async || {
            let all = deliveries(&client, id.uuid()).await;
            all.iter().all(|delivery| !delivery.attempts.is_empty()).then_some(())
        })
        .await;
        let notices = service.database.store.notices().list(&acme.scope()).await.unwrap();
        (endpoints.get(id).await.unwrap().into_inner(), notices.len())
    };
    let (endpoint, notices) = fail_after(0, 0).await;
    assert_eq!((endpoint.enabled, notices), (true, 0));
    // The owner is told on the first day, once.
    let (endpoint, notices) = fail_after(1, 1).await;
    assert_eq!((endpoint.enabled, notices), (true, 1));
    let (endpoint, notices) = fail_after(4, 2).await;
    assert_eq!((endpoint.enabled, notices), (true, 1));
    let (endpoint, notices) = fail_after(5, 3).await;
    assert_eq!((endpoint.enabled, notices), (false, 2));
    assert_eq!(endpoint.disabled_reason.unwrap().as_str(), "failing");
    service.stop().await;
}

async fn endpoints_are_limited(database: Database) {
    let service = Installation::start_with(database, |config| {
        config.webhooks.allow_http = false;
        config.webhooks.allow_networks.clear();
        config.webhooks.tests_per_minute = 5;
    })
    .await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let endpoints = client.webhook_endpoints();
    for url in [
        "http://crm.acme.example/hook",
        "https://user:word@crm.acme.example/hook",
        "https://127.0.0.1/hook",
        "https://[::1]/hook",
        "https://localhost/hook",
        "https://169.254.169.254/latest",
        "https://crm.acme.example:22/hook",
        "crm.acme.example",
        "ftp://crm.acme.example/",
    ] {
        assert_eq!(status(&endpoints.create(NewWebhookEndpoint::new(url)).await), 422, "{url}");
    }
    let mut last = None;
    for number in 0..20 {
        let new = NewWebhookEndpoint::new(format!("https://crm.acme.example/{number}")).enabled(false);
        last = Some(endpoints.create(new).await.unwrap().into_inner());
    }
    let new = NewWebhookEndpoint::new("https://crm.acme.example/more");
    assert_eq!(status(&endpoints.create(new).await), 409);
    let id = last.unwrap().webhook_endpoint_id;
    for _ in 0..5 {
        endpoints.test(id).await.unwrap();
    }
    assert_eq!(status(&endpoints.test(id).await), 429);
    service.stop().await;
}
