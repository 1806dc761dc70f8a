//! Scenarios for responses that need a special state of a resource.
//!
//! If the status test reports a declared status as not met, add a scenario that provokes it.

use frontdesk_store::Plan;
use serde_json::Value;
use uuid::Uuid;

use super::{
    contract::{Operation, contract},
    exchange::{Call, Payload},
    idempotency,
    world::{Ids, Tenant, World},
};

/// The plan that the status test gives no storage.
pub(crate) const PLAN_WITHOUT_STORAGE: Plan = Plan::Scale;

/// The operations that store bytes of which a plan includes only so many, and the field that has them. No
/// other operation may refuse a request because the storage is used up.
pub(crate) const LIMITED_BY_STORAGE: [(&str, &str); 8] = [
    ("createTextSnippet", "content"),
    ("updateTextSnippet", "content"),
    ("createFaqItem", "answer"),
    ("updateFaqItem", "answer"),
    ("makeFaqItem", "answer"),
    ("uploadFile", "file"),
    ("replaceFileContent", "file"),
    ("uploadAttachment", "file"),
];

/// Runs every scenario.
pub(crate) async fn play(world: &World, tenant: &Tenant) {
    crawled_already(world, tenant).await;
    pushed_again(world, tenant).await;
    contact_of_another_key(world, tenant).await;
    in_the_wrong_mode(world, tenant).await;
    activity_in_the_wrong_state(world, tenant).await;
    needed_by_the_board(world, tenant).await;
    posted_by_a_browser(world, tenant).await;
    nothing_to_draft(world, tenant).await;
    without_room(world, tenant).await;
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

/// Writes a contact by its key twice, gives it the address of another one, and looks up an address that
/// nobody has: 200, 409 and 404.
async fn contact_of_another_key(world: &World, tenant: &Tenant) {
    let upsert = contract().operation("upsertContact");
    let call = world.valid(tenant, upsert).await;
    for expected in [201, 200] {
        let written = world.send(tenant, &call).await;
        assert_eq!(written.status, expected, "{written:?}");
    }
    let mut body = world.valid(tenant, upsert).await.body().unwrap().clone();
    body["external_id"] = Value::from("customer of the scenario");
    let mut by_id = call.clone().json(body);
    by_id.query = vec![("key".to_owned(), "external_id".to_owned())];
    assert_eq!(world.send(tenant, &by_id).await.status, 201);
    let mut body = call.body().unwrap().clone();
    body["external_id"] = Value::from("customer of the scenario");
    let refused = world.send(tenant, &by_id.json(body)).await;
    assert_eq!(
        (refused.status, &refused.body["error"]),
        (409, &Value::from("already_exists")),
        "{refused:?}"
    );
    let mut lookup = Call::new(contract().operation("lookupContact"));
    lookup.query = vec![("email".to_owned(), "nobody@customer.example".to_owned())];
    assert_eq!(world.send(tenant, &lookup).await.status, 404);
}

/// Closes a conversation and hands it over, back and on, and rates the visitor's own message: 409.
async fn in_the_wrong_mode(world: &World, tenant: &Tenant) {
    let close = contract().operation("closeConversation");
    let closed = world.valid_once(tenant, close).await;
    world.succeed(tenant, &closed).await;
    for operation in ["escalateConversation", "returnConversationToAi", "createConversationMessage"] {
        let call = world.valid_at(tenant, contract().operation(operation), &closed.path).await;
        let refused = world.send(tenant, &call).await;
        assert_eq!((refused.status, &refused.body["error"]), (409, &Value::from("conflict")), "{refused:?}");
    }
    let list =
        Call { path: closed.path.clone(), ..Call::new(contract().operation("listConversationMessages")) };
    let messages = world.succeed(tenant, &list).await.body;
    let visitors = messages["messages"].as_array().unwrap().last().unwrap();
    assert_eq!(visitors["role"], "visitor");
    let mut ids = closed.path.clone();
    ids.insert("message_id", visitors["message_id"].as_str().unwrap().to_owned());
    let call = world.valid_at(tenant, contract().operation("rateMessage"), &ids).await;
    let refused = world.send(tenant, &call).await;
    assert_eq!((refused.status, &refused.body["error"]), (409, &Value::from("conflict")), "{refused:?}");
}

/// Completes a cancelled activity, cancels one that is done, and sends one that is not open: 409.
async fn activity_in_the_wrong_state(world: &World, tenant: &Tenant) {
    for (first, then) in [
        ("cancelDealActivity", ["completeDealActivity", "sendDealActivityNow"]),
        ("completeDealActivity", ["cancelDealActivity", "sendDealActivityNow"]),
    ] {
        let changed = world.valid_once(tenant, contract().operation(first)).await;
        world.succeed(tenant, &changed).await;
        for operation in then {
            let call = world.valid_at(tenant, contract().operation(operation), &changed.path).await;
            let refused = world.send(tenant, &call).await;
            assert_eq!(
                (refused.status, &refused.body["error"]),
                (409, &Value::from("conflict")),
                "{refused:?}"
            );
        }
    }
}

/// Deletes a column with a deal and the default row, gives another kind to a column with a deal, and moves a
/// deal beside one that is elsewhere: 409.
async fn needed_by_the_board(world: &World, tenant: &Tenant) {
    let create = world.valid_once(tenant, contract().operation("createDeal")).await;
    let deal = world.succeed(tenant, &create).await.body;
    let column = Ids::from([("deal_status_id", deal["deal_status_id"].as_str().unwrap().to_owned())]);
    let row = Ids::from([("deal_row_id", deal["deal_row_id"].as_str().unwrap().to_owned())]);
    let other = world.fresh(tenant, "deal_status_id", &Ids::new()).await;
    let elsewhere = serde_json::json!({ "deal_status_id": other, "before_deal_id": deal["deal_id"] });
    let of = |operation| Call::new(contract().operation(operation));
    let moved = world.valid_once(tenant, contract().operation("moveDeal")).await.json(elsewhere);
    let kind =
        Call { path: column.clone(), ..of("updateDealStatus") }.json(serde_json::json!({ "kind": "won" }));
    for (call, error) in [
        (Call { path: column, ..of("deleteDealStatus") }, "in_use"),
        (kind, "in_use"),
        (Call { path: row, ..of("deleteDealRow") }, "conflict"),
        (moved, "conflict"),
    ] {
        let refused = world.send(tenant, &call).await;
        assert_eq!((refused.status, &refused.body["error"]), (409, &Value::from(error)), "{refused:?}");
    }
}

/// Posts a contact form as a browser does: 303.
async fn posted_by_a_browser(world: &World, tenant: &Tenant) {
    let call = world.valid(tenant, contract().operation("submitForm")).await;
    let sent = world.send_as(None, &call.text("application/x-www-form-urlencoded", "message=Hello")).await;
    assert_eq!(sent.status, 303, "{sent:?}");
}

/// Drafts a reply to a contact who has written nothing: 409.
async fn nothing_to_draft(world: &World, tenant: &Tenant) {
    let create = world.valid(tenant, contract().operation("createThread")).await;
    let begun = world.succeed(tenant, &create).await;
    let ids = Ids::from([("thread_id", begun.body["thread_id"].as_str().unwrap().to_owned())]);
    let draft = world.valid_at(tenant, contract().operation("draftThreadReply"), &ids).await;
    let refused = world.send(tenant, &draft).await;
    assert_eq!((refused.status, &refused.body["error"]), (409, &Value::from("conflict")), "{refused:?}");
}

/// Creates a resource twice: 409 if a field must be unique.
async fn created_again(world: &World, tenant: &Tenant, operation: &'static Operation) {
    let call = world.valid(tenant, operation).await;
    world.succeed(tenant, &call).await;
    let again = world.send(tenant, &call).await;
    match again.status {
        409 => assert_eq!(again.body["error"], "already_exists", "{}: {again:?}", operation.id),
        // What the resource was made of is gone.
        404 if !operation.takes_header(idempotency::HEADER) => {}
        status => assert!((200..300).contains(&status), "{}: {again:?}", operation.id),
    }
}

/// Gives a resource the values of another one: 409 if one of them must be unique.
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
    match conflict.status {
        409 => assert_eq!(conflict.body["error"], "already_exists", "{last}: {conflict:?}"),
        status => assert!((200..300).contains(&status), "{last}: {conflict:?}"),
    }
}

/// Writes texts and files into an account whose plan includes no more storage: 409.
async fn without_room(world: &World, tenant: &Tenant) {
    let mut calls = Vec::new();
    for (operation, member) in LIMITED_BY_STORAGE {
        let call = world.valid_once(tenant, contract().operation(operation)).await;
        let mut body = call.body().unwrap().clone();
        body[member] = Value::from("x".repeat(4_000));
        calls.push(call.json(body));
    }
    let plan = async |name: &str| {
        let statement = format!(
            "UPDATE accounts SET plan = '{name}' WHERE account_id = '{}'",
            tenant.customer.account.account_id
        );
        world.service.database.run(&statement).await;
    };
    plan(PLAN_WITHOUT_STORAGE.as_str()).await;
    for call in calls {
        let refused = world.send(tenant, &call).await;
        assert_eq!(
            (refused.status, &refused.body["error"]),
            (409, &Value::from("plan_limit_reached")),
            "{}: {refused:?}",
            call.operation.id
        );
    }
    plan("growth").await;
}

/// Repeats a request while the first one with its idempotency key is running: 409. Another request with the
/// key: 422.
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
    let reused = world.send(tenant, &call.altered()).await;
    assert_eq!(reused.status, 422, "{}: {reused:?}", operation.id);
}
