//! Generation time and peak memory beside the peers that a user would take instead: all of ours, model,
//! server and client, against what each of them makes, which is a client.
//!
//! Documents come from the folder that `FRONTDESK_CORPUS` names: those above a megabyte, or those named as
//! arguments.

use std::path::PathBuf;

use anyhow::Result;
use fs_err as fs;
use xtask::corpus::documents::Document;

use crate::measure::{Cost, Measure, cpu, median, peak, ratio, wall};
use crate::peers::{self, Generator};
use crate::setting::{Setting, order, print, say};
use crate::table::{Table, cell, megabytes};

/// Documents above this size, in bytes, are measured unless others are named.
const LARGE: u64 = 1_000_000;
/// How often, unless told otherwise.
const ROUNDS: usize = 7;
/// The most that our time may be of openapi-to-rust's, in the median of the documents; on none it may be more
/// than theirs.
const ACCEPTED: f64 = 0.7;

/// A document, and what every round on it cost each generator; nothing for one that failed.
#[derive(Debug)]
struct Measured {
    document: Document,
    costs: Vec<(Generator, Vec<Cost>)>,
}

/// Measures all documents, or those that are `wanted`.
pub(crate) fn measure_all(wanted: Vec<String>) -> Result<()> {
    let Some(setting) = Setting::new("generation", ROUNDS, wanted)? else { return Ok(()) };
    peers::build_ours(&setting)?;
    let generators = Generator::present(&setting)?;
    let mut results = Vec::new();
    for document in &setting.documents {
        let chosen = if setting.wanted.is_empty() {
            document.bytes > LARGE
        } else {
            setting.wanted.contains(&document.name)
        };
        if chosen {
            results.push(measure(&setting, document, &generators)?);
        }
    }
    print(&report(&setting, &results))
}

/// Runs every generator on a document, taking turns. A first turn, which counts for nothing, brings
/// everything into memory and tells who fails.
fn measure(setting: &Setting, document: &Document, generators: &[Generator]) -> Result<Measured> {
    say(&format!("{}:", document.name))?;
    clear(setting)?;
    let mut running = Vec::new();
    for generator in generators {
        if run(setting, document, *generator, "first")?.is_some() {
            running.push((*generator, Vec::new()));
        } else {
            say(&format!(" {} fails;", generator.name()))?;
        }
    }
    // One alone has nothing to be compared with.
    let rounds = if running.len() > 1 { setting.rounds } else { 0 };
    for round in 0..rounds {
        for place in order(running.len(), round) {
            let (generator, costs) = &mut running[place];
            costs.extend(run(setting, document, *generator, &round.to_string())?);
        }
        say(" .")?;
    }
    clear(setting)?;
    let measured = Measured { document: document.clone(), costs: running };
    say(&format!(" {}\n", measured.summary()))?;
    Ok(measured)
}

/// One run into a folder of its own. What earlier runs have written is left alone meanwhile: a file system
/// that still removes thousands of files makes the next program wait.
fn run(setting: &Setting, document: &Document, generator: Generator, round: &str) -> Result<Option<Cost>> {
    let out = outputs(setting).join(format!("{round}-{}", generator.name()));
    let log = setting.work.join(format!("{}.{}.log", document.name, generator.name()));
    crate::measure::run(&mut generator.command(setting, document, &out), &log)
}

/// Where everything goes that is generated.
fn outputs(setting: &Setting) -> PathBuf {
    setting.work.join("out")
}

fn clear(setting: &Setting) -> Result<()> {
    let folder = outputs(setting);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    Ok(fs::create_dir_all(&folder)?)
}

impl Measured {
    fn costs(&self, of: Generator) -> &[Cost] {
        self.costs.iter().find(|(generator, _)| *generator == of).map_or(&[], |(_, costs)| costs)
    }

    fn typical(&self, of: Generator, measure: Measure) -> Option<f64> {
        median(self.costs(of).iter().map(measure))
    }

    fn ratio(&self, to: Generator, measure: Measure) -> Option<f64> {
        ratio(self.costs(Generator::Ours), self.costs(to), measure)
    }

    /// What matters, while the rest still runs.
    fn summary(&self) -> String {
        let ratio = |measure| cell(self.ratio(Generator::OpenapiToRust, measure), 2);
        format!("time {}, CPU {}, memory {} of openapi-to-rust's", ratio(wall), ratio(cpu), ratio(peak))
    }

    fn cells(&self) -> Vec<String> {
        use Generator::{OpenapiToRust, Ours, Progenitor};
        vec![
            self.document.name.clone(),
            megabytes(self.document.bytes),
            cell(self.typical(Ours, wall), 2),
            cell(self.typical(OpenapiToRust, wall), 2),
            cell(self.ratio(OpenapiToRust, wall), 2),
            cell(self.ratio(OpenapiToRust, cpu), 2),
            cell(self.typical(Ours, peak), 0),
            cell(self.typical(OpenapiToRust, peak), 0),
            cell(self.ratio(OpenapiToRust, peak), 2),
            cell(self.ratio(Progenitor, wall), 2),
            cell(self.ratio(Progenitor, peak), 2),
        ]
    }
}

fn report(setting: &Setting, results: &[Measured]) -> String {
    let mut table = Table::new(&[
        "document",
        "MB",
        "ours s",
        "o2r s",
        "time ours/o2r",
        "CPU ours/o2r",
        "ours MB",
        "o2r MB",
        "memory ours/o2r",
        "time ours/progenitor",
        "memory ours/progenitor",
    ]);
    for result in results {
        table.push(result.cells());
    }
    let ratios = |measure: Measure| {
        results.iter().filter_map(move |result| result.ratio(Generator::OpenapiToRust, measure))
    };
    let missed: Vec<&str> = results
        .iter()
        .filter(|result| {
            let above = |measure: Measure| {
                result.ratio(Generator::OpenapiToRust, measure).is_some_and(|ratio| ratio > 1.0)
            };
            above(wall) || above(peak)
        })
        .map(|result| result.document.name.as_str())
        .collect();
    let time = median(ratios(wall));
    let verdict = match time {
        _ if !missed.is_empty() => format!("missed by {}", missed.join(", ")),
        Some(time) if time > ACCEPTED => "missed".to_owned(),
        _ => "held".to_owned(),
    };
    format!(
        "{}\nAgainst openapi-to-rust: time {} and memory {} in the median; no document takes longer or more memory, and time is at most \
         {ACCEPTED}: {verdict} ({}).\n",
        table.render(),
        cell(time, 2),
        cell(median(ratios(peak)), 2),
        setting.conditions()
    )
}
