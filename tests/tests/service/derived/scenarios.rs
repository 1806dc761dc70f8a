//! Scenarios for responses that need a special state of a resource.
//!
//! If the status test reports a declared status as not met, add a scenario that provokes it.

use serde_json::Value;
use uuid::Uuid;

use super::{
    contract::{Operation, contract},
    exchange::{Call, Payload},
    idempotency,
    world::{Ids, Tenant, World},
};

/// Runs every scenario.
pub(crate) async fn play(world: &World, tenant: &Tenant) {
    crawled_already(world, tenant).await;
    pushed_again(world, tenant).await;
    for operation in contract().operations.iter().filter(|operation| operation.declares(409)) {
        match &*operation.method {
            "POST" if operation.declares(201) => created_again(world, tenant, operation).await,
            "PUT" => given_the_name_of_another(world, tenant, operation).await,
            _ => {}
        }
        if operation.takes_header(idempotency::HEADER) {
            still_running(world, tenant, operation).await;
        }
    }
}

/// Begins a crawl of a website that is being crawled: 409.
async fn crawled_already(world: &World, tenant: &Tenant) {
    let call = world.valid_once(tenant, contract().operation("recrawlWebsite")).await;
    let website_id = &call.path["website_id"];
    let statement = format!("UPDATE websites SET status = 'crawling' WHERE website_id = '{website_id}'");
    world.service.database.run(&statement).await;
    let refused = world.send(tenant, &call).await;
    assert_eq!((refused.status, &refused.body["error"]), (409, &Value::from("in_progress")), "{refused:?}");
    let cancel = contract().operation("cancelWebsiteCrawl");
    world.succeed(tenant, &Call { path: call.path, ..Call::new(cancel) }).await;
}

/// Sends the content of a page twice: 200.
async fn pushed_again(world: &World, tenant: &Tenant) {
    let operation = contract().operation("createWebpage");
    let examples = &operation.body.as_ref().unwrap().examples;
    let (_, body) = examples.iter().find(|(_, example)| example.get("html").is_some()).unwrap();
    let call = world.valid_once(tenant, operation).await.json(body.clone());
    for expected in [201, 200] {
        let pushed = world.send(tenant, &call).await;
        assert_eq!(pushed.status, expected, "{pushed:?}");
    }
}

/// Creates a resource twice: 409 if a field must be unique.
async fn created_again(world: &World, tenant: &Tenant, operation: &'static Operation) {
    let call = world.valid(tenant, operation).await;
    world.succeed(tenant, &call).await;
    let again = world.send(tenant, &call).await;
    match again.status {
        409 => assert_eq!(again.body["error"], "already_exists", "{}: {again:?}", operation.id),
        status => assert!((200..300).contains(&status), "{}: {again:?}", operation.id),
    }
}

/// Gives a resource the unique value of another one: 409.
async fn given_the_name_of_another(world: &World, tenant: &Tenant, operation: &'static Operation) {
    let update = world.valid_once(tenant, operation).await;
    let Some((last, parents)) = operation.path_parameters.split_last() else { return };
    // A part of the resource, such as its content, may have the unique value.
    let Some((resource, _)) = operation.path.rsplit_once('}') else { return };
    let Some((collection, _)) = resource.rsplit_once('/') else { return };
    let Some(create) = contract().at("POST", collection) else { return };
    let parents: Ids = parents.iter().map(|parent| (*parent, update.path[parent].clone())).collect();
    let other = world.valid_at(tenant, create, &parents).await;
    world.succeed(tenant, &other).await;
    let conflict =
        world.send(tenant, &Call { payload: Payload::Json(other.body().unwrap().clone()), ..update }).await;
    assert_eq!(
        (conflict.status, &conflict.body["error"]),
        (409, &Value::from("already_exists")),
        "{last}: {conflict:?}"
    );
}

/// Repeats a request while the first one with its idempotency key is running: 409.
async fn still_running(world: &World, tenant: &Tenant, operation: &'static Operation) {
    let key = Uuid::new_v4().to_string();
    let call = world.valid(tenant, operation).await.header(idempotency::HEADER, &key);
    world.succeed(tenant, &call).await;
    // Without a status the first request counts as running.
    let statement = format!("UPDATE idempotency_keys SET status = NULL WHERE idempotency_key = '{key}'");
    world.service.database.run(&statement).await;
    let again = world.send(tenant, &call).await;
    assert_eq!(
        (again.status, &again.body["error"]),
        (409, &Value::from("in_progress")),
        "{}: {again:?}",
        operation.id
    );
}
