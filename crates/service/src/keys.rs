//! Owns API keys as text: how they are made, recognised and hashed.

use std::fmt;

use frontdesk_store::{ApiKey, KeyHash, NewApiKey, Redacted, Scope, Store, StoreError};
use hmac::{Hmac, Mac};
use jiff::Timestamp;
use sha2::Sha256;
use uuid::Uuid;

/// What every key begins with, by which secret scanners know it.
const PREFIX: &str = "sk_live_";

/// Characters after the prefix. 43 of 62 kinds carry 256 bits.
const LENGTH: usize = 43;

/// Characters after the prefix that are kept readable, so that people can tell their keys apart.
const SHOWN: usize = 4;

/// Bytes of a pepper that the database keeps.
const PEPPER_LENGTH: usize = 32;

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A key that has just been made. This is the only moment at which it is known.
#[derive(Clone)]
pub struct FreshKey(String);

impl FreshKey {
    /// A key from the system's random numbers.
    pub(crate) fn generate() -> Result<Self, getrandom::Error> {
        Ok(Self(format!("{PREFIX}{}", random_text(LENGTH)?)))
    }

    /// The key itself, to be shown once.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// What is kept of it for lists.
    pub(crate) fn display_prefix(&self) -> String {
        format!("{}…", &self.0[..PREFIX.len() + SHOWN])
    }
}

impl fmt::Debug for FreshKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "FreshKey({})", self.display_prefix())
    }
}

/// Turns keys into the hashes under which the store knows them.
///
/// A key has 256 random bits, so a fast hash is enough: there is nothing to guess. The pepper makes a stolen copy of
/// the database useless for finding out which of some leaked keys are in it.
#[derive(Clone)]
pub(crate) struct KeyHasher(Hmac<Sha256>);

impl KeyHasher {
    /// A hasher with the pepper of the configuration, or else the one that the store keeps for all processes.
    pub(crate) async fn open(
        store: &Store,
        pepper: Option<&Redacted<String>>,
    ) -> Result<Self, KeyHasherError> {
        Ok(Self::new(&self::pepper(store, pepper).await?))
    }

    fn new(pepper: &[u8]) -> Self {
        Self(Hmac::new_from_slice(pepper).expect("HMAC takes keys of any length"))
    }

    /// The hash of a text that may be a key, or `None` if no key looks like it; then the database need not be asked.
    pub(crate) fn hash(&self, text: &str) -> Option<KeyHash> {
        let random = text.strip_prefix(PREFIX)?;
        let plausible = random.len() == LENGTH && random.bytes().all(|byte| byte.is_ascii_alphanumeric());
        plausible.then(|| {
            let mut mac = self.0.clone();
            mac.update(text.as_bytes());
            KeyHash::new(mac.finalize().into_bytes().into())
        })
    }
}

impl fmt::Debug for KeyHasher {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("KeyHasher(…)")
    }
}

/// The pepper of the configuration, or else the one that the store keeps for all processes.
pub(crate) async fn pepper(
    store: &Store,
    configured: Option<&Redacted<String>>,
) -> Result<Vec<u8>, KeyHasherError> {
    if let Some(pepper) = configured {
        return Ok(pepper.expose().as_bytes().to_vec());
    }
    let mut candidate = [0; PEPPER_LENGTH];
    getrandom::fill(&mut candidate)?;
    Ok(store.get_or_create_secret("api_key_pepper", &candidate).await?.expose().clone())
}

/// Why keys cannot be made or checked.
#[derive(Debug, thiserror::Error)]
pub enum KeyHasherError {
    /// The system gives no random numbers.
    #[error("the operating system gives no random numbers")]
    Random(#[from] getrandom::Error),
    /// The store refuses the key, or fails.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A key that somebody asks for.
#[derive(Clone, Debug)]
pub struct WantedKey {
    /// Its creator; an active owner or admin.
    pub user_id: Uuid,
    /// What it is for.
    pub name: String,
    /// Requests a minute, where they differ from the default.
    pub rate_per_minute: Option<u32>,
}

/// A key that has been made and stored.
#[derive(Clone, Debug)]
pub struct IssuedKey {
    /// The key itself, which is kept nowhere.
    pub key: FreshKey,
    /// What is kept of it.
    pub record: ApiKey,
}

/// Makes a key and stores its hash. `None` when the scope has no such user; [`StoreError::KeyCreationRefused`] when the
/// user may not have keys. `pepper` is that of the configuration, as the service that shall accept the key has it.
pub async fn issue_key(
    store: &Store,
    pepper: Option<&Redacted<String>>,
    scope: &Scope,
    wanted: WantedKey,
    now: Timestamp,
) -> Result<Option<IssuedKey>, KeyHasherError> {
    let hasher = KeyHasher::open(store, pepper).await?;
    let key = FreshKey::generate()?;
    let new = NewApiKey {
        user_id: wanted.user_id,
        name: wanted.name,
        hash: hasher.hash(key.expose()).expect("a fresh key looks like a key"),
        display_prefix: key.display_prefix(),
        rate_per_minute: wanted.rate_per_minute,
    };
    let record = store.create_api_key(scope, &new, now).await?;
    Ok(record.map(|record| IssuedKey { key, record }))
}

/// Text of random letters and digits, each kind equally likely.
pub(crate) fn random_text(length: usize) -> Result<String, getrandom::Error> {
    // Bytes from here on are thrown away: with them some letters would come up more often than others.
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
    fn keys_are_random_and_do_not_show_themselves() {
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
    fn only_what_looks_like_a_key_is_hashed() {
        let hasher = KeyHasher::new(b"pepper");
        let key = FreshKey::generate().unwrap();
        assert!(hasher.hash(key.expose()).is_some());
        for text in ["", "sk_live_", "sk_live_short", &key.expose()[1..], &format!("{}x", key.expose())] {
            assert!(hasher.hash(text).is_none(), "{text}");
        }
        let unusual = format!("{}é", &key.expose()[..key.expose().len() - 2]);
        assert!(hasher.hash(&unusual).is_none());
    }

    #[test]
    fn the_hash_depends_on_key_and_pepper() {
        let key = FreshKey::generate().unwrap();
        let other = FreshKey::generate().unwrap();
        let hash = |pepper: &[u8], key: &FreshKey| KeyHasher::new(pepper).hash(key.expose()).unwrap();
        assert!(hash(b"one", &key) == hash(b"one", &key));
        assert!(hash(b"one", &key) != hash(b"two", &key));
        assert!(hash(b"one", &key) != hash(b"one", &other));
    }

    #[tokio::test]
    async fn the_pepper_is_made_once() {
        let store = Store::open("sqlite::memory:").await.unwrap();
        let key = FreshKey::generate().unwrap();
        let one = KeyHasher::open(&store, None).await.unwrap();
        let two = KeyHasher::open(&store, None).await.unwrap();
        assert!(one.hash(key.expose()) == two.hash(key.expose()));
        let pepper = Redacted::new("a pepper from the configuration!".to_owned());
        let configured = KeyHasher::open(&store, Some(&pepper)).await.unwrap();
        assert!(one.hash(key.expose()) != configured.hash(key.expose()));
    }
}
