//! CSV files (RFC 4180): a reader that knows the line of each row, and a writer whose cells no spreadsheet
//! takes for formulas.
//!
//! The reader finds out the separator. It reports a quote that is never closed, which libraries take for a
//! field that lasts to the end of the file, and rows with more fields than columns, of which they drop the
//! rest.

use std::collections::HashSet;

/// A file whose first row names its columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::api) struct Table {
    /// The names of the columns, without white space at their ends. A column may have no name.
    pub(in crate::api) columns: Vec<String>,
    /// The same names as [`plain`] writes them.
    plain: Vec<String>,
    /// The other rows, without empty ones. None has more fields than there are columns.
    pub(in crate::api) rows: Vec<Row>,
}

/// A row of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::api) struct Row {
    /// The line in which the row begins, from 1.
    pub(in crate::api) line: u32,
    /// The fields without white space at their ends, or why the row cannot be read.
    pub(in crate::api) fields: Result<Vec<String>, String>,
}

const EMPTY: &str = "The file is empty.";
const UNCLOSED: &str = "A quote is opened and never closed, so the rest of the file was not read.";
const AFTER_QUOTE: &str = "Text follows a closing quote. A quote inside of a field is written twice.";

/// The separators that are recognized without being named.
const SEPARATORS: [char; 3] = [',', ';', '\t'];

/// Reads a file. The error says what is wrong with its first row.
pub(in crate::api) fn table(text: &str) -> Result<Table, String> {
    let mut reader = Reader::new(text);
    let first = reader.next().ok_or_else(|| EMPTY.to_owned())?;
    let mut columns = first.fields?;
    // Separators at the end of the line begin no column.
    while columns.last().is_some_and(String::is_empty) {
        columns.pop();
    }
    let count = columns.len();
    let separator = reader.separator;
    let rows = reader.map(|mut row| {
        row.fields = row.fields.and_then(|fields| fitting(fields, count, separator));
        row
    });
    Ok(Table { rows: rows.collect(), plain: columns.iter().map(|name| plain(name)).collect(), columns })
}

/// Returns the texts of a list such as `"a","b"`, or `None` if the text has another form.
pub(in crate::api) fn quoted_list(text: &str) -> Option<Vec<String>> {
    let is_quoted = text.starts_with('"') && text.ends_with('"');
    let mut reader = Reader { rest: text, line: 1, separator: ',' };
    let fields = is_quoted.then(|| reader.row())?.ok()?;
    reader.rest.is_empty().then_some(fields)
}

/// Returns the fields of a row without empty ones beyond the last column, or says that there are too many.
fn fitting(mut fields: Vec<String>, columns: usize, separator: char) -> Result<Vec<String>, String> {
    let found = fields.iter().rposition(|field| !field.is_empty()).map_or(0, |last| last + 1);
    if found > columns {
        let sign = match separator {
            ',' => "a comma",
            ';' => "a semicolon",
            '\t' => "a tab",
            _ => "the separator",
        };
        let plural = if columns == 1 { "" } else { "s" };
        return Err(format!(
            "The line has {found} fields, but the first line names {columns} column{plural}. Put a field that contains {sign} in quotes."
        ));
    }
    fields.truncate(columns);
    Ok(fields)
}

impl Table {
    /// Returns the position of a column, or `None` if there is none. Names are compared as [`plain`] writes
    /// them. A column that is there twice is an error.
    pub(in crate::api) fn column(&self, name: &str) -> Result<Option<usize>, String> {
        let mut found = self.plain.iter().enumerate().filter(|(_, column)| *column == name);
        match (found.next(), found.next()) {
            (Some((first, _)), Some(_)) => {
                Err(format!("There are several columns `{}`.", self.columns[first]))
            }
            (found, _) => Ok(found.map(|(position, _)| position)),
        }
    }

    /// Returns the names of the columns outside of these positions, each once, as the file has them.
    pub(in crate::api) fn columns_beside(&self, used: &HashSet<usize>) -> Vec<String> {
        let mut seen = HashSet::new();
        let unused = self.columns.iter().enumerate().filter(|(position, _)| !used.contains(position));
        unused.filter(|(_, name)| seen.insert(name.as_str())).map(|(_, name)| name.clone()).collect()
    }
}

/// Returns the name of a column in lower case, with single spaces in place of underscores, and without the
/// hyphen of `e-mail`.
fn plain(name: &str) -> String {
    let words = name.to_lowercase().replace('_', " ");
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    words.replace("e-mail", "email")
}

/// The characters with which a spreadsheet recognizes a formula at the beginning of a cell.
const FORMULA: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// Returns whether a cell would be taken for a formula without the apostrophes at its beginning.
fn is_formula(cell: &str) -> bool {
    cell.trim_start_matches('\'').starts_with(FORMULA)
}

/// Appends a row. A cell that a spreadsheet would take for a formula gets an apostrophe, which [`unguarded`]
/// removes.
pub(in crate::api) fn push_row(text: &mut String, cells: &[&str]) {
    for (position, cell) in cells.iter().enumerate() {
        if position > 0 {
            text.push(',');
        }
        let guard = if is_formula(cell) { "'" } else { "" };
        if cell.contains([',', ';', '\t', '"', '\n', '\r']) || cell.trim() != *cell {
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

/// The rows of a text, without empty ones.
struct Reader<'a> {
    rest: &'a str,
    line: u32,
    separator: char,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        let text = text.trim_start_matches('\u{feff}');
        let end = text.find(['\n', '\r']).unwrap_or(text.len());
        match named_separator(&text[..end]) {
            Some(separator) => {
                let mut reader = Self { rest: &text[end..], line: 1, separator };
                reader.end_line();
                reader
            }
            None => Self { rest: text, line: 1, separator: likely_separator(text) },
        }
    }

    fn row(&mut self) -> Result<Vec<String>, String> {
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
        self.take_until(is_line_end);
        self.end_line();
        problem.map_or(Ok(fields), |problem| Err(problem.to_owned()))
    }

    /// Takes the end of a line: CR LF, LF, or CR.
    fn end_line(&mut self) {
        let rest = self.rest.strip_prefix("\r\n").or_else(|| self.rest.strip_prefix(['\n', '\r']));
        if let Some(rest) = rest {
            self.rest = rest;
            self.line += 1;
        }
    }

    fn field(&mut self) -> Result<String, &'static str> {
        let separator = self.separator;
        let ends = |character| character == separator || is_line_end(character);
        let blank = |character| matches!(character, ' ' | '\t') && character != separator;
        let Some(quoted) = self.rest.trim_start_matches(blank).strip_prefix('"') else {
            return Ok(self.take_until(ends).trim().to_owned());
        };
        self.rest = quoted;
        let mut field = String::new();
        loop {
            let part = self.take_until(|character| character == '"');
            field.push_str(part);
            self.line += line_ends(part);
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

impl Iterator for Reader<'_> {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        while !self.rest.is_empty() {
            let line = self.line;
            let fields = self.row();
            if !fields.as_ref().is_ok_and(|fields| fields.iter().all(String::is_empty)) {
                return Some(Row { line, fields });
            }
        }
        None
    }
}

fn is_line_end(character: char) -> bool {
    matches!(character, '\n' | '\r')
}

/// Returns the number of line ends in a text.
fn line_ends(text: &str) -> u32 {
    let ends = text.matches(['\n', '\r']).count() - text.matches("\r\n").count();
    u32::try_from(ends).unwrap_or(u32::MAX)
}

/// Returns the separator that a line such as `sep=;` names, by which Excel knows how to read a file.
fn named_separator(line: &str) -> Option<char> {
    let line = line.strip_prefix('"').and_then(|line| line.strip_suffix('"')).unwrap_or(line);
    let (word, named) = line.split_at_checked(4)?;
    let mut named = named.chars();
    let separator = named.next().filter(|_| word.eq_ignore_ascii_case("sep="))?;
    // Programs write the row as they write others, so it may end with separators.
    named.all(|more| matches!(more, ' ' | ',' | ';')).then_some(separator)
}

/// Returns the separator that the first line with a text has most often outside of quotes, and the earliest
/// of those that it has as often.
fn likely_separator(text: &str) -> char {
    let mut counts = [0_usize; SEPARATORS.len()];
    let mut order = Vec::new();
    let mut is_quoted = false;
    for character in text.trim_start_matches(['\n', '\r', ' ']).chars() {
        match character {
            '"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            '\n' | '\r' => break,
            other => {
                if let Some(index) = SEPARATORS.iter().position(|separator| *separator == other) {
                    if counts[index] == 0 {
                        order.push(index);
                    }
                    counts[index] += 1;
                }
            }
        }
    }
    // The last of several largest ones is returned, so the earliest is the last of the list.
    let likely = order.into_iter().rev().max_by_key(|index| counts[*index]);
    likely.map_or(',', |index| SEPARATORS[index])
}

#[cfg(test)]
mod tests;
