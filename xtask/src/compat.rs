//! `cargo xtask compat`: two documents, what changed between them, and whether it breaks anybody.

pub mod code;
mod inputs;

use std::env;
use std::path::Path;

use anyhow::{Context, Result};
use frontdesk_contract::compat::{Comparison, Policy, compare, report};
use jiff::civil::Date;
use jiff::tz::TimeZone;

pub(crate) use self::inputs::{Input, Read};
use crate::codegen::NAME;
use crate::command_line::{CompatArguments, Format, PolicyName};
use crate::releases::{Releases, changelog};
use crate::workspace::root;
use crate::{Exit, terminal};

/// What came of a comparison.
#[derive(Debug)]
pub enum Outcome {
    /// Both documents were read.
    Compared(Box<Comparison>),
    /// One of them was refused; the text says why.
    Refused(String),
}

/// Compares, and tells the findings on standard output.
///
/// A failure is told as a refusal (2): a gate must not take it for a breaking change, nor for a good one.
pub fn run(arguments: &CompatArguments) -> Result<Exit> {
    let started_in = env::current_dir().context("the current folder cannot be read")?;
    match outcome(arguments, &started_in, today(arguments.today)) {
        Ok(Outcome::Compared(comparison)) => {
            terminal::print(&told(&comparison, arguments)?)?;
            Ok(if comparison.is_breaking() { Exit::Breaking } else { Exit::Done })
        }
        Ok(Outcome::Refused(reasons)) => {
            terminal::say(&reasons)?;
            Ok(Exit::Refused)
        }
        Err(error) => {
            terminal::report(&error);
            Ok(Exit::Refused)
        }
    }
}

/// The day of the command, in UTC, unless another one was asked for.
pub(crate) fn today(asked: Option<Date>) -> Date {
    asked.unwrap_or_else(|| jiff::Timestamp::now().to_zoned(TimeZone::UTC).date())
}

/// The comparison in the format that was asked for.
pub fn told(comparison: &Comparison, arguments: &CompatArguments) -> Result<String> {
    Ok(match arguments.format {
        Format::Text => report::text(comparison, arguments.all),
        Format::Json => serde_json::to_string_pretty(&report::json(comparison))? + "\n",
        Format::Markdown => report::markdown(comparison),
        Format::Github => report::annotations(comparison),
    })
}

/// Reads both documents and compares them. Relative paths begin at `started_in`.
pub fn outcome(arguments: &CompatArguments, started_in: &Path, today: Date) -> Result<Outcome> {
    let root = root()?;
    let releases = Releases::read(&root)?;
    let base = match &arguments.base {
        Some(named) => Input::named(named, started_in, &root)?,
        None => Input::released(&releases, &root)?,
    };
    let revision = match &arguments.revision {
        Some(path) => Input::file(path, started_in)?,
        None => Input::current(&root),
    };
    let policy = match arguments.policy {
        Some(PolicyName::Law) => Policy::plain(today),
        None if arguments.revision.is_some() => Policy::plain(today),
        _ => {
            let house = Policy::house(today, changelog(&root)?.0);
            // Notice is counted from releases, whose bundle a removal is looked up in.
            let announcements = arguments.base.is_none().then(|| releases.announcements());
            Policy { announcements, ..house }
        }
    };
    let color = terminal::color();
    let (base, revision) = match (base.read(color), revision.read(color)) {
        (Read::Taken(base), Read::Taken(revision)) => (base, revision),
        (Read::Refused(left), Read::Refused(right)) => return Ok(Outcome::Refused(left + &right)),
        (Read::Refused(reasons), _) | (_, Read::Refused(reasons)) => return Ok(Outcome::Refused(reasons)),
    };
    let mut comparison = compare(&base, &revision, &policy);
    if !comparison.differs {
        comparison = comparison.with_code(&[]);
    } else if arguments.rust || arguments.revision.is_none() {
        match code::between(&base, &revision, NAME) {
            Ok(changes) => comparison = comparison.with_code(&changes),
            // The comparison is of use all the same, and says itself that the rest is an estimate.
            Err(why) => terminal::say(&code::not_compared(&why))?,
        }
    }
    Ok(Outcome::Compared(Box::new(comparison)))
}
