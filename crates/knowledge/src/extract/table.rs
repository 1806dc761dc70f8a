//! Extraction of data tables: one text per row, each value with its header, so that a row can be read on its
//! own.

use super::clean::push_folded;
use super::dom::{self, NodeRef};
use super::raised;
use super::visibility::Visibility;
use crate::table_row::{states_nothing, table_row};

/// Most columns of one table that are read.
const MAX_COLUMNS: usize = 64;

/// Most rows of one table that are read: more than a page within the bounds of the parser has.
const MAX_ROWS: usize = 200_000;

/// Longest text, in bytes, that names a row or a column.
const LONGEST_NAME: usize = 60;

struct Row {
    cells: Vec<Cell>,
    is_header: bool,
}

#[derive(Clone)]
struct Cell {
    text: String,
    is_header: bool,
}

/// Returns whether a table contains data. Other tables only arrange blocks on the page.
pub(super) fn is_data_table(table: &NodeRef<'_>) -> bool {
    if ["presentation", "none"].iter().any(|role| dom::attribute_is(table, "role", role)) {
        return false;
    }
    let mut rows = 0;
    let mut widest = 0;
    for node in table.descendants().skip(1) {
        match dom::name(&node) {
            "table" | "h1" | "h2" | "article" | "section" | "form" => return false,
            "tr" => rows += 1,
            "td" | "th" => {
                let before = node.prev_siblings().filter(|node| node.value().is_element()).take(3).count();
                widest = widest.max(before + 1);
            }
            _ => {}
        }
    }
    rows >= 1 && widest >= 2
}

/// Returns the caption and the rows of a data table as text.
pub(super) fn rows(table: &NodeRef<'_>, visibility: &Visibility) -> Vec<String> {
    let rows = read(table, visibility);
    let caption = table
        .children()
        .find(|node| dom::name(node) == "caption" && !visibility.hides(node))
        .map(|caption| cell_text(&caption, visibility));
    let header = rows.first().filter(|first| is_header(first, &rows)).map(|first| first.cells.clone());
    let body = rows.iter().skip(usize::from(header.is_some()));
    let columns = header.as_ref().map(|header| texts(header));
    let rows = body.map(|row| table_row(&texts(&row.cells), columns.as_deref()));
    caption.into_iter().chain(rows).filter(|text| !text.is_empty()).collect()
}

/// Returns whether the first row names the columns. With two columns, the first names the second in every
/// row.
fn is_header(first: &Row, rows: &[Row]) -> bool {
    let columns = rows.iter().map(|row| row.cells.len()).max().unwrap_or_default();
    if columns < 3 || rows.len() < 2 {
        return false;
    }
    let has_digit = |cell: &Cell| cell.text.contains(|character: char| character.is_ascii_digit());
    // Pages without `th` mark the header by style sheets; values have numbers and names of columns have not.
    let is_named = first.cells.len() == columns
        && first
            .cells
            .iter()
            .skip(1)
            .all(|cell| !states_nothing(&cell.text) && cell.text.len() <= LONGEST_NAME)
        && !first.cells.iter().any(has_digit)
        && rows[1..].iter().any(|row| row.cells.iter().skip(1).any(has_digit));
    first.is_header || is_named
}

fn texts(cells: &[Cell]) -> Vec<&str> {
    cells.iter().map(|cell| cell.text.as_str()).collect()
}

fn read(table: &NodeRef<'_>, visibility: &Visibility) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut carried: Vec<Option<(usize, Cell)>> = Vec::new();
    for node in table.descendants().filter(|node| dom::name(node) == "tr").take(MAX_ROWS) {
        if node
            .ancestors()
            .take_while(|ancestor| ancestor.id() != table.id())
            .any(|ancestor| visibility.hides(&ancestor))
            || visibility.hides(&node)
        {
            continue;
        }
        let in_head = node.parent().is_some_and(|parent| dom::name(&parent) == "thead");
        let mut cells: Vec<Cell> = Vec::new();
        for cell in node.children().filter(|cell| matches!(dom::name(cell), "td" | "th")) {
            take_carried(&mut cells, &mut carried);
            if visibility.hides(&cell) {
                continue;
            }
            let content = Cell { text: cell_text(&cell, visibility), is_header: dom::name(&cell) == "th" };
            let span = |attribute| {
                dom::attribute(&cell, attribute)
                    .and_then(|value| value.trim().parse().ok())
                    .unwrap_or(1)
                    .clamp(1, MAX_COLUMNS)
            };
            for _ in 0..span("colspan") {
                if cells.len() == MAX_COLUMNS {
                    break;
                }
                let column = cells.len();
                if carried.len() <= column {
                    carried.resize(column + 1, None);
                }
                carried[column] = (span("rowspan") > 1).then(|| (span("rowspan") - 1, content.clone()));
                cells.push(content.clone());
            }
        }
        take_carried(&mut cells, &mut carried);
        let is_header = in_head || (!cells.is_empty() && cells.iter().all(|cell| cell.is_header));
        rows.push(Row { cells, is_header });
    }
    rows
}

/// Fills in the cells that span down from an earlier row.
fn take_carried(cells: &mut Vec<Cell>, carried: &mut [Option<(usize, Cell)>]) {
    while let Some(Some((left, cell))) = carried.get(cells.len()).cloned() {
        carried[cells.len()] = (left > 1).then(|| (left - 1, cell.clone()));
        cells.push(cell);
    }
}

fn cell_text(cell: &NodeRef<'_>, visibility: &Visibility) -> String {
    let mut text = String::new();
    let mut skipped = None;
    for edge in cell.traverse() {
        match edge {
            ego_tree::iter::Edge::Open(node) if skipped.is_none() => {
                if let Some(content) = node.value().as_text() {
                    push_folded(&mut text, content);
                } else if matches!(dom::name(&node), "script" | "style" | "template" | "noscript" | "select")
                    || visibility.hides(&node)
                    || raised::is_struck_out(&node)
                {
                    skipped = Some(node.id());
                } else if let Some(number) = raised::number(&text, &node) {
                    push_folded(&mut text, &number);
                    skipped = Some(node.id());
                } else if matches!(dom::name(&node), "br" | "p" | "div" | "li") {
                    push_folded(&mut text, " ");
                } else if dom::name(&node) == "img" {
                    // Ticks and crosses in comparison tables are often pictures.
                    push_folded(&mut text, dom::attribute(&node, "alt").unwrap_or_default());
                }
            }
            ego_tree::iter::Edge::Close(node) if skipped == Some(node.id()) => skipped = None,
            _ => {}
        }
    }
    text.trim().to_owned()
}
