//! The writer that needs no model: it quotes.
//!
//! What it can do: return the answer of an FAQ item word for word; return one, two or four sentences (short,
//! medium, long) copied from the best one or two passages; refuse honestly; suggest what to ask next from a
//! template. Every sentence that states something is a verbatim part of a passage.
//!
//! What it cannot do: paraphrase, translate, combine facts, calculate, or follow tone, free instructions, goals
//! and rules other than "never mention X". Those settings reach a model only.

use async_trait::async_trait;
use frontdesk_knowledge::Passage;

use crate::language::Language;
use crate::phrases::{Phrases, shape};
use crate::task::{Action, Cited, Draft, Task};
use crate::topics::Topics;
use crate::writer::{Writer, WriterError};

mod select;

/// Name of this writer in drafts.
pub(crate) const NAME: &str = "extractive";

/// The writer that quotes. It holds no state and never fails.
#[derive(Debug, Clone, Copy, Default)]
pub struct Extractive;

#[async_trait]
impl Writer for Extractive {
    async fn answer(&self, task: &Task) -> Result<Draft, WriterError> {
        Ok(write(task))
    }

    fn name(&self) -> &'static str {
        NAME
    }
}

/// Writes the answer by quoting.
pub(crate) fn write(task: &Task) -> Draft {
    let language = Language::for_answer(task);
    let topics = Topics::of(&task.settings);
    let draft = if let Some(item) = exact_answer(task) {
        let text = item.text.trim().to_owned();
        if topics.names(&text) { blocked(task, language) } else { answer(task, language, text, &[item]) }
    } else if task.retrieval.support.accepted {
        let quotes = select::quotes(task, &topics);
        match (quotes.text.is_empty(), quotes.withheld) {
            (false, _) => answer(task, language, quotes.text, &quotes.passages),
            (true, true) => blocked(task, language),
            (true, false) => refuse(task, language),
        }
    } else {
        refuse(task, language)
    };
    shape(task, language, draft)
}

/// The FAQ item whose question the visitor asked, if there is one with an answer.
pub(crate) fn exact_answer(task: &Task) -> Option<&Passage> {
    task.retrieval.passages.iter().find(|passage| passage.exact_answer && !passage.text.trim().is_empty())
}

/// Says that the training content holds no answer.
pub(crate) fn refuse(task: &Task, language: Language) -> Draft {
    let phrases = Phrases::of(language);
    let phrase = if task.is_email() { phrases.mail_refuse } else { phrases.refuse };
    Draft::phrase(Action::Refuse, phrases.fill(phrase, &task.settings.business_name))
}

/// Says that the topic is not discussed.
pub(crate) fn blocked(task: &Task, language: Language) -> Draft {
    let phrases = Phrases::of(language);
    let phrase = if task.is_email() { phrases.mail_refuse } else { phrases.blocked };
    Draft::phrase(Action::Refuse, phrases.fill(phrase, &task.settings.business_name))
}

fn answer(task: &Task, language: Language, mut text: String, used: &[&Passage]) -> Draft {
    if task.settings.follow_up_questions
        && !task.is_email()
        && let Some(suggestion) = follow_up(task, language, used)
    {
        text = [text, suggestion].join("\n\n");
    }
    let sources = if task.settings.show_sources { Cited::all(used.iter().copied()) } else { Vec::new() };
    Draft { sources, ..Draft::phrase(Action::Answer, text) }
}

/// Suggests up to two subjects of passages that were found but not used.
fn follow_up(task: &Task, language: Language, used: &[&Passage]) -> Option<String> {
    let subject = |passage: &Passage| {
        let heading = passage.headings.rsplit(" > ").next().unwrap_or_default().trim();
        let subject = if heading.is_empty() { passage.title.trim() } else { heading };
        subject.trim_end_matches(['?', '.', ':', '!']).to_owned()
    };
    let topics = Topics::of(&task.settings);
    let mut seen: Vec<String> = used.iter().map(|passage| subject(passage).to_lowercase()).collect();
    let mut subjects = Vec::new();
    for passage in &task.retrieval.passages {
        let subject = subject(passage);
        let readable = (3..=70).contains(&subject.chars().count());
        if !readable || seen.contains(&subject.to_lowercase()) || topics.names(&subject) {
            continue;
        }
        seen.push(subject.to_lowercase());
        subjects.push(subject);
    }
    let phrases = Phrases::of(language);
    match subjects.as_slice() {
        [] => None,
        [only] => Some(phrases.follow_up.replace("{first}", only)),
        [first, second, ..] => {
            Some(phrases.follow_up_two.replace("{first}", first).replace("{second}", second))
        }
    }
}

#[cfg(test)]
mod tests;
