//! `codegen`: generates crates from a document, then writes or checks them.
//!
//! - [`Target`]: a document, and the folder and options that crates are generated with.
//! - `header`: how headers name the document and the command, wherever the command was started.
//! - `settings_file`: which file has the options of a document.
//! - `surroundings`: the workspace that an output folder is in.

mod header;
mod settings_file;
mod surroundings;
mod target;

use anyhow::{Context, Result, anyhow, ensure};
use frontdesk_codegen::fileset::{Plan, Report};
use frontdesk_codegen::{GenerateError, generate, survey};
use frontdesk_disk::{Folder, slashed};
use frontdesk_document::{Diagnostics, Document};

pub use self::target::Target;
use crate::command_line::CodegenArguments;
use crate::{Exit, Program, terminal};

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
    /// Returns the output folder, with which plans are compared and to which they are applied.
    pub fn disk(&self) -> Folder {
        Folder::new(&self.out)
    }

    /// Returns the printer of reports on this target.
    pub fn report(&self, color: bool) -> Report<'_> {
        Report { color, ..Report::new(&self.folder, &self.command) }
    }

    /// Reads the document. Where defects are errors, those of reading are too; those that generating would
    /// find are then reported with them, so that one run reports everything.
    fn read(&self) -> (Option<Document>, Diagnostics) {
        if !self.options.strict {
            return Document::read(&self.spec, &self.loader);
        }
        let (document, mut diagnostics) = Document::read_strictly(&self.spec, &self.loader);
        if document.is_none()
            && let (Some(lenient), _) = Document::read(&self.spec, &self.loader)
        {
            match survey(&lenient, &self.options) {
                Ok((_, found)) | Err(GenerateError::Refused(found)) => diagnostics.append(found),
                // An option that does not fit is reported once the document is sound.
                Err(_) => {}
            }
            diagnostics.sort();
        }
        (document, diagnostics)
    }

    /// Returns whether the output is up to date.
    pub fn is_fresh(&self) -> Result<bool> {
        Ok(match self.prepare()? {
            Outcome::Accepted { plan, .. } => plan.is_fresh(),
            Outcome::Rejected(_) => false,
        })
    }

    /// Reads the document, generates, and compares with the output folder. Writes nothing.
    pub fn prepare(&self) -> Result<Outcome> {
        let (document, mut diagnostics) = self.read();
        let Some(document) = document else { return Ok(Outcome::Rejected(diagnostics)) };
        let generated = match generate(&document, &self.options) {
            Ok(generated) => generated,
            Err(GenerateError::Refused(problems)) => {
                diagnostics.append(problems);
                return Ok(Outcome::Rejected(diagnostics));
            }
            Err(error) => return Err(self.located(error)),
        };
        diagnostics.append(generated.warnings);
        let plan = Plan::new(generated.files, &self.disk())
            .with_context(|| format!("failed to compare with `{}`", self.folder))?;
        self.guard(&plan, &diagnostics)?;
        Ok(Outcome::Accepted { plan, diagnostics })
    }

    /// Points at the option that does not fit the document, if it is in `codegen.toml`.
    fn located(&self, error: GenerateError) -> anyhow::Error {
        match (&error, &self.settings) {
            (GenerateError::Option { key, value, problem }, Some(settings)) => {
                anyhow!(settings.point_at(key, value, problem))
            }
            _ => error.into(),
        }
    }

    /// Prints on standard output how many operations are fully typed.
    fn print_report(&self, program: &Program, color: bool) -> Result<Exit> {
        let (document, mut diagnostics) = self.read();
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
                terminal::say(&rejection(program, &self.spec, &diagnostics))?;
                Ok(Exit::Rejected)
            }
            Err(error) => Err(self.located(error)),
        }
    }

    /// Refuses to overwrite or remove files that the generator does not own: the document, and the files of a
    /// folder chosen by mistake.
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
        let foreign = if self.is_own { Vec::new() } else { plan.foreign() };
        if let Some(first) = foreign.first() {
            let files =
                if foreign.len() == 1 { "a file".to_owned() } else { format!("{} files", foreign.len()) };
            anyhow::bail!(
                "`{}` contains {files} not written by the generator, for example `{first}`; choose an empty folder",
                self.folder
            );
        }
        Ok(())
    }
}

/// Generates, or checks generated files, and reports the outcome on standard error.
pub fn run(program: &Program, arguments: &CodegenArguments) -> Result<Exit> {
    let target = Target::from_arguments(program, arguments)?;
    let color = terminal::color();
    if arguments.report {
        return target.print_report(program, color);
    }
    let (plan, diagnostics) = match target.prepare()? {
        Outcome::Accepted { plan, diagnostics } => (plan, diagnostics),
        Outcome::Rejected(diagnostics) => {
            terminal::say(&diagnostics.render(diagnostics.sources(), color))?;
            terminal::say(&rejection(program, &target.spec, &diagnostics))?;
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
    report_text.push_str(&target.hint_for_members()?);
    terminal::say(&report_text)?;
    Ok(Exit::Done)
}

/// Returns the summary for a rejected document.
fn rejection(program: &Program, spec: &str, diagnostics: &Diagnostics) -> String {
    let counts = diagnostics.counts();
    let counted =
        |count, noun: &str| if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") };
    let warnings = match counts.warnings {
        0 => String::new(),
        count => format!(" and {}", counted(count, "warning")),
    };
    let errors = counted(counts.errors, "error");
    format!(
        "`{spec}` was rejected: {errors}{warnings}; nothing was written\nhint: `{} explain CODE` explains a code\n",
        program.command
    )
}
