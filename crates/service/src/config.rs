//! Owns [`Config`]: everything an operator can set, with its defaults.
//!
//! `settings` lists every setting once, as data: its key in the file, its flag, its meaning, how it is read and shown.
//! `load` applies the sources in their order.

mod load;
mod settings;

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use frontdesk_store::{Plan, Redacted};
use ipnet::IpNet;
use url::Url;

pub use self::{
    load::{ConfigError, Loaded, Origin, Sources, load},
    settings::{Kind, SETTINGS, Setting},
};

/// Everything an operator can set. `Debug` prints no secret.
#[derive(Clone, Debug)]
pub struct Config {
    /// `sqlite:PATH`, `sqlite::memory:` or `postgres://…`; it may hold a password.
    pub database: Redacted<String>,
    /// Where the HTTP server listens. Port 0 takes any free port.
    pub listen: SocketAddr,
    /// How requests arrive and how long they may take.
    pub http: Http,
    /// How often callers may call.
    pub limits: Limits,
    /// AI credits a calendar month by plan.
    pub credits: Credits,
    /// How websites are read.
    pub training: Training,
    /// A language model that writes the answers; without an address the embedded extractive writer does.
    pub assistant: AssistantModel,
    /// What API keys are hashed with; none means a secret that the database keeps.
    pub key_pepper: Option<Redacted<String>>,
    /// What is logged and how.
    pub log: Log,
}

/// How requests arrive and how long they may take.
#[derive(Clone, Debug)]
pub struct Http {
    /// PEM file with the certificate chain; HTTPS is served when it is set.
    pub tls_certificate: Option<PathBuf>,
    /// PEM file with the private key of the certificate.
    pub tls_key: Option<PathBuf>,
    /// Whether requests are taken over plain HTTP from other machines.
    pub allow_plain_http: bool,
    /// Proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed.
    pub trusted_proxies: Vec<IpNet>,
    /// Clients that may read `/metrics`.
    pub metrics_networks: Vec<IpNet>,
    /// How long a client may take to send the head of a request.
    pub header_timeout: Duration,
    /// How long a client may take to send the body of a request.
    pub body_timeout: Duration,
    /// How long requests under way may take to finish at shutdown.
    pub drain_timeout: Duration,
    /// The largest request body, in bytes.
    pub body_limit: usize,
    /// Connections at a time; further ones wait in the operating system's queue.
    pub max_connections: usize,
}

/// How often callers may call. All are counts within any 60 seconds unless they say otherwise.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Requests of one API key, where the key has no limit of its own.
    pub requests_per_key: u32,
    /// Requests with unknown keys, or for unknown chatbots without a key, from one client address.
    pub failed_attempts: u32,
    /// Keyless replies of one chatbot to one client address.
    pub replies_per_client: u32,
    /// Keyless replies of one chatbot.
    pub replies_per_chatbot: u32,
    /// Keyless replies of one chatbot in a calendar day (UTC).
    pub replies_per_day: u32,
}

/// AI credits a calendar month (UTC) by plan, for accounts that have no allowance of their own.
#[derive(Clone, Debug)]
pub struct Credits {
    /// On trial.
    pub trial: u64,
    /// Starter.
    pub starter: u64,
    /// Growth.
    pub growth: u64,
    /// Business.
    pub business: u64,
    /// Scale.
    pub scale: u64,
}

impl Credits {
    /// The allowance of a plan.
    pub const fn of(&self, plan: Plan) -> u64 {
        match plan {
            Plan::Trial => self.trial,
            Plan::Starter => self.starter,
            Plan::Growth => self.growth,
            Plan::Business => self.business,
            Plan::Scale => self.scale,
        }
    }
}

/// How websites are read.
#[derive(Clone, Debug)]
pub struct Training {
    /// Chatbots that are trained at a time.
    pub workers: usize,
    /// The most pages of one chatbot.
    pub max_pages: u64,
    /// The most links between a start page and any other.
    pub max_depth: u32,
    /// Time between two requests to one host.
    pub delay: Duration,
    /// Networks that are opened although they are not public.
    pub allow_networks: Vec<IpNet>,
    /// How the crawler names itself to websites.
    pub user_agent: String,
}

/// An OpenAI-compatible chat endpoint.
#[derive(Clone, Debug, Default)]
pub struct AssistantModel {
    /// Address up to and without `/chat/completions`.
    pub base_url: Option<Url>,
    /// Its API key, where it wants one.
    pub api_key: Option<Redacted<String>>,
    /// The model's name; set exactly when the address is.
    pub model: Option<String>,
}

/// What is logged and how.
#[derive(Clone, Debug)]
pub struct Log {
    /// How lines look.
    pub format: LogFormat,
    /// What is logged, in the syntax of `tracing_subscriber::EnvFilter`, such as `info,frontdesk_service=debug`.
    pub filter: String,
}

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Pretty,
    /// One JSON object a line.
    Json,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            database: Redacted::new("sqlite:frontdesk-data/frontdesk.db".to_owned()),
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            http: Http {
                tls_certificate: None,
                tls_key: None,
                allow_plain_http: false,
                trusted_proxies: Vec::new(),
                metrics_networks: vec![
                    "127.0.0.0/8".parse().expect("it is a network"),
                    "::1/128".parse().expect("it is a network"),
                ],
                header_timeout: Duration::from_secs(10),
                body_timeout: Duration::from_secs(30),
                drain_timeout: Duration::from_secs(25),
                body_limit: 1 << 20,
                max_connections: 1024,
            },
            limits: Limits {
                requests_per_key: 60,
                failed_attempts: 60,
                replies_per_client: 5,
                replies_per_chatbot: 30,
                replies_per_day: 500,
            },
            credits: Credits { trial: 50, starter: 500, growth: 2_000, business: 10_000, scale: 40_000 },
            training: Training {
                workers: 2,
                max_pages: 200,
                max_depth: 5,
                delay: Duration::from_millis(200),
                allow_networks: Vec::new(),
                user_agent: concat!("Frontdesk/", env!("CARGO_PKG_VERSION")).to_owned(),
            },
            assistant: AssistantModel::default(),
            key_pepper: None,
            log: Log { format: LogFormat::Pretty, filter: "info".to_owned() },
        }
    }
}
