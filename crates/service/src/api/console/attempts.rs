//! Attempts to sign in: how often they may fail, and what proves who somebody is.
//!
//! Failures are counted for an e-mail address and a client address together, and for a client address. Nobody
//! is locked out by others: whoever signs in from elsewhere is not affected.

use std::net::IpAddr;

use frontdesk_console_model::RateLimited;
use frontdesk_runtime::server::Incoming;
use frontdesk_store::{Person, Redacted};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::Console;
use crate::{
    edge::{
        authorization::{client, console::too_many},
        rate_limit::{Exceeded, Subject},
    },
    platform::secrets::passwords::PasswordError,
};

/// Failures in a minute for an e-mail address from a client address.
const OF_EMAIL: u32 = 5;
/// Failures in a minute from a client address.
const OF_CLIENT: u32 = 20;
/// Right passwords in a minute for an e-mail address from a client address: a person needs few, and each
/// takes a hash, a session and an entry of the audit log.
const RIGHT: u32 = 20;
/// Challenges for passkeys in a minute for a client address: each is kept for a while.
const CHALLENGES: u32 = 30;
/// Seconds after which somebody tries again for whom no hash could be computed.
const BUSY: u64 = 5;

/// An attempt to prove who one is.
pub(super) struct Attempt {
    client: IpAddr,
    /// An id of the e-mail address; without a password there is none.
    email: Option<Uuid>,
}

impl Attempt {
    /// An attempt with a password.
    pub(super) fn with_password(incoming: &Incoming, email: &str) -> Self {
        Self { client: client(incoming), email: Some(id_of(email)) }
    }

    /// An attempt with a link.
    pub(super) fn with_link(incoming: &Incoming) -> Self {
        Self { client: client(incoming), email: None }
    }

    /// What counts failures.
    fn failures(&self) -> impl Iterator<Item = (Subject, u32)> {
        let of_email = self.email.map(|id| (Subject::FailedSignIns(self.client, Some(id)), OF_EMAIL));
        of_email.into_iter().chain([(Subject::FailedSignIns(self.client, None), OF_CLIENT)])
    }

    /// What counts right passwords.
    fn successes(&self) -> Option<(Subject, u32)> {
        self.email.map(|id| (Subject::SignIns(self.client, id), RIGHT))
    }

    /// Returns the refusal if there were too many attempts.
    pub(super) async fn check(&self, console: &Console) -> Result<(), RateLimited> {
        for (subject, limit) in self.failures().chain(self.successes()) {
            console.service.rate_limits.check(subject, limit).await.map_err(too_many)?;
        }
        Ok(())
    }

    /// Counts a failure.
    pub(super) async fn failed(&self, console: &Console) {
        count(console, self.failures()).await;
    }

    /// Returns whether a password is that of the person; counts a failure. The limit is checked once a hash
    /// can be computed, so that requests that wait at the same time do not pass it together.
    pub(super) async fn verify(
        &self,
        console: &Console,
        person: Option<&Person>,
        password: &str,
    ) -> Result<Result<bool, RateLimited>, PasswordError> {
        let Some(slot) = console.passwords.slot_soon().await? else {
            return Ok(Err(too_many(Exceeded { retry_after: BUSY })));
        };
        if let Err(refused) = self.check(console).await {
            return Ok(Err(refused));
        }
        let stored = person.map(|person| person.password_hash.clone());
        let (_slot, verified) = slot.verify(password, stored).await;
        let is_right = verified?;
        if is_right {
            count(console, self.successes()).await;
        } else {
            self.failed(console).await;
        }
        Ok(Ok(is_right))
    }
}

impl Console {
    /// Returns the hash of a new password, or a refusal if too many others wait for theirs.
    pub(super) async fn hash(
        &self,
        password: &str,
    ) -> Result<Result<Redacted<String>, RateLimited>, PasswordError> {
        let Some(slot) = self.passwords.slot_soon().await? else {
            return Ok(Err(too_many(Exceeded { retry_after: BUSY })));
        };
        slot.hash(password).await.map(Ok)
    }
}

/// Counts a request for a new password, or refuses it. It is the same for addresses that nobody has.
pub(super) async fn take_reset(
    console: &Console,
    incoming: &Incoming,
    email: &str,
) -> Result<(), RateLimited> {
    let client = client(incoming);
    for (id, limit) in [(None, OF_CLIENT), (Some(id_of(email)), OF_EMAIL)] {
        let subject = Subject::PasswordResets(client, id);
        console.service.rate_limits.take(subject, limit).await.map_err(too_many)?;
    }
    Ok(())
}

/// Counts a challenge for a passkey that somebody asks for who is not signed in, or refuses it.
pub(super) async fn take_challenge(console: &Console, incoming: &Incoming) -> Result<(), RateLimited> {
    let subject = Subject::PasskeyChallenges(client(incoming));
    console.service.rate_limits.take(subject, CHALLENGES).await.map(drop).map_err(too_many)
}

/// Returns an id of an e-mail address.
fn id_of(email: &str) -> Uuid {
    let digest = Sha256::digest(frontdesk_address::email_key(email).as_bytes());
    let mut id = [0; 16];
    id.copy_from_slice(&digest[..16]);
    Uuid::from_bytes(id)
}

async fn count(console: &Console, subjects: impl IntoIterator<Item = (Subject, u32)>) {
    for (subject, limit) in subjects {
        // A limit that is reached refuses the next attempt, not the response to this one.
        let _ = console.service.rate_limits.take(subject, limit).await;
    }
}
