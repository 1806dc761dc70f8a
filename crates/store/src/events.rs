//! What has happened in an account: the journal of events, and who receives them: by webhooks and by
//! e-mail.

pub(crate) mod as_text;
pub(crate) mod data;
pub(crate) mod journal;
pub(crate) mod new_event;
pub(crate) mod notices;
pub(crate) mod snapshots;
pub(crate) mod states;
pub(crate) mod webhooks;

pub use data::{EventData, EventType};
pub use journal::{Event, Events};
pub(crate) use journal::{event_columns, insert, write};
pub use snapshots::{
    EventChatbot, EventContact, EventConversation, EventDeal, EventFailure, EventMessage, EventThread,
    EventWebsite,
};
