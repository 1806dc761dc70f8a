//! Table of settings: [`SETTINGS`] describes every setting as data, for the file, the environment and the
//! flags.

use std::net::SocketAddr;

use frontdesk_store::Redacted;

use self::file_models::{transcription, vision};
use self::values::{number, one, positive, shown, without_password};
use super::Config;

mod channels;
mod file_models;
mod files;
mod http;
mod jobs;
mod keys;
mod limits;
mod log;
mod mail;
mod model;
mod plans;
mod search;
mod training;
mod values;
mod web_search;
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
        key: "database_connections",
        flag: "database-connections",
        value: "COUNT",
        meaning: "Maximum number of this process's connections to PostgreSQL, besides up to five for signals and rate limits",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| positive(texts).map(|count| config.database_connections = count),
        show: |config| shown([&config.database_connections]),
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
    http::TLS_CERTIFICATE,
    http::TLS_KEY,
    http::TLS_RELOAD_SECONDS,
    http::ALLOW_PLAIN_HTTP,
    http::TRUSTED_PROXIES,
    http::METRICS_NETWORKS,
    http::HEADER_TIMEOUT_SECONDS,
    http::BODY_TIMEOUT_SECONDS,
    http::DRAIN_TIMEOUT_SECONDS,
    http::BODY_LIMIT_BYTES,
    http::MAX_CONNECTIONS,
    http::MAX_CONNECTIONS_PER_CLIENT,
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
    limits::REQUESTS_PER_KEY,
    limits::FAILED_ATTEMPTS,
    limits::REPLIES_PER_CLIENT,
    limits::FORM_REQUESTS_PER_CLIENT,
    limits::SUBMISSIONS_PER_FORM,
    limits::WIDGET_REQUESTS_PER_CLIENT,
    limits::SESSIONS_PER_CLIENT,
    limits::SESSIONS_PER_WIDGET,
    limits::REQUESTS_PER_VISITOR,
    limits::MESSAGES_PER_VISITOR,
    limits::MESSAGES_PER_VISITOR_AND_HOUR,
    limits::MESSAGES_PER_CLIENT,
    limits::VISITOR_PERCENT_PER_DAY,
    limits::REPLIES_PER_CHATBOT,
    limits::REPLIES_PER_DAY,
    limits::REDIS_URL,
    limits::SHARED_TIMEOUT_MILLISECONDS,
    limits::REPLY_PERCENT_PER_DAY,
    limits::REPLY_PERCENT_PER_MONTH,
    limits::CONCURRENT_REPLIES,
    limits::WAITING_REQUESTS,
    limits::WAITING_REQUESTS_PER_ACCOUNT,
    plans::TRIAL_CREDITS,
    plans::STARTER_CREDITS,
    plans::GROWTH_CREDITS,
    plans::BUSINESS_CREDITS,
    plans::SCALE_CREDITS,
    plans::TRIAL_CHATBOTS,
    plans::TRIAL_WEBPAGES,
    plans::TRIAL_CONTACTS,
    plans::TRIAL_STORAGE_BYTES,
    plans::STARTER_CHATBOTS,
    plans::STARTER_WEBPAGES,
    plans::STARTER_CONTACTS,
    plans::STARTER_STORAGE_BYTES,
    plans::GROWTH_CHATBOTS,
    plans::GROWTH_WEBPAGES,
    plans::GROWTH_CONTACTS,
    plans::GROWTH_STORAGE_BYTES,
    plans::BUSINESS_CHATBOTS,
    plans::BUSINESS_WEBPAGES,
    plans::BUSINESS_CONTACTS,
    plans::BUSINESS_STORAGE_BYTES,
    plans::SCALE_CHATBOTS,
    plans::SCALE_WEBPAGES,
    plans::SCALE_CONTACTS,
    plans::SCALE_STORAGE_BYTES,
    training::WORKERS,
    training::MAX_PAGES,
    training::MAX_DEPTH,
    training::CONFINE_TO_PATH,
    training::DELAY_MILLISECONDS,
    training::RECRAWL_PAUSE_SECONDS,
    training::ALLOW_NETWORKS,
    training::USER_AGENT,
    search::MODEL,
    search::ENDPOINT_MODEL,
    search::API_KEY,
    search::ALLOW_NETWORKS,
    search::QUERY_PREFIX,
    search::PASSAGE_PREFIX,
    web_search::URL,
    web_search::API,
    web_search::API_KEY,
    web_search::ALLOW_NETWORKS,
    web_search::PAGE_ALLOW_NETWORKS,
    web_search::PER_MINUTE,
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
    webhooks::TIMEOUT_SECONDS,
    jobs::DRAIN_TIMEOUT_SECONDS,
    channels::ALLOW_NETWORKS,
    channels::POLL_SECONDS,
    channels::SKIPPED_MAIL_DAYS,
    channels::SKIPPED_MAIL_MEGABYTES,
    channels::TELEGRAM_URL,
    channels::GRAPH_URL,
    channels::TIMEOUT_SECONDS,
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
            ("database_connections", &["0"]),
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

    #[test]
    fn the_files_of_a_deployment_set_what_exists() {
        let known: BTreeSet<String> =
            SETTINGS.iter().map(Setting::variable).chain(["FRONTDESK_CONFIG".to_owned()]).collect();
        for file in ["Containerfile", "compose.yaml", "frontdesk.service", "secrets.env.example"] {
            let path = format!("{}/../../deploy/{file}", env!("CARGO_MANIFEST_DIR"));
            let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
            let words = text.split(|c: char| !c.is_ascii_uppercase() && !c.is_ascii_digit() && c != '_');
            let unknown: Vec<&str> =
                words.filter(|word| word.starts_with("FRONTDESK_") && !known.contains(*word)).collect();
            assert!(unknown.is_empty(), "{file} sets {unknown:?}");
            assert!(file == "frontdesk.service" || text.contains("FRONTDESK_"), "{file} sets nothing");
        }
    }
}
