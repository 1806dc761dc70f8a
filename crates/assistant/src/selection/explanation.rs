//! Reasons of the extractive writer for an answer or a refusal, in terms that an owner can act on.

use frontdesk_knowledge::{Attribute, QuestionWord, asked};
use uuid::Uuid;

use super::select::{has_vectors, quotes};
use crate::task::Task;
use crate::topics::Topics;

/// The decision to answer a question from its passages, and its reasons.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// The decision.
    pub reason: Reason,
    /// By how much the log-odds that the quote is right exceed the threshold; negative if they are below it.
    /// `None` if the decision did not depend on them.
    pub margin: Option<f64>,
    /// Whether passages were compared by meaning as well, not by words alone.
    pub by_meaning: bool,
    /// The text that would be quoted, or that came nearest; empty if there is none.
    pub quote: String,
    /// The ids of the passages that it is from.
    pub quoted: Vec<Uuid>,
    /// The kinds of facts that are asked for.
    pub asked_for: Vec<Attribute>,
    /// Those of them that the best quote does not state.
    pub not_stated: Vec<Attribute>,
    /// Words of the question that neither the best quote nor the headings above it have.
    pub missing_words: Vec<String>,
    /// Those of them that the content does not have anywhere.
    pub unknown_words: Vec<String>,
}

/// Why a question would be answered or refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The question is that of an FAQ item, whose answer is given.
    ExactAnswer,
    /// The quote can be expected to be right.
    LikelyAnswer,
    /// The question only asks when something is open, and the quote says so.
    StatedTime,
    /// No passage has anything that could be quoted.
    NothingFound,
    /// The content has none of the words of the question, and nothing that is near in meaning.
    UnknownSubject,
    /// The best quote is probably not the answer.
    UnlikelyAnswer,
    /// What could be quoted mentions what the owner does not want mentioned.
    Withheld,
}

impl Reason {
    /// Returns whether the question would be answered.
    pub fn is_answer(self) -> bool {
        matches!(self, Self::ExactAnswer | Self::LikelyAnswer | Self::StatedTime)
    }
}

/// Explains whether the passages of a task can be expected to answer its question.
pub fn explain(task: &Task) -> Explanation {
    let by_meaning = has_vectors(task);
    if let Some(item) = task.exact_answer() {
        return Explanation {
            reason: Reason::ExactAnswer,
            margin: None,
            by_meaning,
            quote: item.text.trim().to_owned(),
            quoted: vec![item.chunk_id],
            asked_for: Vec::new(),
            not_stated: Vec::new(),
            missing_words: Vec::new(),
            unknown_words: Vec::new(),
        };
    }
    let quotes = quotes(task, &Topics::of(&task.settings));
    let grounds = &quotes.grounds;
    let is_accepted = grounds.margin.is_none_or(|margin| margin >= 0.0);
    let reason = match (quotes.text.is_empty(), quotes.is_supported) {
        (true, _) if quotes.withheld => Reason::Withheld,
        (true, _) => Reason::NothingFound,
        (false, true) if is_accepted => Reason::LikelyAnswer,
        (false, true) => Reason::StatedTime,
        (false, false) if grounds.is_unheard_of => Reason::UnknownSubject,
        (false, false) => Reason::UnlikelyAnswer,
    };
    let decides = matches!(reason, Reason::LikelyAnswer | Reason::UnlikelyAnswer) && !grounds.is_lacking;
    // Without a quote, every word is missing, and nothing that is asked for is stated.
    let is_empty = quotes.text.is_empty();
    let words = if is_empty { task.retrieval.support.words.as_slice() } else { grounds.words };
    let is_missing = |index: usize, word: &QuestionWord| {
        !word.typed.is_empty() && if is_empty { !word.says_when } else { grounds.missing & (1 << index) != 0 }
    };
    let missing: Vec<&QuestionWord> = words
        .iter()
        .enumerate()
        .take(64)
        .filter(|(index, word)| is_missing(*index, word))
        .map(|(_, word)| word)
        .collect();
    let asked_for = if is_empty { asked(task.meaning()) } else { grounds.asked };
    let asked_for: Vec<Attribute> = asked_for.iter().collect();
    Explanation {
        reason,
        margin: grounds.margin.filter(|_| decides),
        by_meaning,
        quoted: quotes.passages.iter().map(|passage| passage.chunk_id).collect(),
        not_stated: asked_for
            .iter()
            .copied()
            .filter(|attribute| !grounds.stated.contains(*attribute))
            .collect(),
        asked_for,
        missing_words: missing.iter().map(|word| word.typed.clone()).collect(),
        unknown_words: missing.iter().filter(|word| !word.is_known).map(|word| word.typed.clone()).collect(),
        quote: quotes.text,
    }
}

#[cfg(test)]
mod tests {
    use frontdesk_knowledge::{Part, Passage};

    use super::*;
    use crate::fixtures::{passage, prices, remove_support, task};

    #[test]
    fn a_decision_is_explained() {
        let explanation = explain(&task("How much does the Pro plan cost?", &[prices()]));
        assert_eq!(explanation.reason, Reason::LikelyAnswer, "{explanation:?}");
        assert!(explanation.margin.unwrap() >= 0.0 && !explanation.by_meaning);
        assert_eq!((&*explanation.asked_for, &*explanation.not_stated), (&[Attribute::Price][..], &[][..]));
        assert!(explanation.quote.contains("$7") && explanation.quoted.len() == 1, "{explanation:?}");

        let mut missing = task("Do you repair helicopters?", &[prices()]);
        remove_support(&mut missing);
        let explanation = explain(&missing);
        assert_eq!(explanation.reason, Reason::UnlikelyAnswer, "{explanation:?}");
        assert!(explanation.margin.unwrap() < 0.0);
        assert_eq!(explanation.missing_words, ["repair", "helicopters"]);
        assert_eq!(explanation.unknown_words, ["repair", "helicopters"]);

        let explanation = explain(&task("What does the Pro plan cost?", &[]));
        assert_eq!((explanation.reason, explanation.margin), (Reason::NothingFound, None));
        assert_eq!(explanation.not_stated, [Attribute::Price]);
        assert_eq!(explanation.missing_words, ["pro", "plan", "cost"]);

        let mut withheld = task("How much does the Pro plan cost?", &[prices()]);
        withheld.settings.blocked_topics = vec!["pro plan".into()];
        // Another sentence may still be quoted.
        assert!(!explain(&withheld).quote.contains("Pro plan"));

        let item = Passage { exact_answer: true, ..passage("", "Yes.") };
        assert_eq!(explain(&task("Do you deliver?", &[item])).reason, Reason::ExactAnswer);
    }

    #[test]
    fn of_two_questions_the_one_that_is_answered_is_explained() {
        let part = |question: &str, passages: &[Passage]| Part {
            question: question.to_owned(),
            retrieval: task(question, passages).retrieval,
        };
        let mut both = task("Do you repair helicopters? What does the Pro plan cost?", &[prices()]);
        both.retrieval.parts =
            vec![part("Do you repair helicopters?", &[]), part("What does the Pro plan cost?", &[prices()])];
        let explanation = explain(&both);
        assert_eq!(explanation.reason, Reason::LikelyAnswer, "{explanation:?}");
        assert_eq!((&*explanation.asked_for, &*explanation.not_stated), (&[Attribute::Price][..], &[][..]));
        assert_eq!(explanation.missing_words, Vec::<String>::new());
    }
}
