//! Audit entries: what people have done with the access to an account.

use jiff::{SignedDuration, Timestamp};
use sqlx::AnyConnection;
use uuid::Uuid;

use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::pages::{Page, PageRequest, Position};
use crate::sql::row::{micros, new_id};
use crate::sql::scope::{Scope, in_scope, scoped_as};

/// How long an entry is kept.
const KEPT: SignedDuration = SignedDuration::from_hours(365 * 24);

named_values! {
    /// What was done.
    pub enum AuditAction as "action" {
        /// The installation was set up.
        SetupCompleted = "setup.completed",
        /// A person signed in.
        SessionCreated = "session.created",
        /// A person ended another session of theirs.
        SessionEnded = "session.ended",
        /// A person changed their password.
        PasswordChanged = "password.changed",
        /// A person set a password with a link.
        PasswordReset = "password.reset",
        /// An API key was created.
        KeyCreated = "key.created",
        /// An API key was deleted.
        KeyDeleted = "key.deleted",
        /// A session was made one of this account.
        SessionSwitched = "session.switched",
        /// A member was given another role.
        MemberRoleChanged = "member.role_changed",
        /// A member was disabled.
        MemberDisabled = "member.disabled",
        /// A member was enabled again.
        MemberEnabled = "member.enabled",
        /// A member was removed, or has left.
        MemberRemoved = "member.removed",
        /// Somebody was invited.
        InvitationCreated = "invitation.created",
        /// An invitation was given a new link.
        InvitationRenewed = "invitation.renewed",
        /// An invitation was revoked.
        InvitationRevoked = "invitation.revoked",
        /// Somebody became a member by an invitation.
        InvitationAccepted = "invitation.accepted",
        /// A person switched a second factor on.
        SecondFactorEnabled = "second_factor.enabled",
        /// A person removed their second factor.
        SecondFactorRemoved = "second_factor.removed",
        /// A person made new recovery codes.
        RecoveryCodesRenewed = "recovery_codes.renewed",
        /// A person signed in with a recovery code.
        RecoveryCodeUsed = "recovery_code.used",
        /// A person added a passkey.
        PasskeyAdded = "passkey.added",
        /// A person removed a passkey.
        PasskeyRemoved = "passkey.removed",
        /// A passkey was refused because its counter has gone back.
        PasskeyRefused = "passkey.refused",
        /// The account was given another name.
        AccountRenamed = "account.renamed",
        /// The account keeps data for another time.
        RetentionChanged = "account.retention_changed",
        /// The account requires a second factor from then on.
        FactorRequired = "account.factor_required",
        /// The account requires a second factor no longer.
        FactorOptional = "account.factor_optional",
        /// All data of the account was exported.
        AccountExported = "account.exported",
    }
}

record! {
    /// Something that was done.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct AuditEntry, columns audit_entry_columns {
        /// Identifier.
        pub audit_entry_id: Uuid,
        /// What was done.
        pub action: AuditAction,
        /// Who did it, unless the person was deleted.
        pub person_id: Option<Uuid>,
        /// The name of the person at that time.
        pub person_name: String,
        /// What it was done to.
        pub subject_id: Option<Uuid> = "object_id",
        /// A name of that.
        pub subject: String,
        /// The client address of the request.
        pub ip_address: Option<String>,
        /// When it was done.
        pub created_at: Timestamp,
    }
}

/// Something that was done, to be noted.
#[derive(Debug, Clone)]
pub struct NewAuditEntry {
    /// What was done.
    pub action: AuditAction,
    /// Who did it.
    pub person_id: Uuid,
    /// The name of the person.
    pub person_name: String,
    /// What it was done to.
    pub subject_id: Option<Uuid>,
    /// A name of that; may be empty.
    pub subject: String,
    /// The client address of the request.
    pub ip_address: Option<String>,
}

group! {
    /// Audit entries of accounts.
    pub AuditEntries, audit_entries
}

impl AuditEntries<'_> {
    /// Notes what was done, in the account of the scope.
    pub async fn insert(self, scope: &Scope, new: &NewAuditEntry, now: Timestamp) -> Result<(), StoreError> {
        Self::insert_in(&mut *self.store.writer().acquire().await?, scope, new, now).await
    }

    /// As [`insert`](Self::insert), in the transaction of what was done.
    pub(crate) async fn insert_in(
        connection: &mut AnyConnection,
        scope: &Scope,
        new: &NewAuditEntry,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        sqlx::query(
            "INSERT INTO audit_entries (audit_entry_id, account_id, action, person_id, person_name, object_id, subject, ip_address, \
             created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        )
        .bind(new_id().to_string())
        .bind(scope.account_id.to_string())
        .bind(new.action.as_str())
        .bind(new.person_id.to_string())
        .bind(replace_nul(&new.person_name))
        .bind(new.subject_id.map(|id| id.to_string()))
        .bind(replace_nul(&new.subject))
        .bind(new.ip_address.clone())
        .bind(micros(now))
        .execute(connection)
        .await?;
        Ok(())
    }

    /// One page of the entries of the scope, the newest first.
    pub async fn page(self, scope: &Scope, page: &PageRequest) -> Result<Page<AuditEntry>, StoreError> {
        let (key, id) = page.before_number();
        let rows = scoped_as(
            concat!(
                "SELECT ",
                audit_entry_columns!(),
                " FROM audit_entries WHERE ",
                in_scope!(),
                " AND (created_at, audit_entry_id) < ($3, $4) ORDER BY created_at DESC, audit_entry_id DESC LIMIT $5"
            ),
            scope,
        )
        .bind(key)
        .bind(id)
        .bind(page.rows())
        .fetch_all(self.store.reader())
        .await?;
        let position = |last: &AuditEntry| Position::number(micros(last.created_at), last.audit_entry_id);
        Ok(Page::of(rows, page, position))
    }

    /// Deletes up to `limit` entries that are older than a year. Returns how many. For housekeeping.
    pub async fn prune(self, now: Timestamp, limit: u32) -> Result<u64, StoreError> {
        let pruned = sqlx::query(
            "DELETE FROM audit_entries WHERE audit_entry_id IN \
             (SELECT audit_entry_id FROM audit_entries WHERE created_at <= $1 ORDER BY created_at LIMIT $2)",
        )
        .bind(now.saturating_sub(KEPT).map_or(i64::MIN, micros))
        .bind(i64::from(limit));
        Ok(pruned.execute(self.store.writer()).await?.rows_affected())
    }
}
