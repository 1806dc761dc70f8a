//! Columns of running text that a file writes row by row: they are read one after the other.
//!
//! Most programs write one column after the other, and tables cell by cell; their order is kept. Only where
//! pieces of a left and a right column alternate, and both are running text rather than the cells of a table,
//! the order is changed.

use super::line::Piece;

/// Pages with more pieces are kept in their order.
const MAX_PIECES: usize = 6_000;
/// Fewest lines of a column.
const MIN_LINES: usize = 3;
/// Least width of the space between columns, in heights of a character.
const MIN_GUTTER: f64 = 0.8;
/// Largest share of steps that lead to the next line of the same column.
const MAX_DOWN: f64 = 0.4;
/// Least share of lines that begin in the middle of a sentence.
const MIN_RUNNING: f64 = 0.3;
/// Fewest words of a line, on average.
const MIN_WORDS: f64 = 2.5;
/// Most columns beside each other.
const MAX_COLUMNS: usize = 6;

/// Puts columns that alternate one after the other.
pub(super) fn reorder(pieces: Vec<Piece>) -> Vec<Piece> {
    if pieces.len() > MAX_PIECES {
        return pieces;
    }
    split(pieces, MAX_COLUMNS)
}

fn split(pieces: Vec<Piece>, most: usize) -> Vec<Piece> {
    if most < 2 {
        return pieces;
    }
    let mut ordered = Vec::with_capacity(pieces.len());
    let mut rest = pieces.as_slice();
    while let Some((first, others)) = rest.split_first() {
        if let Some(Region { left, right, length }) = Region::at(rest) {
            ordered.extend(split(left, most - 1));
            ordered.extend(split(right, most - 1));
            rest = &rest[length..];
        } else {
            ordered.push(first.clone());
            rest = others;
        }
    }
    ordered
}

/// Pieces on both sides of a gutter.
struct Region {
    left: Vec<Piece>,
    right: Vec<Piece>,
    length: usize,
}

impl Region {
    /// Returns the region that begins with the first of these pieces.
    fn at(pieces: &[Piece]) -> Option<Self> {
        let (first, second) = (pieces.first()?, pieces.get(1)?);
        // The region begins with a piece of the left column and one beside it.
        let is_beside = (first.y - second.y).abs() <= first.size && second.start > first.end;
        if !is_beside {
            return None;
        }
        let (mut low, mut high) = (first.end, second.start);
        let mut sides: Vec<bool> = Vec::new();
        for piece in pieces {
            let (is_left, is_right) =
                (piece.end <= high && piece.start < low, piece.start >= low && piece.end > high);
            let (next_low, next_high) = match (is_left, is_right) {
                (true, false) => (low.max(piece.end), high),
                (false, true) => (low, high.min(piece.start)),
                _ => break,
            };
            if next_high - next_low < piece.size * MIN_GUTTER {
                break;
            }
            (low, high) = (next_low, next_high);
            sides.push(is_right);
        }
        // What follows the last change is the end of the longer column.
        let last_change = sides.windows(2).rposition(|pair| pair[0] != pair[1]).map_or(0, |step| step + 1);
        let steps = pieces.windows(2).zip(sides.windows(2)).take(last_change);
        // Steps to the next line of the same column: cells of several lines.
        let down = steps.filter(|(pieces, sides)| {
            sides[0] == sides[1] && (pieces[0].y - pieces[1].y).abs() > pieces[0].size / 2.0
        });
        let is_by_row = last_change > 1 && share(down.count(), last_change) <= MAX_DOWN;
        let on_side = |right: bool| pieces.iter().zip(&sides).filter(move |(_, side)| **side == right);
        // The right side may itself be several columns.
        let is_text = |right: bool| is_running(on_side(right).map(|(piece, _)| piece));
        let copied = |right: bool| on_side(right).map(|(piece, _)| piece.clone()).collect();
        (is_by_row && is_text(false) && is_text(true)).then(|| Self {
            left: copied(false),
            right: copied(true),
            length: sides.len(),
        })
    }
}

/// Returns whether pieces are lines of running text: several words each, and many of them begin in the middle
/// of a sentence.
fn is_running<'a>(pieces: impl Iterator<Item = &'a Piece>) -> bool {
    let (mut lines, mut words, mut inside) = (0, 0, 0);
    for piece in pieces {
        inside += usize::from(piece.begins_inside() && lines > 0);
        words += piece.text.split_whitespace().count();
        lines += 1;
    }
    lines >= MIN_LINES && share(words, lines) >= MIN_WORDS && share(inside, lines - 1) >= MIN_RUNNING
}

#[expect(clippy::cast_precision_loss, reason = "counts of pieces of a page are small")]
fn share(part: usize, all: usize) -> f64 {
    if all == 0 { 0.0 } else { part as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(start: f64, y: f64, text: &str) -> Piece {
        #[expect(clippy::cast_precision_loss, reason = "texts are short")]
        let end = start + text.len() as f64 * 5.0;
        Piece { text: text.to_owned(), size: 10.0, y, start, end, is_row: false }
    }

    fn order(pieces: &[(f64, f64, &str)]) -> Vec<String> {
        let pieces = pieces.iter().map(|(start, y, text)| piece(*start, *y, text)).collect();
        reorder(pieces).into_iter().map(|piece| piece.text).collect()
    }

    #[test]
    fn columns_of_text_are_read_one_after_the_other() {
        let (mut rows, mut three) =
            (vec![(50.0, 700.0, "A title across the whole page of the guide")], Vec::new());
        let left =
            ["We repair mowers and saws", "within four days. A new", "chain costs 26 euros with", "fitting."];
        let right = [
            "The shop opens at eight on",
            "weekdays and at nine on",
            "Saturdays. On Sundays it",
            "is closed all day.",
        ];
        let third = [
            "Bring the machine with an",
            "empty tank, please, and",
            "with its key. We call you",
            "when it is ready.",
        ];
        for (index, y) in [680.0, 666.0, 652.0, 638.0].into_iter().enumerate() {
            rows.extend([(50.0, y, left[index]), (300.0, y, right[index])]);
            three.extend([(50.0, y, left[index]), (230.0, y, right[index]), (410.0, y, third[index])]);
        }
        let expected: Vec<&str> = rows[..1].iter().map(|row| row.2).chain(left).chain(right).collect();
        assert_eq!(order(&rows), expected);
        let expected: Vec<&str> = left.into_iter().chain(right).chain(third).collect();
        assert_eq!(order(&three), expected);
    }

    #[test]
    fn rows_of_tables_stay_together() {
        let table = [
            (50.0, 700.0, "Wash and cut"),
            (300.0, 700.0, "short hair, with styling"),
            (50.0, 686.0, "Colour"),
            (300.0, 686.0, "from 45 euros, with care"),
            (50.0, 672.0, "Beard"),
            (300.0, 672.0, "trim and shave, 20 euros"),
        ];
        assert_eq!(order(&table), table.map(|row| row.2));
        // Cells of several lines, written cell by cell.
        let cells = [
            (50.0, 700.0, "How long does it take"),
            (50.0, 686.0, "until my parcel arrives"),
            (50.0, 672.0, "in the mountains?"),
            (300.0, 700.0, "Three days, and in"),
            (300.0, 686.0, "winter up to five days"),
            (300.0, 672.0, "if roads are closed."),
            (50.0, 650.0, "What does it cost to"),
            (50.0, 636.0, "send a large parcel"),
            (50.0, 622.0, "to an island?"),
            (300.0, 650.0, "It costs ten euros, with"),
            (300.0, 636.0, "insurance up to one"),
            (300.0, 622.0, "thousand euros."),
        ];
        assert_eq!(order(&cells), cells.map(|row| row.2));
    }
}
