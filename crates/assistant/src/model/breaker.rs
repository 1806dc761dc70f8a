//! Circuit breaker: stops calling an endpoint that keeps failing, and probes it with single calls.
//!
//! The circuit is closed while calls are allowed. A number of consecutive failures opens it: calls are
//! refused until a cooldown has passed. Then it is half-open: one call at a time is the probe, which closes
//! or reopens the circuit.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::config::BreakerSettings;

/// The circuit breaker of one endpoint.
#[derive(Debug)]
pub(super) struct Breaker {
    settings: BreakerSettings,
    state: Mutex<State>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Calls are allowed; so many have failed in a row.
    Closed { failures: u32 },
    /// Calls are refused until this moment.
    Open { until: Instant },
    /// A probe is running; other calls are refused.
    HalfOpen,
}

/// A call that the breaker has allowed. Dropping it without a result abandons the call, which proves nothing.
#[derive(Debug)]
pub(super) struct Admission<'a> {
    breaker: &'a Breaker,
    is_probe: bool,
    is_reported: bool,
}

/// The change of the circuit that a call caused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    Opened,
    Closed,
}

impl Breaker {
    pub(super) fn new(settings: BreakerSettings) -> Self {
        Self { settings, state: Mutex::new(State::Closed { failures: 0 }) }
    }

    /// Allows a call, or returns how long to wait before the next one can be allowed.
    pub(super) fn admit(&self, now: Instant) -> Result<Admission<'_>, Duration> {
        let mut state = self.state();
        let is_probe = match *state {
            State::Closed { .. } => false,
            State::Open { until } if now >= until => {
                *state = State::HalfOpen;
                true
            }
            State::Open { until } => return Err(until - now),
            State::HalfOpen => return Err(self.settings.cooldown),
        };
        Ok(Admission { breaker: self, is_probe, is_reported: false })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every assignment leaves a valid state, so a panic elsewhere does not make it unusable.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Admission<'_> {
    /// Records that the endpoint works.
    pub(super) fn succeed(mut self) -> Option<Change> {
        self.is_reported = true;
        let mut state = self.breaker.state();
        match *state {
            State::HalfOpen if self.is_probe => {
                *state = State::Closed { failures: 0 };
                Some(Change::Closed)
            }
            State::Closed { .. } => {
                *state = State::Closed { failures: 0 };
                None
            }
            // A call from before the circuit opened: the probe decides, not this one.
            State::Open { .. } | State::HalfOpen => None,
        }
    }

    /// Records that the endpoint failed.
    pub(super) fn fail(mut self, now: Instant) -> Option<Change> {
        self.is_reported = true;
        let BreakerSettings { failures: limit, cooldown } = self.breaker.settings;
        let mut state = self.breaker.state();
        match *state {
            State::HalfOpen if self.is_probe => {
                *state = State::Open { until: now + cooldown };
                None
            }
            State::Closed { failures } if failures + 1 >= limit => {
                *state = State::Open { until: now + cooldown };
                Some(Change::Opened)
            }
            State::Closed { failures } => {
                *state = State::Closed { failures: failures + 1 };
                None
            }
            State::Open { .. } | State::HalfOpen => None,
        }
    }
}

impl Drop for Admission<'_> {
    fn drop(&mut self) {
        // Without a result the next call must be able to probe, else the circuit would stay half-open for
        // ever.
        if self.is_probe && !self.is_reported {
            *self.breaker.state() = State::Open { until: Instant::now() };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COOLDOWN: Duration = Duration::from_secs(30);

    fn breaker() -> Breaker {
        Breaker::new(BreakerSettings { failures: 3, cooldown: COOLDOWN })
    }

    fn open(breaker: &Breaker, now: Instant) {
        assert_eq!(breaker.admit(now).unwrap().fail(now), None);
        assert_eq!(breaker.admit(now).unwrap().fail(now), None);
        assert_eq!(breaker.admit(now).unwrap().fail(now), Some(Change::Opened));
    }

    #[test]
    fn consecutive_failures_open_the_circuit_and_a_success_resets_the_count() {
        let (breaker, now) = (breaker(), Instant::now());
        for _ in 0..5 {
            assert_eq!(breaker.admit(now).unwrap().fail(now), None);
            assert_eq!(breaker.admit(now).unwrap().fail(now), None);
            assert_eq!(breaker.admit(now).unwrap().succeed(), None);
        }
        open(&breaker, now);
        assert_eq!(breaker.admit(now).unwrap_err(), COOLDOWN);
        let later = now + COOLDOWN - Duration::from_secs(1);
        assert_eq!(breaker.admit(later).unwrap_err(), Duration::from_secs(1));
    }

    #[test]
    fn one_probe_at_a_time_decides() {
        let (breaker, now) = (breaker(), Instant::now());
        open(&breaker, now);
        let later = now + COOLDOWN;
        let probe = breaker.admit(later).unwrap();
        assert!(breaker.admit(later).is_err());
        assert_eq!(probe.fail(later), None);
        assert_eq!(breaker.admit(later).unwrap_err(), COOLDOWN);

        let later = later + COOLDOWN;
        let probe = breaker.admit(later).unwrap();
        assert_eq!(probe.succeed(), Some(Change::Closed));
        assert!(breaker.admit(later).is_ok() && breaker.admit(later).is_ok());
    }

    #[test]
    fn an_abandoned_probe_leaves_the_next_call_to_probe() {
        let (breaker, now) = (breaker(), Instant::now());
        open(&breaker, now);
        drop(breaker.admit(now + COOLDOWN).unwrap());
        let probe = breaker.admit(Instant::now()).unwrap();
        assert!(probe.is_probe);
    }

    #[test]
    fn calls_from_before_the_circuit_opened_do_not_close_it() {
        let (breaker, now) = (breaker(), Instant::now());
        let slow = breaker.admit(now).unwrap();
        open(&breaker, now);
        assert_eq!(slow.succeed(), None);
        assert!(breaker.admit(now).is_err());
    }
}
