//! Channels of the inbox with the other side: a real mail server, and stand-ins for messengers.

mod dovecot;
mod encrypted_mail;
mod mail;
mod messengers;
pub(crate) mod posting;
mod privacy;
mod senders;
pub(crate) mod stand_in;
mod thousand_mails;
mod week;
mod whole_mails;

use frontdesk_client::{
    Client,
    model::{EmailChannelSettings, InboxChannel, InboxChannelKind, NewInboxChannel},
};

pub(crate) use dovecot::{Dovecot, smtp_server};
pub(crate) use stand_in::{telegram, update};

/// Creates a channel for e-mails.
pub(crate) async fn email_channel(
    client: &Client,
    name: &str,
    settings: EmailChannelSettings,
) -> InboxChannel {
    let new = NewInboxChannel::new(InboxChannelKind::Email, name).email(settings);
    client.inbox_channels().create(new).await.unwrap().into_inner()
}
