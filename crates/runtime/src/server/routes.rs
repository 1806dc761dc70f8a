//! Owns [`Routes`]: the way from a request to the handler of its operation.

use super::{Call, Guard, Incoming, Refusal, guard::authenticate, template::Template};
use crate::Operation;
use axum::{Router, body::Body, extract::Request, response::Response, routing::any_service};
use futures_util::future::BoxFuture;
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

type Handler<C> = Arc<dyn Fn(Call<C>) -> BoxFuture<'static, Result<Response, Refusal>> + Send + Sync>;

/// The operations of a generated server, on their way to a [`Router`].
pub struct Routes<G: Guard> {
    guard: Arc<G>,
    body_limit: usize,
    by_route: BTreeMap<String, Vec<Route<G::Caller>>>,
}

struct Route<C> {
    operation: &'static Operation,
    template: Template,
    handler: Handler<C>,
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
        Self { guard: Arc::new(guard), body_limit: Self::BODY_LIMIT, by_route: BTreeMap::new() }
    }

    /// Sets the largest body that is read, in bytes; a larger one is refused with 413.
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.body_limit = bytes;
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
        let service = Arc::clone(service);
        let handler: Handler<G::Caller> = Arc::new(move |call| Box::pin(handler(Arc::clone(&service), call)));
        let routes = self.by_route.entry(template.route()).or_default();
        routes.push(Route { operation, template, handler });
        routes.sort_by_key(|route| std::cmp::Reverse(route.template.literal_weight()));
    }

    /// An ordinary axum router: it takes layers, can be nested and can be called with `oneshot` in tests.
    pub fn into_router(self) -> Router {
        let Self { guard, body_limit, by_route } = self;
        let mut router = Router::new().without_v07_checks();
        for (path, routes) in by_route {
            let guard = Arc::clone(&guard);
            let dispatch = Dispatch(Arc::new(Shared { guard, routes, body_limit }));
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
    routes: Vec<Route<G::Caller>>,
    body_limit: usize,
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
        let shared = Arc::clone(&self.0);
        // What the way to the handler keeps while it waits is allocated once for each request, and should be small.
        let (found, incoming, body) = match find(&shared.routes, request) {
            Ok(found) => found,
            Err(refusal) => return Box::pin(async move { Ok(refuse(&*shared.guard, refusal)) }),
        };
        Box::pin(async move {
            let (guard, route) = (&*shared.guard, &shared.routes[found]);
            let outcome = match enter(guard, &incoming).await {
                Ok(caller) => (route.handler)(Call::new(incoming, caller, body, shared.body_limit)).await,
                Err(refusal) => Err(refusal),
            };
            let mut response = outcome.unwrap_or_else(|refusal| refuse(guard, refusal));
            response.extensions_mut().insert(route.operation);
            Ok(response)
        })
    }
}

/// The operation that a request calls, by its position, with the request taken apart.
fn find<C>(routes: &[Route<C>], request: Request) -> Result<(usize, Incoming, Body), Refusal> {
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
