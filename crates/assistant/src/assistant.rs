//! The assistant: decides what needs no writer, chooses the writer, and adds the offer of a person.

use frontdesk_knowledge::Language;
use frontdesk_outbound::Outbound;

use crate::canned::{blocked, carry_on, for_channel, hand_over};
use crate::conversation::Offer;
use crate::draft::{Action, Draft, EXTRACTIVE};
use crate::escalation::{self, Signal};
use crate::extractive::{self, exact_answer};
use crate::language::{answer_language, answer_language_for};
use crate::model::{ModelConfig, ModelWriter};
use crate::phrases::Phrases;
use crate::small_talk;
use crate::task::Task;
use crate::topics::{self, Topics};
use crate::writer::{Writer, WriterError};
use frontdesk_knowledge::Words;

/// Coverage of the question's words from which a model is asked although the passages were not accepted: it understands
/// synonyms that a word index does not.
const MODEL_COVERAGE: f64 = 0.3;

/// Number of passages that may support an answer to a sensitive question. Answers rarely use more.
const SUPPORTING_PASSAGES: usize = 3;

/// Answers questions from passages, with a model if one is configured.
#[derive(Debug)]
pub struct Assistant {
    model: Option<ModelWriter>,
}

impl Assistant {
    /// Creates an assistant that asks the configured model, or quotes if there is none.
    pub fn new(config: Option<ModelConfig>, outbound: Outbound) -> Self {
        Self { model: config.map(|config| ModelWriter::new(config, outbound)) }
    }

    /// Creates an assistant that asks through an existing model writer.
    pub fn with_model(model: ModelWriter) -> Self {
        Self { model: Some(model) }
    }

    /// Returns the name of the writer that is asked first: `extractive` or `model`.
    pub fn engine(&self) -> &'static str {
        self.model.as_ref().map_or(EXTRACTIVE, Writer::name)
    }

    /// Answers a task. If the model is unavailable, slow or wrong, the extractive writer answers instead.
    pub async fn respond(&self, task: Task) -> Draft {
        let draft = match decide(&task) {
            Some(draft) => draft,
            None => self.write(&task).await,
        };
        conclude(&task, draft)
    }

    /// Answers a task without the model, for accounts without credits.
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
                match error {
                    // The breaker has logged the cause; a line for every message would hide everything else.
                    WriterError::CircuitOpen { .. } => {
                        tracing::debug!(%error, "the model was not asked; quoting instead");
                    }
                    _ => tracing::warn!(%error, "the model did not answer; quoting instead"),
                }
                extractive::write(task)
            }
        }
    }
}

/// Returns whether to ask the model: only if the passages contain something of the question, and not for an FAQ answer
/// in the language of the visitor, which is already in the owner's words.
fn is_worth_a_model(task: &Task) -> bool {
    let support = &task.retrieval.support;
    let supported =
        extractive::is_answerable(task) || support.rare_match || support.coverage >= MODEL_COVERAGE;
    let is_foreign = || {
        let passage =
            exact_answer(task).and_then(|item| item.language.as_deref()).and_then(Language::from_tag);
        passage.is_some_and(|passage| passage != answer_language(task))
    };
    let has_text = task.retrieval.passages.iter().any(|passage| !passage.text.trim().is_empty());
    has_text && supported && (exact_answer(task).is_none() || is_foreign())
}

/// Returns an answer that needs no writer: a handover, a courtesy or a refused topic.
fn decide(task: &Task) -> Option<Draft> {
    match escalation::detect(task) {
        Signal::Request(visitor) => {
            let language = answer_language_for(task, visitor);
            return Some(for_channel(task, language, hand_over(task, language)));
        }
        Signal::Decline(visitor) => return Some(carry_on(answer_language_for(task, visitor))),
        Signal::Offer | Signal::None => {}
    }
    let words = Words::of(&task.question);
    if !task.is_email() {
        if let Some((courtesy, visitor)) = small_talk::recognise(&words) {
            let phrases = Phrases::of(answer_language_for(task, visitor));
            let text = phrases.fill(courtesy.reply(phrases), &task.settings.business_name);
            return Some(Draft::phrase(Action::Answer, text));
        }
        if words.is_empty() {
            let phrases = Phrases::of(answer_language(task));
            return Some(Draft::phrase(Action::Clarify, phrases.clarify.to_owned()));
        }
    }
    is_refused(task).then(|| {
        let language = answer_language(task);
        for_channel(task, language, blocked(task, language))
    })
}

/// Returns whether the chatbot must not discuss the question.
fn is_refused(task: &Task) -> bool {
    let topics = Topics::of(&task.settings);
    if topics.names(&task.question) {
        return true;
    }
    // What the owner has published on a sensitive topic may be repeated.
    topics.asks_for_advice(&task.question).is_some_and(|topic| {
        let passages = &task.retrieval.passages;
        let mut supporting = passages.iter().take(SUPPORTING_PASSAGES);
        let is_supported = extractive::is_answerable(task)
            && supporting.any(|passage| topics::deals_with(passage, topic, &task.question));
        exact_answer(task).is_none() && !is_supported
    })
}

/// Adds what depends on the whole conversation: whether a person should look, and the offer of one.
fn conclude(task: &Task, mut draft: Draft) -> Draft {
    if draft.action == Action::Escalate {
        return draft;
    }
    let is_refusal = draft.action == Action::Refuse;
    draft.needs_escalation |= escalation::detect(task) == Signal::Offer;
    draft.needs_escalation |= is_refusal && escalation::refused_before(task);
    if (draft.needs_escalation || is_refusal) && !task.is_email() && task.offer == Offer::NotMade {
        draft.offer = Some(Phrases::of(answer_language(task)).offer);
    }
    draft
}

#[cfg(test)]
mod tests;
