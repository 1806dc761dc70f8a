//! Options of the model that answers the questions.

use std::time::Duration;

use clap::Args;
use frontdesk_assistant::{ApiKey, ModelConfig, TokenParameter};
use frontdesk_evaluation::endpoint::Endpoint;
use url::Url;

/// A sampling temperature; none is the default of the model.
#[derive(Debug, Clone, Copy)]
struct Temperature(Option<f32>);

fn temperature(text: &str) -> Result<Temperature, String> {
    match text {
        "none" => Ok(Temperature(None)),
        number => match number.parse() {
            Ok(number) if (0.0..=2.0).contains(&number) => Ok(Temperature(Some(number))),
            _ => Err(format!("`{number}` is neither a number from 0 to 2 nor `none`")),
        },
    }
}

/// The model that also answers the questions, from the same passages, as in the service.
#[derive(Debug, Args)]
pub(crate) struct AssistantArguments {
    /// OpenAI-compatible endpoint of a model that also answers the questions, without /chat/completions. Its
    /// rows of the table end in `, model`. The API key is read from FRONTDESK_ASSISTANT_API_KEY.
    #[arg(long = "assistant-base-url", value_name = "URL", requires = "model")]
    base_url: Option<Url>,
    /// The model to ask for.
    #[arg(long = "assistant-model", value_name = "NAME", requires = "base_url")]
    model: Option<String>,
    /// Time limit of one answer of the model, after which passages are quoted instead.
    #[arg(long = "assistant-timeout-seconds", value_name = "SECONDS", default_value_t = 60)]
    timeout_seconds: u64,
    /// Maximum number of tokens that the model may generate per request.
    #[arg(long = "assistant-max-tokens", value_name = "COUNT", default_value_t = 800)]
    max_tokens: u32,
    /// Request field that carries the maximum number of tokens: `max_tokens` or `max_completion_tokens`.
    #[arg(long = "assistant-max-tokens-parameter", value_name = "FIELD", default_value_t = TokenParameter::MaxTokens)]
    max_tokens_parameter: TokenParameter,
    /// Sampling temperature; `none` omits it, for models that accept only their default.
    #[arg(long = "assistant-temperature", value_name = "0.2|none", default_value = "0", value_parser = temperature)]
    temperature: Temperature,
    /// Number of questions that the model is asked at a time.
    #[arg(long = "assistant-max-concurrency", value_name = "COUNT", default_value_t = 4)]
    max_concurrency: usize,
}

impl AssistantArguments {
    /// Returns how many questions the model is asked at a time.
    pub(crate) fn at_a_time(&self) -> usize {
        self.max_concurrency.max(1)
    }

    /// Returns the model to ask, if one is named.
    pub(crate) fn endpoint(&self) -> Result<Option<Endpoint>, Box<dyn std::error::Error>> {
        let (Some(base_url), Some(model)) = (&self.base_url, &self.model) else {
            return Ok(None);
        };
        let key = std::env::var("FRONTDESK_ASSISTANT_API_KEY").ok();
        let key = key.map(|key| {
            ApiKey::new(&key)
                .ok_or("FRONTDESK_ASSISTANT_API_KEY is not a key: it is empty or has a line break")
        });
        let config = ModelConfig {
            timeout: Duration::from_secs(self.timeout_seconds),
            max_tokens: self.max_tokens,
            token_parameter: self.max_tokens_parameter,
            temperature: self.temperature.0,
            max_concurrency: self.at_a_time(),
            ..ModelConfig::new(base_url.clone(), key.transpose()?, model.clone())
        };
        Ok(Some(Endpoint::new(config)?))
    }
}
