//! The operations of the contract, one file for each group: the generated trait, implemented by [`Service`](crate::service::Service).
//!
//! A handler begins where authorization ends: the caller may call, and every resource in the path exists and is in
//! the request's extensions. The operations on messages, which have logic of their own, are in the module `messages`.

mod account;
mod addresses;
mod calendar_feeds;
mod changed;
mod chatbots;
mod contacts;
mod conversations;
mod csv;
mod deal_activities;
mod deal_rows;
mod deal_statuses;
mod deals;
mod domains;
mod events;
mod faq_items;
mod faqs;
mod files;
mod filters;
mod forms;
mod inbox_channels;
mod references;
mod tags;
mod team_members;
mod text_snippets;
mod threads;
mod unanswered_questions;
mod usage;
mod webhook_endpoints;
mod webpages;
mod websites;

use frontdesk_store::{
    Attachment, CalendarFeed, Chatbot, Contact, Conversation, Deal, DealActivity, DealRow, DealStatus,
    Domain, Faq, FaqItem, File, InboxChannel, Message, SkippedMail, Tag, TextSnippet, Thread,
    UnansweredQuestion, UnsubscribeLink, WebhookDelivery, WebhookEndpoint, Webpage, Website,
};
use serde_json::Value;

use self::{calendar_feeds::PublicCalendar, forms::Form, team_members::TeamMember};
pub(crate) use self::{
    calendar_feeds::unsubscribe_url, contacts::contact_data, webhook_endpoints::MAX_ENDPOINTS,
};
use crate::authorization::resources::{Resolver, Resolvers};

/// The resolvers of all path parameters of the contract.
pub(crate) fn resolvers() -> Resolvers {
    Resolvers::new([
        Resolver::of::<CalendarFeed>(),
        Resolver::of::<PublicCalendar>(),
        Resolver::of::<UnsubscribeLink>(),
        Resolver::of::<DealActivity>(),
        Resolver::of::<Attachment>(),
        Resolver::of::<Chatbot>(),
        Resolver::of::<Contact>(),
        Resolver::of::<Conversation>(),
        Resolver::numbered::<Domain>(),
        Resolver::of::<Deal>(),
        Resolver::of::<DealRow>(),
        Resolver::of::<DealStatus>(),
        Resolver::of::<Faq>(),
        Resolver::of::<FaqItem>(),
        Resolver::of::<File>(),
        Resolver::of::<Form>(),
        Resolver::of::<InboxChannel>(),
        Resolver::of::<Message>(),
        Resolver::of::<SkippedMail>(),
        Resolver::of::<Tag>(),
        Resolver::of::<TeamMember>(),
        Resolver::of::<TextSnippet>(),
        Resolver::of::<Thread>(),
        Resolver::of::<UnansweredQuestion>(),
        Resolver::of::<WebhookDelivery>(),
        Resolver::of::<WebhookEndpoint>(),
        Resolver::of::<Website>(),
        Resolver::of::<Webpage>(),
    ])
}

/// The texts of a JSON array, as the store keeps labels.
fn texts(stored: &Value) -> Vec<String> {
    stored.as_array().into_iter().flatten().filter_map(|text| Some(text.as_str()?.to_owned())).collect()
}

/// A count of the store as the contract writes it.
fn count(stored: u64) -> i64 {
    i64::try_from(stored).unwrap_or(i64::MAX)
}
