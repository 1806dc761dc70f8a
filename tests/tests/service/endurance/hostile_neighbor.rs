//! An account all of whose servers hang, drip or never come to an end, beside one that works: the process stays small, everything of the
//! hostile account is given up in its time, and the other account is served.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::Uri,
    response::{IntoResponse, Response},
};
use frontdesk_client::{
    Client,
    model::{
        ChatbotStatus, ConnectionSecurity, ContactUpdate, EmailChannelSettings, EventType, InboxChannel,
        InboxChannelKind, MailServerSettings, NewContact, NewInboxChannel, NewMessage, NewThread,
        NewThreadMessage, NewWebhookEndpoint, TelegramChannelSettings,
    },
};
use frontdesk_store::{Plan, Scope, Store};
use futures_util::stream;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
};
use uuid::Uuid;

use crate::{
    channels::{smtp_server, update},
    database::Database,
    installation::{SITES, chatbot_for, client, trained},
    on_both_databases,
    patience::until,
    process::Process,
    site::{self, Site},
    webhooks::{
        Receiver,
        mail::{Mails, Manner, sink},
        register,
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

/// How a hostile server behaves once it has begun as its protocol begins.
#[derive(Clone, Copy)]
enum Misdeed {
    Hangs,
    Drips,
    Streams,
}

const ALL: [Misdeed; 3] = [Misdeed::Hangs, Misdeed::Drips, Misdeed::Streams];

/// Starts a server that begins like this and then misbehaves, whatever it is told. Returns its port.
async fn hostile(beginning: &'static str, misdeed: Misdeed) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(misbehave(stream, beginning, misdeed));
        }
    });
    port
}

async fn misbehave(stream: TcpStream, beginning: &str, misdeed: Misdeed) {
    let (mut reading, mut writing) = stream.into_split();
    let _ = writing.write_all(beginning.as_bytes()).await;
    let writes = async {
        match misdeed {
            Misdeed::Hangs => std::future::pending().await,
            Misdeed::Drips => {
                while writing.write_all(b"2").await.is_ok() {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
            Misdeed::Streams => {
                let much = vec![b'2'; 64 * 1024];
                while writing.write_all(&much).await.is_ok() {}
            }
        }
    };
    let reads = async {
        let mut buffer = [0; 4096];
        while reading.read(&mut buffer).await.is_ok_and(|count| count > 0) {}
    };
    // It ends when the client does.
    tokio::select! { () = writes => {}, () = reads => {} }
}

/// A mailbox with messages that appear while the test runs.
#[derive(Clone, Default)]
struct Mailbox(Arc<Mutex<Vec<String>>>);

impl Mailbox {
    async fn start(&self) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let mailbox = self.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let mailbox = mailbox.clone();
                tokio::spawn(async move { drop(mailbox.converse(stream).await) });
            }
        });
        port
    }

    async fn converse(&self, stream: TcpStream) -> std::io::Result<()> {
        let mut stream = BufReader::new(stream);
        stream.get_mut().write_all(b"* OK ready\r\n").await?;
        let mut line = String::new();
        while stream.read_line(&mut line).await? > 0 {
            let (tag, command) = line.trim_end().split_once(' ').unwrap();
            let messages = self.0.lock().unwrap().clone();
            let words: Vec<&str> = command.split(' ').collect();
            let untagged = match words[..] {
                ["EXAMINE", ..] => {
                    format!("* OK [UIDVALIDITY 9] x\r\n* OK [UIDNEXT {}] x\r\n", messages.len() + 1)
                }
                ["UID", "SEARCH", ..] => {
                    let numbers: Vec<String> =
                        (1..=messages.len()).map(|number| number.to_string()).collect();
                    format!("* SEARCH {}\r\n", numbers.join(" "))
                }
                ["UID", "FETCH", uid, ..] => {
                    let text = &messages[uid.parse::<usize>().unwrap() - 1];
                    let size = text.len();
                    if command.contains("BODY") {
                        format!("* {uid} FETCH (UID {uid} BODY[] {{{size}}}\r\n{text})\r\n")
                    } else {
                        format!("* {uid} FETCH (UID {uid} RFC822.SIZE {size})\r\n")
                    }
                }
                _ => String::new(),
            };
            stream.get_mut().write_all(format!("{untagged}{tag} OK done\r\n").as_bytes()).await?;
            line.clear();
        }
        Ok(())
    }
}

/// What bots that work were asked to send.
#[derive(Clone, Default)]
struct Telegram(Arc<AtomicUsize>);

/// The tokens of bots: `1:` works, the others hang, drip, and stream.
const TOKENS: [&str; 4] =
    ["1:ABC-DEF1234ghIkl", "2:ABC-DEF1234ghIkl", "3:ABC-DEF1234ghIkl", "4:ABC-DEF1234ghIkl"];

async fn telegram(telegram: &Telegram) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let app = Router::new().fallback(respond).with_state(telegram.clone());
    tokio::spawn(async move { axum::serve(listener, app).await });
    url
}

async fn respond(State(telegram): State<Telegram>, uri: Uri, body: Bytes) -> Response {
    let drip = |bytes: Vec<u8>, pause: Duration| {
        let bytes = Bytes::from(bytes);
        Body::from_stream(stream::unfold((), move |()| {
            let bytes = bytes.clone();
            async move {
                tokio::time::sleep(pause).await;
                Some((Ok::<_, std::convert::Infallible>(bytes), ()))
            }
        }))
        .into_response()
    };
    match uri.path().chars().nth("/bot".len()) {
        Some('1') => {}
        Some('2') => std::future::pending().await,
        Some('3') => return drip(b" ".to_vec(), Duration::from_millis(50)),
        _ => return drip(vec![b' '; 64 * 1024], Duration::ZERO),
    }
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let result = if uri.path().ends_with("getUpdates") {
        let offset = body["offset"].as_i64().unwrap_or(1);
        let all = 1..=i64::try_from(MESSAGES).unwrap();
        all.filter(|id| *id >= offset).map(|id| update(id, &format!("Question {id}"))).collect::<Value>()
    } else {
        let number = telegram.0.fetch_add(1, Ordering::SeqCst);
        json!({ "message_id": number, "chat": { "id": 5 } })
    };
    axum::Json(json!({ "ok": true, "result": result })).into_response()
}

fn imap(port: u16) -> MailServerSettings {
    MailServerSettings::new("127.0.0.1", i64::from(port), ConnectionSecurity::None)
        .user("shop")
        .password("secret")
}

async fn email_channel(client: &Client, imap_port: u16, smtp: &str) -> InboxChannel {
    let settings = EmailChannelSettings::new()
        .address("shop@acme.example")
        .imap(imap(imap_port))
        .smtp(smtp_server(smtp));
    let new = NewInboxChannel::new(InboxChannelKind::Email, "Support").email(settings);
    client.inbox_channels().create(new).await.unwrap().into_inner()
}

async fn bot(client: &Client, token: &str) {
    let settings = TelegramChannelSettings::new().token(token);
    let new = NewInboxChannel::new(InboxChannelKind::Telegram, "Bot").telegram(settings);
    client.inbox_channels().create(new).await.unwrap();
}

/// Begins threads of an e-mail channel. Returns the ids of their messages with those of their threads.
async fn write(client: &Client, channel: &InboxChannel, contact_id: Uuid, count: usize) -> Vec<(Uuid, Uuid)> {
    let mut written = Vec::new();
    for number in 0..count {
        let new = NewThread::new(channel.channel_id, contact_id, format!("Offer {number}"));
        let thread =
            client.inbox().create_thread(new.subject(format!("Offer {number}"))).await.unwrap().into_inner();
        written.push((thread.thread_id, thread.messages.as_ref().unwrap()[0].message_id));
    }
    written
}

async fn contact(client: &Client, address: &str) -> Uuid {
    client.contacts().create(NewContact::new().email(address)).await.unwrap().contact_id
}

/// Changes a contact, which is an event.
async fn change(client: &Client, contact_id: Uuid, number: usize) {
    let change = ContactUpdate::new().name(format!("Name {number}"));
    client.contacts().update(contact_id, change).await.unwrap();
}

/// Sets up everything that can be hostile, several times. Returns the messages that it sends, with their threads.
async fn set_up_hostile(client: &Client, misdeeds: [Misdeed; 3]) -> Vec<(Uuid, Uuid)> {
    let contact_id = contact(client, "victim@evil.example").await;
    let mut messages = Vec::new();
    for (misdeed, token) in misdeeds.into_iter().zip(&TOKENS[1..]) {
        for (smtp, imap) in
            [("", ""), ("220-", "* OK "), ("220 x\r\n250-", "* OK x\r\n* 1 FETCH (BODY[] {400000000}\r\n")]
        {
            let smtp = format!("smtp://127.0.0.1:{}", hostile(smtp, misdeed).await);
            let channel = email_channel(client, hostile(imap, misdeed).await, &smtp).await;
            messages.extend(write(client, &channel, contact_id, 2).await);
        }
        bot(client, token).await;
        let http = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-A: ";
        for beginning in ["", http, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>"] {
            let url = format!("http://127.0.0.1:{}", hostile(beginning, misdeed).await);
            let events = vec![EventType::from("contact.updated")];
            let endpoint = NewWebhookEndpoint::new(format!("{url}/")).events(events);
            client.webhook_endpoints().create(endpoint).await.unwrap();
        }
        let site = format!("http://127.0.0.1:{}/", hostile(http, misdeed).await);
        client.chatbots().create(chatbot_for("Evil", &[site])).await.unwrap();
    }
    for number in 0..10 {
        change(client, contact_id, number).await;
    }
    messages
}

/// The account that works, and the other sides of it.
struct Working {
    client: Client,
    scope: Scope,
    store: Store,
    mailbox: Mailbox,
    mails: Mails,
    smtp: String,
    telegram: Telegram,
    receiver: Receiver,
    site: Site,
}

impl Working {
    /// Sends and receives by every channel, learns a website, answers, and delivers events. Returns once all of it is done.
    async fn work(&self) {
        let Self { client, scope, store, mailbox, mails, smtp, telegram, receiver, site } = self;
        let chatbot = client.chatbots().create(chatbot_for("Helper", &[site.origin()])).await.unwrap();
        let channel = email_channel(client, mailbox.start().await, smtp).await;
        bot(client, TOKENS[0]).await;
        let contact_id = contact(client, "ada@customer.example").await;
        register(client, receiver).await;
        // A mailbox begins with what arrives after it was set up.
        until("the mailbox is read", async || {
            let channels = store.inbox_channels();
            let found = channels.find(scope, channel.channel_id).await.unwrap().unwrap();
            assert_eq!(found.last_error, None);
            found.progress
        })
        .await;
        for number in 0..MESSAGES {
            mailbox.0.lock().unwrap().push(format!(
                "From: v{number}@customer.example\r\nMessage-ID: <{number}@customer.example>\r\nSubject: Q {number}\r\n\r\nHello {number}\r\n"
            ));
        }
        write(client, &channel, contact_id, MESSAGES).await;
        for number in 0..MESSAGES {
            change(client, contact_id, number).await;
        }
        until("the replies are sent", async || (mails.lock().unwrap().len() == MESSAGES).then_some(())).await;
        let threads = until("the e-mails and updates are there", async || {
            let threads = client.inbox().list_threads().limit(100).await.unwrap().into_inner().threads;
            // All updates are of one chat.
            (threads.len() == 2 * MESSAGES + 1).then_some(threads)
        })
        .await;
        let chat = threads.iter().find(|thread| thread.channel.as_str() == "telegram").unwrap();
        client.inbox().create_thread_message(chat.thread_id, NewThreadMessage::new("We do.")).await.unwrap();
        until("the bot has replied", async || (telegram.0.load(Ordering::SeqCst) == 1).then_some(())).await;
        until("the events are there", async || {
            let received = receiver.received();
            let changes = received.iter().filter(|event| event.event_type() == "contact.updated").count();
            (changes >= MESSAGES).then_some(())
        })
        .await;
        assert_eq!(trained(client, chatbot.chatbot_id).await.status, ChatbotStatus::Ready);
        let question = NewMessage::new("What does delivery cost?");
        let answer = client.messages().send(chatbot.chatbot_id, question).await.unwrap();
        assert!(answer.response.contains("4.90 pounds"), "{answer:?}");
    }
}

/// A service with a hostile account and one that works; exchanges may take so many seconds.
async fn neighbors(database: &Database, seconds: &str) -> (Process, Client, Working) {
    let bots = Telegram::default();
    let telegram_url = telegram(&bots).await;
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
        site: site::bakery().await,
    };
    let hostile = client(process.address, &evil.key.text);
    (process, hostile, working)
}

async fn hostile_servers_hold_nobody_longer_than_their_time(database: Database) {
    let (process, hostile, working) = neighbors(&database, "1").await;
    let messages = set_up_hostile(&hostile, ALL).await;
    working.work().await;
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
    // A server that sends a byte now and then holds its place for ten minutes: whoever waits for that waits for ever.
    let (process, hostile, working) = neighbors(&database, "600").await;
    set_up_hostile(&hostile, [Misdeed::Drips; 3]).await;
    working.work().await;
    let peak = process.peak_memory();
    assert!(peak.is_none_or(|bytes| bytes < MEMORY), "{peak:?}");
}
