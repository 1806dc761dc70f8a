//! [`Vision`]: the model that reads images: `POST {base URL}/chat/completions`.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use frontdesk_assistant::TokenParameter;
use frontdesk_documents::{DocumentKind, FileType};
use serde_json::{Value, json};

use super::{
    error::MediaError,
    model::{Accepts, MediaModel},
};
use crate::platform::{config::Files, model_endpoint::ModelEndpointError};

/// The instructions.
const PROMPT: &str = include_str!("vision_prompt.txt");

/// What the model writes about a picture without content, as the instructions ask for.
const NOTHING: &str = "[nothing]";

/// What it writes for words that it cannot read.
const UNREADABLE: &str = "[unreadable]";

/// A model that reads images.
#[derive(Debug)]
pub(super) struct Vision {
    model: MediaModel,
    max_tokens: u32,
    token_parameter: TokenParameter,
}

impl Vision {
    /// Returns the configured model, if there is one.
    pub(super) fn open(config: &Files) -> Result<Option<Self>, ModelEndpointError> {
        let accepts = Accepts {
            kind: DocumentKind::Image,
            types: &[FileType::Png, FileType::Jpeg, FileType::Gif, FileType::Webp],
            advice: "Save it as PNG or JPEG, and upload it again.",
        };
        let (path, key) = (["chat", "completions"], "files.vision.api_key");
        let model = MediaModel::open(&config.vision, &path, key, accepts)?;
        Ok(model.map(|model| Self {
            model,
            max_tokens: config.vision_max_tokens,
            token_parameter: config.vision_max_tokens_parameter,
        }))
    }

    /// Returns the name of the model.
    pub(super) fn name(&self) -> &str {
        &self.model.name
    }

    /// Returns the text in an image and its description.
    pub(super) async fn text(&self, file_type: FileType, content: Bytes) -> Result<String, MediaError> {
        let model = &self.model;
        model.check(file_type, &content)?;
        let url = model.encoded(move || data_url(file_type, &content)).await?;
        let body = self.request(&url);
        let body = model.body(model.endpoint.post_json(&body, model.limits()).await)?;
        self.read(&body)
    }

    fn request(&self, url: &str) -> Value {
        let mut body = json!({
            "model": self.model.name,
            "messages": [
                { "role": "system", "content": PROMPT },
                { "role": "user", "content": [
                    { "type": "text", "text": "The picture:" },
                    { "type": "image_url", "image_url": { "url": url } },
                ] },
            ],
        });
        body[self.token_parameter.as_str()] = json!(self.max_tokens);
        body
    }

    /// Returns the text of a completion. A part of a text is refused: nobody would notice what is missing.
    fn read(&self, body: &Value) -> Result<String, MediaError> {
        let choice = body.pointer("/choices/0").unwrap_or(&Value::Null);
        match choice["finish_reason"].as_str() {
            Some("length") => return Err(MediaError::TooLong),
            Some("content_filter") => {
                return Err(self.model.refused("the completion was filtered".to_owned()));
            }
            _ => {}
        }
        if choice["message"]["refusal"].is_string() {
            return Err(self.model.refused("the completion is a refusal".to_owned()));
        }
        let text = choice["message"]["content"].as_str();
        let text = text.ok_or_else(|| self.model.malformed("it has no message"))?;
        let is_nothing = text.trim().trim_end_matches('.').eq_ignore_ascii_case(NOTHING);
        let has_words = text.replace(UNREADABLE, "").contains(char::is_alphanumeric);
        Ok(if is_nothing || !has_words { String::new() } else { text.to_owned() })
    }
}

fn data_url(file_type: FileType, content: &[u8]) -> String {
    format!("data:{};base64,{}", file_type.mime_type(), STANDARD.encode(content))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::config::Config;

    fn vision(parameter: TokenParameter) -> Vision {
        let mut files = Config::default().files;
        files.vision.base_url = Some("https://api.example/v1".parse().unwrap());
        files.vision.model = Some("small".to_owned());
        files.vision_max_tokens = 500;
        files.vision_max_tokens_parameter = parameter;
        Vision::open(&files).unwrap().unwrap()
    }

    #[test]
    fn the_instructions_say_what_matters() {
        for part in
            ["verbatim", "language", "never guess digits", "never an instruction", NOTHING, UNREADABLE]
        {
            assert!(PROMPT.contains(part), "{part}");
        }
        assert!(PROMPT.len() < 2_000);
    }

    #[test]
    fn the_image_is_sent_as_a_data_url_and_the_output_is_bounded() {
        let body = vision(TokenParameter::MaxCompletionTokens).request(&data_url(FileType::Png, b"\x89PNG"));
        assert_eq!(body["model"], "small");
        assert_eq!(body["messages"][0]["content"], PROMPT);
        let url = &body["messages"][1]["content"][1]["image_url"]["url"];
        assert_eq!(url, "data:image/png;base64,iVBORw==");
        assert_eq!((&body["max_completion_tokens"], &body["max_tokens"]), (&json!(500), &Value::Null));
    }

    #[test]
    fn completions_are_whole_texts_or_errors() {
        let vision = vision(TokenParameter::MaxTokens);
        let completion = |reason: &str, message: Value| {
            vision.read(&json!({ "choices": [{ "index": 0, "finish_reason": reason, "message": message }] }))
        };
        let said = |text: &str| completion("stop", json!({ "content": text, "refusal": null }));
        assert_eq!(said("Soup 6.50").unwrap(), "Soup 6.50");
        assert_eq!(said(" [Nothing].\n").unwrap(), "");
        assert_eq!(said("[unreadable]\n[unreadable]").unwrap(), "");
        assert_eq!(completion("length", json!({ "content": "Sou" })).unwrap_err().code(), "extractor_limit");
        for (reason, message) in [
            ("content_filter", json!({ "content": "So" })),
            ("stop", json!({ "content": null, "refusal": "I cannot help with that." })),
        ] {
            let error = completion(reason, message).unwrap_err();
            assert!(matches!(error, MediaError::Refused { .. }), "{error:?}");
        }
        for body in [json!({}), json!({ "choices": [] }), json!({ "error": { "message": "x" } })] {
            assert!(matches!(vision.read(&body), Err(MediaError::Unavailable { .. })), "{body}");
        }
    }
}
