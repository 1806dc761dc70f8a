//! An account all of whose servers hang, drip or never come to an end, beside one that works: the process
//! stays small, everything of the hostile account is given up in its time, and the other account is served.

mod mailbox;
mod misdeeds;
mod speed;
mod telegram;
mod working;

use frontdesk_client::Client;
use frontdesk_store::Plan;

use self::{
    mailbox::Mailbox,
    misdeeds::{ALL, Misdeed, set_up_hostile},
    working::Working,
};
use crate::{
    channels::stand_in,
    database::Database,
    installation::{SITES, client},
    on_both_databases,
    patience::until,
    process::Process,
    site::{self, Site},
    webhooks::{
        Receiver,
        mail::{Manner, sink},
    },
};

on_both_databases!(
    hostile_servers_hold_nobody_longer_than_their_time,
    hostile_servers_never_make_others_wait,
);

/// The most memory that the process may have, in bytes. It has a fifth of it when it only starts.
const MEMORY: usize = 512 << 20;

/// E-mails, updates of the bot, replies and events of the account that works.
const MESSAGES: usize = 12;

/// Sends and receives by every channel, learns a website, answers, and delivers events, all at the same time.
async fn work(working: &Working) {
    let office = working.set_up().await;
    let answers = async {
        let chatbot_id = working.learn().await;
        working.answer(chatbot_id, 1).await;
    };
    tokio::join!(
        working.receive("Q", MESSAGES),
        working.send(&office, MESSAGES),
        working.notify(&office, MESSAGES),
        working.chat(MESSAGES),
        answers,
    );
}

/// A service with a hostile account and one that works on a website; exchanges may take so many seconds.
async fn neighbors(database: &Database, site: Site, seconds: &str) -> (Process, Client, Working) {
    let bots = stand_in::new();
    let telegram_url = telegram::serve(bots.clone()).await;
    let more = [
        "--channel-allow-network",
        SITES,
        "--channel-poll-seconds",
        "1",
        "--channel-timeout-seconds",
        seconds,
        "--webhook-timeout-seconds",
        seconds,
        "--telegram-url",
        &telegram_url,
        "--crawl-delay-milliseconds",
        "0",
        "--training-workers",
        "4",
    ];
    let evil = database.customer("evil", Plan::Scale).await;
    let acme = database.customer("acme", Plan::Scale).await;
    let process = Process::start(database, &more);
    let (smtp, mails) = sink(Manner::Accept).await;
    let working = Working {
        client: client(process.address, &acme.key.text),
        scope: acme.scope(),
        store: database.store.clone(),
        mailbox: Mailbox::default(),
        mails,
        smtp,
        telegram: bots,
        receiver: Receiver::start().await,
        site,
    };
    let hostile = client(process.address, &evil.key.text);
    (process, hostile, working)
}

async fn hostile_servers_hold_nobody_longer_than_their_time(database: Database) {
    let (process, hostile, working) = neighbors(&database, site::bakery().await, "1").await;
    let messages = set_up_hostile(&hostile, ALL).await;
    work(&working).await;
    // Nothing was handed over, so all of it is tried again, and nothing may have been sent.
    for (thread_id, message_id) in messages {
        let all = hostile.inbox().list_thread_messages(thread_id).await.unwrap().into_inner().messages;
        let message = all.into_iter().find(|message| message.message_id == message_id).unwrap();
        assert_eq!((message.delivery_status.unwrap().as_str(), message.delivery_error), ("queued", None));
    }
    // What is wrong with a mailbox or a bot is told to its people.
    until("every channel has its error", async || {
        let channels = hostile.inbox_channels().list().await.unwrap().into_inner().channels;
        channels.iter().all(|channel| channel.last_error.is_some()).then_some(())
    })
    .await;
    let peak = process.peak_memory();
    assert!(peak.is_none_or(|bytes| bytes < MEMORY), "{peak:?}");
}

async fn hostile_servers_never_make_others_wait(database: Database) {
    // A server that sends a byte now and then holds its place for ten minutes: whoever waits for that waits
    // for ever.
    let (process, hostile, working) = neighbors(&database, site::bakery().await, "600").await;
    set_up_hostile(&hostile, [Misdeed::Drips; 3]).await;
    work(&working).await;
    let peak = process.peak_memory();
    assert!(peak.is_none_or(|bytes| bytes < MEMORY), "{peak:?}");
}
