//! The row of an FAQ, locked by a transaction that changes it or its items.

use sqlx::AnyConnection;
use uuid::Uuid;

use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::row::Columns;
use crate::sql::scope::{Scope, in_scope, scoped};

/// An FAQ whose row a transaction has locked.
pub(crate) struct FaqKey {
    pub(crate) faq_id: String,
    pub(crate) account_id: String,
    pub(crate) language: Option<String>,
}

impl FaqKey {
    /// The scope of the FAQ's own account.
    pub(crate) fn scope(&self) -> Result<Scope, StoreError> {
        let account_id = self.account_id.parse();
        Ok(Scope::of_account(account_id.map_err(|_| StoreError::invalid("account_id", "it is not a UUID"))?))
    }
}

/// Finds an FAQ and locks its row until the transaction ends. SQLite runs one write transaction at a time.
pub(crate) async fn lock(
    connection: &mut AnyConnection,
    dialect: Dialect,
    scope: &Scope,
    faq_id: Uuid,
) -> Result<Option<FaqKey>, StoreError> {
    macro_rules! select {
        ($lock:literal) => {
            concat!(
                "SELECT faq_id, account_id, language FROM faqs WHERE ",
                in_scope!(),
                " AND faq_id = $3",
                $lock
            )
        };
    }
    let sql = dialect.pick(select!(""), select!(" FOR NO KEY UPDATE"));
    let row = scoped(sql, scope).bind(faq_id.to_string()).fetch_optional(connection).await?;
    row.map(|row| {
        Ok(FaqKey {
            faq_id: row.text("faq_id")?,
            account_id: row.text("account_id")?,
            language: row.text_opt("language")?,
        })
    })
    .transpose()
}
