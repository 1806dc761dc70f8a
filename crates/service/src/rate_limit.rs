//! Owns [`RateLimit`]: at most so many events of one kind within any minute.
//!
//! The count is exact: it remembers when each event of the last minute was let through, so a limit of 60 lets 60
//! through in any 60 seconds, however they fall, and can say when the next one will be.
//! It is kept in this process; several processes each allow the limit.

use std::{
    collections::{HashMap, VecDeque},
    fmt,
    hash::Hash,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

/// The time over which events are counted.
const WINDOW: Duration = Duration::from_mins(1);

/// Keys that are held before the first clearing of those that have fallen silent.
const FIRST_SWEEP: usize = 1024;

/// At most so many events of each key within any minute.
pub(crate) struct RateLimit<K> {
    state: Mutex<State<K>>,
}

struct State<K> {
    events: HashMap<K, VecDeque<Instant>>,
    sweep_at: usize,
}

/// An event is one too many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exceeded {
    /// Whole seconds after which the next event will be let through, at least 1.
    pub(crate) retry_after: u64,
}

impl<K: Eq + Hash> RateLimit<K> {
    pub(crate) fn new() -> Self {
        Self { state: Mutex::new(State { events: HashMap::new(), sweep_at: FIRST_SWEEP }) }
    }

    /// Lets an event through and counts it, or refuses it without counting it.
    pub(crate) fn take(&self, key: K, limit: u32, now: Instant) -> Result<(), Exceeded> {
        let mut state = self.lock();
        if state.events.len() >= state.sweep_at {
            state.events.retain(|_, events| events.back().is_some_and(|last| is_recent(*last, now)));
            state.sweep_at = FIRST_SWEEP.max(2 * state.events.len());
        }
        let events = state.events.entry(key).or_default();
        check(events, limit, now)?;
        events.push_back(now);
        Ok(())
    }

    /// Whether an event would be let through.
    pub(crate) fn check(&self, key: &K, limit: u32, now: Instant) -> Result<(), Exceeded> {
        match self.lock().events.get_mut(key) {
            Some(events) => check(events, limit, now),
            None => Ok(()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<K>> {
        // Nothing in here panics half-way through a change, so a poisoned state is still a good one.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn check(events: &mut VecDeque<Instant>, limit: u32, now: Instant) -> Result<(), Exceeded> {
    while events.front().is_some_and(|first| !is_recent(*first, now)) {
        events.pop_front();
    }
    let limit = limit as usize;
    if events.len() < limit {
        return Ok(());
    }
    // When this one leaves the window there is room again; it is the first unless the limit was lowered.
    let leaving =
        events.len().checked_sub(limit.max(1)).and_then(|index| events.get(index)).copied().unwrap_or(now);
    let wait = (leaving + WINDOW).saturating_duration_since(now);
    Err(Exceeded {
        retry_after: wait.as_secs() + u64::from(wait.subsec_nanos() > 0).max(u64::from(wait.is_zero())),
    })
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
    use std::sync::Arc;

    use super::*;

    fn after(start: Instant, milliseconds: u64) -> Instant {
        start + Duration::from_millis(milliseconds)
    }

    #[test]
    fn exactly_the_limit_passes_in_any_minute() {
        let limit = RateLimit::new();
        let start = Instant::now();
        // 60 requests in the last second of a minute must not make room for 60 more in the first of the next.
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
        // Lowered below what has passed: the wait lasts until fewer than the new limit are left.
        let late = RateLimit::new();
        for event in 0..4 {
            late.take("a", 4, after(start, event * 1000)).unwrap();
        }
        assert_eq!(late.check(&"a", 2, after(start, 3000)), Err(Exceeded { retry_after: 59 }));
    }

    #[test]
    fn silent_keys_are_forgotten() {
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
