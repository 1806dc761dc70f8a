//! The operations of a window of events.

/// What is asked of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    /// Admit an event and count it, if the limit allows it.
    Take,
    /// Say whether an event would be admitted, without counting it.
    Check,
}
