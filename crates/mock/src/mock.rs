//! Owns [`Mock`]: a document on its way to a router.

use crate::{
    address, answer, check,
    operation::{Judges, Served},
    refusal::{self, problem, refuse},
    request::Refused,
    sample, security,
    violation::{Place, Violation},
};
use axum::{body::Body, extract::Request, response::Response};
use frontdesk_contract::{Oracle, OracleError, Side};
use frontdesk_document::{Diagnostics, Document, METHODS, NodeRef};
use frontdesk_runtime::server::{Guard, Incoming, Presented, Refusal, Rejection, Router, Routes};
use frontdesk_runtime::{Operation, Scheme, Stability};
use http::{HeaderName, Method, StatusCode, header};
use std::{collections::HashMap, convert::Infallible, sync::Arc};
use tower::{ServiceExt, service_fn};
use tower_http::cors::{CorsLayer, ExposeHeaders};

/// Operations that an answer to an unknown path lists.
const MOST_LISTED: usize = 20;

/// What a mock can be told.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The largest body that is read, in bytes; a larger one is answered with 413.
    pub body_limit: usize,
}

impl Default for Settings {
    /// Bodies of up to 1 MiB.
    fn default() -> Self {
        Self { body_limit: 1 << 20 }
    }
}

/// A document that is ready to be served.
#[derive(Debug)]
pub struct Mock {
    pub(crate) shared: Arc<Shared>,
    /// At the paths of the document, then below the base paths of its servers.
    entries: Vec<(&'static Operation, usize)>,
    plain: usize,
    bases: Vec<String>,
    warnings: Diagnostics,
    exposed: Vec<HeaderName>,
}

/// What every request needs.
#[derive(Debug)]
pub(crate) struct Shared {
    served: Vec<Served>,
    by_entry: HashMap<(Method, &'static str), usize>,
    pub(crate) judges: Judges,
    pub(crate) body_limit: usize,
    /// Methods and paths, for those who ask for something else.
    listed: Vec<String>,
}

impl Mock {
    /// Reads the operations of a document.
    ///
    /// The document, and what is drawn from it, is kept until the process ends: it is served as long.
    ///
    /// # Errors
    ///
    /// If the schemas cannot be judged.
    pub fn new(document: Document, settings: Settings) -> Result<Self, OracleError> {
        let document: &'static Document = Box::leak(Box::new(document));
        let root = document.root();
        let (mut served, mut entries, mut below, mut bases) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (key, path) in root.get("paths").into_iter().flat_map(NodeRef::entries) {
            let Some(path) = path.resolve().ok().filter(|path| path.is_object()) else { continue };
            if key.text.starts_with("x-") {
                continue;
            }
            let template = address::template(key.text);
            // A described HEAD goes before the one that every GET has.
            let mut methods = METHODS.to_vec();
            methods.sort_by_key(|method| *method != "head");
            for method in methods {
                let Some(node) = path.get(method).filter(|node| node.is_object()) else { continue };
                let Ok(verb) = Method::from_bytes(method.to_ascii_uppercase().as_bytes()) else { continue };
                let index = served.len();
                served.push(Served::new(path, node));
                let operation = operation(root, node, verb, template.clone());
                entries.push((operation, index));
                for base in address::bases([node, path, root]) {
                    let path = Box::leak(format!("{base}{template}").into_boxed_str());
                    below.push((&*Box::leak(Box::new(Operation { path, ..operation.clone() })), index));
                    if !bases.contains(&base) {
                        bases.push(base);
                    }
                }
            }
        }
        let judges = Judges {
            requests: Oracle::new(served.iter().flat_map(Served::request_schemas), Side::Request)?,
            responses: Oracle::new(served.iter().flat_map(Served::response_schemas), Side::Response)?,
        };
        let warnings = check::document(root, &served, &judges);
        let plain = entries.len();
        let listed = entries.iter().map(|(operation, _)| format!("{} {}", operation.method, operation.path));
        let listed = listed.collect();
        entries.append(&mut below);
        let mut by_entry = HashMap::new();
        for (operation, index) in &entries {
            by_entry.entry((operation.method.clone(), operation.path)).or_insert(*index);
        }
        let exposed = exposed(&served);
        let shared = Arc::new(Shared { served, by_entry, judges, body_limit: settings.body_limit, listed });
        Ok(Self { shared, entries, plain, bases, warnings, exposed })
    }

    /// What the document's author should know: examples that do not fit their schemas, and what cannot be served.
    pub fn warnings(&self) -> &Diagnostics {
        &self.warnings
    }

    /// The operations, in the document's order, at the document's paths.
    pub fn operations(&self) -> impl Iterator<Item = &'static Operation> {
        self.entries[..self.plain].iter().map(|(operation, _)| *operation)
    }

    /// The paths below which the document's servers have the operations: all are served there too.
    pub fn bases(&self) -> &[String] {
        &self.bases
    }

    /// Arguments of `curl` for a request that is taken, but for the host; `None` where every operation needs more than an
    /// address and a credential.
    pub fn sample(&self) -> Option<String> {
        let plain = self.entries.get(..self.plain)?.iter();
        let served =
            plain.filter_map(|(operation, index)| Some((*operation, self.shared.served.get(*index)?)));
        sample::of(served, &self.shared.judges.requests)
    }

    /// An ordinary axum router. Pages of every origin may call it.
    pub fn into_router(self) -> Router {
        let Self { shared, entries, exposed, .. } = self;
        let mut routes = Routes::new(Gate(Arc::clone(&shared))).body_limit(shared.body_limit);
        for (operation, index) in entries {
            routes.add(operation, &shared, move |shared, call| async move {
                Ok(match shared.served.get(index) {
                    Some(served) => answer::answer(&shared, served, call).await,
                    None => problem(StatusCode::NOT_FOUND, "there is no such operation", []),
                })
            });
        }
        let plain = routes.into_router();
        let cors = CorsLayer::very_permissive().expose_headers(ExposeHeaders::list(exposed));
        let open = plain.clone().layer(cors);
        // The layer takes every OPTIONS for the question of a browser; a document may have one of its own.
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

#[cfg(test)]
impl Shared {
    pub(crate) fn served_at(&self, index: usize) -> &Served {
        &self.served[index]
    }
}

/// One operation as the runtime routes it.
fn operation(
    root: NodeRef<'static>,
    node: NodeRef<'static>,
    method: Method,
    path: String,
) -> &'static Operation {
    let text = |key| node.get(key).and_then(NodeRef::as_str).unwrap_or_default();
    Box::leak(Box::new(Operation {
        id: text("operationId"),
        method,
        path: Box::leak(path.into_boxed_str()),
        tag: node.get("tags").and_then(|tags| tags.items().next()?.as_str()).unwrap_or_default(),
        security: security::requirements(root, node),
        stability: Stability::default(),
        deprecated: node.get("deprecated").and_then(NodeRef::as_bool) == Some(true),
        statuses: &[],
    }))
}

/// The headers that a page of another origin may read: those that answers have.
fn exposed(served: &[Served]) -> Vec<HeaderName> {
    let described = served.iter().flat_map(|served| &served.responses).flat_map(|response| &response.headers);
    let own = [refusal::VIOLATION, answer::WARNING, answer::APPLIED, header::ALLOW, header::WWW_AUTHENTICATE];
    let mut names: Vec<HeaderName> = described.map(|header| header.name.clone()).chain(own).collect();
    names.sort_by(|left, right| left.as_str().cmp(right.as_str()));
    names.dedup();
    names
}

/// Lets everybody in who brings a credential of the right kind, whatever it says.
#[derive(Debug)]
struct Gate(Arc<Shared>);

impl Guard for Gate {
    type Caller = ();

    async fn check(&self, _: &'static Scheme, _: Presented, _: &Incoming) -> Result<(), Rejection> {
        Ok(())
    }

    async fn admit(&self, _: Option<&()>, _: &Incoming) -> Result<(), Rejection> {
        Ok(())
    }

    fn refuse(&self, refusal: Refusal) -> Response {
        match &refusal {
            Refusal::MissingCredentials { operation } => {
                let index = self.0.by_entry.get(&(operation.method.clone(), operation.path));
                let rule = format!("send {}; any value is good", security::told(operation.security));
                let violation = Violation::new(Place::Security, "", "", rule);
                let refused = Refused::new(&[StatusCode::UNAUTHORIZED], vec![violation]);
                match index.and_then(|index| self.0.served.get(*index)) {
                    Some(served) => refuse(served, &refused, &self.0.judges.responses, 0),
                    None => problem(refusal.status(), &refusal.message(), []),
                }
            }
            Refusal::UnknownPath => {
                let listed = &self.0.listed;
                let more = listed.len().saturating_sub(MOST_LISTED);
                let some: Vec<&str> = listed.iter().take(MOST_LISTED).map(String::as_str).collect();
                let more = if more == 0 { Vec::new() } else { vec![("more", more.into())] };
                let detail = "The document has no operation at this path.";
                problem(refusal.status(), detail, [("operations", some.into())].into_iter().chain(more))
            }
            _ => problem(refusal.status(), &refusal.message(), []),
        }
    }
}
