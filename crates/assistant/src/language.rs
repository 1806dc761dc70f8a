//! Choice of the language of an answer.

use frontdesk_knowledge::{Language, detect_language};

use crate::conversation::Author;
use crate::task::Task;

/// Number of earlier messages of the visitor that are read if the question does not reveal a language.
const EARLIER_MESSAGES: usize = 3;

/// Returns the language that the visitor writes in, if the question or the messages before it reveal one.
pub(crate) fn visitor_language(task: &Task) -> Option<Language> {
    detect_language(&task.question).or_else(|| earlier_language(task))
}

fn earlier_language(task: &Task) -> Option<Language> {
    let earlier = task.history.iter().rev().filter(|turn| turn.author == Author::Visitor);
    earlier.take(EARLIER_MESSAGES).find_map(|turn| detect_language(&turn.text))
}

/// Returns the language for the fixed phrases of an answer: the visitor's if the owner wants that, else the
/// chatbot's, else that of the best passage, else English. `visitor` is the language that the question
/// reveals, if it reveals one.
pub(crate) fn answer_language(task: &Task, visitor: Option<Language>) -> Language {
    let settings = &task.settings;
    let visitor = visitor.or_else(|| earlier_language(task)).filter(|_| settings.respond_in_user_language);
    let chatbot = || settings.language.as_deref().and_then(Language::from_tag);
    let passage = || {
        task.retrieval.passages.first().and_then(|best| best.language.as_deref()).and_then(Language::from_tag)
    };
    visitor.or_else(chatbot).or_else(passage).unwrap_or(Language::English)
}
