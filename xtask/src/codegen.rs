//! `cargo xtask codegen`: from a document to a plan on a folder; then the plan is carried out, or told.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use frontdesk_codegen::fileset::{Plan, Report};
use frontdesk_codegen::{GenerateError, Options, RuntimeDependency, generate, survey};
use frontdesk_document::{Diagnostics, Document};

use crate::command_line::CodegenArguments;
use crate::folder::{Folder, FolderLoader};
use crate::workspace::{SPEC, canonical, relative, root, slashed};
use crate::{Exit, terminal};

/// Where the crates made from it are.
const OUT: &str = "generated";
/// First part of their names.
pub(crate) const NAME: &str = "frontdesk";
/// The crate that generated code calls.
const RUNTIME: &str = "crates/runtime";

/// What is generated from which document, and where to.
#[derive(Clone, Debug)]
pub struct Target {
    /// The document as diagnostics name it: relative to the folder that it is read from.
    spec: String,
    loader: FolderLoader,
    /// Canonical.
    out: PathBuf,
    /// The output folder as the user names it.
    folder: String,
    options: Options,
    /// The command that makes this target fresh.
    command: String,
}

/// What came of a document.
#[derive(Debug)]
pub enum Outcome {
    /// It was taken.
    Taken {
        /// What is to be done on the output folder.
        plan: Plan,
        /// Warnings and notes.
        diagnostics: Diagnostics,
    },
    /// It was refused, for these reasons.
    Refused(Diagnostics),
}

impl Target {
    /// The generated crates of this workspace.
    pub fn workspace() -> Result<Self> {
        let root = root()?;
        Ok(Self {
            spec: SPEC.to_owned(),
            loader: FolderLoader::new(&root, &root),
            out: root.join(OUT),
            folder: OUT.to_owned(),
            options: Options {
                name: NAME.to_owned(),
                source: SPEC.to_owned(),
                runtime: RuntimeDependency::Workspace,
                strict: false,
            },
            command: "cargo xtask codegen".to_owned(),
        })
    }

    /// Stand-alone crates from any document, in a folder outside of this workspace's generated ones.
    ///
    /// Relative paths begin at `started_in`.
    pub fn stand_alone(spec: &Path, out: &Path, name: &str, started_in: &Path) -> Result<Self> {
        let workspace = root()?;
        let document = canonical(&started_in.join(spec))?;
        let target = canonical(&started_in.join(out))?;
        let owned = workspace.join(OUT);
        ensure!(
            !target.starts_with(&owned),
            "`{}` lies in the folder of this workspace's own generated crates; choose another folder",
            out.display()
        );
        Ok(Self {
            spec: slashed(spec),
            loader: FolderLoader::for_document(spec, started_in)?,
            folder: slashed(out),
            options: Options {
                name: name.to_owned(),
                // Relative to the output, so that the files do not depend on where the command was started.
                source: relative(&target, &document),
                runtime: RuntimeDependency::Path(relative(&target, &workspace.join(RUNTIME))),
                strict: false,
            },
            command: format!(
                "cargo xtask codegen --spec {} --out {} --name {name}",
                quoted(&slashed(spec)),
                quoted(&slashed(out))
            ),
            out: target,
        })
    }

    fn from_arguments(arguments: &CodegenArguments) -> Result<Self> {
        let started_in = env::current_dir().context("the current folder cannot be read")?;
        let target = match arguments {
            CodegenArguments { spec: Some(spec), out: Some(out), name: Some(name), .. } => {
                let (default, root) = (Self::workspace()?, root()?);
                let is_default = canonical(&started_in.join(spec))? == root.join(SPEC)
                    && canonical(&started_in.join(out))? == default.out
                    && *name == default.options.name;
                let mut target =
                    if is_default { default } else { Self::stand_alone(spec, out, name, &started_in)? };
                for (address, folder) in &arguments.map {
                    let place = canonical(&started_in.join(folder))?;
                    ensure!(place.is_dir(), "`{}` is not a folder; `--map` names one", folder.display());
                    target.loader = target.loader.with_copies(address, place);
                    let written = quoted(&format!("{address}={}", slashed(folder)));
                    target.command = format!("{} --map {written}", target.command);
                }
                Ok(target)
            }
            CodegenArguments { spec: None, out: None, name: None, .. } => Self::workspace(),
            _ => bail!("`--spec`, `--out` and `--name` are given together or not at all"),
        }?;
        let options = Options { strict: arguments.strict, ..target.options };
        Ok(Self { options, ..target })
    }

    /// The folder that the target is written to, as an object that plans compare with and are applied to.
    pub fn disk(&self) -> Folder {
        Folder::new(&self.out)
    }

    /// How reports on this target are told.
    pub fn report(&self, color: bool) -> Report<'_> {
        Report { color, ..Report::new(&self.folder, &self.command) }
    }

    /// Reads the document, generates, and compares with the disk. Nothing is written.
    pub fn prepare(&self) -> Result<Outcome> {
        let (document, mut diagnostics) = Document::read(&self.spec, &self.loader);
        let Some(document) = document else { return Ok(Outcome::Refused(diagnostics)) };
        let generated = match generate(&document, &self.options) {
            Ok(generated) => generated,
            Err(GenerateError::Refused(problems)) => {
                diagnostics.append(problems);
                return Ok(Outcome::Refused(diagnostics));
            }
            Err(defect @ GenerateError::Defect(_)) => return Err(defect.into()),
        };
        diagnostics.append(generated.warnings);
        let plan = Plan::new(generated.files, &self.disk())
            .with_context(|| format!("failed to compare with `{}`", self.folder))?;
        self.guard(&plan, &diagnostics)?;
        Ok(Outcome::Taken { plan, diagnostics })
    }

    /// Prints on standard output how much of the document the generated types would say.
    fn tell_report(&self, color: bool) -> Result<Exit> {
        let (document, mut diagnostics) = Document::read(&self.spec, &self.loader);
        let surveyed = match &document {
            Some(document) => survey(document, &self.options),
            None => Err(GenerateError::Refused(Diagnostics::new())),
        };
        match surveyed {
            Ok((report, warnings)) => {
                diagnostics.append(warnings);
                terminal::say(&diagnostics.render(diagnostics.sources(), color))?;
                terminal::print(&report.to_string())?;
                Ok(Exit::Done)
            }
            Err(GenerateError::Refused(problems)) => {
                diagnostics.append(problems);
                terminal::say(&diagnostics.render(diagnostics.sources(), color))?;
                terminal::say(&refusal(&self.spec, &diagnostics))?;
                Ok(Exit::Refused)
            }
            Err(defect @ GenerateError::Defect(_)) => Err(defect.into()),
        }
    }

    /// Refuses to replace or remove what is not the tool's: the document, and the files of a folder chosen by mistake.
    fn guard(&self, plan: &Plan, diagnostics: &Diagnostics) -> Result<()> {
        for (_, source) in diagnostics.sources().iter() {
            let place = self.loader.place(source.path());
            let path = place.strip_prefix(&self.out).map(slashed).unwrap_or_default();
            ensure!(
                !plan.entries().iter().any(|entry| entry.path == path),
                "`{}` is part of the document and lies where `{}` would be generated; choose another folder",
                source.path(),
                self.folder
            );
        }
        let stand_alone = matches!(self.options.runtime, RuntimeDependency::Path(_));
        let foreign = if stand_alone { plan.foreign() } else { Vec::new() };
        if let Some(first) = foreign.first() {
            let files =
                if foreign.len() == 1 { "a file".to_owned() } else { format!("{} files", foreign.len()) };
            bail!(
                "`{}` holds {files} that the generator did not make, `{first}` first; choose an empty folder",
                self.folder
            );
        }
        Ok(())
    }
}

/// Generates, or checks what was generated; tells on standard error what happened.
pub fn run(arguments: &CodegenArguments) -> Result<Exit> {
    let target = Target::from_arguments(arguments)?;
    let color = terminal::color();
    if arguments.report {
        return target.tell_report(color);
    }
    let (plan, diagnostics) = match target.prepare()? {
        Outcome::Taken { plan, diagnostics } => (plan, diagnostics),
        Outcome::Refused(diagnostics) => {
            terminal::say(&diagnostics.render(diagnostics.sources(), color))?;
            terminal::say(&refusal(&target.spec, &diagnostics))?;
            return Ok(Exit::Refused);
        }
    };
    terminal::say(&diagnostics.render(diagnostics.sources(), color))?;
    let report = target.report(color);
    let mut told = String::new();
    if arguments.check {
        plan.report(&mut told, &report)?;
        terminal::say(&told)?;
        return Ok(if plan.is_fresh() { Exit::Done } else { Exit::Stale });
    }
    let summary =
        plan.apply(&mut target.disk()).with_context(|| format!("failed to write to `{}`", target.folder))?;
    summary.report(&mut told, &report)?;
    terminal::say(&told)?;
    Ok(Exit::Done)
}

/// The last line about a document that was refused.
fn refusal(spec: &str, diagnostics: &Diagnostics) -> String {
    let counts = diagnostics.counts();
    let counted =
        |count, noun: &str| if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") };
    let warnings = match counts.warnings {
        0 => String::new(),
        count => format!(" and {}", counted(count, "warning")),
    };
    let errors = counted(counts.errors, "error");
    format!(
        "`{spec}` was refused: {errors}{warnings}; nothing is written\nhint: `cargo xtask explain CODE` tells more about a code\n"
    )
}

/// An argument as it can be pasted into a shell.
fn quoted(argument: &str) -> String {
    let plain = |character: char| character.is_alphanumeric() || "/._-".contains(character);
    if !argument.is_empty() && argument.chars().all(plain) {
        argument.to_owned()
    } else {
        format!("'{}'", argument.replace('\'', r"'\''"))
    }
}
