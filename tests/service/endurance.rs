//! Crashes, floods, and websites that mean harm.

mod crashes;
mod credits;
mod follow_ups;
mod forbidden_sites;
mod gated_mail;
mod hostile_clients;
mod hostile_neighbor;
mod hostile_sites;
mod interruptions;
mod large_site;
mod rate;
mod slow_hosts;
mod termination;
mod waiting;
mod webhooks;

pub(crate) use crashes::restart;
