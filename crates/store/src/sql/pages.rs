//! Pages of a list: keyset pagination, so that a page costs the same wherever in the list it begins.
//!
//! A list is ordered by a sort key and, among equal keys, by id. A page begins after the position of the last
//! item of the page before it, so items that are created or deleted meanwhile neither repeat nor hide others.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The value that a list is ordered by, as the database compares it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SortKey {
    /// A number, such as a time in microseconds.
    Number(i64),
    /// A text.
    Text(String),
}

/// The place of an item in its list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// The value that the list is ordered by.
    pub key: SortKey,
    /// The item's id, which orders items with equal keys.
    pub id: Uuid,
}

impl Position {
    pub(crate) fn number(key: i64, id: Uuid) -> Self {
        Self { key: SortKey::Number(key), id }
    }

    pub(crate) fn text(key: impl Into<String>, id: Uuid) -> Self {
        Self { key: SortKey::Text(key.into()), id }
    }
}

/// The page of a list that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRequest {
    /// The page begins after this position; `None` is the beginning of the list.
    pub after: Option<Position>,
    /// The largest number of items on the page.
    pub limit: u32,
}

impl PageRequest {
    /// The first page.
    pub const fn first(limit: u32) -> Self {
        Self { after: None, limit }
    }

    /// The position to begin after, in a list that is ordered by a number: key and id.
    pub(crate) fn after_number(&self) -> (i64, String) {
        match &self.after {
            Some(Position { key: SortKey::Number(key), id }) => (*key, id.to_string()),
            _ => (i64::MIN, String::new()),
        }
    }

    /// The position to begin after, in a list that is ordered by a number from the largest to the smallest:
    /// key and id.
    pub(crate) fn before_number(&self) -> (i64, String) {
        match &self.after {
            Some(_) => self.after_number(),
            None => (i64::MAX, String::new()),
        }
    }

    /// The position to begin after, in a list that is ordered by a text: key and id.
    pub(crate) fn after_text(&self) -> (String, String) {
        match &self.after {
            Some(Position { key: SortKey::Text(key), id }) => (key.clone(), id.to_string()),
            _ => (String::new(), String::new()),
        }
    }

    /// The number of rows to read: one more than the page holds, which shows whether another page follows.
    pub(crate) fn rows(&self) -> i64 {
        i64::from(self.limit) + 1
    }
}

/// A page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// The items, in the order of the list.
    pub items: Vec<T>,
    /// The position after which the next page begins; `None` on the last page.
    pub next: Option<Position>,
}

impl<T> Page<T> {
    /// Makes a page of the rows that were read for it, at most [`PageRequest::rows`].
    pub(crate) fn of(mut rows: Vec<T>, request: &PageRequest, position: impl FnOnce(&T) -> Position) -> Self {
        let limit = request.limit as usize;
        let has_more = rows.len() > limit;
        rows.truncate(limit);
        let next = if has_more { rows.last().map(position) } else { None };
        Self { items: rows, next }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(item: i64) -> Position {
        Position::number(item, Uuid::nil())
    }

    #[test]
    fn the_last_page_has_no_next_one() {
        let request = PageRequest::first(2);
        assert_eq!(request.rows(), 3);
        let page = Page::of(vec![1, 2, 3], &request, |last| position(*last));
        assert_eq!((page.items, page.next), (vec![1, 2], Some(position(2))));
        let page = Page::of(vec![3, 4], &request, |last| position(*last));
        assert_eq!((page.items, page.next), (vec![3, 4], None));
    }

    #[test]
    fn positions_survive_being_written_as_json() {
        for position in [Position::number(-7, Uuid::max()), Position::text("ä", Uuid::nil())] {
            let text = serde_json::to_string(&position).unwrap();
            assert_eq!(serde_json::from_str::<Position>(&text).unwrap(), position);
        }
    }
}
