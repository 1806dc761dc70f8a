//! Table of settings: [`SETTINGS`] describes every setting as data, for the file, the environment and the flags.

use std::{net::SocketAddr, time::Duration};

use frontdesk_store::Redacted;
use url::Url;

use self::file_models::{transcription, vision};
use self::values::{networks, number, one, paths, percentage, positive, seconds, shown, without_password};
use super::Config;

mod channels;
mod file_models;
mod files;
mod keys;
mod log;
mod mail;
mod model;
mod plans;
mod search;
mod values;
mod webhooks;

/// One setting.
#[derive(Debug)]
pub struct Setting {
    /// Its dotted key in the file.
    pub key: &'static str,
    /// Its flag, without the leading dashes.
    pub flag: &'static str,
    /// Placeholder of its value in the help.
    pub value: &'static str,
    /// Description for the help.
    pub meaning: &'static str,
    /// Type of its value.
    pub kind: Kind,
    /// Whether its value must never be displayed.
    pub secret: bool,
    pub(super) read: fn(&mut Config, &[String]) -> Result<(), String>,
    pub(super) show: fn(&Config) -> Vec<String>,
}

impl Setting {
    /// Returns the setting with this key in the file.
    pub fn by_key(key: &str) -> Option<&'static Self> {
        SETTINGS.iter().find(|setting| setting.key == key)
    }

    /// Returns the name of its environment variable.
    pub fn variable(&self) -> String {
        format!("FRONTDESK_{}", self.key.replace('.', "_").to_uppercase())
    }

    /// Returns a line that sets it in the file.
    pub fn example(&self) -> String {
        let value = match self.kind {
            Kind::Text => format!("\"{}\"", self.value),
            Kind::Number => "10".to_owned(),
            Kind::Switch => "true".to_owned(),
            Kind::List => format!("[\"{}\"]", self.value),
        };
        match self.key.rsplit_once('.') {
            Some((table, name)) => format!("`{name} = {value}` under `[{table}]`"),
            None => format!("`{} = {value}` at the top", self.key),
        }
    }
}

/// Type of the value of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text.
    Text,
    /// A whole number.
    Number,
    /// `true` or `false`; a flag without a value means `true`.
    Switch,
    /// Several texts: an array in the file, comma-separated in the environment, a repeated flag.
    List,
}

/// Every setting, in the order in which they are displayed.
pub const SETTINGS: &[Setting] = &[
    Setting {
        key: "database",
        flag: "database",
        value: "URL",
        meaning: "Database: sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE",
        kind: Kind::Text,
        secret: false,
        read: |config, texts| one(texts).map(|text: String| config.database = Redacted::new(text)),
        show: |config| vec![without_password(config.database.expose())],
    },
    Setting {
        key: "listen",
        flag: "listen",
        value: "ADDRESS:PORT",
        meaning: "Address on which the HTTP server listens; port 0 chooses a free port",
        kind: Kind::Text,
        secret: false,
        read: |config, texts| {
            let text: String = one(texts)?;
            config.listen = text.parse().map_err(|_| {
                format!("`{text}` is not an IP address with a port, such as `127.0.0.1:8080` or `[::1]:8080`")
            })?;
            Ok(())
        },
        show: |config| shown::<SocketAddr>([&config.listen]),
    },
    Setting {
        key: "http.tls_certificate",
        flag: "tls-certificate",
        value: "FILE",
        meaning: "PEM file with the certificate chain; enables HTTPS together with its key; reloaded when it changes",
        kind: Kind::Text,
        secret: false,
        read: |config, texts| one(texts).map(|path| config.http.tls_certificate = Some(path)),
        show: |config| paths(config.http.tls_certificate.as_ref()),
    },
    Setting {
        key: "http.tls_key",
        flag: "tls-key",
        value: "FILE",
        meaning: "PEM file with the private key of the certificate",
        kind: Kind::Text,
        secret: false,
        read: |config, texts| one(texts).map(|path| config.http.tls_key = Some(path)),
        show: |config| paths(config.http.tls_key.as_ref()),
    },
    Setting {
        key: "http.tls_reload_seconds",
        flag: "tls-reload-seconds",
        value: "SECONDS",
        meaning: "How often the two TLS files are checked for changes",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| seconds(texts).map(|time| config.http.tls_reload_interval = time),
        show: |config| shown([&config.http.tls_reload_interval.as_secs()]),
    },
    Setting {
        key: "http.allow_plain_http",
        flag: "allow-plain-http",
        value: "true",
        meaning: "Accept requests over plain HTTP from other machines; API keys are then sent unencrypted",
        kind: Kind::Switch,
        secret: false,
        read: |config, texts| one(texts).map(|on| config.http.allow_plain_http = on),
        show: |config| shown([&config.http.allow_plain_http]),
    },
    Setting {
        key: "http.trusted_proxies",
        flag: "trusted-proxy",
        value: "CIDR",
        meaning: "Proxy whose X-Forwarded-For and X-Forwarded-Proto are trusted; it has to send the latter",
        kind: Kind::List,
        secret: false,
        read: |config, texts| networks(texts).map(|networks| config.http.trusted_proxies = networks),
        show: |config| shown(&config.http.trusted_proxies),
    },
    Setting {
        key: "http.metrics_networks",
        flag: "metrics-network",
        value: "CIDR",
        meaning: "Clients that may read /metrics; all others get a 404",
        kind: Kind::List,
        secret: false,
        read: |config, texts| networks(texts).map(|networks| config.http.metrics_networks = networks),
        show: |config| shown(&config.http.metrics_networks),
    },
    Setting {
        key: "http.header_timeout_seconds",
        flag: "header-timeout-seconds",
        value: "SECONDS",
        meaning: "Longest time for the head of a request, and between two requests of a connection",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| seconds(texts).map(|time| config.http.header_timeout = time),
        show: |config| shown([&config.http.header_timeout.as_secs()]),
    },
    Setting {
        key: "http.body_timeout_seconds",
        flag: "body-timeout-seconds",
        value: "SECONDS",
        meaning: "Longest time for the body of a request",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| seconds(texts).map(|time| config.http.body_timeout = time),
        show: |config| shown([&config.http.body_timeout.as_secs()]),
    },
    Setting {
        key: "http.drain_timeout_seconds",
        flag: "drain-timeout-seconds",
        value: "SECONDS",
        meaning: "Longest time for running requests to finish at shutdown",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| seconds(texts).map(|time| config.http.drain_timeout = time),
        show: |config| shown([&config.http.drain_timeout.as_secs()]),
    },
    Setting {
        key: "http.body_limit_bytes",
        flag: "body-limit-bytes",
        value: "BYTES",
        meaning: "Largest request body",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| positive(texts).map(|bytes| config.http.body_limit = bytes as usize),
        show: |config| shown([&config.http.body_limit]),
    },
    Setting {
        key: "http.max_connections",
        flag: "max-connections",
        value: "COUNT",
        meaning: "Maximum number of open connections; further ones wait",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| positive(texts).map(|count| config.http.max_connections = count as usize),
        show: |config| shown([&config.http.max_connections]),
    },
    Setting {
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
    },
    Setting {
        key: "ready.min_free_megabytes",
        flag: "ready-min-free-megabytes",
        value: "MEGABYTES",
        meaning: "Free disk space for a SQLite database, below which /ready reports that the disk is full",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| {
            number(texts).map(|count: u32| config.ready.min_free_bytes = u64::from(count) << 20)
        },
        show: |config| shown([&(config.ready.min_free_bytes >> 20)]),
    },
    Setting {
        key: "limits.requests_per_key",
        flag: "requests-per-key",
        value: "COUNT",
        meaning: "Requests per minute of an API key without a limit of its own",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| positive(texts).map(|count| config.limits.requests_per_key = count),
        show: |config| shown([&config.limits.requests_per_key]),
    },
    Setting {
        key: "limits.failed_attempts",
        flag: "failed-attempts",
        value: "COUNT",
        meaning: "Requests per minute with unknown API keys or for unknown chatbots, per client address",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| positive(texts).map(|count| config.limits.failed_attempts = count),
        show: |config| shown([&config.limits.failed_attempts]),
    },
    Setting {
        key: "limits.replies_per_client",
        flag: "replies-per-client",
        value: "COUNT",
        meaning: "Keyless replies per minute of a chatbot to one client address",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| positive(texts).map(|count| config.limits.replies_per_client = count),
        show: |config| shown([&config.limits.replies_per_client]),
    },
    Setting {
        key: "limits.form_requests_per_client",
        flag: "form-requests-per-client",
        value: "COUNT",
        meaning: "Requests per minute of one client address to a contact form",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| positive(texts).map(|count| config.limits.form_requests_per_client = count),
        show: |config| shown([&config.limits.form_requests_per_client]),
    },
    Setting {
        key: "limits.submissions_per_form",
        flag: "submissions-per-form",
        value: "COUNT",
        meaning: "Submissions per minute of a contact form",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| positive(texts).map(|count| config.limits.submissions_per_form = count),
        show: |config| shown([&config.limits.submissions_per_form]),
    },
    Setting {
        key: "limits.replies_per_chatbot",
        flag: "replies-per-chatbot",
        value: "COUNT",
        meaning: "Keyless replies per minute of a chatbot",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| positive(texts).map(|count| config.limits.replies_per_chatbot = count),
        show: |config| shown([&config.limits.replies_per_chatbot]),
    },
    Setting {
        key: "limits.replies_per_day",
        flag: "replies-per-day",
        value: "COUNT",
        meaning: "Keyless replies per day (UTC) of a chatbot",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| positive(texts).map(|count| config.limits.replies_per_day = count),
        show: |config| shown([&config.limits.replies_per_day]),
    },
    Setting {
        key: "limits.redis_url",
        flag: "redis-url",
        value: "URL",
        meaning: "Redis or Valkey server in which all processes count requests together: redis://HOST:PORT/DATABASE",
        kind: Kind::Text,
        secret: false,
        read: |config, texts| {
            let text: String = one(texts)?;
            let url: Url = text.parse().map_err(|_| "it is not a URL".to_owned())?;
            if !matches!(url.scheme(), "redis" | "rediss" | "valkey" | "valkeys") {
                return Err("it does not start with redis:// or rediss://".to_owned());
            }
            config.limits.redis_url = Some(Redacted::new(text));
            Ok(())
        },
        show: |config| config.limits.redis_url.iter().map(|url| without_password(url.expose())).collect(),
    },
    Setting {
        key: "limits.shared_timeout_milliseconds",
        flag: "shared-limits-timeout-milliseconds",
        value: "MILLISECONDS",
        meaning: "Longest wait for the store that counts requests for all processes; then each process counts alone",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| {
            positive(texts).map(|count| config.limits.shared_timeout = Duration::from_millis(count.into()))
        },
        show: |config| shown([&config.limits.shared_timeout.as_millis()]),
    },
    Setting {
        key: "limits.reply_percent_per_day",
        flag: "reply-percent-per-day",
        value: "PERCENT",
        meaning: "Share of an account's monthly AI credits that keyless replies may use a day (UTC)",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| percentage(texts).map(|share| config.limits.reply_percent_per_day = share),
        show: |config| shown([&config.limits.reply_percent_per_day]),
    },
    Setting {
        key: "limits.reply_percent_per_month",
        flag: "reply-percent-per-month",
        value: "PERCENT",
        meaning: "Share of an account's monthly AI credits that keyless replies may use a month (UTC)",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| percentage(texts).map(|share| config.limits.reply_percent_per_month = share),
        show: |config| shown([&config.limits.reply_percent_per_month]),
    },
    Setting {
        key: "limits.concurrent_replies",
        flag: "concurrent-replies",
        value: "COUNT",
        meaning: "Keyless replies that one process drafts at a time",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| positive(texts).map(|count| config.limits.concurrent_replies = count),
        show: |config| shown([&config.limits.concurrent_replies]),
    },
    Setting {
        key: "limits.waiting_requests",
        flag: "waiting-requests",
        value: "COUNT",
        meaning: "Requests that wait for replies in conversations at a time; further ones do not wait",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| number(texts).map(|count| config.limits.waiting_requests = count),
        show: |config| shown([&config.limits.waiting_requests]),
    },
    plans::TRIAL_CREDITS,
    plans::STARTER_CREDITS,
    plans::GROWTH_CREDITS,
    plans::BUSINESS_CREDITS,
    plans::SCALE_CREDITS,
    plans::TRIAL_CHATBOTS,
    plans::TRIAL_WEBPAGES,
    plans::TRIAL_CONTACTS,
    plans::STARTER_CHATBOTS,
    plans::STARTER_WEBPAGES,
    plans::STARTER_CONTACTS,
    plans::GROWTH_CHATBOTS,
    plans::GROWTH_WEBPAGES,
    plans::GROWTH_CONTACTS,
    plans::BUSINESS_CHATBOTS,
    plans::BUSINESS_WEBPAGES,
    plans::BUSINESS_CONTACTS,
    plans::SCALE_CHATBOTS,
    plans::SCALE_WEBPAGES,
    plans::SCALE_CONTACTS,
    Setting {
        key: "training.workers",
        flag: "training-workers",
        value: "COUNT",
        meaning: "Number of websites that are crawled at the same time",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| positive(texts).map(|count| config.training.workers = count as usize),
        show: |config| shown([&config.training.workers]),
    },
    Setting {
        key: "training.max_pages",
        flag: "max-pages",
        value: "COUNT",
        meaning: "Maximum number of pages that are crawled for a website",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| positive(texts).map(|count| config.training.max_pages = count.into()),
        show: |config| shown([&config.training.max_pages]),
    },
    Setting {
        key: "training.max_depth",
        flag: "max-depth",
        value: "COUNT",
        meaning: "Maximum number of links between a start page and any other page",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| number(texts).map(|count| config.training.max_depth = count),
        show: |config| shown([&config.training.max_depth]),
    },
    Setting {
        key: "training.confine_to_path",
        flag: "confine-to-path",
        value: "BOOLEAN",
        meaning: "Crawl only below the path of a start page such as https://acme.example/shop/; with false, the whole site",
        kind: Kind::Switch,
        secret: false,
        read: |config, texts| one(texts).map(|on| config.training.confine_to_path = on),
        show: |config| shown([&config.training.confine_to_path]),
    },
    Setting {
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
    },
    Setting {
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
    },
    Setting {
        key: "training.allow_networks",
        flag: "allow-network",
        value: "CIDR",
        meaning: "Network that may be crawled although it is not public; the model's endpoint has its own setting",
        kind: Kind::List,
        secret: false,
        read: |config, texts| networks(texts).map(|networks| config.training.allow_networks = networks),
        show: |config| shown(&config.training.allow_networks),
    },
    Setting {
        key: "training.user_agent",
        flag: "user-agent",
        value: "NAME",
        meaning: "Name of the crawler in its User-Agent header",
        kind: Kind::Text,
        secret: false,
        read: |config, texts| one(texts).map(|name| config.training.user_agent = name),
        show: |config| shown([&config.training.user_agent]),
    },
    search::MODEL,
    search::ENDPOINT_MODEL,
    search::API_KEY,
    search::ALLOW_NETWORKS,
    search::QUERY_PREFIX,
    search::PASSAGE_PREFIX,
    files::DIRECTORY,
    files::S3_BUCKET,
    files::S3_ENDPOINT,
    files::S3_REGION,
    files::S3_ACCESS_KEY_ID,
    files::S3_SECRET_ACCESS_KEY,
    files::WORKERS,
    files::EXTRACTOR,
    vision::BASE_URL,
    vision::MODEL,
    vision::API_KEY,
    vision::ALLOW_NETWORKS,
    vision::TIMEOUT,
    vision::MAX_CONCURRENCY,
    vision::MAX_MEGABYTES,
    file_models::MAX_TOKENS,
    file_models::MAX_TOKENS_PARAMETER,
    transcription::BASE_URL,
    transcription::MODEL,
    transcription::API_KEY,
    transcription::ALLOW_NETWORKS,
    transcription::TIMEOUT,
    transcription::MAX_CONCURRENCY,
    transcription::MAX_MEGABYTES,
    webhooks::ALLOW_NETWORKS,
    webhooks::ALLOW_HTTP,
    webhooks::TESTS_PER_MINUTE,
    channels::ALLOW_NETWORKS,
    channels::POLL_SECONDS,
    channels::TELEGRAM_URL,
    channels::GRAPH_URL,
    mail::SMTP_URL,
    mail::FROM,
    mail::PUBLIC_URL,
    model::BASE_URL,
    model::MODEL,
    model::API_KEY,
    model::ALLOW_NETWORKS,
    model::TIMEOUT,
    model::MAX_TOKENS,
    model::MAX_TOKENS_PARAMETER,
    model::TEMPERATURE,
    model::MAX_PROMPT_CHARACTERS,
    model::MAX_CONCURRENCY,
    model::BREAKER_FAILURES,
    model::BREAKER_COOLDOWN,
    keys::PEPPER,
    keys::PREVIOUS_PEPPER,
    keys::ALLOW_STORED_PEPPER,
    log::FORMAT,
    log::FILTER,
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn keys_flags_and_variables_are_unique() {
        let unique = |names: Vec<String>| names.iter().collect::<BTreeSet<_>>().len();
        assert_eq!(unique(SETTINGS.iter().map(|setting| setting.key.to_owned()).collect()), SETTINGS.len());
        assert_eq!(unique(SETTINGS.iter().map(|setting| setting.flag.to_owned()).collect()), SETTINGS.len());
        assert_eq!(unique(SETTINGS.iter().map(Setting::variable).collect()), SETTINGS.len());
    }

    #[test]
    fn every_default_can_be_read_back() {
        let config = Config::default();
        for setting in SETTINGS {
            let shown = (setting.show)(&config);
            if shown.is_empty() {
                continue;
            }
            let mut again = Config::default();
            (setting.read)(&mut again, &shown).unwrap_or_else(|problem| panic!("{}: {problem}", setting.key));
            assert_eq!((setting.show)(&again), shown, "{}", setting.key);
        }
    }

    #[test]
    fn every_setting_refuses_what_it_cannot_use() {
        for (key, texts) in [
            ("listen", &["localhost:80"][..]),
            ("listen", &["127.0.0.1"]),
            ("http.trusted_proxies", &["10.0.0.0/33"]),
            ("http.allow_plain_http", &["yes"]),
            ("limits.requests_per_key", &["0"]),
            ("limits.requests_per_key", &["-1"]),
            ("limits.requests_per_key", &["60/min"]),
            ("limits.reply_percent_per_day", &["0"]),
            ("limits.reply_percent_per_month", &["101"]),
            ("credits.growth", &["99999999999999999999"]),
            ("assistant.base_url", &["ftp://models.example/"]),
            ("assistant.base_url", &["models.example"]),
            ("assistant.model", &[""]),
            ("assistant.allow_networks", &["10.0.0.0/33"]),
            ("assistant.timeout_seconds", &["0"]),
            ("assistant.max_tokens_parameter", &["tokens"]),
            ("assistant.temperature", &["hot"]),
            ("assistant.temperature", &["-0.1"]),
            ("assistant.temperature", &["2.1"]),
            ("assistant.temperature", &["NaN"]),
            ("assistant.max_prompt_characters", &["100"]),
            ("files.vision.base_url", &["ftp://models.example/"]),
            ("files.vision.api_key", &["a\nb"]),
            ("files.vision.max_megabytes", &["0"]),
            ("files.vision.max_tokens_parameter", &["tokens"]),
            ("files.transcription.base_url", &["models.example"]),
            ("files.transcription.allow_networks", &["10.0.0.0/33"]),
            ("files.transcription.max_concurrency", &["0"]),
            ("keys.pepper", &["short"]),
            ("keys.previous_pepper", &["short"]),
            ("limits.redis_url", &["http://127.0.0.1/"]),
            ("http.max_connections_per_client", &["0"]),
            ("log.format", &["xml"]),
            ("log.filter", &["=!="]),
            ("database", &["a", "b"]),
        ] {
            let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
            let setting = Setting::by_key(key).unwrap();
            assert!((setting.read)(&mut Config::default(), &texts).is_err(), "{key} took {texts:?}");
        }
    }

    #[test]
    fn passwords_in_urls_are_not_displayed() {
        for (url, expected) in [
            ("sqlite:frontdesk-data/frontdesk.db", "sqlite:frontdesk-data/frontdesk.db"),
            ("postgres://ann:hunter2@db/frontdesk", "postgres://ann:redacted@db/frontdesk"),
            ("postgres://db/frontdesk?password=hunter2", "postgres://db/frontdesk?redacted"),
            ("hunter2", "[unreadable]"),
        ] {
            assert_eq!(without_password(url), expected);
        }
    }
}
