//! Subjects: without the prefixes that programs add.

use crate::plain;

/// Longest subject in characters.
const MAX_CHARS: usize = 998;

/// Prefixes of responses in the languages of common mail programs, without the colon, in lower case.
const REPLY: &[&str] = &[
    "re",
    "aw",
    "antw",
    "antwort",
    "sv",
    "vs",
    "odp",
    "ynt",
    "yan",
    "res",
    "rif",
    "r",
    "ref",
    "bls",
    "atb",
    "vá",
    "回复",
    "回覆",
    "答复",
    "回信",
    "返信",
    "回答",
    "답장",
    "отв",
    "ответ",
    "απ",
    "σχετ",
    "תגובה",
    "رد",
    "ha",
    "trả lời",
    "ตอบ",
    "re^",
    "réf",
    "rép",
];

/// Prefixes of forwarded messages.
const FORWARD: &[&str] = &[
    "fw",
    "fwd",
    "wg",
    "tr",
    "rv",
    "enc",
    "i",
    "vb",
    "vl",
    "doorst",
    "pd",
    "vid",
    "továbbítás",
    "ilt",
    "转发",
    "轉寄",
    "転送",
    "전달",
    "пересл",
    "fs",
    "vidarebefordrat",
    "weitergeleitet",
    "συν",
    "הועבר",
    "إعادة توجيه",
];

/// Returns a subject on one line, cut to 998 characters.
pub(crate) fn one_line(subject: &str) -> String {
    plain::cut(&plain::clean_line(subject), MAX_CHARS).to_owned()
}

/// Returns a subject without the prefixes of responses and forwarded messages, with single spaces and in
/// lower case. Subjects of the same exchange are equal in this form.
pub fn base_subject(subject: &str) -> String {
    let mut rest = subject.trim();
    while let Some((_, after)) = prefix(rest) {
        rest = after.trim_start();
    }
    rest.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Returns whether the first prefix of a subject is that of a forwarded message. The text of such a message
/// is what it forwards.
pub fn is_forward(subject: &str) -> bool {
    prefix(subject.trim()).is_some_and(|(prefix, _)| FORWARD.contains(&prefix.as_str()))
}

/// Returns whether the first prefix of a subject is that of a response. `Ref:` is none here: people begin
/// subjects with it.
pub(crate) fn is_reply(subject: &str) -> bool {
    prefix(subject.trim()).is_some_and(|(prefix, _)| prefix != "ref" && REPLY.contains(&prefix.as_str()))
}

/// Returns the first prefix in lower case, such as `re` of `Re[2]: Hello`, and what follows it.
fn prefix(subject: &str) -> Option<(String, &str)> {
    let end = subject.find([':', '：'])?;
    let (prefix, rest) = subject.split_at(end);
    if prefix.chars().count() > 20 {
        return None;
    }
    let mut prefix = prefix.trim().to_lowercase();
    // Counters: `Re[2]`, `Re(2)`, `Re^2`.
    if let Some(at) = prefix.find(['[', '(', '^'])
        && prefix[at..].chars().all(|c| c.is_ascii_digit() || "[]()^".contains(c))
    {
        prefix.truncate(at);
    }
    let prefix = prefix.trim().to_owned();
    let is_known = REPLY.contains(&prefix.as_str()) || FORWARD.contains(&prefix.as_str());
    is_known.then(|| (prefix, rest.trim_start_matches([':', '：'])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_of_many_languages_are_removed() {
        for subject in [
            "Delivery times",
            "Re: Delivery times",
            "RE: AW: Delivery  times",
            "Re[2]: delivery times",
            "回复：Delivery times",
            "SV: Fwd: Re: DELIVERY TIMES",
            "Odp: WG: Delivery times",
            "Re(3): Delivery times",
            "RE : Delivery times",
        ] {
            assert_eq!(base_subject(subject), "delivery times", "{subject}");
        }
        assert_eq!(base_subject("Order 12: late"), "order 12: late");
        assert_eq!(base_subject("Re:"), "");
    }

    #[test]
    fn forwards_are_recognized() {
        assert!(is_forward("Fwd: Invoice") && is_forward("WG: Rechnung") && is_forward("TR : Facture"));
        assert!(!is_forward("Re: Fwd: Invoice") && !is_forward("Invoice") && !is_forward(""));
    }
}
