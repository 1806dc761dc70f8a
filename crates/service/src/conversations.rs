//! Conversations beside their operations: requests that wait for replies, and visitors who wait for a person.

mod unclaimed;
mod waiters;

pub(crate) use unclaimed::TellUnclaimed;
pub(crate) use waiters::{Waiters, WaitingLimits};
