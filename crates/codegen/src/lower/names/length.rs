//! Length of names: file systems take names of 255 bytes, and modules are named like what they contain.

use std::borrow::Cow;

/// Most bytes of a name, with an underscore before each of its words.
const MOST: usize = 180;

/// Bytes that are kept of a longer one.
const KEPT: usize = 100;

/// Returns a name that a file can have. A shortened name ends in digits that depend on all of it, so that
/// names with the same beginning stay distinct, whatever else the document has.
pub(super) fn shortened(name: &str) -> Cow<'_, str> {
    let length = |text: &str| text.len() + text.chars().filter(|letter| letter.is_uppercase()).count();
    if length(name) <= MOST {
        return Cow::Borrowed(name);
    }
    let mut kept = 0;
    for (at, letter) in name.char_indices() {
        let end = at + letter.len_utf8();
        if length(&name[..end]) > KEPT {
            break;
        }
        kept = end;
    }
    let is_pascal = name.trim_start_matches("r#").starts_with(char::is_uppercase);
    let (mark, start) =
        if is_pascal { ("X", &name[..kept]) } else { ("_x", name[..kept].trim_end_matches('_')) };
    Cow::Owned(format!("{start}{mark}{:08x}", checksum(name)))
}

/// The 32 bits of FNV-1a.
fn checksum(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |sum, byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::shortened;

    #[test]
    fn long_names_are_shortened_and_stay_distinct() {
        assert_eq!(shortened("ListAccounts"), "ListAccounts");
        assert_eq!(shortened(&"a".repeat(180)), "a".repeat(180));
        let (one, other) = ("Name".repeat(75), "Name".repeat(75) + "s");
        assert!(shortened(&one).starts_with("NameName") && shortened(&one).len() < 120);
        assert_ne!(shortened(&one), shortened(&other));
        let snake = "some_name_".repeat(40);
        assert!(shortened(&snake).starts_with("some_name_") && !shortened(&snake).contains("__"));
        let umlauts = shortened(&"ü".repeat(200)).into_owned();
        assert!(umlauts.len() < 120 && umlauts.contains("_x"));
    }
}
