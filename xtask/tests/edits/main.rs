//! Tests of the comparison with edits of a released version of this repository's contract, one per file of
//! `tests/fixtures/edits`.
//!
//! The expected rules, levels, verdicts, locations, witnesses and versions were derived from the
//! compatibility rules by hand. A difference is therefore a defect of the tool or of the expectation; the
//! files are never regenerated from the output.

mod edit;
mod proof;
mod semver;
mod types;

use std::path::{Path, PathBuf};
use std::sync::{LazyLock, OnceLock};

use frontdesk_codegen::GenerateError;
use frontdesk_codegen::interface::{Interface, InterfaceReader};
use frontdesk_commands::compat::code;
use frontdesk_contract::changelog::Changelog;
use frontdesk_contract::compat::{Comparison, Finding, Location, Policy, Verdict, Witness, compare};
use frontdesk_document::Document;

use self::edit::{Bumps, Edit, Expected, Proof};

/// The minimum number of edits of each kind.
const LEAST: usize = 40;

/// The prefix of the names of the crates.
const NAME: &str = "frontdesk";

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is a folder of the workspace").to_owned()
}

/// Returns every edit of a folder with its name.
fn edits(kind: &str) -> Vec<(String, Edit)> {
    let folder = workspace().join("tests/fixtures/edits").join(kind);
    let entries = fs_err::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be listed").path()).collect();
    paths.sort();
    let read = |path: &PathBuf| {
        let name = path.file_stem().and_then(|stem| stem.to_str()).expect("names are text").to_owned();
        let edit = Edit::read(&fs_err::read_to_string(path).expect("it can be read"))
            .unwrap_or_else(|error| panic!("{kind}/{name}: {error}"));
        (name, edit)
    };
    paths.iter().map(read).collect()
}

fn plain() -> Policy {
    Policy::plain("2026-11-21".parse().expect("a date"))
}

fn project() -> Policy {
    Policy::project("2026-11-21".parse().expect("a date"), Changelog::default())
}

/// Returns how a finding differs from the expected one, one line for each fact.
fn differences(found: &Finding, expected: &Expected) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut hold = |fact: &str, is: String, should: String| {
        if is != should {
            wrong.push(format!("{fact} is `{is}` and should be `{should}`"));
        }
    };
    hold("level", found.level.to_string(), expected.level.clone());
    let verdicts = |all: &[Verdict]| all.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    hold("verdicts", verdicts(&found.verdicts), expected.verdicts.join(" "));
    let first = &found.uses[0];
    hold("operation", first.operation.clone(), expected.operation.clone());
    hold("place", first.place.clone(), expected.place.clone());
    hold("number of uses", found.uses.len().to_string(), expected.uses.to_string());
    let pointer = |location: &Option<Location>| {
        location.as_ref().map(|location| location.pointer.clone()).unwrap_or_default()
    };
    hold("place in the base", pointer(&found.base), expected.base_pointer());
    hold("place in the revision", pointer(&found.revision), expected.revision_pointer());
    let kind = match found.witness {
        Some(Witness::Value { .. }) => Proof::Value,
        Some(Witness::Call(_)) => Proof::Call,
        None => Proof::None,
    };
    hold("witness", format!("{kind:?}"), format!("{:?}", expected.witness));
    hold("bumps", Bumps::of(found.bumps).to_string(), expected.bumps.to_string());
    if found.code.len() != expected.changes() {
        wrong.push(format!("it should change the code at {} places: {:#?}", expected.changes(), found.code));
    }
    for change in expected.code.iter().filter(|change| !found.code.contains(change)) {
        wrong.push(format!("`{change}` should be among {:#?}", found.code));
    }
    wrong
}

/// Returns the interface of the crates of a document.
fn interface(document: &Document) -> Result<Interface, GenerateError> {
    // An edit changes a few files of the crates.
    static READER: LazyLock<InterfaceReader> = LazyLock::new(InterfaceReader::default);
    code::interface(&READER, document, NAME)
}

/// Returns the interface of the crates before the edit.
fn interface_before(edit: &Edit, base: &Document) -> Interface {
    static CONTRACT: OnceLock<Interface> = OnceLock::new();
    let made = || interface(base).expect("the generator takes it");
    if edit.adds_to_the_contract() { made() } else { CONTRACT.get_or_init(made).clone() }
}

/// Compares the findings with the expected ones and checks the proofs. Returns one line for each defect.
fn faults(edit: &Edit, is_breaking: bool) -> Result<Vec<String>, String> {
    let mut wrong = Vec::new();
    let (base, revision) = edit.documents()?;
    let (before, after) = (interface_before(edit, &base), interface(&revision));
    let changes = code::changes(&before, &after.map_err(|error| error.to_string())?);
    let comparison = compare(&base, &revision, &plain()).with_code(&changes);
    let mut left: Vec<&Finding> = comparison.findings.iter().collect();
    for expected in &edit.findings {
        let fits = |found: &&Finding| {
            found.rule.id == expected.rule
                && found.uses[0].operation == expected.operation
                && found.uses[0].place == expected.place
        };
        let Some(index) = left.iter().position(fits) else {
            wrong.push(format!("missing: {} at {}, {}", expected.rule, expected.operation, expected.place));
            continue;
        };
        let found = left.remove(index);
        let of_it = differences(found, expected);
        wrong.extend(of_it.into_iter().map(|line| format!("{}: {line}", expected.rule)));
    }
    wrong.extend(left.iter().map(|found| format!("not expected: {found:#?}")));
    for finding in &comparison.findings {
        if let Err(reason) = proof::confirm(finding, &base, &revision) {
            wrong.push(format!("{}: {reason}", finding.rule.id));
        }
    }
    let bumps = Bumps::of(comparison.bumps());
    if let Some(expected) = edit.bumps.as_ref().filter(|expected| **expected != bumps) {
        wrong.push(format!("the bumps are {bumps} and should be {expected}"));
    }
    let breaks = |comparison: &Comparison| {
        let broken = comparison.findings.iter().filter(|finding| finding.breaks());
        broken.map(|finding| finding.rule.id.to_owned()).collect::<Vec<_>>()
    };
    let by_basic = breaks(&comparison);
    let by_project = breaks(&compare(&base, &revision, &project()));
    if &by_project != edit.project.as_ref().unwrap_or(&by_basic) {
        wrong.push(format!("under the project policy these break: {by_project:?}"));
    }
    if is_breaking && comparison.findings.iter().all(|finding| finding.verdicts.is_empty()) {
        wrong.push("nobody notices it".to_owned());
    }
    if !is_breaking && comparison.is_breaking() {
        wrong.push("it breaks a promise".to_owned());
    }
    Ok(wrong)
}

/// Checks every edit of a folder, and returns their number.
fn held(kind: &str, is_breaking: bool) -> usize {
    let edits = edits(kind);
    let mut report = String::new();
    for (name, edit) in &edits {
        let wrong = faults(edit, is_breaking).unwrap_or_else(|error| vec![error]);
        if !wrong.is_empty() {
            report.push_str(&format!("{kind}/{name}: {}\n", edit.says));
            for line in wrong {
                report.push_str(&format!("  {line}\n"));
            }
        }
    }
    assert!(report.is_empty(), "\n{report}");
    edits.len()
}

#[test]
fn breaking_edits_are_caught() {
    let count = held("breaking", true);
    assert!(count >= LEAST, "{count} edits, and {LEAST} are to be");
}

#[test]
fn harmless_edits_pass() {
    let count = held("harmless", false);
    assert!(count >= LEAST, "{count} edits, and {LEAST} are to be");
}

/// `FRONTDESK_SEMVER_CHECKS` lists edits, separated by commas, or is `all`.
#[test]
fn interfaces_break_where_another_tool_says_so() {
    let Ok(asked) = std::env::var("FRONTDESK_SEMVER_CHECKS") else {
        println!("skipped: FRONTDESK_SEMVER_CHECKS is not set");
        return;
    };
    if !semver::is_installed() {
        println!("skipped: cargo-semver-checks is not installed");
        return;
    }
    let bench = semver::Bench::new(&workspace());
    let (mut both, mut checked, mut report) = (0, 0, String::new());
    for kind in ["breaking", "harmless"] {
        for (name, edit) in edits(kind) {
            let full = format!("{kind}/{name}");
            if asked != "all" && !asked.split(',').any(|wanted| wanted == full) {
                continue;
            }
            let (base, revision) = edit.documents().unwrap_or_else(|error| panic!("{full}: {error}"));
            let agreement = bench.agreement(&base, &revision);
            checked += 1;
            both += agreement.both;
            for line in agreement.unseen {
                println!("{full}: only we see: {line}");
            }
            for line in agreement.wrong {
                report.push_str(&format!("{full}: {line}\n"));
            }
        }
    }
    println!("{checked} edits, {both} crates that both call broken");
    assert!(checked > 0, "no edit is called `{asked}`");
    assert!(report.is_empty(), "\n{report}");
}
