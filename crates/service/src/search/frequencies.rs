//! [`FrequencyCache`]: in how many chunks of large chatbots frequent words are, in memory.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use foldhash::{HashMap, HashMapExt};
use frontdesk_store::{Scope, Store, StoreError};
use uuid::Uuid;

use crate::recent::Recent;

/// Most bytes of all words together.
const MAX_BYTES: usize = 1 << 20;

/// Bytes of a word beside its letters.
const OVERHEAD: usize = 40;

/// The number of chunks from which a word is frequent. The database counts fewer in less time than the rest of a search takes.
const FREQUENT: u64 = 1_000;

/// For so long, counts are kept.
const KEPT: Duration = Duration::from_mins(10);

/// One in so many chunks of a chatbot may be added or removed until everything is counted again.
const TOLERATED: u64 = 100;

/// The counts of one chatbot.
#[derive(Debug)]
struct Entry {
    /// How many chunks the chatbot had.
    chunks: u64,
    counted_at: Instant,
    by_word: HashMap<Box<str>, u64>,
}

impl Entry {
    fn is_of(&self, chunks: u64) -> bool {
        self.chunks.abs_diff(chunks) <= self.chunks / TOLERATED && self.counted_at.elapsed() < KEPT
    }
}

/// Counts of frequent words in memory: the database passes over all chunks that have a word to count them, and ranking only needs to know
/// about how many there are. Words that few chunks have are counted for each question. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct FrequencyCache(Arc<Mutex<Recent<Entry, MAX_BYTES>>>);

impl FrequencyCache {
    /// Returns how many chunks of a chatbot have each of the words, in the order of the words; for a frequent word, how many had it at most
    /// ten minutes ago. `chunks` is how many chunks there are.
    pub(super) async fn of(
        &self,
        store: &Store,
        scope: &Scope,
        chatbot_id: Uuid,
        chunks: u64,
        words: &[String],
    ) -> Result<Vec<u64>, StoreError> {
        let kept = self.kept(chatbot_id, chunks, words);
        let uncounted: Vec<String> = words
            .iter()
            .zip(&kept)
            .filter(|(_, kept)| kept.is_none())
            .map(|(word, _)| word.clone())
            .collect();
        let counted = store.search().document_frequencies(scope, chatbot_id, &uncounted).await?;
        self.keep(chatbot_id, chunks, uncounted.into_iter().zip(counted.iter().copied()));
        let mut counted = counted.into_iter();
        Ok(kept.into_iter().map(|kept| kept.or_else(|| counted.next()).unwrap_or(0)).collect())
    }

    /// Returns the count of each word that has one.
    fn kept(&self, chatbot_id: Uuid, chunks: u64, words: &[String]) -> Vec<Option<u64>> {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(entry) = entries.get(chatbot_id).filter(|entry| entry.is_of(chunks)) else {
            return vec![None; words.len()];
        };
        words.iter().map(|word| entry.by_word.get(word.as_str()).copied()).collect()
    }

    fn keep(&self, chatbot_id: Uuid, chunks: u64, counted: impl Iterator<Item = (String, u64)>) {
        let frequent = counted.filter(|(_, count)| *count >= FREQUENT);
        let frequent: Vec<(Box<str>, u64)> = frequent.map(|(word, count)| (word.into(), count)).collect();
        if frequent.is_empty() {
            return;
        }
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut entry = match entries.take(chatbot_id) {
            Some(entry) if entry.is_of(chunks) => entry,
            _ => Entry { chunks, counted_at: Instant::now(), by_word: HashMap::new() },
        };
        entry.by_word.extend(frequent);
        let bytes = entry.by_word.keys().map(|word| word.len() + OVERHEAD).sum();
        entries.put(chatbot_id, entry, bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOT: Uuid = Uuid::from_u128(1);

    fn words() -> [String; 3] {
        ["open", "rare", "close"].map(str::to_owned)
    }

    fn counted() -> FrequencyCache {
        let cache = FrequencyCache::default();
        cache.keep(BOT, 50_000, words().into_iter().zip([FREQUENT, FREQUENT - 1, 9_000]));
        cache
    }

    #[test]
    fn frequent_words_are_kept_while_the_content_is_about_as_large() {
        let cache = counted();
        for (chatbot, chunks, expected) in [
            (BOT, 50_000, [Some(FREQUENT), None, Some(9_000)]),
            (BOT, 50_500, [Some(FREQUENT), None, Some(9_000)]),
            (BOT, 49_499, [None; 3]),
            (BOT, 0, [None; 3]),
            (Uuid::nil(), 50_000, [None; 3]),
        ] {
            assert_eq!(cache.kept(chatbot, chunks, &words()), expected, "{chatbot} {chunks}");
        }
        // Counts of other content are not mixed with them.
        cache.keep(BOT, 60_000, [("close".to_owned(), 8_000)].into_iter());
        assert_eq!(cache.kept(BOT, 60_000, &words()), [None, None, Some(8_000)]);
    }

    #[test]
    fn counts_become_old() {
        let cache = counted();
        let mut entries = cache.0.lock().unwrap();
        let entry = entries.get(BOT).unwrap();
        entry.counted_at = entry.counted_at.checked_sub(KEPT).unwrap();
        drop(entries);
        assert_eq!(cache.kept(BOT, 50_000, &words()), [None; 3]);
    }
}
