//! Marks that separate data from instructions in a prompt.
//!
//! Texts of others are enclosed in markers that contain a random string, without invisible characters. A
//! second random string, the canary, occurs only in the instructions: a completion that contains it has
//! repeated them.

use frontdesk_knowledge::strip_invisible;

use super::budget::cut;

/// The random strings of one prompt.
#[derive(Debug)]
pub(super) struct Marks {
    /// The string in the markers.
    pub(super) mark: String,
    /// The string that occurs only in the instructions.
    pub(super) canary: String,
}

impl Marks {
    pub(super) fn new(nonce: &str) -> Self {
        // Two strings from one nonce, so that the markers do not reveal the canary.
        let half = nonce.floor_char_boundary(nonce.len() / 2);
        let (mark, canary) = nonce.split_at(half);
        Self { mark: mark.to_owned(), canary: canary.to_owned() }
    }

    /// Encloses data in markers.
    pub(super) fn quoted(&self, label: &str, content: &str) -> String {
        let mark = &self.mark;
        format!("<<{mark} {label}>>\n{content}\n<<{mark} end of {label}>>\n\n")
    }

    /// Makes foreign text safe to include: without invisible characters and markers, and of at most `max`
    /// characters.
    pub(super) fn clean(&self, text: &str, max: usize) -> String {
        cut(&self.visible(text), max)
    }

    /// Returns foreign text without invisible characters and markers.
    pub(super) fn visible(&self, text: &str) -> String {
        strip_invisible(text).replace(&self.mark, "").replace(&self.canary, "")
    }

    /// Returns whether a text contains one of the strings.
    pub(super) fn leak_into(&self, text: &str) -> bool {
        let text = strip_invisible(text).to_lowercase();
        [&self.mark, &self.canary].into_iter().any(|secret| text.contains(secret.to_lowercase().as_str()))
    }
}
