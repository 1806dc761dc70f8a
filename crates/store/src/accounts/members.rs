//! Members: the users of an account as its owners and admins see and change them.
//!
//! A change locks the row of the account, so that changes of its members are made one after the other: each
//! decides with what the ones before have left, such as who is the last owner.

use jiff::Timestamp;
use sqlx::{AnyConnection, Row};
use uuid::Uuid;

use crate::accounts::audit::{AuditAction, AuditEntries, NewAuditEntry};
use crate::accounts::users::{self, Role, User, UserStatus, user_columns};
use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::pages::{Page, PageRequest, Position};
use crate::sql::row::{Columns, micros};
use crate::sql::scope::{Scope, in_scope, scoped, scoped_as};

record! {
    /// A user of an account, and when they were last there.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Member, columns member_columns {
        /// Identifier: that of the user.
        pub user_id: Uuid,
        /// E-mail address.
        pub email: String,
        /// Display name.
        pub name: String,
        /// What the member may do.
        pub role: Role,
        /// Whether the member may act at all.
        pub status: UserStatus,
        /// When the member was added.
        pub created_at: Timestamp,
        /// When they last used the console in this account, exact to five minutes.
        pub last_seen_at: Option<Timestamp>,
        /// Whether the password alone does not suffice to sign in.
        pub has_second_factor: bool = "(CASE WHEN EXISTS (SELECT 1 FROM authenticators AS f WHERE f.person_id = users.person_id \
            AND f.confirmed_at IS NOT NULL) OR EXISTS (SELECT 1 FROM passkeys AS k WHERE k.person_id = users.person_id) THEN 1 ELSE 0 END)",
    }
}

/// Who changes something of an account, for the audit entry of the change.
#[derive(Debug, Clone)]
pub struct Actor {
    /// The user of the account.
    pub user_id: Uuid,
    /// The person.
    pub person_id: Uuid,
    /// The name of the person.
    pub person_name: String,
    /// The client address of the request.
    pub ip_address: Option<String>,
}

impl Actor {
    /// Notes what the actor has done, in the transaction of that.
    pub(crate) async fn note(
        &self,
        connection: &mut AnyConnection,
        scope: &Scope,
        action: AuditAction,
        (subject_id, subject): (Uuid, String),
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let entry = NewAuditEntry {
            action,
            person_id: self.person_id,
            person_name: self.person_name.clone(),
            subject_id: Some(subject_id),
            subject,
            ip_address: self.ip_address.clone(),
        };
        AuditEntries::insert_in(connection, scope, &entry, now).await
    }
}

/// A change of a member. What is `None` stays.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MemberChange {
    /// What the member may do from now on.
    pub role: Option<Role>,
    /// Whether the member may act from now on.
    pub status: Option<UserStatus>,
}

/// Why a member cannot be changed or removed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MemberError {
    /// The account has no such member.
    #[error("there is no such member")]
    NotFound,
    /// The role of the actor does not allow it, as of now.
    #[error("only owners and admins change members, and only owners change owners")]
    NotAllowed,
    /// The account would have no active owner.
    #[error("the account would have no active owner")]
    LastOwner,
    /// Nobody changes their own role or status.
    #[error("nobody changes their own role or status")]
    OwnMembership,
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for MemberError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

/// Locks the account of a scope until the transaction ends, against others who do so too. `false` when it is
/// gone.
pub(crate) async fn lock(
    connection: &mut AnyConnection,
    dialect: Dialect,
    scope: &Scope,
) -> Result<bool, StoreError> {
    let sql = dialect.pick(
        "SELECT 1 FROM accounts WHERE account_id = $1",
        "SELECT 1 FROM accounts WHERE account_id = $1 FOR NO KEY UPDATE",
    );
    let row = sqlx::query(sql).bind(scope.account_id.to_string()).fetch_optional(connection).await?;
    Ok(row.is_some())
}

/// Returns the user of an actor if they may manage the account, after it was locked: their role may have
/// changed since the request was authorized.
pub(crate) async fn manager(
    connection: &mut AnyConnection,
    scope: &Scope,
    actor: &Actor,
) -> Result<Option<User>, StoreError> {
    let user = find(connection, scope, actor.user_id).await?;
    Ok(user.filter(|user| user.status == UserStatus::Active && user.role != Role::Collaborator))
}

async fn find(
    connection: &mut AnyConnection,
    scope: &Scope,
    user_id: Uuid,
) -> Result<Option<User>, StoreError> {
    let one = scoped_as(
        concat!("SELECT ", user_columns!(), " FROM users WHERE ", in_scope!(), " AND user_id = $3"),
        scope,
    )
    .bind(user_id.to_string());
    Ok(one.fetch_optional(connection).await?)
}

/// Whether a user is the only active owner of the account.
async fn is_last_owner(
    connection: &mut AnyConnection,
    scope: &Scope,
    user: &User,
) -> Result<bool, StoreError> {
    if user.role != Role::Owner || user.status != UserStatus::Active {
        return Ok(false);
    }
    let other = scoped(
        concat!(
            "SELECT 1 FROM users WHERE ",
            in_scope!(),
            " AND role = 'owner' AND status = 'active' AND user_id <> $3 LIMIT 1"
        ),
        scope,
    )
    .bind(user.user_id.to_string());
    Ok(other.fetch_optional(connection).await?.is_none())
}

group! {
    /// Members of accounts.
    pub Members, members
}

impl Members<'_> {
    /// One page of the members of the scope, the earliest first.
    pub async fn page(self, scope: &Scope, page: &PageRequest) -> Result<Page<Member>, StoreError> {
        let (key, id) = page.after_number();
        let rows = scoped_as(
            concat!(
                "SELECT ",
                member_columns!(),
                " FROM users WHERE ",
                in_scope!(),
                " AND (created_at, user_id) > ($3, $4) ORDER BY created_at, user_id LIMIT $5"
            ),
            scope,
        )
        .bind(key)
        .bind(id)
        .bind(page.rows())
        .fetch_all(self.store.reader())
        .await?;
        Ok(Page::of(rows, page, |last: &Member| Position::number(micros(last.created_at), last.user_id)))
    }

    /// Changes a member of the account of the scope, and notes it.
    pub async fn update(
        self,
        scope: &Scope,
        actor: &Actor,
        user_id: Uuid,
        change: MemberChange,
        now: Timestamp,
    ) -> Result<Member, MemberError> {
        let mut transaction = self.store.begin().await?;
        lock(&mut transaction, self.store.dialect(), scope).await?;
        let manager = manager(&mut transaction, scope, actor).await?.ok_or(MemberError::NotAllowed)?;
        let user = find(&mut transaction, scope, user_id).await?.ok_or(MemberError::NotFound)?;
        let role = change.role.unwrap_or(user.role);
        let status = change.status.unwrap_or(user.status);
        if manager.role != Role::Owner && (user.role == Role::Owner || role == Role::Owner) {
            return Err(MemberError::NotAllowed);
        }
        let is_changed = (role, status) != (user.role, user.status);
        // A change of an active owner takes away one of both.
        if is_changed && is_last_owner(&mut transaction, scope, &user).await? {
            return Err(MemberError::LastOwner);
        }
        if is_changed && manager.user_id == user.user_id {
            return Err(MemberError::OwnMembership);
        }
        let member = scoped_as(
            concat!(
                "UPDATE users SET role = $4, status = $5 WHERE ",
                in_scope!(),
                " AND user_id = $3 RETURNING ",
                member_columns!()
            ),
            scope,
        )
        .bind(user_id.to_string())
        .bind(role.as_str())
        .bind(status.as_str())
        .fetch_one(&mut *transaction)
        .await?;
        if status == UserStatus::Disabled {
            users::end_access(&mut transaction, user_id).await?;
        }
        if role != user.role {
            let subject = (user_id, format!("{}: {role}", user.name));
            actor.note(&mut transaction, scope, AuditAction::MemberRoleChanged, subject, now).await?;
        }
        if status != user.status {
            let action = match status {
                UserStatus::Active => AuditAction::MemberEnabled,
                UserStatus::Disabled => AuditAction::MemberDisabled,
            };
            actor.note(&mut transaction, scope, action, (user_id, user.name), now).await?;
        }
        transaction.commit().await?;
        Ok(member)
    }

    /// Changes a member of the account of the scope for the operator of the installation, who may do so in
    /// every account. Fails with [`MemberError::LastOwner`] as [`update`](Self::update) does.
    pub async fn update_by_operator(
        self,
        scope: &Scope,
        user_id: Uuid,
        change: MemberChange,
    ) -> Result<User, MemberError> {
        let mut transaction = self.store.begin().await?;
        lock(&mut transaction, self.store.dialect(), scope).await?;
        let user = find(&mut transaction, scope, user_id).await?.ok_or(MemberError::NotFound)?;
        let role = change.role.unwrap_or(user.role);
        let status = change.status.unwrap_or(user.status);
        let is_changed = (role, status) != (user.role, user.status);
        if is_changed && is_last_owner(&mut transaction, scope, &user).await? {
            return Err(MemberError::LastOwner);
        }
        let changed = scoped_as(
            concat!(
                "UPDATE users SET role = $4, status = $5 WHERE ",
                in_scope!(),
                " AND user_id = $3 RETURNING ",
                user_columns!()
            ),
            scope,
        )
        .bind(user_id.to_string())
        .bind(role.as_str())
        .bind(status.as_str())
        .fetch_one(&mut *transaction)
        .await?;
        if status == UserStatus::Disabled {
            users::end_access(&mut transaction, user_id).await?;
        }
        transaction.commit().await?;
        Ok(changed)
    }

    /// Removes a member of the account of the scope, with their sessions in it and their API keys, and notes
    /// it. A person who is a member of no account any more is deleted.
    pub async fn remove(
        self,
        scope: &Scope,
        actor: &Actor,
        user_id: Uuid,
        now: Timestamp,
    ) -> Result<(), MemberError> {
        let mut transaction = self.store.begin().await?;
        lock(&mut transaction, self.store.dialect(), scope).await?;
        let user = find(&mut transaction, scope, user_id).await?;
        // Everybody who manages the account may also leave it.
        let manager = manager(&mut transaction, scope, actor).await?.ok_or(MemberError::NotAllowed)?;
        let user = user.ok_or(MemberError::NotFound)?;
        if manager.role != Role::Owner && user.role == Role::Owner {
            return Err(MemberError::NotAllowed);
        }
        if is_last_owner(&mut transaction, scope, &user).await? {
            return Err(MemberError::LastOwner);
        }
        let sql = concat!(
            "SELECT key_id, name FROM api_keys WHERE ",
            in_scope!(),
            " AND user_id = $3 ORDER BY created_at"
        );
        let keys = scoped(sql, scope).bind(user_id.to_string()).fetch_all(&mut *transaction).await?;
        for key in keys {
            let subject = (key.parsed("key_id")?, key.text("name")?);
            actor.note(&mut transaction, scope, AuditAction::KeyDeleted, subject, now).await?;
        }
        let subject = (user_id, user.name);
        actor.note(&mut transaction, scope, AuditAction::MemberRemoved, subject, now).await?;
        // People are locked before their users, as everywhere.
        let person = sqlx::query(
            "UPDATE people SET name = name WHERE person_id IN (SELECT u.person_id FROM users AS u WHERE u.user_id = $1) \
             RETURNING person_id",
        )
        .bind(user_id.to_string())
        .fetch_optional(&mut *transaction)
        .await?;
        scoped(concat!("DELETE FROM users WHERE ", in_scope!(), " AND user_id = $3"), scope)
            .bind(user_id.to_string())
            .execute(&mut *transaction)
            .await?;
        if let Some(row) = person {
            sqlx::query(
                "DELETE FROM people WHERE person_id = $1 AND NOT EXISTS (SELECT 1 FROM users AS u WHERE u.person_id = people.person_id)",
            )
            .bind(row.try_get::<String, _>("person_id")?)
            .execute(&mut *transaction)
            .await?;
        }
        transaction.commit().await?;
        Ok(())
    }
}
