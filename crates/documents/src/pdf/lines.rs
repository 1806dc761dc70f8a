//! Lines of a page, from the positions of its characters.

use pdf_extract::{MediaBox, OutputDev, OutputError, Transform};
use unicode_normalization::UnicodeNormalization;

use super::columns;
use super::line::{LINE_GAP, Line, Piece};

/// Space between two characters that is a gap between words, in heights of a character.
const WORD_GAP: f64 = 0.12;
/// Space that ends a piece: it may be the gutter between two columns.
const PIECE_GAP: f64 = 0.9;
/// How far back characters of the same line can begin, such as accents, in heights of a character.
const BACK_GAP: f64 = 3.0;
/// Most lines of a cell whose row is put together.
const MAX_CELL_LINES: usize = 4;
/// How far an accent and its letter may be apart, in heights of a character.
const ACCENT_GAP: f64 = 0.35;

/// Collects the lines of one page in the order of its content, which is the reading order of nearly all
/// documents.
pub(super) struct PageLines {
    pieces: Vec<Piece>,
    end: f64,
    first_of_word: bool,
    /// An accent that was written alone, and where it begins.
    accent: Option<(char, f64)>,
    chars_left: usize,
    is_full: bool,
}

impl PageLines {
    pub(super) const fn new(chars_left: usize) -> Self {
        Self { pieces: Vec::new(), end: 0.0, first_of_word: true, accent: None, chars_left, is_full: false }
    }

    /// Returns whether the page has more characters than are left.
    pub(super) const fn is_full(&self) -> bool {
        self.is_full
    }

    pub(super) const fn chars_left(&self) -> usize {
        self.chars_left
    }

    pub(super) fn into_lines(self) -> Vec<Line> {
        let pieces = self.pieces.into_iter().filter(|piece| !piece.text.trim().is_empty()).collect();
        let mut lines: Vec<Line> = Vec::new();
        for piece in columns::reorder(pieces) {
            match lines.last_mut() {
                Some(line)
                    if line.is_at(piece.y, piece.size) && piece.start - line.end > -piece.size * BACK_GAP =>
                {
                    line.text.push(' ');
                    line.text.push_str(&piece.text);
                    line.size = line.size.max(piece.size);
                    line.end = line.end.max(piece.end);
                    line.is_row = true;
                }
                _ => {
                    if let Some(first) = cell_beside(&lines, &piece) {
                        join_cell(&mut lines, first, &piece);
                    } else {
                        lines.push(piece);
                    }
                }
            }
        }
        lines
    }

    fn add(&mut self, x: f64, y: f64, size: f64, width: f64, text: &str) {
        let gap = x - self.end;
        let end = x + width * size;
        match self.pieces.last_mut() {
            Some(piece) if piece.is_at(y, size) && gap > -size * BACK_GAP && gap < size * PIECE_GAP => {
                if self.first_of_word && gap > size * WORD_GAP && !piece.text.ends_with(' ') {
                    piece.text.push(' ');
                }
                match self.accent.take().filter(|(_, start)| (x - start).abs() <= size * ACCENT_GAP) {
                    Some((accent, _)) => push_accented(&mut piece.text, accent, text),
                    None => piece.text.push_str(text),
                }
                piece.size = piece.size.max(size);
                piece.end = piece.end.max(end);
            }
            _ => {
                self.pieces.push(Piece { text: text.to_owned(), size, y, start: x, end, is_row: false });
            }
        }
        let mut characters = text.chars();
        self.accent = match (characters.next(), characters.next()) {
            (Some(character), None) => combining(character).map(|_| (character, x)),
            _ => None,
        };
        self.end = end;
        self.first_of_word = false;
    }
}

/// Returns the first line of a cell of several lines beside which there is a short piece: the name of an item
/// is wrapped, and its price follows on the height of the first line.
fn cell_beside(lines: &[Line], piece: &Piece) -> Option<usize> {
    let words = piece.text.split_whitespace().count();
    let is_value =
        words <= 2 || (words <= 4 && piece.text.contains(|character: char| character.is_ascii_digit()));
    let first = (2..=MAX_CELL_LINES.min(lines.len()))
        .map(|count| lines.len() - count)
        .find(|first| lines[*first].is_at(piece.y, piece.size))?;
    let cell = &lines[first..];
    let is_cell = cell.windows(2).all(|pair| {
        pair[0].y > pair[1].y && (pair[0].start - pair[1].start).abs() <= piece.size && !pair[1].is_row
    });
    let end = cell.iter().map(|line| line.end).fold(f64::MIN, f64::max);
    (is_value && is_cell && piece.start - end > piece.size * LINE_GAP).then_some(first)
}

/// Makes one line of a cell of several lines and the piece beside it.
fn join_cell(lines: &mut Vec<Line>, first: usize, piece: &Piece) {
    let wrapped = lines.split_off(first + 1);
    let Some(row) = lines.last_mut() else { return };
    for line in wrapped.iter().chain([piece]) {
        row.text.push(' ');
        row.text.push_str(&line.text);
        row.end = row.end.max(line.end);
    }
    row.is_row = true;
}

/// Returns the combining form of an accent. Old fonts have no letters with accents: programs write the accent
/// and then the letter below it.
const fn combining(accent: char) -> Option<char> {
    Some(match accent {
        '\u{a8}' => '\u{308}',
        '\u{b4}' => '\u{301}',
        '`' => '\u{300}',
        '\u{2c6}' => '\u{302}',
        '\u{2dc}' => '\u{303}',
        '\u{b8}' => '\u{327}',
        '\u{2c7}' => '\u{30c}',
        '\u{2d8}' => '\u{306}',
        '\u{2da}' => '\u{30a}',
        '\u{2dd}' => '\u{30b}',
        '\u{2db}' => '\u{328}',
        '\u{2d9}' => '\u{307}',
        _ => return None,
    })
}

/// Appends a letter with the accent that was written before it.
fn push_accented(line: &mut String, accent: char, text: &str) {
    let composed: Option<String> = combining(accent).zip(text.chars().next()).and_then(|(mark, letter)| {
        // The dotless i and j are made for accents.
        let base = match letter {
            '\u{131}' => 'i',
            '\u{237}' => 'j',
            letter => letter,
        };
        let composed: String = [base, mark].into_iter().nfc().collect();
        (letter.is_alphabetic() && composed.chars().count() == 1).then_some(composed)
    });
    match composed {
        Some(composed) if line.ends_with(accent) => {
            line.pop();
            line.push_str(&composed);
            line.extend(text.chars().skip(1));
        }
        _ => line.push_str(text),
    }
}

/// Returns text as a keyboard writes it: ligatures as their letters, and nothing for glyphs without a
/// character.
fn folded(text: &str) -> String {
    let is_ligature = |character: &char| matches!(character, '\u{fb00}'..='\u{fb06}');
    let mut folded = String::with_capacity(text.len());
    for character in text.chars().filter(|character| *character != '\0') {
        if is_ligature(&character) {
            folded.extend(std::iter::once(character).nfkc());
        } else {
            folded.push(character);
        }
    }
    folded
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
        if size.is_finite() && width.is_finite() && transform.m31.is_finite() && transform.m32.is_finite() {
            self.add(transform.m31, transform.m32, size, width, &folded(text));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrapped_cell_and_its_price_are_one_row() {
        let mut page = PageLines::new(1_000);
        for (x, y, text) in [
            (50.0, 700.0, "Wash, cut and"),
            (50.0, 688.0, "blow-dry"),
            (300.0, 700.0, "32 \u{20ac}"),
            (400.0, 700.0, "45 \u{20ac}"),
            (50.0, 670.0, "Colour"),
            (300.0, 670.0, "58 \u{20ac}"),
            (50.0, 600.0, "A short column of"),
            (50.0, 588.0, "running text."),
            (300.0, 600.0, "Another one that is beside it"),
        ] {
            #[expect(clippy::cast_precision_loss, reason = "texts are short")]
            let width = text.chars().count() as f64 * 0.5;
            page.add(x, y, 10.0, width, text);
        }
        let lines: Vec<String> = page.into_lines().into_iter().map(|line| line.text).collect();
        let expected = [
            "Wash, cut and blow-dry 32 \u{20ac} 45 \u{20ac}",
            "Colour 58 \u{20ac}",
            "A short column of",
            "running text.",
            "Another one that is beside it",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn accents_and_ligatures_become_letters() {
        let mut page = PageLines::new(100);
        for (x, text) in [
            (0.0, "f"),
            (5.0, "\u{a8}"),
            (5.2, "u"),
            (10.0, "r"),
            (15.0, "\u{fb01}"),
            (20.0, "\u{b4}"),
            (30.0, "a"),
        ] {
            page.add(x, 0.0, 10.0, 0.5, &folded(text));
        }
        assert_eq!(page.into_lines()[0].text, "f\u{fc}rfi\u{b4}a");
    }
}
