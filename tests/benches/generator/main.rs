//! The generator beside others that a user would take instead. The first argument names the benchmark.
//!
//! - `generation`: generation time and peak memory.
//! - `check_time`: what `cargo check` costs on the generated crates.
//!
//! Further arguments select documents of the folder that `FRONTDESK_CORPUS` names. `tests/benches/README.md`
//! says how to run each benchmark, and has the results.

mod check_time;
mod crates;
mod generation;
mod measure;
mod peers;
mod setting;
mod table;

use anyhow::{Result, bail};

fn main() -> Result<()> {
    // `cargo bench` adds options of its own.
    let mut words = std::env::args().skip(1).filter(|argument| !argument.starts_with('-'));
    let benchmark = words.next();
    let wanted: Vec<String> = words.collect();
    match benchmark.as_deref() {
        Some("generation") => generation::measure_all(wanted),
        Some("check_time") => check_time::measure_all(wanted),
        _ => bail!("name the benchmark: `generation` or `check_time`"),
    }
}
