//! Owns [`SETTINGS`]: every setting as data, from which the file, the environment and the flags are read alike.

use std::{
    fmt::Display,
    net::{IpAddr, SocketAddr},
    num::NonZeroU32,
    path::PathBuf,
    str::FromStr,
    time::Duration,
};

use frontdesk_store::Redacted;
use ipnet::IpNet;
use url::Url;

use super::{Config, LogFormat};

/// One setting.
#[derive(Debug)]
pub struct Setting {
    /// Its dotted key in the file.
    pub key: &'static str,
    /// Its flag, without the leading dashes.
    pub flag: &'static str,
    /// What its value is called in the help.
    pub value: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// What its value looks like.
    pub kind: Kind,
    /// Whether its value must never be shown.
    pub secret: bool,
    pub(super) read: fn(&mut Config, &[String]) -> Result<(), String>,
    pub(super) show: fn(&Config) -> Vec<String>,
}

impl Setting {
    /// The setting with this key in the file.
    pub fn by_key(key: &str) -> Option<&'static Self> {
        SETTINGS.iter().find(|setting| setting.key == key)
    }

    /// The environment variable that sets it.
    pub fn variable(&self) -> String {
        format!("FRONTDESK_{}", self.key.replace('.', "_").to_uppercase())
    }

    /// A line that sets it in the file.
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

/// What the value of a setting looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text.
    Text,
    /// A whole number.
    Number,
    /// `true` or `false`; a flag without a value means `true`.
    Switch,
    /// Texts: an array in the file, separated by commas in the environment, a repeated flag.
    List,
}

/// Every setting, in the order in which they are shown.
pub const SETTINGS: &[Setting] = &[
    Setting {
        key: "database",
        flag: "database",
        value: "URL",
        meaning: "Where everything is kept: sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE",
        kind: Kind::Text,
        secret: false,
        read: |config, texts| one(texts).map(|text: String| config.database = Redacted::new(text)),
        show: |config| vec![without_password(config.database.expose())],
    },
    Setting {
        key: "listen",
        flag: "listen",
        value: "ADDRESS:PORT",
        meaning: "Where the HTTP server listens; port 0 takes any free port",
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
        meaning: "PEM file with the certificate chain; together with its key it turns on HTTPS",
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
        key: "http.allow_plain_http",
        flag: "allow-plain-http",
        value: "true",
        meaning: "Take requests over plain HTTP from other machines; API keys then travel unprotected",
        kind: Kind::Switch,
        secret: false,
        read: |config, texts| one(texts).map(|on| config.http.allow_plain_http = on),
        show: |config| shown([&config.http.allow_plain_http]),
    },
    Setting {
        key: "http.trusted_proxies",
        flag: "trusted-proxy",
        value: "CIDR",
        meaning: "Proxy whose X-Forwarded-For and X-Forwarded-Proto are believed; it must send the latter",
        kind: Kind::List,
        secret: false,
        read: |config, texts| networks(texts).map(|networks| config.http.trusted_proxies = networks),
        show: |config| shown(&config.http.trusted_proxies),
    },
    Setting {
        key: "http.metrics_networks",
        flag: "metrics-network",
        value: "CIDR",
        meaning: "Clients that may read /metrics; to all others it does not exist",
        kind: Kind::List,
        secret: false,
        read: |config, texts| networks(texts).map(|networks| config.http.metrics_networks = networks),
        show: |config| shown(&config.http.metrics_networks),
    },
    Setting {
        key: "http.header_timeout_seconds",
        flag: "header-timeout-seconds",
        value: "SECONDS",
        meaning: "How long a client may take to send the head of a request, or to stay idle between two",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| seconds(texts).map(|time| config.http.header_timeout = time),
        show: |config| shown([&config.http.header_timeout.as_secs()]),
    },
    Setting {
        key: "http.body_timeout_seconds",
        flag: "body-timeout-seconds",
        value: "SECONDS",
        meaning: "How long a client may take to send the body of a request",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| seconds(texts).map(|time| config.http.body_timeout = time),
        show: |config| shown([&config.http.body_timeout.as_secs()]),
    },
    Setting {
        key: "http.drain_timeout_seconds",
        flag: "drain-timeout-seconds",
        value: "SECONDS",
        meaning: "How long requests under way may take to finish when the service is told to stop",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| seconds(texts).map(|time| config.http.drain_timeout = time),
        show: |config| shown([&config.http.drain_timeout.as_secs()]),
    },
    Setting {
        key: "http.body_limit_bytes",
        flag: "body-limit-bytes",
        value: "BYTES",
        meaning: "The largest request body that is read",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| positive(texts).map(|bytes| config.http.body_limit = bytes as usize),
        show: |config| shown([&config.http.body_limit]),
    },
    Setting {
        key: "http.max_connections",
        flag: "max-connections",
        value: "COUNT",
        meaning: "Connections at a time; further ones wait",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| positive(texts).map(|count| config.http.max_connections = count as usize),
        show: |config| shown([&config.http.max_connections]),
    },
    Setting {
        key: "limits.requests_per_key",
        flag: "requests-per-key",
        value: "COUNT",
        meaning: "Requests a minute of one API key that has no limit of its own",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| positive(texts).map(|count| config.limits.requests_per_key = count),
        show: |config| shown([&config.limits.requests_per_key]),
    },
    Setting {
        key: "limits.failed_attempts",
        flag: "failed-attempts",
        value: "COUNT",
        meaning: "Requests a minute with unknown API keys or for unknown chatbots from one client address",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| positive(texts).map(|count| config.limits.failed_attempts = count),
        show: |config| shown([&config.limits.failed_attempts]),
    },
    Setting {
        key: "limits.replies_per_client",
        flag: "replies-per-client",
        value: "COUNT",
        meaning: "Keyless replies a minute of one chatbot to one client address",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| positive(texts).map(|count| config.limits.replies_per_client = count),
        show: |config| shown([&config.limits.replies_per_client]),
    },
    Setting {
        key: "limits.replies_per_chatbot",
        flag: "replies-per-chatbot",
        value: "COUNT",
        meaning: "Keyless replies a minute of one chatbot",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| positive(texts).map(|count| config.limits.replies_per_chatbot = count),
        show: |config| shown([&config.limits.replies_per_chatbot]),
    },
    Setting {
        key: "limits.replies_per_day",
        flag: "replies-per-day",
        value: "COUNT",
        meaning: "Keyless replies a day (UTC) of one chatbot",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| positive(texts).map(|count| config.limits.replies_per_day = count),
        show: |config| shown([&config.limits.replies_per_day]),
    },
    Setting {
        key: "credits.trial",
        flag: "credits-trial",
        value: "COUNT",
        meaning: "AI credits a month on trial",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| number(texts).map(|count| config.credits.trial = count),
        show: |config| shown([&config.credits.trial]),
    },
    Setting {
        key: "credits.starter",
        flag: "credits-starter",
        value: "COUNT",
        meaning: "AI credits a month in the Starter plan",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| number(texts).map(|count| config.credits.starter = count),
        show: |config| shown([&config.credits.starter]),
    },
    Setting {
        key: "credits.growth",
        flag: "credits-growth",
        value: "COUNT",
        meaning: "AI credits a month in the Growth plan",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| number(texts).map(|count| config.credits.growth = count),
        show: |config| shown([&config.credits.growth]),
    },
    Setting {
        key: "credits.business",
        flag: "credits-business",
        value: "COUNT",
        meaning: "AI credits a month in the Business plan",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| number(texts).map(|count| config.credits.business = count),
        show: |config| shown([&config.credits.business]),
    },
    Setting {
        key: "credits.scale",
        flag: "credits-scale",
        value: "COUNT",
        meaning: "AI credits a month in the Scale plan",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| number(texts).map(|count| config.credits.scale = count),
        show: |config| shown([&config.credits.scale]),
    },
    Setting {
        key: "training.workers",
        flag: "training-workers",
        value: "COUNT",
        meaning: "Chatbots that are trained at a time",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| positive(texts).map(|count| config.training.workers = count as usize),
        show: |config| shown([&config.training.workers]),
    },
    Setting {
        key: "training.max_pages",
        flag: "max-pages",
        value: "COUNT",
        meaning: "The most pages that are read for one chatbot",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| positive(texts).map(|count| config.training.max_pages = count.into()),
        show: |config| shown([&config.training.max_pages]),
    },
    Setting {
        key: "training.max_depth",
        flag: "max-depth",
        value: "COUNT",
        meaning: "The most links between a start page and any other",
        kind: Kind::Number,
        secret: false,
        read: |config, texts| number(texts).map(|count| config.training.max_depth = count),
        show: |config| shown([&config.training.max_depth]),
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
        key: "training.allow_networks",
        flag: "allow-network",
        value: "CIDR",
        meaning: "Network that may be crawled, or hold the model's endpoint, although it is not public",
        kind: Kind::List,
        secret: false,
        read: |config, texts| networks(texts).map(|networks| config.training.allow_networks = networks),
        show: |config| shown(&config.training.allow_networks),
    },
    Setting {
        key: "training.user_agent",
        flag: "user-agent",
        value: "NAME",
        meaning: "How the crawler names itself to websites",
        kind: Kind::Text,
        secret: false,
        read: |config, texts| one(texts).map(|name| config.training.user_agent = name),
        show: |config| shown([&config.training.user_agent]),
    },
    Setting {
        key: "assistant.base_url",
        flag: "assistant-base-url",
        value: "URL",
        meaning: "OpenAI-compatible endpoint that writes the answers, without /chat/completions",
        kind: Kind::Text,
        secret: false,
        read: |config, texts| {
            let text: String = one(texts)?;
            let url: Url = text.parse().map_err(|_| format!("`{text}` is not a web address"))?;
            if !matches!(url.scheme(), "http" | "https") {
                return Err(format!("`{text}` does not start with https:// or http://"));
            }
            config.assistant.base_url = Some(url);
            Ok(())
        },
        show: |config| shown(&config.assistant.base_url),
    },
    Setting {
        key: "assistant.model",
        flag: "assistant-model",
        value: "NAME",
        meaning: "The model to ask for",
        kind: Kind::Text,
        secret: false,
        read: |config, texts| one(texts).map(|name| config.assistant.model = Some(name)),
        show: |config| shown(&config.assistant.model),
    },
    Setting {
        key: "assistant.api_key",
        flag: "assistant-api-key",
        value: "KEY",
        meaning: "API key of the model's endpoint; other users see flags, so prefer the environment",
        kind: Kind::Text,
        secret: true,
        read: |config, texts| {
            one(texts).map(|key: String| config.assistant.api_key = Some(Redacted::new(key)))
        },
        show: |config| redacted(config.assistant.api_key.as_ref()),
    },
    Setting {
        key: "keys.pepper",
        flag: "key-pepper",
        value: "SECRET",
        meaning: "What API keys are hashed with, at least 32 characters; if it changes, all keys stop working",
        kind: Kind::Text,
        secret: true,
        read: |config, texts| {
            let text: String = one(texts)?;
            if text.len() < 32 {
                return Err("it is shorter than 32 characters".to_owned());
            }
            config.key_pepper = Some(Redacted::new(text));
            Ok(())
        },
        show: |config| redacted(config.key_pepper.as_ref()),
    },
    Setting {
        key: "log.format",
        flag: "log-format",
        value: "pretty|json",
        meaning: "How log lines look",
        kind: Kind::Text,
        secret: false,
        read: |config, texts| {
            let text: String = one(texts)?;
            config.log.format = match text.as_str() {
                "pretty" => LogFormat::Pretty,
                "json" => LogFormat::Json,
                _ => return Err(format!("`{text}` is neither `pretty` nor `json`")),
            };
            Ok(())
        },
        show: |config| {
            let name = match config.log.format {
                LogFormat::Pretty => "pretty",
                LogFormat::Json => "json",
            };
            vec![name.to_owned()]
        },
    },
    Setting {
        key: "log.filter",
        flag: "log-filter",
        value: "FILTER",
        meaning: "What is logged, such as info or info,frontdesk_service=debug",
        kind: Kind::Text,
        secret: false,
        read: |config, texts| {
            let text: String = one(texts)?;
            tracing_subscriber::EnvFilter::try_new(&text).map_err(|error| format!("`{text}`: {error}"))?;
            config.log.filter = text;
            Ok(())
        },
        show: |config| shown([&config.log.filter]),
    },
];

/// The only value of a setting that has one.
fn one<T: FromStr>(texts: &[String]) -> Result<T, String>
where
    T::Err: Display,
{
    match texts {
        [text] if text.is_empty() => Err("it is empty".to_owned()),
        [text] => text.parse().map_err(|error| format!("`{text}` cannot be used: {error}")),
        _ => Err("it takes one value".to_owned()),
    }
}

fn number<T: FromStr>(texts: &[String]) -> Result<T, String> {
    let text: String = one(texts)?;
    text.parse().map_err(|_| format!("`{text}` is not a whole number in its range"))
}

fn positive(texts: &[String]) -> Result<u32, String> {
    let count: NonZeroU32 = number(texts).map_err(|problem| format!("{problem} (1 to {})", u32::MAX))?;
    Ok(count.get())
}

fn seconds(texts: &[String]) -> Result<Duration, String> {
    positive(texts).map(|count| Duration::from_secs(count.into()))
}

/// Networks in CIDR notation; a lone address is a network of one.
fn networks(texts: &[String]) -> Result<Vec<IpNet>, String> {
    texts
        .iter()
        .map(|text| {
            text.parse::<IpNet>()
                .or_else(|_| text.parse::<IpAddr>().map(IpNet::from))
                .map_err(|_| format!("`{text}` is neither an IP address nor a network such as `10.0.0.0/8`"))
        })
        .collect()
}

fn shown<'v, T: Display + 'v>(values: impl IntoIterator<Item = &'v T>) -> Vec<String> {
    values.into_iter().map(ToString::to_string).collect()
}

fn paths(path: Option<&PathBuf>) -> Vec<String> {
    path.map(|path| path.display().to_string()).into_iter().collect()
}

fn redacted(secret: Option<&Redacted<String>>) -> Vec<String> {
    secret.map(|_| "[redacted]".to_owned()).into_iter().collect()
}

/// A database URL that can be shown.
fn without_password(database: &str) -> String {
    let Ok(mut url) = Url::parse(database) else { return "[unreadable]".to_owned() };
    if url.password().is_some() && url.set_password(Some("redacted")).is_err() {
        return "[redacted]".to_owned();
    }
    // A password may also stand in the query, where libpq takes it from.
    if url.query_pairs().any(|(name, _)| name == "password") {
        url.set_query(Some("redacted"));
    }
    url.to_string()
}

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
            ("credits.growth", &["99999999999999999999"]),
            ("assistant.base_url", &["ftp://models.example/"]),
            ("assistant.base_url", &["models.example"]),
            ("assistant.model", &[""]),
            ("keys.pepper", &["short"]),
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
    fn passwords_of_the_database_are_not_shown() {
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
