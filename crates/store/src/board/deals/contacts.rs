//! The links between deals and contacts when contacts are merged.

use sqlx::AnyConnection;
use uuid::Uuid;

use crate::sql::error::StoreError;

/// Links the deals of a contact to another one of the account instead.
pub(crate) async fn move_to_contact(
    connection: &mut AnyConnection,
    account_id: Uuid,
    from: Uuid,
    to: Uuid,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO deal_contacts (deal_id, contact_id, account_id) SELECT deal_id, $3, account_id \
         FROM deal_contacts WHERE account_id = $1 AND contact_id = $2 ON CONFLICT (deal_id, contact_id) DO NOTHING",
    )
    .bind(account_id.to_string())
    .bind(from.to_string())
    .bind(to.to_string())
    .execute(&mut *connection)
    .await?;
    // The links to the old contact are deleted with it.
    Ok(())
}
