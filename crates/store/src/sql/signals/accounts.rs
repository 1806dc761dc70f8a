//! Signals that something of an account may have changed, for people who have a page of it open.
//!
//! Changes come in bursts, and PostgreSQL commits transactions that notify one after another. So they are
//! gathered for a moment, and what has changed meanwhile is one signal, however often it has changed.

use std::collections::BTreeSet;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::broadcast::{Receiver, Sender, channel, error::RecvError};
use uuid::Uuid;

/// How long changes are gathered.
pub(super) const GATHERED: Duration = Duration::from_millis(200);
/// Signals that a slow receiver may have in front of it. Beyond that, anything may have changed for it.
const CAPACITY: usize = 256;

named_values! {
    /// What of an account may have changed.
    #[derive(PartialOrd, Ord)]
    pub enum ChangeTopic as "topic of changes" {
        /// Members, keys, channels, domains, webhook endpoints and calendar feeds.
        Account = "account",
        /// Activities of deals.
        Activities = "activities",
        /// Chatbots and their widgets.
        Chatbots = "chatbots",
        /// Contacts.
        Contacts = "contacts",
        /// What chatbots are trained on.
        Content = "content",
        /// Conversations with visitors.
        Conversations = "conversations",
        /// Deals, and the columns and rows of the board.
        Deals = "deals",
        /// Threads of the inbox.
        Threads = "threads",
    }
}

/// Something that may have changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct AccountChange {
    /// The account whose data it is, or that of the caller who has changed it.
    pub account_id: Uuid,
    /// Whether it may be the data of a sub-account.
    pub includes_sub_accounts: bool,
    /// What it is.
    pub topic: ChangeTopic,
}

/// What receivers get: the changes of a moment, or `None` if anything may have changed.
type Signal = Option<Arc<[AccountChange]>>;

/// The changes of this process that are being gathered, and the receivers in it.
#[derive(Clone, Debug)]
pub(super) struct AccountChanges {
    gathered: Arc<Mutex<BTreeSet<AccountChange>>>,
    receivers: Sender<Signal>,
}

impl Default for AccountChanges {
    fn default() -> Self {
        Self { gathered: Arc::default(), receivers: channel(CAPACITY).0 }
    }
}

impl AccountChanges {
    /// Adds changes, and returns whether they are the first, so that somebody has to take them in a moment.
    pub(super) fn add(&self, changes: impl IntoIterator<Item = AccountChange>) -> bool {
        let mut gathered = self.gathered.lock().unwrap_or_else(PoisonError::into_inner);
        let was_empty = gathered.is_empty();
        gathered.extend(changes);
        was_empty && !gathered.is_empty()
    }

    /// Takes what was gathered.
    pub(super) fn take(&self) -> Vec<AccountChange> {
        let mut gathered = self.gathered.lock().unwrap_or_else(PoisonError::into_inner);
        mem::take(&mut *gathered).into_iter().collect()
    }

    /// Whether anybody in this process wants to know.
    pub(super) fn has_receivers(&self) -> bool {
        self.receivers.receiver_count() > 0
    }

    pub(super) fn announce(&self, changes: Vec<AccountChange>) {
        // Without a receiver, nobody has to know.
        let _ = self.receivers.send(Some(changes.into()));
    }

    pub(super) fn announce_all(&self) {
        let _ = self.receivers.send(None);
    }

    pub(super) fn receiver(&self) -> ChangedAccounts {
        ChangedAccounts(self.receivers.subscribe())
    }
}

/// Receives what may have changed in accounts.
#[derive(Debug)]
pub struct ChangedAccounts(Receiver<Signal>);

impl ChangedAccounts {
    /// Returns the changes of the next moment in which there are some, of all accounts, or `None` if signals
    /// were missed, so that anything may have changed.
    pub async fn next(&mut self) -> Option<Arc<[AccountChange]>> {
        match self.0.recv().await {
            Ok(signal) => signal,
            Err(RecvError::Lagged(_)) => None,
            // The store that this receiver belongs to has the sender.
            Err(RecvError::Closed) => std::future::pending().await,
        }
    }
}

/// Writes a change as a word of a message between processes.
pub(super) fn word(change: AccountChange) -> String {
    let reach = if change.includes_sub_accounts { "+" } else { "" };
    format!("{}{reach}:{}", change.account_id, change.topic.as_str())
}

/// Reads such a word; `None` for one of a later version that is not understood.
pub(super) fn read(word: &str) -> Option<AccountChange> {
    let (account, topic) = word.split_once(':')?;
    let (account, includes_sub_accounts) = match account.strip_suffix('+') {
        Some(account) => (account, true),
        None => (account, false),
    };
    Some(AccountChange {
        account_id: account.parse().ok()?,
        includes_sub_accounts,
        topic: topic.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_of_a_moment_are_gathered() {
        let changes = AccountChanges::default();
        let change = AccountChange {
            account_id: Uuid::from_u128(1),
            includes_sub_accounts: false,
            topic: ChangeTopic::Deals,
        };
        assert!(!changes.add([]));
        assert!(changes.add([change]));
        assert!(!changes.add([change, AccountChange { topic: ChangeTopic::Account, ..change }]));
        assert_eq!(changes.take(), [AccountChange { topic: ChangeTopic::Account, ..change }, change]);
        assert!(changes.add([change]));
    }

    #[test]
    fn a_change_is_one_word() {
        for includes_sub_accounts in [false, true] {
            let change = AccountChange {
                account_id: Uuid::from_u128(7),
                includes_sub_accounts,
                topic: ChangeTopic::Threads,
            };
            assert_eq!(read(&word(change)), Some(change));
        }
        for unknown in ["", "x:threads", "00000000-0000-0000-0000-000000000007:moods"] {
            assert_eq!(read(unknown), None, "{unknown}");
        }
    }
}
