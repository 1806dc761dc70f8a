//! The account that works, and the other sides of it.

use frontdesk_client::{
    Client,
    model::{
        ChatbotStatus, ConnectionSecurity, ContactUpdate, EmailChannelSettings, EventType, InboxChannel,
        InboxChannelKind, MailServerSettings, NewContact, NewInboxChannel, NewMessage, NewThread,
        NewThreadMessage, NewWebhookEndpoint, TelegramChannelSettings,
    },
};
use frontdesk_model::{MessageId, ThreadId};
use frontdesk_store::{Scope, Store};
use uuid::Uuid;

use super::{mailbox::Mailbox, telegram::TOKENS};
use crate::{
    channels::{self, smtp_server, stand_in::StandIn, update},
    installation::{chatbot_for, trained},
    patience::until,
    site::Site,
    webhooks::{Receiver, mail::Mails},
};

/// The account that works.
pub(super) struct Working {
    pub(super) client: Client,
    pub(super) scope: Scope,
    pub(super) store: Store,
    pub(super) mailbox: Mailbox,
    pub(super) mails: Mails,
    pub(super) smtp: String,
    pub(super) telegram: StandIn,
    pub(super) receiver: Receiver,
    pub(super) site: Site,
}

/// What the account has once it is set up.
pub(super) struct Office {
    channel: InboxChannel,
    contact_id: Uuid,
}

impl Working {
    /// Sets up an e-mail channel whose mailbox was read, a contact and an endpoint.
    pub(super) async fn set_up(&self) -> Office {
        let Self { client, scope, store, .. } = self;
        let channel = email_channel(client, self.mailbox.start().await, &self.smtp).await;
        let contact_id = contact(client, "ada@customer.example").await;
        let events = vec![EventType::from("contact.updated")];
        let endpoint = NewWebhookEndpoint::new(self.receiver.url()).events(events);
        client.webhook_endpoints().create(endpoint).await.unwrap();
        // A mailbox begins with what arrives after it was set up.
        until("the mailbox is read", async || {
            let channels = store.inbox_channels();
            let found = channels.find(scope, channel.channel_id.uuid()).await.unwrap().unwrap();
            assert_eq!(found.last_error, None);
            found.progress
        })
        .await;
        Office { channel, contact_id }
    }

    /// Receives so many e-mails.
    pub(super) async fn receive(&self, name: &str, count: usize) {
        self.mailbox.deliver((0..count).map(|number| {
            format!(
                "From: v{number}@customer.example\r\nMessage-ID: <{name}.{number}@customer.example>\r\n\
                 Subject: {name} {number}\r\n\r\nHello {number}\r\n"
            )
        }));
        until("the e-mails are there", async || {
            let threads = self.client.inbox().list_threads().limit(100).await.unwrap().into_inner().threads;
            let found = threads
                .iter()
                .filter(|thread| thread.subject.as_deref().is_some_and(|s| s.starts_with(name)));
            (found.count() == count).then_some(())
        })
        .await;
    }

    /// Sends so many e-mails.
    pub(super) async fn send(&self, office: &Office, count: usize) {
        let before = self.mails.lock().unwrap().len();
        write(&self.client, &office.channel, office.contact_id, count).await;
        until("the e-mails are sent", async || {
            (self.mails.lock().unwrap().len() == before + count).then_some(())
        })
        .await;
    }

    /// Causes so many events, and waits for their delivery.
    pub(super) async fn notify(&self, office: &Office, count: usize) {
        let before = self.receiver.received().len();
        for number in 0..count {
            change(&self.client, office.contact_id, before + number).await;
        }
        until("the events are there", async || {
            (self.receiver.received().len() >= before + count).then_some(())
        })
        .await;
    }

    /// Receives so many messages of one chat with a bot, and replies.
    pub(super) async fn chat(&self, count: usize) {
        let updates = (1..=i64::try_from(count).unwrap()).map(|id| update(id, &format!("Question {id}")));
        self.telegram.lock().unwrap().updates = updates.collect();
        bot(&self.client, TOKENS[0]).await;
        let inbox = self.client.inbox();
        let chat = until("the chat is there", async || {
            let threads = inbox.list_threads().limit(100).await.unwrap().into_inner().threads;
            let chat = threads.into_iter().find(|thread| thread.channel.as_str() == "telegram")?;
            let messages = inbox.list_thread_messages(chat.thread_id).await.unwrap().into_inner().messages;
            (messages.len() == count).then_some(chat)
        })
        .await;
        inbox.create_thread_message(chat.thread_id, NewThreadMessage::new("We do.")).await.unwrap();
        until("the bot has replied", async || {
            (self.telegram.lock().unwrap().requests.len() == 1).then_some(())
        })
        .await;
    }

    /// Learns the website.
    pub(super) async fn learn(&self) -> Uuid {
        let chatbot = chatbot_for("Helper", &[self.site.origin()]);
        let chatbot = self.client.chatbots().create(chatbot).await.unwrap();
        assert_eq!(trained(&self.client, chatbot.chatbot_id.uuid()).await.status, ChatbotStatus::Ready);
        chatbot.chatbot_id.uuid()
    }

    /// Answers so many questions.
    pub(super) async fn answer(&self, chatbot_id: Uuid, count: usize) {
        for _ in 0..count {
            let question = NewMessage::new("What does delivery cost?");
            let answer = self.client.messages().send(chatbot_id.into(), question).await.unwrap();
            assert!(answer.response.contains("4.90 pounds"), "{answer:?}");
        }
    }
}

fn imap(port: u16) -> MailServerSettings {
    MailServerSettings::new("127.0.0.1", i64::from(port), ConnectionSecurity::None)
        .user("shop")
        .password("secret")
}

pub(super) async fn email_channel(client: &Client, imap_port: u16, smtp: &str) -> InboxChannel {
    let settings = EmailChannelSettings::new()
        .address("shop@acme.example")
        .imap(imap(imap_port))
        .smtp(smtp_server(smtp));
    channels::email_channel(client, "Support", settings).await
}

pub(super) async fn bot(client: &Client, token: &str) {
    let settings = TelegramChannelSettings::new().token(token);
    let new = NewInboxChannel::new(InboxChannelKind::Telegram, "Bot").telegram(settings);
    client.inbox_channels().create(new).await.unwrap();
}

/// Begins threads of an e-mail channel. Returns the ids of their messages with those of their threads.
pub(super) async fn write(
    client: &Client,
    channel: &InboxChannel,
    contact_id: Uuid,
    count: usize,
) -> Vec<(ThreadId, MessageId)> {
    let mut written = Vec::new();
    for number in 0..count {
        let new = NewThread::new(channel.channel_id, contact_id.into(), format!("Offer {number}"));
        let thread =
            client.inbox().create_thread(new.subject(format!("Offer {number}"))).await.unwrap().into_inner();
        written.push((thread.thread_id, thread.messages.as_ref().unwrap()[0].message_id));
    }
    written
}

pub(super) async fn contact(client: &Client, address: &str) -> Uuid {
    client.contacts().create(NewContact::new().email(address)).await.unwrap().contact_id.uuid()
}

/// Changes a contact, which is an event.
pub(super) async fn change(client: &Client, contact_id: Uuid, number: usize) {
    let change = ContactUpdate::new().name(format!("Name {number}"));
    client.contacts().update(contact_id.into(), change).await.unwrap();
}
