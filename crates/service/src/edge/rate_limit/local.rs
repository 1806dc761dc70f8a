//! Sliding-window rate limits within one process: [`RateLimit`].
//!
//! The count is exact. The limit remembers when each event of the last minute was admitted, so a limit of 60
//! admits 60 events in any 60 seconds, however they are distributed, and knows when the next one will be
//! admitted.

use std::{
    collections::{HashMap, VecDeque},
    fmt,
    hash::Hash,
    sync::{Mutex, MutexGuard, PoisonError},
};

use tokio::time::Instant;

use super::{Exceeded, WINDOW};

/// Number of keys that are kept before keys without recent events are removed for the first time.
const FIRST_SWEEP: usize = 1024;

/// A maximum number of events per key within any minute, counted in this process.
pub(crate) struct RateLimit<K> {
    state: Mutex<State<K>>,
}

struct State<K> {
    events: HashMap<K, VecDeque<Instant>>,
    sweep_at: usize,
}

impl<K: Eq + Hash> RateLimit<K> {
    pub(crate) fn new() -> Self {
        Self { state: Mutex::new(State { events: HashMap::new(), sweep_at: FIRST_SWEEP }) }
    }

    /// Admits an event and counts it, or refuses it without counting it.
    pub(crate) fn take(&self, key: K, limit: u32, now: Instant) -> Result<(), Exceeded> {
        let mut state = self.lock();
        state.sweep(now);
        let events = state.events.entry(key).or_default();
        check(events, limit, now)?;
        insert(events, now);
        Ok(())
    }

    /// Counts an event that was admitted elsewhere, whatever the limit is.
    pub(super) fn record(&self, key: K, moment: Instant) {
        let mut state = self.lock();
        state.sweep(moment);
        insert(state.events.entry(key).or_default(), moment);
    }

    /// Returns whether an event would be admitted, without counting it.
    pub(crate) fn check(&self, key: &K, limit: u32, now: Instant) -> Result<(), Exceeded> {
        match self.lock().events.get_mut(key) {
            Some(events) => check(events, limit, now),
            None => Ok(()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<K>> {
        // No code panics halfway through a change, so a poisoned state is still consistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Eq + Hash> State<K> {
    /// Removes keys without recent events once the number of keys has doubled.
    fn sweep(&mut self, now: Instant) {
        if self.events.len() >= self.sweep_at {
            self.events.retain(|_, events| events.back().is_some_and(|last| is_recent(*last, now)));
            self.sweep_at = FIRST_SWEEP.max(2 * self.events.len());
        }
    }
}

/// Events are kept in order of time; parallel callers may report them slightly out of order.
fn insert(events: &mut VecDeque<Instant>, moment: Instant) {
    let position = events.partition_point(|event| *event <= moment);
    events.insert(position, moment);
}

fn check(events: &mut VecDeque<Instant>, limit: u32, now: Instant) -> Result<(), Exceeded> {
    while events.front().is_some_and(|first| !is_recent(*first, now)) {
        events.pop_front();
    }
    let limit = limit as usize;
    if events.len() < limit {
        return Ok(());
    }
    // The next event is admitted when this one leaves the window. It is the oldest one unless the limit was
    // lowered.
    let leaving =
        events.len().checked_sub(limit.max(1)).and_then(|index| events.get(index)).copied().unwrap_or(now);
    Err(Exceeded::after((leaving + WINDOW).saturating_duration_since(now)))
}

fn is_recent(event: Instant, now: Instant) -> bool {
    now.saturating_duration_since(event) < WINDOW
}

impl<K> fmt::Debug for RateLimit<K> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("RateLimit").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use super::*;

    fn after(start: Instant, milliseconds: u64) -> Instant {
        start + Duration::from_millis(milliseconds)
    }

    #[test]
    fn exactly_the_limit_passes_in_any_minute() {
        let limit = RateLimit::new();
        let start = Instant::now();
        // 60 requests in the last second of a minute must not allow 60 more in the first second of the next.
        for event in 0..60 {
            assert_eq!(limit.take("key", 60, after(start, 59_000 + event * 10)), Ok(()));
        }
        assert_eq!(limit.take("key", 60, after(start, 60_000)), Err(Exceeded { retry_after: 59 }));
        assert_eq!(limit.take("key", 60, after(start, 118_999)), Err(Exceeded { retry_after: 1 }));
        assert_eq!(limit.take("key", 60, after(start, 119_000)), Ok(()));
        assert_eq!(limit.take("key", 60, after(start, 119_000)), Err(Exceeded { retry_after: 1 }));
    }

    #[test]
    fn refused_events_do_not_prolong_the_wait() {
        let limit = RateLimit::new();
        let start = Instant::now();
        assert_eq!(limit.take(1, 1, start), Ok(()));
        for second in 1..60 {
            let expected = Err(Exceeded { retry_after: 60 - second });
            assert_eq!(limit.take(1, 1, after(start, second * 1000)), expected);
        }
        assert_eq!(limit.take(1, 1, after(start, 60_000)), Ok(()));
    }

    #[test]
    fn keys_do_not_share_a_limit_and_a_limit_can_change() {
        let limit = RateLimit::new();
        let start = Instant::now();
        for (key, allowed) in [("a", 2_u32), ("b", 5)] {
            let passed = (0..10).filter(|_| limit.take(key, allowed, start).is_ok()).count();
            assert_eq!(passed, allowed as usize);
        }
        assert!(limit.check(&"b", 6, start).is_ok());
        assert!(limit.check(&"c", 1, start).is_ok());
        // Lowered below the number of admitted events: the wait lasts until fewer than the new limit are
        // left.
        let late = RateLimit::new();
        for event in 0..4 {
            late.take("a", 4, after(start, event * 1000)).unwrap();
        }
        assert_eq!(late.check(&"a", 2, after(start, 3000)), Err(Exceeded { retry_after: 59 }));
    }

    #[test]
    fn keys_without_recent_events_are_removed() {
        let limit = RateLimit::new();
        let start = Instant::now();
        for key in 0..10_000_u64 {
            // 100 keys a second: no more than 6000 of them are recent.
            limit.take(key, 1, after(start, key * 10)).unwrap();
        }
        let held = limit.lock().events.len();
        assert!(held < 10_000, "{held} keys are held");
        assert!(limit.check(&9_999, 1, after(start, 100_000)).is_err());
    }

    #[test]
    fn parallel_callers_get_no_more_than_the_limit() {
        let limit = Arc::new(RateLimit::new());
        let now = Instant::now();
        let threads: Vec<_> = (0..8)
            .map(|_| {
                let limit = Arc::clone(&limit);
                std::thread::spawn(move || (0..50).filter(|_| limit.take((), 60, now).is_ok()).count())
            })
            .collect();
        let passed: usize = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
        assert_eq!(passed, 60);
    }
}
