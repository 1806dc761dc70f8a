//! Disagreements that are intended, with the reason of each.

use super::judgement::Difference;

/// A kind of disagreement that is intended.
#[derive(Clone, Copy, Debug)]
pub struct Exception {
    /// The kind, with its reason.
    pub name: &'static str,
    covers: fn(&Difference) -> bool,
}

/// All exceptions; the first one that covers a disagreement counts.
const EXCEPTIONS: &[Exception] = &[];

/// Returns the exception that covers a disagreement.
pub fn of(difference: &Difference) -> Option<Exception> {
    EXCEPTIONS.iter().copied().find(|exception| (exception.covers)(difference))
}
