//! Settings of the models that read uploaded images and recordings.

use frontdesk_assistant::TokenParameter;

use super::{
    Kind, Setting,
    values::{bearer_token, networks, one, positive, redacted, seconds, shown, web_address},
};

/// Declares the settings that both models have. `$group` is the field of `config.files` and the name of the
/// table in the file.
macro_rules! file_model {
    ($group:ident, $key:literal, $flag:literal, $files:literal, $base_url:literal) => {
        pub(super) mod $group {
            use super::*;

            pub(in super::super) const BASE_URL: Setting = Setting {
                key: concat!($key, ".base_url"),
                flag: concat!($flag, "-base-url"),
                value: "URL",
                meaning: $base_url,
                kind: Kind::Text,
                secret: false,
                read: |config, texts| web_address(texts).map(|url| config.files.$group.base_url = Some(url)),
                show: |config| shown(&config.files.$group.base_url),
            };

            pub(in super::super) const MODEL: Setting = Setting {
                key: concat!($key, ".model"),
                flag: concat!($flag, "-model"),
                value: "NAME",
                meaning: concat!("The model to ask for the text of ", $files),
                kind: Kind::Text,
                secret: false,
                read: |config, texts| one(texts).map(|name| config.files.$group.model = Some(name)),
                show: |config| shown(&config.files.$group.model),
            };

            pub(in super::super) const API_KEY: Setting = Setting {
                key: concat!($key, ".api_key"),
                flag: concat!($flag, "-api-key"),
                value: "KEY",
                meaning: concat!(
                    "API key of the endpoint that reads ",
                    $files,
                    "; other users see flags, so prefer the environment"
                ),
                kind: Kind::Text,
                secret: true,
                read: |config, texts| bearer_token(texts).map(|key| config.files.$group.api_key = Some(key)),
                show: |config| redacted(config.files.$group.api_key.as_ref()),
            };

            pub(in super::super) const ALLOW_NETWORKS: Setting = Setting {
                key: concat!($key, ".allow_networks"),
                flag: concat!($flag, "-allow-network"),
                value: "CIDR",
                meaning: concat!(
                    "Network that the endpoint that reads ",
                    $files,
                    " may be in although it is not public; it stays closed to the crawler"
                ),
                kind: Kind::List,
                secret: false,
                read: |config, texts| {
                    networks(texts).map(|networks| config.files.$group.allow_networks = networks)
                },
                show: |config| shown(&config.files.$group.allow_networks),
            };

            pub(in super::super) const TIMEOUT: Setting = Setting {
                key: concat!($key, ".timeout_seconds"),
                flag: concat!($flag, "-timeout-seconds"),
                value: "SECONDS",
                meaning: concat!("Time limit of one request for ", $files),
                kind: Kind::Number,
                secret: false,
                read: |config, texts| seconds(texts).map(|time| config.files.$group.timeout = time),
                show: |config| shown([&config.files.$group.timeout.as_secs()]),
            };

            pub(in super::super) const MAX_CONCURRENCY: Setting = Setting {
                key: concat!($key, ".max_concurrency"),
                flag: concat!($flag, "-max-concurrency"),
                value: "COUNT",
                meaning: concat!("Maximum number of ", $files, " that one process has read at a time"),
                kind: Kind::Number,
                secret: false,
                read: |config, texts| {
                    positive(texts).map(|count| config.files.$group.max_concurrency = count as usize)
                },
                show: |config| shown([&config.files.$group.max_concurrency]),
            };

            pub(in super::super) const MAX_MEGABYTES: Setting = Setting {
                key: concat!($key, ".max_megabytes"),
                flag: concat!($flag, "-max-megabytes"),
                value: "MEGABYTES",
                meaning: concat!("Largest size of ", $files, " that are sent to the endpoint"),
                kind: Kind::Number,
                secret: false,
                read: |config, texts| {
                    positive(texts).map(|count| config.files.$group.max_bytes = u64::from(count) << 20)
                },
                show: |config| shown([&(config.files.$group.max_bytes >> 20)]),
            };
        }
    };
}

file_model!(
    vision,
    "files.vision",
    "files-vision",
    "images",
    "OpenAI-compatible endpoint that reads uploaded images, without /chat/completions; if not set, they are skipped"
);

file_model!(
    transcription,
    "files.transcription",
    "files-transcription",
    "recordings",
    "OpenAI-compatible endpoint that writes down uploaded recordings, without /audio/transcriptions; if not set, they are skipped"
);

pub(super) const MAX_TOKENS: Setting = Setting {
    key: "files.vision.max_tokens",
    flag: "files-vision-max-tokens",
    value: "COUNT",
    meaning: "Maximum number of tokens that the model may write about an image; an image with more text is not used",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| positive(texts).map(|count| config.files.vision_max_tokens = count),
    show: |config| shown([&config.files.vision_max_tokens]),
};

pub(super) const MAX_TOKENS_PARAMETER: Setting = Setting {
    key: "files.vision.max_tokens_parameter",
    flag: "files-vision-max-tokens-parameter",
    value: "max_tokens|max_completion_tokens",
    meaning: "Request field that carries the maximum number of tokens; endpoints accept one of the two",
    kind: Kind::Text,
    secret: false,
    read: |config, texts| {
        one::<TokenParameter>(texts).map(|parameter| config.files.vision_max_tokens_parameter = parameter)
    },
    show: |config| shown([&config.files.vision_max_tokens_parameter]),
};
