//! Judgment of one answer against the label of its question.

use frontdesk_knowledge::{Attribute, asked, given};

use crate::questions::Question;

/// The chatbot's answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// The text of the answer.
    pub text: String,
    /// Addresses or paths of the sources it names.
    pub sources: Vec<String>,
    /// Whether it refused, asked back or handed over instead of answering.
    pub refused: bool,
}

/// How an answer compares with its label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// An answerable question was answered, and the answer has the fact.
    pub has_fact: bool,
    /// One of the sources is an expected page.
    pub has_source: bool,
    /// The answer has a text that it must not have.
    pub has_forbidden: bool,
}

/// Judges an answer.
pub fn judge(question: &Question, answer: &Answer) -> Verdict {
    let text = fold(&answer.text);
    let contains = |part: &String| text.contains(&fold(part));
    let has_fact = has_fact(question, &answer.text);
    Verdict {
        has_fact: question.answerable && !answer.refused && has_fact,
        has_source: answer.sources.iter().any(|source| is_expected(question, source)),
        has_forbidden: question.must_not_contain.iter().any(contains),
    }
}

/// Why an answer to an answerable question is not right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// It states something of the kind that is asked for, such as a price, but not what the page states, or
    /// has a text that it must not have. A visitor believes it.
    WrongValue,
    /// It does not state what is asked for. A visitor sees that.
    Missed,
}

/// Attributes whose value is stated in a form that is the same on all pages.
const VALUES: [Attribute; 6] = [
    Attribute::Hours,
    Attribute::Price,
    Attribute::Phone,
    Attribute::Email,
    Attribute::Address,
    Attribute::Payment,
];

/// Returns why an answer to an answerable question is not right, or `None` if it is.
pub fn failure(question: &Question, answer: &Answer) -> Option<Failure> {
    let verdict = judge(question, answer);
    if verdict.has_forbidden {
        return Some(Failure::WrongValue);
    }
    if verdict.has_fact {
        return None;
    }
    let (asked, given) = (asked(&question.text), given(&answer.text));
    let states_value = VALUES.iter().any(|value| asked.contains(*value) && given.contains(*value));
    Some(if states_value { Failure::WrongValue } else { Failure::Missed })
}

/// Returns whether a text has the fact that a question asks for.
fn has_fact(question: &Question, text: &str) -> bool {
    let text = fold(text);
    question.must_contain_any.iter().chain(&question.also_accept).any(|fact| text.contains(&fold(fact)))
}

/// Returns whether a text of a page states the fact that a question asks for.
pub(crate) fn states_fact(question: &Question, url: &str, text: &str) -> bool {
    has_fact(question, text) && is_expected(question, url)
}

/// Returns whether an address or path is one of the question's expected pages.
pub fn is_expected(question: &Question, source: &str) -> bool {
    let path = page_path(source);
    question.expected_pages.iter().any(|page| page_path(page) == path)
}

/// Returns the path of an address without query and fragment; the index file of a folder counts as the
/// folder.
fn page_path(address: &str) -> String {
    let path = url::Url::parse(address).map_or_else(|_| address.to_owned(), |url| url.path().to_owned());
    let path = path.split(['?', '#']).next().unwrap_or_default();
    path.strip_suffix("index.html").unwrap_or(path).to_owned()
}

/// Removes differences that do not matter when texts are compared: case, white space, curly quotes, marks of
/// bold text and code.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for character in text.chars().filter(|character| !matches!(character, '*' | '`')) {
        match character {
            '\u{2018}' | '\u{2019}' => folded.push('\''),
            '\u{201c}' | '\u{201d}' => folded.push('"'),
            character if character.is_whitespace() => {
                if !folded.ends_with(' ') {
                    folded.push(' ');
                }
            }
            character => folded.extend(character.to_lowercase()),
        }
    }
    folded.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question() -> Question {
        serde_json::from_value(serde_json::json!({
            "id": "a", "question": "Open?", "answerable": true, "expected_pages": ["/hours/index.html"],
            "must_contain_any": ["it's  closed"], "must_not_contain": ["secret"],
        }))
        .unwrap()
    }

    #[test]
    fn spelling_that_does_not_matter_is_ignored() {
        let answer = Answer {
            text: "On Sunday **It\u{2019}s\nclosed**.".to_owned(),
            sources: vec!["https://acme.example/hours/?a=1#b".to_owned()],
            refused: false,
        };
        let verdict = judge(&question(), &answer);
        assert!(verdict.has_fact && verdict.has_source && !verdict.has_forbidden);
    }

    #[test]
    fn a_wrong_value_is_worse_than_none() {
        let question: Question = serde_json::from_value(serde_json::json!({
            "id": "a", "question": "How much is delivery?", "answerable": true,
            "must_contain_any": ["4.90 pounds"], "must_not_contain": ["secret"],
        }))
        .unwrap();
        for (text, expected) in [
            ("Delivery costs 4.90 pounds.", None),
            ("Delivery costs 4.90 pounds. The secret.", Some(Failure::WrongValue)),
            ("A wreath costs 38 pounds.", Some(Failure::WrongValue)),
            ("We deliver from Tuesday to Saturday.", Some(Failure::Missed)),
        ] {
            let answer = Answer { text: text.to_owned(), ..Answer::default() };
            assert_eq!(failure(&question, &answer), expected, "{text}");
        }
    }

    #[test]
    fn a_refusal_is_never_right_for_an_answerable_question() {
        let answer = Answer { text: "It's closed. The secret.".to_owned(), sources: vec![], refused: true };
        let verdict = judge(&question(), &answer);
        assert!(!verdict.has_fact && !verdict.has_source && verdict.has_forbidden);
    }
}
