//! Requests that wait for replies: at most so many at a time in this process, and one for each conversation and API key.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::{oneshot, watch};
use uuid::Uuid;

/// The conversation that is waited for, and the API key.
type Who = (Uuid, Uuid);

/// The requests of this process that wait. Clones share them.
#[derive(Clone)]
pub struct Waiters(Arc<Shared>);

struct Shared {
    limit: usize,
    places: Mutex<Places>,
    stopping: watch::Sender<bool>,
}

#[derive(Default)]
struct Places {
    /// The number of the next place.
    next: u64,
    taken: HashMap<Who, (u64, oneshot::Sender<()>)>,
}

impl fmt::Debug for Waiters {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (limit, taken) = (self.0.limit, self.places().taken.len());
        formatter.debug_struct("Waiters").field("limit", &limit).field("taken", &taken).finish()
    }
}

impl Waiters {
    /// Lets so many requests wait at a time.
    pub(crate) fn new(limit: usize) -> Self {
        Self(Arc::new(Shared { limit, places: Mutex::default(), stopping: watch::Sender::new(false) }))
    }

    fn places(&self) -> MutexGuard<'_, Places> {
        // No holder of the lock can leave the places half changed.
        self.0.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a place to wait for replies, or `None` if there is no more. An earlier request for the same conversation and
    /// API key ends.
    pub(crate) fn enter(&self, conversation_id: Uuid, key_id: Uuid) -> Option<Place> {
        let who = (conversation_id, key_id);
        let mut places = self.places();
        if places.taken.len() >= self.0.limit && !places.taken.contains_key(&who) {
            return None;
        }
        let number = places.next;
        places.next += 1;
        let (end, ended) = oneshot::channel();
        // The place that is replaced ends because its sender is dropped.
        places.taken.insert(who, (number, end));
        Some(Place { waiters: self.clone(), who, number, ended, stopping: self.0.stopping.subscribe() })
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
    /// Returns once the request must not wait any longer: a later one has taken its place, or the process is asked to stop.
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
        if places.taken.get(&self.who).is_some_and(|(number, _)| *number == self.number) {
            places.taken.remove(&self.who);
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

    async fn has_ended(place: &mut Place) -> bool {
        timeout(Duration::from_millis(50), place.ended()).await.is_ok()
    }

    #[tokio::test]
    async fn a_later_request_takes_the_place_of_an_earlier_one() {
        let waiters = Waiters::new(2);
        let mut first = waiters.enter(id(1), id(1)).unwrap();
        let mut other_key = waiters.enter(id(1), id(2)).unwrap();
        assert!(waiters.enter(id(2), id(1)).is_none(), "there are only two places");
        let mut second = waiters.enter(id(1), id(1)).unwrap();
        assert!(has_ended(&mut first).await);
        assert!(!has_ended(&mut second).await && !has_ended(&mut other_key).await);
        // The end of the earlier request must not free the place of the later one.
        drop(first);
        assert!(waiters.enter(id(2), id(1)).is_none());
        drop(second);
        assert!(waiters.enter(id(2), id(1)).is_some());
    }

    #[tokio::test]
    async fn nobody_waits_when_the_process_stops() {
        let waiters = Waiters::new(2);
        let mut before = waiters.enter(id(1), id(1)).unwrap();
        waiters.stop();
        assert!(has_ended(&mut before).await);
        assert!(has_ended(&mut waiters.enter(id(2), id(1)).unwrap()).await);
    }
}
