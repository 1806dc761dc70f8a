//! Everything Frontdesk keeps: accounts and keys, chatbots and their training content, contacts, conversations,
//! credits and the durable job queue, on SQLite (one file, no set-up) or PostgreSQL.
//!
//! There is one [`Store`] and one meaning on both databases. Every statement that touches a tenant's data takes
//! a [`Scope`]; what lies outside it is indistinguishable from what does not exist, and both are `None`. The few
//! entries without a scope say why: they find out whose data is asked for ([`Store::authenticate_key`],
//! [`Store::chatbot_for_public_reply`]), administer the installation (accounts, secrets, the job queue), or only
//! report ([`Store::health`]).
//!
//! The present time is always an argument, so a caller decides what "now" means and tests are repeatable. What a
//! method has returned `Ok` for is committed and survives the death of the process.
//!
//! ```
//! # async fn example() -> Result<(), frontdesk_store::StoreError> {
//! use frontdesk_store::{AccountKind, NewAccount, Plan, Store};
//! use jiff::Timestamp;
//!
//! let store = Store::open("sqlite::memory:").await?;
//! let account = store
//!     .create_account(
//!         &NewAccount {
//!             parent_id: None,
//!             kind: AccountKind::Standard,
//!             name: "Blue Door Bakery".into(),
//!             plan: Plan::Growth,
//!             monthly_credits: None,
//!         },
//!         Timestamp::now(),
//!     )
//!     .await?;
//! assert!(store.chatbots(&account.scope()).await?.is_empty());
//! # Ok(())
//! # }
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(example()).unwrap();
//! ```
//!
//! In reading order: `database` (connections, transactions, dialects), `scope`, the entities from `account` to
//! `credit`, `chunk` and `search` for the full-text index, and `job` for the queue.

mod database;
mod error;
mod migration;
mod row;
mod scope;
#[macro_use]
mod named;
mod redacted;

mod account;
mod api_key;
mod chatbot;
mod chunk;
mod contact;
mod conversation;
mod credit;
mod domain;
mod job;
mod search;
mod secret;
mod tag;
mod user;
mod webpage;

pub use account::{Account, AccountKind, NewAccount, Plan};
pub use api_key::{ApiKey, KeyHash, KeyHolder, NewApiKey};
pub use chatbot::{Chatbot, ChatbotError, ChatbotStatus, NewChatbot};
pub use chunk::{ChunkRecord, NewChunk, SourceType};
pub use contact::{Contact, ContactFields, ContactInput, Identity};
pub use conversation::{Conversation, ConversationMode, Message, MessageRole, NewAnswer, NewTurn, Turn};
pub use credit::{Day, Month, Usage};
pub use database::Store;
pub use domain::Domain;
pub use error::StoreError;
pub use job::{Enqueued, Job, JobCount, JobState, NewJob};
pub use named::UnknownName;
pub use redacted::Redacted;
pub use scope::Scope;
pub use search::CorpusStats;
pub use tag::Tag;
pub use user::{NewUser, Role, User, UserStatus};
pub use webpage::{AddedPages, NewPage, PageCounts, PageOutcome, PageStatus, Webpage};
