//! Which rows and columns of a sheet are hidden, and which cells are merged.

use crate::{
    error::ExtractError,
    grid::{Area, is_in_ranges},
    limits::Limits,
    xml::{Element, Token, Xml},
};

/// Most ranges of hidden columns, and most merged areas, that are noted. Programs write a few.
const MAX_RANGES: usize = 20_000;

/// The layout of a sheet. Numbers of rows and columns begin at 0.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// Hidden rows, ascending.
    hidden_rows: Vec<u32>,
    /// Ranges of hidden columns, first and last.
    hidden_columns: Vec<(u32, u32)>,
    pub(super) merged: Vec<Area>,
}

impl Layout {
    /// Reads the layout from the part of a sheet.
    pub(super) fn read(text: &str, limits: &Limits) -> Result<Self, ExtractError> {
        let mut layout = Self::default();
        let mut xml = Xml::new(text, limits.xml_depth);
        let mut next_row = 1;
        while let Some(token) = xml.next()? {
            let Token::Start(element) = token else { continue };
            match element.name.as_str() {
                "col" => layout.add_columns(&element),
                "row" => {
                    let row = element.number("r").unwrap_or(next_row);
                    next_row = row.saturating_add(1);
                    let has_no_height = element.attribute("ht").is_some_and(|height| is_zero(&height));
                    if is_on(&element, "hidden") || has_no_height {
                        layout.hidden_rows.extend(row.checked_sub(1).and_then(|row| u32::try_from(row).ok()));
                    }
                }
                "mergeCell" if layout.merged.len() < MAX_RANGES => {
                    layout.merged.extend(element.attribute("ref").as_deref().and_then(area));
                }
                _ => {}
            }
        }
        layout.hidden_rows.sort_unstable();
        layout.hidden_columns = merged(layout.hidden_columns);
        Ok(layout)
    }

    fn add_columns(&mut self, element: &Element<'_>) {
        let has_no_width = element.attribute("width").is_some_and(|width| is_zero(&width));
        let (Some(first), Some(last)) = (element.number("min"), element.number("max")) else { return };
        let number = |column: usize| column.checked_sub(1).and_then(|column| u32::try_from(column).ok());
        if (is_on(element, "hidden") || has_no_width)
            && self.hidden_columns.len() < MAX_RANGES
            && let (Some(first), Some(last)) = (number(first), number(last))
        {
            self.hidden_columns.push((first, last));
        }
    }

    pub(super) fn hides_row(&self, row: u32) -> bool {
        self.hidden_rows.binary_search(&row).is_ok()
    }

    pub(super) fn hides_column(&self, column: u32) -> bool {
        is_in_ranges(&self.hidden_columns, column)
    }
}

/// Returns ranges in their order, with those that overlap as one.
fn merged(mut ranges: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    ranges.sort_unstable();
    let mut merged: Vec<(u32, u32)> = Vec::with_capacity(ranges.len());
    for (first, last) in ranges {
        match merged.last_mut() {
            Some((_, end)) if first <= *end => *end = (*end).max(last),
            _ => merged.push((first, last)),
        }
    }
    merged
}

fn is_on(element: &Element<'_>, name: &str) -> bool {
    matches!(element.attribute(name).as_deref(), Some("1" | "true"))
}

fn is_zero(size: &str) -> bool {
    size.trim().parse::<f64>().is_ok_and(|size| size <= 0.0)
}

/// Reads an area, such as `A1:C2`.
fn area(text: &str) -> Option<Area> {
    let (first, last) = text.split_once(':')?;
    let ((first_row, first_column), (last_row, last_column)) = (position(first)?, position(last)?);
    (first_row <= last_row && first_column <= last_column).then_some(Area {
        first_row,
        last_row,
        first_column,
        last_column,
    })
}

/// Reads the position of a cell, such as `B7`: row and column.
fn position(text: &str) -> Option<(u32, u32)> {
    let letters = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (column, row) = text.split_at(letters);
    let column = column.bytes().try_fold(0_u32, |number, letter| {
        number.checked_mul(26)?.checked_add(u32::from(letter.to_ascii_uppercase() - b'A') + 1)
    })?;
    Some((row.parse::<u32>().ok()?.checked_sub(1)?, column.checked_sub(1)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_rows_and_columns_and_merged_cells_are_noted() {
        let text = "<worksheet><cols><col min='2' max='3' hidden='1'/><col min='5' max='5' width='0'/><col min='5' max='5' hidden='true'/></cols>\
            <sheetData><row r='2' hidden='1'/><row/><row ht='0'/></sheetData>\
            <mergeCells><mergeCell ref='A1:AB2'/><mergeCell ref='A0:B'/></mergeCells></worksheet>";
        let layout = Layout::read(text, &Limits::default()).unwrap();
        assert_eq!(
            (0..5).map(|row| layout.hides_row(row)).collect::<Vec<_>>(),
            [false, true, false, true, false]
        );
        assert_eq!((0..6).filter(|column| layout.hides_column(*column)).collect::<Vec<_>>(), [1, 2, 4]);
        assert_eq!(layout.merged.len(), 1);
        assert_eq!((layout.merged[0].last_row, layout.merged[0].last_column), (1, 27));
    }
}
