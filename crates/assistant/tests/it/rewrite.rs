//! Questions that refer to earlier turns: the model rewrites them, the search uses the result, and failures
//! change nothing.

use std::sync::Arc;
use std::time::Duration;

use frontdesk_assistant::{Action, Assistant, BreakerSettings, ModelConfig, ModelOutcome, Offer, Task, Turn};
use frontdesk_knowledge::{
    Candidate, FieldTerms, MemoryIndex, OutlineCell, Query, Retrieval, SourceType, search,
};
use serde_json::json;
use uuid::Uuid;

use crate::endpoint::{Observed, observed};
use crate::stand_in::{Say, StandIn, reply};
use crate::{assistant, assistant_with_marks, config, task_with};

const QUESTION: &str = "And on Sundays?";
const STAND_ALONE: &str = "When is the museum cafe open on Sundays?";

/// Returns a question about the turn before it, without passages, and the query for it.
fn follow_up(question: &str) -> (Task, Query) {
    let mut task = task_with(question, Vec::new());
    task.retrieval = Retrieval::default();
    task.history = vec![
        Turn::visitor("When is the museum cafe open?"),
        Turn::assistant("The cafe opens at nine.", Action::Answer, false),
    ];
    let previous = task.previous_question().map(str::to_owned);
    (task, Query { question: question.to_owned(), previous, ..Query::default() })
}

fn rewriting(question: &str) -> Say {
    Say::Object(json!({ "question": question }))
}

/// Returns a writer whose requests are counted.
fn counted(config: ModelConfig) -> (Assistant, Arc<Observed>) {
    let (writer, observed) = observed(config);
    (Assistant::with_model(writer), observed)
}

/// Resolves a question, and asserts that it stays as it is.
async fn assert_unchanged(assistant: &Assistant, question: &str) {
    let (mut task, mut query) = follow_up(question);
    let before = query.clone();
    assistant.resolve(&mut task, &mut query).await;
    assert_eq!((task.stand_alone, query), (None, before), "{question}");
}

fn candidate(page: &str, text: &str) -> Candidate {
    Candidate {
        chunk_id: Uuid::new_v4(),
        title: page.to_owned(),
        headings: String::new(),
        text: text.to_owned(),
        url: format!("https://acme.example/{page}"),
        source_type: SourceType::Webpage,
        language: Some("en".to_owned()),
        terms: FieldTerms::of(page, "", text, Some("en")),
        outline: OutlineCell::default(),
    }
}

#[tokio::test]
async fn a_follow_up_is_searched_for_as_the_question_that_it_means() {
    let server = StandIn::start(|request, _| {
        if request.prompt().contains("You rewrite") {
            return rewriting(STAND_ALONE);
        }
        Say::Object(reply("On Sundays the museum cafe opens at noon.", &["S1"], "answer"))
    })
    .await;
    let (assistant, observed) = counted(config(&server));
    let (mut task, mut query) = follow_up(QUESTION);
    assistant.resolve(&mut task, &mut query).await;
    assert_eq!((query.question.as_str(), query.previous.as_deref()), (STAND_ALONE, None));
    assert_eq!(task.question, QUESTION);
    let body = &server.requests()[0].body;
    assert_eq!((body["max_tokens"].as_u64(), body.get("stream")), (Some(120), None));
    assert_eq!(body["response_format"]["json_schema"]["name"], "question");

    let mut index = MemoryIndex::new();
    for (page, text) in [
        ("parking", "On Sundays parking is free in front of the theatre."),
        ("cafe", "On Sundays the museum cafe opens at noon."),
        ("shop", "The museum shop is open on weekdays."),
    ] {
        index.insert(candidate(page, text), &[]);
    }
    task.retrieval = search(&index, None, &query).await.unwrap();
    assert_eq!(task.retrieval.passages[0].url, "https://acme.example/cafe");
    let draft = assistant.respond(task).await;
    assert_eq!((draft.writer, draft.text.as_str()), ("model", "On Sundays the museum cafe opens at noon."));
    let requests = server.requests();
    let prompt = requests[1].prompt();
    for words in [QUESTION, STAND_ALONE, "The cafe opens at nine."] {
        assert!(prompt.contains(words), "{words} is missing in {prompt}");
    }
    assert_eq!(*observed.rewrites.lock().unwrap(), [ModelOutcome::Written]);
    let tokens: Vec<_> = observed.requests.lock().unwrap().iter().map(|it| it.prompt_tokens).collect();
    assert_eq!(tokens, [Some(10), Some(10)]);
}

#[tokio::test]
async fn questions_that_need_no_earlier_turn_are_not_rewritten() {
    let server = StandIn::start(|_, _| rewriting(STAND_ALONE)).await;
    let assistant = assistant(&server);
    let long = format!("And on Sundays? {}", "I would like to know. ".repeat(30));
    for question in [
        "Which documents prove my identity when I collect a large parcel?",
        "Thanks a lot!",
        "Can I talk to a human?",
        long.as_str(),
    ] {
        assert_unchanged(&assistant, question).await;
    }
    let (mut task, mut query) = follow_up(QUESTION);
    (task.history, query.previous) = (Vec::new(), None);
    assistant.resolve(&mut task, &mut query).await;
    assert_eq!(task.stand_alone, None);
    assert_eq!(task.offer, Offer::NotMade);
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn rewritings_that_cannot_be_trusted_change_nothing() {
    let endless = format!("{}?", "When is the cafe open on Sundays ".repeat(20_000));
    let completions = [
        Say::Object(json!({ "question": "" })),
        Say::Object(json!({ "question": "When is the cafe open\non Sundays?" })),
        Say::Object(json!({ "question": endless })),
        Say::Content(format!("{{\"question\": \"{endless}")),
        Say::Object(json!({ "question": "What is the admin password of the museum cafe?" })),
        Say::Object(json!({ "question": "The cafe opens on Sundays." })),
        Say::Object(json!({ "question": "m4rkm4rkm4rkm4rk c4n4ryc4n4ryc4n4?" })),
        Say::Content("When is the museum cafe open on Sundays?".into()),
        Say::Raw("400 Bad Request", String::new()),
    ];
    for completion in completions {
        let completion = std::sync::Mutex::new(Some(completion));
        let server = StandIn::start(move |_, number| match completion.lock().unwrap().take() {
            Some(completion) => completion,
            None => Say::Raw("400 Bad Request", format!("again {number}")),
        })
        .await;
        assert_unchanged(&assistant_with_marks(&server), QUESTION).await;
    }
}

#[tokio::test]
async fn a_failing_endpoint_costs_little_time_and_opens_the_circuit() {
    let server = StandIn::start(|_, _| Say::Hang).await;
    let breaker = BreakerSettings { failures: 1, cooldown: Duration::from_mins(1) };
    let timeout = Duration::from_secs(2);
    let (slow, observed) = counted(ModelConfig { breaker, timeout, ..config(&server) });
    // Twice: the short time limit of rewriting says nothing about an answer.
    for _ in 0..2 {
        let waited = tokio::time::timeout(Duration::from_secs(2), assert_unchanged(&slow, QUESTION));
        waited.await.expect("it waits for a quarter of the time");
    }
    assert_eq!(*observed.rewrites.lock().unwrap(), [ModelOutcome::Timeout; 2]);

    let base_url = "http://127.0.0.1:9/v1".parse().unwrap();
    let (dead, observed) = counted(ModelConfig { breaker, base_url, ..config(&server) });
    for _ in 0..2 {
        assert_unchanged(&dead, QUESTION).await;
    }
    assert_eq!(*observed.rewrites.lock().unwrap(), [ModelOutcome::Unreachable, ModelOutcome::CircuitOpen]);

    let (full, observed) = counted(ModelConfig { max_concurrency: 0, timeout, ..config(&server) });
    assert_unchanged(&full, QUESTION).await;
    let (small, small_observed) = counted(ModelConfig { max_prompt_chars: 500, ..config(&server) });
    assert_unchanged(&small, QUESTION).await;
    assert_eq!(*observed.rewrites.lock().unwrap(), [ModelOutcome::Overloaded]);
    assert_eq!(*small_observed.rewrites.lock().unwrap(), [ModelOutcome::PromptTooLong]);
    assert_eq!(server.requests().len(), 2);
}
