//! Channels of the inbox: what their kinds have in common, and where they differ.
//!
//! A kind of channel receives by [`Threads::receive`](frontdesk_store::Threads::receive), whatever brings its messages: a request, a job that
//! fetches, or a call of another service. It sends by an arm of [`deliver`], which the job in `delivery` calls for a row that was written with the
//! reply; and it says in [`sending`] whether it can. Its settings and secrets are JSON of its own: `contact_form` is the model.

mod contact_form;
mod delivery;
pub(crate) mod secrets;
mod snoozing;
mod spam;

use frontdesk_store::{ChannelKind, Contact, OutgoingMessage, ThreadChannel};

pub(crate) use self::{
    contact_form::FormSettings,
    delivery::{DeliverMessage, PruneAttachments, job as delivery_job},
    snoozing::WakeThreads,
    spam::{Verdict, verdict},
};
use crate::service::Service;

/// A message that a channel has accepted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Delivered {
    /// What the channel knows the message by, for reports of its delivery.
    pub(crate) external_id: Option<String>,
}

/// How an attempt to send a message has failed. The texts are for people of the account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DeliveryError {
    /// It certainly was not sent; another attempt may succeed.
    NotSent(String),
    /// It will never be sent.
    Refused(String),
    /// Nobody knows whether it was sent, so there is no other attempt.
    Unknown(String),
}

/// How a channel sends what people write in a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sending {
    /// It is there to be fetched, once it is stored.
    Fetched,
    /// A job delivers it.
    ByJob,
    /// Not at all; why, for people.
    Impossible(&'static str),
}

/// Returns how the replies of a thread are sent to its contact.
pub(crate) fn sending(service: &Service, channel: ThreadChannel, contact: Option<&Contact>) -> Sending {
    match channel {
        ThreadChannel::Chatbot | ThreadChannel::Api => Sending::Fetched,
        ThreadChannel::ContactForm => contact_form::sending(service, contact),
        ThreadChannel::Email
        | ThreadChannel::Whatsapp
        | ThreadChannel::Messenger
        | ThreadChannel::Instagram
        | ThreadChannel::Telegram
        | ThreadChannel::Sms => Sending::Impossible("This version cannot send messages by this channel."),
    }
}

/// Returns whether threads can begin with a message of the account.
pub(crate) const fn begins_threads(kind: ChannelKind) -> bool {
    match kind {
        ChannelKind::Api => true,
        ChannelKind::ContactForm
        | ChannelKind::Email
        | ChannelKind::Whatsapp
        | ChannelKind::Messenger
        | ChannelKind::Instagram
        | ChannelKind::Telegram
        | ChannelKind::Sms => false,
    }
}

/// Sends a message by its channel.
async fn deliver(service: &Service, outgoing: &OutgoingMessage) -> Result<Delivered, DeliveryError> {
    match outgoing.channel.kind {
        ChannelKind::Api => Ok(Delivered::default()),
        ChannelKind::ContactForm => contact_form::deliver(service, outgoing).await,
        ChannelKind::Email
        | ChannelKind::Whatsapp
        | ChannelKind::Messenger
        | ChannelKind::Instagram
        | ChannelKind::Telegram
        | ChannelKind::Sms => {
            Err(DeliveryError::Refused("This version cannot send messages by this channel.".to_owned()))
        }
    }
}
