//! Labelled questions, the judgement of answers, and measures of search and answers.

pub mod corpus;
pub mod judge;
mod linear;
pub mod questions;
pub mod training;
mod vectors;
