//! [`VectorCache`]: the vectors of the chatbots that were asked last, in memory.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use frontdesk_embedding::{QuantizedVector, Vector};
use frontdesk_store::{Scope, Store, StoreError, StoredVector, VectorsVersion};
use uuid::Uuid;

use super::known::Known;
use crate::recent::Recent;

/// Most bytes of all vectors together.
const MAX_BYTES: usize = 32 << 20;

/// Bytes of a vector beside its values: the id of its chunk, and what the containers take.
const OVERHEAD: usize = 48;

/// The number of vectors from which they are not counted for each question.
const LARGE: u64 = 5_000;

/// For so long after they were counted, the vectors of a large chatbot may include some that were removed.
const COUNTED: Duration = Duration::from_secs(10);

/// The vectors of the chunks of one chatbot, in the order of their ids, in which search needs them. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct ChatbotVectors(Arc<Vec<(Uuid, QuantizedVector)>>);

impl ChatbotVectors {
    /// Returns the cosine of every chunk with a vector.
    pub(crate) fn similarities(&self, vector: &Vector) -> Vec<(Uuid, f32)> {
        self.0.iter().map(|(id, other)| (*id, other.dot(vector))).collect()
    }
}

/// The vectors of one chatbot.
#[derive(Clone, Debug)]
struct Entry {
    version: VectorsVersion,
    model: String,
    vectors: ChatbotVectors,
    counted_at: Instant,
}

impl Entry {
    /// Returns whether the vectors are so many that they are not counted again yet.
    fn is_counted(&self) -> bool {
        self.version.count >= LARGE && self.counted_at.elapsed() < COUNTED
    }
}

/// Vectors in memory. Clones share them.
///
/// Reading all vectors of a chatbot for each question would cost more than comparing them. The cache asks the database for
/// a version first, so several processes always agree; for a large chatbot, that something was removed is noticed within ten seconds. The
/// database decides for each question which of the nearest chunks exist, so what was removed is never quoted.
#[derive(Clone, Debug, Default)]
pub struct VectorCache(Arc<Mutex<Recent<Entry, MAX_BYTES>>>);

impl VectorCache {
    /// Returns the vectors that a model made of the chunks of a chatbot.
    pub(crate) async fn of(
        &self,
        store: &Store,
        scope: &Scope,
        chatbot_id: Uuid,
        model: &Known,
    ) -> Result<ChatbotVectors, StoreError> {
        let (dimensions, model) = (model.dimensions, model.id.as_str());
        let known = self.get(chatbot_id, model);
        if let Some(known) = &known
            && known.is_counted()
            && store.vectors().last(scope, chatbot_id, model).await? == known.version.last
        {
            return Ok(known.vectors.clone());
        }
        let version = store.vectors().version(scope, chatbot_id, model).await?;
        if let Some(Entry { version: known_version, vectors, .. }) = known {
            if known_version == version {
                self.confirm(chatbot_id, version);
                return Ok(vectors);
            }
            // What was added since is read alone, unless something was removed as well.
            let added = read(store, scope, chatbot_id, model, dimensions, known_version.last).await?;
            let all = vectors.0.len() + added.vectors.len();
            if u64::try_from(all) == Ok(version.count) {
                let mut vectors = vectors.0.as_ref().clone();
                vectors.extend(added.vectors);
                return Ok(self.put(
                    chatbot_id,
                    model,
                    VectorsVersion { last: added.last, ..version },
                    vectors,
                ));
            }
        }
        let all = read(store, scope, chatbot_id, model, dimensions, 0).await?;
        let count = u64::try_from(all.vectors.len()).unwrap_or(u64::MAX);
        Ok(self.put(chatbot_id, model, VectorsVersion { count, last: all.last }, all.vectors))
    }

    fn get(&self, chatbot_id: Uuid, model: &str) -> Option<Entry> {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.get(chatbot_id).filter(|entry| entry.model == model).cloned()
    }

    /// Notes that the vectors of a chatbot were just counted, and are still those of this version.
    fn confirm(&self, chatbot_id: Uuid, version: VectorsVersion) {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = entries.get(chatbot_id).filter(|entry| entry.version == version) {
            entry.counted_at = Instant::now();
        }
    }

    fn put(
        &self,
        chatbot_id: Uuid,
        model: &str,
        version: VectorsVersion,
        mut vectors: Vec<(Uuid, QuantizedVector)>,
    ) -> ChatbotVectors {
        vectors.sort_by_key(|(chunk_id, _)| *chunk_id);
        let bytes = vectors.iter().map(|(_, vector)| vector.size() + OVERHEAD).sum();
        let vectors = ChatbotVectors(Arc::new(vectors));
        let entry =
            Entry { version, model: model.to_owned(), vectors: vectors.clone(), counted_at: Instant::now() };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).put(chatbot_id, entry, bytes);
        vectors
    }
}

struct Read {
    vectors: Vec<(Uuid, QuantizedVector)>,
    last: i64,
}

async fn read(
    store: &Store,
    scope: &Scope,
    chatbot_id: Uuid,
    model: &str,
    dimensions: usize,
    after: i64,
) -> Result<Read, StoreError> {
    let mut read = Read { vectors: Vec::new(), last: after };
    let each = |stored: StoredVector| {
        let vector = QuantizedVector::from_bytes(&stored.vector, dimensions).map_err(|error| {
            StoreError::UnreadableValue { column: "vector".to_owned(), source: Box::new(error) }
        })?;
        read.vectors.push((stored.chunk_id, vector));
        read.last = read.last.max(stored.vector_no);
        Ok(())
    };
    store.vectors().after(scope, chatbot_id, model, after, each).await?;
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_vectors_are_dropped() {
        let cache = VectorCache::default();
        let vector = Vector::new(vec![1.0; 1 << 20]).unwrap().quantize();
        let vectors = || vec![(Uuid::nil(), vector.clone()); 15];
        let ids: Vec<Uuid> = (0..3).map(Uuid::from_u128).collect();
        cache.put(ids[0], "m", VectorsVersion::default(), vectors());
        cache.put(ids[1], "m", VectorsVersion::default(), vectors());
        assert!(cache.get(ids[0], "m").is_some());
        cache.put(ids[2], "m", VectorsVersion::default(), vectors());
        assert!(cache.get(ids[1], "m").is_none() && cache.get(ids[0], "m").is_some());
        assert!(cache.get(ids[2], "other").is_none());
    }

    #[test]
    fn vectors_of_a_large_chatbot_are_counted_now_and_then() {
        let cache = VectorCache::default();
        let [large, small] = [1, 2].map(Uuid::from_u128);
        let version = |count| VectorsVersion { count, last: 9 };
        cache.put(large, "m", version(LARGE), Vec::new());
        cache.put(small, "m", version(LARGE - 1), Vec::new());
        let is_counted = |id| cache.get(id, "m").unwrap().is_counted();
        assert!(is_counted(large) && !is_counted(small));
        let outdate = || {
            let mut entries = cache.0.lock().unwrap();
            let entry = entries.get(large).unwrap();
            entry.counted_at = entry.counted_at.checked_sub(COUNTED).unwrap();
        };
        outdate();
        assert!(!is_counted(large));
        // Another count than that of these vectors says nothing of them.
        cache.confirm(large, version(LARGE + 1));
        assert!(!is_counted(large));
        cache.confirm(large, version(LARGE));
        assert!(is_counted(large));
    }
}
