//! The assistant: decides what needs no writer, chooses the writer, and adds the offer of a person.

use frontdesk_knowledge::{Language, Query};
use frontdesk_outbound::Outbound;
use tokio::sync::mpsc::UnboundedSender;

use crate::assessment::Assessment;
use crate::canned::{blocked, carry_on, for_channel, hand_over};
use crate::conversation::Offer;
use crate::draft::{Action, Draft, EXTRACTIVE};
use crate::escalation::{self, Signal};
use crate::extractive;
use crate::model::{ModelConfig, ModelWriter};
use crate::phrases::Phrases;
use crate::small_talk;
use crate::task::Task;
use crate::topics;
use crate::web;
use crate::writer::{Writer, WriterError};

/// Coverage of the question's words from which a model is asked although the passages were not accepted: it
/// understands synonyms that a word index does not.
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
        self.respond_to(&task, None).await
    }

    /// Answers a task, and sends the sentences of a model's answer to `reader` as soon as they are verified.
    ///
    /// What is sent is the beginning of the draft's text, possibly all of it and possibly nothing: other
    /// writers do not take long. If the receiver is dropped, the model's request is cancelled, and the draft
    /// is what was sent, or a quotation.
    pub async fn respond_live(&self, task: Task, reader: UnboundedSender<String>) -> Draft {
        self.respond_to(&task, Some(&reader)).await
    }

    /// Prepares the search for a task, whose passages are not known yet. If the question may refer to earlier
    /// turns, the model rewrites it into one that stands alone; the task and the query then have that
    /// question. Without a model, or if it is unavailable, slow or wrong, both stay as they are, and the
    /// search combines the question with the previous one.
    pub async fn resolve(&self, task: &mut Task, query: &mut Query) {
        let Some(model) = self.model.as_ref().filter(|_| refers_back(task, query)) else { return };
        match model.stand_alone(task, query.language.as_deref()).await {
            Ok(Some(question)) => task.set_stand_alone(question, query),
            Ok(None) => {}
            Err(error) => match error {
                // Both are decided by what visitors and the model write, or logged by the breaker.
                WriterError::CircuitOpen { .. } | WriterError::Malformed { .. } => {
                    tracing::debug!(%error, "the question was not rewritten; searching for it with the previous one");
                }
                _ => {
                    tracing::warn!(%error, "the question was not rewritten; searching for it with the previous one");
                }
            },
        }
    }

    async fn respond_to(&self, task: &Task, reader: Option<&UnboundedSender<String>>) -> Draft {
        let assessment = Assessment::of(task);
        let draft = match decide(&assessment) {
            Some(draft) => draft,
            None => self.write(&assessment, reader).await,
        };
        conclude(&assessment, draft)
    }

    /// Answers a task whose passages were found on the web, in place of `refusal`. The answer names its
    /// sites. If the pages do not answer the question either, the result is the refusal.
    pub async fn respond_from_web(&self, task: &Task, refusal: Draft) -> Draft {
        let assessment = Assessment::of(task);
        let written = self.write(&assessment, None).await;
        let model_ran = refusal.model_ran || written.model_ran;
        match web::presented(&assessment, written) {
            Some(draft) => conclude(&assessment, Draft { model_ran, ..draft }),
            None => Draft { model_ran, ..refusal },
        }
    }

    /// Answers a task without the model, for accounts without credits.
    pub fn respond_without_model(&self, task: &Task) -> Draft {
        let assessment = Assessment::of(task);
        conclude(&assessment, decide(&assessment).unwrap_or_else(|| extractive::write(&assessment)))
    }

    async fn write(&self, assessment: &Assessment<'_>, reader: Option<&UnboundedSender<String>>) -> Draft {
        let Some(model) = self.model.as_ref().filter(|_| is_worth_a_model(assessment)) else {
            return extractive::write(assessment);
        };
        // The greeting of an e-mail comes before what the model writes.
        let answered = match reader.filter(|_| !assessment.task().is_email()) {
            Some(reader) => model.answer_live(assessment, reader).await,
            None => model.answer(assessment).await,
        };
        match answered {
            Ok(draft) => draft,
            // Charged as if the model had finished, so that disconnecting early is not cheaper.
            Err(WriterError::Abandoned) => Draft { model_ran: true, ..extractive::write(assessment) },
            Err(error) => {
                match error {
                    // The breaker has logged the cause; a line for every message would hide everything else.
                    WriterError::CircuitOpen { .. } => {
                        tracing::debug!(%error, "the model was not asked; quoting instead");
                    }
                    _ => tracing::warn!(%error, "the model did not answer; quoting instead"),
                }
                extractive::write(assessment)
            }
        }
    }
}

/// Returns whether to ask the model: only if the passages contain something of the question, and not for an
/// FAQ answer in the language of the visitor, which is already in the owner's words.
fn is_worth_a_model(assessment: &Assessment<'_>) -> bool {
    let task = assessment.task();
    let support = &task.retrieval.support;
    let supported = support.rare_match || support.coverage >= MODEL_COVERAGE || assessment.is_answerable();
    let exact_answer = task.exact_answer();
    let is_foreign = || {
        let passage = exact_answer.and_then(|item| item.language.as_deref()).and_then(Language::from_tag);
        passage.is_some_and(|passage| passage != assessment.language())
    };
    let has_text = task.retrieval.passages.iter().any(|passage| !passage.text.trim().is_empty());
    has_text && supported && (exact_answer.is_none() || is_foreign())
}

/// Returns whether to have the question rewritten: it may refer to an earlier turn, and it is answered from
/// passages.
fn refers_back(task: &Task, query: &Query) -> bool {
    !task.is_email() && !task.history.is_empty() && query.is_follow_up() && {
        let assessment = Assessment::of(task);
        decide_without_passages(&assessment).is_none() && !assessment.names_blocked_topic()
    }
}

/// Returns an answer that needs no writer: a handover, a courtesy or a refused topic.
fn decide(assessment: &Assessment<'_>) -> Option<Draft> {
    let refused = || {
        is_refused(assessment).then(|| {
            let (task, language) = (assessment.task(), assessment.language());
            for_channel(task, language, blocked(task, language))
        })
    };
    decide_without_passages(assessment).or_else(refused)
}

/// Returns an answer that depends on the message alone: a handover or a courtesy.
fn decide_without_passages(assessment: &Assessment<'_>) -> Option<Draft> {
    let (task, words) = (assessment.task(), assessment.words());
    match assessment.signal() {
        Signal::Request(visitor) => {
            let language = assessment.language_for(visitor);
            return Some(for_channel(task, language, hand_over(task, language)));
        }
        Signal::Decline(visitor) => return Some(carry_on(assessment.language_for(visitor))),
        Signal::Offer | Signal::None => {}
    }
    if !task.is_email() {
        if let Some((courtesy, visitor)) = small_talk::recognize(words) {
            let phrases = Phrases::of(assessment.language_for(visitor));
            let text = phrases.fill(courtesy.reply(phrases), &task.settings.business_name);
            return Some(Draft::phrase(Action::Answer, text));
        }
        if words.is_empty() {
            let phrases = Phrases::of(assessment.language());
            return Some(Draft::phrase(Action::Clarify, phrases.clarify.to_owned()));
        }
    }
    None
}

/// Returns whether the chatbot must not discuss the question.
fn is_refused(assessment: &Assessment<'_>) -> bool {
    if assessment.names_blocked_topic() {
        return true;
    }
    // What the owner has published on a sensitive topic may be repeated.
    assessment.asks_for_advice().is_some_and(|topic| {
        let task = assessment.task();
        let mut supporting = task.retrieval.passages.iter().take(SUPPORTING_PASSAGES);
        let is_supported = assessment.is_answerable()
            && supporting.any(|passage| topics::deals_with(passage, topic, task.meaning()));
        task.exact_answer().is_none() && !is_supported
    })
}

/// Adds what depends on the whole conversation: whether a person should look, and the offer of one.
fn conclude(assessment: &Assessment<'_>, mut draft: Draft) -> Draft {
    if draft.action == Action::Escalate {
        return draft;
    }
    let task = assessment.task();
    let is_refusal = draft.action == Action::Refuse;
    draft.needs_escalation |= assessment.signal() == Signal::Offer;
    draft.needs_escalation |= is_refusal && escalation::refused_before(task);
    if (draft.needs_escalation || is_refusal) && !task.is_email() && task.offer == Offer::NotMade {
        draft.offer = Some(Phrases::of(assessment.language()).offer);
    }
    draft
}

#[cfg(test)]
mod tests;
