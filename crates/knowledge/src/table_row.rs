//! [`table_row`]: rows of tables as lines that can be quoted on their own.

/// Longest text, in bytes, that names a row.
const LONGEST_NAME: usize = 60;

/// Writes a row as one line, each value with the name of its column:
/// `Saturday – Summer: 9:00 to 17:00; Winter: closed`. Without names of columns, a label and its value become
/// `Saturday: 9:00 to 17:00`. Cells that state nothing are left out.
pub fn table_row(cells: &[&str], columns: Option<&[&str]>) -> String {
    let name = cells.first().copied().filter(|cell| columns.is_some() && names_row(cell));
    let mut values: Vec<String> = Vec::new();
    for (index, cell) in cells.iter().enumerate().skip(usize::from(name.is_some())) {
        if states_nothing(cell) {
            continue;
        }
        let column = columns.and_then(|columns| columns.get(index)).map_or("", |name| without_colon(name));
        let value = if states_nothing(column) || column == *cell {
            (*cell).to_owned()
        } else {
            format!("{column}: {cell}")
        };
        // A cell that spans columns is stated once.
        if values.last() != Some(&value) {
            values.push(value);
        }
    }
    match (name, values.as_slice()) {
        (Some(name), []) => name.to_owned(),
        (Some(name), values) => format!("{} – {}", without_colon(name), values.join("; ")),
        (None, [label, value]) if columns.is_none() && label.len() <= LONGEST_NAME => {
            format!("{}: {value}", without_colon(label))
        }
        (None, values) => values.join("; "),
    }
}

/// Returns whether a cell states nothing: it is empty or a dash.
pub(crate) fn states_nothing(cell: &str) -> bool {
    cell.chars().all(|character| matches!(character, '-' | '–' | '—' | '―' | '−' | '/' | '.' | ' '))
}

/// Returns whether the first cell of a row says by itself what the row is about. A number needs the name of
/// its column.
fn names_row(cell: &str) -> bool {
    let count = |is: fn(char) -> bool| cell.chars().filter(|character| is(*character)).count();
    let letters = count(char::is_alphabetic);
    cell.len() <= LONGEST_NAME && letters >= 2 && letters > 2 * count(char::is_numeric)
}

fn without_colon(text: &str) -> &str {
    text.trim_end_matches(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_reads_as_a_sentence_would() {
        let columns: &[&str] = &["Day", "Summer", "Winter:"];
        for (cells, columns, expected) in [
            (
                &["Saturday", "9:00 to 17:00", "closed"][..],
                Some(columns),
                "Saturday – Summer: 9:00 to 17:00; Winter: closed",
            ),
            (&["Monday:", "closed", "closed"], Some(columns), "Monday – Summer: closed; Winter: closed"),
            (&["Sunday", "", "–"], Some(columns), "Sunday"),
            (&["42", "98 cm"], Some(&["Size", "Chest"]), "Size: 42; Chest: 98 cm"),
            (
                &["Up to 30 miles", "9 pounds"],
                Some(&["Where to", "Price"]),
                "Up to 30 miles – Price: 9 pounds",
            ),
            (&["Saturday", "9:00 to 17:00"], None, "Saturday: 9:00 to 17:00"),
            (&["Ham", "Cheese", "Salad"], None, "Ham; Cheese; Salad"),
            (&["all day", "all day"], None, "all day"),
        ] {
            assert_eq!(table_row(cells, columns), expected);
        }
    }
}
