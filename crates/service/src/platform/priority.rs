//! [`Priority`]: the answers that are being written, which other work makes way for.

use std::time::Duration;

use tokio::sync::watch;

/// How many answers are being written in this process. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Priority(watch::Sender<usize>);

impl Priority {
    /// Counts an answer as being written until the guard is dropped.
    pub(crate) fn begin(&self) -> AnswerGuard {
        self.0.send_modify(|count| *count += 1);
        AnswerGuard(self.clone())
    }

    /// Waits until no answer is being written, but no longer than `longest`. Work in the background calls it
    /// before each of its steps.
    pub(crate) async fn pause(&self, longest: Duration) {
        let mut changes = self.0.subscribe();
        // If the time is over, or everything ends, the work goes on.
        drop(tokio::time::timeout(longest, changes.wait_for(|count| *count == 0)).await);
    }
}

/// An answer that is being written.
#[derive(Debug)]
pub(crate) struct AnswerGuard(Priority);

impl Drop for AnswerGuard {
    fn drop(&mut self) {
        self.0.0.send_modify(|count| *count -= 1);
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::Instant;

    use super::*;

    const LONGEST: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn work_waits_for_answers_but_not_for_ever() {
        let priority = Priority::default();
        let waited = async || {
            let begin = Instant::now();
            priority.pause(LONGEST).await;
            begin.elapsed()
        };
        assert_eq!(waited().await, Duration::ZERO);
        let first = priority.begin();
        let second = priority.begin();
        assert!(waited().await >= LONGEST);
        drop(first);
        tokio::spawn(async move {
            tokio::time::sleep(LONGEST / 2).await;
            drop(second);
        });
        assert!((LONGEST / 2..LONGEST).contains(&waited().await));
        assert_eq!(waited().await, Duration::ZERO);
    }
}
