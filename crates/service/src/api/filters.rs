//! Filters of lists whose values are enumerations.

use frontdesk_runtime::check;

/// Adds a failing field if the value of a filter is none of the known ones. Later versions may add values, so
/// the document lets unknown ones through; a filter must not ignore them.
pub(in crate::api) fn check_known(
    name: &str,
    value: Option<&str>,
    known: &[&str],
    failures: &mut Vec<check::Failure>,
) {
    if value.is_some_and(|value| !known.contains(&value)) {
        let message = format!("must be one of {}", known.join(", "));
        failures.push(check::Failure { path: name.to_owned(), message });
    }
}
