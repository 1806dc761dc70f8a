//! Comparison of the compatibility results with the expectations of other tools, on their base and revision
//! documents.
//!
//! The documents are in `FRONTDESK_COMPAT`; without it, the test is skipped with a message. Where the results
//! differ from another tool's, `DISAGREEMENTS` and the snapshot give the reason.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use frontdesk_contract::compat::{Comparison, Level, Policy, Stability, compare, report};
use frontdesk_document::{Document, MemoryLoader};
use jiff::ToSpan as _;
use serde::Deserialize;
use serde_json::Value;

/// A pair of documents, and what another tool's test expects.
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

/// A finding that another tool's test asserts.
#[derive(Debug, Deserialize)]
struct Asserted {
    id: Option<String>,
    level: String,
    operation: Option<String>,
    path: Option<String>,
}

impl Asserted {
    /// Returns whether a finding of the same severity exists in the same operation.
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

/// Why the result differs from another tool's, by the name of the case.
const DISAGREEMENTS: &[(&str, &str)] = &[
    (
        "TestBreaking_RequiredPropertyWriteOnlyEnabled",
        "a required property is removed from responses, so a client that reads it fails, whatever the reason of the removal",
    ),
    (
        "TestBreaking_AddPattern",
        "the pattern is on a `readOnly` property, which is not part of requests; responses only narrow. It is reported as a notice",
    ),
    (
        "TestBreaking_AddPatternRecursive",
        "the pattern is on a `readOnly` property, which is not part of requests; responses only narrow. It is reported as a notice",
    ),
    (
        "TestRequestPropertyAllOfAdded_WithSources_Inline",
        "as one schema, the new part of `allOf` adds an optional property, which is safe wherever it is declared",
    ),
    (
        "ExclusiveMaxFalseToTrue",
        "`exclusiveMaximum` without `maximum` has no effect, so the valid values do not change",
    ),
    (
        "TestRequestBodyTypeLooselyTypedCompatible",
        "in XML too, an object is nested elements and a string is text; neither can be decoded as the other",
    ),
    (
        "TestResponseBodyTypeLooselyTypedCompatible",
        "in XML too, an object is nested elements and a string is text; neither can be decoded as the other",
    ),
    (
        "TestResponseDiscriminatorUpdatedCheckMappingChanging",
        "responses name their alternative with values that deployed clients do not know",
    ),
    (
        "TestResponseDiscriminatorUpdatedCheckRemoved",
        "responses need not name their alternative any more, but clients depend on the name",
    ),
    (
        "MinLengthBCTest.responseMinLengthDecreasedButCompatible",
        "responses may be shorter than before; the other tool has no check for it, and oasdiff calls it breaking too",
    ),
    (
        "SchemaBCTest.requestFormatIncreased",
        "int64 contains int32, so requests only widen; the other tool's own test asks why it should break",
    ),
    (
        "SchemaBCTest.responseFormatDecreased",
        "int64 contains int32, so responses only narrow; the other tool's own test asks why it should break",
    ),
    (
        "TestResponsePropertyAnyOfAdded",
        "the added alternatives allow exactly what an earlier one allows, so no response is new",
    ),
    (
        "ApiResponseBCTest.decreased",
        "a removed error is harmless, because its handler is just not called; oasdiff calls it safe too",
    ),
    (
        "NumericRangeBCTest.requestExclusiveMaxSet",
        "`exclusiveMaximum` without `maximum` has no effect, so the valid values do not change",
    ),
    (
        "NumericRangeBCTest.requestExclusiveMinSet",
        "`exclusiveMinimum` without `minimum` has no effect, so the valid values do not change",
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

/// The cases of a class, by outcome.
#[derive(Debug, Default)]
struct Score {
    right: usize,
    wrong: usize,
    refused: usize,
    /// The correct cases that would be wrong if keywords without effect were ignored.
    meant: usize,
}

/// Returns whether all breaking findings concern keywords that do not apply to the type.
fn is_only_meant(comparison: &Comparison) -> bool {
    let mut breaking = comparison.findings.iter().filter(|finding| finding.breaks());
    breaking.all(|finding| finding.message.contains("is compared as if it did"))
}

/// Returns the rules of the breaking findings without duplicates.
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
fn other_tools_agree_or_the_difference_is_explained() {
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
                "{class}: {} right (of which {} by keywords that do not apply to the type), {} wrong, {} refused\n",
                score.right, score.meant, score.wrong, score.refused
            )
        })
        .collect();
    let met = errors - unmet.lines().count();
    let table = format!(
        "{table}errors that other tools assert of an operation: {met} of {errors} found there\n{unmet}"
    );
    println!("{table}{disagreements}");
    assert!(unexplained.is_empty(), "{unexplained:#?}");
    assert!(plain.right * 100 >= judged * 98, "{} of {judged}", plain.right);
    insta::assert_snapshot!(format!("{table}{disagreements}"));
}
