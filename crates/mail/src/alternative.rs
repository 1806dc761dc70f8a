//! The choice between the plain text of a message and its HTML, which should say the same.

use std::collections::HashSet;

/// A plain text with more words is neither a placeholder nor cut short.
const MAX_PLAIN_WORDS: usize = 1_000;

/// Words of the HTML that are compared.
const MAX_HTML_WORDS: usize = 5_000;

/// A plain text with more words says more than that there is HTML.
const MAX_NOTICE_WORDS: usize = 80;

/// Returns whether the text of the HTML says more than the plain text: some programs write only a notice or
/// an address there, or the beginning.
pub(crate) fn prefers_html(plain: &str, html: &str) -> bool {
    let in_plain = words(plain, MAX_PLAIN_WORDS);
    if in_plain.len() >= MAX_PLAIN_WORDS {
        return false;
    }
    let in_html = words(html, MAX_HTML_WORDS);
    if in_html.is_empty() || in_plain.is_empty() {
        // An address alone is better than nothing.
        return !in_html.is_empty();
    }
    let known: HashSet<&str> = in_html.iter().map(String::as_str).collect();
    let shared = in_plain.iter().filter(|word| known.contains(word.as_str())).count();
    let (plain_words, html_words) = (in_plain.len(), in_html.len());
    if shared * 10 >= plain_words * 9 {
        return html_words > plain_words * 3 / 2 + 4;
    }
    if shared * 2 >= plain_words {
        // Both say things that the other does not.
        return html_words > plain_words * 4 + 10;
    }
    let is_notice = plain_words <= MAX_NOTICE_WORDS
        && in_plain.iter().any(|word| matches!(word.as_str(), "html" | "mime" | "browser"));
    is_notice || html_words > plain_words * 2 + 5
}

/// Returns whether two texts say the same, as where a program sends both formats one after the other.
pub(crate) fn says_the_same(one: &str, other: &str) -> bool {
    let (one, other) = (words(one, MAX_HTML_WORDS), words(other, MAX_HTML_WORDS));
    let are_in = |these: &[String], those: &[String]| {
        let known: HashSet<&str> = those.iter().map(String::as_str).collect();
        these.iter().filter(|word| known.contains(word.as_str())).count() * 20 >= these.len() * 19
    };
    !one.is_empty()
        && one.len().abs_diff(other.len()) * 20 <= one.len()
        && are_in(&one, &other)
        && are_in(&other, &one)
}

/// Returns the words of a text in lower case, without web addresses. Characters of languages without spaces
/// are words.
fn words(text: &str, most: usize) -> Vec<String> {
    let mut words = Vec::new();
    for token in text.split_whitespace().filter(|token| !is_address(token)) {
        let mut word = String::new();
        for character in token.chars() {
            let is_alone = u32::from(character) > 0x2e80;
            if (is_alone || !character.is_alphanumeric()) && !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
            if character.is_alphanumeric() {
                word.extend(character.to_lowercase());
            }
            if is_alone && !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
        }
        if !word.is_empty() {
            words.push(word);
        }
        if words.len() >= most {
            words.truncate(most);
            break;
        }
    }
    words
}

fn is_address(token: &str) -> bool {
    token.contains("://") || token.trim_start_matches(['<', '(', '[']).starts_with("www.")
}

#[cfg(test)]
mod tests {
    use super::prefers_html;

    #[test]
    fn notices_addresses_and_beginnings_give_way() {
        let html = "I want to cancel order 8812 and get my 75 euros back.";
        for plain in [
            "Please view this message in an HTML capable mail client.",
            "Your e-mail program does not support HTML.",
            "This is a multi-part message in MIME format.",
            "Ihr E-Mail-Programm unterstützt leider keine HTML-E-Mails.",
            "Votre messagerie ne prend pas en charge le HTML : https://shop.example/1",
            "Su programa de correo no muestra HTML",
            "http://view.mail.example/123",
            "Online: <https://view.mail.example/123>",
            "I want to",
            "I want to cancel",
            "---",
            "",
        ] {
            assert!(prefers_html(plain, html), "{plain}");
        }
        assert!(prefers_html("你好", "你好，我要取消订单，请退回七十五欧元"));
    }

    #[test]
    fn a_plain_text_of_its_own_stays() {
        let html = "I want to cancel order 8812 and get my 75 euros back.";
        for plain in [
            html,
            "I want to *cancel* order 8812 and\nget my 75 euros back.",
            "I want to cancel order 8812 and get my 75 euros back. My number is 0113 496 0042.",
            "The HTML of my page: I want to cancel order 8812 and get my 75 euros back.",
            "I want to cancel order 8812, now. Call me on 0113 496 0042 tomorrow.",
        ] {
            assert!(!prefers_html(plain, html), "{plain}");
        }
        assert!(!prefers_html("Please see https://a.example/b", ""));
        assert!(!prefers_html(&"word ".repeat(5_000), &"other ".repeat(50_000)));
    }
}
