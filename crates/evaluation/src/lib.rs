//! Evaluation of search and answers on labeled sites, and training of the extractive writer.
//!
//! A labeled site is a folder with a static website in `site/` and questions with their answers in
//! `questions.jsonl`. Reading order: `questions` (what is asked), `judge` (whether an answer is right),
//! `measures` and `baseline` (how often it is, and how often plain BM25 finds the page), `comparison` (of
//! two runs), `corpus` and `vectors` (the content in memory), `samples` (what is found for each question),
//! `training` and `linear` (the weights of the writer), `endpoint` (answers of a model to the same
//! questions).

pub mod baseline;
pub mod comparison;
pub mod corpus;
mod corpus_error;
pub mod endpoint;
pub mod judge;
mod linear;
pub mod measures;
pub mod questions;
pub mod samples;
pub mod training;
mod vectors;
