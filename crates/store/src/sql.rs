//! What all groups use: connections and transactions, records and their columns, scopes, pages, and the
//! places where the databases differ.

#[macro_use]
pub(crate) mod record;
#[macro_use]
pub(crate) mod named;
#[macro_use]
pub(crate) mod group;
pub(crate) mod chatbot_lock;
pub(crate) mod database;
pub(crate) mod dialect;
pub(crate) mod error;
pub(crate) mod hidden;
pub(crate) mod index_tokens;
pub(crate) mod json_rows;
pub(crate) mod like;
pub(crate) mod limits;
pub(crate) mod lock_wait;
pub(crate) mod migration;
pub(crate) mod nul;
pub(crate) mod pages;
pub(crate) mod redacted;
pub(crate) mod row;
pub(crate) mod scope;
pub(crate) mod signals;
pub(crate) mod write_check;
