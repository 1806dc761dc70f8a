//! Answers of a model behind an OpenAI-compatible endpoint to the questions of samples.
//!
//! The assistant answers as it does in the service: it has questions that refer to earlier ones rewritten,
//! decides what needs no model, asks the model about the passages that were found, verifies its text, and
//! quotes if the model fails.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use frontdesk_assistant::{
    Action, Assistant, ModelConfig, ModelObserver, ModelOutcome, ModelRequest, ModelWriter,
};
use frontdesk_outbound::{Outbound, OutboundError, Policy};
use tokio::task::JoinSet;

use crate::judge::Answer;
use crate::samples::Sample;

/// A model that answers the questions of samples.
#[derive(Debug)]
pub struct Endpoint {
    assistant: Arc<Assistant>,
    calls: Arc<Calls>,
}

/// What became of the calls of a model.
#[derive(Debug, Default)]
pub struct Calls {
    counts: Mutex<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    outcomes: BTreeMap<&'static str, u32>,
    rewrites: BTreeMap<&'static str, u32>,
    prompt_tokens: u64,
    completion_tokens: u64,
}

impl Endpoint {
    /// Prepares a model. Its endpoint may be in any network: whoever measures has named it.
    pub fn new(config: ModelConfig) -> Result<Self, OutboundError> {
        let allow = ["0.0.0.0/0", "::/0"].map(|all| all.parse().expect("it is a network"));
        let outbound =
            Outbound::new(Policy { allow: allow.to_vec(), ..Policy::new("Frontdesk evaluation") })?;
        let calls = Arc::new(Calls::default());
        let writer =
            ModelWriter::new(config, outbound).observed_by(Arc::clone(&calls) as Arc<dyn ModelObserver>);
        Ok(Self { assistant: Arc::new(Assistant::with_model(writer)), calls })
    }

    /// Returns the answers to samples in their order, asking at most so many questions at a time.
    pub async fn answers<'s>(
        &self,
        samples: impl IntoIterator<Item = &'s Sample>,
        at_a_time: usize,
    ) -> Vec<(&'s Sample, Answer)> {
        let samples: Vec<&Sample> = samples.into_iter().collect();
        let mut answers = Vec::with_capacity(samples.len());
        for group in samples.chunks(at_a_time.max(1)) {
            let mut asked = JoinSet::new();
            for (index, sample) in group.iter().enumerate() {
                let (assistant, task) = (Arc::clone(&self.assistant), sample.task.clone());
                asked.spawn(async move { (index, answer(&assistant, task).await) });
            }
            let mut found = asked.join_all().await;
            found.sort_by_key(|(index, _)| *index);
            answers.extend(group.iter().copied().zip(found.into_iter().map(|(_, answer)| answer)));
        }
        answers
    }

    /// Returns the assistant that asks the model.
    pub fn assistant(&self) -> &Assistant {
        &self.assistant
    }

    /// Returns what became of the calls so far.
    pub fn calls(&self) -> &Calls {
        &self.calls
    }
}

/// Returns the answer of an assistant, with its sources whether or not visitors see them.
async fn answer(assistant: &Assistant, task: frontdesk_assistant::Task) -> Answer {
    let urls: Vec<_> =
        task.retrieval.all_passages().map(|passage| (passage.chunk_id, passage.url.clone())).collect();
    let draft = assistant.respond(task).await;
    let used = urls.into_iter().filter(|(chunk_id, _)| draft.used_chunks.contains(chunk_id));
    Answer {
        refused: draft.action != Action::Answer,
        sources: used.map(|(_, url)| url).collect(),
        text: draft.text,
    }
}

impl ModelObserver for Calls {
    fn request(&self, request: &ModelRequest) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.prompt_tokens += request.prompt_tokens.unwrap_or_default();
        counts.completion_tokens += request.completion_tokens.unwrap_or_default();
    }

    fn answer(&self, outcome: ModelOutcome) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        *counts.outcomes.entry(outcome.as_str()).or_default() += 1;
    }

    fn rewrite(&self, outcome: ModelOutcome) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        *counts.rewrites.entry(outcome.as_str()).or_default() += 1;
    }

    fn circuit(&self, _: bool) {}
}

/// Returns numbers by outcome as a text.
fn listed(outcomes: &BTreeMap<&'static str, u32>) -> String {
    let listed: Vec<String> = outcomes.iter().map(|(outcome, count)| format!("{outcome} {count}")).collect();
    if listed.is_empty() { "none".to_owned() } else { listed.join(", ") }
}

impl fmt::Display for Calls {
    /// Writes the numbers of answers and of rewritten questions by outcome, and the tokens.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let (outcomes, rewrites) = (listed(&counts.outcomes), listed(&counts.rewrites));
        let Counts { prompt_tokens, completion_tokens, .. } = *counts;
        write!(
            formatter,
            "Answers asked of the model, by outcome: {outcomes}. Questions to rewrite: {rewrites}. Tokens: {prompt_tokens} of prompts, \
             {completion_tokens} of completions."
        )
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use frontdesk_assistant::{Kind, Offer, Settings, Task};
    use frontdesk_knowledge::{
        OutlineCell, Passage, QuestionWord, Relevance, Retrieval, SourceType, Support,
    };
    use uuid::Uuid;

    use super::*;
    use crate::questions::Question;
    use crate::samples::Origin;

    fn sample(id: &str, text: &str, fact: &str) -> Sample {
        let passage = Passage {
            chunk_id: Uuid::new_v4(),
            title: "Prices".to_owned(),
            headings: String::new(),
            text: format!("The Pro plan costs {fact} per month and user."),
            url: format!("https://acme.example/{id}"),
            source_type: SourceType::Webpage,
            language: Some("en".to_owned()),
            score: 1.0,
            relevance: Relevance { lexical: 1.0, ..Relevance::default() },
            exact_answer: false,
            outline: OutlineCell::default(),
        };
        let support = Support {
            accepted: true,
            accepted_by_words: true,
            coverage: 1.0,
            rare_match: true,
            margin: 0.5,
            words: QuestionWord::all(text, Some("en")),
            language: None,
            chunks: 1,
            cosines: None,
        };
        let question: Question = serde_json::from_value(serde_json::json!({
            "id": id, "question": text, "answerable": true, "expected_pages": [], "must_contain_any": [fact],
        }))
        .unwrap();
        let task = Task {
            question: text.to_owned(),
            stand_alone: None,
            history: Vec::new(),
            offer: Offer::NotMade,
            retrieval: Retrieval { passages: vec![passage], support, ..Retrieval::default() },
            settings: Settings::default(),
            kind: Kind::Chat,
        };
        Sample { site: "acme".to_owned(), question, task, origin: Origin::Labeled }
    }

    #[tokio::test]
    async fn answers_keep_the_order_of_the_questions_and_failures_are_counted() {
        // Nothing listens on port 9, so each answer is a quotation.
        let config = ModelConfig {
            timeout: Duration::from_secs(5),
            ..ModelConfig::new("http://127.0.0.1:9/v1".parse().unwrap(), None, "none")
        };
        let endpoint = Endpoint::new(config).unwrap();
        let question = "How much does the Pro plan cost?";
        let samples: Vec<Sample> =
            (1..=5).map(|number| sample(&format!("q{number}"), question, &format!("${number}"))).collect();
        let answers = endpoint.answers(&samples, 2).await;
        for (number, (sample, answer)) in (1..).zip(&answers) {
            assert_eq!(sample.question.id, format!("q{number}"));
            assert!(answer.text.contains(&format!("${number}")) && !answer.refused, "{answer:?}");
            assert_eq!(answer.sources, [format!("https://acme.example/q{number}")]);
        }
        let calls = endpoint.calls().to_string();
        assert!(calls.contains("unreachable 5") || calls.contains("circuit_open"), "{calls}");
    }
}
