//! A line of a page, and a piece of one.

/// Vertical distance from which characters are on another line, in heights of a character.
pub(super) const LINE_GAP: f64 = 0.5;

/// A line of text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    pub(super) text: String,
    /// Height of the characters, in points.
    pub(super) size: f64,
    /// Distance from the bottom of the page, in points.
    pub(super) y: f64,
    /// Where it begins and ends, in points from the left edge of the page.
    pub(super) start: f64,
    pub(super) end: f64,
    /// Whether it has a wide gap, like the row of a table.
    pub(super) is_row: bool,
}

impl Line {
    /// Returns whether the line begins in the middle of a sentence.
    pub(super) fn begins_inside(&self) -> bool {
        self.text.trim_start().starts_with(char::is_lowercase)
    }

    /// Returns whether characters of this height at `y` are on the line.
    pub(super) fn is_at(&self, y: f64, size: f64) -> bool {
        (y - self.y).abs() <= size.max(self.size) * LINE_GAP
    }
}

/// A part of a line without a wide gap.
pub(super) type Piece = Line;
