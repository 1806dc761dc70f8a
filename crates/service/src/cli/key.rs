//! Owns `frontdesk key`.

use std::{io::Write, num::NonZeroU32};

use clap::{Args, Subcommand};
use frontdesk_store::ApiKey;
use serde_json::json;
use uuid::Uuid;

use super::{
    Admin, CliError,
    output::{Output, Record},
    user::Who,
};
use crate::keys::{IssuedKey, WantedKey, issue_key};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Make a key for an owner or admin; it is shown now and never again
    Create(Create),
    /// List the keys of a user
    List(Who),
    /// Revoke a key at once
    Delete {
        /// The key's id, as `list` shows it
        key: Uuid,
    },
}

#[derive(Debug, Args)]
pub(super) struct Create {
    #[command(flatten)]
    who: Who,
    /// What the key is for
    #[arg(long)]
    name: String,
    /// Requests a minute, where they differ from the default
    #[arg(long, value_name = "COUNT")]
    rate_per_minute: Option<NonZeroU32>,
}

pub(super) async fn run<W: Write>(
    command: Command,
    admin: &Admin,
    output: &mut Output<W>,
) -> Result<(), CliError> {
    match command {
        Command::Create(create) => {
            let issued = create.run(admin).await?;
            let mut record = vec![("key", json!(issued.key.expose()))];
            record.extend(told(&issued.record));
            output.one(record, "Keep the key now: it is not stored and cannot be shown again.")
        }
        Command::List(who) => {
            let user = who.find(admin).await?;
            let keys = admin.store.api_keys(&admin.account(user.account_id).await?).await?;
            let of_user = keys.iter().filter(|key| key.user_id == user.user_id);
            output.many("keys", of_user.map(told).collect())
        }
        Command::Delete { key } => {
            // The operator names no account, so the key is looked for in each.
            for account in admin.store.accounts().await? {
                if admin.store.delete_api_key(&account.scope(), key).await? {
                    let record = vec![("key_id", json!(key)), ("deleted", json!(true))];
                    return output.done(&format!("The key {key} is revoked."), record);
                }
            }
            Err(CliError::Unknown {
                what: "key",
                name: key.to_string(),
                advice: "`frontdesk key list --user EMAIL` lists those of a user",
            })
        }
    }
}

impl Create {
    async fn run(self, admin: &Admin) -> Result<IssuedKey, CliError> {
        let user = self.who.find(admin).await?;
        let scope = admin.account(user.account_id).await?;
        let wanted = WantedKey {
            user_id: user.user_id,
            name: self.name,
            rate_per_minute: self.rate_per_minute.map(NonZeroU32::get),
        };
        let pepper = admin.loaded.config.key_pepper.as_ref();
        let issued = issue_key(&admin.store, pepper, &scope, wanted, admin.now).await?;
        issued.ok_or_else(|| CliError::Unknown {
            what: "user",
            name: user.email,
            advice: "the user was deleted a moment ago",
        })
    }
}

fn told(key: &ApiKey) -> Record {
    vec![
        ("key_id", json!(key.key_id)),
        ("name", json!(key.name)),
        ("prefix", json!(key.display_prefix)),
        ("user_id", json!(key.user_id)),
        ("rate_per_minute", json!(key.rate_per_minute)),
        ("created_at", json!(key.created_at.to_string())),
        ("last_used_at", json!(key.last_used_at.map(|at| at.to_string()))),
    ]
}
