//! Signatures: what programs put below a text.

use crate::{
    lines::has_words,
    phrases::SENT_FROM,
    words::{CONTACT, NOT_A_REQUEST, REQUESTS, entries},
};

/// Most lines of a signature.
const MAX_LINES: usize = 20;

/// Most lines of a signature that has nothing in it by which its owner is reached.
const MAX_LINES_WITHOUT_CONTACT: usize = 4;

/// Returns the lines without a signature. What the sender has written stays, even below two dashes: a
/// question, a request, a list, a postscript.
pub(crate) fn without<'a, 'b>(lines: &'b [&'a str]) -> &'b [&'a str] {
    let mut kept = lines;
    if let Some(at) = lines.iter().rposition(|line| is_delimiter(line))
        && is_signature(&lines[..at], &lines[at + 1..])
    {
        kept = &lines[..at];
    }
    while let Some(last) = kept.iter().rposition(|line| !line.trim().is_empty()) {
        if !is_of_device(kept, last) || !has_words(&kept[..last]) {
            break;
        }
        kept = &kept[..last];
    }
    let end = kept.iter().rposition(|line| !line.trim().is_empty()).map_or(0, |end| end + 1);
    &kept[..end]
}

fn is_delimiter(line: &str) -> bool {
    matches!(line.trim_end(), "--" | "—")
}

/// Returns whether a line is what a telephone or a program adds, such as "Sent from my iPhone".
fn is_of_device(lines: &[&str], at: usize) -> bool {
    let line = lines[at].trim().trim_start_matches(['*', '_', '[', '(']);
    let lower = line.to_lowercase();
    let is_known = line.chars().count() <= 120 && SENT_FROM.iter().any(|phrase| lower.starts_with(phrase));
    // A sentence that continues from the line above is the sender's.
    let is_alone = at == 0 || lines[at - 1].trim().is_empty() || is_delimiter(lines[at - 1]);
    is_known && (is_alone || !line.starts_with(char::is_lowercase))
}

/// Returns whether the lines below two dashes are a signature.
fn is_signature(before: &[&str], after: &[&str]) -> bool {
    let said: Vec<&str> = after.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect();
    if after.len() >= MAX_LINES || !has_words(before) {
        return false;
    }
    let is_announced = before
        .iter()
        .rfind(|line| !line.trim().is_empty())
        .is_some_and(|line| line.trim_end().ends_with(':'));
    if is_announced || said.iter().any(|line| is_said(line)) {
        return false;
    }
    // Dashes that come more than once separate the points of a text.
    let separates = before.iter().any(|line| is_delimiter(line));
    let is_short = said.len() <= MAX_LINES_WITHOUT_CONTACT && !separates;
    is_short || said.iter().any(|line| has_contact(line))
}

/// Returns whether a line is a question, a request, a point of a list, or a postscript.
fn is_said(line: &str) -> bool {
    let lower = line.to_lowercase();
    let is_question = line.split_whitespace().any(|word| {
        let word = word.trim_end_matches(['"', ')', '!', '”', '»']);
        word.ends_with(['?', '？']) && !word.contains("://")
    });
    let is_postscript = ["p.s", "ps:", "ps ", "ps.", "p. s.", "n.b", "nb:", "post scriptum"]
        .iter()
        .any(|start| lower.starts_with(start));
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_number = (1..=2).contains(&(line.len() - number.len()))
        && (number.starts_with(") ") || number.starts_with(". "));
    // A title may be between dashes.
    let has_bullet =
        ["- ", "* ", "• "].iter().any(|bullet| line.starts_with(bullet)) && !line.ends_with(" -");
    let is_point = is_number || has_bullet;
    is_question || is_postscript || is_point || is_request(&lower)
}

/// Returns whether a line asks for something. Signatures ask as well, not to print them and to delete them.
fn is_request(lower: &str) -> bool {
    let asks = entries(REQUESTS).any(|phrase| {
        lower.match_indices(phrase).any(|(at, _)| {
            let before = lower[..at].chars().next_back();
            let after = lower[at + phrase.len()..].chars().next();
            !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
        })
    });
    asks && !entries(NOT_A_REQUEST).any(|part| lower.contains(part))
}

/// Returns whether a line says how its owner is reached.
fn has_contact(line: &str) -> bool {
    let lower = line.to_lowercase();
    let digits = line.chars().filter(char::is_ascii_digit).count();
    // A code of the post before a town, as in `20457 Hamburg`.
    let code = line.split(' ').next().unwrap_or_default();
    let is_town = (4..=5).contains(&code.len()) && code.bytes().all(|byte| byte.is_ascii_digit());
    is_town || digits >= 6 || entries(CONTACT).any(|part| lower.contains(part))
}
