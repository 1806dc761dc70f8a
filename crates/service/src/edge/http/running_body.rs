//! Response bodies that keep their connection from being idle: [`RunningBody`].

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use axum::body::{Body, Bytes};
use http_body::{Frame, SizeHint};

use super::client_connections::RunningRequest;

/// A response body. The request runs until the last byte of it was taken.
#[derive(Debug)]
pub(super) struct RunningBody {
    body: Body,
    _running: RunningRequest,
}

impl RunningBody {
    /// Adds the request to the body of its response.
    pub(super) fn new(body: Body, running: RunningRequest) -> Self {
        Self { body, _running: running }
    }
}

impl http_body::Body for RunningBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
