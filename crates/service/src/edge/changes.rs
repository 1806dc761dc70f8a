//! What callers change is signalled to the people who have a page of the account open.
//!
//! Changes that are in the journal of events are signalled by the store, whoever makes them. Here it is the
//! rest: every operation with another method than `GET` that has succeeded may have changed what its tag
//! shows.

use std::sync::{Arc, OnceLock};

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use frontdesk_runtime::{Operation, server::Incoming};
use frontdesk_store::{AccountChange, ChangeTopic, Scope};
use http::Method;

use super::Edge;

/// The caller of a request that may change something, added before it is authorized.
#[derive(Clone, Debug, Default)]
struct ChangedBy(Arc<OnceLock<Scope>>);

/// Notes who makes a request.
pub(super) fn note_caller(incoming: &Incoming, scope: &Scope) {
    if let Some(ChangedBy(caller)) = incoming.extensions().get() {
        // A request is authorized once.
        let _ = caller.set(*scope);
    }
}

/// Signals what a request may have changed once it has succeeded.
pub(crate) async fn announce(State(service): State<Edge>, mut request: Request, next: Next) -> Response {
    if matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS) {
        return next.run(request).await;
    }
    let caller = ChangedBy::default();
    request.extensions_mut().insert(caller.clone());
    let response = next.run(request).await;
    if response.status().is_success()
        && let Some(scope) = caller.0.get()
        && let Some(operation) = response.extensions().get::<&'static Operation>()
        && let Some(topic) = topic(operation.tag)
    {
        let Scope { account_id, includes_sub_accounts } = *scope;
        service.store.announce_changes([AccountChange { account_id, includes_sub_accounts, topic }]);
    }
    response
}

/// Returns what the operations of a tag change, of both contracts; `None` if people see nothing of it, or if
/// every change is an event.
fn topic(tag: &str) -> Option<ChangeTopic> {
    Some(match tag {
        "account" | "calendarFeeds" | "domains" | "inboxChannels" | "invitations" | "keys" | "members"
        | "passkeys" | "secondFactors" | "teamMembers" | "webhookEndpoints" => ChangeTopic::Account,
        "dealActivities" => ChangeTopic::Activities,
        "chatbots" | "widgets" => ChangeTopic::Chatbots,
        "contacts" => ChangeTopic::Contacts,
        "faqItems"
        | "faqs"
        | "files"
        | "tags"
        | "textSnippets"
        | "unansweredQuestions"
        | "webpages"
        | "websites" => ChangeTopic::Content,
        "conversations" | "messages" => ChangeTopic::Conversations,
        "dealRows" | "dealStatuses" | "deals" => ChangeTopic::Deals,
        "forms" | "inbox" => ChangeTopic::Threads,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Tags of which nobody sees anything else: they only read, or concern one person, or their changes are
    /// events.
    const SILENT: [&str; 8] =
        ["audits", "me", "passages", "passwordResets", "session", "setup", "unsubscribing", "visitors"];

    #[test]
    fn everything_that_can_change_has_a_topic() {
        let of_both = frontdesk_server::OPERATIONS.iter().chain(frontdesk_console_server::OPERATIONS);
        let changing: BTreeSet<&str> = of_both
            .filter(|operation| operation.method != Method::GET)
            .map(|operation| operation.tag)
            .filter(|tag| topic(tag).is_none() && !SILENT.contains(tag))
            .collect();
        assert!(changing.is_empty(), "{changing:?}");
    }
}
