//! What mail servers and messengers post to channels of the inbox.
//!
//! These endpoints are beside the interface: the vendors' documents describe the bodies, and a signature is
//! that of the raw bytes. Each request proves by a secret that it comes from whom the channel was set up for;
//! without it, every channel looks like none.
//!
//! The proof comes before every count. All customers of a messenger share its addresses, so a wrong secret of
//! one must never refuse the posts of the others; and what is posted without the secret uses up nothing of
//! what the channel may receive.

use std::collections::HashMap;

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::{Path, Request, State},
    response::{IntoResponse, Response},
    routing::{MethodRouter, get, post},
};
use frontdesk_channels::{
    Secret,
    meta::{SIGNATURE_HEADER, challenge, is_signed},
    telegram::SECRET_HEADER,
};
use frontdesk_mail::Limits;
use frontdesk_runtime::{HeaderMap, HeaderValue, StatusCode};
use frontdesk_store::{ChannelKind, InboxChannel};
use http::header;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::json;
use uuid::Uuid;

use crate::{
    background::{
        Background,
        channels::{
            EmailSecrets, MailOutcome, MetaSecrets, TelegramSecrets, receive_mail, receive_notifications,
            receive_update,
        },
        jobs::BoxError,
    },
    edge::{
        http::{ClientAddress, endpoint},
        rate_limit::{Exceeded, Subject},
        responses,
    },
    platform::secrets::of_channels,
};

/// The header with the secret of programs that post e-mails.
const PUSH_SECRET_HEADER: &str = "X-Channel-Secret";
/// Posts to one channel within a minute.
const POSTS_PER_MINUTE: u32 = 600;
/// The size of the largest post of a messenger, in bytes.
const MAX_NOTIFICATION: usize = 1024 * 1024;
/// The response to everybody who is not known.
const NOT_FOUND: &str = "Channel not found.";

/// Returns the router of the endpoints.
pub(crate) fn routes(background: &Background) -> Router {
    let endpoints: [(&str, &'static str, &'static str, MethodRouter<Background>); 3] = [
        ("/api/v1/public/channels/{channel_key}/mail", "channel_mail", "POST", post(mail)),
        ("/api/v1/public/channels/{channel_key}/telegram", "channel_telegram", "POST", post(telegram)),
        (
            "/api/v1/public/channels/{channel_key}/meta",
            "channel_meta",
            "GET, HEAD, POST",
            get(handshake).post(meta),
        ),
    ];
    let mut router = Router::new();
    for (path, name, allowed, methods) in endpoints {
        router = router.route(path, endpoint(name, allowed, methods));
    }
    router.with_state(background.clone())
}

/// Takes an e-mail (RFC 5322).
async fn mail(State(service): State<Background>, Path(key): Path<String>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let found = known::<EmailSecrets>(&service, &key, ChannelKind::Email, &parts, |secrets| {
        is_secret(secrets.push_secret.as_ref(), &parts.headers, PUSH_SECRET_HEADER)
    });
    let channel = match found.await {
        Ok((channel, _)) => channel,
        Err(response) => return response,
    };
    if let Err(exceeded) = take(&service, &channel).await {
        return too_many(exceeded);
    }
    let limit = Limits::default().bytes;
    let Ok(bytes) = to_bytes(body, limit).await else { return too_large(limit) };
    match receive_mail(&service, &channel, bytes.to_vec()).await {
        Ok(outcome) => {
            let result = match outcome {
                MailOutcome::Received(received) => json!({
                    "outcome": "received",
                    "thread_id": received.thread.thread_id,
                    "message_id": received.message.message_id,
                }),
                MailOutcome::Duplicate => json!({ "outcome": "duplicate" }),
                MailOutcome::Noted => json!({ "outcome": "delivery_noted" }),
                MailOutcome::Skipped(reason) => json!({ "outcome": "skipped", "reason": reason }),
            };
            json_response(StatusCode::ACCEPTED, &result)
        }
        Err(error) => fault(&error),
    }
}

/// Takes an update of Telegram.
async fn telegram(State(service): State<Background>, Path(key): Path<String>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let found = known::<TelegramSecrets>(&service, &key, ChannelKind::Telegram, &parts, |secrets| {
        is_secret(secrets.webhook_secret.as_ref(), &parts.headers, SECRET_HEADER)
    });
    let channel = match found.await {
        Ok((channel, _)) => channel,
        Err(response) => return response,
    };
    if let Err(exceeded) = take(&service, &channel).await {
        return too_many(exceeded);
    }
    let Ok(bytes) = to_bytes(body, MAX_NOTIFICATION).await else { return too_large(MAX_NOTIFICATION) };
    let Ok(update) = serde_json::from_slice(&bytes) else { return no_json() };
    match receive_update(&service, &channel, &update).await {
        Ok(()) => json_response(StatusCode::OK, &json!({})),
        Err(error) => fault(&error),
    }
}

/// Shows Meta that the webhook belongs to whom has set it up.
async fn handshake(State(service): State<Background>, Path(key): Path<String>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let query: HashMap<String, String> =
        url::form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes()).into_owned().collect();
    let asked = |name: &str| query.get(name).map(String::as_str).unwrap_or_default();
    let (mode, given, text) = (asked("hub.mode"), asked("hub.verify_token"), asked("hub.challenge"));
    let answer = |secrets: &MetaSecrets| {
        let token = secrets.verify_token.as_ref().map(Secret::new);
        token.is_some_and(|token| challenge(mode, given, text, &token).is_some())
    };
    match known_of_meta(&service, &key, &parts, answer).await {
        Ok(_) => {
            let plain = [(header::CONTENT_TYPE, "text/plain"), (header::X_CONTENT_TYPE_OPTIONS, "nosniff")];
            (plain, text.to_owned()).into_response()
        }
        Err(response) => response,
    }
}

/// Takes what WhatsApp or Messenger posts.
async fn meta(State(service): State<Background>, Path(key): Path<String>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let signature = parts.headers.get(SIGNATURE_HEADER).and_then(|value| value.to_str().ok());
    let Some(signature) = signature.map(str::to_owned) else {
        return unknown(&service, &parts, None).await;
    };
    let (channel, secrets) = match known_of_meta(&service, &key, &parts, |_| true).await {
        Ok(found) => found,
        Err(response) => return response,
    };
    // Only what is signed counts, so a channel that has received enough need not read further bodies to
    // refuse them.
    if let Err(exceeded) = service.rate_limits.check(posts_to(&channel), POSTS_PER_MINUTE).await {
        return too_many(exceeded);
    }
    let Ok(bytes) = to_bytes(body, MAX_NOTIFICATION).await else { return too_large(MAX_NOTIFICATION) };
    let app_secret = Secret::new(secrets.app_secret.unwrap_or_default());
    if !is_signed(&bytes, &signature, &app_secret) {
        return unknown(&service, &parts, Some(&channel)).await;
    }
    if let Err(exceeded) = take(&service, &channel).await {
        return too_many(exceeded);
    }
    let Ok(body) = serde_json::from_slice(&bytes) else { return no_json() };
    match receive_notifications(&service, &channel, &body).await {
        Ok(()) => json_response(StatusCode::OK, &json!({})),
        Err(error) => fault(&error),
    }
}

fn is_secret(secret: Option<&String>, headers: &HeaderMap, name: &str) -> bool {
    let given = headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    secret.is_some_and(|secret| Secret::new(secret).is(given))
}

/// Finds a channel of either messenger of Meta.
async fn known_of_meta(
    service: &Background,
    key: &str,
    parts: &http::request::Parts,
    proof: impl Fn(&MetaSecrets) -> bool,
) -> Result<(InboxChannel, MetaSecrets), Response> {
    let is_whatsapp = match Uuid::parse_str(key) {
        Ok(key) => match service.store.inbox_channels().find_public(ChannelKind::Whatsapp, key).await {
            Ok(found) => found.is_some(),
            Err(error) => return Err(fault(&error.into())),
        },
        Err(_) => false,
    };
    let kind = if is_whatsapp { ChannelKind::Whatsapp } else { ChannelKind::Messenger };
    known(service, key, kind, parts, proof).await
}

/// Finds the channel of a request that proves that it may post, with its secrets, or returns the response.
async fn known<T: DeserializeOwned>(
    service: &Background,
    key: &str,
    kind: ChannelKind,
    parts: &http::request::Parts,
    proof: impl Fn(&T) -> bool,
) -> Result<(InboxChannel, T), Response> {
    let Ok(key) = Uuid::parse_str(key) else { return Err(unknown(service, parts, None).await) };
    let found = match service.store.inbox_channels().find_public(kind, key).await {
        Ok(found) => found.filter(|channel| channel.enabled),
        Err(error) => return Err(fault(&error.into())),
    };
    let Some(channel) = found else { return Err(unknown(service, parts, None).await) };
    match of_channels::decrypted::<T>(&service.cipher, &channel).filter(proof) {
        Some(secrets) => Ok((channel, secrets)),
        None => Err(unknown(service, parts, Some(&channel)).await),
    }
}

/// Counts a post whose sender is known.
async fn take(service: &Background, channel: &InboxChannel) -> Result<(), Exceeded> {
    service.rate_limits.take(posts_to(channel), POSTS_PER_MINUTE).await
}

fn posts_to(channel: &InboxChannel) -> Subject {
    Subject::PostsToChannel(channel.channel_id)
}

/// Counts a failed attempt and returns the response to it.
async fn unknown(
    service: &Background,
    parts: &http::request::Parts,
    channel: Option<&InboxChannel>,
) -> Response {
    let limit = service.config.limits.failed_attempts;
    let named = channel.map(|channel| channel.channel_id);
    let failures = Subject::FailedAttempts(client(parts), "channels", named);
    match service.rate_limits.take(failures, limit).await {
        Ok(()) => responses::message(StatusCode::NOT_FOUND, NOT_FOUND),
        Err(exceeded) => too_many(exceeded),
    }
}

fn client(parts: &http::request::Parts) -> std::net::IpAddr {
    let address = parts.extensions.get::<ClientAddress>();
    address.map_or(std::net::IpAddr::from([0, 0, 0, 0]), |address| address.subscriber())
}

fn too_many(exceeded: Exceeded) -> Response {
    let body = responses::rate_limited(exceeded);
    let mut response = json_response(StatusCode::TOO_MANY_REQUESTS, &body);
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(exceeded.retry_after));
    response
}

fn json_response(status: StatusCode, body: &impl Serialize) -> Response {
    let text = serde_json::to_string(body).unwrap_or_default();
    (status, [(header::CONTENT_TYPE, "application/json")], Body::from(text)).into_response()
}

fn too_large(limit: usize) -> Response {
    let text = format!("The body is larger than {limit} bytes, or did not arrive.");
    responses::message(StatusCode::PAYLOAD_TOO_LARGE, &text)
}

fn no_json() -> Response {
    responses::message(StatusCode::BAD_REQUEST, "The body is not JSON.")
}

fn fault(error: &BoxError) -> Response {
    tracing::error!(error = &**error, "a post to a channel could not be received");
    responses::message(StatusCode::INTERNAL_SERVER_ERROR, responses::FAULT)
}
