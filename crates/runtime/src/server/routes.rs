//! [`Routes`]: dispatch of requests to the handlers of their operations.

use super::{
    Call, Guard, HandlerResult, Incoming, Refusal, Refusals,
    guard::authenticate,
    receive::{check_length, collect},
    refusal::challenges,
    template::Template,
};
use crate::Operation;
use axum::{Router, body::Body, extract::Request, response::Response, routing::any_service};
use futures_util::{TryFutureExt, future::BoxFuture};
use http::{Method, StatusCode, header};
use std::{
    collections::BTreeMap,
    convert::Infallible,
    fmt,
    future::Future,
    sync::Arc,
    task::{Context, Poll},
};
use tower_service::Service;

/// Processing of a request whose operation is known. It is a single boxed future so that each request
/// allocates only once.
type Handler =
    Box<dyn Fn(Incoming, Body, usize) -> BoxFuture<'static, Result<Response, Infallible>> + Send + Sync>;

/// Returns the largest body that an operation reads, in bytes.
type BodyLimits = Box<dyn Fn(&'static Operation) -> usize + Send + Sync>;

/// Writes a refusal.
type RefusalWriter<G> = fn(&G, &Refusal) -> Response;

/// Builder of a [`Router`] from the operations of a generated server.
pub struct Routes<G: Guard> {
    guard: Arc<G>,
    body_limits: BodyLimits,
    exposes_operation: bool,
    has_fallback: bool,
    /// Writes refusals of requests that call no operation.
    unknown: Option<RefusalWriter<G>>,
    by_route: BTreeMap<String, Vec<Route>>,
}

struct Route {
    operation: &'static Operation,
    template: Template,
    handler: Handler,
    /// The largest body that is read, in bytes; set when the router is built.
    body_limit: usize,
}

impl<G: Guard> fmt::Debug for Routes<G> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.by_route.keys()).finish()
    }
}

impl<G: Guard> Routes<G> {
    /// The default limit of request bodies: 1 MiB.
    pub const BODY_LIMIT: usize = 1 << 20;

    /// Starts without operations.
    pub fn new(guard: G) -> Self {
        let body_limits: BodyLimits = Box::new(|_| Self::BODY_LIMIT);
        Self {
            guard: Arc::new(guard),
            body_limits,
            exposes_operation: false,
            has_fallback: true,
            unknown: None,
            by_route: BTreeMap::new(),
        }
    }

    /// Sets one limit for the request bodies of all operations, in bytes; a larger body is refused with 413.
    ///
    /// Replaces an earlier [`body_limits`](Self::body_limits).
    pub fn body_limit(self, bytes: usize) -> Self {
        self.body_limits(move |_| bytes)
    }

    /// Sets the limit of the request bodies of each operation, in bytes; a larger body is refused with 413.
    ///
    /// `limit` is called once for each operation when the router is built. Replaces an earlier
    /// [`body_limit`](Self::body_limit).
    pub fn body_limits(
        mut self,
        limit: impl Fn(&'static Operation) -> usize + Send + Sync + 'static,
    ) -> Self {
        self.body_limits = Box::new(limit);
        self
    }

    /// Adds the `&'static` [`Operation`] to the extensions of each response, for layers around the router
    /// such as logs and metrics.
    pub fn expose_operation(mut self) -> Self {
        self.exposes_operation = true;
        self
    }

    /// Leaves requests for unknown paths to another router, such as that of a second document:
    /// `first.merge(second)` of axum takes two routers of which at most one has a fallback. The routers must
    /// not have a path in common.
    pub fn without_fallback(mut self) -> Self {
        self.has_fallback = false;
        self
    }

    /// Sets the function that writes the refusals of requests that call no operation: unknown paths and
    /// methods. Generated code calls it if all errors of the document have one body. By default
    /// [`Guard::refuse`] writes them.
    pub fn refuse_unknown(mut self, write: RefusalWriter<G>) -> Self {
        self.unknown = Some(write);
        self
    }

    /// Adds an operation, whose handler returns the errors that it declares. Requests to it are refused with
    /// the one that has the status, else by [`Guard::refuse`].
    pub fn add<S, F, R, E>(&mut self, operation: &'static Operation, service: &Arc<S>, handler: F)
    where
        S: Send + Sync + 'static,
        F: Fn(Arc<S>, Call<G::Caller>) -> R + Clone + Send + Sync + 'static,
        R: Future<Output = HandlerResult<E>> + Send + 'static,
        E: Refusals<G> + 'static,
    {
        let (guard, service) = (Arc::clone(&self.guard), Arc::clone(service));
        let handler: Handler = Box::new(move |mut incoming, body, body_limit| {
            let (guard, service, handler) = (Arc::clone(&guard), Arc::clone(&service), handler.clone());
            let added = incoming.added_headers();
            Box::pin(async move {
                let outcome = match enter(&*guard, &mut incoming, body, body_limit).await {
                    Ok((caller, body)) => {
                        handler(service, Call::new(incoming, caller, body, body_limit)).await
                    }
                    Err(refusal) => Err(refusal),
                };
                let response = match outcome {
                    Ok(replied) => replied.response,
                    Err(refusal) => refuse(&*guard, E::refuse, refusal),
                };
                Ok(challenge(operation, added.write(response)))
            })
        });
        self.insert(operation, handler);
    }

    /// Adds an operation whose handler's type is erased: the code of [`add`](Self::add) is compiled once for
    /// each operation.
    fn insert(&mut self, operation: &'static Operation, handler: Handler) {
        let template = Template::parse(operation.path);
        let routes = self.by_route.entry(template.route()).or_default();
        routes.push(Route { operation, template, handler, body_limit: Self::BODY_LIMIT });
        sort_by_precedence(routes);
    }

    /// Builds an ordinary axum router: it accepts layers, can be nested and can be called with `oneshot` in
    /// tests.
    pub fn into_router(self) -> Router {
        let Self { guard, body_limits, exposes_operation, has_fallback, unknown, by_route } = self;
        let mut router = Router::new().without_v07_checks();
        for (path, mut routes) in by_route {
            for route in &mut routes {
                route.body_limit = body_limits(route.operation);
            }
            let guard = Arc::clone(&guard);
            let spellings = routes.first().map_or_else(|| vec![path], |route| route.template.spellings());
            let dispatch = Dispatch(Arc::new(Shared { guard, routes, exposes_operation, unknown }));
            for path in spellings {
                router = router.route(&path, any_service(dispatch.clone()));
            }
        }
        if has_fallback {
            router = router.fallback(move || {
                let guard = Arc::clone(&guard);
                async move { refuse_unknown(&*guard, unknown, Refusal::UnknownPath) }
            });
        }
        // Without `with_state`, axum would rebuild the handlers for every request.
        router.with_state(())
    }
}

/// Dispatch to the operations of one path.
struct Dispatch<G: Guard>(Arc<Shared<G>>);

struct Shared<G: Guard> {
    guard: Arc<G>,
    routes: Vec<Route>,
    exposes_operation: bool,
    unknown: Option<RefusalWriter<G>>,
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
        let Shared { guard, routes, exposes_operation, unknown } = &*self.0;
        let (found, incoming, body) = match find(routes, request) {
            Ok(found) => found,
            Err(refusal) => {
                return Box::pin(std::future::ready(Ok(refuse_unknown(&**guard, *unknown, refusal))));
            }
        };
        let Route { operation, handler, body_limit, .. } = &routes[found];
        let (operation, response) = (*operation, handler(incoming, body, *body_limit));
        if !exposes_operation {
            return response;
        }
        Box::pin(response.map_ok(move |mut response| {
            response.extensions_mut().insert(operation);
            response
        }))
    }
}

/// Puts the route that a request is for before others that match it: the one with more literal text, and an
/// operation of `HEAD` before that of `GET`, which answers `HEAD` only if there is no other.
fn sort_by_precedence(routes: &mut [Route]) {
    routes.sort_by_key(|route| {
        (std::cmp::Reverse(route.template.literal_weight()), route.operation.method == Method::GET)
    });
}

/// Finds the operation that a request calls, by its position, and splits the request into head and body.
fn find(routes: &[Route], request: Request) -> Result<(usize, Incoming, Body), Refusal> {
    let (method, path) = (request.method(), request.uri().path());
    let wanted = |operation: &Operation| {
        operation.method == *method || *method == Method::HEAD && operation.method == Method::GET
    };
    // The method is compared first: this is cheap and nearly always leaves one operation.
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

/// Authenticates and authorizes a request, and shows its body to a guard that wants to see it. Nothing of the
/// body is read before.
async fn enter<G: Guard>(
    guard: &G,
    incoming: &mut Incoming,
    body: Body,
    body_limit: usize,
) -> Result<(Option<G::Caller>, Body), Refusal> {
    let caller = authenticate(guard, incoming).await?;
    guard.authorize(caller.as_ref(), incoming).await?;
    if !guard.inspects_body(caller.as_ref(), incoming) {
        return Ok((caller, body));
    }
    check_length(incoming.headers(), body_limit)?;
    let bytes = collect(body, body_limit).await?;
    guard.inspect_body(caller.as_ref(), incoming, &bytes).await?;
    Ok((caller, Body::from(bytes)))
}

/// Adds the challenge that every 401 needs (RFC 9110, section 11.6.1), whoever made the response.
fn challenge(operation: &'static Operation, mut response: Response) -> Response {
    if response.status() == StatusCode::UNAUTHORIZED {
        response.headers_mut().entry(header::WWW_AUTHENTICATE).or_insert_with(|| challenges(operation));
    }
    response
}

/// Refuses a request that calls no operation.
fn refuse_unknown<G: Guard>(guard: &G, write: Option<RefusalWriter<G>>, refusal: Refusal) -> Response {
    refuse(guard, |guard, refusal| Some(write?(guard, refusal)), refusal)
}

fn refuse<G: Guard>(
    guard: &G,
    declared: impl FnOnce(&G, &Refusal) -> Option<Response>,
    refusal: Refusal,
) -> Response {
    if let Refusal::Fault(fault) = &refusal {
        tracing::error!(%fault, "a handler failed");
    }
    let refusal = match refusal.into_prepared() {
        Ok(response) => return response,
        Err(refusal) => refusal,
    };
    let headers = refusal.headers();
    let mut response = match declared(guard, &refusal) {
        Some(response) => response,
        None => guard.refuse(refusal),
    };
    for (name, value) in headers {
        response.headers_mut().entry(name).or_insert(value);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::{Body, Operation, Request, Route, Template, find, sort_by_precedence};
    use crate::Stability;
    use http::Method;

    const fn operation(method: Method, path: &'static str) -> Operation {
        Operation {
            id: "",
            method,
            path,
            tag: "",
            security: &[],
            stability: Stability::Stable,
            deprecated: false,
            statuses: &[200],
            extensions: &[],
            example: None,
        }
    }

    static GET: Operation = operation(Method::GET, "/boats/{id}");
    static HEAD: Operation = operation(Method::HEAD, "/boats/{id}");

    fn called(operations: &[&'static Operation], method: Method) -> Option<Method> {
        let route = |operation: &&'static Operation| Route {
            operation,
            template: Template::parse(operation.path),
            handler: Box::new(|_, _, _| Box::pin(std::future::pending())),
            body_limit: 0,
        };
        let mut routes: Vec<Route> = operations.iter().map(route).collect();
        sort_by_precedence(&mut routes);
        let request = Request::builder().method(method).uri("/boats/7").body(Body::empty()).unwrap();
        let (found, ..) = find(&routes, request).ok()?;
        Some(routes[found].operation.method.clone())
    }

    #[test]
    fn head_calls_its_own_operation_if_there_is_one() {
        for operations in [[&GET, &HEAD], [&HEAD, &GET]] {
            assert_eq!(called(&operations, Method::HEAD), Some(Method::HEAD));
            assert_eq!(called(&operations, Method::GET), Some(Method::GET));
        }
        assert_eq!(called(&[&GET], Method::HEAD), Some(Method::GET));
        assert_eq!(called(&[&HEAD], Method::GET), None);
    }
}
