//! What the lines of a text are.

/// Returns whether a line is marked as quoted.
pub(crate) fn is_quoted(line: &str) -> bool {
    line.trim_start().starts_with('>')
}

/// Returns whether lines say something that is not quoted.
pub(crate) fn has_words(lines: &[&str]) -> bool {
    lines.iter().any(|line| !is_quoted(line) && line.chars().any(char::is_alphanumeric))
}
