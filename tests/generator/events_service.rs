//! The service of `ok/events`: five items in pages of two, and changes that it answers with.

use std::net::SocketAddr;

use axum::Router;
use events_client::Client;
use events_model as model;
use events_model::{Item, ListByCursorOkPagination, Problem, Subscription};
use events_server::{self as server, Authenticator};
use frontdesk_runtime::server::{Refusal, Refuse};
use frontdesk_runtime::{Failure, Uuid};
use frontdesk_testkit::stand_in;

/// A subscription that is there.
pub(crate) const KNOWN: Uuid = Uuid::from_u128(7);

/// The names of all items, in order.
pub(crate) const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];

/// What the service is.
#[derive(Debug)]
pub(crate) struct Service;

/// The service, not yet served.
pub(crate) fn router() -> Router {
    server::router(Service, Service)
}

/// Serves on a port of its own.
pub(crate) async fn start() -> SocketAddr {
    stand_in::serve(router()).await
}

/// A client of a service on a port of its own.
pub(crate) async fn client() -> Client {
    Client::builder(format!("http://{}", start().await)).build().unwrap()
}

type Outcome<T, E> = Result<T, Failure<E>>;

/// At most two items, from this one on.
fn page(from: usize) -> Vec<Item> {
    NAMES.iter().skip(from).take(2).map(|name| Item::new(*name)).collect()
}

fn missing() -> model::Missing {
    Problem { message: "there is no such subscription".to_owned(), errors: None }.into()
}

impl server::Pages for Service {
    type Caller = ();

    /// Gives the cursor `again` for ever, and an empty page in the midst after `gap`.
    async fn list_by_cursor(
        &self,
        request: server::ListByCursor,
    ) -> Outcome<model::ListByCursorOk, model::ListByCursorError> {
        let (data, next) = match request.after.as_deref() {
            Some("again") => (page(0), Some("again".to_owned())),
            Some("gap") => (Vec::new(), Some("4".to_owned())),
            after => {
                let from = after.and_then(|after| after.parse().ok()).unwrap_or(0);
                let limit = usize::try_from(request.limit).unwrap_or(0);
                let data = NAMES.iter().skip(from).take(limit).map(|name| Item::new(*name)).collect();
                let next = from + limit;
                (data, (next < NAMES.len()).then(|| next.to_string()))
            }
        };
        let pagination =
            ListByCursorOkPagination { next: next.map_or(frontdesk_runtime::Patch::Null, Into::into) };
        Ok(model::ListByCursorOk::new(data, pagination))
    }

    async fn list_by_number(
        &self,
        request: server::ListByNumber,
    ) -> Outcome<model::ListByNumberOk, model::ListByNumberError> {
        let before = usize::try_from(request.page - 1).unwrap_or(0);
        Ok(model::ListByNumberOk::new(page(before * 2)))
    }

    async fn list_by_offset(
        &self,
        request: server::ListByOffset,
    ) -> Outcome<Vec<Item>, model::ListByOffsetError> {
        Ok(page(request.skip.and_then(|skip| usize::try_from(skip).ok()).unwrap_or(0)))
    }

    /// The link after `away` leads to another service, and that of `again` to its own page.
    async fn list_by_link(
        &self,
        request: server::ListByLink,
    ) -> Outcome<model::ListByLinkOk, model::ListByLinkError> {
        let from = request.from.as_deref().and_then(|from| from.parse().ok()).unwrap_or(0);
        let link = match request.from.as_deref() {
            Some("away") => Some(r#"<http://elsewhere.example/pages/link>; rel="next""#.to_owned()),
            Some("again") => Some(r#"<?from=again>; rel="next""#.to_owned()),
            _ if from + 2 < NAMES.len() => {
                Some(format!(r#"</pages/link>; rel="first", </pages/link?from={}>; rel="next""#, from + 2))
            }
            _ => None,
        };
        Ok(model::ListByLinkOk { link, body: page(from) })
    }

    /// The address after `away` is that of another service, and that of `again` its own.
    async fn list_by_address(
        &self,
        request: server::ListByAddress,
    ) -> Outcome<model::ListByAddressOk, model::ListByAddressError> {
        let from = request.from.as_deref().and_then(|from| from.parse().ok()).unwrap_or(0);
        let next = match request.from.as_deref() {
            Some("away") => Some("//elsewhere.example/pages/address".to_owned()),
            Some("again") => Some("?from=again".to_owned()),
            _ if from + 2 < NAMES.len() => Some(format!("/pages/address?from={}", from + 2)),
            _ => None,
        };
        let mut body = model::ListByAddressOk::new().value(page(from));
        body.odata_next_link = next;
        Ok(body)
    }

    async fn list_whole(
        &self,
        _request: server::ListWhole,
    ) -> Outcome<model::ListWholeOk, model::ListWholeError> {
        Ok(model::ListWholeOk::new(NAMES.iter().map(|name| Item::new(*name)).collect::<Vec<_>>()))
    }
}

impl server::Changes for Service {
    type Caller = ();

    async fn replace(&self, request: server::Replace) -> Outcome<Item, model::ReplaceError> {
        Ok(request.body)
    }

    async fn append_once(&self, request: server::AppendOnce) -> Outcome<Item, model::AppendOnceError> {
        Ok(request.body)
    }

    async fn append(&self, request: server::Append) -> Outcome<Item, model::AppendError> {
        Ok(request.body)
    }

    async fn append_numbered(
        &self,
        request: server::AppendNumbered,
    ) -> Outcome<Item, model::AppendNumberedError> {
        Ok(request.body)
    }

    async fn attach(&self, _request: server::Attach) -> Outcome<(), model::AttachError> {
        Ok(())
    }

    async fn discard(&self, _request: server::Discard) -> Outcome<(), model::DiscardError> {
        Ok(())
    }

    /// Names the item after whether it was forced.
    async fn amend(&self, request: server::Amend) -> Outcome<Item, model::AmendError> {
        let name = format!("{} {:?}", request.body.name, request.force);
        Ok(Item { name, ..request.body })
    }
}

impl server::Subscriptions for Service {
    type Caller = ();

    async fn subscribe(
        &self,
        request: server::Subscribe,
    ) -> Outcome<model::SubscribeCreated, model::SubscribeError> {
        let body = Subscription::new(request.body.url, request.body.topics, KNOWN);
        Ok(model::SubscribeCreated { location: format!("/subscriptions/{KNOWN}"), body })
    }

    async fn get_subscription(
        &self,
        request: server::GetSubscription,
    ) -> Outcome<Subscription, model::GetSubscriptionError> {
        if request.id != KNOWN {
            return Err(model::GetSubscriptionError::NotFound(missing().into()).into());
        }
        Ok(Subscription::new("https://example.com/hook", [model::Topic::Stock], KNOWN))
    }

    async fn unsubscribe(&self, request: server::Unsubscribe) -> Outcome<(), model::UnsubscribeError> {
        if request.id == KNOWN {
            Ok(())
        } else {
            Err(model::UnsubscribeError::NotFound(missing().into()).into())
        }
    }
}

impl Authenticator for Service {
    type Caller = ();
}

impl Refuse<model::Throttled> for Service {
    fn refuse(&self, refusal: &Refusal) -> model::Throttled {
        let body = model::ThrottledProblem {
            error: model::ThrottledProblemError::RateLimited,
            message: refusal.message(),
            limit: None,
        };
        model::Throttled { retry_after: 1, body }
    }
}

frontdesk_runtime::default_refusals!(Service => model::Missing, model::Refused);
