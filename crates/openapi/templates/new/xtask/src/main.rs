//! `cargo xtask`: the commands of this repository.
//!
//! - `codegen [--check]`: generates the crates in `generated/`, or fails if they are not up to date.
//! - `serve`: generates the crates and starts the service.

#![expect(clippy::print_stderr, reason = "commands report to the terminal")]

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use @tool_snake@_codegen::fileset::{Plan, Report};
use @tool_snake@_codegen::{GenerateError, Options, generate};
use @tool_snake@_disk::{Folder, FolderLoader};
use @tool_snake@_document::Document;

use anyhow::{Context, Result, anyhow, bail, ensure};

/// The contract.
const SPEC: &str = "spec/v1/openapi.yaml";
/// The folder of the generated crates.
const OUT: &str = "generated";
/// The prefix of their names.
const NAME: &str = "@name@";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match &words[..] {
        ["codegen"] => codegen(),
        ["codegen", "--check"] => check(),
        ["serve"] => codegen().and_then(|()| serve()),
        _ => Err(anyhow!("usage: cargo xtask codegen [--check] | serve")),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Reads the document, generates, and compares with what is there. Writes nothing.
fn plan() -> Result<Plan> {
    let root = root();
    let (document, problems) = Document::read(SPEC, &FolderLoader::new(&root, &root));
    let Some(document) = document else { bail!("{}", problems.render(problems.sources(), false)) };
    match generate(&document, &Options::of_workspace(NAME, SPEC)) {
        Ok(generated) => {
            eprint!("{}", generated.warnings.render(document.sources(), false));
            Ok(Plan::new(generated.files, &disk())?)
        }
        Err(GenerateError::Refused(problems)) => bail!("{}", problems.render(document.sources(), false)),
        Err(error) => Err(error.into()),
    }
}

fn codegen() -> Result<()> {
    let summary = plan()?.apply(&mut disk())?;
    let mut text = String::new();
    summary.report(&mut text, &Report::new(OUT, "cargo xtask codegen"))?;
    eprint!("{text}");
    Ok(())
}

fn check() -> Result<()> {
    let plan = plan()?;
    let mut text = String::new();
    plan.report(&mut text, &Report::new(OUT, "cargo xtask codegen"))?;
    ensure!(plan.is_fresh(), "the generated crates are not up to date\n{text}");
    eprint!("{text}");
    Ok(())
}

fn serve() -> Result<()> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["run", "--package", "@name@-service"])
        .current_dir(root())
        .status()
        .context("failed to start `cargo run`")?;
    ensure!(status.success(), "the service ended with {status}");
    Ok(())
}

fn disk() -> Folder {
    Folder::new(root().join(OUT))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map_or_else(|| PathBuf::from("."), Path::to_owned)
}

#[cfg(test)]
mod tests {
    #[test]
    fn generated_crates_are_up_to_date() {
        super::check().unwrap_or_else(|error| panic!("{error:#}"));
    }
}
