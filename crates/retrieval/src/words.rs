//! [`Words`]: what is kept of the words of a chatbot.

use std::{sync::Arc, time::Instant};

use frontdesk_store::{ContentVersion, CorpusStats};

use crate::{
    frequencies::Frequencies,
    freshness::{APPROXIMATE, LARGE, SOON, may_lag},
    vocabulary::Vocabulary,
    word_index::{CurrentIndex, WordIndex},
};

/// What is kept of the words of a chatbot.
#[derive(Debug, Default)]
pub(crate) enum Words {
    /// It was not asked before.
    #[default]
    Unasked,
    /// It was asked for the first time at this moment.
    Asked(Instant),
    /// All words of a chatbot that is not large.
    Indexed { index: Arc<WordIndex>, read_at: Instant },
    /// Some words of a large one.
    Large(Large),
}

/// What is kept of the words of a large chatbot.
#[derive(Debug)]
pub(crate) struct Large {
    pub(crate) stats: CorpusStats,
    pub(crate) counted_at: Instant,
    pub(crate) vocabulary: Option<Vocabulary>,
    pub(crate) frequencies: Frequencies,
}

/// How a question to a chatbot that is not large gets at its words.
#[derive(Debug)]
pub(crate) enum Access {
    /// From the index in memory.
    Memory(CurrentIndex),
    /// From an index that is read for it.
    Read,
    /// From the database. The sizes are those that the content has had lately, if that is good enough.
    Database(Option<CorpusStats>),
}

impl Words {
    /// Returns how a question gets at the words of a chatbot that has this version now, and marks the chatbot
    /// as asked.
    pub(crate) fn access(&mut self, version: &ContentVersion) -> Access {
        match self {
            Self::Indexed { index, read_at } => match CurrentIndex::of(index, version) {
                Some(current) => Access::Memory(current),
                None if may_lag(*read_at) => {
                    let stats = *index.stats();
                    Access::Database((stats.chunks >= APPROXIMATE).then_some(stats))
                }
                None => Access::Read,
            },
            Self::Asked(since) if since.elapsed() < SOON => Access::Read,
            Self::Unasked | Self::Asked(_) | Self::Large(_) => {
                *self = Self::Asked(Instant::now());
                Access::Database(None)
            }
        }
    }

    /// Keeps an index that was just read, unless it is too large.
    pub(crate) fn keep(&mut self, index: &Arc<WordIndex>) {
        if index.stats().chunks <= LARGE {
            *self = Self::Indexed { index: Arc::clone(index), read_at: Instant::now() };
        }
    }

    /// Keeps the sizes of a large chatbot, which were just counted.
    pub(crate) fn keep_sizes(&mut self, stats: CorpusStats) {
        let counted_at = Instant::now();
        if let Self::Large(large) = self {
            (large.stats, large.counted_at) = (stats, counted_at);
        } else {
            let frequencies = Frequencies::default();
            *self = Self::Large(Large { stats, counted_at, vocabulary: None, frequencies });
        }
    }

    /// Returns the index, which may be that of earlier content.
    pub(crate) fn index(&self) -> Option<&Arc<WordIndex>> {
        if let Self::Indexed { index, .. } = self { Some(index) } else { None }
    }

    /// Returns what is kept of a chatbot that was large when it was asked last.
    pub(crate) fn large(&self) -> Option<&Large> {
        if let Self::Large(large) = self { Some(large) } else { None }
    }

    /// Returns what is kept of a chatbot that was large when it was asked last, to change it.
    pub(crate) fn large_mut(&mut self) -> Option<&mut Large> {
        if let Self::Large(large) = self { Some(large) } else { None }
    }

    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Unasked | Self::Asked(_) => 0,
            Self::Indexed { index, .. } => index.bytes(),
            Self::Large(Large { vocabulary, frequencies, .. }) => {
                vocabulary.as_ref().map_or(0, Vocabulary::bytes) + frequencies.bytes()
            }
        }
    }
}

#[cfg(test)]
impl Words {
    pub(crate) fn age(&mut self, by: std::time::Duration) {
        let since = match self {
            Self::Unasked => return,
            Self::Asked(since) => since,
            Self::Indexed { read_at, .. } => read_at,
            Self::Large(large) => {
                if let Some(vocabulary) = &mut large.vocabulary {
                    vocabulary.age(by);
                }
                &mut large.counted_at
            }
        };
        *since = since.checked_sub(by).unwrap();
    }
}
