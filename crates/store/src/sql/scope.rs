//! Whose data a call may reach.

use sqlx::Any;
use sqlx::any::{AnyArguments, AnyRow};
use sqlx::query::{Query, QueryAs};
use uuid::Uuid;

use crate::sql::database::Store;
use crate::sql::error::StoreError;

/// The accounts a caller reaches: one account, and for the owner of an agency also its sub-accounts.
///
/// New rows always belong to `account_id` itself, unless they belong to something that exists already, such
/// as a page of a chatbot: then they belong to the account of that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Scope {
    /// The caller's own account.
    pub account_id: Uuid,
    /// Whether accounts whose parent is `account_id` are reached too.
    pub includes_sub_accounts: bool,
}

impl Scope {
    /// Exactly one account.
    pub const fn of_account(account_id: Uuid) -> Self {
        Self { account_id, includes_sub_accounts: false }
    }
}

/// The condition that keeps a statement inside the scope, which it expects as `$1` and `$2`. The argument is
/// the alias of the table that carries the account, dot included.
macro_rules! in_scope {
    () => {
        $crate::sql::scope::in_scope!("")
    };
    ($alias:literal) => {
        concat!(
            $alias,
            "account_id IN (SELECT reach.account_id FROM accounts AS reach \
             WHERE reach.account_id = $1 OR ($2 = 1 AND reach.parent_id = $1))"
        )
    };
}
pub(crate) use in_scope;

/// The statement that finds the record with an id within a scope: the macro of its columns, its table (with
/// the alias that the columns use, if they use one), and the column of the id.
macro_rules! row_by_id {
    ($columns:ident of $table:literal, $id:literal) => {
        concat!(
            "SELECT ",
            $columns!(),
            " FROM ",
            $table,
            " WHERE ",
            $crate::sql::scope::in_scope!(),
            " AND ",
            $id,
            " = $3"
        )
    };
    ($columns:ident of $table:literal as $alias:literal, $id:literal) => {
        concat!(
            "SELECT ",
            $columns!(),
            " FROM ",
            $table,
            " AS ",
            $alias,
            " WHERE ",
            $alias,
            ".",
            $crate::sql::scope::in_scope!(),
            " AND ",
            $alias,
            ".",
            $id,
            " = $3"
        )
    };
}
pub(crate) use row_by_id;

/// A statement that uses [`in_scope!`]; further parameters start at `$3`.
pub(crate) fn scoped(sql: &'static str, scope: &Scope) -> Query<'static, Any, AnyArguments> {
    sqlx::query(sql).bind(scope.account_id.to_string()).bind(i64::from(scope.includes_sub_accounts))
}

/// Like [`scoped`], for a statement whose rows are records.
pub(crate) fn scoped_as<T>(sql: &'static str, scope: &Scope) -> QueryAs<'static, Any, T, AnyArguments>
where
    T: for<'row> sqlx::FromRow<'row, AnyRow>,
{
    sqlx::query_as(sql).bind(scope.account_id.to_string()).bind(i64::from(scope.includes_sub_accounts))
}

/// Returns the record that a statement of [`row_by_id!`] finds.
pub(crate) async fn find_by_id<T>(
    store: &Store,
    statement: &'static str,
    scope: &Scope,
    id: Uuid,
) -> Result<Option<T>, StoreError>
where
    T: for<'row> sqlx::FromRow<'row, AnyRow> + Send + Unpin,
{
    Ok(scoped_as(statement, scope).bind(id.to_string()).fetch_optional(store.reader()).await?)
}
