//! `lint`: checks a document against the lint rules.

use anyhow::Result;
use frontdesk_codegen::problems;
use frontdesk_contract::lint::{Findings, Level, Settings, lint, report};
use frontdesk_document::Document;

use crate::command_line::{LintArguments, LintFormat, RulesName};
use crate::contract::Contract;
use crate::{Exit, Program, terminal};

/// The outcome of a run.
#[derive(Debug)]
pub enum Outcome {
    /// The document was read.
    Judged(Findings),
    /// The document was rejected; the text gives the reasons.
    Rejected(String),
}

/// Checks the document and prints the findings on standard output.
pub fn run(program: &Program, arguments: &LintArguments) -> Result<Exit> {
    match outcome(program, arguments)? {
        Outcome::Judged(findings) => {
            terminal::print(&program.named(&render(&findings, arguments)?))?;
            Ok(if findings.fails(arguments.strict) { Exit::Violations } else { Exit::Done })
        }
        Outcome::Rejected(reasons) => {
            terminal::say(&reasons)?;
            Ok(Exit::Rejected)
        }
    }
}

/// Renders the findings in the requested format.
pub fn render(findings: &Findings, arguments: &LintArguments) -> Result<String> {
    Ok(match arguments.format {
        LintFormat::Text => report::text(findings, arguments.all),
        LintFormat::Json => serde_json::to_string_pretty(&report::json(findings))? + "\n",
        LintFormat::Github => report::annotations(findings, arguments.strict),
    })
}

/// Reads the document and checks it.
pub fn outcome(program: &Program, arguments: &LintArguments) -> Result<Outcome> {
    let settings = settings(program, arguments)?;
    let Contract { spec: path, loader, .. } = Contract::given(program, arguments.file.as_deref())?;
    let (document, read) = Document::read(&path, &loader);
    let Some(document) = document else {
        let reasons = read.render(read.sources(), terminal::color());
        return Ok(Outcome::Rejected(format!("{reasons}`{path}` was rejected\n")));
    };
    let lowered = problems(&document, &path);
    Ok(Outcome::Judged(lint(&document, &[&read, &lowered], &settings)))
}

/// Returns the rule settings. If options name a rule several times, the strictest one applies.
fn settings(program: &Program, arguments: &LintArguments) -> Result<Settings> {
    let settings = match arguments.rules {
        Some(RulesName::Project) => Settings::project(),
        None if arguments.file.is_none() && program.repository()?.has_conventions => Settings::project(),
        _ => Settings::common(),
    };
    let allowed = arguments.allow.iter().map(|id| (id, None));
    let warned = arguments.warn.iter().map(|id| (id, Some(Level::Warning)));
    let denied = arguments.deny.iter().map(|id| (id, Some(Level::Error)));
    let wishes = allowed.chain(warned).chain(denied);
    Ok(wishes.into_iter().try_fold(settings, |settings, (id, level)| settings.with(id, level))?)
}
