//! Tasks and passages for unit tests.

use frontdesk_knowledge::{Passage, Retrieval, Support, analyze};
use uuid::Uuid;

use crate::task::{Kind, Settings, Task};

/// An English web page passage; the page is named after the heading.
pub(crate) fn passage(headings: &str, text: &str) -> Passage {
    let page = headings.to_lowercase().replace(' ', "-");
    Passage {
        chunk_id: Uuid::nil(),
        title: "Acme help".into(),
        headings: headings.into(),
        text: text.into(),
        url: format!("https://acme.example/{page}"),
        source_type: "webpage".into(),
        language: Some("en".into()),
        score: 10.0,
        exact_answer: false,
    }
}

/// A chat task with these passages, accepted if there are any.
pub(crate) fn task(question: &str, passages: &[Passage]) -> Task {
    let support = Support {
        accepted: !passages.is_empty(),
        coverage: if passages.is_empty() { 0.0 } else { 1.0 },
        rare_match: !passages.is_empty(),
        margin: 0.5,
        question_terms: analyze(question, Some("en")),
    };
    Task {
        question: question.into(),
        history: Vec::new(),
        retrieval: Retrieval { passages: passages.to_vec(), support },
        settings: Settings { business_name: "Acme".into(), ..Settings::default() },
        kind: Kind::Chat,
    }
}

/// Patterns must be written in the form words are normalised to, or they never match.
#[test]
fn every_pattern_is_in_normal_form() {
    let patterns =
        crate::small_talk::patterns().chain(crate::escalation::patterns()).chain(crate::topics::patterns());
    for pattern in patterns {
        assert_eq!(crate::words::normalize(pattern), pattern);
        assert!(!pattern.contains("  ") && !pattern.contains('\''), "{pattern}");
        let plain = |character: char| character.is_alphanumeric() || " |*_^$".contains(character);
        assert!(pattern.chars().all(plain), "{pattern}");
    }
}
