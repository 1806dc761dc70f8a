//! Signals that the database has something new, for tasks that wait for it: those who poll a conversation,
//! the dispatchers of webhooks, and those who have a page of an account open.
//!
//! A signal is sent after its transaction was committed: to tasks of this process from memory, and to other
//! processes by `NOTIFY` of PostgreSQL, over one connection for all kinds. It is a hint to look again; the
//! database decides what is there, and whoever waits looks from time to time nevertheless. There is nothing
//! to listen to on SQLite, whose file is served by a single process.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use sqlx::AnyPool;
use sqlx::postgres::PgListener;
use tokio::sync::watch;
use uuid::Uuid;

use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::row::new_id;

mod accounts;
mod conversations;
mod endpoints;

pub use accounts::{AccountChange, ChangeTopic, ChangedAccounts};
pub use conversations::ConversationWatch;
pub use endpoints::QueuedEvents;

use accounts::{AccountChanges, GATHERED};
use conversations::WatchedConversations;
use endpoints::QueuedEndpoints;

/// The channel of PostgreSQL. A message is the id of the sending process, the kind, and ids or changes of
/// accounts, with spaces between them.
const CHANNEL: &str = "frontdesk_signals";
/// The kinds in messages. The ids after them are those of conversations, or of webhook endpoints.
const CONVERSATIONS: &str = "conversations";
const ENDPOINTS: &str = "endpoints";
/// The kind whose words are changes of accounts.
const ACCOUNTS: &str = "accounts";
/// Ids or changes in one message, which is limited to 8,000 bytes.
const WORDS_PER_MESSAGE: usize = 140;
/// The wait before a lost connection is made again.
const RECONNECT: Duration = Duration::from_secs(1);

/// What a transaction has changed that tasks may wait for.
#[derive(Debug, Default)]
pub(crate) struct Changed {
    /// Conversations with a new message or mode.
    pub(crate) conversations: Vec<Uuid>,
    /// Webhook endpoints for which events were queued.
    pub(crate) endpoints: Vec<Uuid>,
    /// What of accounts may have changed.
    pub(crate) accounts: Vec<AccountChange>,
}

/// The tasks of this process that wait for signals. Clones are the same.
#[derive(Clone)]
pub(crate) struct Signals {
    /// Identifies this process in messages, so that it does not listen to itself.
    process: Uuid,
    conversations: WatchedConversations,
    endpoints: QueuedEndpoints,
    accounts: AccountChanges,
    /// Whether signals of other processes are received.
    listening: Arc<watch::Sender<bool>>,
}

impl Default for Signals {
    fn default() -> Self {
        Self {
            process: new_id(),
            conversations: WatchedConversations::default(),
            endpoints: QueuedEndpoints::default(),
            accounts: AccountChanges::default(),
            listening: Arc::new(watch::Sender::new(false)),
        }
    }
}

impl fmt::Debug for Signals {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Signals").field("process", &self.process).finish_non_exhaustive()
    }
}

impl Signals {
    /// Watches a conversation from now on.
    pub(crate) fn watch(&self, conversation_id: Uuid) -> ConversationWatch {
        self.conversations.watch(conversation_id)
    }

    /// Returns the signals of events that are queued from now on.
    pub(crate) fn queued_events(&self) -> QueuedEvents {
        self.endpoints.receiver()
    }

    /// Returns the signals of what may have changed in accounts from now on.
    pub(crate) fn changed_accounts(&self) -> ChangedAccounts {
        self.accounts.receiver()
    }

    /// Signals what may have changed in accounts, in a moment.
    pub(crate) fn gather(
        &self,
        changes: impl IntoIterator<Item = AccountChange>,
        dialect: Dialect,
        writer: &AnyPool,
    ) {
        // Nobody else serves a SQLite file.
        if dialect == Dialect::Sqlite && !self.accounts.has_receivers() {
            return;
        }
        if !self.accounts.add(changes) {
            return;
        }
        let (signals, writer) = (self.clone(), writer.clone());
        tokio::spawn(async move {
            tokio::time::sleep(GATHERED).await;
            let changes = signals.accounts.take();
            if dialect == Dialect::Postgres {
                let words: Vec<String> = changes.iter().map(|change| accounts::word(*change)).collect();
                signals.notify(ACCOUNTS, &words, &writer).await;
            }
            signals.accounts.announce(changes);
        });
    }

    /// Signals what a committed transaction has changed.
    ///
    /// Not within the transaction: PostgreSQL commits transactions that notify one after another, each with
    /// its wait for the disk. What is lost by a crash in between is found when those who wait look again.
    pub(crate) async fn send(&self, changed: Changed, dialect: Dialect, writer: &AnyPool) {
        if dialect == Dialect::Postgres {
            for (kind, ids) in [(CONVERSATIONS, &changed.conversations), (ENDPOINTS, &changed.endpoints)] {
                let words: Vec<String> = ids.iter().map(Uuid::to_string).collect();
                self.notify(kind, &words, writer).await;
            }
        }
        self.gather(changed.accounts.iter().copied(), dialect, writer);
        self.deliver(changed);
    }

    /// Receives the signals of other processes, on a connection of its own to the PostgreSQL database with
    /// this address, which is made again when it is lost. Does not return.
    pub(crate) async fn listen(&self, url: &str) {
        loop {
            if let Err(error) = receive(self, url).await {
                tracing::warn!(%error, "signals of other processes cannot be received; their changes are found later");
            }
            self.listening.send_replace(false);
            // Those who wait look once, and from now on again and again.
            self.deliver_all();
            tokio::time::sleep(RECONNECT).await;
        }
    }

    /// Returns whether signals of other processes are received.
    pub(crate) fn is_listening(&self) -> bool {
        *self.listening.borrow()
    }

    async fn notify(&self, kind: &str, words: &[String], writer: &AnyPool) {
        for words in words.chunks(WORDS_PER_MESSAGE) {
            let message = format!("{} {kind} {}", self.process, words.join(" "));
            let statement = sqlx::query("SELECT pg_notify($1, $2)::text").bind(CHANNEL).bind(message);
            if let Err(error) = statement.execute(writer).await {
                tracing::warn!(%error, kind, "a change cannot be signalled to other processes; they find it later");
            }
        }
    }

    /// Wakes the tasks of this process.
    fn deliver(&self, changed: Changed) {
        changed.conversations.iter().for_each(|id| self.conversations.announce(*id));
        if !changed.endpoints.is_empty() {
            self.endpoints.announce(changed.endpoints);
        }
    }

    /// Wakes the tasks of this process for changes that another one has gathered.
    fn deliver_elsewhere(&self, changed: Changed) {
        if !changed.accounts.is_empty() {
            self.accounts.announce(changed.accounts.clone());
        }
        self.deliver(changed);
    }

    /// Wakes everybody, because signals may have been missed.
    fn deliver_all(&self) {
        self.conversations.announce_all();
        self.endpoints.announce_all();
        self.accounts.announce_all();
    }
}

/// Receives signals until the connection is lost.
async fn receive(signals: &Signals, url: &str) -> Result<(), StoreError> {
    let mut listener = PgListener::connect(url).await?;
    listener.listen(CHANNEL).await?;
    signals.listening.send_replace(true);
    // Changes since the connection was lost.
    signals.deliver_all();
    while let Some(notification) = listener.try_recv().await? {
        if let Some(changed) = changed_elsewhere(notification.payload(), signals.process) {
            signals.deliver_elsewhere(changed);
        }
    }
    Ok(())
}

/// Reads a message. `None` for those of this process, and for those of a later version that are not
/// understood.
fn changed_elsewhere(message: &str, own_process: Uuid) -> Option<Changed> {
    let mut words = message.split(' ');
    let process: Uuid = words.next()?.parse().ok()?;
    if process == own_process {
        return None;
    }
    let kind = words.next()?;
    let mut changed = Changed::default();
    match kind {
        CONVERSATIONS => changed.conversations = words.filter_map(|id| id.parse().ok()).collect(),
        ENDPOINTS => changed.endpoints = words.filter_map(|id| id.parse().ok()).collect(),
        ACCOUNTS => changed.accounts = words.filter_map(accounts::read).collect(),
        _ => return None,
    }
    Some(changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_others_are_read() {
        let (own, other, id) = (new_id(), new_id(), new_id());
        let read = |message: String| changed_elsewhere(&message, own);
        assert_eq!(read(format!("{other} conversations {id}")).unwrap().conversations, [id]);
        assert_eq!(read(format!("{other} endpoints {id} {other}")).unwrap().endpoints, [id, other]);
        assert_eq!(
            read(format!("{other} accounts {id}:deals {id}:moods")).unwrap().accounts,
            [AccountChange { account_id: id, includes_sub_accounts: false, topic: ChangeTopic::Deals }]
        );
        assert!(read(format!("{own} endpoints {id}")).is_none());
        assert!(read(format!("{other} something {id}")).is_none());
        assert!(read("something".to_owned()).is_none());
    }
}
