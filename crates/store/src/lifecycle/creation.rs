//! New accounts, each with an empty sales board.

use jiff::Timestamp;

use crate::accounts::{Account, AccountKind, Accounts, NewAccount};
use crate::board::{deal_rows, deal_statuses};
use crate::sql::error::StoreError;

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
        let account = Self::insert(&mut transaction, new, now).await?;
        let account_id = account.account_id.to_string();
        deal_statuses::insert_first(&mut transaction, &account_id, now).await?;
        deal_rows::insert_default(&mut transaction, &account_id, now).await?;
        transaction.commit().await?;
        Ok(account)
    }
}
