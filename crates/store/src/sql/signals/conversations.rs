//! Signals of changed conversations, for those who wait for a reply.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use uuid::Uuid;

/// The conversations that tasks of this process wait for.
#[derive(Clone, Default)]
pub(super) struct WatchedConversations(Arc<Mutex<HashMap<Uuid, watch::Sender<()>>>>);

impl fmt::Debug for WatchedConversations {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("WatchedConversations").field(&self.watched().len()).finish()
    }
}

impl WatchedConversations {
    fn watched(&self) -> MutexGuard<'_, HashMap<Uuid, watch::Sender<()>>> {
        // No holder of the lock can leave the map half changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn announce(&self, conversation_id: Uuid) {
        if let Some(sender) = self.watched().get(&conversation_id) {
            sender.send_replace(());
        }
    }

    pub(super) fn announce_all(&self) {
        self.watched().values().for_each(|sender| sender.send_replace(()));
    }

    pub(super) fn watch(&self, conversation_id: Uuid) -> ConversationWatch {
        let changed = Some(self.watched().entry(conversation_id).or_default().subscribe());
        ConversationWatch { conversation_id, conversations: self.clone(), changed }
    }
}

/// Reports changes of one conversation from the moment on when it was made.
#[derive(Debug)]
pub struct ConversationWatch {
    conversation_id: Uuid,
    conversations: WatchedConversations,
    /// Present until the watch is dropped.
    changed: Option<watch::Receiver<()>>,
}

impl ConversationWatch {
    /// Returns once the conversation has changed since the last call, or since the watch was made. Several
    /// changes may be reported as one, and nothing may have changed that is of interest. Can be cancelled
    /// without losing a change.
    pub async fn changed(&mut self) {
        if let Some(changed) = &mut self.changed
            && changed.changed().await.is_ok()
        {
            return;
        }
        // Not reached: the sender is dropped with the last watch of the conversation only.
        std::future::pending::<()>().await;
    }
}

impl Drop for ConversationWatch {
    fn drop(&mut self) {
        let mut watched = self.conversations.watched();
        // While the map is locked, so that of several watches that are dropped at a time one finds that it is
        // the last.
        self.changed = None;
        if watched.get(&self.conversation_id).is_some_and(|sender| sender.receiver_count() == 0) {
            watched.remove(&self.conversation_id);
        }
    }
}
