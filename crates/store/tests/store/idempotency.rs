//! A request with an idempotency key runs once, whatever happens.

use frontdesk_store::{Claimed, IdempotentRequest, StoredResponse};
use jiff::ToSpan;
use uuid::Uuid;

use crate::database::Database;
use crate::on_both_databases;
use crate::world::{World, at};

on_both_databases!(
    of_many_equal_requests_one_runs,
    a_finished_request_is_answered_with_its_response,
    a_claim_ends_with_the_process_that_holds_it,
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
    assert_eq!(keys.prune(later + 24.hours()).await.unwrap(), 4);
}

async fn a_claim_ends_with_the_process_that_holds_it(database: &Database) {
    let keys = database.store.idempotency();
    let world = World::new(&database.store, "one", 1).await;
    let request = request(world.key.key_id, "body");
    let Claimed::Run(lost) = keys.claim(&request, at(0)).await.unwrap() else { panic!() };
    assert_eq!(keys.claim(&request, at(299)).await.unwrap(), Claimed::Running);
    let Claimed::Run(claim) = keys.claim(&request, at(300)).await.unwrap() else { panic!() };
    assert!(!keys.complete(&lost, &response()).await.unwrap());
    assert!(!keys.release(&lost).await.unwrap());
    assert!(keys.complete(&claim, &response()).await.unwrap());
    assert_eq!(keys.claim(&request, at(301)).await.unwrap(), Claimed::Done(response()));
}
