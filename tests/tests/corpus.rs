//! Pins the outcome of generating from a folder of real documents, so that changes are visible in review.
//!
//! `FRONTDESK_CORPUS` names the folder; without it, the test is skipped with a message.

use std::fmt::Write as _;
use std::path::PathBuf;

use xtask::corpus::{documents, generation};

#[test]
fn every_document_ends_as_it_did() {
    let Some(folder) = std::env::var_os("FRONTDESK_CORPUS").map(PathBuf::from) else {
        let mut error = std::io::stderr().lock();
        let _ = std::io::Write::write_all(
            &mut error,
            b"SKIPPED: FRONTDESK_CORPUS is not set; set it to a folder of OpenAPI documents\n",
        );
        return;
    };
    let mut documents = documents::find(&folder).expect("FRONTDESK_CORPUS names a folder of documents");
    documents.sort_by(|one, other| one.name.cmp(&other.name));
    assert!(!documents.is_empty(), "FRONTDESK_CORPUS names a folder without documents");
    let mut told = String::new();
    for document in &documents {
        let (facts, files) = generation::generate(&folder, document, "../runtime");
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
        writeln!(
            told,
            "{}: {} operations, {} fully typed, {}",
            document.name,
            known(facts.operations),
            known(facts.typed),
            facts.outcome.summary()
        )
        .expect("a string takes every write");
    }
    insta::assert_snapshot!(told);
}
