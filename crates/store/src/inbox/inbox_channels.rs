//! Channels of the inbox: where threads come from and replies go to. Chats need none.

use jiff::Timestamp;
use serde_json::Value;
use uuid::Uuid;

use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::pages::{Page, PageRequest, Position};
use crate::sql::redacted::{Redacted, guarded};
use crate::sql::row::{Columns, micros, new_id};
use crate::sql::scope::{Scope, find_by_id, in_scope, row_by_id, scoped, scoped_as};

named_values! {
    /// A kind of channel.
    pub enum ChannelKind as "kind of channel" {
        /// A form of a website.
        ContactForm = "contact_form",
        /// Programs of the account.
        Api = "api",
        /// A mailbox.
        Email = "email",
        /// WhatsApp.
        Whatsapp = "whatsapp",
        /// Facebook Messenger.
        Messenger = "messenger",
        /// Instagram.
        Instagram = "instagram",
        /// Telegram.
        Telegram = "telegram",
        /// Text messages.
        Sms = "sms",
    }
}

record! {
    /// A channel of the inbox.
    #[derive(Debug, Clone, PartialEq)]
    pub struct InboxChannel, columns inbox_channel_columns {
        /// Identifier.
        pub channel_id: Uuid,
        /// The account whose channel it is.
        pub account_id: Uuid,
        /// What it is.
        pub kind: ChannelKind,
        /// Its name, for people.
        pub name: String,
        /// Whether it takes and sends messages.
        pub enabled: bool,
        /// What only this kind has, without secrets; an object.
        pub settings: Value,
        /// The secrets of this kind, encrypted by the service.
        pub secrets: Option<Redacted<String>>,
        /// Names the channel in addresses that are called without an API key. Not secret.
        pub public_key: Uuid,
        /// How far a kind that fetches has got.
        pub progress: Option<Value>,
        /// Why it does not work at present, for people.
        pub last_error: Option<String>,
        /// When that was found.
        pub error_at: Option<Timestamp>,
        /// When it was created.
        pub created_at: Timestamp,
        /// When it was last changed.
        pub updated_at: Timestamp,
    }
}
#[expect(clippy::single_component_path_imports, reason = "a macro has no path without it")]
pub(crate) use inbox_channel_columns;

/// A channel to be created.
#[derive(Debug, Clone)]
pub struct NewInboxChannel {
    /// Its identifier, by which its secrets are encrypted.
    pub channel_id: Uuid,
    /// What it is.
    pub kind: ChannelKind,
    /// Its name.
    pub name: String,
    /// Whether it takes and sends messages.
    pub enabled: bool,
    /// What only this kind has; an object.
    pub settings: Value,
    /// Its secrets, encrypted.
    pub secrets: Option<Redacted<String>>,
}

/// A change of a channel. What is `None` stays.
#[derive(Debug, Clone, Default)]
pub struct InboxChannelUpdate {
    /// Its name.
    pub name: Option<String>,
    /// Whether it takes and sends messages.
    pub enabled: Option<bool>,
    /// What only this kind has, as a whole.
    pub settings: Option<Value>,
    /// Its secrets, encrypted, as a whole.
    pub secrets: Option<Redacted<String>>,
}

/// Why a channel cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum InboxChannelError {
    /// The account has as many as it may have.
    #[error("the account has {0} channels already")]
    LimitReached(u64),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for InboxChannelError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

group! {
    /// Channels of the inbox.
    pub InboxChannels, inbox_channels
}

impl InboxChannels<'_> {
    /// Creates a channel in the scope's own account, which has at most `most`.
    pub async fn create(
        self,
        scope: &Scope,
        new: &NewInboxChannel,
        most: u64,
        now: Timestamp,
    ) -> Result<InboxChannel, InboxChannelError> {
        let mut transaction = self.store.begin().await?;
        // Creations of one account wait for each other, so that none exceeds the limit.
        sqlx::query(self.store.dialect().pick(
            "SELECT 1 FROM accounts WHERE account_id = $1",
            "SELECT 1 FROM accounts WHERE account_id = $1 FOR NO KEY UPDATE",
        ))
        .bind(scope.account_id.to_string())
        .fetch_optional(&mut *transaction)
        .await?;
        let row = sqlx::query("SELECT COUNT(*) AS count FROM inbox_channels WHERE account_id = $1")
            .bind(scope.account_id.to_string())
            .fetch_one(&mut *transaction)
            .await?;
        if row.number::<u64>("count")? >= most {
            return Err(InboxChannelError::LimitReached(most));
        }
        let created = sqlx::query_as(concat!(
            "INSERT INTO inbox_channels (channel_id, account_id, kind, name, enabled, settings, secrets, public_key, \
             created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9) RETURNING ",
            inbox_channel_columns!()
        ))
        .bind(new.channel_id.to_string())
        .bind(scope.account_id.to_string())
        .bind(new.kind.as_str())
        .bind(replace_nul(&new.name))
        .bind(i64::from(new.enabled))
        .bind(new.settings.to_string())
        .bind(new.secrets.as_ref().map(|secrets| secrets.expose().clone()))
        // Not of version 7: nobody should learn from a public page when the form was made.
        .bind(Uuid::new_v4().to_string())
        .bind(micros(now))
        .fetch_one(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(created)
    }

    /// Returns a channel.
    pub async fn find(self, scope: &Scope, channel_id: Uuid) -> Result<Option<InboxChannel>, StoreError> {
        find_by_id(
            self.store,
            row_by_id!(inbox_channel_columns of "inbox_channels", "channel_id"),
            scope,
            channel_id,
        )
        .await
    }

    /// Returns the channel of a kind with this public key, of any account: whoever calls without an API key
    /// names it by that.
    pub async fn find_public(
        self,
        kind: ChannelKind,
        public_key: Uuid,
    ) -> Result<Option<InboxChannel>, StoreError> {
        let one = sqlx::query_as(concat!(
            "SELECT ",
            inbox_channel_columns!(),
            " FROM inbox_channels WHERE public_key = $1 AND kind = $2"
        ))
        .bind(public_key.to_string())
        .bind(kind.as_str());
        Ok(one.fetch_optional(self.store.reader()).await?)
    }

    /// One page of the channels of the scope, oldest first; with `kind`, only those.
    pub async fn page(
        self,
        scope: &Scope,
        kind: Option<ChannelKind>,
        page: &PageRequest,
    ) -> Result<Page<InboxChannel>, StoreError> {
        let (key, id) = page.after_number();
        let rows = scoped_as(
            concat!(
                "SELECT ",
                inbox_channel_columns!(),
                " FROM inbox_channels WHERE ",
                in_scope!(),
                " AND (created_at, channel_id) > ($3, $4) AND ($5 = '' OR kind = $5) \
                 ORDER BY created_at, channel_id LIMIT $6"
            ),
            scope,
        )
        .bind(key)
        .bind(id)
        .bind(kind.map(ChannelKind::as_str).unwrap_or_default().to_owned())
        .bind(page.rows())
        .fetch_all(self.store.reader())
        .await?;
        Ok(Page::of(rows, page, |last: &InboxChannel| {
            Position::number(micros(last.created_at), last.channel_id)
        }))
    }

    /// Changes a channel. Returns `None` if there is no such channel.
    pub async fn update(
        self,
        scope: &Scope,
        channel_id: Uuid,
        update: &InboxChannelUpdate,
        now: Timestamp,
    ) -> Result<Option<InboxChannel>, StoreError> {
        let changed = scoped_as(
            concat!(
                "UPDATE inbox_channels SET name = COALESCE($4, name), enabled = COALESCE($5, enabled), \
                 settings = COALESCE($6, settings), secrets = COALESCE($7, secrets), \
                 last_error = NULL, error_at = NULL, updated_at = $8 WHERE ",
                in_scope!(),
                " AND channel_id = $3 RETURNING ",
                inbox_channel_columns!()
            ),
            scope,
        )
        .bind(channel_id.to_string())
        .bind(update.name.as_deref().map(replace_nul))
        .bind(update.enabled.map(i64::from))
        .bind(update.settings.as_ref().map(Value::to_string))
        .bind(update.secrets.as_ref().map(|secrets| secrets.expose().clone()))
        .bind(micros(now));
        Ok(changed.fetch_optional(self.store.writer()).await?)
    }

    /// Deletes a channel. Its threads stay, and cannot be replied to any more. Returns whether there was such
    /// a channel.
    pub async fn delete(self, scope: &Scope, channel_id: Uuid) -> Result<bool, StoreError> {
        let deleted =
            scoped(concat!("DELETE FROM inbox_channels WHERE ", in_scope!(), " AND channel_id = $3"), scope)
                .bind(channel_id.to_string());
        Ok(deleted.execute(self.store.writer()).await?.rows_affected() > 0)
    }

    /// Up to `limit` channels of a kind that are enabled, of all accounts, after the id `after`. For
    /// recurring work of the installation.
    pub async fn enabled(
        self,
        kind: ChannelKind,
        after: Option<Uuid>,
        limit: u32,
    ) -> Result<Vec<InboxChannel>, StoreError> {
        let some = sqlx::query_as(concat!(
            "SELECT ",
            inbox_channel_columns!(),
            " FROM inbox_channels WHERE kind = $1 AND enabled = 1 AND channel_id > $2 ORDER BY channel_id LIMIT $3"
        ))
        .bind(kind.as_str())
        .bind(after.map(|id| id.to_string()).unwrap_or_default())
        .bind(i64::from(limit));
        Ok(some.fetch_all(self.store.reader()).await?)
    }

    /// All channels with secrets, of all accounts. For the rotation of the pepper.
    pub async fn with_secrets(self) -> Result<Vec<InboxChannel>, StoreError> {
        let all = sqlx::query_as(concat!(
            "SELECT ",
            inbox_channel_columns!(),
            " FROM inbox_channels WHERE secrets IS NOT NULL ORDER BY channel_id"
        ));
        Ok(all.fetch_all(self.store.reader()).await?)
    }

    /// Notes how far a kind that fetches has got, and whether it works: `error` is why it does not.
    pub async fn note_progress(
        self,
        scope: &Scope,
        channel_id: Uuid,
        progress: Option<&Value>,
        error: Option<&str>,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let noted = scoped(
            concat!(
                "UPDATE inbox_channels SET progress = COALESCE($4, progress), last_error = $5, error_at = $6 WHERE ",
                in_scope!(),
                " AND channel_id = $3"
            ),
            scope,
        )
        .bind(channel_id.to_string())
        .bind(progress.map(Value::to_string))
        .bind(error.map(guarded))
        .bind(error.map(|_| micros(now)));
        Ok(noted.execute(self.store.writer()).await?.rows_affected() > 0)
    }
}

impl NewInboxChannel {
    /// Returns a channel without settings and secrets under a new identifier.
    pub fn new(kind: ChannelKind, name: impl Into<String>) -> Self {
        let settings = Value::Object(serde_json::Map::new());
        Self { channel_id: new_id(), kind, name: name.into(), enabled: true, settings, secrets: None }
    }
}
