//! Everything Frontdesk keeps: accounts and keys, chatbots and their training content, contacts, conversations,
//! credits and the durable job queue, on SQLite (one file, no set-up) or PostgreSQL.
//!
//! There is one [`Store`] and one meaning on both databases. Every statement that touches a tenant's data takes
//! a [`Scope`]; what lies outside it is indistinguishable from what does not exist, and both are `None`. The few
//! entries without a scope say why: they find out whose data is asked for ([`ApiKeys::authenticate`],
//! [`Chatbots::find_public`]), administer the installation (accounts, secrets, the job queue), or only
//! report ([`Store::health`], [`Store::check_write`]).
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
//!     .accounts()
//!     .create(
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
//! assert!(store.chatbots().list(&account.scope()).await?.is_empty());
//! # Ok(())
//! # }
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(example()).unwrap();
//! ```
//!
//! Each kind of entity is a *group* with a handle of its own: `store.tags()` returns [`Tags`], whose methods are the queries on tags.
//! [`StoreError`] is a failure of the database; what else can go wrong in a group is an error type of that group.
//!
//! In reading order: `database` (connections, transactions, dialects), `scope`, `record` and `group` (how records and groups are
//! declared), the groups from `accounts` to `webpages`, `chunks`, `search` for the full-text index and `vectors` for search by meaning, and `jobs` for the queue.

#[macro_use]
mod record;
#[macro_use]
mod named;
#[macro_use]
mod group;
mod database;
mod deal_rows;
mod deal_status;
mod deal_statuses;
mod deals;
mod dialect;
mod error;
mod hidden;
mod idempotency;
mod lock_wait;
mod migration;
mod nul;
mod pages;
mod redacted;
mod row;
mod scope;
mod signals;

mod account_data;
mod accounts;
mod api_keys;
mod backup;
mod calendar_feeds;
mod chatbot_lock;
mod chatbots;
mod chunks;
mod contacts;
mod conversations;
mod credits;
mod deal_activities;
mod domains;
mod events;
mod faq_chunks;
mod faq_item;
mod faq_items;
mod faq_lock;
mod faqs;
mod files;
mod hits;
mod inbox_channels;
mod index_tokens;
mod jobs;
mod json_rows;
mod notices;
mod personal_data;
mod plan_limits;
mod question_key;
mod rate_windows;
mod reply_credits;
mod search;
mod secret_tokens;
mod secrets;
mod skipped_mails;
mod stored_objects;
mod tags;
mod text_snippets;
mod threads;
mod unanswered_questions;
mod unsubscribes;
mod users;
mod vectors;
mod visitor_subject;
mod webhooks;
mod webpages;
mod websites;
mod write_check;

pub use account_data::{AccountData, ExportedTable, LEFT_OUT, LeftOut, TABLES, TablePage};
pub use accounts::{Account, AccountKind, Accounts, NewAccount, Plan};
pub use api_keys::{ApiKey, ApiKeyError, ApiKeys, KeyHash, KeyHolder, NewApiKey};
pub use backup::{BackupColumn, BackupError, BackupTable, ColumnKind, Restoration, Snapshot, TableSum};
pub use calendar_feeds::{CalendarEntry, CalendarFeed, CalendarFeeds};
pub use chatbots::{Chatbot, ChatbotError, ChatbotStatus, Chatbots, CreateChatbotError, NewChatbot};
pub use chunks::{ChunkRecord, Chunks, NewChunk, SourceType};
pub use contacts::{
    Consent, Contact, ContactConversation, ContactError, ContactFields, ContactFilter, ContactInput,
    ContactKey, ContactKind, ContactSource, ContactUpdate, Contacts, Erased, Identity, ImportResult,
    ImportedContact, MergeError, NewConsent, Payment, Retention, RetentionPeriods, phone_number,
};
pub use conversations::{
    Conversation, ConversationError, ConversationFilter, ConversationMode, Conversations, Escalation,
    EscalationReason, Feedback, FeedbackRating, ListedConversation, Message, MessageRole, NewAnswer,
    NewEscalation, NewTurn, RecordedAnswer, Reply, Turn,
};
pub use credits::{Charge, CreditEntry, CreditPurpose, Credits, Day, Month, Spending, Usage};
pub use database::{POSTGRES_CONNECTIONS, Store};
pub use deal_activities::{
    ActivityPriority, ActivityStatus, ActivityType, ClaimedFollowUp, DealActivities, DealActivity,
    DealActivityFilter, DeliveryResult, FollowUp, FollowUpChannel, FollowUpError, FollowUpErrorCode,
    FollowUpPlan, FollowUpState, FollowUpTrigger, NextFollowUp, OutgoingEmail, RepeatInterval, SendWindow,
    StoppedReason,
};
pub use deal_rows::{DealRow, DealRowUpdate, DealRows, MAX_DEAL_ROWS, NewDealRow};
pub use deal_status::{DealStatus, DealStatusKind};
pub use deal_statuses::{
    BoardError, BoardOrder, DealStatusUpdate, DealStatuses, MAX_DEAL_STATUSES, NewDealStatus,
};
pub use deals::{
    Board, BoardCell, BoardColumn, CellTotals, DEALS_RESTORABLE, Deal, DealChange, DealChangeType, DealError,
    DealFilter, DealMove, DealOrder, DealOutcome, DealPlace, DealSortKey, DealUpdate, Deals, Money,
    MoneyError, NewDeal,
};
pub use domains::{
    Domain, DomainError, DomainUpdate, Domains, IdentityEnforcement, IdentityKey, IdentityKeyAlgorithm,
    NewDomain,
};
pub use error::StoreError;
pub use events::{
    Event, EventChatbot, EventContact, EventConversation, EventData, EventDeal, EventFailure, EventMessage,
    EventThread, EventType, EventWebsite, Events,
};
pub use faq_chunks::ChunkOfItem;
pub use faq_item::{AlternativeQuestions, FaqItem, FaqItemSource, FaqItemStatus};
pub use faq_items::{
    FaqItemContent, FaqItemError, FaqItemUpdate, FaqItems, ImportedItem, MAX_FAQ_ITEMS, NewFaqItem, Ordered,
};
pub use faqs::{Faq, FaqUpdate, Faqs, NewFaq};
pub use files::{
    File, FileContent, FileError, FileKind, FileOutcome, FileReplaced, FileStatus, FileUpdate, Files,
    FilesFilter, NewFile,
};
pub use hits::Hits;
pub use idempotency::{Claim, Claimed, Idempotency, IdempotentRequest, StoredResponse};
pub use inbox_channels::{
    ChannelKind, InboxChannel, InboxChannelError, InboxChannelUpdate, InboxChannels, NewInboxChannel,
};
pub use jobs::{Enqueued, Job, JobCount, JobState, Jobs, NewJob, OldestDue, Subject, SubjectKind, Turns};
pub use named::UnknownName;
pub use notices::{Notice, NoticeContent, NoticeStatus, Notices};
pub use nul::replace_nul;
pub use pages::{Page, PageRequest, Position, SortKey};
pub use personal_data::{Class, ClassedTable, PLACES, Place, REGISTRY};
pub use plan_limits::{
    PLAN_LIMIT_REASON, PlanLimitReached, PlanLimits, PlanResource, PlanUse, PlanUses, ResourceLimits,
    ResourceUse,
};
pub use rate_windows::{RateDecision, RatePortion, RateWindows};
pub use redacted::{Redacted, without_addresses};
pub use reply_credits::{ReplyCredits, ReplyCreditsError, ReplyLimits, ReplyPeriod};
pub use scope::Scope;
pub use search::{ChunkWords, ContentVersion, CorpusStats, IndexedChunk, QueryWord, Search};
pub use secrets::{ReencryptedSecret, SecretOwner, Secrets};
pub use signals::{ConversationWatch, QueuedEvents};
pub use skipped_mails::{NewSkippedMail, SkippedMail, SkippedMails};
pub use stored_objects::StoredObjects;
pub use tags::{Tag, TagError, Tags};
pub use text_snippets::{
    NewTextSnippet, SnippetContent, TextSnippet, TextSnippetError, TextSnippetUpdate, TextSnippets,
};
pub use threads::{
    Attachment, AttachmentError, AuthorType, DeliveryOutcome, DeliveryState, MessageDirection, MessageKey,
    MessagesFrom, NewAttachment, NewInbound, NewThread, NewThreadReply, OutgoingMessage, Received, ReplyKind,
    Thread, ThreadChannel, ThreadError, ThreadFilter, ThreadMessage, ThreadPriority, ThreadReply,
    ThreadStatus, ThreadUpdate, Threads,
};
pub use unanswered_questions::{AnsweredQuestion, UnansweredQuestion, UnansweredQuestions};
pub use unsubscribes::{UnsubscribeLink, Unsubscribes};
pub use users::{NewUser, Role, User, UserError, UserStatus, Users};
pub use vectors::{ChunkVectors, NewVectors, StoredVector, UnembeddedChunk, Vectors, VectorsVersion};
pub use visitor_subject::VisitorSubject;
pub use webhooks::{
    Attempt, AttemptOutcome, Attempted, DeliveryStatus, DisabledReason, DueDelivery, EndpointLease,
    HealthPolicy, MissedEvents, NewWebhookEndpoint, NextAttempt, QueuedDelivery, RecoveredPart,
    WebhookDelivery, WebhookEndpoint, WebhookEndpointError, WebhookEndpointUpdate, WebhookTarget, Webhooks,
};
pub use webpages::{
    AddedPages, NewPage, NewWebpage, PageCounts, PageOutcome, PageStatus, PageVisit, PushedPage,
    VisitOutcome, Webpage, WebpageContent, WebpageError, WebpageFilter, WebpageUpdate, Webpages,
};
pub use websites::{
    CrawlProgress, CrawlScope, NewWebsite, PageFinish, PathPatterns, RecrawlRefused, RefreshInterval,
    ReportEntry, Website, WebsiteError, WebsiteOptions, WebsiteSource, WebsiteStatus, Websites,
};
