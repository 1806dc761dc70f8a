//! `cargo xtask lint`: a document, and the rules that it breaks.

use anyhow::Result;
use frontdesk_codegen::problems;
use frontdesk_contract::lint::{Findings, Level, Settings, lint, report};
use frontdesk_document::Document;

use crate::command_line::{LintArguments, LintFormat, RulesName};
use crate::folder::FolderLoader;
use crate::{Exit, terminal};

/// What came of a run.
#[derive(Debug)]
pub enum Outcome {
    /// The document was read.
    Judged(Findings),
    /// It was refused; the text says why.
    Refused(String),
}

/// Judges the document, and tells the findings on standard output.
pub fn run(arguments: &LintArguments) -> Result<Exit> {
    match outcome(arguments)? {
        Outcome::Judged(findings) => {
            terminal::print(&told(&findings, arguments)?)?;
            Ok(if findings.fails(arguments.strict) { Exit::Broken } else { Exit::Done })
        }
        Outcome::Refused(reasons) => {
            terminal::say(&reasons)?;
            Ok(Exit::Refused)
        }
    }
}

/// The findings in the format that was asked for.
pub fn told(findings: &Findings, arguments: &LintArguments) -> Result<String> {
    Ok(match arguments.format {
        LintFormat::Text => report::text(findings, arguments.all),
        LintFormat::Json => serde_json::to_string_pretty(&report::json(findings))? + "\n",
        LintFormat::Github => report::annotations(findings, arguments.strict),
    })
}

/// Reads the document and judges it.
pub fn outcome(arguments: &LintArguments) -> Result<Outcome> {
    let settings = settings(arguments)?;
    let (path, loader) = FolderLoader::given(arguments.file.as_deref())?;
    let (document, read) = Document::read(&path, &loader);
    let Some(document) = document else {
        let reasons = read.render(read.sources(), terminal::color());
        return Ok(Outcome::Refused(format!("{reasons}`{path}` was refused\n")));
    };
    let lowered = problems(&document, &path);
    Ok(Outcome::Judged(lint(&document, &[&read, &lowered], &settings)))
}

/// The rules that count. Of one rule that is named several times, the strictest wish counts.
fn settings(arguments: &LintArguments) -> Result<Settings> {
    let settings = match arguments.rules {
        Some(RulesName::House) => Settings::house(),
        None if arguments.file.is_none() => Settings::house(),
        _ => Settings::common(),
    };
    let allowed = arguments.allow.iter().map(|id| (id, None));
    let warned = arguments.warn.iter().map(|id| (id, Some(Level::Warning)));
    let denied = arguments.deny.iter().map(|id| (id, Some(Level::Error)));
    let wishes = allowed.chain(warned).chain(denied);
    Ok(wishes.into_iter().try_fold(settings, |settings, (id, level)| settings.with(id, level))?)
}
