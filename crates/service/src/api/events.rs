//! The journal of events.

use frontdesk_model::{EventList, ListEventsError, Pagination};
use frontdesk_runtime::{Failure, check};
use frontdesk_server::{Events, ListEvents};

use super::account::acting;
use super::filters::check_known;
use crate::{
    api::Service,
    background::webhooks,
    edge::{Caller, responses},
};

/// The number of events on a page if the request does not say.
const DEFAULT_LIMIT: u32 = 25;

impl Events for Service {
    type Caller = Caller;

    async fn list_events(&self, request: ListEvents<Caller>) -> Result<EventList, Failure<ListEventsError>> {
        let ListEvents { caller, after, types, limit, account_id, .. } = request;
        let caller = acting(self, caller, account_id.map(Into::into)).await??;
        let limit = limit.and_then(|limit| u32::try_from(limit).ok()).unwrap_or(DEFAULT_LIMIT);
        let types = types.unwrap_or_default();
        let mut failures = Vec::new();
        for (index, event_type) in types.iter().enumerate() {
            let known = frontdesk_model::EventType::KNOWN;
            check_known(&format!("types.{index}"), Some(event_type.as_str()), known, &mut failures);
        }
        let types: Vec<_> = types.iter().filter_map(|event_type| event_type.as_str().parse().ok()).collect();
        let events = self.store.events();
        let page = match after.as_deref().map(str::parse) {
            None => events.page(&caller.scope, None, &types, limit).await?,
            Some(Ok(after)) => events.page(&caller.scope, Some(after), &types, limit).await?,
            Some(Err(_)) => None,
        };
        if page.is_none() {
            let message = "is not an event of this account, or not kept any more".to_owned();
            failures.push(check::Failure { path: "after".to_owned(), message });
        }
        let Some(page) = page.filter(|_| failures.is_empty()) else {
            return Err(responses::validation_failed(failures).into());
        };
        let next = page.next.map(|position| position.id.to_string());
        let has_more = next.is_some();
        let events: Vec<_> = page.items.iter().map(webhooks::recorded).collect::<Result<_, _>>()?;
        Ok(EventList::new(events, Pagination::new(next, has_more)))
    }
}
