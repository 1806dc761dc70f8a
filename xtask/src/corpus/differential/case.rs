//! [`Case`]: a request with what must become of it; [`Skipped`]: an operation without one.

use super::exchange::Request;

/// What must become of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// It reaches the handler of its operation.
    Reached,
    /// It is refused.
    Refused,
    /// The specifications leave it open, but both servers do the same.
    Same,
    /// The specifications refuse it, but generated servers do not check that, which a warning of the
    /// generator says.
    Unchecked,
}

/// A request with its purpose.
#[derive(Clone, Debug)]
pub struct Case {
    /// Method and template of the operation; empty if the request calls none.
    pub operation: String,
    /// What is sent, in a few words: the kind of request, and the place that is wrong.
    pub purpose: String,
    /// The expected result.
    pub expected: Expected,
    /// The request.
    pub request: Request,
}

/// An operation for which no request was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Method and template of the operation.
    pub operation: String,
    /// The reason.
    pub reason: String,
}
