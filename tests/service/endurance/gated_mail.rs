//! [`GatedMail`]: a mail server that stops at a point of the conversation until it is told to go on.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use tokio::{
    net::{TcpListener, TcpStream},
    sync::watch,
};

use crate::{
    mail_server::{Conversation, Said, verb},
    patience::until,
    webhooks::mail::Mails,
};

/// Where the server stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Stop {
    /// It accepts a connection and does not greet.
    Greeting,
    /// It has taken the text and does not say so.
    Text,
    /// It does not.
    Nowhere,
}

struct Shared {
    stop: watch::Sender<Stop>,
    /// How many conversations have stopped so far.
    stopped: AtomicUsize,
    mails: Mails,
}

#[derive(Clone)]
pub(super) struct GatedMail {
    pub(super) url: String,
    shared: Arc<Shared>,
}

impl GatedMail {
    pub(super) async fn start(stop: Stop) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("smtp://{}", listener.local_addr().unwrap());
        let shared = Arc::new(Shared {
            stop: watch::Sender::new(stop),
            stopped: AtomicUsize::new(0),
            mails: Mails::default(),
        });
        let gated = Self { url, shared };
        let server = gated.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let server = server.clone();
                // A client may leave at any moment.
                tokio::spawn(async move { drop(server.converse(stream).await) });
            }
        });
        gated
    }

    /// Waits until a conversation has stopped.
    pub(super) async fn has_stopped(&self) {
        until("a conversation has stopped", async || {
            (self.shared.stopped.load(Ordering::SeqCst) > 0).then_some(())
        })
        .await;
    }

    /// Lets conversations go on, these and all others.
    pub(super) fn go_on(&self) {
        self.shared.stop.send_replace(Stop::Nowhere);
    }

    /// Returns the texts so far.
    pub(super) fn mails(&self) -> Vec<String> {
        self.shared.mails.lock().unwrap().clone()
    }

    async fn pass(&self, point: Stop) {
        let mut stop = self.shared.stop.subscribe();
        if *stop.borrow_and_update() == point {
            self.shared.stopped.fetch_add(1, Ordering::SeqCst);
            stop.wait_for(|stop| *stop != point).await.unwrap();
        }
    }

    async fn converse(&self, stream: TcpStream) -> std::io::Result<()> {
        let mut conversation = Conversation::new(stream);
        self.pass(Stop::Greeting).await;
        conversation.reply("220 gated.example ESMTP").await?;
        while let Some(said) = conversation.next().await? {
            let reply = match said {
                Said::Text(text) => {
                    self.shared.mails.lock().unwrap().push(text);
                    self.pass(Stop::Text).await;
                    "250 accepted"
                }
                Said::Command(command) if verb(&command) == "QUIT" => "221 bye",
                Said::Command(_) => "250 ok",
            };
            conversation.reply(reply).await?;
        }
        Ok(())
    }
}
