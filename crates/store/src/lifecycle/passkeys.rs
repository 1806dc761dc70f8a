//! What adds, uses and removes passkeys, with the audit entries and e-mails about it.

use jiff::Timestamp;
use sqlx::AnyConnection;
use uuid::Uuid;

use super::second_factors::{Completed, begin, end_others, forget_after_last, lock};
use crate::accounts::api_keys::KeyHash;
use crate::accounts::audit::{AuditAction, AuditEntries, NewAuditEntry};
use crate::accounts::members::Actor;
use crate::accounts::passkeys::{self, MAX_PASSKEYS, Passkey, Passkeys, passkey_columns};
use crate::accounts::sessions::NewSession;
use crate::accounts::users::User;
use crate::accounts::{pending_sign_ins, second_factors};
use crate::events::notices::{self, NoticeContent};
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::row::{micros, new_id};
use crate::sql::scope::Scope;

/// A passkey whose response to a challenge was found to be right.
#[derive(Debug, Clone)]
pub struct NewPasskey {
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
    /// How often the authenticator says that it has signed.
    pub sign_count: u32,
    /// The hashes of recovery codes, which are stored if the person had no second factor before.
    pub recovery_codes: Vec<KeyHash>,
}

/// What a request to add a passkey has come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Addition {
    /// It is added.
    Added {
        /// The passkey.
        passkey: Passkey,
        /// Whether the person had no second factor before, and so has new recovery codes.
        is_first: bool,
    },
    /// There is a passkey with this id of an authenticator.
    Known,
    /// The person has as many as there may be.
    LimitReached,
}

/// What a request to remove a passkey has come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PasskeyRemoval {
    /// It is removed.
    Removed,
    /// The person has no such passkey.
    Missing,
    /// The account with this name requires a second factor of the person, who has no other.
    Required(String),
}

/// A passkey that has answered a challenge to sign in.
#[derive(Debug, Clone)]
pub struct UsedPasskey {
    /// The passkey as it was when the response was checked.
    pub passkey: Passkey,
    /// How often the authenticator says that it has signed.
    pub sign_count: u32,
    /// The hash of the token of the sign-in that it completes.
    pub pending: Option<KeyHash>,
}

impl Passkeys<'_> {
    /// Adds a passkey. The first second factor of a person comes with recovery codes, and ends all of their
    /// sessions but one.
    pub async fn add(
        self,
        scope: &Scope,
        actor: &Actor,
        kept_session: Uuid,
        new: &NewPasskey,
        now: Timestamp,
    ) -> Result<Addition, StoreError> {
        let person_id = actor.person_id;
        let mut transaction = self.store.begin().await?;
        lock(&mut transaction, person_id).await?;
        if passkeys::count(&mut transaction, person_id).await? >= MAX_PASSKEYS {
            return Ok(Addition::LimitReached);
        }
        let is_first = !second_factors::is_needed(&mut transaction, person_id).await?;
        let Some(passkey) = insert(&mut transaction, person_id, new, now).await? else {
            return Ok(Addition::Known);
        };
        if is_first {
            end_others(&mut transaction, person_id, kept_session).await?;
            second_factors::replace_codes(&mut transaction, person_id, &new.recovery_codes, now).await?;
        }
        let subject = (passkey.passkey_id, passkey.name.clone());
        actor.note(&mut transaction, scope, AuditAction::PasskeyAdded, subject, now).await?;
        let notice = NoticeContent::PasskeyAdded { name: passkey.name.clone() };
        notices::insert_for_user(&mut transaction, scope.account_id, actor.user_id, &notice, now).await?;
        transaction.commit().await?;
        Ok(Addition::Added { passkey, is_first })
    }

    /// Removes a passkey of a person, unless it is their last second factor and an account requires one. The
    /// recovery codes go with the last factor.
    pub async fn remove(
        self,
        scope: &Scope,
        actor: &Actor,
        passkey_id: Uuid,
        now: Timestamp,
    ) -> Result<PasskeyRemoval, StoreError> {
        let person_id = actor.person_id;
        let mut transaction = self.store.begin().await?;
        lock(&mut transaction, person_id).await?;
        let removed: Option<Passkey> = sqlx::query_as(concat!(
            "DELETE FROM passkeys WHERE person_id = $1 AND passkey_id = $2 RETURNING ",
            passkey_columns!()
        ))
        .bind(person_id.to_string())
        .bind(passkey_id.to_string())
        .fetch_optional(&mut *transaction)
        .await?;
        let Some(removed) = removed else { return Ok(PasskeyRemoval::Missing) };
        let is_last = forget_after_last(&mut transaction, person_id).await?;
        if is_last && let Some(account) = second_factors::required_by(&mut transaction, person_id).await? {
            // Without the commit, nothing has happened.
            return Ok(PasskeyRemoval::Required(account));
        }
        let subject = (passkey_id, removed.name.clone());
        actor.note(&mut transaction, scope, AuditAction::PasskeyRemoved, subject, now).await?;
        let notice = NoticeContent::PasskeyRemoved { name: removed.name, is_last };
        notices::insert_for_user(&mut transaction, scope.account_id, actor.user_id, &notice, now).await?;
        transaction.commit().await?;
        Ok(PasskeyRemoval::Removed)
    }

    /// Begins the session of a user whose person has used a passkey: a sign-in of its own, or the second step
    /// of one that waits.
    pub async fn sign_in(
        self,
        user_id: Uuid,
        used: &UsedPasskey,
        new: &NewSession,
        ip_address: Option<String>,
        now: Timestamp,
    ) -> Result<Completed, StoreError> {
        let mut transaction = self.store.begin().await?;
        lock(&mut transaction, used.passkey.person_id).await?;
        if let Some(hash) = &used.pending
            && !pending_sign_ins::take(&mut transaction, hash, now).await?
        {
            return Ok(Completed::Ended);
        }
        if !passkeys::accept(&mut transaction, &used.passkey, used.sign_count, now).await? {
            return Ok(Completed::Refused);
        }
        let Some(session) = begin(&mut transaction, user_id, new, ip_address, now).await? else {
            return Ok(Completed::Ended);
        };
        transaction.commit().await?;
        Ok(Completed::SignedIn(Box::new(session)))
    }

    /// Notes that a passkey was refused because its counter has not advanced, and mails its person.
    pub async fn note_refused(
        self,
        user: &User,
        passkey: &Passkey,
        ip_address: Option<String>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let mut transaction = self.store.begin().await?;
        let entry = NewAuditEntry {
            action: AuditAction::PasskeyRefused,
            person_id: passkey.person_id,
            person_name: user.name.clone(),
            subject_id: Some(passkey.passkey_id),
            subject: passkey.name.clone(),
            ip_address,
        };
        AuditEntries::insert_in(&mut transaction, &Scope::of_account(user.account_id), &entry, now).await?;
        let notice = NoticeContent::PasskeyRefused { name: passkey.name.clone() };
        notices::insert_for_user(&mut transaction, user.account_id, user.user_id, &notice, now).await?;
        Ok(transaction.commit().await?)
    }
}

/// Stores a passkey. `None` if there is one with this id of an authenticator, whosever it is.
async fn insert(
    connection: &mut AnyConnection,
    person_id: Uuid,
    new: &NewPasskey,
    now: Timestamp,
) -> Result<Option<Passkey>, StoreError> {
    let inserted = sqlx::query_as(concat!(
        "INSERT INTO passkeys (passkey_id, person_id, name, credential_id, public_key, transports, is_backup_eligible, sign_count, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (credential_id) DO NOTHING RETURNING ",
        passkey_columns!()
    ))
    .bind(new_id().to_string())
    .bind(person_id.to_string())
    .bind(replace_nul(&new.name))
    .bind(new.credential_id.clone())
    .bind(new.public_key.clone())
    .bind(i64::from(new.transports))
    .bind(i64::from(new.is_backup_eligible))
    .bind(i64::from(new.sign_count))
    .bind(micros(now));
    Ok(inserted.fetch_optional(connection).await?)
}
