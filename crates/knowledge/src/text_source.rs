//! Texts that people write for a chatbot.

use crate::chunk::{self, Chunk};
use crate::extract::paragraphs;

/// A text with a title, such as a text snippet.
#[derive(Debug, Clone, Copy)]
pub struct TextSource<'a> {
    /// Title of the text.
    pub title: &'a str,
    /// The text. An empty line begins a new paragraph.
    pub text: &'a str,
    /// BCP 47 language, by which words are analyzed.
    pub language: Option<&'a str>,
}

impl TextSource<'_> {
    /// Returns the chunks of the text. No line is treated as a heading, so every line can be quoted.
    pub fn chunks(&self) -> Vec<Chunk> {
        chunk::chunks(&paragraphs(self.text), self.title, self.language)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        let source = TextSource { title: "Hours", text, language: Some("en") };
        source.chunks().into_iter().map(|chunk| chunk.text).collect()
    }

    #[test]
    fn every_line_can_be_quoted() {
        assert_eq!(texts("CLOSED ON SUNDAY"), ["CLOSED ON SUNDAY"]);
        assert_eq!(
            texts("Opening hours\n\nMonday: 9 to 5\nTuesday: 9 to 4"),
            ["Opening hours\nMonday: 9 to 5\nTuesday: 9 to 4"]
        );
        assert!(texts(" \n\n ").is_empty());
    }

    #[test]
    fn words_of_the_title_are_indexed() {
        let source = TextSource { title: "Parking", text: "Behind the shop.", language: Some("en") };
        assert!(source.chunks()[0].terms.title.iter().eq(crate::analyze("Parking", Some("en"))));
    }
}
