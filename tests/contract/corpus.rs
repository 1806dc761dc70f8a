//! Pins the outcome of generating from folders of real documents, so that changes are visible in review.
//!
//! `FRONTDESK_CORPUS` names the folder of documents of OpenAPI 3.0, and `FRONTDESK_CORPUS_31` that of
//! documents of 3.1, which by default is the one beside it whose name ends in `-3.1`. Without a folder, a
//! test is skipped with a message.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use xtask::corpus::{documents, generation};

#[test]
fn every_document_ends_as_it_did() {
    let Some(folder) = folder("FRONTDESK_CORPUS") else {
        skipped("FRONTDESK_CORPUS is not set; set it to a folder of OpenAPI documents");
        return;
    };
    insta::assert_snapshot!(outcomes(&folder));
}

#[test]
fn every_document_of_the_later_version_ends_as_it_did() {
    let beside = || {
        let folder = folder("FRONTDESK_CORPUS")?;
        let name = format!("{}-3.1", folder.file_name()?.to_string_lossy());
        Some(folder.with_file_name(name)).filter(|folder| folder.is_dir())
    };
    let Some(folder) = folder("FRONTDESK_CORPUS_31").or_else(beside) else {
        skipped("FRONTDESK_CORPUS_31 is not set; set it to a folder of OpenAPI 3.1 documents");
        return;
    };
    insta::assert_snapshot!(outcomes(&folder));
}

fn folder(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from)
}

fn skipped(reason: &str) {
    let _ = writeln!(std::io::stderr().lock(), "SKIPPED: {reason}");
}

/// One line for each document of a folder.
fn outcomes(folder: &Path) -> String {
    let mut documents = documents::find(folder).expect("the variable names a folder of documents");
    documents.sort_by(|one, other| one.name.cmp(&other.name));
    assert!(!documents.is_empty(), "{} has no documents", folder.display());
    let mut told = String::new();
    for document in &documents {
        let (facts, files) = generation::generate(folder, document, "../runtime");
        let known = |count: Option<usize>| count.map_or_else(|| "-".to_owned(), |count| count.to_string());
        assert_eq!(
            files.is_some(),
            facts.outcome == generation::Outcome::Generated,
            "{}: files and outcome disagree",
            document.name
        );
        assert!(
            facts.longest.is_none_or(|lines| lines <= 400),
            "{}: a file of several types has {:?} lines",
            document.name,
            facts.longest
        );
        told.push_str(&format!(
            "{}: {} operations, {} fully typed, {}\n",
            document.name,
            known(facts.operations),
            known(facts.typed),
            facts.outcome.summary()
        ));
    }
    told
}
