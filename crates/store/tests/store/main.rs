//! The store as its users see it, each test on SQLite and on PostgreSQL.
//!
//! PostgreSQL takes part when `FRONTDESK_TEST_POSTGRES_URL` names a server on which databases may be created;
//! every test has its own. Otherwise those tests say that they are skipped.

#![expect(clippy::unwrap_used, reason = "the functions that the tests share are test code too")]

mod accounts;
mod backups;
mod contact_changes;
mod contacts;
mod conversations;
mod credits;
mod database;
mod deals;
mod durability;
mod emails;
mod erasure;
mod erasure_load;
mod erasure_sequences;
mod faqs;
mod files;
mod handover;
mod idempotency;
mod imports;
mod isolation;
mod jobs;
mod pages;
mod personal_data;
mod plan_limits;
mod rate_windows;
mod retention;
mod search;
mod stored_bytes;
mod text_snippets;
mod threads;
mod turns;
mod vectors;
mod visitors;
mod webhooks;
mod websites;
mod world;

/// Makes two tests of each function that takes a `&Database`.
macro_rules! on_both_databases {
    ($($name:ident),+ $(,)?) => {
        mod sqlite {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
                async fn $name() {
                    let database = $crate::database::Database::sqlite().await;
                    super::$name(&database).await;
                }
            )+
        }

        mod postgres {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
                async fn $name() {
                    let Some(database) = $crate::database::Database::postgres(stringify!($name)).await else {
                        return;
                    };
                    super::$name(&database).await;
                    database.close().await;
                }
            )+
        }
    };
}
pub(crate) use on_both_databases;
