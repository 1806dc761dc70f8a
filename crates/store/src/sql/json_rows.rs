//! Reading many small rows at once: on SQLite, a statement returns them as one row with a JSON list of lists.
//!
//! The driver of SQLite reads in a thread of its own and hands over each row alone. For some hundred small
//! rows, this takes two to three times as long as one row with a JSON text that is parsed afterwards. The
//! rows of PostgreSQL arrive together, so they stay as they are.

use std::{fmt, str::FromStr};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, Error as _},
};
use sqlx::FromRow;
use sqlx::any::AnyRow;

use crate::sql::dialect::Dialect;
use crate::sql::record::unreadable;
use crate::sql::row::Columns;

/// The column `rows` in SQL for SQLite: the expressions of all rows as a JSON list of lists.
macro_rules! json_rows {
    ($expressions:expr) => {
        concat!("json_group_array(json_array(", $expressions, ")) AS rows")
    };
}
pub(crate) use json_rows;

/// Reads the records of a row. A row of SQLite has a list of them, made by [`json_rows!`] from the
/// expressions of the fields in their order. A row of PostgreSQL is one record.
pub(crate) fn records<T>(dialect: Dialect, row: &AnyRow) -> sqlx::Result<Vec<T>>
where
    T: DeserializeOwned + for<'row> FromRow<'row, AnyRow>,
{
    match dialect {
        Dialect::Sqlite => {
            serde_json::from_str(&row.text("rows")?).map_err(|error| unreadable("rows", error))
        }
        Dialect::Postgres => Ok(vec![T::from_row(row)?]),
    }
}

/// Reads the records of all rows of a statement.
pub(crate) fn all_records<T>(dialect: Dialect, rows: &[AnyRow]) -> sqlx::Result<Vec<T>>
where
    T: DeserializeOwned + for<'row> FromRow<'row, AnyRow>,
{
    let mut all = Vec::new();
    for row in rows {
        all.extend(records(dialect, row)?);
    }
    Ok(all)
}

/// Reads a value of an enumeration from its name in JSON.
pub(crate) fn parsed<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: fmt::Display>,
{
    String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
}
