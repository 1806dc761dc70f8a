//! The interface of search to a full-text index.

use std::ops::Range;
use std::sync::Arc;

use frontdesk_embedding::{QuantizedVector, Vector};
use uuid::Uuid;

use crate::chunk::FieldTerms;
use crate::outline::OutlineCell;
use crate::source_type::SourceType;

/// The error of an index's storage.
pub type IndexError = Box<dyn std::error::Error + Send + Sync>;

/// A chunk that has a word of the question.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Id of the chunk.
    pub chunk_id: Uuid,
    /// Title of its source; the question of an FAQ item.
    pub title: String,
    /// Heading path; for an FAQ item its alternative questions, one per line.
    pub headings: String,
    /// The text as it is cited; the answer of an FAQ item.
    pub text: String,
    /// Address to cite; chunks of one address count as one page.
    pub url: String,
    /// The kind of content.
    pub source_type: SourceType,
    /// BCP 47 language.
    pub language: Option<String>,
    /// The indexed terms.
    pub terms: FieldTerms,
    /// The outline of the passage that the chunk becomes.
    pub outline: OutlineCell,
}

/// A term to search for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct IndexTerm {
    /// The analyzed word.
    pub text: String,
    /// The number of chunks that have it, from [`Index::document_frequencies`].
    pub document_frequency: u64,
}

/// Sizes of an index.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct IndexStats {
    /// Number of chunks.
    pub chunks: u64,
    /// Average number of title terms of a chunk.
    pub average_title: f64,
    /// Average number of heading terms of a chunk.
    pub average_headings: f64,
    /// Average number of body terms of a chunk.
    pub average_body: f64,
}

/// The full-text index over the training content of one chatbot.
///
/// An implementation is bound to one chatbot and never returns anything of another.
pub trait Index: Send + Sync {
    /// Returns chunks with any of these terms in any field, the best by the index's own measure first. With
    /// `tags`, only chunks that have one of them.
    fn candidates(
        &self,
        terms: &[IndexTerm],
        tags: &[String],
        limit: usize,
    ) -> impl Future<Output = Result<Vec<Arc<Candidate>>, IndexError>> + Send;

    /// Returns for each term the number of chunks that have it in any field; for a frequent one, the number
    /// may be some minutes old.
    fn document_frequencies(
        &self,
        terms: &[String],
    ) -> impl Future<Output = Result<Vec<u64>, IndexError>> + Send;

    /// Returns those of the terms that the content has. Some may be of chunks that were deleted lately, and
    /// some of chunks that were added lately may be missing.
    fn known(&self, terms: Vec<String>) -> impl Future<Output = Result<Vec<String>, IndexError>> + Send;

    /// Returns the sizes of the index.
    fn stats(&self) -> impl Future<Output = Result<IndexStats, IndexError>> + Send;

    /// Returns the cosine of every chunk that has a vector with the vector of a question, in no particular
    /// order. With `tags`, only chunks that have one of them.
    fn similarities(
        &self,
        vector: &Vector,
        tags: &[String],
    ) -> impl Future<Output = Result<Vec<(Uuid, f32)>, IndexError>> + Send;

    /// Returns chunks by their ids, in no particular order. Chunks that were deleted in the meantime are
    /// missing.
    fn chunks(&self, ids: &[Uuid]) -> impl Future<Output = Result<Vec<Arc<Candidate>>, IndexError>> + Send;

    /// Returns the stored vectors of the segments of chunks. Chunks without vectors are missing.
    fn segments(
        &self,
        ids: &[Uuid],
    ) -> impl Future<Output = Result<Vec<(Uuid, Vec<SegmentVector>)>, IndexError>> + Send;
}

/// The vector of a segment of a chunk.
#[derive(Debug, Clone, PartialEq)]
pub struct SegmentVector {
    /// The byte range of the segment in the text of its chunk.
    pub range: Range<usize>,
    /// The vector.
    pub vector: QuantizedVector,
}
