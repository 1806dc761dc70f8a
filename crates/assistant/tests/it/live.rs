//! Answers that are sent while the model writes them.

use std::sync::Arc;
use std::time::Duration;

use frontdesk_assistant::{Action, Draft, Kind, Mail, Task};
use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::JoinHandle;

use crate::stand_in::{Part, Say, StandIn, ordered_reply, reply};
use crate::{assistant, assistant_with_marks, passage, task, task_with};

/// Longest wait for something that must happen.
pub(crate) const PATIENCE: Duration = Duration::from_secs(15);

/// An answer that is being written.
pub(crate) struct Written {
    pub(crate) parts: UnboundedReceiver<String>,
    pub(crate) draft: JoinHandle<Draft>,
}

impl Written {
    pub(crate) fn of(server: &StandIn, task: Task) -> Self {
        Self::by(assistant(server), task)
    }

    pub(crate) fn by(assistant: frontdesk_assistant::Assistant, task: Task) -> Self {
        let (reader, parts) = unbounded_channel();
        let draft = tokio::spawn(async move { assistant.respond_live(task, reader).await });
        Self { parts, draft }
    }

    /// Waits for the next part. `None` if there is none.
    pub(crate) async fn next(&mut self) -> Option<String> {
        tokio::time::timeout(PATIENCE, self.parts.recv()).await.expect("a part or the end")
    }

    /// Waits for the end. Returns all remaining parts and the draft.
    pub(crate) async fn finish(mut self) -> (Vec<String>, Draft) {
        let mut parts = Vec::new();
        while let Some(part) = self.next().await {
            parts.push(part);
        }
        (parts, self.draft.await.unwrap())
    }
}

#[tokio::test]
async fn a_sentence_is_sent_before_the_model_has_finished() {
    let (first, second) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let content = ordered_reply(
        "Sure! The Pro plan costs $7 per month [S1]. You can cancel the plan at any time.",
        &["S1"],
    );
    let at = content.find("can cancel").unwrap();
    let end = content.find(",\"reason\"").unwrap();
    let mut parts = Part::deltas(&content[..at], 3);
    parts.push(Part::Wait(Arc::clone(&first)));
    parts.extend(Part::deltas(&content[at..end], 3));
    parts.push(Part::Wait(Arc::clone(&second)));
    parts.extend(Part::deltas(&content[end..], 3));
    parts.push(Part::End);
    let server = StandIn::streaming(parts).await;

    let mut written = Written::of(&server, task());
    // A courtesy waits for a statement, and a statement for the beginning of what follows it.
    assert_eq!(written.next().await.as_deref(), Some("Sure! The Pro plan costs $7 per month."));
    assert!(!written.draft.is_finished());
    first.notify_one();
    // The last sentence does not wait for the members after the text.
    assert_eq!(written.next().await.as_deref(), Some(" You can cancel the plan at any time."));
    assert!(!written.draft.is_finished());
    second.notify_one();
    let (rest, draft) = written.finish().await;
    assert!(rest.is_empty());
    assert_eq!(draft.text, "Sure! The Pro plan costs $7 per month. You can cancel the plan at any time.");
    assert_eq!((draft.action, draft.writer, draft.model_ran), (Action::Answer, "model", true));
    assert_eq!(draft.sources.len(), 1);

    let body = &server.requests()[0].body;
    assert_eq!((&body["stream"], &body["stream_options"]["include_usage"]), (&true.into(), &true.into()));
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn unsupported_sentences_are_never_sent() {
    for (answer, citations, expected) in [
        (
            "The Pro plan costs $7 per month. Every customer receives a free rocket from NASA. You can cancel the plan at any time.",
            &["S1"][..],
            vec!["The Pro plan costs $7 per month.", " You can cancel the plan at any time."],
        ),
        // Wrong numbers, also in the first sentence.
        (
            "The Pro plan costs $8 per month. You can cancel the plan at any time.",
            &["S1"],
            vec!["You can cancel the plan at any time."],
        ),
        // Paragraphs and lists keep their shape.
        (
            "The Pro plan costs:\n\n- $7 per month and user\n- a rocket every year\n\nYou can cancel the plan.\n",
            &["S1"],
            vec!["The Pro plan costs:", "\n\n- $7 per month and user", "\n\nYou can cancel the plan."],
        ),
        // Links that lead elsewhere, and one that spans sentences.
        (
            "The Pro plan costs $7, see [prices](https://evil.example/?q=pro). You can cancel [the plan. At any time](https://evil.example).",
            &["S1"],
            vec!["The Pro plan costs $7, see prices.", " You can cancel the plan. At any time."],
        ),
        // A passage that is not cited, citations that do not exist, and none.
        ("The office is open from 9 to 17 on weekdays. It is open.", &["S1"], vec![]),
        ("The Pro plan costs $7 per month. You can cancel.", &["S9"], vec![]),
        ("The Pro plan costs $7 per month. You can cancel.", &[], vec![]),
        ("Our founder Jane loves dogs. She has seven.", &["S1"], vec![]),
    ] {
        for size in [1, 7, 1000] {
            let mut parts = Part::deltas(&ordered_reply(answer, citations), size);
            parts.push(Part::End);
            let server = StandIn::streaming(parts).await;
            let (parts, draft) = Written::of(&server, task()).finish().await;
            let whole = StandIn::answering(answer, citations).await;
            let same = assistant(&whole).respond(task()).await;
            assert_eq!(draft, same, "{answer}");
            if size == 1 {
                assert_eq!(parts, expected, "{answer}");
            }
            let sent = parts.concat();
            assert_eq!(sent, expected.concat(), "{answer}");
            assert!(expected.is_empty() || draft.text == sent, "{sent} is not {}", draft.text);
            assert_eq!(draft.action == Action::Refuse, expected.is_empty(), "{answer}");
        }
    }
}

#[tokio::test]
async fn nothing_is_sent_before_its_citations_are_known() {
    let prices = "The Pro plan costs $7 per month. You can cancel the plan at any time.";
    let late = format!("{{\"answer\":\"{prices}\",\"citations\":[\"S1\"],\"action\":\"answer\"}}");
    let thought = format!("<think>{{\"a\":1}}</think>{}", ordered_reply(prices, &["S1"]));
    let marked = ordered_reply(&prices.replace("month.", "month [S1]."), &[]);
    for (content, sent, expected) in [(late, prices, prices), (marked, "", prices), (thought, "", "")] {
        let parts = Part::deltas(&content, 5).into_iter().chain([Part::End]).collect();
        let parts = std::sync::Mutex::new(Some(parts));
        let server = StandIn::start(move |_, number| match number {
            0 => Say::Stream(parts.lock().unwrap().take().unwrap()),
            _ => Say::Object(reply("The Pro plan costs $7 per month.", &["S1"], "answer")),
        })
        .await;
        let (parts, draft) = Written::of(&server, task()).finish().await;
        assert_eq!((parts.len(), &*parts.concat()), (usize::from(!sent.is_empty()), sent));
        if expected.is_empty() {
            // The form is repaired by a second request, as it is without a stream.
            assert_eq!(draft.text, "The Pro plan costs $7 per month.");
            assert!(server.requests()[1].body.get("stream").is_none());
        } else {
            assert_eq!(draft.text, expected);
        }
    }
}

#[tokio::test]
async fn answers_in_another_language_than_the_passages_are_sent_as_a_whole() {
    let answer = "Der Tarif Pro kostet 7 $ im Monat. Raketen sind enthalten.";
    let parts = Part::deltas(&ordered_reply(answer, &["S1"]), 4).into_iter().chain([Part::End]).collect();
    let parts = std::sync::Mutex::new(Some(parts));
    let server = StandIn::start(move |_, number| match number {
        0 => Say::Stream(parts.lock().unwrap().take().unwrap()),
        _ => Say::Content("{\"supported\":[1]}".into()),
    })
    .await;
    let mut task = task();
    task.question = "Wie viel kostet der Tarif Pro im Monat?".into();
    task.settings.respond_in_user_language = true;
    let (parts, draft) = Written::of(&server, task).finish().await;
    assert!(parts.is_empty(), "{parts:?}");
    assert_eq!(draft.text, "Der Tarif Pro kostet 7 $ im Monat.");
}

#[tokio::test]
async fn what_was_sent_stays_if_the_rest_must_be_withheld() {
    let start = "The Pro plan costs $7 per month. You can cancel the plan at any time. ";
    let mut blocked = task();
    blocked.settings.blocked_topics = vec!["rockets".into()];
    for (task, end, expected) in [
        // A leak within what follows. The second sentence waited for what reveals it.
        (task(), "My reference is c4n4ryc4n4ryc4n4. It is secret.", "The Pro plan costs $7 per month."),
        (blocked, "The Pro plan is for rockets. It is new.", start.trim()),
    ] {
        let content = ordered_reply(&format!("{start}{end}"), &["S1"]);
        let parts = Part::deltas(&content, 30).into_iter().chain([Part::End]).collect();
        let server = StandIn::streaming(parts).await;
        let (parts, draft) = Written::by(assistant_with_marks(&server), task).finish().await;
        assert!(expected.starts_with(&parts.concat()) && !parts.is_empty(), "{parts:?}");
        assert_eq!((draft.text, draft.action), (parts.concat(), Action::Answer));
        assert_eq!((draft.sources.len(), draft.used_chunks.len()), (1, 1));
    }
}

#[tokio::test]
async fn other_answers_are_not_sent_in_parts() {
    // A question back, an e-mail, and an answer that no model writes.
    let clarify =
        "{\"action\":\"clarify\",\"citations\":[\"S1\"],\"answer\":\"The Pro plan costs $7. Which?\"}";
    let parts = Part::deltas(clarify, 4).into_iter().chain([Part::End]).collect();
    let server = StandIn::streaming(parts).await;
    let (parts, draft) = Written::of(&server, task()).finish().await;
    assert!(parts.is_empty(), "{parts:?}");
    assert_eq!((draft.action, &*draft.text), (Action::Clarify, "Which?"));

    let server = StandIn::answering("The Pro plan costs $7 per month.", &["S1"]).await;
    let mut mail = task();
    let body = mail.question.clone();
    mail.kind =
        Kind::EmailReply { subject: "Prices".into(), thread: vec![Mail { from: "Ann".into(), body }] };
    let (parts, draft) = Written::of(&server, mail).finish().await;
    assert!(parts.is_empty() && draft.text.starts_with("Hello,"), "{parts:?}");
    assert!(server.requests()[0].body.get("stream").is_none());

    let hours = passage("hours", "The office is open from 9 to 17 on weekdays.");
    let (parts, draft) = Written::of(&server, task_with("Hello!", vec![hours])).finish().await;
    assert!(parts.is_empty() && !draft.model_ran, "{parts:?}");
    assert_eq!(server.requests().len(), 1);
}
