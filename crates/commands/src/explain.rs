//! `explain`: prints the explanation of a diagnostic code.

use std::fmt::Write as _;

use anyhow::{Result, bail};
use frontdesk_contract::lint::{Rule, Scope};
use frontdesk_document::{Explanation, current_code};

use crate::command_line::ExplainArguments;
use crate::{Exit, Program, terminal};

/// The minimum similarity (Jaro-Winkler, 0 to 1) of a suggested code to an unknown one.
const SIMILAR: f64 = 0.8;

/// Prints the explanation, or the list of all codes, on standard output.
pub fn run(program: &Program, arguments: &ExplainArguments) -> Result<Exit> {
    let Some(code) = &arguments.code else {
        let list = codes().fold(String::new(), |list, explanation| list + explanation.code + "\n");
        terminal::print(&list)?;
        return Ok(Exit::Done);
    };
    // Diagnostics show the code in brackets, and users copy it with them.
    let levels = ["error[", "warning["];
    let code = levels.iter().find_map(|level| code.strip_prefix(level)).unwrap_or(code);
    let code = current_code(code.trim_matches(['[', ']', '`', ':']));
    if let Some(explanation) = codes().find(|explanation| explanation.code == code) {
        let nature = frontdesk_codegen::nature(explanation.code)
            .map_or_else(String::new, |nature| format!("\nA warning: {nature}.\n"));
        let rule = frontdesk_contract::lint::rule(explanation.code).map_or_else(String::new, describe);
        let text = format!("{}\n\n{}\n{nature}{rule}", explanation.code, explanation.text.trim());
        terminal::print(&program.named(&text))?;
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
        message.push_str("; `cargo xtask explain` lists all codes");
    }
    bail!(message)
}

/// Describes the lint rule with this code.
fn describe(rule: &Rule) -> String {
    let scope = match rule.scope {
        Scope::Common => "any document",
        Scope::Project => "documents of this repository",
        Scope::Asked => "any document, if `--warn` or `--deny` names it",
    };
    format!("\nA rule of `cargo xtask lint`, level {}, for {scope}.\n", rule.level)
}

/// Returns all codes: of reading and lowering, the rules of compatibility and of lint, and those of releases
/// and of the mock.
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
