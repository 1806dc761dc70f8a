//! Owns signed webhooks: events that a service sends and a receiver trusts, as Standard Webhooks describes them.
//!
//! A message has an id, a time and a signature: `webhook-id`, `webhook-timestamp` (seconds since 1970) and
//! `webhook-signature`, a list of `v1,<base64>` with the HMAC-SHA256 of `id.timestamp.body`. Several signatures, and several
//! secrets at the receiver, let a secret be replaced without losing an event.

use base64::{Engine, prelude::BASE64_STANDARD};
use hmac::{Hmac, Mac};
use http::{HeaderMap, HeaderName, HeaderValue};
use serde::de::DeserializeOwned;
use sha2::Sha256;
use std::{
    error, fmt,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// `webhook-id`: the same in every attempt to deliver an event, so that a receiver acts once.
pub const ID: HeaderName = HeaderName::from_static("webhook-id");
/// `webhook-timestamp`: seconds since 1970.
pub const TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
/// `webhook-signature`: one or more signatures, with spaces between.
pub const SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");

/// What a secret begins with in text.
const PREFIX: &str = "whsec_";
/// How far the time of an event may be from the receiver's.
const TOLERANCE: Duration = Duration::from_mins(5);

/// Why a secret cannot be used: it is not base64, or shorter than 24 bytes or longer than 64.
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

    /// The code over what is signed, not yet finished.
    fn over(&self, id: &str, timestamp: &str, body: &[u8]) -> Hmac<Sha256> {
        let mut code = self.0.clone();
        for part in [id.as_bytes(), b".", timestamp.as_bytes(), b".", body] {
            code.update(part);
        }
        code
    }
}

/// Signs events before they are sent.
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
    /// Signs with this secret: `whsec_` and base64; the beginning may be left off.
    ///
    /// # Errors
    ///
    /// [`SecretError`], if the text is no such secret.
    pub fn new(secret: &str) -> Result<Self, SecretError> {
        Ok(Self { keys: vec![Key::new(secret)?] })
    }

    /// Signs with this secret too, while receivers change from one to the other.
    ///
    /// # Errors
    ///
    /// [`SecretError`], if the text is no such secret.
    pub fn also(mut self, secret: &str) -> Result<Self, SecretError> {
        self.keys.push(Key::new(secret)?);
        Ok(self)
    }

    /// The three headers of an event that is sent now. Every attempt to deliver it has the same id, and headers of its own.
    ///
    /// # Errors
    ///
    /// [`InvalidId`], if the id is empty or holds what a header cannot.
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

/// An id that is empty, or holds what a header cannot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidId;

impl fmt::Display for InvalidId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the id of an event must not be empty, and must be printable ASCII")
    }
}

impl error::Error for InvalidId {}

/// Decides whether an event that came is the sender's, and fresh.
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

/// Why an event is not taken. Answer it with 400, and nothing of what it says.
#[derive(Debug)]
pub enum WebhookError {
    /// A header is missing or not readable.
    Header(HeaderName),
    /// Its time is too far from now: it was delayed, or is sent again by somebody who has seen it.
    Stale,
    /// No signature fits a secret.
    Signature,
    /// Its body does not fit what the document says.
    Body(serde_json::Error),
    /// It is of a kind that the document does not know.
    Unknown(String),
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
            Self::Unknown(kind) => write!(formatter, "the document has no event `{kind}`"),
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
    /// Trusts what is signed with this secret: `whsec_` and base64; the beginning may be left off.
    ///
    /// # Errors
    ///
    /// [`SecretError`], if the text is no such secret.
    pub fn new(secret: &str) -> Result<Self, SecretError> {
        Ok(Self { keys: vec![Key::new(secret)?], tolerance: TOLERANCE })
    }

    /// Trusts what is signed with this secret too, while the sender changes from one to the other.
    ///
    /// # Errors
    ///
    /// [`SecretError`], if the text is no such secret.
    pub fn also(mut self, secret: &str) -> Result<Self, SecretError> {
        self.keys.push(Key::new(secret)?);
        Ok(self)
    }

    /// How far the time of an event may be from now, in both directions; five minutes unless set.
    pub fn tolerance(mut self, tolerance: Duration) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// Whether the event is the sender's, and fresh. `body` is what came, byte for byte.
    ///
    /// # Errors
    ///
    /// Why it is not taken.
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
        // Signatures of other versions are passed over, as the specification asks for.
        let signed = signatures
            .split(' ')
            .filter_map(|signature| signature.strip_prefix("v1,"))
            .filter_map(|signature| BASE64_STANDARD.decode(signature).ok())
            .any(|signature| {
                // `verify_slice` takes the same time whatever differs.
                self.keys.iter().any(|key| key.over(id, timestamp, body).verify_slice(&signature).is_ok())
            });
        if signed { Ok(()) } else { Err(WebhookError::Signature) }
    }

    /// The body of an event that is the sender's, and fresh.
    ///
    /// # Errors
    ///
    /// Why it is not taken.
    pub fn receive<T: DeserializeOwned>(&self, headers: &HeaderMap, body: &[u8]) -> Result<T, WebhookError> {
        self.verify(headers, body)?;
        read(body)
    }
}

/// The body of an event that was found to be the sender's in another way than [`Verifier`] does it.
///
/// # Errors
///
/// [`WebhookError::Body`], if it is not what the document says.
pub fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, WebhookError> {
    serde_json::from_slice(body).map_err(WebhookError::Body)
}

/// The text of a member of the body, which tells events apart; empty where there is none.
pub fn kind(body: &[u8], member: &str) -> String {
    let body: serde_json::Value = serde_json::from_slice(body).unwrap_or_default();
    body.get(member).and_then(serde_json::Value::as_str).unwrap_or_default().to_owned()
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
