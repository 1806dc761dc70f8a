//! Segmentation of a passage into units that can be quoted without losing their meaning.
//!
//! A sentence is a unit, but an item of a list is not: a list is quoted whole, with the line that introduces it, unless
//! it is too long to read. Headings and questions inside a passage are not quoted; they describe the text after them.

use crate::sentences::sentences;

/// Lists longer than this, in bytes, are quoted item by item.
const MAX_LIST_BYTES: usize = 900;

/// Maximum size in bytes of an item of a list without bullets or numbers.
const MAX_PLAIN_ITEM_BYTES: usize = 160;

/// Maximum number of items of such a list.
const MAX_PLAIN_ITEMS: usize = 12;

/// Maximum size in bytes of a line without an end mark that counts as a heading.
const MAX_HEADING_BYTES: usize = 90;

/// A part of a passage that can be quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unit<'a> {
    /// Its text, word for word.
    pub(crate) text: &'a str,
    /// The heading or question above it, inside the passage.
    pub(crate) section: Option<&'a str>,
    /// Index of the line of the passage that it begins on.
    pub(crate) line: usize,
    /// Whether it is a list rather than a sentence.
    pub(crate) is_list: bool,
}

/// A line with its position in the passage.
#[derive(Debug, Clone, Copy)]
struct Line<'a> {
    text: &'a str,
    start: usize,
    end: usize,
    shape: Shape,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Text,
    Item,
    Heading,
    Code,
}

/// Returns the units of a passage in reading order.
pub(crate) fn units(passage: &str) -> Vec<Unit<'_>> {
    let lines = lines(passage);
    let mut units: Vec<Unit<'_>> = Vec::new();
    let mut section = None;
    let mut index = 0;
    while let Some(line) = lines.get(index) {
        let run = lines[index..].iter().take_while(|next| next.shape == line.shape).count();
        match line.shape {
            Shape::Heading => {
                section = Some(line.text.trim_start_matches('#').trim());
                index += 1;
            }
            Shape::Text => {
                push_sentences(passage, *line, index, section, &mut units);
                let announced = announced(&lines[index..]);
                if announced > 0 {
                    let block = &lines[index + 1..=index + announced];
                    push_block(passage, block, index + 1, section, &mut units);
                }
                index += 1 + announced;
            }
            Shape::Item | Shape::Code => {
                let block = &lines[index..index + run];
                push_block(passage, block, index, section, &mut units);
                index += run;
            }
        }
    }
    // An introduction without its list says nothing.
    units.retain(|unit| unit.is_list || !introduces(unit.text));
    units
}

/// Adds the sentences of a line. Joins the first one to the line before if that introduces it.
fn push_sentences<'a>(
    passage: &'a str,
    line: Line<'a>,
    at: usize,
    section: Option<&'a str>,
    units: &mut Vec<Unit<'a>>,
) {
    for (index, sentence) in sentences(line.text).into_iter().enumerate() {
        let introduction =
            units.last().copied().filter(|unit| index == 0 && unit.line + 1 == at && introduces(unit.text));
        if let Some(introduction) = introduction {
            let text = &passage
                [offset_of(passage, introduction.text)..offset_of(passage, sentence) + sentence.len()];
            units.pop();
            units.push(Unit { text, ..introduction });
        } else if introduces(sentence) || is_quotable(sentence) {
            units.push(Unit { text: sentence, section, line: at, is_list: false });
        }
    }
}

/// Returns the number of lines after the first one that form the list it introduces, if the items have no bullets or
/// numbers. Such items look alike: they are short, and either all or none of them end like sentences.
fn announced(lines: &[Line<'_>]) -> usize {
    let stops = |line: &Line<'_>| line.text.ends_with(['.', '!', '…', '。']);
    let [first, rest @ ..] = lines else { return 0 };
    let Some(model) = rest.first().filter(|_| introduces(first.text)) else { return 0 };
    let alike = |line: &&Line<'_>| {
        matches!(line.shape, Shape::Text | Shape::Heading)
            && line.text.len() <= MAX_PLAIN_ITEM_BYTES
            && !introduces(line.text)
            && stops(line) == stops(model)
    };
    rest.iter().take(MAX_PLAIN_ITEMS).take_while(alike).count()
}

/// Returns whether a sentence introduces what follows it.
fn introduces(text: &str) -> bool {
    text.ends_with([':', '：'])
}

/// Adds a list or a block of code, joined to the line that introduces it.
fn push_block<'a>(
    passage: &'a str,
    block: &[Line<'a>],
    at: usize,
    section: Option<&'a str>,
    units: &mut Vec<Unit<'a>>,
) {
    let (Some(first), Some(last)) = (block.first(), block.last()) else { return };
    let introduction = units.last().copied().filter(|unit| unit.line + 1 == at && introduces(unit.text));
    let start = introduction.map_or(first.start, |unit| offset_of(passage, unit.text));
    if last.end - start <= MAX_LIST_BYTES {
        let line = introduction.map_or(at, |unit| unit.line);
        units.truncate(units.len() - usize::from(introduction.is_some()));
        units.push(Unit { text: passage[start..last.end].trim(), section, line, is_list: true });
        return;
    }
    if first.shape != Shape::Code {
        for (offset, line) in block.iter().enumerate() {
            units.push(Unit { text: line.text, section, line: at + offset, is_list: false });
        }
    }
}

/// Returns the offset of a slice of the passage.
fn offset_of(passage: &str, slice: &str) -> usize {
    slice.as_ptr() as usize - passage.as_ptr() as usize
}

/// Returns the lines that are not empty, with their shapes.
fn lines(passage: &str) -> Vec<Line<'_>> {
    let mut lines: Vec<Line<'_>> = Vec::new();
    let mut fenced = false;
    for raw in passage.split_inclusive('\n') {
        let text = raw.trim();
        if text.is_empty() {
            continue;
        }
        let start = offset_of(passage, text);
        let fence = text.starts_with("```");
        let shape = if fence || fenced {
            Shape::Code
        } else if is_item(text) {
            Shape::Item
        } else {
            Shape::Text
        };
        fenced ^= fence;
        lines.push(Line { text, start, end: start + text.len(), shape });
    }
    for index in 0..lines.len() {
        let next = lines.get(index + 1).copied();
        let line = &mut lines[index];
        if line.shape == Shape::Text && is_heading(line.text, next) {
            line.shape = Shape::Heading;
        }
    }
    lines
}

/// Returns whether a line is an item of a list: a bullet, or a number or letter with a stop or bracket.
fn is_item(line: &str) -> bool {
    let Some((marker, rest)) = line.split_once(char::is_whitespace) else { return false };
    if rest.trim().is_empty() {
        return false;
    }
    let bullet = matches!(marker, "-" | "*" | "•" | "–" | "·" | "‣" | "◦" | "▪" | "+");
    let number = marker
        .strip_suffix(['.', ')'])
        .map(|label| label.strip_prefix('(').unwrap_or(label))
        .is_some_and(|label| {
            let digits = (1..=2).contains(&label.len()) && label.bytes().all(|byte| byte.is_ascii_digit());
            let letter = label.len() == 1 && label.bytes().all(|byte| byte.is_ascii_lowercase());
            digits || (letter && marker.ends_with(')'))
        });
    bullet || number
}

/// Returns whether a line is a heading.
fn is_heading(line: &str, next: Option<Line<'_>>) -> bool {
    if line.starts_with('#') {
        return true;
    }
    let Some(next) = next else { return false };
    if line.ends_with(['?', '？']) {
        return sentences(line).len() == 1;
    }
    let open = !line.ends_with(['.', '!', ':', ';', ',', '…', '。', '！', '：']);
    let short = line.len() <= MAX_HEADING_BYTES && line.split_whitespace().count() <= 10;
    // "Monday 9–17" is a fact, like a short line among other short lines.
    let fact = line.contains(|character: char| character.is_ascii_digit());
    let longer = next.shape != Shape::Text
        || next.text.len() > line.len() && next.text.ends_with(['.', '!', '?', ':', '…', '。', ')']);
    open && short && !fact && longer
}

/// Returns whether a sentence states something: it is neither a question nor part of a menu.
fn is_quotable(sentence: &str) -> bool {
    let letters = sentence.chars().filter(|character| character.is_alphanumeric()).count();
    let words = sentence.split_whitespace().count();
    let unspaced = letters >= 4 && words == 1 && !sentence.is_ascii();
    let stated = words == 2 && sentence.ends_with(['.', '!']);
    let fact = sentence.contains(|character: char| character.is_ascii_digit());
    !sentence.ends_with(['?', '？']) && letters >= 2 && (words >= 3 || stated || fact || unspaced)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(passage: &str) -> Vec<&str> {
        units(passage).into_iter().map(|unit| unit.text).collect()
    }

    #[test]
    fn sentences_know_their_headings() {
        let passage = "Opening hours\nWe open at nine on weekdays. We close at five.\nHow do I get there?\nTake the tram.";
        let units = units(passage);
        let found: Vec<_> = units.iter().map(|unit| (unit.section, unit.text)).collect();
        assert_eq!(
            found,
            [
                (Some("Opening hours"), "We open at nine on weekdays."),
                (Some("Opening hours"), "We close at five."),
                (Some("How do I get there?"), "Take the tram."),
            ]
        );
    }

    #[test]
    fn a_list_stays_whole_and_keeps_its_introduction() {
        let passage = "Cancel any time. To cancel:\n1. Open settings\n2. Press Cancel\n\nYou keep access.";
        assert_eq!(
            texts(passage),
            ["Cancel any time.", "To cancel:\n1. Open settings\n2. Press Cancel", "You keep access."]
        );
        assert!(units(passage)[1].is_list);
    }

    #[test]
    fn a_list_without_markers_ends_where_the_lines_change() {
        let passage = "Pro includes:\nUnlimited projects\nPriority support\nTwo-factor login\nYou can upgrade at any time.";
        assert_eq!(
            texts(passage),
            [
                "Pro includes:\nUnlimited projects\nPriority support\nTwo-factor login",
                "You can upgrade at any time."
            ]
        );
        assert_eq!(texts("Ask us:\nBy mail: a@acme.example"), ["Ask us:\nBy mail: a@acme.example"]);
    }

    #[test]
    fn an_introduction_is_quoted_with_its_list_or_not_at_all() {
        let long = format!("{} Come in.", "A tale that never ends and never ends and never ends.".repeat(4));
        let passage = format!("This is our tale:\n{long}");
        let found = texts(&passage);
        assert!(
            found[0].starts_with("This is our tale:\nA tale") && found[0].ends_with("never ends."),
            "{found:?}"
        );
        assert_eq!(found.last(), Some(&"Come in."));
        assert_eq!(texts("We are open. The hours are:"), ["We are open."]);
    }

    #[test]
    fn a_list_too_long_to_quote_is_split_into_items() {
        let item = format!("- {}\n", "word ".repeat(20).trim());
        let passage = format!("All of these:\n{}", item.repeat(12));
        let found = units(&passage);
        assert_eq!(found.len(), 12);
        assert!(found.iter().all(|unit| !unit.is_list && passage.contains(unit.text)));
    }

    #[test]
    fn code_belongs_to_the_line_that_introduces_it() {
        let passage = "Run this command:\n```\nnpm install\n```\nThen log in to the site.";
        assert_eq!(texts(passage), ["Run this command:\n```\nnpm install\n```", "Then log in to the site."]);
    }

    #[test]
    fn menus_and_questions_are_not_quoted_and_facts_are() {
        for (passage, expected) in [
            ("Read more\nLearn more", &[][..]),
            ("Do you like it? It is good.", &["It is good."]),
            ("Monday 9–17\nTuesday 9–12", &["Monday 9–17", "Tuesday 9–12"]),
            ("# Prices\nPro: $7", &["Pro: $7"]),
            ("価格は七ドルです。", &["価格は七ドルです。"]),
            ("", &[]),
        ] {
            assert_eq!(texts(passage), expected, "{passage}");
        }
    }

    #[test]
    fn items_are_distinguished_from_text() {
        for (line, item) in [
            ("- one", true),
            ("• one", true),
            ("1. one", true),
            ("12) one", true),
            ("(3) one", true),
            ("a) one", true),
            ("a. one", false),
            ("2024. one", false),
            ("-5 degrees", false),
            ("-", false),
            ("I. one", false),
        ] {
            assert_eq!(is_item(line), item, "{line}");
        }
    }
}
