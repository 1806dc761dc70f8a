//! [`Vocabulary`]: all words of a large chatbot.

use std::{collections::HashSet, sync::Arc, time::Instant};

use frontdesk_store::{CorpusStats, StoreError};

use crate::{freshness::may_lag, stored::StoredContent};

/// Bytes of a word beside its letters.
const OVERHEAD: usize = 32;

/// Analyzed words with which typing errors are corrected: looking each of some hundred spellings up in the
/// index would take longer than the rest of the search. Clones share them.
///
/// Words of chunks that were deleted stay until the words are dropped; whoever needs to know asks the index.
#[derive(Clone, Debug)]
pub(crate) struct Vocabulary {
    words: Arc<HashSet<Box<str>>>,
    /// The sizes of the content when it was read.
    stats: CorpusStats,
    /// The number of the last chunk whose words are among these.
    last: i64,
    read_at: Instant,
    bytes: usize,
}

impl Vocabulary {
    fn new(words: HashSet<Box<str>>, stats: CorpusStats, last: i64) -> Self {
        let bytes = words.iter().map(|word| word.len() + OVERHEAD).sum();
        Self { words: Arc::new(words), stats, last, read_at: Instant::now(), bytes }
    }

    /// Reads the words; those of chunks that were added alone, if there is an outdated vocabulary. `stats`
    /// are the sizes of the content.
    pub(crate) async fn read(
        stored: &StoredContent,
        outdated: Option<&Self>,
        stats: CorpusStats,
    ) -> Result<Self, StoreError> {
        let known = outdated.map(|outdated| (outdated.words.as_ref().clone(), outdated.last));
        let (mut words, mut last) = known.unwrap_or_default();
        let after = last;
        let StoredContent { store, scope, chatbot_id } = stored;
        let read = store.search().words_after(scope, *chatbot_id, after, |chunk| {
            last = last.max(chunk.chunk_no);
            for word in chunk.words.split(' ') {
                if !words.contains(word) {
                    words.insert(word.into());
                }
            }
        });
        read.await?;
        Ok(Self::new(words, stats, last))
    }

    /// Returns whether any chunk has a word, or had it lately.
    pub(crate) fn has(&self, word: &str) -> bool {
        self.words.contains(word)
    }

    /// Returns whether the words are those of content with these sizes, as far as it matters.
    pub(crate) fn is_fresh(&self, stats: &CorpusStats) -> bool {
        self.stats == *stats || may_lag(self.read_at)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

#[cfg(test)]
impl Vocabulary {
    pub(crate) fn age(&mut self, by: std::time::Duration) {
        self.read_at = self.read_at.checked_sub(by).unwrap();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::freshness::LAG;

    #[test]
    fn changed_content_is_read_after_a_while() {
        let (stats, changed) = (CorpusStats::default(), CorpusStats { chunks: 1, ..CorpusStats::default() });
        let mut vocabulary = Vocabulary::new(HashSet::from([Box::from("open")]), stats, 7);
        assert_eq!(vocabulary.bytes(), 4 + OVERHEAD);
        assert!(vocabulary.is_fresh(&stats) && vocabulary.is_fresh(&changed));
        vocabulary.age(LAG);
        assert!(vocabulary.is_fresh(&stats) && !vocabulary.is_fresh(&changed));
    }
}
