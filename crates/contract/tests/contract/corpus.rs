//! Tests on real documents: every schema of requests and responses has instances that the oracle accepts, and
//! mutants that it rejects.
//!
//! `FRONTDESK_CORPUS` names the folder of documents; `FRONTDESK_CORPUS_ONLY` restricts the test to file names
//! that contain one of the parts, separated by commas. A snapshot pins the counts and the schemas without
//! instances.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use frontdesk_contract::{Direction, Instances, Oracle, sent_schemas};
use frontdesk_document::Document;

use crate::folder::Folder;

/// The number of instances for each schema and direction: thousands of schemas differ more than the instances
/// of one.
const SEEDS: u64 = 1;

/// The number of mutants of an instance that are checked.
const MUTANTS: usize = 4;

/// Returns the documents directly in a folder.
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

fn tally(document: &Document, direction: Direction, tally: &mut Tally) {
    let places: Vec<_> =
        sent_schemas(document).into_iter().filter(|place| place.is_sent(direction)).collect();
    let oracle = Oracle::new(places.iter().map(|place| place.schema), direction).unwrap();
    let instances = Instances::new(&oracle);
    for place in places {
        for seed in 0..SEEDS {
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
        // Written directly to standard error, because the test harness captures output.
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
        tally(&document, Direction::Request, &mut found);
        tally(&document, Direction::Response, &mut found);
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
