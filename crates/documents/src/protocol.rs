//! The messages between the service and its child process.
//!
//! The service writes one line of JSON, the [`Request`], and then the bytes of the file. The child writes one
//! JSON value, the [`Response`], and ends.

use serde::{Deserialize, Serialize};

use crate::{document::Document, error::ExtractError, limits::Limits};

/// Longest line of a request, in bytes.
pub(crate) const MAX_REQUEST_BYTES: u64 = 16 * 1024;

/// What to read.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Request {
    /// The name of the file.
    pub(crate) file_name: String,
    /// The limits.
    pub(crate) limits: Limits,
    /// The number of bytes that follow.
    pub(crate) bytes: u64,
}

/// The result: the document, or why there is none.
pub(crate) type Response = Result<Document, ExtractError>;
