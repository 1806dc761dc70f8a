//! [`Mock`]: a document that is ready to be served, and the router made from it.

use crate::{
    address, check, headers,
    operation::{self, ServedOperation},
    rejection::{self, problem, reject},
    request::Rejected,
    response, sample, security,
    shared::{Oracles, Shared},
    violation::{Location, Violation},
};
use axum::{body::Body, extract::Request, response::Response};
use frontdesk_contract::{Direction, Matches, Oracle, OracleError};
use frontdesk_document::{Diagnostics, Document, NodeRef, Operation as Described};
use frontdesk_runtime::server::{
    Guard, HandlerResult, Incoming, Presented, Refusal, Rejection, Router, Routes,
};
use frontdesk_runtime::{Operation, Scheme, Stability};
use http::{HeaderName, Method, StatusCode, header};
use std::{collections::HashMap, convert::Infallible, sync::Arc};
use tower::{ServiceExt, service_fn};
use tower_http::cors::{CorsLayer, ExposeHeaders};

/// The largest number of operations that the response to an unknown path lists.
const MAX_LISTED: usize = 20;

/// Settings of a mock.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The largest request body that is read, in bytes, unless the operation states another one as
    /// `body_bytes` of its `x-policy`; a larger one gets a 413 response.
    pub body_limit: usize,
}

impl Default for Settings {
    /// Limits bodies to 1 MiB.
    fn default() -> Self {
        Self { body_limit: 1 << 20 }
    }
}

/// A document that is ready to be served.
#[derive(Debug)]
pub struct Mock {
    pub(crate) shared: Arc<Shared>,
    /// The operations at the paths of the document, followed by the same ones below the base paths of its
    /// servers.
    entries: Vec<(&'static Operation, usize)>,
    plain: usize,
    bases: Vec<String>,
    warnings: Diagnostics,
    exposed: Vec<HeaderName>,
}

impl Mock {
    /// Reads the operations of a document.
    ///
    /// The document and everything derived from it is leaked, because the router needs it until the process
    /// ends.
    ///
    /// # Errors
    ///
    /// Returns an error if the validators for the document's schemas cannot be built.
    pub fn new(document: Document, settings: Settings) -> Result<Self, OracleError> {
        let document: &'static Document = Box::leak(Box::new(document));
        let root = document.root();
        let (mut served, mut entries, mut below, mut bases) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for item in document.path_items() {
            let template = address::template(item.key.text);
            if !address::is_routable(&template) {
                continue;
            }
            // A `HEAD` operation of the document takes precedence over the `HEAD` that every `GET` implies.
            let mut described: Vec<_> = item.operations().collect();
            described.sort_by_key(|operation| operation.method != "head");
            for described in described {
                let verb = described.method.to_ascii_uppercase();
                let Ok(verb) = Method::from_bytes(verb.as_bytes()) else { continue };
                let index = served.len();
                served.push(ServedOperation::new(described));
                let operation = routed(document, described, verb, template.clone());
                entries.push((operation, index));
                for base in address::bases([described.node, item.node, root]) {
                    let path = Box::leak(format!("{base}{template}").into_boxed_str());
                    below.push((&*Box::leak(Box::new(Operation { path, ..operation.clone() })), index));
                    if !bases.contains(&base) {
                        bases.push(base);
                    }
                }
            }
        }
        let common = operation::common(&served);
        for served in served.iter_mut().filter(|served| served.errors().next().is_none()) {
            served.common.clone_from(&common);
        }
        let oracles = Oracles {
            requests: Oracle::with_patterns(
                served.iter().flat_map(ServedOperation::request_schemas),
                Direction::Request,
                pattern,
            )?,
            responses: Oracle::with_patterns(
                served.iter().flat_map(ServedOperation::response_schemas),
                Direction::Response,
                pattern,
            )?,
        };
        let warnings = check::document(root, &served, &oracles);
        let plain = entries.len();
        let listed = entries.iter().map(|(operation, _)| format!("{} {}", operation.method, operation.path));
        let listed = listed.collect();
        entries.append(&mut below);
        let mut by_entry = HashMap::new();
        for (operation, index) in &entries {
            by_entry.entry((operation.method.clone(), operation.path)).or_insert(*index);
        }
        let exposed = exposed(&served);
        let shared =
            Arc::new(Shared { served, by_entry, oracles, common, body_limit: settings.body_limit, listed });
        Ok(Self { shared, entries, plain, bases, warnings, exposed })
    }

    /// Returns warnings for the author of the document: examples that do not match their schemas, and
    /// constructs that the mock cannot serve.
    pub fn warnings(&self) -> &Diagnostics {
        &self.warnings
    }

    /// Returns the operations at the document's paths, in document order.
    pub fn operations(&self) -> impl Iterator<Item = &'static Operation> {
        self.entries[..self.plain].iter().map(|(operation, _)| *operation)
    }

    /// Returns the base paths of the document's servers. Every operation is also served below each of them.
    pub fn bases(&self) -> &[String] {
        &self.bases
    }

    /// Returns the arguments, after the host, of a `curl` command that makes a valid request. Returns `None`
    /// if every operation needs more than an address and a credential.
    pub fn sample(&self) -> Option<String> {
        let plain = self.entries.get(..self.plain)?.iter();
        let served =
            plain.filter_map(|(operation, index)| Some((*operation, self.shared.served.get(*index)?)));
        sample::of(served, &self.shared.oracles.requests)
    }

    /// Returns an axum router that allows calls from web pages of every origin.
    pub fn into_router(self) -> Router {
        let Self { shared, entries, exposed, .. } = self;
        let limits = Arc::clone(&shared);
        let limit = move |operation: &'static Operation| {
            let index = limits.by_entry.get(&(operation.method.clone(), operation.path));
            let served = index.and_then(|index| limits.served.get(*index));
            served.map_or(limits.body_limit, |served| limits.body_limit_of(served))
        };
        let mut routes = Routes::new(AnyCredential(Arc::clone(&shared))).body_limits(limit);
        for (operation, index) in entries {
            let respond = move |shared: Arc<Shared>, call| async move {
                let response = match shared.served.get(index) {
                    Some(served) => response::respond(&shared, served, call).await,
                    None => problem(StatusCode::NOT_FOUND, "the document has no such operation", []),
                };
                // The mock writes the declared errors itself.
                HandlerResult::<()>::Ok(response.into())
            };
            routes.add(operation, &shared, respond);
        }
        let plain = routes.into_router();
        let cors = CorsLayer::very_permissive().expose_headers(ExposeHeaders::list(exposed));
        let open = plain.clone().layer(cors);
        // The CORS layer answers every OPTIONS request as a preflight, but a document may declare an OPTIONS
        // operation.
        let entry = service_fn(move |request: Request<Body>| {
            let headers = request.headers();
            let asks = headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
            let crosses =
                headers.contains_key(header::ORIGIN) && (request.method() != Method::OPTIONS || asks);
            let router = if crosses { open.clone() } else { plain.clone() };
            async move {
                Ok::<Response, Infallible>(
                    router.oneshot(request).await.unwrap_or_else(|never| match never {}),
                )
            }
        });
        Router::new().fallback_service(entry)
    }
}

/// Compiles a pattern with the engine of generated servers, so that both accept and refuse the same values.
fn pattern(source: &str) -> Option<Matches> {
    let pattern = frontdesk_pattern::Pattern::new(source).ok()?;
    Some(Arc::new(move |text: &str| pattern.is_match(text)))
}

/// Converts an operation to the form that the runtime routes.
fn routed(
    document: &'static Document,
    described: Described<'static>,
    method: Method,
    path: String,
) -> &'static Operation {
    let node = described.node;
    let text = |key| node.get(key).and_then(NodeRef::as_str).unwrap_or_default();
    Box::leak(Box::new(Operation {
        id: text("operationId"),
        method,
        path: Box::leak(path.into_boxed_str()),
        tag: node.get("tags").and_then(|tags| tags.items().next()?.as_str()).unwrap_or_default(),
        security: security::requirements(document, described),
        stability: Stability::default(),
        deprecated: node.get("deprecated").and_then(NodeRef::as_bool) == Some(true),
        statuses: &[],
        extensions: &[],
        example: None,
    }))
}

/// Returns the response headers that web pages of other origins may read.
fn exposed(served: &[ServedOperation]) -> Vec<HeaderName> {
    let described = served.iter().flat_map(|served| &served.responses).flat_map(|response| &response.headers);
    let own =
        [rejection::VIOLATION, headers::WARNING, response::APPLIED, header::ALLOW, header::WWW_AUTHENTICATE];
    let mut names: Vec<HeaderName> = described.map(|header| header.name.clone()).chain(own).collect();
    names.sort_by(|left, right| left.as_str().cmp(right.as_str()));
    names.dedup();
    names
}

/// A guard that accepts any credential of the right kind, whatever its value.
#[derive(Debug)]
struct AnyCredential(Arc<Shared>);

impl Guard for AnyCredential {
    type Caller = ();

    async fn check(&self, _: &'static Scheme, _: Presented, _: &Incoming) -> Result<(), Rejection> {
        Ok(())
    }

    async fn check_connection(&self, _: &'static Scheme, _: &Incoming) -> Result<Option<()>, Rejection> {
        Ok(Some(()))
    }

    async fn authorize(&self, _: Option<&()>, _: &mut Incoming) -> Result<(), Rejection> {
        Ok(())
    }

    fn refuse(&self, refusal: Refusal) -> Response {
        match &refusal {
            Refusal::MissingCredentials { operation } => {
                let index = self.0.by_entry.get(&(operation.method.clone(), operation.path));
                let rule = format!(
                    "send {}; any value is accepted",
                    security::accepted_credentials(operation.security)
                );
                let violation = Violation::new(Location::Security, "", "", rule);
                let rejected = Rejected::new(&[StatusCode::UNAUTHORIZED], vec![violation]);
                match index.and_then(|index| self.0.served.get(*index)) {
                    Some(served) => reject(served, &rejected, &self.0.oracles.responses, 0),
                    None => problem(refusal.status(), &refusal.message(), []),
                }
            }
            Refusal::UnknownPath | Refusal::MethodNotAllowed { .. } if self.0.common.is_some() => {
                let mut rule = refusal.message().trim_end_matches('.').to_owned();
                if matches!(refusal, Refusal::UnknownPath) {
                    let some: Vec<&str> = self.0.listed.iter().take(MAX_LISTED).map(String::as_str).collect();
                    rule = format!("is not a path of the document, which has {}", some.join(", "));
                }
                let violation = Violation::new(Location::Path, "", "", rule);
                let statuses: &'static [StatusCode] = match refusal {
                    Refusal::UnknownPath => &[StatusCode::NOT_FOUND],
                    _ => &[StatusCode::METHOD_NOT_ALLOWED],
                };
                let rejected = Rejected::new(statuses, vec![violation]);
                rejection::reject_as(self.0.common.as_ref(), &rejected, &self.0.oracles.responses, 0)
            }
            Refusal::UnknownPath => {
                let listed = &self.0.listed;
                let more = listed.len().saturating_sub(MAX_LISTED);
                let some: Vec<&str> = listed.iter().take(MAX_LISTED).map(String::as_str).collect();
                let more = if more == 0 { Vec::new() } else { vec![("more", more.into())] };
                let detail = "The document has no operation at this path.";
                problem(refusal.status(), detail, [("operations", some.into())].into_iter().chain(more))
            }
            _ => problem(refusal.status(), &refusal.message(), []),
        }
    }
}
