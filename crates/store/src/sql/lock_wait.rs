//! Waiting for a SQLite file that another process has locked.

use std::time::{Duration, Instant};

use crate::sql::error;

/// How long a process waits for another one that has locked a SQLite file.
const LONGEST: Duration = Duration::from_mins(1);
/// The first and the longest pause between attempts at what SQLite refuses without waiting.
const PAUSES: (Duration, Duration) = (Duration::from_millis(5), Duration::from_millis(200));

/// Attempts at what SQLite refuses at once while another process has the file, whatever `busy_timeout` says:
/// changing the mode of the journal, and reading a log that another process recovers.
pub(crate) struct LockWait {
    until: Instant,
    pause: Duration,
}

impl LockWait {
    pub(crate) fn new() -> Self {
        Self { until: Instant::now() + LONGEST, pause: PAUSES.0 }
    }

    /// Waits for a moment and returns true if what failed should be tried again.
    pub(crate) async fn allows(&mut self, error: &sqlx::Error) -> bool {
        if !error::is_locked(error) || Instant::now() >= self.until {
            return false;
        }
        tokio::time::sleep(self.pause).await;
        self.pause = (self.pause * 2).min(PAUSES.1);
        true
    }
}
