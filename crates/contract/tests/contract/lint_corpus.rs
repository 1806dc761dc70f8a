//! Tests of lint on real documents: it terminates, its locations exist, and the findings are pinned by rule.
//!
//! `FRONTDESK_CORPUS` names the folder of documents.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

use frontdesk_codegen::problems;
use frontdesk_contract::lint::{Settings, lint};
use frontdesk_document::Document;

use crate::folder::Folder;

#[test]
fn real_documents_are_judged_as_they_were() {
    let Some(folder) = std::env::var_os("FRONTDESK_CORPUS").map(PathBuf::from) else {
        // Written directly to standard error, because the test harness captures output.
        let _ =
            writeln!(std::io::stderr(), "SKIPPED lint_corpus: FRONTDESK_CORPUS names no folder of documents");
        return;
    };
    let mut names: Vec<String> = fs_err::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| [".yaml", ".json"].iter().any(|end| name.ends_with(end)))
        .collect();
    names.sort();
    let mut told = String::new();
    for name in names {
        let (document, read) = Document::read(&name, &Folder(folder.clone()));
        let Some(document) = document else {
            writeln!(told, "{name}: refused").unwrap();
            continue;
        };
        let findings = lint(&document, &[&read, &problems(&document, "")], &Settings::common());
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let lines: BTreeMap<&str, usize> =
            document.files().map(|source| (source.path(), source.text().lines().count())).collect();
        for finding in &findings.list {
            let location = &finding.location;
            assert!(location.line as usize <= lines[location.file.as_str()].max(1), "{name}: {finding:?}");
            *counts.entry(finding.rule.id).or_default() += 1;
        }
        let counts: Vec<String> = counts.iter().map(|(rule, count)| format!("{rule} {count}")).collect();
        writeln!(told, "{name}: {}", counts.join(", ")).unwrap();
    }
    insta::assert_snapshot!(told);
}
