//! The files of `deploy/` as their tools read them.
#![cfg(unix)]

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_yaml::Value;

use crate::Bench;

fn deploy(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../deploy").join(file)
}

fn text(file: &str) -> String {
    fs::read_to_string(deploy(file)).unwrap_or_else(|error| panic!("deploy/{file}: {error}"))
}

/// Returns the members of a mapping in YAML.
fn members(value: &Value) -> Vec<(String, Value)> {
    let mapping = value.as_mapping().expect("a mapping");
    mapping.iter().map(|(key, value)| (key.as_str().expect("a name").to_owned(), value.clone())).collect()
}

#[test]
fn systemd_accepts_the_unit() {
    if Command::new("systemd-analyze").arg("--version").output().is_err() {
        eprintln!("systemd_accepts_the_unit: skipped, because systemd-analyze is not installed");
        return;
    }
    // The program is not installed here, and verification looks for it.
    let program = env!("CARGO_BIN_EXE_xtask");
    let unit = text("frontdesk.service").replace("/usr/local/bin/frontdesk", program);
    let bench = Bench::new().with("frontdesk.service", &unit);
    let output = Command::new("systemd-analyze")
        .args(["verify", "--man=no"])
        .arg(bench.path("frontdesk.service"))
        .output()
        .expect("systemd-analyze starts");
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !messages.contains("frontdesk.service"), "{messages}");

    // From 0 (closed) to 10 (open), in tenths. Older versions cannot look at a file.
    let output = Command::new("systemd-analyze")
        .args(["security", "--offline=true", "--threshold=20"])
        .arg(bench.path("frontdesk.service"))
        .output()
        .expect("systemd-analyze starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn every_service_of_the_compose_file_is_hardened_and_known() {
    let mut compose: Value = serde_yaml::from_str(&text("compose.yaml")).expect("YAML");
    compose.apply_merge().expect("merge keys");
    let services = members(&compose["services"]);
    let names: Vec<&str> = services.iter().map(|(name, _)| name.as_str()).collect();
    let secrets = text("secrets.env.example");
    for (name, service) in &services {
        // One that runs once and ends has nothing to restart.
        if service["restart"].as_str().is_some() {
            assert_eq!(service["cap_drop"][0].as_str(), Some("ALL"), "{name}");
            assert_eq!(service["security_opt"][0].as_str(), Some("no-new-privileges:true"), "{name}");
        }
        if let Some(needed) = service.get("depends_on") {
            for (needed, condition) in members(needed) {
                assert!(names.contains(&needed.as_str()), "{name} needs {needed}");
                if condition["condition"].as_str() == Some("service_healthy") {
                    let has_check =
                        services.iter().any(|(n, s)| *n == needed && s.get("healthcheck").is_some());
                    assert!(has_check, "{name} waits for {needed}, which has no health check");
                }
            }
        }
        for volume in service.get("volumes").and_then(Value::as_sequence).into_iter().flatten() {
            let volume = volume.as_str().and_then(|volume| volume.split(':').next()).expect("a volume");
            assert!(compose["volumes"].get(volume).is_some(), "{name} uses the volume {volume}");
        }
        for (_, value) in service.get("environment").map(members).into_iter().flatten() {
            for variable in value.as_str().into_iter().flat_map(|value| value.split("${").skip(1)) {
                let variable = variable.split([':', '}']).next().expect("a name");
                assert!(
                    secrets.contains(&format!("\n{variable}=\n")),
                    "{variable} is not in secrets.env.example"
                );
            }
        }
    }
    let frontdesk = &compose["services"]["frontdesk"];
    assert_eq!(frontdesk["read_only"].as_bool(), Some(true));
}

/// The rules of linters of container files that matter here.
#[test]
fn the_image_is_small_and_does_not_run_as_root() {
    let file = text("Containerfile");
    let stages: Vec<&str> = file.split("\nFROM ").skip(1).collect();
    assert_eq!(stages.len(), 2, "the compiler stays in a stage of its own");
    let (build, last) = (stages[0], stages[1]);
    assert!(build.contains("--locked"));
    let instructions: Vec<&str> = last.lines().filter_map(|line| line.split(' ').next()).collect();
    for instruction in ["USER", "HEALTHCHECK", "ENTRYPOINT", "STOPSIGNAL", "VOLUME"] {
        assert!(instructions.contains(&instruction), "{instruction} is missing");
    }
    assert!(!instructions.contains(&"RUN"), "the image has no shell");
    let user = last.lines().find_map(|line| line.strip_prefix("USER ")).expect("a user");
    assert!(!matches!(user, "root" | "0"));
    for image in file.lines().filter_map(|line| line.strip_prefix("FROM ")) {
        let image = image.split(' ').next().expect("an image");
        let tag = image.rsplit_once(':').map(|(_, tag)| tag);
        assert!(tag.is_some_and(|tag| tag != "latest"), "{image} has no fixed tag");
    }
}

#[test]
fn a_packed_program_has_its_checksum() {
    let bench = Bench::new().with("program", "the program");
    let output = Command::new(deploy("pack"))
        .arg(bench.path("program"))
        .arg("frontdesk-v1")
        .arg(bench.path("packed"))
        .output()
        .expect("the script starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let check = |command: &mut Command| {
        let output = command.current_dir(bench.path("packed")).output().expect("the program starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    check(Command::new("sha256sum").args(["--check", "frontdesk-v1.tar.gz.sha256"]));
    let listed = check(Command::new("tar").args(["-tzf", "frontdesk-v1.tar.gz"]));
    for file in ["frontdesk", "LICENSE-MIT", "LICENSE-APACHE", "CHANGELOG.md", "frontdesk.service"] {
        assert!(listed.lines().any(|line| line == format!("frontdesk-v1/{file}")), "{file}: {listed}");
    }
    let program = check(Command::new("tar").args(["-xzOf", "frontdesk-v1.tar.gz", "frontdesk-v1/frontdesk"]));
    assert_eq!(program, "the program");
}
