//! Tests of `cargo xtask new`.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::Bench;

#[test]
fn a_folder_that_is_not_empty_is_left_alone() {
    let bench = Bench::new().with("shop/notes.txt", "mine\n");
    insta::assert_snapshot!(bench.run(&["new", "shop", "--name", "shop"]), @r"
    exit: 1
    --- stderr
    error: `shop` is not empty; choose another folder
    ");
    let shown = bench.run(&["new", "other", "--name", "Shop"]);
    assert!(shown.contains("use lower-case letters"), "{shown}");
    let shown = bench.run(&["new", "other", "--name", "shop", "--generator", "path=nowhere"]);
    assert!(shown.contains("`nowhere` is not a checkout"), "{shown}");
    assert!(!bench.path("other").exists());
}

/// Lays out a repository, and follows its README.
#[test]
#[ignore = "builds a generator and a service, which takes minutes"]
fn a_new_repository_builds_tests_and_regenerates() {
    let bench = Bench::new();
    let shown = bench.run(&["new", "shop", "--name", "shop"]);
    assert!(shown.starts_with("exit: 0\n"), "{shown}");
    let folder = bench.path("shop");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace");
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).expect("the lock file can be copied");
    let cargo = |arguments: &[&str]| -> Output {
        Command::new(env!("CARGO"))
            .args(arguments)
            .current_dir(&folder)
            .env("CARGO_NET_OFFLINE", "true")
            .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("outside"))
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env_remove("CARGO_MANIFEST_DIR")
            .output()
            .expect("cargo starts")
    };
    let passes = |arguments: &[&str]| {
        let output = cargo(arguments);
        let report = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            output.status.success(),
            "cargo {}\n{report}{}",
            arguments.join(" "),
            String::from_utf8_lossy(&output.stdout)
        );
        report
    };
    passes(&["fmt", "--check"]);
    let report = passes(&["xtask", "codegen", "--check"]);
    assert!(report.contains("Fresh generated"), "what was laid out is what its generator makes: {report}");
    passes(&["test"]);
    passes(&["clippy", "--all-targets", "--no-deps", "--", "--deny", "warnings"]);
    passes(&["xtask", "lint", "--strict"]);
    passes(&["xtask", "release", "--check"]);
    passes(&["xtask", "explain", "unresolved-reference"]);

    // A mistake in the document is an error with its place, and nothing is written.
    let contract = folder.join("spec/v1/openapi.yaml");
    let correct = fs::read_to_string(&contract).expect("there is a contract");
    let mistaken = correct.replace("schemas/Item'", "schemas/Itme'");
    let line = 1 + mistaken.lines().position(|line| line.contains("Itme")).expect("it is referred to");
    fs::write(&contract, mistaken).expect("it can be written");
    let misspelled = cargo(&["xtask", "codegen"]);
    let report = String::from_utf8_lossy(&misspelled.stderr).into_owned();
    assert_eq!(misspelled.status.code(), Some(2), "{report}");
    assert!(
        report.contains("error[unresolved-reference]")
            && report.contains(&format!("spec/v1/openapi.yaml:{line}:")),
        "{report}"
    );
    assert!(report.contains("`cargo xtask explain CODE` explains a code"), "{report}");
    fs::write(&contract, &correct).expect("it can be written");

    // What breaks clients is found before a release, compared with a file or a revision.
    fs::write(folder.join("earlier.yaml"), &correct).expect("it can be written");
    fs::write(&contract, correct.replace("maxLength: 64", "maxLength: 32")).expect("it can be written");
    let broken = cargo(&["xtask", "compat", "--base", "earlier.yaml"]);
    assert_eq!(broken.status.code(), Some(1), "{}", String::from_utf8_lossy(&broken.stderr));
    fs::write(&contract, &correct).expect("it can be written");

    // A new operation breaks the build until its handler exists.
    let spec = fs::read_to_string(folder.join("spec/v1/openapi.yaml")).expect("there is a contract");
    let operation = "  /api/v1/items:\n    get:\n      tags: [items]\n      operationId: listItems\n      summary: List items.\n      responses:\n        '200':\n          description: All items.\n          content:\n            application/json:\n              schema:\n                type: array\n                items:\n                  $ref: '#/components/schemas/Item'\n";
    let spec = spec.replace("paths:\n", &format!("paths:\n{operation}"));
    fs::write(folder.join("spec/v1/openapi.yaml"), spec).expect("it can be written");
    assert!(!cargo(&["xtask", "codegen", "--check"]).status.success(), "the crates are not up to date");
    passes(&["xtask", "codegen"]);
    let broken = cargo(&["check"]);
    let report = String::from_utf8_lossy(&broken.stderr);
    assert!(!broken.status.success() && report.contains("missing: `list_items`"), "{report}");

    let place = folder.join("crates/service/src/api.rs");
    let api = fs::read_to_string(&place).expect("there is a service");
    let api = api
        .replace("GetItemError, Item,", "GetItemError, Item, ListItemsError,")
        .replace("GetItem, Items}", "GetItem, Items, ListItems}")
        .replace(
            "    async fn get_item",
            "    async fn list_items(&self, _request: ListItems) -> Result<Vec<Item>, Failure<ListItemsError>> {\n        Ok(self.names.iter().map(|(id, name)| Item { id: id.clone(), name: name.clone() }).collect())\n    }\n\n    async fn get_item",
        );
    fs::write(&place, api).expect("it can be written");
    passes(&["test"]);
}
