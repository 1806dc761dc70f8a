//! Owns [`Routes`]: the way from a request to the handler of its operation.

use super::{Call, Guard, Incoming, Refusal, guard::authenticate, template::Template};
use crate::Operation;
use axum::{Router, body::Body, extract::Request, response::Response, routing::any_service};
use futures_util::{TryFutureExt, future::BoxFuture};
use http::Method;
use std::{
    collections::BTreeMap,
    convert::Infallible,
    fmt,
    future::Future,
    sync::Arc,
    task::{Context, Poll},
};
use tower_service::Service;

/// The whole way of a request whose operation is known. It is one future, because what a future keeps while it waits is
/// allocated for every request.
type Handler =
    Box<dyn Fn(Incoming, Body, usize) -> BoxFuture<'static, Result<Response, Infallible>> + Send + Sync>;

/// The operations of a generated server, on their way to a [`Router`].
pub struct Routes<G: Guard> {
    guard: Arc<G>,
    body_limit: usize,
    tells_operation: bool,
    by_route: BTreeMap<String, Vec<Route>>,
}

struct Route {
    operation: &'static Operation,
    template: Template,
    handler: Handler,
}

impl<G: Guard> fmt::Debug for Routes<G> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.by_route.keys()).finish()
    }
}

impl<G: Guard> Routes<G> {
    /// The largest body that is read unless said otherwise: 1 MiB.
    pub const BODY_LIMIT: usize = 1 << 20;

    /// No operations yet.
    pub fn new(guard: G) -> Self {
        let (body_limit, by_route) = (Self::BODY_LIMIT, BTreeMap::new());
        Self { guard: Arc::new(guard), body_limit, tells_operation: false, by_route }
    }

    /// Sets the largest body that is read, in bytes; a larger one is refused with 413.
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.body_limit = bytes;
        self
    }

    /// Leaves the `&'static` [`Operation`] that answered in the extensions of each answer, for layers around the router such as
    /// logs and metrics.
    pub fn tell_operation(mut self) -> Self {
        self.tells_operation = true;
        self
    }

    /// Adds an operation.
    pub fn add<S, F, R>(&mut self, operation: &'static Operation, service: &Arc<S>, handler: F)
    where
        S: Send + Sync + 'static,
        F: Fn(Arc<S>, Call<G::Caller>) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Response, Refusal>> + Send + 'static,
    {
        let template = Template::parse(operation.path);
        let (guard, service, handler) = (Arc::clone(&self.guard), Arc::clone(service), Arc::new(handler));
        let handler: Handler = Box::new(move |incoming, body, body_limit| {
            let (guard, service, handler) = (Arc::clone(&guard), Arc::clone(&service), Arc::clone(&handler));
            Box::pin(async move {
                let outcome = match enter(&*guard, &incoming).await {
                    Ok(caller) => handler(service, Call::new(incoming, caller, body, body_limit)).await,
                    Err(refusal) => Err(refusal),
                };
                Ok(outcome.unwrap_or_else(|refusal| refuse(&*guard, refusal)))
            })
        });
        let routes = self.by_route.entry(template.route()).or_default();
        routes.push(Route { operation, template, handler });
        routes.sort_by_key(|route| std::cmp::Reverse(route.template.literal_weight()));
    }

    /// An ordinary axum router: it takes layers, can be nested and can be called with `oneshot` in tests.
    pub fn into_router(self) -> Router {
        let Self { guard, body_limit, tells_operation, by_route } = self;
        let mut router = Router::new().without_v07_checks();
        for (path, routes) in by_route {
            let guard = Arc::clone(&guard);
            let dispatch = Dispatch(Arc::new(Shared { guard, routes, body_limit, tells_operation }));
            router = router.route(&path, any_service(dispatch));
        }
        let router = router.fallback(move || {
            let guard = Arc::clone(&guard);
            async move { refuse(&*guard, Refusal::UnknownPath) }
        });
        // A router that was given its state, even if it is none, does not make its handlers anew for every request.
        router.with_state(())
    }
}

/// The way to the operations of one path.
struct Dispatch<G: Guard>(Arc<Shared<G>>);

struct Shared<G: Guard> {
    guard: Arc<G>,
    routes: Vec<Route>,
    body_limit: usize,
    tells_operation: bool,
}

impl<G: Guard> Clone for Dispatch<G> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<G: Guard> Service<Request> for Dispatch<G> {
    type Response = Response;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let Shared { guard, routes, body_limit, tells_operation } = &*self.0;
        let (found, incoming, body) = match find(routes, request) {
            Ok(found) => found,
            Err(refusal) => return Box::pin(std::future::ready(Ok(refuse(&**guard, refusal)))),
        };
        let Route { operation, handler, .. } = &routes[found];
        let (operation, answer) = (*operation, handler(incoming, body, *body_limit));
        if !tells_operation {
            return answer;
        }
        Box::pin(answer.map_ok(move |mut response| {
            response.extensions_mut().insert(operation);
            response
        }))
    }
}

/// The operation that a request calls, by its position, with the request taken apart.
fn find(routes: &[Route], request: Request) -> Result<(usize, Incoming, Body), Refusal> {
    let (method, path) = (request.method(), request.uri().path());
    let wanted = |operation: &Operation| {
        operation.method == *method || *method == Method::HEAD && operation.method == Method::GET
    };
    // The method is looked at first: it costs nothing, and settles nearly every case.
    let found = routes
        .iter()
        .enumerate()
        .filter(|(_, route)| wanted(route.operation))
        .find_map(|(index, route)| Some((index, route.operation, route.template.captures(path)?)));
    let Some((index, operation, captures)) = found else {
        let matching = routes.iter().filter(|route| route.template.captures(path).is_some());
        let mut allow: Vec<&str> = matching.map(|route| route.operation.method.as_str()).collect();
        if allow.contains(&"GET") {
            allow.push("HEAD");
        }
        allow.sort_unstable();
        allow.dedup();
        return Err(if allow.is_empty() {
            Refusal::UnknownPath
        } else {
            Refusal::MethodNotAllowed { allow: allow.join(", ") }
        });
    };
    let (parts, body) = request.into_parts();
    Ok((index, Incoming::new(operation, parts, captures), body))
}

/// Finds out who calls, and asks whether the call may go on.
async fn enter<G: Guard>(guard: &G, incoming: &Incoming) -> Result<Option<G::Caller>, Refusal> {
    let caller = authenticate(guard, incoming).await?;
    guard.admit(caller.as_ref(), incoming).await?;
    Ok(caller)
}

fn refuse<G: Guard>(guard: &G, refusal: Refusal) -> Response {
    if let Refusal::Fault(fault) = &refusal {
        tracing::error!(%fault, "a handler failed");
    }
    let headers = refusal.headers();
    let mut response = guard.refuse(refusal);
    for (name, value) in headers {
        response.headers_mut().entry(name).or_insert(value);
    }
    response
}
