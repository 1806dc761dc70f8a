//! [`Vectors`]: the vectors of the chunks of a chatbot.

use std::{sync::Arc, time::Instant};

use frontdesk_embedding::{QuantizedVector, Vector};
use frontdesk_store::{StoreError, StoredVector, VectorsVersion};
use uuid::Uuid;

use crate::{
    embeddings::Known,
    freshness::{LARGE, may_lag},
    stored::StoredContent,
};

/// Bytes of a vector beside its values: the id of its chunk, and what the containers take.
const OVERHEAD: usize = 48;

/// The vectors that a model made of the chunks of one chatbot. Clones share them.
///
/// Reading all vectors of a chatbot for each question would cost more than comparing them. Those of a large
/// chatbot may include some that were removed lately. The database decides for each question which of the
/// nearest chunks exist, so what was removed is never quoted.
#[derive(Clone, Debug)]
pub(crate) struct Vectors {
    model: String,
    version: VectorsVersion,
    counted_at: Instant,
    /// In the order of the ids of their chunks, in which search needs them.
    by_id: Arc<Vec<(Uuid, QuantizedVector)>>,
    bytes: usize,
}

impl Vectors {
    fn new(model: &str, version: VectorsVersion, mut by_id: Vec<(Uuid, QuantizedVector)>) -> Self {
        by_id.sort_by_key(|(chunk_id, _)| *chunk_id);
        let bytes = by_id.iter().map(|(_, vector)| vector.size() + OVERHEAD).sum();
        let (model, by_id) = (model.to_owned(), Arc::new(by_id));
        Self { model, version, counted_at: Instant::now(), by_id, bytes }
    }

    /// Returns whether there are so many that they are not counted again yet.
    fn is_counted(&self) -> bool {
        self.version.count > LARGE && may_lag(self.counted_at)
    }

    /// Returns the cosine of every chunk with a vector.
    pub(crate) fn similarities(&self, vector: &Vector) -> Vec<(Uuid, f32)> {
        self.by_id.iter().map(|(id, other)| (*id, other.dot(vector))).collect()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Asks the database which vectors of a model a chatbot has, and returns them: those that are kept, with
    /// what was added since.
    pub(crate) async fn check(
        stored: &StoredContent,
        kept: Option<Self>,
        model: &Known,
    ) -> Result<Self, StoreError> {
        let StoredContent { store, scope, chatbot_id } = stored;
        let id = model.id.as_str();
        let kept = kept.filter(|kept| kept.model == id);
        if let Some(kept) = &kept
            && kept.is_counted()
            && store.vectors().last(scope, *chatbot_id, id).await? == kept.version.last
        {
            return Ok(kept.clone());
        }
        let version = store.vectors().version(scope, *chatbot_id, id).await?;
        match kept {
            Some(kept) if kept.version == version => Ok(Self { counted_at: Instant::now(), ..kept }),
            Some(kept) => kept.updated(stored, model, version).await,
            None => Self::read(stored, model).await,
        }
    }

    /// Returns those of this version. What was added since is read alone, unless something was removed as
    /// well.
    async fn updated(
        &self,
        stored: &StoredContent,
        model: &Known,
        version: VectorsVersion,
    ) -> Result<Self, StoreError> {
        let added = read_after(stored, model, self.version.last).await?;
        let all = self.by_id.len() + added.vectors.len();
        if u64::try_from(all) != Ok(version.count) {
            return Self::read(stored, model).await;
        }
        let mut vectors = self.by_id.as_ref().clone();
        vectors.extend(added.vectors);
        Ok(Self::new(&model.id, VectorsVersion { last: added.last, ..version }, vectors))
    }

    async fn read(stored: &StoredContent, model: &Known) -> Result<Self, StoreError> {
        let all = read_after(stored, model, 0).await?;
        let count = u64::try_from(all.vectors.len()).unwrap_or(u64::MAX);
        Ok(Self::new(&model.id, VectorsVersion { count, last: all.last }, all.vectors))
    }
}

#[cfg(test)]
impl Vectors {
    pub(crate) fn age(&mut self, by: std::time::Duration) {
        self.counted_at = self.counted_at.checked_sub(by).unwrap();
    }
}

struct Read {
    vectors: Vec<(Uuid, QuantizedVector)>,
    last: i64,
}

/// Reads the vectors with higher numbers than this.
async fn read_after(stored: &StoredContent, model: &Known, after: i64) -> Result<Read, StoreError> {
    let StoredContent { store, scope, chatbot_id } = stored;
    let mut read = Read { vectors: Vec::new(), last: after };
    let each = |stored: StoredVector| {
        let vector = QuantizedVector::from_bytes(&stored.vector, model.dimensions).map_err(|error| {
            StoreError::UnreadableValue { column: "vector".to_owned(), source: Box::new(error) }
        })?;
        read.vectors.push((stored.chunk_id, vector));
        read.last = read.last.max(stored.vector_no);
        Ok(())
    };
    store.vectors().after(scope, *chatbot_id, &model.id, after, each).await?;
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::freshness::LAG;

    #[test]
    fn vectors_of_a_large_chatbot_are_counted_now_and_then() {
        let of = |count| Vectors::new("m", VectorsVersion { count, last: 9 }, Vec::new());
        assert!(of(LARGE + 1).is_counted() && !of(LARGE).is_counted());
        let mut outdated = of(LARGE + 1);
        outdated.age(LAG);
        assert!(!outdated.is_counted());
    }
}
