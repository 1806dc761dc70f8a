//! Settings of jobs.

use super::{
    Kind, Setting,
    values::{seconds, shown},
};

pub(super) const DRAIN_TIMEOUT_SECONDS: Setting = Setting {
    key: "jobs.drain_timeout_seconds",
    flag: "job-drain-timeout-seconds",
    value: "SECONDS",
    meaning: "Longest time for running jobs and deliveries to finish at shutdown; then they are put back",
    kind: Kind::Number,
    secret: false,
    read: |config, texts| seconds(texts).map(|time| config.jobs.drain_timeout = time),
    show: |config| shown([&config.jobs.drain_timeout.as_secs()]),
};
