//! The measured generators: where each is installed, and its best command line.

use std::env::consts::EXE_SUFFIX;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};
use xtask::corpus::documents::Document;

use crate::setting::{self, Setting};

/// A generator of Rust clients.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Generator {
    /// This one: model, server and client.
    Ours,
    /// [openapi-to-rust](https://crates.io/crates/openapi-to-rust): the client alone.
    OpenapiToRust,
    /// [progenitor](https://crates.io/crates/cargo-progenitor): the client is all it makes.
    Progenitor,
}

impl Generator {
    /// Those that are here, ours first. The others are named on standard error.
    pub(crate) fn present(setting: &Setting) -> Result<Vec<Self>> {
        let mut present = vec![Self::Ours];
        for peer in [Self::OpenapiToRust, Self::Progenitor] {
            if peer.program(setting).is_file() {
                present.push(peer);
            } else {
                setting::say(&format!(
                    "SKIPPED: {} is not in target/peers; run tests/benches/generator/install\n",
                    peer.name()
                ))?;
            }
        }
        Ok(present)
    }

    /// What people call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ours => "frontdesk",
            Self::OpenapiToRust => "openapi-to-rust",
            Self::Progenitor => "progenitor",
        }
    }

    fn program(self, setting: &Setting) -> PathBuf {
        match self {
            Self::Ours => setting.target.join(format!("release/xtask{EXE_SUFFIX}")),
            Self::OpenapiToRust => setting.peer("openapi-to-rust"),
            Self::Progenitor => setting.peer("cargo-progenitor"),
        }
    }

    /// The command that makes everything it can of a document, below `out`.
    pub(crate) fn command(self, setting: &Setting, document: &Document, out: &Path) -> Command {
        let file = setting.corpus.join(&document.file);
        let mut command = Command::new(self.program(setting));
        match self {
            Self::Ours => command
                .args(["codegen", "--name", &document.name])
                .arg("--spec")
                .arg(file)
                .arg("--out")
                .arg(out),
            // Neither event streams nor tracing, which are off unless asked for: the least that it can
            // generate.
            Self::OpenapiToRust => command
                .args(["generate", "--quiet"])
                .arg(file)
                .arg("--output-dir")
                .arg(out.join("src/generated")),
            Self::Progenitor => command
                .args(["progenitor", "--version", "0.1.0", "--name", &client(document)])
                .arg("--input")
                .arg(file)
                .arg("--output")
                .arg(out),
        };
        command
    }
}

/// Makes this workspace's generator as its users run it.
pub(crate) fn build_ours(setting: &Setting) -> Result<()> {
    let status = setting.cargo().args(["build", "--release", "--quiet", "--package", "xtask"]).status()?;
    ensure!(status.success(), "`cargo build --release --package xtask` failed");
    Ok(())
}

/// The package that holds the client of a document, whoever made it.
pub(crate) fn client(document: &Document) -> String {
    format!("{}-client", document.name)
}
