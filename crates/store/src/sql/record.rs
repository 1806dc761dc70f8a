//! Records: a struct, its columns and its reading from a row, declared in one place.

use std::str::FromStr;

use jiff::Timestamp;
use serde_json::Value;
use sqlx::Row;
use sqlx::any::AnyRow;
use uuid::Uuid;

use crate::sql::redacted::Redacted;

/// A type that can be read from a column, or from several columns that belong together.
pub(crate) trait Column: Sized {
    /// Reads the value from the column of this name.
    fn read(row: &AnyRow, name: &str) -> sqlx::Result<Self>;
}

/// Declares a record: a struct, a macro with its list of columns for SQL, and `FromRow`.
///
/// A field is read from the column of its name. In SQL, the name is preceded by the literal after `of`, such
/// as `c.`. `= "EXPRESSION"`, or `= (MACRO!(…))`, computes the column in SQL instead. `= ["a, b"]` names the
/// columns that a [`Column`] with several parts reads by itself.
///
/// The macro of the columns takes `expressions` for a list without names, in the order of the fields.
macro_rules! record {
    (
        $(#[$meta:meta])*
        pub struct $Name:ident, columns $columns:ident { $($fields:tt)+ }
    ) => {
        record! { $(#[$meta])* pub struct $Name, columns $columns of "" { $($fields)+ } }
    };
    (
        $(#[$meta:meta])*
        pub struct $Name:ident, columns $columns:ident of $prefix:literal {
            $( $(#[$field_meta:meta])* pub $field:ident: $type:ty $(= $source:tt)?, )+
        }
    ) => {
        $(#[$meta])*
        pub struct $Name {
            $( $(#[$field_meta])* pub $field: $type, )+
        }

        macro_rules! $columns {
            () => {
                $crate::sql::record::joined!($( $crate::sql::record::column!($prefix $field $($source)?) ),+)
            };
            (expressions) => {
                $crate::sql::record::joined!($( $crate::sql::record::expression!($prefix $field $($source)?) ),+)
            };
        }

        impl ::sqlx::FromRow<'_, ::sqlx::any::AnyRow> for $Name {
            fn from_row(row: &::sqlx::any::AnyRow) -> ::sqlx::Result<Self> {
                Ok(Self {
                    $( $field: <$type as $crate::sql::record::Column>::read(row, stringify!($field))?, )+
                })
            }
        }
    };
}

/// The SQL of one column of a record.
macro_rules! column {
    ($prefix:literal $field:ident $expression:literal) => {
        concat!($expression, " AS ", stringify!($field))
    };
    ($prefix:literal $field:ident ($expression:expr)) => {
        concat!($expression, " AS ", stringify!($field))
    };
    ($($named:tt)+) => {
        $crate::sql::record::expression!($($named)+)
    };
}
pub(crate) use column;

/// The SQL of one column of a record, without a name for it.
macro_rules! expression {
    ($prefix:literal $field:ident) => {
        concat!($prefix, stringify!($field))
    };
    ($prefix:literal $field:ident [$columns:expr]) => {
        $columns
    };
    ($prefix:literal $field:ident $expression:literal) => {
        $expression
    };
    ($prefix:literal $field:ident ($expression:expr)) => {
        $expression
    };
}
pub(crate) use expression;

/// Texts with commas between them.
macro_rules! joined {
    ($first:expr $(, $rest:expr)*) => { concat!($first $(, ", ", $rest)*) };
}
pub(crate) use joined;

/// The error of a column whose value is not what the column should hold.
pub(crate) fn unreadable(
    column: &str,
    source: impl std::error::Error + Send + Sync + 'static,
) -> sqlx::Error {
    sqlx::Error::ColumnDecode { index: column.to_owned(), source: Box::new(source) }
}

/// Reads a column as text and the text as a value of an enumeration or an id.
pub(crate) fn parsed<T>(row: &AnyRow, name: &str) -> sqlx::Result<Option<T>>
where
    T: FromStr<Err: std::error::Error + Send + Sync + 'static>,
{
    let Some(text) = row.try_get::<Option<String>, _>(name)? else { return Ok(None) };
    text.parse().map(Some).map_err(|error| unreadable(name, error))
}

/// Turns a missing value into an error, for columns that always hold one.
pub(crate) fn present<T>(value: Option<T>, name: &str) -> sqlx::Result<T> {
    value.ok_or_else(|| unreadable(name, sqlx::error::UnexpectedNullError))
}

/// Implements [`Column`] for types read through another type, both for the value and for `NULL`.
macro_rules! column_types {
    ($( $type:ty = |$row:ident, $name:ident| $read:expr; )+) => {
        $(
            impl Column for Option<$type> {
                fn read($row: &AnyRow, $name: &str) -> sqlx::Result<Self> {
                    $read
                }
            }

            impl Column for $type {
                fn read(row: &AnyRow, name: &str) -> sqlx::Result<Self> {
                    present(<Option<$type> as Column>::read(row, name)?, name)
                }
            }
        )+
    };
}

fn number<T>(row: &AnyRow, name: &str) -> sqlx::Result<Option<T>>
where
    T: TryFrom<i64, Error: std::error::Error + Send + Sync + 'static>,
{
    let Some(value) = row.try_get::<Option<i64>, _>(name)? else { return Ok(None) };
    T::try_from(value).map(Some).map_err(|error| unreadable(name, error))
}

column_types! {
    String = |row, name| row.try_get(name);
    Vec<u8> = |row, name| row.try_get(name);
    i64 = |row, name| row.try_get(name);
    u64 = |row, name| number(row, name);
    u32 = |row, name| number(row, name);
    u16 = |row, name| number(row, name);
    bool = |row, name| Ok(row.try_get::<Option<i64>, _>(name)?.map(|flag| flag != 0));
    Uuid = |row, name| parsed(row, name);
    Timestamp = |row, name| match row.try_get::<Option<i64>, _>(name)? {
        Some(micros) => Timestamp::from_microsecond(micros).map(Some).map_err(|error| unreadable(name, error)),
        None => Ok(None),
    };
    Value = |row, name| match row.try_get::<Option<String>, _>(name)? {
        Some(text) => serde_json::from_str(&text).map(Some).map_err(|error| unreadable(name, error)),
        None => Ok(None),
    };
    Redacted<String> = |row, name| Ok(row.try_get::<Option<String>, _>(name)?.map(Redacted::new));
}

/// Words that are stored as one text with spaces between them.
impl Column for Vec<String> {
    fn read(row: &AnyRow, name: &str) -> sqlx::Result<Self> {
        Ok(String::read(row, name)?.split_ascii_whitespace().map(str::to_owned).collect())
    }
}

/// Ids that are stored as one text with spaces between them.
impl Column for Vec<Uuid> {
    fn read(row: &AnyRow, name: &str) -> sqlx::Result<Self> {
        let ids = String::read(row, name)?;
        ids.split_ascii_whitespace().map(|id| id.parse().map_err(|error| unreadable(name, error))).collect()
    }
}
