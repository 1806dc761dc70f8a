//! [`PassageCache`]: the passages of the chatbots that were asked last, in memory.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use frontdesk_knowledge::{Candidate, FieldTerms, OutlineCell, SourceType, Terms};
use frontdesk_store::{ChunkRecord, Scope, Store, StoreError};
use uuid::Uuid;

use crate::recent::Recent;

/// Most bytes of all passages together.
const MAX_BYTES: usize = 24 << 20;

/// Most bytes of the passages of one chatbot. Those of a larger one begin anew, so that it does not take the place of all others.
const MAX_CHATBOT_BYTES: usize = MAX_BYTES / 2;

/// Bytes of a passage beside its texts.
const OVERHEAD: usize = 320;

/// What is kept of one chatbot.
#[derive(Debug, Default)]
struct Entry {
    passages: HashMap<Uuid, Arc<Candidate>>,
    bytes: usize,
}

/// Passages in memory, so that the texts and words of some hundred candidates are not read again for each question. Clones share them.
///
/// A stored passage never changes, so these are never outdated. The database decides for each question which passages exist and may be
/// quoted; the cache returns no others.
#[derive(Clone, Debug, Default)]
pub struct PassageCache(Arc<Mutex<Recent<Entry, MAX_BYTES>>>);

impl PassageCache {
    /// Returns passages of a chatbot, in the order of their ids. Those that do not exist are left out.
    pub(super) async fn by_ids(
        &self,
        store: &Store,
        scope: &Scope,
        chatbot_id: Uuid,
        ids: &[Uuid],
    ) -> Result<Vec<Arc<Candidate>>, StoreError> {
        let mut found = self.known(chatbot_id, ids);
        let missing: Vec<Uuid> = ids.iter().filter(|id| !found.contains_key(id)).copied().collect();
        if !missing.is_empty() {
            let read = store.chunks().by_ids(scope, chatbot_id, &missing).await?;
            let read: Vec<Arc<Candidate>> =
                read.into_iter().map(|chunk| Arc::new(candidate(chunk))).collect();
            self.keep(chatbot_id, &read);
            found.extend(read.into_iter().map(|passage| (passage.chunk_id, passage)));
        }
        Ok(ids.iter().filter_map(|id| found.remove(id)).collect())
    }

    fn known(&self, chatbot_id: Uuid, ids: &[Uuid]) -> HashMap<Uuid, Arc<Candidate>> {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(entry) = entries.get(chatbot_id) else { return HashMap::new() };
        ids.iter().filter_map(|id| Some((*id, Arc::clone(entry.passages.get(id)?)))).collect()
    }

    fn keep(&self, chatbot_id: Uuid, read: &[Arc<Candidate>]) {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut entry = entries.get(chatbot_id).map(std::mem::take).unwrap_or_default();
        if entry.bytes > MAX_CHATBOT_BYTES {
            entry = Entry::default();
        }
        for passage in read {
            if entry.passages.insert(passage.chunk_id, Arc::clone(passage)).is_none() {
                entry.bytes += bytes(passage);
            }
        }
        let bytes = entry.bytes;
        entries.put(chatbot_id, entry, bytes);
    }
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
    fn passages_of_a_chatbot_are_kept_for_it_alone() {
        let cache = PassageCache::default();
        let (bot, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        cache.keep(bot, &[passage(7, "seven".into())]);
        cache.keep(bot, &[passage(8, "eight".into()), passage(7, "seven".into())]);
        let ids = [7, 8, 9].map(Uuid::from_u128);
        assert_eq!(cache.known(bot, &ids).len(), 2);
        assert!(cache.known(other, &ids).is_empty());
    }

    #[test]
    fn a_large_chatbot_begins_anew() {
        let cache = PassageCache::default();
        let (bot, small) = (Uuid::from_u128(1), Uuid::from_u128(2));
        cache.keep(small, &[passage(1, String::new())]);
        cache.keep(bot, &[passage(7, "a".repeat(MAX_CHATBOT_BYTES))]);
        cache.keep(bot, &[passage(8, String::new())]);
        assert!(cache.known(bot, &[Uuid::from_u128(7)]).is_empty());
        assert_eq!(cache.known(bot, &[Uuid::from_u128(8)]).len(), 1);
        assert_eq!(cache.known(small, &[Uuid::from_u128(1)]).len(), 1);
    }
}
