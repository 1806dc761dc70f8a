//! Channels of the inbox: what their kinds have in common, and where they differ.
//!
//! A kind of channel receives by [`Threads::receive`](frontdesk_store::Threads::receive), whatever brings its
//! messages: a request, a job that fetches, or a call of another service. It sends by an arm of [`deliver`],
//! which the job in `delivery` calls for a row that was written with the reply; and it says in [`sending`]
//! whether it can. Its settings and secrets are JSON of its own: `contact_form` is the model.

mod configuration;
mod contact_form;
mod content;
mod delivery;
mod email;
mod fetching;
mod messengers;
pub(crate) mod posts;
mod snoozing;
mod spam;
mod visit;

use frontdesk_channels::{MAIL_PORTS, SendFailure};
use frontdesk_outbound::{Handover, Outbound, OutboundError, Policy};
use frontdesk_store::{ChannelKind, Contact, OutgoingMessage, ThreadChannel};

pub(crate) use self::{
    configuration::Configuration,
    contact_form::FormSettings,
    delivery::{DeliverMessage, PruneAttachments, job as delivery_job},
    email::{
        EmailSecrets, EmailSettings,
        receiving::{MailOutcome, receive as receive_mail},
    },
    fetching::{FetchAllMessages, FetchMessages, fetch},
    messengers::{
        MetaSecrets, MetaSettings, TelegramSecrets, TelegramSettings, receive_notifications, receive_update,
    },
    snoozing::WakeThreads,
    spam::{Verdict, verdict},
};
use crate::{background::Background, platform::config::Config};

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
pub(crate) fn sending(service: &Background, channel: ThreadChannel, contact: Option<&Contact>) -> Sending {
    match channel {
        ThreadChannel::Chatbot | ThreadChannel::Api => Sending::Fetched,
        ThreadChannel::ContactForm => contact_form::sending(service, contact),
        ThreadChannel::Email => email::sending(contact),
        ThreadChannel::Telegram | ThreadChannel::Whatsapp | ThreadChannel::Messenger => Sending::ByJob,
        ThreadChannel::Instagram | ThreadChannel::Sms => {
            Sending::Impossible("This version cannot send messages by this channel.")
        }
    }
}

/// Returns whether threads can begin with a message of the account.
pub(crate) const fn begins_threads(kind: ChannelKind) -> bool {
    match kind {
        ChannelKind::Api | ChannelKind::Email => true,
        ChannelKind::ContactForm
        | ChannelKind::Whatsapp
        | ChannelKind::Messenger
        | ChannelKind::Instagram
        | ChannelKind::Telegram
        | ChannelKind::Sms => false,
    }
}

/// Sends a message by its channel. Whoever hands it over to another service begins the handover just before.
async fn deliver(
    service: &Background,
    outgoing: &OutgoingMessage,
    handover: &Handover,
) -> Result<Delivered, DeliveryError> {
    match outgoing.channel.kind {
        ChannelKind::Api => Ok(Delivered::default()),
        ChannelKind::ContactForm => contact_form::deliver(service, outgoing, handover).await,
        ChannelKind::Email => email::deliver(service, outgoing, handover).await,
        ChannelKind::Telegram | ChannelKind::Whatsapp | ChannelKind::Messenger => {
            messengers::deliver(service, outgoing, handover).await
        }
        ChannelKind::Instagram | ChannelKind::Sms => {
            Err(DeliveryError::Refused("This version cannot send messages by this channel.".to_owned()))
        }
    }
}

/// Converts a failure of a protocol.
fn failed(failure: SendFailure) -> DeliveryError {
    match failure {
        SendFailure::NotSent { reason, .. } => DeliveryError::NotSent(reason),
        SendFailure::Refused(reason) => DeliveryError::Refused(reason),
        SendFailure::Unknown(reason) => DeliveryError::Unknown(reason),
    }
}

/// Creates the client for mail servers of channels. Their owners choose the hosts, so networks that are
/// opened for others stay closed here.
pub(crate) fn mail_outbound(config: &Config) -> Result<Outbound, OutboundError> {
    Outbound::new(Policy {
        allow: config.channels.allow_networks.clone(),
        ports: MAIL_PORTS.to_vec(),
        ..Policy::new(USER_AGENT)
    })
}

/// Creates the client for messengers. The operator has set their addresses.
pub(crate) fn messenger_outbound(config: &Config) -> Result<Outbound, OutboundError> {
    let urls = [&config.channels.telegram_url, &config.channels.graph_url];
    Outbound::new(Policy {
        allow: config.channels.allow_networks.clone(),
        ports: urls.iter().filter_map(|url| url.port_or_known_default()).collect(),
        ..Policy::new(USER_AGENT)
    })
}

/// The name of the service in requests to messengers.
const USER_AGENT: &str = concat!("Frontdesk/", env!("CARGO_PKG_VERSION"));
