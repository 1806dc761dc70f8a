//! Programs of users, built on the client of their version.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use frontdesk_commands::codegen::{Outcome, Target};
use frontdesk_contract::release::Lock;
use semver::Version;
use serde_json::Value;

/// The dependencies of every program beside its client. Their versions are those of this workspace.
const DEPENDENCIES: &str = r#"
axum = { version = "0.8", default-features = false, features = ["http1", "tokio"] }
jsonwebtoken = { version = "11", default-features = false, features = ["rust_crypto"] }
serde_json = "1"
tokio = { version = "1", features = ["macros", "io-util", "net", "rt-multi-thread", "time"] }
"#;

/// The program of a version.
pub(super) struct Program {
    pub(super) version: Version,
    /// The operations of the version, sorted.
    pub(super) operations: Vec<String>,
    /// Where the program was written.
    pub(super) source: PathBuf,
    pub(super) binary: PathBuf,
}

/// Builds the program of each released version, and of the next one if it is written.
pub(super) fn programs(root: &Path) -> Vec<Program> {
    let released = root.join("spec/v1/released");
    let lock = Lock::parse(&fs::read_to_string(released.join("releases.toml")).unwrap()).unwrap();
    assert!(!lock.releases().is_empty(), "no version was released");
    let mut bundles: Vec<PathBuf> =
        lock.releases().iter().map(|release| released.join(release.file())).collect();
    let present = root.join("generated/openapi.yaml");
    let version = version(&read(&present));
    let is_released = lock.releases().iter().any(|release| release.version == version);
    let is_written = newest(&root.join("tests/released"), &version).is_some_and(|(of, _)| of == version);
    if !is_released && is_written {
        bundles.push(present);
    }
    bundles.iter().map(|bundle| program(root, bundle)).collect()
}

fn program(root: &Path, bundle: &Path) -> Program {
    let document = read(bundle);
    let version = version(&document);
    // Until a version adds an operation, users of the version before it do all that there is to do.
    let Some((_, source)) = newest(&root.join("tests/released"), &version) else {
        panic!("`tests/released/{version}.rs` is missing: what a user of it does")
    };
    let binary = built(root, bundle, &version, &source);
    Program { version, operations: operations(&document), source, binary }
}

fn read(bundle: &Path) -> Value {
    serde_yaml::from_str(&fs::read_to_string(bundle).unwrap()).unwrap()
}

fn version(document: &Value) -> Version {
    document["info"]["version"].as_str().unwrap().parse().unwrap()
}

/// The names of the operations of a document, sorted.
pub(super) fn operations(document: &Value) -> Vec<String> {
    let items =
        document["paths"].as_object().unwrap().values().flat_map(|item| item.as_object().unwrap().values());
    let mut names: Vec<String> =
        items.filter_map(|operation| Some(operation.get("operationId")?.as_str()?.to_owned())).collect();
    names.sort_unstable();
    names
}

/// Returns the program of this version, or of the last one before it that has a program, with that version.
pub(super) fn newest(folder: &Path, version: &Version) -> Option<(Version, PathBuf)> {
    let programs = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let dated = programs.filter_map(|path| {
        let name = path.file_name()?.to_str()?;
        let of: Version = name.strip_suffix(".rs").unwrap_or(name).parse().ok()?;
        (of <= *version).then_some((of, path))
    });
    dated.max()
}

/// Generates the crates of a bundle and builds the program on them, as a user of that version would have.
fn built(root: &Path, bundle: &Path, version: &Version, source: &Path) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("released").join(version.to_string());
    let target =
        Target::stand_alone(&frontdesk_openapi::PROGRAM, bundle, &folder.join("generated"), "released", root)
            .unwrap();
    let Outcome::Accepted { plan, .. } = target.prepare().unwrap() else {
        panic!("{} is refused", bundle.display())
    };
    plan.apply(&mut target.disk()).unwrap();
    // Each has a name of its own, because all are built into the same folder.
    let name = format!("journey-{version}").replace('.', "-");
    let package =
        format!("[workspace]\n\n[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n");
    write(
        &folder.join("Cargo.toml"),
        &format!("{package}\n[dependencies]\n{}{DEPENDENCIES}", client(&folder)),
    );
    if source.is_dir() {
        for entry in fs::read_dir(source).unwrap() {
            let file = entry.unwrap().path();
            copy(&file, &folder.join("src").join(file.file_name().unwrap()));
        }
    } else {
        copy(source, &folder.join("src/main.rs"));
    }
    // The versions that were chosen for this workspace, which are there already.
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    let built = Path::new(env!("CARGO_TARGET_TMPDIR")).join("outside");
    let output = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--offline"])
        .current_dir(&folder)
        .env("CARGO_TARGET_DIR", &built)
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .env("CARGO_INCREMENTAL", "0")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    built.join("debug").join(name)
}

/// Returns the dependency on the client that was generated into a folder: with every operation, and without
/// TLS, which would be built for nothing, because the service under test speaks plain HTTP.
fn client(folder: &Path) -> String {
    let manifest = fs::read_to_string(folder.join("generated/client/Cargo.toml")).unwrap();
    // A document with few operations has no features for them.
    let features = if manifest.contains("\nall = [") { r#"["all"]"# } else { "[]" };
    format!(
        "released-client = {{ path = \"generated/client\", default-features = false, features = {features} }}\n"
    )
}

/// Copies a file of a program. Generated crates re-export the library that they call.
fn copy(from: &Path, to: &Path) {
    let text = fs::read_to_string(from).unwrap();
    write(to, &text.replace("frontdesk_runtime", "released_client::runtime"));
}

/// Writes a file unless it says so already, so that what did not change is not built again.
fn write(path: &Path, text: &str) {
    if fs::read_to_string(path).is_ok_and(|known| known == text) {
        return;
    }
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}
