//! [`Passages`]: passages of a chatbot.

use std::{collections::HashMap, sync::Arc};

use frontdesk_knowledge::{Candidate, FieldTerms, OutlineCell, SourceType, Terms};
use frontdesk_store::{ChunkRecord, StoreError};
use uuid::Uuid;

use crate::stored::StoredContent;

/// Most bytes of the passages of one chatbot. Those of a larger one begin anew, so that it does not take the
/// place of all others.
const MAX_BYTES: usize = 12 << 20;

/// Bytes of a passage beside its texts.
const OVERHEAD: usize = 320;

/// Passages, so that the texts and words of some hundred candidates are not read again for each question.
///
/// A stored passage never changes, so these are never outdated. Which passages exist and may be quoted is
/// decided before they are asked for.
#[derive(Debug, Default)]
pub(crate) struct Passages {
    by_id: HashMap<Uuid, Arc<Candidate>>,
    bytes: usize,
}

impl Passages {
    /// Returns those of these ids that are kept.
    pub(crate) fn of(&self, ids: &[Uuid]) -> HashMap<Uuid, Arc<Candidate>> {
        ids.iter().filter_map(|id| Some((*id, Arc::clone(self.by_id.get(id)?)))).collect()
    }

    /// Keeps passages.
    pub(crate) fn keep(&mut self, passages: &[Arc<Candidate>]) {
        if self.bytes > MAX_BYTES {
            *self = Self::default();
        }
        for passage in passages {
            if self.by_id.insert(passage.chunk_id, Arc::clone(passage)).is_none() {
                self.bytes += bytes(passage);
            }
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

/// Reads passages. Those that do not exist are left out.
pub(crate) async fn read(stored: &StoredContent, ids: &[Uuid]) -> Result<Vec<Arc<Candidate>>, StoreError> {
    let StoredContent { store, scope, chatbot_id } = stored;
    let read = store.chunks().by_ids(scope, *chatbot_id, ids).await?;
    Ok(read.into_iter().map(|chunk| Arc::new(candidate(chunk))).collect())
}

fn bytes(passage: &Candidate) -> usize {
    let Candidate { title, headings, text, url, terms, .. } = passage;
    let texts = [title, headings, text, url].into_iter().map(String::len).sum::<usize>();
    let words = [&terms.title, &terms.headings, &terms.body].into_iter().map(Terms::bytes).sum::<usize>();
    // The outline of a passage that was quoted has its words once more.
    OVERHEAD + texts + 2 * words
}

fn candidate(chunk: ChunkRecord) -> Candidate {
    Candidate {
        chunk_id: chunk.chunk_id,
        title: chunk.title,
        headings: chunk.headings,
        text: chunk.text,
        url: chunk.url,
        source_type: source_type(chunk.source_type),
        language: chunk.language,
        terms: FieldTerms {
            title: chunk.terms_title.into(),
            headings: chunk.terms_headings.into(),
            body: chunk.terms_body.into(),
        },
        outline: OutlineCell::default(),
    }
}

/// Converts the store's source type into the search's.
fn source_type(stored: frontdesk_store::SourceType) -> SourceType {
    match stored {
        frontdesk_store::SourceType::Webpage => SourceType::Webpage,
        frontdesk_store::SourceType::File => SourceType::File,
        frontdesk_store::SourceType::TextSnippet => SourceType::TextSnippet,
        frontdesk_store::SourceType::Faq => SourceType::Faq,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passage(id: u128, text: String) -> Arc<Candidate> {
        Arc::new(Candidate {
            chunk_id: Uuid::from_u128(id),
            title: String::new(),
            headings: String::new(),
            text,
            url: String::new(),
            source_type: SourceType::Webpage,
            language: None,
            terms: FieldTerms::default(),
            outline: OutlineCell::default(),
        })
    }

    #[test]
    fn passages_are_counted_once() {
        let mut passages = Passages::default();
        passages.keep(&[passage(7, "seven".into())]);
        let before = passages.bytes();
        passages.keep(&[passage(8, "eight".into()), passage(7, "seven".into())]);
        assert_eq!(passages.of(&[7, 8, 9].map(Uuid::from_u128)).len(), 2);
        assert_eq!(passages.bytes(), 2 * before);
    }

    #[test]
    fn those_of_a_large_chatbot_begin_anew() {
        let mut passages = Passages::default();
        passages.keep(&[passage(7, "a".repeat(MAX_BYTES))]);
        passages.keep(&[passage(8, String::new())]);
        assert!(passages.of(&[Uuid::from_u128(7)]).is_empty());
        assert_eq!(passages.of(&[Uuid::from_u128(8)]).len(), 1);
        assert_eq!(passages.bytes(), OVERHEAD);
    }
}
