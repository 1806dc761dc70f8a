//! The operations of the contract, one file for each group: the generated trait, implemented by [`Service`](crate::service::Service).
//!
//! A handler begins where authorization ends: the caller may call, and every resource in the path exists and is in
//! the request's extensions. The operations on messages, which have logic of their own, are in the module `messages`.

mod chatbots;
mod faq_items;
mod faqs;
mod files;
mod filters;
mod tags;
mod team_members;
mod text_snippets;
mod unanswered_questions;
mod webpages;
mod websites;

use frontdesk_store::{Chatbot, Faq, FaqItem, File, Tag, TextSnippet, UnansweredQuestion, Webpage, Website};

use self::team_members::TeamMember;
use crate::authorization::resources::{Resolver, Resolvers};

/// The resolvers of all path parameters of the contract.
pub(crate) fn resolvers() -> Resolvers {
    Resolvers::new([
        Resolver::of::<Chatbot>(),
        Resolver::of::<Faq>(),
        Resolver::of::<FaqItem>(),
        Resolver::of::<File>(),
        Resolver::of::<Tag>(),
        Resolver::of::<TeamMember>(),
        Resolver::of::<TextSnippet>(),
        Resolver::of::<UnansweredQuestion>(),
        Resolver::of::<Website>(),
        Resolver::of::<Webpage>(),
    ])
}

/// A count of the store as the contract writes it.
fn count(stored: u64) -> i64 {
    i64::try_from(stored).unwrap_or(i64::MAX)
}
