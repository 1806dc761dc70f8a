//! Authorization of visitors: the browsers that have begun a session with a widget.
//!
//! Their operations have routes and a guard of their own, so that the token of a visitor is accepted nowhere
//! else, and an API key is not accepted here.

use axum::response::Response;
use frontdesk_runtime::{
    StatusCode,
    server::{Incoming, Refusal, Rejection},
};
use frontdesk_server::{Authenticator, OPERATIONS};
use frontdesk_store::VisitorSession;
use http::header;

use super::{
    failed, fault,
    policy::{Policies, PolicyError},
    refusals,
    resources::{Resolvers, Unresolved},
};
use crate::{
    edge::{Edge, rate_limit::Subject, responses},
    platform::secrets::visitor_tokens,
};

/// The text of the 404 while the widget is switched off.
const SWITCHED_OFF: &str = "This chat is switched off at the moment.";

/// Decides which visitor calls, and whether the call may go on.
#[derive(Debug)]
pub(crate) struct VisitorAuthorization {
    service: Edge,
    pub(super) resolvers: Resolvers,
}

impl VisitorAuthorization {
    /// Checks the policies of the operations of visitors. Fails if one cannot be enforced.
    pub(crate) fn new(service: Edge, resolvers: Resolvers) -> Result<Self, PolicyError> {
        let own = |operation: &&&_| Policies::are_for_visitors(operation);
        let operations: Vec<_> = OPERATIONS.iter().filter(own).copied().collect();
        Policies::read(&operations, &resolvers)?;
        Ok(Self { service, resolvers })
    }

    /// Notes that the session is used, which extends it. Nobody waits for it, and a failure loses no more
    /// than an hour.
    fn note_use(&self, session: &VisitorSession) {
        let (service, session) = (self.service.clone(), session.clone());
        tokio::spawn(async move {
            if let Err(error) = service.store.visitors().extend(&session, service.now()).await {
                tracing::warn!(%error, "the session of a visitor could not be extended");
            }
        });
    }
}

impl Authenticator for VisitorAuthorization {
    type Caller = VisitorSession;

    async fn api_key(&self, _: &str, _: &Incoming) -> Result<VisitorSession, Rejection> {
        // No operation of these routes takes a key.
        Err(Rejection::fault())
    }

    async fn visitor_token(&self, token: &str, incoming: &Incoming) -> Result<VisitorSession, Rejection> {
        let visitors = self.service.store.visitors();
        let session = match visitor_tokens::hash(token) {
            Some(hash) => {
                visitors.authenticate(&hash, self.service.now()).await.map_err(|error| fault(&error))?
            }
            None => None,
        };
        match session {
            Some(session) => Ok(session),
            None => {
                let invalid = || {
                    refusals::visitor_unauthorized(responses::invalid_visitor_token())
                        .with_header(header::WWW_AUTHENTICATE, r#"Bearer error="invalid_token""#)
                };
                Err(failed(&self.service, incoming, invalid).await)
            }
        }
    }

    async fn authorize(
        &self,
        caller: Option<&VisitorSession>,
        incoming: &mut Incoming,
    ) -> Result<(), Rejection> {
        // The router has refused calls without a token.
        let session = caller.ok_or_else(Rejection::fault)?;
        let limit = self.service.config.limits.requests_per_visitor;
        let subject = Subject::RequestsOfVisitor(session.session_id);
        self.service.rate_limits.take(subject, limit).await.map_err(refusals::too_many)?;
        self.note_use(session);
        if !session.is_enabled {
            return Err(Rejection::new(StatusCode::NOT_FOUND, SWITCHED_OFF));
        }
        incoming.extensions_mut().insert(session.clone());
        match self.resolvers.resolve(&self.service, Some(&session.scope()), incoming).await {
            Ok(()) => Ok(()),
            Err(Unresolved::Store(error)) => Err(fault(&error)),
            Err(Unresolved::NotFound(text)) => Err(Rejection::new(StatusCode::NOT_FOUND, text)),
        }
    }

    fn refuse(&self, refusal: Refusal) -> Response {
        responses::message(refusal.status(), &refusals::text(&self.resolvers, &refusal))
    }
}
