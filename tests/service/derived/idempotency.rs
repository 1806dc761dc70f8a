//! Repeated requests with an `Idempotency-Key`, for every operation that declares the header.

use frontdesk_store::Plan;
use serde_json::Value;
use uuid::Uuid;

use super::{
    contract::{Operation, contract},
    exchange::Call,
    pages,
    world::{Tenant, World, each},
};
use crate::{database::Database, on_both_databases};

/// The request header.
pub(crate) const HEADER: &str = "Idempotency-Key";

on_both_databases!(repeats_make_nothing_twice);

async fn repeats_make_nothing_twice(database: Database) {
    let world = World::start(database).await;
    let taking = contract().operations.iter().filter(|operation| operation.takes_header(HEADER));
    let taking: Vec<_> = taking.collect();
    assert!(!taking.is_empty(), "the operations that take keys were not found");
    each(taking, async |operation| {
        // Operations that add to the same list would see each other's items.
        let acme = world.tenant(&format!("acme-{}", operation.id), Plan::Growth).await;
        let other = world.tenant(&format!("other-{}", operation.id), Plan::Growth).await;
        // Resources that the call needs are created first, so that the counts below do not see them.
        world.valid(&acme, operation).await;
        repeated(&world, &acme, &other, operation).await;
        at_the_same_time(&world, &acme, operation).await;
    })
    .await;
    world.stop().await;
}

async fn repeated(world: &World, acme: &Tenant, other: &Tenant, operation: &'static Operation) {
    let key = Uuid::new_v4().to_string();
    let call = world.valid(acme, operation).await.header(HEADER, &key);
    let before = count(world, acme, &call).await;
    let first = world.succeed(acme, &call).await;
    assert_eq!(world.send(acme, &call).await, first, "{}: the repeat differs", operation.id);
    if let (Some(before), Some(after)) = (before, count(world, acme, &call).await) {
        assert_eq!(after, before + 1, "{}: the repeat made something", operation.id);
    }

    let reused = world.send(acme, &call.clone().altered()).await;
    assert_eq!(
        (reused.status, &reused.body["error"]),
        (422, &Value::from("idempotency_key_reused")),
        "{}: {reused:?}",
        operation.id
    );
    // Keys of different callers are independent of each other.
    let foreign = world.valid(other, operation).await.header(HEADER, &key);
    let foreign = world.succeed(other, &foreign).await;
    assert_ne!(foreign.body, first.body, "{}", operation.id);
    // Without the header, the request runs again.
    let plain = world.valid(acme, operation).await;
    assert_ne!(world.succeed(acme, &plain).await.body, first.body, "{}", operation.id);
}

async fn at_the_same_time(world: &World, acme: &Tenant, operation: &'static Operation) {
    let key = Uuid::new_v4().to_string();
    let call = world.valid(acme, operation).await.header(HEADER, &key);
    let before = count(world, acme, &call).await;
    let (one, two, three) =
        tokio::join!(world.send(acme, &call), world.send(acme, &call), world.send(acme, &call));
    let outcomes = [one, two, three];
    let made: Vec<_> = outcomes.iter().filter(|outcome| (200..300).contains(&outcome.status)).collect();
    assert!(!made.is_empty(), "{}: {outcomes:?}", operation.id);
    assert!(made.windows(2).all(|pair| pair[0] == pair[1]), "{}: {outcomes:?}", operation.id);
    let refused = outcomes.iter().filter(|outcome| outcome.status == 409).count();
    assert_eq!(made.len() + refused, outcomes.len(), "{}: {outcomes:?}", operation.id);
    if let (Some(before), Some(after)) = (before, count(world, acme, &call).await) {
        assert_eq!(after, before + 1, "{}: more than one was made", operation.id);
    }
}

/// Returns the number of resources in the list that the call adds to, or `None` if there is no such list.
async fn count(world: &World, tenant: &Tenant, call: &Call) -> Option<usize> {
    let list = contract().at("GET", call.operation.path)?;
    let list = Call { path: call.path.clone(), ..Call::new(list) };
    Some(pages::whole(world, tenant, &list).await.len())
}
