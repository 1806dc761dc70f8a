//! Settings of the log.

use super::{
    Kind, Setting,
    values::{one, shown},
};
use crate::platform::config::LogFormat;

pub(super) const FORMAT: Setting = Setting {
    key: "log.format",
    flag: "log-format",
    value: "pretty|json",
    meaning: "Format of log lines",
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
};

pub(super) const FILTER: Setting = Setting {
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
};
