//! Signatures: verified by the generated client, by the library of another language, and by the example of
//! the guide.

use std::{
    io::Write,
    process::{Command, Stdio},
};

use frontdesk_client::webhooks::Event;
use frontdesk_runtime::client::http_client_builder;
use frontdesk_runtime::webhook::{Signer, WebhookError};
use frontdesk_store::Plan;
use serde_json::json;

use super::{Receiver, register, secret};
use crate::{database::Database, installation::Installation, on_both_databases};

#[path = "../../examples/webhook_receiver.rs"]
#[expect(dead_code, reason = "the function main is for the example alone")]
mod example;

on_both_databases!(a_rotated_secret_is_valid_for_a_day,);

async fn a_rotated_secret_is_valid_for_a_day(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let endpoints = client.webhook_endpoints();
    let receiver = Receiver::start().await;
    let endpoint = register(&client, &receiver).await;
    let first = secret(&endpoint);
    let id = endpoint.webhook_endpoint_id;
    assert_eq!(endpoints.get(id).await.unwrap().secret, None);

    let rotated = endpoints.rotate_webhook_secret(id).await.unwrap().into_inner();
    let second = secret(&rotated);
    assert!(rotated.previous_secret_valid_until.is_some() && first != second);
    endpoints.test(id).await.unwrap();
    let received = receiver.has_received(1).await;
    assert_eq!(received[0].header("webhook-signature").split(' ').count(), 2);
    for secret in [&first, &second] {
        let event = received[0].verified(secret).unwrap();
        assert!(
            matches!(&event, Event::WebhookTest(test) if test.data.webhook_endpoint_id == id),
            "{event:?}"
        );
    }
    // The database has neither of them in readable form.
    let stored = service.database.store.webhooks().find(&acme.scope(), id.uuid()).await.unwrap().unwrap();
    assert!(!stored.secret.expose().contains(second.trim_start_matches("whsec_")));

    let yesterday = jiff::Timestamp::now().as_microsecond() - 1;
    let statement = format!("UPDATE webhook_endpoints SET previous_secret_until = {yesterday}");
    service.database.run(&statement).await;
    endpoints.test(id).await.unwrap();
    let received = receiver.has_received(2).await;
    assert!(received[1].verified(&second).is_ok());
    assert!(matches!(received[1].verified(&first), Err(WebhookError::Signature)));
    service.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_official_library_of_another_language_accepts_our_signatures() {
    const VERIFY: &str = "import json, sys\n\
        from standardwebhooks.webhooks import Webhook\n\
        sent = json.load(sys.stdin)\n\
        print(Webhook(sent['secret']).verify(sent['body'], sent['headers'])['type'])\n";
    let python = std::env::var("FRONTDESK_TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let library = Command::new(&python).args(["-c", "import standardwebhooks"]).output();
    if !library.is_ok_and(|library| library.status.success()) {
        // Written directly to the stream because the test harness captures `eprintln!`.
        let mut terminal = std::io::stderr();
        writeln!(terminal, "skipped: {python} has no package standardwebhooks").unwrap();
        return;
    }
    let service = Installation::start(Database::sqlite().await).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let receiver = Receiver::start().await;
    let endpoint = register(&client, &receiver).await;
    client.webhook_endpoints().test(endpoint.webhook_endpoint_id).await.unwrap();
    let received = &receiver.has_received(1).await[0];
    let names = ["webhook-id", "webhook-timestamp", "webhook-signature"];
    let headers: serde_json::Map<_, _> =
        names.iter().map(|name| ((*name).to_owned(), received.header(name).into())).collect();
    let body = std::str::from_utf8(&received.body).unwrap();
    for (body, accepted) in [(body.to_owned(), true), (format!("{body} "), false)] {
        let sent = json!({ "secret": secret(&endpoint), "headers": headers, "body": body });
        let mut verifying = Command::new(&python)
            .args(["-c", VERIFY])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        verifying.stdin.take().unwrap().write_all(sent.to_string().as_bytes()).unwrap();
        let output = verifying.wait_with_output().unwrap();
        assert_eq!(output.status.success(), accepted, "{}", String::from_utf8_lossy(&output.stderr));
        if accepted {
            assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "webhook.test");
        }
    }
    service.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_receiver_of_the_guide_works() {
    let source = include_str!("../../examples/webhook_receiver.rs");
    let shown = &source[source.find("use axum").unwrap()..source.find("#[tokio::main]").unwrap()];
    let guide = include_str!("../../../docs/webhooks.md");
    assert!(
        guide.contains(shown.trim()),
        "docs/webhooks.md does not show tests/examples/webhook_receiver.rs:\n{shown}"
    );

    let service = Installation::start(Database::sqlite().await).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/webhooks", listener.local_addr().unwrap());
    let new = frontdesk_client::model::NewWebhookEndpoint::new(url);
    let endpoint = client.webhook_endpoints().create(new).await.unwrap().into_inner();
    let router = example::receiver(&secret(&endpoint));
    let server = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    let id = endpoint.webhook_endpoint_id;
    client.webhook_endpoints().test(id).await.unwrap();
    let delivered = crate::patience::until("the receiver has accepted the event", async || {
        let list = client.webhook_endpoints().list_webhook_deliveries(id).await.unwrap().into_inner();
        list.webhook_deliveries.into_iter().find(|delivery| !delivery.attempts.is_empty())
    });
    assert_eq!(delivered.await.attempts[0].http_status, Some(204));
    server.abort();
    service.stop().await;
}

#[tokio::test]
async fn the_example_accepts_events_of_unknown_types_and_refuses_forged_ones() {
    let secret = format!("whsec_{}", "A".repeat(32));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/webhooks", listener.local_addr().unwrap());
    let router = example::receiver(&secret);
    let server = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    let body = r#"{"type":"invoice.paid"}"#;
    let headers = Signer::new(&secret).unwrap().headers("evt_1", body.as_bytes()).unwrap();
    let sender = http_client_builder().unwrap().build().unwrap();
    for (sent, status) in [(body, 204), (r#"{"type":"invoice.lost"}"#, 400)] {
        let request = sender.post(&url).headers(headers.clone()).body(sent);
        assert_eq!(request.send().await.unwrap().status(), status, "{sent}");
    }
    server.abort();
}
