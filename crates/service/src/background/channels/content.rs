//! What a message on its way to a channel consists of beside its text: the address of its contact, and its
//! files.

use frontdesk_store::{OutgoingMessage, Scope};
use uuid::Uuid;

use super::DeliveryError;
use crate::background::{Background, notices::Attached};

/// Name and e-mail address of the contact of a thread.
pub(super) struct Recipient {
    /// The name; empty if it is not known.
    pub(super) name: String,
    /// The address.
    pub(super) address: String,
}

/// Returns whom a message goes to: the author of the one that it answers, who need not be the contact of the
/// thread, or else that contact.
pub(super) async fn recipient(
    service: &Background,
    outgoing: &OutgoingMessage,
    author_id: Option<Uuid>,
) -> Result<Recipient, DeliveryError> {
    let scope = Scope::of_account(outgoing.channel.account_id);
    for contact_id in author_id.into_iter().chain(outgoing.thread.contact_id) {
        let contact = service.store.contacts().find(&scope, contact_id).await;
        let contact = contact.map_err(|error| unreadable(&error))?;
        if let Some((address, name)) = contact.and_then(|contact| Some((contact.email?, contact.name))) {
            // Contacts of earlier versions have the host as people write it. Mail servers need not know it.
            let address = frontdesk_address::email_key(&address);
            return Ok(Recipient { name: name.unwrap_or_default(), address });
        }
    }
    Err(DeliveryError::Refused("The contact has no email address.".to_owned()))
}

/// Returns the files of a message with their content.
pub(super) async fn files(
    service: &Background,
    outgoing: &OutgoingMessage,
) -> Result<Vec<Attached>, DeliveryError> {
    let scope = Scope::of_account(outgoing.channel.account_id);
    let message_id = outgoing.message.message_id;
    let attachments = service.store.threads().attachments_of(&scope, &[message_id]).await;
    let attachments = attachments.map_err(|error| unreadable(&error))?.remove(&message_id);
    let mut files = Vec::new();
    for attachment in attachments.unwrap_or_default() {
        let content = service.files.get(&attachment.object_key).await.map_err(|error| unreadable(&error))?;
        let Some(content) = content else {
            return Err(DeliveryError::Refused(format!("The file {} is gone.", attachment.file_name)));
        };
        files.push(Attached { name: attachment.file_name, mime_type: attachment.mime_type, content });
    }
    Ok(files)
}

pub(super) fn unreadable(error: &(dyn std::error::Error + 'static)) -> DeliveryError {
    tracing::warn!(error, "a reply cannot be read");
    DeliveryError::NotSent("The service could not read the message.".to_owned())
}
