//! Pagination of every list that declares `x-pagination`, while items are added and removed.

use std::collections::BTreeSet;

use frontdesk_store::Plan;
use serde_json::Value;

use super::{
    contract::{Operation, contract},
    exchange::{Call, Outcome},
    world::{Ids, Tenant, World, each, text_of},
};
use crate::{database::Database, on_both_databases};

/// The minimum number of items when a walk begins.
const ITEMS: usize = 7;

on_both_databases!(lists_are_walked_to_their_end);

async fn lists_are_walked_to_their_end(database: Database) {
    let world = World::start(database).await;
    let paged = contract().operations.iter().filter(|operation| operation.pagination.is_some());
    // Nobody adds to a report, or removes from it.
    let paged = paged.filter(|operation| has_items(operation));
    let paged: Vec<_> = paged.collect();
    assert!(!paged.is_empty(), "the lists with pages were not found");
    each(paged, async |operation| {
        // A resource that is deleted during one walk may take items of another list along.
        let acme = world.tenant(&format!("acme-{}", operation.id), Plan::Growth).await;
        let other = world.tenant(&format!("other-{}", operation.id), Plan::Growth).await;
        walked(&world, &acme, operation).await;
        bad_cursors(&world, &acme, &other, operation).await;
    })
    .await;
    world.stop().await;
}

/// Returns every item of a list, from all pages.
pub(crate) async fn whole(world: &World, tenant: &Tenant, list: &Call) -> Vec<Value> {
    let Some(pagination) = &list.operation.pagination else {
        let body = world.succeed(tenant, list).await.body;
        let mut lists = body.as_object().unwrap().values().filter_map(Value::as_array);
        return lists.next().unwrap_or_else(|| panic!("{} lists nothing", list.operation.id)).clone();
    };
    let mut all = Vec::new();
    let mut call = list.clone();
    loop {
        let page = world.succeed(tenant, &call).await;
        all.extend(items(list.operation, &page));
        let Some(cursor) = next(list.operation, &page) else { return all };
        call = list.clone();
        call.query.push((pagination.parameter.to_owned(), cursor));
    }
}

async fn walked(world: &World, tenant: &Tenant, operation: &'static Operation) {
    let list = world.valid(tenant, operation).await;
    let pagination = operation.pagination.as_ref().unwrap();
    let id = item_id(operation);
    let ids = |items: &[Value]| -> Vec<String> { items.iter().map(|item| text_of(&item[id])).collect() };
    let delete = contract().at("DELETE", &format!("{}/{{{id}}}", operation.path));
    for limit in ["1", "2", "100"] {
        for _ in whole(world, tenant, &list).await.len()..ITEMS {
            add(world, tenant, operation, &list.path).await;
        }
        let before: BTreeSet<String> = ids(&whole(world, tenant, &list).await).into_iter().collect();
        assert!(before.len() >= ITEMS, "{}: {before:?}", operation.id);
        let mut seen: Vec<String> = Vec::new();
        let mut cursor = None;
        loop {
            let mut call = list.clone();
            call.query.push(("limit".to_owned(), limit.to_owned()));
            call.query.extend(cursor.take().map(|cursor| (pagination.parameter.to_owned(), cursor)));
            let page = world.succeed(tenant, &call).await;
            let found = ids(&items(operation, &page));
            assert!(found.len() <= limit.parse().unwrap(), "{} limit {limit}: {page:?}", operation.id);
            seen.extend(found);
            cursor = next(operation, &page);
            if cursor.is_none() {
                break;
            }
            // The list changes between pages: an item is added, and the item at the cursor is removed.
            if seen.len() < ITEMS {
                add(world, tenant, operation, &list.path).await;
                let last = seen.last().unwrap();
                if let Some(delete) = delete.filter(|_| seen.len().is_multiple_of(2))
                    && !world.is_shared(tenant, last).await
                {
                    let call = Call { path: list.path.clone(), ..Call::new(delete) }.with(id, last);
                    world.succeed(tenant, &call).await;
                }
            }
            assert!(
                seen.len() < 10 * ITEMS,
                "{} limit {limit}: the walk does not end: {seen:?}",
                operation.id
            );
        }
        let distinct: BTreeSet<String> = seen.iter().cloned().collect();
        assert_eq!(
            distinct.len(),
            seen.len(),
            "{} limit {limit}: something came twice: {seen:?}",
            operation.id
        );
        let lost: Vec<_> = before.difference(&distinct).collect();
        assert!(lost.is_empty(), "{} limit {limit}: {lost:?} never came", operation.id);
    }
}

async fn bad_cursors(world: &World, tenant: &Tenant, other: &Tenant, operation: &'static Operation) {
    let list = world.valid(tenant, operation).await;
    let pagination = operation.pagination.as_ref().unwrap();
    let with = |cursor: &str| {
        let mut call = list.clone();
        call.query.push(("limit".to_owned(), "1".to_owned()));
        call.query.push((pagination.parameter.to_owned(), cursor.to_owned()));
        call
    };
    let mut bad: Vec<String> =
        ["x", "0", "-1", "AAAA", "%", "\u{1f600}", "' OR 1=1 --"].map(str::to_owned).to_vec();
    let mut first = list.clone();
    first.query.push(("limit".to_owned(), "1".to_owned()));
    let page = world.succeed(tenant, &first).await;
    let good = next(operation, &page).unwrap();
    bad.push(good[..good.len() - 1].to_owned());
    bad.push(format!("{good}A"));
    bad.push(good.chars().rev().collect());
    for cursor in bad {
        let outcome = world.send(tenant, &with(&cursor)).await;
        assert_eq!(outcome.status, 422, "{} {cursor:?}: {outcome:?}", operation.id);
        assert!(outcome.body["errors"][pagination.parameter].is_array(), "{}: {outcome:?}", operation.id);
    }
    // A cursor of another account is refused, or selects only own items, which `send` checks.
    let foreign = world.valid(other, operation).await;
    for _ in 0..2 {
        add(world, other, operation, &foreign.path).await;
    }
    let mut first = foreign.clone();
    first.query.push(("limit".to_owned(), "1".to_owned()));
    let cursor = next(operation, &world.succeed(other, &first).await).unwrap();
    let outcome = world.send(tenant, &with(&cursor)).await;
    assert!([200, 422].contains(&outcome.status), "{}: {outcome:?}", operation.id);
}

/// Returns whether there are operations on the items of a list.
fn has_items(list: &Operation) -> bool {
    let prefix = format!("{}/{{", list.path);
    contract().operations.iter().any(|operation| operation.path.starts_with(&prefix))
}

/// Returns the field that identifies the items of a list: the parameter of the paths below the list.
fn item_id(list: &Operation) -> &'static str {
    let prefix = format!("{}/{{", list.path);
    let mut below = contract().operations.iter().filter(|operation| operation.path.starts_with(&prefix));
    let below = below.next().unwrap_or_else(|| panic!("{}: nothing works on its items", list.id));
    below.path_parameters[list.path_parameters.len()]
}

/// Adds an item to a list.
async fn add(world: &World, tenant: &Tenant, list: &Operation, ids: &Ids) {
    match contract().at("POST", list.path).filter(|create| create.declares(201)) {
        Some(create) => {
            let call = world.valid_at(tenant, create, ids).await;
            world.succeed(tenant, &call).await;
        }
        None => world.add_from_outside(tenant, item_id(list), ids).await,
    }
}

fn items(operation: &Operation, page: &Outcome) -> Vec<Value> {
    let pointer = &operation.pagination.as_ref().unwrap().items;
    let found = page.body.pointer(pointer).and_then(Value::as_array);
    found.unwrap_or_else(|| panic!("{}: no list at {pointer}: {page:?}", operation.id)).clone()
}

/// Returns the cursor of the next page, if there is one.
fn next(operation: &Operation, page: &Outcome) -> Option<String> {
    let pointer = &operation.pagination.as_ref().unwrap().next;
    page.body.pointer(pointer).and_then(Value::as_str).map(str::to_owned)
}
