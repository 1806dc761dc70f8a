//! Requests that wait for replies: at most so many at a time in this process and of one account, and one for
//! each conversation and whoever waits: an API key, or the session of a widget's visitor. The streams of
//! changes have places of their own, each with a number in place of a conversation.

use std::{
    collections::{HashMap, hash_map::Entry},
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::{oneshot, watch};
use uuid::Uuid;

use crate::platform::config::Limits;

/// The conversation that is waited for, and the API key or the session.
type Who = (Uuid, Uuid);

/// How many requests may wait at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WaitingLimits {
    /// In this process.
    pub(crate) process: usize,
    /// With keys of one account, or of visitors of its widgets.
    pub(crate) account: usize,
}

impl WaitingLimits {
    /// Reads the settings. Unless they say otherwise, one account leaves half of the places for others.
    pub(crate) fn new(limits: &Limits) -> Self {
        let process = limits.waiting_requests;
        let account = limits.waiting_requests_per_account.unwrap_or(process.div_ceil(2));
        Self { process: process as usize, account: account as usize }
    }
}

/// The requests of this process that wait. Clones share them.
#[derive(Clone)]
pub struct Waiters(Arc<Shared>);

struct Shared {
    limits: WaitingLimits,
    places: Mutex<Places>,
    stopping: watch::Sender<bool>,
}

#[derive(Default)]
struct Places {
    /// The number of the next place.
    next: u64,
    taken: HashMap<Who, Taken>,
    /// How many of them each account has.
    of_accounts: HashMap<Uuid, usize>,
}

struct Taken {
    number: u64,
    account_id: Uuid,
    /// Ends the request when it is dropped.
    _end: oneshot::Sender<()>,
}

impl Places {
    fn is_full(&self, limits: WaitingLimits, account_id: Uuid) -> bool {
        let of_account = self.of_accounts.get(&account_id).copied().unwrap_or(0);
        self.taken.len() >= limits.process || of_account >= limits.account
    }

    fn remove(&mut self, who: Who) {
        let Some(Taken { account_id, .. }) = self.taken.remove(&who) else { return };
        if let Entry::Occupied(mut count) = self.of_accounts.entry(account_id) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }
}

impl fmt::Debug for Waiters {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (limits, taken) = (self.0.limits, self.places().taken.len());
        formatter.debug_struct("Waiters").field("limits", &limits).field("taken", &taken).finish()
    }
}

impl Waiters {
    /// Lets so many requests wait at a time.
    pub(crate) fn new(limits: WaitingLimits) -> Self {
        Self(Arc::new(Shared { limits, places: Mutex::default(), stopping: watch::Sender::new(false) }))
    }

    fn places(&self) -> MutexGuard<'_, Places> {
        // No holder of the lock can leave the places half changed.
        self.0.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a place to wait for replies, or `None` if there is no more for the account. `waiting_id` is
    /// the id of the API key or the session. Its earlier request for the same conversation ends.
    pub(crate) fn enter(&self, conversation_id: Uuid, waiting_id: Uuid, account_id: Uuid) -> Option<Place> {
        let who = (conversation_id, waiting_id);
        let mut places = self.places();
        // The request that is replaced ends because its sender is dropped.
        places.remove(who);
        if places.is_full(self.0.limits, account_id) {
            return None;
        }
        let number = places.next;
        places.next += 1;
        let (end, ended) = oneshot::channel();
        *places.of_accounts.entry(account_id).or_default() += 1;
        places.taken.insert(who, Taken { number, account_id, _end: end });
        Some(Place { waiters: self.clone(), who, number, ended, stopping: self.0.stopping.subscribe() })
    }

    /// Whether a request of `waiting_id` waits for this.
    pub(crate) fn has(&self, conversation_id: Uuid, waiting_id: Uuid) -> bool {
        self.places().taken.contains_key(&(conversation_id, waiting_id))
    }

    /// Ends all requests that wait now or later, because the process is asked to stop.
    pub(crate) fn stop(&self) {
        self.0.stopping.send_replace(true);
    }
}

/// The place of one waiting request, until it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    waiters: Waiters,
    who: Who,
    number: u64,
    ended: oneshot::Receiver<()>,
    stopping: watch::Receiver<bool>,
}

impl Place {
    /// Returns once the request must not wait any longer: a later one has taken its place, or the process is
    /// asked to stop.
    pub(crate) async fn ended(&mut self) {
        let Self { ended, stopping, .. } = self;
        tokio::select! {
            _ = ended => {}
            _ = stopping.wait_for(|stopping| *stopping) => {}
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut places = self.waiters.places();
        if places.taken.get(&self.who).is_some_and(|taken| taken.number == self.number) {
            places.remove(self.who);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    fn id(number: u128) -> Uuid {
        Uuid::from_u128(number)
    }

    fn waiters(process: usize, account: usize) -> Waiters {
        Waiters::new(WaitingLimits { process, account })
    }

    async fn has_ended(place: &mut Place) -> bool {
        timeout(Duration::from_millis(50), place.ended()).await.is_ok()
    }

    #[tokio::test]
    async fn a_later_request_takes_the_place_of_an_earlier_one() {
        let waiters = waiters(2, 2);
        let enter = |conversation, key| waiters.enter(id(conversation), id(key), id(9));
        let mut first = enter(1, 1).unwrap();
        let mut other_key = enter(1, 2).unwrap();
        assert!(enter(2, 1).is_none(), "there are only two places");
        let mut second = enter(1, 1).unwrap();
        assert!(has_ended(&mut first).await);
        assert!(!has_ended(&mut second).await && !has_ended(&mut other_key).await);
        // The end of the earlier request must not free the place of the later one.
        drop(first);
        assert!(enter(2, 1).is_none());
        drop(second);
        assert!(enter(2, 1).is_some());
    }

    #[tokio::test]
    async fn one_account_leaves_places_for_others() {
        let waiters = waiters(4, 2);
        let heavy: Vec<_> = (0..2).map(|number| waiters.enter(id(number), id(1), id(1)).unwrap()).collect();
        assert!(waiters.enter(id(2), id(1), id(1)).is_none());
        assert!(waiters.enter(id(2), id(2), id(1)).is_none(), "another key is no other account");
        assert!(waiters.enter(id(0), id(1), id(1)).is_some(), "the same conversation needs no further place");
        let _other = waiters.enter(id(7), id(7), id(7)).unwrap();
        drop(heavy);
        assert!(waiters.enter(id(2), id(1), id(1)).is_some());
        assert_eq!(waiters.places().of_accounts.len(), 1, "accounts without requests are forgotten");
    }

    #[tokio::test]
    async fn nobody_waits_when_the_process_stops() {
        let waiters = waiters(2, 2);
        let mut before = waiters.enter(id(1), id(1), id(9)).unwrap();
        waiters.stop();
        assert!(has_ended(&mut before).await);
        assert!(has_ended(&mut waiters.enter(id(2), id(1), id(9)).unwrap()).await);
    }
}
