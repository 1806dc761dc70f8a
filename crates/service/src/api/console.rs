//! The operations of the console's contract, one file for each group: the generated traits, implemented by
//! [`Console`].
//!
//! What is done with the access to an account is noted in its audit entries. A request whose entry cannot be
//! written fails, although it has had its effect, so that somebody looks for the reason.

mod account;
mod attempts;
mod audit_entries;
mod browser;
mod changes;
mod invitations;
mod keys;
mod me;
mod members;
mod passkeys;
mod password_resets;
mod second_factors;
mod session;
mod setup;

use std::{
    str::FromStr,
    sync::{Arc, OnceLock},
};

use axum::{Router, middleware};
use frontdesk_console_model as model;
use frontdesk_console_server::{
    Gate, mount_account, mount_audit_entries, mount_changes, mount_invitations, mount_keys, mount_me,
    mount_members, mount_passkeys, mount_password_resets, mount_second_factors, mount_session, mount_setup,
};
use frontdesk_runtime::{
    check,
    server::{Incoming, Routes},
};
use frontdesk_store::{
    Actor, AuditAction, Entered, KeyHash, NewAuditEntry, PendingSignIn, Role, Session, StoreError, User,
};
use tokio::sync::Semaphore;
use uuid::Uuid;

use crate::{
    edge::{
        Edge,
        authorization::console::{ConsoleAuthorization, RECENT, validation_failed},
        console::admit,
        responses::{failure, timestamp},
        waiters::{Waiters, WaitingLimits},
    },
    platform::secrets::{
        passwords::{self, Passwords},
        people_tokens::{PersonToken, Purpose},
    },
};

/// The text of the 404 for a link.
const LINK_INVALID: &str = "This link is not valid. It may have expired or been used.";

/// The implementation of the console's traits. Clones are cheap and share everything.
#[derive(Clone, Debug)]
pub(crate) struct Console {
    service: Edge,
    passwords: Passwords,
    /// The open streams of changes, apart from the requests of visitors and programs that wait.
    streams: Waiters,
    /// The archives of accounts that may still be made at this time.
    exports: Arc<Semaphore>,
    /// The sign-in link of the demonstration: the hash of its token, and whom it signs in.
    demonstration: Arc<OnceLock<(KeyHash, User)>>,
}

impl Console {
    pub(crate) fn new(service: Edge) -> Self {
        let streams = Waiters::new(WaitingLimits::new(&service.config.limits));
        let exports = Arc::new(Semaphore::new(account::EXPORTS));
        Self { service, passwords: Passwords::new(), streams, exports, demonstration: Arc::default() }
    }

    /// Ends all streams of changes, because the process is asked to stop.
    pub(crate) fn stop(&self) {
        self.streams.stop();
    }

    /// Opens the sign-in link of the demonstration, which is valid until the process ends, and returns its
    /// token; `None` if it is open already.
    pub(crate) fn open_demonstration(&self, user: User) -> Result<Option<PersonToken>, getrandom::Error> {
        let token = PersonToken::generate(Purpose::Link)?;
        Ok(self.demonstration.set((token.hash(), user)).is_ok().then_some(token))
    }

    /// Whether the service can mail links to people.
    fn sends_mail(&self) -> bool {
        let mail = &self.service.config.mail;
        mail.smtp_url.is_some() && mail.public_url.is_some()
    }

    /// Notes what a person has done.
    async fn note(
        &self,
        session: &Session,
        incoming: &Incoming,
        action: AuditAction,
        subject: Option<(Uuid, &str)>,
    ) -> Result<(), StoreError> {
        let whose = (session.account_id, session.person_id, &*session.person_name);
        self.note_of(whose, incoming, action, subject).await
    }

    /// Notes what a person has done in an account, who may not be signed in yet.
    async fn note_of(
        &self,
        (account_id, person_id, person_name): (Uuid, Uuid, &str),
        incoming: &Incoming,
        action: AuditAction,
        subject: Option<(Uuid, &str)>,
    ) -> Result<(), StoreError> {
        let entry = NewAuditEntry {
            action,
            person_id,
            person_name: person_name.to_owned(),
            subject_id: subject.map(|(id, _)| id),
            subject: subject.map(|(_, name)| name.to_owned()).unwrap_or_default(),
            ip_address: browser::address(incoming),
        };
        let scope = frontdesk_store::Scope::of_account(account_id);
        self.service.store.audit_entries().insert(&scope, &entry, self.service.now()).await
    }
}

/// Returns the router of the console's operations.
pub(crate) fn router(console: &Console, authorization: ConsoleAuthorization) -> Router {
    let console = Arc::new(console.clone());
    let body_limits = authorization.body_limits();
    let mut routes = Routes::new(Gate::new(authorization)).without_fallback();
    mount_account(&mut routes, &console);
    mount_audit_entries(&mut routes, &console);
    mount_changes(&mut routes, &console);
    mount_invitations(&mut routes, &console);
    mount_keys(&mut routes, &console);
    mount_me(&mut routes, &console);
    mount_members(&mut routes, &console);
    mount_passkeys(&mut routes, &console);
    mount_password_resets(&mut routes, &console);
    mount_second_factors(&mut routes, &console);
    mount_session(&mut routes, &console);
    mount_setup(&mut routes, &console);
    routes.body_limits(body_limits).expose_operation().into_router().layer(middleware::from_fn(admit))
}

/// Who has got how far with a password: the account, and the person with their name.
fn whose(entered: &Entered) -> (Uuid, Uuid, &str) {
    match entered {
        Entered::SignedIn(session) => (session.account_id, session.person_id, &session.person_name),
        Entered::CodeNeeded(pending) => (pending.account_id, pending.person_id, &pending.person_name),
    }
}

/// A sign-in that waits for the second factor as the contract shows it.
fn waiting(pending: &PendingSignIn) -> model::PendingSignIn {
    model::PendingSignIn::new(model::PendingSignInRequired {
        has_app: pending.has_app,
        has_passkeys: pending.has_passkeys,
        expires_at: timestamp(pending.expires_at),
    })
}

/// A session as the contract shows it.
fn shown(session: &Session) -> model::Session {
    let confirmed_until = session.confirmed_at.saturating_add(RECENT).unwrap_or(session.confirmed_at);
    model::Session::new(model::SessionRequired {
        session_id: session.session_id.into(),
        person: model::SessionPerson::new(model::SessionPersonRequired {
            person_id: session.person_id.into(),
            name: session.person_name.clone(),
            email: session.email.clone(),
        }),
        account: model::SessionAccount::new(session.account_id.into(), session.account_name.clone()),
        member_id: session.user_id.into(),
        role: shown_role(session.role),
        created_at: timestamp(session.created_at),
        confirmed_until: timestamp(confirmed_until),
        expires_at: timestamp(session.expires_at()),
        needs_second_factor: session.lacks_second_factor,
    })
}

/// A role as the contract shows it.
const fn shown_role(role: Role) -> model::MemberRole {
    match role {
        Role::Owner => model::MemberRole::Owner,
        Role::Admin => model::MemberRole::Admin,
        Role::Collaborator => model::MemberRole::Collaborator,
    }
}

/// Reads a role or a status of a request, of which the contract knows those that the store knows.
fn chosen<T: FromStr>(field: &str, text: &str) -> Result<T, model::ValidationFailed> {
    text.parse().map_err(|_| validation_failed([failure(field, "is not one of the known values")]))
}

/// Who makes a request, for what is noted of it.
fn actor(session: &Session, incoming: &Incoming) -> Actor {
    Actor {
        user_id: session.user_id,
        person_id: session.person_id,
        person_name: session.person_name.clone(),
        ip_address: browser::address(incoming),
    }
}

/// 403 for what only owners do.
fn only_owners(text: &str) -> model::Forbidden {
    model::Forbidden { body: model::ForbiddenError::new(model::ForbiddenErrorKind::Forbidden, text) }
}

/// 409 with a code.
fn conflict(kind: model::ConflictErrorKind, text: &str) -> model::Conflict {
    model::Conflict { body: model::ConflictError::new(kind, text) }
}

/// Returns the failure of a new password that is not accepted.
fn refused_password(field: &str, password: &str, name: &str, email: &str) -> Option<check::Failure> {
    let problem = passwords::problem(password, name, email)?;
    Some(failure(field, problem))
}
