//! Settings of the HTTP server.

use super::{
    Kind, Setting,
    values::{networks, one, paths, positive, seconds, shown},
};

pub(super) const TLS_CERTIFICATE: Setting = Setting {
    key: "http.tls_certificate",
    flag: "tls-certificate",
    value: "FILE",
    meaning: "PEM file with the certificate chain; enables HTTPS together with its key; reloaded when it changes",
    kind: Kind::Text,
    secret: false,
    read: |config, texts| one(texts).map(|path| config.http.tls_certificate = Some(path)),
    show: |config| paths(config.http.tls_certificate.as_ref()),
};

pub(super) const TLS_KEY: Setting = Setting {
    key: "http.tls_key",
    flag: "tls-key",
    value: "FILE",
    meaning: "PEM file with the private key of the certificate",
    kind: Kind::Text,
    secret: false,
    read: |config, texts| one(texts).map(|path| config.http.tls_key = Some(path)),
    show: |config| paths(config.http.tls_key.as_ref()),
};

pub(super) const TLS_RELOAD_SECONDS: Setting = Setting {
    key: "http.tls_reload_seconds",
    flag: "tls-reload-seconds",
    value: "SECONDS",
    meaning: "How often the two TLS files are checked for changes",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| seconds(texts).map(|time| config.http.tls_reload_interval = time),
    show: |config| shown([&config.http.tls_reload_interval.as_secs()]),
};

pub(super) const ALLOW_PLAIN_HTTP: Setting = Setting {
    key: "http.allow_plain_http",
    flag: "allow-plain-http",
    value: "true",
    meaning: "Accept requests over plain HTTP from other machines; API keys are then sent unencrypted",
    kind: Kind::Switch,
    secret: false,
    read: |config, texts| one(texts).map(|on| config.http.allow_plain_http = on),
    show: |config| shown([&config.http.allow_plain_http]),
};

pub(super) const TRUSTED_PROXIES: Setting = Setting {
    key: "http.trusted_proxies",
    flag: "trusted-proxy",
    value: "CIDR",
    meaning: "Proxy whose X-Forwarded-For and X-Forwarded-Proto are trusted; it has to send the latter",
    kind: Kind::List,
    secret: false,
    read: |config, texts| networks(texts).map(|networks| config.http.trusted_proxies = networks),
    show: |config| shown(&config.http.trusted_proxies),
};

pub(super) const METRICS_NETWORKS: Setting = Setting {
    key: "http.metrics_networks",
    flag: "metrics-network",
    value: "CIDR",
    meaning: "Clients that may read /metrics; all others get a 404",
    kind: Kind::List,
    secret: false,
    read: |config, texts| networks(texts).map(|networks| config.http.metrics_networks = networks),
    show: |config| shown(&config.http.metrics_networks),
};

pub(super) const HEADER_TIMEOUT_SECONDS: Setting = Setting {
    key: "http.header_timeout_seconds",
    flag: "header-timeout-seconds",
    value: "SECONDS",
    meaning: "Longest time for the head of a request, and between two requests of a connection",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| seconds(texts).map(|time| config.http.header_timeout = time),
    show: |config| shown([&config.http.header_timeout.as_secs()]),
};

pub(super) const BODY_TIMEOUT_SECONDS: Setting = Setting {
    key: "http.body_timeout_seconds",
    flag: "body-timeout-seconds",
    value: "SECONDS",
    meaning: "Longest time for the body of a request; each 64 KiB that have arrived add a second",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| seconds(texts).map(|time| config.http.body_timeout = time),
    show: |config| shown([&config.http.body_timeout.as_secs()]),
};

pub(super) const DRAIN_TIMEOUT_SECONDS: Setting = Setting {
    key: "http.drain_timeout_seconds",
    flag: "drain-timeout-seconds",
    value: "SECONDS",
    meaning: "Longest time for running requests to finish at shutdown",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| seconds(texts).map(|time| config.http.drain_timeout = time),
    show: |config| shown([&config.http.drain_timeout.as_secs()]),
};

pub(super) const BODY_LIMIT_BYTES: Setting = Setting {
    key: "http.body_limit_bytes",
    flag: "body-limit-bytes",
    value: "BYTES",
    meaning: "Largest request body of an operation whose `x-policy` in the contract has no `body_bytes` of its own",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| positive(texts).map(|bytes| config.http.body_limit = bytes as usize),
    show: |config| shown([&config.http.body_limit]),
};

pub(super) const MAX_CONNECTIONS: Setting = Setting {
    key: "http.max_connections",
    flag: "max-connections",
    value: "COUNT",
    meaning: "Maximum number of open connections; further ones take the place of an idle one of the client with the most, or wait",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| positive(texts).map(|count| config.http.max_connections = count as usize),
    show: |config| shown([&config.http.max_connections]),
};

pub(super) const MAX_CONNECTIONS_PER_CLIENT: Setting = Setting {
    key: "http.max_connections_per_client",
    flag: "max-connections-per-client",
    value: "COUNT",
    meaning: "Maximum number of open connections of one client address, except trusted proxies; further ones are closed",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| {
        positive(texts).map(|count| config.http.max_connections_per_client = count as usize)
    },
    show: |config| shown([&config.http.max_connections_per_client]),
};
