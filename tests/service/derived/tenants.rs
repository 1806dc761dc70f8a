//! Ids of another account in every path, body and query: the response is the same as for unknown ids.

use frontdesk_contract::Instances;
use frontdesk_store::Plan;
use serde_json::Value;
use uuid::Uuid;

use super::{
    contract::{Operation, contract},
    exchange::Call,
    references,
    world::{Ids, Tenant, World, comes_from_outside, each, producer},
};
use crate::{database::Database, on_both_databases};

on_both_databases!(foreign_ids_look_like_unknown_ones);

async fn foreign_ids_look_like_unknown_ones(database: Database) {
    let world = World::start(database).await;
    let ours = world.tenant("ours", Plan::Growth).await;
    let theirs = world.tenant("theirs", Plan::Growth).await;
    // Both accounts have every resource before the first comparison.
    for tenant in [&ours, &theirs] {
        each(&contract().operations, async |operation| drop(world.valid(tenant, operation).await)).await;
    }
    let before = everything(&world, &theirs).await;
    each(&contract().operations, async |operation| {
        // Operations without a key are open to everybody who knows the id.
        if operation.is_keyed() {
            foreign_in_path(&world, &ours, &theirs, operation).await;
        }
        foreign_in_body(&world, &ours, &theirs, operation).await;
        foreign_in_query(&world, &ours, &theirs, operation).await;
        if operation.is_safe() {
            // `send` checks that the response contains nothing of the other account.
            let call = world.valid(&ours, operation).await;
            world.succeed(&ours, &call).await;
        }
    })
    .await;
    assert_eq!(everything(&world, &theirs).await, before, "something of the other account has changed");
    world.stop().await;
}

/// Returns the responses of all reading operations.
async fn everything(world: &World, tenant: &Tenant) -> Vec<(&'static str, Value)> {
    let mut seen = Vec::new();
    for operation in contract().operations.iter().filter(|operation| operation.is_safe()) {
        let call = world.valid(tenant, operation).await;
        seen.push((operation.id, world.succeed(tenant, &call).await.body));
    }
    assert!(!seen.is_empty());
    seen
}

async fn foreign_in_path(world: &World, ours: &Tenant, theirs: &Tenant, operation: &'static Operation) {
    let own = world.valid(ours, operation).await;
    let foreign = world.path_ids(theirs, operation).await;
    for (position, parameter) in operation.path_parameters.iter().enumerate() {
        let named = format!("{} {parameter}", operation.id);
        let missing = own.clone().with(parameter, &Uuid::new_v4().to_string());
        let missing = world.send(ours, &missing).await;
        assert_eq!(missing.status, 404, "{named}");
        let mut cases = vec![("a foreign id", own.clone().with(parameter, &foreign[parameter]))];
        // A foreign parent with its own children.
        let mut family = own.clone();
        for parameter in &operation.path_parameters[position..] {
            family = family.with(parameter, &foreign[parameter]);
        }
        cases.push(("a foreign family", family));
        let upper = foreign[parameter].to_uppercase();
        cases.push(("a foreign id in capitals", own.clone().with(parameter, &upper)));
        if position > 0 {
            let sibling = sibling(world, ours, operation, position, &own).await;
            cases.push(("an id from another parent of our own", sibling));
        }
        for (case, call) in cases {
            let met = world.send(ours, &call).await;
            assert_eq!(met, missing, "{named}: {case} does not look like an unknown one");
            // A malformed body makes no difference.
            if let Some(body) = &operation.body {
                let met = world.send(ours, &call.text(body.media_type, "{")).await;
                assert_eq!(met, missing, "{named}: {case}, with a body that cannot be read");
            }
        }
    }
}

/// Returns the call with another parent of the same account, which does not have the child.
async fn sibling(
    world: &World,
    ours: &Tenant,
    operation: &'static Operation,
    position: usize,
    own: &Call,
) -> Call {
    let parent = operation.path_parameters[position - 1];
    let above: Ids = operation.path_parameters[..position - 1]
        .iter()
        .map(|name| (*name, own.path[name].clone()))
        .collect();
    let other = world.fresh(ours, parent, &above).await;
    own.clone().with(parent, &other)
}

async fn foreign_in_body(world: &World, ours: &Tenant, theirs: &Tenant, operation: &'static Operation) {
    for reference in references::in_body(contract(), operation) {
        let named = format!("{} {reference}", operation.id);
        let body = operation.body.as_ref().unwrap();
        let valid = world.valid_once(ours, operation).await;
        // The first example that has the field, else a generated body with every field.
        let readable = Instances::readable(&contract().requests).valid(body.schema, 1);
        let written = body.examples.iter().map(|(_, example)| example.clone()).chain(readable);
        let mut base = written
            .into_iter()
            .find(|body| reference.put(body, "").is_some())
            .unwrap_or_else(|| panic!("{named}: no body has it"));
        world.adopt(ours, operation, &valid.path, &mut base).await;
        let foreign_path = world.path_ids(theirs, operation).await;
        let foreign = world.resource(theirs, reference.resource, &foreign_path).await;
        let with = |id: &str| {
            let (body, path) = reference.put(&base, id).unwrap();
            (valid.clone().json(body), path)
        };
        let unknown = Uuid::new_v4().to_string();
        let (call, path) = with(&unknown);
        let missing = world.send(ours, &call).await;
        assert_eq!(missing.status, 422, "{named}: {missing:?}");
        assert!(missing.body["errors"][&path].is_array(), "{named}: {missing:?} does not name {path}");
        let mut others = vec![("a foreign id", foreign)];
        // An id of the same account, below another parent than the one in the path.
        if reference.resource != references::ACCOUNT
            && let Some(parent) = producer(reference.resource).operation.path_parameters.last()
            && valid.path.contains_key(parent)
        {
            let other = Ids::from([(*parent, world.fresh(ours, parent, &Ids::new()).await)]);
            others.push(("an id from another parent", world.fresh(ours, reference.resource, &other).await));
        }
        let told = |outcome: &Value, id: &str| outcome.to_string().replace(id, "id");
        for (case, id) in others {
            let met = world.send(ours, &with(&id).0).await;
            assert_eq!(
                (met.status, told(&met.body, &id)),
                (missing.status, told(&missing.body, &unknown)),
                "{named}: {case} does not look like an unknown one"
            );
        }
    }
}

async fn foreign_in_query(world: &World, ours: &Tenant, theirs: &Tenant, operation: &'static Operation) {
    for (parameter, resource) in references::in_query(contract(), operation) {
        let named = format!("{} {parameter}", operation.id);
        let valid = world.valid_once(ours, operation).await;
        let foreign_path = world.path_ids(theirs, operation).await;
        let foreign = world.resource(theirs, resource, &foreign_path).await;
        let with = |id: &str| {
            let mut call = valid.clone();
            call.query.retain(|(name, _)| name != parameter);
            call.query.push((parameter.to_owned(), id.to_owned()));
            call
        };
        let missing = world.send(ours, &with(&Uuid::new_v4().to_string())).await;
        assert_eq!(missing.status, 422, "{named}: {missing:?}");
        assert!(missing.body["errors"][parameter].is_array(), "{named}: {missing:?}");
        assert_eq!(world.send(ours, &with(&foreign)).await, missing, "{named}: a foreign id shows");
        let own = if valid.path.contains_key(resource) {
            world.fresh(ours, resource, &valid.path).await
        } else {
            world.resource(ours, resource, &valid.path).await
        };
        world.succeed(ours, &with(&own)).await;
    }
}

#[test]
fn every_resource_can_be_made() {
    for operation in &contract().operations {
        for parameter in operation.path_parameters.iter().filter(|parameter| !comes_from_outside(parameter)) {
            let producer = producer(parameter);
            assert!(!producer.operation.path_parameters.contains(parameter), "{parameter}: {producer:?}");
        }
    }
}
