//! Between Rust values and the few column types that both databases share.

use std::str::FromStr;

use jiff::Timestamp;
use serde_json::Value;
use sqlx::Row;
use sqlx::any::AnyRow;
use uuid::Uuid;

/// Reads columns as what they mean.
pub(crate) trait Columns {
    fn text(&self, column: &str) -> sqlx::Result<String>;
    fn text_opt(&self, column: &str) -> sqlx::Result<Option<String>>;
    fn int(&self, column: &str) -> sqlx::Result<i64>;
    fn int_opt(&self, column: &str) -> sqlx::Result<Option<i64>>;

    /// A whole number of a narrower or unsigned type.
    fn number<T: TryFrom<i64, Error: std::error::Error + Send + Sync + 'static>>(
        &self,
        column: &str,
    ) -> sqlx::Result<T> {
        T::try_from(self.int(column)?).map_err(|error| unreadable(column, error))
    }

    fn number_opt<T: TryFrom<i64, Error: std::error::Error + Send + Sync + 'static>>(
        &self,
        column: &str,
    ) -> sqlx::Result<Option<T>> {
        let Some(value) = self.int_opt(column)? else { return Ok(None) };
        T::try_from(value).map(Some).map_err(|error| unreadable(column, error))
    }

    fn flag(&self, column: &str) -> sqlx::Result<bool> {
        Ok(self.int(column)? != 0)
    }

    /// An id or a value of an enumeration.
    fn parsed<T: FromStr<Err: std::error::Error + Send + Sync + 'static>>(
        &self,
        column: &str,
    ) -> sqlx::Result<T> {
        self.text(column)?.parse().map_err(|error| unreadable(column, error))
    }

    fn uuid_opt(&self, column: &str) -> sqlx::Result<Option<Uuid>> {
        let Some(text) = self.text_opt(column)? else { return Ok(None) };
        text.parse().map(Some).map_err(|error| unreadable(column, error))
    }

    fn time(&self, column: &str) -> sqlx::Result<Timestamp> {
        Timestamp::from_microsecond(self.int(column)?).map_err(|error| unreadable(column, error))
    }

    fn time_opt(&self, column: &str) -> sqlx::Result<Option<Timestamp>> {
        let Some(value) = self.int_opt(column)? else { return Ok(None) };
        Timestamp::from_microsecond(value).map(Some).map_err(|error| unreadable(column, error))
    }

    fn json(&self, column: &str) -> sqlx::Result<Value> {
        serde_json::from_str(&self.text(column)?).map_err(|error| unreadable(column, error))
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

fn unreadable(column: &str, source: impl std::error::Error + Send + Sync + 'static) -> sqlx::Error {
    sqlx::Error::ColumnDecode { index: column.to_owned(), source: Box::new(source) }
}

/// A new id. Version 7, so that rows created one after the other lie side by side in an index.
pub(crate) fn new_id() -> Uuid {
    Uuid::now_v7()
}

/// A moment as it is stored.
pub(crate) fn micros(time: Timestamp) -> i64 {
    time.as_microsecond()
}

/// A count or limit as it is stored; what does not fit is as good as unlimited.
pub(crate) fn stored(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

/// Text that both databases accept: PostgreSQL has no NUL character, so it becomes the replacement character.
pub(crate) fn portable(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

/// [`portable`] for a value that may be missing.
pub(crate) fn portable_opt(text: Option<&str>) -> Option<String> {
    text.map(portable)
}

/// An e-mail address as it is compared: trimmed and in lower case.
pub(crate) fn email_key(email: &str) -> String {
    portable(email.trim()).to_lowercase()
}
