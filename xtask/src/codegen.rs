//! `cargo xtask codegen`: generates crates from a document, then writes or checks them.

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

/// The folder of the crates generated from [`SPEC`].
const OUT: &str = "generated";
/// The prefix of their names.
pub(crate) const NAME: &str = "frontdesk";
/// The runtime crate that generated code calls.
const RUNTIME: &str = "crates/runtime";

/// A document, and the folder that crates are generated to.
#[derive(Clone, Debug)]
pub struct Target {
    /// The path of the document in diagnostics, relative to the folder that it is read from.
    spec: String,
    loader: FolderLoader,
    /// The output folder, canonical.
    out: PathBuf,
    /// The output folder as the user wrote it.
    folder: String,
    options: Options,
    /// The command that updates this target.
    command: String,
}

/// The outcome of generating from a document.
#[derive(Debug)]
pub enum Outcome {
    /// The document was accepted.
    Accepted {
        /// The changes to make in the output folder.
        plan: Plan,
        /// Warnings and notes.
        diagnostics: Diagnostics,
    },
    /// The document was rejected for these reasons.
    Rejected(Diagnostics),
}

impl Target {
    /// Returns the target of this workspace's own generated crates.
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

    /// Returns a target for stand-alone crates from any document, outside of this workspace's generated crates.
    ///
    /// Relative paths are resolved against `started_in`.
    pub fn stand_alone(spec: &Path, out: &Path, name: &str, started_in: &Path) -> Result<Self> {
        let workspace = root()?;
        let document = canonical(&started_in.join(spec))?;
        let target = canonical(&started_in.join(out))?;
        let owned = workspace.join(OUT);
        ensure!(
            !target.starts_with(&owned),
            "`{}` is inside the folder of this workspace's generated crates; choose another folder",
            out.display()
        );
        Ok(Self {
            spec: slashed(spec),
            loader: FolderLoader::for_document(spec, started_in)?,
            folder: slashed(out),
            options: Options {
                name: name.to_owned(),
                // The path is relative to the output folder, so that the files do not depend on the current folder.
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
                    ensure!(
                        place.is_dir(),
                        "`{}` is not a folder; `--map` needs a folder after `=`",
                        folder.display()
                    );
                    target.loader = target.loader.with_copies(address, place);
                    let written = quoted(&format!("{address}={}", slashed(folder)));
                    target.command = format!("{} --map {written}", target.command);
                }
                Ok(target)
            }
            CodegenArguments { spec: None, out: None, name: None, .. } => Self::workspace(),
            _ => bail!("`--spec`, `--out` and `--name` must be used together"),
        }?;
        let options = Options { strict: arguments.strict, ..target.options };
        Ok(Self { options, ..target })
    }

    /// Returns the output folder, with which plans are compared and to which they are applied.
    pub fn disk(&self) -> Folder {
        Folder::new(&self.out)
    }

    /// Returns the printer of reports on this target.
    pub fn report(&self, color: bool) -> Report<'_> {
        Report { color, ..Report::new(&self.folder, &self.command) }
    }

    /// Reads the document, generates, and compares with the output folder. Writes nothing.
    pub fn prepare(&self) -> Result<Outcome> {
        let (document, mut diagnostics) = Document::read(&self.spec, &self.loader);
        let Some(document) = document else { return Ok(Outcome::Rejected(diagnostics)) };
        let generated = match generate(&document, &self.options) {
            Ok(generated) => generated,
            Err(GenerateError::Refused(problems)) => {
                diagnostics.append(problems);
                return Ok(Outcome::Rejected(diagnostics));
            }
            Err(defect @ GenerateError::Defect(_)) => return Err(defect.into()),
        };
        diagnostics.append(generated.warnings);
        let plan = Plan::new(generated.files, &self.disk())
            .with_context(|| format!("failed to compare with `{}`", self.folder))?;
        self.guard(&plan, &diagnostics)?;
        Ok(Outcome::Accepted { plan, diagnostics })
    }

    /// Prints on standard output how many operations are fully typed.
    fn print_report(&self, color: bool) -> Result<Exit> {
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
                terminal::say(&rejection(&self.spec, &diagnostics))?;
                Ok(Exit::Rejected)
            }
            Err(defect @ GenerateError::Defect(_)) => Err(defect.into()),
        }
    }

    /// Refuses to overwrite or remove files that the generator does not own: the document, and the files of a folder
    /// chosen by mistake.
    fn guard(&self, plan: &Plan, diagnostics: &Diagnostics) -> Result<()> {
        for (_, source) in diagnostics.sources().iter() {
            let place = self.loader.place(source.path());
            let path = place.strip_prefix(&self.out).map(slashed).unwrap_or_default();
            ensure!(
                !plan.entries().iter().any(|entry| entry.path == path),
                "`{}` is part of the document, but `{}` would be generated at its path; choose another folder",
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
                "`{}` contains {files} not written by the generator, for example `{first}`; choose an empty folder",
                self.folder
            );
        }
        Ok(())
    }
}

/// Generates, or checks generated files, and reports the outcome on standard error.
pub fn run(arguments: &CodegenArguments) -> Result<Exit> {
    let target = Target::from_arguments(arguments)?;
    let color = terminal::color();
    if arguments.report {
        return target.print_report(color);
    }
    let (plan, diagnostics) = match target.prepare()? {
        Outcome::Accepted { plan, diagnostics } => (plan, diagnostics),
        Outcome::Rejected(diagnostics) => {
            terminal::say(&diagnostics.render(diagnostics.sources(), color))?;
            terminal::say(&rejection(&target.spec, &diagnostics))?;
            return Ok(Exit::Rejected);
        }
    };
    terminal::say(&diagnostics.render(diagnostics.sources(), color))?;
    let report = target.report(color);
    let mut report_text = String::new();
    if arguments.check {
        plan.report(&mut report_text, &report)?;
        terminal::say(&report_text)?;
        return Ok(if plan.is_fresh() { Exit::Done } else { Exit::Stale });
    }
    let summary =
        plan.apply(&mut target.disk()).with_context(|| format!("failed to write to `{}`", target.folder))?;
    summary.report(&mut report_text, &report)?;
    terminal::say(&report_text)?;
    Ok(Exit::Done)
}

/// Returns the summary for a rejected document.
fn rejection(spec: &str, diagnostics: &Diagnostics) -> String {
    let counts = diagnostics.counts();
    let counted =
        |count, noun: &str| if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") };
    let warnings = match counts.warnings {
        0 => String::new(),
        count => format!(" and {}", counted(count, "warning")),
    };
    let errors = counted(counts.errors, "error");
    format!(
        "`{spec}` was rejected: {errors}{warnings}; nothing was written\nhint: `cargo xtask explain CODE` explains a code\n"
    )
}

/// Quotes an argument for a shell.
fn quoted(argument: &str) -> String {
    let plain = |character: char| character.is_alphanumeric() || "/._-".contains(character);
    if !argument.is_empty() && argument.chars().all(plain) {
        argument.to_owned()
    } else {
        format!("'{}'", argument.replace('\'', r"'\''"))
    }
}
