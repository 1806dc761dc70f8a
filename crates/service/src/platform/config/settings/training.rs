//! Settings of training.

use std::time::Duration;

use super::{
    Kind, Setting,
    values::{networks, number, one, positive, shown},
};

pub(super) const WORKERS: Setting = Setting {
    key: "training.workers",
    flag: "training-workers",
    value: "COUNT",
    meaning: "Number of websites that are crawled at the same time; of one account, half of them",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| positive(texts).map(|count| config.training.workers = count as usize),
    show: |config| shown([&config.training.workers]),
};

pub(super) const MAX_PAGES: Setting = Setting {
    key: "training.max_pages",
    flag: "max-pages",
    value: "COUNT",
    meaning: "Maximum number of pages that are crawled for a website",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| positive(texts).map(|count| config.training.max_pages = count.into()),
    show: |config| shown([&config.training.max_pages]),
};

pub(super) const MAX_DEPTH: Setting = Setting {
    key: "training.max_depth",
    flag: "max-depth",
    value: "COUNT",
    meaning: "Maximum number of links between a start page and any other page",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| number(texts).map(|count| config.training.max_depth = count),
    show: |config| shown([&config.training.max_depth]),
};

pub(super) const CONFINE_TO_PATH: Setting = Setting {
    key: "training.confine_to_path",
    flag: "confine-to-path",
    value: "BOOLEAN",
    meaning: "Crawl only below the path of a start page such as https://acme.example/shop/; with false, the whole site",
    kind: Kind::Switch,
    secret: false,
    read: |config, texts| one(texts).map(|on| config.training.confine_to_path = on),
    show: |config| shown([&config.training.confine_to_path]),
};

pub(super) const DELAY_MILLISECONDS: Setting = Setting {
    key: "training.delay_milliseconds",
    flag: "crawl-delay-milliseconds",
    value: "MILLISECONDS",
    meaning: "Time between two requests to one website",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| {
        number(texts).map(|count: u32| config.training.delay = Duration::from_millis(count.into()))
    },
    show: |config| shown([&config.training.delay.as_millis()]),
};

pub(super) const RECRAWL_PAUSE_SECONDS: Setting = Setting {
    key: "training.recrawl_pause_seconds",
    flag: "recrawl-pause-seconds",
    value: "SECONDS",
    meaning: "Time before a website can be crawled again on demand",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| {
        number(texts).map(|count: u32| config.training.recrawl_pause = Duration::from_secs(count.into()))
    },
    show: |config| shown([&config.training.recrawl_pause.as_secs()]),
};

pub(super) const ALLOW_NETWORKS: Setting = Setting {
    key: "training.allow_networks",
    flag: "allow-network",
    value: "CIDR",
    meaning: "Network that may be crawled although it is not public; the model's endpoint has its own setting",
    kind: Kind::List,
    secret: false,
    read: |config, texts| networks(texts).map(|networks| config.training.allow_networks = networks),
    show: |config| shown(&config.training.allow_networks),
};

pub(super) const USER_AGENT: Setting = Setting {
    key: "training.user_agent",
    flag: "user-agent",
    value: "NAME",
    meaning: "Name of the crawler in its User-Agent header",
    kind: Kind::Text,
    secret: false,
    read: |config, texts| one(texts).map(|name| config.training.user_agent = name),
    show: |config| shown([&config.training.user_agent]),
};
