//! Behaviour that the document promises and no schema can express.

mod answers;
mod faults;
mod headers;
mod settings;
