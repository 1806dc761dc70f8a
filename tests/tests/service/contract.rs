//! Behaviour that the document promises and no schema can express.

mod answers;
mod faults;
mod files;
mod headers;
mod settings;
