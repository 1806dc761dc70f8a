//! Delivery of events to webhook endpoints.
//!
//! - `payload` writes an event as the contract describes it.
//! - `attempt` makes one attempt; `schedule` decides when the next one is due.
//! - `dispatcher` claims endpoints and makes the attempts that are due, some of each endpoint at a time.
//! - `recovery` queues events again that an endpoint has missed.
//! - `pruning` deletes events that are no longer kept.

mod attempt;
mod dispatcher;
mod payload;
mod pruning;
mod recovery;
mod schedule;

pub(crate) use self::attempt::outbound;
pub(crate) use self::dispatcher::Dispatcher;
pub(crate) use self::payload::recorded;
pub(crate) use self::pruning::PruneEvents;
pub(crate) use self::recovery::{RecoverDeliveries, recover};

/// The most endpoints of an account.
pub(crate) const MAX_ENDPOINTS: u64 = 20;
