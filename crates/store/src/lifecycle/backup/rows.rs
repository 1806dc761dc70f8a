//! Rows as lines of text: each is a JSON list with the values of the columns. The same rows make the same
//! lines, whichever database they are read from, so that their checksum proves that nothing was lost on the
//! way.

use std::io::Write;

use data_encoding::HEXLOWER;
use futures_util::TryStreamExt;
use serde_json::Value;
use sha2::{Digest, Sha256};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, Row};

use super::{BackupColumn, BackupError, BackupTable, ColumnKind};
use crate::lifecycle::personal_data;
use crate::sql::dialect::Dialect;

/// The rows of a table in figures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSum {
    /// Their number.
    pub rows: u64,
    /// The SHA-256 of their lines, each with its line feed, in hexadecimal.
    pub sha256: String,
}

/// Which words of messages a copy has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Words {
    /// All that are stored.
    Stored,
    /// Those that no erasure has hidden.
    Shown,
}

/// Writes all rows of a table, ordered by its primary key, or by all columns if it has none.
pub(super) async fn copy(
    connection: &mut AnyConnection,
    dialect: Dialect,
    table: &BackupTable,
    words: Words,
    to: &mut (dyn Write + Send),
) -> Result<TableSum, BackupError> {
    let expression = |column: &str| match personal_data::shown(&table.name, column) {
        Some(shown) if words == Words::Shown => format!("{shown} AS {}", quoted(column)),
        _ => quoted(column),
    };
    let columns: Vec<_> = table.columns.iter().map(|column| expression(&column.name)).collect();
    // Collations of PostgreSQL differ between machines, and from the order of SQLite.
    let ordered = |column: &String| match (dialect, table.kind(column)) {
        (Dialect::Postgres, Some(ColumnKind::Text)) => format!("{} COLLATE \"C\"", quoted(column)),
        _ => quoted(column),
    };
    let order: Vec<_> = if table.key.is_empty() {
        table.columns.iter().map(|column| format!("{} NULLS FIRST", ordered(&column.name))).collect()
    } else {
        table.key.iter().map(ordered).collect()
    };
    let (columns, order) = (columns.join(", "), order.join(", "));
    let sql = format!("SELECT {columns} FROM {} ORDER BY {order}", quoted(&table.name));
    let mut rows = sqlx::query(AssertSqlSafe(sql)).fetch(connection);
    let mut digest = Sha256::new();
    let mut count = 0;
    let mut line = Vec::new();
    while let Some(row) = rows.try_next().await? {
        line.clear();
        let values: Vec<Value> = table
            .columns
            .iter()
            .enumerate()
            .map(|(index, column)| value(&row, index, column))
            .collect::<sqlx::Result<_>>()?;
        serde_json::to_writer(&mut line, &values).map_err(std::io::Error::from)?;
        line.push(b'\n');
        digest.update(&line);
        to.write_all(&line)?;
        count += 1;
    }
    Ok(TableSum { rows: count, sha256: HEXLOWER.encode(&digest.finalize()) })
}

fn value(row: &AnyRow, index: usize, column: &BackupColumn) -> sqlx::Result<Value> {
    Ok(match column.kind {
        ColumnKind::Text => row.try_get::<Option<String>, _>(index)?.into(),
        ColumnKind::Integer => row.try_get::<Option<i64>, _>(index)?.into(),
        ColumnKind::Bytes => {
            row.try_get::<Option<Vec<u8>>, _>(index)?.map(|bytes| HEXLOWER.encode(&bytes)).into()
        }
    })
}

/// Inserts rows that were written by [`copy`].
pub(super) async fn insert(
    connection: &mut AnyConnection,
    dialect: Dialect,
    table: &BackupTable,
    lines: &[String],
) -> Result<(), BackupError> {
    let mut columns: Vec<_> = table.columns.iter().map(|column| quoted(&column.name)).collect();
    let values = table.columns.iter().enumerate().map(|(index, column)| match (dialect, column.kind) {
        (Dialect::Sqlite, ColumnKind::Bytes) => format!("unhex(q.value ->> {index})"),
        (Dialect::Sqlite, _) | (Dialect::Postgres, ColumnKind::Text) => format!("q.value ->> {index}"),
        (Dialect::Postgres, ColumnKind::Integer) => format!("CAST(q.value ->> {index} AS bigint)"),
        (Dialect::Postgres, ColumnKind::Bytes) => format!("decode(q.value ->> {index}, 'hex')"),
    });
    let mut values: Vec<_> = values.collect();
    if dialect == Dialect::Postgres && super::indexes::has_tokens(&table.name) {
        columns.push("tokens".to_owned());
        values.push("CAST('' AS tsvector)".to_owned());
    }
    let (overriding, source) = match dialect {
        Dialect::Sqlite => ("", "jsonb_each($1) AS q"),
        Dialect::Postgres => {
            ("OVERRIDING SYSTEM VALUE", "json_array_elements(CAST($1 AS json)) AS q (value)")
        }
    };
    let (columns, values) = (columns.join(", "), values.join(", "));
    let table = quoted(&table.name);
    let sql = format!("INSERT INTO {table} ({columns}) {overriding} SELECT {values} FROM {source}");
    let rows = format!("[{}]", lines.join(","));
    sqlx::query(AssertSqlSafe(sql)).bind(rows).execute(connection).await?;
    Ok(())
}

/// Returns a name of the catalog as it stands in a statement.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
