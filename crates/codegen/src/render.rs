//! From tokens to the text of one generated file: header, module docs, items with blank lines between them,
//! and the check that the result is Rust. It knows nothing of what the items mean.

mod definitions;
mod html;
mod hugging;
mod layout;
mod prose;

use std::fmt::Write as _;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use crate::Options;

pub(crate) use html::EXTENSIONS;
pub(crate) use prose::markdown;

/// Characters shown on either side of the place where parsing failed.
const EXCERPT: usize = 120;

/// What the first lines of a generated file say.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Header<'a> {
    /// Path of the file below the output folder; only errors name it.
    pub(crate) file: &'a str,
    /// What all files of a run have in common.
    pub(crate) origin: Origin<'a>,
    /// The emitter's source file.
    pub(crate) emitter: &'a str,
}

/// What the files of a run were made from, and how.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Origin<'a> {
    /// The command that makes them again.
    pub(crate) command: &'a str,
    /// The document, as a reader of a file would look for it.
    pub(crate) source: &'a str,
    /// Whether headers name the emitter.
    pub(crate) names_emitters: bool,
}

impl<'a> Origin<'a> {
    pub(crate) fn of(options: &'a Options) -> Self {
        Self { command: &options.command, source: &options.source, names_emitters: options.names_emitters }
    }

    /// The sentence that marks a file.
    pub(crate) fn mark(&self) -> String {
        format!(
            "{mark} by `{command}` from {source}; do not edit.",
            mark = crate::fileset::GENERATED_MARK,
            command = self.command,
            source = self.source,
        )
    }
}

impl Header<'_> {
    /// The header as comment lines behind `prefix`, which is `//` in Rust and `#` in TOML and YAML.
    pub(crate) fn lines(&self, prefix: &str) -> String {
        let mut lines = format!("{prefix} {}\n", self.origin.mark());
        if self.origin.names_emitters {
            writeln!(lines, "{prefix} Emitter: {}", self.emitter).expect("a string takes every write");
        }
        lines
    }
}

/// The header of an example, which is in a file of another language. Only errors show it.
pub(crate) fn example_header(file: &str) -> Header<'_> {
    let origin = Origin { command: "", source: "", names_emitters: false };
    Header { file, origin, emitter: "crates/codegen/src/emit/readme.rs" }
}

/// A stretch of a file.
#[derive(Clone, Debug)]
pub(crate) enum Block {
    /// Items, to be formatted.
    Rust(TokenStream),
    /// Source that is formatted already, such as the invocation of a macro with a syntax of its own.
    Text(String),
    /// What [`body`] has made of others.
    Printed(String),
}

/// Returns words in lines of at most this many bytes. The first line continues `start`, and the others are
/// indented by eight columns. A longer word has a line of its own.
pub(crate) fn packed(start: &str, words: impl IntoIterator<Item = String>, width: usize) -> String {
    const INDENT: &str = "       ";
    let mut text = String::new();
    let mut line = start.to_owned();
    for word in words {
        if line.len() + 1 + word.len() > width && line != INDENT {
            text.push_str(&line);
            text.push('\n');
            INDENT.clone_into(&mut line);
        }
        line.push(' ');
        line.push_str(&word);
    }
    text + &line
}

/// The output of an emitter is not Rust: a defect of the generator, whatever the document says.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RenderError {
    /// One block does not parse.
    #[error("block {index} of `{file}` by {emitter} is not Rust: {problem}, near `{excerpt}`")]
    Block {
        /// The file that was to be rendered.
        file: String,
        /// The emitter that gave the block.
        emitter: String,
        /// Position of the block, counted from 1.
        index: usize,
        /// What the parser said.
        problem: syn::Error,
        /// The source around the place.
        excerpt: String,
    },
}

/// Tokens as one would write them, which is close enough to how they are formatted.
pub(crate) fn spelled(tokens: impl ToTokens) -> String {
    let mut text = tokens.to_token_stream().to_string();
    for (from, to) in [
        (" :: ", "::"),
        (":: ", "::"),
        (" < ", "<"),
        ("< ", "<"),
        (" >", ">"),
        (" ,", ","),
        ("& ", "&"),
        ("( ", "("),
        (" )", ")"),
        (" (", "("),
        ("# [", "#["),
        ("[ ", "["),
        (" ]", "]"),
        (" ;", ";"),
    ] {
        text = text.replace(from, to);
    }
    text
}

/// The text of a file: header, `docs` (Markdown, taken as it is) as module docs, then the blocks, one blank
/// line between each.
pub(crate) fn render(header: &Header<'_>, docs: &str, blocks: &[Block]) -> Result<String, RenderError> {
    let mut text = header.lines("//");
    append(&mut text, &comment_lines(docs, "//!", ""));
    append_all(&mut text, header, blocks)?;
    Ok(text)
}

/// The text of some blocks, to be a part of a file.
pub(crate) fn body(header: &Header<'_>, blocks: &[Block]) -> Result<String, RenderError> {
    let mut text = String::new();
    append_all(&mut text, header, blocks)?;
    Ok(text)
}

fn append_all(text: &mut String, header: &Header<'_>, blocks: &[Block]) -> Result<(), RenderError> {
    for (index, block) in blocks.iter().enumerate() {
        match block {
            Block::Rust(tokens) => append(text, &format(header, index + 1, tokens)?),
            Block::Text(source) => {
                check(header, index + 1, source)?;
                append(text, source);
            }
            Block::Printed(printed) => append(text, printed),
        }
    }
    Ok(())
}

/// Adds a part of a file, behind a blank line.
fn append(text: &mut String, part: &str) {
    let part = part.trim_end();
    if part.is_empty() {
        return;
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(part);
    text.push('\n');
}

fn format(header: &Header<'_>, index: usize, tokens: &TokenStream) -> Result<String, RenderError> {
    match syn::parse2::<syn::File>(tokens.clone()) {
        Ok(file) => Ok(layout::print(file)),
        Err(problem) => {
            // Tokens made by `quote!` have no place in a text; their printed form gives them one.
            let printed = tokens.to_string();
            let problem = syn::parse_file(&printed).err().unwrap_or(problem);
            Err(RenderError::Block {
                file: header.file.to_owned(),
                emitter: header.emitter.to_owned(),
                index,
                excerpt: excerpt(&printed, &problem),
                problem,
            })
        }
    }
}

/// Source that an emitter has laid out itself must be Rust.
fn check(header: &Header<'_>, index: usize, text: &str) -> Result<(), RenderError> {
    match syn::parse_file(text) {
        Ok(_) => Ok(()),
        Err(problem) => Err(RenderError::Block {
            file: header.file.to_owned(),
            emitter: header.emitter.to_owned(),
            index,
            excerpt: excerpt(text, &problem),
            problem,
        }),
    }
}

/// What stands around the place of a parse error, on one line.
fn excerpt(text: &str, problem: &syn::Error) -> String {
    let start = problem.span().start();
    let Some(line) = text.lines().nth(start.line.saturating_sub(1)) else {
        return text.chars().take(2 * EXCERPT).collect();
    };
    let from = start.column.saturating_sub(EXCERPT);
    let stretch: String = line.chars().skip(from).take(2 * EXCERPT).collect();
    stretch.trim().to_owned()
}

/// Spec prose (Markdown) as doc attributes that rustdoc reads as it was meant; see [`markdown`].
pub(crate) fn docs(text: &str) -> TokenStream {
    raw_docs(&markdown(text))
}

/// Markdown written by an emitter as doc attributes, one per line, links to items included.
pub(crate) fn raw_docs(text: &str) -> TokenStream {
    definitions::as_links(text)
        .trim_end()
        .lines()
        .map(|line| {
            let line = doc_line(line);
            quote!(#[doc = #line])
        })
        .collect()
}

/// Markdown as `///` lines behind `indent`, for blocks of text. Empty if there is nothing to say.
pub(crate) fn doc_comment(text: &str, indent: &str) -> String {
    comment_lines(text, "///", indent)
}

fn comment_lines(text: &str, marker: &str, indent: &str) -> String {
    let mut lines = String::new();
    for line in definitions::as_links(text).trim_end().lines() {
        let line = doc_line(line);
        writeln!(lines, "{indent}{marker}{line}").expect("a string takes every write");
    }
    lines
}

/// A line as it stands behind `///`: a space before the text, nothing after it.
///
/// Characters that change the direction of text are left out: they show code in another order than the
/// compiler reads it, which it refuses.
fn doc_line(line: &str) -> String {
    let line = line.replace(changes_direction, "");
    let line = line.trim_end();
    if line.is_empty() { String::new() } else { format!(" {line}") }
}

/// Whether a character embeds, overrides or isolates the direction of the text after it (Unicode Standard
/// Annex 9, section 2).
pub(crate) fn changes_direction(character: char) -> bool {
    matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests;
