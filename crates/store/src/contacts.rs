//! Contacts: the people that an account knows, and what identifies each of them.
//!
//! The identity of a visitor is proven (signed by the account's own server) or merely claimed. A claim never
//! affects a proven contact: it neither changes one nor is attached to one by e-mail address or phone number.
//! An address may therefore have two contacts, a proven and a claimed one. Merging them is a decision of
//! people, not of a chat message.
//!
//! - `visitors` has what messages do with contacts; `record` has a contact as it is stored.
//! - `columns` lists the columns of a contact with the values that are written to them.
//! - `account` finds and writes contacts inside a transaction, by the values that `key` has; all writes go
//!   through it.
//! - `current` follows merges: which contact an id means now.
//! - `claims`: what a message of the inbox says of its author.
//! - `step`: the contacts of a step of an import, which `step_rows` reads and writes together.
//! - `changes` has what the account itself does with its contacts; `lists` reads.
//! - `reports`: what the journal of events says of contacts.

#[macro_use]
pub(crate) mod record;
pub(crate) mod account;
mod changes;
mod claims;
mod columns;
pub(crate) mod current;
pub(crate) mod key;
mod lists;
mod phone;
mod reports;
mod step;
mod step_rows;
pub(crate) mod visitor_subject;
mod visitors;

pub use self::changes::{ContactError, ContactUpdate, ImportResult, ImportedContact, NewConsent, Payment};
pub(crate) use self::claims::{Claimed, Claims, claim, lock};
pub use self::key::ContactKey;
pub use self::lists::{ContactConversation, ContactFilter};
pub use self::phone::phone_number;
pub use self::record::{Consent, Contact, ContactFields, ContactKind, ContactSource};
pub(crate) use self::reports::{contact_updated, lead_created};
pub use self::visitors::{ContactInput, Contacts, Identity};
