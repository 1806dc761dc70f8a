//! Second factors: the authenticator app of a person, and recovery codes. The service makes and checks
//! codes; what was used, and how often somebody has tried, is kept here.

use jiff::{SignedDuration, Timestamp};
use sqlx::AnyConnection;
use uuid::Uuid;

use crate::accounts::api_keys::KeyHash;
use crate::accounts::passkeys;
use crate::sql::error::StoreError;
use crate::sql::redacted::Redacted;
use crate::sql::row::{Columns, micros};

/// Wrong codes in a row after which attempts have to wait. Whoever tries them knows the password, so the
/// count is that of the person, whatever address they come from.
pub const FREE_ATTEMPTS: u32 = 5;
/// The first wait. Each further wrong code doubles it.
const FIRST_WAIT: SignedDuration = SignedDuration::from_mins(1);
/// The longest wait. With 24 codes a day, of which 3 in a million are right, guessing takes 38 years on
/// average.
const LONGEST_WAIT: SignedDuration = SignedDuration::from_hours(1);
/// How long after the last wait the count starts anew.
const FORGIVEN: SignedDuration = SignedDuration::from_hours(24);

record! {
    /// The authenticator app of a person.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Authenticator, columns authenticator_columns {
        /// Whose it is.
        pub person_id: Uuid,
        /// The secret of the app, encrypted.
        pub secret: Redacted<String>,
        /// The last step whose code was accepted.
        pub last_step: u64,
        /// Attempts since the last right code, this one included.
        pub failures: u32,
        /// Until when there may be no further attempt.
        pub blocked_until: Option<Timestamp>,
        /// When the secret was made.
        pub created_at: Timestamp,
        /// Since when a code is needed; `None` until the app has proven that it has the secret.
        pub confirmed_at: Option<Timestamp>,
    }
}

/// A proof of the second factor, whose code was found to be right.
#[derive(Debug, Clone)]
pub enum Proof {
    /// A code of the app.
    Code {
        /// The step that the code belongs to.
        step: u64,
        /// The stored secret that it was checked with.
        secret: Redacted<String>,
    },
    /// The hash of a recovery code, which may be unknown.
    RecoveryCode(KeyHash),
}

/// Whether a code of the app may be tried.
#[derive(Debug)]
pub enum CodeAttempt {
    /// It is counted, as if it was wrong; a right one starts the count anew.
    Allowed(Authenticator),
    /// There were too many; until then.
    Blocked(Timestamp),
    /// The person has no second factor.
    Missing,
}

group! {
    /// Second factors of people. Takes no scope: a person is of several accounts, and the id comes from a
    /// session or a sign-in.
    pub SecondFactors, second_factors
}

impl SecondFactors<'_> {
    /// Returns the authenticator app of a person, confirmed or not.
    pub async fn find(self, person_id: Uuid) -> Result<Option<Authenticator>, StoreError> {
        let one = sqlx::query_as(concat!(
            "SELECT ",
            authenticator_columns!(),
            " FROM authenticators WHERE person_id = $1"
        ))
        .bind(person_id.to_string());
        Ok(one.fetch_optional(self.store.reader()).await?)
    }

    /// The authenticator apps of all people. For the rotation of the pepper.
    pub async fn list_of_all_people(self) -> Result<Vec<Authenticator>, StoreError> {
        let all = sqlx::query_as(concat!(
            "SELECT ",
            authenticator_columns!(),
            " FROM authenticators ORDER BY person_id"
        ));
        Ok(all.fetch_all(self.store.reader()).await?)
    }

    /// Returns how many recovery codes of a person have not been used.
    pub async fn recovery_codes_left(self, person_id: Uuid) -> Result<u64, StoreError> {
        codes_left(&mut *self.store.reader().acquire().await?, person_id).await
    }

    /// Whether a person needs more than the password to sign in.
    pub async fn is_needed(self, person_id: Uuid) -> Result<bool, StoreError> {
        is_needed(&mut *self.store.reader().acquire().await?, person_id).await
    }

    /// Returns the name of an account that keeps a person from removing the app: it requires a second factor,
    /// and there is no passkey that would be left.
    pub async fn app_required_by(self, person_id: Uuid) -> Result<Option<String>, StoreError> {
        app_required_by(&mut *self.store.reader().acquire().await?, person_id).await
    }

    /// Stores the secret of an app, in place of one that was not confirmed. `false` if the person has a
    /// second factor already.
    pub async fn propose(
        self,
        person_id: Uuid,
        secret: &Redacted<String>,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let proposed = sqlx::query(
            "INSERT INTO authenticators (person_id, secret, last_step, failures, created_at) VALUES ($1, $2, 0, 0, $3) \
             ON CONFLICT (person_id) DO UPDATE SET secret = $2, created_at = $3 WHERE authenticators.confirmed_at IS NULL",
        )
        .bind(person_id.to_string())
        .bind(secret.expose().clone())
        .bind(micros(now));
        Ok(proposed.execute(self.store.writer()).await?.rows_affected() > 0)
    }

    /// Counts an attempt with a code of the app before the code is judged, so that requests at the same time
    /// do not pass the limit together.
    pub async fn attempt(self, person_id: Uuid, now: Timestamp) -> Result<CodeAttempt, StoreError> {
        let mut transaction = self.store.begin().await?;
        let counted: Option<Authenticator> = sqlx::query_as(concat!(
            "UPDATE authenticators SET failures = CASE WHEN blocked_until <= $3 THEN 1 ELSE failures + 1 END \
             WHERE person_id = $1 AND confirmed_at IS NOT NULL AND (blocked_until IS NULL OR blocked_until <= $2) RETURNING ",
            authenticator_columns!()
        ))
        .bind(person_id.to_string())
        .bind(micros(now))
        .bind(now.saturating_sub(FORGIVEN).map_or(i64::MIN, micros))
        .fetch_optional(&mut *transaction)
        .await?;
        let Some(counted) = counted else {
            drop(transaction);
            let known = self.find(person_id).await?.filter(|known| known.confirmed_at.is_some());
            return Ok(match known {
                Some(known) => CodeAttempt::Blocked(known.blocked_until.unwrap_or(now)),
                None => CodeAttempt::Missing,
            });
        };
        sqlx::query("UPDATE authenticators SET blocked_until = $2 WHERE person_id = $1")
            .bind(person_id.to_string())
            .bind(wait(counted.failures).map(|wait| now.saturating_add(wait).map_or(i64::MAX, micros)))
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(CodeAttempt::Allowed(counted))
    }
}

/// Returns how long to wait after this many wrong codes in a row.
fn wait(failures: u32) -> Option<SignedDuration> {
    let further = failures.checked_sub(FREE_ATTEMPTS)?;
    let doubled = 2_i32.checked_pow(further).and_then(|times| FIRST_WAIT.checked_mul(times));
    Some(doubled.map_or(LONGEST_WAIT, |doubled| doubled.min(LONGEST_WAIT)))
}

/// Whether a person needs more than the password to sign in: an app, a passkey, or a recovery code in place
/// of either. The row of the person is locked by the caller.
pub(crate) async fn is_needed(connection: &mut AnyConnection, person_id: Uuid) -> Result<bool, StoreError> {
    let row = sqlx::query(
        "SELECT 1 FROM people AS p WHERE p.person_id = $1 \
         AND (EXISTS (SELECT 1 FROM authenticators AS f WHERE f.person_id = p.person_id AND f.confirmed_at IS NOT NULL) \
         OR EXISTS (SELECT 1 FROM passkeys AS k WHERE k.person_id = p.person_id))",
    )
    .bind(person_id.to_string());
    Ok(row.fetch_optional(connection).await?.is_some())
}

/// Returns the name of an account that requires a second factor of a person who may act in it.
pub(crate) async fn required_by(
    connection: &mut AnyConnection,
    person_id: Uuid,
) -> Result<Option<String>, StoreError> {
    let row = sqlx::query(
        "SELECT a.name FROM users AS u JOIN accounts AS a ON a.account_id = u.account_id \
         WHERE u.person_id = $1 AND u.status = 'active' AND a.requires_second_factor = 1 ORDER BY LOWER(a.name), a.account_id LIMIT 1",
    )
    .bind(person_id.to_string());
    Ok(row.fetch_optional(connection).await?.map(|row| row.text("name")).transpose()?)
}

/// Returns the name of an account that requires a second factor of a person who has no passkey.
pub(crate) async fn app_required_by(
    connection: &mut AnyConnection,
    person_id: Uuid,
) -> Result<Option<String>, StoreError> {
    if passkeys::count(connection, person_id).await? > 0 {
        return Ok(None);
    }
    required_by(connection, person_id).await
}

/// Uses a proof up. `false` if it is unknown or was used, or the second factor has changed.
pub(crate) async fn accept(
    connection: &mut AnyConnection,
    person_id: Uuid,
    proof: &Proof,
) -> Result<bool, StoreError> {
    let used = match proof {
        Proof::Code { step, secret } => sqlx::query(
            "UPDATE authenticators SET last_step = $2, failures = 0, blocked_until = NULL \
             WHERE person_id = $1 AND confirmed_at IS NOT NULL AND last_step < $2 AND secret = $3",
        )
        .bind(person_id.to_string())
        .bind(i64::try_from(*step).unwrap_or(i64::MAX))
        .bind(secret.expose().clone()),
        Proof::RecoveryCode(hash) => {
            sqlx::query("DELETE FROM recovery_codes WHERE person_id = $1 AND code_hash = $2")
                .bind(person_id.to_string())
                .bind(hash.to_hex())
        }
    };
    Ok(used.execute(connection).await?.rows_affected() > 0)
}

/// Stores recovery codes in place of those that there are.
pub(crate) async fn replace_codes(
    connection: &mut AnyConnection,
    person_id: Uuid,
    hashes: &[KeyHash],
    now: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM recovery_codes WHERE person_id = $1")
        .bind(person_id.to_string())
        .execute(&mut *connection)
        .await?;
    for hash in hashes {
        sqlx::query("INSERT INTO recovery_codes (person_id, code_hash, created_at) VALUES ($1, $2, $3)")
            .bind(person_id.to_string())
            .bind(hash.to_hex())
            .bind(micros(now))
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

/// Returns how many recovery codes of a person are left.
pub(crate) async fn codes_left(connection: &mut AnyConnection, person_id: Uuid) -> Result<u64, StoreError> {
    let row = sqlx::query("SELECT COUNT(*) AS codes FROM recovery_codes WHERE person_id = $1")
        .bind(person_id.to_string())
        .fetch_one(connection)
        .await?;
    Ok(u64::try_from(row.int("codes")?).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_an_hour() {
        assert_eq!(wait(4), None);
        let minutes = |failures| wait(failures).unwrap().as_mins();
        assert_eq!([5, 6, 7, 10, 11, 12, u32::MAX].map(minutes), [1, 2, 4, 32, 60, 60, 60]);
    }
}
