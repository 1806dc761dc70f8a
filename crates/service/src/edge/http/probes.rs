//! Paths that load balancers and supervisors probe.

/// Whether the process is alive.
pub(super) const HEALTH: &str = "/health";

/// Whether the process can do its work.
pub(super) const READY: &str = "/ready";

/// Returns whether a path is one that load balancers and supervisors probe, also directly and over plain
/// HTTP.
pub(super) fn is_probe(path: &str) -> bool {
    matches!(path, HEALTH | READY)
}
