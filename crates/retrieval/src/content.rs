//! [`Content`]: what a chatbot has at the moment of a question.

use std::sync::Arc;

use frontdesk_store::{ContentVersion, CorpusStats, StoreError};
use tokio::sync::OnceCell;

use crate::{
    freshness::{LARGE, may_lag},
    memory::Kept,
    stored::StoredContent,
    vocabulary::Vocabulary,
    word_index::{CurrentIndex, WordIndex},
    words::Access,
};

/// What a chatbot has at the moment of a question, and where its words are.
#[derive(Debug)]
pub(crate) enum Content {
    /// In memory.
    Indexed(CurrentIndex),
    /// In the database: the chatbot was not asked lately, or its content has just changed.
    Stored(Stored),
    /// In the database, because an index would be too large.
    Large(CorpusStats),
}

/// Content that is asked of the database.
#[derive(Debug)]
pub(crate) struct Stored {
    version: ContentVersion,
    stats: OnceCell<CorpusStats>,
    /// The index, if it was read for the question after all.
    index: OnceCell<CurrentIndex>,
}

impl Content {
    /// Asks the database which content a chatbot has, and finds what is kept of it.
    pub(crate) async fn check(stored: &StoredContent, kept: &Kept) -> Result<Self, StoreError> {
        if let Some(stats) = counted(stored, kept).await? {
            return Ok(Self::Large(stats));
        }
        let version = stored.version().await?;
        if version.chunks > LARGE {
            return Self::large(stored, kept).await;
        }
        match kept.update(|parts| parts.words.access(&version)) {
            Access::Memory(index) => Ok(Self::Indexed(index)),
            Access::Read => {
                let index = read(stored, kept).await?;
                if index.stats().chunks > LARGE {
                    return Self::large(stored, kept).await;
                }
                Ok(Self::Indexed(CurrentIndex::just_read(index, version)))
            }
            Access::Database(stats) => {
                let stats = OnceCell::new_with(stats);
                Ok(Self::Stored(Stored { version, stats, index: OnceCell::new() }))
            }
        }
    }

    async fn large(stored: &StoredContent, kept: &Kept) -> Result<Self, StoreError> {
        let stats = stored.stats().await?;
        kept.update(|parts| parts.words.keep_sizes(stats));
        Ok(Self::Large(stats))
    }

    /// Returns the index in memory, if there is one. Without it, the database answers.
    pub(crate) fn in_memory(&self) -> Option<&CurrentIndex> {
        match self {
            Self::Indexed(index) => Some(index),
            Self::Stored(stored) => stored.index.get(),
            Self::Large(_) => None,
        }
    }

    /// Returns the sizes of the content.
    pub(crate) async fn stats(&self, stored: &StoredContent) -> Result<&CorpusStats, StoreError> {
        match self {
            Self::Indexed(index) => Ok(index.stats()),
            Self::Stored(Stored { stats, index, .. }) => match index.get() {
                Some(index) => Ok(index.stats()),
                None => stats.get_or_try_init(|| stored.stats()).await,
            },
            Self::Large(stats) => Ok(stats),
        }
    }

    /// Returns how many chunks have each of the words, in the order of the words; for a frequent word of a
    /// large chatbot, how many had it lately.
    pub(crate) async fn frequencies(
        &self,
        stored: &StoredContent,
        kept: &Kept,
        words: &[String],
    ) -> Result<Vec<u64>, StoreError> {
        if let Some(index) = self.in_memory() {
            return Ok(words.iter().map(|word| index.frequency(word)).collect());
        }
        match self {
            Self::Large(stats) => frequencies(stored, kept, stats.chunks, words).await,
            Self::Indexed(_) | Self::Stored(_) => stored.document_frequencies(words).await,
        }
    }

    /// Returns those of the words that any chunk has, or had lately.
    pub(crate) async fn known(
        &self,
        stored: &StoredContent,
        kept: &Kept,
        mut words: Vec<String>,
    ) -> Result<Vec<String>, StoreError> {
        match self {
            Self::Indexed(index) => words.retain(|word| index.frequency(word) > 0),
            Self::Stored(content) => {
                let index = content.index(stored, kept).await?;
                words.retain(|word| index.has(word));
            }
            Self::Large(stats) => {
                let vocabulary = vocabulary(stored, kept, *stats).await?;
                words.retain(|word| vocabulary.has(word));
            }
        }
        Ok(words)
    }
}

impl Stored {
    /// Returns an index of all words, which may be that of content that the chatbot had lately. If it is that
    /// of the content now, it answers the rest of the question.
    async fn index(&self, stored: &StoredContent, kept: &Kept) -> Result<Arc<WordIndex>, StoreError> {
        let index = match kept.read(|parts| parts.words.index().cloned()) {
            Some(index) => index,
            None => read(stored, kept).await?,
        };
        if let Some(current) = CurrentIndex::of(&index, &self.version) {
            // Whether another part of the search has set it in the meantime does not matter: it would be the
            // same.
            self.index.set(current).ok();
        }
        Ok(index)
    }
}

/// Returns the sizes of a chatbot that was large when it was asked last, and still is.
async fn counted(stored: &StoredContent, kept: &Kept) -> Result<Option<CorpusStats>, StoreError> {
    let known = kept.read(|parts| parts.words.large().map(|large| (large.stats, large.counted_at)));
    let Some((stats, counted_at)) = known else { return Ok(None) };
    if may_lag(counted_at) {
        return Ok(Some(stats));
    }
    let stats = stored.stats().await?;
    if stats.chunks <= LARGE {
        return Ok(None);
    }
    kept.update(|parts| parts.words.keep_sizes(stats));
    Ok(Some(stats))
}

async fn read(stored: &StoredContent, kept: &Kept) -> Result<Arc<WordIndex>, StoreError> {
    let index = Arc::new(WordIndex::read(stored).await?);
    kept.update(|parts| parts.words.keep(&index));
    Ok(index)
}

async fn frequencies(
    stored: &StoredContent,
    kept: &Kept,
    chunks: u64,
    words: &[String],
) -> Result<Vec<u64>, StoreError> {
    let known = kept.read(|parts| {
        let large = parts.words.large();
        large.map_or_else(|| vec![None; words.len()], |large| large.frequencies.of(chunks, words))
    });
    let uncounted: Vec<String> =
        words.iter().zip(&known).filter(|(_, known)| known.is_none()).map(|(word, _)| word.clone()).collect();
    let counted = stored.document_frequencies(&uncounted).await?;
    let new = uncounted.into_iter().zip(counted.iter().copied());
    kept.update(|parts| {
        if let Some(large) = parts.words.large_mut() {
            large.frequencies.keep(chunks, new);
        }
    });
    let mut counted = counted.into_iter();
    Ok(known.into_iter().map(|known| known.or_else(|| counted.next()).unwrap_or(0)).collect())
}

async fn vocabulary(
    stored: &StoredContent,
    kept: &Kept,
    stats: CorpusStats,
) -> Result<Vocabulary, StoreError> {
    let outdated = match kept.read(|parts| parts.words.large()?.vocabulary.clone()) {
        Some(vocabulary) if vocabulary.is_fresh(&stats) => return Ok(vocabulary),
        outdated => outdated,
    };
    let vocabulary = Vocabulary::read(stored, outdated.as_ref(), stats).await?;
    kept.update(|parts| {
        if let Some(large) = parts.words.large_mut() {
            large.vocabulary = Some(vocabulary.clone());
        }
    });
    Ok(vocabulary)
}

#[cfg(test)]
mod tests;
