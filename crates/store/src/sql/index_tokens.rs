//! Tokens of the full-text index: the words of a chunk under the number of its chatbot.

use std::fmt::Write;

/// Bytes of a word that count; longer words are equal to the index when they begin alike.
const MAX_WORD_BYTES: usize = 100;

/// What follows the number of the chatbot in the token of a word. Letters `a` to `y` and digits stand for
/// themselves, any other byte for `z` and its value in hexadecimal; `zz` therefore occurs only after the
/// number.
pub(crate) fn term(word: &str) -> String {
    let mut term = String::new();
    push_term(&mut term, word);
    term
}

fn push_term(text: &mut String, word: &str) {
    text.push_str("zz");
    for byte in word.bytes().take(MAX_WORD_BYTES) {
        match byte {
            b'a'..=b'y' | b'0'..=b'9' => text.push(char::from(byte)),
            other => write!(text, "z{other:02x}").expect("a string takes any text"),
        }
    }
}

/// The token of a word in the index of a chatbot, or of whatever the number stands for.
pub(crate) fn token(chatbot_no: i64, word: &str) -> String {
    format!("{chatbot_no}{}", term(word))
}

/// The index entry of a chunk: the tokens of the words of its fields.
pub(crate) fn tokens<'a>(chatbot_no: i64, fields: impl Iterator<Item = &'a str>) -> String {
    let mut words: Vec<&str> = fields.flat_map(str::split_whitespace).collect();
    if words.is_empty() {
        // Index entries are not empty; no word has this token.
        return format!("{chatbot_no}zz");
    }
    words.sort_unstable();
    words.dedup();
    let number = chatbot_no.to_string();
    let mut tokens = String::with_capacity(words.iter().map(|word| number.len() + word.len() + 4).sum());
    for (index, word) in words.into_iter().enumerate() {
        if index > 0 {
            tokens.push(' ');
        }
        tokens.push_str(&number);
        push_term(&mut tokens, word);
    }
    tokens
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn tokens_hold_letters_and_digits_only_and_differ_where_words_differ() {
        let words =
            ["refund", "npm_token", "zebra", "z7aebra", "Ünïcode", "\"", "near*", "日本", "a b", "-", "7zz"];
        let tokens: BTreeSet<String> = words.iter().map(|word| token(7, word)).collect();
        assert_eq!(tokens.len(), words.len());
        for token in &tokens {
            assert!(token.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()), "{token}");
            assert_eq!(token.find("zz"), Some(1), "{token}");
        }
        assert_eq!(token(42, "npm_tok"), "42zznpmz5ftok");
        assert_ne!(token(1, "1zzx"), token(11, "x"));
    }

    #[test]
    fn the_entry_of_a_chunk_names_each_word_once_and_is_never_empty() {
        assert_eq!(tokens(3, ["b a", "a", ""].into_iter()), "3zza 3zzb");
        assert_eq!(tokens(3, ["", ""].into_iter()), "3zz");
    }
}
