//! `frontdesk contact`: the people that an account knows.

use std::io::Write;

use clap::Subcommand;
use frontdesk_store::{Contact, ContactFilter, PageRequest};
use jiff::Timestamp;
use serde_json::json;
use uuid::Uuid;

use super::{
    Admin, CliError,
    output::{Output, Record},
};
use crate::api;

/// Contacts that are read at a time.
const BATCH: u32 = 500;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// List the contacts of an account, the newest first
    List {
        /// The account
        #[arg(long)]
        account: Uuid,
        /// Only contacts with this text in name, email address, phone number or company
        #[arg(long, value_name = "TEXT")]
        text: Option<String>,
        /// List the archived contacts instead of the others
        #[arg(long)]
        archived: bool,
    },
    /// Print everything that is stored about one person, as JSON
    Export {
        /// The account
        #[arg(long)]
        account: Uuid,
        /// The contact's id, as `list` shows it
        contact: Uuid,
    },
}

pub(super) async fn run<W: Write>(
    command: Command,
    admin: &Admin,
    output: &mut Output<W>,
) -> Result<(), CliError> {
    let store = &admin.store;
    match command {
        Command::List { account, text, archived } => {
            let scope = admin.account(account).await?;
            let filter = ContactFilter { text, archived, ..ContactFilter::default() };
            let mut records = Vec::new();
            let mut page = PageRequest::first(BATCH);
            loop {
                let found = store.contacts().page(&scope, &filter, &page).await?;
                records.extend(found.items.iter().map(record_of));
                let Some(next) = found.next else { break };
                page = PageRequest { after: Some(next), limit: BATCH };
            }
            output.many("contacts", records)
        }
        Command::Export { account, contact } => {
            let scope = admin.account(account).await?;
            let Some(found) = store.contacts().find(&scope, contact).await? else {
                return Err(CliError::Unknown {
                    what: "contact",
                    name: contact.to_string(),
                    advice: "`frontdesk contact list --account ID` lists the contacts of an account",
                });
            };
            output.json(&json!(api::contact_data(store, &scope, found, Timestamp::now()).await?))
        }
    }
}

fn record_of(contact: &Contact) -> Record {
    vec![
        ("contact_id", json!(contact.contact_id)),
        ("email", json!(contact.email)),
        ("name", json!(contact.name)),
        ("phone", json!(contact.phone)),
        ("company", json!(contact.company)),
        ("is_customer", json!(contact.became_customer_at.is_some())),
        ("is_verified", json!(contact.is_verified)),
        ("last_seen_at", json!(contact.last_seen_at.to_string())),
    ]
}
