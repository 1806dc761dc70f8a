//! Audit entries: who did what that concerns access to an account.

use frontdesk_console_model::{
    AuditAction as Shown, AuditActor, AuditEntry as ShownEntry, AuditEntryList, AuditEntryRequired,
    ListAuditEntriesError, Pagination,
};
use frontdesk_console_server::{AuditEntries, ListAuditEntries};
use frontdesk_runtime::Failure;
use frontdesk_store::{AuditAction, AuditEntry, Scope, Session};

use super::Console;
use crate::edge::{
    Caller,
    authorization::console::validation_failed,
    pages::Listing,
    responses::{self, timestamp},
};

impl AuditEntries for Console {
    type Caller = Session;

    async fn list_audit_entries(
        &self,
        request: ListAuditEntries<Session>,
    ) -> Result<AuditEntryList, Failure<ListAuditEntriesError>> {
        let ListAuditEntries { caller: session, limit, cursor, incoming } = request;
        let listing = Listing::new(&self.service.cursors, &Caller::from(&session), &incoming);
        let Ok(page) = listing.page(limit, cursor.as_deref()) else {
            let problem = "is not a cursor of this list; send `pagination.next_cursor` of the page before";
            return Err(validation_failed([responses::failure("cursor", problem)]).into());
        };
        let scope = Scope::of_account(session.account_id);
        let page = self.service.store.audit_entries().page(&scope, &page).await?;
        let pagination = listing.pagination(page.next.as_ref());
        let pagination = Pagination::new(pagination.next_cursor, pagination.has_more);
        Ok(AuditEntryList::new(page.items.into_iter().map(shown), pagination))
    }
}

fn shown(entry: AuditEntry) -> ShownEntry {
    let action = match entry.action {
        AuditAction::SetupCompleted => Shown::SetupCompleted,
        AuditAction::SessionCreated => Shown::SessionCreated,
        AuditAction::SessionEnded => Shown::SessionEnded,
        AuditAction::PasswordChanged => Shown::PasswordChanged,
        AuditAction::PasswordReset => Shown::PasswordReset,
        AuditAction::KeyCreated => Shown::KeyCreated,
        AuditAction::KeyDeleted => Shown::KeyDeleted,
        AuditAction::SessionSwitched => Shown::SessionSwitched,
        AuditAction::MemberRoleChanged => Shown::MemberRoleChanged,
        AuditAction::MemberDisabled => Shown::MemberDisabled,
        AuditAction::MemberEnabled => Shown::MemberEnabled,
        AuditAction::MemberRemoved => Shown::MemberRemoved,
        AuditAction::InvitationCreated => Shown::InvitationCreated,
        AuditAction::InvitationRenewed => Shown::InvitationRenewed,
        AuditAction::InvitationRevoked => Shown::InvitationRevoked,
        AuditAction::InvitationAccepted => Shown::InvitationAccepted,
        AuditAction::SecondFactorEnabled => Shown::SecondFactorEnabled,
        AuditAction::SecondFactorRemoved => Shown::SecondFactorRemoved,
        AuditAction::RecoveryCodesRenewed => Shown::RecoveryCodesRenewed,
        AuditAction::RecoveryCodeUsed => Shown::RecoveryCodeUsed,
        AuditAction::PasskeyAdded => Shown::PasskeyAdded,
        AuditAction::PasskeyRemoved => Shown::PasskeyRemoved,
        AuditAction::PasskeyRefused => Shown::PasskeyRefused,
        AuditAction::AccountRenamed => Shown::AccountRenamed,
        AuditAction::RetentionChanged => Shown::AccountRetentionChanged,
        AuditAction::FactorRequired => Shown::AccountFactorRequired,
        AuditAction::FactorOptional => Shown::AccountFactorOptional,
        AuditAction::AccountExported => Shown::AccountExported,
    };
    ShownEntry::new(AuditEntryRequired {
        audit_entry_id: entry.audit_entry_id.into(),
        action,
        actor: AuditActor::new(entry.person_id.map(Into::into), entry.person_name),
        subject_id: entry.subject_id,
        subject: entry.subject,
        ip_address: entry.ip_address,
        created_at: timestamp(entry.created_at),
    })
}
