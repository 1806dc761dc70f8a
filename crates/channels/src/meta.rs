//! The WhatsApp Cloud API and the Messenger Platform, which share webhooks and the Graph API.

mod graph;
mod messenger;
mod notification;
mod webhook;
mod whatsapp;

pub use graph::{BASE_URL, Graph, MESSENGER_TEXT, Uploaded, WHATSAPP_TEXT};
pub use notification::Notification;
pub use webhook::{SIGNATURE_HEADER, challenge, is_signed, read};
