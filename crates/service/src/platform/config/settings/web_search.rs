//! Settings of the search of the web.

use super::{
    Kind, Setting,
    values::{bearer_token, networks, one, positive, redacted, shown, web_address},
};

use crate::platform::config::WebSearchApi;

pub(super) const URL: Setting = Setting {
    key: "web_search.url",
    flag: "web-search-url",
    value: "URL",
    meaning: "Search engine for questions that the training content does not answer, for chatbots with `web_search_enabled`; the web is not searched without it",
    kind: Kind::Text,
    secret: false,
    read: |config, texts| web_address(texts).map(|url| config.web_search.url = Some(url)),
    show: |config| shown(&config.web_search.url),
};

pub(super) const API: Setting = Setting {
    key: "web_search.api",
    flag: "web-search-api",
    value: "searxng|brave",
    meaning: "Interface of the search engine: `searxng` (its JSON format must be enabled) or `brave`",
    kind: Kind::Text,
    secret: false,
    read: |config, texts| {
        let text: String = one(texts)?;
        config.web_search.api = match text.as_str() {
            "searxng" => WebSearchApi::Searxng,
            "brave" => WebSearchApi::Brave,
            _ => return Err(format!("`{text}` is neither `searxng` nor `brave`")),
        };
        Ok(())
    },
    show: |config| {
        let name = match config.web_search.api {
            WebSearchApi::Searxng => "searxng",
            WebSearchApi::Brave => "brave",
        };
        vec![name.to_owned()]
    },
};

pub(super) const API_KEY: Setting = Setting {
    key: "web_search.api_key",
    flag: "web-search-api-key",
    value: "KEY",
    meaning: "Key of the search engine; other users see flags, so prefer the environment",
    kind: Kind::Text,
    secret: true,
    read: |config, texts| bearer_token(texts).map(|key| config.web_search.api_key = Some(key)),
    show: |config| redacted(config.web_search.api_key.as_ref()),
};

pub(super) const ALLOW_NETWORKS: Setting = Setting {
    key: "web_search.allow_networks",
    flag: "web-search-allow-network",
    value: "CIDR",
    meaning: "Network that the search engine may be in although it is not public; it stays closed to the pages that it finds",
    kind: Kind::List,
    secret: false,
    read: |config, texts| networks(texts).map(|networks| config.web_search.allow_networks = networks),
    show: |config| shown(&config.web_search.allow_networks),
};

pub(super) const PAGE_ALLOW_NETWORKS: Setting = Setting {
    key: "web_search.page_allow_networks",
    flag: "web-search-page-allow-network",
    value: "CIDR",
    meaning: "Network that pages found by the search engine may be in although it is not public, such as an intranet that visitors may read",
    kind: Kind::List,
    secret: false,
    read: |config, texts| networks(texts).map(|networks| config.web_search.page_allow_networks = networks),
    show: |config| shown(&config.web_search.page_allow_networks),
};

pub(super) const PER_MINUTE: Setting = Setting {
    key: "web_search.per_minute",
    flag: "web-search-per-minute",
    value: "COUNT",
    meaning: "Maximum number of searches of the web for one chatbot in a minute; further questions are refused as without it",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| positive(texts).map(|count| config.web_search.per_minute = count),
    show: |config| shown([&config.web_search.per_minute]),
};
