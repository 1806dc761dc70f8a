//! A request with an idempotency key runs once, whatever happens.

use frontdesk_store::{Claimed, IdempotentRequest, StoredResponse};
use jiff::ToSpan;
use uuid::Uuid;

use crate::database::Database;
use crate::on_both_databases;
use crate::world::{World, at, claim};

on_both_databases!(
    of_many_equal_requests_one_runs,
    a_finished_request_is_answered_with_its_response,
    a_claim_ends_with_the_process_that_holds_it,
    a_response_that_names_somebody_erased_meanwhile_is_not_stored,
    a_response_is_stored_or_not_while_somebody_is_erased,
);

fn request(api_key_id: Uuid, body: &str) -> IdempotentRequest {
    IdempotentRequest {
        api_key_id,
        path: "POST /api/v1/chatbots".into(),
        key: "abc".into(),
        fingerprint: body.into(),
    }
}

fn response() -> StoredResponse {
    StoredResponse {
        status: 201,
        content_type: Some("application/json".into()),
        body: b"{\"a\":\"\xff\"}".to_vec(),
        mentions: String::new(),
    }
}

async fn of_many_equal_requests_one_runs(database: &Database) {
    let world = World::new(&database.store, "one", 1).await;
    let asking: Vec<_> = (0..20)
        .map(|_| {
            let (store, request) = (database.store.clone(), request(world.key.key_id, "body"));
            tokio::spawn(async move { store.idempotency().claim(&request, at(0)).await.unwrap() })
        })
        .collect();
    let mut running = 0;
    for task in asking {
        match task.await.unwrap() {
            Claimed::Run(_) => running += 1,
            other => assert_eq!(other, Claimed::Running),
        }
    }
    assert_eq!(running, 1);
}

async fn a_finished_request_is_answered_with_its_response(database: &Database) {
    let keys = database.store.idempotency();
    let world = World::new(&database.store, "one", 1).await;
    let other = World::new(&database.store, "two", 2).await;
    let first = request(world.key.key_id, "body");
    let Claimed::Run(claim) = keys.claim(&first, at(0)).await.unwrap() else { panic!() };
    assert!(keys.complete(&claim, &response()).await.unwrap());
    assert_eq!(keys.claim(&first, at(86_000)).await.unwrap(), Claimed::Done(response()));
    assert_eq!(keys.claim(&request(world.key.key_id, "another"), at(1)).await.unwrap(), Claimed::Reused);
    for unrelated in [
        request(other.key.key_id, "body"),
        IdempotentRequest { path: "POST /api/v1/faqs".into(), ..first.clone() },
        IdempotentRequest { key: "abcd".into(), ..first.clone() },
    ] {
        let Claimed::Run(claim) = keys.claim(&unrelated, at(1)).await.unwrap() else {
            panic!("{unrelated:?}")
        };
        assert!(keys.release(&claim).await.unwrap());
        assert!(matches!(keys.claim(&unrelated, at(1)).await.unwrap(), Claimed::Run(_)), "released");
    }
    // After 24 hours the key is as good as new, with or without housekeeping.
    let later = at(0) + 24.hours();
    assert!(matches!(
        keys.claim(&request(world.key.key_id, "another"), later).await.unwrap(),
        Claimed::Run(_)
    ));
    assert_eq!(keys.prune(later + 24.hours(), 100).await.unwrap(), 4);
}

async fn a_claim_ends_with_the_process_that_holds_it(database: &Database) {
    let keys = database.store.idempotency();
    let world = World::new(&database.store, "one", 1).await;
    let request = request(world.key.key_id, "body");
    let Claimed::Run(lost) = keys.claim(&request, at(0)).await.unwrap() else { panic!() };
    assert_eq!(keys.claim(&request, at(59)).await.unwrap(), Claimed::Running);
    assert!(keys.renew(&lost, at(30)).await.unwrap());
    assert_eq!(keys.claim(&request, at(89)).await.unwrap(), Claimed::Running);
    let Claimed::Run(claim) = keys.claim(&request, at(90)).await.unwrap() else { panic!() };
    assert!(!keys.renew(&lost, at(90)).await.unwrap());
    assert!(!keys.complete(&lost, &response()).await.unwrap());
    assert!(!keys.release(&lost).await.unwrap());
    assert!(keys.complete(&claim, &response()).await.unwrap());
    assert!(!keys.renew(&claim, at(91)).await.unwrap(), "it has run");
    assert_eq!(keys.claim(&request, at(91)).await.unwrap(), Claimed::Done(response()));
}

async fn a_response_that_names_somebody_erased_meanwhile_is_not_stored(database: &Database) {
    let store = &database.store;
    let keys = store.idempotency();
    let world = World::new(store, "one", 1).await;
    let (contact_id, conversation_id) = (world.contact.contact_id, world.conversation_id());
    let conversation = store.conversations().find(&world.scope(), conversation_id).await.unwrap().unwrap();
    assert_eq!(conversation.contact_id, Some(contact_id));
    let naming = |id: Uuid| StoredResponse { mentions: format!("{} {id}", Uuid::new_v4()), ..response() };
    let asking = |key: &str| IdempotentRequest { key: key.into(), ..request(world.key.key_id, "body") };
    let mut running = Vec::new();
    for erased in [contact_id, conversation_id] {
        let claimed = keys.claim(&asking(&erased.to_string()), at(100)).await.unwrap();
        let Claimed::Run(claim) = claimed else { panic!("{claimed:?}") };
        running.push((claim, erased));
    }
    assert!(store.contacts().erase(&world.scope(), contact_id, at(101)).await.unwrap());
    for (claim, erased) in running {
        assert!(!keys.complete(&claim, &naming(erased)).await.unwrap());
    }
    assert_eq!(database.count("idempotency_keys").await, 0, "the keys were given back");
    // Whoever goes on writing in the conversation is a stranger, whose requests may be repeated.
    let Claimed::Run(later) = keys.claim(&asking("later"), at(200)).await.unwrap() else { panic!() };
    assert!(keys.complete(&later, &naming(conversation_id)).await.unwrap());

    // The contact, its conversation, its thread and its deal.
    assert_eq!(database.count("erased_ids").await, 4);
    keys.prune(at(200) + 24.hours(), 100).await.unwrap();
    assert_eq!(database.count("erased_ids").await, 0);
}

/// Whichever comes first, no response is left that names the contact.
async fn a_response_is_stored_or_not_while_somebody_is_erased(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    for round in 0..20 {
        let address = format!("zanzibar{round}@customer.example");
        let contact =
            store.contacts().upsert(&world.scope(), &claim(&address), at(9)).await.unwrap().unwrap();
        let mut tasks = tokio::task::JoinSet::new();
        for number in 0..8 {
            let request =
                IdempotentRequest { key: format!("{round}-{number}"), ..request(world.key.key_id, "body") };
            let Claimed::Run(running) = store.idempotency().claim(&request, at(10)).await.unwrap() else {
                panic!()
            };
            let store = store.clone();
            let response = StoredResponse { mentions: contact.contact_id.to_string(), ..response() };
            tasks.spawn(async move { store.idempotency().complete(&running, &response).await.map(drop) });
        }
        let (store, scope) = (store.clone(), world.scope());
        tasks
            .spawn(async move { store.contacts().erase(&scope, contact.contact_id, at(11)).await.map(drop) });
        while let Some(done) = tasks.join_next().await {
            done.unwrap().unwrap();
        }
        assert_eq!(database.count("idempotency_keys").await, 0, "round {round}");
    }
}
