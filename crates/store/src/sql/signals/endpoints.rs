//! Signals that events were queued for webhook endpoints, so that dispatchers need not poll for them.

use std::sync::Arc;

use tokio::sync::broadcast::{Receiver, Sender, channel, error::RecvError};
use uuid::Uuid;

/// Signals that a slow receiver may have in front of it. Beyond that, it looks for everything that is due.
const CAPACITY: usize = 1024;

/// What dispatchers receive: the endpoints of a transaction, or `None` if any endpoint may have events.
type Signal = Option<Arc<[Uuid]>>;

/// Sends to the dispatchers of this process.
#[derive(Clone, Debug)]
pub(super) struct QueuedEndpoints(Sender<Signal>);

impl Default for QueuedEndpoints {
    fn default() -> Self {
        Self(channel(CAPACITY).0)
    }
}

impl QueuedEndpoints {
    pub(super) fn announce(&self, endpoints: Vec<Uuid>) {
        // Without a receiver, nobody has to be woken.
        let _ = self.0.send(Some(endpoints.into()));
    }

    pub(super) fn announce_all(&self) {
        let _ = self.0.send(None);
    }

    pub(super) fn receiver(&self) -> QueuedEvents {
        QueuedEvents(self.0.subscribe())
    }
}

/// Receives the ids of webhook endpoints for which events were queued.
#[derive(Debug)]
pub struct QueuedEvents(Receiver<Signal>);

impl QueuedEvents {
    /// Returns the endpoints of the next transaction, or `None` if signals were missed, so that any endpoint
    /// may have events.
    pub async fn next(&mut self) -> Option<Arc<[Uuid]>> {
        match self.0.recv().await {
            Ok(signal) => signal,
            Err(RecvError::Lagged(_)) => None,
            // The store that this receiver belongs to has the sender.
            Err(RecvError::Closed) => std::future::pending().await,
        }
    }
}
