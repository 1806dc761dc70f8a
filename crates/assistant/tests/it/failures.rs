//! Failing endpoints: the visitor gets a quote instead of an error, and the key stays secret.

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use frontdesk_assistant::{Action, Assessment, Assistant, ModelConfig, Writer};
use frontdesk_assistant::{ModelWriter, WriterError};
use frontdesk_outbound::{Outbound, Policy};
use tracing_subscriber::fmt::MakeWriter;

use crate::stand_in::{Say, StandIn, reply};
use crate::{KEY, QUOTE, assistant, config, outbound, task};

fn assert_quoted(draft: &frontdesk_assistant::Draft, scene: &str) {
    assert!(draft.text.starts_with(QUOTE), "{scene}: {}", draft.text);
    assert_eq!(
        (draft.action, draft.writer, draft.model_ran),
        (Action::Answer, "extractive", false),
        "{scene}"
    );
    assert_eq!(draft.sources.len(), 1, "{scene}");
}

#[tokio::test]
async fn every_failure_falls_back_to_quoting() {
    let big = "x".repeat(4 << 20);
    for (scene, status, body, calls) in [
        ("server error", "500 Internal Server Error", "{}".to_owned(), 1),
        ("rate limit", "429 Too Many Requests", "{}".to_owned(), 1),
        ("bad key", "401 Unauthorized", "{\"error\":\"bad key\"}".to_owned(), 1),
        ("redirect", "307 Temporary Redirect", String::new(), 1),
        ("not JSON", "200 OK", "<html>".to_owned(), 1),
        ("no choices", "200 OK", "{\"choices\":[]}".to_owned(), 1),
        ("no content", "200 OK", "{\"choices\":[{\"message\":{\"content\":null}}]}".to_owned(), 1),
        ("empty", "200 OK", String::new(), 1),
        ("too large", "200 OK", big, 1),
        ("refused request", "400 Bad Request", "{}".to_owned(), 2),
    ] {
        let server = StandIn::start(move |_, _| Say::Raw(status, body.clone())).await;
        let draft = assistant(&server).respond(task()).await;
        assert_quoted(&draft, scene);
        assert_eq!(server.requests().len(), calls, "{scene}");
    }
}

#[tokio::test]
async fn a_slow_model_is_not_waited_for() {
    let server = StandIn::start(|_, _| Say::Hang).await;
    let slow = ModelConfig { timeout: Duration::from_millis(150), ..config(&server) };
    assert_quoted(&Assistant::new(Some(slow.clone()), outbound()).respond(task()).await, "silent");

    // The limit covers all attempts together: a first answer that needs a repair, then silence.
    let server =
        StandIn::start(|_, number| if number == 0 { Say::Content("garbage".into()) } else { Say::Hang })
            .await;
    let slow = ModelConfig { base_url: server.base_url(), ..slow };
    let error = ModelWriter::new(slow, outbound()).answer(&Assessment::of(&task())).await.unwrap_err();
    assert!(matches!(error, WriterError::Timeout { .. } | WriterError::Outbound(_)), "{error}");
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn a_model_that_is_not_there_or_not_allowed_falls_back() {
    let server = StandIn::answering("The Pro plan costs $7.", &["S1"]).await;
    let config = config(&server);
    let closed = Outbound::new(Policy::new("Frontdesk-Test/1.0")).unwrap();
    assert_quoted(&Assistant::new(Some(config.clone()), closed).respond(task()).await, "blocked address");
    assert!(server.requests().is_empty());
    drop(server);
    assert_quoted(&Assistant::new(Some(config), outbound()).respond(task()).await, "closed port");
}

#[tokio::test]
async fn malformed_completions_are_repaired_once() {
    let server = StandIn::start(|request, number| {
        if number == 0 {
            return Say::Content("It costs $7!".into());
        }
        assert!(request.prompt().contains("That was not the JSON object that was asked for."));
        Say::Content(format!("```json\n{}\n```", reply("The Pro plan costs $7.", &["S1"], "answer")))
    })
    .await;
    let draft = assistant(&server).respond(task()).await;
    assert_eq!((draft.text.as_str(), draft.writer), ("The Pro plan costs $7.", "model"));
    assert_eq!(server.requests().len(), 2);

    let server = StandIn::start(|_, _| Say::Content("It costs $7!".into())).await;
    assert_quoted(&assistant(&server).respond(task()).await, "garbage twice");
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn servers_without_structured_output_are_asked_without_it() {
    let server = StandIn::start(|request, _| {
        if request.body.get("response_format").is_some() {
            return Say::Raw(
                "400 Bad Request",
                "{\"error\":{\"message\":\"response_format is not supported\"}}".into(),
            );
        }
        Say::Object(reply("The Pro plan costs $7.", &["S1"], "answer"))
    })
    .await;
    let assistant = assistant(&server);
    assert_eq!(assistant.respond(task()).await.writer, "model");
    assert_eq!(server.requests().len(), 2);
    assert_eq!(assistant.respond(task()).await.writer, "model");
    assert_eq!(server.requests().len(), 3);
}

/// Collects all log lines.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

#[tokio::test]
async fn neither_key_nor_question_is_logged_or_shown() {
    let log = Log::default();
    let subscriber =
        tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(log.clone()).finish();
    // For the whole process: with a subscriber on one thread only, other tests decide which events are seen.
    // Their log lines must follow the same rule.
    tracing::subscriber::set_global_default(subscriber).unwrap();
    let server = StandIn::start(|_, number| match number {
        0 => Say::Raw("500 Internal Server Error", format!("bad key {KEY}")),
        _ => Say::Content("garbage".into()),
    })
    .await;
    let assistant = assistant(&server);
    for _ in 0..2 {
        assert_eq!(assistant.respond(task()).await.writer, "extractive");
    }
    let logged = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(logged.contains("the model did not answer"), "{logged}");
    let shown = format!(
        "{logged}{assistant:?}{:?}{:#?}",
        config(&server),
        ModelWriter::new(config(&server), outbound())
    );
    assert!(shown.contains("redacted"));
    assert!(!shown.contains("s3cret") && !shown.contains("How much does"), "{shown}");
}
