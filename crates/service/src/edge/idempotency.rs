//! Idempotency keys: a repeated request gets the response to the first one.
//!
//! A layer around the interface ([`remember`]) notes the key of a request that carries the header. When the
//! request is authorized and its body has been read within the limit of its operation, [`claim`] claims the
//! key for this body, and when the handler has responded the layer stores the response or gives the key back.
//! Every `POST` with a key supports the header, so no handler knows of it.

mod fingerprint;

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use axum::{
    body::{Body, Bytes},
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use frontdesk_runtime::{
    HeaderValue, StatusCode,
    server::{Incoming, Rejection},
};
use frontdesk_store::{Claim, Claimed, IdempotentRequest, Redacted, StoreError, StoredResponse};
use futures_util::StreamExt;
use http::{HeaderMap, HeaderName, Method, header};
use http_body_util::BodyExt;
use tokio::sync::mpsc::UnboundedSender;
use uuid::Uuid;

use crate::{
    edge::{Caller, Edge, authorization::refusals, event_stream, responses},
    platform::{
        renewal::renewing,
        secrets::encryption::{SecretCipher, is_encrypted},
    },
};

/// The header that carries the key.
pub(crate) const HEADER: HeaderName = HeaderName::from_static("idempotency-key");
/// The header that marks a response that was stored earlier.
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");
/// The longest key, in characters, as the contract states it.
const MAX_KEY: usize = 255;
/// The largest response that is stored, in bytes: the report of an import has a line for each of 100,000
/// rows.
const MAX_RESPONSE: usize = 32 << 20;

/// The time between two renewals of a claim. The store ends one that is not renewed for several times this.
const RENEWED: Duration = Duration::from_secs(15);

/// An idempotency key on its way through a request.
#[derive(Debug)]
struct Attempt {
    key: String,
    path: String,
    claim: Mutex<Option<Claim>>,
}

impl Attempt {
    fn claim(&self) -> Option<Claim> {
        self.claim.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Notes the idempotency key of a request on its way in, and stores the response on its way out.
pub(crate) async fn remember(State(service): State<Edge>, mut request: Request, next: Next) -> Response {
    let Some(key) = key(request.method(), request.headers()) else { return next.run(request).await };
    let path = format!("{} {}", request.method(), request.uri().path());
    let attempt = Arc::new(Attempt { key, path, claim: Mutex::new(None) });
    request.extensions_mut().insert(Arc::clone(&attempt));
    let response = renewing(next.run(request), RENEWED, || renew(&service, attempt.claim())).await;
    match attempt.claim() {
        Some(claim) => finish(&service, &claim, response).await,
        None => response,
    }
}

/// Renews the claim of a request that is running, if there is one yet.
async fn renew(service: &Edge, claim: Option<Claim>) {
    if let Some(claim) = claim {
        note(service.store.idempotency().renew(&claim, service.now()).await);
    }
}

/// Whether a request has an idempotency key, so that its body has to be known.
pub(crate) fn has_key(incoming: &Incoming) -> bool {
    incoming.extensions().get::<Arc<Attempt>>().is_some()
}

/// Claims the idempotency key of a request with this body, if it has one. The error is the response in place
/// of the handler's.
pub(crate) async fn claim(
    service: &Edge,
    caller: &Caller,
    incoming: &Incoming,
    body: &Bytes,
) -> Result<Result<(), Rejection>, StoreError> {
    let Some(attempt) = incoming.extensions().get::<Arc<Attempt>>() else { return Ok(Ok(())) };
    let request = IdempotentRequest {
        api_key_id: caller.key_id,
        path: attempt.path.clone(),
        key: attempt.key.clone(),
        fingerprint: fingerprint::of(incoming.parts(), body).await,
    };
    Ok(match service.store.idempotency().claim(&request, service.now()).await? {
        Claimed::Run(claim) => {
            *attempt.claim.lock().unwrap_or_else(PoisonError::into_inner) = Some(claim);
            Ok(())
        }
        Claimed::Done(stored) => Err(match replay(&service.cipher, stored) {
            Some(response) => Rejection::from(response),
            None => {
                tracing::warn!("a stored response cannot be decrypted; was the pepper changed?");
                refusals::conflict(&responses::response_lost())
            }
        }),
        Claimed::Running => Err(refusals::conflict(&responses::in_progress())),
        Claimed::Reused => Err(refusals::unprocessable(responses::idempotency_key_reused())),
    })
}

/// The idempotency key of a request. A header that breaks the contract's rules is left to the checks of
/// parameters.
fn key(method: &Method, headers: &HeaderMap) -> Option<String> {
    if method != Method::POST || !headers.contains_key(header::AUTHORIZATION) {
        return None;
    }
    let key = headers.get(HEADER)?.to_str().ok()?;
    (!key.is_empty() && key.len() <= MAX_KEY).then(|| key.to_owned())
}

/// Stores a success under the claimed key. Anything else changed nothing, so the key is given back and a
/// repeat runs again.
async fn finish(service: &Edge, claim: &Claim, response: Response) -> Response {
    let keys = service.store.idempotency();
    if !response.status().is_success() {
        note(keys.release(claim).await);
        return response;
    }
    let (parts, body) = response.into_parts();
    let content_type =
        parts.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).map(str::to_owned);
    if content_type.as_deref().is_some_and(|kind| kind.starts_with(event_stream::MEDIA_TYPE)) {
        let body = store_while_sending(service, claim, parts.status, content_type, body);
        return Response::from_parts(parts, body);
    }
    match body.collect().await {
        Ok(body) => {
            let body = body.to_bytes();
            complete(service, claim, parts.status, content_type, &body).await;
            Response::from_parts(parts, Body::from(body))
        }
        Err(error) => {
            tracing::error!(%error, "a response to be stored under its idempotency key could not be read");
            note(keys.release(claim).await);
            responses::message(StatusCode::INTERNAL_SERVER_ERROR, responses::FAULT)
        }
    }
}

async fn complete(
    service: &Edge,
    claim: &Claim,
    status: StatusCode,
    content_type: Option<String>,
    body: &Bytes,
) {
    let keys = service.store.idempotency();
    if body.len() > MAX_RESPONSE {
        return note(keys.release(claim).await);
    }
    let stored = StoredResponse {
        status: status.as_u16(),
        content_type,
        body: encrypted(service, body),
        mentions: mentioned_ids(body),
    };
    note(keys.complete(claim, &stored).await);
}

/// Forwards a stream while it is being written, and stores the whole when it is finished, even if the client
/// has disconnected.
fn store_while_sending(
    service: &Edge,
    claim: &Claim,
    status: StatusCode,
    content_type: Option<String>,
    body: Body,
) -> Body {
    let (service, claim) = (service.clone(), claim.clone());
    let (sender, receiver) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(async move {
        let renewal = || renew(&service, Some(claim.clone()));
        let sent = renewing(forward(body, &sender), RENEWED, renewal).await;
        match sent.filter(|sent| !event_stream::is_failed(sent)) {
            Some(sent) => complete(&service, &claim, status, content_type, &Bytes::from(sent)).await,
            None => note(service.store.idempotency().release(&claim).await),
        }
    });
    Body::from_stream(futures_util::stream::unfold(receiver, async |mut receiver| {
        receiver.recv().await.map(|part| (part, receiver))
    }))
}

/// Forwards a whole stream, and returns it unless a part could not be read.
async fn forward(body: Body, receiver: &UnboundedSender<Result<Bytes, axum::Error>>) -> Option<Vec<u8>> {
    let (mut body, mut sent, mut is_whole) = (body.into_data_stream(), Vec::new(), true);
    while let Some(part) = body.next().await {
        match &part {
            Ok(part) => sent.extend_from_slice(part),
            Err(_) => is_whole = false,
        }
        // It fails if the client has gone.
        let _ = receiver.send(part);
    }
    is_whole.then_some(sent)
}

/// The claim ends by itself, so a failure only means that repeats are refused for a while.
fn note(result: Result<bool, StoreError>) {
    match result {
        Ok(true) => {}
        Ok(false) => tracing::warn!("a request took longer than the claim to its idempotency key"),
        Err(error) => tracing::warn!(%error, "the outcome of an idempotent request could not be stored"),
    }
}

/// The purpose for which stored responses are encrypted. Part of the stored form.
const PURPOSE: &str = "idempotent response";

/// Encrypts a body, because some responses contain a secret that is shown only once. A body that is not text
/// contains none and stays as it is.
fn encrypted(service: &Edge, body: &Bytes) -> Vec<u8> {
    let text = std::str::from_utf8(body).ok();
    let encrypted = text.and_then(|text| service.cipher.encrypt(text, PURPOSE).ok());
    encrypted.map_or_else(|| body.to_vec(), |encrypted| encrypted.expose().clone().into_bytes())
}

/// Returns the ids in a body, separated by spaces.
fn mentioned_ids(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let words = text.split(|character: char| !character.is_ascii_hexdigit() && character != '-');
    let mut ids: Vec<String> =
        words.filter_map(|word| Uuid::try_parse(word).ok()).map(|id| id.to_string()).collect();
    ids.sort();
    ids.dedup();
    ids.join(" ")
}

/// Decrypts a stored body. One that is not encrypted, as earlier versions stored it, is returned as it is;
/// `None` if it is encrypted and none of the accepted peppers fits.
fn decrypted(cipher: &SecretCipher, stored: Vec<u8>) -> Option<Vec<u8>> {
    let stored = match String::from_utf8(stored) {
        Ok(text) => Redacted::new(text),
        Err(error) => return Some(error.into_bytes()),
    };
    if !is_encrypted(&stored) {
        return Some(stored.expose().clone().into_bytes());
    }
    cipher.decrypt(&stored, PURPOSE).map(|decrypted| decrypted.expose().clone().into_bytes())
}

/// Makes the stored response again; `None` if it cannot be decrypted.
fn replay(cipher: &SecretCipher, stored: StoredResponse) -> Option<Response> {
    let status = StatusCode::from_u16(stored.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = Response::new(Body::from(decrypted(cipher, stored.body)?));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(REPLAYED, HeaderValue::from_static("true"));
    if let Some(content_type) = stored.content_type.and_then(|text| HeaderValue::try_from(text).ok()) {
        headers.insert(header::CONTENT_TYPE, content_type);
    }
    Some(response)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::secrets::pepper::Peppers;

    #[test]
    fn only_posts_of_callers_with_a_key_are_remembered() {
        let headers = |key: &'static str, authorized: bool| {
            let mut headers = HeaderMap::new();
            headers.insert(HEADER, HeaderValue::from_static(key));
            if authorized {
                headers.insert(header::AUTHORIZATION, HeaderValue::from_static("Bearer x"));
            }
            headers
        };
        assert_eq!(key(&Method::POST, &headers("a b", true)).as_deref(), Some("a b"));
        assert_eq!(key(&Method::POST, &headers("a", false)), None);
        assert_eq!(key(&Method::PUT, &headers("a", true)), None);
        assert_eq!(key(&Method::POST, &headers("", true)), None);
    }

    #[tokio::test]
    async fn a_response_is_replayed_as_it_was_or_not_at_all() {
        let (cipher, other) =
            (SecretCipher::new(&Peppers::of("pepper")), SecretCipher::new(&Peppers::of("salt")));
        let stored = |body: &[u8]| StoredResponse {
            status: 201,
            content_type: Some("application/json".to_owned()),
            body: body.to_vec(),
            mentions: String::new(),
        };
        let text = "{\"secret\":\"hunter2\"}";
        let encrypted = cipher.encrypt(text, PURPOSE).unwrap().expose().clone();
        for (cipher, body, expected) in [
            (&cipher, encrypted.as_bytes(), Some(text.as_bytes())),
            (&other, encrypted.as_bytes(), None),
            (&cipher, &encrypted.as_bytes()[..encrypted.len() - 2], None),
            (&other, text.as_bytes(), Some(text.as_bytes())),
            (&other, b"\xff", Some(&b"\xff"[..])),
        ] {
            let replayed = replay(cipher, stored(body)).map(Response::into_body);
            let bytes = match replayed {
                Some(body) => Some(body.collect().await.unwrap().to_bytes()),
                None => None,
            };
            assert_eq!(bytes.as_deref(), expected);
        }
    }
}
