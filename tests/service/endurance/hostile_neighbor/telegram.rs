//! Telegram, whose bots work or misbehave, as their token says.

use std::time::Duration;

use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, Method, Uri},
    response::{IntoResponse, Response},
};
use futures_util::stream;

use crate::channels::stand_in::{self, StandIn};

/// The tokens of bots: `1:` works, the others hang, drip, and stream.
pub(super) const TOKENS: [&str; 4] =
    ["1:ABC-DEF1234ghIkl", "2:ABC-DEF1234ghIkl", "3:ABC-DEF1234ghIkl", "4:ABC-DEF1234ghIkl"];

/// Starts the server for bots of which those that work have what this stand-in has. Returns its address.
pub(super) async fn serve(working: StandIn) -> String {
    stand_in::serve(Router::new().fallback(respond).with_state(working)).await.into()
}

async fn respond(
    State(working): State<StandIn>,
    method: Method,
    headers: HeaderMap,
    uri: Uri,
    body: Bytes,
) -> Response {
    match uri.path().chars().nth("/bot".len()) {
        Some('1') => stand_in::respond(State(working), method, headers, uri, body).await,
        Some('2') => std::future::pending().await,
        Some('3') => repeating(b" ".to_vec(), Duration::from_millis(50)),
        _ => repeating(vec![b' '; 64 * 1024], Duration::ZERO),
    }
}

/// Returns a response without an end.
fn repeating(bytes: Vec<u8>, pause: Duration) -> Response {
    let bytes = Bytes::from(bytes);
    Body::from_stream(stream::unfold((), move |()| {
        let bytes = bytes.clone();
        async move {
            tokio::time::sleep(pause).await;
            Some((Ok::<_, std::convert::Infallible>(bytes), ()))
        }
    }))
    .into_response()
}
