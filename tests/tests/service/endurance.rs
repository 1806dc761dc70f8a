//! Crashes, floods, and websites that mean harm.

mod crashes;
mod credits;
mod forbidden_sites;
mod hostile_clients;
mod hostile_sites;
mod rate;
mod slow_hosts;
mod termination;
