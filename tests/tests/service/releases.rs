//! Promise to users of an earlier version: their client, generated from that version's bundle, works with the
//! service as it is now.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use frontdesk_contract::release::Lock;
use frontdesk_store::Plan;
use xtask::codegen::{Outcome, Target};

use crate::{database::Database, installation::Installation, site};

/// The program of a user.
const MANIFEST: &str = r#"[workspace]

[package]
name = "journey"
version = "0.0.0"
edition = "2024"

[dependencies]
released-client = { path = "generated/client" }
tokio = { version = "1", features = ["macros", "rt-multi-thread", "time"] }
"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn clients_of_every_released_version_still_work() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let released = root.join("spec/v1/released");
    let lock = Lock::parse(&fs::read_to_string(released.join("releases.toml")).unwrap()).unwrap();
    assert!(!lock.releases().is_empty(), "no version was released");
    let service = Installation::start(Database::sqlite().await).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let bakery = site::bakery().await;
    for release in lock.releases() {
        let bundle = released.join(release.file());
        let operations = operations(&fs::read_to_string(&bundle).unwrap());
        // Until a version adds an operation, users of the version before it do all that there is to do.
        let journey = newest_journey(&root.join("tests/released"), &release.version);
        let program = built(root, &bundle, &journey);
        let address = format!("http://{}", service.address());
        let output =
            Command::new(&program).args([&*address, &*acme.key.text, &*bakery.origin()]).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "a client of {} fails: {errors}", release.version);
        let called: Vec<String> =
            String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
        assert_eq!(called, operations, "the journey `{}` calls every operation", journey.display());
    }
    service.stop().await;
}

/// The names of the operations of a document, sorted.
fn operations(bundle: &str) -> Vec<String> {
    let bundle: serde_json::Value = serde_yaml::from_str(bundle).unwrap();
    let items =
        bundle["paths"].as_object().unwrap().values().flat_map(|item| item.as_object().unwrap().values());
    let mut names: Vec<String> =
        items.filter_map(|operation| Some(operation.get("operationId")?.as_str()?.to_owned())).collect();
    names.sort_unstable();
    names
}

/// The program of the newest version that is no newer than this one.
fn newest_journey(folder: &Path, version: &semver::Version) -> PathBuf {
    let programs = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let dated = programs.filter_map(|path| {
        let of: semver::Version = path.file_stem()?.to_str()?.parse().ok()?;
        (of <= *version).then_some((of, path))
    });
    dated
        .max()
        .unwrap_or_else(|| panic!("`tests/released/{version}.rs` is missing: what a user of it does"))
        .1
}

/// Generates the crates of a bundle and builds the program on them, as a user of that version would have.
fn built(root: &Path, bundle: &Path, journey: &Path) -> PathBuf {
    let version = bundle.file_stem().unwrap();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("released").join(version);
    let target = Target::stand_alone(bundle, &folder.join("generated"), "released", root).unwrap();
    let Outcome::Accepted { plan, .. } = target.prepare().unwrap() else {
        panic!("{} is refused", bundle.display())
    };
    plan.apply(&mut target.disk()).unwrap();
    write(&folder.join("Cargo.toml"), MANIFEST);
    // Generated crates re-export the library that they call.
    let program =
        fs::read_to_string(journey).unwrap().replace("frontdesk_runtime", "released_client::runtime");
    write(&folder.join("src/main.rs"), &program);
    // The versions that were chosen for this workspace, which are there already.
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    let built = Path::new(env!("CARGO_TARGET_TMPDIR")).join("outside");
    let output = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--offline"])
        .current_dir(&folder)
        .env("CARGO_TARGET_DIR", &built)
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    built.join("debug").join("journey")
}

/// Writes a file unless it says so already, so that what did not change is not built again.
fn write(path: &Path, text: &str) {
    if fs::read_to_string(path).is_ok_and(|known| known == text) {
        return;
    }
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}
