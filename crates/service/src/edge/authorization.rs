//! Authorization: who calls, and whether the caller may call this operation.
//!
//! The rules are the contract's: each operation states them in `x-policy` ([`policy`]), and the path
//! parameters that name resources are resolved by [`resources`]. The steps run in the order of the contract,
//! and the first that fails determines the response: key (401), plan and role (403), rate limit (429),
//! existence of every resource in the path (404), size of the body (413) and idempotency key (409, 422).
//! Without a key, the resource comes before the rate limit: its id or token is what the caller proves.
//!
//! Everything about the caller is read from the store at each call, so revoking a key, changing a role or a
//! plan, and disabling a user take effect with the next request.

pub(crate) mod console;
mod key_hasher;
mod policy;
pub(crate) mod refusals;
pub(crate) mod resources;
mod visitors;

use std::net::IpAddr;

use axum::response::Response;
use frontdesk_runtime::{
    Bytes, Operation, StatusCode,
    server::{self, Incoming, Refusal, Rejection},
};
use frontdesk_server::{Authenticator, OPERATIONS};
use frontdesk_store::{Scope, StoreError, UserStatus};
use http::header;
use tokio::time::Instant;
use uuid::Uuid;

pub(crate) use self::key_hasher::KeyHasher;
pub use self::policy::PolicyError;
use self::policy::{CallerKind, PlanRequirement, Policies, RateClass};
use self::resources::{Resolvers, Unresolved};
pub(crate) use self::visitors::VisitorAuthorization;
use crate::edge::{
    Caller, Edge, Via, changes,
    console::{INTERNAL_BEARER, SignedIn},
    http::ClientAddress,
    idempotency,
    rate_limit::{RateLimit, Subject},
    responses,
};

/// Decides who calls, and whether the call may go on.
#[derive(Debug)]
pub(crate) struct Authorization {
    service: Edge,
    hasher: KeyHasher,
    policies: Policies,
    resolvers: Resolvers,
    uses: RateLimit<Uuid>,
}

impl Authorization {
    /// Reads the policies of all operations. Fails if one is missing or cannot be enforced.
    pub(crate) fn new(service: Edge, hasher: KeyHasher, resolvers: Resolvers) -> Result<Self, PolicyError> {
        let policies = Policies::read(OPERATIONS, &resolvers)?;
        Ok(Self { service, hasher, policies, resolvers, uses: RateLimit::new() })
    }

    /// Returns the largest body that an operation reads, in bytes: that of its policy, or else the general
    /// limit.
    pub(crate) fn body_limits(&self) -> impl Fn(&'static Operation) -> usize + Clone + use<> {
        let (policies, general) = (self.policies.clone(), self.service.config.http.body_limit);
        move |operation| policies.of(operation).body_limit(general)
    }

    /// Returns the operations that scripts of every website may call from a browser.
    pub(crate) fn shared_operations(&self) -> Vec<&'static Operation> {
        self.policies.shared(OPERATIONS)
    }

    /// Checks plan, role and rate limit of a call with a key.
    async fn check_caller(&self, caller: &Caller, operation: &Operation) -> Result<(), Rejection> {
        let policy = self.policies.of(operation);
        if caller.via == Via::Key && policy.plan == PlanRequirement::ApiAccess && !caller.plan.includes_api()
        {
            return Err(refusals::forbidden(responses::api_access_disabled()));
        }
        if !policy.roles.contains(&caller.role) {
            return Err(refusals::forbidden(responses::role_not_allowed(&policy.roles)));
        }
        if let Via::Session { confirmed_at } = caller.via {
            if policy.recent && !console::is_recent(confirmed_at, self.service.now()) {
                // Only the gate of the console asks for it, so the body is that of its contract.
                let error = console::confirmation_required();
                return Err(server::json(StatusCode::FORBIDDEN, &error).into());
            }
            let subject = Subject::RequestsOfSession(caller.key_id);
            let taken = self.service.rate_limits.take(subject, console::REQUESTS_PER_SESSION).await;
            return taken.map_err(refusals::too_many);
        }
        let limit = caller.rate_per_minute.unwrap_or(self.service.config.limits.requests_per_key);
        self.service
            .rate_limits
            .take(Subject::RequestsOfKey(caller.key_id), limit)
            .await
            .map_err(refusals::too_many)?;
        self.note_use(caller.key_id);
        Ok(())
    }

    /// Checks the rate limits of a call without a key, which are those of its sender. What the call names
    /// exists: guesses count as failed attempts and nowhere else, so they use up nothing of those who know
    /// what they name.
    async fn check_sender(&self, incoming: &Incoming) -> Result<(), Rejection> {
        match self.policies.of(incoming.operation()).rate {
            RateClass::Reply => {
                let resource = Resolvers::first_id(incoming).unwrap_or_default();
                let subject = Subject::RepliesToClient(resource, client(incoming));
                let limit = self.service.config.limits.replies_per_client;
                self.service.rate_limits.take(subject, limit).await.map_err(refusals::too_many)
            }
            RateClass::Widget => {
                let widget_key = Resolvers::first_id(incoming).unwrap_or_default();
                let subject = Subject::RequestsToWidget(widget_key, client(incoming));
                let limit = self.service.config.limits.widget_requests_per_client;
                self.service.rate_limits.take(subject, limit).await.map_err(refusals::too_many)
            }
            // Forms count what is valid.
            RateClass::Key
            | RateClass::Form
            | RateClass::Visitor
            | RateClass::Session
            | RateClass::SignIn => Ok(()),
        }
    }

    /// Loads every resource that the path names; handlers find the rows in the request's extensions.
    async fn resolve(&self, scope: Option<&Scope>, incoming: &mut Incoming) -> Result<(), Rejection> {
        match self.resolvers.resolve(&self.service, scope, incoming).await {
            Ok(()) => Ok(()),
            Err(Unresolved::Store(error)) => Err(fault(&error)),
            Err(Unresolved::NotFound(text)) => {
                let not_found = || Rejection::new(StatusCode::NOT_FOUND, text);
                // Only callers without a key can guess ids anonymously.
                Err(if scope.is_none() { self.failed(incoming, not_found).await } else { not_found() })
            }
        }
    }

    /// Counts a failed attempt; after too many of them the response no longer says what was wrong.
    ///
    /// What is good is never refused because of others' failed attempts from the same address: it is judged
    /// first. Keys, ids and tokens have too many random bits to be guessed, so the limit is there to keep
    /// noise down, not to make guessing slow.
    async fn failed(&self, incoming: &Incoming, response: impl FnOnce() -> Rejection) -> Rejection {
        failed(&self.service, incoming, response).await
    }

    /// Records that a key was used, once a minute. Nobody waits for it, and a failure loses no more than the
    /// record.
    fn note_use(&self, key_id: Uuid) {
        if self.uses.take(key_id, 1, Instant::now()).is_err() {
            return;
        }
        let service = self.service.clone();
        tokio::spawn(async move {
            if let Err(error) = service.store.api_keys().touch(key_id, service.now()).await {
                tracing::warn!(%error, "the use of an API key could not be recorded");
            }
        });
    }
}

impl Authenticator for Authorization {
    type Caller = Caller;

    async fn api_key(&self, token: &str, incoming: &Incoming) -> Result<Caller, Rejection> {
        // Nothing that a client sends can add the extension: only the console's gate does, with its bearer.
        if let Some(SignedIn(session)) = incoming.extensions().get()
            && token == INTERNAL_BEARER
        {
            return Ok(session.into());
        }
        let authenticated = self.hasher.authenticate(&self.service.store, token).await;
        let holder = authenticated.map_err(|error| fault(&error))?;
        match holder {
            Some(holder) if holder.user_status == UserStatus::Active => Ok(holder.into()),
            _ => {
                let invalid = || {
                    refusals::unauthorized(responses::invalid_api_key())
                        .with_header(header::WWW_AUTHENTICATE, r#"Bearer error="invalid_token""#)
                };
                Err(self.failed(incoming, invalid).await)
            }
        }
    }

    async fn visitor_token(&self, _: &str, _: &Incoming) -> Result<Caller, Rejection> {
        // Operations for visitors have routes of their own, which ask `VisitorAuthorization`.
        Err(Rejection::fault())
    }

    async fn authorize(&self, caller: Option<&Caller>, incoming: &mut Incoming) -> Result<(), Rejection> {
        let operation = incoming.operation();
        let Some(caller) = caller else {
            // The router has refused keyless calls of all other operations.
            debug_assert_eq!(self.policies.of(operation).caller, CallerKind::None);
            self.resolve(None, incoming).await?;
            return self.check_sender(incoming).await;
        };
        self.check_caller(caller, operation).await?;
        changes::note_caller(incoming, &caller.scope);
        self.resolve(Some(&caller.scope), incoming).await
    }

    fn inspects_body(&self, caller: Option<&Caller>, incoming: &Incoming) -> bool {
        // Responses are kept for keys; a page that repeats a request runs it again.
        caller.is_some_and(|caller| caller.via == Via::Key) && idempotency::has_key(incoming)
    }

    async fn inspect_body(
        &self,
        caller: Option<&Caller>,
        incoming: &mut Incoming,
        body: &Bytes,
    ) -> Result<(), Rejection> {
        let Some(caller) = caller else { return Ok(()) };
        idempotency::claim(&self.service, caller, incoming, body).await.map_err(|error| fault(&error))?
    }

    fn refuse(&self, refusal: Refusal) -> Response {
        responses::message(refusal.status(), &self.message(&refusal))
    }
}

/// Counts a failed attempt, and returns the response to it.
async fn failed(service: &Edge, incoming: &Incoming, response: impl FnOnce() -> Rejection) -> Rejection {
    let limit = service.config.limits.failed_attempts;
    let subject = Subject::FailedAttempts(client(incoming), incoming.operation().id, None);
    match service.rate_limits.take(subject, limit).await {
        Ok(()) => response(),
        Err(exceeded) => refusals::too_many(exceeded),
    }
}

/// Returns the address by which the sender of a request is distinguished.
pub(crate) fn client(incoming: &Incoming) -> IpAddr {
    // Every request passes the layer that adds the address; without one, all share a limit.
    let address = incoming.parts().extensions.get::<ClientAddress>();
    address.map_or(IpAddr::from([0, 0, 0, 0]), |address| address.subscriber())
}

fn fault(error: &StoreError) -> Rejection {
    tracing::error!(error = error as &dyn std::error::Error, "a request could not be authorized");
    Rejection::new(StatusCode::INTERNAL_SERVER_ERROR, responses::FAULT)
}
