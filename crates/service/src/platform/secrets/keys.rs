//! API keys as text: how they are generated, recognized and hashed.

use std::fmt;

use frontdesk_store::{ApiKey, ApiKeyError, DomainError, KeyHash, NewApiKey, Scope, Store, StoreError};
use hmac::Mac;
use jiff::Timestamp;
use uuid::Uuid;

use crate::platform::{
    config::Keys,
    secrets::pepper::{Pepper, PepperError, Peppers},
};

/// Prefix of every key, by which secret scanners recognize it.
const PREFIX: &str = "sk_live_";

/// Characters after the prefix; 43 out of an alphabet of 62 carry 256 bits.
const LENGTH: usize = 43;

/// Characters after the prefix that are stored readably, so that people can distinguish their keys.
const SHOWN: usize = 4;

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A newly generated key. This is the only moment at which the key itself is known.
#[derive(Clone)]
pub struct FreshKey(String);

impl FreshKey {
    /// Generates a key from the random numbers of the operating system.
    pub(crate) fn generate() -> Result<Self, getrandom::Error> {
        Ok(Self(format!("{PREFIX}{}", random_text(LENGTH)?)))
    }

    /// Returns the key itself, to be shown once.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Returns the part of the key that is stored for lists.
    pub(crate) fn display_prefix(&self) -> String {
        format!("{}…", &self.0[..PREFIX.len() + SHOWN])
    }
}

impl fmt::Debug for FreshKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "FreshKey({})", self.display_prefix())
    }
}

/// Returns whether a text has the form of a key.
pub(crate) fn looks_like_a_key(text: &str) -> bool {
    text.strip_prefix(PREFIX).is_some_and(|random| {
        random.len() == LENGTH && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// Returns the hash of a key with a pepper.
pub(crate) fn hash(pepper: &Pepper, key: &str) -> KeyHash {
    let mut mac = pepper.hmac();
    mac.update(key.as_bytes());
    KeyHash::new(mac.finalize().into_bytes().into())
}

/// Why an API key or a domain cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The operating system provides no random numbers.
    #[error("the operating system provides no random numbers")]
    Random(#[from] getrandom::Error),
    /// The key cannot be created.
    #[error(transparent)]
    Key(#[from] ApiKeyError),
    /// The domain cannot be added.
    #[error(transparent)]
    Domain(#[from] DomainError),
    /// The peppers cannot be used.
    #[error(transparent)]
    Pepper(#[from] PepperError),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A key to be created.
#[derive(Clone, Debug)]
pub struct WantedKey {
    /// Its creator; an active owner or admin.
    pub user_id: Uuid,
    /// What it is for.
    pub name: String,
    /// Requests per minute, if they differ from the default.
    pub rate_per_minute: Option<u32>,
}

/// A key that was created.
#[derive(Clone, Debug)]
pub struct IssuedKey {
    /// The key itself, which is not stored.
    pub key: FreshKey,
    /// The stored record of the key.
    pub record: ApiKey,
}

/// Creates a key and stores its hash. Returns `None` if the scope has no such user, and
/// [`ApiKeyError::NotAllowed`] if the user may not have keys. `keys` is the configuration of the service that
/// will accept the key.
pub async fn issue_key(
    store: &Store,
    keys: &Keys,
    scope: &Scope,
    wanted: WantedKey,
    now: Timestamp,
) -> Result<Option<IssuedKey>, KeyError> {
    let peppers = Peppers::open(store, keys).await?;
    let key = FreshKey::generate()?;
    let new = NewApiKey {
        user_id: wanted.user_id,
        name: wanted.name,
        hash: hash(peppers.current(), key.expose()),
        pepper_id: Some(peppers.current().id().to_owned()),
        display_prefix: key.display_prefix(),
        rate_per_minute: wanted.rate_per_minute,
    };
    let record = store.api_keys().create(scope, &new, now).await?;
    Ok(record.map(|record| IssuedKey { key, record }))
}

/// Returns random letters and digits, each equally likely.
pub(crate) fn random_text(length: usize) -> Result<String, getrandom::Error> {
    // Bytes from here on are discarded: with them some letters would be more likely than others.
    const LIMIT: usize = 256 / ALPHABET.len() * ALPHABET.len();
    let mut text = String::with_capacity(length);
    let mut bytes = [0_u8; 64];
    while text.len() < length {
        getrandom::fill(&mut bytes)?;
        let letters = bytes.iter().map(|&byte| usize::from(byte)).filter(|&byte| byte < LIMIT);
        text.extend(
            letters.map(|byte| char::from(ALPHABET[byte % ALPHABET.len()])).take(length - text.len()),
        );
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn keys_are_random_and_are_not_printed() {
        let keys: Vec<FreshKey> = (0..200).map(|_| FreshKey::generate().unwrap()).collect();
        let distinct: HashSet<&str> = keys.iter().map(FreshKey::expose).collect();
        assert_eq!(distinct.len(), keys.len());
        for key in &keys {
            assert_eq!(key.expose().len(), PREFIX.len() + LENGTH);
            assert!(key.expose().starts_with(&key.display_prefix()[..PREFIX.len() + SHOWN]));
            assert!(!format!("{key:?}").contains(key.expose()));
        }
    }

    #[test]
    fn every_letter_comes_up() {
        let text = random_text(10_000).unwrap();
        assert_eq!(text.len(), 10_000);
        let counts = ALPHABET.map(|letter| text.bytes().filter(|byte| *byte == letter).count());
        // 161 of each are expected; fewer than 80 would be more than six standard deviations away.
        assert!(counts.iter().all(|count| *count > 80), "{counts:?}");
    }

    #[test]
    fn only_text_in_the_form_of_a_key_is_looked_up() {
        let key = FreshKey::generate().unwrap();
        assert!(looks_like_a_key(key.expose()));
        for text in ["", "sk_live_", "sk_live_short", &key.expose()[1..], &format!("{}x", key.expose())] {
            assert!(!looks_like_a_key(text), "{text}");
        }
        assert!(!looks_like_a_key(&format!("{}é", &key.expose()[..key.expose().len() - 2])));
    }

    #[test]
    fn the_hash_depends_on_key_and_pepper() {
        let key = FreshKey::generate().unwrap();
        let other = FreshKey::generate().unwrap();
        let hash = |pepper: &str, key: &FreshKey| hash(Peppers::of(pepper).current(), key.expose());
        assert!(hash("one", &key) == hash("one", &key));
        assert!(hash("one", &key) != hash("two", &key));
        assert!(hash("one", &key) != hash("one", &other));
    }
}
