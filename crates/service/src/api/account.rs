//! The account that a request is about: `account_id` of the operations whose path names no resource.

use frontdesk_model::ValidationFailed;
use frontdesk_store::{Scope, StoreError};
use uuid::Uuid;

use crate::{
    api::Service,
    edge::{
        Caller,
        responses::{self, failure},
    },
};

/// Returns the caller as one who works in this account alone: what is created belongs to it and counts
/// towards the limits of its plan, what is read is its own, and ids of other accounts are unknown. Without an
/// account the caller stays as it is.
///
/// An account that the caller does not reach is an invalid field, the same as one that does not exist.
pub(super) async fn acting(
    service: &Service,
    caller: Caller,
    account_id: Option<Uuid>,
) -> Result<Result<Caller, ValidationFailed>, StoreError> {
    let Some(account_id) = account_id else { return Ok(Ok(caller)) };
    let scope = Scope::of_account(account_id);
    if account_id == caller.account_id {
        return Ok(Ok(Caller { scope, ..caller }));
    }
    let found = if caller.scope.includes_sub_accounts {
        service.store.accounts().find(account_id).await?
    } else {
        None
    };
    let Some(account) = found.filter(|account| account.parent_id == Some(caller.scope.account_id)) else {
        let problem = failure("account_id", "is not an account that you have access to");
        return Ok(Err(responses::validation_failed([problem])));
    };
    Ok(Ok(Caller {
        scope,
        account_id,
        plan: account.plan,
        monthly_credits: account.monthly_credits,
        ..caller
    }))
}
