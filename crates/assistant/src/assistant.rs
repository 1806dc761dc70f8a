//! The assistant: what is decided before anything is written, which writer writes, and what is added after.

use frontdesk_outbound::Outbound;

use crate::escalation::{self, Signal};
use crate::extractive::{self, exact_answer};
use crate::language::Language;
use crate::model::{ModelConfig, ModelWriter};
use crate::phrases::{Phrases, shape};
use crate::small_talk;
use crate::task::{Action, Draft, Task};
use crate::topics::Topics;
use crate::words::Words;
use crate::writer::Writer;

/// Coverage of the question's words from which a model is worth asking although the passages were not accepted:
/// it understands synonyms that a word index does not.
const MODEL_COVERAGE: f64 = 0.3;

/// Answers questions from passages; with a model if one is configured, without one otherwise.
#[derive(Debug)]
pub struct Assistant {
    model: Option<ModelWriter>,
}

impl Assistant {
    /// An assistant that asks the configured model, or quotes if there is none.
    pub fn new(config: Option<ModelConfig>, outbound: Outbound) -> Self {
        Self { model: config.map(|config| ModelWriter::new(config, outbound)) }
    }

    /// An assistant around a model writer that was built by other means.
    pub fn with_model(model: ModelWriter) -> Self {
        Self { model: Some(model) }
    }

    /// Name of the writer that answers first: `extractive` or `model`.
    pub fn engine(&self) -> &'static str {
        self.model.as_ref().map_or(extractive::NAME, Writer::name)
    }

    /// Answers a task. A model that is down, slow or wrong is replaced by the extractive writer.
    pub async fn respond(&self, task: Task) -> Draft {
        let draft = match decide(&task) {
            Some(draft) => draft,
            None => self.write(&task).await,
        };
        conclude(&task, draft)
    }

    /// Answers a task without the model, for accounts whose budget does not allow a call.
    pub fn respond_without_model(&self, task: &Task) -> Draft {
        conclude(task, decide(task).unwrap_or_else(|| extractive::write(task)))
    }

    async fn write(&self, task: &Task) -> Draft {
        let Some(model) = self.model.as_ref().filter(|_| is_worth_a_model(task)) else {
            return extractive::write(task);
        };
        match model.answer(task).await {
            Ok(draft) => draft,
            Err(error) => {
                tracing::warn!(%error, "the model did not answer; quoting instead");
                extractive::write(task)
            }
        }
    }
}

/// Whether to ask the model: never without passages, not for an FAQ answer in the owner's own words, and only if
/// something of the question is in the passages.
fn is_worth_a_model(task: &Task) -> bool {
    let support = &task.retrieval.support;
    let supported = support.accepted || support.rare_match || support.coverage >= MODEL_COVERAGE;
    let foreign = || {
        let passage = exact_answer(task).and_then(|item| item.language.as_deref()).and_then(Language::of_tag);
        passage.is_some_and(|passage| passage != Language::for_answer(task))
    };
    let has_text = task.retrieval.passages.iter().any(|passage| !passage.text.trim().is_empty());
    has_text && supported && (exact_answer(task).is_none() || foreign())
}

/// Answers that need no writer: hand-offs, courtesies and refused topics.
fn decide(task: &Task) -> Option<Draft> {
    let business = &task.settings.business_name;
    if let Signal::Request(visitor) = escalation::detect(task) {
        let language = Language::for_answer_to(task, Language::of_text(&task.question).or(visitor));
        return Some(shape(task, language, handed_over(task, language)));
    }
    let words = Words::of(&task.question);
    if !task.is_email() {
        if let Some((courtesy, visitor)) = small_talk::recognise(&words) {
            let language = Language::for_answer_to(task, visitor);
            let phrases = Phrases::of(language);
            return Some(Draft::phrase(Action::Answer, phrases.fill(courtesy.answer(phrases), business)));
        }
        if words.is_empty() {
            let phrases = Phrases::of(Language::for_answer(task));
            return Some(Draft::phrase(Action::Clarify, phrases.clarify.to_owned()));
        }
    }
    let topics = Topics::of(&task.settings);
    // An FAQ item is the owner's own word on a sensitive topic; a topic the owner blocked stays blocked.
    let refused =
        topics.names(&task.question) || (exact_answer(task).is_none() && topics.is_sensitive(&task.question));
    refused.then(|| {
        let language = Language::for_answer(task);
        shape(task, language, extractive::blocked(task, language))
    })
}

/// The draft that hands the conversation to a person.
pub(crate) fn handed_over(task: &Task, language: Language) -> Draft {
    let phrases = Phrases::of(language);
    let phrase = if task.is_email() { phrases.mail_escalate } else { phrases.escalate };
    Draft::phrase(Action::Escalate, phrases.fill(phrase, &task.settings.business_name))
}

/// Adds what depends on the whole conversation: whether a person should look, and the offer of one.
fn conclude(task: &Task, mut draft: Draft) -> Draft {
    let offer = escalation::detect(task) == Signal::Offer;
    let refused_twice = draft.action == Action::Refuse && escalation::refused_before(task);
    if !draft.needs_escalation && (offer || refused_twice) {
        draft.needs_escalation = true;
        // A refusal offers a person in its own words, and one offer in a conversation is enough.
        let silent = draft.action == Action::Refuse || task.is_email() || escalation::already_offered(task);
        if !silent {
            let phrases = Phrases::of(Language::for_answer(task));
            draft.text = [draft.text.as_str(), phrases.offer].join("\n\n");
        }
    }
    draft
}

#[cfg(test)]
mod tests;
