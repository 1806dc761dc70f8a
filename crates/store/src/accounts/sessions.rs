//! Sessions: where people are signed in. Role and status are read from the user at each use.

use jiff::{SignedDuration, Timestamp};
use sqlx::AnyConnection;
use uuid::Uuid;

use crate::accounts::api_keys::KeyHash;
use crate::accounts::audit::{AuditAction, AuditEntries, NewAuditEntry};
use crate::accounts::pending_sign_ins::{self, PendingSignIn};
use crate::accounts::second_factors;
use crate::accounts::users::{Role, User, user_columns};
use crate::accounts::{AccountKind, Plan};
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::redacted::Redacted;
use crate::sql::row::{micros, new_id};
use crate::sql::scope::Scope;

/// How long a session is valid after its last use.
const IDLE: SignedDuration = SignedDuration::from_hours(14 * 24);
/// How long a session is valid at the most.
pub const SESSION_LIFETIME: SignedDuration = SignedDuration::from_hours(90 * 24);
/// The last use is written at most once in this time, so that using a session does not mean writing.
const PRECISION: SignedDuration = SignedDuration::from_mins(5);
/// The sessions that a person may have; a further one ends the one that was not used for the longest time.
const MOST: i64 = 50;

/// A session that is to begin.
#[derive(Debug, Clone)]
pub struct NewSession {
    /// The person who signs in.
    pub person_id: Uuid,
    /// The hash under which its token will be found.
    pub hash: KeyHash,
    /// The browser, as people recognize it.
    pub user_agent: String,
    /// The session that it replaces: that of the same browser.
    pub replaced: Option<Uuid>,
}

record! {
    /// A session, with who is signed in as of now.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Session, columns session_columns {
        /// Identifier; not the secret.
        pub session_id: Uuid = "s.session_id",
        /// The person.
        pub person_id: Uuid = "p.person_id",
        /// The name of the person.
        pub person_name: String = "p.name",
        /// The e-mail address of the person.
        pub email: String = "p.email",
        /// The person as a user of the account.
        pub user_id: Uuid = "u.user_id",
        /// What the user may do at present.
        pub role: Role = "u.role",
        /// The account.
        pub account_id: Uuid = "a.account_id",
        /// The name of the account.
        pub account_name: String = "a.name",
        /// Whether the account has sub-accounts.
        pub account_kind: AccountKind = "a.kind",
        /// What the account pays for at present.
        pub plan: Plan = "a.plan",
        /// AI credits a calendar month, where they differ from those of the plan.
        pub monthly_credits: Option<u64> = "a.monthly_credits",
        /// The browser, as people recognize it.
        pub user_agent: String = "s.user_agent",
        /// When the person signed in.
        pub created_at: Timestamp = "s.created_at",
        /// The last use, exact to five minutes.
        pub last_used_at: Timestamp = "s.last_used_at",
        /// When the person last proved who they are.
        pub confirmed_at: Timestamp = "s.confirmed_at",
        /// Whether the account requires a second factor and the person has none. Then they may add one, and
        /// nothing else.
        pub lacks_second_factor: bool = "(CASE WHEN a.requires_second_factor = 1 AND NOT EXISTS (SELECT 1 FROM authenticators AS f \
            WHERE f.person_id = p.person_id AND f.confirmed_at IS NOT NULL) \
            AND NOT EXISTS (SELECT 1 FROM passkeys AS k WHERE k.person_id = p.person_id) THEN 1 ELSE 0 END)",
    }
}

impl Session {
    /// What the person reaches: the account, and as the owner of an agency its sub-accounts too.
    pub fn scope(&self) -> Scope {
        Scope {
            account_id: self.account_id,
            includes_sub_accounts: self.account_kind == AccountKind::Agency && self.role == Role::Owner,
        }
    }

    /// Until when it is valid if it is not used any more.
    pub fn expires_at(&self) -> Timestamp {
        let after = |time: Timestamp, duration| time.saturating_add(duration).unwrap_or(Timestamp::MAX);
        after(self.last_used_at, IDLE).min(after(self.created_at, SESSION_LIFETIME))
    }
}

/// What a right password, or what replaces it, has come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entered {
    /// The person is signed in.
    SignedIn(Box<Session>),
    /// The person has a second factor, which is needed first.
    CodeNeeded(PendingSignIn),
}

/// The tables of a session whose person may act.
macro_rules! joined {
    () => {
        " FROM sessions AS s JOIN people AS p ON p.person_id = s.person_id \
         JOIN users AS u ON u.user_id = s.user_id AND u.person_id = s.person_id AND u.status = 'active' \
         JOIN accounts AS a ON a.account_id = u.account_id "
    };
}

/// Notes that a user is there. The row of a user is written before those of their sessions, as by whoever
/// removes the user.
async fn seen(connection: &mut AnyConnection, user_id: Uuid, now: Timestamp) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE users SET last_seen_at = $2 WHERE user_id = $1 AND (last_seen_at IS NULL OR last_seen_at < $2)",
    )
    .bind(user_id.to_string())
    .bind(micros(now))
    .execute(connection)
    .await?;
    Ok(())
}

group! {
    /// Sessions of people in browsers.
    pub Sessions, sessions
}

impl Sessions<'_> {
    /// Begins a session of a user, or a sign-in that waits for the code of the second factor. `None` when the
    /// user may not act, or the person's password is not the one that was verified any more.
    pub async fn begin(
        self,
        user: &User,
        new: &NewSession,
        verified: &Redacted<String>,
        now: Timestamp,
    ) -> Result<Option<Entered>, StoreError> {
        let mut transaction = self.store.begin().await?;
        // The row is locked, so a change of the password ends this session too, or prevents it.
        let same = sqlx::query(
            "UPDATE people SET password_hash = password_hash WHERE person_id = $1 AND password_hash = $2",
        )
        .bind(new.person_id.to_string())
        .bind(verified.expose().to_owned())
        .execute(&mut *transaction)
        .await?;
        if same.rows_affected() == 0 {
            return Ok(None);
        }
        let entered = Self::enter(&mut transaction, user, new, now).await?;
        if entered.is_some() {
            transaction.commit().await?;
        }
        Ok(entered)
    }

    /// Begins a session of a user without a password and without a code. For the demonstration. `None` when
    /// the user may not act.
    pub async fn begin_without_password(
        self,
        user: &User,
        new: &NewSession,
        now: Timestamp,
    ) -> Result<Option<Session>, StoreError> {
        let mut transaction = self.store.begin().await?;
        let session = Self::insert(&mut transaction, user, new, now).await?;
        if session.is_some() {
            transaction.commit().await?;
        }
        Ok(session)
    }

    /// Begins a session in a transaction, or a sign-in that waits for the code of the second factor, if the
    /// person has one. The row of the person is locked by the caller, as by whoever switches a second factor
    /// on, so nobody gets in without a code at the same time.
    pub(crate) async fn enter(
        connection: &mut AnyConnection,
        user: &User,
        new: &NewSession,
        now: Timestamp,
    ) -> Result<Option<Entered>, StoreError> {
        if !second_factors::is_needed(connection, new.person_id).await? {
            let session = Self::insert(connection, user, new, now).await?;
            return Ok(session.map(|session| Entered::SignedIn(Box::new(session))));
        }
        Self::replace(connection, new).await?;
        let whose = (new.person_id, user);
        let pending = pending_sign_ins::insert(connection, whose, &new.hash, now).await?;
        Ok(pending.map(Entered::CodeNeeded))
    }

    /// Ends the session that a new one replaces.
    async fn replace(connection: &mut AnyConnection, new: &NewSession) -> Result<(), StoreError> {
        if let Some(replaced) = new.replaced {
            sqlx::query("DELETE FROM sessions WHERE session_id = $1")
                .bind(replaced.to_string())
                .execute(connection)
                .await?;
        }
        Ok(())
    }

    /// Begins a session in a transaction, of a person who is known to need no code or has shown one.
    pub(crate) async fn insert(
        connection: &mut AnyConnection,
        user: &User,
        new: &NewSession,
        now: Timestamp,
    ) -> Result<Option<Session>, StoreError> {
        seen(&mut *connection, user.user_id, now).await?;
        Self::replace(connection, new).await?;
        sqlx::query(
            "INSERT INTO sessions (session_id, person_id, user_id, account_id, token_hash, user_agent, created_at, last_used_at, \
             confirmed_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $7)",
        )
        .bind(new_id().to_string())
        .bind(new.person_id.to_string())
        .bind(user.user_id.to_string())
        .bind(user.account_id.to_string())
        .bind(new.hash.to_hex())
        .bind(replace_nul(&new.user_agent))
        .bind(micros(now))
        .execute(&mut *connection)
        .await?;
        sqlx::query(
            "DELETE FROM sessions WHERE person_id = $1 AND session_id NOT IN (SELECT session_id FROM sessions \
             WHERE person_id = $1 ORDER BY last_used_at DESC, session_id DESC LIMIT $2)",
        )
        .bind(new.person_id.to_string())
        .bind(MOST)
        .execute(&mut *connection)
        .await?;
        let begun =
            sqlx::query_as(concat!("SELECT ", session_columns!(), joined!(), "WHERE s.token_hash = $1"))
                .bind(new.hash.to_hex());
        Ok(begun.fetch_optional(connection).await?)
    }

    /// Returns the session whose token has this hash, unless it has ended or its user may not act. Takes no
    /// scope because it is where the scope comes from.
    pub async fn authenticate(self, hash: &KeyHash, now: Timestamp) -> Result<Option<Session>, StoreError> {
        let one: Option<Session> =
            sqlx::query_as(concat!("SELECT ", session_columns!(), joined!(), "WHERE s.token_hash = $1"))
                .bind(hash.to_hex())
                .fetch_optional(self.store.reader())
                .await?;
        Ok(one.filter(|session| session.expires_at() > now))
    }

    /// The sessions of a person that have not ended, the latest use first. Takes no scope: a person is of
    /// several accounts, and the id comes from a session.
    pub async fn list(self, person_id: Uuid, now: Timestamp) -> Result<Vec<Session>, StoreError> {
        let mut all: Vec<Session> = sqlx::query_as(concat!(
            "SELECT ",
            session_columns!(),
            joined!(),
            "WHERE s.person_id = $1 ORDER BY s.last_used_at DESC, s.session_id DESC"
        ))
        .bind(person_id.to_string())
        .fetch_all(self.store.reader())
        .await?;
        all.retain(|session| session.expires_at() > now);
        Ok(all)
    }

    /// Notes that a session is used, which extends it.
    pub async fn touch(self, session: &Session, now: Timestamp) -> Result<(), StoreError> {
        if now.duration_since(session.last_used_at) < PRECISION {
            return Ok(());
        }
        let mut transaction = self.store.begin().await?;
        seen(&mut transaction, session.user_id, now).await?;
        sqlx::query("UPDATE sessions SET last_used_at = $2 WHERE session_id = $1 AND last_used_at < $2")
            .bind(session.session_id.to_string())
            .bind(micros(now))
            .execute(&mut *transaction)
            .await?;
        Ok(transaction.commit().await?)
    }

    /// Makes a session one of another account of its person, and notes it there. `None` when the session has
    /// ended, or the person may not act in the account.
    pub async fn switch(
        self,
        session: &Session,
        account_id: Uuid,
        ip_address: Option<String>,
        now: Timestamp,
    ) -> Result<Option<Session>, StoreError> {
        let mut transaction = self.store.begin().await?;
        let user: Option<User> = sqlx::query_as(concat!(
            "SELECT ",
            user_columns!(),
            " FROM users WHERE person_id = $1 AND account_id = $2 AND status = 'active' ORDER BY created_at, user_id LIMIT 1"
        ))
        .bind(session.person_id.to_string())
        .bind(account_id.to_string())
        .fetch_optional(&mut *transaction)
        .await?;
        let Some(user) = user else { return Ok(None) };
        seen(&mut transaction, user.user_id, now).await?;
        sqlx::query(
            "UPDATE sessions SET user_id = $3, account_id = $4, last_used_at = $5 WHERE session_id = $1 AND person_id = $2",
        )
        .bind(session.session_id.to_string())
        .bind(session.person_id.to_string())
        .bind(user.user_id.to_string())
        .bind(user.account_id.to_string())
        .bind(micros(now))
        .execute(&mut *transaction)
        .await?;
        let switched: Option<Session> =
            sqlx::query_as(concat!("SELECT ", session_columns!(), joined!(), "WHERE s.session_id = $1"))
                .bind(session.session_id.to_string())
                .fetch_optional(&mut *transaction)
                .await?;
        let Some(switched) = switched else { return Ok(None) };
        let entry = NewAuditEntry {
            action: AuditAction::SessionSwitched,
            person_id: switched.person_id,
            person_name: switched.person_name.clone(),
            subject_id: Some(switched.session_id),
            subject: switched.user_agent.clone(),
            ip_address,
        };
        AuditEntries::insert_in(&mut transaction, &Scope::of_account(account_id), &entry, now).await?;
        transaction.commit().await?;
        Ok(Some(switched))
    }

    /// Notes when the person has proven who they are. Returns whether the session is still there.
    pub async fn confirm(
        self,
        session_id: Uuid,
        confirmed_at: Timestamp,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let confirmed =
            sqlx::query("UPDATE sessions SET confirmed_at = $2, last_used_at = $3 WHERE session_id = $1")
                .bind(session_id.to_string())
                .bind(micros(confirmed_at))
                .bind(micros(now));
        Ok(confirmed.execute(self.store.writer()).await?.rows_affected() > 0)
    }

    /// Ends a session of a person. `false` when there is no such session.
    pub async fn end(self, person_id: Uuid, session_id: Uuid) -> Result<bool, StoreError> {
        let ended = sqlx::query("DELETE FROM sessions WHERE person_id = $1 AND session_id = $2")
            .bind(person_id.to_string())
            .bind(session_id.to_string());
        Ok(ended.execute(self.store.writer()).await?.rows_affected() > 0)
    }

    /// Deletes up to `limit` sessions that have ended. Returns how many. For housekeeping.
    pub async fn prune(self, now: Timestamp, limit: u32) -> Result<u64, StoreError> {
        let before = |duration| now.saturating_sub(duration).map_or(i64::MIN, micros);
        let pruned = sqlx::query(
            "DELETE FROM sessions WHERE session_id IN (SELECT session_id FROM sessions \
             WHERE last_used_at <= $1 OR created_at <= $2 ORDER BY last_used_at LIMIT $3)",
        )
        .bind(before(IDLE))
        .bind(before(SESSION_LIFETIME))
        .bind(i64::from(limit));
        Ok(pruned.execute(self.store.writer()).await?.rows_affected())
    }
}
