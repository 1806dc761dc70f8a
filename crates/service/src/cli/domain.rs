//! `frontdesk domain`: the sites on whose behalf an account signs visitor identities.

use std::io::Write;

use clap::Subcommand;
use frontdesk_store::Domain;
use serde_json::json;
use uuid::Uuid;

use super::{
    Admin, CliError,
    output::{Output, Record},
};
use crate::platform::hostname;
use crate::platform::secrets::encryption::issue_domain;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Add a domain and generate the secret with which visitor identities are signed (HS256)
    Create {
        /// The account
        #[arg(long)]
        account: Uuid,
        /// Host name of the site, such as www.example.com
        #[arg(long)]
        hostname: String,
    },
    /// List the domains of an account
    List {
        /// The account
        #[arg(long)]
        account: Uuid,
    },
    /// Remove a domain; identities signed with its secret are refused from then on
    Delete {
        /// The account
        #[arg(long)]
        account: Uuid,
        /// The domain's id, as `list` shows it
        domain: i64,
    },
}

pub(super) async fn run<W: Write>(
    command: Command,
    admin: &Admin,
    output: &mut Output<W>,
) -> Result<(), CliError> {
    let store = &admin.store;
    match command {
        Command::Create { account, hostname } => {
            let scope = admin.account(account).await?;
            let hostname = hostname::parse(&hostname).ok_or_else(|| CliError::Value {
                flag: "--hostname",
                problem: format!("`{hostname}` is not a host name such as www.example.com"),
            })?;
            let keys = &admin.loaded.config.keys;
            let issued = issue_domain(store, keys, &scope, &hostname, admin.now).await?;
            let mut record = record_of(&issued.domain);
            record.push(("identity_secret", json!(issued.identity_secret.expose())));
            output.one(
                record,
                "Sign visitor identities with the secret, on your server; never send it to a browser.",
            )
        }
        Command::List { account } => {
            let domains = store.domains().list(&admin.account(account).await?).await?;
            output.many("domains", domains.iter().map(record_of).collect())
        }
        Command::Delete { account, domain } => {
            if store.domains().delete(&admin.account(account).await?, domain).await? {
                let record = vec![("domain_id", json!(domain)), ("deleted", json!(true))];
                output.done(&format!("The domain {domain} is removed."), record)
            } else {
                Err(CliError::Unknown {
                    what: "domain",
                    name: domain.to_string(),
                    advice: "`frontdesk domain list --account ID` lists the domains of an account",
                })
            }
        }
    }
}

fn record_of(domain: &Domain) -> Record {
    vec![
        ("domain_id", json!(domain.domain_id)),
        ("account_id", json!(domain.account_id)),
        ("hostname", json!(domain.hostname)),
        ("created_at", json!(domain.created_at.to_string())),
    ]
}
