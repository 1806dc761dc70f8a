//! Behaviour that the document promises and no schema can express.

mod answers;
mod faqs;
mod faults;
mod files;
mod headers;
mod settings;
