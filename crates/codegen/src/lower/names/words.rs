//! Splitting of names into words at spaces and capitals.

use super::affixes;

/// Words whose capitals are no breaks: `OAuth2Token` is `oauth2_token`, and as a type `Oauth2Token`.
const ONE_WORD: &[&str] =
    &["OAuth", "OpenID", "GitHub", "GitLab", "IPv4", "IPv6", "iOS", "macOS", "ETag", "eTag"];

/// Whether text consists of words in snake_case: one that this module and heck leave as it is.
pub(super) fn are_snake_case(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.split('_').all(|word| {
            !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        })
}

/// Splits text into words at capitals and spaces, without meaningless affixes.
pub(super) fn spelled(text: &str) -> String {
    let mut text = affixes::in_words(affixes::without(text));
    if !text.contains(|letter: char| letter.is_ascii_uppercase()) {
        return text;
    }
    for word in ONE_WORD {
        if text.contains(word) {
            text = joined(&text, word);
        }
    }
    plurals(&text)
}

/// Text in which the word, where it begins as a word does, has one capital, its first letter.
fn joined(text: &str, word: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(word) {
        let (before, found) = rest.split_at(at);
        let (found, after) = found.split_at(word.len());
        joined.push_str(before);
        let inside = joined.chars().next_back().is_some_and(|last| match word {
            // `SITETag` is a tag.
            "ETag" => last.is_uppercase(),
            _ => word.starts_with(char::is_lowercase) && last.is_alphabetic(),
        });
        if inside {
            joined.push_str(found);
        } else {
            let (first, others) = found.split_at(1);
            joined.push_str(&format!("{}{}", first.to_uppercase(), others.to_lowercase()));
        }
        rest = after;
    }
    joined.push_str(rest);
    joined
}

/// Text in which an acronym and the `s` of its plural are one word: `listURLs` is `listUrls`.
fn plurals(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let mut plurals = letters.clone();
    let is = |at: usize, test: fn(char) -> bool| letters.get(at).copied().is_some_and(test);
    let mut first = 0;
    while first < letters.len() {
        let capitals = letters[first..].iter().take_while(|letter| letter.is_ascii_uppercase()).count();
        let end = first + capitals;
        if capitals > 1 && is(end, |letter| letter == 's') && !is(end + 1, char::is_lowercase) {
            plurals[first + 1..end].iter_mut().for_each(char::make_ascii_lowercase);
        }
        first = end + 1;
    }
    plurals.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::{are_snake_case, spelled};
    use heck::ToSnakeCase;

    #[test]
    fn what_is_snake_case_stays() {
        for text in ["id", "pull_request_url", "a", "sha256", "x_1", "v1_2b", "a1b2_c3"] {
            assert!(are_snake_case(text), "{text}");
            assert_eq!(spelled(text).to_snake_case(), text);
        }
        for text in
            ["", "_", "_id", "id_", "a__b", "1a", "1", "pullRequest", "a b", "a-b", "größe", "$top", "+1"]
        {
            assert!(!are_snake_case(text), "{text}");
        }
    }

    #[test]
    fn capitals_within_a_word_begin_none() {
        for (text, words) in [
            ("RedirectURLs", "RedirectUrls"),
            ("listIDsOfVMs", "listIdsOfVms"),
            ("AWSsource", "AWSsource"),
            ("thisIsAs", "thisIsAs"),
            ("myOAuth2Token", "myOauth2Token"),
            ("PSUOAuth2", "PSUOauth2"),
            ("eTag", "Etag"),
            ("ifETags", "ifEtags"),
            ("scoreTag", "scoreTag"),
            ("SITETag", "SITETag"),
            ("radiOS", "radiOS"),
        ] {
            assert_eq!(spelled(text), words);
        }
    }
}
