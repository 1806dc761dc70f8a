//! Which thread a message belongs to, and whether it is in a loop.

use jiff::{SignedDuration, Timestamp};

use crate::{bounce::Bounce, email::Email, mailbox::Mailbox, nature::Nature, subject};

/// The field that messages of this system carry. Its value names the channel that has sent them.
pub const ORIGIN_HEADER: &str = "X-Frontdesk-Channel";

/// Most mail servers that a message may have come through. RFC 5321 suggests at least 100; what exceeds 50
/// is in a loop.
pub const MAX_HOPS: usize = 50;

/// Most ids that are looked up.
const MAX_IDS: usize = 30;

/// What identifies the messages of one channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Own<'a> {
    /// The address that the channel sends from.
    pub address: &'a str,
    /// The value of [`ORIGIN_HEADER`] in messages of this channel.
    pub origin: &'a str,
}

impl Own<'_> {
    /// Returns why a message must not be received, because it was sent by this channel or is in a loop.
    pub fn circle(&self, email: &Email) -> Option<&'static str> {
        if email.hops > MAX_HOPS {
            return Some("the message came through more than 50 mail servers, so it is in a loop");
        }
        if email.origin.as_deref() == Some(self.origin) {
            return Some("the message was sent by this channel itself");
        }
        let is_own = |mailbox: &Mailbox| mailbox.address.eq_ignore_ascii_case(self.address);
        // Forms of websites and mailing lists send under the address itself, and name who wrote to it as the
        // one to reply to.
        let names_author = !email.reply_to.is_empty() && !email.reply_to.iter().any(is_own);
        // A bounce may name the mailbox itself as its sender.
        if is_own(&email.from) && !names_author && !matches!(email.nature, Nature::Bounce(_)) {
            return Some("the message comes from the address of this channel");
        }
        None
    }
}

/// What a thread is looked for by, in this order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadKeys {
    /// Ids of messages, the nearest first. The thread that has one of them is the thread.
    pub message_ids: Vec<String>,
    /// Subject and sender, if no thread has any of the ids. `None` for messages without a subject and those
    /// of programs.
    pub subject: Option<SubjectKey>,
}

/// Subject and sender of a thread that a message continues without naming it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubjectKey {
    /// The address of the sender, in lower case.
    pub sender: String,
    /// The subject as [`base_subject`](crate::base_subject) returns it.
    pub base_subject: String,
    /// The thread has a message at or after this time.
    pub since: Timestamp,
}

impl ThreadKeys {
    /// Returns what the thread of a message is looked for by. Without ids, the thread must have been active
    /// within `window` before `now`.
    pub fn of(email: &Email, now: Timestamp, window: SignedDuration) -> Self {
        let bounced = match &email.nature {
            Nature::Bounce(Bounce { original_message_id, .. }) => original_message_id.as_ref(),
            _ => None,
        };
        let mut message_ids: Vec<String> = Vec::new();
        let ids = bounced.into_iter().chain(&email.in_reply_to).chain(email.references.iter().rev());
        for id in ids {
            if message_ids.len() < MAX_IDS && !message_ids.contains(id) {
                message_ids.push(id.clone());
            }
        }
        let base_subject = subject::base_subject(&email.subject);
        let is_personal = email.nature == Nature::Person && !base_subject.is_empty();
        let since = now.checked_sub(window).unwrap_or(Timestamp::MIN);
        let subject =
            is_personal.then(|| SubjectKey { sender: email.from.address.clone(), base_subject, since });
        Self { message_ids, subject }
    }
}
