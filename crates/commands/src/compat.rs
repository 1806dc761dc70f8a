//! `compat`: compares two documents and reports breaking changes.

pub mod code;
mod inputs;

use std::env;

use anyhow::{Context, Result};
use frontdesk_contract::compat::{Comparison, Policy, compare, report};
use jiff::civil::Date;
use jiff::tz::TimeZone;

pub(crate) use self::inputs::{Input, Read};
use crate::command_line::{CompatArguments, Format, PolicyName};
use crate::contract::Contract;
use crate::releases::{Releases, changelog};
use crate::{Exit, Program, terminal};

/// The prefix of the crates that are compared, which no finding mentions.
pub(crate) const NAME: &str = "api";

/// The outcome of a comparison.
#[derive(Debug)]
pub enum Outcome {
    /// Both documents were read.
    Compared(Box<Comparison>),
    /// A document was rejected; the text gives the reasons.
    Rejected(String),
}

/// Compares the documents and prints the findings on standard output.
///
/// A failure has the exit code of a rejected document (2), so that CI does not confuse it with a breaking
/// change or with success.
pub fn run(program: &Program, arguments: &CompatArguments) -> Result<Exit> {
    match outcome(program, arguments, today(arguments.today)) {
        Ok(Outcome::Compared(comparison)) => {
            terminal::print(&program.named(&render(&comparison, arguments)?))?;
            Ok(if comparison.is_breaking() { Exit::Breaking } else { Exit::Done })
        }
        Ok(Outcome::Rejected(reasons)) => {
            terminal::say(&reasons)?;
            Ok(Exit::Rejected)
        }
        Err(error) => {
            terminal::report(program, &error);
            Ok(Exit::Rejected)
        }
    }
}

/// Returns the requested date, or today (UTC).
pub(crate) fn today(asked: Option<Date>) -> Date {
    asked.unwrap_or_else(|| jiff::Timestamp::now().to_zoned(TimeZone::UTC).date())
}

/// Renders the comparison in the requested format.
pub fn render(comparison: &Comparison, arguments: &CompatArguments) -> Result<String> {
    Ok(match arguments.format {
        Format::Text => report::text(comparison, arguments.all),
        Format::Json => serde_json::to_string_pretty(&report::json(comparison))? + "\n",
        Format::Markdown => report::markdown(comparison),
        Format::Github => report::annotations(comparison),
    })
}

/// Reads both documents and compares them.
pub fn outcome(program: &Program, arguments: &CompatArguments, today: Date) -> Result<Outcome> {
    let contract = Contract::given(program, arguments.revision.as_deref())?;
    let releases = Releases::read(&contract)?;
    let base = match &arguments.base {
        Some(named) => {
            let started_in = env::current_dir().context("the current folder cannot be read")?;
            Input::named(named, &started_in, &contract)?
        }
        None => Input::released(&releases, &contract)?,
    };
    let revision = Input::current(&contract);
    let policy = match arguments.policy {
        Some(PolicyName::Basic) => Policy::plain(today),
        None if arguments.revision.is_some() => Policy::plain(today),
        _ => {
            let project = Policy::project(today, changelog(&contract)?.0);
            // Notice periods are counted from releases, so removals are looked up in a released bundle.
            let announcements = arguments.base.is_none().then(|| releases.announcements());
            Policy { announcements, ..project }
        }
    };
    let color = terminal::color();
    let (base, revision) = match (base.read(color), revision.read(color)) {
        (Read::Accepted(base), Read::Accepted(revision)) => (base, revision),
        (Read::Rejected(left), Read::Rejected(right)) => return Ok(Outcome::Rejected(left + &right)),
        (Read::Rejected(reasons), _) | (_, Read::Rejected(reasons)) => return Ok(Outcome::Rejected(reasons)),
    };
    let mut comparison = compare(&base, &revision, &policy);
    if comparison.differs {
        let is_own = arguments.revision.is_none();
        // Without a comparison of code, the rest is still useful, and says that changes of code are an
        // estimate.
        if arguments.rust || is_own {
            match code::between(&base, &revision, NAME) {
                Ok(changes) => comparison = comparison.with_code(&changes),
                Err(why) => terminal::say(&code::not_compared(&why))?,
            }
        }
        if arguments.javascript || (is_own && program.has_javascript()) {
            match code::between_javascript(&base, &revision, NAME) {
                Ok(changes) => comparison = comparison.with_javascript(&changes),
                Err(why) => terminal::say(&code::not_compared(&why))?,
            }
        }
    } else {
        comparison = comparison.with_code(&[]);
    }
    Ok(Outcome::Compared(Box::new(comparison)))
}
