//! E-mails of channels that did not become messages: listed with a reason, and kept.

use std::collections::BTreeSet;

use jiff::Timestamp;
use sqlx::AnyConnection;
use uuid::Uuid;

use crate::accounts::plan_limits;
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::pages::{Page, PageRequest, Position};
use crate::sql::row::{Columns, email_key, micros, stored};
use crate::sql::scope::{Scope, find_by_id, in_scope, row_by_id, scoped, scoped_as};

record! {
    /// An e-mail that did not become a message.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct SkippedMail, columns skipped_mail_columns {
        /// Identifier.
        pub skipped_mail_id: Uuid,
        /// The account whose channel has received it.
        pub account_id: Uuid,
        /// The channel.
        pub channel_id: Uuid,
        /// Why, as a name in snake case.
        pub reason: String,
        /// Why, for people.
        pub detail: String,
        /// Who has sent it, as far as that could be read.
        pub from_address: Option<String>,
        /// Its subject, as far as that could be read.
        pub subject: Option<String>,
        /// Its size in bytes, if known.
        pub size_bytes: Option<u64>,
        /// Where its bytes are stored; `None` if they were not fetched.
        pub object_key: Option<String>,
        /// When it was skipped.
        pub created_at: Timestamp,
    }
}

/// An e-mail to be listed as skipped.
#[derive(Debug, Clone)]
pub struct NewSkippedMail {
    /// Its identifier.
    pub skipped_mail_id: Uuid,
    /// The channel.
    pub channel_id: Uuid,
    /// What the channel knows it by. An e-mail that is listed already is not listed again.
    pub mail_key: String,
    /// Why, as a name in snake case.
    pub reason: String,
    /// Why, for people.
    pub detail: String,
    /// Who has sent it.
    pub from_address: Option<String>,
    /// Its subject.
    pub subject: Option<String>,
    /// Its size in bytes.
    pub size_bytes: Option<u64>,
    /// Where its bytes are stored.
    pub object_key: Option<String>,
    /// The addresses in it: of its sender, its recipients, and those that its text names. It is deleted with
    /// the person who has one.
    pub addresses: Vec<String>,
}

/// Ends the detail of an e-mail whose bytes are not kept.
const NOT_KEPT: &str = " Its bytes are not kept, because the plan of the account includes no more storage.";

group! {
    /// E-mails of channels that did not become messages.
    pub SkippedMails, skipped_mails
}

impl SkippedMails<'_> {
    /// Lists an e-mail as skipped. Returns whether it is new; `false` also if the channel is gone. Its bytes
    /// are not kept if the plan of the account has no room for them: it is listed without them, which the
    /// detail says.
    pub async fn add(self, scope: &Scope, new: &NewSkippedMail, now: Timestamp) -> Result<bool, StoreError> {
        let mut transaction = self.store.begin().await?;
        let (mut detail, mut object_key) = (new.detail.clone(), new.object_key.clone());
        if object_key.is_some() {
            // A channel belongs to one of the accounts of the scope, whose plan counts.
            let Some(account_id) = account_of(&mut transaction, scope, new.channel_id).await? else {
                return Ok(false);
            };
            let size = new.size_bytes.unwrap_or_default();
            if plan_limits::storage(&mut transaction, &account_id).await?.take_many(size).is_err() {
                detail.push_str(NOT_KEPT);
                object_key = None;
            }
        }
        let added = scoped(
            concat!(
                "INSERT INTO skipped_mails (skipped_mail_id, account_id, channel_id, mail_key, reason, detail, from_address, \
                 subject, size_bytes, object_key, created_at, addresses) \
                 SELECT $3, account_id, channel_id, $5, $6, $7, $8, $9, CAST($10 AS BIGINT), $11, CAST($12 AS BIGINT), CAST($13 AS TEXT) \
                 FROM inbox_channels WHERE ",
                in_scope!(),
                " AND channel_id = $4 ON CONFLICT DO NOTHING"
            ),
            scope,
        )
        .bind(new.skipped_mail_id.to_string())
        .bind(new.channel_id.to_string())
        .bind(replace_nul(&new.mail_key))
        .bind(replace_nul(&new.reason))
        .bind(replace_nul(&detail))
        .bind(new.from_address.as_deref().map(email_key))
        .bind(new.subject.as_deref().map(replace_nul))
        .bind(new.size_bytes.map(stored))
        .bind(object_key)
        .bind(micros(now))
        .bind(address_list(&new.addresses));
        let is_new = added.execute(&mut *transaction).await?.rows_affected() > 0;
        transaction.commit().await?;
        Ok(is_new)
    }

    /// Returns whether a channel has skipped an e-mail before.
    pub async fn has(self, scope: &Scope, channel_id: Uuid, mail_key: &str) -> Result<bool, StoreError> {
        let one = scoped(
            concat!(
                "SELECT 1 FROM skipped_mails WHERE ",
                in_scope!(),
                " AND channel_id = $3 AND mail_key = $4"
            ),
            scope,
        )
        .bind(channel_id.to_string())
        .bind(replace_nul(mail_key));
        Ok(one.fetch_optional(self.store.reader()).await?.is_some())
    }

    /// Returns one skipped e-mail.
    pub async fn find(self, scope: &Scope, skipped_mail_id: Uuid) -> Result<Option<SkippedMail>, StoreError> {
        find_by_id(
            self.store,
            row_by_id!(skipped_mail_columns of "skipped_mails", "skipped_mail_id"),
            scope,
            skipped_mail_id,
        )
        .await
    }

    /// Deletes a skipped e-mail. Returns whether there was one. Its bytes are deleted later, as nothing names
    /// them any more.
    pub async fn delete(self, scope: &Scope, skipped_mail_id: Uuid) -> Result<bool, StoreError> {
        let deleted = scoped(
            concat!("DELETE FROM skipped_mails WHERE ", in_scope!(), " AND skipped_mail_id = $3"),
            scope,
        )
        .bind(skipped_mail_id.to_string())
        .execute(self.store.writer())
        .await?;
        let is_deleted = deleted.rows_affected() > 0;
        if is_deleted {
            self.store.forget_overwritten().await;
        }
        Ok(is_deleted)
    }

    /// Deletes up to `limit` e-mails, the oldest first, that are older than `before`, and those beyond
    /// `bytes` of their account; returns how many. Over all accounts: for housekeeping.
    pub async fn prune(self, before: Timestamp, bytes: u64, limit: u32) -> Result<u64, StoreError> {
        let old = sqlx::query(
            "DELETE FROM skipped_mails WHERE skipped_mail_id IN (SELECT old.skipped_mail_id FROM skipped_mails AS old \
             WHERE old.created_at < $1 ORDER BY old.created_at LIMIT $2)",
        )
        .bind(micros(before))
        .bind(i64::from(limit))
        .execute(self.store.writer())
        .await?;
        let mut pruned = old.rows_affected();
        let full = sqlx::query(
            "SELECT account_id, bytes FROM stored_bytes WHERE kind = 'skipped_mails' AND bytes > $1 ORDER BY account_id",
        )
        .bind(stored(bytes))
        .fetch_all(self.store.reader())
        .await?;
        for row in full {
            if pruned >= u64::from(limit) {
                break;
            }
            let beyond = row.number::<u64>("bytes")?.saturating_sub(bytes);
            pruned += self.prune_account(&row.text("account_id")?, beyond, u64::from(limit) - pruned).await?;
        }
        if pruned > 0 {
            self.store.forget_overwritten().await;
        }
        Ok(pruned)
    }

    /// Deletes the oldest kept e-mails of an account until they had `beyond` bytes together, but at most
    /// `limit` of them.
    async fn prune_account(self, account_id: &str, beyond: u64, limit: u64) -> Result<u64, StoreError> {
        let oldest = sqlx::query(
            "SELECT skipped_mail_id, size_bytes FROM skipped_mails WHERE account_id = $1 AND object_key IS NOT NULL \
             ORDER BY created_at, skipped_mail_id LIMIT $2",
        )
        .bind(account_id.to_owned())
        .bind(stored(limit))
        .fetch_all(self.store.reader())
        .await?;
        let (mut freed, mut pruned) = (0_u64, 0);
        for row in &oldest {
            if freed >= beyond {
                break;
            }
            let size = row.int_opt("size_bytes")?.and_then(|size| size.try_into().ok()).unwrap_or(0);
            freed = freed.saturating_add(size);
            let deleted = sqlx::query("DELETE FROM skipped_mails WHERE skipped_mail_id = $1")
                .bind(row.text("skipped_mail_id")?)
                .execute(self.store.writer())
                .await?;
            pruned += deleted.rows_affected();
        }
        Ok(pruned)
    }

    /// One page of the skipped e-mails of a channel, newest first.
    pub async fn page(
        self,
        scope: &Scope,
        channel_id: Uuid,
        page: &PageRequest,
    ) -> Result<Page<SkippedMail>, StoreError> {
        let (key, id) = page.before_number();
        let rows = scoped_as(
            concat!(
                "SELECT ",
                skipped_mail_columns!(),
                " FROM skipped_mails WHERE ",
                in_scope!(),
                " AND channel_id = $3 AND (created_at, skipped_mail_id) < ($4, $5) \
                 ORDER BY created_at DESC, skipped_mail_id DESC LIMIT $6"
            ),
            scope,
        )
        .bind(channel_id.to_string())
        .bind(key)
        .bind(id)
        .bind(page.rows())
        .fetch_all(self.store.reader())
        .await?;
        Ok(Page::of(rows, page, |last: &SkippedMail| {
            Position::number(micros(last.created_at), last.skipped_mail_id)
        }))
    }
}

/// Returns the account of a channel.
async fn account_of(
    connection: &mut AnyConnection,
    scope: &Scope,
    channel_id: Uuid,
) -> Result<Option<String>, StoreError> {
    let one = scoped(
        concat!("SELECT account_id FROM inbox_channels WHERE ", in_scope!(), " AND channel_id = $3"),
        scope,
    )
    .bind(channel_id.to_string());
    let row = one.fetch_optional(connection).await?;
    Ok(row.map(|row| row.text("account_id")).transpose()?)
}

/// Returns addresses as they are compared, with spaces around each.
fn address_list(addresses: &[String]) -> String {
    let addresses: BTreeSet<String> = addresses.iter().map(|address| email_key(address)).collect();
    let mut list = String::new();
    for address in addresses.iter().filter(|address| !address.is_empty()) {
        list.push(' ');
        list.push_str(address);
        list.push(' ');
    }
    list
}
