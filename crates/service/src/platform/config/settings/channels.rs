//! Settings of the channels of the inbox.

use url::Url;

use super::{
    Kind, Setting,
    values::{networks, one, positive, seconds, shown},
};

pub(super) const ALLOW_NETWORKS: Setting = Setting {
    key: "channels.allow_networks",
    flag: "channel-allow-network",
    value: "CIDR",
    meaning: "Network that mail servers of channels may be in although it is not public; connections into it may be unencrypted",
    kind: Kind::List,
    secret: false,
    read: |config, texts| networks(texts).map(|networks| config.channels.allow_networks = networks),
    show: |config| shown(&config.channels.allow_networks),
};

pub(super) const POLL_SECONDS: Setting = Setting {
    key: "channels.poll_seconds",
    flag: "channel-poll-seconds",
    value: "SECONDS",
    meaning: "How often mailboxes and bots without a webhook are looked at",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| seconds(texts).map(|time| config.channels.poll_interval = time),
    show: |config| shown([&config.channels.poll_interval.as_secs()]),
};

pub(super) const SKIPPED_MAIL_DAYS: Setting = Setting {
    key: "channels.skipped_mail_days",
    flag: "skipped-mail-days",
    value: "DAYS",
    meaning: "How long e-mails that did not become messages are kept",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| positive(texts).map(|days| config.channels.skipped_mail_days = days),
    show: |config| shown([&config.channels.skipped_mail_days]),
};

pub(super) const SKIPPED_MAIL_MEGABYTES: Setting = Setting {
    key: "channels.skipped_mail_megabytes",
    flag: "skipped-mail-megabytes",
    value: "MEGABYTES",
    meaning: "How much space these e-mails of an account may take; beyond it, the oldest ones are deleted sooner",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| positive(texts).map(|megabytes| config.channels.skipped_mail_megabytes = megabytes),
    show: |config| shown([&config.channels.skipped_mail_megabytes]),
};

pub(super) const TELEGRAM_URL: Setting = Setting {
    key: "channels.telegram_url",
    flag: "telegram-url",
    value: "URL",
    meaning: "Address of the Bot API of Telegram, for a server of your own",
    kind: Kind::Text,
    secret: false,
    read: |config, texts| base(texts).map(|url| config.channels.telegram_url = url),
    show: |config| shown([&config.channels.telegram_url]),
};

pub(super) const GRAPH_URL: Setting = Setting {
    key: "channels.graph_url",
    flag: "graph-url",
    value: "URL",
    meaning: "Address of the Graph API of Meta with its version",
    kind: Kind::Text,
    secret: false,
    read: |config, texts| base(texts).map(|url| config.channels.graph_url = url),
    show: |config| shown([&config.channels.graph_url]),
};

pub(super) const TIMEOUT_SECONDS: Setting = Setting {
    key: "channels.timeout_seconds",
    flag: "channel-timeout-seconds",
    value: "SECONDS",
    meaning: "Longest time of one exchange with a mail server or messenger; large e-mails have a second more for each 64 KiB",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| seconds(texts).map(|time| config.channels.timeout = time),
    show: |config| shown([&config.channels.timeout.as_secs()]),
};

/// Reads an address that others are appended to.
fn base(texts: &[String]) -> Result<Url, String> {
    let text: String = one(texts)?;
    let with_slash = if text.ends_with('/') { text.clone() } else { format!("{text}/") };
    let url: Option<Url> = with_slash.parse().ok();
    url.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
        .ok_or_else(|| format!("`{text}` is not an address that starts with http:// or https://"))
}
