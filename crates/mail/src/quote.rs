//! Replies without what they quote.
//!
//! Programs put the message that is responded to below the new text, after a line such as
//! `On 3 May, Ada wrote:`, after a block of header fields, or in lines that begin with `>`. The rules here
//! prefer to keep too much: a line is cut only if its form is unmistakable, and answers between quoted lines
//! keep the quotes, without which they make no sense.

use crate::phrases::{FIELDS, ORIGINAL, SENT_FROM, WROTE};

/// Most lines that the line before a quote is broken into.
const MAX_ATTRIBUTION_LINES: usize = 4;

/// Most characters of the line before a quote.
const MAX_ATTRIBUTION_CHARS: usize = 300;

/// Most lines of a signature.
const MAX_SIGNATURE_LINES: usize = 20;

/// A text in two parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// What the sender has written.
    pub reply: String,
    /// The messages that it quotes and the signature, if there are any.
    pub folded: Option<String>,
}

/// Splits a text into what its sender has written, and the messages that it quotes with the signature. The
/// first part is the whole text if nothing else would remain. Each line is in one of both.
pub fn split(text: &str) -> Split {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let (end, rest) = cut_quotes(&lines);
    // The places of the lines that the sender has written.
    let mut written: Vec<usize> = (0..end).chain(rest..lines.len()).collect();
    let texts = |places: &[usize]| places.iter().map(|place| lines[*place]).collect::<Vec<_>>();
    if !has_words(&texts(&written)) {
        written = (0..lines.len()).collect();
    }
    written.truncate(cut_signature(&texts(&written)).len());
    let part = |is_written: bool| {
        let places = (0..lines.len()).filter(|place| written.binary_search(place).is_ok() == is_written);
        texts(&places.collect::<Vec<_>>()).join("\n").trim_matches('\n').to_owned()
    };
    Split { reply: part(true), folded: Some(part(false)).filter(|folded| !folded.trim().is_empty()) }
}

fn has_words(lines: &[&str]) -> bool {
    lines.iter().any(|line| !is_quoted(line) && line.chars().any(char::is_alphanumeric))
}

fn is_quoted(line: &str) -> bool {
    line.trim_start().starts_with('>')
}

/// Returns the part of a text that is not a quote: the lines before the first index, and those from the
/// second one on.
fn cut_quotes(lines: &[&str]) -> (usize, usize) {
    let before = |start: usize| (trim_quoted_end(&lines[..start]), lines.len());
    for start in 0..lines.len() {
        if starts_block(&lines[start..]) {
            return before(start);
        }
        if let Some(length) = attribution(&lines[start..]) {
            let after = &lines[start + length..];
            let quoted = after.iter().take_while(|line| is_quoted(line) || line.trim().is_empty()).count();
            let rest = &after[quoted..];
            let has_quote = after[..quoted].iter().any(|line| is_quoted(line));
            if !has_quote {
                // HTML programs mark the quote in other ways, so all that follows is the quote.
                if has_words(&lines[..start]) {
                    return before(start);
                }
                continue;
            }
            if !has_words(rest) {
                return before(start);
            }
            // The new text is below the quote, or between the quoted lines.
            if rest.iter().any(|line| is_quoted(line)) {
                return (lines.len(), lines.len());
            }
            return (start, start + length + quoted);
        }
    }
    before(lines.len())
}

/// Returns how many lines remain without quoted ones at the end.
fn trim_quoted_end(lines: &[&str]) -> usize {
    let end = lines.iter().rposition(|line| !line.trim().is_empty() && !is_quoted(line) && !is_rule(line));
    let kept = end.map_or(0, |end| end + 1);
    // A line of dashes belongs to the quote only if a quote follows it.
    if lines[kept..].iter().any(|line| is_quoted(line)) {
        return kept;
    }
    let end = lines.iter().rposition(|line| !line.trim().is_empty() && !is_rule(line));
    end.map_or(0, |end| end + 1)
}

/// Returns whether a line is a rule of dashes, underscores or stars.
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 5 && line.chars().all(|c| "-_*=—–".contains(c))
}

/// Returns whether lines start with the title or the fields of a quoted message.
fn starts_block(lines: &[&str]) -> bool {
    let Some(first) = lines.first() else { return false };
    let title = first.trim().trim_matches(['-', '_', '*', '=', '>', ' ', '—', '–']).to_lowercase();
    let has_dashes = first.trim().starts_with(['-', '_', '=', '—', '–']);
    if has_dashes && ORIGINAL.contains(&title.trim_end_matches(':')) {
        return true;
    }
    // Three fields in a row, the first of which is the sender.
    let mut fields = 0;
    let mut has_address = false;
    for line in lines.iter().take(8) {
        let line = line.trim().trim_start_matches(['*', '>', ' ']);
        if line.is_empty() {
            if fields == 0 {
                return false;
            }
            continue;
        }
        match line.split_once([':', '：']) {
            Some((name, value))
                if FIELDS.contains(&name.trim().trim_matches('*').to_lowercase().as_str()) =>
            {
                if fields == 0 && !is_sender_field(name) {
                    return false;
                }
                fields += 1;
                has_address |= value.contains('@') || value.contains(|c: char| c.is_ascii_digit());
            }
            _ => break,
        }
    }
    fields >= 3 && has_address
}

fn is_sender_field(name: &str) -> bool {
    let name = name.trim().trim_matches('*').to_lowercase();
    [
        "from",
        "von",
        "de",
        "da",
        "van",
        "od",
        "från",
        "fra",
        "lähettäjä",
        "feladó",
        "от",
        "от кого",
        "kimden",
        "发件人",
        "差出人",
        "보낸 사람",
    ]
    .contains(&name.as_str())
}

/// Returns the number of lines of a line such as `On 3 May 2026, Ada <ada@acme.example> wrote:`, which
/// programs break at 78 characters.
fn attribution(lines: &[&str]) -> Option<usize> {
    let mut joined = String::new();
    for (index, line) in lines.iter().take(MAX_ATTRIBUTION_LINES).enumerate() {
        let line = line.trim();
        if line.is_empty() || is_quoted(line) {
            return None;
        }
        if index > 0 {
            joined.push(' ');
        }
        joined.push_str(line);
        if joined.chars().count() > MAX_ATTRIBUTION_CHARS {
            return None;
        }
        if line.ends_with([':', '：']) {
            let is_quote_next = lines[index + 1..]
                .iter()
                .find(|line| !line.trim().is_empty())
                .is_some_and(|line| is_quoted(line));
            return (is_attribution(&joined) || is_quote_next && is_sender(&joined)).then_some(index + 1);
        }
        // The first line must already look like one, so that no sentence of the text is taken for its
        // beginning.
        if index == 0 && !begins_attribution(line) {
            return None;
        }
    }
    None
}

fn is_attribution(line: &str) -> bool {
    let lower = line.to_lowercase();
    let end = lower.trim_end_matches([':', '：']).trim_end();
    let has_verb = WROTE.iter().any(|verb| {
        end.ends_with(verb) && is_boundary(&end[..end.len() - verb.len()])
            || end.match_indices(verb).any(|(at, _)| {
                is_boundary(&end[..at])
                    && end[at + verb.len()..].starts_with([' ', ':'])
                    && begins_attribution(line)
            })
    });
    has_verb && (lower.contains(|c: char| c.is_ascii_digit()) || lower.contains('@') || lower.contains('<'))
}

/// Returns whether a line ends with a date and an address, as `вс, 3 мая 2026 г., Ada <ada@acme.example>:`
/// does. Some languages have no verb there.
fn is_sender(line: &str) -> bool {
    let end = line.trim_end_matches([':', '：', ' ']);
    end.ends_with('>') && end.contains('@') && end.contains(|c: char| c.is_ascii_digit())
}

/// Returns whether a word may begin after this text. Languages without spaces have no such place.
fn is_boundary(before: &str) -> bool {
    before.chars().next_back().is_none_or(|c| !c.is_alphabetic() || !c.is_ascii() && u32::from(c) > 0x2e80)
}

/// Returns whether a line begins as the line before a quote does: with a date, a weekday, an address, or a
/// word such as `On`.
fn begins_attribution(line: &str) -> bool {
    let lower = line.to_lowercase();
    let starts = [
        "on ",
        "am ",
        "le ",
        "el ",
        "il ",
        "il giorno ",
        "em ",
        "op ",
        "w dniu ",
        "dnia ",
        "dne ",
        "den ",
        "på ",
        "pe ",
        "ke ",
        "ti ",
        "to ",
        "la ",
        "la data",
        "a ",
        "em ",
        "al ",
        "vào ",
    ];
    let has_digit = lower.contains(|c: char| c.is_ascii_digit());
    has_digit
        && (starts.iter().any(|start| lower.starts_with(start))
            || lower.starts_with(|c: char| c.is_ascii_digit()))
        || lower.contains('<') && lower.contains('@')
        || has_digit && lower.contains(['年', '월'])
}

/// Returns the lines without a signature.
fn cut_signature<'a, 'b>(lines: &'b [&'a str]) -> &'b [&'a str] {
    let mut kept = lines;
    if let Some(at) = lines.iter().rposition(|line| matches!(line.trim_end(), "--" | "-- " | "—"))
        && lines.len() - at <= MAX_SIGNATURE_LINES
        && has_words(&lines[..at])
    {
        kept = &lines[..at];
    }
    while let Some(last) = kept.iter().rposition(|line| !line.trim().is_empty()) {
        let line = kept[last].trim().trim_start_matches(['*', '_', '[', '(']).to_lowercase();
        let is_added = line.chars().count() <= 120 && SENT_FROM.iter().any(|phrase| line.starts_with(phrase));
        if !is_added || !has_words(&kept[..last]) {
            break;
        }
        kept = &kept[..last];
    }
    let end = kept.iter().rposition(|line| !line.trim().is_empty()).map_or(0, |end| end + 1);
    &kept[..end]
}
