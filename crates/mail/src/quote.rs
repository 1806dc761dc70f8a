//! Replies without what they quote.
//!
//! Programs put the message that is responded to below the new text, after a line such as
//! `On 3 May, Ada wrote:`, after a block of header fields, or in lines that begin with `>`. The rules here
//! prefer to keep too much: a line is cut only if its form is unmistakable, and answers between quoted lines
//! keep the quotes, without which they make no sense.

use crate::{
    answers,
    attribution::{self, Author, attribution},
    lines::{has_words, is_quoted},
    phrases::{DATE_FIELDS, FIELDS, FORWARDED, ORIGINAL, SENDER_FIELDS, SENT_FIELDS, SUBJECT_FIELDS},
    signature,
};

/// Most lines of a paragraph below a line that a person may have written.
const MAX_PARAGRAPH_LINES: usize = 200;

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
    // Answers within the quoted message are the sender's own words.
    let is_quote = lines[end..rest].iter().any(|line| !line.trim().is_empty());
    if is_quote && answers::are_announced(&lines[..end]) {
        return Split { reply: lines.join("\n").trim_matches('\n').to_owned(), folded: None };
    }
    // The places of the lines that the sender has written.
    let mut written: Vec<usize> = (0..end).chain(rest..lines.len()).collect();
    let texts = |places: &[usize]| places.iter().map(|place| lines[*place]).collect::<Vec<_>>();
    if !has_words(&texts(&written)) {
        written = (0..lines.len()).collect();
    }
    written.truncate(signature::without(&texts(&written)).len());
    let part = |is_written: bool| {
        let places = (0..lines.len()).filter(|place| written.binary_search(place).is_ok() == is_written);
        texts(&places.collect::<Vec<_>>()).join("\n").trim_matches('\n').to_owned()
    };
    Split { reply: part(true), folded: Some(part(false)).filter(|folded| !folded.trim().is_empty()) }
}

/// Returns the part of a text that is not a quote: the lines before the first index, and those from the
/// second one on.
fn cut_quotes(lines: &[&str]) -> (usize, usize) {
    let before = |start: usize| (trim_quoted_end(&lines[..start]), lines.len());
    for start in 0..lines.len() {
        // A message that the sender passes on is not one that is responded to.
        if title(lines[start]).is_some_and(|title| FORWARDED.contains(&title.as_str())) {
            return (lines.len(), lines.len());
        }
        if starts_block(&lines[start..]) {
            return before(start);
        }
        if let Some(found) = attribution(&lines[start..]) {
            let after = &lines[start + found.lines..];
            let quoted = after.iter().take_while(|line| is_quoted(line) || line.trim().is_empty()).count();
            let rest = &after[quoted..];
            let has_quote = after[..quoted].iter().any(|line| is_quoted(line));
            if !has_quote {
                // HTML programs mark the quote in other ways, so all that follows is the quote. A person who
                // repeats a sentence goes on below it.
                let is_quote = match found.author {
                    Author::Program => true,
                    Author::Unknown => is_one_paragraph(after),
                    Author::Person => false,
                };
                if is_quote && has_words(&lines[..start]) {
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
            return (start, start + found.lines + quoted);
        }
    }
    let end = trim_quoted_end(lines);
    if is_own_list(lines, end) { (lines.len(), lines.len()) } else { (end, lines.len()) }
}

/// Returns whether lines are one paragraph, which is not longer than messages are.
fn is_one_paragraph(lines: &[&str]) -> bool {
    let is_empty = |line: &&&str| line.trim().is_empty();
    let empty = lines.iter().take_while(is_empty).count();
    let said = lines[empty..].iter().take(MAX_PARAGRAPH_LINES).take_while(|line| !is_empty(line)).count();
    lines[empty + said..].iter().all(|line| line.trim().is_empty())
}

/// Returns whether the quoted lines at the end, from a place on, are a list that the sender announces
/// ("Our measurements:") rather than a message.
fn is_own_list(lines: &[&str], end: usize) -> bool {
    let Some(above) = lines[..end].iter().rfind(|line| !line.trim().is_empty()) else { return false };
    let is_plain = !above.contains(|c: char| c.is_ascii_digit() || "<@".contains(c));
    let is_nested = lines[end..].iter().any(|line| line.trim_start().starts_with(">>"));
    above.trim_end().ends_with([':', '：']) && is_plain && !is_nested && !attribution::has_verb(above)
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
    if title(first).is_some_and(|title| ORIGINAL.contains(&title.as_str())) {
        return follows_title(&lines[1..]);
    }
    has_fields(lines)
}

/// Returns the words of a line between dashes, such as `-----Original Message-----`, in lower case.
fn title(line: &str) -> Option<String> {
    let line = line.trim();
    let words = line.trim_matches(['-', '_', '*', '=', '>', ' ', '—', '–']).to_lowercase();
    line.starts_with(['-', '_', '=', '—', '–']).then(|| words.trim_end_matches([':', ' ']).to_owned())
}

/// Returns whether lines below the title of a quoted message are one: it begins with a field. People write
/// the title as well, above what they repeat.
fn follows_title(lines: &[&str]) -> bool {
    let Some(at) = lines.iter().take(5).position(|line| !line.trim().is_empty()) else { return false };
    field(lines[at]).is_some() || is_quoted(lines[at]) || attribution(&lines[at..]).is_some()
}

/// Returns whether lines begin with the fields of a message: three in a row, the first of which is the sender
/// or the time. Those of a journey or of a booking have the same names, so there must be an e-mail address,
/// or a subject and a time of day.
fn has_fields(lines: &[&str]) -> bool {
    let mut fields = 0;
    let (mut has_sender, mut has_address, mut has_subject, mut has_time) = (false, false, false, false);
    for line in lines.iter().take(8) {
        if line.trim().is_empty() {
            if fields == 0 {
                return false;
            }
            continue;
        }
        let Some((name, value)) = field(line) else { break };
        let name = name.as_str();
        let is_sent = SENT_FIELDS.contains(&name);
        let is_sender = SENDER_FIELDS.contains(&name);
        if fields == 0 && !is_sender && !is_sent {
            return false;
        }
        fields += 1;
        has_sender |= is_sender;
        has_subject |= SUBJECT_FIELDS.contains(&name);
        // "Date: 3 May, 10:12" is a person's as well; programs name the day of the week.
        let value_lower = value.to_lowercase();
        has_time |= is_sent
            && attribution::has_clock_time(&value_lower)
            && (!DATE_FIELDS.contains(&name) || attribution::has_weekday(&value_lower));
        has_address |= value.split_whitespace().any(is_address);
    }
    fields >= 3 && has_sender && (has_address || has_subject && has_time)
}

/// Returns whether a word has an e-mail address in it.
fn is_address(word: &str) -> bool {
    word.split_once('@').is_some_and(|(local, domain)| {
        local.ends_with(char::is_alphanumeric) && domain.starts_with(char::is_alphanumeric)
    })
}

/// Returns the name of a field of a message, in lower case, and its value.
fn field(line: &str) -> Option<(String, &str)> {
    let line = line.trim().trim_start_matches(['*', '>', ' ']);
    let (name, value) = line.split_once([':', '：'])?;
    let name = name.trim().trim_matches('*').trim().to_lowercase();
    FIELDS.contains(&name.as_str()).then_some((name, value))
}
