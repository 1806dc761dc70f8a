//! The last step of an erasure: empties the messages of hidden conversations and threads, and takes their
//! words out of the pages of the search index.

use std::time::{Duration, Instant};

use sqlx::{AnyConnection, Executor};

use super::Erasure;
use crate::lifecycle::personal_data::blanks;
use crate::sql::database::Store;
use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::row::Columns;

/// Messages that one transaction empties.
const MESSAGES: i64 = 500;
/// Conversations and threads that one transaction looks at.
const CONTAINERS: i64 = 100;
/// Pages of the search index that one statement writes.
const PAGES: i64 = 250;

impl Erasure {
    /// Empties some messages. Returns `false` if there are none left.
    pub(super) async fn empty_some(&self) -> Result<bool, StoreError> {
        let containers = sqlx::query(
            "SELECT container_id, kind, through, done FROM erasing_texts WHERE contact_id = $1 ORDER BY container_id LIMIT $2",
        )
        .bind(self.person.contact_id.to_string())
        .bind(CONTAINERS)
        .fetch_all(self.store.reader())
        .await?;
        if containers.is_empty() {
            return Ok(false);
        }
        let Some(mut transaction) = self.begin().await? else { return Ok(false) };
        let mut left = MESSAGES;
        for container in containers {
            if left <= 0 {
                break;
            }
            let id = container.text("container_id")?;
            let (through, done) = (container.int("through")?, container.int("done")?);
            let until = through.min(done + left);
            if container.text("kind")? == "thread" {
                self.empty_thread(&mut transaction, &id, done, until).await?;
            } else {
                let sql = format!(
                    "UPDATE messages SET {} WHERE conversation_id = $1 AND position > $2 AND position <= $3",
                    blanks("messages")
                );
                range(&mut transaction, self.with_lists(&sql), &id, done, until).await?;
            }
            left -= (until - done).max(1);
            // It may have been detached again meanwhile, with more messages.
            sqlx::query("UPDATE erasing_texts SET done = $2 WHERE container_id = $1")
                .bind(id.clone())
                .bind(until)
                .execute(&mut *transaction)
                .await?;
            sqlx::query("DELETE FROM erasing_texts WHERE container_id = $1 AND done >= through")
                .bind(id)
                .execute(&mut *transaction)
                .await?;
        }
        transaction.commit().await?;
        Ok(true)
    }

    /// Notes that entries are deleted from the search index, before or when they are.
    pub(super) async fn note_unindexed(&self, connection: &mut AnyConnection) -> Result<(), StoreError> {
        sqlx::query("UPDATE erasures SET is_unindexed = 1 WHERE contact_id = $1")
            .bind(self.person.contact_id.to_string())
            .execute(connection)
            .await?;
        Ok(())
    }

    async fn empty_thread(
        &self,
        connection: &mut AnyConnection,
        id: &str,
        done: i64,
        until: i64,
    ) -> Result<(), StoreError> {
        let dialect = self.store.dialect();
        if dialect == Dialect::Sqlite {
            let unindex = "DELETE FROM thread_message_index WHERE rowid IN (SELECT m.message_no FROM thread_messages AS m \
                 WHERE m.thread_id = $1 AND m.position > $2 AND m.position <= $3)";
            range(connection, self.with_lists(unindex), id, done, until).await?;
            self.note_unindexed(connection).await?;
        }
        let sql = format!(
            "UPDATE thread_messages SET {}{} WHERE thread_id = $1 AND position > $2 AND position <= $3",
            blanks("thread_messages"),
            dialect.pick("", ", tokens = CAST('' AS tsvector)")
        );
        range(connection, self.with_lists(&sql), id, done, until).await
    }
}

/// Runs a statement for the messages of a conversation or a thread after one position, up to another.
async fn range(
    connection: &mut AnyConnection,
    sql: sqlx::SqlStr,
    id: &str,
    after: i64,
    until: i64,
) -> Result<(), StoreError> {
    sqlx::query(sql).bind(id.to_owned()).bind(after).bind(until).execute(connection).await?;
    Ok(())
}

/// Writes the search index of messages anew, without the entries that were deleted: SQLite only notes that
/// they are gone. Each statement writes some pages, so others write in between. Returns whether it was
/// finished in this time.
pub(crate) async fn rewrite_index(store: &Store, time: Option<Duration>) -> Result<bool, StoreError> {
    if store.dialect() != Dialect::Sqlite {
        return Ok(true);
    }
    let begun = Instant::now();
    // A negative number says that all segments of the index become one.
    let mut pages = -PAGES;
    loop {
        let mut transaction = store.begin().await?;
        let before = changes(&mut transaction).await?;
        sqlx::query("INSERT INTO thread_message_index (thread_message_index, rank) VALUES ('merge', $1)")
            .bind(pages)
            .execute(&mut *transaction)
            .await?;
        let changed = changes(&mut transaction).await? - before;
        transaction.commit().await?;
        // The statement itself counts as a change.
        if changed < 2 {
            return Ok(true);
        }
        if time.is_some_and(|time| begun.elapsed() > time) {
            return Ok(false);
        }
        pages = PAGES;
    }
}

async fn changes(connection: &mut AnyConnection) -> Result<i64, StoreError> {
    let row = connection.fetch_one("SELECT total_changes() AS changes").await?;
    Ok(row.int("changes")?)
}
