//! The running service. The first argument names the benchmark.
//!
//! - `search`: search in the training content of many chatbots, and reading it in.
//! - `answers`: what a message costs.
//! - `rate_limits`: how many requests a second one API key gets through.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod answers;
mod content;
mod filling;
mod rate_limits;
mod search;
mod times;

use std::error::Error;

/// As in the program `frontdesk`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

#[tokio::main]
async fn main() -> Result<()> {
    // `cargo bench` adds options of its own.
    let mut words = std::env::args().skip(1).filter(|argument| !argument.starts_with('-'));
    let benchmark = words.next();
    let wanted: Vec<String> = words.collect();
    match benchmark.as_deref() {
        Some(search::NAME) => search::measure_all().await,
        Some("answers") => answers::measure_all(&wanted).await,
        Some("rate_limits") => rate_limits::measure_all().await,
        _ => Err("name the benchmark: `search`, `answers` or `rate_limits`".into()),
    }
}
