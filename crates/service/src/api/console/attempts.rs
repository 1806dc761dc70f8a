//! Attempts to sign in: how often they may fail, and what proves who somebody is.
//!
//! Failures are counted for an e-mail address and a client address together, and for a client address. Nobody
//! is locked out by others: whoever signs in from elsewhere is not affected.

use frontdesk_console_model::RateLimited;
use frontdesk_runtime::server::Incoming;
use frontdesk_store::Person;
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
/// Seconds after which somebody tries again for whom no hash could be computed.
const BUSY: u64 = 5;

/// What is counted for an attempt.
pub(super) struct Attempt {
    subjects: [(Subject, u32); 2],
    /// What is counted if the password is right.
    right: Option<Subject>,
}

impl Attempt {
    /// An attempt with a password.
    pub(super) fn with_password(incoming: &Incoming, email: &str) -> Self {
        let email = frontdesk_address::email_key(email);
        let digest = Sha256::digest(email.as_bytes());
        let mut id = [0; 16];
        id.copy_from_slice(&digest[..16]);
        let client = client(incoming);
        let id = Uuid::from_bytes(id);
        let of_email = (Subject::FailedSignIns(client, Some(id)), OF_EMAIL);
        let of_client = (Subject::FailedSignIns(client, None), OF_CLIENT);
        Self { subjects: [of_email, of_client], right: Some(Subject::SignIns(client, id)) }
    }

    /// An attempt with a link.
    pub(super) fn with_link(incoming: &Incoming) -> Self {
        let of_client = (Subject::FailedSignIns(client(incoming), None), OF_CLIENT);
        Self { subjects: [of_client, of_client], right: None }
    }

    /// Returns the refusal if too many attempts have failed.
    pub(super) async fn check(&self, console: &Console) -> Result<(), RateLimited> {
        for (subject, limit) in self.distinct() {
            console.service.rate_limits.check(subject, limit).await.map_err(too_many)?;
        }
        if let Some(right) = self.right {
            console.service.rate_limits.check(right, RIGHT).await.map_err(too_many)?;
        }
        Ok(())
    }

    /// Counts a failure.
    pub(super) async fn failed(&self, console: &Console) {
        for (subject, limit) in self.distinct() {
            // A limit that is reached refuses the next attempt, not the response to this one.
            let _ = console.service.rate_limits.take(subject, limit).await;
        }
    }

    fn distinct(&self) -> impl Iterator<Item = (Subject, u32)> {
        let [first, second] = self.subjects;
        [Some(first), (first != second).then_some(second)].into_iter().flatten()
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
        match self.right {
            Some(right) if is_right => drop(console.service.rate_limits.take(right, RIGHT).await),
            _ if is_right => {}
            _ => self.failed(console).await,
        }
        Ok(Ok(is_right))
    }
}
