//! New accounts, each with an empty sales board; and the first one, with its owner.

use jiff::Timestamp;
use sqlx::AnyConnection;

use crate::accounts::api_keys::KeyHash;
use crate::accounts::links::Links;
use crate::accounts::people::{NewPerson, People};
use crate::accounts::sessions::{NewSession, Session, Sessions};
use crate::accounts::users::{Role, User, user_columns};
use crate::accounts::{Account, AccountKind, Accounts, NewAccount, Plan};
use crate::board::{deal_rows, deal_statuses};
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::row::{email_key, micros, new_id};

/// The first account of an installation and its owner.
#[derive(Debug, Clone)]
pub struct NewInstallation {
    /// The hash of the token of the set-up link.
    pub link: KeyHash,
    /// The name of the account.
    pub account_name: String,
    /// The owner.
    pub owner: NewPerson,
    /// The hash of the token of the owner's session.
    pub session: KeyHash,
    /// The browser of the owner.
    pub user_agent: String,
}

/// What setting up an installation has come to.
#[derive(Debug)]
pub enum FirstOwner {
    /// The owner is signed in.
    SignedIn(Box<Session>),
    /// The link is not valid.
    LinkInvalid,
    /// There are people already.
    Exists,
}

impl Accounts<'_> {
    /// Makes an account with an empty sales board. For the operator.
    pub async fn create(self, new: &NewAccount, now: Timestamp) -> Result<Account, StoreError> {
        if let Some(parent_id) = new.parent_id {
            if new.kind == AccountKind::Agency {
                return Err(StoreError::invalid("kind", "a sub-account cannot be an agency itself"));
            }
            // Neither the existence nor the kind of an account ever changes back, so no lock is needed.
            let parent = self.find(parent_id).await?;
            if parent.is_none_or(|parent| parent.kind != AccountKind::Agency) {
                return Err(StoreError::invalid("parent_id", format!("there is no agency {parent_id}")));
            }
        }
        let mut transaction = self.store.begin().await?;
        let account = insert(&mut transaction, new, now).await?;
        transaction.commit().await?;
        Ok(account)
    }

    /// Makes the first account with its owner, and signs the owner in, if the set-up link is valid. The link
    /// is used up by the same transaction, so of two requests one succeeds. For whoever has the link.
    pub async fn set_up(self, new: &NewInstallation, now: Timestamp) -> Result<FirstOwner, StoreError> {
        let mut transaction = self.store.begin().await?;
        if !Links::take_setup(&mut transaction, &new.link, now).await? {
            return Ok(FirstOwner::LinkInvalid);
        }
        let known = sqlx::query("SELECT 1 FROM users LIMIT 1").fetch_optional(&mut *transaction).await?;
        if known.is_some() {
            return Ok(FirstOwner::Exists);
        }
        // The installation is the operator's own, so nothing is sold and nothing is limited.
        let account = NewAccount {
            parent_id: None,
            kind: AccountKind::Standard,
            name: new.account_name.clone(),
            plan: Plan::Scale,
            monthly_credits: None,
        };
        let account = insert(&mut transaction, &account, now).await?;
        let person = People::insert(&mut transaction, &new.owner, now).await?;
        let user: User = sqlx::query_as(concat!(
            "INSERT INTO users (user_id, account_id, email, name, role, status, created_at, person_id) \
             VALUES ($1, $2, $3, $4, $5, 'active', $6, $7) RETURNING ",
            user_columns!()
        ))
        .bind(new_id().to_string())
        .bind(account.account_id.to_string())
        .bind(email_key(&new.owner.email))
        .bind(replace_nul(&new.owner.name))
        .bind(Role::Owner.as_str())
        .bind(micros(now))
        .bind(person.person_id.to_string())
        .fetch_one(&mut *transaction)
        .await?;
        let session = NewSession {
            person_id: person.person_id,
            hash: new.session,
            user_agent: new.user_agent.clone(),
            replaced: None,
        };
        let Some(session) = Sessions::insert(&mut transaction, &user, &session, now).await? else {
            return Ok(FirstOwner::LinkInvalid);
        };
        transaction.commit().await?;
        Ok(FirstOwner::SignedIn(Box::new(session)))
    }
}

/// Writes an account with an empty sales board.
async fn insert(
    connection: &mut AnyConnection,
    new: &NewAccount,
    now: Timestamp,
) -> Result<Account, StoreError> {
    let account = Accounts::insert(&mut *connection, new, now).await?;
    let account_id = account.account_id.to_string();
    deal_statuses::insert_first(&mut *connection, &account_id, now).await?;
    deal_rows::insert_default(connection, &account_id, now).await?;
    Ok(account)
}
