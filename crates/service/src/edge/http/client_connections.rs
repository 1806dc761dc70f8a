//! Connections of clients: [`ClientConnections`] says who gets a place, and who gives one back.
//!
//! Few addresses must not keep everybody else out, whether they send nothing, slowly or a lot:
//!
//! 1. One address has a maximum of its own. Beyond [`ALWAYS`] connections it also gets no more than are still
//!    free, so each further address that takes what it can leaves as much again. What is beyond is closed.
//! 2. When all places are taken, a client that has none, or clearly fewer than another one, gets that of the
//!    longest idle connection of the address with the most. Idle is a connection on which no request runs:
//!    nothing was sent, or a part of a head, or the response is sent.
//! 3. Where no connection is idle, a newcomer waits for the next that ends or becomes idle, those of the
//!    lightest address first.
//!
//! An address is that of a subscriber: IPv6 by its first 64 bits. Trusted proxies carry many clients: theirs
//! have no maximum and are never closed for others.

use std::{
    collections::{BTreeMap, HashMap},
    net::IpAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
};

use ipnet::IpNet;
use tokio::sync::{Notify, oneshot};

use super::origin::{ClientAddress, contains};

/// So many connections an address may have however few are free.
const ALWAYS: usize = 16;

/// The connections of a listener. Clones share them.
#[derive(Clone, Debug)]
pub(super) struct ClientConnections(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// Maximum number of open connections.
    maximum: usize,
    /// Maximum number of open connections of one address.
    per_client: usize,
    /// Trusted proxies.
    exempt: Vec<IpNet>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Places that are taken, those of trusted proxies included.
    open: usize,
    clients: HashMap<IpAddr, Client>,
    /// Newcomers without a place, in the order of their arrival. While there are any, no place is free.
    waiting: BTreeMap<u64, Waiting>,
    /// The next number of an order.
    next: u64,
}

/// The connections of one address.
#[derive(Debug, Default)]
struct Client {
    open: usize,
    waiting: usize,
    /// The idle ones, in the order in which they became idle.
    idle: BTreeMap<u64, Arc<Place>>,
}

#[derive(Debug)]
struct Waiting {
    client: Option<IpAddr>,
    give: oneshot::Sender<Connection>,
}

/// The place of a connection. Its fields change under the lock of the state.
#[derive(Debug, Default)]
struct Place {
    /// Another connection has the place.
    is_lost: AtomicBool,
    /// Requests that run.
    running: AtomicUsize,
    /// The number under which it is among the idle ones.
    idle_since: AtomicU64,
    closing: Notify,
}

/// Whether a newcomer gets a place.
enum Arrival {
    Placed(Arc<Place>),
    Waits(u64, oneshot::Receiver<Connection>),
    Refused,
}

/// An open connection. Dropping it makes its place available.
#[derive(Debug)]
pub(super) struct Connection {
    shared: Arc<Shared>,
    client: Option<IpAddr>,
    place: Arc<Place>,
}

/// A request that runs on a connection, which is therefore not idle.
#[derive(Debug)]
pub(super) struct RunningRequest(Arc<Connection>);

impl ClientConnections {
    /// Returns places for `maximum` connections, of which one address gets up to `per_client`.
    pub(super) fn new(maximum: usize, per_client: usize, exempt: &[IpNet]) -> Self {
        let exempt = exempt.to_vec();
        Self(Arc::new(Shared { maximum, per_client, exempt, state: Mutex::default() }))
    }

    /// Returns how many newcomers may wait for a place at a time.
    pub(super) fn newcomers(maximum: usize) -> usize {
        (maximum / 4).max(ALWAYS)
    }

    /// Waits for a place, or returns `None` if the client has as many connections as it may have.
    pub(super) async fn enter(&self, address: IpAddr) -> Option<Connection> {
        let shared = &self.0;
        let address = address.to_canonical();
        let client = (!contains(&shared.exempt, address)).then(|| ClientAddress(address).subscriber());
        // Not in the `match`, which would hold the lock.
        let arrival = shared.lock().arrive(shared, client);
        match arrival {
            Arrival::Placed(place) => Some(Connection { shared: Arc::clone(shared), client, place }),
            Arrival::Waits(number, given) => {
                let _leave = Leave { shared, number };
                given.await.ok()
            }
            Arrival::Refused => None,
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // No code panics halfway through a change, so a poisoned state is still consistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns how many connections an address may have while `open` are.
    fn share(&self, open: usize) -> usize {
        // An operator who lets one address have all knows why: every client comes through it.
        if self.per_client >= self.maximum {
            return self.per_client;
        }
        self.per_client.min(self.maximum.saturating_sub(open).max(ALWAYS))
    }
}

impl State {
    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    fn arrive(&mut self, shared: &Shared, client: Option<IpAddr>) -> Arrival {
        let mut has_open = 0;
        if let Some(client) = client {
            let known = self.clients.entry(client).or_default();
            has_open = known.open;
            if known.open + known.waiting >= shared.share(self.open) {
                self.forget(client);
                return Arrival::Refused;
            }
        }
        if self.open < shared.maximum {
            self.open += 1;
            return Arrival::Placed(self.settle(client));
        }
        if let Some(heaviest) = self.heaviest_idle().filter(|heaviest| self.yields(*heaviest, has_open)) {
            self.close_longest_idle(heaviest);
            return Arrival::Placed(self.settle(client));
        }
        let number = self.number();
        let (give, given) = oneshot::channel();
        if let Some(known) = client.and_then(|client| self.clients.get_mut(&client)) {
            known.waiting += 1;
        }
        self.waiting.insert(number, Waiting { client, give });
        Arrival::Waits(number, given)
    }

    /// Takes the place that the caller has made for a new connection, which is idle until its first request.
    fn settle(&mut self, client: Option<IpAddr>) -> Arc<Place> {
        let place = Arc::new(Place::default());
        if let Some(client) = client {
            self.clients.entry(client).or_default().open += 1;
            self.rest(client, &place);
        }
        place
    }

    /// Puts a connection among the idle ones.
    fn rest(&mut self, client: IpAddr, place: &Arc<Place>) {
        let number = self.number();
        place.idle_since.store(number, Relaxed);
        self.clients.entry(client).or_default().idle.insert(number, Arc::clone(place));
    }

    /// Returns the address with the most connections among those that have an idle one.
    fn heaviest_idle(&self) -> Option<IpAddr> {
        let idle = self.clients.iter().filter_map(|(address, client)| {
            let (since, _) = client.idle.first_key_value()?;
            Some((client.open, std::cmp::Reverse(*since), *address))
        });
        idle.max().map(|(_, _, address)| address)
    }

    /// Returns whether an address gives a place to a client with so many open connections. Otherwise both
    /// would take the same place from each other for ever.
    fn yields(&self, heaviest: IpAddr, has_open: usize) -> bool {
        has_open == 0 || self.clients.get(&heaviest).is_some_and(|heaviest| heaviest.open > has_open + 1)
    }

    fn close_longest_idle(&mut self, address: IpAddr) {
        let Some(client) = self.clients.get_mut(&address) else { return };
        if let Some((_, place)) = client.idle.pop_first() {
            place.is_lost.store(true, Relaxed);
            place.closing.notify_one();
            client.open -= 1;
        }
        self.forget(address);
    }

    /// Forgets an address without connections.
    fn forget(&mut self, address: IpAddr) {
        if self.clients.get(&address).is_some_and(|client| client.open + client.waiting == 0) {
            self.clients.remove(&address);
        }
    }

    fn open_of(&self, client: Option<IpAddr>) -> usize {
        client.and_then(|client| self.clients.get(&client)).map_or(0, |client| client.open)
    }

    /// Returns the newcomer whose turn it is: that of the address with the fewest connections, and of these
    /// the first.
    fn next_newcomer(&self) -> Option<u64> {
        let newcomers = self.waiting.iter().map(|(number, waiting)| (self.open_of(waiting.client), *number));
        newcomers.min().map(|(_, number)| number)
    }

    /// Takes the place that the caller has made for a newcomer.
    fn admit(&mut self, shared: &Arc<Shared>, number: u64) -> Option<Given> {
        let Waiting { client, give } = self.waiting.remove(&number)?;
        if let Some(known) = client.and_then(|client| self.clients.get_mut(&client)) {
            known.waiting -= 1;
        }
        let place = self.settle(client);
        Some(Given { give, connection: Connection { shared: Arc::clone(shared), client, place } })
    }
}

/// A place on its way to a newcomer.
#[must_use]
struct Given {
    give: oneshot::Sender<Connection>,
    connection: Connection,
}

impl Given {
    /// Hands it over, without the lock: a newcomer that has gone gives the place back.
    fn send(self) {
        let _ = self.give.send(self.connection);
    }
}

/// Takes a newcomer out of the queue when it does not wait any longer.
struct Leave<'a> {
    shared: &'a Shared,
    number: u64,
}

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        let Some(Waiting { client: Some(client), .. }) = state.waiting.remove(&self.number) else { return };
        if let Some(known) = state.clients.get_mut(&client) {
            known.waiting -= 1;
        }
        state.forget(client);
    }
}

impl Connection {
    /// Returns once another client has the place.
    pub(super) async fn is_to_close(&self) {
        self.place.closing.notified().await;
    }

    /// Notes that a request runs, or returns `None` if another client has the place.
    pub(super) fn begin(self: &Arc<Self>) -> Option<RunningRequest> {
        let mut state = self.shared.lock();
        if self.place.is_lost.load(Relaxed) {
            return None;
        }
        self.place.running.fetch_add(1, Relaxed);
        self.stir(&mut state);
        Some(RunningRequest(Arc::clone(self)))
    }

    /// Takes the connection out of the idle ones.
    fn stir(&self, state: &mut State) {
        if let Some(client) = self.client.and_then(|client| state.clients.get_mut(&client)) {
            client.idle.remove(&self.place.idle_since.load(Relaxed));
        }
    }

    /// Notes that a request has ended. An idle connection may be what a newcomer waits for.
    fn end(&self) {
        let mut state = self.shared.lock();
        let Some(client) = self.client else { return };
        if self.place.running.fetch_sub(1, Relaxed) > 1 {
            return;
        }
        state.rest(client, &self.place);
        let given = state.next_newcomer().and_then(|number| {
            let has_open = state.open_of(state.waiting.get(&number)?.client);
            let heaviest = state.heaviest_idle().filter(|heaviest| state.yields(*heaviest, has_open))?;
            state.close_longest_idle(heaviest);
            state.admit(&self.shared, number)
        });
        drop(state);
        if let Some(given) = given {
            given.send();
        }
    }
}

impl Drop for RunningRequest {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        if self.place.is_lost.load(Relaxed) {
            return;
        }
        self.stir(&mut state);
        if let Some(client) = self.client {
            if let Some(known) = state.clients.get_mut(&client) {
                known.open -= 1;
            }
            state.forget(client);
        }
        let given = state.next_newcomer().and_then(|number| state.admit(&self.shared, number));
        if given.is_none() {
            state.open -= 1;
        }
        drop(state);
        if let Some(given) = given {
            given.send();
        }
    }
}

#[cfg(test)]
#[path = "client_connections_tests.rs"]
mod tests;
