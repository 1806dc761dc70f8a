//! Waiting requests of one account, beside answers and waiting requests of another one.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use frontdesk_client::model::{NewConversationMessage, NewMessage};
use frontdesk_store::Plan;
use futures_util::future::join_all;
use uuid::Uuid;

use crate::{
    database::Database,
    installation::{Installation, chatbot_for},
    on_both_databases, site,
};

on_both_databases!(waiting_requests_of_one_account_leave_places_for_others);

async fn waiting_requests_of_one_account_leave_places_for_others(database: Database) {
    beside_waiting_requests(database, 60).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "measures for half a minute; run it with `--ignored --nocapture`"]
async fn five_hundred_requests_of_one_account_wait_on_sqlite() {
    beside_waiting_requests(Database::sqlite().await, 500).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "measures for half a minute; run it with `--ignored --nocapture`"]
async fn five_hundred_requests_of_one_account_wait_on_postgres() {
    if let Some(database) = Database::postgres("five_hundred_requests_of_one_account_wait").await {
        let remains = database.remains();
        beside_waiting_requests(database, 500).await;
        remains.release().await;
    }
}

/// Answers that are measured before and beside the waiting requests.
const ANSWERS: usize = 20;

/// Lets as many requests of one account wait as the process has places.
#[expect(clippy::print_stdout, reason = "what is measured is printed")]
async fn beside_waiting_requests(database: Database, requests: usize) {
    let service = Installation::start_with(database, |config| {
        config.limits.waiting_requests = u32::try_from(requests).unwrap();
        config.http.max_connections_per_client = config.http.max_connections;
    })
    .await;
    let site = site::bakery().await;
    let heavy = service.client(&service.database.customer("heavy", Plan::Growth).await);
    let other = service.client(&service.database.customer("other", Plan::Growth).await);
    let open = async |client: &frontdesk_client::Client| {
        client.chatbots().create(chatbot_for("Helper", &[site.origin()])).await.unwrap().chatbot_id
    };
    let (of_heavy, of_other) = (open(&heavy).await, open(&other).await);
    let mut chats = Vec::new();
    for _ in 0..requests {
        let answer = heavy.messages().send(of_heavy, NewMessage::new("Hello?")).await.unwrap();
        chats.push((answer.conversation_id, answer.message_id.parse::<Uuid>().unwrap()));
    }
    let answers = async || {
        let began = Instant::now();
        for _ in 0..ANSWERS {
            other.messages().send(of_other, NewMessage::new("Hello?")).await.unwrap();
        }
        began.elapsed() / u32::try_from(ANSWERS).unwrap()
    };
    let alone = answers().await;
    let is_stopping = Arc::new(AtomicBool::new(false));
    let polls: Vec<_> = chats
        .into_iter()
        .map(|(conversation_id, after)| {
            let (heavy, is_stopping) = (heavy.clone(), Arc::clone(&is_stopping));
            tokio::spawn(async move {
                loop {
                    let call = heavy.conversations().poll_replies(of_heavy, conversation_id, after.into());
                    let replies = call.wait(25).await.unwrap().into_inner();
                    // Whoever has waited in vain waits again, however long the test takes.
                    if replies.poll_after_ms > 0 || is_stopping.load(Ordering::SeqCst) {
                        return replies;
                    }
                }
            })
        })
        .collect();
    // Half of them get a place. The others are refused at once and asked to retry later.
    crate::patience::until("the requests without a place are answered", async || {
        (polls.iter().filter(|poll| poll.is_finished()).count() == requests / 2).then_some(())
    })
    .await;
    println!("an answer takes {alone:?} alone, {:?} beside {requests} requests that wait", answers().await);
    // The other account chats, and waits for a reply.
    let answer = other.messages().send(of_other, NewMessage::new("Hello?")).await.unwrap();
    let (id, after) = (answer.conversation_id, answer.message_id.parse::<Uuid>().unwrap());
    let waiting =
        async { other.conversations().poll_replies(of_other, id, after.into()).wait(25).await.unwrap() };
    let reply = async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        let new = NewConversationMessage::new("This is Ann.");
        other.conversations().create_message(of_other, id, new).await.unwrap();
    };
    let (replies, ()) = tokio::join!(waiting, reply);
    let texts: Vec<_> = replies.messages.iter().map(|message| &*message.text).collect();
    assert_eq!((texts, replies.poll_after_ms), (vec!["This is Ann."], 0), "it had no place");
    assert!(polls.iter().filter(|poll| !poll.is_finished()).count() >= requests / 2 - 1);
    // Stopping ends what waits.
    is_stopping.store(true, Ordering::SeqCst);
    let stopped = service.stop();
    let (replies, ()) = tokio::join!(join_all(polls), stopped);
    assert!(replies.into_iter().all(|replies| replies.unwrap().messages.is_empty()));
}
