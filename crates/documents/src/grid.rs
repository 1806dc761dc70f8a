//! The cells of a sheet that are seen, and the rows that they form.

use std::collections::BTreeSet;

use crate::{
    error::{ExceededLimit, ExtractError},
    limits::Limits,
};

/// The area that is built from scattered cells, as a multiple of the limit of cells.
const AREA_PER_CELL: usize = 4;

/// A cell: column and text.
type Cell = (u32, String);

/// The cells of a sheet, row by row.
#[derive(Debug, Default)]
pub(crate) struct Grid {
    rows: Vec<(u32, Vec<Cell>)>,
    merged: Vec<Area>,
}

/// Returns whether a number is in one of these ranges, which are sorted and do not overlap.
pub(crate) fn is_in_ranges(ranges: &[(u32, u32)], number: u32) -> bool {
    let after = ranges.partition_point(|(first, _)| *first <= number);
    after.checked_sub(1).and_then(|index| ranges.get(index)).is_some_and(|(_, last)| number <= *last)
}

/// Cells that are merged into one, which shows the value of the first. Bounds are inclusive.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Area {
    pub(crate) first_row: u32,
    pub(crate) last_row: u32,
    pub(crate) first_column: u32,
    pub(crate) last_column: u32,
}

impl Grid {
    /// Adds a cell. Cells come row by row, and within a row from left to right.
    pub(crate) fn push(&mut self, row: u32, column: u32, text: String) {
        if text.trim().is_empty() {
            return;
        }
        match self.rows.last_mut() {
            Some((last, cells)) if *last == row => cells.push((column, text)),
            _ => self.rows.push((row, vec![(column, text)])),
        }
    }

    /// Notes that cells are merged.
    pub(crate) fn merge(&mut self, area: Area) {
        if area.last_row > area.first_row || area.last_column > area.first_column {
            self.merged.push(area);
        }
    }

    /// Returns the rows without the columns that are empty throughout. A cell that is merged over rows is
    /// repeated in each of them, and one that is merged above the names of columns becomes part of each name.
    ///
    /// The area that a sheet states is not believed, and no area is allocated before its cells were counted.
    pub(crate) fn into_rows(mut self, limits: &Limits) -> Result<Vec<Vec<String>>, ExtractError> {
        self.rows.sort_by_key(|(row, _)| *row);
        let too_many = || ExtractError::from(ExceededLimit::Cells(limits.cells));
        let mut left = limits.cells;
        for area in &self.merged {
            let begin = self.rows.partition_point(|(row, _)| *row < area.first_row);
            let end = self.rows.partition_point(|(row, _)| *row <= area.last_row);
            let Some((row, cells)) = self.rows.get(begin).filter(|_| begin < end) else { continue };
            // A first row without any cell is not in the list.
            let value = cells
                .iter()
                .find(|(column, _)| *row == area.first_row && *column == area.first_column)
                .map(|(_, text)| text.clone());
            for (_, cells) in &mut self.rows[begin..end] {
                left = left.checked_sub(1 + cells.len()).ok_or_else(too_many)?;
                cells.retain(|(column, _)| !(area.first_column..=area.last_column).contains(column));
                if let Some(value) = &value
                    && !cells.is_empty()
                {
                    let at = cells.partition_point(|(column, _)| *column < area.first_column);
                    cells.insert(at, (area.first_column, value.clone()));
                }
            }
            // A merged cell alone in its row is still a title.
            if let Some(value) = value
                && self.rows[begin].1.is_empty()
            {
                self.rows[begin].1.push((area.first_column, value));
            }
        }
        self.rows.retain(|(_, cells)| !cells.is_empty());
        let columns: BTreeSet<u32> =
            self.rows.iter().flat_map(|(_, cells)| cells.iter().map(|(column, _)| *column)).collect();
        if self.rows.len().saturating_mul(columns.len()) > limits.cells.saturating_mul(AREA_PER_CELL) {
            return Err(too_many());
        }
        let columns: Vec<u32> = columns.into_iter().collect();
        let mut dense: Vec<Vec<String>> = Vec::with_capacity(self.rows.len());
        for (_, cells) in &mut self.rows {
            let mut row = vec![String::new(); columns.len()];
            for (column, text) in cells.drain(..) {
                if let Ok(index) = columns.binary_search(&column) {
                    row[index] = text;
                }
            }
            dense.push(row);
        }
        self.join_names(&mut dense, &columns);
        Ok(dense)
    }

    /// Joins a row of merged cells above the names of columns with them: `Summer` above `Adults` and
    /// `Children` makes `Summer Adults` and `Summer Children`.
    fn join_names(&self, dense: &mut Vec<Vec<String>>, columns: &[u32]) {
        let filled = |row: &[String]| row.iter().filter(|cell| !cell.is_empty()).count();
        let Some(at) =
            dense.iter().position(|row| filled(row) > 1 || row.first().is_some_and(String::is_empty))
        else {
            return;
        };
        let Some(number) = self.rows.get(at).map(|(row, _)| *row) else { return };
        let spans: Vec<&Area> = self
            .merged
            .iter()
            .filter(|area| {
                area.first_row == number && area.last_row == number && area.last_column > area.first_column
            })
            .collect();
        let has_digits = |row: &[String]| {
            row.iter().any(|cell| cell.contains(|character: char| character.is_ascii_digit()))
        };
        let (Some(above), Some(names)) = (dense.get(at), dense.get(at + 1)) else { return };
        if spans.is_empty() || filled(names) <= filled(above) || has_digits(names) || dense.len() < at + 3 {
            return;
        }
        let mut groups = above.clone();
        for area in spans {
            let Ok(first) = columns.binary_search(&area.first_column) else { continue };
            let value = groups[first].clone();
            for (group, column) in groups.iter_mut().zip(columns) {
                if (area.first_column..=area.last_column).contains(column) {
                    group.clone_from(&value);
                }
            }
        }
        let joined = groups.iter().zip(names).map(|(group, name)| match (group.as_str(), name.as_str()) {
            (group, name) if group == name || group.is_empty() => name.to_owned(),
            (group, "") => group.to_owned(),
            (group, name) => format!("{group} {name}"),
        });
        dense[at + 1] = joined.collect();
        dense.remove(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(cells: &[(u32, u32, &str)], merged: &[(u32, u32, u32, u32)]) -> Vec<String> {
        let mut grid = Grid::default();
        for (row, column, text) in cells {
            grid.push(*row, *column, (*text).to_owned());
        }
        for &(first_row, first_column, last_row, last_column) in merged {
            grid.merge(Area { first_row, last_row, first_column, last_column });
        }
        grid.into_rows(&Limits::default()).unwrap().iter().map(|row| row.join("|")).collect()
    }

    #[test]
    fn a_merged_cell_is_part_of_each_of_its_rows() {
        assert_eq!(
            rows(
                &[(0, 0, "Soups"), (0, 1, "Lentil"), (1, 1, "Pea"), (2, 0, "Cakes"), (2, 1, "Plum")],
                &[(0, 0, 1, 0)]
            ),
            ["Soups|Lentil", "Soups|Pea", "Cakes|Plum"]
        );
        // What a merged cell covers is not seen.
        assert_eq!(
            rows(&[(0, 0, "Title"), (0, 1, "covered"), (1, 0, "a"), (1, 1, "b")], &[(0, 0, 0, 1)]),
            ["Title|", "a|b"]
        );
        assert_eq!(rows(&[(5, 5, "x")], &[(0, 0, 1_048_575, 3)]), ["x"]);
    }

    #[test]
    fn names_below_a_merged_cell_carry_it() {
        let cells = [
            (0, 0, "Room"),
            (0, 1, "Summer"),
            (0, 3, "Winter"),
            (1, 1, "Week"),
            (1, 2, "Weekend"),
            (1, 3, "Week"),
            (1, 4, "Weekend"),
            (2, 0, "Double"),
            (2, 1, "80"),
            (2, 2, "90"),
            (2, 3, "60"),
            (2, 4, "70"),
        ];
        assert_eq!(
            rows(&cells, &[(0, 0, 1, 0), (0, 1, 0, 2), (0, 3, 0, 4)]),
            ["Room|Summer Week|Summer Weekend|Winter Week|Winter Weekend", "Double|80|90|60|70"]
        );
    }

    #[test]
    fn merged_areas_are_bounded() {
        let mut grid = Grid::default();
        for row in 0..2_000 {
            grid.push(row, 0, "x".to_owned());
        }
        for _ in 0..2_000 {
            grid.merge(Area { first_row: 0, last_row: 1_999, first_column: 0, last_column: 0 });
        }
        assert!(grid.into_rows(&Limits { cells: 10_000, ..Limits::default() }).is_err());
    }
}
