//! The choice between the plain text of a message and its HTML, which should say the same.

use std::collections::HashSet;

use crate::words::{NOTICES, entries};

/// A plain text with more words is neither a placeholder nor cut short.
const MAX_PLAIN_WORDS: usize = 1_000;

/// Words of the HTML that are compared.
const MAX_HTML_WORDS: usize = 5_000;

/// A plain text with more words says more than that there is HTML.
const MAX_NOTICE_WORDS: usize = 80;

/// A text with more words is not only the announcement of an address.
const MAX_LINK_WORDS: usize = 12;

/// Longest text for a picture, in bytes.
const MAX_PICTURE_BYTES: usize = 200;

/// Returns whether the text of the HTML says more than the plain text: some programs write only a notice or
/// an address there, or the beginning.
pub(crate) fn prefers_html(plain: &str, html: &str) -> bool {
    let plain = without_pictures(plain);
    let in_plain = words(&plain, MAX_PLAIN_WORDS);
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
    is_notice(&plain, &in_plain) || html_words > plain_words * 2 + 5
}

/// Returns whether a text is not the message, but says where it is: in the HTML, or on a page.
fn is_notice(plain: &str, words: &[String]) -> bool {
    if words.len() > MAX_NOTICE_WORDS {
        return false;
    }
    let leads_to_page = words.len() <= MAX_LINK_WORDS && plain.split_whitespace().any(is_address);
    let lower = plain.to_lowercase();
    leads_to_page
        || words.iter().any(|word| matches!(word.as_str(), "html" | "mime"))
        || entries(NOTICES).any(|notice| lower.contains(notice))
}

/// Returns a text without what programs write for pictures, such as `[image: Logo]`.
fn without_pictures(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('[') {
        let (before, from) = rest.split_at(start);
        out.push_str(before);
        let is_picture = from.starts_with("[image") || from.starts_with("[cid:");
        let end = from.bytes().take(MAX_PICTURE_BYTES).position(|byte| byte == b']').filter(|_| is_picture);
        match end {
            Some(end) => rest = &from[end + 1..],
            None => {
                out.push('[');
                rest = &from[1..];
            }
        }
    }
    out + rest
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
            "Im Browser ansehen: https://view.mail.example/123",
            "To see this message, please use an email client that can display rich text.",
            "Uw e-mailprogramma kan dit bericht niet weergeven.",
            "[image: Logo]\n[cid:image001.png@01DB]",
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
