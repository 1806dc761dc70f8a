//! Judgment of one answer against the label of its question.

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
    let has_fact = question.must_contain_any.iter().chain(&question.also_accept).any(contains);
    Verdict {
        has_fact: question.answerable && !answer.refused && has_fact,
        has_source: answer.sources.iter().any(|source| is_expected(question, source)),
        has_forbidden: question.must_not_contain.iter().any(contains),
    }
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
    fn a_refusal_is_never_right_for_an_answerable_question() {
        let answer = Answer { text: "It's closed. The secret.".to_owned(), sources: vec![], refused: true };
        let verdict = judge(&question(), &answer);
        assert!(!verdict.has_fact && !verdict.has_source && verdict.has_forbidden);
    }
}
