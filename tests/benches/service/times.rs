//! The times of calls, what they tell, and the time of processors.

use std::fmt;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// The times of calls of one kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Times(pub(crate) Vec<Duration>);

impl Times {
    /// The time that this percentage of the calls did not exceed, in milliseconds.
    pub(crate) fn at(&self, percent: usize) -> f64 {
        let mut times = self.0.clone();
        times.sort_unstable();
        let last = times.len().saturating_sub(1);
        times.get(last * percent / 100).map_or(0.0, |time| time.as_secs_f64() * 1_000.0)
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "median {:.2} ms, p95 {:.2} ms, of {} calls", self.at(50), self.at(95), self.0.len())
    }
}

/// The time of processors that this process, or this thread of it, has used: `clock` says which.
pub(crate) fn processor_time(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
}
