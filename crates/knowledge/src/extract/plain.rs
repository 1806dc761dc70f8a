//! Extraction of blocks from plain text and Markdown files.

use super::block::{Block, BlockKind};
use super::clean::{clean_text, push_verbatim};

/// Longest first line, in characters, that is a title rather than text.
const MAX_TITLE_CHARS: usize = 120;

/// A line shorter than this was broken on purpose, as in a list, an address or a table.
const WRAPPED_LINE_CHARS: usize = 45;

/// Returns title and blocks of a plain text file.
///
/// Paragraphs end at blank lines. Lines that were wrapped at a column are joined again.
pub(super) fn text(text: &str) -> (Option<String>, Vec<Block>) {
    let paragraphs: Vec<Vec<&str>> = text
        .lines()
        .map(str::trim_end)
        .collect::<Vec<_>>()
        .split(|line| line.is_empty())
        .filter(|lines| !lines.is_empty())
        .map(<[&str]>::to_vec)
        .collect();
    let title = paragraphs
        .first()
        .filter(|lines| {
            lines.len() == 1 && lines[0].chars().count() <= MAX_TITLE_CHARS && paragraphs.len() > 1
        })
        .map(|lines| clean_text(lines[0]).trim_matches(['=', '#', '*', ' ']).to_owned())
        .filter(|title| !title.is_empty());
    let mut blocks = Vec::new();
    for (index, lines) in paragraphs.iter().enumerate() {
        if index == 0 && title.is_some() {
            blocks.push(Block::new(BlockKind::Heading(1), title.clone().unwrap_or_default()));
        } else if is_shouted_heading(lines) {
            blocks.push(Block::new(BlockKind::Heading(2), clean_text(lines[0])));
        } else if is_wrapped(lines) {
            push(&mut blocks, BlockKind::Paragraph, &lines.join(" "));
        } else {
            for line in lines {
                push(&mut blocks, BlockKind::ListItem, line);
            }
        }
    }
    (title, blocks)
}

/// Blocks of a text that has no headings: every line of it can be quoted.
pub(crate) fn paragraphs(text: &str) -> Vec<Block> {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let mut blocks = Vec::new();
    for lines in lines.split(|line| line.trim().is_empty()).filter(|lines| !lines.is_empty()) {
        if lines.len() == 1 || is_wrapped(lines) {
            push(&mut blocks, BlockKind::Paragraph, &lines.join(" "));
        } else {
            for line in lines {
                push(&mut blocks, BlockKind::ListItem, line);
            }
        }
    }
    blocks
}

fn push(blocks: &mut Vec<Block>, kind: BlockKind, text: &str) {
    let text = clean_text(text);
    if !text.is_empty() {
        blocks.push(Block::new(kind, text));
    }
}

fn is_shouted_heading(lines: &[&str]) -> bool {
    lines.len() == 1
        && lines[0].chars().count() <= MAX_TITLE_CHARS
        && lines[0].chars().any(char::is_alphabetic)
        && !lines[0].chars().any(char::is_lowercase)
}

/// Returns whether every line except the last is about as long as a wrapped one.
fn is_wrapped(lines: &[&str]) -> bool {
    let starts_item = |line: &&str| line.trim_start().starts_with(['-', '*', '•']);
    lines.len() == 1
        || (!lines.iter().any(starts_item)
            && lines[..lines.len() - 1].iter().all(|line| line.chars().count() >= WRAPPED_LINE_CHARS))
}

/// Returns title and blocks of a Markdown file: headings, lists, fenced code and paragraphs.
pub(super) fn markdown(text: &str) -> (Option<String>, Vec<Block>) {
    let mut blocks = Vec::new();
    let mut paragraph = String::new();
    let mut item = false;
    let mut code: Option<String> = None;
    for line in without_front_matter(text).lines() {
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            flush(&mut blocks, &mut paragraph, item);
            match code.take() {
                Some(code) => blocks.push(Block::new(BlockKind::Code, code.trim_end())),
                None => code = Some(String::new()),
            }
        } else if let Some(code) = &mut code {
            push_verbatim(code, line);
            code.push('\n');
        } else if let Some((level, heading)) = heading(trimmed) {
            flush(&mut blocks, &mut paragraph, item);
            push(&mut blocks, BlockKind::Heading(level), &inline(heading));
        } else if trimmed.is_empty()
            || trimmed.chars().all(|character| matches!(character, '-' | '*' | '_' | '='))
        {
            flush(&mut blocks, &mut paragraph, item);
            item = false;
        } else if let Some(rest) = list_item(trimmed) {
            flush(&mut blocks, &mut paragraph, item);
            item = true;
            paragraph.push_str(rest);
        } else {
            if !paragraph.is_empty() {
                paragraph.push(' ');
            }
            paragraph.push_str(trimmed.trim_start_matches(['>', ' ']));
        }
    }
    flush(&mut blocks, &mut paragraph, item);
    blocks.extend(code.map(|code| Block::new(BlockKind::Code, code.trim_end())));
    blocks.retain(|block| !block.text.is_empty());
    let title =
        blocks.iter().find(|block| block.kind == BlockKind::Heading(1)).map(|block| block.text.clone());
    (title, blocks)
}

fn without_front_matter(text: &str) -> &str {
    text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).map_or(text, |(_, body)| body)
}

fn heading(line: &str) -> Option<(u8, &str)> {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    let level = u8::try_from(level).ok().filter(|level| (1..=6).contains(level))?;
    rest.starts_with(' ').then(|| (level, rest.trim().trim_end_matches('#').trim_end()))
}

fn list_item(line: &str) -> Option<&str> {
    if let Some(rest) = ["- ", "* ", "+ "].iter().find_map(|marker| line.strip_prefix(marker)) {
        return Some(rest);
    }
    let rest = line.trim_start_matches(|character: char| character.is_ascii_digit());
    (rest.len() < line.len()).then(|| rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") "))).flatten()
}

fn flush(blocks: &mut Vec<Block>, paragraph: &mut String, item: bool) {
    let text = inline(&std::mem::take(paragraph));
    push(blocks, if item { BlockKind::ListItem } else { BlockKind::Paragraph }, &text);
}

/// Removes emphasis marks and HTML comments and reduces links and pictures to their text.
fn inline(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(['[', '*', '`', '<', '!']) {
        let (before, tail) = rest.split_at(start);
        plain.push_str(before);
        let (kept, after) = mark(tail);
        plain.push_str(kept);
        rest = after;
    }
    plain.push_str(rest);
    plain
}

/// Splits a text that starts with a mark into the part of the mark that is kept and the text after it.
fn mark(tail: &str) -> (&str, &str) {
    if let Some(rest) = tail.strip_prefix("<!--") {
        return ("", rest.split_once("-->").map_or("", |(_, after)| after));
    }
    if let Some(rest) = tail.strip_prefix("![") {
        return ("", link(rest).map_or(rest, |(_, after)| after));
    }
    if let Some(found) = tail.strip_prefix('[').and_then(link) {
        return found;
    }
    if let Some(rest) = tail.strip_prefix("**").or_else(|| tail.strip_prefix(['*', '`'])) {
        return ("", rest);
    }
    tail.split_at(1)
}

/// Splits `text](address) after` into `text` and ` after`.
fn link(rest: &str) -> Option<(&str, &str)> {
    let (text, rest) = rest.split_once("](")?;
    let (_, after) = rest.split_once(')')?;
    (!text.contains(['[', '\n'])).then_some((text, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(blocks: &[Block]) -> Vec<String> {
        blocks.iter().map(|block| format!("{:?} {}", block.kind, block.text)).collect()
    }

    #[test]
    fn plain_text_is_unwrapped() {
        let (title, blocks) = text(
            "OPENING HOURS\r\n\r\nWe are open on weekdays from nine in the morning until six\r\nin the evening.\r\n\r\n\
             Monday 9-18\r\nTuesday 9-18\r\n\r\nHOLIDAYS\r\n\r\nClosed.\r\n",
        );
        assert_eq!(title.as_deref(), Some("OPENING HOURS"));
        assert_eq!(
            outline(&blocks),
            [
                "Heading(1) OPENING HOURS",
                "Paragraph We are open on weekdays from nine in the morning until six in the evening.",
                "ListItem Monday 9-18",
                "ListItem Tuesday 9-18",
                "Heading(2) HOLIDAYS",
                "Paragraph Closed.",
            ]
        );
    }

    #[test]
    fn markdown_loses_its_marks() {
        let (title, blocks) = markdown(
            "---\ntitle: x\n---\n# Prices #\n\nFrom **5 €** per [month](https://x.example/a).<!-- hidden -->\ncontinued ![alt](p.png)\n\n\
             1. first\n2) second\n- third\n\n```sh\nnpm  i\n```\n> quote * star\n### Deep\n",
        );
        assert_eq!(title.as_deref(), Some("Prices"));
        assert_eq!(
            outline(&blocks),
            [
                "Heading(1) Prices",
                "Paragraph From 5 € per month. continued",
                "ListItem first",
                "ListItem second",
                "ListItem third",
                "Code npm  i",
                "Paragraph quote  star".replace("  ", " ").as_str(),
                "Heading(3) Deep",
            ]
        );
    }

    #[test]
    fn unfinished_marks_do_not_lose_text() {
        for source in ["[a", "[a](b", "![a", "a < b", "`", "a ! b", "```\ncode"] {
            let (_, blocks) = markdown(source);
            assert!(blocks.len() <= 1, "{source}");
        }
        assert_eq!(inline("[open [inner](x) text"), "[open inner text");
        assert_eq!(inline("ä [ö](ü) é"), "ä ö é");
    }
}
