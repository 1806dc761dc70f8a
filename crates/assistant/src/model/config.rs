//! Which model to ask, and the secret to ask it with.

use std::fmt;
use std::time::Duration;

use http::HeaderValue;
use url::Url;

/// A model behind an OpenAI-compatible server.
#[derive(Debug, Clone)]
pub struct ModelConfig {
    /// Address below which `chat/completions` lies, such as `https://api.openai.com/v1`. A server in a private
    /// network must be opened in the outbound policy.
    pub base_url: Url,
    /// Bearer token, if the server wants one.
    pub api_key: Option<ApiKey>,
    /// Name of the model.
    pub model: String,
    /// Time for an answer, a repair and a check included. Visitors wait this long for the fallback.
    pub timeout: Duration,
    /// Most tokens the model may write per call.
    pub max_tokens: u32,
    /// Sampling temperature; `None` for models that accept only their default.
    pub temperature: Option<f32>,
}

impl ModelConfig {
    /// A configuration with the defaults: 20 s, 800 tokens, temperature 0.
    pub fn new(base_url: Url, api_key: Option<ApiKey>, model: impl Into<String>) -> Self {
        Self {
            base_url,
            api_key,
            model: model.into(),
            timeout: Duration::from_secs(20),
            max_tokens: 800,
            temperature: Some(0.0),
        }
    }
}

/// A bearer token. It is shown nowhere but in the request.
#[derive(Clone)]
pub struct ApiKey(HeaderValue);

impl ApiKey {
    /// Takes a token. `None` if it contains characters that cannot stand in a header, such as a line break from
    /// the file it was read from.
    pub fn new(token: &str) -> Option<Self> {
        let mut value =
            HeaderValue::from_str(&format!("Bearer {token}")).ok().filter(|_| !token.is_empty())?;
        value.set_sensitive(true);
        Some(Self(value))
    }

    /// The value of the `Authorization` header, marked as sensitive.
    pub(super) fn bearer(&self) -> HeaderValue {
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
}
