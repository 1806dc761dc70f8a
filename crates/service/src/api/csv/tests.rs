//! Tests of reading and writing CSV files.

use super::*;

/// Returns the names of the columns and the rows of a file whose rows can all be read.
fn read(text: &str) -> (Vec<String>, Vec<(u32, Vec<String>)>) {
    let table = table(text).unwrap();
    (table.columns, table.rows.into_iter().map(|row| (row.line, row.fields.unwrap())).collect())
}

fn row(line: u32, fields: &[&str]) -> (u32, Vec<String>) {
    (line, fields.iter().map(|field| (*field).to_owned()).collect())
}

#[test]
fn fields_may_contain_separators_quotes_and_line_breaks() {
    let text = "\u{feff}question,answer\r\n\r\n\"Is it \"\"new\"\"?\" , \"Yes,\r\nsince 2020.\"\r\nplain, text \n,\n\n\"a\",\"\"";
    let (columns, rows) = read(text);
    assert_eq!(columns, ["question", "answer"]);
    assert_eq!(
        rows,
        [row(3, &["Is it \"new\"?", "Yes,\r\nsince 2020."]), row(5, &["plain", "text"]), row(8, &["a", ""]),]
    );
}

#[test]
fn the_separator_is_found_or_named() {
    for (text, fields) in [
        ("question;answer\na, b;\"c;d\"\n", ["a, b", "c;d"]),
        ("question\tanswer\r\na, b\tc;d\r\n", ["a, b", "c;d"]),
        ("question\tanswer\n \"a\tb\" \t\"c\"\n", ["a\tb", "c"]),
        ("\"question, if any\";answer\na, b;c\n", ["a, b", "c"]),
        ("sep=;\r\nquestion, if any;answer, if any\r\na;b,b\r\n", ["a", "b,b"]),
        ("SEP=|\nquestion|answer\na,a|b\n", ["a,a", "b"]),
        ("\u{feff}\"sep=,\"\nquestion;x,answer\na;a,b\n", ["a;a", "b"]),
        ("sep=\t\nquestion\tanswer\na\tb\n", ["a", "b"]),
        ("sep=;;\nquestion;answer\na;b\n", ["a", "b"]),
        ("question,answer\ra,b\r", ["a", "b"]),
    ] {
        let (_, rows) = read(text);
        assert_eq!(rows.len(), 1, "{text:?}");
        assert_eq!(rows[0].1, fields, "{text:?}");
    }
    // What begins like it is a column.
    assert_eq!(read("sep=arate,b\n1,2").0, ["sep=arate", "b"]);
    assert_eq!(read("sep=;\n\na;b\n1;2\n").1, [row(4, &["1", "2"])]);
}

#[test]
fn a_file_may_have_a_header_only() {
    assert_eq!(read("a,b"), (vec!["a".to_owned(), "b".to_owned()], vec![]));
    assert_eq!(read("a,b\n\n , \n"), (vec!["a".to_owned(), "b".to_owned()], vec![]));
    for text in ["", "\n\n", "\u{feff}", "sep=;\n", ",,\n"] {
        assert_eq!(table(text), Err(EMPTY.to_owned()), "{text:?}");
    }
    assert_eq!(table("a,\"b\nc,d"), Err(UNCLOSED.to_owned()));
}

#[test]
fn a_row_with_more_fields_than_columns_is_rejected_with_its_line() {
    let text = "a,b,\n1,2\n1\n1,\"2\n2\",3\n1,2,,\n\"1,1\",2\n,,,4";
    let rows = table(text).unwrap().rows;
    let problems: Vec<(u32, bool)> = rows.iter().map(|row| (row.line, row.fields.is_err())).collect();
    assert_eq!(problems, [(2, false), (3, false), (4, true), (6, false), (7, false), (8, true)]);
    assert_eq!(
        rows[2].fields.as_ref().unwrap_err(),
        "The line has 3 fields, but the first line names 2 columns. Put a field that contains a comma in quotes."
    );
    assert_eq!(rows[3].fields.as_ref().unwrap(), &["1", "2"]);
    let tabs = table("a\n1\t2").unwrap().rows;
    assert_eq!(
        tabs[0].fields.as_ref().map(Vec::len),
        Ok(1),
        "a tab separates only if the first line has one"
    );
}

#[test]
fn columns_are_found_by_name_and_never_twice() {
    let table = table("E-Mail,first_name,First Name,Colour,colour,Colour,\n1").unwrap();
    assert_eq!(table.column("email"), Ok(Some(0)));
    assert_eq!(table.column("phone"), Ok(None));
    assert_eq!(table.column("first name"), Err("There are several columns `first_name`.".to_owned()));
    assert_eq!(table.columns_beside(&HashSet::from([0, 1, 2])), ["Colour", "colour"]);
}

#[test]
fn what_is_written_is_read_again_and_is_no_formula() {
    let cells = [
        "=1+1",
        "+44",
        "-1",
        "@a",
        "＝1+1",
        "'=1",
        "''+1",
        "'plain",
        "a,b",
        "a;b",
        "a\tb",
        "say \"no\"",
        "two\nlines",
        "two\r\nlines",
        "sep=;",
        "\u{e4}",
        "end\"",
    ];
    let mut text = String::new();
    push_row(&mut text, &cells.map(|_| "column"));
    push_row(&mut text, &cells);
    let table = table(&text).unwrap();
    assert_eq!(table.rows.len(), 1);
    for (cell, written) in table.rows[0].fields.as_ref().unwrap().iter().zip(cells) {
        assert!(!cell.starts_with(FORMULA), "{cell}");
        assert_eq!(unguarded(cell), written);
    }
}

#[test]
fn broken_quotes_are_reported_with_their_line() {
    let rows = table("q,a\n\"x\" y,b\nc,d\ne,\"f\ng,h\n").unwrap().rows;
    assert_eq!(rows[0], Row { line: 2, fields: Err(AFTER_QUOTE.to_owned()) });
    assert_eq!(rows[1], Row { line: 3, fields: Ok(vec!["c".into(), "d".into()]) });
    assert_eq!(rows[2], Row { line: 4, fields: Err(UNCLOSED.to_owned()) });
    assert_eq!(rows.len(), 3);
}
