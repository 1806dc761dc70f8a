//! Commands of the `frontdesk` binary: running the service, and administering the accounts of an
//! installation.
//!
//! Administration works directly on the database, whether or not the service is running. Results are written
//! to standard output, as text or with `--json` as one JSON value; everything else is written to standard
//! error.

mod account;
mod archive;
mod backup;
mod contact;
mod conversation;
mod domain;
mod eval;
mod flags;
mod health;
mod key;
mod new_file;
mod output;
mod serve;
mod show;
mod user;

use std::{
    io::{self, Write},
    path::PathBuf,
    process::ExitCode,
    time::Duration,
};

use clap::{Parser, Subcommand};
use frontdesk_store::{BackupError, Scope, Store, StoreError, User, UserError};
use jiff::Timestamp;
use rustix::fs::Mode;
use uuid::Uuid;

use self::{flags::SettingFlags, output::Output};
use crate::{
    platform::{
        config::{self, ConfigError, Loaded, Sources},
        secrets::keys::KeyError,
    },
    startup::{self, DatabaseError, StartError, demo::DemoError},
};

/// How long a process that ends waits for threads that read or write files.
const LAST_THREADS: Duration = Duration::from_secs(2);

/// AI chatbots for small and medium businesses.
#[derive(Debug, Parser)]
#[command(name = "frontdesk", version, propagate_version = true)]
struct Cli {
    /// Configuration file; without it frontdesk.toml is read if it exists [env: FRONTDESK_CONFIG]
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Database: sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE [env: FRONTDESK_DATABASE]
    #[arg(long, global = true, value_name = "URL")]
    database: Option<String>,

    /// Print the result as JSON
    #[arg(long, global = true)]
    json: bool,

    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the service
    Serve(serve::Serve),
    /// Ask the service that runs on this machine whether it can do its work
    Health(SettingFlags),
    /// Accounts: the customers of this installation
    #[command(subcommand)]
    Account(account::Command),
    /// Users: the people of an account
    #[command(subcommand)]
    User(user::Command),
    /// API keys, and the pepper that protects them
    #[command(subcommand)]
    Key(key::Command),
    /// Conversations of visitors with chatbots and people
    #[command(subcommand)]
    Conversation(conversation::Command),
    /// Domains: the sites on whose behalf an account signs visitor identities
    #[command(subcommand)]
    Domain(domain::Command),
    /// Ask a chatbot labeled questions, and measure how many it answers right
    Eval(eval::Eval),
    /// Contacts: the people that an account knows
    #[command(subcommand)]
    Contact(contact::Command),
    /// Write the whole installation to a file, while the service runs
    Backup(backup::Backup),
    /// Restore an installation from such a file into an empty database and an empty file storage
    Restore(backup::Restore),
    /// The configuration that the service would use
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Read one file from standard input; the service starts this for each uploaded file
    #[command(hide = true)]
    ExtractDocument,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Show every setting with its value and source
    Show(SettingFlags),
}

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// A link cannot be created.
    #[error(transparent)]
    Link(#[from] crate::platform::secrets::people_tokens::LinkError),
    /// The configuration cannot be loaded.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The service cannot start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The database cannot be used.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The user cannot be added or found.
    #[error(transparent)]
    User(#[from] UserError),
    /// A key or domain cannot be created.
    #[error(transparent)]
    Keys(#[from] KeyError),
    /// The questions of an evaluation cannot be read.
    #[error(transparent)]
    Questions(#[from] frontdesk_evaluation::questions::QuestionsError),
    /// A chatbot could not be asked.
    #[error("the chatbot cannot be asked: {what}")]
    Ask {
        /// What failed.
        what: &'static str,
        /// Why.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The demonstration failed.
    #[error(transparent)]
    Demo(Box<dyn std::error::Error + Send + Sync>),
    /// A child process cannot read its file.
    #[error(transparent)]
    Extraction(#[from] frontdesk_documents::ChildError),
    /// A backup cannot be made or restored.
    #[error(transparent)]
    Backup(#[from] BackupError),
    /// The storage of uploaded files failed.
    #[error("the uploaded files cannot be read or deleted")]
    Files(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A named object does not exist.
    #[error("there is no {what} {name}; {advice}")]
    Unknown {
        /// The kind of object.
        what: &'static str,
        /// Its name, as it was given.
        name: String,
        /// Advice on how to find the right name.
        advice: &'static str,
    },
    /// A value cannot be used.
    #[error("{flag} cannot be used: {problem}")]
    Value {
        /// The flag.
        flag: &'static str,
        /// The problem.
        problem: String,
    },
    /// The service runs and cannot do its work.
    #[error("the service is not ready: status {status}, {reasons}")]
    NotReady {
        /// Status of the response.
        status: String,
        /// Its body.
        reasons: String,
    },
    /// The operating system reported an error.
    #[error("{what}")]
    System {
        /// What failed.
        what: &'static str,
        /// Why.
        #[source]
        source: io::Error,
    },
}

impl CliError {
    fn unknown_chatbot(chatbot_id: Uuid) -> Self {
        let advice = "look in the dashboard, or call `GET /api/v1/chatbots` with a key of the account";
        Self::Unknown { what: "chatbot", name: chatbot_id.to_string(), advice }
    }
}

impl From<DemoError> for CliError {
    fn from(error: DemoError) -> Self {
        Self::Demo(Box::new(error))
    }
}

/// Runs the command that the process was started with.
pub fn main() -> ExitCode {
    // Databases, uploaded files and archives have secrets in them, and are nobody else's on this machine.
    rustix::process::umask(Mode::RWXG | Mode::RWXO);
    let cli = Cli::parse();
    if matches!(cli.command, Command::ExtractDocument) {
        return extract_document();
    }
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(source) => {
            return fail(&CliError::System { what: "cannot start the threads of the process", source });
        }
    };
    let mut output = Output::new(io::stdout(), cli.json);
    let outcome = runtime.block_on(run(cli, std::env::vars().collect(), &mut output));
    // What still runs in threads of its own is not waited for: everything that had to be done is done.
    runtime.shutdown_timeout(LAST_THREADS);
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error),
    }
}

/// Checks a command line without running it: the name of the program and its arguments.
///
/// # Errors
///
/// The message that the program would print, if it does not accept the arguments.
pub fn check(arguments: impl IntoIterator<Item = String>) -> Result<(), String> {
    match Cli::try_parse_from(arguments) {
        Err(error) if error.use_stderr() => Err(error.to_string()),
        _ => Ok(()),
    }
}

/// Runs the child process of an extraction. It limits its own threads, so it comes before the runtime.
fn extract_document() -> ExitCode {
    match frontdesk_documents::run_child(io::stdin().lock(), io::stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&CliError::Extraction(error)),
    }
}

fn fail(error: &CliError) -> ExitCode {
    let mut stderr = io::stderr().lock();
    // If standard error is closed, the error cannot be reported at all.
    for line in explained(error) {
        let _ = writeln!(stderr, "{line}");
    }
    ExitCode::FAILURE
}

/// Returns the lines that tell an error and what has caused it. A cause with whose text the line above it
/// ends is left out.
fn explained(error: &CliError) -> Vec<String> {
    let mut lines = vec![format!("error: {error}")];
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        let text = error.to_string();
        if lines.last().is_none_or(|line| !line.ends_with(&text)) {
            lines.push(format!("  because: {text}"));
        }
        cause = error.source();
    }
    lines
}

async fn run<W: Write>(
    cli: Cli,
    environment: Vec<(String, String)>,
    output: &mut Output<W>,
) -> Result<(), CliError> {
    let Cli { config: file, database, command, .. } = cli;
    let load = |flags: SettingFlags| -> Result<Loaded, ConfigError> {
        let mut flags = flags.into_values();
        flags.extend(database.map(|url| ("database", vec![url])));
        config::load(&Sources { file, environment, flags })
    };
    match command {
        Command::Serve(serve) => {
            let loaded = load(serve.settings)?;
            Box::pin(serve::run(loaded, serve.demo)).await
        }
        Command::Config(ConfigCommand::Show(flags)) => show::run(&load(flags)?, output),
        Command::Health(flags) => health::run(&load(flags)?.config).await,
        Command::Account(command) => {
            let admin = if command.may_be_first() {
                Admin::open_or_create(load).await?
            } else {
                Admin::open(load).await?
            };
            account::run(command, &admin, output).await
        }
        Command::User(command) => user::run(command, &Admin::open(load).await?, output).await,
        Command::Key(command) => key::run(command, &Admin::open(load).await?, output).await,
        Command::Domain(command) => domain::run(command, &Admin::open(load).await?, output).await,
        Command::Contact(command) => contact::run(command, &Admin::open(load).await?, output).await,
        Command::Conversation(command) => conversation::run(command, &Admin::open(load).await?, output).await,
        Command::Eval(eval) => {
            let loaded = load(SettingFlags::default())?;
            eval::run(&eval, &loaded.config, output).await
        }
        Command::Backup(backup::Backup { file, settings }) => {
            backup::back_up(&file, &load(settings)?.config, output).await
        }
        Command::Restore(backup::Restore { file, without_pepper, settings }) => {
            backup::restore(&file, without_pepper, &load(settings)?.config, output).await
        }
        Command::ExtractDocument => Ok(frontdesk_documents::run_child(io::stdin().lock(), io::stdout())?),
    }
}

/// Everything that the commands of administration need.
struct Admin {
    store: Store,
    loaded: Loaded,
    now: Timestamp,
}

impl Admin {
    async fn open(load: impl FnOnce(SettingFlags) -> Result<Loaded, ConfigError>) -> Result<Self, CliError> {
        let loaded = load(SettingFlags::default())?;
        let store = startup::open_database(&loaded.config.database).await?;
        Ok(Self { store, loaded, now: Timestamp::now() })
    }

    /// As [`open`](Self::open), but creates a database that is missing.
    async fn open_or_create(
        load: impl FnOnce(SettingFlags) -> Result<Loaded, ConfigError>,
    ) -> Result<Self, CliError> {
        let loaded = load(SettingFlags::default())?;
        let store = startup::open_or_create_database(&loaded.config.database).await?;
        Ok(Self { store, loaded, now: Timestamp::now() })
    }

    /// Returns the scope of the account with this id.
    async fn account(&self, account_id: Uuid) -> Result<Scope, CliError> {
        match self.store.accounts().find(account_id).await? {
            Some(account) => Ok(account.scope()),
            None => Err(CliError::Unknown {
                what: "account",
                name: account_id.to_string(),
                advice: "`frontdesk account list` lists all accounts",
            }),
        }
    }

    /// Returns the user with an e-mail address, in the given account, or in the only account with such a
    /// user.
    async fn user(&self, email: &str, account_id: Option<Uuid>) -> Result<User, CliError> {
        let found = match account_id {
            Some(account_id) => {
                let spellings = frontdesk_address::spellings(email);
                let users = self.store.users().list(&self.account(account_id).await?).await?;
                users.into_iter().find(|user| spellings.contains(&user.email))
            }
            None => self.store.users().find_by_email(email).await?,
        };
        found.ok_or_else(|| CliError::Unknown {
            what: "user",
            name: email.to_owned(),
            advice: "`frontdesk user list --account ID` lists the users of an account",
        })
    }
}
