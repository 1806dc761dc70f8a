//! Request examples of the document, sent as written except for ids of resources.

use std::collections::BTreeSet;

use frontdesk_store::Plan;

use super::{
    contract::{Body, contract},
    world::{World, each},
};
use crate::{database::Database, on_both_databases};

on_both_databases!(examples_of_requests_are_accepted);

async fn examples_of_requests_are_accepted(database: Database) {
    let world = World::start(database).await;
    let mut examples = Vec::new();
    for operation in &contract().operations {
        let written = operation.body.iter().filter(|body| body.has_fields()).flat_map(|body| &body.examples);
        examples.extend(written.map(|(name, example)| (operation, *name, example)));
    }
    let operations: BTreeSet<&str> = examples.iter().map(|(operation, ..)| operation.id).collect();
    assert!(operations.len() > 3, "the examples were not found: {operations:?}");
    let shared = world.tenant("shared", Plan::Growth).await;
    each(examples, async |(operation, name, example)| {
        // Examples of one operation may contain the same unique value, and those of domains decide which
        // visitors have to say who they are.
        let names_domain = |body: &Body| {
            let schema = body.schema.resolve().unwrap();
            schema.get("properties").is_some_and(|members| members.get("domain_id").is_some())
        };
        let own = if operation.declares(409) || operation.body.as_ref().is_some_and(names_domain) {
            Some(world.tenant(&format!("own-{}", world.number()), Plan::Growth).await)
        } else {
            None
        };
        let tenant = own.as_ref().unwrap_or(&shared);
        let call = world.valid_once(tenant, operation).await;
        let mut body = example.clone();
        world.adopt(tenant, operation, &call.path, &mut body).await;
        let outcome = world.send(tenant, &call.json(body)).await;
        assert!((200..300).contains(&outcome.status), "{} {name}: {outcome:?}", operation.id);
    })
    .await;
    world.stop().await;
}
