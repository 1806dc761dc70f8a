//! Calendar feeds: secret addresses at which calendars read activities.

use jiff::Timestamp;
use uuid::Uuid;

use crate::board::secret_tokens::token_hash;
use crate::sql::error::StoreError;
use crate::sql::pages::{Page, PageRequest, Position};
use crate::sql::row::{Columns, micros, new_id};
use crate::sql::scope::{Scope, find_by_id, in_scope, row_by_id, scoped, scoped_as};

/// The largest number of feeds of an account.
const MAX_FEEDS: i64 = 100;

record! {
    /// A calendar that others can subscribe to.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct CalendarFeed, columns calendar_feed_columns of "f." {
        /// Identifier.
        pub calendar_feed_id: Uuid,
        /// The account.
        pub account_id: Uuid,
        /// The name of the calendar.
        pub name: String,
        /// Whose activities it shows; `None` for those of the account.
        pub owner_id: Option<Uuid>,
        /// Who has made it.
        pub created_by: Uuid,
        /// When it was created.
        pub created_at: Timestamp,
        /// When its address was last replaced.
        pub rotated_at: Option<Timestamp>,
    }
}

record! {
    /// What a calendar shows of an activity.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct CalendarEntry, columns calendar_entry_columns of "a." {
        /// The activity.
        pub deal_activity_id: Uuid,
        /// What it is.
        pub kind: crate::board::deal_activities::ActivityType = "a.type",
        /// Its title.
        pub title: String,
        /// Further text.
        pub note: Option<String>,
        /// How far it is.
        pub status: crate::board::deal_activities::ActivityStatus,
        /// When it is due.
        pub due_at: Timestamp,
        /// How long it takes, in minutes.
        pub duration_minutes: Option<u32>,
        /// When it was last changed.
        pub updated_at: Timestamp,
        /// The title of its deal.
        pub deal_title: String = "d.title",
    }
}

group! {
    /// Calendar feeds: secret addresses at which calendars read activities.
    pub CalendarFeeds, calendar_feeds
}

impl CalendarFeeds<'_> {
    /// Creates a feed in the account of the scope, and returns it with its secret. Returns `None` if the
    /// account has as many as it may have.
    pub async fn create(
        self,
        scope: &Scope,
        name: &str,
        owner_id: Option<Uuid>,
        created_by: Uuid,
        now: Timestamp,
    ) -> Result<Option<(CalendarFeed, Uuid)>, StoreError> {
        let feed = CalendarFeed {
            calendar_feed_id: new_id(),
            account_id: scope.account_id,
            name: crate::sql::nul::replace_nul(name.trim()),
            owner_id,
            created_by,
            created_at: now,
            rotated_at: None,
        };
        let token = Uuid::new_v4();
        let mut transaction = self.store.begin().await?;
        let account = sqlx::query(self.store.dialect().pick(
            "SELECT 1 FROM accounts WHERE account_id = $1",
            "SELECT 1 FROM accounts WHERE account_id = $1 FOR NO KEY UPDATE",
        ))
        .bind(feed.account_id.to_string())
        .fetch_optional(&mut *transaction)
        .await?;
        let count = sqlx::query("SELECT COUNT(*) AS count FROM calendar_feeds WHERE account_id = $1")
            .bind(feed.account_id.to_string())
            .fetch_one(&mut *transaction)
            .await?;
        if account.is_none() || count.int("count")? >= MAX_FEEDS {
            return Ok(None);
        }
        sqlx::query(
            "INSERT INTO calendar_feeds (calendar_feed_id, account_id, name, owner_id, created_by, token_hash, created_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
        )
        .bind(feed.calendar_feed_id.to_string())
        .bind(feed.account_id.to_string())
        .bind(feed.name.clone())
        .bind(owner_id.map(|id| id.to_string()))
        .bind(created_by.to_string())
        .bind(token_hash(token))
        .bind(micros(now))
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(Some((feed, token)))
    }

    /// Returns a feed.
    pub async fn find(
        self,
        scope: &Scope,
        calendar_feed_id: Uuid,
    ) -> Result<Option<CalendarFeed>, StoreError> {
        find_by_id(
            self.store,
            row_by_id!(calendar_feed_columns of "calendar_feeds" as "f", "calendar_feed_id"),
            scope,
            calendar_feed_id,
        )
        .await
    }

    /// One page of the feeds, the newest first.
    pub async fn page(self, scope: &Scope, page: &PageRequest) -> Result<Page<CalendarFeed>, StoreError> {
        let (key, id) = page.before_number();
        let rows = scoped_as(
            concat!(
                "SELECT ",
                calendar_feed_columns!(),
                " FROM calendar_feeds AS f WHERE ",
                in_scope!("f."),
                " AND (f.created_at, f.calendar_feed_id) < ($3, $4) \
                 ORDER BY f.created_at DESC, f.calendar_feed_id DESC LIMIT $5"
            ),
            scope,
        )
        .bind(key)
        .bind(id)
        .bind(page.rows())
        .fetch_all(self.store.reader())
        .await?;
        Ok(Page::of(rows, page, |last: &CalendarFeed| {
            Position::number(micros(last.created_at), last.calendar_feed_id)
        }))
    }

    /// Replaces the secret of a feed; the old one stops working. Returns `None` if there is no such feed.
    pub async fn rotate(
        self,
        scope: &Scope,
        calendar_feed_id: Uuid,
        now: Timestamp,
    ) -> Result<Option<Uuid>, StoreError> {
        let token = Uuid::new_v4();
        let rotated = scoped(
            concat!(
                "UPDATE calendar_feeds SET token_hash = $4, rotated_at = $5 WHERE ",
                in_scope!(),
                " AND calendar_feed_id = $3"
            ),
            scope,
        )
        .bind(calendar_feed_id.to_string())
        .bind(token_hash(token))
        .bind(micros(now))
        .execute(self.store.writer())
        .await?;
        Ok((rotated.rows_affected() > 0).then_some(token))
    }

    /// Deletes a feed. Returns `false` if there is none.
    pub async fn delete(self, scope: &Scope, calendar_feed_id: Uuid) -> Result<bool, StoreError> {
        let deleted = scoped(
            concat!("DELETE FROM calendar_feeds WHERE ", in_scope!(), " AND calendar_feed_id = $3"),
            scope,
        )
        .bind(calendar_feed_id.to_string())
        .execute(self.store.writer())
        .await?;
        Ok(deleted.rows_affected() > 0)
    }

    /// Returns the feed with this secret, unless the person who made it or whose activities it shows is
    /// disabled. Whoever has the secret may read it, so there is no scope.
    pub async fn find_public(self, token: Uuid) -> Result<Option<CalendarFeed>, StoreError> {
        let one = sqlx::query_as(concat!(
            "SELECT ",
            calendar_feed_columns!(),
            " FROM calendar_feeds AS f JOIN users AS u ON u.user_id = f.created_by WHERE f.token_hash = $1 \
             AND u.status = 'active' AND NOT EXISTS (SELECT 1 FROM users AS o WHERE o.user_id = f.owner_id \
             AND o.status <> 'active')"
        ))
        .bind(token_hash(token));
        Ok(one.fetch_optional(self.store.reader()).await?)
    }

    /// Returns the activities that a feed shows, those that are due first: at most `limit` that are due since
    /// a moment, without those of deleted deals.
    pub async fn entries(
        self,
        feed: &CalendarFeed,
        since: Timestamp,
        limit: u32,
    ) -> Result<Vec<CalendarEntry>, StoreError> {
        let some = sqlx::query_as(concat!(
            "SELECT ",
            calendar_entry_columns!(),
            " FROM deal_activities AS a JOIN deals AS d ON d.deal_id = a.deal_id WHERE a.account_id = $1 \
             AND a.due_at IS NOT NULL AND a.due_key >= $2 AND ($3 = '' OR a.owner_id = $3) AND d.deleted_at IS NULL \
             ORDER BY a.due_key, a.deal_activity_id LIMIT $4"
        ))
        .bind(feed.account_id.to_string())
        .bind(micros(since))
        .bind(feed.owner_id.map(|id| id.to_string()).unwrap_or_default())
        .bind(i64::from(limit));
        Ok(some.fetch_all(self.store.reader()).await?)
    }
}
