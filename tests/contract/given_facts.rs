//! Tests that the published document satisfies every fact that the given interface states.
//!
//! The facts are data in `given_facts/facts.rs`, derived from the given interface and not from `spec/`. A
//! fact that is removed, widened, narrowed or not marked as given is reported by name. A second test breaks
//! each fact in turn and expects the check to report it, so that the check cannot overlook facts.

mod check;
mod facts;
mod mutations;
mod place;

use std::{fs, num::NonZero, thread};

use mutations::Mutation;
use serde_json::Value;

const BUNDLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../generated/openapi.json");

fn bundle() -> Value {
    let text = fs::read_to_string(BUNDLE)
        .unwrap_or_else(|error| panic!("{BUNDLE}: {error}; `cargo xtask codegen` writes it"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{BUNDLE}: {error}"))
}

#[test]
fn the_document_holds_every_given_fact() {
    let report = check::check(&bundle());
    assert!(report.findings.is_empty(), "facts that do not hold:\n  {}", report.findings.join("\n  "));
}

#[test]
fn the_check_notices_every_broken_fact() {
    let document = bundle();
    let places = check::check(&document).places;
    assert!(places.len() >= 120, "the check reached only {} values", places.len());

    let mut mutations = mutations::of_operations();
    mutations.extend(mutations::of_places(&document, &places));
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let missed: Vec<String> = thread::scope(|scope| {
        let parts = mutations.chunks(mutations.len().div_ceil(threads));
        let running: Vec<_> = parts.map(|part| scope.spawn(|| missed(&document, part))).collect();
        running.into_iter().flat_map(|thread| thread.join().expect("no check panics")).collect()
    });
    assert!(missed.is_empty(), "{} of {} missed:\n{}", missed.len(), mutations.len(), missed.join("\n"));
}

/// Returns descriptions of the edits that the check does not notice.
fn missed(document: &Value, mutations: &[Mutation]) -> Vec<String> {
    // Each edit is taken back, because a copy of the document for each takes as long as all checks.
    let mut broken = document.clone();
    let missed = mutations
        .iter()
        .filter_map(|mutation| {
            let Some((place, before)) = mutation.edit.apply(&mut broken) else {
                return Some(format!("{}: changes nothing", mutation.name));
            };
            let findings = check::check(&broken).findings;
            *broken.pointer_mut(&place).expect("it was there") = before;
            let noticed = findings.iter().any(|finding| finding.contains(&mutation.noticed));
            (!noticed)
                .then(|| format!("{}: expected {:?}, found {findings:#?}", mutation.name, mutation.noticed))
        })
        .collect();
    assert_eq!(&broken, document, "an edit was not taken back");
    missed
}
