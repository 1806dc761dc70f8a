//! Rows of tables as lines that can be quoted on their own.

use frontdesk_knowledge::{BlockKind, table_row};

use crate::{
    blocks::{Blocks, clean},
    error::ExtractError,
};

/// Whether the first row of a table names its columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Header {
    /// The first row with several cells does, unless it contains numbers: spreadsheets and CSV.
    Usual,
    /// The first row does if numbers follow below words: tables in texts.
    IfNumbersFollow,
    /// The file says that it does.
    Stated,
}

/// Longest name of a column, in characters.
const MAX_NAME_CHARS: usize = 80;

/// Appends a table, one block a row, as [`table_row`] writes it. Rows of one cell above the columns are
/// titles.
pub(crate) fn push(blocks: &mut Blocks, rows: Vec<Vec<String>>, header: Header) -> Result<(), ExtractError> {
    let rows: Vec<Vec<String>> = rows
        .into_iter()
        .map(|row| row.iter().map(|cell| clean(cell)).collect::<Vec<_>>())
        .filter(|row| filled(row) > 0)
        .collect();
    let is_one_column = rows.iter().all(|row| filled(row) == 1);
    let titles = if is_one_column { 0 } else { rows.iter().take_while(|row| filled(row) == 1).count() };
    for title in &rows[..titles] {
        blocks.push(BlockKind::Paragraph, &title.concat())?;
    }
    let rows = &rows[titles..];
    let names = rows.first().filter(|first| !is_one_column && names_columns(first, &rows[1..], header));
    let columns = names.map(|names| texts(names));
    for row in rows.iter().skip(usize::from(names.is_some())) {
        blocks.push(BlockKind::TableRow, &table_row(&texts(row), columns.as_deref()))?;
    }
    Ok(())
}

fn filled(row: &[String]) -> usize {
    row.iter().filter(|cell| !cell.is_empty()).count()
}

fn names_columns(first: &[String], below: &[Vec<String>], header: Header) -> bool {
    let is_name = |cell: &String| cell.chars().count() <= MAX_NAME_CHARS;
    if below.is_empty() || !first.iter().all(is_name) {
        return false;
    }
    match header {
        Header::Stated => true,
        Header::Usual => !first.iter().any(|cell| is_numeric(cell)),
        Header::IfNumbersFollow => {
            let has_digits = |cell: &String| cell.chars().any(|character| character.is_ascii_digit());
            let is_wide = first.len() > 2 && filled(first) == first.len();
            !first.iter().any(has_digits)
                && (is_wide || below.iter().any(|row| row.iter().skip(1).any(has_digits)))
        }
    }
}

/// Returns whether a cell is a number, an amount, a time or a date rather than a name.
fn is_numeric(cell: &str) -> bool {
    let digits = cell.chars().filter(char::is_ascii_digit).count();
    let letters = cell.chars().filter(|character| character.is_alphabetic()).count();
    digits > 0 && letters <= digits
}

fn texts(row: &[String]) -> Vec<&str> {
    row.iter().map(String::as_str).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    fn lines(text: &str, header: Header) -> Vec<String> {
        let rows = text.lines().map(|line| line.split('|').map(str::to_owned).collect()).collect();
        let mut blocks = Blocks::new(&Limits::default());
        push(&mut blocks, rows, header).unwrap();
        blocks.into_vec().into_iter().map(|block| block.text).collect()
    }

    #[test]
    fn rows_keep_their_headers() {
        let cases: &[(&str, Header, &[&str])] = &[
            ("Dish|Price\nSoup|6.50\nCake|", Header::Usual, &["Soup – Price: 6.50", "Cake"]),
            ("Menu|\n|\nDish|Price\nSoup|6", Header::Usual, &["Menu", "Soup – Price: 6"]),
            ("Soup|6.50\nCake|4", Header::Usual, &["Soup: 6.50", "Cake: 4"]),
            ("Name|Acme\nCity|Berlin", Header::IfNumbersFollow, &["Name: Acme", "City: Berlin"]),
            ("Day|Open\nMonday|9 to 5", Header::IfNumbersFollow, &["Monday – Open: 9 to 5"]),
            ("Monday|9 to 5\nSunday|closed", Header::IfNumbersFollow, &["Monday: 9 to 5", "Sunday: closed"]),
            ("Day|Hall|Open\nMonday|A|yes", Header::IfNumbersFollow, &["Monday – Hall: A; Open: yes"]),
            ("A|B\nx|y", Header::Stated, &["A: x; B: y"]),
            ("one\ntwo", Header::Usual, &["one", "two"]),
            ("Question|Answer", Header::Usual, &["Question: Answer"]),
            ("A||C\n1|2|3", Header::Usual, &["A: 1; 2; C: 3"]),
        ];
        for (text, header, expected) in cases {
            assert_eq!(&lines(text, *header), expected, "{text}");
        }
    }
}
