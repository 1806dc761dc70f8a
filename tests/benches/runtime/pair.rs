//! [`Pair`]: two ways to do the same, timed in turns, so that other load on the machine affects both.
//!
//! What counts is the processor time of this thread: waiting for a processor is nothing that either way does.

use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// How long one side of a round takes: long against the clock, short against what disturbs a machine.
const SLICE: Duration = Duration::from_micros(500);
const ROUNDS: usize = 1000;
const WARM_UP: usize = 50;

/// What comes of a comparison.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    /// Nanoseconds for one run of the first way, as the median of all rounds.
    pub(crate) first: f64,
    /// Nanoseconds for one run of the second way, as the median of all rounds.
    pub(crate) second: f64,
    /// The first way's time divided by the second's in the same round: median, and the quartiles around it.
    pub(crate) ratio: [f64; 3],
}

/// Compares two ways; each is told how often to run, and answers how long that took.
///
/// `quick` makes one short round of it, which shows that both ways work and measures nothing.
pub(crate) fn compare(
    quick: bool,
    mut first: impl FnMut(usize) -> Duration,
    mut second: impl FnMut(usize) -> Duration,
) -> Pair {
    let (rounds, warm_up) = if quick { (1, 0) } else { (ROUNDS, WARM_UP) };
    let runs = if quick { 1 } else { runs_in_slice(&mut second) };
    let mut times = Vec::with_capacity(rounds);
    for round in 0..warm_up + rounds {
        // Who comes second finds the caches as the other has left them.
        let (one, other) = if round % 2 == 0 {
            let one = first(runs);
            (one, second(runs))
        } else {
            let other = second(runs);
            (first(runs), other)
        };
        if round >= warm_up {
            times.push((nanoseconds(one, runs), nanoseconds(other, runs)));
        }
    }
    let quartiles = |of: &dyn Fn(&(f64, f64)) -> f64| {
        let mut values: Vec<f64> = times.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        [values[values.len() / 4], values[values.len() / 2], values[values.len() * 3 / 4]]
    };
    let [low, middle, high] = quartiles(&|(one, other)| one / other);
    Pair {
        first: quartiles(&|(one, _)| *one)[1],
        second: quartiles(&|(_, other)| *other)[1],
        ratio: [middle, low, high],
    }
}

/// The processor time that some work takes.
pub(crate) fn timed(work: impl FnOnce()) -> Duration {
    let now = || {
        let now = clock_gettime(ClockId::ThreadCPUTime);
        Duration::try_from(now).unwrap_or_default()
    };
    let start = now();
    work();
    now().saturating_sub(start)
}

/// Whether `cargo bench` runs this, and not a test of all targets.
pub(crate) fn is_bench() -> bool {
    std::env::args().any(|argument| argument == "--bench")
}

fn runs_in_slice(way: &mut impl FnMut(usize) -> Duration) -> usize {
    let mut runs = 1;
    while way(runs) < SLICE && runs < 1 << 20 {
        runs *= 2;
    }
    runs
}

fn nanoseconds(time: Duration, runs: usize) -> f64 {
    let runs = u32::try_from(runs).unwrap_or(u32::MAX);
    time.as_secs_f64() * 1e9 / f64::from(runs)
}
