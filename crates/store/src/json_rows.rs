//! Many rows of a statement in one: on SQLite, as a JSON list of lists.
//!
//! SQLite reads in a thread of its own, which hands over each row alone: for some hundred small rows, that takes two to three times as long
//! as to read them as one text and to take it apart. The rows of PostgreSQL arrive together, and are read as they are.

use std::{fmt, str::FromStr};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, Error as _},
};
use sqlx::FromRow;
use sqlx::any::AnyRow;

use crate::dialect::Dialect;
use crate::record::unreadable;
use crate::row::Columns;

/// The column `rows` in SQL for SQLite: the expressions of all rows as a JSON list of lists.
macro_rules! json_rows {
    ($expressions:expr) => {
        concat!("json_group_array(json_array(", $expressions, ")) AS rows")
    };
}
pub(crate) use json_rows;

/// Reads records from what a statement returns as a row: on SQLite, all that [`json_rows!`] has put into it, in the order of their fields;
/// on PostgreSQL, the one that it is.
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

/// Reads records from all rows of a statement.
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

/// Reads a text as a value of an enumeration.
pub(crate) fn parsed<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: fmt::Display>,
{
    String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
}
