//! Peppers: the secret that API keys are hashed with and secrets are encrypted with, and its rotation.
//!
//! The operator sets the pepper as `keys.pepper`; without it, one is generated and kept in the database.
//! Because the keys themselves are not stored, a hash cannot be computed again with another pepper. A
//! rotation therefore has a transition period, during which two peppers are accepted:
//!
//! 1. The operator sets `keys.pepper` to the new value and `keys.previous_pepper` to the old one, and
//!    restarts every process. New hashes are still made with the old pepper, which every process knows.
//! 2. `frontdesk key rotate-pepper` ([`Peppers::rotate`]) records the new pepper as the current one and
//!    encrypts the stored secrets again.
//! 3. Each API key is hashed with the new pepper when it is used the next time.
//! 4. When no key depends on the old pepper any more, the operator removes `keys.previous_pepper`.
//!
//! The database records the id of the current pepper and of the pepper of each hash, so a process that is
//! started with a wrong pepper says so instead of refusing every key. `stored` opens the peppers of a
//! database and rotates them.

mod stored;

#[cfg(test)]
pub(crate) use self::stored::{CURRENT_PEPPER, Rotation, STORED_PEPPER};

use std::fmt;

use data_encoding::HEXLOWER;
use frontdesk_store::StoreError;
use hmac::{Hmac, Mac};
use sha2::Sha256;
use uuid::Uuid;

/// Bytes of the keyed check value that identifies a pepper.
const ID_LENGTH: usize = 16;

/// One pepper.
#[derive(Clone)]
pub(crate) struct Pepper {
    secret: Vec<u8>,
    id: String,
}

impl Pepper {
    pub(crate) fn new(secret: &[u8]) -> Self {
        let mut mac = hmac_of(secret);
        mac.update(b"frontdesk: pepper check value");
        let check = mac.finalize().into_bytes();
        let id = HEXLOWER.encode(&check[..ID_LENGTH]);
        Self { secret: secret.to_vec(), id }
    }

    /// Returns the keyed check value of the pepper in hexadecimal: it identifies the pepper and does not
    /// reveal it.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Returns an HMAC with the pepper as its key.
    pub(crate) fn hmac(&self) -> Hmac<Sha256> {
        hmac_of(&self.secret)
    }
}

fn hmac_of(secret: &[u8]) -> Hmac<Sha256> {
    Hmac::new_from_slice(secret).expect("HMAC accepts keys of any length")
}

impl fmt::Debug for Pepper {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Pepper({})", self.id)
    }
}

/// Why API keys and secrets cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PepperError {
    /// The database was used with a configured pepper, and none is configured now.
    #[error(
        "the API keys and secrets of this database depend on a pepper that is not configured; set keys.pepper \
         (FRONTDESK_KEYS_PEPPER) to the value that was used before"
    )]
    Missing,
    /// The database was used with another pepper than the configured ones.
    #[error(
        "keys.pepper (FRONTDESK_KEYS_PEPPER) is not the pepper that the API keys and secrets of this database were made \
         with; set it to that value again, or to change it, set keys.previous_pepper to that value and run `frontdesk key \
         rotate-pepper`; if that value is lost, `frontdesk key rotate-pepper --revoke-unconverted` revokes everything that \
         depends on it"
    )]
    Wrong,
    /// Some API keys depend on a pepper that is not configured.
    #[error(
        "API keys of this database ({count}) depend on a pepper that is not configured; set keys.previous_pepper to it \
         until they have been used, or revoke them with `frontdesk key rotate-pepper --revoke-unconverted`"
    )]
    Unconverted {
        /// How many keys.
        count: u64,
    },
    /// A rotation needs a new pepper in the configuration.
    #[error(
        "there is no new pepper to rotate to; set keys.pepper (FRONTDESK_KEYS_PEPPER) to the new value and \
         keys.previous_pepper to the old one"
    )]
    NothingToRotate,
    /// A stored secret cannot be decrypted.
    #[error("the identity secret of the domain {domain_id} cannot be decrypted with any configured pepper")]
    Undecryptable {
        /// The domain.
        domain_id: i64,
    },
    /// A stored secret cannot be decrypted.
    #[error(
        "the secret of the webhook endpoint {webhook_endpoint_id} cannot be decrypted with any configured pepper"
    )]
    UndecryptableWebhook {
        /// The endpoint.
        webhook_endpoint_id: Uuid,
    },
    /// A stored secret cannot be decrypted.
    #[error("the secrets of the channel {channel_id} cannot be decrypted with any configured pepper")]
    UndecryptableChannel {
        /// The channel.
        channel_id: Uuid,
    },
    /// A stored secret cannot be decrypted.
    #[error(
        "the second factor of the person {person_id} cannot be decrypted with any configured pepper; `frontdesk user factors \
         EMAIL --remove` removes it"
    )]
    UndecryptableSecondFactor {
        /// The person.
        person_id: Uuid,
    },
    /// The operating system provides no random numbers.
    #[error("the operating system provides no random numbers")]
    Random(#[from] getrandom::Error),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The peppers that are accepted at present.
#[derive(Clone, Debug)]
pub(crate) struct Peppers {
    /// The preferred pepper comes first: the configured one, or else the stored one.
    accepted: Vec<Pepper>,
    /// Index of the pepper that new hashes and encrypted secrets are made with.
    current: usize,
}

impl Peppers {
    /// Returns all accepted peppers, the preferred one first.
    pub(crate) fn accepted(&self) -> &[Pepper] {
        &self.accepted
    }

    /// Returns the pepper that new hashes and encrypted secrets are made with.
    pub(crate) fn current(&self) -> &Pepper {
        &self.accepted[self.current]
    }

    /// Returns the pepper that a rotation leads to.
    pub(crate) fn preferred(&self) -> &Pepper {
        &self.accepted[0]
    }

    fn accepts(&self, id: &str) -> bool {
        self.accepted.iter().any(|pepper| pepper.id() == id)
    }
}

#[cfg(test)]
impl Peppers {
    /// Returns a single pepper, for tests that need no database.
    pub(crate) fn of(secret: &str) -> Self {
        Self { accepted: vec![Pepper::new(secret.as_bytes())], current: 0 }
    }
}
