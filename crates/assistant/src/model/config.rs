//! Configuration of the model: which endpoint to call, with which parameters and bounds.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use http::HeaderValue;
use url::Url;

/// A model behind an OpenAI-compatible chat completions endpoint.
#[derive(Debug, Clone)]
pub struct ModelConfig {
    /// Address of the endpoint without `/chat/completions`, for example `https://api.openai.com/v1`. The
    /// outbound policy must allow its network if it is not public.
    pub base_url: Url,
    /// Bearer token, if the endpoint requires one.
    pub api_key: Option<ApiKey>,
    /// Name of the model.
    pub model: String,
    /// Time limit of one answer, including a repair and a check. The visitor waits at most this long for the
    /// fallback, and [`rewrite_timeout`](Self::rewrite_timeout) before it if the question refers to earlier
    /// turns.
    pub timeout: Duration,
    /// Maximum number of tokens that the model may generate per request.
    pub max_tokens: u32,
    /// Name of the request field that carries [`max_tokens`](Self::max_tokens).
    pub token_parameter: TokenParameter,
    /// Sampling temperature. `None` omits the field, for models that accept only their default.
    pub temperature: Option<f32>,
    /// Maximum size of a prompt in characters. Earlier messages and passages are shortened to fit; critical
    /// instructions never are.
    pub max_prompt_chars: usize,
    /// Maximum number of answers that are written at the same time. Others wait briefly, then fall back.
    pub max_concurrency: usize,
    /// When to stop calling an endpoint that keeps failing.
    pub breaker: BreakerSettings,
}

/// Limits of the circuit breaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreakerSettings {
    /// Number of consecutive failures that opens the circuit.
    pub failures: u32,
    /// Time without calls before a single call probes whether the endpoint has recovered.
    pub cooldown: Duration,
}

impl Default for BreakerSettings {
    /// Returns a limit of five failures and a cooldown of 30 seconds.
    fn default() -> Self {
        Self { failures: 5, cooldown: Duration::from_secs(30) }
    }
}

impl ModelConfig {
    /// Returns a configuration with the defaults: 20 s, 800 tokens as `max_tokens`, temperature 0, prompts of
    /// up to 60 000 characters, 16 answers at a time.
    pub fn new(base_url: Url, api_key: Option<ApiKey>, model: impl Into<String>) -> Self {
        Self {
            base_url,
            api_key,
            model: model.into(),
            timeout: Duration::from_secs(20),
            max_tokens: 800,
            token_parameter: TokenParameter::MaxTokens,
            temperature: Some(0.0),
            max_prompt_chars: 60_000,
            max_concurrency: 16,
            breaker: BreakerSettings::default(),
        }
    }
}

impl ModelConfig {
    /// Returns the time limit of rewriting a question so that it stands alone: a quarter of that of an
    /// answer, at most five seconds.
    pub fn rewrite_timeout(&self) -> Duration {
        (self.timeout / 4).min(MAX_REWRITE_TIME)
    }
}

/// Longest time to wait for a rewritten question. Without it the search uses both questions.
const MAX_REWRITE_TIME: Duration = Duration::from_secs(5);

/// Name of the request field that limits the generated tokens. Endpoints accept one of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenParameter {
    /// `max_tokens`, the original name.
    MaxTokens,
    /// `max_completion_tokens`, which reasoning models require.
    MaxCompletionTokens,
}

impl TokenParameter {
    /// Every name.
    pub const ALL: [Self; 2] = [Self::MaxTokens, Self::MaxCompletionTokens];

    /// Returns the name of the field.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MaxTokens => "max_tokens",
            Self::MaxCompletionTokens => "max_completion_tokens",
        }
    }
}

impl fmt::Display for TokenParameter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

/// A name that belongs to no [`TokenParameter`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is neither `max_tokens` nor `max_completion_tokens`")]
pub struct UnknownTokenParameter {
    /// The name.
    pub name: String,
}

impl FromStr for TokenParameter {
    type Err = UnknownTokenParameter;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|parameter| parameter.as_str() == name);
        found.ok_or_else(|| UnknownTokenParameter { name: name.to_owned() })
    }
}

/// A bearer token. It appears nowhere but in the request.
#[derive(Clone)]
pub struct ApiKey(HeaderValue);

impl ApiKey {
    /// Wraps a token. Returns `None` if it is empty or has characters that a header cannot carry, such as a
    /// line break from the file it was read from.
    pub fn new(token: &str) -> Option<Self> {
        let mut value =
            HeaderValue::from_str(&format!("Bearer {token}")).ok().filter(|_| !token.is_empty())?;
        value.set_sensitive(true);
        Some(Self(value))
    }

    /// Returns the value of the `Authorization` header, marked as sensitive.
    pub fn bearer(&self) -> HeaderValue {
        self.0.clone()
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ApiKey(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_never_shown() {
        let key = ApiKey::new("sk-s3cret").unwrap();
        let config = ModelConfig::new("https://api.example/v1".parse().unwrap(), Some(key.clone()), "small");
        let shown = format!("{config:?} {config:#?} {key:?} {:?}", key.bearer());
        assert!(!shown.contains("s3cret"), "{shown}");
    }

    #[test]
    fn a_key_must_fit_into_a_header() {
        assert!(ApiKey::new("").is_none());
        assert!(ApiKey::new("sk-1\n").is_none());
    }

    #[test]
    fn names_of_the_token_parameter_parse_back() {
        for parameter in TokenParameter::ALL {
            assert_eq!(parameter.to_string().parse(), Ok(parameter));
        }
        assert!("tokens".parse::<TokenParameter>().is_err());
    }
}
