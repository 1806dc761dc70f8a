//! The generated client against the real service, over a socket.
//!
//! - `channels`: mailboxes of a real mail server, and messengers.
//! - `clients`: clients of earlier versions.
//! - `console`: people who sign in, what they may do, and what others may not.
//! - `console_pages`: the pages of the console, in a browser where one is named.
//! - `contract`: behavior that no schema can express.
//! - `derived`: tests derived from the document; they cover new operations without an edit.
//! - `isolation`: isolation of accounts, and rights of keys.
//! - `embeddings`: search by meaning with a model behind an endpoint.
//! - `media`: images and recordings that models read.
//! - `endurance`: crashes, floods, and websites that mean harm.
//! - `fairness`: one customer, one address and one visitor beside others.
//! - `program`: the commands and processes of the `frontdesk` program, and its answers byte by byte.
//! - `reference`: the page at `/docs`, in a browser where one is named by `FRONTDESK_BROWSER`.
//! - `releases`: databases of earlier versions.
//! - `sizes`: files, e-mails, contacts and pages of the sizes that the contract promises, and the bytes that
//!   a plan includes.
//! - `training`: what becomes of a chatbot whose training is stopped, blocked, deleted or takes long.
//! - `web_search`: answers from the web, where the content has none.
//! - `webhooks`: events, their delivery, and e-mail to the people of accounts.
//! - `websites`: crawls, recrawls and single webpages.
//! - `widget`: the chat on the pages of a shop, in a browser where one is named.
//!
//! PostgreSQL takes part when `FRONTDESK_TEST_POSTGRES_URL` names a server on which databases may be created;
//! every test has its own. Otherwise those tests say that they are skipped.

#![expect(clippy::unwrap_used, reason = "the functions that the tests share are test code too")]

mod browser;
mod channels;
mod clients;
mod console;
mod console_pages;
mod contract;
mod database;
mod derived;
mod embeddings;
mod endurance;
mod evaluation;
mod fairness;
mod installation;
mod isolation;
mod javascript;
mod mail_server;
mod media;
mod patience;
mod process;
mod program;
mod reference;
mod releases;
mod replies;
mod site;
mod sizes;
mod training;
mod web_search;
mod webhooks;
mod websites;
mod widget;
mod wire;

/// Makes two tests of each function that takes a `Database`.
macro_rules! on_both_databases {
    ($($name:ident),+ $(,)?) => {
        mod sqlite {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
                async fn $name() {
                    super::$name($crate::database::Database::sqlite().await).await;
                }
            )+
        }

        mod postgres {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
                async fn $name() {
                    if let Some(database) = $crate::database::Database::postgres(stringify!($name)).await {
                        let remains = database.remains();
                        super::$name(database).await;
                        remains.release().await;
                    }
                }
            )+
        }
    };
}
use on_both_databases;
