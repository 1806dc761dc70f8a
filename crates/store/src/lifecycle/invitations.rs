//! Invitations: links with which people become members of an account.
//!
//! An invitation works while its inviter could make it: one who was removed, disabled or demoted cannot let
//! anybody in with a link that they have kept.

use jiff::{SignedDuration, Timestamp};
use sqlx::{AnyConnection, Row};
use uuid::Uuid;

use crate::accounts::api_keys::KeyHash;
use crate::accounts::audit::{AuditAction, AuditEntries, NewAuditEntry};
use crate::accounts::members::{self, Actor};
use crate::accounts::people::{NewPerson, People, Person};
use crate::accounts::sessions::{Entered, NewSession, Sessions};
use crate::accounts::users::{Role, User, user_columns};
use crate::events::notices::{self, NoticeContent};
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::redacted::Redacted;
use crate::sql::row::{Columns, email_key, email_spellings, micros, new_id};
use crate::sql::scope::{Scope, in_scope, scoped, scoped_as};

/// How long a link is valid.
const VALIDITY: SignedDuration = SignedDuration::from_hours(7 * 24);
/// How long an invitation whose link has expired is kept, so that it can be given a new one.
const KEPT: SignedDuration = SignedDuration::from_hours(30 * 24);
/// The invitations that an account may have.
const MOST: usize = 100;
/// The e-mails with invitations of an account in a day. Further links are for copying only, so that nobody
/// writes to many strangers in the name of the service.
const MAILS: i64 = 100;
const DAY: SignedDuration = SignedDuration::from_hours(24);

record! {
    /// An invitation that nobody has accepted yet.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Invitation, columns invitation_columns of "i." {
        /// Identifier.
        pub invitation_id: Uuid,
        /// The account.
        pub account_id: Uuid,
        /// E-mail address of the invited person, in its normal form.
        pub email: String,
        /// Their name as the inviter has written it; may be empty.
        pub name: String,
        /// What they will be able to do.
        pub role: Role,
        /// The name of the member who has made the link.
        pub inviter_name: String = "v.name",
        /// When the link was made.
        pub created_at: Timestamp,
        /// When it ends.
        pub expires_at: Timestamp,
    }
}

record! {
    /// An invitation as whoever has its link sees it.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct OpenInvitation, columns open_invitation_columns of "i." {
        /// Identifier.
        pub invitation_id: Uuid,
        /// The name of the account.
        pub account_name: String = "a.name",
        /// E-mail address of the invited person, in its normal form.
        pub email: String,
        /// Their name as the inviter has written it; may be empty.
        pub name: String,
        /// What they will be able to do.
        pub role: Role,
        /// The name of the member who has made the link.
        pub inviter_name: String = "v.name",
        /// When the link ends.
        pub expires_at: Timestamp,
    }
}

/// The invitations whose inviter could still make them.
macro_rules! joined {
    () => {
        " FROM invitations AS i JOIN accounts AS a ON a.account_id = i.account_id \
         JOIN users AS v ON v.user_id = i.inviter_id AND v.account_id = i.account_id AND v.status = 'active' \
         AND (v.role = 'owner' OR (v.role = 'admin' AND i.role <> 'owner')) "
    };
}

/// Somebody to be invited.
#[derive(Debug, Clone)]
pub struct NewInvitation {
    /// E-mail address, in any case.
    pub email: String,
    /// The name of the person; may be empty.
    pub name: String,
    /// What they will be able to do.
    pub role: Role,
    /// The hash under which the token of the link will be found.
    pub hash: KeyHash,
    /// Whether the person is sent an e-mail, too.
    pub is_mailed: bool,
}

/// Why somebody cannot be invited, or an invitation cannot be changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InvitationError {
    /// The account has no such invitation.
    #[error("there is no such invitation")]
    NotFound,
    /// The role of the actor does not allow it, as of now.
    #[error("only owners and admins invite people, and only owners invite owners")]
    NotAllowed,
    /// The address is not an e-mail address.
    #[error("this is not an e-mail address")]
    InvalidEmail,
    /// The account has a member with this address.
    #[error("the account has a member with this e-mail address")]
    IsMember,
    /// The account has an open invitation for this address.
    #[error("the account has an invitation for this e-mail address")]
    IsInvited,
    /// The account has as many invitations as it may have.
    #[error("an account has at most {MOST} invitations")]
    LimitReached,
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for InvitationError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

/// Who accepts an invitation.
#[derive(Debug, Clone)]
pub enum Joining {
    /// Somebody new.
    New {
        /// Their name.
        name: String,
        /// The hash of the password that they have chosen.
        password_hash: Redacted<String>,
    },
    /// A person who has proven with their password who they are. It has to be theirs still.
    Known(Person),
}

/// What accepting an invitation has come to.
#[derive(Debug)]
pub enum Accepted {
    /// The person is a member, and is signed in or has to enter a code.
    Joined(Entered),
    /// The link is not valid.
    LinkInvalid,
    /// Somebody has the e-mail address already, and has to prove that they are this person.
    PersonExists,
    /// The password of the person has changed since it was verified, or the link is not for them.
    NotProven,
    /// The person has become a member in another way.
    IsMember,
}

group! {
    /// Invitations to accounts.
    pub Invitations, invitations
}

impl Invitations<'_> {
    /// The invitations of the scope, the newest first.
    pub async fn list(self, scope: &Scope) -> Result<Vec<Invitation>, StoreError> {
        let all = scoped_as(
            concat!(
                "SELECT ",
                invitation_columns!(),
                joined!(),
                "WHERE ",
                in_scope!("i."),
                " ORDER BY i.created_at DESC, i.invitation_id DESC"
            ),
            scope,
        );
        Ok(all.fetch_all(self.store.reader()).await?)
    }

    /// Invites somebody to the account of the scope, and notes it. Also returns whether an e-mail is sent.
    pub async fn create(
        self,
        scope: &Scope,
        actor: &Actor,
        new: &NewInvitation,
        now: Timestamp,
    ) -> Result<(Invitation, bool), InvitationError> {
        let email = email_key(&new.email);
        if frontdesk_address::email(&email).is_none() {
            return Err(InvitationError::InvalidEmail);
        }
        let mut transaction = self.store.begin().await?;
        self.begin(&mut transaction, scope, actor, new.role).await?;
        let [spelling, older] = email_spellings(&email);
        let member = scoped(
            concat!("SELECT 1 FROM users WHERE ", in_scope!(), " AND email IN ($3, $4) LIMIT 1"),
            scope,
        )
        .bind(spelling)
        .bind(older);
        if member.fetch_optional(&mut *transaction).await?.is_some() {
            return Err(InvitationError::IsMember);
        }
        let open: Vec<Invitation> =
            scoped_as(concat!("SELECT ", invitation_columns!(), joined!(), "WHERE ", in_scope!("i.")), scope)
                .fetch_all(&mut *transaction)
                .await?;
        if open.iter().any(|known| known.email == email && known.expires_at > now) {
            return Err(InvitationError::IsInvited);
        }
        if open.iter().filter(|known| known.email != email).count() >= MOST {
            return Err(InvitationError::LimitReached);
        }
        // One that has expired, or whose inviter could not make it any more.
        scoped(concat!("DELETE FROM invitations WHERE ", in_scope!(), " AND email = $3"), scope)
            .bind(email.clone())
            .execute(&mut *transaction)
            .await?;
        let invitation_id = new_id();
        sqlx::query(
            "INSERT INTO invitations (invitation_id, account_id, inviter_id, email, name, role, token_hash, created_at, expires_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        )
        .bind(invitation_id.to_string())
        .bind(scope.account_id.to_string())
        .bind(actor.user_id.to_string())
        .bind(email)
        .bind(replace_nul(&new.name))
        .bind(new.role.as_str())
        .bind(new.hash.to_hex())
        .bind(micros(now))
        .bind(ending(now))
        .execute(&mut *transaction)
        .await?;
        let is_mailed = new.is_mailed && mail(&mut transaction, scope, actor, invitation_id, now).await?;
        let made = find(&mut transaction, scope, invitation_id).await?.ok_or(InvitationError::NotFound)?;
        let subject = (invitation_id, format!("{}: {}", made.email, made.role));
        actor.note(&mut transaction, scope, AuditAction::InvitationCreated, subject, now).await?;
        transaction.commit().await?;
        Ok((made, is_mailed))
    }

    /// Gives an invitation a new link, of which the actor becomes the inviter, and notes it. Also returns
    /// whether an e-mail is sent.
    pub async fn renew(
        self,
        scope: &Scope,
        actor: &Actor,
        invitation_id: Uuid,
        hash: &KeyHash,
        is_mailed: bool,
        now: Timestamp,
    ) -> Result<(Invitation, bool), InvitationError> {
        let mut transaction = self.store.begin().await?;
        self.begin(&mut transaction, scope, actor, Role::Collaborator).await?;
        let known = find(&mut transaction, scope, invitation_id).await?.ok_or(InvitationError::NotFound)?;
        self.begin(&mut transaction, scope, actor, known.role).await?;
        scoped(
            concat!(
                "UPDATE invitations SET token_hash = $4, mail_token_hash = NULL, inviter_id = $5, created_at = $6, expires_at = $7 \
                 WHERE ",
                in_scope!(),
                " AND invitation_id = $3"
            ),
            scope,
        )
        .bind(invitation_id.to_string())
        .bind(hash.to_hex())
        .bind(actor.user_id.to_string())
        .bind(micros(now))
        .bind(ending(now))
        .execute(&mut *transaction)
        .await?;
        let is_mailed = is_mailed && mail(&mut transaction, scope, actor, invitation_id, now).await?;
        let made = find(&mut transaction, scope, invitation_id).await?.ok_or(InvitationError::NotFound)?;
        let subject = (invitation_id, made.email.clone());
        actor.note(&mut transaction, scope, AuditAction::InvitationRenewed, subject, now).await?;
        transaction.commit().await?;
        Ok((made, is_mailed))
    }

    /// Revokes an invitation, and notes it.
    pub async fn revoke(
        self,
        scope: &Scope,
        actor: &Actor,
        invitation_id: Uuid,
        now: Timestamp,
    ) -> Result<(), InvitationError> {
        let mut transaction = self.store.begin().await?;
        self.begin(&mut transaction, scope, actor, Role::Collaborator).await?;
        let known = find(&mut transaction, scope, invitation_id).await?.ok_or(InvitationError::NotFound)?;
        self.begin(&mut transaction, scope, actor, known.role).await?;
        scoped(concat!("DELETE FROM invitations WHERE ", in_scope!(), " AND invitation_id = $3"), scope)
            .bind(invitation_id.to_string())
            .execute(&mut *transaction)
            .await?;
        let subject = (invitation_id, known.email);
        actor.note(&mut transaction, scope, AuditAction::InvitationRevoked, subject, now).await?;
        Ok(transaction.commit().await?)
    }

    /// Returns the invitation of a link that can be used; accepting it finds out again. Takes no scope: it is
    /// where somebody begins who has only a token.
    pub async fn open(self, hash: &KeyHash, now: Timestamp) -> Result<Option<OpenInvitation>, StoreError> {
        let one = sqlx::query_as(concat!(
            "SELECT ",
            open_invitation_columns!(),
            joined!(),
            "WHERE (i.token_hash = $1 OR i.mail_token_hash = $1) AND i.expires_at > $2"
        ))
        .bind(hash.to_hex())
        .bind(micros(now));
        Ok(one.fetch_optional(self.store.reader()).await?)
    }

    /// Makes a link for the e-mail of an invitation, and returns what it says. `None` when the invitation
    /// cannot be used any more. For the account of the notice.
    pub async fn mailed(
        self,
        scope: &Scope,
        invitation_id: Uuid,
        hash: &KeyHash,
        now: Timestamp,
    ) -> Result<Option<OpenInvitation>, StoreError> {
        let mut transaction = self.store.begin().await?;
        let open = scoped_as(
            concat!(
                "SELECT ",
                open_invitation_columns!(),
                joined!(),
                "WHERE ",
                in_scope!("i."),
                " AND i.invitation_id = $3 AND i.expires_at > $4"
            ),
            scope,
        )
        .bind(invitation_id.to_string())
        .bind(micros(now))
        .fetch_optional(&mut *transaction)
        .await?;
        scoped(
            concat!(
                "UPDATE invitations SET mail_token_hash = $4 WHERE ",
                in_scope!(),
                " AND invitation_id = $3"
            ),
            scope,
        )
        .bind(invitation_id.to_string())
        .bind(hash.to_hex())
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(open)
    }

    /// Makes the person of a link a member, uses the link up, signs the person in and notes it, all in one
    /// transaction: of two requests, one succeeds. For whoever has the token.
    pub async fn accept(
        self,
        hash: &KeyHash,
        joining: &Joining,
        session: (KeyHash, String, Option<Uuid>),
        ip_address: Option<String>,
        now: Timestamp,
    ) -> Result<Accepted, StoreError> {
        let mut transaction = self.store.begin().await?;
        let row =
            sqlx::query("SELECT account_id FROM invitations WHERE token_hash = $1 OR mail_token_hash = $1")
                .bind(hash.to_hex())
                .fetch_optional(&mut *transaction)
                .await?;
        let Some(row) = row else { return Ok(Accepted::LinkInvalid) };
        let account_id: String = row.try_get("account_id")?;
        let account_id =
            account_id.parse().map_err(|_| StoreError::invalid("account_id", "is not a UUID"))?;
        let scope = Scope::of_account(account_id);
        // Whoever takes away the right of the inviter locks it, too.
        members::lock(&mut transaction, self.store.dialect(), &scope).await?;
        let open: Option<OpenInvitation> = scoped_as(
            concat!(
                "SELECT ",
                open_invitation_columns!(),
                joined!(),
                "WHERE ",
                in_scope!("i."),
                " AND (i.token_hash = $3 OR i.mail_token_hash = $3) AND i.expires_at > $4"
            ),
            &scope,
        )
        .bind(hash.to_hex())
        .bind(micros(now))
        .fetch_optional(&mut *transaction)
        .await?;
        let Some(open) = open else { return Ok(Accepted::LinkInvalid) };
        scoped(concat!("DELETE FROM invitations WHERE ", in_scope!(), " AND invitation_id = $3"), &scope)
            .bind(open.invitation_id.to_string())
            .execute(&mut *transaction)
            .await?;
        let person = match joining {
            Joining::New { name, password_hash } => {
                let new = NewPerson {
                    email: open.email.clone(),
                    name: name.clone(),
                    password_hash: password_hash.clone(),
                };
                match People::insert_new(&mut transaction, &new, now).await? {
                    Some(person) => person,
                    None => return Ok(Accepted::PersonExists),
                }
            }
            Joining::Known(person) => {
                if !is_proven(&mut transaction, person, &open.email).await? {
                    return Ok(Accepted::NotProven);
                }
                person.clone()
            }
        };
        let Some(user) = join(&mut transaction, &scope, &open, &person, now).await? else {
            return Ok(Accepted::IsMember);
        };
        let (token, user_agent, replaced) = session;
        let new = NewSession { person_id: person.person_id, hash: token, user_agent, replaced };
        let Some(entered) = Sessions::enter(&mut transaction, &user, &new, now).await? else {
            return Ok(Accepted::LinkInvalid);
        };
        let entry = NewAuditEntry {
            action: AuditAction::InvitationAccepted,
            person_id: person.person_id,
            person_name: person.name.clone(),
            subject_id: Some(open.invitation_id),
            subject: format!("{}: {}", open.email, open.role),
            ip_address,
        };
        AuditEntries::insert_in(&mut transaction, &scope, &entry, now).await?;
        transaction.commit().await?;
        Ok(Accepted::Joined(entered))
    }

    /// Deletes up to `limit` invitations that expired long ago. Returns how many. For housekeeping.
    pub async fn prune(self, now: Timestamp, limit: u32) -> Result<u64, StoreError> {
        let pruned = sqlx::query(
            "DELETE FROM invitations WHERE invitation_id IN \
             (SELECT invitation_id FROM invitations WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)",
        )
        .bind(now.saturating_sub(KEPT).map_or(i64::MIN, micros))
        .bind(i64::from(limit));
        Ok(pruned.execute(self.store.writer()).await?.rows_affected())
    }

    /// Locks the account, and checks that the actor may invite with a role as of now.
    async fn begin(
        self,
        connection: &mut AnyConnection,
        scope: &Scope,
        actor: &Actor,
        role: Role,
    ) -> Result<(), InvitationError> {
        members::lock(connection, self.store.dialect(), scope).await?;
        let manager = members::manager(connection, scope, actor).await?;
        let manager = manager.ok_or(InvitationError::NotAllowed)?;
        if role == Role::Owner && manager.role != Role::Owner {
            return Err(InvitationError::NotAllowed);
        }
        Ok(())
    }
}

/// When a link ends that is made now.
fn ending(now: Timestamp) -> i64 {
    now.saturating_add(VALIDITY).map_or(i64::MAX, micros)
}

async fn find(
    connection: &mut AnyConnection,
    scope: &Scope,
    invitation_id: Uuid,
) -> Result<Option<Invitation>, StoreError> {
    let one = scoped_as(
        concat!(
            "SELECT ",
            invitation_columns!(),
            joined!(),
            "WHERE ",
            in_scope!("i."),
            " AND i.invitation_id = $3"
        ),
        scope,
    )
    .bind(invitation_id.to_string());
    Ok(one.fetch_optional(connection).await?)
}

/// Has an e-mail sent to the invited person. `false` when the account has sent enough of them.
async fn mail(
    connection: &mut AnyConnection,
    scope: &Scope,
    actor: &Actor,
    invitation_id: Uuid,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let row = sqlx::query(
        "SELECT COUNT(*) AS mails FROM notices WHERE account_id = $1 AND created_at > $2 AND content LIKE '{\"invitation\"%'",
    )
    .bind(scope.account_id.to_string())
    .bind(now.saturating_sub(DAY).map_or(i64::MIN, micros))
    .fetch_one(&mut *connection)
    .await?;
    if row.int("mails")? >= MAILS {
        return Ok(false);
    }
    let content = NoticeContent::Invitation { invitation_id };
    notices::insert_for_user(connection, scope.account_id, actor.user_id, &content, now).await?;
    Ok(true)
}

/// Whether a person has the address of an invitation, and still the password that was verified. The row is
/// locked, so a change of the password ends the new session too, or prevents it.
async fn is_proven(connection: &mut AnyConnection, person: &Person, email: &str) -> Result<bool, StoreError> {
    if !email_spellings(email).contains(&person.email) {
        return Ok(false);
    }
    let same = sqlx::query(
        "UPDATE people SET password_hash = password_hash WHERE person_id = $1 AND password_hash = $2",
    )
    .bind(person.person_id.to_string())
    .bind(person.password_hash.expose().to_owned())
    .execute(connection)
    .await?;
    Ok(same.rows_affected() > 0)
}

/// Adds a person to the account. `None` when they are a member already.
async fn join(
    connection: &mut AnyConnection,
    scope: &Scope,
    open: &OpenInvitation,
    person: &Person,
    now: Timestamp,
) -> Result<Option<User>, StoreError> {
    let user = sqlx::query_as(concat!(
        "INSERT INTO users (user_id, account_id, email, name, role, status, created_at, person_id) \
         SELECT $1, a.account_id, $3, $4, $5, 'active', $6, $7 FROM accounts AS a WHERE a.account_id = $2 \
         AND NOT EXISTS (SELECT 1 FROM users AS u WHERE u.account_id = a.account_id AND u.person_id = $7) \
         ON CONFLICT (account_id, email) DO NOTHING RETURNING ",
        user_columns!()
    ))
    .bind(new_id().to_string())
    .bind(scope.account_id.to_string())
    .bind(open.email.clone())
    .bind(replace_nul(&person.name))
    .bind(open.role.as_str())
    .bind(micros(now))
    .bind(person.person_id.to_string());
    Ok(user.fetch_optional(connection).await?)
}
