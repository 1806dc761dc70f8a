//! The operations of the contract, one file for each group: the generated trait, implemented by [`Service`].
//!
//! A handler reads the request, calls what does the work, and returns the declared response. It begins where
//! authorization ends: the caller may call, and every resource in the path exists and is in the request's
//! extensions.

mod account;
mod addresses;
mod calendar_feeds;
mod changed;
mod chatbots;
pub(crate) mod console;
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
pub(crate) mod interface;
mod messages;
mod references;
mod tags;
mod team_members;
mod text_snippets;
mod threads;
mod unanswered_questions;
mod usage;
pub(crate) mod visitors;
mod webhook_endpoints;
mod webpages;
mod websites;
mod widgets;

use std::ops::Deref;

use frontdesk_store::{
    Attachment, CalendarFeed, Chatbot, Contact, Conversation, Deal, DealActivity, DealRow, DealStatus,
    Domain, Faq, FaqItem, File, InboxChannel, Message, SkippedMail, Tag, TextSnippet, Thread,
    UnansweredQuestion, UnsubscribeLink, WebhookDelivery, WebhookEndpoint, Webpage, Website,
};
use serde_json::Value;

pub(crate) use self::contacts::contact_data;
use self::{calendar_feeds::PublicCalendar, forms::Form, team_members::TeamMember, widgets::ShownWidget};
use crate::{
    answering::Answering,
    edge::authorization::resources::{Resolver, Resolvers},
};

/// The implementation of the generated traits. Clones are cheap and share everything.
#[derive(Clone, Debug)]
pub struct Service {
    /// What it calls.
    pub answering: Answering,
}

impl Deref for Service {
    type Target = Answering;

    fn deref(&self) -> &Answering {
        &self.answering
    }
}

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
        Resolver::of::<ShownWidget>(),
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

/// Converts ids of the interface to UUIDs, which the store takes, or UUIDs to ids of the interface.
fn converted_ids<A: Into<B>, B>(given: impl IntoIterator<Item = A>) -> Vec<B> {
    given.into_iter().map(Into::into).collect()
}

/// A count of the store as the contract writes it.
fn count(stored: u64) -> i64 {
    i64::try_from(stored).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use frontdesk_server::OPERATIONS;

    use super::resolvers;

    #[test]
    fn every_path_parameter_of_the_contract_has_a_resolver() {
        for operation in OPERATIONS {
            assert_eq!(resolvers().missing(operation.path), None, "{}", operation.id);
        }
    }
}
