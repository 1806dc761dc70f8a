//! [`EventStream`]: server-sent events (HTML standard, "Server-sent events"), reading and writing.

mod parser;

use self::parser::Parser;
use super::{
    ByteStream, StreamError,
    maybe_send::{Boxed, MaybeSend},
};
use crate::whole_numbers;
use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use serde::{Serialize, de::DeserializeOwned};
use std::{
    error::Error,
    fmt,
    pin::Pin,
    task::{Context, Poll},
};

/// The data with which many services end a stream of JSON events. It is not JSON itself.
const END: &str = "[DONE]";

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event<T> {
    /// `event`: the type; `None` means `message`.
    pub kind: Option<String>,
    /// `id`: the position from which a reconnecting reader continues. When reading, the id of this event or
    /// else the last id before it.
    pub id: Option<String>,
    /// `retry`: how many milliseconds a reader waits before it reconnects.
    pub retry: Option<u64>,
    /// `data`.
    pub data: T,
}

impl<T> Event<T> {
    /// Makes an event of the default type.
    pub const fn new(data: T) -> Self {
        Self { kind: None, id: None, retry: None, data }
    }

    /// Sets the type.
    pub fn with_kind(self, kind: impl Into<String>) -> Self {
        Self { kind: Some(kind.into()), ..self }
    }

    /// Sets the id.
    pub fn with_id(self, id: impl Into<String>) -> Self {
        Self { id: Some(id.into()), ..self }
    }

    /// Replaces the data.
    fn try_map<U, E>(self, map: impl FnOnce(T) -> Result<U, E>) -> Result<Event<U>, E> {
        let Self { kind, id, retry, data } = self;
        Ok(Event { kind, id, retry, data: map(data)? })
    }
}

/// A stream of events: a [`Stream`] of `Result<Event<T>, StreamError>`.
///
/// An event whose data does not fit `T` is an error after which the stream continues; [`StreamError::data`]
/// distinguishes it from a stream that failed.
pub struct EventStream<T> {
    events: Boxed<Result<Event<T>, StreamError>>,
}

impl<T> fmt::Debug for EventStream<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("EventStream").finish_non_exhaustive()
    }
}

impl<T> Stream for EventStream<T> {
    type Item = Result<Event<T>, StreamError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.events.as_mut().poll_next(context)
    }
}

impl<T> EventStream<T> {
    /// Returns the next event; `None` after the last one. Callers need not import `Stream` for it.
    pub async fn next(&mut self) -> Option<Result<Event<T>, StreamError>> {
        self.events.next().await
    }
}

impl<T: 'static> EventStream<T> {
    /// Makes an event stream of any stream of events.
    pub fn new<S, E>(events: S) -> Self
    where
        S: Stream<Item = Result<Event<T>, E>> + MaybeSend + 'static,
        E: Into<Box<dyn Error + Send + Sync>>,
    {
        Self { events: Box::pin(events.map(|event| event.map_err(StreamError::new))) }
    }
}

impl<T: Serialize + 'static> EventStream<T> {
    /// Encodes the events, each with its data as JSON.
    pub fn encode_json(self) -> ByteStream {
        encode(self.events, |data| serde_json::to_string(&data))
    }
}

impl EventStream<String> {
    /// Encodes the events, each with its data unchanged.
    pub fn encode_text(self) -> ByteStream {
        encode(self.events, Ok::<_, StreamError>)
    }

    /// Decodes the events of a response, each with its data unchanged.
    ///
    /// An event longer than `limit` bytes is an error that ends the stream.
    pub fn decode_text(bytes: ByteStream, limit: usize) -> Self {
        Self { events: parse(bytes, limit) }
    }
}

impl<T: DeserializeOwned + MaybeSend + 'static> EventStream<T> {
    /// Decodes the events of a response, each with its data read as JSON.
    ///
    /// The data `[DONE]`, which many services send last, ends the stream unless it is JSON of this type. An
    /// event longer than `limit` bytes is an error that ends the stream.
    pub fn decode_json(bytes: ByteStream, limit: usize) -> Self {
        let events = parse(bytes, limit).map(|event| {
            event?.try_map(|data| {
                whole_numbers::read(&data, |data| serde_json::from_str(data))
                    .map_err(|problem| StreamError::unfit(data, problem))
            })
        });
        let open = |event: &Result<Event<T>, StreamError>| {
            let ended = event.as_ref().is_err_and(|error| error.data() == Some(END));
            std::future::ready(!ended)
        };
        Self { events: Box::pin(events.take_while(open)) }
    }
}

fn parse(bytes: ByteStream, limit: usize) -> Boxed<Result<Event<String>, StreamError>> {
    let start = Some((bytes, Parser::new(limit)));
    Box::pin(stream::unfold(start, |state| async move {
        let (mut bytes, mut parser) = state?;
        loop {
            match parser.next() {
                Ok(Some(event)) => return Some((Ok(event), Some((bytes, parser)))),
                Ok(None) => {}
                Err(error) => return Some((Err(error), None)),
            }
            match bytes.next().await? {
                Ok(piece) => parser.push(&piece),
                Err(error) => return Some((Err(error), None)),
            }
        }
    }))
}

fn encode<T: 'static, E: Into<Box<dyn Error + Send + Sync>> + 'static>(
    events: Boxed<Result<Event<T>, StreamError>>,
    write: fn(T) -> Result<String, E>,
) -> ByteStream {
    ByteStream::new(events.map(move |event| {
        let event = event?.try_map(write).map_err(StreamError::new)?;
        Ok::<_, StreamError>(Bytes::from(event_text(&event)))
    }))
}

/// Encodes one event.
fn event_text(event: &Event<String>) -> String {
    let mut text = String::with_capacity(event.data.len() + 16);
    let mut field = |name: &str, value: &str| {
        text.push_str(name);
        text.push_str(": ");
        text.push_str(value);
        text.push('\n');
    };
    // A line break would end these fields and begin others.
    let line = |value: &String| value.replace(['\r', '\n', '\0'], " ");
    if let Some(kind) = &event.kind {
        field("event", &line(kind));
    }
    if let Some(id) = &event.id {
        field("id", &line(id));
    }
    if let Some(retry) = event.retry {
        field("retry", &retry.to_string());
    }
    // Readers convert every kind of line break to `
    // `, so only `
    // ` is sent.
    for part in event.data.replace("\r\n", "\n").replace('\r', "\n").split('\n') {
        field("data", part);
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::{Event, EventStream};
    use crate::codec::{ByteStream, StreamError};
    use futures_util::{FutureExt, StreamExt, stream};

    fn read<T: 'static>(events: EventStream<T>) -> Vec<Result<Event<T>, StreamError>> {
        events.collect().now_or_never().unwrap()
    }

    #[test]
    fn what_is_written_is_read() {
        let sent = vec![
            Event::new("one".to_owned()),
            Event::new("a\nb\n\n c".to_owned()).with_kind("note").with_id("7"),
            Event { retry: Some(250), id: Some("7".to_owned()), ..Event::new(String::new()) },
        ];
        let stream = EventStream::new(stream::iter(sent.clone().into_iter().map(Ok::<_, StreamError>)));
        let bytes = stream.encode_text();
        let got: Vec<_> =
            read(EventStream::decode_text(bytes, 100)).into_iter().map(Result::unwrap).collect();
        assert_eq!(got, sent);
    }

    #[test]
    fn no_field_breaks_out_of_its_line() {
        let event = Event::new("x".to_owned()).with_kind("a\ndata: y").with_id("1\r\n\r\n2");
        let stream = EventStream::new(stream::iter([Ok::<_, StreamError>(event)]));
        let text = stream.encode_text().text(100).now_or_never().unwrap().unwrap();
        assert_eq!(text, "event: a data: y\nid: 1    2\ndata: x\n\n");
    }

    #[test]
    fn json_ends_at_the_sentinel_and_goes_on_behind_what_does_not_fit() {
        let bytes = ByteStream::from("data: 1\n\ndata: x\n\ndata: 2\n\ndata: [DONE]\n\ndata: 3\n\n");
        let got = read(EventStream::<u8>::decode_json(bytes, 100));
        assert_eq!(got.len(), 3);
        assert_eq!(got[0].as_ref().unwrap().data, 1);
        assert_eq!(got[1].as_ref().unwrap_err().data(), Some("x"));
        assert_eq!(got[2].as_ref().unwrap().data, 2);
    }

    #[test]
    fn a_broken_stream_ends_with_its_error() {
        let pieces = stream::iter([Ok("data: 1\n\n".into()), Err("gone")]);
        let got = read(EventStream::<u8>::decode_json(ByteStream::new(pieces), 100));
        assert_eq!(got.len(), 2);
        let error = got[1].as_ref().unwrap_err();
        assert_eq!((error.to_string().as_str(), error.data()), ("the stream broke off: gone", None));
    }
}
