//! Connection cap per client address: [`ClientConnections`].

use std::{
    collections::{HashMap, hash_map::Entry},
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use ipnet::IpNet;

use super::origin::{ClientAddress, contains};

/// Counts the open connections of each client address and refuses those above a maximum.
#[derive(Clone, Debug)]
pub(super) struct ClientConnections {
    counts: Arc<Mutex<HashMap<IpAddr, usize>>>,
    maximum: usize,
    /// Trusted proxies carry the connections of many clients.
    exempt: Arc<[IpNet]>,
}

/// A counted connection. Dropping it makes its place available again.
#[derive(Debug)]
pub(super) struct CountedConnection {
    counts: Arc<Mutex<HashMap<IpAddr, usize>>>,
    client: Option<IpAddr>,
}

impl ClientConnections {
    pub(super) fn new(maximum: usize, exempt: &[IpNet]) -> Self {
        Self { counts: Arc::default(), maximum, exempt: exempt.into() }
    }

    /// Counts a connection, or returns `None` if its client address already has the maximum.
    pub(super) fn open(&self, address: IpAddr) -> Option<CountedConnection> {
        let address = address.to_canonical();
        if contains(&self.exempt, address) {
            return Some(CountedConnection { counts: Arc::clone(&self.counts), client: None });
        }
        let client = ClientAddress(address).subscriber();
        let mut counts = lock(&self.counts);
        let count = counts.entry(client).or_default();
        if *count >= self.maximum {
            return None;
        }
        *count += 1;
        Some(CountedConnection { counts: Arc::clone(&self.counts), client: Some(client) })
    }
}

impl Drop for CountedConnection {
    fn drop(&mut self) {
        let Some(client) = self.client else { return };
        if let Entry::Occupied(mut count) = lock(&self.counts).entry(client) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }
}

fn lock(counts: &Mutex<HashMap<IpAddr, usize>>) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
    // No code panics halfway through a change, so a poisoned state is still consistent.
    counts.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_client_has_its_own_maximum() {
        let proxies = ["10.0.0.0/8".parse().unwrap()];
        let connections = ClientConnections::new(2, &proxies);
        let open = |address: &str| connections.open(address.parse().unwrap());
        let first = open("198.51.100.7").unwrap();
        let second = open("::ffff:198.51.100.7").unwrap();
        assert!(open("198.51.100.7").is_none());
        assert!(open("198.51.100.8").is_some());
        drop(first);
        let third = open("198.51.100.7").unwrap();
        assert!(open("198.51.100.7").is_none());
        // One customer has a whole IPv6 network.
        let neighbours = [open("2001:db8::1").unwrap(), open("2001:db8::2").unwrap()];
        assert!(open("2001:db8::3").is_none());
        let proxied: Vec<_> = (0..10).map(|_| open("10.1.2.3").unwrap()).collect();
        drop(proxied);
        drop((second, third, neighbours));
        assert!(lock(&connections.counts).is_empty());
    }
}
