//! Owns [`Routes`]: the way from a request to the handler of its operation.

use super::{Call, Guard, Incoming, Refusal, guard::authenticate, template::Template};
use crate::Operation;
use axum::{Router, extract::Request, response::Response, routing::any};
use futures_util::future::BoxFuture;
use http::Method;
use std::{collections::BTreeMap, fmt, future::Future, sync::Arc};

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
            let routes: Arc<[Route<G::Caller>]> = routes.into();
            let handler = move |request: Request| {
                let (guard, routes) = (Arc::clone(&guard), Arc::clone(&routes));
                async move { dispatch(&*guard, &routes, request, body_limit).await }
            };
            router = router.route(&path, any(handler));
        }
        router.fallback(move || {
            let guard = Arc::clone(&guard);
            async move { refuse(&*guard, Refusal::UnknownPath) }
        })
    }
}

async fn dispatch<G: Guard>(
    guard: &G,
    routes: &[Route<G::Caller>],
    request: Request,
    body_limit: usize,
) -> Response {
    let (method, path) = (request.method(), request.uri().path());
    let matching = || routes.iter().filter_map(|route| Some((route, route.template.captures(path)?)));
    let wanted = |operation: &Operation| {
        operation.method == *method || *method == Method::HEAD && operation.method == Method::GET
    };
    // The method is looked at first: it costs nothing, and settles nearly every case.
    let found = routes
        .iter()
        .filter(|route| wanted(route.operation))
        .find_map(|route| Some((route, route.template.captures(path)?)));
    let Some((route, captures)) = found else {
        let mut allow: Vec<&str> = matching().map(|(route, _)| route.operation.method.as_str()).collect();
        if allow.contains(&"GET") {
            allow.push("HEAD");
        }
        allow.sort_unstable();
        allow.dedup();
        let refusal = if allow.is_empty() {
            Refusal::UnknownPath
        } else {
            Refusal::MethodNotAllowed { allow: allow.join(", ") }
        };
        return refuse(guard, refusal);
    };
    let (parts, body) = request.into_parts();
    let incoming = Incoming::new(route.operation, parts, captures);
    let run = async {
        let caller = authenticate(guard, &incoming).await?;
        guard.admit(caller.as_ref(), &incoming).await?;
        Ok::<_, Refusal>(caller)
    };
    let outcome = match run.await {
        Ok(caller) => (route.handler)(Call::new(incoming, caller, body, body_limit)).await,
        Err(refusal) => Err(refusal),
    };
    let mut response = outcome.unwrap_or_else(|refusal| refuse(guard, refusal));
    response.extensions_mut().insert(route.operation);
    response
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
