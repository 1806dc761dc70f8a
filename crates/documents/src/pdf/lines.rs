//! Lines of a page, from the positions of its characters.

use pdf_extract::{MediaBox, OutputDev, OutputError, Transform};

/// A line of text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    pub(super) text: String,
    /// Height of the characters, in points.
    pub(super) size: f64,
    /// Distance from the bottom of the page, in points.
    pub(super) y: f64,
}

/// Space between two characters that is a gap between words, in heights of a character.
const WORD_GAP: f64 = 0.12;
/// Space between two characters that is a gap between columns.
const COLUMN_GAP: f64 = 3.0;
/// Vertical distance from which characters are on another line.
const LINE_GAP: f64 = 0.5;

/// Collects the lines of one page in the order of its content, which is the reading order of nearly all
/// documents.
pub(super) struct PageLines {
    lines: Vec<Line>,
    end: f64,
    first_of_word: bool,
    chars_left: usize,
    is_full: bool,
}

impl PageLines {
    pub(super) const fn new(chars_left: usize) -> Self {
        Self { lines: Vec::new(), end: 0.0, first_of_word: true, chars_left, is_full: false }
    }

    /// Returns whether the page has more characters than are left.
    pub(super) const fn is_full(&self) -> bool {
        self.is_full
    }

    pub(super) const fn chars_left(&self) -> usize {
        self.chars_left
    }

    pub(super) fn into_lines(self) -> Vec<Line> {
        self.lines.into_iter().filter(|line| !line.text.trim().is_empty()).collect()
    }

    fn add(&mut self, x: f64, y: f64, size: f64, width: f64, text: &str) {
        let gap = x - self.end;
        match self.lines.last_mut() {
            Some(line)
                if (y - line.y).abs() <= size.max(line.size) * LINE_GAP && gap > -size * COLUMN_GAP =>
            {
                if self.first_of_word && gap > size * COLUMN_GAP && !line.text.ends_with(' ') {
                    line.text.push_str("  ");
                } else if self.first_of_word && gap > size * WORD_GAP && !line.text.ends_with(' ') {
                    line.text.push(' ');
                }
                line.text.push_str(text);
                line.size = line.size.max(size);
            }
            _ => self.lines.push(Line { text: text.to_owned(), size, y }),
        }
        self.end = x + width * size;
        self.first_of_word = false;
    }
}

impl OutputDev for PageLines {
    fn begin_page(
        &mut self,
        _: u32,
        _: &MediaBox,
        _: Option<(f64, f64, f64, f64)>,
    ) -> Result<(), OutputError> {
        Ok(())
    }

    fn end_page(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn output_character(
        &mut self,
        transform: &Transform,
        width: f64,
        _: f64,
        font_size: f64,
        text: &str,
    ) -> Result<(), OutputError> {
        match self.chars_left.checked_sub(text.chars().count().max(1)) {
            Some(left) => self.chars_left = left,
            None => {
                self.is_full = true;
                return Err(std::fmt::Error.into());
            }
        }
        // The side of a square with the area of the character's box, because rotated and scaled text has no
        // height of its own.
        let across = (transform.m11 + transform.m21) * font_size;
        let along = (transform.m12 + transform.m22) * font_size;
        let size = (across * along).abs().sqrt();
        if size.is_finite() && transform.m31.is_finite() && transform.m32.is_finite() {
            self.add(transform.m31, transform.m32, size, width, text);
        }
        Ok(())
    }

    fn begin_word(&mut self) -> Result<(), OutputError> {
        self.first_of_word = true;
        Ok(())
    }

    fn end_word(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn end_line(&mut self) -> Result<(), OutputError> {
        Ok(())
    }
}
