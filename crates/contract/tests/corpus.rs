//! Real documents: every schema whose values travel has instances, which the oracle takes, and mutants, which it refuses.
//!
//! The folder of documents comes from `FRONTDESK_CORPUS`; `FRONTDESK_CORPUS_ONLY` names parts of file names, separated
//! by commas, to look at some of them. What is found and what is given up is pinned in a snapshot.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

#[path = "documents/folder.rs"]
mod folder;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use frontdesk_contract::{Instances, Oracle, Side, places};
use frontdesk_document::Document;

use folder::Folder;

/// Instances of each place and direction: fewer of documents that have more places than this many.
const SEEDS: u64 = 3;
const LARGE: usize = 250;

/// Changes of an instance that are looked at; all others are refused by the same code.
const MUTANTS: usize = 6;

/// The documents that lie directly in a folder.
fn documents(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs_err::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| Path::new(name).extension().is_some_and(|it| it == "yaml" || it == "json"))
        .collect();
    names.sort();
    names
}

#[derive(Default)]
struct Tally {
    valid: usize,
    mutants: usize,
    given_up: BTreeSet<String>,
}

fn tally(document: &Document, side: Side, tally: &mut Tally) {
    let places: Vec<_> = places(document).into_iter().filter(|place| place.travels(side)).collect();
    let oracle = Oracle::new(places.iter().map(|place| place.schema), side).unwrap();
    let instances = Instances::new(&oracle);
    let seeds = if places.len() > LARGE { 1 } else { SEEDS };
    for place in places {
        for seed in 0..seeds {
            match instances.valid(place.schema, seed) {
                Ok(value) => {
                    assert!(oracle.is_valid(place.schema, &value), "{:?}: {value}", place.schema);
                    tally.valid += 1;
                    for mutant in instances.invalid(place.schema, &value, seed, MUTANTS) {
                        assert!(
                            !oracle.is_valid(place.schema, &mutant.value),
                            "{:?}: {mutant:?}",
                            place.schema
                        );
                        tally.mutants += 1;
                    }
                }
                Err(reason) => {
                    tally.given_up.insert(reason.to_string());
                }
            }
        }
    }
}

#[test]
fn every_schema_of_real_documents_has_instances() {
    let Some(folder) = std::env::var_os("FRONTDESK_CORPUS").map(PathBuf::from) else {
        // Written past the capture of the test harness, so that a run without the corpus shows it.
        let _ = writeln!(std::io::stderr(), "SKIPPED corpus: FRONTDESK_CORPUS names no folder of documents");
        return;
    };
    let only = std::env::var("FRONTDESK_CORPUS_ONLY").ok();
    let mut summary = String::new();
    let names = documents(&folder);
    assert!(!names.is_empty(), "FRONTDESK_CORPUS names a folder without documents");
    for name in names
        .iter()
        .filter(|name| only.as_ref().is_none_or(|only| only.split(',').any(|part| name.contains(part))))
    {
        let (document, _) = Document::read(name, &Folder(folder.clone()));
        let Some(document) = document else {
            writeln!(summary, "{name}: refused by the reader").unwrap();
            continue;
        };
        let mut found = Tally::default();
        let start = std::time::Instant::now();
        tally(&document, Side::Request, &mut found);
        tally(&document, Side::Response, &mut found);
        let _ = writeln!(std::io::stderr(), "{name}: {:.1?}", start.elapsed());
        writeln!(summary, "{name}: {} valid, {} mutants", found.valid, found.mutants).unwrap();
        for reason in found.given_up {
            writeln!(summary, "    {reason}").unwrap();
        }
    }
    if only.is_some() {
        let _ = writeln!(std::io::stderr(), "{summary}");
    } else {
        insta::assert_snapshot!(summary);
    }
}
