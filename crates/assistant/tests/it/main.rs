//! The model writer against a stand-in that speaks chat completions over real HTTP.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its scene has failed")]

mod answers;
mod endpoint;
mod failures;
mod live;
mod live_failures;
mod prompts;
mod real;
mod rewrite;
mod stand_in;

use std::time::Duration;

use frontdesk_assistant::{ApiKey, Assistant, Kind, ModelConfig, ModelWriter, Offer, Settings, Task};
use frontdesk_knowledge::{OutlineCell, Passage, QuestionWord, Relevance, Retrieval, SourceType, Support};
use frontdesk_outbound::{Outbound, Policy};
use stand_in::StandIn;
use uuid::Uuid;

pub(crate) const KEY: &str = "sk-test-s3cret-key";

/// The extractive writer's answer about the price.
pub(crate) const QUOTE: &str = "The Pro plan costs $7 per month and user.";

/// Returns a client that may reach this machine, where the stand-in listens.
pub(crate) fn outbound() -> Outbound {
    let allow = vec!["127.0.0.0/8".parse().unwrap()];
    Outbound::new(Policy { allow, ..Policy::new("Frontdesk-Test/1.0") }).unwrap()
}

pub(crate) fn config(server: &StandIn) -> ModelConfig {
    let config = ModelConfig::new(server.base_url(), ApiKey::new(KEY), "stand-in-1");
    ModelConfig { timeout: Duration::from_secs(20), ..config }
}

pub(crate) fn assistant(server: &StandIn) -> Assistant {
    Assistant::new(Some(config(server)), outbound())
}

/// Returns an assistant with a known nonce: the first half is in the markers, the second is the canary.
pub(crate) fn assistant_with_marks(server: &StandIn) -> Assistant {
    let nonce = || "m4rkm4rkm4rkm4rkc4n4ryc4n4ryc4n4".to_owned();
    Assistant::with_model(ModelWriter::new(config(server), outbound()).with_nonce(Box::new(nonce)))
}

pub(crate) fn passage(page: &str, text: &str) -> Passage {
    Passage {
        chunk_id: Uuid::nil(),
        title: format!("Acme {page}"),
        headings: page.to_owned(),
        text: text.to_owned(),
        url: format!("https://acme.example/{page}"),
        source_type: SourceType::Webpage,
        language: Some("en".to_owned()),
        score: 1.0,
        relevance: Relevance { lexical: 1.0, ..Relevance::default() },
        exact_answer: false,
        outline: OutlineCell::default(),
    }
}

pub(crate) fn task_with(question: &str, passages: Vec<Passage>) -> Task {
    let support = Support {
        accepted: !passages.is_empty(),
        accepted_by_words: !passages.is_empty(),
        coverage: 1.0,
        rare_match: true,
        margin: 0.5,
        words: QuestionWord::all(question, Some("en")),
        language: None,
        chunks: 1,
        cosines: None,
    };
    Task {
        question: question.to_owned(),
        stand_alone: None,
        history: Vec::new(),
        offer: Offer::NotMade,
        retrieval: Retrieval { passages, support, ..Retrieval::default() },
        settings: Settings { business_name: "Acme".to_owned(), ..Settings::default() },
        kind: Kind::Chat,
    }
}

/// Returns a question about prices with two passages: S1 has the answer, S2 is about something else.
pub(crate) fn task() -> Task {
    let prices =
        passage("prices", "The Pro plan costs $7 per month and user. You can cancel the plan at any time.");
    let hours = passage("hours", "The office is open from 9 to 17 on weekdays.");
    task_with("How much does the Pro plan cost?", vec![prices, hours])
}
