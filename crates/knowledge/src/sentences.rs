//! Sentence segmentation that does not split at abbreviations, ordinals or initials.

use std::sync::LazyLock;

use foldhash::HashSet;
use unicode_segmentation::UnicodeSegmentation;

/// Abbreviations that end in a full stop without ending a sentence, in lower case and without the last stop.
///
/// Abbreviations that often end a sentence (`etc.`, `Inc.`) are omitted: one split too many reads better than
/// two sentences joined.
const ABBREVIATIONS: [&str; 61] = [
    "e.g", "i.e", "cf", "vs", "approx", "no", "nos", "fig", "vol", "dept", "est", "max", "min", "incl",
    "excl", "mr", "mrs", "ms", "dr", "prof", "st", "jr", "sr", "z.b", "d.h", "u.a", "o.ä", "s.o", "s.u",
    "i.d.r", "bzw", "ca", "nr", "str", "abs", "art", "inkl", "exkl", "zzgl", "ggf", "evtl", "sog", "mind",
    "tel", "fr", "hr", "m", "mme", "mlle", "p.ex", "env", "av", "sra", "srta", "ud", "uds", "pág", "bijv",
    "d.w.z", "dott", "sig",
];

/// Returns the sentences of `text` in order, each a trimmed slice of it.
pub fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut bounds = text.split_sentence_bound_indices().skip(1).map(|(at, _)| at).collect::<Vec<_>>();
    bounds.push(text.len());
    for end in bounds {
        let piece = &text[start..end];
        if end < text.len() && continues(piece, &text[end..]) {
            continue;
        }
        let piece = piece.trim();
        if !piece.is_empty() {
            found.push(piece);
        }
        start = end;
    }
    found
}

/// Returns whether a sentence continues after a proposed boundary.
fn continues(piece: &str, rest: &str) -> bool {
    // A line break always ends a sentence.
    if piece.ends_with(['\n', '\r', '\u{2029}']) {
        return false;
    }
    let trimmed = piece.trim_end();
    let Some(before) = trimmed.strip_suffix('.') else {
        // Without an end mark, possibly followed by closing quotes, the sentence is not over.
        return !trimmed.ends_with(|last: char| {
            matches!(last, '!' | '?' | '…' | '。' | '！' | '？') || is_closing(last)
        });
    };
    let word =
        before.rsplit(|character: char| character.is_whitespace() || "([\"'„“«".contains(character)).next();
    let word = word.unwrap_or_default().to_lowercase();
    let initial = word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
    // "am 3. Mai": an ordinal before a month. Days have one or two digits.
    let ordinal = !word.is_empty() && word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_digit());
    let next_is_month = || {
        let next: String = rest.chars().take_while(|character| character.is_alphabetic()).collect();
        MONTHS.contains(&next.to_lowercase().as_str())
    };
    // "2 to 6 p.m. MT (by appointment)": the name of a time zone and a bracket belong to the time.
    let is_clock = matches!(word.as_str(), "a.m" | "p.m");
    let next_is_zone = || {
        let next = rest.split(|character: char| !character.is_alphanumeric()).next().unwrap_or_default();
        rest.starts_with('(')
            || ((2..=4).contains(&next.len()) && next.bytes().all(|byte| byte.is_ascii_uppercase()))
    };
    initial
        || (is_clock && next_is_zone())
        || is_abbreviation(&word)
        || (ordinal && next_is_month())
        || trimmed == format!("{word}.")
}

fn is_abbreviation(word: &str) -> bool {
    static WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| ABBREVIATIONS.into_iter().collect());
    WORDS.contains(word)
}

fn is_closing(character: char) -> bool {
    matches!(character, '"' | '\'' | ')' | ']' | '”' | '’' | '»' | '“' | '」' | '』')
}

/// German month names; German dates contain ordinals.
const MONTHS: [&str; 12] = [
    "januar",
    "februar",
    "märz",
    "april",
    "mai",
    "juni",
    "juli",
    "august",
    "september",
    "oktober",
    "november",
    "dezember",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_where_a_reader_would_stop() {
        for (text, expected) in [
            ("One. Two! Three?", &["One.", "Two!", "Three?"][..]),
            ("Ask Dr. Smith, e.g. by mail. He answers.", &["Ask Dr. Smith, e.g. by mail.", "He answers."]),
            ("Use tools, e.g. Photoshop. Done.", &["Use tools, e.g. Photoshop.", "Done."]),
            (
                "Version 1.2.3 is out. Get it at acme.example now.",
                &["Version 1.2.3 is out.", "Get it at acme.example now."],
            ),
            ("Wir öffnen z. B. Montags. Bis dann.", &["Wir öffnen z. B. Montags.", "Bis dann."]),
            ("Am 3. Mai ist zu. Danach offen.", &["Am 3. Mai ist zu.", "Danach offen."]),
            ("It costs $7. You can cancel.", &["It costs $7.", "You can cancel."]),
            ("Open 2 - 6 p.m. MT (not in May). Come in.", &["Open 2 - 6 p.m. MT (not in May).", "Come in."]),
            ("We close at 5 p.m. Come in.", &["We close at 5 p.m.", "Come in."]),
            ("See No. 5 on p. 12. End.", &["See No. 5 on p. 12.", "End."]),
            ("J. R. Smith wrote it. Yes.", &["J. R. Smith wrote it.", "Yes."]),
            ("He said “Stop.” Then he left.", &["He said “Stop.”", "Then he left."]),
            ("1. Open the app. 2. Log in.", &["1. Open the app.", "2. Log in."]),
            ("No end here", &["No end here"]),
            ("First line\nSecond line", &["First line", "Second line"]),
            ("¿Cuánto cuesta? Cuesta 7 €.", &["¿Cuánto cuesta?", "Cuesta 7 €."]),
            ("価格は7ドルです。税込みです。", &["価格は7ドルです。", "税込みです。"]),
            ("", &[]),
            ("  \n ", &[]),
            ("...", &["..."]),
        ] {
            assert_eq!(sentences(text), expected, "{text}");
        }
    }

    #[test]
    fn every_sentence_is_a_slice_and_nothing_is_lost() {
        let text = "Mr. A. met Mrs. B. at 5 p.m. They spoke (briefly). \"Fine!\" she said.  The end…";
        let found = sentences(text);
        assert!(found.iter().all(|sentence| text.contains(sentence)));
        let squeeze = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(squeeze(&found.concat()), squeeze(text));
    }
}
