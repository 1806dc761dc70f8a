//! JavaScript text: string literals, property names and comments that no text of a document can leave.

use crate::render::{changes_direction, markdown};
use std::fmt::Write as _;

/// A string literal.
pub(super) fn literal(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('\'');
    for character in text.chars() {
        match character {
            '\'' => quoted.push_str("\\'"),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            _ if is_unsafe(character) => {
                let _ = write!(quoted, "\\u{{{:x}}}", u32::from(character));
            }
            _ => quoted.push(character),
        }
    }
    quoted.push('\'');
    quoted
}

/// Whether a character ends a line, is invisible, or shows text in another order than it is read.
fn is_unsafe(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{feff}')
        || changes_direction(character)
}

/// The name of a member in an object type: as it is where it is an identifier, quoted otherwise.
pub(super) fn property(name: &str) -> String {
    let mut characters = name.chars();
    let is_start = |first: char| first.is_ascii_alphabetic() || matches!(first, '_' | '$');
    let is_identifier = characters.next().is_some_and(is_start)
        && characters.all(|other| other.is_ascii_alphanumeric() || matches!(other, '_' | '$'));
    if is_identifier { name.to_owned() } else { literal(name) }
}

/// A comment of JSDoc behind `indent`, with a line break behind it; empty if there is nothing to say.
///
/// The text is Markdown as `markdown` makes it; tags are whole lines such as `@deprecated`.
pub(super) fn comment(text: &str, tags: &[String], indent: &str) -> String {
    let mut lines: Vec<String> = text.trim().lines().map(safe).collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    if !lines.is_empty() && !tags.is_empty() {
        lines.push(String::new());
    }
    lines.extend(tags.iter().map(|tag| without_end(tag)));
    match &lines[..] {
        [] => String::new(),
        [line] => format!("{indent}/** {line} */\n"),
        lines => {
            let mut comment = format!("{indent}/**\n");
            for line in lines {
                let _ = writeln!(comment, "{}", format!("{indent} * {line}").trim_end());
            }
            let _ = writeln!(comment, "{indent} */");
            comment
        }
    }
}

/// A line of a comment that belongs to no declaration.
pub(super) fn line_comment(line: &str) -> String {
    format!("{}\n", format!("// {}", without_end(line)).trim_end())
}

/// Prose of the document as Markdown for comments.
pub(super) fn prose(text: Option<&str>) -> String {
    text.map(markdown).unwrap_or_default()
}

/// A line of prose, in which nothing is a tag.
fn safe(line: &str) -> String {
    let line = without_end(line);
    match line.trim_start().strip_prefix('@') {
        Some(rest) => format!("\\@{rest}"),
        None => line,
    }
}

/// A line that neither ends its comment nor contains characters that mislead.
fn without_end(line: &str) -> String {
    let line: String =
        line.chars().map(|character| if character == '\t' { ' ' } else { character }).collect();
    let line: String = line.chars().filter(|character| !is_unsafe(*character)).collect();
    line.replace("*/", "*\\/").trim_end().to_owned()
}

/// Several paragraphs, without those that are empty.
pub(super) fn paragraphs(parts: &[&str]) -> String {
    let parts: Vec<&str> = parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty()).collect();
    parts.join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::{comment, literal, property};

    #[test]
    fn no_text_leaves_its_literal() {
        for (text, written) in [
            ("it's", r"'it\'s'"),
            (r"a\", r"'a\\'"),
            ("a\u{2028}b\nc", r"'a\u{2028}b\nc'"),
            ("\u{202e}x\u{0}", r"'\u{202e}x\u{0}'"),
            ("größe", "'größe'"),
        ] {
            assert_eq!(literal(text), written);
        }
    }

    #[test]
    fn members_are_quoted_where_they_must() {
        for (name, written) in [
            ("chatbot_id", "chatbot_id"),
            ("$ref", "$ref"),
            ("a-b", "'a-b'"),
            ("1", "'1'"),
            ("", "''"),
            ("it's", r"'it\'s'"),
        ] {
            assert_eq!(property(name), written);
        }
    }

    #[test]
    fn no_text_leaves_its_comment() {
        assert_eq!(comment("ends */ here\u{2028}", &[], ""), "/** ends *\\/ here */\n");
        assert_eq!(
            comment("a\n@deprecated", &["@see b */".to_owned()], " "),
            " /**\n  * a\n  * \\@deprecated\n  *\n  * @see b *\\/\n  */\n"
        );
        assert_eq!(comment("", &[], ""), "");
    }
}
