//! Operations of visitors: every declared status is met, and every response is as the document declares it.

use std::collections::BTreeMap;

use frontdesk_store::Plan;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    contract::{Operation, contract},
    exchange::{Call, Outcome, Payload},
    violations::broken_texts,
    world::{Ids, Tenant, World, made_of},
};
use crate::{
    database::{Database, account},
    installation::Installation,
    on_both_databases,
};

on_both_databases!(every_declared_status_of_visitors_is_met);

/// The most bytes that are read from somebody without an API key.
const BODY_LIMIT: usize = 64 << 10;
const MALFORMED: &str = "{\"message\": ";
/// Requests a minute of one session. Only the test of the limit sends more.
const REQUESTS: u32 = 200;

/// A visitor with a conversation.
struct Visitor {
    token: String,
    ids: BTreeMap<&'static str, String>,
}

/// Begins a session with the widget of a tenant's chatbot, and asks something.
async fn visitor(world: &World, tenant: &Tenant, ids: &Ids) -> Visitor {
    let begin = contract().operation("createVisitorSession");
    let call = world.valid_at(tenant, begin, ids).await;
    let session = world.succeed(tenant, &call).await;
    let token = session.body["token"].as_str().unwrap().to_owned();
    let message = json!({ "message": "Do you repair hedge trimmers?", "client_message_id": Uuid::new_v4() });
    let ask = Call::new(of_visitors("sendVisitorMessage")).json(message);
    let answer = world.send_as(Some(&token), &ask).await;
    assert!([200, 402].contains(&answer.status), "{answer:?}");
    let mut ids = Ids::new();
    ids.insert("conversation_id", answer.body["conversation_id"].as_str().unwrap().to_owned());
    if let Some(message_id) = answer.body["message_id"].as_str() {
        ids.insert("message_id", message_id.to_owned());
    }
    Visitor { token, ids }
}

fn of_visitors(id: &str) -> &'static Operation {
    contract().of_visitors.iter().find(|operation| operation.id == id).unwrap()
}

/// Returns a valid call: the first example of the document, about what the visitor has.
fn valid(visitor: &Visitor, operation: &'static Operation) -> Call {
    let call = Call::new(operation);
    let call = operation.path_parameters.iter().fold(call, |call, name| call.with(name, &visitor.ids[name]));
    let Some(body) = &operation.body else { return call };
    let mut value =
        body.examples.first().map_or_else(|| made_of(body.schema), |(_, example)| example.clone());
    if value.get("client_message_id").is_some() {
        value["client_message_id"] = json!(Uuid::new_v4());
    }
    call.json(value)
}

async fn every_declared_status_of_visitors_is_met(database: Database) {
    let service = Installation::start_with(database, |config| {
        config.limits.requests_per_visitor = REQUESTS;
        config.limits.visitor_percent_per_day = 100;
    })
    .await;
    let world = World::of(service);
    let rich = world.tenant("rich", Plan::Growth).await;
    let ids = Ids::new();
    let (ann, bob) = (visitor(&world, &rich, &ids).await, visitor(&world, &rich, &ids).await);

    for operation in &contract().of_visitors {
        let call = valid(&ann, operation);
        who_calls(&world, &rich, &call).await;
        what_is_named(&world, &ann, &bob, &call).await;
        what_is_sent(&world, &ann, operation, &call).await;
    }
    for operation in contract().of_visitors.iter().filter(|operation| operation.method != "DELETE") {
        let own = visitor(&world, &rich, &ids).await;
        let outcome = world.send_as(Some(&own.token), &valid(&own, operation)).await;
        assert!((200..300).contains(&outcome.status), "{}: {outcome:?}", operation.id);
        for (name, example) in operation.body.iter().flat_map(|body| &body.examples) {
            let mut example = example.clone();
            if example.get("client_message_id").is_some() {
                example["client_message_id"] = json!(Uuid::new_v4());
            }
            if example.get("conversation_id").is_some() {
                example["conversation_id"] = json!(own.ids["conversation_id"]);
            }
            let outcome = world.send_as(Some(&own.token), &valid(&own, operation).json(example)).await;
            assert!((200..300).contains(&outcome.status), "{} {name}: {outcome:?}", operation.id);
        }
    }
    conflicts(&world, &rich, &ids).await;
    credits(&world).await;
    faults(&world, &ann).await;
    for operation in &contract().of_visitors {
        too_many(&world, &rich, &ids, operation).await;
    }
    let forget = of_visitors("deleteVisitor");
    let outcome = world.send_as(Some(&ann.token), &valid(&ann, forget)).await;
    assert_eq!(outcome.status, 204, "{outcome:?}");

    let missing = world.ledger.lock().unwrap().missing_of(&contract().of_visitors);
    assert!(missing.is_empty(), "declared, but never met: {missing:?}");
    world.stop().await;
}

/// Provokes 401: without a token, with an API key and with a token of nobody.
async fn who_calls(world: &World, tenant: &Tenant, call: &Call) {
    let unknown = format!("vis_{}", "A".repeat(43));
    for (token, error) in [
        (None, "unauthorized"),
        (Some(&*tenant.key), "invalid_visitor_token"),
        (Some(&*unknown), "invalid_visitor_token"),
    ] {
        let outcome = world.send_as(token, call).await;
        let id = call.operation.id;
        assert_eq!((outcome.status, &outcome.body["error"]), (401, &json!(error)), "{id} {token:?}");
    }
}

/// Provokes 404: with unknown ids and with those of another visitor, which look the same.
async fn what_is_named(world: &World, ann: &Visitor, bob: &Visitor, call: &Call) {
    for parameter in &call.operation.path_parameters {
        let missing = call.clone().with(parameter, &Uuid::new_v4().to_string());
        let missing = world.send_as(Some(&ann.token), &missing).await;
        assert_eq!(missing.status, 404, "{} {parameter}: {missing:?}", call.operation.id);
        for text in ["x", "0", "%00", "..%2f", &bob.ids[parameter]] {
            let met = world.send_as(Some(&ann.token), &call.clone().with(parameter, text)).await;
            assert_eq!(met, missing, "{} with {parameter} {text}", call.operation.id);
        }
    }
}

/// Provokes 400, 413, 415 and 422.
async fn what_is_sent(world: &World, ann: &Visitor, operation: &'static Operation, valid: &Call) {
    let send = async |call: &Call| world.send_as(Some(&ann.token), call).await;
    for parameter in &operation.query {
        for (_, text) in broken_texts(parameter) {
            let mut call = valid.clone();
            call.query.push((parameter.name.to_owned(), text));
            let outcome = send(&call).await;
            assert_eq!(outcome.status, 422, "{} {}: {outcome:?}", operation.id, parameter.name);
        }
    }
    let Some(body) = &operation.body else { return };
    let padded = |length: usize| format!("\"{}\"", "x".repeat(length - 2));
    for (media_type, text, expected) in [
        (body.media_type, padded(BODY_LIMIT + 1), 413),
        (body.media_type, MALFORMED.to_owned(), 400),
        (body.media_type, padded(BODY_LIMIT), 422),
        ("text/plain", valid.body_text(), 415),
    ] {
        let outcome = send(&valid.clone().text(media_type, text)).await;
        assert_eq!(outcome.status, expected, "{}: {outcome:?}", operation.id);
    }
    let outcome = send(&Call { payload: Payload::None, ..valid.clone() }).await;
    assert_eq!(outcome.status, 422, "{} without a body: {outcome:?}", operation.id);
}

/// Provokes 409.
async fn conflicts(world: &World, tenant: &Tenant, ids: &Ids) {
    let own = visitor(world, tenant, ids).await;
    let close = world.send_as(Some(&own.token), &valid(&own, of_visitors("closeVisitorConversation"))).await;
    assert_eq!(close.status, 200, "{close:?}");
    let asked =
        world.send_as(Some(&own.token), &valid(&own, of_visitors("escalateVisitorConversation"))).await;
    assert_eq!(asked.status, 409, "{asked:?}");
    let read = world.send_as(Some(&own.token), &valid(&own, of_visitors("pollVisitorMessages"))).await;
    let said = read.body["messages"][0]["message_id"].as_str().unwrap();
    let rate = valid(&own, of_visitors("rateVisitorMessage")).with("message_id", said);
    assert_eq!(world.send_as(Some(&own.token), &rate).await.status, 409);
    let send = valid(&own, of_visitors("sendVisitorMessage"));
    assert_eq!(world.send_as(Some(&own.token), &send).await.status, 200);
    world.service.database.run("UPDATE visitor_messages SET answer_id = NULL").await;
    assert_eq!(world.send_as(Some(&own.token), &send).await.status, 409);
}

/// Provokes 402, and 404 for a conversation in the body.
async fn credits(world: &World) {
    let broke = frontdesk_store::NewAccount { monthly_credits: Some(0), ..account("broke", Plan::Growth) };
    let broke = world.tenant_of(broke).await;
    let own = visitor(world, &broke, &Ids::new()).await;
    let send = valid(&own, of_visitors("sendVisitorMessage"));
    assert_eq!(world.send_as(Some(&own.token), &send).await.status, 402);
    for operation in &contract().of_visitors {
        // What is switched off is not there.
        world.service.database.run("UPDATE widgets SET enabled = 0").await;
        let call = operation
            .path_parameters
            .iter()
            .fold(valid_without_ids(operation), |call, name| call.with(name, &Uuid::new_v4().to_string()));
        let outcome = world.send_as(Some(&own.token), &call).await;
        assert_eq!(outcome.status, 404, "{}: {outcome:?}", operation.id);
        world.service.database.run("UPDATE widgets SET enabled = 1").await;
    }
}

fn valid_without_ids(operation: &'static Operation) -> Call {
    let body = operation.body.as_ref().and_then(|body| body.examples.first());
    let call = Call::new(operation);
    match body {
        Some((_, example)) => call.json(example.clone()),
        None => call,
    }
}

/// Provokes 500.
async fn faults(world: &World, ann: &Visitor) {
    world.service.database.run("ALTER TABLE visitor_sessions RENAME TO visitor_sessions_away").await;
    for operation in &contract().of_visitors {
        let outcome: Outcome = world.send_as(Some(&ann.token), &valid(ann, operation)).await;
        assert_eq!(outcome.status, 500, "{}: {outcome:?}", operation.id);
    }
    world.service.database.run("ALTER TABLE visitor_sessions_away RENAME TO visitor_sessions").await;
}

/// Provokes 429.
async fn too_many(world: &World, tenant: &Tenant, ids: &Ids, operation: &'static Operation) {
    let own = visitor(world, tenant, ids).await;
    let read = valid(&own, of_visitors("getVisitor"));
    while world.send_as(Some(&own.token), &read).await.status != 429 {}
    let outcome = world.send_as(Some(&own.token), &valid(&own, operation)).await;
    assert_eq!(
        (outcome.status, &outcome.body["error"]),
        (429, &Value::from("rate_limited")),
        "{}",
        operation.id
    );
}
