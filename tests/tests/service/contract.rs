//! What the document promises, met by a service that keeps it.

mod answers;
mod every_status;
mod headers;
mod settings;
