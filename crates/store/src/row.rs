//! Conversions between Rust values and the column types that both databases share.

use std::str::FromStr;

use jiff::Timestamp;
use serde_json::json;
use sqlx::Row;
use sqlx::any::AnyRow;
use uuid::Uuid;

use crate::nul::replace_nul;

use crate::record::unreadable;

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

/// Returns a new id. It is a UUID of version 7, so that rows created in succession are adjacent in an index.
pub(crate) fn new_id() -> Uuid {
    Uuid::now_v7()
}

/// Returns ids as a JSON list, which a statement of either database can read.
pub(crate) fn id_list(ids: &[Uuid]) -> String {
    json!(ids.iter().map(Uuid::to_string).collect::<Vec<_>>()).to_string()
}

/// Returns a timestamp as it is stored, in microseconds.
pub(crate) fn micros(time: Timestamp) -> i64 {
    time.as_microsecond()
}

/// Returns a count or limit as it is stored; the largest integer if it does not fit.
pub(crate) fn stored(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

/// Returns an e-mail address as it is compared: trimmed and in lower case.
pub(crate) fn email_key(email: &str) -> String {
    replace_nul(email.trim()).to_lowercase()
}
