//! Account: the settings of the account itself, all of its data, and its end.

use std::time::Duration;

use frontdesk_console_model::{
    Account as Shown, AccountPlan, AccountRequired, AccountUpdate, ConflictErrorKind, EraseAccountError,
    EraseAccountNoContent, ExportAccountError, ExportAccountOk, GetAccountError, Unauthorized,
    UpdateAccountError,
};
use frontdesk_console_server::{Accounts, EraseAccount, ExportAccount, GetAccount, UpdateAccount};
use frontdesk_runtime::{Failure, codec::ByteStream};
use frontdesk_store::{
    AccountSettings, AuditAction, ErasureError, Plan, Scope, Session, SettingsChange, SettingsError,
};

use super::{Console, actor, browser, conflict, only_owners};
use crate::{
    api::{changed::changed, files::attachment},
    edge::{
        authorization::console::{session_ended, too_many, validation_failed},
        rate_limit::Exceeded,
        responses::{failure, timestamp},
    },
    platform::account_archive,
};

/// The archives that are made at a time, because each one reads a whole account.
pub(super) const EXPORTS: usize = 2;
/// Seconds after which somebody who was refused may try again.
const RETRY_EXPORT: u64 = 30;
/// How long a request waits until nothing is left of an account. A small business is gone by then.
const ERASURE_TIME: Duration = Duration::from_secs(10);

/// The account was erased after the request was authorized.
fn gone() -> Unauthorized {
    Unauthorized { body: session_ended() }
}

impl Accounts for Console {
    type Caller = Session;

    async fn get_account(&self, request: GetAccount<Session>) -> Result<Shown, Failure<GetAccountError>> {
        let scope = Scope::of_account(request.caller.account_id);
        let settings = self.service.store.accounts().settings(&scope).await?;
        Ok(shown(settings.ok_or_else(gone)?))
    }

    async fn update_account(
        &self,
        request: UpdateAccount<Session>,
    ) -> Result<Shown, Failure<UpdateAccountError>> {
        let UpdateAccount { caller: session, body, incoming } = request;
        let (scope, actor) = (Scope::of_account(session.account_id), actor(&session, &incoming));
        let (accounts, now) = (self.service.store.accounts(), self.service.now());
        match accounts.change_settings(&scope, &actor, &change(body), now).await {
            Ok(settings) => Ok(shown(settings)),
            Err(SettingsError::NotAllowed) => {
                Err(only_owners("Only owners and admins change the settings of an account.").into())
            }
            Err(SettingsError::NoSecondFactor) => {
                let text = "You have no second factor. Add one to your own sign-in before you require it of everybody.";
                Err(conflict(ConflictErrorKind::Conflict, text).into())
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn export_account(
        &self,
        request: ExportAccount<Session>,
    ) -> Result<ExportAccountOk, Failure<ExportAccountError>> {
        let ExportAccount { caller: session, incoming } = request;
        let Ok(permit) = self.exports.clone().try_acquire_owned() else {
            return Err(too_many(Exceeded { retry_after: RETRY_EXPORT }).into());
        };
        let subject = Some((session.account_id, ""));
        // Before the first byte, so that nothing leaves without being noted.
        self.note(&session, &incoming, AuditAction::AccountExported, subject).await?;
        let archive = account_archive::stream(&self.service, session.account_id, permit);
        Ok(ExportAccountOk {
            content_disposition: attachment(&format!("{}.zip", session.account_name)),
            x_content_type_options: "nosniff".to_owned(),
            body: ByteStream::new(archive),
        })
    }

    async fn erase_account(
        &self,
        request: EraseAccount<Session>,
    ) -> Result<EraseAccountNoContent, Failure<EraseAccountError>> {
        let EraseAccount { caller: session, body, incoming } = request;
        let cookie = browser::cookie(&incoming)?;
        let (account_id, person_id) = (session.account_id, session.person_id);
        let (scope, actor) = (Scope::of_account(account_id), actor(&session, &incoming));
        let data = self.service.store.account_data();
        match data.begin_erasure(&scope, &actor, &body.name, self.service.now()).await {
            Ok(()) => {}
            Err(ErasureError::NotAllowed) => return Err(only_owners("Only owners erase an account.").into()),
            Err(ErasureError::OtherName) => {
                let problem = "is not the name of the account; capital letters count, too";
                return Err(validation_failed([failure("name", problem)]).into());
            }
            Err(ErasureError::SubAccounts(count)) => {
                let text = match count {
                    1 => "The account has a sub-account. Erase that first.".to_owned(),
                    count => format!("The account has {count} sub-accounts. Erase those first."),
                };
                return Err(conflict(ConflictErrorKind::Conflict, &text).into());
            }
            Err(error) => return Err(error.into()),
        }
        // The audit log of the account goes with it.
        tracing::info!(%account_id, %person_id, "an owner has closed an account, whose data is erased");
        account_archive::erase_within(&self.service, account_id, ERASURE_TIME).await;
        Ok(EraseAccountNoContent { set_cookie: cookie.forget() })
    }
}

fn change(body: AccountUpdate) -> SettingsChange {
    // The contract states the bounds.
    let days = |given: Option<i64>| given.map(|days| u32::try_from(days).unwrap_or(u32::MAX));
    SettingsChange {
        name: body.name,
        conversation_days: changed(body.conversation_retention_days).map(days),
        contact_days: changed(body.contact_retention_days).map(days),
        requires_second_factor: body.second_factor_required,
    }
}

fn shown(settings: AccountSettings) -> Shown {
    let plan = match settings.plan {
        Plan::Trial => AccountPlan::Trial,
        Plan::Starter => AccountPlan::Starter,
        Plan::Growth => AccountPlan::Growth,
        Plan::Business => AccountPlan::Business,
        Plan::Scale => AccountPlan::Scale,
    };
    Shown::new(AccountRequired {
        account_id: settings.account_id.into(),
        name: settings.name,
        plan,
        created_at: timestamp(settings.created_at),
        conversation_retention_days: settings.conversation_days.map(i64::from),
        contact_retention_days: settings.contact_days.map(i64::from),
        second_factor_required: settings.requires_second_factor,
    })
}
