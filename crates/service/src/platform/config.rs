//! Configuration: [`Config`] has everything that an operator can set, with its defaults.
//!
//! `settings` lists every setting once, as data: its key in the file, its flag, its meaning, how it is parsed
//! and displayed. `load` applies the sources in their order.

mod load;
mod settings;

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use frontdesk_assistant::{BreakerSettings, TokenParameter};
use frontdesk_store::{POSTGRES_CONNECTIONS, Plan, PlanLimits, Redacted};
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
    /// Maximum number of connections of this process to PostgreSQL, besides one that listens for changes and
    /// four that count rate limits.
    pub database_connections: u32,
    /// Address on which the HTTP server listens. Port 0 chooses a free port.
    pub listen: SocketAddr,
    /// Connections and requests: encryption, proxies, time limits and sizes.
    pub http: Http,
    /// Rate limits.
    pub limits: Limits,
    /// AI credits per calendar month by plan.
    pub credits: Credits,
    /// Chatbots, webpages, contacts and stored bytes that each plan includes.
    pub plans: PlanLimits,
    /// Crawling of websites.
    pub training: Training,
    /// Search in the training content.
    pub search: Search,
    /// Search of the web for questions that the training content does not answer.
    pub web_search: WebSearch,
    /// Uploaded files.
    pub files: Files,
    /// Delivery of events to webhook endpoints.
    pub webhooks: Webhooks,
    /// Jobs of this process.
    pub jobs: Jobs,
    /// Mailboxes and messengers of the inbox.
    pub channels: Channels,
    /// E-mail to the people of accounts.
    pub mail: Mail,
    /// Language model that writes the answers; without an address, the built-in extractive writer does.
    pub assistant: AssistantModel,
    /// Secrets that protect the API keys and secrets in the database.
    pub keys: Keys,
    /// When the process reports itself as ready.
    pub ready: Ready,
    /// Logging.
    pub log: Log,
}

/// Connections and requests: encryption, proxies, time limits and sizes.
#[derive(Clone, Debug)]
pub struct Http {
    /// PEM file with the certificate chain; HTTPS is served when it is set.
    pub tls_certificate: Option<PathBuf>,
    /// PEM file with the private key of the certificate.
    pub tls_key: Option<PathBuf>,
    /// How often the two files are checked for changes.
    pub tls_reload_interval: Duration,
    /// Whether requests over plain HTTP are accepted from other machines.
    pub allow_plain_http: bool,
    /// Proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted. Requests with such headers from
    /// anywhere else are refused.
    pub trusted_proxies: Vec<IpNet>,
    /// Clients that may read `/metrics`.
    pub metrics_networks: Vec<IpNet>,
    /// How long a client may take to send the head of a request.
    pub header_timeout: Duration,
    /// How long a client may take to send the body of a request. Each 64 KiB that have arrived add a second.
    pub body_timeout: Duration,
    /// How long running requests may take to finish at shutdown.
    pub drain_timeout: Duration,
    /// The largest request body, in bytes, of operations whose policy in the contract does not state another.
    pub body_limit: usize,
    /// Maximum number of open connections. Further ones take the place of an idle one of the client with the
    /// most, or wait.
    pub max_connections: usize,
    /// Maximum number of open connections of one client address, except trusted proxies; further ones are
    /// closed.
    pub max_connections_per_client: usize,
}

/// Rate limits: counts within any 60 seconds, unless stated otherwise.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Requests of one API key, where the key has no limit of its own.
    pub requests_per_key: u32,
    /// Requests with wrong keys and secrets, or without a key for what does not exist, from one client
    /// address to one operation.
    pub failed_attempts: u32,
    /// Keyless replies of one chatbot to one client address.
    pub replies_per_client: u32,
    /// Valid requests of one client address to one contact form.
    pub form_requests_per_client: u32,
    /// Submissions of one contact form.
    pub submissions_per_form: u32,
    /// Requests of one client address to one widget.
    pub widget_requests_per_client: u32,
    /// Sessions that one client address begins with one widget.
    pub sessions_per_client: u32,
    /// Sessions that begin with one widget.
    pub sessions_per_widget: u32,
    /// Requests of one visitor of a widget.
    pub requests_per_visitor: u32,
    /// Messages of one visitor of a widget.
    pub messages_per_visitor: u32,
    /// Messages of one visitor of a widget within any hour.
    pub messages_per_visitor_and_hour: u32,
    /// Messages from one client address to one chatbot's widget.
    pub messages_per_client: u32,
    /// Percentage of an account's monthly credits that visitors of widgets may use in a calendar day (UTC).
    pub visitor_percent_per_day: u32,
    /// Keyless replies of one chatbot.
    pub replies_per_chatbot: u32,
    /// Keyless replies of one chatbot in a calendar day (UTC).
    pub replies_per_day: u32,
    /// Redis or Valkey server in which all processes count together; it may hold a password. Without it,
    /// PostgreSQL is used if it is the database, and else each process counts by itself.
    pub redis_url: Option<Redacted<String>>,
    /// The longest wait for a decision of the shared store, after which this process decides alone.
    pub shared_timeout: Duration,
    /// Percentage of an account's monthly credits that keyless replies may use in a calendar day (UTC).
    pub reply_percent_per_day: u32,
    /// Percentage of an account's monthly credits that keyless replies may use in a calendar month (UTC).
    pub reply_percent_per_month: u32,
    /// Keyless replies that one process drafts at a time.
    pub concurrent_replies: u32,
    /// Requests of one process that wait for replies at a time.
    pub waiting_requests: u32,
    /// Of these, requests with keys of one account; half of them if it is not set.
    pub waiting_requests_per_account: Option<u32>,
}

/// AI credits per calendar month (UTC) by plan, for accounts without an allowance of their own.
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
    /// Returns the allowance of a plan.
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

/// Crawling of websites.
#[derive(Clone, Debug)]
pub struct Training {
    /// Websites that are crawled at a time; of one account, half of them.
    pub workers: usize,
    /// The most pages of one website.
    pub max_pages: u64,
    /// The most links between a start page and any other.
    pub max_depth: u32,
    /// Whether a start page with a path confines the crawl to that path.
    pub confine_to_path: bool,
    /// Time between two requests to one host.
    pub delay: Duration,
    /// Time between the beginnings of two crawls of a website that are asked for.
    pub recrawl_pause: Duration,
    /// Networks that may be crawled although they are not public. They are closed to the model's endpoint.
    pub allow_networks: Vec<IpNet>,
    /// How the crawler names itself to websites.
    pub user_agent: String,
}

/// Search in the training content.
#[derive(Clone, Debug)]
pub struct Search {
    /// The model that turns questions and content into vectors.
    pub model: SearchModel,
    /// The model to ask the endpoint for, if [`model`](Self::model) is one.
    pub endpoint_model: Option<String>,
    /// The bearer token of the endpoint, if it requires one.
    pub api_key: Option<Redacted<String>>,
    /// Networks that the endpoint may be in although they are not public. They are closed to the crawler.
    pub allow_networks: Vec<IpNet>,
    /// Put before each question that is sent to the endpoint.
    pub query_prefix: String,
    /// Put before each part of the content that is sent to the endpoint.
    pub passage_prefix: String,
}

/// An embedding model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchModel {
    /// The multilingual model that is compiled into the program. Programs built without it compare words
    /// only.
    Bundled,
    /// No model: only words are compared.
    None,
    /// The model in a folder.
    Folder(PathBuf),
    /// The model behind an OpenAI-compatible endpoint: its address without `/embeddings`.
    Endpoint(Url),
}

impl std::str::FromStr for SearchModel {
    type Err = url::ParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "bundled" => Self::Bundled,
            "none" => Self::None,
            url if url.starts_with("https://") || url.starts_with("http://") => Self::Endpoint(url.parse()?),
            folder => Self::Folder(PathBuf::from(folder)),
        })
    }
}

impl std::fmt::Display for SearchModel {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bundled => formatter.write_str("bundled"),
            Self::None => formatter.write_str("none"),
            Self::Folder(folder) => write!(formatter, "{}", folder.display()),
            Self::Endpoint(url) => write!(formatter, "{url}"),
        }
    }
}

/// Uploaded files.
#[derive(Clone, Debug)]
pub struct Files {
    /// Folder in which their content is stored. Without it, the folder `files` beside the SQLite database, or
    /// `frontdesk-data/files`. Processes that share a database share the folder.
    pub directory: Option<PathBuf>,
    /// The bucket in which their content is stored instead of the folder.
    pub s3: S3,
    /// Files that one process reads at a time; of one account, half of them.
    pub workers: usize,
    /// The program that reads a file; without it, this program itself.
    pub extractor: Option<PathBuf>,
    /// The model that reads images. Without an address, they are skipped.
    pub vision: FileModel,
    /// The most tokens that it may write about an image.
    pub vision_max_tokens: u32,
    /// Request field that carries this maximum.
    pub vision_max_tokens_parameter: TokenParameter,
    /// The model that transcribes recordings. Without an address, they are skipped.
    pub transcription: FileModel,
}

/// A model behind an OpenAI-compatible endpoint that reads uploaded files of one kind.
#[derive(Clone, Debug)]
pub struct FileModel {
    /// Address up to and without the operation, such as `/chat/completions`.
    pub base_url: Option<Url>,
    /// Name of the model; set if and only if the address is.
    pub model: Option<String>,
    /// API key of the endpoint, if it requires one.
    pub api_key: Option<Redacted<String>>,
    /// Networks that the endpoint may be in although they are not public. They are closed to the crawler.
    pub allow_networks: Vec<IpNet>,
    /// Time limit of one request.
    pub timeout: Duration,
    /// Files that one process has read at a time.
    pub max_concurrency: usize,
    /// The largest file that is sent, in bytes.
    pub max_bytes: u64,
}

impl FileModel {
    /// Returns no model, with the limits of one.
    const fn none(timeout: Duration, max_bytes: u64) -> Self {
        Self {
            base_url: None,
            model: None,
            api_key: None,
            allow_networks: Vec::new(),
            timeout,
            max_concurrency: 2,
            max_bytes,
        }
    }
}

/// A bucket of a service with the interface of Amazon S3. It is used if its name is set.
#[derive(Clone, Debug)]
pub struct S3 {
    /// Its name.
    pub bucket: Option<String>,
    /// Address of the service; that of Amazon in the region, if it is not set.
    pub endpoint: Option<Url>,
    /// The region.
    pub region: String,
    /// The id of the access key.
    pub access_key_id: Option<String>,
    /// The secret of the access key.
    pub secret_access_key: Option<Redacted<String>>,
}

/// Delivery of events to webhook endpoints.
#[derive(Clone, Debug)]
pub struct Webhooks {
    /// Networks that endpoints may be in although they are not public. They are closed to the crawler and to
    /// the model's endpoint.
    pub allow_networks: Vec<IpNet>,
    /// Whether endpoints may have addresses that start with `http://`.
    pub allow_http: bool,
    /// Test events of one endpoint.
    pub tests_per_minute: u32,
    /// The longest time of one attempt to deliver an event.
    pub timeout: Duration,
}

/// Jobs of this process.
#[derive(Clone, Debug)]
pub struct Jobs {
    /// How long running jobs may take to finish at shutdown.
    pub drain_timeout: Duration,
}

/// Mailboxes and messengers of the inbox.
#[derive(Clone, Debug)]
pub struct Channels {
    /// Networks that mail servers may be in although they are not public. Connections into them may be
    /// unencrypted.
    pub allow_networks: Vec<IpNet>,
    /// Time between two looks at a mailbox, or at a bot without a webhook.
    pub poll_interval: Duration,
    /// Days for which e-mails that did not become messages are kept.
    pub skipped_mail_days: u32,
    /// Megabytes that these e-mails of one account may take.
    pub skipped_mail_megabytes: u32,
    /// The address of the Bot API of Telegram, which ends in `/`.
    pub telegram_url: Url,
    /// The address of the Graph API of Meta with its version, which ends in `/`.
    pub graph_url: Url,
    /// The longest time of one exchange with a mail server or a messenger, and of fetching one e-mail. Large
    /// messages that are sent by e-mail have a second more for each 64 KiB.
    pub timeout: Duration,
}

/// E-mail to the people of accounts. It is sent if both are set.
#[derive(Clone, Debug, Default)]
pub struct Mail {
    /// The mail server as `smtps://USER:PASSWORD@HOST`, or `smtp://…` with `?tls=required`; without `?tls`,
    /// text is sent unencrypted.
    pub smtp_url: Option<Redacted<String>>,
    /// The sender, such as `Frontdesk <notices@frontdesk.example>`.
    pub from: Option<String>,
    /// The address under which recipients of follow-ups reach this service, such as
    /// `https://api.frontdesk.example`. Without it, no e-mails are sent to contacts, because they must be
    /// able to unsubscribe.
    pub public_url: Option<Url>,
}

/// Secrets that protect the API keys and secrets in the database.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    /// The pepper: API keys are hashed with it, and stored secrets are encrypted with a key derived from it.
    /// Without it, a pepper is generated and stored in the database.
    pub pepper: Option<Redacted<String>>,
    /// The pepper before the last change, accepted until no API key depends on it.
    pub previous_pepper: Option<Redacted<String>>,
    /// Whether the pepper may be stored in the database although other machines can reach the service.
    pub allow_stored_pepper: bool,
}

/// When the process reports itself as ready.
#[derive(Clone, Debug)]
pub struct Ready {
    /// Free space that the disk of a SQLite database needs, in bytes.
    pub min_free_bytes: u64,
}

/// A search engine, and the pages that it finds.
#[derive(Clone, Debug)]
pub struct WebSearch {
    /// The address of the search engine. Without one, the web is not searched.
    pub url: Option<Url>,
    /// The interface of the search engine.
    pub api: WebSearchApi,
    /// The key that the search engine asks for.
    pub api_key: Option<Redacted<String>>,
    /// Networks that the search engine may be in although they are not public. They are closed to the pages
    /// that it finds.
    pub allow_networks: Vec<IpNet>,
    /// Networks that pages may be in although they are not public, for a search engine of an intranet.
    pub page_allow_networks: Vec<IpNet>,
    /// The largest number of searches for one chatbot in a minute.
    pub per_minute: u32,
}

/// The interface of a search engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebSearchApi {
    /// The JSON interface of SearXNG.
    Searxng,
    /// The web search of Brave.
    Brave,
}

/// An OpenAI-compatible chat endpoint.
#[derive(Clone, Debug)]
pub struct AssistantModel {
    /// Address up to and without `/chat/completions`.
    pub base_url: Option<Url>,
    /// API key of the endpoint, if it requires one.
    pub api_key: Option<Redacted<String>>,
    /// Name of the model; set if and only if the address is.
    pub model: Option<String>,
    /// Networks that the endpoint may be in although they are not public. They are closed to the crawler.
    pub allow_networks: Vec<IpNet>,
    /// Time limit of one answer.
    pub timeout: Duration,
    /// Maximum number of tokens that the model may generate per request.
    pub max_tokens: u32,
    /// Request field that carries the maximum.
    pub max_tokens_parameter: TokenParameter,
    /// Sampling temperature; none omits the field.
    pub temperature: Option<f32>,
    /// Maximum size of a prompt in characters.
    pub max_prompt_characters: usize,
    /// Maximum number of answers that the model writes at a time.
    pub max_concurrency: usize,
    /// Consecutive failures after which the endpoint is not called for a while.
    pub breaker_failures: u32,
    /// Length of that while.
    pub breaker_cooldown: Duration,
}

impl Default for AssistantModel {
    fn default() -> Self {
        let breaker = BreakerSettings::default();
        Self {
            base_url: None,
            api_key: None,
            model: None,
            allow_networks: Vec::new(),
            timeout: Duration::from_secs(20),
            max_tokens: 800,
            max_tokens_parameter: TokenParameter::MaxTokens,
            temperature: Some(0.0),
            max_prompt_characters: 60_000,
            max_concurrency: 16,
            breaker_failures: breaker.failures,
            breaker_cooldown: breaker.cooldown,
        }
    }
}

/// Logging.
#[derive(Clone, Debug)]
pub struct Log {
    /// Format of the lines.
    pub format: LogFormat,
    /// What is logged, in the syntax of `tracing_subscriber::EnvFilter`, such as
    /// `info,frontdesk_service=debug`.
    pub filter: String,
}

/// Format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For human readers.
    Pretty,
    /// One JSON object per line.
    Json,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            database: Redacted::new("sqlite:frontdesk-data/frontdesk.db".to_owned()),
            database_connections: POSTGRES_CONNECTIONS,
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            http: Http {
                tls_certificate: None,
                tls_key: None,
                tls_reload_interval: Duration::from_secs(30),
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
                max_connections_per_client: 256,
            },
            limits: Limits {
                requests_per_key: 60,
                failed_attempts: 60,
                replies_per_client: 5,
                // Half of what a form takes: many people share an address.
                form_requests_per_client: 30,
                submissions_per_form: 60,
                widget_requests_per_client: 120,
                sessions_per_client: 20,
                sessions_per_widget: 120,
                // A page that waits for replies asks about twice a minute, and after each message.
                requests_per_visitor: 120,
                messages_per_visitor: 10,
                messages_per_visitor_and_hour: 60,
                messages_per_client: 30,
                visitor_percent_per_day: 10,
                replies_per_chatbot: 30,
                replies_per_day: 500,
                redis_url: None,
                shared_timeout: Duration::from_millis(500),
                reply_percent_per_day: 5,
                reply_percent_per_month: 50,
                concurrent_replies: 8,
                waiting_requests: 500,
                waiting_requests_per_account: None,
            },
            credits: Credits { trial: 50, starter: 500, growth: 2_000, business: 10_000, scale: 40_000 },
            plans: PlanLimits::default(),
            training: Training {
                // One account gets half of them: two websites at a time, as many as most have.
                workers: 4,
                max_pages: 200,
                max_depth: 5,
                confine_to_path: true,
                delay: Duration::from_millis(200),
                recrawl_pause: Duration::from_mins(1),
                allow_networks: Vec::new(),
                user_agent: concat!("Frontdesk/", env!("CARGO_PKG_VERSION")).to_owned(),
            },
            search: Search {
                model: SearchModel::Bundled,
                endpoint_model: None,
                api_key: None,
                allow_networks: Vec::new(),
                query_prefix: String::new(),
                passage_prefix: String::new(),
            },
            web_search: WebSearch {
                url: None,
                api: WebSearchApi::Searxng,
                api_key: None,
                allow_networks: Vec::new(),
                page_allow_networks: Vec::new(),
                per_minute: 20,
            },
            files: Files {
                directory: None,
                s3: S3 {
                    bucket: None,
                    endpoint: None,
                    region: "us-east-1".to_owned(),
                    access_key_id: None,
                    secret_access_key: None,
                },
                workers: 2,
                extractor: None,
                vision: FileModel::none(Duration::from_mins(1), 10 << 20),
                vision_max_tokens: 4_000,
                vision_max_tokens_parameter: TokenParameter::MaxTokens,
                // OpenAI takes requests of up to 25 MB, with everything in them.
                transcription: FileModel::none(Duration::from_mins(5), 24 << 20),
            },
            webhooks: Webhooks {
                allow_networks: Vec::new(),
                allow_http: false,
                tests_per_minute: 5,
                timeout: Duration::from_secs(15),
            },
            jobs: Jobs { drain_timeout: Duration::from_secs(20) },
            channels: Channels {
                allow_networks: Vec::new(),
                poll_interval: Duration::from_mins(1),
                skipped_mail_days: 30,
                skipped_mail_megabytes: 200,
                telegram_url: frontdesk_channels::telegram::BASE_URL.parse().expect("it is an address"),
                graph_url: frontdesk_channels::meta::BASE_URL.parse().expect("it is an address"),
                timeout: Duration::from_mins(2),
            },
            mail: Mail::default(),
            assistant: AssistantModel::default(),
            keys: Keys::default(),
            ready: Ready { min_free_bytes: 100 << 20 },
            log: Log { format: LogFormat::Pretty, filter: "info".to_owned() },
        }
    }
}
