//! A receiver of webhooks: `SECRET=whsec_… cargo run --example webhook_receiver`.

#![expect(clippy::print_stdout, reason = "an example shows what it receives")]

use axum::{Router, body::Bytes, http::HeaderMap, http::StatusCode, routing::post};
use frontdesk_client::webhooks::{self, Event};
use frontdesk_runtime::webhook::Verifier;

pub(crate) fn receiver(secret: &str) -> Router {
    let verifier = Verifier::new(secret).expect("the secret of the endpoint");
    let receive =
        async move |headers: HeaderMap, body: Bytes| match webhooks::receive(&verifier, &headers, &body) {
            Ok(Event::LeadCreated(event)) => {
                println!("{} {:?}", event.id, event.data.contact.email);
                StatusCode::NO_CONTENT
            }
            Ok(_) => StatusCode::NO_CONTENT,
            Err(_) => StatusCode::BAD_REQUEST,
        };
    Router::new().route("/webhooks", post(receive))
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let secret = std::env::var("SECRET").expect("SECRET is set");
    axum::serve(tokio::net::TcpListener::bind("127.0.0.1:3000").await?, receiver(&secret)).await
}
