//! Parameters of requests, the circuit breaker, the concurrency limit, and what is measured.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use frontdesk_assistant::{
    Assessment, BreakerSettings, Instruction, ModelConfig, ModelObserver, ModelOutcome, ModelRequest,
    ModelWriter, TokenParameter, Writer, WriterError,
};

use crate::stand_in::{Say, StandIn, reply};
use crate::{config, outbound, task};

/// Remembers everything that is reported.
#[derive(Debug, Default)]
pub(crate) struct Observed {
    pub(crate) requests: Mutex<Vec<ModelRequest>>,
    answers: Mutex<Vec<ModelOutcome>>,
    pub(crate) rewrites: Mutex<Vec<ModelOutcome>>,
    circuit: Mutex<Vec<bool>>,
}

impl Observed {
    fn answers(&self) -> Vec<ModelOutcome> {
        self.answers.lock().unwrap().clone()
    }
}

impl ModelObserver for Observed {
    fn request(&self, request: &ModelRequest) {
        self.requests.lock().unwrap().push(*request);
    }

    fn answer(&self, outcome: ModelOutcome) {
        self.answers.lock().unwrap().push(outcome);
    }

    fn rewrite(&self, outcome: ModelOutcome) {
        self.rewrites.lock().unwrap().push(outcome);
    }

    fn circuit(&self, is_open: bool) {
        self.circuit.lock().unwrap().push(is_open);
    }
}

pub(crate) fn observed(config: ModelConfig) -> (ModelWriter, Arc<Observed>) {
    let observed = Arc::<Observed>::default();
    let observer: Arc<dyn ModelObserver> = Arc::clone(&observed) as _;
    (ModelWriter::new(config, outbound()).observed_by(observer), observed)
}

fn answering() -> Say {
    Say::Object(reply("The Pro plan costs $7.", &["S1"], "answer"))
}

#[tokio::test]
async fn requests_carry_the_configured_parameters() {
    let server = StandIn::start(|_, _| answering()).await;
    for (parameter, temperature, sent, omitted) in [
        (TokenParameter::MaxTokens, Some(0.5), "max_tokens", "max_completion_tokens"),
        (TokenParameter::MaxCompletionTokens, None, "max_completion_tokens", "max_tokens"),
    ] {
        let config =
            ModelConfig { max_tokens: 321, token_parameter: parameter, temperature, ..config(&server) };
        ModelWriter::new(config, outbound()).answer(&Assessment::of(&task())).await.unwrap();
        let body = server.requests().pop().unwrap().body;
        assert_eq!(body[sent], 321);
        assert!(body.get(omitted).is_none());
        assert_eq!(body.get("temperature").and_then(serde_json::Value::as_f64), temperature.map(f64::from));
    }
}

#[tokio::test]
async fn a_failing_endpoint_is_left_alone_and_probed() {
    let works = Arc::new(AtomicBool::new(false));
    let state = Arc::clone(&works);
    let server = StandIn::start(move |_, _| {
        if state.load(Ordering::SeqCst) {
            answering()
        } else {
            Say::Raw("503 Service Unavailable", String::new())
        }
    })
    .await;
    let breaker = BreakerSettings { failures: 3, cooldown: Duration::from_secs(1) };
    let (writer, observed) = observed(ModelConfig { breaker, ..config(&server) });
    for _ in 0..3 {
        assert!(matches!(writer.answer(&Assessment::of(&task())).await, Err(WriterError::Status { .. })));
    }
    for _ in 0..5 {
        assert!(matches!(
            writer.answer(&Assessment::of(&task())).await,
            Err(WriterError::CircuitOpen { .. })
        ));
    }
    assert_eq!(server.requests().len(), 3);

    tokio::time::sleep(Duration::from_millis(1100)).await;
    assert!(
        matches!(writer.answer(&Assessment::of(&task())).await, Err(WriterError::Status { .. })),
        "the probe"
    );
    assert!(matches!(writer.answer(&Assessment::of(&task())).await, Err(WriterError::CircuitOpen { .. })));
    assert_eq!(server.requests().len(), 4);

    works.store(true, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_millis(1100)).await;
    for _ in 0..3 {
        writer.answer(&Assessment::of(&task())).await.unwrap();
    }
    assert_eq!(*observed.circuit.lock().unwrap(), [true, false]);
    let count = |outcome| observed.answers().iter().filter(|found| **found == outcome).count();
    assert_eq!(
        (count(ModelOutcome::ServerError), count(ModelOutcome::CircuitOpen), count(ModelOutcome::Written)),
        (4, 6, 3)
    );
}

#[tokio::test]
async fn completions_that_one_question_may_cause_do_not_open_the_circuit() {
    let server = StandIn::start(|_, number| match number % 2 {
        0 => Say::Raw("404 Not Found", String::new()),
        _ => Say::Content("garbage".into()),
    })
    .await;
    let breaker = BreakerSettings { failures: 1, cooldown: Duration::from_mins(1) };
    let (writer, observed) = observed(ModelConfig { breaker, ..config(&server) });
    for _ in 0..6 {
        assert!(writer.answer(&Assessment::of(&task())).await.is_err());
    }
    assert!(observed.circuit.lock().unwrap().is_empty());
    assert!(!observed.answers().contains(&ModelOutcome::CircuitOpen), "{:?}", observed.answers());
}

#[tokio::test]
async fn no_more_answers_are_written_at_a_time_than_allowed() {
    let server = StandIn::start(|_, _| Say::Hang).await;
    let timeout = Duration::from_secs(3);
    let (writer, observed) = observed(ModelConfig { max_concurrency: 2, timeout, ..config(&server) });
    let writer = Arc::new(writer);
    let calls: Vec<_> = (0..2)
        .map(|_| {
            let writer = Arc::clone(&writer);
            tokio::spawn(async move { writer.answer(&Assessment::of(&task())).await })
        })
        .collect();
    while server.requests().len() < 2 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let brief = ModelConfig { max_concurrency: 2, timeout: Duration::from_millis(50), ..config(&server) };
    let third =
        tokio::time::timeout(Duration::from_millis(100), writer.answer(&Assessment::of(&task()))).await;
    assert!(third.is_err(), "the third answer waits for a slot");
    assert_eq!(server.requests().len(), 2);
    for call in calls {
        assert!(matches!(call.await.unwrap(), Err(WriterError::Timeout { .. } | WriterError::Outbound(_))));
    }
    assert_eq!(observed.answers(), [ModelOutcome::Timeout, ModelOutcome::Timeout]);

    // Without a free slot in time the writer gives up.
    let full = ModelWriter::new(ModelConfig { max_concurrency: 0, ..brief }, outbound());
    assert!(matches!(full.answer(&Assessment::of(&task())).await, Err(WriterError::Overloaded { limit: 0 })));
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn time_tokens_and_outcomes_are_measured() {
    let server = StandIn::start(|_, number| match number {
        0 => answering(),
        1 => Say::Raw("429 Too Many Requests", String::new()),
        2 => Say::Raw("401 Unauthorized", String::new()),
        3 | 4 => Say::Content("garbage".into()),
        _ => Say::Hang,
    })
    .await;
    let timeout = Duration::from_secs(2);
    let (writer, observed) = observed(ModelConfig { timeout, ..config(&server) });
    for _ in 0..5 {
        let _ = writer.answer(&Assessment::of(&task())).await;
    }
    assert_eq!(
        observed.answers(),
        [
            ModelOutcome::Written,
            ModelOutcome::RateLimited,
            ModelOutcome::Unauthorized,
            ModelOutcome::Malformed,
            ModelOutcome::Timeout,
        ]
    );
    let requests = observed.requests.lock().unwrap();
    let tokens: Vec<_> =
        requests.iter().map(|request| (request.prompt_tokens, request.completion_tokens)).collect();
    let reported = (Some(10), Some(5));
    assert_eq!(tokens, [reported, (None, None), (None, None), reported, reported, (None, None)]);
    assert!(requests[5].duration >= Duration::from_millis(1500), "{:?}", requests[5]);
}

#[tokio::test]
async fn critical_instructions_reach_the_model_whole_or_the_model_is_not_asked() {
    let server = StandIn::start(|_, _| answering()).await;
    let mut task = task();
    let rule = format!("Never promise {}a discount.", "or hint at ".repeat(600));
    task.settings.instructions = vec![Instruction { text: rule.clone(), is_critical: true }];
    ModelWriter::new(config(&server), outbound()).answer(&Assessment::of(&task)).await.unwrap();
    assert!(server.requests()[0].prompt().contains(&rule));

    let small = ModelConfig { max_prompt_chars: 8_000, ..config(&server) };
    let (writer, observed) = observed(small);
    let error = writer.answer(&Assessment::of(&task)).await.unwrap_err();
    assert!(matches!(error, WriterError::PromptTooLong { limit: 8_000 }), "{error}");
    assert_eq!(observed.answers(), [ModelOutcome::PromptTooLong]);
    assert_eq!(server.requests().len(), 1);
}
