//! The links between deals and threads of the inbox. Both sides can replace theirs.

use std::collections::BTreeSet;

use sqlx::AnyConnection;
use uuid::Uuid;

use crate::sql::error::StoreError;

/// Links threads of the account to a deal.
pub(crate) async fn link(
    connection: &mut AnyConnection,
    account_id: Uuid,
    deal_id: Uuid,
    thread_ids: &[Uuid],
) -> Result<(), StoreError> {
    for thread_id in thread_ids.iter().collect::<BTreeSet<_>>() {
        insert(&mut *connection, account_id, deal_id, *thread_id).await?;
    }
    Ok(())
}

/// Replaces the threads of a deal.
pub(crate) async fn replace_of_deal(
    connection: &mut AnyConnection,
    account_id: Uuid,
    deal_id: Uuid,
    thread_ids: &[Uuid],
) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM deal_threads WHERE deal_id = $1 AND account_id = $2")
        .bind(deal_id.to_string())
        .bind(account_id.to_string())
        .execute(&mut *connection)
        .await?;
    link(connection, account_id, deal_id, thread_ids).await
}

/// Replaces the deals of a thread. Links to deleted deals stay, so that a deal that is restored has them
/// again.
pub(crate) async fn replace_of_thread(
    connection: &mut AnyConnection,
    account_id: Uuid,
    thread_id: Uuid,
    deal_ids: &[Uuid],
) -> Result<(), StoreError> {
    sqlx::query(
        "DELETE FROM deal_threads WHERE thread_id = $1 AND account_id = $2 \
         AND deal_id IN (SELECT d.deal_id FROM deals AS d WHERE d.account_id = $2 AND d.deleted_at IS NULL)",
    )
    .bind(thread_id.to_string())
    .bind(account_id.to_string())
    .execute(&mut *connection)
    .await?;
    for deal_id in deal_ids.iter().collect::<BTreeSet<_>>() {
        insert(&mut *connection, account_id, *deal_id, thread_id).await?;
    }
    Ok(())
}

/// Links a deal and a thread, if both belong to the account.
async fn insert(
    connection: &mut AnyConnection,
    account_id: Uuid,
    deal_id: Uuid,
    thread_id: Uuid,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO deal_threads (deal_id, thread_id, account_id) SELECT d.deal_id, t.thread_id, d.account_id \
         FROM deals AS d JOIN threads AS t ON t.account_id = d.account_id \
         WHERE d.deal_id = $1 AND t.thread_id = $2 AND d.account_id = $3 AND d.deleted_at IS NULL \
         ON CONFLICT (deal_id, thread_id) DO NOTHING",
    )
    .bind(deal_id.to_string())
    .bind(thread_id.to_string())
    .bind(account_id.to_string())
    .execute(connection)
    .await?;
    Ok(())
}
