//! Readiness: whether this process can do its work, for `GET /ready`.

use std::{
    fmt,
    path::Path,
    sync::{Arc, OnceLock},
    time::Duration,
};

use frontdesk_store::Store;
use jiff::Timestamp;
use tokio::{
    sync::Mutex,
    task::AbortHandle,
    time::{Instant, timeout},
};

use crate::platform::{config::Config, sqlite_file::sqlite_file};

/// How long the database may take to accept a write.
const DATABASE_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a result is reused: anybody may ask, and each check writes to the database.
const REUSE: Duration = Duration::from_secs(1);

/// Why a process is not ready. The text is public, so it contains no internals; the log has the details.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    /// The database does not accept a write.
    Database,
    /// Background workers have not been started or have ended.
    Workers,
    /// The disk of the database is almost full.
    Disk,
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Database => "The database cannot be written to.",
            Self::Workers => "The background workers are not running.",
            Self::Disk => "The disk of the database is almost full.",
        })
    }
}

/// Whether this process can do its work. Clones share their state.
#[derive(Clone, Debug, Default)]
pub struct Readiness {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    workers: OnceLock<Vec<AbortHandle>>,
    /// Held during a check, so that there is one at a time.
    last: Mutex<Option<(Instant, Vec<Problem>)>>,
}

impl Readiness {
    /// Sets the tasks that have to run while the process is ready. Only the first call has an effect.
    pub(crate) fn watch_workers(&self, workers: Vec<AbortHandle>) {
        if self.inner.workers.set(workers).is_err() {
            tracing::debug!("the background workers are already watched");
        }
    }

    /// Returns everything that prevents the process from doing its work. A result is reused for a second.
    pub(crate) async fn check(&self, store: &Store, config: &Config, now: Timestamp) -> Vec<Problem> {
        let mut last = self.inner.last.lock().await;
        if let Some((checked_at, problems)) = &*last
            && checked_at.elapsed() < REUSE
        {
            return problems.clone();
        }
        let mut problems = Vec::new();
        if !database_accepts_writes(store, now).await {
            problems.push(Problem::Database);
        }
        let workers = self.inner.workers.get();
        if workers.is_none_or(|workers| workers.iter().any(AbortHandle::is_finished)) {
            tracing::error!("background workers are not running");
            problems.push(Problem::Workers);
        }
        if let Some(file) = sqlite_file(config.database.expose())
            && !disk_has_space(&file, config.ready.min_free_bytes)
        {
            problems.push(Problem::Disk);
        }
        *last = Some((Instant::now(), problems.clone()));
        problems
    }
}

async fn database_accepts_writes(store: &Store, now: Timestamp) -> bool {
    let problem = match timeout(DATABASE_TIMEOUT, store.check_write(now)).await {
        Ok(Ok(())) => return true,
        Ok(Err(error)) => error.to_string(),
        Err(_) => "it did not respond in time".to_owned(),
    };
    tracing::error!(problem, "the database cannot be written to");
    false
}

/// Returns whether the disk of a file has this much free space; unknown counts as enough, because the write
/// was successful.
fn disk_has_space(file: &Path, min_free_bytes: u64) -> bool {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match rustix::fs::statvfs(folder) {
        Ok(disk) => {
            let free = disk.f_bavail.saturating_mul(disk.f_frsize);
            if free < min_free_bytes {
                tracing::error!(free, min_free_bytes, "the disk of the database is almost full");
            }
            free >= min_free_bytes
        }
        Err(error) => {
            tracing::warn!(%error, "the free space of the disk of the database is unknown");
            true
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_space_is_compared_with_the_minimum() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("frontdesk.db");
        assert!(disk_has_space(&file, 1));
        assert!(!disk_has_space(&file, u64::MAX));
        assert!(disk_has_space(&folder.path().join("absent/frontdesk.db"), u64::MAX));
    }
}
