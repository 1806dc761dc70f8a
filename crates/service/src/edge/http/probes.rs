//! Paths that load balancers and supervisors probe.

/// Whether the process is alive.
pub(super) const HEALTH: &str = "/health";

/// Whether the process can do its work.
pub(super) const READY: &str = "/ready";

/// Counts and gauges, for the networks that the operator has allowed only.
pub(super) const METRICS: &str = "/metrics";

/// Returns whether a path has nothing secret, so that it may be read over plain HTTP, also beside the proxy
/// that ends HTTPS for all others.
pub(super) fn is_public(path: &str) -> bool {
    is_probe(path) || path == METRICS
}

/// Returns whether a path is one that load balancers and supervisors probe, also directly and over plain
/// HTTP.
pub(super) fn is_probe(path: &str) -> bool {
    matches!(path, HEALTH | READY)
}
