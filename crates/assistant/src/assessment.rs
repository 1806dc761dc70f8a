//! What a message asks for and what it can be answered with: decided once, for all who write or choose the
//! writer.

use std::sync::OnceLock;

use frontdesk_knowledge::{Language, Words, detect_language};

use crate::escalation::{self, Signal};
use crate::language::answer_language;
use crate::selection::{self, Quotes};
use crate::settings::SensitiveTopic;
use crate::task::Task;
use crate::topics::Topics;

/// A task with what follows from its message, its conversation and its passages.
#[derive(Debug)]
pub struct Assessment<'t> {
    task: &'t Task,
    words: Words,
    signal: Signal,
    language: Language,
    topics: Topics,
    quotes: OnceLock<Quotes<'t>>,
}

impl<'t> Assessment<'t> {
    /// Assesses a task. What can be quoted is selected at its first use, because requests for a person and
    /// courtesies need no quotes.
    pub fn of(task: &'t Task) -> Self {
        let words = Words::of(&task.question);
        Self {
            signal: escalation::detect(task, &words),
            words,
            language: answer_language(task, detect_language(&task.question)),
            topics: Topics::of(&task.settings),
            quotes: OnceLock::new(),
            task,
        }
    }

    /// Returns whether the passages can be expected to answer the question.
    pub fn is_answerable(&self) -> bool {
        self.task.exact_answer().is_some() || {
            let quotes = self.quotes();
            !quotes.text.is_empty() && quotes.is_supported
        }
    }

    pub(crate) fn task(&self) -> &'t Task {
        self.task
    }

    /// Returns the words of the message.
    pub(crate) fn words(&self) -> &Words {
        &self.words
    }

    /// Returns how clearly the message calls for a person.
    pub(crate) fn signal(&self) -> Signal {
        self.signal
    }

    /// Returns the language for the fixed phrases of the answer.
    pub(crate) fn language(&self) -> Language {
        self.language
    }

    /// Returns the same as [`language`](Self::language) for a visitor whose words reveal another language, or
    /// none.
    pub(crate) fn language_for(&self, visitor: Option<Language>) -> Language {
        answer_language(self.task, visitor)
    }

    /// Returns the topics that the chatbot does not discuss.
    pub(crate) fn topics(&self) -> &Topics {
        &self.topics
    }

    /// Returns whether the message is about a topic that the owner blocked.
    pub(crate) fn names_blocked_topic(&self) -> bool {
        self.readings().any(|question| self.topics.names(question))
    }

    /// Returns the sensitive topic on which the message asks for advice that the owner has not allowed.
    pub(crate) fn asks_for_advice(&self) -> Option<SensitiveTopic> {
        self.readings().find_map(|question| self.topics.asks_for_advice(question))
    }

    /// Returns the message, and the question that it means if it refers to earlier turns.
    fn readings(&self) -> impl Iterator<Item = &'t str> {
        [Some(self.task.question.as_str()), self.task.stand_alone.as_deref()].into_iter().flatten()
    }

    /// Returns what can be quoted, and whether it can be expected to be the answer.
    pub(crate) fn quotes(&self) -> &Quotes<'t> {
        self.quotes.get_or_init(|| selection::quotes(self.task, &self.topics))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{passage, prices, remove_support, task};

    #[test]
    fn a_question_is_answerable_if_a_quote_or_an_item_of_an_faq_answers_it() {
        let asked = task("How much does the Pro plan cost?", &[prices()]);
        assert!(Assessment::of(&asked).is_answerable());

        let mut missing = task("Do you repair helicopters?", &[prices()]);
        remove_support(&mut missing);
        assert!(!Assessment::of(&missing).is_answerable());

        let mut item = passage("", "Yes.");
        item.exact_answer = true;
        assert!(Assessment::of(&task("Do you deliver?", &[item])).is_answerable());
        assert!(!Assessment::of(&task("Do you deliver?", &[])).is_answerable());
    }
}
