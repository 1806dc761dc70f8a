//! Prose of the document as Markdown for rustdoc. Documents are written for other renderers: brackets are not
//! links to items, placeholders such as `<id>` are not HTML, a code block is not a Rust test. The prose keeps
//! its shape; paragraphs are filled again.

use std::ops::Range;

use pulldown_cmark::{
    BrokenLink, CodeBlockKind, CowStr, Event, LinkType, Parser, Tag, TagEnd, TextMergeWithOffset,
};

use super::definitions;
use super::html::{self, EXTENSIONS};

/// Columns of a line of prose; with indentation and `///` before it, a line stays within 100.
const WIDTH: usize = 92;
/// A space inside a code span, where no line may be broken. Control characters are dropped from the prose
/// before these are used.
const HARD_SPACE: char = '\u{0}';
/// A line break that the author asked for.
const HARD_BREAK: char = '\u{1}';

/// The prose as Markdown that rustdoc renders as it was meant, without trailing blanks and without a final
/// line break.
///
/// Paragraphs and list items are filled to [`WIDTH`] columns; code, tables and headings keep their lines.
/// Prose so tangled that it would still mislead rustdoc is shown as it is, as a block of text.
pub(crate) fn markdown(text: &str) -> String {
    let text = clean(text);
    let prose = refined(&text);
    if is_safe(&prose) { prose } else { quoted(&text) }
}

fn refined(text: &str) -> String {
    let text = definitions::as_text(&html::to_markdown(text));
    let mut scan = Scan::new(&text);
    for (event, range) in TextMergeWithOffset::new(Parser::new_ext(&text, EXTENSIONS).into_offset_iter()) {
        scan.event(&event, range);
    }
    let edited = scan.finish();
    let mut lines: Vec<&str> = edited.lines().map(str::trim_end).collect();
    // Blank lines in a row say no more than one, except in code, which keeps its own.
    let mut fenced = false;
    let mut above_blank = true;
    lines.retain(|line| {
        if line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~") {
            fenced = !fenced;
        }
        let keep = fenced || !line.is_empty() || !above_blank;
        above_blank = line.is_empty();
        keep
    });
    closed(lines.join("\n").trim_end().to_owned())
}

/// The prose with an end for a block of code that has none: what is written below it would be code, too.
fn closed(prose: String) -> String {
    let end = Parser::new_ext(&prose, EXTENSIONS).into_offset_iter().find_map(|(event, range)| {
        let Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) = event else { return None };
        let block = prose.get(range.clone()).filter(|_| prose[range.end..].trim().is_empty())?;
        let mark = block.chars().next()?;
        let fence = &block[..block.find(|it| it != mark).unwrap_or(block.len())];
        let last = block.lines().skip(1).last().map_or("", str::trim);
        let ends = last.len() >= fence.len() && last.chars().all(|it| it == mark);
        let line = &prose[prose[..range.start].rfind('\n').map_or(0, |at| at + 1)..range.start];
        // A quotation ends what is in it.
        let column = (!line.contains('>')).then_some(line.len())?;
        (!ends).then(|| format!("\n{}{fence}", " ".repeat(column)))
    });
    match end {
        Some(end) => prose + &end,
        None => prose,
    }
}

/// Whether rustdoc finds no HTML, no link to an item and no Rust code in the prose.
fn is_safe(prose: &str) -> bool {
    let mut safe = true;
    let callback = |_: BrokenLink<'_>| -> Option<(CowStr<'_>, CowStr<'_>)> {
        safe = false;
        None
    };
    let hazard =
        Parser::new_with_broken_link_callback(prose, EXTENSIONS, Some(callback)).any(|event| match event {
            Event::Html(_) | Event::InlineHtml(_) | Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)) => {
                true
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => is_rust(language(&info)),
            _ => false,
        });
    safe && !hazard && !definitions::are_hidden(prose)
}

/// The text in a fence longer than any in it.
fn quoted(text: &str) -> String {
    let longest = text.split(|character| character != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    format!("{fence}text\n{}\n{fence}", lines.join("\n"))
}

/// One kind of line break; blanks instead of tabs; no control characters; none of the marks that reorder
/// text, which rustc refuses in comments.
fn clean(text: &str) -> String {
    let is_unwanted = |character: char| {
        let reorders = matches!(character, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
        reorders || character.is_control() && character != '\n'
    };
    if !text.contains(is_unwanted) {
        return text.trim_end().trim_start_matches('\n').to_owned();
    }
    let text = text.replace("\r\n", "\n").replace('\r', "\n").replace('\t', "    ");
    let text: String = text.chars().filter(|character| !is_unwanted(*character)).collect();
    text.trim_end().trim_start_matches('\n').to_owned()
}

/// A replacement of a stretch of the source.
#[derive(Debug)]
struct Edit {
    range: Range<usize>,
    text: String,
}

/// Collects the edits of one pass over the prose.
struct Scan<'t> {
    source: &'t str,
    edits: Vec<Edit>,
    /// Inline content without a block in between: a paragraph, or the text of a tight list item.
    run: Option<Range<usize>>,
    /// Where in `edits` those of the run begin.
    run_edits: usize,
    quotes: usize,
    links: usize,
    /// Inside a heading or a table, whose lines must stay.
    rigid: usize,
    code: bool,
}

impl<'t> Scan<'t> {
    fn new(source: &'t str) -> Self {
        Self {
            source,
            edits: Vec::new(),
            run: None,
            run_edits: 0,
            quotes: 0,
            links: 0,
            rigid: 0,
            code: false,
        }
    }

    fn event(&mut self, event: &Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(Tag::Emphasis | Tag::Strong | Tag::Strikethrough)
            | Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough)
            | Event::InlineHtml(_)
            | Event::FootnoteReference(_)
            | Event::SoftBreak => self.extend(&range),
            Event::HardBreak => {
                self.extend(&range);
                self.edit(range, format!("{HARD_BREAK}\n"));
            }
            Event::Text(_) if self.code => {}
            Event::Text(_) => {
                self.extend(&range);
                if self.links == 0 {
                    self.text(range);
                }
            }
            Event::Code(_) => {
                self.extend(&range);
                let lines = self.source[range.clone()].split('\n').enumerate();
                let joined: Vec<&str> =
                    lines.map(|(index, line)| if index == 0 { line } else { self.strip(line) }).collect();
                let code = joined.join(" ").replace(' ', &HARD_SPACE.to_string());
                self.edit(range, code);
            }
            Event::Start(Tag::Link { link_type, dest_url, .. } | Tag::Image { link_type, dest_url, .. }) => {
                self.extend(&range);
                self.links += 1;
                if *link_type == LinkType::Inline && definitions::reads_as_item(dest_url) {
                    self.unlink(range);
                }
            }
            Event::End(TagEnd::Link | TagEnd::Image) => {
                self.extend(&range);
                self.links -= 1;
            }
            _ => {
                self.flush();
                self.block(event, range);
            }
        }
    }

    fn block(&mut self, event: &Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(Tag::BlockQuote(_)) => self.quotes += 1,
            Event::End(TagEnd::BlockQuote(_)) => self.quotes -= 1,
            Event::Start(Tag::Heading { .. } | Tag::Table(_)) => self.rigid += 1,
            Event::End(TagEnd::Heading(_) | TagEnd::Table) => self.rigid -= 1,
            Event::Start(Tag::CodeBlock(kind)) => {
                self.code = true;
                self.code_block(kind, range);
            }
            Event::End(TagEnd::CodeBlock) => self.code = false,
            _ => {}
        }
    }

    fn edit(&mut self, range: Range<usize>, text: String) {
        self.edits.push(Edit { range, text });
    }

    fn extend(&mut self, range: &Range<usize>) {
        if self.rigid > 0 {
            return;
        }
        if let Some(run) = &mut self.run {
            run.end = run.end.max(range.end);
        } else {
            self.run_edits = self.edits.len();
            self.run = Some(range.clone());
        }
    }

    /// Escapes brackets that make no link, and makes links of bare addresses.
    fn text(&mut self, range: Range<usize>) {
        let source = &self.source[range.clone()];
        let backslashes = self.source[..range.start].bytes().rev().take_while(|byte| *byte == b'\\').count();
        let mut escaped = backslashes % 2 == 1;
        let mut at = 0;
        while let Some(character) = source[at..].chars().next() {
            let start = range.start + at;
            let address = if escaped { None } else { address(&source[at..]) };
            if let Some(length) = address {
                self.edit(start..start + length, format!("<{}>", &source[at..at + length]));
                at += length;
                continue;
            }
            if !escaped && matches!(character, '[' | ']') {
                self.edit(start..start + 1, format!("\\{character}"));
            }
            escaped = !escaped && character == '\\';
            at += character.len_utf8();
        }
    }

    /// Leaves the words of `[words](Target)`, which rustdoc would look up among the items of the crate.
    fn unlink(&mut self, range: Range<usize>) {
        let source = &self.source[range.clone()];
        let opening = if source.starts_with('!') { 2 } else { 1 };
        if let Some(closing) = source.rfind("](") {
            self.edit(range.start..range.start + opening, String::new());
            self.edit(range.start + closing..range.end, String::new());
        }
    }

    /// Says of code without a language that it is not Rust, which rustdoc would compile.
    fn code_block(&mut self, kind: &CodeBlockKind<'_>, range: Range<usize>) {
        let source = &self.source[range.clone()];
        match kind {
            CodeBlockKind::Fenced(info) => {
                if is_rust(language(info)) {
                    let fence = source.len() - source.trim_start_matches(['`', '~']).len();
                    let line_end = source.find('\n').unwrap_or(source.len());
                    self.edit(range.start + fence..range.start + line_end, "text".to_owned());
                }
            }
            CodeBlockKind::Indented => {
                // The range begins behind the indentation of the first line.
                let line_start = self.source[..range.start].rfind('\n').map_or(0, |index| index + 1);
                let before = &self.source[line_start..range.start];
                let kept = before.trim_end_matches(' ').len();
                let blanks = before.len() - kept;
                let margin = before.chars().take(kept).map(blank).collect::<String>()
                    + &" ".repeat(blanks.saturating_sub(4));
                let strip = margin.chars().count() + 4;
                let mut text = "```text\n".to_owned();
                for (index, line) in source.trim_end().split('\n').enumerate() {
                    let line = if index == 0 { line } else { without_columns(line, strip) };
                    text.push_str(format!("{margin}{line}").trim_end());
                    text.push('\n');
                }
                text.push_str(&margin);
                text.push_str("```\n");
                let start = range.start - blanks.min(4);
                self.edit(start..range.end, text);
            }
        }
    }

    /// Fills the run that has ended, its edits applied, and makes one edit of it.
    fn flush(&mut self) {
        let Some(run) = self.run.take() else { return };
        let edits = self.edits.split_off(self.run_edits);
        let text = apply(self.source, run.clone(), edits);
        let line_start = self.source[..run.start].rfind('\n').map_or(0, |index| index + 1);
        let before = &self.source[line_start..run.start];
        let before = before.strip_suffix("[ ] ").or_else(|| before.strip_suffix("[x] ")).unwrap_or(before);
        let margin: String = before.chars().map(blank).collect();
        let content: Vec<&str> = text
            .split('\n')
            .enumerate()
            .map(|(index, line)| if index == 0 { line } else { self.strip(line) })
            .collect();
        let filled = fill(&content.join(" "), &margin);
        let trailing = if text.ends_with('\n') { "\n" } else { "" };
        self.edit(run, filled + trailing);
    }

    /// A continuation line without its indentation and the marks of the quotes it stands in.
    fn strip<'l>(&self, line: &'l str) -> &'l str {
        let mut line = line.trim_start();
        for _ in 0..self.quotes {
            line = line.strip_prefix('>').map_or(line, str::trim_start);
        }
        line
    }

    fn finish(mut self) -> String {
        self.flush();
        let edits = std::mem::take(&mut self.edits);
        let text = apply(self.source, 0..self.source.len(), edits);
        text.replace(HARD_SPACE, " ").replace(HARD_BREAK, "\\")
    }
}

/// The stretch of the source with these edits made.
fn apply(source: &str, range: Range<usize>, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let mut text = String::with_capacity(range.len());
    let mut at = range.start;
    for edit in edits {
        if edit.range.start < at {
            continue;
        }
        text.push_str(&source[at..edit.range.start]);
        text.push_str(&edit.text);
        at = edit.range.end;
    }
    text.push_str(&source[at.min(range.end)..range.end]);
    text
}

/// Words in lines of at most [`WIDTH`] columns; lines after the first begin with `margin`, and the first
/// stands behind one.
fn fill(text: &str, margin: &str) -> String {
    let indent = margin.chars().count();
    let spaced = text.replace(HARD_BREAK, &format!(" {HARD_BREAK} "));
    let mut filled = String::new();
    let mut column = indent;
    let mut fresh = true;
    for word in spaced.split([' ', '\n']).filter(|word| !word.is_empty()) {
        if word.starts_with(HARD_BREAK) {
            if !fresh {
                filled.push('\\');
                filled.push('\n');
                filled.push_str(margin);
                column = indent;
                fresh = true;
            }
            continue;
        }
        let length = word.chars().count();
        if !fresh {
            if column + 1 + length > WIDTH && !begins_block(word) {
                filled.push('\n');
                filled.push_str(margin);
                column = indent;
            } else {
                filled.push(' ');
                column += 1;
            }
        }
        filled.push_str(word);
        column += length;
        fresh = false;
    }
    // A break that nothing follows breaks nothing.
    filled.trim_end().trim_end_matches("\\\n").trim_end().to_owned()
}

/// Whether a word at the start of a line would begin a list, a heading, a quote, a rule, a table or code.
fn begins_block(word: &str) -> bool {
    let marks = word.chars().all(|character| matches!(character, '-' | '+' | '*' | '=' | '_' | '|' | ':'));
    let number = word
        .strip_suffix(['.', ')'])
        .is_some_and(|digits| digits.chars().all(|digit| digit.is_ascii_digit()));
    marks || number || word.starts_with(['#', '>', '|']) || word.starts_with("```") || word.starts_with("~~~")
}

/// A character of a line's beginning as it stands on the lines below: quote marks stay, list markers make
/// room.
fn blank(character: char) -> char {
    if character == '>' { '>' } else { ' ' }
}

/// The line without its first `columns` blanks, or as many as it has.
fn without_columns(line: &str, columns: usize) -> &str {
    let blanks = line.bytes().take(columns).take_while(|byte| *byte == b' ').count();
    &line[blanks..]
}

/// Length of the web address at the start of the text, without the punctuation of the sentence around it.
fn address(text: &str) -> Option<usize> {
    let scheme = ["https://", "http://"].into_iter().find(|scheme| text.starts_with(scheme))?;
    let end = text
        .find(|character: char| {
            character.is_whitespace() || matches!(character, '<' | '>' | '"' | '`' | '|' | '[' | ']')
        })
        .unwrap_or(text.len());
    // A closing parenthesis belongs to the sentence unless the address has the opening one, and so does all
    // behind it.
    let mut depth = 0;
    let closed = text[..end].find(|character: char| {
        depth += i32::from(character == '(') - i32::from(character == ')');
        depth < 0
    });
    let address =
        text[..closed.unwrap_or(end)].trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '*', '_', '\\']);
    (address.len() > scheme.len()).then_some(address.len())
}

/// The first word behind a fence.
fn language(info: &str) -> &str {
    info.split([' ', ',', '{', ';']).next().unwrap_or_default().trim()
}

/// Whether rustdoc would compile a code block of this language.
fn is_rust(language: &str) -> bool {
    matches!(
        language,
        "" | "rust"
            | "rs"
            | "ignore"
            | "should_panic"
            | "no_run"
            | "compile_fail"
            | "test_harness"
            | "standalone"
            | "standalone_crate"
            | "custom"
    ) || language.starts_with("edition")
        || language.starts_with("ignore-")
}

#[cfg(test)]
mod tests;
