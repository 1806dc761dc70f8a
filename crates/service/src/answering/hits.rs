//! [`HitCounts`]: the answers whose sources are to be counted.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use frontdesk_store::{Chatbot, Scope, Store};
use uuid::Uuid;

/// For so long, answers are collected before their sources are counted.
const DELAY: Duration = Duration::from_millis(20);

/// The answers of one chatbot: the chunks that each of them used.
#[derive(Debug)]
struct Answers {
    scope: Scope,
    chunks: Vec<Vec<Uuid>>,
}

/// The answers of this process whose sources are not counted yet. Those of a fiftieth of a second are written
/// together, so that an answer does not cost a write of its own where there are many. Clones share them.
///
/// A process that is killed loses them.
#[derive(Clone, Debug, Default)]
pub(crate) struct HitCounts(Arc<Mutex<BTreeMap<Uuid, Answers>>>);

impl HitCounts {
    /// Counts a hit for each source of these chunks a moment later.
    pub(crate) fn count_later(&self, store: &Store, chatbot: &Chatbot, chunk_ids: Vec<Uuid>) {
        let mut collected = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = collected.is_empty();
        let scope = chatbot.scope();
        let answers =
            collected.entry(chatbot.chatbot_id).or_insert_with(|| Answers { scope, chunks: Vec::new() });
        answers.chunks.push(chunk_ids);
        drop(collected);
        if is_first {
            let (hits, store) = (self.clone(), store.clone());
            tokio::spawn(async move {
                tokio::time::sleep(DELAY).await;
                hits.write(&store).await;
            });
        }
    }

    /// Counts what was collected.
    pub(crate) async fn write(&self, store: &Store) {
        let collected = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        for (chatbot_id, Answers { scope, chunks }) in collected {
            if let Err(error) = store.hits().count(&scope, chatbot_id, &chunks).await {
                tracing::warn!(%error, %chatbot_id, "failed to count which content answers used");
            }
        }
    }
}
