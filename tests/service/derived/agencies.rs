//! Access to resources of agencies and their sub-accounts, through every operation: the owner of an agency
//! has access to its sub-accounts, and nobody else has access to another account.

use std::collections::BTreeMap;

use frontdesk_document::NodeRef;
use frontdesk_store::{AccountKind, NewAccount, Plan, Role};
use serde_json::Value;

use super::{
    contract::{Operation, contract},
    exchange::Call,
    references::ACCOUNT,
    world::{Tenant, World, each},
};
use crate::{
    database::{Database, account},
    on_both_databases,
};

on_both_databases!(
    only_the_owner_of_an_agency_reaches_sub_accounts,
    the_owner_of_an_agency_works_in_sub_accounts_as_their_owners_do,
);

/// Where an operation takes the id of an account.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Query,
    Body,
}

/// Returns where an operation takes the id of an account, in the order of query and body.
fn places(operation: &Operation) -> Vec<Place> {
    let in_query = operation.query.iter().any(|parameter| parameter.name == ACCOUNT && !parameter.required);
    let properties =
        operation.body.as_ref().and_then(|body| body.schema.resolve().unwrap().get("properties"));
    let in_body = properties.into_iter().flat_map(NodeRef::members).any(|(name, _)| name == ACCOUNT);
    let places = [(in_query, Place::Query), (in_body, Place::Body)];
    places.into_iter().filter(|(is, _)| *is).map(|(_, place)| place).collect()
}

/// Whether an operation has a key and a path that names no resource. Lists that the interface gives have no
/// further parameters.
fn is_of_account(operation: &Operation) -> bool {
    let is_given_list = operation.is_safe() && !operation.is_designed;
    operation.is_keyed() && operation.path_parameters.is_empty() && !is_given_list
}

fn of_accounts() -> Vec<&'static Operation> {
    contract().operations.iter().filter(|operation| is_of_account(operation)).collect()
}

/// Returns a call that names an account.
fn within(call: &Call, account_id: &str) -> Call {
    let mut call = call.clone();
    match places(call.operation)[0] {
        Place::Query => call.query.push((ACCOUNT.to_owned(), account_id.to_owned())),
        Place::Body => {
            let mut body = call.body().unwrap().clone();
            body[ACCOUNT] = Value::from(account_id);
            call = call.json(body);
        }
    }
    call
}

#[test]
fn operations_whose_path_names_no_resource_take_an_account() {
    assert!(of_accounts().len() > 10, "the operations were not found");
    for operation in &contract().operations {
        let expected = if !is_of_account(operation) {
            vec![]
        } else if operation.declares(201)
            && operation.body.as_ref().is_some_and(super::contract::Body::has_fields)
        {
            vec![Place::Body]
        } else {
            vec![Place::Query]
        };
        assert_eq!(places(operation), expected, "{}", operation.id);
        assert!(expected.is_empty() || operation.declares(422), "{} cannot refuse an account", operation.id);
    }
}

async fn the_owner_of_an_agency_works_in_sub_accounts_as_their_owners_do(database: Database) {
    let world = World::start(database).await;
    let new = NewAccount { kind: AccountKind::Agency, ..account("agency", Plan::Scale) };
    let agency = world.tenant_of(new).await;
    let parent_id = Some(agency.customer.account.account_id);
    let first = world.tenant_of(NewAccount { parent_id, ..account("first", Plan::Growth) }).await;
    let second = world.tenant_of(NewAccount { parent_id, ..account("second", Plan::Growth) }).await;
    let other = world.tenant("other", Plan::Growth).await;
    let admin = world.key_of(&agency, Role::Admin, None).await;
    let id = |tenant: &Tenant| tenant.customer.account.account_id.to_string();
    // Every account has every resource before anything is compared.
    for tenant in [&agency, &first, &second, &other] {
        each(&contract().operations, async |operation| drop(world.valid(tenant, operation).await)).await;
    }
    let everything = async |tenant: &Tenant| {
        let mut seen = BTreeMap::new();
        for operation in of_accounts().into_iter().filter(|operation| operation.is_safe()) {
            let call = within(&world.valid(tenant, operation).await, &id(tenant));
            seen.insert(operation.id, comparable(world.send_as(Some(&tenant.key), &call).await.body));
        }
        seen
    };
    // What it reads is what the owner of the account reads.
    for operation in of_accounts().into_iter().filter(|operation| operation.is_safe()) {
        let call = world.valid(&first, operation).await;
        let own = world.succeed(&first, &call).await;
        let seen = world.send_as(Some(&agency.key), &within(&call, &id(&first))).await;
        assert_eq!(seen.status, own.status, "{}: {seen:?}", operation.id);
        assert_eq!(comparable(seen.body), comparable(own.body.clone()), "{}", operation.id);
        let named = world.succeed(&first, &within(&call, &id(&first))).await;
        assert_eq!(
            comparable(named.body),
            comparable(own.body),
            "{}: its own id changes something",
            operation.id
        );
    }
    // What it creates belongs to that account, and nothing changes elsewhere.
    let of_first = everything(&first).await;
    let elsewhere = [everything(&agency).await, everything(&second).await, everything(&other).await];
    for operation in of_accounts().into_iter().filter(|operation| !operation.is_safe()) {
        let call = world.valid_once(&first, operation).await;
        let made = world.send_as(Some(&agency.key), &within(&call, &id(&first))).await;
        assert!((200..300).contains(&made.status), "{}: {made:?}", operation.id);
        for link in operation.responses.get(&201).into_iter().flat_map(|response| &response.links) {
            let read = contract().operation(link.operation);
            if !read.is_safe() || !read.is_keyed() || read.path_parameters != [link.parameter] {
                continue;
            }
            let value = made.body.pointer(link.pointer).unwrap();
            let read = Call::new(read).with(link.parameter, &super::world::text_of(value));
            for (who, key, expected) in [
                ("its owner", &first.key, 200),
                ("the agency's owner", &agency.key, 200),
                ("a sibling", &second.key, 404),
                ("the agency's admin", &admin, 404),
            ] {
                let seen = world.send_as(Some(key), &read).await;
                assert_eq!(seen.status, expected, "{} by {who}, after {}", read.operation.id, operation.id);
            }
        }
    }
    let after = [everything(&agency).await, everything(&second).await, everything(&other).await];
    assert_eq!(after, elsewhere, "something has changed in another account");
    assert_ne!(everything(&first).await, of_first, "nothing was created");
    // An account that the caller does not reach is the same as none.
    for operation in of_accounts() {
        let call = world.valid_once(&first, operation).await;
        let unknown = uuid::Uuid::new_v4().to_string();
        for (who, key, account_id) in [
            ("the agency's owner, another account", &agency.key, id(&other)),
            ("the agency's owner, no account", &agency.key, unknown),
            ("the agency's admin, a sub-account", &admin, id(&first)),
            ("a sub-account, its agency", &first.key, id(&agency)),
            ("a sub-account, its sibling", &first.key, id(&second)),
            ("another account, a sub-account", &other.key, id(&first)),
        ] {
            let refused = world.send_as(Some(key), &within(&call, &account_id)).await;
            if refused.status == 403 {
                assert!(operation.policy.roles.len() < 3, "{} by {who}: {refused:?}", operation.id);
                continue;
            }
            let problem = "is not an account that you have access to";
            assert_eq!(refused.status, 422, "{} by {who}: {refused:?}", operation.id);
            let errors = serde_json::json!({ "account_id": [problem] });
            assert_eq!(refused.body["errors"], errors, "{} by {who}", operation.id);
        }
    }
    world.stop().await;
}

/// Returns a body without what differs between two calls: cursors, which belong to one caller, and what
/// deliveries of events change at any time.
fn comparable(mut body: Value) -> Value {
    fn clear(value: &mut Value) {
        match value {
            Value::Object(members) => {
                for name in ["next_cursor", "failing_since", "last_success_at"] {
                    members.remove(name);
                }
                members.values_mut().for_each(clear);
            }
            Value::Array(values) => values.iter_mut().for_each(clear),
            _ => {}
        }
    }
    clear(&mut body);
    body
}

async fn only_the_owner_of_an_agency_reaches_sub_accounts(database: Database) {
    let world = World::start(database).await;
    let new = NewAccount { kind: AccountKind::Agency, ..account("agency", Plan::Scale) };
    let agency = world.tenant_of(new).await;
    let parent_id = Some(agency.customer.account.account_id);
    let first = world.tenant_of(NewAccount { parent_id, ..account("first", Plan::Growth) }).await;
    let second = world.tenant_of(NewAccount { parent_id, ..account("second", Plan::Growth) }).await;
    let other = world.tenant("other", Plan::Growth).await;
    let admin = world.key_of(&agency, Role::Admin, None).await;
    let collaborator = world.key_of(&first, Role::Collaborator, None).await;
    let nested = contract()
        .operations
        .iter()
        .filter(|operation| operation.is_keyed() && !operation.path_parameters.is_empty());
    let nested: Vec<_> = nested.collect();
    assert!(nested.len() > 3, "the operations with path parameters were not found");
    each(nested, async |operation| {
        for (who, key, whose, reached) in [
            ("the agency's admin, a sub-account", &admin, &first, false),
            ("a sub-account, its agency", &first.key, &agency, false),
            ("a sub-account, its sibling", &second.key, &first, false),
            ("another account, a sub-account", &other.key, &first, false),
            ("another account, the agency", &other.key, &agency, false),
            ("a sub-account, another account", &first.key, &other, false),
            ("the agency's owner, another account", &agency.key, &other, false),
            ("the agency's admin, the agency", &admin, &agency, operation.policy.roles.contains(&"admin")),
            ("a collaborator", &collaborator, &first, operation.policy.roles.contains(&"collaborator")),
            (
                "the agency's owner, a sub-account",
                &agency.key,
                &first,
                operation.policy.roles.contains(&"owner"),
            ),
        ] {
            let call = if reached {
                world.valid_once(whose, operation).await
            } else {
                world.valid(whose, operation).await
            };
            let outcome = world.send_as(Some(key), &call).await;
            if reached {
                let status = outcome.status;
                assert!((200..300).contains(&status), "{} by {who}: {outcome:?}", operation.id);
            } else if outcome.status == 403 {
                // Roles are checked before resources, so the response reveals nothing about the resource.
                assert!(operation.policy.roles.len() < 3, "{} by {who}: {outcome:?}", operation.id);
            } else {
                assert_eq!(outcome.status, 404, "{} by {who}: {outcome:?}", operation.id);
            }
        }
    })
    .await;
    world.stop().await;
}
