//! The blocks of a document while it is read, within the limit of its text.

use std::collections::HashSet;

use frontdesk_knowledge::{Block, BlockKind, Place, detect_language};

use crate::{
    error::{ExceededLimit, ExtractError},
    limits::Limits,
};

/// The cost of a block besides its characters, so that a million empty ones are bounded too.
const CHARS_PER_BLOCK: usize = 16;

/// Bytes of text from which the language is detected.
const LANGUAGE_SAMPLE_BYTES: usize = 4_000;

/// Blocks in the order of the document.
#[derive(Debug)]
pub(crate) struct Blocks {
    list: Vec<Block>,
    left: usize,
    limit: usize,
}

impl Blocks {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self { list: Vec::new(), left: limits.output_chars, limit: limits.output_chars }
    }

    /// Appends a block with the white space of its text cleaned. A text of white space is not a block.
    pub(crate) fn push(&mut self, kind: BlockKind, text: &str) -> Result<(), ExtractError> {
        let text = if kind == BlockKind::Code { text.trim_end().to_owned() } else { clean(text) };
        if text.is_empty() {
            return Ok(());
        }
        let size = text.chars().count() + CHARS_PER_BLOCK;
        self.left = self.left.checked_sub(size).ok_or(ExceededLimit::OutputChars(self.limit))?;
        self.list.push(Block { kind, text, place: Place::Main });
        Ok(())
    }

    /// Appends blocks that were made elsewhere.
    pub(crate) fn extend(&mut self, blocks: Vec<Block>) -> Result<(), ExtractError> {
        blocks.into_iter().try_for_each(|block| self.push(block.kind, &block.text))
    }

    /// Appends the blocks whose text is not there yet, as headers and footers of pages repeat themselves.
    pub(crate) fn extend_by_new(&mut self, parts: Vec<Self>) -> Result<(), ExtractError> {
        let mut known: HashSet<String> = self.list.iter().map(|block| block.text.clone()).collect();
        for block in parts.into_iter().flat_map(|part| part.list) {
            if known.insert(block.text.clone()) {
                self.push(block.kind, &block.text)?;
            }
        }
        Ok(())
    }

    /// Returns the first heading.
    pub(crate) fn first_heading(&self) -> Option<&str> {
        let heading = self.list.iter().take(5).find(|block| matches!(block.kind, BlockKind::Heading(_)))?;
        Some(&heading.text)
    }

    /// Returns the language of the words.
    pub(crate) fn language(&self) -> Option<String> {
        let mut sample = String::new();
        for block in self.list.iter().filter(|block| block.kind != BlockKind::Code) {
            sample.push_str(&block.text);
            sample.push('\n');
            if sample.len() > LANGUAGE_SAMPLE_BYTES {
                break;
            }
        }
        detect_language(&sample).map(|language| language.tag().to_owned())
    }

    /// Returns whether a letter or digit occurs anywhere.
    pub(crate) fn have_text(&self) -> bool {
        self.list.iter().any(|block| block.text.chars().any(char::is_alphanumeric))
    }

    pub(crate) fn into_vec(self) -> Vec<Block> {
        self.list
    }
}

/// Returns the text with runs of white space as one space, and without characters that are not seen.
pub(crate) fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        let start = cleaned.len();
        if start > 0 {
            cleaned.push(' ');
        }
        let before = cleaned.len();
        cleaned.extend(word.chars().filter(|character| !is_invisible(*character)));
        if cleaned.len() == before {
            cleaned.truncate(start);
        }
    }
    cleaned
}

fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cleaned() {
        for (text, expected) in [
            ("  a \n\t b ", "a b"),
            ("co\u{ad}operate \u{200b} x\u{0}y", "cooperate xy"),
            ("\u{200b}", ""),
            ("caf\u{e9}\u{a0}au", "caf\u{e9} au"),
        ] {
            assert_eq!(clean(text), expected);
        }
    }

    #[test]
    fn the_text_is_bounded() {
        let mut blocks = Blocks::new(&Limits { output_chars: 40, ..Limits::default() });
        blocks.push(BlockKind::Paragraph, "1234567890").unwrap();
        let error = blocks.push(BlockKind::Paragraph, "1234567890").unwrap_err();
        assert_eq!(error, ExceededLimit::OutputChars(40).into());
    }
}
