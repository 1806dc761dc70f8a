//! The columns of a contact that statements write: name, type and value of each.

use serde_json::{Map, Value};
use sqlx::any::AnyArguments;
use sqlx::query::QueryAs;
use sqlx::{Any, FromRow, any::AnyRow};

use super::record::Contact;
use crate::sql::row::micros;

/// The value of a column.
pub(super) enum Cell {
    /// A text or `NULL`.
    Text(Option<String>),
    /// An integer or `NULL`.
    Integer(Option<i64>),
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(Some(text))
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<Option<String>> for Cell {
    fn from(text: Option<String>) -> Self {
        Self::Text(text)
    }
}

impl From<bool> for Cell {
    fn from(flag: bool) -> Self {
        Self::Integer(Some(flag.into()))
    }
}

impl From<i64> for Cell {
    fn from(number: i64) -> Self {
        Self::Integer(Some(number))
    }
}

impl From<Option<i64>> for Cell {
    fn from(number: Option<i64>) -> Self {
        Self::Integer(number)
    }
}

/// Declares all columns except the key, which never changes. Each has the number of its parameter in a
/// statement (after account and contact), its name, its type in PostgreSQL and its value.
macro_rules! columns {
    (|$contact:ident, $phone_key:ident| $( $place:literal $column:ident $type:ident = $value:expr; )+) => {
        /// The list of the columns in one of the forms that statements need.
        macro_rules! written_columns {
            () => { $crate::sql::record::joined!($( stringify!($column) ),+) };
            (parameters) => { $crate::sql::record::joined!($( concat!("$", $place) ),+) };
            (assignments) => { $crate::sql::record::joined!($( concat!(stringify!($column), " = $", $place) ),+) };
            (json_members) => { $crate::sql::record::joined!($( concat!("q.value ->> '", stringify!($column), "'") ),+) };
            (json_columns) => { $crate::sql::record::joined!($( concat!("q.", stringify!($column)) ),+) };
            (typed) => { $crate::sql::record::joined!($( concat!(stringify!($column), " ", stringify!($type)) ),+) };
        }

        /// Returns the columns of a contact with their values, in the order of their parameters.
        fn cells($contact: &Contact, $phone_key: Option<&str>) -> Vec<(&'static str, Cell)> {
            vec![$( (stringify!($column), Cell::from($value)) ),+]
        }
    };
}

columns! { |contact, phone_key|
    3 email TEXT = contact.email.clone();
    4 name TEXT = contact.name.clone();
    5 phone TEXT = contact.phone.clone();
    6 phone_key TEXT = phone_key.map(str::to_owned);
    7 company TEXT = contact.company.clone();
    8 custom TEXT = contact.custom.as_ref().map(ToString::to_string);
    9 external_id TEXT = contact.external_id.clone();
    10 is_verified BIGINT = contact.is_verified;
    11 is_managed BIGINT = contact.is_managed;
    12 kind TEXT = contact.kind.as_str();
    13 became_customer_at BIGINT = contact.became_customer_at.map(micros);
    14 paid_at BIGINT = contact.paid_at.map(micros);
    15 payment_amount TEXT = contact.payment_amount.clone();
    16 payment_currency TEXT = contact.payment_currency.clone();
    17 payment_reference TEXT = contact.payment_reference.clone();
    18 archived_at BIGINT = contact.archived_at.map(micros);
    19 last_seen_at BIGINT = micros(contact.last_seen_at);
    20 updated_at BIGINT = micros(contact.updated_at);
    21 search_text TEXT = contact.search_text();
    22 source TEXT = contact.source.as_str();
    23 first_seen_at BIGINT = micros(contact.first_seen_at);
    24 owner_id TEXT = contact.owner_id.map(|id| id.to_string());
    25 tags TEXT = contact.tags.to_string();
    26 custom_fields TEXT = contact.custom_fields.to_string();
    27 consent_marketing BIGINT = contact.consent.as_ref().map(|consent| i64::from(consent.marketing));
    28 consent_at BIGINT = contact.consent.as_ref().map(|consent| micros(consent.at));
    29 consent_source TEXT = contact.consent.as_ref().and_then(|consent| consent.source.clone());
}
#[expect(clippy::single_component_path_imports, reason = "a macro has no path without it")]
pub(super) use written_columns;

/// Binds the id of a contact and its columns.
pub(super) fn bind<'q, T>(
    mut query: QueryAs<'q, Any, T, AnyArguments>,
    contact: &Contact,
    phone_key: Option<&str>,
) -> QueryAs<'q, Any, T, AnyArguments>
where
    T: for<'r> FromRow<'r, AnyRow>,
{
    query = query.bind(contact.contact_id.to_string());
    for (_, cell) in cells(contact, phone_key) {
        query = match cell {
            Cell::Text(text) => query.bind(text),
            Cell::Integer(number) => query.bind(number),
        };
    }
    query
}

/// Returns a contact as an object with members for its id and each column.
pub(super) fn object(contact: &Contact, phone_key: Option<&str>) -> Value {
    let members = cells(contact, phone_key).into_iter().map(|(name, cell)| {
        let value = match cell {
            Cell::Text(text) => Value::from(text),
            Cell::Integer(number) => Value::from(number),
        };
        (name.to_owned(), value)
    });
    let id = ("contact_id".to_owned(), Value::from(contact.contact_id.to_string()));
    Value::Object(std::iter::once(id).chain(members).collect::<Map<_, _>>())
}
