//! The places of a queue in this process, and which accounts have them: [`Places`].
//!
//! One account gets at most half of them, so that work which hangs or never ends leaves places for others;
//! with one place, accounts take turns and work of minutes gives the place back in between
//! ([`Outcome::ContinueAt`](super::Outcome::ContinueAt)). Each process keeps half of its own places, which
//! needs no word between processes. Only where there is no other account at all does the one have every
//! place.

use std::collections::{BTreeMap, HashMap, VecDeque};

use frontdesk_store::Turns;
use tokio::task::{Id, JoinError, JoinSet};
use uuid::Uuid;

/// Accounts whose last turn is remembered. With more of them at a time, the order is that of due times again.
const REMEMBERED: usize = 128;

/// The jobs of a queue that run in this process.
#[derive(Debug)]
pub(super) struct Places {
    count: usize,
    running: JoinSet<()>,
    /// The accounts of the tasks; work of the installation is not listed.
    accounts: HashMap<Id, Uuid>,
    served: VecDeque<Uuid>,
}

impl Places {
    pub(super) fn new(count: usize) -> Self {
        Self { count, running: JoinSet::new(), accounts: HashMap::new(), served: VecDeque::new() }
    }

    /// Returns how many places one account gets.
    fn per_account(&self) -> usize {
        (self.count / 2).max(1)
    }

    pub(super) fn is_free(&self) -> bool {
        self.running.len() < self.count
    }

    /// Returns whose turn it is.
    pub(super) fn turns(&self) -> Turns {
        let running = self.accounts.values().fold(BTreeMap::<Uuid, usize>::new(), |mut running, account| {
            *running.entry(*account).or_default() += 1;
            running
        });
        let full = running.into_iter().filter(|(_, running)| *running >= self.per_account());
        Turns {
            full: full.map(|(account, _)| account).collect(),
            served: self.served.iter().copied().collect(),
        }
    }

    /// Gives a place to the job of an account, or of the installation.
    pub(super) fn run(&mut self, account: Option<Uuid>, job: impl Future<Output = ()> + Send + 'static) {
        let task = self.running.spawn(job);
        let Some(account) = account else { return };
        self.accounts.insert(task.id(), account);
        self.served.retain(|served| *served != account);
        self.served.push_back(account);
        if self.served.len() > REMEMBERED {
            self.served.pop_front();
        }
    }

    /// Waits until a job ends, or returns `None` at once if none runs.
    pub(super) async fn join_next(&mut self) -> Option<Result<(), JoinError>> {
        let ended = self.running.join_next_with_id().await?;
        let id = ended.as_ref().map_or_else(JoinError::id, |(id, ())| *id);
        self.accounts.remove(&id);
        Some(ended.map(|_| ()))
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use super::*;

    fn account(number: u128) -> Uuid {
        Uuid::from_u128(number)
    }

    #[tokio::test]
    async fn an_account_gets_half_of_the_places() {
        for (count, expected) in [(1, 1), (2, 1), (3, 1), (4, 2), (5, 2), (16, 8)] {
            let mut places = Places::new(count);
            for number in 1..=expected {
                assert!(places.is_free() && places.turns().full.is_empty(), "{number} of {count}");
                places.run(Some(account(1)), pending());
                assert_eq!(places.turns().served, [account(1)]);
            }
            assert_eq!(places.turns().full, [account(1)]);
            assert_eq!(places.is_free(), count > 1);
        }
    }

    #[tokio::test]
    async fn a_place_is_free_again_however_the_job_ends() {
        let mut places = Places::new(2);
        places.run(Some(account(1)), ready(()));
        assert!(places.join_next().await.unwrap().is_ok());
        places.run(Some(account(2)), async { panic!("deliberate") });
        assert!(places.join_next().await.unwrap().is_err());
        places.run(None, pending());
        assert_eq!(places.turns(), Turns { full: Vec::new(), served: vec![account(1), account(2)] });
    }

    #[tokio::test]
    async fn the_last_turns_are_remembered() {
        let mut places = Places::new(2);
        for number in 0..200 {
            places.run(Some(account(number)), ready(()));
            places.join_next().await.unwrap().unwrap();
        }
        places.run(Some(account(100)), pending());
        let served = places.turns().served;
        assert_eq!((served.len(), served[0], served[127]), (REMEMBERED, account(72), account(100)));
    }
}
