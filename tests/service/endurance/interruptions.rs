//! `SIGTERM` and `kill -9` while something is being sent: what was only connecting is sent by the next
//! process, and what may have arrived is not sent again and says so.

use std::{net::SocketAddr, time::Duration};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, Method, Uri},
    response::Response,
};
use frontdesk_client::{
    Client,
    model::{
        EmailChannelSettings, InboxChannelKind, InboxMessage, NewContact, NewInboxChannel, NewMessage,
        NewThread, NewThreadMessage, TelegramChannelSettings,
    },
};
use frontdesk_store::{NoticeStatus, Plan};
use tokio::{net::TcpStream, sync::watch};
use uuid::Uuid;

use super::{
    crashes::restart,
    gated_mail::{GatedMail, Stop},
};
use crate::{
    channels::{
        email_channel, smtp_server,
        stand_in::{self, StandIn},
        update,
    },
    contract::sales,
    database::{Customer, Database},
    installation::{SITES, client, learned},
    on_both_databases,
    patience::until,
    process::Process,
    site,
};

on_both_databases!(
    a_reply_that_was_only_connecting_is_sent_after_a_kill,
    a_reply_that_was_only_connecting_is_sent_after_a_signal,
    a_reply_that_may_have_arrived_is_not_sent_after_a_kill,
    a_reply_that_is_accepted_after_a_signal_is_sent,
    a_reply_that_is_not_accepted_in_time_after_a_signal_may_have_arrived,
    a_message_of_a_messenger_is_not_sent_twice_after_a_kill,
    a_notice_that_was_only_connecting_is_sent_after_a_kill,
    a_notice_that_may_have_arrived_is_not_sent_after_a_kill,
    a_follow_up_that_was_only_connecting_is_sent_after_a_kill,
    a_follow_up_that_may_have_arrived_is_not_sent_after_a_kill,
);

/// How a process ends.
#[derive(Clone, Copy)]
enum End {
    Kill,
    /// By a signal, with so many seconds for its jobs.
    Signal(&'static str),
}

const NETWORK: [&str; 2] = ["--channel-allow-network", SITES];

/// An e-mail channel, and a message on its way.
struct Sending {
    customer: Customer,
    thread_id: Uuid,
    message_id: Uuid,
}

impl Sending {
    async fn begin(client: &Client, customer: Customer, smtp: &str) -> Self {
        let settings = EmailChannelSettings::new().address("support@acme.example").smtp(smtp_server(smtp));
        let channel = email_channel(client, "Support", settings).await;
        let contact = NewContact::new().email("sam@customer.example");
        let contact = client.contacts().create(contact).await.unwrap().into_inner();
        let new = NewThread::new(channel.channel_id, contact.contact_id, "It is ready.");
        let thread =
            client.inbox().create_thread(new.subject("Repair".to_owned())).await.unwrap().into_inner();
        let message_id = thread.messages.as_ref().unwrap()[0].message_id;
        Self { customer, thread_id: thread.thread_id.uuid(), message_id: message_id.uuid() }
    }

    /// Waits until it is known what became of the message.
    async fn result(&self, client: &Client) -> (String, Option<String>) {
        until("the message has its fate", async || {
            let all = client
                .inbox()
                .list_thread_messages(self.thread_id.into())
                .await
                .unwrap()
                .into_inner()
                .messages;
            let found: InboxMessage =
                all.into_iter().find(|message| message.message_id == self.message_id.into()).unwrap();
            let status = found.delivery_status.unwrap().as_str().to_owned();
            (status != "queued").then_some((status, found.delivery_error))
        })
        .await
    }
}

/// Begins to send a reply to a server that stops, ends the process, and lets another one go on.
async fn interrupted(database: &Database, stop: Stop, end: End) -> (GatedMail, (String, Option<String>)) {
    let mail = GatedMail::start(stop).await;
    let customer = database.customer("acme", Plan::Growth).await;
    let drain = if let End::Signal(seconds) = end { seconds } else { "1" };
    let flags = [&NETWORK[..], &["--job-drain-timeout-seconds", drain]].concat();
    let process = Process::start(database, &flags);
    let talking = client(process.address, &customer.key.text);
    let sending = Sending::begin(&talking, customer, &mail.url).await;
    mail.has_stopped().await;
    finish(process, end).await;
    mail.go_on();
    let process = restart(database, &NETWORK).await;
    let talking = client(process.address, &sending.customer.key.text);
    let result = sending.result(&talking).await;
    (mail, result)
}

async fn finish(process: Process, end: End) {
    match end {
        End::Kill => process.kill(),
        End::Signal(_) => {
            let (status, log) = tokio::task::spawn_blocking(move || process.end("-TERM")).await.unwrap();
            assert!(status.success(), "{status:?}\n{}", log.join("\n"));
        }
    }
}

async fn a_reply_that_was_only_connecting_is_sent_after_a_kill(database: Database) {
    let (mail, result) = interrupted(&database, Stop::Greeting, End::Kill).await;
    assert_eq!((result, mail.mails().len()), (("sent".to_owned(), None), 1));
}

async fn a_reply_that_was_only_connecting_is_sent_after_a_signal(database: Database) {
    let (mail, result) = interrupted(&database, Stop::Greeting, End::Signal("1")).await;
    assert_eq!((result, mail.mails().len()), (("sent".to_owned(), None), 1));
}

async fn a_reply_that_may_have_arrived_is_not_sent_after_a_kill(database: Database) {
    let (mail, (status, error)) = interrupted(&database, Stop::Text, End::Kill).await;
    assert_eq!((status.as_str(), mail.mails().len()), ("failed", 1));
    assert!(error.as_ref().unwrap().contains("may have been sent"), "{error:?}");
}

async fn a_reply_that_is_not_accepted_in_time_after_a_signal_may_have_arrived(database: Database) {
    let (mail, (status, error)) = interrupted(&database, Stop::Text, End::Signal("1")).await;
    assert_eq!((status.as_str(), mail.mails().len()), ("failed", 1));
    assert!(error.as_ref().unwrap().contains("may have been sent"), "{error:?}");
}

async fn a_reply_that_is_accepted_after_a_signal_is_sent(database: Database) {
    let mail = GatedMail::start(Stop::Text).await;
    let customer = database.customer("acme", Plan::Growth).await;
    let flags = [&NETWORK[..], &["--job-drain-timeout-seconds", "80"]].concat();
    let mut process = Process::start(&database, &flags);
    let talking = client(process.address, &customer.key.text);
    let sending = Sending::begin(&talking, customer, &mail.url).await;
    mail.has_stopped().await;
    process.terminate();
    until_closed(process.address).await;
    assert_eq!(process.ended(), None, "it did not wait for the reply under way");
    mail.go_on();
    let status = until("the process ends", async || process.ended()).await;
    assert!(status.success(), "{status:?}\n{}", process.log().join("\n"));
    let process = Process::start(&database, &NETWORK);
    let talking = client(process.address, &sending.customer.key.text);
    let result = sending.result(&talking).await;
    assert_eq!((result, mail.mails().len()), (("sent".to_owned(), None), 1));
}

async fn until_closed(address: SocketAddr) {
    until("no new connections are taken", async || TcpStream::connect(address).await.is_err().then_some(()))
        .await;
}

/// A stand-in of Telegram, how often it was asked to send something, and whether it responds to that.
#[derive(Clone)]
struct Telegram {
    asked: StandIn,
    sent: watch::Sender<usize>,
    responds: bool,
}

impl Telegram {
    /// Starts it with a message for each bot. Returns its address, too.
    async fn start(responds: bool) -> (Self, String) {
        let telegram = Self { asked: stand_in::new(), sent: watch::Sender::new(0), responds };
        telegram.asked.lock().unwrap().updates.push(update(1, "Do you repair trimmers?"));
        let url = stand_in::serve(Router::new().fallback(respond).with_state(telegram.clone())).await;
        (telegram, url.into())
    }
}

async fn respond(
    State(telegram): State<Telegram>,
    method: Method,
    headers: HeaderMap,
    uri: Uri,
    body: Bytes,
) -> Response {
    if !uri.path().ends_with("getUpdates") {
        telegram.sent.send_modify(|count| *count += 1);
        if !telegram.responds {
            std::future::pending::<()>().await;
        }
    }
    stand_in::respond(State(telegram.asked), method, headers, uri, body).await
}

async fn a_message_of_a_messenger_is_not_sent_twice_after_a_kill(database: Database) {
    let (silent, url) = Telegram::start(false).await;
    let customer = database.customer("acme", Plan::Growth).await;
    let flags = [&NETWORK[..], &["--telegram-url", &url, "--channel-poll-seconds", "1"]].concat();
    let process = Process::start(&database, &flags);
    let talking = client(process.address, &customer.key.text);
    let settings = TelegramChannelSettings::new().token("123456:ABC-DEF1234ghIkl");
    let new = NewInboxChannel::new(InboxChannelKind::Telegram, "Bot").telegram(settings);
    talking.inbox_channels().create(new).await.unwrap();
    let thread_id = until("the thread is there", async || {
        let threads = talking.inbox().list_threads().await.unwrap().into_inner().threads;
        threads.first().map(|thread| thread.thread_id)
    })
    .await;
    let reply = talking.inbox().create_thread_message(thread_id, NewThreadMessage::new("We do."));
    let message_id = reply.await.unwrap().message_id;
    silent.sent.subscribe().wait_for(|count| *count == 1).await.unwrap();
    process.kill();
    let (talkative, url) = Telegram::start(true).await;
    let flags = [&NETWORK[..], &["--telegram-url", &url, "--channel-poll-seconds", "1"]].concat();
    let process = restart(&database, &flags).await;
    let talking = client(process.address, &customer.key.text);
    let sending = Sending { customer, thread_id: thread_id.uuid(), message_id: message_id.uuid() };
    let (status, error) = sending.result(&talking).await;
    assert!(
        status == "failed" && error.as_ref().unwrap().contains("may have been sent"),
        "{status} {error:?}"
    );
    assert_eq!(*talkative.sent.borrow(), 0);
}

/// Flags for e-mail by a server of the operator.
fn mail_flags(url: &str) -> [&str; 6] {
    [
        "--mail-smtp-url",
        url,
        "--mail-from",
        "a@frontdesk.example",
        "--mail-public-url",
        "https://desk.example",
    ]
}

/// Begins to send a notice to a server that stops, kills the process, and lets another one go on.
async fn notice(database: &Database, stop: Stop) -> (GatedMail, Customer, Process) {
    let mail = GatedMail::start(stop).await;
    let customer = database.customer("acme", Plan::Growth).await;
    let flags = mail_flags(&mail.url);
    let process = Process::start(database, &flags);
    let talking = client(process.address, &customer.key.text);
    let chatbot_id = learned(&talking, &site::bakery().await).await;
    talking.messages().send(chatbot_id.into(), NewMessage::new("I want to talk to a human")).await.unwrap();
    until("the mail server is asked", async || {
        database.make_due(&["send_notices"]).await;
        tokio::time::timeout(Duration::from_millis(500), mail.has_stopped()).await.ok()
    })
    .await;
    process.kill();
    mail.go_on();
    let process = restart(database, &flags).await;
    (mail, customer, process)
}

async fn a_notice_that_was_only_connecting_is_sent_after_a_kill(database: Database) {
    let (mail, customer, _process) = notice(&database, Stop::Greeting).await;
    until("the notice is sent", async || {
        database.make_due(&["send_notices"]).await;
        let list = database.store.notices().list(&customer.scope()).await.unwrap();
        list.iter().all(|notice| notice.status == NoticeStatus::Sent).then_some(())
    })
    .await;
    assert_eq!(mail.mails().len(), 1);
}

async fn a_notice_that_may_have_arrived_is_not_sent_after_a_kill(database: Database) {
    let (mail, customer, _process) = notice(&database, Stop::Text).await;
    // It runs twice, so it has looked at everything that was due.
    for _ in 0..2 {
        let before = database.next_run("send_notices").await;
        database.make_due(&["send_notices"]).await;
        until("the notices are looked at", async || {
            (database.next_run("send_notices").await > before).then_some(())
        })
        .await;
    }
    let list = database.store.notices().list(&customer.scope()).await.unwrap();
    let states: Vec<_> = list.iter().map(|notice| notice.status).collect();
    assert_eq!((states, mail.mails().len()), (vec![NoticeStatus::Sending], 1));
}

/// Begins to send a follow-up to a server that stops, kills the process, and lets another one go on. Returns
/// its state in the end.
async fn follow_up(database: &Database, stop: Stop) -> (GatedMail, String) {
    let mail = GatedMail::start(stop).await;
    let customer = database.customer("acme", Plan::Growth).await;
    let (chatbot_id, deal_id) =
        (sales::chatbot(database, &customer).await, sales::deal(database, &customer).await);
    // The first one of them is not sent, because its contact has replied.
    sales::plan_many(database, &customer, chatbot_id, deal_id, 2).await;
    sales::begin(database).await;
    let flags = mail_flags(&mail.url);
    let process = Process::start(database, &flags);
    until("the mail server is asked", async || {
        database.make_due(&["send_follow_ups"]).await;
        tokio::time::timeout(Duration::from_millis(500), mail.has_stopped()).await.ok()
    })
    .await;
    process.kill();
    mail.go_on();
    if database.is_postgres() {
        // As the leases of jobs.
        database.store.deal_activities().end_all_leases(jiff::Timestamp::now()).await.unwrap();
    }
    let process = restart(database, &flags).await;
    let talking = client(process.address, &customer.key.text);
    let state = until("the follow-up has its fate", async || {
        database.make_due(&["send_follow_ups"]).await;
        let all = talking
            .deal_activities()
            .list_activities_of_deal(deal_id.into())
            .await
            .unwrap()
            .into_inner()
            .activities;
        let states = all.into_iter().filter_map(|activity| activity.follow_up);
        let states: Vec<_> = states.map(|follow_up| follow_up.state.as_str().to_owned()).collect();
        states.iter().find(|state| matches!(state.as_str(), "sent" | "failed")).cloned()
    })
    .await;
    (mail, state)
}

async fn a_follow_up_that_was_only_connecting_is_sent_after_a_kill(database: Database) {
    let (mail, state) = follow_up(&database, Stop::Greeting).await;
    assert_eq!((state.as_str(), mail.mails().len()), ("sent", 1));
}

async fn a_follow_up_that_may_have_arrived_is_not_sent_after_a_kill(database: Database) {
    let (mail, state) = follow_up(&database, Stop::Text).await;
    assert_eq!((state.as_str(), mail.mails().len()), ("failed", 1));
}
