//! Results of commands: [`Output`] writes records as text or as JSON.

use std::{
    fmt::Write as _,
    io::{self, Write},
};

use serde_json::{Map, Value};

use super::CliError;

/// Writer for the results of a command.
#[derive(Debug)]
pub(super) struct Output<W> {
    to: W,
    json: bool,
}

/// Named values, in the order in which they are written.
pub(super) type Record = Vec<(&'static str, Value)>;

impl<W: Write> Output<W> {
    pub(super) fn new(to: W, json: bool) -> Self {
        Self { to, json }
    }

    /// Writes one record, and in text a remark about it.
    pub(super) fn one(&mut self, record: Record, remark: &str) -> Result<(), CliError> {
        if self.json {
            return self.json(&object(record));
        }
        let width = record.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
        let mut text = String::new();
        for (name, value) in &record {
            writeln!(text, "{name:width$}  {}", plain(value)).expect("a string takes any text");
        }
        if !remark.is_empty() {
            writeln!(text, "\n{remark}").expect("a string takes any text");
        }
        self.write(&text)
    }

    /// Writes one record with records that belong to it: two tables, or an object that contains an array.
    pub(super) fn with_list(
        &mut self,
        record: Record,
        name: &'static str,
        records: Vec<Record>,
    ) -> Result<(), CliError> {
        if self.json {
            let mut record = record;
            record.push((name, Value::Array(records.into_iter().map(object).collect())));
            return self.json(&object(record));
        }
        self.one(record, "")?;
        self.write("\n")?;
        self.many(name, records)
    }

    /// Writes records of one kind: a table, or an object with one array. All records have the same names.
    pub(super) fn many(&mut self, name: &str, records: Vec<Record>) -> Result<(), CliError> {
        if self.json {
            let records = records.into_iter().map(object).collect();
            return self.json(&Value::Object(Map::from_iter([(name.to_owned(), Value::Array(records))])));
        }
        let Some(first) = records.first() else { return self.write(&format!("There are no {name}.\n")) };
        let head: Vec<String> = first.iter().map(|(name, _)| (*name).to_owned()).collect();
        let body =
            records.iter().map(|record| record.iter().map(|(_, value)| plain(value)).collect::<Vec<_>>());
        let rows: Vec<Vec<String>> = std::iter::once(head).chain(body).collect();
        let widths: Vec<usize> = (0..rows[0].len())
            .map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default())
            .collect();
        let mut text = String::new();
        for row in rows {
            let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
            text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
            text.push('\n');
        }
        self.write(&text)
    }

    /// Reports that something was done: a sentence, or an object.
    pub(super) fn done(&mut self, sentence: &str, record: Record) -> Result<(), CliError> {
        if self.json { self.json(&object(record)) } else { self.write(&format!("{sentence}\n")) }
    }

    /// Writes one JSON value, also where text is the default.
    pub(super) fn json(&mut self, value: &Value) -> Result<(), CliError> {
        self.write(&format!("{value:#}\n"))
    }

    fn write(&mut self, text: &str) -> Result<(), CliError> {
        match self.to.write_all(text.as_bytes()).and_then(|()| self.to.flush()) {
            // The reader has stopped reading, as in `frontdesk account list | head`.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            other => other.map_err(|source| CliError::System { what: "cannot write the result", source }),
        }
    }
}

fn object(record: Record) -> Value {
    Value::Object(record.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(plain).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn written(json: bool, write: impl FnOnce(&mut Output<&mut Vec<u8>>) -> Result<(), CliError>) -> String {
        let mut bytes = Vec::new();
        write(&mut Output::new(&mut bytes, json)).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    fn records() -> Vec<Record> {
        vec![
            vec![("name", json!("Ann")), ("rate", json!(null))],
            vec![("name", json!("Bartholomew")), ("rate", json!(120))],
        ]
    }

    #[test]
    fn text_is_aligned() {
        assert_eq!(
            written(false, |output| output.many("keys", records())),
            "name         rate\nAnn          -\nBartholomew  120\n"
        );
        assert_eq!(written(false, |output| output.many("keys", Vec::new())), "There are no keys.\n");
        let record = vec![("key_id", json!("7")), ("roles", json!(["a", "b"]))];
        assert_eq!(
            written(false, |output| output.one(record, "Keep it.")),
            "key_id  7\nroles   a, b\n\nKeep it.\n"
        );
    }

    #[test]
    fn a_record_has_a_list() {
        let head = || vec![("id", json!(7))];
        assert_eq!(
            written(false, |output| output.with_list(head(), "keys", records())),
            "id  7\n\nname         rate\nAnn          -\nBartholomew  120\n"
        );
        let text = written(true, |output| output.with_list(head(), "keys", records()));
        assert_eq!(
            serde_json::from_str::<Value>(&text).unwrap(),
            json!({ "id": 7, "keys": [{ "name": "Ann", "rate": null }, { "name": "Bartholomew", "rate": 120 }] })
        );
    }

    #[test]
    fn json_is_one_value() {
        let parsed = |text: String| serde_json::from_str::<Value>(&text).unwrap();
        assert_eq!(
            parsed(written(true, |output| output.many("keys", records()))),
            json!({ "keys": [{ "name": "Ann", "rate": null }, { "name": "Bartholomew", "rate": 120 }] })
        );
        assert_eq!(parsed(written(true, |output| output.many("keys", Vec::new()))), json!({ "keys": [] }));
        let record = vec![("key_id", json!("7"))];
        assert_eq!(parsed(written(true, |output| output.one(record, "Keep it."))), json!({ "key_id": "7" }));
    }
}
