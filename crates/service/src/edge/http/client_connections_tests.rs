//! Places for connections, with addresses that take all they can.

use std::time::Duration;

use super::*;

fn address(text: &str) -> IpAddr {
    text.parse().unwrap()
}

/// What becomes of a newcomer without waiting.
async fn enter(connections: &ClientConnections, client: &str) -> Option<Arc<Connection>> {
    let entered = tokio::time::timeout(Duration::from_secs(1), connections.enter(address(client))).await;
    entered.expect("it waits").map(Arc::new)
}

async fn is_closed(connection: &Connection) -> bool {
    tokio::time::timeout(Duration::from_secs(1), connection.is_to_close()).await.is_ok()
}

#[tokio::test(start_paused = true)]
async fn each_client_has_its_own_maximum() {
    let proxies = ["10.0.0.0/8".parse().unwrap()];
    let connections = ClientConnections::new(100, 2, &proxies);
    let first = enter(&connections, "198.51.100.7").await.unwrap();
    let second = enter(&connections, "::ffff:198.51.100.7").await.unwrap();
    assert!(enter(&connections, "198.51.100.7").await.is_none());
    assert!(enter(&connections, "198.51.100.8").await.is_some());
    drop(first);
    let third = enter(&connections, "198.51.100.7").await.unwrap();
    assert!(enter(&connections, "198.51.100.7").await.is_none());
    // One customer has a whole IPv6 network.
    let neighbors = [enter(&connections, "2001:db8::1").await, enter(&connections, "2001:db8::2").await];
    assert!(neighbors.iter().all(Option::is_some));
    assert!(enter(&connections, "2001:db8::3").await.is_none());
    for _ in 0..10 {
        std::mem::forget(enter(&connections, "10.1.2.3").await.unwrap());
    }
    drop((second, third, neighbors));
    let state = connections.0.lock();
    assert!(state.clients.is_empty());
    assert_eq!(state.open, 10, "those of the proxy");
}

#[tokio::test(start_paused = true)]
async fn idle_connections_of_four_addresses_make_place_for_a_fifth() {
    let connections = ClientConnections::new(8, 7, &[]);
    let mut heavy = Vec::new();
    for number in 0..8 {
        heavy.push(enter(&connections, &format!("192.0.2.{}", number % 4)).await.unwrap());
    }
    // The longest idle one goes, of those with the most.
    let fifth = enter(&connections, "192.0.2.9").await.unwrap();
    assert!(is_closed(&heavy[0]).await);
    assert!(heavy[0].begin().is_none(), "a request that comes at this moment is not begun");
    for other in &heavy[1..] {
        assert!(!is_closed(other).await);
    }
    // Addresses with as many as the heaviest have to wait: otherwise they would take the same place from each
    // other for ever.
    let waiting = tokio::time::timeout(Duration::from_secs(1), connections.enter(address("192.0.2.1"))).await;
    assert!(waiting.is_err());
    // That lost a place counts once.
    drop((heavy, fifth));
    let state = connections.0.lock();
    assert_eq!((state.open, state.clients.len(), state.waiting.len()), (0, 0, 0));
}

#[tokio::test(start_paused = true)]
async fn busy_connections_stay_until_a_request_ends() {
    let connections = ClientConnections::new(4, 3, &[]);
    let mut heavy = Vec::new();
    let mut running = Vec::new();
    for number in 0..4 {
        let connection = enter(&connections, &format!("192.0.2.{}", number % 2)).await.unwrap();
        running.push(connection.begin().unwrap());
        heavy.push(connection);
    }
    let newcomer = |client: &str| {
        let (connections, client) = (connections.clone(), address(client));
        tokio::spawn(async move { connections.enter(client).await })
    };
    let again = newcomer("192.0.2.0");
    tokio::time::sleep(Duration::from_secs(1)).await;
    let fifth = newcomer("192.0.2.9");
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(!again.is_finished() && !fifth.is_finished());
    // The connection becomes idle, and the newcomer without any gets it, although another one came earlier.
    drop(running.pop());
    let fifth = fifth.await.unwrap().unwrap();
    assert!(is_closed(&heavy[3]).await && !again.is_finished());
    // A connection that ends is a place for whoever waits.
    drop(fifth);
    assert!(again.await.unwrap().is_some());
}

#[tokio::test(start_paused = true)]
async fn busy_connections_of_four_addresses_leave_places_free() {
    let connections = ClientConnections::new(1024, 256, &[]);
    let mut running = Vec::new();
    for client in 1..=4 {
        while let Some(connection) = enter(&connections, &format!("192.0.2.{client}")).await {
            running.push(connection.begin().unwrap());
        }
    }
    assert_eq!(running.len(), 256 + 256 + 256 + 128);
    assert!(enter(&connections, "192.0.2.5").await.is_some());
    // An operator who lets one address have all has other means.
    let one_address = ClientConnections::new(20, 20, &[]);
    let mut open = Vec::new();
    while let Some(connection) = enter(&one_address, "192.0.2.1").await {
        open.push(connection);
    }
    assert_eq!(open.len(), 20);
}

#[tokio::test(start_paused = true)]
async fn connections_of_trusted_proxies_are_not_closed_for_others() {
    let proxies = ["10.0.0.0/8".parse().unwrap()];
    let connections = ClientConnections::new(2, 1, &proxies);
    let proxied =
        [enter(&connections, "10.0.0.1").await.unwrap(), enter(&connections, "10.0.0.1").await.unwrap()];
    let direct = tokio::time::timeout(Duration::from_secs(1), connections.enter(address("192.0.2.1"))).await;
    assert!(direct.is_err());
    // The queue forgets who has gone.
    assert!(connections.0.lock().waiting.is_empty() && connections.0.lock().clients.is_empty());
    let [first, _second] = proxied;
    drop(first);
    let direct = enter(&connections, "192.0.2.1").await.unwrap();
    // A proxy takes the place of an idle client.
    let _third = enter(&connections, "10.0.0.1").await.unwrap();
    assert!(is_closed(&direct).await);
}
