//! The crates of `ok/`: committed, compiled with the workspace, and the same as what is made now.

use frontdesk_codegen::fileset::{Plan, Report};

use crate::fixtures::{self, BLESS, blessing, folders, generated, options, read, root, view};

#[test]
fn committed_crates_are_what_is_generated() {
    let names = folders(&root().join("ok"));
    assert_eq!(names, ["bodies", "events", "minimal", "parameters", "schemas", "types", "widgets"]);
    let mut stale = String::new();
    for name in names {
        let folder = root().join("ok").join(&name);
        let source = format!("tests/fixtures/ok/{name}/openapi.yaml");
        let document = read("openapi.yaml", &fixtures::loader(&folder));
        let out = folder.join("generated");
        let made = generated(&document, &options(&name, &source));
        assert!(made.files.longest_shared() <= 400, "{name} has a file of several types that is too long");
        let plan = Plan::new(made.files, &view(&out)).unwrap();
        if blessing() {
            fixtures::write(&plan, &out);
        } else if !plan.is_fresh() {
            let shown = format!("tests/fixtures/ok/{name}/generated");
            plan.report(&mut stale, &Report::new(&shown, BLESS)).unwrap();
        }
    }
    assert!(stale.is_empty(), "\n{stale}");
}

#[test]
fn what_is_lost_of_a_document_is_told() {
    for name in folders(&root().join("ok")) {
        let document = read("openapi.yaml", &fixtures::loader(&root().join("ok").join(&name)));
        let made = generated(&document, &options(&name, "openapi.yaml"));
        insta::assert_snapshot!(
            format!("warnings_of_{name}"),
            made.warnings.render(document.sources(), false)
        );
    }
}

#[test]
fn every_run_makes_the_same() {
    for name in folders(&root().join("ok")) {
        let folder = root().join("ok").join(&name);
        let run = || {
            let document = read("openapi.yaml", &fixtures::loader(&folder));
            let made = generated(&document, &options(&name, "openapi.yaml"));
            let warnings = made.warnings.render(document.sources(), false);
            (made.files, warnings)
        };
        assert_eq!(run(), run(), "{name}");
    }
}

#[test]
fn every_rust_file_is_marked_and_no_line_of_code_is_endless() {
    for name in folders(&root().join("ok")) {
        let folder = root().join("ok").join(&name);
        let document = read("openapi.yaml", &fixtures::loader(&folder));
        let made = generated(&document, &options(&name, "openapi.yaml"));
        let rust: Vec<(&str, &str)> =
            made.files.iter().filter(|(path, _)| path.rsplit('.').next() == Some("rs")).collect();
        assert!(rust.len() >= 8, "{name} has {} files", rust.len());
        for (path, text) in rust {
            assert!(frontdesk_codegen::fileset::is_marked(text), "{name}: {path}");
            assert!(text.ends_with('\n') && !text.contains('\t'), "{name}: {path}");
            for line in text.lines() {
                // Text of the document is never broken; code is.
                let prose = line.trim_start().starts_with("//") || line.contains('"');
                assert!(prose || line.chars().count() <= 110, "{name}: {path}: {line}");
                assert_eq!(line, line.trim_end(), "{name}: {path}");
            }
        }
    }
}
