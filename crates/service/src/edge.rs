//! Who may call, how often, and how requests come in and responses go out.
//!
//! [`Edge`] is what requests and responses need beside the platform. Nothing here knows what an operation
//! does.
//!
//! - `http`: listener, TLS, middleware, and the endpoints beside the interface.
//! - `authorization`: who calls, and whether the caller may; `rate_limit`: how often.
//! - `console`: requests of signed-in browsers: cookie, origin, and the gate to the interface.
//! - `changes`: what callers change, for those who have a page open.
//! - `idempotency`: repeated requests; `cursors`, `pages`: lists.
//! - `responses`: the wording of errors; `event_stream`: how a stream of events ends.
//! - `waiters`: the requests that wait for replies; `links`: addresses that a secret opens.

pub(crate) mod authorization;
pub(crate) mod changes;
pub(crate) mod console;
pub(crate) mod cursors;
pub(crate) mod event_stream;
pub(crate) mod http;
pub(crate) mod idempotency;
pub(crate) mod links;
pub(crate) mod pages;
pub(crate) mod rate_limit;
pub(crate) mod responses;
pub(crate) mod waiters;

use std::ops::Deref;

use frontdesk_store::{KeyHolder, Plan, Role, Scope, Session};
use jiff::Timestamp;
use uuid::Uuid;

use self::{cursors::Cursors, rate_limit::RateLimits, waiters::Waiters};
use crate::platform::Platform;

/// What requests and responses need, on the platform. Clones are cheap and share everything.
#[derive(Clone, Debug)]
pub struct Edge {
    /// What it runs on.
    pub platform: Platform,
    /// Signs and checks the cursors of lists.
    pub cursors: Cursors,
    /// How often callers may call.
    pub rate_limits: RateLimits,
    /// The requests that wait for replies.
    pub waiters: Waiters,
}

impl Deref for Edge {
    type Target = Platform;

    fn deref(&self) -> &Platform {
        &self.platform
    }
}

/// What a caller has proven who they are with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Via {
    /// An API key.
    Key,
    /// A session in a browser.
    Session {
        /// When the person last proved who they are.
        confirmed_at: Timestamp,
    },
}

/// Who makes a call: the creator of the API key or the person who is signed in, as of this request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The accounts that the caller reaches.
    pub scope: Scope,
    /// The caller's own account.
    pub account_id: Uuid,
    /// The creator of the key, or the person who is signed in.
    pub user_id: Uuid,
    /// The key, or the session.
    pub key_id: Uuid,
    /// Which of both it is.
    pub via: Via,
    /// The creator's present role.
    pub role: Role,
    /// What the account pays for at present.
    pub plan: Plan,
    /// The AI credits of the account in a month, where they differ from those of its plan.
    pub monthly_credits: Option<u64>,
    /// Requests a minute that the key may make, where they differ from the default.
    pub rate_per_minute: Option<u32>,
}

impl From<KeyHolder> for Caller {
    fn from(holder: KeyHolder) -> Self {
        Self {
            scope: holder.scope(),
            account_id: holder.account_id,
            user_id: holder.user_id,
            key_id: holder.key_id,
            via: Via::Key,
            role: holder.role,
            plan: holder.plan,
            monthly_credits: holder.monthly_credits,
            rate_per_minute: holder.rate_per_minute,
        }
    }
}

impl From<&Session> for Caller {
    fn from(session: &Session) -> Self {
        Self {
            scope: session.scope(),
            account_id: session.account_id,
            user_id: session.user_id,
            key_id: session.session_id,
            via: Via::Session { confirmed_at: session.confirmed_at },
            role: session.role,
            plan: session.plan,
            monthly_credits: session.monthly_credits,
            rate_per_minute: None,
        }
    }
}
