//! The cost of requests that wait for replies, and how soon they learn of them.

use std::time::{Duration, Instant};

use frontdesk_client::model::{NewConversationMessage, NewMessage};
use frontdesk_store::{NewTurn, Plan};
use futures_util::{StreamExt, stream};
use jiff::Timestamp;
use uuid::Uuid;

use crate::{
    database::Database,
    installation::{chatbot_for, client},
    process::Process,
    site,
};

/// The requests that wait at a time.
const WAITING: usize = 1_000;
/// The API keys that they use. With a single one, the measurement would be one of its rate limit.
const KEYS: usize = 40;
/// The time in which all of them have begun to wait. With what follows it is less than the 25 seconds after
/// which all ask again.
const START: Duration = Duration::from_secs(9);
/// The time for which they do nothing but wait.
const IDLE: Duration = Duration::from_secs(5);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "measures for half a minute; run it with `--ignored --nocapture`"]
async fn a_thousand_requests_wait_on_sqlite() {
    waiting(Database::sqlite().await, false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "measures for half a minute; run it with `--ignored --nocapture`"]
async fn a_thousand_requests_wait_on_postgres() {
    if let Some(database) = Database::postgres("a_thousand_requests_wait").await {
        let remains = database.remains();
        waiting(database, true).await;
        remains.release().await;
    }
}

/// Lets requests wait in one process, and answers them in the same process or in another one.
#[expect(clippy::print_stdout, reason = "what is measured is printed")]
async fn waiting(database: Database, elsewhere: bool) {
    let many = (2 * WAITING).to_string();
    let more =
        ["--waiting-requests", &many, "--max-connections", &many, "--max-connections-per-client", &many];
    let process = Process::start(&database, &more);
    let other = elsewhere.then(|| Process::start(&database, &more));
    let acme = database.customer("acme", Plan::Growth).await;
    let site = site::bakery().await;
    let asking = client(process.address, &acme.key.text);
    let answering = client(other.as_ref().map_or(process.address, |other| other.address), &acme.key.text);
    let chatbot_id =
        asking.chatbots().create(chatbot_for("Helper", &[site.origin()])).await.unwrap().chatbot_id;
    // Everything that is loaded with the first message is there before the measurement.
    asking.messages().send(chatbot_id, NewMessage::new("Hello?")).await.unwrap();
    let mut chats: Vec<(Uuid, Uuid)> = Vec::new();
    for number in 0..WAITING {
        let turn = NewTurn {
            new_conversation_id: None,
            chatbot_id: chatbot_id.uuid(),
            conversation_id: None,
            verified_subject: None,
            contact_id: None,
            source: "api".to_owned(),
            text: format!("Question {number}"),
            sent_by: None,
            charge: None,
        };
        let begun = database.store.conversations().begin_turn(&acme.scope(), &turn, Timestamp::now()).await;
        let begun = begun.unwrap().unwrap();
        chats.push((begun.conversation.conversation_id, begun.message.message_id));
    }
    let mut keys = Vec::new();
    for _ in 0..KEYS {
        keys.push(client(process.address, &database.key(&acme.owner, None).await.text));
    }
    let (before, idle) = (process.memory().unwrap(), share_of_a_core(&process).await);

    let waiting: Vec<_> = chats
        .iter()
        .zip(keys.iter().cycle())
        .map(|((conversation_id, after), key)| {
            let (asking, conversation_id, mut after) = (key.clone(), *conversation_id, *after);
            tokio::spawn(async move {
                loop {
                    let call =
                        asking.conversations().poll_replies(chatbot_id, conversation_id.into(), after.into());
                    let replies = call.wait(25).await.unwrap().into_inner();
                    after = replies.last_message_id.uuid();
                    if !replies.messages.is_empty() {
                        return Instant::now();
                    }
                }
            })
        })
        .collect();
    tokio::time::sleep(START).await;
    let share = share_of_a_core(&process).await;
    let after = process.memory().unwrap();
    let megabytes = |bytes: usize| bytes >> 20;
    println!(
        "{WAITING} waiting requests: {} MB beside {} MB, {:.1} % of a core instead of {:.1} %",
        megabytes(after - before),
        megabytes(before),
        share * 100.0,
        idle * 100.0
    );

    let replied: Vec<Instant> = stream::iter(&chats)
        .then(async |(conversation_id, _)| {
            let reply = NewConversationMessage::new("Hello.");
            answering
                .conversations()
                .create_message(chatbot_id, (*conversation_id).into(), reply)
                .await
                .unwrap();
            Instant::now()
        })
        .collect()
        .await;
    let mut delays = Vec::new();
    for (task, replied) in waiting.into_iter().zip(replied) {
        delays.push(task.await.unwrap().saturating_duration_since(replied));
    }
    delays.sort_unstable();
    println!(
        "learned of the reply after {:?} (median), {:?} (longest)",
        delays[WAITING / 2],
        delays[WAITING - 1]
    );
    process.kill();
    drop(other);
    assert!(after - before < 100 << 20, "{after} - {before} bytes");
    assert!(share - idle < 0.05, "{share} of a core instead of {idle}");
    assert!(delays[WAITING - 1] < Duration::from_millis(300), "{:?}", delays[WAITING - 1]);
}

/// The share of a core that a process uses for a while.
async fn share_of_a_core(process: &Process) -> f64 {
    let before = process.processor_time().unwrap();
    tokio::time::sleep(IDLE).await;
    process.processor_time().unwrap().saturating_sub(before).as_secs_f64() / IDLE.as_secs_f64()
}
