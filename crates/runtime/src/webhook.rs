//! Signed webhooks according to Standard Webhooks: signing events and verifying them.
//!
//! A message has an id, a time and a signature: `webhook-id`, `webhook-timestamp` (seconds since 1970) and
//! `webhook-signature`, a list of `v1,<base64>` with the HMAC-SHA256 of `id.timestamp.body`. Several
//! signatures, and several secrets at the receiver, allow rotating a secret without losing events.

use base64::{Engine, prelude::BASE64_STANDARD};
use hmac::{Hmac, Mac};
use http::{HeaderMap, HeaderName, HeaderValue};
use serde::de::DeserializeOwned;
use sha2::Sha256;
use std::{
    error, fmt,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// Exports of generated clients, by a glob import, so that a name of the document takes precedence.
pub mod prelude {
    pub use super::{Verifier, WebhookError};
}

/// `webhook-id`: the same in every attempt to deliver an event, for deduplication by the receiver.
pub const ID: HeaderName = HeaderName::from_static("webhook-id");
/// `webhook-timestamp`: seconds since 1970.
pub const TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
/// `webhook-signature`: one or more signatures, separated by spaces.
pub const SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");

/// The prefix of secrets in text form.
const PREFIX: &str = "whsec_";
/// The maximum difference between the time of an event and the receiver's clock.
const TOLERANCE: Duration = Duration::from_mins(5);

/// The secret is invalid: it is not base64, or does not have 24 to 64 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecretError;

impl fmt::Display for SecretError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(
            "the secret of a webhook must be `whsec_` and the base64 of 24 to 64 bytes; make one with `openssl rand -base64 32`",
        )
    }
}

impl error::Error for SecretError {}

/// A secret that sender and receiver share.
#[derive(Clone)]
struct Key(Hmac<Sha256>);

impl Key {
    fn new(secret: &str) -> Result<Self, SecretError> {
        let secret = secret.trim();
        let bytes =
            BASE64_STANDARD.decode(secret.strip_prefix(PREFIX).unwrap_or(secret)).map_err(|_| SecretError)?;
        if !(24..=64).contains(&bytes.len()) {
            return Err(SecretError);
        }
        Hmac::new_from_slice(&bytes).map(Self).map_err(|_| SecretError)
    }

    /// Starts the authentication code of a message.
    fn over(&self, id: &str, timestamp: &str, body: &[u8]) -> Hmac<Sha256> {
        let mut code = self.0.clone();
        for part in [id.as_bytes(), b".", timestamp.as_bytes(), b".", body] {
            code.update(part);
        }
        code
    }
}

/// Signs outgoing events.
#[derive(Clone)]
pub struct Signer {
    keys: Vec<Key>,
}

impl fmt::Debug for Signer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Signer({} secrets)", self.keys.len())
    }
}

impl Signer {
    /// Signs with this secret: base64 with or without the prefix `whsec_`.
    ///
    /// # Errors
    ///
    /// [`SecretError`], if the secret is invalid.
    pub fn new(secret: &str) -> Result<Self, SecretError> {
        Ok(Self { keys: vec![Key::new(secret)?] })
    }

    /// Also signs with this secret, while receivers migrate from one secret to the other.
    ///
    /// # Errors
    ///
    /// [`SecretError`], if the secret is invalid.
    pub fn also(mut self, secret: &str) -> Result<Self, SecretError> {
        self.keys.push(Key::new(secret)?);
        Ok(self)
    }

    /// Returns the three headers of an event that is sent now. All attempts to deliver an event have the same
    /// id, but each has its own headers.
    ///
    /// # Errors
    ///
    /// [`InvalidId`], if the id is empty or cannot be sent in a header.
    pub fn headers(&self, id: &str, body: &[u8]) -> Result<HeaderMap, InvalidId> {
        self.headers_at(id, SystemTime::now(), body)
    }

    fn headers_at(&self, id: &str, time: SystemTime, body: &[u8]) -> Result<HeaderMap, InvalidId> {
        if id.is_empty() {
            return Err(InvalidId);
        }
        let timestamp = seconds(time).to_string();
        let signatures: Vec<String> = self
            .keys
            .iter()
            .map(|key| {
                let code = key.over(id, &timestamp, body).finalize().into_bytes();
                format!("v1,{}", BASE64_STANDARD.encode(code))
            })
            .collect();
        let mut headers = HeaderMap::with_capacity(3);
        for (name, value) in [(ID, id), (TIMESTAMP, &timestamp), (SIGNATURE, &signatures.join(" "))] {
            headers.insert(name, HeaderValue::from_str(value).map_err(|_| InvalidId)?);
        }
        Ok(headers)
    }
}

/// The id is empty, or cannot be sent in a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidId;

impl fmt::Display for InvalidId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the id of an event must not be empty, and must be printable ASCII")
    }
}

impl error::Error for InvalidId {}

/// Verifies that received events are authentic and recent.
#[derive(Clone)]
pub struct Verifier {
    keys: Vec<Key>,
    tolerance: Duration,
}

impl fmt::Debug for Verifier {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Verifier({} secrets)", self.keys.len())
    }
}

/// Why an event is rejected. Respond with 400 and ignore the event.
#[derive(Debug)]
#[non_exhaustive]
pub enum WebhookError {
    /// A header is missing or unreadable.
    Header(HeaderName),
    /// Its time differs too much from now: it was delayed, or somebody has replayed it.
    Stale,
    /// No signature matches a secret.
    Signature,
    /// Its body does not match the document.
    Body(serde_json::Error),
}

impl fmt::Display for WebhookError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header(name) => write!(formatter, "the header {name} is missing or not readable"),
            Self::Stale => formatter.write_str("the time of the event is too far from now"),
            Self::Signature => formatter.write_str("no signature of the event fits a secret"),
            Self::Body(error) => {
                write!(formatter, "the body of the event does not fit its document: {error}")
            }
        }
    }
}

impl error::Error for WebhookError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::Body(error) => Some(error),
            _ => None,
        }
    }
}

impl Verifier {
    /// Verifies with this secret: base64 with or without the prefix `whsec_`.
    ///
    /// # Errors
    ///
    /// [`SecretError`], if the secret is invalid.
    pub fn new(secret: &str) -> Result<Self, SecretError> {
        Ok(Self { keys: vec![Key::new(secret)?], tolerance: TOLERANCE })
    }

    /// Also accepts this secret, while the sender migrates from one secret to the other.
    ///
    /// # Errors
    ///
    /// [`SecretError`], if the secret is invalid.
    pub fn also(mut self, secret: &str) -> Result<Self, SecretError> {
        self.keys.push(Key::new(secret)?);
        Ok(self)
    }

    /// Sets the maximum difference between the time of an event and now; the default is five minutes.
    pub fn tolerance(mut self, tolerance: Duration) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// Verifies that the event is authentic and recent. `body` must be the unchanged bytes.
    ///
    /// # Errors
    ///
    /// The reason why the event is rejected.
    pub fn verify(&self, headers: &HeaderMap, body: &[u8]) -> Result<(), WebhookError> {
        self.verify_at(headers, body, SystemTime::now())
    }

    fn verify_at(&self, headers: &HeaderMap, body: &[u8], now: SystemTime) -> Result<(), WebhookError> {
        let text = |name: &HeaderName| {
            let value = headers.get(name).and_then(|value| value.to_str().ok());
            value.filter(|value| !value.is_empty()).ok_or_else(|| WebhookError::Header(name.clone()))
        };
        let (id, timestamp, signatures) = (text(&ID)?, text(&TIMESTAMP)?, text(&SIGNATURE)?);
        let time: u64 = timestamp.parse().map_err(|_| WebhookError::Header(TIMESTAMP))?;
        if time.abs_diff(seconds(now)) > self.tolerance.as_secs() {
            return Err(WebhookError::Stale);
        }
        // Signatures of other versions are ignored, as the specification requires.
        let signed = signatures
            .split(' ')
            .filter_map(|signature| signature.strip_prefix("v1,"))
            .filter_map(|signature| BASE64_STANDARD.decode(signature).ok())
            .any(|signature| {
                // `verify_slice` compares in constant time.
                self.keys.iter().any(|key| key.over(id, timestamp, body).verify_slice(&signature).is_ok())
            });
        if signed { Ok(()) } else { Err(WebhookError::Signature) }
    }

    /// Verifies an event and parses its body.
    ///
    /// # Errors
    ///
    /// The reason why the event is rejected.
    pub fn receive<T: DeserializeOwned>(&self, headers: &HeaderMap, body: &[u8]) -> Result<T, WebhookError> {
        self.verify(headers, body)?;
        read(body)
    }
}

/// Parses the body of an event that was verified in another way than by [`Verifier`].
///
/// # Errors
///
/// [`WebhookError::Body`], if it does not match the document.
pub fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, WebhookError> {
    match str::from_utf8(body) {
        Ok(text) => crate::whole_numbers::read(text, |text| serde_json::from_str(text)),
        Err(_) => serde_json::from_slice(body),
    }
    .map_err(WebhookError::Body)
}

/// Returns the member of the body that distinguishes events; empty text if it is missing or not text.
///
/// # Errors
///
/// [`WebhookError::Body`], if the body is not JSON.
pub fn kind(body: &[u8], member: &str) -> Result<String, WebhookError> {
    let body: serde_json::Value = read(body)?;
    Ok(body.get(member).and_then(serde_json::Value::as_str).unwrap_or_default().to_owned())
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::{
        Duration, HeaderMap, HeaderValue, SIGNATURE, SecretError, Signer, TIMESTAMP, UNIX_EPOCH, Verifier,
        WebhookError,
    };

    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const OTHER: &str = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
    const BODY: &[u8] = br#"{"test": 2432232314}"#;
    const ID: &str = "msg_p5jXN8AQM9LWM0D4loKWxJek";

    fn at(seconds: u64) -> std::time::SystemTime {
        UNIX_EPOCH + Duration::from_secs(seconds)
    }

    #[test]
    fn signatures_are_those_of_the_specification() {
        // The example of the reference implementations.
        let headers = Signer::new(SECRET).unwrap().headers_at(ID, at(1_614_265_330), BODY).unwrap();
        assert_eq!(headers[SIGNATURE], "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn an_event_is_taken_once_it_is_signed_and_fresh() {
        let headers = Signer::new(SECRET).unwrap().headers_at(ID, at(1_000_000), BODY).unwrap();
        let verifier = Verifier::new(SECRET).unwrap();
        for (now, taken) in [(1_000_000, true), (1_000_300, true), (1_000_301, false), (999_699, false)] {
            assert_eq!(verifier.verify_at(&headers, BODY, at(now)).is_ok(), taken, "{now}");
        }
        let now = at(1_000_000);
        assert!(matches!(verifier.verify_at(&headers, b"{}", now), Err(WebhookError::Signature)));
        for name in [super::ID, TIMESTAMP, SIGNATURE] {
            let mut headers = headers.clone();
            headers.remove(&name);
            assert!(
                matches!(verifier.verify_at(&headers, BODY, now), Err(WebhookError::Header(_))),
                "{name}"
            );
            headers.insert(name.clone(), HeaderValue::from_static("1000001"));
            assert!(verifier.verify_at(&headers, BODY, now).is_err(), "{name} is signed");
        }
        assert!(matches!(verifier.verify_at(&HeaderMap::new(), BODY, now), Err(WebhookError::Header(_))));
    }

    #[test]
    fn secrets_can_be_replaced_on_either_side() {
        let both = Signer::new(OTHER).unwrap().also(SECRET).unwrap();
        let headers = both.headers_at(ID, at(5), BODY).unwrap();
        assert!(Verifier::new(SECRET).unwrap().verify_at(&headers, BODY, at(5)).is_ok());
        let headers = Signer::new(OTHER).unwrap().headers_at(ID, at(5), BODY).unwrap();
        assert!(Verifier::new(SECRET).unwrap().verify_at(&headers, BODY, at(5)).is_err());
        let both = Verifier::new(SECRET).unwrap().also(OTHER).unwrap();
        assert!(both.verify_at(&headers, BODY, at(5)).is_ok());
    }

    #[test]
    fn weak_secrets_are_refused_and_never_shown() {
        for secret in ["", "whsec_", "whsec_c2hvcnQ=", "whsec_not base64"] {
            assert_eq!(Signer::new(secret).err(), Some(SecretError), "{secret}");
        }
        assert!(!format!("{:?}", Verifier::new(SECRET).unwrap()).contains("MfKQ"));
    }
}
