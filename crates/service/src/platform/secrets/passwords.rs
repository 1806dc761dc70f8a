//! Passwords: which are accepted, and how they are hashed and verified.
//!
//! A hash takes 19 MiB and some tens of milliseconds, as OWASP recommends for Argon2id. Two are computed at a
//! time, away from the threads that respond to requests; all others wait.

use std::{fmt, sync::Arc, time::Duration};

use argon2::{Algorithm, Argon2, Params, Version};
use base64::{Engine, prelude::BASE64_STANDARD_NO_PAD};
use frontdesk_store::Redacted;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Hashes that are computed at a time.
const SLOTS: usize = 2;
/// Memory of a hash, in KiB.
const MEMORY: u32 = 19 * 1024;
/// Passes over the memory.
const PASSES: u32 = 2;
/// Length of a hash, in bytes.
const LENGTH: usize = 32;
/// Length of a salt, in bytes.
const SALT: usize = 16;
/// How long somebody waits for a hash who may try again.
const PATIENCE: Duration = Duration::from_secs(5);
/// What a hash is stored with, so that other parameters can be introduced later.
const PREFIX: &str = "$argon2id$v=19$m=19456,t=2,p=1$";

/// Beginnings of the most common passwords of 12 characters and more; digits and signs follow them.
const COMMON: &[&str] = &[
    "password",
    "passwort",
    "motdepasse",
    "contrasena",
    "qwertyuiop",
    "qwerty",
    "qwertz",
    "azerty",
    "1q2w3e4r",
    "1qaz2wsx",
    "iloveyou",
    "letmein",
    "welcome",
    "admin",
    "administrator",
    "changeme",
    "trustno1",
    "abcdefgh",
    "abc123",
    "football",
    "baseball",
    "sunshine",
    "princess",
    "superman",
    "dragon",
    "monkey",
    "frontdesk",
    "asdfghjkl",
    "zxcvbnm",
];

/// Why a password cannot be hashed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PasswordError {
    /// The operating system provides no random numbers.
    #[error("the operating system provides no random numbers")]
    Random(#[from] getrandom::Error),
    /// The hash cannot be computed.
    #[error("a password could not be hashed: {0}")]
    Hash(argon2::Error),
    /// The service is stopping.
    #[error("passwords are no longer hashed")]
    Stopped,
}

/// Hashes and verifies passwords. Clones share the limit.
#[derive(Clone)]
pub(crate) struct Passwords {
    slots: Arc<Semaphore>,
}

impl fmt::Debug for Passwords {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Passwords(…)")
    }
}

/// The right to compute hashes, one after the other.
#[derive(Debug)]
pub(crate) struct Slot {
    /// Makes room for the next hash when it is dropped.
    _permit: OwnedSemaphorePermit,
}

impl Passwords {
    pub(crate) fn new() -> Self {
        Self { slots: Arc::new(Semaphore::new(SLOTS)) }
    }

    /// Waits a few seconds until a hash can be computed. `None` when others are still before it.
    pub(crate) async fn slot_soon(&self) -> Result<Option<Slot>, PasswordError> {
        tokio::time::timeout(PATIENCE, self.slot()).await.ok().transpose()
    }

    /// Waits until a hash can be computed.
    pub(crate) async fn slot(&self) -> Result<Slot, PasswordError> {
        let permit = Arc::clone(&self.slots).acquire_owned().await.map_err(|_| PasswordError::Stopped)?;
        Ok(Slot { _permit: permit })
    }
}

impl Slot {
    /// Returns the hash of a password with a new salt.
    pub(crate) async fn hash(self, password: &str) -> Result<Redacted<String>, PasswordError> {
        let password = password.to_owned();
        self.away(move || {
            let mut salt = [0_u8; SALT];
            getrandom::fill(&mut salt)?;
            let hash = compute(&password, &salt)?;
            let encode = |bytes: &[u8]| BASE64_STANDARD_NO_PAD.encode(bytes);
            Ok(Redacted::new(format!("{PREFIX}{}${}", encode(&salt), encode(&hash))))
        })
        .await
        .1
    }

    /// Returns whether a password is the one that was hashed, and the slot. Without a hash it takes the same
    /// time, so that it does not reveal who is unknown.
    pub(crate) async fn verify(
        self,
        password: &str,
        stored: Option<Redacted<String>>,
    ) -> (Option<Self>, Result<bool, PasswordError>) {
        let password = password.to_owned();
        self.away(move || {
            // Nothing fits a text that is not a hash, such as that of somebody without a password.
            let known = stored.as_ref().and_then(|stored| parts(stored.expose()));
            let (salt, expected) = known.clone().unwrap_or_else(|| (vec![0; SALT], vec![0; LENGTH]));
            let hash = compute(&password, &salt)?;
            // All bytes are compared, wherever the first difference is.
            let difference = hash.iter().zip(&expected).fold(0, |seen, (one, other)| seen | (one ^ other));
            Ok(known.is_some() && difference == 0)
        })
        .await
    }

    async fn away<T: Send + 'static>(
        self,
        work: impl FnOnce() -> Result<T, PasswordError> + Send + 'static,
    ) -> (Option<Self>, Result<T, PasswordError>) {
        // The slot goes along: a request that is given up does not make room for another hash.
        let done = tokio::task::spawn_blocking(move || (self, work())).await;
        match done {
            Ok((slot, result)) => (Some(slot), result),
            Err(_) => (None, Err(PasswordError::Stopped)),
        }
    }
}

fn compute(password: &str, salt: &[u8]) -> Result<[u8; LENGTH], PasswordError> {
    let params = Params::new(MEMORY, PASSES, 1, Some(LENGTH)).map_err(PasswordError::Hash)?;
    let mut hash = [0; LENGTH];
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into(password.as_bytes(), salt, &mut hash)
        .map_err(PasswordError::Hash)?;
    Ok(hash)
}

/// Returns the salt and the hash of a stored text.
fn parts(stored: &str) -> Option<(Vec<u8>, Vec<u8>)> {
    let (salt, hash) = stored.strip_prefix(PREFIX)?.split_once('$')?;
    let decode = |text: &str, length| {
        BASE64_STANDARD_NO_PAD.decode(text).ok().filter(|bytes: &Vec<u8>| bytes.len() == length)
    };
    Some((decode(salt, SALT)?, decode(hash, LENGTH)?))
}

/// Returns why a new password is not accepted. Its length is checked by the contract.
pub(crate) fn problem(password: &str, name: &str, email: &str) -> Option<&'static str> {
    let lower = password.to_lowercase();
    let letters =
        |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    let plain = letters(password);
    let mut distinct: Vec<char> = lower.chars().collect();
    distinct.sort_unstable();
    distinct.dedup();
    if distinct.len() < 5 || is_sequence(&plain) {
        return Some("must not be a repetition or a sequence");
    }
    let rest_is_short = |rest: &str| rest.chars().filter(|c| c.is_alphabetic()).count() < 4;
    if COMMON.iter().any(|common| {
        lower.strip_prefix(common).is_some_and(rest_is_short)
            || plain.contains(common) && plain.replace(common, "").len() < 4
    }) {
        return Some("is among the most common ones; several unrelated words are better");
    }
    let own = [letters(email.split('@').next().unwrap_or_default()), letters(name)];
    let words = name.split_whitespace().map(letters);
    let is_own = own.into_iter().chain(words).any(|own| own.len() >= 4 && plain.contains(&own));
    is_own.then_some("must not contain the name or the email address")
}

/// Whether each character follows the one before it, as in `abcdef` or `987654`.
fn is_sequence(text: &str) -> bool {
    let codes: Vec<i64> = text.chars().map(|c| i64::from(u32::from(c))).collect();
    let steps = |step: i64| codes.windows(2).filter(|pair| pair[1] - pair[0] == step).count();
    codes.len() > 3 && steps(1).max(steps(-1)) * 3 > codes.len() * 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_password_is_verified_with_its_own_hash_only() {
        let passwords = Passwords::new();
        let one = passwords.slot().await.unwrap().hash("seven tulips in a jar").await.unwrap();
        let two = passwords.slot().await.unwrap().hash("seven tulips in a jar").await.unwrap();
        assert!(one != two, "each has its own salt");
        let verify = async |password: &str, stored: Option<Redacted<String>>| {
            passwords.slot().await.unwrap().verify(password, stored).await.1.unwrap()
        };
        assert!(verify("seven tulips in a jar", Some(one.clone())).await);
        assert!(!verify("seven tulips in a jug", Some(one)).await);
        assert!(!verify("seven tulips in a jar", None).await);
        assert!(!verify("", Some(Redacted::new(String::new()))).await);
        assert!(!verify("", Some(Redacted::new(format!("{PREFIX}AAAA$")))).await);
    }

    #[test]
    fn what_is_easily_guessed_is_refused() {
        for password in [
            "aaaaaaaaaaaa",
            "abababababab",
            "123456789012",
            "abcdefghijklm",
            "Password1234",
            "password!!2026",
            "1q2w3e4r1q2w3e4r",
            "qwertyuiop12",
            "Frontdesk2026",
            "robin-2026-garden",
            "R.Green likes it",
        ] {
            assert!(problem(password, "Robin Green", "robin@acme.example").is_some(), "{password}");
        }
        for password in [
            "seven tulips in a jar",
            "eight lilies in a vase",
            "Zk3-ppQ9_vmL2w",
            "passwords are a nuisance",
            "$%&/()=?!x1y",
        ] {
            assert_eq!(problem(password, "Robin Green", "robin@acme.example"), None, "{password}");
        }
    }
}
