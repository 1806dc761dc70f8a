//! Rendering of findings as text, JSON and GitHub annotations.

mod annotations;
mod json;
mod text;

use super::finding::Findings;
use super::rules::Level;

pub use self::annotations::annotations;
pub use self::json::json;
pub use self::text::text;

/// Returns the summary line.
fn summary(findings: &Findings) -> String {
    let counted = |count: usize, noun: &str| match count {
        1 => format!("1 {noun}"),
        count => format!("{count} {noun}s"),
    };
    let (errors, warnings) = (findings.count(Level::Error), findings.count(Level::Warning));
    let allowed = match findings.allowed() {
        0 => String::new(),
        count => format!(", {count} allowed"),
    };
    if errors + warnings == 0 {
        return format!("clean{allowed}");
    }
    format!("{}, {}{allowed}", counted(errors, "error"), counted(warnings, "warning"))
}
