//! Sign-ins that wait for the second factor: a code or a passkey. They are no sessions: nothing but the
//! second step finds them.

use jiff::{SignedDuration, Timestamp};
use sqlx::AnyConnection;
use uuid::Uuid;

use crate::accounts::api_keys::KeyHash;
use crate::accounts::users::User;
use crate::sql::error::StoreError;
use crate::sql::row::micros;

/// How long a sign-in waits for its second step.
pub const PENDING_LIFETIME: SignedDuration = SignedDuration::from_mins(10);

record! {
    /// A sign-in that waits, with who signs in.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct PendingSignIn, columns pending_sign_in_columns {
        /// The person.
        pub person_id: Uuid = "p.person_id",
        /// The name of the person.
        pub person_name: String = "p.name",
        /// The e-mail address of the person.
        pub email: String = "p.email",
        /// The user as which the person signs in.
        pub user_id: Uuid = "u.user_id",
        /// The account of the user.
        pub account_id: Uuid = "u.account_id",
        /// Whether the person has an authenticator app.
        pub has_app: bool = "(CASE WHEN EXISTS (SELECT 1 FROM authenticators AS f WHERE f.person_id = p.person_id \
            AND f.confirmed_at IS NOT NULL) THEN 1 ELSE 0 END)",
        /// Whether the person has a passkey.
        pub has_passkeys: bool = "(CASE WHEN EXISTS (SELECT 1 FROM passkeys AS k WHERE k.person_id = p.person_id) THEN 1 ELSE 0 END)",
        /// When it ends.
        pub expires_at: Timestamp = "w.expires_at",
    }
}

group! {
    /// Sign-ins that wait for the second factor.
    pub PendingSignIns, pending_sign_ins
}

impl PendingSignIns<'_> {
    /// Returns the sign-in whose token has this hash, unless it has ended or its user may not act. Takes no
    /// scope because nobody is signed in yet.
    pub async fn find(self, hash: &KeyHash, now: Timestamp) -> Result<Option<PendingSignIn>, StoreError> {
        find(&mut *self.store.reader().acquire().await?, hash, now).await
    }

    /// Ends a sign-in, if there is one.
    pub async fn cancel(self, hash: &KeyHash) -> Result<(), StoreError> {
        sqlx::query("DELETE FROM pending_sign_ins WHERE token_hash = $1")
            .bind(hash.to_hex())
            .execute(self.store.writer())
            .await?;
        Ok(())
    }

    /// Deletes those that have ended. For housekeeping.
    pub async fn prune(self, now: Timestamp) -> Result<u64, StoreError> {
        let pruned = sqlx::query("DELETE FROM pending_sign_ins WHERE expires_at <= $1").bind(micros(now));
        Ok(pruned.execute(self.store.writer()).await?.rows_affected())
    }
}

/// Begins to wait. `None` when the user may not act.
pub(crate) async fn insert(
    connection: &mut AnyConnection,
    (person_id, user): (Uuid, &User),
    hash: &KeyHash,
    now: Timestamp,
) -> Result<Option<PendingSignIn>, StoreError> {
    sqlx::query(
        "INSERT INTO pending_sign_ins (token_hash, person_id, user_id, account_id, created_at, expires_at) \
         VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(hash.to_hex())
    .bind(person_id.to_string())
    .bind(user.user_id.to_string())
    .bind(user.account_id.to_string())
    .bind(micros(now))
    .bind(now.saturating_add(PENDING_LIFETIME).map_or(i64::MAX, micros))
    .execute(&mut *connection)
    .await?;
    find(connection, hash, now).await
}

/// Ends a sign-in, and returns whether there was one.
pub(crate) async fn take(
    connection: &mut AnyConnection,
    hash: &KeyHash,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let taken = sqlx::query("DELETE FROM pending_sign_ins WHERE token_hash = $1 AND expires_at > $2")
        .bind(hash.to_hex())
        .bind(micros(now));
    Ok(taken.execute(connection).await?.rows_affected() > 0)
}

async fn find(
    connection: &mut AnyConnection,
    hash: &KeyHash,
    now: Timestamp,
) -> Result<Option<PendingSignIn>, StoreError> {
    let one = sqlx::query_as(concat!(
        "SELECT ",
        pending_sign_in_columns!(),
        " FROM pending_sign_ins AS w JOIN people AS p ON p.person_id = w.person_id \
         JOIN users AS u ON u.user_id = w.user_id AND u.person_id = w.person_id AND u.status = 'active' \
         WHERE w.token_hash = $1 AND w.expires_at > $2"
    ))
    .bind(hash.to_hex())
    .bind(micros(now));
    Ok(one.fetch_optional(connection).await?)
}
