//! The routes of all operations: those of visitors with a guard of their own, and all others.

use std::sync::Arc;

use axum::Router;
use frontdesk_runtime::{Operation, server::Routes};
use frontdesk_server::{
    Gate, mount_calendar_feeds, mount_chatbots, mount_contacts, mount_conversations, mount_deal_activities,
    mount_deal_rows, mount_deal_statuses, mount_deals, mount_domains, mount_events, mount_faq_items,
    mount_faqs, mount_files, mount_forms, mount_inbox, mount_inbox_channels, mount_messages, mount_passages,
    mount_tags, mount_team_members, mount_text_snippets, mount_unanswered_questions, mount_unsubscribing,
    mount_usage, mount_visitors, mount_webhook_endpoints, mount_webpages, mount_websites, mount_widgets,
};

use super::Service;
use crate::edge::authorization::{Authorization, VisitorAuthorization};

/// Returns the router of the interface. `body_limits` says how large the body of an operation may be.
pub(crate) fn router(
    service: Service,
    authorization: Authorization,
    visitors: VisitorAuthorization,
    body_limits: impl Fn(&'static Operation) -> usize + Clone + Send + Sync + 'static,
) -> Router {
    let service = Arc::new(service);
    let mut routes = Routes::new(Gate::new(authorization));
    mount_calendar_feeds(&mut routes, &service);
    mount_chatbots(&mut routes, &service);
    mount_contacts(&mut routes, &service);
    mount_conversations(&mut routes, &service);
    mount_deal_activities(&mut routes, &service);
    mount_deal_rows(&mut routes, &service);
    mount_deal_statuses(&mut routes, &service);
    mount_deals(&mut routes, &service);
    mount_domains(&mut routes, &service);
    mount_events(&mut routes, &service);
    mount_faq_items(&mut routes, &service);
    mount_faqs(&mut routes, &service);
    mount_files(&mut routes, &service);
    mount_forms(&mut routes, &service);
    mount_inbox(&mut routes, &service);
    mount_inbox_channels(&mut routes, &service);
    mount_messages(&mut routes, &service);
    mount_passages(&mut routes, &service);
    mount_tags(&mut routes, &service);
    mount_team_members(&mut routes, &service);
    mount_text_snippets(&mut routes, &service);
    mount_unanswered_questions(&mut routes, &service);
    mount_unsubscribing(&mut routes, &service);
    mount_usage(&mut routes, &service);
    mount_webhook_endpoints(&mut routes, &service);
    mount_webpages(&mut routes, &service);
    mount_websites(&mut routes, &service);
    mount_widgets(&mut routes, &service);
    let mut of_visitors = Routes::new(Gate::new(visitors)).without_fallback();
    mount_visitors(&mut of_visitors, &service);
    let routes = routes.body_limits(body_limits.clone()).expose_operation().into_router();
    routes.merge(of_visitors.body_limits(body_limits).expose_operation().into_router())
}

#[cfg(test)]
mod tests {
    use frontdesk_server::OPERATIONS;

    /// The tags that [`router`](super::router) adds.
    const MOUNTED: &str = include_str!("interface.rs");

    #[test]
    fn the_operations_of_every_tag_are_added() {
        for operation in OPERATIONS {
            let mut tag = String::new();
            for character in operation.tag.chars() {
                if character.is_ascii_uppercase() {
                    tag.push('_');
                }
                tag.push(character.to_ascii_lowercase());
            }
            let added = format!("mount_{tag}(&mut ");
            assert!(MOUNTED.contains(&added), "the operations of {} are missing here", operation.tag);
        }
    }
}
