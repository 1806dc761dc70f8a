//! One run of a program with its cost, and medians and ratios of runs.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use fs_err as fs;
use wait4::Wait4 as _;

/// What a run cost.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Cost {
    /// From start to end.
    pub(crate) wall: Duration,
    /// Of all processors, in the program and in the processes that it started.
    pub(crate) cpu: Duration,
    /// The most memory that one of these processes held, in bytes.
    pub(crate) peak: u64,
}

/// A column of numbers that can be taken from a cost.
pub(crate) type Measure = fn(&Cost) -> f64;

/// Seconds from start to end.
pub(crate) fn wall(cost: &Cost) -> f64 {
    cost.wall.as_secs_f64()
}

/// Seconds of processors.
pub(crate) fn cpu(cost: &Cost) -> f64 {
    cost.cpu.as_secs_f64()
}

/// Megabytes.
#[expect(clippy::cast_precision_loss, reason = "memory is shown in whole megabytes")]
pub(crate) fn peak(cost: &Cost) -> f64 {
    cost.peak as f64 / 1e6
}

/// Runs a program to completion. Returns `None` if it reports a failure; `log` then holds what it said.
pub(crate) fn run(command: &mut Command, log: &Path) -> Result<Option<Cost>> {
    let output = fs::File::create(log)?.into_parts().0;
    let name = command.get_program().to_owned();
    let started = Instant::now();
    let child = command
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(output)
        .spawn()
        .with_context(|| format!("failed to start `{}`", name.display()))?;
    let used = child.wait4().with_context(|| format!("failed to wait for `{}`", name.display()))?;
    let wall = started.elapsed();
    let cpu = used.rusage.utime + used.rusage.stime;
    Ok(used.status.success().then_some(Cost { wall, cpu, peak: used.rusage.maxrss }))
}

/// The value in the middle; `None` of nothing.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    Some(if values.len().is_multiple_of(2) {
        f64::midpoint(values[values.len() / 2 - 1], upper)
    } else {
        upper
    })
}

/// The median over the rounds in which both were run, one right after the other, of one divided by the other.
pub(crate) fn ratio(one: &[Cost], other: &[Cost], measure: Measure) -> Option<f64> {
    median(one.iter().zip(other).map(|(one, other)| measure(one) / measure(other)))
}
