//! Server-sent events on their way through proxies and idle connections.

use std::time::Duration;

use axum::{
    body::{Body, Bytes},
    response::Response,
};
use frontdesk_runtime::{HeaderName, HeaderValue};
use futures_util::{StreamExt, stream};
use http::header;
use tokio::time::timeout;

/// Silence after which a stream says that it is still there. Many proxies close connections that are silent
/// for 30 or 60 seconds, and a model may think for longer.
const SILENCE: Duration = Duration::from_secs(15);

/// By `no` nginx, and proxies that follow it, do not collect a response before they pass it on.
const UNBUFFERED: HeaderName = HeaderName::from_static("x-accel-buffering");

/// A comment, which readers ignore (HTML standard, "Server-sent events").
const HEARTBEAT: Bytes = Bytes::from_static(b":\n\n");

/// Tells proxies to pass server-sent events on at once, also those of a repeated request, and adds comments
/// while there are no events.
pub(super) async fn keep_alive(mut response: Response) -> Response {
    let media_type = response.headers().get(header::CONTENT_TYPE).map(HeaderValue::as_bytes);
    if !media_type.is_some_and(|media_type| media_type.starts_with(b"text/event-stream")) {
        return response;
    }
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
    headers.insert(UNBUFFERED, HeaderValue::from_static("no"));
    response.map(|body| {
        // A comment may stand between events only.
        let between = true;
        let beating = stream::unfold((body.into_data_stream(), between), async |(mut events, between)| {
            let next = if between { timeout(SILENCE, events.next()).await } else { Ok(events.next().await) };
            match next {
                Ok(Some(Ok(piece))) => {
                    let between = piece.ends_with(b"\n\n");
                    Some((Ok(piece), (events, between)))
                }
                Ok(Some(Err(error))) => Some((Err(error), (events, false))),
                Ok(None) => None,
                Err(_) => Some((Ok(HEARTBEAT), (events, true))),
            }
        });
        Body::from_stream(beating)
    })
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use http_body_util::BodyExt;
    use tokio::time::sleep;

    use super::*;

    /// Returns what a client gets of these pieces, each of which takes some seconds.
    async fn sent(media_type: &str, pieces: &'static [(u64, &'static str)]) -> String {
        let body = stream::iter(pieces).then(async |(seconds, text)| {
            sleep(Duration::from_secs(*seconds)).await;
            Ok::<_, Infallible>(Bytes::from_static(text.as_bytes()))
        });
        let response = Response::builder().header(header::CONTENT_TYPE, media_type);
        let response = keep_alive(response.body(Body::from_stream(body)).unwrap()).await;
        let sent = response.into_body().collect().await.unwrap().to_bytes();
        String::from_utf8(sent.to_vec()).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_stream_shows_that_it_is_alive_between_events() {
        let slow =
            sent("text/event-stream", &[(1, "data: a\n\n"), (40, "data: b\n\n"), (1, "data: c\n\n")]).await;
        assert_eq!(slow, "data: a\n\n:\n\n:\n\ndata: b\n\ndata: c\n\n");
        let before = sent("text/event-stream; charset=utf-8", &[(20, "data: a\n\n")]).await;
        assert_eq!(before, ":\n\ndata: a\n\n");
        let cut = sent("text/event-stream", &[(1, "data: a"), (40, "\n\n")]).await;
        assert_eq!(cut, "data: a\n\n");
        assert_eq!(sent("text/csv", &[(1, "a\n\n"), (40, "b")]).await, "a\n\nb");
    }
}
