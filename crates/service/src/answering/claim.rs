//! That a process writes the answer to a message of a widget, which a page may repeat.
//!
//! While it writes, the process renews its claim. When it has died, the claim soon ends, and a repeat of the
//! message has the answer written by another process, or by the same one after its restart.

use std::time::Duration;

use frontdesk_store::{Scope, StoreError};
use jiff::SignedDuration;
use uuid::Uuid;

use crate::{answering::Answering, platform::renewal::renewing};

/// After this time without a renewal, the process that was writing the answer has died. Several times as long
/// as [`RENEWED`], so that a slow database ends no claim.
pub(super) const HELD: SignedDuration = SignedDuration::from_secs(20);
/// The time between two renewals.
const RENEWED: Duration = Duration::from_secs(4);

/// That this process writes the answer to a message, so that nobody else does.
pub(super) struct Claim {
    service: Answering,
    scope: Scope,
    message_id: Uuid,
    /// Whether a page may repeat the message.
    is_of_widget: bool,
}

impl Claim {
    pub(super) const fn new(service: Answering, scope: Scope, message_id: Uuid, is_of_widget: bool) -> Self {
        Self { service, scope, message_id, is_of_widget }
    }

    /// Holds the claim while an answer is written and stored, and gives it back if that fails.
    pub(super) async fn hold<T, E>(self, writing: impl Future<Output = Result<T, E>>) -> Result<T, E> {
        if !self.is_of_widget {
            return writing.await;
        }
        let written = renewing(writing, RENEWED, || self.renew()).await;
        if written.is_err() {
            self.release().await;
        }
        written
    }

    /// Lets a repeat of the message have the answer written, because this process does not.
    pub(super) async fn release(self) {
        if self.is_of_widget {
            let released = self.service.store.visitors().release(&self.scope, self.message_id).await;
            self.note(released, "a message can be repeated only later");
        }
    }

    async fn renew(&self) {
        let (visitors, now) = (self.service.store.visitors(), self.service.now());
        let renewed = visitors.renew(&self.scope, self.message_id, now).await;
        self.note(renewed, "another process may soon write this answer too");
    }

    fn note(&self, result: Result<(), StoreError>, consequence: &str) {
        if let Err(error) = result {
            tracing::warn!(%error, message_id = %self.message_id, "{consequence}");
        }
    }
}
