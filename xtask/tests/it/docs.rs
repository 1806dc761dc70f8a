//! Tests of `cargo xtask docs`: the folder that it writes. Tests of the page in a browser are in `tests`.

use std::fs;

use crate::Bench;

#[test]
fn the_page_is_written_with_the_document_beside_it() {
    let bench = Bench::new();
    // The second run overwrites the files of the first.
    for _ in 0..2 {
        let shown = bench.run(&["docs", "--out", "site/reference"]);
        assert!(shown.starts_with("exit: 0\n--- stdout\n"), "{shown}");
        assert!(shown.contains("site/reference/index.html\n"), "{shown}");
    }
    let page = bench.read("site/reference/index.html");
    assert!(page.contains("\"operationId\":"), "the document is within the page");
    for file in page.split('"').filter(|text| text.starts_with("docs/")) {
        assert!(!bench.read(&format!("site/reference/{file}")).is_empty(), "{file}");
    }
    let committed = concat!(env!("CARGO_MANIFEST_DIR"), "/../generated");
    for file in ["openapi.yaml", "openapi.json"] {
        let bundle = fs::read_to_string(format!("{committed}/{file}")).expect("the bundle is committed");
        assert_eq!(bench.read(&format!("site/reference/{file}")), bundle, "{file}");
    }
}

#[test]
fn a_folder_with_other_files_is_left_alone() {
    let bench = Bench::new().with("site/index.html", "mine").with("site/about.html", "mine too");
    let shown = bench.run(&["docs", "--out", "site"]);
    assert!(shown.starts_with("exit: 1\n"), "{shown}");
    assert!(
        shown.contains("contains `about.html`, which is not part of the page; choose an empty folder"),
        "{shown}"
    );
    assert_eq!(bench.read("site/index.html"), "mine");
    assert!(!bench.path("site/openapi.json").exists());
}
