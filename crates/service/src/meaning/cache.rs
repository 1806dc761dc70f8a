//! [`VectorCache`]: the vectors of the chatbots that were asked last, in memory.

use std::sync::{Arc, Mutex, PoisonError};

use frontdesk_embedding::{QuantizedVector, Vector};
use frontdesk_store::{Scope, Store, StoreError, StoredVector, VectorsVersion};
use uuid::Uuid;

use crate::recent::Recent;

/// Most bytes of all vectors together.
const MAX_BYTES: usize = 32 << 20;

/// Bytes of a vector beside its values: the id of its chunk, and what the containers take.
const OVERHEAD: usize = 48;

/// The vectors of chunks, in the order of their ids, in which search needs them.
type Vectors = Arc<Vec<(Uuid, QuantizedVector)>>;

/// The vectors of one chatbot.
#[derive(Debug)]
struct Entry {
    version: VectorsVersion,
    model: String,
    vectors: Vectors,
}

/// Vectors in memory. Clones share them.
///
/// Reading all vectors of a chatbot for each question would cost more than comparing them. The cache asks the database for
/// a version first, so several processes always agree.
#[derive(Clone, Debug, Default)]
pub struct VectorCache(Arc<Mutex<Recent<Entry, MAX_BYTES>>>);

impl VectorCache {
    /// Returns the cosine of every chunk of a chatbot with a vector.
    pub(crate) async fn similarities(
        &self,
        store: &Store,
        scope: &Scope,
        chatbot_id: Uuid,
        model: &str,
        vector: &Vector,
    ) -> Result<Vec<(Uuid, f32)>, StoreError> {
        let vectors = self.vectors(store, scope, chatbot_id, model, vector.as_slice().len()).await?;
        Ok(vectors.iter().map(|(id, other)| (*id, other.dot(vector))).collect())
    }

    async fn vectors(
        &self,
        store: &Store,
        scope: &Scope,
        chatbot_id: Uuid,
        model: &str,
        dimensions: usize,
    ) -> Result<Vectors, StoreError> {
        let version = store.vectors().version(scope, chatbot_id, model).await?;
        let known = self.get(chatbot_id, model);
        if let Some((known_version, vectors)) = &known
            && *known_version == version
        {
            return Ok(Arc::clone(vectors));
        }
        // What was added since is read alone, unless something was removed as well.
        if let Some((known_version, vectors)) = known {
            let added = read(store, scope, chatbot_id, model, dimensions, known_version.last).await?;
            let all = vectors.len() + added.vectors.len();
            if u64::try_from(all) == Ok(version.count) {
                let mut vectors = vectors.as_ref().clone();
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

    fn get(&self, chatbot_id: Uuid, model: &str) -> Option<(VectorsVersion, Vectors)> {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = entries.get(chatbot_id).filter(|entry| entry.model == model)?;
        Some((entry.version, Arc::clone(&entry.vectors)))
    }

    fn put(
        &self,
        chatbot_id: Uuid,
        model: &str,
        version: VectorsVersion,
        mut vectors: Vec<(Uuid, QuantizedVector)>,
    ) -> Vectors {
        vectors.sort_by_key(|(chunk_id, _)| *chunk_id);
        let bytes = vectors.iter().map(|(_, vector)| vector.size() + OVERHEAD).sum();
        let vectors = Arc::new(vectors);
        let entry = Entry { version, model: model.to_owned(), vectors: Arc::clone(&vectors) };
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
        read.last = stored.vector_no;
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
}
