//! `frontdesk eval`: how well a chatbot answers questions whose answers are known.

use std::{
    collections::HashMap,
    io::Write,
    path::PathBuf,
    time::{Duration, Instant},
};

use clap::Args;
use frontdesk_assistant::{Action, Assistant, Kind, Offer, Task, Turn};
use frontdesk_evaluation::{
    judge::{Answer, Failure, failure},
    measures::{Measures, Share},
    questions::{Question, read_questions},
};
use frontdesk_knowledge::Retrieval;
use frontdesk_retrieval::{ContentSearch, EmbeddingModel};
use frontdesk_store::{Chatbot, Store};
use serde_json::{Value, json};
use tokio::time::sleep;
use uuid::Uuid;

use super::{
    CliError,
    output::{Output, Record},
};
use crate::{
    answering::passages,
    background::embeddings::embedding_model,
    platform::{chatbot_settings::Settings, config::Config, metrics::Metrics},
    startup::{StartError, assistant, open_database},
};

/// The interval between two counts of the vectors of a new chatbot.
const LOOK_INTERVAL: Duration = Duration::from_millis(500);

/// How long their number may stay the same before waiting ends: no service makes them, or its model fails.
const LONGEST_STANDSTILL: Duration = Duration::from_secs(10);

/// Ask a chatbot labeled questions, and measure how many it answers right.
///
/// No credits are spent and no conversations are stored. A configured model is asked, which may cost money.
#[derive(Debug, Args)]
pub(super) struct Eval {
    /// The chatbot
    #[arg(long, value_name = "ID")]
    chatbot: Uuid,
    /// CSV file with a header line. Column `question` is required; `expected` has texts of which the answer
    /// must contain one, separated by `|`, and is empty where the chatbot should refuse; `pages` (paths of
    /// right pages, separated by `|`), `id` and `after` (the id of the question before it) are optional. A
    /// `.jsonl` file has the same as JSON lines
    #[arg(value_name = "QUESTIONS")]
    questions: PathBuf,
}

pub(super) async fn run<W: Write>(
    eval: &Eval,
    config: &Config,
    output: &mut Output<W>,
) -> Result<(), CliError> {
    let questions = read_questions(&eval.questions)?;
    let store = open_database(&config.database).await?;
    let Some((_, chatbot)) = store.chatbots().find_public(eval.chatbot).await? else {
        return Err(CliError::unknown_chatbot(eval.chatbot));
    };
    let embedding = embedding_model(&config.search).map_err(StartError::from)?;
    let is_search_ready = search_ready(&store, &embedding, &chatbot).await?;
    let asked = Asked {
        search: ContentSearch::new(store, embedding),
        assistant: assistant(config, &Metrics::new())?,
        chatbot,
    };
    let mut measures = Measures::default();
    let mut records = Vec::new();
    for question in &questions {
        let previous = question.after.as_ref();
        let previous = previous.and_then(|after| questions.iter().find(|other| other.id == *after));
        let task = asked.task(question, previous).await?;
        let found = task.retrieval.clone();
        let urls = found.all_passages().map(|passage| (passage.chunk_id, passage.url.as_str())).collect();
        let answer = asked.answer(task, &urls).await;
        measures.add(question, &found, &answer);
        let outcome = outcome(question, &answer);
        if outcome != RIGHT {
            records.push(record(question, &answer, outcome));
        }
    }
    let mut summary = summary(&questions, &measures);
    summary.push(("search_ready", json!(is_search_ready)));
    output.with_list(summary, "not_right", records)
}

/// Waits until all content of the chatbot can be searched by meaning, as long as a service makes progress
/// with its vectors. Returns whether it can.
async fn search_ready(
    store: &Store,
    embedding: &EmbeddingModel,
    chatbot: &Chatbot,
) -> Result<bool, CliError> {
    if !embedding.is_configured() {
        return Ok(true);
    }
    let Some(model_id) = embedding.id_soon().await else { return Ok(false) };
    let (vectors, scope) = (store.vectors(), chatbot.scope());
    let mut advanced = (0, Instant::now());
    loop {
        let incomplete = vectors.progress(&scope, Some(chatbot.chatbot_id), Some(&model_id)).await?;
        let Some(progress) = incomplete.first() else { return Ok(true) };
        if progress.processed != advanced.0 {
            advanced = (progress.processed, Instant::now());
        } else if advanced.1.elapsed() >= LONGEST_STANDSTILL {
            return Ok(false);
        }
        sleep(LOOK_INTERVAL).await;
    }
}

struct Asked {
    search: ContentSearch,
    assistant: Assistant,
    chatbot: Chatbot,
}

impl Asked {
    async fn task(&self, question: &Question, previous: Option<&Question>) -> Result<Task, CliError> {
        let settings = Settings::of(&self.chatbot)
            .map_err(|source| CliError::Ask { what: "its settings cannot be read", source: source.into() })?;
        let mut task = Task {
            question: question.text.clone(),
            stand_alone: None,
            history: previous.map(|question| Turn::visitor(&question.text)).into_iter().collect(),
            offer: Offer::NotMade,
            retrieval: Retrieval::default(),
            settings: settings.for_writer(),
            kind: Kind::Chat,
        };
        let found = passages::find(&self.search, &self.assistant, &self.chatbot, &mut task, &[]).await;
        found.map_err(|source| CliError::Ask {
            what: "its content cannot be searched",
            source: source.into(),
        })?;
        Ok(task)
    }

    /// Returns the answer with its sources, whether or not the chatbot shows them to visitors.
    async fn answer(&self, task: Task, urls: &HashMap<Uuid, &str>) -> Answer {
        let draft = self.assistant.respond(task).await;
        let used = draft.used_chunks.iter().filter_map(|chunk| urls.get(chunk));
        Answer {
            refused: draft.action != Action::Answer,
            sources: used.map(|url| (*url).to_owned()).collect(),
            text: draft.text,
        }
    }
}

const RIGHT: &str = "right";

fn outcome(question: &Question, answer: &Answer) -> &'static str {
    match (question.answerable, answer.refused) {
        (false, true) => RIGHT,
        (false, false) => "answered, but should be refused",
        (true, true) => "refused",
        (true, false) => match failure(question, answer) {
            None => RIGHT,
            Some(Failure::WrongValue) => "another value than expected",
            Some(Failure::Missed) => "without the expected text",
        },
    }
}

fn record(question: &Question, answer: &Answer, outcome: &str) -> Record {
    vec![
        ("id", json!(question.id)),
        ("outcome", json!(outcome)),
        ("question", json!(question.text)),
        ("expected", json!(question.must_contain_any.join(" | "))),
        ("answer", json!(answer.text.split_whitespace().collect::<Vec<_>>().join(" "))),
    ]
}

fn summary(questions: &[Question], measures: &Measures) -> Record {
    let has_pages = questions.iter().any(|question| !question.expected_pages.is_empty());
    let of_pages = |share: Share| if has_pages { shown(share) } else { Value::Null };
    vec![
        ("questions", json!(questions.len())),
        ("answered_right", shown(measures.accuracy)),
        ("wrongly_refused", shown(measures.wrongly_refused)),
        ("rightly_refused", shown(measures.rightly_refused)),
        ("wrong_value", shown(measures.wrong_value)),
        ("missed", shown(measures.missed)),
        ("right_page_among_first_5", of_pages(measures.recall[2])),
        ("right_page_among_sources", of_pages(measures.source_hit)),
    ]
}

/// Returns a share with its interval, in which the true one lies with a probability of 95 %.
fn shown(share: Share) -> Value {
    let (Some(value), Some((low, high))) = (share.value(), share.interval()) else { return Value::Null };
    json!(format!("{value:.2} ({} of {}; 95 % interval {low:.2} to {high:.2})", share.hits, share.count))
}
