//! Filters of lists of conversations, and the statements that read by them.

use jiff::Timestamp;
use sqlx::any::{AnyArguments, AnyRow};
use sqlx::{Arguments, FromRow};
use uuid::Uuid;

use super::record::{Conversation, FeedbackRating};
use crate::events::states::ConversationMode;
use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::hidden::is_hidden;
use crate::sql::pages::PageRequest;
use crate::sql::record::Column;
use crate::sql::row::micros;
use crate::sql::scope::{Scope, in_scope};

/// Which conversations a list has.
#[derive(Debug, Clone, Default)]
pub struct ConversationFilter {
    /// Only those in which this one answers.
    pub mode: Option<ConversationMode>,
    /// Only open ones (`true`), or only closed ones.
    pub is_open: Option<bool>,
    /// Only those that a person should look at (`true`), or only the others.
    pub needs_escalation: Option<bool>,
    /// Only those of this contact.
    pub contact_id: Option<Uuid>,
    /// Only those that take place here, such as `api`.
    pub source: Option<String>,
    /// Only those whose worst rating is this one.
    pub feedback: Option<FeedbackRating>,
    /// Only those that began at this moment or later.
    pub created_since: Option<Timestamp>,
    /// Only those with a message that contains all these words or parts of words; see
    /// [`Conversations::page`](crate::Conversations::page).
    pub text: Option<String>,
}

/// A conversation in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedConversation {
    /// The conversation.
    pub conversation: Conversation,
    /// The first 200 characters of its last message.
    pub preview: String,
}

impl FromRow<'_, AnyRow> for ListedConversation {
    fn from_row(row: &AnyRow) -> sqlx::Result<Self> {
        let preview: Option<String> = Column::read(row, "preview")?;
        Ok(Self { conversation: Conversation::from_row(row)?, preview: preview.unwrap_or_default() })
    }
}

/// What is read of each conversation of a list.
macro_rules! listed_columns {
    () => {
        concat!(
            conversation_columns!(),
            ", (SELECT substr(last.body, 1, 200) FROM messages AS last \
             WHERE last.conversation_id = conversations.conversation_id \
             AND last.position = conversations.message_count AND NOT ",
            is_hidden!("last" in "conversation_id"),
            ") AS preview"
        )
    };
}

/// The statement of a page. All filters are checked in any case; the condition repeats one of them so that
/// the database finds the index that is made for it. The scope is checked once, on the chatbot, so that it
/// has no part in the choice of the index.
macro_rules! page {
    ($columns:expr, $condition:literal) => {
        page!($columns, "", $condition)
    };
    ($columns:expr, $index:literal, $condition:literal) => {
        concat!(
            "SELECT ",
            $columns,
            " FROM conversations ",
            $index,
            " WHERE EXISTS \
             (SELECT 1 FROM chatbots AS bot WHERE bot.chatbot_id = $3 AND ",
            in_scope!("bot."),
            ") AND chatbot_id = $3 AND (last_message_at, conversation_id) < ($4, $5) ",
            $condition,
            " AND ($6 = '' OR mode = $6) AND ($7 < 0 OR (mode = 'closed') = ($7 = 0)) \
             AND ($8 < 0 OR needs_escalation = $8) AND ($9 = '' OR contact_id = $9) AND ($10 = '' OR source = $10) \
             AND ($11 = '' OR feedback = $11) AND created_at >= $12 AND last_message_at >= $12 \
             ORDER BY last_message_at DESC, conversation_id DESC LIMIT $13"
        )
    };
}

/// The statement that reads these columns of a page by the index of the filter that leaves the fewest
/// conversations, as a rule.
///
/// For SQLite, the statement names two of the indexes. Without statistics, SQLite considers the index of the
/// whole list just as good, and would read every conversation of a chatbot to find a mode or a source that
/// none of them has.
macro_rules! by_filter {
    ($filter:expr, Sqlite, $columns:expr) => {
        by_filter!($filter, $columns, "INDEXED BY conversations_mode", "INDEXED BY conversations_source")
    };
    ($filter:expr, Postgres, $columns:expr) => {
        by_filter!($filter, $columns, "", "")
    };
    ($filter:expr, $columns:expr, $by_mode:literal, $by_source:literal) => {
        match $filter {
            ConversationFilter { contact_id: Some(_), .. } => page!($columns, "AND contact_id = $9"),
            ConversationFilter { feedback: Some(_), .. } => page!($columns, "AND feedback = $11"),
            ConversationFilter { needs_escalation: Some(true), .. } => {
                page!($columns, "AND needs_escalation = 1")
            }
            ConversationFilter { mode: Some(_), .. } => page!($columns, $by_mode, "AND mode = $6"),
            ConversationFilter { source: Some(_), .. } => page!($columns, $by_source, "AND source = $10"),
            ConversationFilter { is_open: Some(true), .. } => page!($columns, "AND mode <> 'closed'"),
            ConversationFilter { is_open: Some(false), .. } => {
                page!($columns, $by_mode, "AND mode = 'closed'")
            }
            _ => page!($columns, ""),
        }
    };
}
pub(super) use {by_filter, listed_columns, page};

impl ConversationFilter {
    pub(super) const fn statement(&self, dialect: Dialect) -> &'static str {
        match dialect {
            Dialect::Sqlite => by_filter!(self, Sqlite, listed_columns!()),
            Dialect::Postgres => by_filter!(self, Postgres, listed_columns!()),
        }
    }

    pub(super) fn arguments(
        &self,
        scope: &Scope,
        chatbot_id: Uuid,
        page: &PageRequest,
        rows: i64,
    ) -> Result<AnyArguments, StoreError> {
        let (key, id) = page.before_number();
        let flag = |value: Option<bool>| value.map_or(-1, i64::from);
        let mut arguments = AnyArguments::default();
        let add = || {
            arguments.add(scope.account_id.to_string())?;
            arguments.add(i64::from(scope.includes_sub_accounts))?;
            arguments.add(chatbot_id.to_string())?;
            arguments.add(key)?;
            arguments.add(id)?;
            arguments.add(self.mode.map(ConversationMode::as_str).unwrap_or_default().to_owned())?;
            arguments.add(flag(self.is_open))?;
            arguments.add(flag(self.needs_escalation))?;
            arguments.add(self.contact_id.map(|id| id.to_string()).unwrap_or_default())?;
            arguments.add(self.source.clone().unwrap_or_default())?;
            arguments.add(self.feedback.map(FeedbackRating::as_str).unwrap_or_default().to_owned())?;
            arguments.add(self.created_since.map_or(i64::MIN, micros))?;
            arguments.add(rows)
        };
        add().map_err(sqlx::Error::Encode)?;
        Ok(arguments)
    }
}
