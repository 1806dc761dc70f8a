//! Tests on real documents: each is compatible with itself, also with its keys in another order, and as one
//! file.
//!
//! `FRONTDESK_CORPUS` names the folder; without it, the test is skipped with a message.

use std::path::{Path, PathBuf};

use frontdesk_contract::compat::{Policy, compare, report};
use frontdesk_document::{Document, MemoryLoader};

use crate::folder::Folder;

/// The largest document that is tested; larger ones add no coverage and take long without optimization.
const LARGEST: u64 = 2_000_000;

fn documents(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs_err::read_dir(folder)
        .expect("the folder can be listed")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|it| it == "yaml" || it == "json"))
        .filter(|path| path.metadata().is_ok_and(|metadata| metadata.len() < LARGEST))
        .collect();
    for part in fs_err::read_dir(folder.join("multi")).into_iter().flatten() {
        let part = part.expect("an entry").path();
        let roots = ["openapi.yaml", "base.yml", "TS29594_Nchf_SpendingLimitControl.yaml"];
        found.extend(roots.map(|root| part.join(root)).into_iter().filter(|root| root.is_file()));
    }
    found.sort();
    found
}

#[test]
fn a_document_is_compatible_with_itself_however_it_is_written() {
    let Some(folder) = std::env::var_os("FRONTDESK_CORPUS").map(PathBuf::from) else {
        println!("skipped: FRONTDESK_CORPUS is not set");
        return;
    };
    let only = std::env::var("FRONTDESK_CORPUS_ONLY").ok();
    let policy = Policy::plain("2026-11-21".parse().expect("a date"));
    let mut compared = 0;
    for path in documents(&folder) {
        let name = path.strip_prefix(&folder).expect("it lies there").to_string_lossy().into_owned();
        if only.as_ref().is_some_and(|only| !only.split(',').any(|part| name.contains(part))) {
            continue;
        }
        let (Some(document), _) = Document::read(&name, &Folder(folder.clone())) else { continue };
        // JSON values sort their keys; the bundle moves parts of other files.
        let sorted = document.bundle().to_value().to_string();
        let loader = MemoryLoader::new().with("sorted.json", sorted);
        let (Some(sorted), _) = Document::read("sorted.json", &loader) else { continue };
        for (base, revision) in [(&document, &document), (&document, &sorted), (&sorted, &document)] {
            let comparison = compare(base, revision, &policy);
            let told = report::text(&comparison, true);
            assert!(
                comparison.findings.is_empty(),
                "{name}: {}",
                told.chars().take(3000).collect::<String>()
            );
        }
        compared += 1;
    }
    assert!(compared > 0 || only.is_some(), "no document was compared");
}
