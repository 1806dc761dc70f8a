//! Settings of webhooks.

use super::{
    Kind, Setting,
    values::{networks, one, positive, seconds, shown},
};

pub(super) const ALLOW_NETWORKS: Setting = Setting {
    key: "webhooks.allow_networks",
    flag: "webhook-allow-network",
    value: "CIDR",
    meaning: "Network that webhook endpoints may be in although it is not public; it stays closed to the crawler",
    kind: Kind::List,
    secret: false,
    read: |config, texts| networks(texts).map(|networks| config.webhooks.allow_networks = networks),
    show: |config| shown(&config.webhooks.allow_networks),
};

pub(super) const ALLOW_HTTP: Setting = Setting {
    key: "webhooks.allow_http",
    flag: "webhook-allow-http",
    value: "true",
    meaning: "Let webhook endpoints have addresses that start with http://, for development; events are then sent unencrypted",
    kind: Kind::Switch,
    secret: false,
    read: |config, texts| one(texts).map(|on| config.webhooks.allow_http = on),
    show: |config| shown([&config.webhooks.allow_http]),
};

pub(super) const TESTS_PER_MINUTE: Setting = Setting {
    key: "webhooks.tests_per_minute",
    flag: "webhook-tests-per-minute",
    value: "COUNT",
    meaning: "Number of test events that may be sent to a webhook endpoint within a minute",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| positive(texts).map(|count| config.webhooks.tests_per_minute = count),
    show: |config| shown([&config.webhooks.tests_per_minute]),
};

pub(super) const TIMEOUT_SECONDS: Setting = Setting {
    key: "webhooks.timeout_seconds",
    flag: "webhook-timeout-seconds",
    value: "SECONDS",
    meaning: "Longest time of one attempt to deliver an event to a webhook endpoint",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| seconds(texts).map(|time| config.webhooks.timeout = time),
    show: |config| shown([&config.webhooks.timeout.as_secs()]),
};
