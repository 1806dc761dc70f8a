//! Passkeys: credentials of WebAuthn with which people sign in, and the challenges that they answer. The
//! service makes challenges and checks responses; what was asked and used is kept here.

use jiff::{SignedDuration, Timestamp};
use sqlx::AnyConnection;
use uuid::Uuid;

use crate::accounts::api_keys::KeyHash;
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::row::{Columns, micros};

/// How long a challenge can be answered.
pub const CHALLENGE_LIFETIME: SignedDuration = SignedDuration::from_mins(5);
/// The passkeys that a person may have.
pub const MAX_PASSKEYS: u64 = 20;

record! {
    /// A passkey of a person.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Passkey, columns passkey_columns {
        /// Identifier.
        pub passkey_id: Uuid,
        /// Whose it is.
        pub person_id: Uuid,
        /// The name by which the person recognizes it.
        pub name: String,
        /// The id that the authenticator has chosen, in Base64url.
        pub credential_id: String,
        /// The public key as the service encodes it, in Base64url.
        pub public_key: String,
        /// How browsers reach the authenticator, as a set of bits.
        pub transports: u32,
        /// Whether the authenticator may copy it to other devices of the person.
        pub is_backup_eligible: bool,
        /// How often the authenticator says that it has signed; 0 where it does not count.
        pub sign_count: u32,
        /// When it was added.
        pub created_at: Timestamp,
        /// When somebody last signed in with it.
        pub last_used_at: Option<Timestamp>,
    }
}

#[expect(clippy::single_component_path_imports, reason = "a macro has no path without it")]
pub(crate) use passkey_columns;

named_values! {
    /// What a challenge is for.
    pub enum ChallengePurpose as "purpose of a challenge" {
        /// A person adds a passkey.
        Addition = "addition",
        /// Somebody signs in, or completes a sign-in.
        SignIn = "sign_in",
    }
}

record! {
    /// A challenge that was made before, and cannot be answered again.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct PasskeyChallenge, columns challenge_columns {
        /// What it is for.
        pub purpose: ChallengePurpose,
        /// The session that adds a passkey.
        pub session_id: Option<Uuid>,
        /// The hash of the token of the sign-in that waits for the second step.
        pub pending_hash: Option<String>,
        /// What the service needs to check the response.
        pub state: String,
    }
}

impl PasskeyChallenge {
    /// Whether it is a challenge of this sign-in, which waits for the second step.
    pub fn is_of_sign_in(&self, hash: &KeyHash) -> bool {
        self.pending_hash.as_ref().is_some_and(|pending| *pending == hash.to_hex())
    }
}

/// A challenge that is to be answered.
#[derive(Debug, Clone)]
pub struct NewChallenge {
    /// The hash of the token by which it will be found.
    pub hash: KeyHash,
    /// What it is for.
    pub purpose: ChallengePurpose,
    /// The session that adds a passkey. The challenge ends with it.
    pub session_id: Option<Uuid>,
    /// The hash of the token of the sign-in that waits for the second step. The challenge ends with it.
    pub pending: Option<KeyHash>,
    /// What the service needs to check the response.
    pub state: String,
}

group! {
    /// Passkeys of people. Takes no scope: a person is of several accounts, and the id comes from a session
    /// or a sign-in.
    pub Passkeys, passkeys
}

impl Passkeys<'_> {
    /// The passkeys of a person, in the order in which they were added.
    pub async fn list(self, person_id: Uuid) -> Result<Vec<Passkey>, StoreError> {
        let all = sqlx::query_as(concat!(
            "SELECT ",
            passkey_columns!(),
            " FROM passkeys WHERE person_id = $1 ORDER BY created_at, passkey_id"
        ))
        .bind(person_id.to_string());
        Ok(all.fetch_all(self.store.reader()).await?)
    }

    /// Returns the passkey with an id that an authenticator has chosen.
    pub async fn find_by_credential(self, credential_id: &str) -> Result<Option<Passkey>, StoreError> {
        let one =
            sqlx::query_as(concat!("SELECT ", passkey_columns!(), " FROM passkeys WHERE credential_id = $1"))
                .bind(credential_id.to_owned());
        Ok(one.fetch_optional(self.store.reader()).await?)
    }

    /// Gives a passkey of a person another name. `None` if there is no such passkey.
    pub async fn rename(
        self,
        person_id: Uuid,
        passkey_id: Uuid,
        name: &str,
    ) -> Result<Option<Passkey>, StoreError> {
        let renamed = sqlx::query_as(concat!(
            "UPDATE passkeys SET name = $3 WHERE person_id = $1 AND passkey_id = $2 RETURNING ",
            passkey_columns!()
        ))
        .bind(person_id.to_string())
        .bind(passkey_id.to_string())
        .bind(replace_nul(name));
        Ok(renamed.fetch_optional(self.store.writer()).await?)
    }

    /// Keeps a challenge until it is answered, or has expired.
    pub async fn challenge(self, new: &NewChallenge, now: Timestamp) -> Result<(), StoreError> {
        sqlx::query(
            "INSERT INTO passkey_challenges (token_hash, purpose, session_id, pending_hash, state, created_at, expires_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
        )
        .bind(new.hash.to_hex())
        .bind(new.purpose.as_str())
        .bind(new.session_id.map(|id| id.to_string()))
        .bind(new.pending.map(KeyHash::to_hex))
        .bind(new.state.clone())
        .bind(micros(now))
        .bind(now.saturating_add(CHALLENGE_LIFETIME).map_or(i64::MAX, micros))
        .execute(self.store.writer())
        .await?;
        Ok(())
    }

    /// Returns the challenge whose token has this hash, and deletes it: there is no second response to it.
    /// `None` if there is none, or it has expired.
    pub async fn take_challenge(
        self,
        hash: &KeyHash,
        now: Timestamp,
    ) -> Result<Option<PasskeyChallenge>, StoreError> {
        let taken = sqlx::query_as(concat!(
            "DELETE FROM passkey_challenges WHERE token_hash = $1 AND expires_at > $2 RETURNING ",
            challenge_columns!()
        ))
        .bind(hash.to_hex())
        .bind(micros(now));
        Ok(taken.fetch_optional(self.store.writer()).await?)
    }

    /// Deletes up to `limit` challenges that have expired. Returns how many. For housekeeping.
    pub async fn prune_challenges(self, now: Timestamp, limit: u32) -> Result<u64, StoreError> {
        let pruned = sqlx::query(
            "DELETE FROM passkey_challenges WHERE token_hash IN \
             (SELECT token_hash FROM passkey_challenges WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)",
        )
        .bind(micros(now))
        .bind(i64::from(limit));
        Ok(pruned.execute(self.store.writer()).await?.rows_affected())
    }
}

/// Returns how many passkeys a person has.
pub(crate) async fn count(connection: &mut AnyConnection, person_id: Uuid) -> Result<u64, StoreError> {
    let row = sqlx::query("SELECT COUNT(*) AS passkeys FROM passkeys WHERE person_id = $1")
        .bind(person_id.to_string())
        .fetch_one(connection)
        .await?;
    Ok(row.number("passkeys")?)
}

/// Notes that a passkey was used. `false` if it was removed, or its counter has not advanced although it
/// counts: then there may be a copy of it.
pub(crate) async fn accept(
    connection: &mut AnyConnection,
    passkey: &Passkey,
    sign_count: u32,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let used = sqlx::query(
        "UPDATE passkeys SET sign_count = $3, last_used_at = $4 WHERE passkey_id = $1 AND person_id = $2 \
         AND (sign_count < $3 OR (sign_count = 0 AND $3 = 0))",
    )
    .bind(passkey.passkey_id.to_string())
    .bind(passkey.person_id.to_string())
    .bind(i64::from(sign_count))
    .bind(micros(now));
    Ok(used.execute(connection).await?.rows_affected() > 0)
}
