//! Conversations in which something was said.
//!
//! Messages have no index of their words: it would make each message dearer, while few people search. A page
//! looks through the messages of a bounded number of conversations instead, from the latest on, and the next
//! page goes on where it ends.

use sqlx::Arguments;
use uuid::Uuid;

use super::filter::{ConversationFilter, ListedConversation, by_filter, listed_columns, page};
use crate::sql::database::Store;
use crate::sql::error::StoreError;
use crate::sql::hidden::is_hidden;
use crate::sql::pages::{Page, PageRequest, Position};
use crate::sql::record::Column;
use crate::sql::row::Columns;
use crate::sql::scope::{Scope, in_scope};

/// The conversations that a page looks through.
const LOOKED_THROUGH: i64 = 2_000;

/// What is read of each of them: its place in the list, and whether the database holds it for a hit (`$14`).
macro_rules! place_columns {
    ($like:literal) => {
        concat!(
            "conversation_id, last_message_at, CASE WHEN EXISTS (SELECT 1 FROM messages AS said \
             WHERE said.conversation_id = conversations.conversation_id AND said.body ",
            $like,
            " $14 AND NOT ",
            is_hidden!("said" in "conversation_id"),
            ") THEN 1 ELSE 0 END AS is_hit"
        )
    };
}

pub(super) async fn page(
    store: &Store,
    scope: &Scope,
    chatbot_id: Uuid,
    filter: &ConversationFilter,
    text: &str,
    page: &PageRequest,
) -> Result<Page<ListedConversation>, StoreError> {
    let terms = Terms::of(text);
    let mut arguments = filter.arguments(scope, chatbot_id, page, LOOKED_THROUGH)?;
    arguments.add(terms.pattern()).map_err(sqlx::Error::Encode)?;
    let statement = store.dialect().pick(
        by_filter!(filter, Sqlite, place_columns!("LIKE")),
        by_filter!(filter, Postgres, place_columns!("ILIKE")),
    );
    let places = sqlx::query_with(statement, arguments).fetch_all(store.reader()).await?;
    let mut items: Vec<ListedConversation> = Vec::new();
    let mut last = None;
    let has_looked_at_all = i64::try_from(places.len()).is_ok_and(|count| count < LOOKED_THROUGH);
    for place in &places {
        if items.len() == page.limit as usize {
            return Ok(Page { items, next: last });
        }
        let conversation_id = Uuid::read(place, "conversation_id")?;
        last = Some(Position::number(place.int("last_message_at")?, conversation_id));
        if place.int("is_hit")? == 1 && terms.are_in_a_message(store, conversation_id).await? {
            items.extend(listed(store, conversation_id).await?);
        }
    }
    Ok(Page { items, next: last.filter(|_| !has_looked_at_all) })
}

/// Returns a conversation as a list shows it. The caller has checked its scope.
async fn listed(store: &Store, conversation_id: Uuid) -> Result<Option<ListedConversation>, StoreError> {
    let statement = concat!("SELECT ", listed_columns!(), " FROM conversations WHERE conversation_id = $1");
    let one = sqlx::query_as(statement).bind(conversation_id.to_string());
    Ok(one.fetch_optional(store.reader()).await?)
}

/// What a message must contain, in small letters.
struct Terms(Vec<String>);

impl Terms {
    fn of(text: &str) -> Self {
        Self(text.split_whitespace().map(str::to_lowercase).collect())
    }

    /// Returns a pattern for the database that each message with the longest term matches, and few others.
    /// SQLite compares only letters of ASCII in either case, so any other character matches anything.
    fn pattern(&self) -> String {
        let longest = self.0.iter().max_by_key(|term| term.len()).map(String::as_str).unwrap_or_default();
        let mut pattern = "%".to_owned();
        for character in longest.chars() {
            let one = if character.is_ascii_alphanumeric() { character } else { '%' };
            if one != '%' || !pattern.ends_with('%') {
                pattern.push(one);
            }
        }
        if !pattern.ends_with('%') {
            pattern.push('%');
        }
        pattern
    }

    fn are_in(&self, message: &str) -> bool {
        let message = message.to_lowercase();
        self.0.iter().all(|term| message.contains(term))
    }

    async fn are_in_a_message(&self, store: &Store, conversation_id: Uuid) -> Result<bool, StoreError> {
        macro_rules! candidates {
            ($like:literal) => {
                concat!(
                    "SELECT body FROM messages WHERE conversation_id = $1 AND body ",
                    $like,
                    " $2 AND NOT ",
                    is_hidden!("messages" in "conversation_id")
                )
            };
        }
        let statement = store.dialect().pick(candidates!("LIKE"), candidates!("ILIKE"));
        let candidates = sqlx::query(statement)
            .bind(conversation_id.to_string())
            .bind(self.pattern())
            .fetch_all(store.reader())
            .await?;
        for candidate in candidates {
            if self.are_in(&candidate.text("body")?) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_all_terms_in_either_case() {
        let terms = Terms::of("  HEDGE trim ");
        assert!(terms.are_in("A trimmer for the hedge"));
        assert!(!terms.are_in("A hedge"));
        assert!(Terms::of("größe").are_in("GRÖSSE und GRÖßE"));
    }

    #[test]
    fn the_pattern_has_nothing_that_the_database_reads_as_syntax() {
        let pattern = |text| Terms::of(text).pattern();
        assert_eq!(pattern("a order-47"), "%order%47%");
        assert_eq!(pattern("Größe"), "%gr%e%");
        assert_eq!(pattern("50%_\\"), "%50%");
        assert_eq!(pattern("?!"), "%");
    }
}
