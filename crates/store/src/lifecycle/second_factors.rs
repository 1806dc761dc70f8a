//! What changes second factors and what they complete, with the audit entries and e-mails about it.

use jiff::Timestamp;
use sqlx::AnyConnection;
use uuid::Uuid;

use crate::accounts::api_keys::KeyHash;
use crate::accounts::audit::{AuditAction, AuditEntries, NewAuditEntry};
use crate::accounts::members::Actor;
use crate::accounts::pending_sign_ins::{self, PendingSignIn, PendingSignIns};
use crate::accounts::second_factors::{self, Proof, SecondFactors};
use crate::accounts::sessions::{NewSession, Session, Sessions};
use crate::accounts::users::{User, user_columns};
use crate::events::notices::{self, NoticeContent};
use crate::sql::error::StoreError;
use crate::sql::redacted::Redacted;
use crate::sql::row::micros;
use crate::sql::scope::Scope;

/// What a code or a passkey has come to that signs a person in.
#[derive(Debug)]
pub enum Completed {
    /// The person is signed in.
    SignedIn(Box<Session>),
    /// The sign-in has ended, or its user may not act any more.
    Ended,
    /// The code is unknown or was used; the passkey was removed, or its counter has not advanced.
    Refused,
}

/// A secret whose app has shown a right code.
#[derive(Debug, Clone)]
pub struct ConfirmedSecret {
    /// The stored secret.
    pub secret: Redacted<String>,
    /// The step of the code. It cannot be used again.
    pub step: u64,
    /// The hashes of the recovery codes.
    pub recovery_codes: Vec<KeyHash>,
}

/// What a request to remove a second factor has come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FactorRemoval {
    /// It is removed.
    Removed,
    /// The code is unknown or was used.
    Refused,
    /// The account with this name requires a second factor of the person.
    Required(String),
}

/// Locks the row of a person until the transaction ends, as whatever begins a session of the person does.
pub(super) async fn lock(connection: &mut AnyConnection, person_id: Uuid) -> Result<(), StoreError> {
    sqlx::query("UPDATE people SET name = name WHERE person_id = $1")
        .bind(person_id.to_string())
        .execute(connection)
        .await?;
    Ok(())
}

impl PendingSignIns<'_> {
    /// Completes the sign-in whose token has this hash: uses the proof up, and begins a session, which has a
    /// token of its own.
    pub async fn complete(
        self,
        hash: &KeyHash,
        pending: &PendingSignIn,
        proof: &Proof,
        new: &NewSession,
        ip_address: Option<String>,
        now: Timestamp,
    ) -> Result<Completed, StoreError> {
        let mut transaction = self.store.begin().await?;
        lock(&mut transaction, pending.person_id).await?;
        if !pending_sign_ins::take(&mut transaction, hash, now).await? {
            return Ok(Completed::Ended);
        }
        if !second_factors::accept(&mut transaction, pending.person_id, proof).await? {
            return Ok(Completed::Refused);
        }
        let session = begin(&mut transaction, pending.user_id, new, ip_address.clone(), now).await?;
        let Some(session) = session else { return Ok(Completed::Ended) };
        if let Proof::RecoveryCode(_) = proof {
            let actor = Actor {
                user_id: session.user_id,
                person_id: session.person_id,
                person_name: session.person_name.clone(),
                ip_address,
            };
            note_used_code(&mut transaction, &Scope::of_account(session.account_id), &actor, now).await?;
        }
        transaction.commit().await?;
        Ok(Completed::SignedIn(Box::new(session)))
    }
}

/// Begins the session of a person who has shown two factors, and notes it. `None` if the user may not act any
/// more.
pub(super) async fn begin(
    connection: &mut AnyConnection,
    user_id: Uuid,
    new: &NewSession,
    ip_address: Option<String>,
    now: Timestamp,
) -> Result<Option<Session>, StoreError> {
    let user: Option<User> = sqlx::query_as(concat!(
        "SELECT ",
        user_columns!(),
        " FROM users WHERE user_id = $1 AND person_id = $2 AND status = 'active'"
    ))
    .bind(user_id.to_string())
    .bind(new.person_id.to_string())
    .fetch_optional(&mut *connection)
    .await?;
    let Some(user) = user else { return Ok(None) };
    let Some(session) = Sessions::insert(connection, &user, new, now).await? else { return Ok(None) };
    let entry = NewAuditEntry {
        action: AuditAction::SessionCreated,
        person_id: session.person_id,
        person_name: session.person_name.clone(),
        subject_id: Some(session.session_id),
        subject: session.user_agent.clone(),
        ip_address,
    };
    AuditEntries::insert_in(connection, &Scope::of_account(user.account_id), &entry, now).await?;
    Ok(Some(session))
}

/// Ends the sessions of a person except one, because whoever is signed in elsewhere has not shown the second
/// factor that there is from now on.
pub(super) async fn end_others(
    connection: &mut AnyConnection,
    person_id: Uuid,
    kept_session: Uuid,
) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM sessions WHERE person_id = $1 AND session_id <> $2")
        .bind(person_id.to_string())
        .bind(kept_session.to_string())
        .execute(connection)
        .await?;
    Ok(())
}

impl SecondFactors<'_> {
    /// Switches a second factor on, and ends all sessions of the person but one. `false` if the secret is not
    /// the one that waits to be confirmed any more.
    pub async fn confirm(
        self,
        scope: &Scope,
        actor: &Actor,
        kept_session: Uuid,
        confirmed: &ConfirmedSecret,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let person_id = actor.person_id;
        let mut transaction = self.store.begin().await?;
        lock(&mut transaction, person_id).await?;
        let switched = sqlx::query(
            "UPDATE authenticators SET confirmed_at = $2, last_step = $3, failures = 0, blocked_until = NULL \
             WHERE person_id = $1 AND secret = $4 AND confirmed_at IS NULL",
        )
        .bind(person_id.to_string())
        .bind(micros(now))
        .bind(i64::try_from(confirmed.step).unwrap_or(i64::MAX))
        .bind(confirmed.secret.expose().clone())
        .execute(&mut *transaction)
        .await?;
        if switched.rows_affected() == 0 {
            return Ok(false);
        }
        end_others(&mut transaction, person_id, kept_session).await?;
        second_factors::replace_codes(&mut transaction, person_id, &confirmed.recovery_codes, now).await?;
        let subject = (person_id, String::new());
        actor.note(&mut transaction, scope, AuditAction::SecondFactorEnabled, subject, now).await?;
        let notice = NoticeContent::SecondFactorEnabled;
        notices::insert_for_user(&mut transaction, scope.account_id, actor.user_id, &notice, now).await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// Removes the app of a person, if the proof is accepted, and no account of the person requires a second
    /// factor or there is a passkey. The recovery codes go with the last factor.
    pub async fn remove(
        self,
        scope: &Scope,
        actor: &Actor,
        proof: &Proof,
        now: Timestamp,
    ) -> Result<FactorRemoval, StoreError> {
        let mut transaction = self.store.begin().await?;
        lock(&mut transaction, actor.person_id).await?;
        if let Some(account) = second_factors::app_required_by(&mut transaction, actor.person_id).await? {
            return Ok(FactorRemoval::Required(account));
        }
        if !second_factors::accept(&mut transaction, actor.person_id, proof).await? {
            return Ok(FactorRemoval::Refused);
        }
        let subject = (actor.person_id, String::new());
        actor.note(&mut transaction, scope, AuditAction::SecondFactorRemoved, subject, now).await?;
        delete_app(&mut transaction, actor.person_id).await?;
        let is_last = forget_after_last(&mut transaction, actor.person_id).await?;
        let notice = if is_last { NoticeContent::SecondFactorRemoved } else { NoticeContent::AppRemoved };
        notices::insert_for_user(&mut transaction, scope.account_id, actor.user_id, &notice, now).await?;
        transaction.commit().await?;
        Ok(FactorRemoval::Removed)
    }

    /// Removes the app, the passkeys and the recovery codes of the person of a user without a code. For the
    /// operator. `false` if there is neither an app nor a passkey.
    pub async fn remove_of_user(self, user: &User, now: Timestamp) -> Result<bool, StoreError> {
        let Some(person) =
            self.store.people().of_user(&Scope::of_account(user.account_id), user.user_id).await?
        else {
            return Ok(false);
        };
        let mut transaction = self.store.begin().await?;
        lock(&mut transaction, person.person_id).await?;
        if !second_factors::is_needed(&mut transaction, person.person_id).await? {
            return Ok(false);
        }
        delete_app(&mut transaction, person.person_id).await?;
        sqlx::query("DELETE FROM passkeys WHERE person_id = $1")
            .bind(person.person_id.to_string())
            .execute(&mut *transaction)
            .await?;
        forget_after_last(&mut transaction, person.person_id).await?;
        let notice = NoticeContent::SecondFactorRemoved;
        notices::insert_for_user(&mut transaction, user.account_id, user.user_id, &notice, now).await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// Replaces the recovery codes, if the proof is accepted. `false` if it is not.
    pub async fn renew_codes(
        self,
        scope: &Scope,
        actor: &Actor,
        proof: &Proof,
        hashes: &[KeyHash],
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut transaction = self.store.begin().await?;
        lock(&mut transaction, actor.person_id).await?;
        if !second_factors::accept(&mut transaction, actor.person_id, proof).await? {
            return Ok(false);
        }
        second_factors::replace_codes(&mut transaction, actor.person_id, hashes, now).await?;
        let subject = (actor.person_id, String::new());
        actor.note(&mut transaction, scope, AuditAction::RecoveryCodesRenewed, subject, now).await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// Mails a person that somebody has entered several wrong codes, and so knows their password.
    pub async fn warn(self, pending: &PendingSignIn, now: Timestamp) -> Result<(), StoreError> {
        let mut transaction = self.store.begin().await?;
        let (account_id, user_id) = (pending.account_id, pending.user_id);
        notices::insert_for_user(&mut transaction, account_id, user_id, &NoticeContent::WrongCodes, now)
            .await?;
        Ok(transaction.commit().await?)
    }
}

/// Deletes the app of a person, confirmed or not.
async fn delete_app(connection: &mut AnyConnection, person_id: Uuid) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM authenticators WHERE person_id = $1")
        .bind(person_id.to_string())
        .execute(connection)
        .await?;
    Ok(())
}

/// Ends the sign-ins of a person that wait, after an app or a passkey was deleted; the recovery codes go with
/// the last of them. Returns whether it was the last.
pub(super) async fn forget_after_last(
    connection: &mut AnyConnection,
    person_id: Uuid,
) -> Result<bool, StoreError> {
    sqlx::query("DELETE FROM pending_sign_ins WHERE person_id = $1")
        .bind(person_id.to_string())
        .execute(&mut *connection)
        .await?;
    if second_factors::is_needed(connection, person_id).await? {
        return Ok(false);
    }
    sqlx::query("DELETE FROM recovery_codes WHERE person_id = $1")
        .bind(person_id.to_string())
        .execute(connection)
        .await?;
    Ok(true)
}

/// Notes that a recovery code was used.
async fn note_used_code(
    connection: &mut AnyConnection,
    scope: &Scope,
    actor: &Actor,
    now: Timestamp,
) -> Result<(), StoreError> {
    let left = second_factors::codes_left(connection, actor.person_id).await?;
    let subject = (actor.person_id, format!("{left} left"));
    actor.note(connection, scope, AuditAction::RecoveryCodeUsed, subject, now).await?;
    let notice = NoticeContent::RecoveryCodeUsed { left };
    notices::insert_for_user(connection, scope.account_id, actor.user_id, &notice, now).await
}
