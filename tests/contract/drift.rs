//! Tests that the committed output is up to date: the generated crates, the bundles and the table of
//! operations.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use frontdesk_codegen::fileset::{MemoryDisk, Plan, Report};
use frontdesk_codegen::{JavaScriptOptions, Options, generate};
use frontdesk_contract::release::{LOCK_FILE, Lock, sha256};
use frontdesk_document::{Document, MemoryLoader};
use frontdesk_model::operations::OPERATIONS;
use serde_json::Value;

const SPEC: &str = "spec/v1/openapi.yaml";
const COMMAND: &str = "cargo xtask codegen";

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is a folder of the workspace").to_owned()
}

/// Returns every file below a folder of the workspace, with its path relative to the workspace.
fn files(folder: &str) -> Vec<(String, String)> {
    files_that_end(folder, &[""])
}

/// Returns the files below a folder of the workspace whose names end so, with their paths relative to the
/// workspace.
fn files_that_end(folder: &str, endings: &[&str]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let place = workspace().join(&folder);
        let entries = std::fs::read_dir(&place).unwrap_or_else(|error| panic!("{folder}: {error}"));
        for entry in entries.map(Result::unwrap) {
            let path = format!("{folder}/{}", entry.file_name().into_string().unwrap());
            if entry.file_type().unwrap().is_dir() {
                open.push(path);
            } else if endings.iter().any(|ending| path.ends_with(ending)) {
                let text =
                    std::fs::read_to_string(entry.path()).unwrap_or_else(|error| panic!("{path}: {error}"));
                found.push((path, text));
            }
        }
    }
    found
}

/// Returns the files of the contract.
fn spec() -> Vec<(String, String)> {
    files("spec/v1")
}

/// Returns the files of the console's contract.
fn console_spec() -> Vec<(String, String)> {
    files("spec/console/v1")
}

/// Returns the output of the first contract; the console's is a folder in it.
fn interface_files() -> impl Iterator<Item = (String, String)> {
    files("generated").into_iter().filter(|(path, _)| !path.starts_with("generated/console/"))
}

/// Returns a copy of the committed output, with paths relative to `generated/`.
fn committed() -> MemoryDisk {
    interface_files().fold(MemoryDisk::new(), |disk, (path, text)| {
        disk.with(path.strip_prefix("generated/").unwrap_or(&path), text)
    })
}

/// Returns what generating from these files would change on this disk.
fn plan(spec: Vec<(String, String)>, disk: &MemoryDisk) -> Plan {
    plan_of(SPEC, "frontdesk", spec, disk)
}

fn plan_of(path: &str, name: &str, spec: Vec<(String, String)>, disk: &MemoryDisk) -> Plan {
    let loader: MemoryLoader = spec.into_iter().collect();
    let (document, problems) = Document::read(path, &loader);
    let document = document.unwrap_or_else(|| panic!("{}", problems.render(problems.sources(), false)));
    let options =
        Options { javascript: Some(JavaScriptOptions::default()), ..Options::of_workspace(name, path) };
    let generated = generate(&document, &options).unwrap_or_else(|error| panic!("{error}: {error:?}"));
    Plan::new(generated.files, disk).unwrap()
}

fn told(plan: &Plan) -> String {
    let mut text = String::new();
    plan.report(&mut text, &Report::new("generated", COMMAND)).unwrap();
    text
}

#[test]
fn committed_output_is_what_is_generated() {
    let plan = plan(spec(), &committed());
    assert!(plan.is_fresh(), "\n{}", told(&plan));
}

#[test]
fn committed_output_of_the_console_is_what_is_generated() {
    const FOLDER: &str = "generated/console/";
    let disk = files("generated/console").into_iter().fold(MemoryDisk::new(), |disk, (path, text)| {
        disk.with(path.strip_prefix(FOLDER).unwrap_or(&path), text)
    });
    let plan = plan_of("spec/console/v1/openapi.yaml", "frontdesk-console", console_spec(), &disk);
    assert!(plan.is_fresh(), "\n{}", told(&plan));
}

#[test]
fn every_way_to_drift_is_noticed() {
    const FILE: &str = "model/src/schemas/messages/answer.rs";
    let disk = committed();
    let text = files("generated").into_iter().find(|(path, _)| path.ends_with(FILE)).unwrap().1;

    let edited = disk.clone().with(FILE, text.replacen("pub struct", "pub(crate) struct", 1));
    let mut missing = MemoryDisk::new();
    for (path, text) in interface_files().filter(|(path, _)| !path.ends_with(FILE)) {
        missing = missing.with(path.strip_prefix("generated/").unwrap(), text);
    }
    let orphaned = disk.clone().with("server/src/notes.rs", "// Somebody's own.\n");
    let changed: Vec<(String, String)> = spec()
        .into_iter()
        .map(|(path, text)| (path, text.replace("summary: List chatbots", "summary: List every chatbot")))
        .collect();

    for (plan, lines) in [
        (
            plan(spec(), &edited),
            &["Stale generated/model/src/schemas/messages/answer.rs", "-pub(crate) struct Answer"][..],
        ),
        (plan(spec(), &missing), &["Missing generated/model/src/schemas/messages/answer.rs"]),
        (plan(spec(), &orphaned), &["Orphan generated/server/src/notes.rs"]),
        (
            plan(changed, &disk),
            &[
                "Stale generated/client/src/chatbots.rs",
                "+    /// List every chatbot.",
                "Stale generated/openapi.yaml",
            ],
        ),
    ] {
        let told = told(&plan);
        assert!(!plan.is_fresh());
        for line in lines.iter().chain(&["hint: run `cargo xtask codegen` to update"]) {
            assert!(told.contains(line), "no `{line}` in\n{told}");
        }
    }
}

fn bundle(path: &str) -> Value {
    let loader: MemoryLoader = files("generated").into_iter().filter(|(file, _)| file == path).collect();
    let (document, problems) = Document::read(path, &loader);
    let document = document.unwrap_or_else(|| panic!("{}", problems.render(problems.sources(), false)));
    document.root().to_json()
}

#[test]
fn both_bundles_say_the_same() {
    let (yaml, json) = (bundle("generated/openapi.yaml"), bundle("generated/openapi.json"));
    assert!(yaml["paths"].as_object().is_some_and(|paths| !paths.is_empty()));
    assert!(yaml == json, "openapi.yaml and openapi.json differ; `{COMMAND}` writes both");
}

/// Returns each operation of the bundle that declares the header `Idempotency-Key`, as `POST /path`.
fn keyed_operations() -> BTreeSet<String> {
    let bundle = bundle("generated/openapi.json");
    let is_key = |parameter: &Value| {
        let parameter = match parameter["$ref"].as_str() {
            Some(reference) => bundle.pointer(reference.trim_start_matches('#')).unwrap(),
            None => parameter,
        };
        parameter["in"] == "header" && parameter["name"] == "Idempotency-Key"
    };
    let mut keyed = BTreeSet::new();
    for (path, item) in bundle["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let lists = [&item["parameters"], &operation["parameters"]];
            let mut parameters = lists.into_iter().filter_map(Value::as_array).flatten();
            if operation["operationId"].is_string() && parameters.any(is_key) {
                keyed.insert(format!("{} {path}", method.to_uppercase()));
            }
        }
    }
    keyed
}

#[test]
fn clients_send_keys_where_the_contract_declares_them_and_nowhere_else() {
    let mut sending = BTreeSet::new();
    for (path, text) in files("generated/client/src") {
        // The line of docs above the facts of an endpoint ends with method and path.
        let mut address = None;
        for line in text.lines().map(str::trim) {
            if line.starts_with("///") && line.ends_with('`') {
                address = line.rsplit('`').nth(1);
            } else if line == "const KEYED: bool = true;" {
                let address = address.unwrap_or_else(|| panic!("{path}: {line}"));
                sending.insert(address.to_owned());
            }
        }
    }
    let declared = keyed_operations();
    assert!(declared.len() > 30, "{declared:?}");
    assert_eq!(sending, declared);
}

#[test]
fn the_table_of_operations_is_that_of_the_bundle() {
    let bundle = bundle("generated/openapi.json");
    let mut documented = BTreeSet::new();
    for (path, item) in bundle["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let Some(id) = operation["operationId"].as_str() else { continue };
            let security = operation.get("security").unwrap_or(&bundle["security"]);
            let schemes: Vec<Vec<String>> = security
                .as_array()
                .unwrap()
                .iter()
                .map(|requirement| requirement.as_object().unwrap().keys().cloned().collect())
                .collect();
            let mut statuses: Vec<u16> = operation["responses"]
                .as_object()
                .unwrap()
                .keys()
                .filter_map(|status| status.parse().ok())
                .collect();
            statuses.sort_unstable();
            let deprecated = operation["deprecated"] == true;
            documented.insert((
                id.to_owned(),
                method.to_uppercase(),
                path.clone(),
                schemes,
                statuses,
                deprecated,
                operation["x-policy"].to_string(),
            ));
        }
    }
    let generated: BTreeSet<_> = OPERATIONS
        .iter()
        .map(|operation| {
            let schemes: Vec<Vec<String>> = operation
                .security
                .iter()
                .map(|requirement| requirement.schemes.iter().map(|scheme| scheme.name.to_owned()).collect())
                .collect();
            let mut statuses = operation.statuses.to_vec();
            statuses.sort_unstable();
            let policy: Value = serde_json::from_str(operation.extension("x-policy").unwrap()).unwrap();
            (
                operation.id.to_owned(),
                operation.method.to_string(),
                operation.path.to_owned(),
                schemes,
                statuses,
                operation.deprecated,
                policy.to_string(),
            )
        })
        .collect();
    assert_eq!(generated, documented);
    assert_eq!(generated.len(), OPERATIONS.len(), "an operation is listed twice");
}

#[test]
fn released_bundles_are_what_was_released() {
    let folder = "spec/v1/released";
    let mut kept: BTreeMap<String, String> = files(folder).into_iter().collect();
    let lock = kept.remove(&format!("{folder}/{LOCK_FILE}")).expect("there is a lock");
    let lock = Lock::parse(&lock).unwrap();
    for release in lock.releases() {
        let path = format!("{folder}/{}", release.file());
        let text = kept.remove(&path).unwrap_or_else(|| panic!("`{path}` is gone; take it back"));
        assert_eq!(
            sha256(&text),
            release.sha256,
            "`{path}` was edited; take it back, and make a new version"
        );
    }
    assert!(kept.is_empty(), "no release put these here: {:?}", kept.keys());
}

/// `cargo test` passes over a library whose manifest says that there is nothing to run in it.
#[test]
fn libraries_that_cargo_test_leaves_out_have_no_tests() {
    let folders = ["crates", "generated", "tests", "xtask"];
    let files: BTreeMap<String, String> =
        folders.iter().flat_map(|folder| files_that_end(folder, &[".rs", "/Cargo.toml"])).collect();
    let mut checked = 0;
    for (path, manifest) in files.iter().filter(|(path, _)| path.ends_with("/Cargo.toml")) {
        let library = manifest.lines().skip_while(|line| *line != "[lib]").skip(1);
        let settings: Vec<&str> = library.take_while(|line| !line.starts_with('[')).collect();
        let folder = format!("{}/src/", path.trim_end_matches("/Cargo.toml"));
        for (path, text) in files.range(folder.clone()..).take_while(|(path, _)| path.starts_with(&folder)) {
            if settings.contains(&"test = false") {
                checked += 1;
                assert!(!text.contains("#[cfg(test)]") && !text.contains("#[test]"), "{path} has a test");
            }
            if settings.contains(&"doctest = false") {
                assert!(!has_example(text), "{path} has an example that nothing compiles");
            }
        }
    }
    assert!(checked > 0);
}

/// Whether docs have a code block of Rust.
fn has_example(text: &str) -> bool {
    let lines = text.lines().map(str::trim_start);
    let mut fences =
        lines.filter_map(|line| line.strip_prefix("/// ```").or_else(|| line.strip_prefix("//! ```")));
    // Every second fence ends a block.
    while let Some(language) = fences.next() {
        if language.is_empty() || ["rust", "no_run", "should_panic", "compile_fail"].contains(&language) {
            return true;
        }
        fences.next();
    }
    false
}
