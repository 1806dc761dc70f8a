//! The name of the runtime crate in generated code.

/// The runtime crate as emitters name it.
pub(super) const RUNTIME: &str = "frontdesk_runtime";

/// Returns generated Rust in which paths begin with another name of the runtime crate.
///
/// Only paths are renamed: literals, comments, fields and functions have their names from the document.
pub(super) fn renamed(text: &str, runtime: &str) -> String {
    let (bytes, name) = (text.as_bytes(), RUNTIME.as_bytes());
    let mut renamed = String::with_capacity(text.len());
    let (mut at, mut copied) = (0, 0);
    while let Some(byte) = bytes.get(at) {
        at = match byte {
            b'/' if bytes[at..].starts_with(b"//") => end_of_line(bytes, at),
            b'"' => end_of_string(bytes, at),
            b'\'' => end_of_character(bytes, at),
            first if *first == name[0] && bytes[at..].starts_with(name) => {
                let end = at + name.len();
                if begins_path(bytes, at, end) {
                    renamed.push_str(&text[copied..at]);
                    renamed.push_str(runtime);
                    copied = end;
                }
                end
            }
            _ => at + 1,
        };
    }
    renamed.push_str(&text[copied..]);
    renamed
}

/// Whether an identifier is the first of a path, or is imported under another name.
fn begins_path(bytes: &[u8], start: usize, end: usize) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    let before = &bytes[..start];
    let follows = before.last().is_some_and(is_part) || before.ends_with(b"::") || before.ends_with(b"r#");
    !follows && (bytes[end..].starts_with(b"::") || bytes[end..].starts_with(b" as "))
}

fn end_of_line(bytes: &[u8], start: usize) -> usize {
    find(bytes, start, b"\n")
}

/// The end of a string, which is raw if it has `r` and perhaps `#` before its quotation mark.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let hashes = bytes[..start].iter().rev().take_while(|byte| **byte == b'#').count();
    let before = &bytes[..start - hashes];
    let is_raw = before.ends_with(b"r")
        && !before.iter().rev().nth(1).is_some_and(|byte| byte.is_ascii_alphanumeric() && *byte != b'b');
    if is_raw {
        let close = [b"\"", vec![b'#'; hashes].as_slice()].concat();
        return find(bytes, start + 1, &close);
    }
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The end of a character, or of the mark of a lifetime.
fn end_of_character(bytes: &[u8], start: usize) -> usize {
    match bytes.get(start + 1) {
        Some(b'\\') => find(bytes, start + 3, b"'"),
        // A character has up to four bytes.
        _ => (start + 2..=start + 5)
            .find(|at| bytes.get(*at) == Some(&b'\'') && (*at == start + 2 || !bytes[start + 1].is_ascii()))
            .map_or(start + 1, |at| at + 1),
    }
}

/// The end of the next occurrence of a pattern, or of the text.
fn find(bytes: &[u8], start: usize, pattern: &[u8]) -> usize {
    let rest = bytes.get(start..).unwrap_or_default();
    let found = rest.windows(pattern.len()).position(|part| part == pattern);
    found.map_or(bytes.len(), |at| start + at + pattern.len())
}

#[cfg(test)]
mod tests {
    use super::renamed;

    #[test]
    fn paths_are_renamed() {
        for (text, expected) in [
            ("use frontdesk_runtime::{A, b::C};", "use shop_runtime::{A, b::C};"),
            ("pub use frontdesk_runtime as runtime;", "pub use shop_runtime as runtime;"),
            ("fn a(x: &'a frontdesk_runtime::A) {}", "fn a(x: &'a shop_runtime::A) {}"),
            ("Vec<frontdesk_runtime::A>", "Vec<shop_runtime::A>"),
            ("f('\"', frontdesk_runtime::A, '\\'', \"\\\"\")", "f('\"', shop_runtime::A, '\\'', \"\\\"\")"),
            ("r#\"a\"b\"#; frontdesk_runtime::A", "r#\"a\"b\"#; shop_runtime::A"),
            ("'é'; frontdesk_runtime::A; \"'\"", "'é'; shop_runtime::A; \"'\""),
        ] {
            assert_eq!(renamed(text, "shop_runtime"), expected);
        }
    }

    #[test]
    fn names_and_texts_of_the_document_stay() {
        for text in [
            "/// See frontdesk_runtime::A.",
            "pub frontdesk_runtime: String,",
            "frontdesk_runtime: required \"a frontdesk_runtime::A\",",
            "self.frontdesk_runtime = frontdesk_runtime;",
            "r#\"{\"a\":\"frontdesk_runtime::A\"}\"#",
            "b\"\\\"frontdesk_runtime::A\"",
            "my_frontdesk_runtime::A",
            "frontdesk_runtimes::A",
            "self::tags::frontdesk_runtime::A",
        ] {
            assert_eq!(renamed(text, "shop_runtime"), text);
        }
    }
}
