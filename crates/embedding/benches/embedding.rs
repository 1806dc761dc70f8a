//! Times of the bundled model: loading, a question, a passage of 200 words, and comparisons of vectors.
//!
//! The median of `RUNS` repetitions is printed, as processor time of the process and as elapsed time. Processor time
//! also holds on a busy machine; with `taskset --cpu-list 0` it is that of one core.

#![expect(clippy::print_stdout, reason = "the table is what the benchmark is for")]

use frontdesk_embedding::{Model, ModelError};
use rustix::time::{ClockId, clock_gettime};
use std::{
    hint::black_box,
    time::{Duration, Instant},
};

/// Repetitions of each measurement.
const RUNS: usize = 21;

const QUESTION: &str = "When are you open on Saturday?";

const SENTENCE: &str = "On Saturdays the shop opens at half past eight and closes at five, and the workshop next door \
                        takes in repairs until the last customer has been served. ";

fn main() -> Result<(), ModelError> {
    let start = Instant::now();
    let model = Model::bundled()?;
    println!("load: {:.0} ms", start.elapsed().as_secs_f64() * 1e3);

    let words: Vec<&str> = SENTENCE.split_whitespace().collect();
    let passage: Vec<&str> = words.iter().copied().cycle().take(200).collect();
    let passage = passage.join(" ");
    let short = vec!["The shop opens at half past eight."; 8];

    let query = model.embed_query(QUESTION)?.quantize();
    let stored = model.embed_passages(&[&passage])?[0].quantize();
    let bytes = stored.to_bytes();

    report("question", 1, || model.embed_query(QUESTION).map(drop))?;
    report("passage of 200 words", 1, || model.embed_passages(&[&passage]).map(drop))?;
    report("8 short passages", 1, || model.embed_passages(&short).map(drop))?;
    report("cosine of stored vectors", 10_000, || {
        black_box(black_box(&query).dot_quantized(black_box(&stored)));
        Ok(())
    })?;
    report("cosine with stored bytes", 10_000, || {
        let _ = black_box(black_box(&query).dot_bytes(black_box(&bytes)));
        Ok(())
    })?;
    Ok(())
}

/// Prints the median times of a call, measured over `calls` calls at once.
fn report(
    name: &str,
    calls: u32,
    mut call: impl FnMut() -> Result<(), ModelError>,
) -> Result<(), ModelError> {
    let mut times = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        let (start, processor) = (Instant::now(), processor_time());
        for _ in 0..calls {
            call()?;
        }
        times.push((processor_time().saturating_sub(processor) / calls, start.elapsed() / calls));
    }
    times.sort();
    let (processor, elapsed) = times[RUNS / 2];
    println!("{name}: {processor:.1?} of the processor, {elapsed:.1?} elapsed");
    Ok(())
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
}
