//! An index in memory: for previews of content that is not stored, for measurements and for tests.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use frontdesk_embedding::{QuantizedVector, Vector};
use uuid::Uuid;

use super::index::{Candidate, Index, IndexError, IndexStats, IndexTerm, SegmentVector};
use crate::outline::OutlineCell;
use crate::page::Page;
use crate::source_type::SourceType;

/// The chunks of one chatbot.
#[derive(Debug, Clone, Default)]
pub struct MemoryIndex {
    entries: Vec<(Arc<Candidate>, Vec<String>)>,
    postings: BTreeMap<String, BTreeSet<usize>>,
    vectors: HashMap<Uuid, (QuantizedVector, Vec<SegmentVector>)>,
}

impl MemoryIndex {
    /// Creates an empty index.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a chunk with its tags.
    pub fn insert(&mut self, candidate: Candidate, tags: &[&str]) {
        let place = self.entries.len();
        let terms = &candidate.terms;
        for term in terms.title.iter().chain(terms.headings.iter()).chain(terms.body.iter()) {
            self.postings.entry(term.to_owned()).or_default().insert(place);
        }
        self.entries.push((Arc::new(candidate), tags.iter().map(|tag| (*tag).to_owned()).collect()));
    }

    /// Sets the vectors of a chunk.
    pub fn set_vectors(&mut self, chunk_id: Uuid, vector: QuantizedVector, segments: Vec<SegmentVector>) {
        self.vectors.insert(chunk_id, (vector, segments));
    }

    fn has_tag(&self, place: usize, tags: &[String]) -> bool {
        tags.is_empty() || self.entries[place].1.iter().any(|tag| tags.contains(tag))
    }

    /// Adds the chunks of a web page.
    pub fn insert_page(&mut self, page: &Page) {
        for chunk in page.chunks() {
            let candidate = Candidate {
                chunk_id: Uuid::new_v4(),
                title: chunk.title,
                headings: chunk.headings,
                text: chunk.text,
                url: page.url.to_string(),
                source_type: SourceType::Webpage,
                language: page.language.clone(),
                terms: chunk.terms,
                outline: OutlineCell::default(),
            };
            self.insert(candidate, &[]);
        }
    }

    /// Returns the number of chunks.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether there are no chunks.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the chunks in the order in which they were added.
    pub fn chunks(&self) -> impl Iterator<Item = &Candidate> {
        self.entries.iter().map(|(candidate, _)| candidate.as_ref())
    }
}

impl Index for MemoryIndex {
    async fn candidates(
        &self,
        terms: &[IndexTerm],
        tags: &[String],
        limit: usize,
    ) -> Result<Vec<Arc<Candidate>>, IndexError> {
        let mut matches: BTreeMap<usize, usize> = BTreeMap::new();
        for place in terms.iter().filter_map(|term| self.postings.get(&term.text)).flatten() {
            *matches.entry(*place).or_default() += 1;
        }
        let mut places: Vec<(usize, usize)> =
            matches.into_iter().filter(|(place, _)| self.has_tag(*place, tags)).collect();
        places.sort_by_key(|(place, count)| (std::cmp::Reverse(*count), *place));
        Ok(places.into_iter().take(limit).map(|(place, _)| Arc::clone(&self.entries[place].0)).collect())
    }

    async fn document_frequencies(&self, terms: &[String]) -> Result<Vec<u64>, IndexError> {
        Ok(terms.iter().map(|term| self.postings.get(term).map_or(0, |places| places.len() as u64)).collect())
    }

    async fn known(&self, terms: Vec<String>) -> Result<Vec<String>, IndexError> {
        Ok(terms.into_iter().filter(|term| self.postings.contains_key(term)).collect())
    }

    async fn stats(&self) -> Result<IndexStats, IndexError> {
        let count = self.entries.len();
        let average = |length: fn(&Candidate) -> usize| {
            let total: usize = self.chunks().map(length).sum();
            #[expect(
                clippy::cast_precision_loss,
                reason = "an index in memory has far fewer than 2^52 terms"
            )]
            let average = total as f64 / count.max(1) as f64;
            average
        };
        Ok(IndexStats {
            chunks: count as u64,
            average_title: average(|chunk| chunk.terms.title.len()),
            average_headings: average(|chunk| chunk.terms.headings.len()),
            average_body: average(|chunk| chunk.terms.body.len()),
        })
    }

    async fn similarities(&self, vector: &Vector, tags: &[String]) -> Result<Vec<(Uuid, f32)>, IndexError> {
        let places = (0..self.entries.len()).filter(|place| self.has_tag(*place, tags));
        let ids = places.map(|place| self.entries[place].0.chunk_id);
        Ok(ids.filter_map(|id| Some((id, self.vectors.get(&id)?.0.dot(vector)))).collect())
    }

    async fn chunks(&self, ids: &[Uuid]) -> Result<Vec<Arc<Candidate>>, IndexError> {
        let chunks = self.entries.iter().map(|(candidate, _)| candidate);
        Ok(chunks.filter(|chunk| ids.contains(&chunk.chunk_id)).cloned().collect())
    }

    async fn segments(&self, ids: &[Uuid]) -> Result<Vec<(Uuid, Vec<SegmentVector>)>, IndexError> {
        Ok(ids.iter().filter_map(|id| Some((*id, self.vectors.get(id)?.1.clone()))).collect())
    }
}
