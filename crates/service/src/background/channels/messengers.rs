//! Messengers: Telegram, WhatsApp and Messenger. Their settings, what they post or are asked for, and
//! replies.

use std::time::{Duration, Instant};

use frontdesk_channels::{
    DeliveryReport, DeliveryStatus, Inbound, Media, OutgoingFile, Secret, SendFailure,
    meta::{Graph, Notification},
    telegram::Bot,
};
use frontdesk_model::{MetaChannel, MetaChannelSettings, TelegramChannel, TelegramChannelSettings};
use frontdesk_outbound::Handover;
use frontdesk_runtime::{Patch, check};
use frontdesk_store::{
    ChannelKind, ContactFields, DeliveryState, InboxChannel, NewAttachment, NewInbound, OutgoingMessage,
    Scope,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    Delivered, DeliveryError, content, failed,
    visit::{VisitError, Visited},
};
use crate::{
    background::{Background, jobs::BoxError},
    edge::responses,
    platform::{
        files::{FileStorage, delete_object},
        secrets::of_channels,
    },
};

/// The largest file of a message that is fetched, in bytes.
const MAX_FILE: u64 = 10 * 1024 * 1024;

/// The settings of a bot of Telegram, as they are stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct TelegramSettings {
    /// Telegram posts updates; otherwise they are fetched.
    pub(crate) uses_webhook: bool,
}

/// The secrets of a bot of Telegram.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct TelegramSecrets {
    token: Option<String>,
    /// The secret that Telegram sends with updates.
    pub(crate) webhook_secret: Option<String>,
}

impl TelegramSettings {
    /// Reads the settings of a channel.
    pub(crate) fn of(channel: &InboxChannel) -> Self {
        serde_json::from_value(channel.settings.clone()).unwrap_or_default()
    }

    /// Applies a change, and adds a failing field for what is missing.
    pub(crate) fn change(
        &mut self,
        change: TelegramChannelSettings,
        secrets: &mut TelegramSecrets,
        failures: &mut Vec<check::Failure>,
    ) {
        secrets.token = change.token.or(secrets.token.take());
        match change.webhook_secret {
            Patch::Absent => {}
            Patch::Null => secrets.webhook_secret = None,
            Patch::Value(secret) => secrets.webhook_secret = Some(secret),
        }
        self.uses_webhook = secrets.webhook_secret.is_some();
        if secrets.token.is_none() {
            failures.push(responses::failure("telegram.token", "is required"));
        }
    }

    /// Returns the settings as the contract describes them.
    pub(crate) fn shown(channel: &InboxChannel) -> TelegramChannel {
        TelegramChannel::new(channel.public_key, Self::of(channel).uses_webhook)
    }
}

/// The settings of WhatsApp and Messenger, as they are stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct MetaSettings {
    /// The id of the number or page.
    pub(crate) sender_id: String,
}

/// The secrets of WhatsApp and Messenger.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct MetaSecrets {
    access_token: Option<String>,
    /// The secret of the app, which signs posts.
    pub(crate) app_secret: Option<String>,
    /// The token of the handshake.
    pub(crate) verify_token: Option<String>,
}

impl MetaSettings {
    /// Reads the settings of a channel.
    pub(crate) fn of(channel: &InboxChannel) -> Self {
        serde_json::from_value(channel.settings.clone()).unwrap_or_default()
    }

    /// Applies a change, and adds a failing field for what is missing. `name` is the member of the body with
    /// the settings.
    pub(crate) fn change(
        &mut self,
        change: MetaChannelSettings,
        secrets: &mut MetaSecrets,
        name: &str,
        failures: &mut Vec<check::Failure>,
    ) {
        if let Some(sender_id) = change.sender_id {
            self.sender_id = sender_id;
        }
        secrets.access_token = change.access_token.or(secrets.access_token.take());
        secrets.app_secret = change.app_secret.or(secrets.app_secret.take());
        secrets.verify_token = change.verify_token.or(secrets.verify_token.take());
        for (field, is_missing) in [
            ("sender_id", self.sender_id.is_empty()),
            ("access_token", secrets.access_token.is_none()),
            ("app_secret", secrets.app_secret.is_none()),
            ("verify_token", secrets.verify_token.is_none()),
        ] {
            if is_missing {
                failures.push(responses::failure(&format!("{name}.{field}"), "is required"));
            }
        }
    }

    /// Returns the settings as the contract describes them.
    pub(crate) fn shown(channel: &InboxChannel) -> MetaChannel {
        MetaChannel::new(Self::of(channel).sender_id, channel.public_key)
    }
}

fn bot(service: &Background, channel: &InboxChannel) -> Option<Bot> {
    let secrets: TelegramSecrets = of_channels::decrypted(&service.cipher, channel)?;
    Some(Bot {
        outbound: service.messenger_outbound.clone(),
        base_url: service.config.channels.telegram_url.clone(),
        token: Secret::new(secrets.token?),
        patience: service.config.channels.timeout,
    })
}

pub(super) async fn deliver(
    service: &Background,
    outgoing: &OutgoingMessage,
    handover: &Handover,
) -> Result<Delivered, DeliveryError> {
    let OutgoingMessage { channel, thread, message, .. } = outgoing;
    let refused = |reason: &str| DeliveryError::Refused(reason.to_owned());
    let files = content::files(service, outgoing).await?;
    let files = files.into_iter().map(|file| OutgoingFile {
        name: file.name,
        media_type: file.mime_type,
        content: file.content,
    });
    let files: Vec<OutgoingFile> = files.collect();
    let Some(chat) = thread.external_key.as_deref() else {
        return Err(refused("The chat is not known any more."));
    };
    let sent = match channel.kind {
        ChannelKind::Telegram => {
            let bot = bot(service, channel).ok_or_else(|| refused("The token of the bot cannot be read."))?;
            by_telegram(&bot, chat, &message.body, &files, handover).await
        }
        kind => {
            let graph = graph(service, channel).ok_or_else(|| refused("The access token cannot be read."))?;
            let sender_id = MetaSettings::of(channel).sender_id;
            if kind == ChannelKind::Whatsapp {
                by_whatsapp(&graph, &sender_id, chat, &message.body, &files, handover).await
            } else {
                by_messenger(&graph, &sender_id, chat, &message.body, &files, handover).await
            }
        }
    };
    // The last piece has arrived when everything has.
    sent.map(|last| Delivered { external_id: Some(last) }).map_err(failed)
}

/// Sends a text and its files. Returns what the last message is known by.
async fn by_telegram(
    bot: &Bot,
    chat: &str,
    text: &str,
    files: &[OutgoingFile],
    handover: &Handover,
) -> Result<String, SendFailure> {
    let mut last = last_of(bot.send(chat, text, None, handover).await?)?;
    for file in files {
        last = bot.send_file(chat, file, handover).await.map_err(|failure| after_text(&failure))?;
    }
    Ok(last)
}

/// Sends a text and its files, which are uploaded before anything is sent: what cannot be uploaded leaves no
/// half of a message.
async fn by_whatsapp(
    graph: &Graph,
    sender_id: &str,
    to: &str,
    text: &str,
    files: &[OutgoingFile],
    handover: &Handover,
) -> Result<String, SendFailure> {
    let mut uploaded = Vec::new();
    for file in files {
        uploaded.push(graph.upload_to_whatsapp(sender_id, file).await?);
    }
    let mut last = last_of(graph.send_whatsapp(sender_id, to, text, None, handover).await?)?;
    for file in &uploaded {
        last = graph
            .send_whatsapp_file(sender_id, to, file, handover)
            .await
            .map_err(|failure| after_text(&failure))?;
    }
    Ok(last)
}

/// Sends a text and its files, which are uploaded before anything is sent.
async fn by_messenger(
    graph: &Graph,
    sender_id: &str,
    to: &str,
    text: &str,
    files: &[OutgoingFile],
    handover: &Handover,
) -> Result<String, SendFailure> {
    let mut uploaded = Vec::new();
    for file in files {
        uploaded.push(graph.upload_to_messenger(sender_id, file).await?);
    }
    let mut last = last_of(graph.send_messenger(sender_id, to, text, handover).await?)?;
    for file in &uploaded {
        last = graph
            .send_messenger_file(sender_id, to, file, handover)
            .await
            .map_err(|failure| after_text(&failure))?;
    }
    Ok(last)
}

fn last_of(keys: Vec<String>) -> Result<String, SendFailure> {
    let unknown = || SendFailure::Unknown("The messenger sent a response that cannot be read.".to_owned());
    keys.into_iter().next_back().ok_or_else(unknown)
}

/// The text has arrived, so the message must not be sent again as a whole.
fn after_text(failure: &SendFailure) -> SendFailure {
    SendFailure::Unknown(format!("The text was sent, but not every file. {failure}"))
}

fn graph(service: &Background, channel: &InboxChannel) -> Option<Graph> {
    let secrets: MetaSecrets = of_channels::decrypted(&service.cipher, channel)?;
    Some(Graph {
        outbound: service.messenger_outbound.clone(),
        base_url: service.config.channels.graph_url.clone(),
        token: Secret::new(secrets.access_token?),
        patience: service.config.channels.timeout,
    })
}

/// Asks for new updates of a bot, and waits for none: other channels need the worker.
pub(super) async fn visit_bot(service: &Background, channel: &InboxChannel) -> Result<Visited, VisitError> {
    let unreadable = || VisitError::Outside("The token of the bot cannot be read.".to_owned());
    let bot = bot(service, channel).ok_or_else(unreadable)?;
    let last = channel.progress.as_ref().and_then(|progress| progress["last_update"].as_i64());
    let started = Instant::now();
    let updates = bot.updates(last, Duration::ZERO).await;
    let updates = updates.map_err(|failure| VisitError::Outside(failure.to_string()))?;
    let has_more = updates.len() == 100;
    let mut newest = last;
    let mut updates = updates.into_iter();
    for update in updates.by_ref() {
        newest = newest.max(Some(update.update_id));
        if let Some(message) = update.message {
            receive(service, channel, message).await?;
        }
        // The files of many messages take long, and other channels need the worker.
        if started.elapsed() >= service.config.channels.timeout || service.job_signals.is_stopping() {
            break;
        }
    }
    let has_more = has_more || updates.len() > 0;
    Ok(Visited { progress: json!({ "last_update": newest }), has_more })
}

/// Receives an update that Telegram has posted.
pub(crate) async fn receive_update(
    service: &Background,
    channel: &InboxChannel,
    update: &Value,
) -> Result<(), BoxError> {
    match frontdesk_channels::telegram::read(update).and_then(|read| read.message) {
        Some(message) => receive(service, channel, message).await,
        None => Ok(()),
    }
}

/// Receives what Meta has posted, as far as it is meant for this channel.
pub(crate) async fn receive_notifications(
    service: &Background,
    channel: &InboxChannel,
    body: &Value,
) -> Result<(), BoxError> {
    let sender_id = MetaSettings::of(channel).sender_id;
    let is_ours = |recipient: Option<&str>| recipient.is_none_or(|recipient| recipient == sender_id);
    let object = if channel.kind == ChannelKind::Whatsapp { "whatsapp_business_account" } else { "page" };
    if body["object"] != object {
        return Ok(());
    }
    for notification in frontdesk_channels::meta::read(body) {
        match notification {
            Notification::Message(message) if is_ours(message.recipient.as_deref()) => {
                receive(service, channel, message).await?;
            }
            Notification::Delivery(report) if is_ours(report.recipient.as_deref()) => {
                note(service, channel, &report).await?;
            }
            Notification::SeenUpTo { recipient, thread_key, at } if recipient == sender_id => {
                let scope = Scope::of_account(channel.account_id);
                let threads = service.store.threads();
                threads.note_seen(&scope, channel.channel_id, &thread_key, at).await?;
            }
            _ => {}
        }
    }
    Ok(())
}

async fn note(service: &Background, channel: &InboxChannel, report: &DeliveryReport) -> Result<(), BoxError> {
    let status = match report.status {
        DeliveryStatus::Sent => DeliveryState::Sent,
        DeliveryStatus::Delivered => DeliveryState::Delivered,
        DeliveryStatus::Read => DeliveryState::Read,
        DeliveryStatus::Failed => DeliveryState::Failed,
    };
    let scope = Scope::of_account(channel.account_id);
    let (threads, error) = (service.store.threads(), report.error.as_deref());
    // A report on a message that somebody has sent with another program.
    threads.note_delivery(&scope, channel.channel_id, &report.message_key, status, error).await?;
    Ok(())
}

async fn receive(service: &Background, channel: &InboxChannel, message: Inbound) -> Result<(), BoxError> {
    let scope = Scope::of_account(channel.account_id);
    let threads = service.store.threads();
    let known = std::slice::from_ref(&message.message_key);
    if threads.find_by_message_ids(&scope, channel.channel_id, known).await?.is_some() {
        return Ok(());
    }
    let mut body = message.text;
    let mut attachments = Vec::new();
    for media in message.media {
        match file(service, channel, &media).await? {
            Some(attachment) => attachments.push(attachment),
            None => {
                let name = media.name.as_deref().unwrap_or("a file");
                body.push_str(&format!("\n[{}: {name}, not fetched]", media.kind));
            }
        }
    }
    let inbound = NewInbound {
        channel_id: channel.channel_id,
        thread_key: message.thread_key,
        thread_id: None,
        message_key: message.message_key,
        contact: ContactFields {
            name: message.sender.name,
            phone: message.sender.phone,
            ..ContactFields::default()
        },
        contact_id: None,
        author_name: None,
        subject: None,
        body: body.trim_start().to_owned(),
        body_html: None,
        folded_text: None,
        content_digest: None,
        attachments,
        sent_at: message.sent_at,
        is_spam: false,
        is_automatic: false,
    };
    let received = threads.receive(&scope, &inbound, service.now()).await?;
    for object_key in received.map(|received| received.left_out).unwrap_or_default() {
        delete_object(service, &object_key).await;
    }
    Ok(())
}

/// Fetches a file of a message and stores it. `None` if it cannot be fetched: the message then says so.
async fn file(
    service: &Background,
    channel: &InboxChannel,
    media: &Media,
) -> Result<Option<NewAttachment>, BoxError> {
    if media.bytes.is_some_and(|bytes| bytes > MAX_FILE) {
        return Ok(None);
    }
    let fetched = match channel.kind {
        ChannelKind::Telegram => {
            let Some(bot) = bot(service, channel) else { return Ok(None) };
            bot.file(&media.id, MAX_FILE).await
        }
        kind => {
            let Some(graph) = graph(service, channel) else { return Ok(None) };
            if kind == ChannelKind::Whatsapp {
                graph.whatsapp_file(&media.id, MAX_FILE).await
            } else {
                graph.messenger_file(&media.id, MAX_FILE).await
            }
        }
    };
    let content = match fetched {
        Ok(content) => content,
        Err(error) => {
            tracing::info!(channel_id = %channel.channel_id, kind = media.kind, %error, "a file of a message was not fetched");
            return Ok(None);
        }
    };
    let attachment_id = Uuid::now_v7();
    let object_key = FileStorage::attachment_key(channel.account_id, attachment_id);
    service.store.stored_objects().register(&object_key, service.now()).await?;
    let size_bytes = content.len() as u64;
    // What the sender states is a hint between formats of text only.
    let mime_type = frontdesk_mail::media_type(&content, media.media_type.as_deref());
    let file_name = frontdesk_mail::safe_name(media.name.as_deref().unwrap_or_default(), &mime_type);
    service.files.put(&object_key, content.into()).await?;
    Ok(Some(NewAttachment { attachment_id, file_name, mime_type, size_bytes, object_key }))
}
