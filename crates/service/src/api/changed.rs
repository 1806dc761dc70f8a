//! Changes of nullable fields in the bodies of updates.

use frontdesk_runtime::Patch;

/// Returns what a nullable field becomes, or `None` if it stays.
#[expect(clippy::option_option, reason = "a field that stays and one that is cleared are different changes")]
pub(super) fn changed<T>(patch: Patch<T>) -> Option<Option<T>> {
    match patch {
        Patch::Absent => None,
        Patch::Null => Some(None),
        Patch::Value(value) => Some(Some(value)),
    }
}
