//! Crates that a generator made of a document, for repeated checks by the compiler.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result};
use fs_err as fs;
use xtask::corpus::documents::Document;

use crate::measure::{self, Cost};
use crate::peers::{Generator, client};
use crate::setting::Setting;

/// Crates with their dependencies built, and the way to check them.
#[derive(Clone, Debug)]
pub(crate) struct Crates {
    folder: PathBuf,
    /// The first file of each crate that is to be checked.
    roots: Vec<PathBuf>,
    /// Which package is checked, with which features.
    selection: Vec<String>,
    /// Where the compiler's results go: one folder a generator, so that dependencies are built once.
    target: PathBuf,
    log: PathBuf,
}

impl Crates {
    /// Generates, builds dependencies, and checks once. `None` if either program fails; its log is kept.
    pub(crate) fn prepare(
        setting: &Setting,
        document: &Document,
        generator: Generator,
    ) -> Result<Option<Self>> {
        let folder = setting.work.join(generator.name()).join(&document.name);
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        let log = setting.work.join(format!("{}.{}.log", document.name, generator.name()));
        if measure::run(&mut generator.command(setting, document, &folder), &log)?.is_none() {
            return Ok(None);
        }
        let package = client(document);
        let roots = match generator {
            Generator::Ours => {
                ["model/src/lib.rs", "client/src/lib.rs"].map(|path| folder.join(path)).to_vec()
            }
            Generator::OpenapiToRust => vec![around_modules(&folder, &package)?],
            Generator::Progenitor => vec![as_workspace(&folder)?],
        };
        // The same versions for all, where they depend on the same crates.
        fs::copy(setting.workspace.join("Cargo.lock"), folder.join("Cargo.lock"))?;
        let target = setting.work.join(generator.name()).join("target");
        let crates = Self { folder, roots, selection: vec!["--package".to_owned(), package], target, log };
        let first = crates.run(setting, &[])?;
        Ok(first.is_some().then_some(crates))
    }

    /// The same crates with one feature only: that of the tag in the middle of all tags by the size of their
    /// code. With the tag; `None` where there are no such features, or where the client does not compile with
    /// that one.
    pub(crate) fn with_one_tag(&self, setting: &Setting) -> Result<Option<(String, Self)>> {
        let client = self.folder.join("client");
        let manifest: toml::Table = fs::read_to_string(client.join("Cargo.toml"))?.parse()?;
        let Some(features) = manifest.get("features").and_then(toml::Value::as_table) else {
            return Ok(None);
        };
        let mut tags = Vec::new();
        for name in features.keys().filter(|name| !matches!(name.as_str(), "all" | "default")) {
            tags.push((size(&client.join("src"), &name.replace('-', "_"))?, name.clone()));
        }
        tags.sort();
        let Some((_, tag)) = tags.get(tags.len() / 2).cloned() else { return Ok(None) };
        let mut one = self.clone();
        one.selection.extend(["--no-default-features".to_owned(), "--features".to_owned(), tag.clone()]);
        let first = one.run(setting, &[])?;
        Ok(first.is_some().then_some((tag, one)))
    }

    /// What it costs to check these crates alone.
    pub(crate) fn check(&self, setting: &Setting) -> Result<Option<Cost>> {
        for root in &self.roots {
            let file = OpenOptions::new().append(true).open(root);
            file.and_then(|file| file.set_modified(SystemTime::now()))
                .with_context(|| format!("failed to touch `{}`", root.display()))?;
        }
        self.run(setting, &["--offline"])
    }

    fn run(&self, setting: &Setting, options: &[&str]) -> Result<Option<Cost>> {
        let mut command = setting.cargo();
        command
            .args(["check", "--quiet"])
            .args(options)
            .args(&self.selection)
            .arg("--target-dir")
            .arg(&self.target)
            .current_dir(&self.folder)
            // Nothing is to be left over from one round to the next.
            .env("CARGO_INCREMENTAL", "0");
        measure::run(&mut command, &self.log)
    }
}

/// Makes a crate around the modules of openapi-to-rust, with the dependencies that it lists; returns the
/// crate's first file.
fn around_modules(folder: &Path, package: &str) -> Result<PathBuf> {
    let dependencies = fs::read_to_string(folder.join("src/generated/REQUIRED_DEPS.toml"))?;
    let head = format!(
        "[package]\nname = \"{package}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n\n"
    );
    fs::write(folder.join("Cargo.toml"), head + &dependencies)?;
    let root = folder.join("src/lib.rs");
    fs::write(&root, "pub mod generated;\n")?;
    Ok(root)
}

/// Takes the crate of progenitor out of the workspace in whose target folder it lies; returns the crate's
/// first file.
fn as_workspace(folder: &Path) -> Result<PathBuf> {
    let manifest = folder.join("Cargo.toml");
    let text = fs::read_to_string(&manifest)?;
    fs::write(&manifest, text + "\n[workspace]\n")?;
    Ok(folder.join("src/lib.rs"))
}

/// Bytes in a module's file and in the folder of its submodules.
fn size(sources: &Path, module: &str) -> Result<u64> {
    let file = sources.join(format!("{module}.rs"));
    let mut size = if file.is_file() { fs::metadata(&file)?.len() } else { 0 };
    let folder = sources.join(module);
    if folder.is_dir() {
        for entry in fs::read_dir(&folder)? {
            size += entry?.metadata()?.len();
        }
    }
    Ok(size)
}
