//! Text of uploaded images and recordings, read by models behind OpenAI-compatible endpoints.
//!
//! Nothing here decodes an image or a recording: the content is sent as it is, within a size limit. What a
//! model returns is content like that of any other file, never an instruction.
//!
//! - `model` is what both models have in common: sizes, time limits, and what a response means.
//! - `vision` reads images, `transcription` recordings.
//! - `error` says why there is no text, in words for customers.

mod error;
mod model;
mod transcription;
mod vision;

use std::sync::Arc;

use bytes::Bytes;
use frontdesk_documents::{DocumentKind, ExtractError, sniff};
use frontdesk_knowledge::strip_invisible;

pub(crate) use self::error::MediaError;
use self::{transcription::Transcription, vision::Vision};
use crate::platform::{config::Files, model_endpoint::ModelEndpointError};

/// The models of the installation that read images and recordings. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct MediaModels(Arc<Models>);

#[derive(Debug)]
struct Models {
    vision: Option<Vision>,
    transcription: Option<Transcription>,
}

impl MediaModels {
    /// Returns the configured models, without a request.
    pub(crate) fn open(config: &Files) -> Result<Self, ModelEndpointError> {
        let (vision, transcription) = (Vision::open(config)?, Transcription::open(config)?);
        Ok(Self(Arc::new(Models { vision, transcription })))
    }

    /// Logs which model reads which kind of file.
    pub(crate) fn announce(&self) {
        let vision = self.0.vision.as_ref().map_or("none", Vision::name);
        let transcription = self.0.transcription.as_ref().map_or("none", Transcription::name);
        tracing::info!(vision, transcription, "models that read uploaded images and recordings");
    }

    /// Returns the text of an image or a recording. It has at least one letter or digit.
    pub(crate) async fn text(&self, file_name: &str, content: Bytes) -> Result<String, MediaError> {
        let file_type = sniff(&content, file_name)?;
        let kind = file_type.kind();
        let text = match (kind, &self.0.vision, &self.0.transcription) {
            (DocumentKind::Image, Some(vision), _) => vision.text(file_type, content).await?,
            (DocumentKind::Audio, _, Some(transcription)) => transcription.text(file_type, content).await?,
            _ => {
                let mime_type = file_type.mime_type().to_owned();
                return Err(ExtractError::NoExtractor { kind, mime_type }.into());
            }
        };
        let text = strip_invisible(&text);
        if !text.chars().any(char::is_alphanumeric) {
            return Err(MediaError::Empty { kind });
        }
        Ok(text)
    }
}
