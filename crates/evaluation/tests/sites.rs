//! Answers about small invented sites in eight languages, in `tests/sites`, by the writer as it is built.
//!
//! The questions are about what is easily answered with something else: the weekday of a service, closed
//! periods, sentences whose subject is in the one before, two questions in one message, and what the sites do
//! not say. `garden-shop` has the site of the demonstration.

#![expect(clippy::unwrap_used, reason = "tests may panic")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use frontdesk_embedding::Model;
use frontdesk_evaluation::judge::judge;
use frontdesk_evaluation::training::{Sample, answers_as_built, samples};

/// Kinds of questions of which every one must be answered right.
const ALL_RIGHT: [&str; 3] = ["antecedent", "closed period", "two questions"];

/// Least share of right answers to questions of other kinds, a little below what is reached.
const FLOORS: [(&str, f64); 5] = [
    ("weekday of a service", 0.9),
    ("natural", 0.9),
    ("cross-language", 0.6),
    ("near miss", 0.65),
    ("off-topic", 0.8),
];

#[tokio::test]
async fn questions_in_eight_languages_are_answered_by_what_was_asked_for() {
    let model = Model::bundled().unwrap();
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("vectors");
    let samples = samples(&sites(), Some(&model), &cache, None).await.unwrap();
    let mut kinds: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (sample, answer) in answers_as_built(&samples).iter().filter(|(sample, _)| !sample.is_removed) {
        let Sample { site, question, .. } = sample;
        let verdict = judge(question, answer);
        let is_right =
            if question.answerable { verdict.has_fact && !verdict.has_forbidden } else { answer.refused };
        let (right, count) = kinds.entry(&question.kind).or_default();
        *right += u32::from(is_right);
        *count += 1;
        if !is_right {
            let said = if answer.refused { "(refused)" } else { &answer.text };
            wrong.push(format!("{site}, {}: {}\n  {said}", question.kind, question.text));
        }
    }
    let floors = FLOORS.into_iter().chain(ALL_RIGHT.map(|kind| (kind, 1.0)));
    let missed: Vec<String> = floors
        .filter_map(|(kind, floor)| {
            let (right, count) = kinds.get(kind).copied().unwrap_or_default();
            let share = f64::from(right) / f64::from(count.max(1));
            (share < floor).then(|| format!("{kind}: {right} of {count} are right"))
        })
        .collect();
    assert!(missed.is_empty(), "{missed:#?}\n{}", wrong.join("\n"));
}

/// Returns the folders of all sites.
fn sites() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = fs_err::read_dir(root.join("tests/sites")).unwrap();
    let mut folders: Vec<PathBuf> = folders.map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    for folder in folders.iter_mut().filter(|folder| !folder.join("site").exists()) {
        let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder.file_name().unwrap());
        copy_files(&root.join("../service/demo"), &copy.join("site"));
        fs_err::copy(folder.join("questions.jsonl"), copy.join("questions.jsonl")).unwrap();
        *folder = copy;
    }
    folders
}

fn copy_files(from: &Path, to: &Path) {
    fs_err::create_dir_all(to).unwrap();
    for entry in fs_err::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_files(&entry.path(), &target);
        } else {
            fs_err::copy(entry.path(), target).unwrap();
        }
    }
}
