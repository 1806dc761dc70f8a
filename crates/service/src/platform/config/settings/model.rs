//! Settings of the model that writes the answers.

use frontdesk_assistant::TokenParameter;
use frontdesk_store::Redacted;

use super::{
    Kind, Setting,
    values::{networks, one, positive, redacted, seconds, shown, web_address},
};

/// Smallest prompt that has space for instructions and passages, in characters.
const MIN_PROMPT_CHARACTERS: u32 = 4_000;

pub(super) const BASE_URL: Setting = Setting {
    key: "assistant.base_url",
    flag: "assistant-base-url",
    value: "URL",
    meaning: "OpenAI-compatible endpoint that writes the answers, without /chat/completions",
    kind: Kind::Text,
    secret: false,
    read: |config, texts| web_address(texts).map(|url| config.assistant.base_url = Some(url)),
    show: |config| shown(&config.assistant.base_url),
};

pub(super) const MODEL: Setting = Setting {
    key: "assistant.model",
    flag: "assistant-model",
    value: "NAME",
    meaning: "The model to ask for",
    kind: Kind::Text,
    secret: false,
    read: |config, texts| one(texts).map(|name| config.assistant.model = Some(name)),
    show: |config| shown(&config.assistant.model),
};

pub(super) const API_KEY: Setting = Setting {
    key: "assistant.api_key",
    flag: "assistant-api-key",
    value: "KEY",
    meaning: "API key of the model's endpoint; other users see flags, so prefer the environment",
    kind: Kind::Text,
    secret: true,
    read: |config, texts| one(texts).map(|key: String| config.assistant.api_key = Some(Redacted::new(key))),
    show: |config| redacted(config.assistant.api_key.as_ref()),
};

pub(super) const ALLOW_NETWORKS: Setting = Setting {
    key: "assistant.allow_networks",
    flag: "assistant-allow-network",
    value: "CIDR",
    meaning: "Network that the model's endpoint may be in although it is not public; it stays closed to the crawler",
    kind: Kind::List,
    secret: false,
    read: |config, texts| networks(texts).map(|networks| config.assistant.allow_networks = networks),
    show: |config| shown(&config.assistant.allow_networks),
};

pub(super) const TIMEOUT: Setting = Setting {
    key: "assistant.timeout_seconds",
    flag: "assistant-timeout-seconds",
    value: "SECONDS",
    meaning: "Time limit of one answer of the model, after which passages are quoted instead",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| seconds(texts).map(|time| config.assistant.timeout = time),
    show: |config| shown([&config.assistant.timeout.as_secs()]),
};

pub(super) const MAX_TOKENS: Setting = Setting {
    key: "assistant.max_tokens",
    flag: "assistant-max-tokens",
    value: "COUNT",
    meaning: "Maximum number of tokens that the model may generate per request",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| positive(texts).map(|count| config.assistant.max_tokens = count),
    show: |config| shown([&config.assistant.max_tokens]),
};

pub(super) const MAX_TOKENS_PARAMETER: Setting = Setting {
    key: "assistant.max_tokens_parameter",
    flag: "assistant-max-tokens-parameter",
    value: "max_tokens|max_completion_tokens",
    meaning: "Request field that carries the maximum number of tokens; endpoints accept one of the two",
    kind: Kind::Text,
    secret: false,
    read: |config, texts| {
        let text: String = one(texts)?;
        let parameter: TokenParameter = text.parse().map_err(|error| format!("{error}"))?;
        config.assistant.max_tokens_parameter = parameter;
        Ok(())
    },
    show: |config| shown([&config.assistant.max_tokens_parameter]),
};

pub(super) const TEMPERATURE: Setting = Setting {
    key: "assistant.temperature",
    flag: "assistant-temperature",
    value: "0.2|none",
    meaning: "Sampling temperature from 0 to 2; `none` omits it, for models that accept only their default",
    kind: Kind::Text,
    secret: false,
    read: |config, texts| {
        let text: String = one(texts)?;
        let number = || text.parse().ok().filter(|number| (0.0..=2.0).contains(number));
        config.assistant.temperature = match text.as_str() {
            "none" => None,
            _ => {
                Some(number().ok_or_else(|| format!("`{text}` is neither a number from 0 to 2 nor `none`"))?)
            }
        };
        Ok(())
    },
    show: |config| {
        vec![config.assistant.temperature.map_or_else(|| "none".to_owned(), |number| number.to_string())]
    },
};

pub(super) const MAX_PROMPT_CHARACTERS: Setting = Setting {
    key: "assistant.max_prompt_characters",
    flag: "assistant-max-prompt-characters",
    value: "COUNT",
    meaning: "Maximum size of a prompt; earlier messages and passages are shortened, critical instructions never",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| {
        let count = positive(texts)?;
        if count < MIN_PROMPT_CHARACTERS {
            return Err(format!(
                "it is less than {MIN_PROMPT_CHARACTERS}, which leaves no space for passages"
            ));
        }
        config.assistant.max_prompt_characters = count as usize;
        Ok(())
    },
    show: |config| shown([&config.assistant.max_prompt_characters]),
};

pub(super) const MAX_CONCURRENCY: Setting = Setting {
    key: "assistant.max_concurrency",
    flag: "assistant-max-concurrency",
    value: "COUNT",
    meaning: "Maximum number of answers that the model writes at a time; others wait briefly, then quote passages",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| positive(texts).map(|count| config.assistant.max_concurrency = count as usize),
    show: |config| shown([&config.assistant.max_concurrency]),
};

pub(super) const BREAKER_FAILURES: Setting = Setting {
    key: "assistant.breaker_failures",
    flag: "assistant-breaker-failures",
    value: "COUNT",
    meaning: "Consecutive failures of the endpoint after which it is not called for a while",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| positive(texts).map(|count| config.assistant.breaker_failures = count),
    show: |config| shown([&config.assistant.breaker_failures]),
};

pub(super) const BREAKER_COOLDOWN: Setting = Setting {
    key: "assistant.breaker_cooldown_seconds",
    flag: "assistant-breaker-cooldown-seconds",
    value: "SECONDS",
    meaning: "Time for which a failing endpoint is not called",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| seconds(texts).map(|time| config.assistant.breaker_cooldown = time),
    show: |config| shown([&config.assistant.breaker_cooldown.as_secs()]),
};
