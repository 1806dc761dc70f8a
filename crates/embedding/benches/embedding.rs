//! Times of the bundled model: loading, a question, a passage of 200 words, and comparisons of vectors.
//!
//! The median of `RUNS` repetitions is printed, as processor time of the process and as elapsed time.
//! Processor time also holds on a busy machine; with `taskset --cpu-list 0` it is that of one core.

#![expect(clippy::print_stdout, reason = "the table is what the benchmark is for")]

use frontdesk_embedding::{Model, ModelError, Passage};
use rustix::time::{ClockId, clock_gettime};
use std::{
    hint::black_box,
    iter,
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

    let query = model.embed_query(QUESTION, None)?;
    let (stored, _) = model.embed_parts("", &[&passage], Some("en"))?;
    let stored = stored.quantize();

    report("question to content in German", 1, || model.embed_query(QUESTION, Some("de")).map(drop))?;
    report("question to content in English", 1, || model.embed_query(QUESTION, Some("en")).map(drop))?;
    for (name, language) in [("no known language", None), ("English", Some("en"))] {
        let name = format!("passage of 200 words in {name}");
        report(&name, 1, || model.embed_parts("", &[&passage], language).map(drop))?;
    }
    let passages: Vec<Passage> = iter::repeat_with(|| Passage {
        lead: String::new(),
        parts: vec![passage.as_str()],
        language: Some("en"),
    })
    .take(16)
    .collect();
    report("16 passages of 200 words in English", 1, || {
        model.embed_each(&passages).into_iter().try_for_each(|made| made.map(drop))
    })?;
    report("8 short passages", 1, || model.embed_passages(&short).map(drop))?;
    report("cosine with a stored English vector", 10_000, || {
        black_box(black_box(&stored).dot(black_box(&query)));
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
