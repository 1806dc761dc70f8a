//! Lists of threads, by the time of their last message, the latest first.
//!
//! A page is read by an index, account by account: a statement on several accounts at a time would have to
//! sort all their threads. Few callers reach more than one.

use jiff::Timestamp;
use sqlx::any::AnyArguments;
use sqlx::{Arguments, AssertSqlSafe};
use uuid::Uuid;

use super::record::Thread;
use super::{Threads, words};
use crate::events::states::{ThreadChannel, ThreadStatus};
use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::hidden::is_hidden;
use crate::sql::pages::{Page, PageRequest, Position};
use crate::sql::record::Column;
use crate::sql::row::{Columns, micros};
use crate::sql::scope::Scope;

/// Which threads a list has.
#[derive(Debug, Clone, Default)]
pub struct ThreadFilter {
    /// Only those with this status.
    pub status: Option<ThreadStatus>,
    /// None that are spam, unless `status` says otherwise.
    pub without_spam: bool,
    /// Only those of this channel.
    pub channel: Option<ThreadChannel>,
    /// Only those of this channel of the account.
    pub channel_id: Option<Uuid>,
    /// Only those that this person takes care of.
    pub assignee_id: Option<Uuid>,
    /// Only those that nobody takes care of (`true`), or only the others.
    pub unassigned: Option<bool>,
    /// Only those with this contact.
    pub contact_id: Option<Uuid>,
    /// Only those that this deal is about.
    pub deal_id: Option<Uuid>,
    /// Only chats with this chatbot.
    pub chatbot_id: Option<Uuid>,
    /// Only those with unread messages (`true`), or only the others.
    pub unread: Option<bool>,
    /// Only those that have changed at this moment or later.
    pub updated_since: Option<Timestamp>,
    /// Only those with a message that has all these words; the last one may be the beginning of a word. Of
    /// the messages that have them, the 10,000 newest are looked at.
    pub text: Option<String>,
}

/// With more threads changed than these, a page is read by their order rather than by their changes.
const FEW_CHANGES: i64 = 5_000;

/// Stands for each status but `spam`, in place of one.
const WANTED: &str = "wanted";

/// The statement of a page. All filters are checked in any case; the condition repeats one of them so that
/// the database finds the index that is made for it. `$15` is what the index of messages is asked for.
///
/// `NOT (…)` and `+` keep SQLite from using an index for what they are about, because it has no statistics to
/// choose by; PostgreSQL reads `NOT (…)` as the opposite comparison. The ids of the page are found first, so
/// that computed columns cost nothing for other threads.
macro_rules! page {
    ($condition:expr) => {
        page!($condition, "account_id = $1", "(last_message_at, thread_id)", "NOT (updated_at < $12)")
    };
    ($condition:expr, $account:literal, $key:literal, $changed:literal) => {
        concat!(
            "SELECT ",
            thread_columns!(),
            " FROM threads WHERE thread_id IN (SELECT thread_id FROM threads WHERE ",
            $account,
            " AND ",
            $key,
            " < ($2, $3) ",
            $condition,
            " AND ($4 = '' OR status = $4 OR $4 = 'wanted' AND status <> 'spam') AND ($5 = '' OR channel = $5) AND ($6 = '' OR channel_id = $6) \
             AND ($7 = '' OR assignee_id = $7) AND ($8 < 0 OR (assignee_id IS NULL) = ($8 = 1)) \
             AND ($9 = '' OR contact_id = $9) AND ($10 = '' OR chatbot_id = $10) \
             AND ($11 < 0 OR (unread_count > 0) = ($11 = 1)) AND ",
            $changed,
            " AND ($14 = '' OR thread_id IN (SELECT link.thread_id FROM deal_threads AS link WHERE link.deal_id = $14)) \
             ORDER BY last_message_at DESC, thread_id DESC LIMIT $13) ORDER BY last_message_at DESC, thread_id DESC"
        )
    };
    (by changes) => {
        page!("", "account_id = $1", "(+last_message_at, thread_id)", "updated_at >= $12")
    };
}

/// The condition that a thread has a message that was found.
macro_rules! found {
    ($hits:expr) => {
        page!(
            concat!("AND thread_id IN (SELECT hit.thread_id FROM (", $hits, ") AS hit)"),
            "NOT (account_id <> $1)",
            "(+last_message_at, thread_id)",
            "NOT (updated_at < $12)"
        )
    };
}

impl ThreadFilter {
    /// Returns the statement that reads a page by the index of the filter that leaves the fewest threads, as
    /// a rule.
    const fn statement(&self, dialect: Dialect, few_changes: bool) -> &'static str {
        match self {
            Self { text: Some(_), .. } => dialect.pick(
                found!(concat!(
                    "SELECT m.thread_id FROM thread_message_index CROSS JOIN thread_messages AS m \
                     ON m.message_no = thread_message_index.rowid WHERE thread_message_index MATCH $15 AND NOT ",
                    is_hidden!("m" in "thread_id"),
                    " ORDER BY thread_message_index.rowid DESC LIMIT 10000"
                )),
                found!(concat!(
                    "SELECT m.thread_id FROM thread_messages AS m WHERE m.account_id = $1 \
                     AND m.tokens @@ CAST($15 AS tsquery) AND NOT ",
                    is_hidden!("m" in "thread_id"),
                    " ORDER BY m.message_no DESC LIMIT 10000"
                )),
            ),
            Self { deal_id: Some(_), .. } => {
                page!(
                    "AND thread_id IN (SELECT link.thread_id FROM deal_threads AS link WHERE link.deal_id = $14)"
                )
            }
            Self { contact_id: Some(_), .. } => page!("AND contact_id = $9"),
            _ if few_changes => page!(by changes),
            Self { assignee_id: Some(_), .. } => page!("AND assignee_id = $7"),
            Self { unread: Some(true), .. } => page!("AND unread_count > 0"),
            Self { chatbot_id: Some(_), .. } => page!("AND chatbot_id = $10"),
            Self { unassigned: Some(true), status: Some(_), .. } => {
                page!("AND assignee_id IS NULL AND status = $4")
            }
            Self { status: Some(_), .. } => page!("AND status = $4"),
            Self { channel: Some(_), .. } => page!("AND channel = $5"),
            _ => page!(""),
        }
    }

    fn arguments(
        &self,
        dialect: Dialect,
        account_id: Uuid,
        page: &PageRequest,
    ) -> Result<AnyArguments, StoreError> {
        let (key, id) = page.before_number();
        let flag = |value: Option<bool>| value.map_or(-1, i64::from);
        let id_or_none = |id: Option<Uuid>| id.map(|id| id.to_string()).unwrap_or_default();
        let mut arguments = AnyArguments::default();
        let add = || {
            arguments.add(account_id.to_string())?;
            arguments.add(key)?;
            arguments.add(id)?;
            let any_status = if self.without_spam { WANTED } else { "" };
            arguments.add(self.status.map_or(any_status, ThreadStatus::as_str).to_owned())?;
            arguments.add(self.channel.map(ThreadChannel::as_str).unwrap_or_default().to_owned())?;
            arguments.add(id_or_none(self.channel_id))?;
            arguments.add(id_or_none(self.assignee_id))?;
            arguments.add(flag(self.unassigned))?;
            arguments.add(id_or_none(self.contact_id))?;
            arguments.add(id_or_none(self.chatbot_id))?;
            arguments.add(flag(self.unread))?;
            arguments.add(self.updated_since.map_or(i64::MIN, micros))?;
            arguments.add(page.rows())?;
            arguments.add(id_or_none(self.deal_id))?;
            if let Some(text) = &self.text {
                arguments.add(search(dialect, account_id, text))?;
            }
            Ok(())
        };
        add().map_err(sqlx::Error::Encode)?;
        Ok(arguments)
    }

    /// Returns whether the filter names words, and there are none in the text.
    fn finds_nothing(&self, account_id: Uuid) -> bool {
        self.text.as_ref().is_some_and(|text| words::query(account_id, text).is_empty())
    }
}

/// Returns what the index of messages is asked for. Tokens hold letters and digits only, so no text of a user
/// is read as query syntax.
fn search(dialect: Dialect, account_id: Uuid, text: &str) -> String {
    let tokens = words::query(account_id, text);
    let last = tokens.len().saturating_sub(1);
    let terms = tokens.iter().enumerate().map(|(index, token)| match dialect {
        Dialect::Sqlite if index == last => format!("{token}*"),
        Dialect::Sqlite => token.clone(),
        Dialect::Postgres if index == last => format!("'{token}':*"),
        Dialect::Postgres => format!("'{token}'"),
    });
    terms.collect::<Vec<_>>().join(dialect.pick(" AND ", " & "))
}

impl Threads<'_> {
    /// One page of the threads of the scope, by the time of their last message, the latest first.
    pub async fn page(
        self,
        scope: &Scope,
        filter: &ThreadFilter,
        page: &PageRequest,
    ) -> Result<Page<Thread>, StoreError> {
        let mut threads = Vec::new();
        let accounts = self.accounts(scope).await?;
        let is_one = accounts.len() == 1;
        for account_id in accounts {
            if filter.finds_nothing(account_id) {
                continue;
            }
            threads.extend(self.page_of_account(account_id, filter, page).await?);
        }
        if !is_one {
            let key = |thread: &Thread| (thread.last_message_at, thread.thread_id);
            threads.sort_unstable_by_key(|thread| std::cmp::Reverse(key(thread)));
            threads.truncate(page.limit as usize + 1);
        }
        Ok(Page::of(threads, page, |last: &Thread| {
            Position::number(micros(last.last_message_at), last.thread_id)
        }))
    }

    async fn page_of_account(
        self,
        account_id: Uuid,
        filter: &ThreadFilter,
        page: &PageRequest,
    ) -> Result<Vec<Thread>, StoreError> {
        let dialect = self.store.dialect();
        let few_changes = self.few_changes(account_id, filter).await?;
        let arguments = filter.arguments(dialect, account_id, page)?;
        let rows = sqlx::query_as_with(filter.statement(dialect, few_changes), arguments);
        Ok(rows.fetch_all(self.store.reader()).await?)
    }

    /// Returns whether the filter asks for changes, and only few threads have changed since.
    async fn few_changes(self, account_id: Uuid, filter: &ThreadFilter) -> Result<bool, StoreError> {
        let Some(since) = filter.updated_since else { return Ok(false) };
        let row = sqlx::query(
            "SELECT COUNT(*) AS changes FROM \
             (SELECT 1 FROM threads WHERE account_id = $1 AND updated_at >= $2 LIMIT $3) AS changed",
        )
        .bind(account_id.to_string())
        .bind(micros(since))
        .bind(FEW_CHANGES)
        .fetch_one(self.store.reader())
        .await?;
        Ok(row.int("changes")? < FEW_CHANGES)
    }

    async fn accounts(self, scope: &Scope) -> Result<Vec<Uuid>, StoreError> {
        if !scope.includes_sub_accounts {
            return Ok(vec![scope.account_id]);
        }
        let rows = sqlx::query("SELECT account_id FROM accounts WHERE account_id = $1 OR parent_id = $1")
            .bind(scope.account_id.to_string())
            .fetch_all(self.store.reader())
            .await?;
        Ok(rows.iter().map(|row| Uuid::read(row, "account_id")).collect::<Result<_, _>>()?)
    }

    /// Returns how the database reads a [`page`](Self::page) of one account, for tests and benchmarks.
    pub async fn explain_page(
        self,
        account_id: Uuid,
        filter: &ThreadFilter,
        page: &PageRequest,
    ) -> Result<String, StoreError> {
        let dialect = self.store.dialect();
        let (explain, column) = match dialect {
            Dialect::Sqlite => ("EXPLAIN QUERY PLAN", "detail"),
            Dialect::Postgres => ("EXPLAIN", "QUERY PLAN"),
        };
        let few_changes = self.few_changes(account_id, filter).await?;
        // Both parts are constants.
        let statement = AssertSqlSafe(format!("{explain} {}", filter.statement(dialect, few_changes)));
        let steps = sqlx::query_with(statement, filter.arguments(dialect, account_id, page)?)
            .fetch_all(self.store.reader())
            .await?;
        let steps: Result<Vec<String>, _> = steps.iter().map(|step| step.text(column)).collect();
        Ok(steps?.join("\n"))
    }
}
