//! Small documents, one for each construct of OpenAPI 3.0 and 3.1, with requests and their right results.

use std::collections::BTreeSet;
use std::path::PathBuf;

use frontdesk_codegen::{Options, RuntimeDependency};
use frontdesk_document::Document as Tree;
use xtask::corpus::differential::{misjudged_by_mock, stated};
use xtask::corpus::documents::{self, Document};

use crate::Bench;

/// Returns the documents of one version of OpenAPI, with their folder.
fn constructs(version: &str) -> (PathBuf, Vec<Document>) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/constructs").join(version);
    let documents = documents::find(&folder).expect("the folder can be read");
    (folder, documents)
}

#[test]
fn the_mock_judges_every_stated_request_as_the_specifications_do() {
    let mut misjudged = Vec::new();
    for version in ["3.0", "3.1"] {
        let (folder, documents) = constructs(version);
        assert!(documents.len() > 50, "{version}: {}", documents.len());
        for document in documents {
            misjudged.extend(misjudged_by_mock(&folder, &document).expect("it can be tried"));
        }
    }
    assert!(misjudged.is_empty(), "{}", misjudged.join("\n"));
}

#[test]
fn what_is_stated_as_unchecked_is_told_by_a_warning() {
    let mut silent = Vec::new();
    for version in ["3.0", "3.1"] {
        let (folder, documents) = constructs(version);
        for document in documents {
            let stated = stated::read(&folder.join(&document.file)).expect("it can be read");
            assert!(!stated.cases.is_empty(), "`{}` has no requests", document.name);
            let (tree, mut problems) = Tree::read(&document.file, &documents::loader(&folder));
            let tree = tree.expect("it can be read");
            let runtime =
                RuntimeDependency::Path { path: "runtime".to_owned(), package: "runtime".to_owned() };
            let options = Options::stand_alone(&document.name, &document.file, runtime);
            let generated = frontdesk_codegen::generate(&tree, &options).expect(&document.name);
            problems.append(generated.warnings);
            let mut told: BTreeSet<&str> = problems.iter().map(|problem| problem.code).collect();
            told.extend(stated::GENERAL.iter().map(|(code, _)| *code));
            // What the generator reads leniently is told by the lint alone.
            let is_told = |code: &String| {
                let path = folder.join(&document.file).display().to_string();
                told.contains(code.as_str())
                    || Bench::new().run(&["lint", &path]).contains(&format!("warning[{code}]"))
            };
            let untold = stated.unchecked.iter().filter(|code| !is_told(code));
            silent.extend(untold.map(|code| format!("{}: {code}", document.name)));
        }
    }
    assert!(silent.is_empty(), "{}", silent.join("\n"));
}
