//! `kill -9` while thousands of follow-ups are due: none is sent twice, and one that may have been sent is
//! reported.

use std::collections::BTreeSet;

use frontdesk_store::Plan;

use crate::{
    contract::sales::{begin, chatbot, deal, expected, plan_many, recipients},
    database::Database,
    patience::until,
    process::Process,
    webhooks::mail::{Manner, sink},
};

const COUNT: usize = 10_000;
const KILLS: usize = 20;

#[ignore = "takes minutes"]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn ten_thousand_follow_ups_survive_kills_on_sqlite() {
    survive_kills(Database::sqlite().await).await;
}

#[ignore = "takes minutes"]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn ten_thousand_follow_ups_survive_kills_on_postgres() {
    if let Some(database) = Database::postgres("ten_thousand_follow_ups_survive_kills").await {
        let remains = database.remains();
        survive_kills(database).await;
        remains.release().await;
    }
}

async fn survive_kills(database: Database) {
    let (url, mails) = sink(Manner::Accept).await;
    let customer = database.customer("acme", Plan::Growth).await;
    let (chatbot_id, deal_id) = (chatbot(&database, &customer).await, deal(&database, &customer).await);
    plan_many(&database, &customer, chatbot_id, deal_id, COUNT).await;
    begin(&database).await;
    let flags = [
        "--mail-smtp-url",
        &url,
        "--mail-from",
        "desk@frontdesk.example",
        "--mail-public-url",
        "https://desk.example",
    ];
    for _ in 0..KILLS {
        let before = mails.lock().unwrap().len();
        let process = Process::start(&database, &flags);
        until("some follow-ups are sent", async || {
            (mails.lock().unwrap().len() > before + 100).then_some(())
        })
        .await;
        process.kill();
        // The leases of jobs and attempts end at once, not after minutes.
        database.run("UPDATE jobs SET lease_until = 0 WHERE lease_until IS NOT NULL").await;
        database.run("UPDATE deal_activities SET next_attempt_at = 0 WHERE state = 'sending'").await;
    }
    let process = Process::start(&database, &flags);
    loop {
        let before = mails.lock().unwrap().len();
        tokio::time::sleep(std::time::Duration::from_secs(15)).await;
        if mails.lock().unwrap().len() == before {
            break;
        }
    }
    process.kill();
    let counts = recipients(&mails);
    assert!(counts.values().all(|count| *count == 1), "sent twice: {counts:?}");
    let sent: BTreeSet<String> = counts.into_keys().collect();
    let expected = expected(COUNT);
    assert!(sent.is_subset(&expected), "sent in spite of a reply");
    // Each kill may leave as many attempts unknown as are made at a time.
    let missing = expected.len() - sent.len();
    assert!(missing <= 4 * KILLS, "{missing} were not sent");
}
