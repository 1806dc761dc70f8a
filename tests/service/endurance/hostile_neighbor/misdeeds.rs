//! An account all of whose servers hang, drip or stream.

use std::time::Duration;

use frontdesk_client::{
    Client,
    model::{EventType, NewWebhookEndpoint},
};
use frontdesk_model::{MessageId, ThreadId};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

use super::{
    telegram::TOKENS,
    working::{bot, change, contact, email_channel, write},
};
use crate::installation::chatbot_for;

/// How a hostile server behaves once it has begun as its protocol begins.
#[derive(Clone, Copy)]
pub(super) enum Misdeed {
    Hangs,
    Drips,
    Streams,
}

pub(super) const ALL: [Misdeed; 3] = [Misdeed::Hangs, Misdeed::Drips, Misdeed::Streams];

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

/// Sets up everything that can be hostile, several times. Returns the messages that it sends, with their
/// threads.
pub(super) async fn set_up_hostile(client: &Client, misdeeds: [Misdeed; 3]) -> Vec<(ThreadId, MessageId)> {
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

/// Sends e-mails by every channel again, and causes events for every endpoint.
pub(super) async fn provoke(client: &Client) {
    let contact_id = client.contacts().list().await.unwrap().contacts[0].contact_id;
    let channels = client.inbox_channels().list().await.unwrap().into_inner().channels;
    for channel in channels.iter().filter(|channel| channel.email.is_some()) {
        write(client, channel, contact_id.uuid(), 1).await;
    }
    for number in 0..10 {
        change(client, contact_id.uuid(), number).await;
    }
}
