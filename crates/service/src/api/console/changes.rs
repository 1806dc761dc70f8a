//! Changes: what others change while a page is open.

use std::{collections::BTreeSet, time::Duration};

use frontdesk_console_model::{Change, ChangeTopic as Shown, ChangeType, StreamChangesError};
use frontdesk_console_server::{Changes, StreamChanges};
use frontdesk_runtime::{
    Failure,
    codec::{Event, EventStream, StreamError},
};
use frontdesk_store::{AccountChange, ChangeTopic, ChangedAccounts, Session, StoreError};
use tokio::time::{Instant, sleep_until};
use uuid::Uuid;

use super::Console;
use crate::edge::{Edge, authorization::console::too_many, rate_limit::Exceeded, waiters::Place};

/// How long a stream is open.
const LIFETIME: Duration = Duration::from_mins(5);
/// How often a stream looks whether its session has ended. A change of members is a reason to look sooner.
const LOOK: Duration = Duration::from_secs(10);
const SOONER: Duration = Duration::from_secs(1);
/// Streams of one session. A browser needs one, and those that cannot share it one for each tab.
const STREAMS: u128 = 8;
/// Seconds to wait for a place.
const FULL: u64 = 30;

impl Changes for Console {
    type Caller = Session;

    async fn stream_changes(
        &self,
        request: StreamChanges<Session>,
    ) -> Result<EventStream<Change>, Failure<StreamChangesError>> {
        let session = request.caller;
        // Before the first event, so that nothing is missed after it.
        let signals = self.service.store.changed_accounts();
        let (session_id, streams) = (session.session_id, &self.streams);
        let mut slots = (0..STREAMS).map(Uuid::from_u128);
        // One more than a session may have ends one of them.
        let any = || Uuid::from_u128(Uuid::now_v7().as_u128() % STREAMS);
        let slot = slots.find(|slot| !streams.has(*slot, session_id)).unwrap_or_else(any);
        let Some(place) = streams.enter(slot, session_id, session.account_id) else {
            return Err(too_many(Exceeded { retry_after: FULL }).into());
        };
        let reach = Reach::of(&self.service, &session).await?;
        let now = Instant::now();
        let follower = Follower {
            service: self.service.clone(),
            session,
            reach,
            signals,
            place,
            has_begun: false,
            looked: now,
            look: now + LOOK,
            end: now + LIFETIME,
        };
        let events = futures_util::stream::unfold(follower, async |mut follower| {
            let topics = follower.next().await?;
            Some((Ok::<_, StreamError>(event(topics)), follower))
        });
        Ok(EventStream::new(events))
    }
}

fn event(topics: BTreeSet<ChangeTopic>) -> Event<Change> {
    let shown = |topic| match topic {
        ChangeTopic::Account => Shown::Account,
        ChangeTopic::Activities => Shown::Activities,
        ChangeTopic::Chatbots => Shown::Chatbots,
        ChangeTopic::Contacts => Shown::Contacts,
        ChangeTopic::Content => Shown::Content,
        ChangeTopic::Conversations => Shown::Conversations,
        ChangeTopic::Deals => Shown::Deals,
        ChangeTopic::Threads => Shown::Threads,
    };
    let topics = topics.into_iter().map(shown).collect::<Vec<_>>();
    Event::new(Change::new(ChangeType::Change, topics)).with_kind("change")
}

/// The accounts whose changes a session sees.
struct Reach {
    accounts: Vec<Uuid>,
    /// The agency that its account belongs to, whose owner may change something of it.
    agency: Option<Uuid>,
}

impl Reach {
    async fn of(service: &Edge, session: &Session) -> Result<Self, StoreError> {
        let accounts = service.store.accounts();
        let own = accounts.find(session.account_id).await?;
        Ok(Self {
            accounts: accounts.reached(&session.scope()).await?,
            agency: own.and_then(|account| account.parent_id),
        })
    }

    fn includes(&self, change: &AccountChange) -> bool {
        self.accounts.contains(&change.account_id)
            || change.includes_sub_accounts && self.agency == Some(change.account_id)
    }
}

/// Follows the changes for one session.
struct Follower {
    service: Edge,
    session: Session,
    reach: Reach,
    signals: ChangedAccounts,
    place: Place,
    has_begun: bool,
    /// When it has looked whether the session is still there, and when it does so again.
    looked: Instant,
    look: Instant,
    end: Instant,
}

impl Follower {
    /// Returns what may have changed next, or `None` once the stream ends.
    async fn next(&mut self) -> Option<BTreeSet<ChangeTopic>> {
        if !self.has_begun {
            self.has_begun = true;
            return Some(everything());
        }
        loop {
            let topics = tokio::select! {
                signal = self.signals.next() => match signal {
                    Some(changes) => {
                        let seen = changes.iter().filter(|change| self.reach.includes(change));
                        seen.map(|change| change.topic).collect()
                    }
                    None => everything(),
                },
                () = sleep_until(self.look) => BTreeSet::new(),
                () = sleep_until(self.end) => return None,
                () = self.place.ended() => return None,
            };
            if topics.contains(&ChangeTopic::Account) {
                self.look = self.look.min(self.looked + SOONER);
            }
            if Instant::now() >= self.look {
                self.looked = Instant::now();
                self.look = self.looked + LOOK;
                if !self.is_signed_in().await {
                    return None;
                }
            }
            if !topics.is_empty() {
                return Some(topics);
            }
        }
    }

    /// Whether the session is still that of the same member with the same reach, who does not lack a second
    /// factor.
    async fn is_signed_in(&self) -> bool {
        let sessions = self.service.store.sessions();
        let open = match sessions.list(self.session.person_id, self.service.now()).await {
            Ok(open) => open,
            Err(error) => {
                tracing::error!(%error, "a session could not be read");
                return false;
            }
        };
        let own = open.iter().find(|session| session.session_id == self.session.session_id);
        own.is_some_and(|session| session.scope() == self.session.scope() && !session.lacks_second_factor)
    }
}

fn everything() -> BTreeSet<ChangeTopic> {
    ChangeTopic::ALL.iter().copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_of_others_are_not_seen() {
        let [own, sub, agency, other] = [1, 2, 3, 4].map(Uuid::from_u128);
        let change = |account_id, includes_sub_accounts| AccountChange {
            account_id,
            includes_sub_accounts,
            topic: ChangeTopic::Deals,
        };
        let reach = Reach { accounts: vec![own, sub], agency: Some(agency) };
        assert!(reach.includes(&change(own, false)));
        assert!(reach.includes(&change(sub, false)));
        assert!(reach.includes(&change(agency, true)));
        assert!(!reach.includes(&change(agency, false)));
        assert!(!reach.includes(&change(other, true)));
        let without = Reach { accounts: vec![own], agency: None };
        assert!(!without.includes(&change(agency, true)));
    }
}
