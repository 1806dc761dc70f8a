//! Patterns of `LIKE`, in which `!` precedes what is meant literally.

use crate::sql::nul::replace_nul;

/// The pattern of texts that contain this one, in upper or lower case.
pub(crate) fn containing(text: &str) -> String {
    let mut pattern = String::from("%");
    for character in replace_nul(text).to_lowercase().chars() {
        if matches!(character, '!' | '%' | '_') {
            pattern.push('!');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}
