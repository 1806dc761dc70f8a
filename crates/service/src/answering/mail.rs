//! The text of emails: own words, quotations and signatures, and the questions in them.

/// The longest question that is searched for, in words. Questions are short, and a long text would match
/// everything.
const MAX_QUESTION_WORDS: usize = 40;
/// The number of questions of one email that are searched for.
const MAX_QUESTIONS: usize = 4;
/// The number of words below which a sentence is taken for a greeting or a name.
const MIN_STATEMENT_WORDS: usize = 3;

/// A question of an email.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Question {
    pub(super) text: String,
    /// The sentence before it, which it may refer to: `Do you repair it?`.
    pub(super) before: String,
}

/// Returns the questions of a text in order: the sentences with a question mark or, if there are none, all
/// statements as one question. The result is never empty.
///
/// The subject and the sentences around a question do not replace it: the search would find something for one
/// of them, which would then be presented as the answer.
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
        let is_statement = |sentence: &&str| sentence.split_whitespace().count() >= MIN_STATEMENT_WORDS;
        let statements: Vec<&str> = sentences.into_iter().filter(is_statement).collect();
        let text = if statements.is_empty() { shortened(words) } else { shortened(&statements.join(" ")) };
        questions.push(Question { text, before: String::new() });
    }
    questions
}

fn shortened(text: &str) -> String {
    text.split_whitespace().take(MAX_QUESTION_WORDS).collect::<Vec<_>>().join(" ")
}

/// Returns a subject without the prefixes of replies and forwards.
pub(super) fn topic(subject: &str) -> &str {
    const PREFIXES: [&str; 9] = ["re", "fw", "fwd", "aw", "wg", "sv", "antw", "rv", "tr"];
    let mut topic = subject.trim();
    while let Some((prefix, rest)) = topic.split_once(':') {
        if !PREFIXES.contains(&prefix.trim().to_lowercase().as_str()) {
            break;
        }
        topic = rest.trim();
    }
    topic
}

/// Returns an email without quotations and signature.
pub(super) fn own_words(body: &str) -> String {
    let mut lines = Vec::new();
    let body: Vec<&str> = body.lines().map(str::trim_end).collect();
    for (index, line) in body.iter().enumerate() {
        // "-- " begins a signature (RFC 3676, section 4.3); some mail systems remove its trailing space.
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

/// Whether the text of other people follows the line, as below `-----Original Message-----` or
/// `________________`.
fn is_divider(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 10 && (line.starts_with("-----") || line.chars().all(|character| character == '_'))
}

/// Whether the line introduces a quotation, such as `On Monday, Ann wrote:` in any language: it ends with a
/// colon and is directly above quoted lines.
fn introduces_quotation(line: &str, below: &[&str]) -> bool {
    let next = below.iter().find(|line| !line.trim().is_empty());
    line.trim_end().ends_with(':') && next.is_some_and(|next| next.trim_start().starts_with('>'))
}

/// Splits a text into sentences; a line break ends a sentence.
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

/// Whether a sentence ends with this character. A full stop before a lower-case letter belongs to an
/// abbreviation.
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

    #[test]
    fn quotations_and_signatures_are_removed() {
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
    fn questions_are_separated_from_the_words_around_them() {
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
    fn prefixes_of_replies_are_removed() {
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
