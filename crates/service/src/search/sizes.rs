//! [`SizeCache`]: the sizes of the chatbots that were asked last, in memory.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use frontdesk_store::{CorpusStats, Scope, Store, StoreError};
use uuid::Uuid;

use crate::recent::Recent;

/// Most bytes of all sizes together.
const MAX_BYTES: usize = 512 << 10;

/// Bytes of the sizes of one chatbot.
const ENTRY: usize = 128;

/// For so long, the sizes may be those before a change.
const FRESH: Duration = Duration::from_secs(10);

/// The number of chunks from which sizes are kept. One more or less changes little then, and fewer are counted quickly.
const LARGE: u64 = 100;

/// Sizes of large chatbots in memory: the database counts all chunks for them, and ranking only needs to know about how many there are.
/// Clones share them.
#[derive(Clone, Debug, Default)]
pub struct SizeCache(Arc<Mutex<Recent<(CorpusStats, Instant), MAX_BYTES>>>);

impl SizeCache {
    /// Returns the sizes of a chatbot; those of a large one as they were at most ten seconds ago.
    pub(super) async fn of(
        &self,
        store: &Store,
        scope: &Scope,
        chatbot_id: Uuid,
    ) -> Result<CorpusStats, StoreError> {
        if let Some(sizes) = self.get(chatbot_id) {
            return Ok(sizes);
        }
        let sizes = store.search().corpus_stats(scope, chatbot_id).await?;
        self.keep(chatbot_id, sizes);
        Ok(sizes)
    }

    /// Returns whether a chatbot had more chunks than this at most ten seconds ago, as far as is known.
    pub(super) fn exceed(&self, chatbot_id: Uuid, chunks: u64) -> bool {
        self.get(chatbot_id).is_some_and(|sizes| sizes.chunks > chunks)
    }

    fn keep(&self, chatbot_id: Uuid, sizes: CorpusStats) {
        if sizes.chunks >= LARGE {
            let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            entries.put(chatbot_id, (sizes, Instant::now()), ENTRY);
        }
    }

    fn get(&self, chatbot_id: Uuid) -> Option<CorpusStats> {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (sizes, counted_at) = entries.get(chatbot_id)?;
        (counted_at.elapsed() < FRESH).then_some(*sizes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_large_chatbots_are_kept_for_a_while() {
        let cache = SizeCache::default();
        let sizes = |chunks| CorpusStats { chunks, ..CorpusStats::default() };
        let (large, small) = (Uuid::from_u128(1), Uuid::from_u128(2));
        cache.keep(large, sizes(LARGE));
        cache.keep(small, sizes(LARGE - 1));
        assert_eq!((cache.get(large), cache.get(small)), (Some(sizes(LARGE)), None));
        let mut entries = cache.0.lock().unwrap();
        let (_, counted_at) = entries.get(large).unwrap();
        *counted_at = counted_at.checked_sub(FRESH).unwrap();
        drop(entries);
        assert_eq!(cache.get(large), None);
    }
}
