//! A mailbox whose messages appear while a test runs.

use std::sync::{Arc, Mutex};

use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::watch,
};

/// The mailbox and its server.
#[derive(Clone, Default)]
pub(super) struct Mailbox {
    messages: Arc<Mutex<Vec<String>>>,
    visits: watch::Sender<usize>,
}

impl Mailbox {
    /// Starts the server, and returns its port.
    pub(super) async fn start(&self) -> u16 {
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

    /// Adds messages.
    pub(super) fn deliver(&self, messages: impl IntoIterator<Item = String>) {
        self.messages.lock().unwrap().extend(messages);
    }

    /// Waits until the mailbox is opened again. What is delivered then is found by the visit after this one.
    pub(super) async fn is_visited(&self) {
        self.visits.subscribe().changed().await.unwrap();
    }

    async fn converse(&self, stream: TcpStream) -> std::io::Result<()> {
        let mut stream = BufReader::new(stream);
        stream.get_mut().write_all(b"* OK ready\r\n").await?;
        let mut line = String::new();
        while stream.read_line(&mut line).await? > 0 {
            let (tag, command) = line.trim_end().split_once(' ').unwrap();
            let messages = self.messages.lock().unwrap().clone();
            let words: Vec<&str> = command.split(' ').collect();
            let untagged = match words[..] {
                ["EXAMINE", ..] => {
                    self.visits.send_modify(|count| *count += 1);
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
