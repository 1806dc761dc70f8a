//! [`MediaModel`]: what models of images and of recordings have in common.

use std::time::Duration;

use bytes::Bytes;
use frontdesk_documents::{DocumentKind, ExceededLimit, ExtractError, FileType};
use frontdesk_outbound::{Fetched, Limits, OutboundError};
use http::StatusCode;
use serde_json::Value;

use super::error::MediaError;
use crate::platform::{
    config::FileModel,
    model_endpoint::{ModelEndpoint, ModelEndpointError, api_key},
};

/// Maximum size of a response in bytes: a recording of several hours has less than a megabyte of text.
const MAX_RESPONSE_BYTES: u64 = 4 << 20;

/// Time limit of connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Which files a model reads.
#[derive(Debug)]
pub(super) struct Accepts {
    /// Image or audio.
    pub(super) kind: DocumentKind,
    /// The formats that OpenAI documents for the operation. Other endpoints take at least most of them.
    pub(super) types: &'static [FileType],
    /// What to do with a file of another format.
    pub(super) advice: &'static str,
}

/// A model that reads files of one kind.
#[derive(Debug)]
pub(super) struct MediaModel {
    /// Its endpoint.
    pub(super) endpoint: ModelEndpoint,
    /// Its name.
    pub(super) name: String,
    accepts: Accepts,
    max_bytes: u64,
    limits: Limits,
}

impl MediaModel {
    /// Returns the configured model, if there is one. `path` is the operation, `key_setting` the name of the
    /// setting with the key.
    pub(super) fn open(
        config: &FileModel,
        path: &[&str],
        key_setting: &'static str,
        accepts: Accepts,
    ) -> Result<Option<Self>, ModelEndpointError> {
        let (Some(base), Some(name)) = (&config.base_url, &config.model) else { return Ok(None) };
        let key = api_key(config.api_key.as_ref(), key_setting)?;
        Ok(Some(Self {
            endpoint: ModelEndpoint::open(base, path, &config.allow_networks, key)?,
            name: name.clone(),
            accepts,
            max_bytes: config.max_bytes,
            limits: Limits {
                total: config.timeout,
                connect: config.timeout.min(CONNECT_TIMEOUT),
                max_bytes: MAX_RESPONSE_BYTES,
                max_redirects: 0,
            },
        }))
    }

    /// Refuses a file that the model does not take.
    pub(super) fn check(&self, file_type: FileType, content: &Bytes) -> Result<(), ExtractError> {
        if !self.accepts.types.contains(&file_type) {
            let (found, advice) = (file_type.description().to_owned(), self.accepts.advice.to_owned());
            return Err(ExtractError::UnsupportedType { found, advice });
        }
        if content.len() as u64 > self.max_bytes {
            return Err(ExceededLimit::InputBytes(self.max_bytes).into());
        }
        Ok(())
    }

    /// Encodes a body on a thread for such work: it looks at every byte of a file.
    pub(super) async fn encoded<T: Send + 'static>(
        &self,
        encode: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, MediaError> {
        tokio::task::spawn_blocking(encode).await.map_err(|error| self.unavailable(error.to_string()))
    }

    /// Returns the limits of a request.
    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Returns the body of a response.
    ///
    /// A status that concerns the file is final. Whatever else fails may succeed later.
    pub(super) fn body(&self, response: Result<Fetched, OutboundError>) -> Result<Value, MediaError> {
        let response = response.map_err(|error| self.unavailable(error.to_string()))?;
        match response.status {
            status if status.is_success() => {
                serde_json::from_slice(&response.body).map_err(|_| self.malformed("the body is not JSON"))
            }
            StatusCode::BAD_REQUEST
            | StatusCode::PAYLOAD_TOO_LARGE
            | StatusCode::UNSUPPORTED_MEDIA_TYPE
            | StatusCode::UNPROCESSABLE_ENTITY => {
                Err(self.refused(format!("the endpoint responded with status {}", response.status)))
            }
            status => Err(self.unavailable(format!("the endpoint responded with status {status}"))),
        }
    }

    /// Returns the error for a response that is none of the interface.
    pub(super) fn malformed(&self, problem: &'static str) -> MediaError {
        self.unavailable(format!("the response of the endpoint cannot be used: {problem}"))
    }

    /// Returns the error for a file that the model does not take.
    pub(super) fn refused(&self, detail: String) -> MediaError {
        let kind = self.accepts.kind;
        tracing::warn!(kind = kind.as_str(), model = self.name, detail, "a model did not read a file");
        MediaError::Refused { kind, detail }
    }

    fn unavailable(&self, detail: String) -> MediaError {
        MediaError::Unavailable { kind: self.accepts.kind, detail }
    }
}
