//! People: who can sign in, by one e-mail address and a password, for one account or several.

use jiff::Timestamp;
use sqlx::AnyConnection;
use uuid::Uuid;

use crate::accounts::users::{Role, User, UserStatus, user_columns};
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::redacted::Redacted;
use crate::sql::row::{email_key, email_spellings, micros, new_id};
use crate::sql::scope::{Scope, in_scope, scoped, scoped_as};

record! {
    /// A person who can sign in.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Person, columns person_columns {
        /// Identifier.
        pub person_id: Uuid,
        /// E-mail address in its normal form; unique.
        pub email: String,
        /// Display name.
        pub name: String,
        /// The hash of the password.
        pub password_hash: Redacted<String>,
        /// When the password was set or changed last.
        pub password_changed_at: Timestamp,
        /// When the person was created.
        pub created_at: Timestamp,
    }
}

/// A person who is to be created.
#[derive(Debug, Clone)]
pub struct NewPerson {
    /// E-mail address, in any case.
    pub email: String,
    /// Display name.
    pub name: String,
    /// The hash of the password.
    pub password_hash: Redacted<String>,
}

record! {
    /// An account in which a person may act.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct AccountOfPerson, columns account_of_person_columns {
        /// The account.
        pub account_id: Uuid = "a.account_id",
        /// Its name.
        pub name: String = "a.name",
        /// What the person may do in it.
        pub role: Role = "u.role",
    }
}

group! {
    /// People who can sign in.
    pub People, people
}

impl People<'_> {
    /// Whether there is nobody in this installation yet, neither a person nor a user. For the operator.
    pub async fn are_missing(self) -> Result<bool, StoreError> {
        let row = sqlx::query(
            "SELECT 1 FROM accounts WHERE EXISTS (SELECT 1 FROM users) OR EXISTS (SELECT 1 FROM people) LIMIT 1",
        )
        .fetch_optional(self.store.writer())
        .await?;
        Ok(row.is_none())
    }

    /// Returns the person with an e-mail address. Takes no scope because it is where a sign-in begins.
    pub async fn find_by_email(self, email: &str) -> Result<Option<Person>, StoreError> {
        let [email, older] = email_spellings(email);
        let one = sqlx::query_as(concat!(
            "SELECT ",
            person_columns!(),
            " FROM people WHERE email IN ($1, $2) ORDER BY created_at LIMIT 1"
        ))
        .bind(email)
        .bind(older);
        Ok(one.fetch_optional(self.store.reader()).await?)
    }

    /// Returns a person. Takes no scope: the id comes from a session.
    pub async fn find(self, person_id: Uuid) -> Result<Option<Person>, StoreError> {
        let one = sqlx::query_as(concat!("SELECT ", person_columns!(), " FROM people WHERE person_id = $1"))
            .bind(person_id.to_string());
        Ok(one.fetch_optional(self.store.reader()).await?)
    }

    /// Returns the person of a user of the scope.
    pub async fn of_user(self, scope: &Scope, user_id: Uuid) -> Result<Option<Person>, StoreError> {
        let row = scoped_as(
            concat!(
                "SELECT ",
                person_columns!(),
                " FROM people WHERE person_id IN (SELECT u.person_id FROM users AS u WHERE ",
                in_scope!("u."),
                " AND u.user_id = $3)"
            ),
            scope,
        )
        .bind(user_id.to_string());
        Ok(row.fetch_optional(self.store.reader()).await?)
    }

    /// Returns the user as which a person signs in: of those who may act, the one who was there last.
    pub async fn active_user(self, person_id: Uuid) -> Result<Option<User>, StoreError> {
        let one = sqlx::query_as(concat!(
            "SELECT ",
            user_columns!(),
            " FROM users WHERE person_id = $1 AND status = $2 ORDER BY COALESCE(last_seen_at, 0) DESC, created_at, user_id LIMIT 1"
        ))
        .bind(person_id.to_string())
        .bind(UserStatus::Active.as_str());
        Ok(one.fetch_optional(self.store.reader()).await?)
    }

    /// Returns the accounts in which a person may act, by name. Takes no scope: the id comes from a session.
    pub async fn accounts(self, person_id: Uuid) -> Result<Vec<AccountOfPerson>, StoreError> {
        let all = sqlx::query_as(concat!(
            "SELECT ",
            account_of_person_columns!(),
            " FROM users AS u JOIN accounts AS a ON a.account_id = u.account_id \
             WHERE u.person_id = $1 AND u.status = 'active' ORDER BY LOWER(a.name), a.account_id LIMIT 200"
        ))
        .bind(person_id.to_string());
        Ok(all.fetch_all(self.store.reader()).await?)
    }

    /// Returns the person of a user, who is created without a password if there is none. For the
    /// demonstration.
    pub async fn without_password(self, user: &User, now: Timestamp) -> Result<Person, StoreError> {
        let scope = Scope::of_account(user.account_id);
        if let Some(person) = self.of_user(&scope, user.user_id).await? {
            return Ok(person);
        }
        let mut transaction = self.store.begin().await?;
        let nothing = Redacted::new(String::new());
        let person = Self::reset_password(&mut transaction, user, &nothing, now).await?;
        transaction.commit().await?;
        Ok(person)
    }

    /// Changes the name of a person, and that of their users. `None` when the person is gone.
    pub async fn rename(self, person_id: Uuid, name: &str) -> Result<Option<Person>, StoreError> {
        let mut transaction = self.store.begin().await?;
        // People are locked before their users, as everywhere.
        let changed = sqlx::query_as(concat!(
            "UPDATE people SET name = $2 WHERE person_id = $1 RETURNING ",
            person_columns!()
        ))
        .bind(person_id.to_string())
        .bind(replace_nul(name))
        .fetch_optional(&mut *transaction)
        .await?;
        sqlx::query("UPDATE users SET name = $2 WHERE person_id = $1")
            .bind(person_id.to_string())
            .bind(replace_nul(name))
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(changed)
    }

    /// Sets a password, if it is still the one that was verified, and ends the sessions of the person except
    /// one, and the links of their users. Returns whether it was set.
    pub async fn change_password(
        self,
        person: &Person,
        hash: &Redacted<String>,
        kept_session: Uuid,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut transaction = self.store.begin().await?;
        let changed = sqlx::query(
            "UPDATE people SET password_hash = $2, password_changed_at = $3 WHERE person_id = $1 AND password_hash = $4",
        )
        .bind(person.person_id.to_string())
        .bind(hash.expose().to_owned())
        .bind(micros(now))
        .bind(person.password_hash.expose().to_owned())
        .execute(&mut *transaction)
        .await?;
        if changed.rows_affected() == 0 {
            return Ok(false);
        }
        sqlx::query("DELETE FROM sessions WHERE person_id = $1 AND session_id <> $2")
            .bind(person.person_id.to_string())
            .bind(kept_session.to_string())
            .execute(&mut *transaction)
            .await?;
        for statement in [
            "DELETE FROM pending_sign_ins WHERE person_id = $1",
            // Whoever has copied a link that was asked for before must not get in by it.
            "DELETE FROM links WHERE user_id IN (SELECT u.user_id FROM users AS u WHERE u.person_id = $1)",
        ] {
            sqlx::query(statement).bind(person.person_id.to_string()).execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        Ok(true)
    }

    /// Deletes the people who are no longer users of any account. For what deletes users, and for
    /// housekeeping, if that was interrupted.
    pub async fn delete_without_users(self) -> Result<(), StoreError> {
        sqlx::query("DELETE FROM people WHERE NOT EXISTS (SELECT 1 FROM users AS u WHERE u.person_id = people.person_id)")
            .execute(self.store.writer())
            .await?;
        Ok(())
    }

    /// Whether the e-mail address of a user signs in to other accounts, and not to that of the user: a link
    /// of the user must not change the password of that person.
    pub async fn is_of_others(self, user: &User) -> Result<bool, StoreError> {
        Self::belongs_to_others(&mut *self.store.reader().acquire().await?, user).await
    }

    /// As [`is_of_others`](Self::is_of_others), in a transaction.
    pub(crate) async fn belongs_to_others(
        connection: &mut AnyConnection,
        user: &User,
    ) -> Result<bool, StoreError> {
        let row = sqlx::query(
            "SELECT 1 FROM people AS p JOIN users AS u ON u.person_id = p.person_id WHERE p.email = $1 AND u.user_id <> $2 \
             AND NOT EXISTS (SELECT 1 FROM users AS own WHERE own.user_id = $2 AND own.person_id = p.person_id) LIMIT 1",
        )
        .bind(email_key(&user.email))
        .bind(user.user_id.to_string())
        .fetch_optional(connection)
        .await?;
        Ok(row.is_some())
    }

    /// Gives the person of a user a password, and creates the person if the user has none yet; ends all of
    /// their sessions. A second factor stays. For a link, which has proven who it is.
    pub(crate) async fn reset_password(
        connection: &mut AnyConnection,
        user: &User,
        hash: &Redacted<String>,
        now: Timestamp,
    ) -> Result<Person, StoreError> {
        let new =
            NewPerson { email: user.email.clone(), name: user.name.clone(), password_hash: hash.clone() };
        // The row is locked until the end of the transaction, whoever else redeems a link of the address.
        let person = Self::insert(connection, &new, now).await?;
        scoped(
            concat!("UPDATE users SET person_id = $4 WHERE ", in_scope!(), " AND user_id = $3"),
            &Scope::of_account(user.account_id),
        )
        .bind(user.user_id.to_string())
        .bind(person.person_id.to_string())
        .execute(&mut *connection)
        .await?;
        for statement in [
            "DELETE FROM sessions WHERE person_id = $1",
            "DELETE FROM pending_sign_ins WHERE person_id = $1",
            // Links that were made before would choose another password.
            "DELETE FROM links WHERE user_id IN (SELECT u.user_id FROM users AS u WHERE u.person_id = $1)",
        ] {
            sqlx::query(statement).bind(person.person_id.to_string()).execute(&mut *connection).await?;
        }
        Ok(person)
    }

    /// Creates a person. `None` when there is one with this e-mail address.
    pub(crate) async fn insert_new(
        connection: &mut AnyConnection,
        new: &NewPerson,
        now: Timestamp,
    ) -> Result<Option<Person>, StoreError> {
        let created = sqlx::query_as(concat!(
            "INSERT INTO people (person_id, email, name, password_hash, password_changed_at, created_at) \
             VALUES ($1, $2, $3, $4, $5, $5) ON CONFLICT (email) DO NOTHING RETURNING ",
            person_columns!()
        ))
        .bind(new_id().to_string())
        .bind(email_key(&new.email))
        .bind(replace_nul(&new.name))
        .bind(new.password_hash.expose().to_owned())
        .bind(micros(now));
        Ok(created.fetch_optional(connection).await?)
    }

    /// Creates a person, or sets the password of the one with this e-mail address.
    pub(crate) async fn insert(
        connection: &mut AnyConnection,
        new: &NewPerson,
        now: Timestamp,
    ) -> Result<Person, StoreError> {
        Ok(sqlx::query_as(concat!(
            "INSERT INTO people (person_id, email, name, password_hash, password_changed_at, created_at) \
             VALUES ($1, $2, $3, $4, $5, $5) ON CONFLICT (email) DO UPDATE SET password_hash = $4, \
             password_changed_at = $5 RETURNING ",
            person_columns!()
        ))
        .bind(new_id().to_string())
        .bind(email_key(&new.email))
        .bind(replace_nul(&new.name))
        .bind(new.password_hash.expose().to_owned())
        .bind(micros(now))
        .fetch_one(connection)
        .await?)
    }
}
