//! What `cargo check` costs on the generated client and model, beside the clients of the peers that a user
//! would take instead, and with the feature of one tag beside all of them.
//!
//! Dependencies are built before, the engine of our crates among them; only generated crates are checked in a
//! round. Documents come from the folder that `FRONTDESK_CORPUS` names: ten from small to large, or those
//! named as arguments.

use anyhow::Result;
use xtask::corpus::documents::Document;

use crate::crates::Crates;
use crate::measure::{Cost, Measure, cpu, median, peak, ratio, wall};
use crate::peers::{self, Generator};
use crate::setting::{Setting, order, print, say};
use crate::table::{Table, cell, megabytes};

/// Documents of another size, in bytes, are not measured unless they are named: below, it is `cargo` itself
/// that takes the time, and above, a peer takes minutes.
const SIZES: std::ops::RangeInclusive<u64> = 50_000..=1_500_000;
/// How many documents, unless they are named.
const DOCUMENTS: usize = 10;
/// How often, unless told otherwise.
const ROUNDS: usize = 5;
/// The most that our time may be of openapi-to-rust's, in the median of all documents.
const ACCEPTED: f64 = 0.6;

/// What is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Contestant {
    /// Everything that a generator made for clients.
    All(Generator),
    /// Ours with the feature of one tag.
    OneTag,
}

/// A document, and what every round on it cost each contestant; nothing for one that failed.
#[derive(Debug)]
struct Measured {
    document: Document,
    tag: Option<String>,
    costs: Vec<(Contestant, Vec<Cost>)>,
}

/// Measures all documents, or those that are `wanted`.
pub(crate) fn measure_all(wanted: Vec<String>) -> Result<()> {
    let Some(setting) = Setting::new("check-time", ROUNDS, wanted)? else { return Ok(()) };
    peers::build_ours(&setting)?;
    let generators = Generator::present(&setting)?;
    let mut results = Vec::new();
    for slot in slots(&setting) {
        for document in slot {
            if let Some(measured) = measure(&setting, document, &generators)? {
                results.push(measured);
                break;
            }
        }
    }
    print(&report(&setting, &results))
}

/// For each row of the table the documents that may stand there; the first is taken that all can make.
fn slots(setting: &Setting) -> Vec<Vec<&Document>> {
    if !setting.wanted.is_empty() {
        let named = setting.documents.iter().filter(|document| setting.wanted.contains(&document.name));
        return named.map(|document| vec![document]).collect();
    }
    let candidates: Vec<&Document> =
        setting.documents.iter().filter(|document| SIZES.contains(&document.bytes)).collect();
    let start = |slot: usize| slot * candidates.len() / DOCUMENTS;
    (0..DOCUMENTS).map(|slot| candidates[start(slot)..start(slot + 1)].to_vec()).collect()
}

/// Prepares every contestant, then lets them take turns. `None` if the two that are compared are not both
/// there.
fn measure(setting: &Setting, document: &Document, generators: &[Generator]) -> Result<Option<Measured>> {
    say(&format!("{}:", document.name))?;
    let mut running = Vec::new();
    let mut tag = None;
    for generator in generators {
        if let Some(crates) = Crates::prepare(setting, document, *generator)? {
            let one = if *generator == Generator::Ours { crates.with_one_tag(setting)? } else { None };
            running.push((Contestant::All(*generator), crates, Vec::new()));
            if let Some((name, crates)) = one {
                tag = Some(name);
                running.push((Contestant::OneTag, crates, Vec::new()));
            }
        } else {
            say(&format!(" {} fails;", generator.name()))?;
            if *generator != Generator::Progenitor {
                say("\n")?;
                return Ok(None);
            }
        }
    }
    for round in 0..setting.rounds {
        for place in order(running.len(), round) {
            let (_, crates, costs) = &mut running[place];
            costs.extend(crates.check(setting)?);
        }
        say(" .")?;
    }
    let costs = running.into_iter().map(|(contestant, _, costs)| (contestant, costs)).collect();
    let measured = Measured { document: document.clone(), tag, costs };
    say(&format!(" {}\n", measured.summary()))?;
    Ok(Some(measured))
}

impl Measured {
    fn costs(&self, of: &Contestant) -> &[Cost] {
        self.costs.iter().find(|(contestant, _)| contestant == of).map_or(&[], |(_, costs)| costs)
    }

    fn typical(&self, of: Generator, measure: Measure) -> Option<f64> {
        median(self.costs(&Contestant::All(of)).iter().map(measure))
    }

    /// Of ours to another's.
    fn ratio(&self, to: Generator, measure: Measure) -> Option<f64> {
        ratio(self.costs(&Contestant::All(Generator::Ours)), self.costs(&Contestant::All(to)), measure)
    }

    /// Of one tag to all of ours.
    fn share(&self, measure: Measure) -> Option<f64> {
        ratio(self.costs(&Contestant::OneTag), self.costs(&Contestant::All(Generator::Ours)), measure)
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
            self.tag.clone().unwrap_or_else(|| "-".to_owned()),
            cell(self.share(wall), 2),
            cell(self.share(peak), 2),
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
        "one tag",
        "time one/all",
        "memory one/all",
    ]);
    for result in results {
        table.push(result.cells());
    }
    let over = |measure: Measure| {
        median(results.iter().filter_map(|result| result.ratio(Generator::OpenapiToRust, measure)))
    };
    let verdict = match over(wall) {
        Some(ratio) if ratio <= ACCEPTED => "held",
        Some(_) => "missed",
        None => "not measured",
    };
    format!(
        "{}\nAgainst openapi-to-rust in the median of {} documents: time {}, CPU {}, memory {}; time at most {ACCEPTED}: {verdict} ({}).\n",
        table.render(),
        results.len(),
        cell(over(wall), 2),
        cell(over(cpu), 2),
        cell(over(peak), 2),
        setting.conditions()
    )
}
