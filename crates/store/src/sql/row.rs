//! Conversions between Rust values and the column types that both databases share.

use std::str::FromStr;

use jiff::Timestamp;
use serde_json::json;
use sqlx::Row;
use sqlx::any::AnyRow;
use uuid::Uuid;

use crate::sql::nul::replace_nul;

use crate::sql::record::unreadable;

/// Typed access to the columns of a row.
pub(crate) trait Columns {
    fn text(&self, column: &str) -> sqlx::Result<String>;
    fn text_opt(&self, column: &str) -> sqlx::Result<Option<String>>;
    fn int(&self, column: &str) -> sqlx::Result<i64>;
    fn int_opt(&self, column: &str) -> sqlx::Result<Option<i64>>;

    /// Reads an integer of a narrower or unsigned type.
    fn number<T: TryFrom<i64, Error: std::error::Error + Send + Sync + 'static>>(
        &self,
        column: &str,
    ) -> sqlx::Result<T> {
        T::try_from(self.int(column)?).map_err(|error| unreadable(column, error))
    }

    /// Reads an id or a value of an enumeration.
    fn parsed<T: FromStr<Err: std::error::Error + Send + Sync + 'static>>(
        &self,
        column: &str,
    ) -> sqlx::Result<T> {
        self.text(column)?.parse().map_err(|error| unreadable(column, error))
    }

    fn time(&self, column: &str) -> sqlx::Result<Timestamp> {
        Timestamp::from_microsecond(self.int(column)?).map_err(|error| unreadable(column, error))
    }

    fn time_opt(&self, column: &str) -> sqlx::Result<Option<Timestamp>> {
        let Some(value) = self.int_opt(column)? else { return Ok(None) };
        Timestamp::from_microsecond(value).map(Some).map_err(|error| unreadable(column, error))
    }
}

impl Columns for AnyRow {
    fn text(&self, column: &str) -> sqlx::Result<String> {
        self.try_get(column)
    }

    fn text_opt(&self, column: &str) -> sqlx::Result<Option<String>> {
        self.try_get(column)
    }

    fn int(&self, column: &str) -> sqlx::Result<i64> {
        self.try_get(column)
    }

    fn int_opt(&self, column: &str) -> sqlx::Result<Option<i64>> {
        self.try_get(column)
    }
}

/// Returns the texts in a column of rows.
pub(crate) fn texts_of(rows: &[AnyRow], column: &str) -> sqlx::Result<Vec<String>> {
    rows.iter().map(|row| row.text(column)).collect()
}

/// Returns a new id. It is a UUID of version 7, so that rows created in succession are adjacent in an index.
pub(crate) fn new_id() -> Uuid {
    Uuid::now_v7()
}

/// Returns ids as a JSON list, which a statement of either database can read.
pub(crate) fn id_list(ids: &[Uuid]) -> String {
    json!(ids.iter().map(Uuid::to_string).collect::<Vec<_>>()).to_string()
}

/// The rows of a table of PostgreSQL whose ids are in a JSON list, as a table of a `FROM` clause.
///
/// PostgreSQL looks these rows up before it applies the other conditions of the statement, because it does
/// not move conditions past `OFFSET 0`. Otherwise it could read all rows of a chatbot to find a few: it plans
/// a statement once for all chatbots, as if each had an average size.
macro_rules! rows_of_ids {
    ($table:literal, $id:literal, $list:literal) => {
        concat!(
            "(SELECT * FROM ",
            $table,
            " WHERE ",
            $id,
            " = ANY (ARRAY(SELECT * FROM json_array_elements_text(CAST(",
            $list,
            " AS json)))) OFFSET 0)"
        )
    };
}
pub(crate) use rows_of_ids;

/// Returns a timestamp as it is stored, in microseconds. The last second of all time becomes its beginning,
/// because no number of microseconds behind that is read.
pub(crate) fn micros(time: Timestamp) -> i64 {
    let latest = Timestamp::MAX.as_second() * 1_000_000;
    time.as_microsecond().min(latest)
}

/// Returns a count or limit as it is stored; the largest integer if it does not fit.
pub(crate) fn stored(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

/// Returns an e-mail address as it is stored and compared: in the normal form of [`frontdesk_address`].
pub(crate) fn email_key(email: &str) -> String {
    frontdesk_address::email_key(&replace_nul(email))
}

/// Returns the normal form of an e-mail address, and the form that rows of earlier versions may have.
pub(crate) fn email_spellings(email: &str) -> [String; 2] {
    frontdesk_address::spellings(&replace_nul(email))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use jiff::Timestamp;
    use sqlx::{AnyConnection, Connection, Executor, Row};

    use super::micros;

    #[test]
    fn what_is_stored_of_every_moment_is_read() {
        for time in [Timestamp::MIN, Timestamp::UNIX_EPOCH, Timestamp::MAX] {
            assert!(Timestamp::from_microsecond(micros(time)).is_ok(), "{time}");
        }
    }

    #[tokio::test]
    async fn postgresql_finds_rows_by_their_ids_whatever_else_is_asked() {
        let Ok(url) = std::env::var("FRONTDESK_TEST_POSTGRES_URL") else {
            // Written directly to the stream because the test harness captures `eprintln!`.
            writeln!(
                std::io::stderr(),
                "skipped: plans of PostgreSQL (FRONTDESK_TEST_POSTGRES_URL is not set)"
            )
            .unwrap();
            return;
        };
        sqlx::any::install_default_drivers();
        let mut connection = AnyConnection::connect(&url).await.unwrap();
        for sql in [
            "CREATE TEMPORARY TABLE passages (id TEXT PRIMARY KEY, owner BIGINT NOT NULL)",
            "CREATE INDEX passages_owner ON passages (owner)",
            // One owner has most of them, and each of a thousand others has one.
            "INSERT INTO passages SELECT n, GREATEST(n - 9000, 0) FROM generate_series(1, 10000) AS n",
            "ANALYZE passages",
            "SET plan_cache_mode = force_generic_plan",
            concat!(
                "PREPARE few (TEXT, BIGINT) AS SELECT id FROM ",
                rows_of_ids!("passages", "id", "$1"),
                " AS p WHERE p.owner = $2"
            ),
        ] {
            connection.execute(sql).await.unwrap();
        }
        let plan = connection.fetch_all("EXPLAIN EXECUTE few ('[\"1\"]', 0)").await.unwrap();
        let plan: Vec<String> = plan.iter().map(|step| step.get(0)).collect();
        let plan = plan.join("\n");
        assert!(plan.contains("passages_pkey") && !plan.contains("passages_owner"), "{plan}");
    }
}
