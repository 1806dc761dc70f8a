//! Email threads: which part of them is used, and where the question is.

use frontdesk_assistant::Mail;
use frontdesk_model::ThreadMessage;

/// The most recent messages that are used; earlier ones are ignored.
const MAX_MESSAGES: usize = 10;
/// What is used of one message, in characters.
const MAX_BODY_CHARS: usize = 8000;
/// What is searched for at most, in words: a question is short, and a long text would find everything.
const MAX_QUESTION_WORDS: usize = 40;
/// Questions of one mail that are searched for.
const MAX_QUESTIONS: usize = 4;
/// Fewer words are a greeting or a name.
const MIN_STATEMENT_WORDS: usize = 3;

/// The part of a thread that is used, oldest first, each message cut to what is used of it.
pub(super) fn recent(messages: Vec<ThreadMessage>) -> Vec<Mail> {
    let skipped = messages.len().saturating_sub(MAX_MESSAGES);
    let recent = messages.into_iter().skip(skipped).map(|message| Mail {
        from: message.from.replace('\0', "\u{fffd}"),
        body: cut(&message.body, MAX_BODY_CHARS).replace('\0', "\u{fffd}"),
    });
    recent.collect()
}

fn cut(text: &str, characters: usize) -> &str {
    text.char_indices().nth(characters).map_or(text, |(end, _)| &text[..end])
}

/// The newest words of a thread: those of its last message that has any of its own, without quotations and
/// signature; else the subject.
pub(super) fn newest_words(subject: &str, thread: &[Mail]) -> String {
    let own = thread.iter().rev().map(|mail| own_words(&mail.body)).find(|words| !words.is_empty());
    own.unwrap_or_else(|| topic(subject).to_owned())
}

/// A question of a mail.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Question {
    pub(super) text: String,
    /// The words before it, which it may lean on: `Do you repair it?`.
    pub(super) before: String,
}

/// What is asked, in order: the sentences with a question mark; without any, all that is said besides greetings, as
/// one. Never nothing.
///
/// Neither the subject nor single sentences around a question are a substitute for it: something is always found for
/// one of them, and it would be passed off as the answer.
pub(super) fn questions(words: &str) -> Vec<Question> {
    let sentences = sentences(words);
    let asked = sentences.iter().enumerate().filter(|(_, sentence)| sentence.ends_with(['?', '？', '؟']));
    let mut questions: Vec<Question> = asked
        .take(MAX_QUESTIONS)
        .map(|(index, sentence)| Question {
            text: shortened(sentence),
            before: index.checked_sub(1).map(|before| shortened(sentences[before])).unwrap_or_default(),
        })
        .collect();
    if questions.is_empty() {
        let says_something = |sentence: &&str| sentence.split_whitespace().count() >= MIN_STATEMENT_WORDS;
        let statements: Vec<&str> = sentences.into_iter().filter(says_something).collect();
        let text = if statements.is_empty() { shortened(words) } else { shortened(&statements.join(" ")) };
        questions.push(Question { text, before: String::new() });
    }
    questions
}

fn shortened(text: &str) -> String {
    text.split_whitespace().take(MAX_QUESTION_WORDS).collect::<Vec<_>>().join(" ")
}

/// A subject without the marks of replies and forwards.
pub(super) fn topic(subject: &str) -> &str {
    const MARKS: [&str; 9] = ["re", "fw", "fwd", "aw", "wg", "sv", "antw", "rv", "tr"];
    let mut topic = subject.trim();
    while let Some((mark, rest)) = topic.split_once(':') {
        if !MARKS.contains(&mark.trim().to_lowercase().as_str()) {
            break;
        }
        topic = rest.trim();
    }
    topic
}

/// A mail without what it quotes and without its signature.
fn own_words(body: &str) -> String {
    let mut lines = Vec::new();
    let body: Vec<&str> = body.lines().map(str::trim_end).collect();
    for (index, line) in body.iter().enumerate() {
        // "-- " begins a signature (RFC 3676, section 4.3); mail systems cut its space.
        if *line == "--"
            || is_divider(line)
            || introduces_quotation(line, body.get(index + 1..).unwrap_or_default())
        {
            break;
        }
        if !line.trim_start().starts_with('>') {
            lines.push(*line);
        }
    }
    lines.join("\n").trim().to_owned()
}

/// `-----Original Message-----`, `________________` and the like, below which other people's words stand.
fn is_divider(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 10 && (line.starts_with("-----") || line.chars().all(|character| character == '_'))
}

/// `On Monday, Ann wrote:` in whatever language: a line that ends with a colon, directly above quoted lines.
fn introduces_quotation(line: &str, below: &[&str]) -> bool {
    let next = below.iter().find(|line| !line.trim().is_empty());
    line.trim_end().ends_with(':') && next.is_some_and(|next| next.trim_start().starts_with('>'))
}

/// Sentences and lines.
fn sentences(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    for line in text.lines() {
        let mut start = 0;
        for (index, character) in line.char_indices() {
            let end = index + character.len_utf8();
            if ends_sentence(character, &line[end..]) {
                sentences.push(line[start..end].trim());
                start = end;
            }
        }
        sentences.push(line[start..].trim());
    }
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

/// Whether a sentence ends with this character. A full stop before a small letter belongs to an abbreviation.
fn ends_sentence(character: char, rest: &str) -> bool {
    match character {
        '。' | '！' | '？' => true,
        '!' | '?' | '؟' => rest.is_empty() || rest.starts_with(char::is_whitespace),
        '.' => {
            let begins_small = rest.trim_start().starts_with(char::is_lowercase);
            rest.is_empty() || (rest.starts_with(char::is_whitespace) && !begins_small)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mails(bodies: &[&str]) -> Vec<Mail> {
        bodies
            .iter()
            .map(|body| Mail { from: "jo@customer.example".into(), body: (*body).to_owned() })
            .collect()
    }

    #[test]
    fn ten_messages_of_eight_thousand_characters_are_used() {
        let long = "ä".repeat(9_000);
        let messages: Vec<_> =
            (0..14).map(|number| ThreadMessage::new(format!("sender {number}"), long.clone())).collect();
        let recent = recent(messages);
        assert_eq!(recent.len(), 10);
        assert_eq!(recent[0].from, "sender 4");
        assert!(recent.iter().all(|mail| mail.body.chars().count() == 8_000));
    }

    #[test]
    fn quotations_and_signatures_are_other_words() {
        for (body, own) in [
            ("Do you repair it?\n\nJo\n-- \nJo Miller\nCEO?", "Do you repair it?\n\nJo"),
            ("Yes.\n\nOn Monday, Ann <ann@acme.example> wrote:\n> Is it broken?\n> Ann", "Yes."),
            ("Ja.\n\nAm Montag schrieb Ann:\n\n> Ist es kaputt?", "Ja."),
            ("Thanks\n-----Original Message-----\nFrom: Ann\nIs it broken?", "Thanks"),
            ("Thanks\n________________________________\nFrom: Ann", "Thanks"),
            ("> only quoted", ""),
            ("Prices of:\n- a spade\n- a rake", "Prices of:\n- a spade\n- a rake"),
            ("", ""),
        ] {
            assert_eq!(own_words(body), own, "{body:?}");
        }
    }

    #[test]
    fn the_newest_words_are_those_of_the_last_message_with_any() {
        let thread = mails(&["First?", "Second?", "> quoted only"]);
        assert_eq!(newest_words("Re: Topic", &thread), "Second?");
        assert_eq!(newest_words("Re: AW: Topic", &mails(&["> quoted", ""])), "Topic");
    }

    #[test]
    fn questions_are_told_from_the_words_around_them() {
        let texts =
            |words: &str| questions(words).into_iter().map(|question| question.text).collect::<Vec<_>>();
        let words = "Hello,\n\nmy hedge trimmer does not start. Do you repair it? What is the price, e.g. for blades?\n\nJo";
        assert_eq!(texts(words), ["Do you repair it?", "What is the price, e.g. for blades?"]);
        assert_eq!(questions(words)[0].before, "my hedge trimmer does not start.");
        assert_eq!(
            texts("Hello,\nplease tell me your opening hours.\nBye\nJo"),
            ["please tell me your opening hours."]
        );
        assert_eq!(texts("Opening hours"), ["Opening hours"]);
        assert_eq!(texts(&"Why? ".repeat(50)).len(), MAX_QUESTIONS);
        assert_eq!(texts(""), [""]);
        assert!(texts(&"word ".repeat(5_000))[0].split(' ').count() <= MAX_QUESTION_WORDS);
    }

    #[test]
    fn marks_of_replies_are_no_topic() {
        for (subject, expected) in [
            ("Re: Fwd: RE: Broken trimmer", "Broken trimmer"),
            ("Question: opening hours", "Question: opening hours"),
            ("AW:", ""),
            ("", ""),
        ] {
            assert_eq!(topic(subject), expected);
        }
    }
}
