//! Behavior that the document promises and no schema can express.

mod answers;
mod bodies;
mod browsers;
mod consent;
mod contacts;
mod conversations;
mod csv_files;
mod deal_activities;
mod deals;
mod faqs;
mod faults;
mod files;
mod headers;
mod inbox;
mod plan_limits;
pub(crate) mod sales;
mod settings;
mod streams;
mod widgets;
