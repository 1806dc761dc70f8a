//! The words of messages, as tokens of the search index.

use std::collections::BTreeSet;

use uuid::Uuid;

use crate::sql::index_tokens;

/// Words of a query that count; the first ones do.
const MAX_QUERY_WORDS: usize = 10;

/// The number that keeps the tokens of an account apart from those of others: the random part of its id.
/// Queries check the account as well; the number spares them the entries of others.
fn account_no(account_id: Uuid) -> i64 {
    let (_, low) = account_id.as_u64_pair();
    i64::try_from(low >> 1).unwrap_or_default()
}

/// Returns the words of a text in lower case. Each character of a script without spaces is a word.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for character in text.chars().flat_map(char::to_lowercase) {
        let is_word_of_its_own =
            matches!(character, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{e00}'..='\u{e7f}');
        if is_word_of_its_own {
            words.extend([character.to_string(), String::new()]);
        } else if character.is_alphanumeric() {
            words.last_mut().expect("there is always one").push(character);
        } else {
            words.push(String::new());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Returns the entry of a message in the index.
pub(crate) fn entry(account_id: Uuid, texts: &[&str]) -> String {
    let words: Vec<String> = texts.iter().flat_map(|text| words(text)).collect();
    index_tokens::tokens(account_no(account_id), words.iter().map(String::as_str))
}

/// Returns the tokens that a message must have to be found; the last one is a beginning of a token. No words
/// find nothing.
pub(crate) fn query(account_id: Uuid, text: &str) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut words = words(text);
    words.retain(|word| seen.insert(word.clone()));
    words.truncate(MAX_QUERY_WORDS);
    words.iter().map(|word| index_tokens::token(account_no(account_id), word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_split_into_words() {
        assert_eq!(
            words("Order #4711, Äpfel & ann@x.example"),
            ["order", "4711", "äpfel", "ann", "x", "example"]
        );
        assert_eq!(words("東京 a"), ["東", "京", "a"]);
        assert!(words(" -- ").is_empty());
    }

    #[test]
    fn accounts_have_tokens_of_their_own() {
        let [one, other] = [Uuid::now_v7(), Uuid::now_v7()];
        assert_ne!(query(one, "refund"), query(other, "refund"));
        assert!(entry(one, &["A refund"]).contains(&query(one, "REFUND")[0]));
        assert_eq!(query(one, "a a b").len(), 2);
    }
}
