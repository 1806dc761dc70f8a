//! Streams that break, endpoints that do not stream, and visitors who leave.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use frontdesk_assistant::{
    Action, Assistant, BreakerSettings, ModelConfig, ModelObserver, ModelOutcome, ModelRequest, ModelWriter,
};
use tokio::sync::Notify;

use crate::live::{PATIENCE, Written};
use crate::stand_in::{Part, Say, StandIn, ordered_reply, reply};
use crate::{QUOTE, assistant, config, outbound, task};

const FIRST: &str = "The Pro plan costs $7 per month.";

/// Returns the deltas of an answer up to the beginning of its second sentence.
fn beginning() -> Vec<Part> {
    let content = ordered_reply(&format!("{FIRST} You can cancel the plan at any time."), &["S1"]);
    Part::deltas(&content[..content.find("cancel").unwrap()], 4)
}

/// Collects what the writer reports.
#[derive(Debug, Default)]
struct Seen {
    requests: Mutex<Vec<ModelRequest>>,
    outcomes: Mutex<Vec<ModelOutcome>>,
    circuit: Mutex<Vec<bool>>,
}

impl ModelObserver for Seen {
    fn request(&self, request: &ModelRequest) {
        self.requests.lock().unwrap().push(*request);
    }

    fn answer(&self, outcome: ModelOutcome) {
        self.outcomes.lock().unwrap().push(outcome);
    }

    fn rewrite(&self, _: ModelOutcome) {}

    fn circuit(&self, is_open: bool) {
        self.circuit.lock().unwrap().push(is_open);
    }
}

fn observed(config: ModelConfig) -> (Assistant, Arc<Seen>) {
    let seen = Arc::new(Seen::default());
    let model = ModelWriter::new(config, outbound()).observed_by(Arc::clone(&seen) as Arc<dyn ModelObserver>);
    (Assistant::with_model(model), seen)
}

#[tokio::test]
async fn what_was_sent_before_a_stream_breaks_is_the_answer() {
    let error = "data: {\"error\":{\"code\":500,\"message\":\"out of memory\"}}\n\n";
    for end in [
        // The connection is closed, an event is not JSON, an event reports an error, and the object is cut
        // off.
        vec![],
        vec![Part::Raw("data: {\n\n".into())],
        vec![Part::Raw(error.into())],
        vec![Part::End],
    ] {
        let is_cut_off = matches!(end.as_slice(), [Part::End]);
        let server = StandIn::streaming(beginning().into_iter().chain(end).collect()).await;
        let (assistant, seen) = observed(config(&server));
        let (parts, draft) = Written::by(assistant, task()).finish().await;
        assert_eq!(parts, [FIRST]);
        assert_eq!((&*draft.text, draft.action), (FIRST, Action::Answer));
        assert_eq!((draft.writer, draft.model_ran), ("model", true));
        assert_eq!((draft.sources.len(), draft.used_chunks.len()), (1, 1));
        let expected = if is_cut_off { ModelOutcome::Written } else { ModelOutcome::ServerError };
        assert_eq!(*seen.outcomes.lock().unwrap(), [expected]);
        assert_eq!(server.requests().len(), 1, "nothing is asked again");
    }
}

#[tokio::test]
async fn a_stream_that_breaks_before_its_first_sentence_falls_back() {
    let content = ordered_reply(FIRST, &["S1"]);
    let parts = move || Part::deltas(&content[..content.len() / 2], 4);
    let server = StandIn::start(move |_, _| Say::Stream(parts())).await;
    let breaker = BreakerSettings { failures: 2, cooldown: Duration::from_hours(1) };
    let (assistant, seen) = observed(ModelConfig { breaker, ..config(&server) });
    let assistant = Arc::new(assistant);
    for _ in 0..3 {
        let (reader, mut parts) = tokio::sync::mpsc::unbounded_channel();
        let draft = assistant.respond_live(task(), reader).await;
        assert!(draft.text.starts_with(QUOTE), "{}", draft.text);
        assert_eq!((draft.writer, draft.model_ran), ("extractive", false));
        assert!(parts.recv().await.is_none());
    }
    // Broken streams are failures of the endpoint, so the third call was not made.
    assert_eq!(server.requests().len(), 2);
    let outcomes = [ModelOutcome::ServerError, ModelOutcome::ServerError, ModelOutcome::CircuitOpen];
    assert_eq!(*seen.outcomes.lock().unwrap(), outcomes);
    assert_eq!(*seen.circuit.lock().unwrap(), [true]);
}

#[tokio::test]
async fn a_stream_that_stalls_keeps_what_was_sent() {
    let stalled = Arc::new(Notify::new());
    let parts = beginning().into_iter().chain([Part::Wait(stalled)]).collect();
    let server = StandIn::streaming(parts).await;
    let (assistant, seen) = observed(ModelConfig { timeout: Duration::from_millis(800), ..config(&server) });
    let (parts, draft) = Written::by(assistant, task()).finish().await;
    assert_eq!((parts.concat(), &*draft.text), (FIRST.to_owned(), FIRST));
    assert_eq!(*seen.outcomes.lock().unwrap(), [ModelOutcome::Timeout]);
}

#[tokio::test]
async fn a_reader_who_leaves_cancels_the_request() {
    for leaves_after in [0, 1] {
        let (started, closed) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let mut parts = if leaves_after == 0 { Vec::new() } else { beginning() };
        parts.push(Part::Closed(Arc::clone(&closed)));
        let parts = Mutex::new(Some(parts));
        let signal = Arc::clone(&started);
        let server = StandIn::start(move |_, _| {
            signal.notify_one();
            Say::Stream(parts.lock().unwrap().take().unwrap())
        })
        .await;
        let (assistant, seen) = observed(config(&server));
        let mut written = Written::by(assistant, task());
        tokio::time::timeout(PATIENCE, started.notified()).await.unwrap();
        for _ in 0..leaves_after {
            assert_eq!(written.next().await.as_deref(), Some(FIRST));
        }
        drop(written.parts);
        tokio::time::timeout(PATIENCE, closed.notified()).await.expect("the connection is closed");
        let draft = written.draft.await.unwrap();
        let (text, writer) = if leaves_after == 0 { (QUOTE, "extractive") } else { (FIRST, "model") };
        assert!(draft.text.starts_with(text), "{}", draft.text);
        assert_eq!((draft.writer, draft.model_ran), (writer, true));
        assert_eq!(*seen.outcomes.lock().unwrap(), [ModelOutcome::Abandoned]);
        assert_eq!((seen.requests.lock().unwrap().len(), seen.circuit.lock().unwrap().len()), (1, 0));
    }
}

#[tokio::test]
async fn tokens_are_counted_if_the_stream_reports_them() {
    let content = ordered_reply(FIRST, &["S1"]);
    for (end, tokens) in [
        (Part::End, (Some(10), Some(5))),
        (Part::Raw("data: [DONE]\n\n".into()), (None, None)),
        // Without an empty line at the end, and without the last event.
        (Part::Raw("data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}".into()), (None, None)),
    ] {
        let parts = Part::deltas(&content, 4).into_iter().chain([end]).collect();
        let server = StandIn::streaming(parts).await;
        let (assistant, seen) = observed(config(&server));
        let (parts, draft) = Written::by(assistant, task()).finish().await;
        assert_eq!((parts.concat(), draft.text), (FIRST.to_owned(), FIRST.to_owned()));
        let seen = seen.requests.lock().unwrap();
        assert_eq!((seen.len(), (seen[0].prompt_tokens, seen[0].completion_tokens)), (1, tokens));
    }
}

#[tokio::test]
async fn endpoints_without_streams_answer_as_a_whole() {
    // One ignores the field, one refuses it.
    let server = StandIn::answering(FIRST, &["S1"]).await;
    let (parts, draft) = Written::of(&server, task()).finish().await;
    assert!(FIRST.starts_with(&parts.concat()));
    assert_eq!((&*draft.text, server.requests().len()), (FIRST, 1));

    let server = StandIn::start(|request, _| match request.body.get("stream_options") {
        Some(_) => Say::Raw("422 Unprocessable Content", "{\"detail\":\"extra field\"}".into()),
        None => Say::Object(reply(FIRST, &["S1"], "answer")),
    })
    .await;
    let assistant = assistant(&server);
    for requests in [2, 3] {
        let (reader, _parts) = tokio::sync::mpsc::unbounded_channel();
        let draft = assistant.respond_live(task(), reader).await;
        assert_eq!((&*draft.text, server.requests().len()), (FIRST, requests));
        assert!(server.requests().iter().all(|request| request.body.get("response_format").is_some()));
    }
}
