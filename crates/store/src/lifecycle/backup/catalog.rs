//! The tables and columns of a database, as its catalog names them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sqlx::AnyConnection;

use super::BackupError;
use crate::sql::dialect::Dialect;
use crate::sql::row::Columns;

/// The table in which migrations are noted. A backup names them by number.
const MIGRATIONS: &str = "_sqlx_migrations";

/// What the values of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnKind {
    /// Text; a JSON string in a backup.
    Text,
    /// Whole numbers; a JSON number in a backup.
    Integer,
    /// Bytes; a JSON string with hexadecimal digits in a backup.
    Bytes,
}

/// A column in a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupColumn {
    /// The name.
    pub name: String,
    /// What its values are.
    pub kind: ColumnKind,
}

/// A table in a backup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupTable {
    /// The name.
    pub name: String,
    /// The columns, in the order of their names, which is that of the values of a row.
    pub columns: Vec<BackupColumn>,
    /// The columns of the primary key, by which rows are ordered; empty if there is none.
    pub(super) key: Vec<String>,
    /// The column whose values the database counts, if there is one.
    pub(super) counted: Option<String>,
}

impl BackupTable {
    pub(super) fn kind(&self, column: &str) -> Option<ColumnKind> {
        self.columns.iter().find(|known| known.name == column).map(|known| known.kind)
    }
}

/// A column with what the catalog says about it: `key` is its place in the primary key, or 0.
const SQLITE: &str = "\
    SELECT t.name AS table_name, c.name AS column_name, c.type AS type, CAST(c.pk AS INTEGER) AS key, \
        CASE WHEN c.pk > 0 AND s.sql LIKE '%AUTOINCREMENT%' THEN 1 ELSE 0 END AS counted \
    FROM pragma_table_list AS t JOIN sqlite_schema AS s ON s.name = t.name AND s.type = 'table' \
    JOIN pragma_table_info(t.name) AS c \
    WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite!_%' ESCAPE '!'";

/// As [`SQLITE`]. Tables that are not logged are left out: whatever is in them may be lost at any time.
const POSTGRES: &str = "\
    SELECT c.relname::text AS table_name, a.attname::text AS column_name, format_type(a.atttypid, NULL) AS type, \
        COALESCE(array_position(i.indkey::int2[], a.attnum) + 1, 0)::bigint AS key, \
        (CASE WHEN a.attidentity <> '' THEN 1 ELSE 0 END)::bigint AS counted \
    FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped \
    LEFT JOIN pg_index AS i ON i.indrelid = c.oid AND i.indisprimary \
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relpersistence = 'p'";

/// Returns the tables of a backup, in the order of their names.
pub(super) async fn tables(
    connection: &mut AnyConnection,
    dialect: Dialect,
) -> Result<Vec<BackupTable>, BackupError> {
    let mut tables: BTreeMap<String, (BackupTable, Vec<(i64, String)>)> = BTreeMap::new();
    for row in sqlx::query(dialect.pick(SQLITE, POSTGRES)).fetch_all(connection).await? {
        let (name, column, of_type) = (row.text("table_name")?, row.text("column_name")?, row.text("type")?);
        if name == MIGRATIONS {
            continue;
        }
        let (table, key) = tables.entry(name.clone()).or_insert_with(|| {
            (BackupTable { name, columns: Vec::new(), key: Vec::new(), counted: None }, Vec::new())
        });
        let place = row.int("key")?;
        if place > 0 {
            key.push((place, column.clone()));
        }
        if row.int("counted")? == 1 {
            table.counted = Some(column.clone());
        }
        if let Some(kind) = kind(&of_type, &table.name, &column)? {
            table.columns.push(BackupColumn { name: column, kind });
        }
    }
    let tables = tables.into_values().map(|(mut table, mut key)| {
        key.sort();
        table.key = key.into_iter().map(|(_, column)| column).collect();
        table.columns.sort_by(|one, other| one.name.cmp(&other.name));
        table
    });
    Ok(tables.collect())
}

/// Returns what the values of a column are, or `None` if it is an index of full text, which is made anew.
fn kind(of_type: &str, table: &str, column: &str) -> Result<Option<ColumnKind>, BackupError> {
    Ok(match of_type.to_ascii_lowercase().as_str() {
        "text" => Some(ColumnKind::Text),
        "integer" | "bigint" => Some(ColumnKind::Integer),
        "blob" | "bytea" => Some(ColumnKind::Bytes),
        "tsvector" => None,
        other => {
            let problem =
                format!("the column {table}.{column} has the type {other}, which no backup can hold");
            return Err(BackupError::Unfitting { problem });
        }
    })
}

/// Returns whether a database has no tables, views or sequences.
pub(super) async fn is_empty(connection: &mut AnyConnection, dialect: Dialect) -> Result<bool, BackupError> {
    let sql = dialect.pick(
        "SELECT 1 FROM sqlite_schema LIMIT 1",
        "SELECT 1 FROM pg_class WHERE relnamespace = current_schema()::regnamespace LIMIT 1",
    );
    Ok(sqlx::query(sql).fetch_optional(connection).await?.is_none())
}

/// Returns the numbers of the migrations that a database has, or `None` if it has never had any.
pub(super) async fn steps(
    connection: &mut AnyConnection,
    dialect: Dialect,
) -> Result<Option<Vec<i64>>, BackupError> {
    let known = dialect.pick(
        "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = '_sqlx_migrations'",
        "SELECT 1 FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relname = '_sqlx_migrations'",
    );
    if sqlx::query(known).fetch_optional(&mut *connection).await?.is_none() {
        return Ok(None);
    }
    let rows = sqlx::query("SELECT version FROM _sqlx_migrations WHERE success ORDER BY version");
    let rows = rows.fetch_all(connection).await?;
    Ok(Some(rows.iter().map(|row| row.int("version")).collect::<sqlx::Result<_>>()?))
}

/// Has SQLite check all pages and indexes of a file.
pub(super) async fn check_integrity(connection: &mut AnyConnection) -> Result<(), BackupError> {
    let row = sqlx::query("SELECT integrity_check AS problem FROM pragma_integrity_check LIMIT 1");
    match row.fetch_one(connection).await?.text("problem")?.as_str() {
        "ok" => Ok(()),
        problem => Err(BackupError::Damaged { problem: problem.to_owned() }),
    }
}
