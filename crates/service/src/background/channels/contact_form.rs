//! Contact forms: their settings, and replies to submissions, which the mail server of the service sends.

use frontdesk_model::{ContactForm, ContactFormRequired, ContactFormSettings};
use frontdesk_outbound::Handover;
use frontdesk_runtime::{Patch, check};
use frontdesk_store::{Contact, InboxChannel, OutgoingMessage};
use serde::{Deserialize, Serialize};

use super::{Delivered, DeliveryError, Sending, content};
use crate::{
    background::{
        Background,
        notices::{Mail, SendError},
    },
    edge::responses,
};

/// The subject of a reply to a submission that has none.
const SUBJECT: &str = "Your message";

/// The settings of a contact form, as they are stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct FormSettings {
    /// Where a browser is sent after it has posted the form.
    pub(crate) redirect_url: Option<String>,
    /// The address that answers to replies go to.
    pub(crate) reply_to: Option<String>,
    /// More links are spam.
    pub(crate) max_links: Option<u32>,
    /// Faster submissions are spam.
    pub(crate) min_fill_seconds: Option<u32>,
    /// Texts that make a submission spam.
    pub(crate) blocked: Vec<String>,
}

impl FormSettings {
    /// Reads the settings of a channel; those of a version with other settings are the usual ones.
    pub(crate) fn of(channel: &InboxChannel) -> Self {
        serde_json::from_value(channel.settings.clone()).unwrap_or_default()
    }

    /// Applies a change, and adds a failing field for each value that cannot be used.
    pub(crate) fn change(&mut self, change: ContactFormSettings, failures: &mut Vec<check::Failure>) {
        let number = |patch: Patch<i64>, present: Option<u32>| match patch {
            Patch::Absent => present,
            Patch::Null => None,
            Patch::Value(value) => u32::try_from(value).ok(),
        };
        let text = |patch: Patch<String>, present: Option<String>| match patch {
            Patch::Absent => present,
            Patch::Null => None,
            Patch::Value(value) => Some(value),
        };
        self.redirect_url = text(change.redirect_url, self.redirect_url.take());
        self.reply_to = text(change.reply_to, self.reply_to.take());
        // The address becomes a header field, which is ASCII.
        if let Some(url) = &mut self.redirect_url {
            match frontdesk_address::web_address(url) {
                Some(normal) => *url = normal,
                None => {
                    failures.push(responses::failure("contact_form.redirect_url", "must be a web address"));
                }
            }
        }
        if let Some(address) = &mut self.reply_to {
            match frontdesk_address::email(address) {
                Some(normal) => *address = normal,
                None => {
                    failures.push(responses::failure("contact_form.reply_to", "must be an e-mail address"));
                }
            }
        }
        self.max_links = number(change.max_links, self.max_links);
        self.min_fill_seconds = number(change.min_fill_seconds, self.min_fill_seconds);
        if let Some(blocked) = change.blocked {
            self.blocked = blocked;
        }
    }

    /// Returns the settings as the contract describes them.
    pub(crate) fn shown(channel: &InboxChannel) -> ContactForm {
        let settings = Self::of(channel);
        ContactForm::new(ContactFormRequired {
            form_key: channel.public_key,
            redirect_url: settings.redirect_url,
            reply_to: settings.reply_to,
            max_links: settings.max_links.map(i64::from),
            min_fill_seconds: settings.min_fill_seconds.map(i64::from),
            blocked: settings.blocked,
        })
    }
}

pub(super) fn sending(service: &Background, contact: Option<&Contact>) -> Sending {
    if service.mailer.is_none() {
        Sending::Impossible("Replies to contact forms are sent as email, and the service has no mail server.")
    } else if contact.is_none_or(|contact| contact.email.is_none()) {
        Sending::Impossible("Nobody has left an email address to reply to.")
    } else {
        Sending::ByJob
    }
}

pub(super) async fn deliver(
    service: &Background,
    outgoing: &OutgoingMessage,
    handover: &Handover,
) -> Result<Delivered, DeliveryError> {
    let OutgoingMessage { channel, thread, message, .. } = outgoing;
    let Some(mailer) = &service.mailer else {
        return Err(DeliveryError::NotSent("The service has no mail server.".to_owned()));
    };
    let recipient = content::recipient(service, outgoing, None).await?;
    let attached = content::files(service, outgoing).await?;
    // Who has filled in the form of a business knows its name, and not that of this service.
    let account = service.store.accounts().find(channel.account_id).await;
    let account = account.map_err(|error| content::unreadable(&error))?;
    let subject = match &thread.subject {
        Some(subject) => format!("Re: {subject}"),
        None => SUBJECT.to_owned(),
    };
    let mail = Mail {
        id: message.message_id.to_string(),
        from_name: account.map(|account| account.name),
        to: recipient.address,
        to_name: recipient.name,
        reply_to: FormSettings::of(channel).reply_to,
        subject,
        body: message.body.clone(),
        is_automatic: false,
        unsubscribe: None,
        attached,
    };
    match mailer.deliver(mail, handover).await {
        Ok(()) => Ok(Delivered::default()),
        Err(SendError::NotSent(error)) => Err(DeliveryError::NotSent(error)),
        Err(SendError::Refused(error)) => Err(DeliveryError::Refused(error)),
        Err(SendError::Unknown(error)) => Err(DeliveryError::Unknown(error)),
    }
}
