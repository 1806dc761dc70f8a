//! Replacement of NUL characters, which PostgreSQL cannot store in text.

use std::borrow::Cow;

/// Returns the text with every NUL character replaced by U+FFFD, the replacement character.
///
/// The store does this to every text column, on both databases alike. Callers do it to texts inside of JSON
/// documents, and to texts that are used but not stored, so that all of them show the same text.
///
/// ```
/// assert_eq!(frontdesk_store::replace_nul("a\0b"), "a\u{fffd}b");
/// ```
pub fn replace_nul<'t>(text: impl Into<Cow<'t, str>>) -> String {
    let text = text.into();
    if text.contains('\0') { text.replace('\0', "\u{fffd}") } else { text.into_owned() }
}
