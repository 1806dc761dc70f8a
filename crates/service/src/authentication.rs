//! Owns [`Authentication`]: who calls, and whether the call may go on.
//!
//! The order is that of the contract: key (401), plan and role (403), rate (429), existence of the chatbot (404).
//! Everything about the caller is read from the store at each call, so revoking a key, changing a role or a plan, and
//! disabling a user take effect with the next request.

use std::net::IpAddr;

use axum::response::Response;
use frontdesk_runtime::{
    Operation, StatusCode,
    server::{Incoming, Refusal, Rejection},
};
use frontdesk_server::Authenticator;
use frontdesk_store::{Role, StoreError, UserStatus};
use http::header;
use tokio::time::Instant;
use uuid::Uuid;

use crate::{
    answers,
    http::ClientAddress,
    keys::KeyHasher,
    rate_limit::{Exceeded, RateLimit},
    service::{Caller, Service},
};

/// The path parameter that names a chatbot.
const CHATBOT_ID: &str = "chatbot_id";

/// The group of operations that only use chatbots; every role may call them.
const CONVERSING: &str = "messages";

/// Decides who calls, and whether the call may go on.
#[derive(Debug)]
pub(crate) struct Authentication {
    service: Service,
    hasher: KeyHasher,
    requests: RateLimit<Uuid>,
    failures: RateLimit<IpAddr>,
    replies_to_client: RateLimit<(Uuid, IpAddr)>,
    replies_of_chatbot: RateLimit<Uuid>,
    uses: RateLimit<Uuid>,
}

impl Authentication {
    pub(crate) fn new(service: Service, hasher: KeyHasher) -> Self {
        Self {
            service,
            hasher,
            requests: RateLimit::new(),
            failures: RateLimit::new(),
            replies_to_client: RateLimit::new(),
            replies_of_chatbot: RateLimit::new(),
            uses: RateLimit::new(),
        }
    }

    /// A call with a key.
    async fn admit_keyed(&self, caller: &Caller, incoming: &Incoming) -> Result<(), Rejection> {
        if !caller.plan.includes_api() {
            return Err(Rejection::json(StatusCode::FORBIDDEN, &answers::api_access_disabled()));
        }
        if changes_chatbots(incoming.operation()) && caller.role == Role::Collaborator {
            return Err(Rejection::json(StatusCode::FORBIDDEN, &answers::managers_only()));
        }
        let limit = caller.rate_per_minute.unwrap_or(self.service.config.limits.requests_per_key);
        self.requests.take(caller.key_id, limit, Instant::now()).map_err(too_many)?;
        self.note_use(caller.key_id);
        let Some(text) = incoming.path_text(CHATBOT_ID) else { return Ok(()) };
        let found = match text.parse() {
            Ok(chatbot_id) => {
                self.service.store.chatbot(&caller.scope, chatbot_id).await.map_err(fault)?.is_some()
            }
            Err(_) => false,
        };
        if found { Ok(()) } else { Err(unknown_chatbot()) }
    }

    /// A call without a key, which the contract allows for replies only: whoever knows the chatbot's id may ask.
    async fn admit_keyless(&self, incoming: &Incoming) -> Result<(), Rejection> {
        let limits = &self.service.config.limits;
        let client = client(incoming);
        let now = Instant::now();
        // Who has guessed too many ids waits, whatever the next guess is.
        self.failures.check(&client, limits.failed_attempts, now).map_err(too_many)?;
        let Some(Ok(chatbot_id)) = incoming.path_text(CHATBOT_ID).map(str::parse::<Uuid>) else {
            return Err(self.failed(incoming, unknown_chatbot));
        };
        self.replies_to_client
            .take((chatbot_id, client), limits.replies_per_client, now)
            .and_then(|()| self.replies_of_chatbot.take(chatbot_id, limits.replies_per_chatbot, now))
            .map_err(too_many)?;
        match self.service.store.chatbot_for_public_reply(chatbot_id).await.map_err(fault)? {
            Some(_) => Ok(()),
            None => Err(self.failed(incoming, unknown_chatbot)),
        }
    }

    /// Counts a failed attempt; after too many of them the answer no longer tells what was wrong.
    ///
    /// A good key is never refused because of others' failed attempts from the same address: keys have 256 random
    /// bits, so the limit is there to keep noise down, not to make guessing slow.
    fn failed(&self, incoming: &Incoming, answer: impl FnOnce() -> Rejection) -> Rejection {
        let limit = self.service.config.limits.failed_attempts;
        match self.failures.take(client(incoming), limit, Instant::now()) {
            Ok(()) => answer(),
            Err(exceeded) => too_many(exceeded),
        }
    }

    /// Notes that a key was used, once a minute. Nobody waits for it, and a failure costs no more than the note.
    fn note_use(&self, key_id: Uuid) {
        if self.uses.take(key_id, 1, Instant::now()).is_err() {
            return;
        }
        let service = self.service.clone();
        tokio::spawn(async move {
            if let Err(error) = service.store.touch_api_key(key_id, service.now()).await {
                tracing::warn!(%error, "the use of an API key could not be noted");
            }
        });
    }
}

impl Authenticator for Authentication {
    type Caller = Caller;

    async fn api_key(&self, token: &str, incoming: &Incoming) -> Result<Caller, Rejection> {
        let holder = match self.hasher.hash(token) {
            Some(hash) => self.service.store.authenticate_key(&hash).await.map_err(fault)?,
            None => None,
        };
        match holder {
            Some(holder) if holder.user_status == UserStatus::Active => Ok(holder.into()),
            _ => Err(self.failed(incoming, || {
                Rejection::json(StatusCode::UNAUTHORIZED, &answers::invalid_api_key())
                    .with_header(header::WWW_AUTHENTICATE, r#"Bearer error="invalid_token""#)
            })),
        }
    }

    async fn admit(&self, caller: Option<&Caller>, incoming: &Incoming) -> Result<(), Rejection> {
        match caller {
            Some(caller) => self.admit_keyed(caller, incoming).await,
            None => self.admit_keyless(incoming).await,
        }
    }

    fn refuse(&self, refusal: Refusal) -> Response {
        let status = refusal.status();
        match refusal {
            Refusal::Rejected(_) => refusal.into_response(),
            Refusal::MissingCredentials { .. } => {
                frontdesk_runtime::server::json(status, &answers::unauthorized())
            }
            Refusal::Invalid { failures } => {
                frontdesk_runtime::server::json(status, &answers::validation(failures))
            }
            Refusal::UnknownResource { .. } => {
                frontdesk_runtime::server::json(status, &answers::no_such_chatbot())
            }
            Refusal::Fault(_) => answers::message(status, answers::FAULT),
            Refusal::UnknownPath
            | Refusal::MethodNotAllowed { .. }
            | Refusal::Malformed { .. }
            | Refusal::TooLarge { .. }
            | Refusal::NotAcceptable { .. }
            | Refusal::UnsupportedMediaType { .. } => answers::message(status, &refusal.message()),
        }
    }
}

/// Whether an operation is for owners and admins: everything that changes something, except talking with a chatbot. An
/// operation that the contract gains later is closed to collaborators until it is opened here.
fn changes_chatbots(operation: &Operation) -> bool {
    !operation.method.is_safe() && operation.tag != CONVERSING
}

fn client(incoming: &Incoming) -> IpAddr {
    // Every request passes the layer that leaves the address; without one, all share a limit.
    let address = incoming.parts().extensions.get::<ClientAddress>();
    address.map_or(IpAddr::from([0, 0, 0, 0]), |address| address.subscriber())
}

fn too_many(exceeded: Exceeded) -> Rejection {
    Rejection::json(StatusCode::TOO_MANY_REQUESTS, &answers::rate_limited(exceeded))
        .with_header(header::RETRY_AFTER, exceeded.retry_after)
}

fn unknown_chatbot() -> Rejection {
    Rejection::json(StatusCode::NOT_FOUND, &answers::no_such_chatbot())
}

#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` calls")]
fn fault(error: StoreError) -> Rejection {
    tracing::error!(error = &error as &dyn std::error::Error, "a request could not be judged");
    Rejection::from(answers::message(StatusCode::INTERNAL_SERVER_ERROR, answers::FAULT))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use frontdesk_server::OPERATIONS;

    use super::*;

    #[test]
    fn collaborators_may_read_and_converse() {
        let closed: BTreeMap<&str, bool> =
            OPERATIONS.iter().map(|operation| (operation.id, changes_chatbots(operation))).collect();
        for (operation, expected) in [
            ("listChatbots", false),
            ("getChatbot", false),
            ("sendMessage", false),
            ("draftReply", false),
            ("createChatbot", true),
            ("updateChatbot", true),
            ("deleteChatbot", true),
        ] {
            assert_eq!(closed.get(operation), Some(&expected), "{operation}");
        }
    }

    #[test]
    fn the_parameter_that_names_a_chatbot_is_in_the_contract() {
        let placeholder = format!("{{{CHATBOT_ID}}}");
        let scoped = OPERATIONS.iter().filter(|operation| operation.path.contains(&placeholder)).count();
        assert_eq!(scoped, OPERATIONS.iter().filter(|operation| operation.path.contains('{')).count());
        assert!(scoped > 0);
    }

    #[test]
    fn only_replies_are_keyless() {
        let keyless: Vec<&str> = OPERATIONS
            .iter()
            .filter(|operation| operation.allows_anonymous())
            .map(|operation| operation.id)
            .collect();
        assert_eq!(keyless, ["draftReply"]);
    }
}
