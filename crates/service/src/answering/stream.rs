//! Answers as server-sent events: the sentences, as soon as they are written and verified, then the whole
//! answer.

use frontdesk_model::{
    Answer, AnswerCompletedEvent, AnswerCompletedEventType, AnswerEvent, AnswerFailedEvent,
    AnswerFailedEventType, AnswerTextEvent, AnswerTextEventType,
};
use frontdesk_runtime::codec::{Event, EventStream, StreamError};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use unicode_segmentation::UnicodeSegmentation;

use super::turn::{Accepted, Exchange, ExchangeError, Progress};
use crate::edge::{event_stream::FAILED, responses};

/// The events of one answer. Nothing waits for a slow reader: an answer is short, and it is stored in any
/// case.
type Events = UnboundedSender<Result<Event<AnswerEvent>, StreamError>>;

/// Accepts a message, and answers it in a task of its own that also finishes when the client has gone.
pub(super) async fn answer(exchange: Exchange) -> Result<EventStream<AnswerEvent>, ExchangeError> {
    Ok(of(Box::pin(exchange.accept()).await?))
}

/// Answers a message that is stored, as [`answer`] does.
pub(super) fn of(progress: Progress) -> EventStream<AnswerEvent> {
    let (events, received) = unbounded_channel();
    match progress {
        Progress::LeftToPerson(answer) => send_answer(&events, answer),
        Progress::Accepted(accepted) => {
            tokio::spawn(write(*accepted, events));
        }
    }
    let sent = futures_util::stream::unfold(received, async |mut received| {
        received.recv().await.map(|event| (event, received))
    });
    EventStream::new(sent)
}

async fn write(accepted: Accepted, events: Events) {
    let claim = accepted.claim();
    match claim.hold(Box::pin(answer_in_parts(accepted, &events))).await {
        Ok(answer) => send_answer(&events, answer),
        Err(error) => {
            tracing::error!(%error, "an answer that was being streamed failed");
            let event = AnswerFailedEvent::new(AnswerFailedEventType::Error, responses::FAULT);
            send(&events, FAILED, event.into());
        }
    }
}

async fn answer_in_parts(accepted: Accepted, events: &Events) -> Result<Answer, ExchangeError> {
    let (writer, written) = unbounded_channel();
    let (draft, mut sent) = tokio::join!(accepted.write_live(writer), forward(written, events));
    let draft = draft?;
    send_rest(events, &mut sent, &draft.text);
    let answer = accepted.record(draft).await?;
    // The offer of a person is added when the answer is stored.
    send_rest(events, &mut sent, &answer.response);
    Ok(answer)
}

/// Sends what is written, until it ends or the client has gone. Returns what was sent.
async fn forward(mut written: UnboundedReceiver<String>, events: &Events) -> String {
    let mut sent = String::new();
    loop {
        let part = tokio::select! {
            part = written.recv() => part,
            // Nobody receives further parts from then on, by which the writer knows that it may end.
            () = events.closed() => None,
        };
        let Some(part) = part else { return sent };
        send_text(events, &part);
        sent.push_str(&part);
    }
}

/// Sends what is missing of a text whose beginning was sent.
fn send_rest(events: &Events, sent: &mut String, text: &str) {
    let Some(rest) = text.strip_prefix(sent.as_str()) else {
        tracing::error!("an answer does not begin with what was sent of it");
        return;
    };
    for sentence in rest.split_sentence_bounds() {
        send_text(events, sentence);
    }
    text.clone_into(sent);
}

fn send_text(events: &Events, text: &str) {
    send(events, "text", AnswerTextEvent::new(AnswerTextEventType::Text, text).into());
}

fn send_answer(events: &Events, answer: Answer) {
    let event = AnswerCompletedEvent::new(AnswerCompletedEventType::Answer, answer);
    send(events, "answer", event.into());
}

fn send(events: &Events, kind: &str, event: AnswerEvent) {
    // It fails if the client has gone, which changes nothing: the answer is in the conversation.
    let _ = events.send(Ok(Event::new(event).with_kind(kind)));
}
