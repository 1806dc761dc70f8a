//! Texts in the sizes that others accept: pieces for messengers, and single lines for header fields.

/// Returns a text on one line, without control characters, so that it cannot begin another field.
pub fn one_line(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    text.trim().to_owned()
}

/// Splits a text into pieces of at most `limit` UTF-16 code units, which is how messengers count. Splits
/// between paragraphs, lines, sentences or words, in this order, unless a piece would then be less than half
/// full.
pub fn pieces(text: &str, limit: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let end = fitting(rest, limit.max(2));
        if end == rest.len() {
            pieces.push(rest);
            break;
        }
        let head = &rest[..end];
        let cut = ["\n\n", "\n", ". ", " "]
            .into_iter()
            .find_map(|mark| {
                head.rfind(mark).map(|at| at + mark.trim_end().len()).filter(|at| *at >= end / 2)
            })
            .unwrap_or(end);
        pieces.push(rest[..cut].trim_end());
        rest = rest[cut..].trim_start();
    }
    pieces
}

/// Returns the length in bytes of the longest beginning that fits.
fn fitting(text: &str, limit: usize) -> usize {
    let mut units = 0;
    for (at, c) in text.char_indices() {
        units += c.len_utf16();
        if units > limit {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_split_where_people_would() {
        assert_eq!(pieces("Hello", 10), ["Hello"]);
        assert_eq!(pieces("", 10), Vec::<&str>::new());
        assert_eq!(pieces("One two.\n\nThree", 10), ["One two.", "Three"]);
        assert_eq!(pieces("One. Two three", 10), ["One. Two", "three"]);
        assert_eq!(pieces("abcdefghijkl", 5), ["abcde", "fghij", "kl"]);
        assert_eq!(pieces("👍👍👍", 4), ["👍👍", "👍"]);
        let long = "Wörter und Sätze. ".repeat(1_000);
        let split = pieces(&long, 4_096);
        assert!(split.iter().all(|piece| piece.encode_utf16().count() <= 4_096));
        assert_eq!(split.concat().replace(' ', ""), long.replace(' ', ""));
    }
}
