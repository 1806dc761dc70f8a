//! Embedding models: in this process, or behind an endpoint.

mod calibration;
mod endpoint;
mod error;
mod known;
mod lead;
mod local;
mod model;
mod segments;

pub(crate) use self::known::Known;
pub(crate) use self::segments::decode as decode_segments;
pub use self::{
    endpoint::{EndpointConfig, EndpointError},
    error::EmbeddingError,
    model::EmbeddingModel,
};
