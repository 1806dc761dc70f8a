//! `frontdesk key`: API keys, and the pepper that they are hashed with.

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
use crate::platform::secrets::keys::{IssuedKey, KeyError, WantedKey, issue_key};
use crate::platform::secrets::pepper::Peppers;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Create a key for an owner or admin; it is shown only once
    Create(Create),
    /// List the keys of a user
    List(Who),
    /// Revoke a key with immediate effect
    Delete {
        /// The key's id, as `list` shows it
        key: Uuid,
    },
    /// Make the configured pepper the one that keys are hashed and secrets are encrypted with
    ///
    /// Set keys.pepper to the new value and keys.previous_pepper to the old one, restart every process of the
    /// service, and run this command. Secrets are encrypted again at once; each key is hashed again when it
    /// is used. Run the command again to see how many keys are left, and remove keys.previous_pepper when
    /// there are none.
    RotatePepper {
        /// Revoke the keys that are still hashed with another pepper, and delete the domains whose secret
        /// cannot be decrypted
        #[arg(long)]
        revoke_unconverted: bool,
    },
}

#[derive(Debug, Args)]
pub(super) struct Create {
    #[command(flatten)]
    who: Who,
    /// What the key is for
    #[arg(long)]
    name: String,
    /// Requests per minute, if they differ from the default
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
            record.extend(record_of(&issued.record));
            output.one(record, "Save the key now: it is not stored and cannot be shown again.")
        }
        Command::List(who) => {
            let user = who.find(admin).await?;
            let keys = admin.store.api_keys().list(&admin.account(user.account_id).await?).await?;
            let of_user = keys.iter().filter(|key| key.user_id == user.user_id);
            output.many("keys", of_user.map(record_of).collect())
        }
        Command::Delete { key } => {
            // The operator does not name an account, so every account is searched.
            for account in admin.store.accounts().list().await? {
                if admin.store.api_keys().delete(&account.scope(), key).await? {
                    let record = vec![("key_id", json!(key)), ("deleted", json!(true))];
                    return output.done(&format!("The key {key} is revoked."), record);
                }
            }
            Err(CliError::Unknown {
                what: "key",
                name: key.to_string(),
                advice: "`frontdesk key list --user EMAIL` lists the keys of a user",
            })
        }
        Command::RotatePepper { revoke_unconverted } => {
            rotate_pepper(admin, revoke_unconverted, output).await
        }
    }
}

/// Rotates the pepper and reports what is left to do.
async fn rotate_pepper<W: Write>(
    admin: &Admin,
    revoke_unconverted: bool,
    output: &mut Output<W>,
) -> Result<(), CliError> {
    let keys = &admin.loaded.config.keys;
    let rotation = Peppers::rotate(&admin.store, keys, revoke_unconverted).await.map_err(KeyError::Pepper)?;
    let record = vec![
        ("reencrypted_secrets", json!(rotation.reencrypted)),
        ("revoked_keys", json!(rotation.revoked)),
        ("deleted_domains", json!(rotation.deleted_domains)),
        ("deleted_webhook_endpoints", json!(rotation.deleted_endpoints)),
        ("deleted_channels", json!(rotation.deleted_channels)),
        ("lost_second_factors", json!(rotation.lost_second_factors)),
        ("unconverted_keys", json!(rotation.unconverted)),
    ];
    let remark = if rotation.unconverted == 0 {
        "Every key and secret uses the configured pepper. keys.previous_pepper can be removed."
    } else {
        "Keys are converted when they are used. Keep keys.previous_pepper until none is left, or revoke the rest with \
         --revoke-unconverted."
    };
    output.one(record, remark)
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
        let keys = &admin.loaded.config.keys;
        let issued = issue_key(&admin.store, keys, &scope, wanted, admin.now).await?;
        issued.ok_or_else(|| CliError::Unknown {
            what: "user",
            name: user.email,
            advice: "the user was deleted in the meantime",
        })
    }
}

fn record_of(key: &ApiKey) -> Record {
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
