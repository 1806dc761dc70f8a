//! [`VocabularyCache`]: the words of the large chatbots that were asked last, in memory.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use frontdesk_store::{CorpusStats, Scope, Store, StoreError};
use uuid::Uuid;

use crate::recent::Recent;

/// Most bytes of all words together.
const MAX_BYTES: usize = 4 << 20;

/// Bytes of a word beside its letters.
const OVERHEAD: usize = 32;

/// For so long, words that were added meanwhile may be missing. A chatbot whose content is just being read changes all the time.
const FRESH: Duration = Duration::from_secs(10);

type Words = Arc<HashSet<Box<str>>>;

/// The words of one chatbot.
#[derive(Debug)]
struct Entry {
    stats: CorpusStats,
    /// The number of the last chunk whose words are among these.
    last: i64,
    read_at: Instant,
    words: Words,
}

/// Analysed words in memory, with which typing errors are corrected: looking each of some hundred spellings up in the index would take
/// longer than the rest of the search. Clones share them.
///
/// Words of chunks that were deleted stay until the words are dropped; whoever needs to know asks the index.
#[derive(Clone, Debug, Default)]
pub struct VocabularyCache(Arc<Mutex<Recent<Entry, MAX_BYTES>>>);

impl VocabularyCache {
    /// Returns which of some words the content of a chatbot has, or had lately. `stats` tells whether the content has changed.
    pub(super) async fn known(
        &self,
        store: &Store,
        scope: &Scope,
        chatbot_id: Uuid,
        stats: &CorpusStats,
        words: Vec<String>,
    ) -> Result<Vec<String>, StoreError> {
        let vocabulary = self.words(store, scope, chatbot_id, stats).await?;
        Ok(words.into_iter().filter(|word| vocabulary.contains(word.as_str())).collect())
    }

    async fn words(
        &self,
        store: &Store,
        scope: &Scope,
        chatbot_id: Uuid,
        stats: &CorpusStats,
    ) -> Result<Words, StoreError> {
        let (mut words, mut last) = match self.get(chatbot_id, stats) {
            Some((words, _, true)) => return Ok(words),
            Some((words, last, false)) => (words.as_ref().clone(), last),
            None => (HashSet::new(), 0),
        };
        let after = last;
        let read = store.search().words_after(scope, chatbot_id, after, |chunk| {
            last = last.max(chunk.chunk_no);
            for word in chunk.words.split(' ') {
                if !words.contains(word) {
                    words.insert(word.into());
                }
            }
        });
        read.await?;
        Ok(self.put(chatbot_id, *stats, last, words))
    }

    /// Returns the words, the number of the last chunk, and whether they are fresh.
    fn get(&self, chatbot_id: Uuid, stats: &CorpusStats) -> Option<(Words, i64, bool)> {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = entries.get(chatbot_id)?;
        let is_fresh = entry.stats == *stats || entry.read_at.elapsed() < FRESH;
        Some((Arc::clone(&entry.words), entry.last, is_fresh))
    }

    fn put(&self, chatbot_id: Uuid, stats: CorpusStats, last: i64, words: HashSet<Box<str>>) -> Words {
        let bytes = words.iter().map(|word| word.len() + OVERHEAD).sum();
        let words = Arc::new(words);
        let entry = Entry { stats, last, read_at: Instant::now(), words: Arc::clone(&words) };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).put(chatbot_id, entry, bytes);
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_words_are_dropped() {
        let cache = VocabularyCache::default();
        let stats = CorpusStats::default();
        let words = || HashSet::from([Box::from("a".repeat(MAX_BYTES / 2 - 1_000))]);
        let ids: Vec<Uuid> = (0..3).map(Uuid::from_u128).collect();
        cache.put(ids[0], stats, 1, words());
        cache.put(ids[1], stats, 1, words());
        assert!(cache.get(ids[0], &stats).is_some());
        cache.put(ids[2], stats, 1, words());
        assert!(cache.get(ids[1], &stats).is_none() && cache.get(ids[0], &stats).is_some());
    }

    #[test]
    fn changed_content_is_read_after_a_while() {
        let cache = VocabularyCache::default();
        let (stats, changed) = (CorpusStats::default(), CorpusStats { chunks: 1, ..CorpusStats::default() });
        cache.put(Uuid::nil(), stats, 7, HashSet::new());
        let fresh = |stats| cache.get(Uuid::nil(), stats).map(|(_, last, is_fresh)| (last, is_fresh));
        assert_eq!((fresh(&stats), fresh(&changed)), (Some((7, true)), Some((7, true))));
        let mut entries = cache.0.lock().unwrap();
        let entry = entries.get(Uuid::nil()).unwrap();
        entry.read_at = entry.read_at.checked_sub(FRESH).unwrap();
        drop(entries);
        assert_eq!((fresh(&stats), fresh(&changed)), (Some((7, true)), Some((7, false))));
    }
}
