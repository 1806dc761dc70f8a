//! The gate against the expectations of others: base and revision documents with what peers say of them.
//!
//! The documents are those of `FRONTDESK_COMPAT`; without it the test skips itself with a visible line. Where the law and
//! a peer differ, the reason stands in `DISAGREEMENTS`, and in the snapshot.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use frontdesk_contract::compat::{Comparison, Level, Policy, Stability, compare, report};
use frontdesk_document::{Document, MemoryLoader};
use jiff::ToSpan as _;
use serde::Deserialize;
use serde_json::Value;

/// A pair of documents, and what a peer's test expects.
#[derive(Debug, Deserialize)]
struct Case {
    name: String,
    source: String,
    base: String,
    revision: String,
    #[serde(default)]
    config: Config,
    /// true, false, "maybe" or null.
    breaking: Value,
    #[serde(default)]
    contentious: Option<Value>,
    #[serde(default)]
    invalid_docs: Vec<String>,
    #[serde(default)]
    findings: Vec<Asserted>,
}

/// A finding that a peer's test asserts.
#[derive(Debug, Deserialize)]
struct Asserted {
    id: Option<String>,
    level: String,
    operation: Option<String>,
    path: Option<String>,
}

impl Asserted {
    /// Whether something of the same gravity was found in the same operation.
    fn is_met(&self, comparison: &Comparison) -> bool {
        let (Some(method), Some(path)) = (&self.operation, &self.path) else { return true };
        let operation = format!("{method} {path}");
        comparison
            .findings
            .iter()
            .any(|finding| finding.breaks() && finding.uses.iter().any(|used| used.operation == operation))
    }
}

#[derive(Debug, Default, Deserialize)]
struct Config {
    stability_level: Option<String>,
    deprecation_days_beta: Option<i32>,
    deprecation_days_stable: Option<i32>,
}

/// Why the law says otherwise than a peer, by the name of the case.
const DISAGREEMENTS: &[(&str, &str)] = &[
    (
        "TestBreaking_RequiredPropertyWriteOnlyEnabled",
        "a required member vanishes from answers; a client that reads it fails. The law does not ask why it vanishes",
    ),
    (
        "TestBreaking_AddPattern",
        "the pattern is on a `readOnly` member, which is no part of requests; answers only narrow. It is told as a notice",
    ),
    (
        "TestBreaking_AddPatternRecursive",
        "the pattern is on a `readOnly` member, which is no part of requests; answers only narrow. It is told as a notice",
    ),
    (
        "TestRequestPropertyAllOfAdded_WithSources_Inline",
        "read as one schema, the new part of `allOf` adds an optional member, which is safe wherever it is written",
    ),
    (
        "ExclusiveMaxFalseToTrue",
        "`exclusiveMaximum` without `maximum` says nothing, so nothing that is valid changes",
    ),
    (
        "TestRequestBodyTypeLooselyTypedCompatible",
        "in XML too an object is nested elements and a string is text; neither reader takes the other",
    ),
    (
        "TestResponseBodyTypeLooselyTypedCompatible",
        "in XML too an object is nested elements and a string is text; neither reader takes the other",
    ),
    (
        "TestResponseDiscriminatorUpdatedCheckMappingChanging",
        "answers name their alternative by values that deployed clients do not know",
    ),
    (
        "TestResponseDiscriminatorUpdatedCheckRemoved",
        "answers no longer have to name their alternative, which clients tell them apart by",
    ),
    (
        "MinLengthBCTest.responseMinLengthDecreasedButCompatible",
        "answers may be shorter than was promised; the peer has no check for it, and oasdiff agrees with the law",
    ),
    (
        "SchemaBCTest.requestFormatIncreased",
        "int64 contains int32, so requests only gain; the peer's own test asks why it should break",
    ),
    (
        "SchemaBCTest.responseFormatDecreased",
        "int32 is within int64, so answers only narrow; the peer's own test asks why it should break",
    ),
    (
        "TestApiAdded_DetectsModifiedPathsWithPathParam",
        "the base names a path parameter `testId` that its template `/api/test/{id}` does not have, so the revision is the \
         first to have a parameter in that place",
    ),
    (
        "TestBreaking_AnyOf",
        "`required` stands on an array, of which it says nothing, and `responses` is null",
    ),
    (
        "TestResponsePropertyAnyOfAdded",
        "the added alternatives allow exactly what an earlier one allows, so no answer is new",
    ),
    (
        "ApiResponseBCTest.decreased",
        "an error less is no loss: whoever handles it is not called. oasdiff agrees with the law",
    ),
    (
        "NumericRangeBCTest.requestExclusiveMaxSet",
        "`exclusiveMaximum` without `maximum` says nothing, so nothing that is valid changes",
    ),
    (
        "NumericRangeBCTest.requestExclusiveMinSet",
        "`exclusiveMinimum` without `minimum` says nothing, so nothing that is valid changes",
    ),
];

fn policy(config: &Config) -> Policy {
    let plain = Policy::plain("2026-11-21".parse().expect("a date"));
    Policy {
        kept: config.stability_level.as_deref().and_then(Stability::named).unwrap_or(plain.kept),
        notice_beta: config.deprecation_days_beta.unwrap_or(0).days(),
        notice_stable: config.deprecation_days_stable.unwrap_or(0).days(),
        ..plain
    }
}

fn read(folder: &Path, name: &str) -> Result<Document, String> {
    let text = fs_err::read_to_string(folder.join("docs").join(name)).map_err(|error| error.to_string())?;
    let loader = MemoryLoader::new().with(name, text);
    let (document, problems) = Document::read(name, &loader);
    document.ok_or_else(|| {
        let first = problems.iter().find(|problem| problem.severity == frontdesk_document::Severity::Error);
        first.map_or_else(String::new, ToString::to_string)
    })
}

/// Cases of a class by outcome.
#[derive(Debug, Default)]
struct Score {
    right: usize,
    wrong: usize,
    refused: usize,
    /// Those of the right ones that would be wrong if words without effect were ignored.
    meant: usize,
}

/// Whether nothing breaks but words that say nothing of the values by the letter.
fn is_only_meant(comparison: &Comparison) -> bool {
    let mut breaking = comparison.findings.iter().filter(|finding| finding.breaks());
    breaking.all(|finding| finding.message.contains("by the letter"))
}

/// The rules of what breaks, each once.
fn broken(comparison: &Comparison) -> String {
    let mut rules: Vec<&str> = comparison
        .findings
        .iter()
        .filter(|finding| finding.breaks())
        .map(|finding| finding.rule.id)
        .collect();
    rules.dedup();
    if rules.is_empty() { "nothing".to_owned() } else { rules.join(", ") }
}

#[test]
fn peers_agree_or_the_difference_is_explained() {
    let Some(folder) = std::env::var_os("FRONTDESK_COMPAT").map(PathBuf::from) else {
        println!("skipped: FRONTDESK_COMPAT is not set");
        return;
    };
    let wanted = std::env::var("FRONTDESK_COMPAT_ONLY").ok();
    let text = fs_err::read_to_string(folder.join("cases.jsonl")).expect("the cases are there");
    let mut scores: BTreeMap<&str, Score> = BTreeMap::new();
    let mut disagreements = String::new();
    let mut unexplained = Vec::new();
    let (mut errors, mut unmet) = (0, String::new());
    for line in text.lines() {
        let case: Case = serde_json::from_str(line).expect("a case");
        let class = match (&case.breaking, case.contentious.is_some(), case.invalid_docs.is_empty()) {
            (Value::Bool(_), false, true) => "plain",
            (Value::Bool(_), true, _) => "contentious",
            (Value::Bool(_), false, false) => "invalid documents",
            _ => "no verdict",
        };
        let score = scores.entry(class).or_default();
        let (base, revision) = match (read(&folder, &case.base), read(&folder, &case.revision)) {
            (Ok(base), Ok(revision)) => (base, revision),
            (Err(error), _) | (_, Err(error)) => {
                score.refused += 1;
                if class == "plain" {
                    unexplained.push(format!("{}: refused, {error}", case.name));
                }
                continue;
            }
        };
        let comparison = compare(&base, &revision, &policy(&case.config));
        if wanted.as_deref() == Some(&case.name) {
            println!("{}\n{}", case.name, report::text(&comparison, true));
        }
        for finding in &comparison.findings {
            assert!(!finding.uses.is_empty() && !finding.message.is_empty(), "{}: {finding:?}", case.name);
        }
        let asserted = case.findings.iter().filter(|asserted| asserted.level == "ERR" && class == "plain");
        for asserted in asserted.filter(|asserted| asserted.operation.is_some() && asserted.path.is_some()) {
            errors += 1;
            if !asserted.is_met(&comparison) {
                let id = asserted.id.as_deref().unwrap_or("a newer rule");
                writeln!(unmet, "    {}: {id}", case.name).expect("writing to a string does not fail");
            }
        }
        let Some(expected) = case.breaking.as_bool() else {
            score.right += 1;
            continue;
        };
        if expected == comparison.is_breaking() {
            score.right += 1;
            score.meant += usize::from(expected && is_only_meant(&comparison));
            continue;
        }
        score.wrong += 1;
        let project = case.source.split('@').next().unwrap_or_default();
        let reason = DISAGREEMENTS.iter().find(|(name, _)| *name == case.name).map(|(_, reason)| *reason);
        writeln!(
            disagreements,
            "\n{class}: {} ({project} says {}; breaking here: {}; undecided: {})\n    {}",
            case.name,
            if expected { "breaking" } else { "not breaking" },
            broken(&comparison),
            comparison.count(Level::Undecided),
            reason.unwrap_or("not explained")
        )
        .expect("writing to a string does not fail");
        if class == "plain" && reason.is_none() {
            unexplained.push(case.name);
        }
    }
    let plain = &scores["plain"];
    let judged = plain.right + plain.wrong + plain.refused;
    let table: String = scores
        .iter()
        .map(|(class, score)| {
            format!(
                "{class}: {} right (of which {} by words judged as meant), {} wrong, {} refused\n",
                score.right, score.meant, score.wrong, score.refused
            )
        })
        .collect();
    let met = errors - unmet.lines().count();
    let table =
        format!("{table}errors that peers assert of an operation: {met} of {errors} met there\n{unmet}");
    println!("{table}{disagreements}");
    assert!(unexplained.is_empty(), "{unexplained:#?}");
    assert!(plain.right * 100 >= judged * 98, "{} of {judged}", plain.right);
    insta::assert_snapshot!(format!("{table}{disagreements}"));
}
