//! E-mails that have arrived: each becomes a message of a thread, a report on a message that was sent, or an
//! entry in the list of skipped e-mails. None is lost, and none is in the way of another.

use data_encoding::HEXLOWER;
use frontdesk_mail::{
    Attachment, Bounce, BounceKind, Email, Limits, Mailbox, Nature, Own, ThreadKeys, Unreadable,
    base_subject, read,
};
use frontdesk_store::{
    ContactFields, DeliveryState, InboxChannel, NewAttachment, NewInbound, NewSkippedMail, Received, Scope,
};
use jiff::SignedDuration;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{EmailSettings, addresses};
use crate::{
    background::{Background, jobs::BoxError},
    platform::files::{FileStorage, delete_object},
};

/// How long a thread is continued by a message that only has its subject.
const SUBJECT_WINDOW: SignedDuration = SignedDuration::from_hours(30 * 24);
/// Threads of a sender that are compared by their subject.
const CANDIDATES: u32 = 50;
/// The longest text of a message, in characters. The rest is with what is folded away.
const MAX_TEXT: usize = 50_000;
/// What separates the folded parts of a message.
const BETWEEN: &str = "\n\n";
/// The name of an e-mail that is attached to its message, because its text was cut.
const ORIGINAL: &str = "original.eml";

/// What became of an e-mail.
#[derive(Debug)]
pub(crate) enum MailOutcome {
    /// It is a message.
    Received(Box<Received>),
    /// It had arrived before.
    Duplicate,
    /// It reports what became of a message that was sent, which is noted.
    Noted,
    /// It is listed as skipped, for this reason.
    Skipped(&'static str),
}

/// Why an e-mail does not become a message.
pub(crate) struct Skip<'a> {
    /// As a name.
    pub(crate) reason: &'static str,
    /// For people.
    pub(crate) detail: String,
    /// What the channel knows the e-mail by.
    pub(crate) mail_key: String,
    /// The e-mail, as far as it was read.
    pub(crate) email: Option<&'a Email>,
    /// Its bytes, if they were fetched.
    pub(crate) bytes: Option<&'a [u8]>,
    /// Its size, if known.
    pub(crate) size_bytes: Option<u64>,
}

/// Receives an e-mail by its bytes.
pub(crate) async fn receive(
    service: &Background,
    channel: &InboxChannel,
    bytes: Vec<u8>,
) -> Result<MailOutcome, BoxError> {
    let (parsed, bytes) = parsed(bytes).await?;
    match parsed {
        Ok(email) => sort(service, channel, Arrived { email, bytes, whole: None }).await,
        Err(error) => {
            let skip = Skip {
                reason: error.code(),
                detail: error.to_string(),
                mail_key: digest_key(&bytes),
                email: None,
                bytes: Some(&bytes),
                size_bytes: Some(bytes.len() as u64),
            };
            skipped(service, channel, skip).await
        }
    }
}

/// Receives an e-mail of `size` bytes, which is beyond the limits, by its beginning. `None` if that cannot be
/// read.
pub(crate) async fn receive_beginning(
    service: &Background,
    channel: &InboxChannel,
    beginning: Vec<u8>,
    size: u64,
) -> Result<Option<MailOutcome>, BoxError> {
    let (parsed, bytes) = parsed(beginning).await?;
    let Ok(mut email) = parsed else { return Ok(None) };
    // The last file is cut off.
    email.attachments.pop();
    sort(service, channel, Arrived { email, bytes, whole: Some(size) }).await.map(Some)
}

/// An e-mail that was read.
struct Arrived {
    email: Email,
    /// Its bytes, as far as they were fetched.
    bytes: Vec<u8>,
    /// The size of the whole, if only the beginning was fetched.
    whole: Option<u64>,
}

async fn parsed(bytes: Vec<u8>) -> Result<(Result<Email, Unreadable>, Vec<u8>), BoxError> {
    Ok(tokio::task::spawn_blocking(move || (read(&bytes, &Limits::default()), bytes)).await?)
}

fn digest_key(bytes: &[u8]) -> String {
    format!("sha256:{}", HEXLOWER.encode(&Sha256::digest(bytes)))
}

/// Finds out what an e-mail is: a message, a report, or one that is listed as skipped.
async fn sort(
    service: &Background,
    channel: &InboxChannel,
    arrived: Arrived,
) -> Result<MailOutcome, BoxError> {
    let Arrived { mut email, bytes, whole } = arrived;
    let digest_key = digest_key(&bytes);
    let skipping = |email| Skip {
        reason: "",
        detail: String::new(),
        mail_key: digest_key.clone(),
        email,
        bytes: Some(&bytes),
        size_bytes: Some(whole.unwrap_or(bytes.len() as u64)),
    };
    let settings = EmailSettings::of(channel);
    let origin = channel.channel_id.to_string();
    if let Some(detail) = (Own { address: &settings.address, origin: &origin }).circle(&email) {
        let skip = Skip { reason: "circle", detail: detail.to_owned(), ..skipping(Some(&email)) };
        return skipped(service, channel, skip).await;
    }
    match &email.nature {
        Nature::Bounce(bounce) => {
            if note(service, channel, bounce).await? {
                return Ok(MailOutcome::Noted);
            }
            let detail = "It reports on a message that this channel has not sent.".to_owned();
            let skip = Skip { reason: "unknown_bounce", detail, ..skipping(Some(&email)) };
            skipped(service, channel, skip).await
        }
        Nature::Receipt => {
            let detail = "It only confirms an earlier message, or complains about one.".to_owned();
            let skip = Skip { reason: "receipt", detail, ..skipping(Some(&email)) };
            skipped(service, channel, skip).await
        }
        Nature::Person | Nature::Automatic | Nature::Bulk => {
            let content = content_digest(&email);
            let mut attachments = std::mem::take(&mut email.attachments);
            if email.is_truncated {
                attachments.push(original(bytes));
            }
            let keys = Keys { bytes: digest_key.clone(), content };
            into_thread(service, channel, &settings, Message { email: &email, attachments, keys, whole })
                .await
        }
    }
}

/// Lists an e-mail as skipped, with its bytes if there are any.
pub(crate) async fn skipped(
    service: &Background,
    channel: &InboxChannel,
    skip: Skip<'_>,
) -> Result<MailOutcome, BoxError> {
    let scope = Scope::of_account(channel.account_id);
    if service.store.skipped_mails().has(&scope, channel.channel_id, &skip.mail_key).await? {
        return Ok(MailOutcome::Duplicate);
    }
    let skipped_mail_id = Uuid::now_v7();
    let object_key = match skip.bytes {
        Some(bytes) => {
            let content = bytes::Bytes::copy_from_slice(bytes);
            Some(stored(service, channel.account_id, skipped_mail_id, content).await?)
        }
        None => None,
    };
    let new = NewSkippedMail {
        skipped_mail_id,
        channel_id: channel.channel_id,
        mail_key: skip.mail_key,
        reason: skip.reason.to_owned(),
        detail: skip.detail,
        from_address: skip.email.map(|email| email.from.address.clone()),
        subject: skip.email.map(|email| email.subject.clone()).filter(|subject| !subject.is_empty()),
        size_bytes: skip.size_bytes,
        object_key,
        addresses: addresses::of(skip.email, skip.bytes),
    };
    let mails = service.store.skipped_mails();
    let is_new = mails.add(&scope, &new, service.now()).await?;
    if let Some(object_key) = &new.object_key {
        let listed = mails.find(&scope, skipped_mail_id).await?;
        if listed.is_none_or(|mail| mail.object_key.is_none()) {
            delete_object(service, object_key).await;
        }
    }
    Ok(if is_new { MailOutcome::Skipped(skip.reason) } else { MailOutcome::Duplicate })
}

/// Stores an object that a row will name. Until then it counts as orphaned and is deleted after a while.
async fn stored(
    service: &Background,
    account_id: Uuid,
    id: Uuid,
    content: bytes::Bytes,
) -> Result<String, BoxError> {
    let object_key = FileStorage::attachment_key(account_id, id);
    service.store.stored_objects().register(&object_key, service.now()).await?;
    service.files.put(&object_key, content).await?;
    Ok(object_key)
}

/// Notes what a mail server reports. Returns whether the message that it is about was sent by this channel.
async fn note(service: &Background, channel: &InboxChannel, bounce: &Bounce) -> Result<bool, BoxError> {
    let Some(message_id) = &bounce.original_message_id else { return Ok(false) };
    let scope = Scope::of_account(channel.account_id);
    let recipient = bounce.recipients.iter().max_by_key(|recipient| recipient.kind);
    let said = recipient.and_then(|recipient| recipient.diagnostic.clone().or(recipient.status.clone()));
    let error = match said {
        Some(said) => format!("The message was not delivered. The mail server says: {said}"),
        None => "The message was not delivered.".to_owned(),
    };
    let (status, error) = match bounce.kind {
        BounceKind::Delivered => (DeliveryState::Delivered, None),
        // It may still arrive.
        BounceKind::Delayed => (DeliveryState::Sent, None),
        BounceKind::Temporary | BounceKind::Permanent => (DeliveryState::Failed, Some(error.as_str())),
    };
    let threads = service.store.threads();
    Ok(threads.note_delivery(&scope, channel.channel_id, message_id, status, error).await?)
}

/// What an e-mail is recognized by, apart from its `Message-ID`.
struct Keys {
    /// A hash of its bytes, for e-mails without an id.
    bytes: String,
    /// A hash of what it says, which is the same whichever way it came.
    content: String,
}

/// Returns a hash of an e-mail's content, without the fields that mail servers add in transit. Some programs
/// send different e-mails with the same `Message-ID`, and mail servers deliver an e-mail more than once.
fn content_digest(email: &Email) -> String {
    let mut hash = Sha256::new();
    let mut add = |part: &[u8]| {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    };
    add(email.from.address.as_bytes());
    add(email.subject.as_bytes());
    add(email.date.map(|date| date.to_string()).unwrap_or_default().as_bytes());
    add(email.text.as_bytes());
    add(email.html.as_deref().unwrap_or_default().as_bytes());
    for attachment in &email.attachments {
        add(attachment.name.as_bytes());
        add(&attachment.bytes);
    }
    for skipped in &email.skipped_attachments {
        add(skipped.name.as_bytes());
        add(&skipped.bytes.to_le_bytes());
    }
    HEXLOWER.encode(&hash.finalize())
}

/// Returns an e-mail as a file of its own message.
fn original(bytes: Vec<u8>) -> Attachment {
    Attachment {
        name: ORIGINAL.to_owned(),
        media_type: "message/rfc822".to_owned(),
        declared_type: None,
        content_id: None,
        is_inline: false,
        bytes,
    }
}

/// An e-mail that becomes a message.
struct Message<'a> {
    /// The e-mail, without its files.
    email: &'a Email,
    attachments: Vec<Attachment>,
    keys: Keys,
    /// The size of the whole, if only the beginning was fetched.
    whole: Option<u64>,
}

async fn into_thread(
    service: &Background,
    channel: &InboxChannel,
    settings: &EmailSettings,
    message: Message<'_>,
) -> Result<MailOutcome, BoxError> {
    let Message { email, attachments, keys, whole } = message;
    let now = service.now();
    let threads = service.store.threads();
    let scope = Scope::of_account(channel.account_id);
    let (channel_id, account_id) = (channel.channel_id, channel.account_id);
    let message_key = email.message_id.clone().unwrap_or(keys.bytes);
    // Another channel of the account has sent it, so its text is there.
    if email.origin.is_some()
        && threads
            .find_by_message_ids(&scope, channel_id, std::slice::from_ref(&message_key))
            .await?
            .is_some()
    {
        return Ok(MailOutcome::Duplicate);
    }
    let author = author(email, settings);
    let is_own = |mailbox: &Mailbox| mailbox.address.eq_ignore_ascii_case(&settings.address);
    // A form, or a list that the address belongs to, has a name of its own.
    let name = author.name.clone().or_else(|| email.from.name.clone().filter(|_| !is_own(&email.from)));
    // A list with the address of the mailbox passes on what people write to it.
    let is_passed_on = email.nature == Nature::Bulk && is_own(&email.from);
    let contact = match email.nature {
        // Nobody becomes a contact by sending newsletters.
        Nature::Bulk if !is_passed_on => ContactFields::default(),
        // What no mail server takes as an address is none of a contact: nobody could reply to it.
        _ => ContactFields {
            email: frontdesk_address::email(&author.address),
            name: name.clone(),
            ..ContactFields::default()
        },
    };
    let (mut body, folded_text) = texts_of(email);
    if let Some(size) = whole {
        body.push_str(&format!(
            "\n[The e-mail has {size} bytes, too many to keep. Its text was read; files are missing.]"
        ));
    }
    let mut inbound = NewInbound {
        channel_id,
        thread_key: message_key.clone(),
        thread_id: None,
        message_key,
        author_name: contact.email.is_none().then(|| shown(author, name)),
        contact,
        contact_id: None,
        subject: Some(email.subject.clone()).filter(|subject| !subject.is_empty()),
        body,
        body_html: email.html.clone(),
        folded_text,
        content_digest: Some(keys.content),
        attachments: Vec::new(),
        sent_at: email.date,
        is_spam: false,
        is_automatic: email.nature != Nature::Person && !is_passed_on,
    };
    if threads.has_mail(&scope, &inbound).await? {
        return Ok(MailOutcome::Duplicate);
    }
    let thread_keys = ThreadKeys::of(email, now, SUBJECT_WINDOW);
    inbound.thread_id = threads.find_by_message_ids(&scope, channel_id, &thread_keys.message_ids).await?;
    if let (None, Some(subject)) = (inbound.thread_id, thread_keys.subject) {
        let recent =
            threads.recent_with(&scope, channel_id, &author.address, subject.since, CANDIDATES).await?;
        let same = recent.iter().find(|thread| {
            thread.subject.as_deref().is_some_and(|known| base_subject(known) == subject.base_subject)
        });
        inbound.thread_id = same.map(|thread| thread.thread_id);
    }
    for attachment in attachments {
        let attachment_id = Uuid::now_v7();
        let size_bytes = attachment.bytes.len() as u64;
        let object_key = stored(service, account_id, attachment_id, attachment.bytes.into()).await?;
        inbound.attachments.push(NewAttachment {
            attachment_id,
            file_name: attachment.name,
            mime_type: attachment.media_type,
            size_bytes,
            object_key,
        });
    }
    let received = threads.receive(&scope, &inbound, now).await?;
    for object_key in received.iter().flat_map(|received| &received.left_out) {
        delete_object(service, object_key).await;
    }
    Ok(match received {
        Some(received) if received.is_new => MailOutcome::Received(Box::new(received)),
        _ => MailOutcome::Duplicate,
    })
}

/// Returns who wrote an e-mail: where responses go is who wants one, because forms of websites send under an
/// address of their own.
fn author<'e>(email: &'e Email, settings: &EmailSettings) -> &'e Mailbox {
    match &email.reply_to[..] {
        [one] if !one.address.eq_ignore_ascii_case(&settings.address) => one,
        _ => &email.from,
    }
}

/// Returns name and address of an author who becomes no contact, for people to read.
fn shown(author: &Mailbox, name: Option<String>) -> String {
    match name {
        Some(name) => format!("{name} <{}>", author.address),
        None => author.address.clone(),
    }
}

/// Returns the text of a message, with a line for each file that was too large to keep, and what is folded
/// away: what it quotes, its signature, and what is beyond the longest text.
fn texts_of(email: &Email) -> (String, Option<String>) {
    let text = if email.reply.trim().is_empty() { &email.text } else { &email.reply };
    let end = text.char_indices().nth(MAX_TEXT).map_or(text.len(), |(end, _)| end);
    let (shown, rest) = text.split_at(end);
    let mut body = shown.to_owned();
    for file in &email.skipped_attachments {
        body.push_str(&format!("\n[{}: {} bytes, too large to keep]", file.name, file.bytes));
    }
    let folded: Vec<&str> = [rest, email.folded.as_deref().unwrap_or_default()]
        .into_iter()
        .filter(|part| !part.trim().is_empty())
        .collect();
    (body, Some(folded.join(BETWEEN)).filter(|folded| !folded.is_empty()))
}
