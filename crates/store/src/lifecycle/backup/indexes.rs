//! Indexes of full text, which are made anew from the rows that they are about.

use serde_json::json;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

use super::BackupError;
use crate::inbox::threads;
use crate::sql::dialect::Dialect;
use crate::sql::index_tokens;
use crate::sql::row::Columns;

/// Rows that are indexed by one statement.
const BATCH: i64 = 500;

/// A table with an index of full text: on SQLite a table of its own, on PostgreSQL the column `tokens`.
struct Index {
    table: &'static str,
    /// Selects `number`, by which rows are ordered and found again, and what `tokens` reads: `$1` is the last
    /// number before, `$2` the number of rows.
    rows: &'static str,
    tokens: fn(&AnyRow) -> sqlx::Result<String>,
    write_sqlite: &'static str,
    write_postgres: &'static str,
}

macro_rules! write_sqlite {
    ($index:literal) => {
        concat!(
            "INSERT INTO ",
            $index,
            " (rowid, tokens) SELECT q.value ->> 0, q.value ->> 1 FROM jsonb_each($1) AS q ORDER BY q.key"
        )
    };
}
macro_rules! write_postgres {
    ($table:literal, $number:literal) => {
        concat!(
            "UPDATE ",
            $table,
            " AS t SET tokens = array_to_tsvector(string_to_array(q.value ->> 1, ' ')) \
             FROM json_array_elements(CAST($1 AS json)) AS q (value) WHERE t.",
            $number,
            " = CAST(q.value ->> 0 AS bigint)"
        )
    };
}

const INDEXES: [Index; 2] = [
    Index {
        table: "chunks",
        rows: "SELECT c.chunk_no AS number, b.chatbot_no, c.terms_title, c.terms_headings, c.terms_body \
               FROM chunks AS c JOIN chatbots AS b ON b.chatbot_id = c.chatbot_id WHERE c.chunk_no > $1 \
               ORDER BY c.chunk_no LIMIT $2",
        tokens: |row| {
            let fields = [row.text("terms_title")?, row.text("terms_headings")?, row.text("terms_body")?];
            Ok(index_tokens::tokens(row.int("chatbot_no")?, fields.iter().map(String::as_str)))
        },
        write_sqlite: write_sqlite!("chunk_index"),
        write_postgres: write_postgres!("chunks", "chunk_no"),
    },
    Index {
        table: "thread_messages",
        rows: "SELECT m.message_no AS number, m.account_id, m.body, COALESCE(m.author_name, '') AS author_name, \
               CASE WHEN m.position = 1 THEN COALESCE(t.subject, '') ELSE '' END AS subject \
               FROM thread_messages AS m JOIN threads AS t ON t.thread_id = m.thread_id WHERE m.message_no > $1 \
               ORDER BY m.message_no LIMIT $2",
        tokens: |row| {
            let texts = [row.text("subject")?, row.text("author_name")?, row.text("body")?];
            Ok(threads::index_entry(row.parsed("account_id")?, &texts.each_ref().map(String::as_str)))
        },
        write_sqlite: write_sqlite!("thread_message_index"),
        write_postgres: write_postgres!("thread_messages", "message_no"),
    },
];

/// Returns whether a table of PostgreSQL has the column `tokens`.
pub(super) fn has_tokens(table: &str) -> bool {
    INDEXES.iter().any(|index| index.table == table)
}

/// Makes the index of a table, if it has one.
pub(super) async fn make(
    connection: &mut AnyConnection,
    dialect: Dialect,
    table: &str,
) -> Result<(), BackupError> {
    let Some(index) = INDEXES.iter().find(|index| index.table == table) else { return Ok(()) };
    let mut last = i64::MIN;
    loop {
        let rows = sqlx::query(index.rows).bind(last).bind(BATCH).fetch_all(&mut *connection).await?;
        let Some(final_row) = rows.last() else { return Ok(()) };
        last = final_row.int("number")?;
        let entries = rows.iter().map(|row| Ok(json!([row.int("number")?, (index.tokens)(row)?])));
        let entries: Vec<_> = entries.collect::<sqlx::Result<_>>()?;
        sqlx::query(dialect.pick(index.write_sqlite, index.write_postgres))
            .bind(json!(entries).to_string())
            .execute(&mut *connection)
            .await?;
    }
}
