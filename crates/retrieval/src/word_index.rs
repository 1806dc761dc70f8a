//! [`WordIndex`]: which chunks of a chatbot have which words.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use foldhash::fast::RandomState;
use frontdesk_store::{ContentVersion, CorpusStats, IndexedChunk, QueryWord, StoreError};
use uuid::Uuid;

use crate::stored::StoredContent;

/// Bytes of a word beside its letters and places.
const WORD: usize = 64;

/// Bytes of a chunk.
const CHUNK: usize = 88;

/// A chunk of the index.
#[derive(Debug)]
struct Entry {
    chunk_no: i64,
    chunk_id: Uuid,
    webpage_id: Option<Uuid>,
}

/// Which chunks of a chatbot have which words.
#[derive(Debug, Default)]
pub(crate) struct WordIndex {
    chunks: Vec<Entry>,
    /// The number of the last chunk.
    last: i64,
    /// The places of the chunks by their ids.
    by_id: HashMap<Uuid, u16, RandomState>,
    /// The numbers of the words.
    words: HashMap<Box<str>, u32, RandomState>,
    /// The places of the chunks that have a word, one word after the other.
    places: Vec<u16>,
    /// Where the places of each word begin, and at last the end of all.
    starts: Vec<u32>,
    stats: CorpusStats,
    main_language: Option<String>,
    bytes: usize,
}

impl WordIndex {
    /// Reads all chunks of a chatbot.
    pub(crate) async fn read(stored: &StoredContent) -> Result<Self, StoreError> {
        let StoredContent { store, scope, chatbot_id } = stored;
        let mut builder = Builder::default();
        store.search().indexed(scope, *chatbot_id, |chunk| builder.add(chunk)).await?;
        Ok(builder.finish())
    }

    fn is_of(&self, version: &ContentVersion) -> bool {
        (self.stats.chunks, self.last) == (version.chunks, version.last)
    }

    /// Returns whether any chunk has a word.
    pub(crate) fn has(&self, word: &str) -> bool {
        self.words.contains_key(word)
    }

    /// Returns the sizes of the content.
    pub(crate) fn stats(&self) -> &CorpusStats {
        &self.stats
    }

    /// Returns the places of the chunks that have a word.
    fn places(&self, word: &str) -> &[u16] {
        let Some(number) = self.words.get(word) else { return &[] };
        let bound = |number: u32| self.starts.get(number as usize).map(|start| *start as usize);
        let range = bound(*number).zip(bound(number + 1));
        range.and_then(|(start, end)| self.places.get(start..end)).unwrap_or_default()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    fn count_bytes(&self) -> usize {
        let words = self.words.keys().map(|word| WORD + word.len()).sum::<usize>();
        self.chunks.len() * CHUNK + words + size_of_val(self.places.as_slice())
    }
}

/// An index on its way from the chunks that are read.
#[derive(Debug, Default)]
struct Builder {
    index: WordIndex,
    /// The numbers of words and the places of the chunks that have them, in the order of the chunks.
    occurrences: Vec<(u32, u16)>,
    /// For each word, the number of chunks that have it, and the place of the last one.
    counts: Vec<(u32, u16)>,
    lengths: [u64; 3],
    languages: BTreeMap<Option<String>, usize>,
}

impl Builder {
    fn add(&mut self, chunk: IndexedChunk) {
        let Self { index, occurrences, counts, lengths, languages } = self;
        let IndexedChunk { chunk_no, chunk_id, webpage_id, .. } = chunk;
        // More than fit were added since they were counted: they are too many for memory anyway.
        let Ok(place) = u16::try_from(index.chunks.len()) else { return };
        index.chunks.push(Entry { chunk_no, chunk_id, webpage_id });
        index.last = index.last.max(chunk_no);
        index.by_id.insert(chunk_id, place);
        for word in chunk.words.split_ascii_whitespace() {
            let Some(number) = index.words.get(word).copied() else {
                let Ok(number) = u32::try_from(counts.len()) else { return };
                index.words.insert(word.into(), number);
                counts.push((1, place));
                occurrences.push((number, place));
                continue;
            };
            if let Some((count, last)) = counts.get_mut(number as usize)
                && *last != place
            {
                (*count, *last) = (*count + 1, place);
                occurrences.push((number, place));
            }
        }
        for (sum, length) in
            lengths.iter_mut().zip([chunk.length_title, chunk.length_headings, chunk.length_body])
        {
            *sum += length;
        }
        *languages.entry(chunk.language).or_default() += 1;
    }

    fn finish(self) -> WordIndex {
        let Self { mut index, occurrences, counts, lengths: [title, headings, body], languages } = self;
        let mut end = 0;
        for (count, _) in &counts {
            index.starts.push(end);
            end += count;
        }
        let mut free = index.starts.clone();
        index.starts.push(end);
        index.places = vec![0; occurrences.len()];
        for (number, place) in occurrences {
            if let Some(next) = free.get_mut(number as usize)
                && let Some(slot) = index.places.get_mut(*next as usize)
            {
                *slot = place;
                *next += 1;
            }
        }
        index.stats = CorpusStats::new(index.chunks.len() as u64, title, headings, body);
        let most = languages.into_iter().min_by_key(|(language, count)| (Reverse(*count), language.clone()));
        index.main_language = most.and_then(|(language, _)| language);
        index.bytes = index.count_bytes();
        index
    }
}

/// The index of what a chatbot has at the moment.
#[derive(Debug)]
pub(crate) struct CurrentIndex {
    index: Arc<WordIndex>,
    switched_off: Vec<Uuid>,
}

impl CurrentIndex {
    /// Returns an index that was just read, without the pages that this version has switched off.
    pub(crate) fn just_read(index: Arc<WordIndex>, version: ContentVersion) -> Self {
        Self { index, switched_off: version.switched_off }
    }

    /// Returns an index if it is that of this version.
    pub(crate) fn of(index: &Arc<WordIndex>, version: &ContentVersion) -> Option<Self> {
        let current = || Self { index: Arc::clone(index), switched_off: version.switched_off.clone() };
        index.is_of(version).then(current)
    }

    /// Returns the sizes of the content.
    pub(crate) fn stats(&self) -> &CorpusStats {
        self.index.stats()
    }

    /// Returns the language of most chunks.
    pub(crate) fn main_language(&self) -> Option<&str> {
        self.index.main_language.as_deref()
    }

    /// Returns how many chunks have a word.
    pub(crate) fn frequency(&self, word: &str) -> u64 {
        self.index.places(word).len() as u64
    }

    /// Returns the chunks that have at least one of the words, at most `limit`, in the order in which the
    /// store returns them.
    pub(crate) fn candidates(&self, words: &[QueryWord], limit: u32) -> Vec<Uuid> {
        let WordIndex { chunks, stats, .. } = self.index.as_ref();
        let mut scores = vec![0_i64; chunks.len()];
        for (word, weight) in QueryWord::sought(words, stats.chunks, limit, false) {
            for place in self.index.places(word) {
                if let Some(score) = scores.get_mut(usize::from(*place)) {
                    *score += weight;
                }
            }
        }
        let found = scores.into_iter().zip(chunks).filter(|(score, _)| *score > 0);
        let mut found: Vec<(i64, &Entry)> = found.filter(|(_, chunk)| self.is_switched_on(chunk)).collect();
        found.sort_unstable_by_key(|(score, chunk)| (Reverse(*score), chunk.chunk_no));
        found.into_iter().take(limit as usize).map(|(_, chunk)| chunk.chunk_id).collect()
    }

    /// Returns those of the chunks that exist and whose source is switched on.
    pub(crate) fn findable(&self, chunk_ids: &[Uuid]) -> Vec<Uuid> {
        let WordIndex { chunks, by_id, .. } = self.index.as_ref();
        let chunk = |id: &Uuid| chunks.get(usize::from(*by_id.get(id)?));
        let found = chunk_ids.iter().filter_map(chunk).filter(|chunk| self.is_switched_on(chunk));
        found.map(|chunk| chunk.chunk_id).collect()
    }

    fn is_switched_on(&self, chunk: &Entry) -> bool {
        chunk.webpage_id.is_none_or(|page| !self.switched_off.contains(&page))
    }
}

#[cfg(test)]
impl CurrentIndex {
    pub(crate) fn switched_off(&self) -> &[Uuid] {
        &self.switched_off
    }

    pub(crate) fn chunk_ids(&self) -> impl Iterator<Item = Uuid> {
        self.index.chunks.iter().map(|chunk| chunk.chunk_id)
    }
}
