//! Everything Frontdesk keeps: accounts and keys, chatbots and their training content, contacts,
//! conversations, credits and the durable job queue, on SQLite (one file, no set-up) or PostgreSQL.
//!
//! There is one [`Store`] and one meaning on both databases. Every statement that touches a tenant's data
//! takes a [`Scope`]; what lies outside it is indistinguishable from what does not exist, and both are
//! `None`. The few entries without a scope say why: they find out whose data is asked for
//! ([`ApiKeys::authenticate`], [`Chatbots::find_public`]), administer the installation (accounts, secrets,
//! the job queue), or only report ([`Store::health`], [`Store::check_write`]).
//!
//! The present time is always an argument, so a caller decides what "now" means and tests are repeatable.
//! What a method has returned `Ok` for is committed and survives the death of the process.
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
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
//! # runtime.block_on(example()).unwrap();
//! ```
//!
//! Each kind of entity is a *group* with a handle of its own: `store.tags()` returns [`Tags`], whose methods
//! are the queries on tags. [`StoreError`] is a failure of the database; what else can go wrong in a group is
//! an error type of that group.
//!
//! Imports lead only to a folder further down in this list, so it is best read from its end:
//!
//! 1. `lifecycle`: what concerns the rows of all groups: settings of accounts, invitations, second factors,
//!    passkeys, backups, exports, merging, personal data, erasure, retention.
//! 2. `board`: deals, their columns, rows and activities.
//! 3. `conversations`: conversations, their messages, and their handover to people.
//! 4. `inbox`: threads, channels, skipped e-mails.
//! 5. `contacts`: contacts and imports.
//! 6. `content`: chatbots, their training content, and the search in it.
//! 7. `events`: the journal that the folders above write to, webhook endpoints, deliveries, notices.
//! 8. `work`: the job queue, and what processes share for a while.
//! 9. `accounts`: accounts, users, keys, domains, plans and their limits.
//! 10. `sql`: what all groups use: rows, scopes, dialects, pages, transactions, migrations.

#[macro_use]
mod sql;

mod accounts;
mod board;
mod contacts;
mod content;
mod conversations;
mod events;
mod inbox;
mod lifecycle;
mod work;

pub use accounts::api_keys::{ApiKey, ApiKeyError, ApiKeys, KeyHash, KeyHolder, NewApiKey};
pub use accounts::audit::{AuditAction, AuditEntries, AuditEntry, NewAuditEntry};
pub use accounts::credits::{Charge, CreditEntry, CreditPurpose, Credits, Day, Month, Spending, Usage};
pub use accounts::domains::{
    Domain, DomainError, DomainUpdate, Domains, IdentityEnforcement, IdentityKey, IdentityKeyAlgorithm,
    NewDomain,
};
pub use accounts::links::{LinkKind, Links, NewLink};
pub use accounts::members::{Actor, Member, MemberChange, MemberError, Members};
pub use accounts::passkeys::{
    CHALLENGE_LIFETIME, ChallengePurpose, MAX_PASSKEYS, NewChallenge, Passkey, PasskeyChallenge, Passkeys,
};
pub use accounts::pending_sign_ins::{PENDING_LIFETIME, PendingSignIn, PendingSignIns};
pub use accounts::people::{AccountOfPerson, NewPerson, People, Person};
pub use accounts::plan_limits::{
    PLAN_LIMIT_REASON, PlanLimitReached, PlanResource, PlanUse, PlanUses, ResourceUse,
};
pub use accounts::reply_credits::{ReplyCredits, ReplyCreditsError, ReplyLimits, ReplyPeriod};
pub use accounts::second_factors::{Authenticator, CodeAttempt, FREE_ATTEMPTS, Proof, SecondFactors};
pub use accounts::secrets::{ReencryptedSecret, SecretOwner, Secrets};
pub use accounts::sessions::{Entered, NewSession, SESSION_LIFETIME, Session, Sessions};
pub use accounts::users::{NewUser, Role, User, UserError, UserStatus, Users};
pub use accounts::{Account, AccountKind, Accounts, NewAccount, Plan};
pub use board::axis::{BoardError, BoardOrder};
pub use board::calendar_feeds::{CalendarEntry, CalendarFeed, CalendarFeeds};
pub use board::deal_activities::{
    ActivityPriority, ActivityStatus, ActivityType, ClaimedFollowUp, DealActivities, DealActivity,
    DealActivityFilter, DeliveryResult, FollowUp, FollowUpChannel, FollowUpError, FollowUpErrorCode,
    FollowUpPlan, FollowUpState, FollowUpTrigger, NextFollowUp, OutgoingEmail, RepeatInterval, SendWindow,
    StoppedReason,
};
pub use board::deal_rows::{DealRow, DealRowUpdate, DealRows, MAX_DEAL_ROWS, NewDealRow};
pub use board::deal_status::{DealStatus, DealStatusKind};
pub use board::deal_statuses::{DealStatusUpdate, DealStatuses, MAX_DEAL_STATUSES, NewDealStatus};
pub use board::deals::{
    Board, BoardCell, BoardColumn, CellTotals, DEALS_RESTORABLE, Deal, DealChange, DealChangeType, DealError,
    DealFilter, DealMove, DealOrder, DealPlace, DealSortKey, DealUpdate, Deals, Money, MoneyError, NewDeal,
};
pub use board::unsubscribes::{UnsubscribeLink, Unsubscribes};
pub use contacts::visitor_subject::VisitorSubject;
pub use contacts::{
    Consent, Contact, ContactConversation, ContactError, ContactFields, ContactFilter, ContactInput,
    ContactKey, ContactKind, ContactSource, ContactUpdate, Contacts, Identity, ImportResult, ImportedContact,
    NewConsent, Payment, phone_number,
};
pub use content::chatbots::{Chatbot, Chatbots, CreateChatbotError, NewChatbot};
pub use content::chunk::{NewChunk, SourceType};
pub use content::chunks::{ChunkRecord, Chunks};
pub use content::failure::ChatbotError;
pub use content::faqs::chunks::ChunkOfItem;
pub use content::faqs::item::{AlternativeQuestions, FaqItem, FaqItemSource, FaqItemStatus};
pub use content::faqs::items::{
    FaqItemContent, FaqItemError, FaqItemUpdate, FaqItems, ImportedItem, MAX_FAQ_ITEMS, NewFaqItem, Ordered,
};
pub use content::faqs::{Faq, FaqUpdate, Faqs, NewFaq};
pub use content::files::{
    File, FileContent, FileError, FileKind, FileOutcome, FileReplaced, FileStatus, FileUpdate, FileWarning,
    FileWarnings, Files, FilesFilter, NewFile,
};
pub use content::hits::Hits;
pub use content::search::{ChunkWords, ContentVersion, CorpusStats, IndexedChunk, QueryWord, Search};
pub use content::tags::{Tag, TagError, Tags};
pub use content::text_snippets::{
    NewTextSnippet, SnippetContent, TextSnippet, TextSnippetError, TextSnippetUpdate, TextSnippets,
};
pub use content::vectors::{
    ChunkVectors, NewVectors, StoredVector, UnembeddedChunk, VectorProgress, Vectors, VectorsVersion,
};
pub use content::webpages::{
    AddedPages, NewPage, NewWebpage, PageCounts, PageOutcome, PageStatus, PageVisit, PushedPage,
    VisitOutcome, Webpage, WebpageContent, WebpageError, WebpageFilter, WebpageUpdate, Webpages,
};
pub use content::websites::{
    CrawlProgress, CrawlScope, NewWebsite, PageFinish, PathPatterns, RecrawlRefused, RefreshInterval,
    ReportEntry, Website, WebsiteError, WebsiteOptions, WebsiteSource, WebsiteStatus, Websites,
};
pub use content::widgets::{Widget, WidgetButtonStyle, WidgetPosition, WidgetUpdate, Widgets};
pub use conversations::chats::changes::ThreadUpdate;
pub use conversations::chats::replies::{NewThread, NewThreadReply, ReplyKind, ThreadError, ThreadReply};
pub use conversations::unanswered_questions::{AnsweredQuestion, UnansweredQuestion, UnansweredQuestions};
pub use conversations::{
    Conversation, ConversationError, ConversationFilter, Conversations, Escalation, EscalationReason,
    Feedback, FeedbackRating, ListedConversation, Message, NewAnswer, NewEscalation, NewTurn,
    NewVisitorSession, RecordedAnswer, Reply, SentBy, SentMessage, Turn, VisitorSession, Visitors,
};
pub use events::notices::{Notice, NoticeContent, NoticeStatus, Notices};
pub use events::states::{
    ChatbotStatus, ConversationMode, DealOutcome, MessageRole, ThreadChannel, ThreadStatus,
};
pub use events::webhooks::{
    Attempt, AttemptOutcome, Attempted, DeliveryStatus, DisabledReason, DueDelivery, EndpointLease,
    HealthPolicy, MissedEvents, NewWebhookEndpoint, NextAttempt, QueuedDelivery, RecoveredPart,
    WebhookDelivery, WebhookEndpoint, WebhookEndpointError, WebhookEndpointUpdate, WebhookTarget, Webhooks,
};
pub use events::{
    Event, EventChatbot, EventContact, EventConversation, EventData, EventDeal, EventFailure, EventMessage,
    EventThread, EventType, EventWebsite, Events,
};
pub use inbox::inbox_channels::{
    ChannelKind, InboxChannel, InboxChannelError, InboxChannelUpdate, InboxChannels, NewInboxChannel,
};
pub use inbox::skipped_mails::{NewSkippedMail, SkippedMail, SkippedMails};
pub use inbox::threads::{
    Attachment, AttachmentError, AuthorType, DeliveryOutcome, DeliveryState, MessageDirection, MessageKey,
    MessagesFrom, NewAttachment, NewInbound, OutgoingMessage, Received, Thread, ThreadFilter, ThreadMessage,
    ThreadPriority, Threads,
};
pub use lifecycle::account_data::{AccountData, ExportedTable, LEFT_OUT, LeftOut, TABLES, TablePage};
pub use lifecycle::account_erasure::ErasureError;
pub use lifecycle::account_settings::{AccountSettings, SettingsChange, SettingsError};
pub use lifecycle::backup::{
    BackupColumn, BackupError, BackupTable, ColumnKind, Restoration, Snapshot, TableSum,
};
pub use lifecycle::creation::{FirstOwner, NewInstallation};
pub use lifecycle::erasure::Erased;
pub use lifecycle::invitations::{
    Accepted, Invitation, InvitationError, Invitations, Joining, NewInvitation, OpenInvitation,
};
pub use lifecycle::merging::MergeError;
pub use lifecycle::passkeys::{Addition, NewPasskey, PasskeyRemoval, UsedPasskey};
pub use lifecycle::personal_data::{Class, ClassedTable, PLACES, Place, REGISTRY};
pub use lifecycle::retention::{Retention, RetentionPeriods};
pub use lifecycle::second_factors::{Completed, ConfirmedSecret, FactorRemoval};
pub use sql::database::{POSTGRES_CONNECTIONS, Store};
pub use sql::error::StoreError;
pub use sql::limits::{PlanLimits, ResourceLimits};
pub use sql::named::UnknownName;
pub use sql::nul::replace_nul;
pub use sql::pages::{Page, PageRequest, Position, SortKey};
pub use sql::redacted::{Redacted, without_addresses};
pub use sql::scope::Scope;
pub use sql::signals::{AccountChange, ChangeTopic, ChangedAccounts, ConversationWatch, QueuedEvents};
pub use work::idempotency::{Claim, Claimed, Idempotency, IdempotentRequest, StoredResponse};
pub use work::jobs::{
    Enqueued, Job, JobCount, JobState, Jobs, NewJob, OldestDue, Subject, SubjectKind, Turns,
};
pub use work::rate_windows::{RateDecision, RatePortion, RateWindows};
pub use work::stored_objects::StoredObjects;
