//! The stores in which several processes count events together.

use std::time::Duration;

use frontdesk_store::StoreError;

use super::operation::Operation;
use super::portions::PortionedWindows;
use super::redis_windows::RedisWindows;

/// Where several processes count events together.
pub(super) enum SharedStore {
    /// The PostgreSQL database of the installation.
    Postgres(PortionedWindows),
    /// A Redis or Valkey server.
    Redis(RedisWindows),
}

/// The store could not decide.
#[derive(Debug, thiserror::Error)]
pub(super) enum SharedStoreError {
    /// PostgreSQL failed.
    #[error(transparent)]
    Postgres(#[from] StoreError),
    /// Redis or Valkey failed.
    #[error(transparent)]
    Redis(#[from] redis::RedisError),
}

impl SharedStore {
    /// Returns the name of the store, for the log.
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Postgres(_) => "PostgreSQL",
            Self::Redis(_) => "Redis",
        }
    }

    /// Returns `None` if the event is admitted, or else the time after which the next one will be.
    pub(super) async fn decide(
        &self,
        operation: Operation,
        name: &str,
        limit: u32,
        window: Duration,
    ) -> Result<Option<Duration>, SharedStoreError> {
        Ok(match (self, operation) {
            (Self::Postgres(windows), Operation::Take) => windows.take(name, limit, window).await?,
            (Self::Postgres(windows), Operation::Check) => windows.check(name, limit, window).await?,
            (Self::Redis(windows), _) => windows.decide(operation, name, limit, window).await?,
        })
    }

    /// Removes expired entries. Redis does so by itself.
    pub(super) async fn prune(&self) -> Result<(), SharedStoreError> {
        if let Self::Postgres(windows) = self {
            windows.prune().await?;
        }
        Ok(())
    }
}
