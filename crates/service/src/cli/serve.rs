//! `frontdesk serve`: runs the service until a signal arrives.

use std::io;

use clap::Args;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::{CliError, flags::SettingFlags};
use crate::{
    platform::{
        config::{Loaded, Origin, Setting},
        telemetry,
    },
    startup::{self, demo, first_run},
};

#[derive(Debug, Args)]
pub(super) struct Serve {
    /// Start a demonstration: a trained chatbot with its website, and an account with a key and a week of
    /// conversations, contacts and sales
    #[arg(long)]
    pub(super) demo: bool,
    #[command(flatten)]
    pub(super) settings: SettingFlags,
}

pub(super) async fn run(mut loaded: Loaded, demo: bool) -> Result<(), CliError> {
    if demo && Setting::by_key("log.filter").is_some_and(|filter| loaded.origin(filter) == Origin::Default) {
        demo::LOG_FILTER.clone_into(&mut loaded.config.log.filter);
    }
    telemetry::start(&loaded.config.log);
    for notice in &loaded.notices {
        tracing::warn!("{notice}");
    }
    // Before anything that needs an orderly shutdown.
    let mut signals = Signals::listen()?;
    let mut config = loaded.config;
    let demo = if demo { Some(demo::begin(&mut config).await?) } else { None };
    let running = startup::start(config).await?;
    let stop_requested = match &demo {
        Some(demo) => {
            let (mut progress, mut out) = (io::stderr(), io::stdout());
            tokio::select! {
                prepared = demo.prepare(&running, &mut progress, &mut out) => {
                    prepared?;
                    false
                }
                () = signals.next() => true,
            }
        }
        None => {
            if let Err(error) = first_run::show_setup_link(&running).await {
                tracing::warn!(%error, "the set-up link could not be created");
            }
            false
        }
    };
    if !stop_requested {
        signals.next().await;
    }
    tokio::select! {
        () = running.shutdown() => {}
        () = signals.next() => tracing::warn!("stopping immediately"),
    }
    Ok(())
}

/// The signals that request a shutdown.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    fn listen() -> Result<Self, CliError> {
        let listen = |kind| {
            signal(kind).map_err(|source| CliError::System { what: "cannot listen for signals", source })
        };
        Ok(Self { interrupt: listen(SignalKind::interrupt())?, terminate: listen(SignalKind::terminate())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
