//! `cargo xtask explain`: what a diagnostic code means.

use std::fmt::Write as _;

use anyhow::{Result, bail};
use frontdesk_contract::lint::{Rule, Scope};
use frontdesk_document::Explanation;

use crate::command_line::ExplainArguments;
use crate::{Exit, terminal};

/// A name at least this similar (Jaro-Winkler, 0 to 1) is offered for one that does not exist.
const SIMILAR: f64 = 0.8;

/// Prints the explanation, or the list of codes, on standard output.
pub fn run(arguments: &ExplainArguments) -> Result<Exit> {
    let Some(code) = &arguments.code else {
        let list = codes().fold(String::new(), |list, explanation| list + explanation.code + "\n");
        terminal::print(&list)?;
        return Ok(Exit::Done);
    };
    // Codes stand in brackets where users copy them from.
    let levels = ["error[", "warning["];
    let code = levels.iter().find_map(|level| code.strip_prefix(level)).unwrap_or(code);
    let code = code.trim_matches(['[', ']', '`', ':']);
    if let Some(explanation) = codes().find(|explanation| explanation.code == code) {
        let nature = frontdesk_codegen::nature(explanation.code)
            .map_or_else(String::new, |nature| format!("\nA warning: {nature}.\n"));
        let rule = frontdesk_contract::lint::rule(explanation.code).map_or_else(String::new, told);
        terminal::print(&format!("{}\n\n{}\n{nature}{rule}", explanation.code, explanation.text.trim()))?;
        return Ok(Exit::Done);
    }
    let mut message = format!("there is no code `{code}`");
    let nearest = codes()
        .map(|explanation| (strsim::jaro_winkler(code, explanation.code), explanation.code))
        .filter(|(similarity, _)| *similarity >= SIMILAR)
        .max_by(|left, right| left.0.total_cmp(&right.0));
    if let Some((_, nearest)) = nearest {
        write!(message, "; did you mean `{nearest}`?")?;
    } else {
        message.push_str("; `cargo xtask explain` lists all");
    }
    bail!(message)
}

/// What `cargo xtask lint` makes of a code.
fn told(rule: &Rule) -> String {
    let scope = match rule.scope {
        Scope::Common => "any document",
        Scope::House => "documents of this repository",
    };
    format!("\nFor `cargo xtask lint`, a rule of the level {} for {scope}.\n", rule.level)
}

/// Every code: those of reading first, then of lowering, the rules of compatibility and of lint, those of releases, and those of
/// the mock.
fn codes() -> impl Iterator<Item = &'static Explanation> {
    let lists = [
        frontdesk_document::CODES,
        frontdesk_codegen::CODES,
        frontdesk_contract::compat::CODES,
        frontdesk_contract::lint::CODES,
        frontdesk_contract::release::CODES,
        frontdesk_mock::CODES,
    ];
    lists.into_iter().flatten()
}
