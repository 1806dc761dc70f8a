//! Links: tokens that prove once, and for a while, who somebody is.

use jiff::{SignedDuration, Timestamp};
use sqlx::{AnyConnection, Row};

use crate::accounts::api_keys::KeyHash;
use crate::accounts::people::{People, Person};
use crate::accounts::sessions::{Entered, NewSession, Sessions};
use crate::accounts::users::{User, user_columns};
use crate::sql::error::StoreError;
use crate::sql::redacted::Redacted;
use crate::sql::row::{micros, new_id};

named_values! {
    /// What a link is for.
    pub enum LinkKind as "kind of link" {
        /// Creates the first account of the installation and its owner.
        Setup = "setup",
        /// Sets the password of a user.
        Reset = "reset",
    }
}

impl LinkKind {
    /// How long a link is valid.
    pub const fn validity(self) -> SignedDuration {
        match self {
            Self::Setup => SignedDuration::from_hours(1),
            Self::Reset => SignedDuration::from_mins(30),
        }
    }
}

/// A link that is to be created.
#[derive(Debug, Clone)]
pub struct NewLink {
    /// What it is for.
    pub kind: LinkKind,
    /// The hash under which its token will be found.
    pub hash: KeyHash,
    /// Whom it is for; nobody for set-up.
    pub user: Option<User>,
}

group! {
    /// Links of set-up and password resets. For the operator, and for whoever has a token.
    pub Links, links
}

impl Links<'_> {
    /// Creates a link. Another one for set-up, or of the same kind for the same user, ends.
    pub async fn create(self, new: &NewLink, now: Timestamp) -> Result<(), StoreError> {
        let (user_id, account_id) = match &new.user {
            Some(user) => (Some(user.user_id.to_string()), Some(user.account_id.to_string())),
            None => (None, None),
        };
        let mut transaction = self.store.begin().await?;
        sqlx::query("DELETE FROM links WHERE kind = $1 AND COALESCE(user_id, '') = COALESCE($2, '')")
            .bind(new.kind.as_str())
            .bind(user_id.clone())
            .execute(&mut *transaction)
            .await?;
        sqlx::query(
            "INSERT INTO links (link_id, kind, token_hash, user_id, account_id, created_at, expires_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
        )
        .bind(new_id().to_string())
        .bind(new.kind.as_str())
        .bind(new.hash.to_hex())
        .bind(user_id)
        .bind(account_id)
        .bind(micros(now))
        .bind(now.saturating_add(new.kind.validity()).map_or(i64::MAX, micros))
        .execute(&mut *transaction)
        .await?;
        Ok(transaction.commit().await?)
    }

    /// Whether the link of set-up can be used. Using it finds out again.
    pub async fn is_setup_valid(self, hash: &KeyHash, now: Timestamp) -> Result<bool, StoreError> {
        let row = sqlx::query("SELECT 1 FROM links WHERE token_hash = $1 AND kind = $2 AND expires_at > $3")
            .bind(hash.to_hex())
            .bind(LinkKind::Setup.as_str())
            .bind(micros(now))
            .fetch_optional(self.store.reader())
            .await?;
        Ok(row.is_some())
    }

    /// Returns the user of a link that can be used; for set-up there is none, so it finds nothing.
    pub async fn user(
        self,
        kind: LinkKind,
        hash: &KeyHash,
        now: Timestamp,
    ) -> Result<Option<User>, StoreError> {
        let one = sqlx::query_as(concat!(
            "SELECT ",
            user_columns!(),
            " FROM users WHERE status = 'active' AND user_id IN \
             (SELECT l.user_id FROM links AS l WHERE l.token_hash = $1 AND l.kind = $2 AND l.expires_at > $3)"
        ))
        .bind(hash.to_hex())
        .bind(kind.as_str())
        .bind(micros(now));
        Ok(one.fetch_optional(self.store.reader()).await?)
    }

    /// Sets the password of the user of a link, uses the link up, ends all sessions of the person, and begins
    /// a new one, or a sign-in that waits for the code of the second factor. `None` when the link is not
    /// valid any more, or the address of the user signs in to other accounts only.
    pub async fn reset_password(
        self,
        hash: &KeyHash,
        password: &Redacted<String>,
        session: (KeyHash, String),
        now: Timestamp,
    ) -> Result<Option<(Person, Entered)>, StoreError> {
        let mut transaction = self.store.begin().await?;
        let Some(user) = Self::take(&mut transaction, LinkKind::Reset, hash, now).await? else {
            return Ok(None);
        };
        if People::belongs_to_others(&mut transaction, &user).await? {
            return Ok(None);
        }
        let person = People::reset_password(&mut transaction, &user, password, now).await?;
        let (token, user_agent) = session;
        let new = NewSession { person_id: person.person_id, hash: token, user_agent, replaced: None };
        let Some(entered) = Sessions::enter(&mut transaction, &user, &new, now).await? else {
            return Ok(None);
        };
        transaction.commit().await?;
        Ok(Some((person, entered)))
    }

    /// Uses a link up, and returns its user, if it is valid and the user may act.
    async fn take(
        connection: &mut AnyConnection,
        kind: LinkKind,
        hash: &KeyHash,
        now: Timestamp,
    ) -> Result<Option<User>, StoreError> {
        let taken = sqlx::query(
            "DELETE FROM links WHERE token_hash = $1 AND kind = $2 AND expires_at > $3 RETURNING user_id",
        )
        .bind(hash.to_hex())
        .bind(kind.as_str())
        .bind(micros(now))
        .fetch_optional(&mut *connection)
        .await?;
        let Some(row) = taken else { return Ok(None) };
        let user_id: Option<String> = row.try_get("user_id")?;
        let user = sqlx::query_as(concat!(
            "SELECT ",
            user_columns!(),
            " FROM users WHERE user_id = $1 AND status = 'active'"
        ))
        .bind(user_id);
        Ok(user.fetch_optional(connection).await?)
    }

    /// Uses the link of set-up up. `false` when it is not valid.
    pub(crate) async fn take_setup(
        connection: &mut AnyConnection,
        hash: &KeyHash,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let taken = sqlx::query("DELETE FROM links WHERE token_hash = $1 AND kind = $2 AND expires_at > $3")
            .bind(hash.to_hex())
            .bind(LinkKind::Setup.as_str())
            .bind(micros(now));
        Ok(taken.execute(connection).await?.rows_affected() > 0)
    }

    /// Deletes links that are no longer valid. For housekeeping.
    pub async fn prune(self, now: Timestamp) -> Result<u64, StoreError> {
        let pruned = sqlx::query("DELETE FROM links WHERE expires_at <= $1").bind(micros(now));
        Ok(pruned.execute(self.store.writer()).await?.rows_affected())
    }
}
