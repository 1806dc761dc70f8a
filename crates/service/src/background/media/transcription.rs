//! [`Transcription`]: the model that writes down recordings: `POST {base URL}/audio/transcriptions`.

use bytes::Bytes;
use frontdesk_documents::{DocumentKind, FileType};
use frontdesk_outbound::{Form, FormFile};
use serde_json::Value;

use super::{
    error::MediaError,
    model::{Accepts, MediaModel},
};
use crate::platform::{config::Files, model_endpoint::ModelEndpointError};

/// A model that writes down recordings.
#[derive(Debug)]
pub(super) struct Transcription(MediaModel);

impl Transcription {
    /// Returns the configured model, if there is one.
    pub(super) fn open(config: &Files) -> Result<Option<Self>, ModelEndpointError> {
        let accepts = Accepts {
            kind: DocumentKind::Audio,
            types: &[FileType::Mp3, FileType::Wav, FileType::Ogg, FileType::Flac, FileType::M4a],
            advice: "Save it as MP3 or WAV, and upload it again.",
        };
        let (path, key) = (["audio", "transcriptions"], "files.transcription.api_key");
        Ok(MediaModel::open(&config.transcription, &path, key, accepts)?.map(Self))
    }

    /// Returns the name of the model.
    pub(super) fn name(&self) -> &str {
        &self.0.name
    }

    /// Returns what is said in a recording.
    pub(super) async fn text(&self, file_type: FileType, content: Bytes) -> Result<String, MediaError> {
        let model = &self.0;
        model.check(file_type, &content)?;
        let name = model.name.clone();
        let form = model.encoded(move || form(&name, file_type, &content)).await?;
        let body = model.body(model.endpoint.post_form(form, model.limits()).await)?;
        let text = body.get("text").and_then(Value::as_str);
        text.map(str::to_owned).ok_or_else(|| model.malformed("it has no text"))
    }
}

fn form(model: &str, file_type: FileType, content: &[u8]) -> Form {
    // Endpoints recognize the format by the extension; the name that the customer gave is nobody else's
    // business.
    let name = format!("recording.{}", extension(file_type));
    let file = FormFile { name: &name, media_type: file_type.mime_type(), content };
    Form::new(&[("model", model), ("response_format", "json")], "file", file)
}

const fn extension(file_type: FileType) -> &'static str {
    match file_type {
        FileType::Wav => "wav",
        FileType::Ogg => "ogg",
        FileType::Flac => "flac",
        FileType::M4a => "m4a",
        _ => "mp3",
    }
}
