//! Tests that generated crates compile wherever they are copied to: with cargo, offline, and with warnings
//! denied.
//!
//! With `FRONTDESK_TEST_CARGO` the compiler checks the crates of a small document with their usual features,
//! and with `FRONTDESK_CORPUS` the packages of three real ones with all features. It generates no machine
//! code for them: clients of released versions are built and run by a test of the service.
//! `FRONTDESK_CORPUS=DIR cargo test -p xtask --test it -- --ignored anywhere` takes ten real documents and
//! this repository's own. All of them share a target folder.
//!
//! Packages are checked as a registry would deliver them: `cargo package` makes the archives, which are
//! unpacked into one workspace and checked together there, with the programs of a user. Cargo's own
//! verification compiles each archive alone, and so the dependencies of each again with other features; it
//! runs for one document.

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::codegen::PETS;
use crate::{Bench, words};

/// Real documents of each version of OpenAPI, which have constructs that the others lack.
const REAL: [&str; 8] = [
    "buildomat.json",
    "chatbase.yaml",
    "ogen-form.json",
    "petstore3fake.yaml",
    "propolis.json",
    "readme-discriminators.json",
    "swagger-petstore.yaml",
    "tidio.yaml",
];
const REAL_31: [&str; 2] = ["burgershop.yaml", "museum.yaml"];

/// Those of them whose packages every run checks.
const ALWAYS: [&str; 3] = ["museum.yaml", "readme-discriminators.json", "tidio.yaml"];

/// Every feature of generated crates, except `native-tls`, which needs the library of the system.
const FEATURES: &str = "chrono,http2,jiff,rust_decimal,test-util,time,tracing";

/// Returns the real documents with their texts, if `FRONTDESK_CORPUS` names their folder. Those of OpenAPI
/// 3.1 are in the folder beside it whose name ends in `-3.1`, or in that of `FRONTDESK_CORPUS_31`.
fn real() -> Option<Vec<(&'static str, String)>> {
    let corpus = std::env::var_os("FRONTDESK_CORPUS")?;
    let later = std::env::var_os("FRONTDESK_CORPUS_31").unwrap_or_else(|| {
        let mut later = corpus.clone();
        later.push("-3.1");
        later
    });
    let read = |folder: &OsStr, name: &'static str| {
        let text = fs::read_to_string(Path::new(folder).join(name));
        (name, text.unwrap_or_else(|error| panic!("{name}: {error}")))
    };
    let earlier = REAL.iter().map(|name| read(&corpus, name));
    Some(earlier.chain(REAL_31.iter().map(|name| read(&later, name))).collect())
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is a folder of the workspace")
}

/// The target folder, which other tests that build outside of this workspace share, and so the dependencies
/// that are in it already.
fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("outside")
}

/// Runs cargo with the versions that this workspace has locked; returns what it reports.
fn cargo(folder: &Path, arguments: &[&str]) -> String {
    let lock = folder.join("Cargo.lock");
    if !lock.exists() {
        fs::copy(root().join("Cargo.lock"), &lock).expect("the lock file can be copied");
    }
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .arg("--offline")
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", target())
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .env("RUSTDOCFLAGS", "--deny warnings")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env("CARGO_INCREMENTAL", "0")
        .output()
        .expect("cargo starts");
    let report = String::from_utf8_lossy(&output.stderr).into_owned();
    // Cargo shows the warnings of the generated crates only, and shows them again where it builds nothing.
    let warns = report.lines().any(|line| line.starts_with("warning"));
    assert!(output.status.success() && !warns, "cargo {}\n{report}", arguments.join(" "));
    report
}

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).expect("the folder can be read") {
            let entry = entry.expect("the folder can be read");
            if entry.file_type().expect("it has a type").is_dir() {
                open.push(entry.path());
            } else {
                found.push(entry.path());
            }
        }
    }
    found
}

/// Copies a folder to another one outside of the checkout.
fn copied(folder: &Path, name: &str) -> (tempfile::TempDir, PathBuf) {
    let elsewhere = tempfile::tempdir().expect("a temporary folder");
    let copy = elsewhere.path().join(name);
    for file in files(folder) {
        let place = copy.join(file.strip_prefix(folder).expect("it is in the folder"));
        fs::create_dir_all(place.parent().expect("a file has a folder")).expect("the folder can be made");
        fs::copy(&file, place).expect("the file can be copied");
    }
    (elsewhere, copy)
}

/// No file may contain one of these texts, in any case.
fn assert_no_traces(folder: &Path, traces: &[&str]) {
    for file in files(folder) {
        let text = fs::read_to_string(&file).expect("every file is text").to_lowercase();
        for trace in traces {
            assert!(!text.contains(&trace.to_lowercase()), "{} contains `{trace}`", file.display());
        }
    }
}

/// Generates from a document and moves the output away; returns its folder.
fn generated_elsewhere(document: &str, text: &str, traces: &[&str]) -> (tempfile::TempDir, PathBuf) {
    let name = document.split('.').next().unwrap_or_default();
    let bench = Bench::new()
        .with(document, text)
        .with("codegen.toml", "[package]\nlicense = \"MIT\"\nrepository = \"https://example.com/sdk\"\n");
    let shown = bench.run(&["codegen", "--spec", document, "--out", "out", "--name", name]);
    assert!(shown.starts_with("exit: 0\n"), "{shown}");
    let (elsewhere, copy) = copied(&bench.path("out"), name);
    let made = bench.path("").canonicalize().expect("it exists").display().to_string();
    let checkout = root().display().to_string();
    let traces = [traces, &[made.trim_end_matches('/'), &checkout]].concat();
    assert_no_traces(&copy, &traces);
    (elsewhere, copy)
}

/// Writes the examples of the READMEs as programs of a user, who depends on one generated crate each;
/// `crates` tells where the folder of a crate is.
fn write_programs_of_a_user(user: &Path, name: &str, crates: impl Fn(&str) -> String) {
    let mut dependencies = String::new();
    fs::create_dir_all(user.join("src/bin")).expect("the folder can be made");
    for package in ["client", "server"] {
        let folder = crates(package);
        let readme = fs::read_to_string(user.join(&folder).join("README.md")).expect("there is a README");
        let example = readme.split("```rust\n").nth(1).and_then(|rest| rest.split("```").next());
        fs::write(
            user.join(format!("src/bin/{name}-{package}-example.rs")),
            example.expect("there is an example"),
        )
        .expect("it can be written");
        dependencies.push_str(&format!("{name}-{package} = {{ path = \"{folder}\" }}\n"));
    }
    let manifest = format!(
        "[package]\nname = \"{name}-user\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[dependencies]\n{dependencies}\
         tokio = {{ version = \"1\", features = [\"macros\", \"net\", \"rt-multi-thread\"] }}\n\
         [lints.rust]\nunused_variables = \"allow\"\n"
    );
    fs::write(user.join("Cargo.toml"), manifest).expect("it can be written");
}

/// Generates from a document, moves the output away, and checks code, docs and the programs of a user there.
fn compiles_anywhere(document: &str, text: &str, traces: &[&str]) {
    let name = document.split('.').next().unwrap_or_default();
    let (_elsewhere, copy) = generated_elsewhere(document, text, traces);

    cargo(&copy, &["check", "--workspace"]);
    cargo(&copy, &["doc", "--workspace", "--no-deps"]);
    let user = copy.join("user");
    write_programs_of_a_user(&user, name, |package| format!("../{package}"));
    let manifest = fs::read_to_string(user.join("Cargo.toml")).expect("it was written");
    fs::write(user.join("Cargo.toml"), format!("[workspace]\n{manifest}")).expect("it can be written");
    cargo(&user, &["check"]);
}

/// Packages the crates in a folder without building them; returns the name and the folder of each in its
/// archive.
fn archives(folder: &Path) -> Vec<(String, String)> {
    let report = cargo(folder, &["package", "--workspace", "--allow-dirty", "--no-verify"]);
    let packages: Vec<(String, String)> = report
        .lines()
        .filter_map(|line| line.trim().strip_prefix("Packaging "))
        .filter_map(|line| {
            let (name, rest) = line.split_once(" v")?;
            Some((name.to_owned(), format!("{name}-{}", rest.split(' ').next()?)))
        })
        .collect();
    assert_eq!(packages.len(), 4, "{report}");
    packages
}

/// Packages the crates that are generated from documents, and checks and documents what is in the archives,
/// with every feature.
fn archives_are_complete<'a>(documents: impl IntoIterator<Item = &'a (&'static str, String)>) {
    let unpacked = tempfile::tempdir().expect("a temporary folder");
    let (mut members, mut patches) = (Vec::new(), String::new());
    for (document, text) in documents {
        let (_elsewhere, folder) = generated_elsewhere(document, text, &["frontdesk"]);
        let packages = archives(&folder);
        for (name, package) in &packages {
            let archive = target().join("package").join(format!("{package}.crate"));
            let status =
                Command::new("tar").arg("-xzf").arg(&archive).arg("-C").arg(unpacked.path()).status();
            assert!(status.expect("tar starts").success(), "{}", archive.display());
            members.push(package.clone());
            patches.push_str(&format!("{name} = {{ path = \"{package}\" }}\n"));
        }
        let name = document.split('.').next().unwrap_or_default();
        let user = format!("{name}-user");
        write_programs_of_a_user(&unpacked.path().join(&user), name, |package| {
            let name = format!("{name}-{package}");
            let found = packages.iter().find(|(known, _)| *known == name);
            format!("../{}", found.expect("every kind of crate is packaged").1)
        });
        members.push(user);
    }
    let manifest =
        format!("[workspace]\nresolver = \"3\"\nmembers = {members:?}\n\n[patch.crates-io]\n{patches}");
    fs::write(unpacked.path().join("Cargo.toml"), manifest).expect("it can be written");
    cargo(unpacked.path(), &["check", "--workspace", "--features", FEATURES]);
    cargo(unpacked.path(), &["doc", "--workspace", "--no-deps", "--features", FEATURES]);
}

/// Packages all crates together, each built by cargo from its archive as after publishing.
fn can_be_published(folder: &Path) {
    let report = cargo(folder, &["package", "--workspace", "--allow-dirty"]);
    for package in ["client", "model", "runtime", "server"] {
        assert!(
            report.lines().any(|line| line.contains("Verifying ") && line.contains(&format!("-{package} "))),
            "{report}"
        );
    }
}

#[test]
fn packages_of_real_documents_are_complete() {
    let Some(documents) = real() else {
        // Written directly to standard error, because the test harness captures output.
        let _ =
            writeln!(std::io::stderr(), "SKIPPED anywhere: FRONTDESK_CORPUS names no folder of documents");
        return;
    };
    let always: Vec<_> = documents.iter().filter(|(name, _)| ALWAYS.contains(name)).collect();
    assert_eq!(always.len(), ALWAYS.len());
    archives_are_complete(always);
}

#[test]
fn crates_compile_anywhere() {
    if compiles() {
        compiles_anywhere("pets.yaml", PETS, &["frontdesk"]);
    }
}

#[test]
fn no_name_of_a_document_meets_one_of_rust() {
    if compiles() {
        let (_elsewhere, folder) = generated_elsewhere("words.json", &words::document(), &[]);
        cargo(&folder, &["check", "--workspace"]);
    }
}

/// Returns whether generated crates are to be compiled; if not, says so.
fn compiles() -> bool {
    let compiles = std::env::var_os("FRONTDESK_TEST_CARGO").is_some();
    if !compiles {
        // Written directly to standard error, because the test harness captures output.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED anywhere: FRONTDESK_TEST_CARGO, with which generated crates are compiled, is not set"
        );
    }
    compiles
}

#[test]
#[ignore = "builds and packages eleven documents, which takes an hour; FRONTDESK_CORPUS names their folder"]
fn real_documents_compile_anywhere() {
    let documents = real().expect("FRONTDESK_CORPUS is set");
    assert_eq!(documents.len(), 10);
    archives_are_complete(&documents);
    // The document itself names the service.
    let own = fs::read_to_string(root().join("generated/openapi.json")).expect("the bundle is there");
    let (_elsewhere, folder) =
        generated_elsewhere("contract.json", &own, &["frontdesk_", "frontdesk-runtime"]);
    can_be_published(&folder);
}

#[test]
fn only_the_crates_that_are_asked_for_are_written_and_kept() {
    let bench = Bench::new().with("pets.yaml", PETS);
    let arguments = ["codegen", "--spec", "pets.yaml", "--out", "out", "--name", "pets"];
    let only = |kinds: &str| bench.run(&[&arguments[..], &["--only", kinds]].concat());
    assert!(bench.run(&arguments).starts_with("exit: 0\n"));
    assert!(bench.path("out/server/Cargo.toml").exists() && bench.path("out/runtime/Cargo.toml").exists());
    assert!(only("client").starts_with("exit: 0\n"));
    assert!(!bench.path("out/server").exists(), "what another run made is removed");
    let manifest = bench.read("out/Cargo.toml");
    assert!(manifest.contains("members = [\"client\", \"model\", \"runtime\"]"), "{manifest}");
    assert!(manifest.starts_with(
        "# @generated by `cargo xtask codegen --spec pets.yaml --out out --name pets --only client` from pets.yaml; do not edit.\n"
    ), "{manifest}");
    // Somebody's own crate beside the generated ones is left alone.
    bench.write("out/server/Cargo.toml", "[package]\nname = \"own\"\n");
    bench.write("out/server/src/lib.rs", "");
    assert!(only("model").starts_with("exit: 0\n"));
    assert!(!bench.path("out/client").exists());
    assert!(bench.path("out/server/src/lib.rs").exists());
}

#[test]
fn output_inside_a_workspace_becomes_part_of_it() {
    let bench = Bench::new()
        .with("pets.yaml", PETS)
        .with("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\n")
        .with("crates/own/Cargo.toml", "[package]\nname = \"own\"\n");
    let arguments =
        ["codegen", "--spec", "pets.yaml", "--out", "crates/pets", "--name", "pets", "--only", "client"];
    let shown = bench.run(&arguments);
    assert!(
        shown.contains(
            "hint: add to `members` of the workspace, unless a member depends on them: \"crates/pets/model\", \"crates/pets/client\", \"crates/pets/runtime\""
        ),
        "{shown}"
    );
    assert!(!bench.path("crates/pets/Cargo.toml").exists());
    let inherit =
        bench.run(&[&arguments[..], &["--workspace", "inherit", "--runtime", "version=1.2"]].concat());
    assert!(inherit.starts_with("exit: 0\n"), "{inherit}");
    let manifest = bench.read("crates/pets/client/Cargo.toml");
    assert!(manifest.contains("version.workspace = true\n"), "{manifest}");
    assert!(
        manifest.contains("pets-runtime = { workspace = true, features = [\"client\"] }\n"),
        "{manifest}"
    );
    assert!(!bench.path("crates/pets/runtime").exists(), "a runtime of a registry is not vendored");
}

#[test]
fn a_runtime_elsewhere_keeps_its_name() {
    let bench =
        Bench::new().with("pets.yaml", PETS).with("lib/Cargo.toml", "[package]\nname = \"acme-runtime\"\n");
    let arguments = ["codegen", "--spec", "pets.yaml", "--out", "out", "--name", "pets", "--runtime"];
    let run = |runtime: &str| bench.run(&[&arguments[..], &[runtime]].concat());
    assert!(run("path=lib").starts_with("exit: 0\n"));
    let manifest = bench.read("out/model/Cargo.toml");
    assert!(manifest.contains("acme-runtime = { path = \"../../lib\" }\n"), "{manifest}");
    assert!(bench.read("out/model/src/lib.rs").contains("pub use acme_runtime as runtime;"));
    assert!(run("version=2,package=acme-runtime").starts_with("exit: 0\n"));
    assert!(bench.read("out/model/Cargo.toml").contains("acme-runtime = { version = \"2\" }\n"));
    let refused = run("path=nowhere");
    assert!(refused.contains("error: `--runtime path=DIR` needs the folder of a package"), "{refused}");
    let refused = run("workspace");
    assert!(refused.contains("`runtime workspace` needs a workspace around the output"), "{refused}");
}

#[test]
fn options_may_be_in_a_file_beside_the_document() {
    let settings = "name = \"pets\"\nout = \"../sdk\"\nonly = [\"client\"]\n\n[package]\nversion = \"2.1.0\"\n\
        license = \"MIT\"\nauthors = [\"Pet Shop\"]\nrepository = \"https://example.com/pets\"\nkeywords = [\"pets\"]\n\
        rust-version = \"1.90\"\npublish = false\n\n[derives]\nPet = [\"Eq\", \"Clone\"]\n\n[dependencies]\nschemars = \"1\"\n\
        money = { path = \"../money\" }\n";
    let bench = Bench::new().with("api/pets.yaml", PETS).with("api/codegen.toml", settings);
    let shown = bench.run(&["codegen", "--spec", "api/pets.yaml"]);
    assert!(shown.starts_with("exit: 0\n"), "{shown}");
    let manifest = bench.read("sdk/client/Cargo.toml");
    for line in [
        "# @generated by `cargo xtask codegen --spec api/pets.yaml` from api/pets.yaml; do not edit.",
        "version = \"2.1.0\"",
        "license = \"MIT\"",
        "authors = [\"Pet Shop\"]",
        "repository = \"https://example.com/pets\"",
        "keywords = [\"pets\"]",
        "rust-version = \"1.90\"",
        "publish = false",
        "schemars = { version = \"1\" }",
        "money = { path = \"../../money\" }",
    ] {
        assert!(manifest.lines().any(|known| known == line), "no `{line}` in\n{manifest}");
    }
    let pet = bench.read("sdk/model/src/schemas/pets.rs");
    assert!(pet.contains("#[derive(Eq)]\n"), "{pet}");
    assert!(bench.run(&["codegen", "--check", "--spec", "api/pets.yaml"]).starts_with("exit: 0\n"));

    bench.write("api/codegen.toml", &settings.replace("Pet = ", "Pat = "));
    insta::assert_snapshot!(bench.run(&["codegen", "--spec", "api/pets.yaml"]), @r#"
    exit: 1
    --- stderr
    error: `Pat` in `derives`: the model has no such type; write its name in Rust, such as `NewPet`
      --> api/codegen.toml:15:1
       |
    15 | Pat = ["Eq", "Clone"]
       | ^^^
    "#);
    bench.write("api/codegen.toml", &settings.replace("license", "licence"));
    let shown = bench.run(&["codegen", "--spec", "api/pets.yaml"]);
    assert!(
        shown.contains("error: unknown key `licence`") && shown.contains("--> api/codegen.toml:7:1"),
        "{shown}"
    );
}
