//! Observation of model calls, for metrics.

use std::fmt;
use std::time::Duration;

use frontdesk_outbound::OutboundError;

use crate::writer::WriterError;

/// Receives what the model writer measures. Implementations return quickly: they are called on the way to an
/// answer.
pub trait ModelObserver: fmt::Debug + Send + Sync {
    /// One HTTP request to the endpoint has ended, whatever its result.
    fn request(&self, request: &ModelRequest);

    /// One attempt to write an answer has ended.
    fn answer(&self, outcome: ModelOutcome);

    /// One attempt to rewrite a question so that it stands alone has ended.
    fn rewrite(&self, outcome: ModelOutcome);

    /// The circuit breaker has opened or closed.
    fn circuit(&self, is_open: bool);
}

/// Measurements of one HTTP request to the endpoint.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ModelRequest {
    /// Time until the response was complete, or until the request failed or was abandoned.
    pub duration: Duration,
    /// Tokens of the prompt, if the endpoint reports them.
    pub prompt_tokens: Option<u64>,
    /// Tokens of the completion, if the endpoint reports them.
    pub completion_tokens: Option<u64>,
}

/// Outcome of one attempt to write an answer, or to rewrite a question, with the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ModelOutcome {
    /// The model wrote an answer, possibly a refusal, or a question that can be used.
    Written,
    /// The endpoint could not be reached, or the response was not HTTP.
    Unreachable,
    /// The answer took longer than the configured time.
    Timeout,
    /// The endpoint responded with 429.
    RateLimited,
    /// The endpoint responded with 401 or 403.
    Unauthorized,
    /// The endpoint responded with another 4xx status.
    Rejected,
    /// The endpoint responded with any other status, or broke its stream off.
    ServerError,
    /// The response was not in the requested form, even after one repair, or the question cannot be used.
    Malformed,
    /// The visitor disconnected while the answer was being written.
    Abandoned,
    /// The circuit breaker refused the call.
    CircuitOpen,
    /// Too many answers were being written.
    Overloaded,
    /// The instructions of the chatbot leave no space for passages.
    PromptTooLong,
}

impl ModelOutcome {
    /// Every outcome.
    pub const ALL: [Self; 12] = [
        Self::Written,
        Self::Unreachable,
        Self::Timeout,
        Self::RateLimited,
        Self::Unauthorized,
        Self::Rejected,
        Self::ServerError,
        Self::Malformed,
        Self::Abandoned,
        Self::CircuitOpen,
        Self::Overloaded,
        Self::PromptTooLong,
    ];

    /// Returns the stable name, for metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Written => "written",
            Self::Unreachable => "unreachable",
            Self::Timeout => "timeout",
            Self::RateLimited => "rate_limited",
            Self::Unauthorized => "unauthorized",
            Self::Rejected => "rejected",
            Self::ServerError => "server_error",
            Self::Malformed => "malformed",
            Self::Abandoned => "abandoned",
            Self::CircuitOpen => "circuit_open",
            Self::Overloaded => "overloaded",
            Self::PromptTooLong => "prompt_too_long",
        }
    }

    /// Classifies the result of writing an answer.
    pub(super) fn of_result<T>(result: &Result<T, WriterError>) -> Self {
        result.as_ref().map_or_else(Self::of, |_| Self::Written)
    }

    fn of(error: &WriterError) -> Self {
        match error {
            WriterError::Outbound(OutboundError::Timeout { .. }) | WriterError::Timeout { .. } => {
                Self::Timeout
            }
            WriterError::Outbound(_) => Self::Unreachable,
            WriterError::Status { status } => match status.as_u16() {
                429 => Self::RateLimited,
                401 | 403 => Self::Unauthorized,
                400..=499 => Self::Rejected,
                _ => Self::ServerError,
            },
            WriterError::BrokenStream { .. } => Self::ServerError,
            WriterError::Malformed { .. } => Self::Malformed,
            WriterError::Abandoned => Self::Abandoned,
            WriterError::CircuitOpen { .. } => Self::CircuitOpen,
            WriterError::Overloaded { .. } => Self::Overloaded,
            WriterError::PromptTooLong { .. } => Self::PromptTooLong,
        }
    }

    /// Returns whether the outcome proves that the endpoint works or that it does not.
    ///
    /// A rejected request or a malformed completion may be caused by one question, so it does not count as a
    /// failure: visitors must not be able to switch the model off for each other.
    pub(super) fn endpoint_works(self) -> Option<bool> {
        match self {
            Self::Written | Self::Rejected | Self::Malformed => Some(true),
            Self::Unreachable
            | Self::Timeout
            | Self::RateLimited
            | Self::Unauthorized
            | Self::ServerError => Some(false),
            Self::Abandoned | Self::CircuitOpen | Self::Overloaded | Self::PromptTooLong => None,
        }
    }
}

/// An observer that ignores everything.
#[derive(Debug)]
pub(super) struct Unobserved;

impl ModelObserver for Unobserved {
    fn request(&self, _: &ModelRequest) {}

    fn answer(&self, _: ModelOutcome) {}

    fn rewrite(&self, _: ModelOutcome) {}

    fn circuit(&self, _: bool) {}
}
