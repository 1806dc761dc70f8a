//! What chatbots are trained with, and how passages of it are found.

pub(crate) mod chatbots;
pub(crate) mod chunk;
pub(crate) mod chunks;
pub(crate) mod failure;
pub(crate) mod faqs;
pub(crate) mod files;
pub(crate) mod hits;
pub(crate) mod kept_vectors;
pub(crate) mod question_key;
pub(crate) mod search;
pub(crate) mod tags;
pub(crate) mod text_snippets;
pub(crate) mod vectors;
pub(crate) mod webpages;
pub(crate) mod websites;
pub(crate) mod widgets;
