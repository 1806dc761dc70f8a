//! Clients for JavaScript, run by Node: what the services of the fixtures get is what was sent. Types are
//! checked by TypeScript.
//!
//! `tests/tools/javascript/run` installs TypeScript and checks the types of all documents of the corpora.

use std::{
    io::Write,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::Command,
};

use frontdesk_codegen::{Crates, JavaScriptOptions, Options, generate};
use frontdesk_document::{Document, MemoryLoader};

use crate::{bodies_service, events_service, parameters_service};

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("generator/javascript")
}

/// Says on the terminal that a test does nothing. The test harness captures `eprintln!`.
fn skipped(reason: &str) {
    let mut terminal = std::io::stderr();
    writeln!(terminal, "skipped: {reason}").unwrap();
}

/// The program that runs scripts, if it is installed and new enough.
fn node() -> Option<&'static str> {
    let version = Command::new("node").arg("--version").output().ok()?;
    let version = String::from_utf8_lossy(&version.stdout).trim().trim_start_matches('v').to_owned();
    let major: u32 = version.split('.').next()?.parse().ok()?;
    if major < 20 {
        return None;
    }
    Some("node")
}

/// Writes the package for JavaScript of a document.
fn write(document: &str, folder: &Path) {
    let text = fs_err::read_to_string(document).unwrap();
    let loader = MemoryLoader::new().with("openapi.yaml", text);
    let (document, problems) = Document::read("openapi.yaml", &loader);
    let document = document.unwrap_or_else(|| panic!("{}", problems.render(problems.sources(), false)));
    let mut options = Options::of_workspace("fixture", "openapi.yaml");
    options.crates = Crates { model: false, server: false, client: false };
    options.javascript = Some(JavaScriptOptions::default());
    for (path, text) in generate(&document, &options).unwrap().files.iter() {
        let path = folder.join(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
    }
}

/// Runs a script with a package, and returns what it prints before `done`.
async fn run(script: &str, package: &Path, address: Option<SocketAddr>) -> String {
    let mut command = Command::new("node");
    command.arg(scripts().join(script)).arg(package);
    command.args(address.map(|address| format!("http://{address}")));
    let output = tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    let before = printed.strip_suffix("done\n");
    before.unwrap_or_else(|| panic!("{script} fails:\n{printed}{errors}")).to_owned()
}

/// Runs a script with the package of a fixture.
async fn run_fixture(name: &str, script: &str, address: SocketAddr) -> String {
    let folder = tempfile::tempdir().unwrap();
    let document = format!("{}/fixtures/ok/{name}/openapi.yaml", env!("CARGO_MANIFEST_DIR"));
    write(&document, folder.path());
    run(script, &folder.path().join("javascript"), Some(address)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_arrive_as_they_were_sent() {
    if node().is_none() {
        return skipped("bodies of the client for JavaScript (there is no Node 20)");
    }
    let printed = run_fixture("bodies", "bodies.mjs", bodies_service::start().await).await;
    insta::assert_snapshot!(printed);
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_follow_each_other() {
    if node().is_none() {
        return skipped("pages of the client for JavaScript (there is no Node 20)");
    }
    run_fixture("events", "pages.mjs", events_service::start().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn parameters_arrive_as_they_were_sent() {
    if node().is_none() {
        return skipped("parameters of the client for JavaScript (there is no Node 20)");
    }
    run_fixture("parameters", "parameters.mjs", parameters_service::start().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_are_repeated_limited_and_verified() {
    if node().is_none() {
        return skipped("calls of the client for JavaScript (there is no Node 20)");
    }
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../generated/javascript");
    run("calls.mjs", &own, None).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_name_of_a_document_is_one_of_the_language() {
    if node().is_none() {
        return skipped("names of the client for JavaScript (there is no Node 20)");
    }
    let folder = tempfile::tempdir().unwrap();
    write(scripts().join("names.yaml").to_str().unwrap(), folder.path());
    run("names.mjs", &folder.path().join("javascript"), None).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn media_types_are_sent_as_they_are_chosen() {
    if node().is_none() {
        return skipped("media types of the client for JavaScript (there is no Node 20)");
    }
    let folder = tempfile::tempdir().unwrap();
    write(scripts().join("media.yaml").to_str().unwrap(), folder.path());
    run("media.mjs", &folder.path().join("javascript"), None).await;
}

#[test]
fn declarations_are_exact() {
    let Some(compiler) = std::env::var_os("FRONTDESK_TEST_TSC") else {
        return skipped("types of the client for JavaScript (FRONTDESK_TEST_TSC is not set)");
    };
    let folder = tempfile::tempdir().unwrap();
    let check = |files: &[PathBuf]| {
        let output = Command::new(&compiler)
            .args([
                "--strict",
                "--noEmit",
                "--exactOptionalPropertyTypes",
                "--target",
                "es2022",
                "--module",
                "nodenext",
            ])
            .args(files)
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    };
    let declarations = |package: &Path| -> Vec<PathBuf> {
        let files = fs_err::read_dir(package).unwrap().map(|entry| entry.unwrap().path());
        files.filter(|path| path.to_string_lossy().ends_with(".d.ts")).collect()
    };
    for name in ["bodies", "events", "parameters", "schemas", "types"] {
        let document = format!("{}/fixtures/ok/{name}/openapi.yaml", env!("CARGO_MANIFEST_DIR"));
        write(&document, &folder.path().join(name));
        check(&declarations(&folder.path().join(name).join("javascript")));
    }
    write(scripts().join("names.yaml").to_str().unwrap(), &folder.path().join("names"));
    check(&declarations(&folder.path().join("names/javascript")));
    write(scripts().join("narrowing.yaml").to_str().unwrap(), &folder.path().join("narrowing"));
    fs_err::copy(scripts().join("narrowing.ts"), folder.path().join("narrowing.ts")).unwrap();
    // The uses are beside a copy of the package, which is found by its path.
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../generated/javascript");
    let copy = folder.path().join("client");
    for inner in ["", "runtime"] {
        fs_err::create_dir_all(copy.join(inner)).unwrap();
        for entry in fs_err::read_dir(own.join(inner)).unwrap().map(Result::unwrap) {
            if entry.path().is_file() {
                fs_err::copy(entry.path(), copy.join(inner).join(entry.file_name())).unwrap();
            }
        }
    }
    fs_err::write(folder.path().join("package.json"), "{\"type\": \"module\"}").unwrap();
    fs_err::copy(scripts().join("types.ts"), folder.path().join("types.ts")).unwrap();
    check(&[folder.path().join("types.ts"), folder.path().join("narrowing.ts")]);
}
