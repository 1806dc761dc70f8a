//! CSV files (RFC 4180): a reader that knows the line of each row, and a writer whose cells no spreadsheet takes for formulas.
//!
//! The reader reports a quote that is never closed, which libraries take for a field that lasts to the end of the file.

/// A row of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::api) struct Row {
    /// The line in which the row begins, from 1.
    pub(in crate::api) line: u32,
    /// The fields without white space at their ends, or why the row cannot be read.
    pub(in crate::api) fields: Result<Vec<String>, &'static str>,
}

const UNCLOSED: &str = "A quote is opened and never closed, so the rest of the file was not read.";
const AFTER_QUOTE: &str = "Text follows a closing quote. A quote inside of a field is written twice.";

/// Returns the rows of a file without its empty lines. The separator is a comma or a semicolon, whichever comes first in the first line.
pub(in crate::api) fn rows(text: &str) -> Vec<Row> {
    let text = text.trim_start_matches('\u{feff}');
    let first = text.lines().next().unwrap_or_default();
    let separator = first.chars().find(|character| matches!(character, ',' | ';')).unwrap_or(',');
    let mut reader = Reader { rest: text, line: 1, separator };
    let mut rows = Vec::new();
    while !reader.rest.is_empty() {
        let line = reader.line;
        let fields = reader.row();
        let is_blank = fields.as_ref().is_ok_and(|fields| fields.iter().all(String::is_empty));
        if !is_blank {
            rows.push(Row { line, fields });
        }
    }
    rows
}

/// The characters with which a spreadsheet recognises a formula at the beginning of a cell.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// Returns whether a cell would be taken for a formula without the apostrophes at its beginning.
fn is_formula(cell: &str) -> bool {
    cell.trim_start_matches('\'').starts_with(FORMULA)
}

/// Appends a row. A cell that a spreadsheet would take for a formula gets an apostrophe, which [`unguarded`] removes.
pub(in crate::api) fn push_row(text: &mut String, cells: &[&str]) {
    for (position, cell) in cells.iter().enumerate() {
        if position > 0 {
            text.push(',');
        }
        let guard = if is_formula(cell) { "'" } else { "" };
        if cell.contains([',', ';', '"', '\n', '\r']) || cell.trim() != *cell {
            text.push('"');
            text.push_str(guard);
            text.push_str(&cell.replace('"', "\"\""));
            text.push('"');
        } else {
            text.push_str(guard);
            text.push_str(cell);
        }
    }
    text.push_str("\r\n");
}

/// Returns a cell without the apostrophe that [`push_row`] has added.
pub(in crate::api) fn unguarded(cell: &str) -> &str {
    cell.strip_prefix('\'').filter(|rest| is_formula(rest)).unwrap_or(cell)
}

struct Reader<'a> {
    rest: &'a str,
    line: u32,
    separator: char,
}

impl<'a> Reader<'a> {
    fn row(&mut self) -> Result<Vec<String>, &'static str> {
        let mut fields = Vec::new();
        let problem = loop {
            match self.field() {
                Ok(field) => fields.push(field),
                Err(problem) => break Some(problem),
            }
            match self.rest.strip_prefix(self.separator) {
                Some(rest) => self.rest = rest,
                None => break None,
            }
        };
        self.take_until(|character| character == '\n');
        if let Some(rest) = self.rest.strip_prefix('\n') {
            self.rest = rest;
            self.line += 1;
        }
        problem.map_or(Ok(fields), Err)
    }

    fn field(&mut self) -> Result<String, &'static str> {
        let separator = self.separator;
        let ends = |character| character == separator || character == '\n';
        let Some(quoted) = self.rest.trim_start_matches([' ', '\t']).strip_prefix('"') else {
            return Ok(self.take_until(ends).trim().to_owned());
        };
        self.rest = quoted;
        let mut field = String::new();
        loop {
            let part = self.take_until(|character| character == '"');
            field.push_str(part);
            self.line += u32::try_from(part.matches('\n').count()).unwrap_or(u32::MAX);
            self.rest = self.rest.strip_prefix('"').ok_or(UNCLOSED)?;
            match self.rest.strip_prefix('"') {
                Some(rest) => {
                    field.push('"');
                    self.rest = rest;
                }
                None => break,
            }
        }
        if self.take_until(ends).trim().is_empty() { Ok(field.trim().to_owned()) } else { Err(AFTER_QUOTE) }
    }

    /// Takes the text up to a character, or to the end.
    fn take_until(&mut self, ends: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(ends).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(u32, Vec<String>)> {
        rows(text).into_iter().map(|row| (row.line, row.fields.unwrap())).collect()
    }

    fn row(line: u32, fields: &[&str]) -> (u32, Vec<String>) {
        (line, fields.iter().map(|field| (*field).to_owned()).collect())
    }

    #[test]
    fn fields_may_contain_separators_quotes_and_line_breaks() {
        let text = "\u{feff}question,answer\r\n\r\n\"Is it \"\"new\"\"?\" , \"Yes,\r\nsince 2020.\"\r\nplain, text \n";
        assert_eq!(
            read(text),
            [
                row(1, &["question", "answer"]),
                row(3, &["Is it \"new\"?", "Yes,\r\nsince 2020."]),
                row(5, &["plain", "text"])
            ]
        );
    }

    #[test]
    fn semicolons_separate_if_the_first_line_has_them() {
        assert_eq!(
            read("question;answer\na, b;\"c;d\"\n"),
            [row(1, &["question", "answer"]), row(2, &["a, b", "c;d"])]
        );
        assert_eq!(read(""), []);
        assert_eq!(read("\n\n"), []);
        assert_eq!(read("a,"), [row(1, &["a", ""])]);
        assert_eq!(read("\"a\""), [row(1, &["a"])]);
    }

    #[test]
    fn what_is_written_is_read_again_and_is_no_formula() {
        let cells = [
            "=1+1",
            "+44",
            "-1",
            "@a",
            "'=1",
            "''+1",
            "'plain",
            "a,b",
            "say \"no\"",
            "two\nlines",
            "",
            "\u{e4}",
        ];
        let mut text = String::new();
        push_row(&mut text, &cells);
        let read = read(&text);
        assert_eq!(read.len(), 1);
        for (cell, written) in read[0].1.iter().zip(cells) {
            assert!(!cell.starts_with(FORMULA), "{cell}");
            assert_eq!(unguarded(cell), written);
        }
    }

    #[test]
    fn broken_quotes_are_reported_with_their_line() {
        let read = rows("q,a\n\"x\" y,b\nc,d\ne,\"f\ng,h\n");
        assert_eq!(read[1], Row { line: 2, fields: Err(AFTER_QUOTE) });
        assert_eq!(read[2], Row { line: 3, fields: Ok(vec!["c".into(), "d".into()]) });
        assert_eq!(read[3], Row { line: 4, fields: Err(UNCLOSED) });
        assert_eq!(read.len(), 4);
    }
}
