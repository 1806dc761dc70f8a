//! [`KeyHasher`]: who holds an API key.

use std::{fmt, sync::Arc};

use frontdesk_store::{KeyHash, KeyHolder, Store, StoreError};
use tokio::time::Instant;
use uuid::Uuid;

use crate::{
    edge::rate_limit::RateLimit,
    platform::secrets::{
        keys::{hash, looks_like_a_key},
        pepper::Peppers,
    },
};

/// Hashes API keys, and finds out who holds a key.
///
/// A key has 256 random bits, so a fast hash is sufficient: guessing is hopeless. The pepper prevents that
/// somebody with a copy of the database finds out which of some leaked keys belong to it.
#[derive(Clone)]
pub(crate) struct KeyHasher {
    peppers: Peppers,
    /// Limits the attempts to hash a key with the preferred pepper.
    conversions: Arc<RateLimit<Uuid>>,
}

impl KeyHasher {
    pub(crate) fn new(peppers: &Peppers) -> Self {
        Self { peppers: peppers.clone(), conversions: Arc::new(RateLimit::new()) }
    }

    /// Returns who holds a key, or `None` if there is no such key. Text that does not look like a key is not
    /// looked up.
    pub(crate) async fn authenticate(
        &self,
        store: &Store,
        text: &str,
    ) -> Result<Option<KeyHolder>, StoreError> {
        if !looks_like_a_key(text) {
            return Ok(None);
        }
        for pepper in self.peppers.accepted() {
            let hash = hash(pepper, text);
            let Some(holder) = store.api_keys().authenticate(&hash).await? else { continue };
            if holder.pepper_id.as_deref() != Some(self.peppers.preferred().id()) {
                self.convert(store, &holder, hash, text);
            }
            return Ok(Some(holder));
        }
        Ok(None)
    }

    /// Hashes a key with the preferred pepper once the rotation to it is under way: the key itself is known
    /// only while it is used. The request does not wait for it, and a failure is repeated with the next use.
    fn convert(&self, store: &Store, holder: &KeyHolder, before: KeyHash, text: &str) {
        let key_id = holder.key_id;
        if self.conversions.take(key_id, 1, Instant::now()).is_err() {
            return;
        }
        let after = hash(self.peppers.preferred(), text);
        let (store, peppers) = (store.clone(), self.peppers.clone());
        tokio::spawn(async move {
            let converted = async {
                if peppers.is_rotated(&store).await? {
                    store.api_keys().rehash(key_id, &before, &after, peppers.preferred().id()).await?;
                }
                Ok::<_, StoreError>(())
            };
            if let Err(error) = converted.await {
                tracing::warn!(%error, %key_id, "an API key could not be hashed with the new pepper");
            }
        });
    }
}

impl fmt::Debug for KeyHasher {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("KeyHasher(…)")
    }
}

#[cfg(test)]
mod rotation_tests;
