//! What the service does beyond a request: jobs, requests that are repeated, limits of rates, and objects to
//! be deleted.

pub(crate) mod idempotency;
pub(crate) mod jobs;
pub(crate) mod rate_windows;
pub(crate) mod stored_objects;
