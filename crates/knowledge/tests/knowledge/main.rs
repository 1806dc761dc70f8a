//! Crawling local sites over real HTTP, and measuring search on a real help center.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod coverage;
mod crawling;
mod evaluation;
mod frontier;
mod pausing;
mod searching;
mod site;
