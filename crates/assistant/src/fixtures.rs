//! Tasks and passages for unit tests.

use frontdesk_knowledge::{OutlineCell, Passage, QuestionWord, Relevance, Retrieval, SourceType, Support};
use uuid::Uuid;

use crate::conversation::Offer;
use crate::settings::Settings;
use crate::task::{Kind, Task};

/// Returns an English passage of a web page that is named after the heading.
pub(crate) fn passage(headings: &str, text: &str) -> Passage {
    let page = headings.to_lowercase().replace(' ', "-");
    Passage {
        chunk_id: Uuid::nil(),
        title: "Acme help".into(),
        headings: headings.into(),
        text: text.into(),
        url: format!("https://acme.example/{page}"),
        source_type: SourceType::Webpage,
        language: Some("en".into()),
        score: 1.0,
        relevance: Relevance { lexical: 1.0, ..Relevance::default() },
        exact_answer: false,
        outline: OutlineCell::default(),
    }
}

/// Returns a passage with the prices of three plans.
pub(crate) fn prices() -> Passage {
    let text = "Acme offers three plans. The Free plan is limited to public projects. \
                The Pro plan costs $7 per month and user. The Teams plan costs $12 per month and user. \
                All prices exclude taxes. You can change the plan at any time.";
    passage("Prices", text)
}

/// Returns a chat task with these passages, accepted if there are any.
pub(crate) fn task(question: &str, passages: &[Passage]) -> Task {
    let support = Support {
        accepted: !passages.is_empty(),
        accepted_by_words: !passages.is_empty(),
        coverage: if passages.is_empty() { 0.0 } else { 1.0 },
        rare_match: !passages.is_empty(),
        margin: 0.5,
        words: QuestionWord::all(question, Some("en")),
        language: None,
        chunks: 1,
        cosines: None,
    };
    Task {
        question: question.into(),
        stand_alone: None,
        history: Vec::new(),
        offer: Offer::NotMade,
        retrieval: Retrieval { passages: passages.to_vec(), support, parts: Vec::new() },
        settings: Settings { business_name: "Acme".into(), ..Settings::default() },
        kind: Kind::Chat,
    }
}

/// Makes the content of a task lack every word of its question.
pub(crate) fn remove_support(task: &mut Task) {
    let support = &mut task.retrieval.support;
    support.accepted = false;
    support.accepted_by_words = false;
    support.coverage = 0.0;
    for word in &mut support.words {
        word.terms.clear();
        word.is_known = false;
        word.rarity = 3.5;
    }
    for passage in &mut task.retrieval.passages {
        passage.score = 0.05;
        passage.relevance.lexical = 0.05;
    }
}

/// Patterns that are not in the normalized form of words never match.
#[test]
fn every_pattern_is_in_normal_form() {
    let patterns = crate::small_talk::patterns()
        .chain(crate::escalation::patterns())
        .chain(crate::consent::patterns())
        .chain(crate::topics::patterns());
    for pattern in patterns {
        assert_eq!(frontdesk_knowledge::fold_text(pattern), pattern);
        assert!(!pattern.contains("  ") && !pattern.contains('\''), "{pattern}");
        let plain = |character: char| character.is_alphanumeric() || " |*?_^$".contains(character);
        assert!(pattern.chars().all(plain), "{pattern}");
    }
}
