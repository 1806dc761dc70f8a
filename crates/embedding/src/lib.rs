//! Sentence vectors in process: a question and the passages that answer it get near vectors, also across
//! languages.
//!
//! [`Model::bundled`] is a multilingual network for English, German, French, Spanish, Italian, Dutch,
//! Portuguese and Polish, and a second one for English alone, compiled into the binary by the feature
//! `bundled-model`. [`Model::from_folder`] loads another one. Both work offline. Nearness is [`Vector::dot`],
//! the cosine; vectors are stored as [`QuantizedVector`], beside [`Model::id`], because vectors of different
//! models are not comparable.
//!
//! A model runs on the processor and takes milliseconds to seconds for a call: asynchronous callers use
//! `spawn_blocking`.

mod encoder;
mod error;
mod files;
mod model;
mod tokenizer;
#[cfg(all(test, feature = "bundled-model"))]
mod tokenizer_tests;
mod vector;
#[cfg(test)]
mod vector_tests;
mod workers;

pub use error::ModelError;
pub use model::{Model, Passage, PassageVectors};
pub use vector::{QuantizedVector, Vector, VectorError};
