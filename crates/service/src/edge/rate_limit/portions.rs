//! Portions of a rate limit: a process takes several events at once from the shared store, and admits them by
//! itself for a moment.
//!
//! Who asks often gets more: a portion that is used up within its time is followed by one of twice its size.
//! Who asks seldom gets one event at a time, and so is counted exactly. At most one request of a subject asks
//! the store; the others wait for what it gets, because the store would have them wait for each other anyway.
//! What was not used in time is given back.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use frontdesk_store::{RateDecision, RatePortion, RateWindows, StoreError};
use tokio::time::Instant;

/// How long a portion is used. A window may be up to twice this much longer than it should be.
const HELD: Duration = Duration::from_millis(250);
/// The most events that are taken at once.
const MOST: u32 = 4096;
/// Number of subjects that are kept before those without a portion are removed for the first time.
const FIRST_SWEEP: usize = 1024;

/// Windows in PostgreSQL, of which this process takes portions.
pub(super) struct PortionedWindows {
    windows: RateWindows,
    subjects: Mutex<Subjects>,
}

struct Subjects {
    by_name: HashMap<String, Arc<Subject>>,
    sweep_at: usize,
}

/// What this process has of the limit of one subject.
#[derive(Default)]
struct Subject {
    /// Held by the request that asks the store.
    turn: tokio::sync::Mutex<()>,
    /// Requests that ask, or wait for the one that does.
    waiting: AtomicU32,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The events that can still be used, and the moment from which they count in the store.
    left: u32,
    moment: i64,
    /// Until when they can be used.
    until: Option<Instant>,
    /// The size of the portion that they are from.
    granted: u32,
    /// The last refusal, and when it was asked for.
    refused: Option<(Instant, Duration)>,
}

impl PortionedWindows {
    pub(super) fn new(windows: RateWindows) -> Self {
        let subjects = Subjects { by_name: HashMap::new(), sweep_at: FIRST_SWEEP };
        Self { windows, subjects: Mutex::new(subjects) }
    }

    /// Returns `None` if an event is admitted, or else the time after which the next one will be.
    pub(super) async fn take(
        &self,
        name: &str,
        limit: u32,
        window: Duration,
    ) -> Result<Option<Duration>, StoreError> {
        let arrived = Instant::now();
        let subject = self.subject(name, arrived);
        if subject.state().use_one(arrived) {
            return Ok(None);
        }
        let _waiting = Waiting::of(&subject);
        let _turn = subject.turn.lock().await;
        let now = Instant::now();
        let wanted = {
            let mut state = subject.state();
            if state.use_one(now) {
                return Ok(None);
            }
            // The store was asked after this request had come, and has said no.
            if let Some((_, wait)) = state.refused.filter(|(asked, _)| *asked >= arrived) {
                return Ok(Some(wait));
            }
            state.wanted(now).max(subject.waiting.load(Ordering::Relaxed)).min(MOST)
        };
        self.give_back(name, &subject);
        match self.windows.take_portion(name, limit, window, wanted, HELD).await? {
            RateDecision::Granted(portion) => {
                subject.state().fill(portion, now + HELD);
                if portion.events > 1 {
                    self.give_back_later(name, &subject, now + HELD);
                }
                Ok(None)
            }
            RateDecision::Wait(wait) => {
                subject.state().refused = Some((now, wait));
                Ok(Some(wait))
            }
        }
    }

    /// Returns what [`take`](Self::take) would, without counting an event.
    pub(super) async fn check(
        &self,
        name: &str,
        limit: u32,
        window: Duration,
    ) -> Result<Option<Duration>, StoreError> {
        let now = Instant::now();
        let known = self.subjects().by_name.get(name).cloned();
        if known.is_some_and(|subject| subject.state().has_any(now)) {
            return Ok(None);
        }
        self.windows.check(name, limit, window).await
    }

    /// Removes expired windows.
    pub(super) async fn prune(&self) -> Result<(), StoreError> {
        self.windows.prune().await.map(drop)
    }

    /// Gives back what is left of a portion whose time is over.
    fn give_back(&self, name: &str, subject: &Subject) {
        let Some(unused) = subject.state().end() else { return };
        let (windows, name) = (self.windows.clone(), name.to_owned());
        tokio::spawn(async move { return_unused(&windows, &name, unused).await });
    }

    fn give_back_later(&self, name: &str, subject: &Arc<Subject>, until: Instant) {
        let (windows, name, subject) = (self.windows.clone(), name.to_owned(), Arc::clone(subject));
        tokio::spawn(async move {
            tokio::time::sleep_until(until).await;
            let unused = subject.state().end_if(until);
            if let Some(unused) = unused {
                return_unused(&windows, &name, unused).await;
            }
        });
    }

    fn subject(&self, name: &str, now: Instant) -> Arc<Subject> {
        let mut subjects = self.subjects();
        if let Some(known) = subjects.by_name.get(name) {
            return Arc::clone(known);
        }
        if subjects.by_name.len() >= subjects.sweep_at {
            // One that a request holds stays, so that there is only one of each name.
            subjects.by_name.retain(|_, subject| {
                Arc::strong_count(subject) > 1 || subject.state().until.is_some_and(|until| now < until)
            });
            subjects.sweep_at = FIRST_SWEEP.max(2 * subjects.by_name.len());
        }
        Arc::clone(subjects.by_name.entry(name.to_owned()).or_default())
    }

    fn subjects(&self) -> MutexGuard<'_, Subjects> {
        // No code panics halfway through a change, so a poisoned state is still consistent.
        self.subjects.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// If this fails, the events count for the rest of their minute.
async fn return_unused(windows: &RateWindows, name: &str, unused: RatePortion) {
    if let Err(error) = windows.give_back(name, unused).await {
        tracing::debug!(%error, "events of a rate limit that were not used cannot be given back");
    }
}

impl Subject {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn has_any(&self, now: Instant) -> bool {
        self.left > 0 && self.until.is_some_and(|until| now < until)
    }

    fn use_one(&mut self, now: Instant) -> bool {
        let is_there = self.has_any(now);
        self.left -= u32::from(is_there);
        is_there
    }

    /// How many events the next portion should have: twice as many as the last one if that was used up in
    /// time, or else as many as were used.
    fn wanted(&self, now: Instant) -> u32 {
        match self.until {
            Some(until) if now < until => self.granted.saturating_mul(2),
            Some(_) => (self.granted - self.left).max(1),
            None => 1,
        }
    }

    /// Notes a portion, of which one event is used at once.
    fn fill(&mut self, portion: RatePortion, until: Instant) {
        self.left = portion.events - 1;
        self.moment = portion.moment;
        self.granted = portion.events;
        self.until = Some(until);
    }

    /// Takes out what is left of the portion, which is then as large as what was used of it.
    fn end(&mut self) -> Option<RatePortion> {
        let events = std::mem::take(&mut self.left);
        self.granted -= events;
        (events > 0).then_some(RatePortion { events, moment: self.moment })
    }

    /// As [`end`](Self::end), if it is still the portion that ends at this moment.
    fn end_if(&mut self, until: Instant) -> Option<RatePortion> {
        if self.until == Some(until) { self.end() } else { None }
    }
}

/// Counts a request as waiting until it is dropped.
struct Waiting<'a>(&'a Subject);

impl<'a> Waiting<'a> {
    fn of(subject: &'a Subject) -> Self {
        subject.waiting.fetch_add(1, Ordering::Relaxed);
        Self(subject)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn portion(events: u32) -> RatePortion {
        RatePortion { events, moment: 7 }
    }

    #[tokio::test(start_paused = true)]
    async fn portions_grow_while_they_are_used_up_and_shrink_to_what_is_used() {
        let now = Instant::now();
        let mut state = State::default();
        assert_eq!(state.wanted(now), 1);
        state.fill(portion(1), now + HELD);
        assert!(!state.use_one(now));
        assert_eq!(state.wanted(now), 2);
        state.fill(portion(8), now + HELD);
        assert!((0..7).all(|_| state.use_one(now)));
        assert!(!state.use_one(now));
        assert_eq!(state.wanted(now), 16);
        state.fill(portion(16), now + HELD);
        assert!(state.use_one(now) && state.use_one(now));
        // Its time is over: nothing of it may be used, and the rest is given back, once.
        assert!(!state.use_one(now + HELD));
        assert_eq!(state.wanted(now + HELD), 3);
        assert_eq!(state.end_if(now), None);
        assert_eq!(state.end_if(now + HELD), Some(portion(13)));
        assert_eq!(state.end(), None);
        assert_eq!(state.wanted(now + HELD), 3);
        assert_eq!(state.wanted(now + 100 * HELD), 3);
    }
}
