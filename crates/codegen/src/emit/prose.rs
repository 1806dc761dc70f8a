//! Shortening and joining of the document's prose: first sentences, full stops, names of statuses.

mod facts;
mod links;

pub(super) use self::{
    facts::{argument_line, bounds, bounds_beyond_values, paragraph_line, parameter_text},
    links::{Methods, linked},
};
use crate::{
    ir::{Group, Operation, Status},
    render::markdown,
};
use heck::ToSnakeCase;

/// Words before a full stop that ends no sentence.
const ABBREVIATIONS: &[&str] =
    &["e.g", "i.e", "a.k.a", "approx", "cf", "dr", "eg", "fig", "incl", "mr", "mrs", "resp", "vs"];

/// The first sentence of a text on one line, as Markdown that rustdoc reads, for lists and for second
/// mentions.
pub(super) fn first_line(text: Option<&str>) -> String {
    let text = markdown(&first_sentence(text.unwrap_or_default()));
    text.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}

/// The first sentence of a text, or its first paragraph if that has no end.
pub(super) fn first_sentence(text: &str) -> String {
    let mut paragraph = first_paragraph(text);
    match sentence_end(&paragraph) {
        Some(end) => paragraph.truncate(end),
        // What announces a list stands alone here.
        None => {
            if let Some(opening) = paragraph.strip_suffix(':') {
                paragraph = format!("{} …", opening.trim_end());
            }
        }
    }
    paragraph
}

/// The first paragraph of a text, on one line.
fn first_paragraph(text: &str) -> String {
    let mut lines = text.lines().map(str::trim).skip_while(|line| line.is_empty()).peekable();
    let mut paragraph = lines.next().unwrap_or_default().to_owned();
    while let Some(line) = lines.next_if(|line| !line.is_empty() && !begins_block(line)) {
        paragraph.push(' ');
        paragraph.push_str(line);
    }
    paragraph
}

/// An entry of a root's list of groups.
pub(super) fn listed(name: &str, group: &Group) -> String {
    match first_line(group.docs.as_deref()) {
        line if line.is_empty() => format!("- {name}\n"),
        line => format!("- {name}: {}\n", ended(&line)),
    }
}

/// The text as a sentence: with a full stop, unless it ends in a mark already. In HTML it is inside the last
/// paragraph, as it would be a paragraph of its own behind it.
pub(super) fn ended(text: &str) -> String {
    let text = text.trim_end();
    let Some((said, closing)) = closed_block(text) else { return text.to_owned() };
    let open = said.ends_with(|last: char| last.is_alphanumeric() || ")`\"'*>_]}".contains(last));
    if open { format!("{said}.{closing}") } else { text.to_owned() }
}

/// The text before the tags of HTML that end its last paragraph, and these tags; nothing if the text ends in
/// a list, a table or code, which are not sentences.
fn closed_block(text: &str) -> Option<(&str, &str)> {
    let mut said = text;
    while let Some((before, tag)) = said.strip_suffix('>').and_then(|inner| inner.rsplit_once('<')) {
        let name = tag.trim_matches(|character: char| character == '/' || character.is_whitespace());
        match (name.to_ascii_lowercase().as_str(), tag.starts_with('/')) {
            ("div" | "section" | "article" | "span" | "blockquote", true) | ("p" | "br", _) => {
                said = before.trim_end();
            }
            ("ul" | "ol" | "li" | "dl" | "dd" | "table" | "pre" | "details", true) | ("hr", _) => {
                return None;
            }
            _ => break,
        }
    }
    Some((said, &text[said.len()..]))
}

/// The text with a capital at its beginning.
pub(super) fn capitalized(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// The first paragraph of a long text as Markdown that rustdoc reads; headings, lists and code before it are
/// left out.
pub(super) fn opening(text: &str) -> Option<String> {
    split_blocks(&markdown(text))
        .into_iter()
        .find(|block| !block.trim().is_empty() && !begins_block(block.trim_start()))
}

/// What the document says of an operation: its summary and its description, once where they say the same, and
/// the operations that it leads to.
pub(super) fn operation_text(operation: &Operation) -> String {
    let summary = operation.summary.as_deref().unwrap_or_default().trim();
    let description = operation.description.as_deref().unwrap_or_default();
    let mut text = String::new();
    if !summary.is_empty() && bare(summary) != bare(description) {
        text.push_str(&format!("{}\n\n", ended(summary)));
    }
    if !description.trim().is_empty() {
        let one_line = !description.trim().contains('\n');
        let shown = if one_line { ended(description) } else { description.to_owned() };
        text.push_str(&format!("{shown}\n\n"));
    }
    text.push_str(&links::next(operation));
    text
}

/// One line that says what an operation is: its summary, method and path.
pub(super) fn about(operation: &Operation) -> String {
    let address = address(operation);
    match &operation.summary {
        Some(summary) => format!("{}: {address}", first_line(Some(summary)).trim_end_matches('.')),
        None => address,
    }
}

/// The name of a variable that holds a value of the type.
pub(super) fn variable(type_name: &str) -> String {
    let name = type_name.to_snake_case();
    match syn::parse_str::<syn::Ident>(&name) {
        // The parser knows no editions, and `gen` is a keyword since that of 2024.
        Ok(_) if !matches!(name.as_str(), "gen" | "client") => name,
        _ => "response".to_owned(),
    }
}

/// Method and path, as code.
pub(super) fn address(operation: &Operation) -> String {
    format!("`{} {}`", operation.method, operation.path)
}

/// How a status is written in docs.
pub(super) fn status_text(status: Status) -> String {
    match status {
        Status::Code(code) => code.to_string(),
        Status::Class(class) => format!("{class}XX"),
        Status::Default => "any other status".to_owned(),
    }
}

/// A status and what the document says of it, which may begin with the status.
pub(super) fn status_line(status: Status, docs: Option<&str>) -> String {
    let name = status_text(status);
    let said = first_line(docs);
    let rest = match said.strip_prefix(&name) {
        Some(rest) if !rest.starts_with(char::is_alphanumeric) => rest,
        _ => &said,
    };
    let rest = rest.trim_start_matches([' ', '-', '–', '—', ':', '.', ',']);
    let name = capitalized(&name);
    if rest.is_empty() { name } else { format!("{name}: {rest}") }
}

/// What two texts have in common that differ in nothing but capitals and the last full stop.
fn bare(text: &str) -> String {
    text.trim().trim_end_matches('.').to_lowercase()
}

/// Where the first sentence ends: behind a full stop before a new beginning, outside parentheses, brackets
/// and code.
fn sentence_end(text: &str) -> Option<usize> {
    let mut at = 0;
    while let Some(character) = text[at..].chars().next() {
        let next = at + character.len_utf8();
        let closing = match character {
            '(' => closing(&text[next..], '(', ')'),
            '[' => closing(&text[next..], '[', ']'),
            '`' => text[next..].find('`'),
            _ => None,
        };
        if let Some(closing) = closing {
            at = next + closing;
        } else if character == '.'
            && text[next..].strip_prefix(' ').is_some_and(|rest| {
                rest.trim_start().starts_with(|next: char| next.is_uppercase() || next == '`')
            })
            && !is_abbreviation(&text[..at])
        {
            return Some(next);
        }
        at = if closing.is_some() { at + 1 } else { next };
    }
    None
}

/// Where the bracket closes that was opened before the text.
fn closing(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0;
    for (at, character) in text.char_indices() {
        if character == open {
            depth += 1;
        } else if character == close {
            if depth == 0 {
                return Some(at);
            }
            depth -= 1;
        }
    }
    None
}

/// Whether the last word of the text is shortened, or an initial.
fn is_abbreviation(text: &str) -> bool {
    let word = text.rsplit([' ', '(', '[', '"', ',', '/']).next().unwrap_or_default();
    let mut letters = word.chars();
    let initial = matches!((letters.next(), letters.next()), (Some(only), None) if only.is_uppercase());
    initial || word == "No" || ABBREVIATIONS.contains(&word.to_lowercase().as_str())
}

/// Whether a line is a heading, an entry of a list, a row of a table, a quote or the fence of code.
fn begins_block(line: &str) -> bool {
    ["- ", "* ", "+ ", "#", "|", ">", "```", "~~~"].iter().any(|mark| line.starts_with(mark))
}

/// The blocks of a Markdown text; code keeps its blank lines.
fn split_blocks(text: &str) -> Vec<String> {
    let mut blocks = vec![String::new()];
    let mut fenced = false;
    for line in text.lines() {
        if line.starts_with("```") {
            fenced = !fenced;
        }
        if line.is_empty() && !fenced {
            blocks.push(String::new());
        } else if let Some(block) = blocks.last_mut() {
            block.push_str(line);
            block.push('\n');
        }
    }
    blocks
}

#[cfg(test)]
mod tests;
