//! The extractive writer: quotes passages and needs no model.
//!
//! It returns the answer of an FAQ item word for word; or up to one, four or eight sentences (short, medium,
//! long) from the best passages; or a refusal. It can suggest from a template what to ask next. Every
//! sentence that states something is a verbatim part of a passage.
//!
//! It cannot paraphrase, translate, combine facts or calculate, nor follow tone, free instructions, goals and
//! rules other than "never mention X". Those settings affect only a model.

use frontdesk_knowledge::Passage;

use crate::assessment::Assessment;
use crate::canned::{blocked, for_channel, refuse};
use crate::draft::{Action, Cited, Draft, EXTRACTIVE};
use crate::phrases::Phrases;
use crate::writer::{Writer, WriterError};

/// The writer that quotes. It has no state and never fails.
#[derive(Debug, Clone, Copy, Default)]
pub struct Extractive;

impl Writer for Extractive {
    async fn answer(&self, assessment: &Assessment<'_>) -> Result<Draft, WriterError> {
        Ok(write(assessment))
    }

    fn name(&self) -> &'static str {
        EXTRACTIVE
    }
}

/// Writes the answer by quoting.
pub(crate) fn write(assessment: &Assessment<'_>) -> Draft {
    let (task, language) = (assessment.task(), assessment.language());
    let draft = if let Some(item) = task.exact_answer() {
        let text = item.text.trim().to_owned();
        if assessment.topics().names(&text) {
            blocked(task, language)
        } else {
            answer(assessment, text, &[item])
        }
    } else {
        let quotes = assessment.quotes();
        match (quotes.text.is_empty(), quotes.withheld) {
            (false, _) if quotes.is_supported => {
                let open = quotes.open.iter().map(|question| Phrases::of(language).name_open(question));
                let text = std::iter::once(quotes.text.clone()).chain(open).collect::<Vec<_>>().join("\n\n");
                answer(assessment, text, &quotes.passages)
            }
            (true, true) => blocked(task, language),
            _ => refuse(task, language),
        }
    };
    for_channel(task, language, draft)
}

fn answer(assessment: &Assessment<'_>, mut text: String, used: &[&Passage]) -> Draft {
    let task = assessment.task();
    if task.settings.follow_up_questions
        && !task.is_email()
        && let Some(suggestion) = follow_up(assessment, used)
    {
        text = [text, suggestion].join("\n\n");
    }
    let sources = if task.settings.show_sources { Cited::all(used.iter().copied()) } else { Vec::new() };
    let used_chunks = used.iter().map(|passage| passage.chunk_id).collect();
    Draft { sources, used_chunks, ..Draft::phrase(Action::Answer, text) }
}

/// Suggests up to two subjects of passages that were found but not quoted.
fn follow_up(assessment: &Assessment<'_>, used: &[&Passage]) -> Option<String> {
    let subject = |passage: &Passage| {
        let heading = passage.headings.rsplit(" > ").next().unwrap_or_default().trim();
        let subject = if heading.is_empty() { passage.title.trim() } else { heading };
        subject.trim_end_matches(['?', '.', ':', '!']).to_owned()
    };
    let mut seen: Vec<String> = used.iter().map(|passage| subject(passage).to_lowercase()).collect();
    let mut subjects = Vec::new();
    for passage in &assessment.task().retrieval.passages {
        let subject = subject(passage);
        let readable = (3..=70).contains(&subject.chars().count());
        if !readable || seen.contains(&subject.to_lowercase()) || assessment.topics().names(&subject) {
            continue;
        }
        seen.push(subject.to_lowercase());
        subjects.push(subject);
    }
    let phrases = Phrases::of(assessment.language());
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
