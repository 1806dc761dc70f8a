//! Settings of search.

use super::{
    Kind, Setting,
    values::{bearer_token, networks, one, redacted, shown},
};

use crate::platform::config::SearchModel;

pub(super) const MODEL: Setting = Setting {
    key: "search.model",
    flag: "search-model",
    value: "bundled",
    meaning: "Embedding model for search by meaning: `bundled`, `none` to compare words only, a folder with a model, or the address of an OpenAI-compatible endpoint without /embeddings",
    kind: Kind::Text,
    secret: false,
    read: |config, texts| one::<SearchModel>(texts).map(|model| config.search.model = model),
    show: |config| shown([&config.search.model]),
};

pub(super) const ENDPOINT_MODEL: Setting = Setting {
    key: "search.endpoint_model",
    flag: "search-endpoint-model",
    value: "NAME",
    meaning: "The embedding model to ask the endpoint for",
    kind: Kind::Text,
    secret: false,
    read: |config, texts| one(texts).map(|name| config.search.endpoint_model = Some(name)),
    show: |config| shown(&config.search.endpoint_model),
};

pub(super) const API_KEY: Setting = Setting {
    key: "search.api_key",
    flag: "search-api-key",
    value: "KEY",
    meaning: "API key of the embeddings endpoint; other users see flags, so prefer the environment",
    kind: Kind::Text,
    secret: true,
    read: |config, texts| bearer_token(texts).map(|key| config.search.api_key = Some(key)),
    show: |config| redacted(config.search.api_key.as_ref()),
};

pub(super) const ALLOW_NETWORKS: Setting = Setting {
    key: "search.allow_networks",
    flag: "search-allow-network",
    value: "CIDR",
    meaning: "Network that the embeddings endpoint may be in although it is not public; it stays closed to the crawler",
    kind: Kind::List,
    secret: false,
    read: |config, texts| networks(texts).map(|networks| config.search.allow_networks = networks),
    show: |config| shown(&config.search.allow_networks),
};

pub(super) const QUERY_PREFIX: Setting = Setting {
    key: "search.query_prefix",
    flag: "search-query-prefix",
    value: "query: ",
    meaning: "Text before each question that is sent to the embeddings endpoint, if its model expects one",
    kind: Kind::Text,
    secret: false,
    read: |config, texts| one(texts).map(|prefix| config.search.query_prefix = prefix),
    show: |config| shown(Some(&config.search.query_prefix).filter(|prefix| !prefix.is_empty())),
};

pub(super) const PASSAGE_PREFIX: Setting = Setting {
    key: "search.passage_prefix",
    flag: "search-passage-prefix",
    value: "passage: ",
    meaning: "Text before each part of the training content that is sent to the embeddings endpoint, if its model expects one",
    kind: Kind::Text,
    secret: false,
    read: |config, texts| one(texts).map(|prefix| config.search.passage_prefix = prefix),
    show: |config| shown(Some(&config.search.passage_prefix).filter(|prefix| !prefix.is_empty())),
};
