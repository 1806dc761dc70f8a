//! An independent check of interface changes: `cargo-semver-checks` compares the rustdoc output of the
//! generated crates.
//!
//! The documentation of an unchanged crate is built only once.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use frontdesk_codegen::interface::{Difference, Interface, Package, Weight, differences};
use frontdesk_codegen::{Generated, Options, RuntimeDependency, generate};
use frontdesk_document::Document;
use sha2::{Digest, Sha256};

/// Changes that `cargo-semver-checks` 0.51 does not detect, by words of their description, with the reason.
const UNSEEN: &[(&str, &str)] = &[
    (" was `", "it compares no types of fields, of payloads and of arguments"),
    (" gave `", "it compares no types that functions give"),
    (" requires `", "it compares no bounds of functions"),
    ("` is not implemented any more", "of implementations it compares those that are derived"),
];

/// A crate as one kind of user builds it.
#[derive(Clone, Copy, Debug)]
pub(super) enum View {
    /// The model crate as clients build it.
    Model,
    /// The model crate as servers build it.
    ModelOfServers,
    Server,
    Client,
}

impl View {
    const ALL: [Self; 4] = [Self::Model, Self::ModelOfServers, Self::Server, Self::Client];

    fn package(self) -> Package {
        match self {
            Self::Model | Self::ModelOfServers => Package::Model,
            Self::Server => Package::Server,
            Self::Client => Package::Client,
        }
    }

    fn sees(self, difference: &Difference) -> bool {
        difference.package == self.package() && !(matches!(self, Self::Model) && difference.only_servers)
    }
}

impl fmt::Display for View {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Model => "model",
            Self::ModelOfServers => "model for servers",
            Self::Server => "server",
            Self::Client => "client",
        })
    }
}

/// The results of both tools for an edit.
#[derive(Debug, Default)]
pub(super) struct Agreement {
    /// Crates that both tools call breaking.
    pub(super) both: usize,
    /// Changes that only the comparison calls breaking, with the reason.
    pub(super) unseen: Vec<String>,
    /// Disagreements, which are defects of one of both.
    pub(super) wrong: Vec<String>,
}

/// A folder for the crates and their documentation.
pub(super) struct Bench {
    root: PathBuf,
    workspace: PathBuf,
}

/// Returns whether the tool can be run.
pub(super) fn is_installed() -> bool {
    Command::new("cargo-semver-checks")
        .args(["semver-checks", "--version"])
        .output()
        .is_ok_and(|output| output.status.success())
}

impl Bench {
    pub(super) fn new(workspace: &Path) -> Self {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("edits");
        fs_err::create_dir_all(root.join("docs")).expect("the folder can be made");
        Self { root, workspace: workspace.to_owned() }
    }

    fn options(&self) -> Options {
        let crates = self.root.join("crates");
        let runtime =
            pathdiff::diff_paths(self.workspace.join("crates/runtime"), crates).expect("both are absolute");
        let runtime = RuntimeDependency::Path {
            path: runtime.to_string_lossy().replace('\\', "/"),
            package: "frontdesk-runtime".to_owned(),
        };
        Options::stand_alone("frontdesk", "the contract", runtime)
    }

    /// Compares the two tools' results for an edit.
    pub(super) fn agreement(&self, base: &Document, revision: &Document) -> Agreement {
        let options = self.options();
        let of = |document: &Document| {
            let generated = generate(document, &options).expect("the generator takes it");
            (generated, Interface::of(document, &options).expect("the generator takes it"))
        };
        let ((old, before), (new, after)) = (of(base), of(revision));
        let differences = differences(&before, &after);
        let mut agreement = Agreement::default();
        for view in View::ALL {
            let ours: Vec<&Difference> = differences
                .iter()
                .filter(|difference| difference.weight == Weight::Breaking && view.sees(difference))
                .collect();
            let theirs = self.lints(&self.docs(&old, view), &self.docs(&new, view));
            match (ours.is_empty(), theirs.is_empty()) {
                (true, true) => {}
                (false, false) => agreement.both += 1,
                (true, false) => {
                    agreement.wrong.push(format!("{view}: we call it compatible, and it breaks {theirs:?}"));
                }
                (false, true) => {
                    for difference in ours {
                        let known = UNSEEN.iter().find(|(words, _)| difference.text.contains(words));
                        match known {
                            Some((_, reason)) => {
                                agreement.unseen.push(format!("{} ({reason})", difference.text));
                            }
                            None => agreement.wrong.push(format!("{view}: not seen: {}", difference.text)),
                        }
                    }
                }
            }
        }
        agreement
    }

    /// Returns the documentation of a crate as JSON.
    fn docs(&self, generated: &Generated, view: View) -> PathBuf {
        let package = view.package().name();
        let mut hash = Sha256::new();
        hash.update(view.to_string());
        let folders = [format!("{package}/"), "model/".to_owned()];
        for (path, text) in
            generated.files.iter().filter(|(path, _)| folders.iter().any(|folder| path.starts_with(folder)))
        {
            hash.update(format!("{path}\0{text}\0"));
        }
        let name: String = hash.finalize().iter().take(12).map(|byte| format!("{byte:02x}")).collect();
        let kept = self.root.join(format!("docs/{name}.json"));
        if kept.exists() {
            return kept;
        }
        let crates = self.root.join("crates");
        for (path, text) in generated.files.iter() {
            let place = crates.join(path);
            if !fs_err::read_to_string(&place).is_ok_and(|known| known == text) {
                fs_err::create_dir_all(place.parent().expect("a file has a folder")).expect("it can be made");
                fs_err::write(place, text).expect("it can be written");
            }
        }
        let lock = crates.join("Cargo.lock");
        if !lock.exists() {
            fs_err::copy(self.workspace.join("Cargo.lock"), lock).expect("it can be copied");
        }
        let crate_name = format!("frontdesk-{package}");
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.args(["rustdoc", "--quiet", "--lib", "--package", &crate_name, "--target-dir"]);
        command.arg(self.root.join("target")).current_dir(&crates);
        if matches!(view, View::ModelOfServers) {
            command.args(["--features", "server"]);
        }
        command.args(["--", "-Z", "unstable-options", "--output-format", "json", "--cap-lints", "allow"]);
        // The tool itself uses these options to make rustdoc write JSON.
        command.env("RUSTC_BOOTSTRAP", "1").env("CARGO_INCREMENTAL", "0").env_remove("RUSTFLAGS");
        let output = command.output().expect("cargo starts");
        assert!(output.status.success(), "{view}: {}", String::from_utf8_lossy(&output.stderr));
        let made = self.root.join(format!("target/doc/{}.json", crate_name.replace('-', "_")));
        fs_err::copy(made, &kept).expect("rustdoc wrote it");
        kept
    }

    /// Returns the lints of the tool that require a major version.
    fn lints(&self, base: &Path, revision: &Path) -> BTreeSet<String> {
        if base == revision {
            return BTreeSet::new();
        }
        let output = Command::new("cargo-semver-checks")
            .args(["semver-checks", "check-release", "--release-type", "minor", "--color", "never"])
            .arg("--baseline-rustdoc")
            .arg(base)
            .arg("--current-rustdoc")
            .arg(revision)
            .current_dir(&self.root)
            .output()
            .expect("it is installed");
        let text = String::from_utf8_lossy(&output.stdout);
        let lints: BTreeSet<String> = text
            .lines()
            .filter_map(|line| line.strip_prefix("--- failure "))
            .filter_map(|line| line.split(':').next())
            .map(str::to_owned)
            .collect();
        let shown = || format!("{text}\n{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(lints.is_empty(), output.status.success(), "{}", shown());
        lints
    }
}
