//! Division of a prompt's maximum size.
//!
//! Instructions, critical rules and the question are fixed: they are always sent whole. Earlier messages get
//! up to a quarter of the rest, the newest first. Passages get what remains, the best first.

/// Space in characters that a prompt needs for passages. With less there is nothing to answer from.
const MIN_PASSAGE_SPACE: usize = 600;

/// Smallest part of a passage that is worth sending, in characters.
const MIN_PART: usize = 200;

/// The space of a prompt that is not taken yet, in characters.
#[derive(Debug)]
pub(super) struct Budget {
    left: usize,
    history: usize,
}

impl Budget {
    /// Reserves the fixed parts. `None` if they leave no space for passages.
    pub(super) fn new(max: usize, fixed: usize) -> Option<Self> {
        let left = max.checked_sub(fixed).filter(|left| *left >= MIN_PASSAGE_SPACE)?;
        Some(Self { left, history: left / 4 })
    }

    /// Takes the space of an earlier message. Returns whether it fits.
    pub(super) fn take_history(&mut self, size: usize) -> bool {
        let Some(history) = self.history.checked_sub(size) else { return false };
        self.history = history;
        self.left -= size;
        true
    }

    /// Takes the space of a passage with `around` characters of description. Returns how much of its text
    /// fits, if enough does.
    pub(super) fn take_passage(&mut self, around: usize, text: usize) -> Option<usize> {
        let fits = self.left.checked_sub(around)?.min(text);
        let is_worthwhile = fits == text || fits >= MIN_PART;
        is_worthwhile.then(|| {
            self.left -= around + fits;
            fits
        })
    }
}

/// Returns the number of characters of a text.
pub(super) fn chars(text: &str) -> usize {
    text.chars().count()
}

/// Shortens a text to at most `max` characters, with an ellipsis if anything is missing.
pub(super) fn cut(text: &str, max: usize) -> String {
    if text.char_indices().nth(max).is_none() {
        return text.to_owned();
    }
    let end = text.char_indices().nth(max.saturating_sub(1)).map_or(0, |(end, _)| end);
    if max == 0 { String::new() } else { format!("{}…", text[..end].trim_end()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn history_gets_a_quarter_and_passages_the_rest() {
        assert!(Budget::new(1000, 500).is_none());
        assert!(Budget::new(100, 500).is_none());
        let mut budget = Budget::new(5000, 1000).unwrap();
        assert!(budget.take_history(900));
        assert!(!budget.take_history(200) && budget.take_history(100));
        assert_eq!(budget.take_passage(100, 2000), Some(2000));
        assert_eq!(budget.take_passage(100, 2000), Some(800));
        assert_eq!(budget.take_passage(100, 50), None);
    }

    #[test]
    fn a_passage_is_not_cut_to_a_scrap() {
        let mut budget = Budget::new(700, 0).unwrap();
        assert_eq!(budget.take_passage(550, 1000), None);
        assert_eq!(budget.take_passage(550, 150), Some(150));
    }

    #[test]
    fn a_cut_text_ends_in_an_ellipsis_and_has_the_size() {
        for (text, max, expected) in [
            ("short", 5, "short"),
            ("longer", 5, "long…"),
            ("two words", 5, "two…"),
            ("ééé", 2, "é…"),
            ("x", 0, ""),
            ("", 0, ""),
        ] {
            let cut = cut(text, max);
            assert_eq!(cut, expected);
            assert!(chars(&cut) <= max);
        }
    }
}
