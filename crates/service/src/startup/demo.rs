//! Demonstration: `frontdesk serve --demo` with an account, a website and a trained chatbot.
//!
//! [`begin`] runs before the service starts: it serves the bundled website and configures a separate
//! database. [`Demo::prepare`] runs afterwards: it creates what is missing, waits for training and vectors,
//! adds the widget to the website, makes a week of conversations and sales, and prints the address of the
//! website and commands to try.
//!
//! - `site` serves the website; `reading` waits until the chatbot has read it.
//! - `week` makes what has happened in the account.
//! - `guide` is what is printed.

mod guide;
mod reading;
mod site;
mod week;

use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use frontdesk_model::{NewChatbot, QuickButton};
use frontdesk_store::{
    Account, AccountKind, ApiKeyError, Chatbot, ChatbotStatus, NewAccount, NewUser, Plan, Redacted, Role,
    Scope, StoreError, User, UserError, WebsiteError, WidgetButtonStyle, WidgetUpdate,
};
use uuid::Uuid;

use crate::api::Service;
use crate::background::jobs::Queue;
use crate::background::training;
use crate::platform::chatbot_settings::Settings;
use crate::platform::config::Config;
use crate::platform::secrets::keys::{FreshKey, KeyError, WantedKey, issue_key};
use crate::startup::{Running, links};
use guide::Guide;
use site::Site;
use week::WeekError;

/// The database of the demonstration, beside the one of the configuration.
const DATABASE: &str = "demo.db";
const ACCOUNT: &str = "Fern & Fable (demonstration)";
const OWNER: &str = "nora@fern-and-fable.example";
const KEY: &str = "Demonstration";
const CHATBOT: &str = "Fern & Fable helper";
const BUSINESS: &str = "Fern & Fable";
const OPENING: &str = "Hello! Ask me about plants, deliveries, repairs or our opening hours.";
const BUTTON: &str = "Ask us";
const QUESTIONS: [&str; 3] =
    ["When are you open on Saturdays?", "What does delivery cost?", "How long is a gift card valid?"];
/// The color of the widget: that of the headings of the website.
const COLOR: &str = "#2f5d3a";
/// What the demonstration logs unless `log.filter` is set: warnings, and everything that happens within
/// requests.
pub(crate) const LOG_FILTER: &str = "warn,[request]=info";

/// Why the demonstration failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DemoError {
    /// The chatbot cannot be created.
    #[error("the chatbot of the demonstration cannot be created")]
    Chatbot(#[from] frontdesk_store::CreateChatbotError),
    /// Its API key and its crawler, which may reach this machine, must not be reachable from other machines.
    #[error(
        "the demonstration is for this machine only, but `--listen {0}` can be reached from other machines; listen on 127.0.0.1"
    )]
    NotLocal(SocketAddr),
    /// It must not write to a database with real data.
    #[error("the demonstration stores its data in a SQLite file of its own; omit `--database`")]
    ForeignDatabase,
    /// The website cannot be served.
    #[error("cannot serve the demo website on 127.0.0.1")]
    Site(#[source] io::Error),
    /// The database failed.
    #[error("the database of the demonstration failed")]
    Store(#[from] StoreError),
    /// The key cannot be created.
    #[error(transparent)]
    Keys(#[from] KeyError),
    /// The owner of the demo account cannot be added.
    #[error(transparent)]
    User(#[from] UserError),
    /// The owner of the demo account was removed or demoted by hand.
    #[error("no key can be created for {OWNER}; delete {DATABASE} in the data folder and start again")]
    NoOwner,
    /// The chatbot could not be trained.
    #[error("the demo chatbot could not be trained: {0}")]
    Untrained(String),
    /// The website of the chatbot cannot be replaced.
    #[error("the website of the demo chatbot cannot be replaced")]
    Website(#[from] WebsiteError),
    /// The week of the shop cannot be made.
    #[error(
        "the week of the demonstration cannot be made; delete {DATABASE} in the data folder to start again"
    )]
    Week(#[from] WeekError),
    /// The output cannot be written.
    #[error("cannot print the demonstration")]
    Output(#[from] io::Error),
}

/// The demonstration with its running website. Dropping it stops the website.
#[derive(Debug)]
pub(crate) struct Demo {
    site: Site,
}

/// Starts the website, and changes the configuration to a separate database and a crawler that may read the
/// website.
pub(crate) async fn begin(config: &mut Config) -> Result<Demo, DemoError> {
    if !config.listen.ip().to_canonical().is_loopback() {
        return Err(DemoError::NotLocal(config.listen));
    }
    config.database = Redacted::new(database(config.database.expose())?);
    // The port after that of the service: links in earlier answers stay valid from one start to the next.
    let beside = config.listen.port().checked_add(1).filter(|_| config.listen.port() != 0);
    let site = Site::serve(beside).await.map_err(DemoError::Site)?;
    config.training.allow_networks.push(site.address().ip().into());
    config.training.delay = Duration::ZERO;
    // The people and the customers of the shop do not exist, so nobody gets e-mails.
    config.mail.smtp_url = None;
    config.mail.from = None;
    Ok(Demo { site })
}

/// Returns the URL of the demonstration's database, in the folder of another SQLite file.
fn database(url: &str) -> Result<String, DemoError> {
    let path = url.strip_prefix("sqlite:").ok_or(DemoError::ForeignDatabase)?;
    let path = path.split('?').next().unwrap_or_default();
    if path == ":memory:" {
        return Ok(url.to_owned());
    }
    Ok(format!("sqlite:{}", Path::new(path).with_file_name(DATABASE).display()))
}

impl Demo {
    /// Creates what is missing, waits for training and vectors, and prints commands to try. Progress is
    /// written to `progress`, the commands to `out`.
    pub(crate) async fn prepare(
        &self,
        running: &Running,
        progress: &mut (dyn Write + Send),
        out: &mut (dyn Write + Send),
    ) -> Result<(), DemoError> {
        let started = Instant::now();
        let service = running.service();
        let account = account(service).await?;
        let scope = account.scope();
        let owner = owner(service, &scope).await?;
        let key = fresh_key(service, &scope, &owner).await?;
        let chatbot = self.chatbot(service, &scope).await?;
        let site = self.site.origin();
        let chatbot = reading::trained(service, chatbot, &site, progress).await?;
        reading::embedded(service, &chatbot, progress).await?;
        let base = links::listening(&service.config, running.address);
        if let Some(widget_key) = self.show_widget(service, &chatbot, &base).await? {
            week::make(service, &account, &owner, &chatbot, widget_key).await?;
            reading::embedded(service, &chatbot, progress).await?;
        }
        writeln!(progress, "Ready after {:.1} seconds", started.elapsed().as_secs_f64())?;
        let console = sign_in(running, owner, &base)?;
        let pages = reading::pages(service, &chatbot, &site).await?;
        let guide = Guide { base, console, site, key: key.expose(), chatbot: &chatbot, pages };
        guide.print(out)?;
        out.flush()?;
        Ok(())
    }

    /// Returns the chatbot, created again if its training failed. If its website has moved, it gets the
    /// website at the new address instead, and keeps what was said with it.
    async fn chatbot(&self, service: &Service, scope: &Scope) -> Result<Chatbot, DemoError> {
        let home = format!("{}/", self.site.origin());
        for chatbot in
            service.store.chatbots().list(scope).await?.into_iter().filter(|chatbot| chatbot.name == CHATBOT)
        {
            if chatbot.status != ChatbotStatus::Failed {
                reading::replace_website(service, &chatbot, &home).await?;
                return Ok(chatbot);
            }
            service.store.chatbots().delete(scope, chatbot.chatbot_id).await?;
        }
        let new = NewChatbot::new(CHATBOT, BUSINESS, vec![home.clone()]).language("en".to_owned());
        let mut settings = Settings::of_new(&new);
        settings.opening_text = Some(OPENING.to_owned());
        settings.button_text = Some(BUTTON.to_owned());
        settings.quick_buttons = Some(QUESTIONS.map(|text| QuickButton::new(text.to_owned())).into());
        settings.show_sources = Some(true);
        let pages = training::start_pages(&[home]).expect("the address of the demo website can be crawled");
        let new = frontdesk_store::NewChatbot {
            name: CHATBOT.to_owned(),
            language: settings.language.clone(),
            settings: settings.to_document(),
            pages,
            job: training::job(),
        };
        let (_, created) = week::beginnings(service.now());
        let chatbot = service.store.chatbots().create(scope, &new, created).await?;
        service.job_signals.enqueued(Queue::Crawl);
        Ok(chatbot)
    }

    /// Puts the widget of the chatbot on the website, and returns its key. A widget that was changed by hand
    /// stays as it is.
    async fn show_widget(
        &self,
        service: &Service,
        chatbot: &Chatbot,
        base: &str,
    ) -> Result<Option<Uuid>, StoreError> {
        let (widgets, scope, now) = (service.store.widgets(), chatbot.scope(), service.now());
        let known = widgets.find(&scope, chatbot.chatbot_id).await?;
        let is_new = known.is_none();
        let Some(widget) = widgets.of_chatbot(chatbot, now).await? else { return Ok(None) };
        if is_new {
            let update = WidgetUpdate {
                color: Some(COLOR.to_owned()),
                button_style: Some(WidgetButtonStyle::Text),
                ..WidgetUpdate::default()
            };
            widgets.update(&scope, chatbot.chatbot_id, &update, now).await?;
        }
        self.site.show_widget(format!("{base}/widget/{}.js", widget.widget_key));
        Ok(Some(widget.widget_key))
    }
}

/// Returns the link that signs the owner of the demonstration in to the console until the process ends.
fn sign_in(running: &Running, owner: User, base: &str) -> Result<Option<String>, DemoError> {
    let opened = running.console().open_demonstration(owner).map_err(KeyError::Random)?;
    Ok(opened.map(|token| links::to_console(base, "link", token.expose())))
}

async fn account(service: &Service) -> Result<Account, StoreError> {
    if let Some(account) =
        service.store.accounts().list().await?.into_iter().find(|account| account.name == ACCOUNT)
    {
        return Ok(account);
    }
    let new = NewAccount {
        parent_id: None,
        kind: AccountKind::Standard,
        name: ACCOUNT.to_owned(),
        plan: Plan::Business,
        monthly_credits: None,
    };
    service.store.accounts().create(&new, week::beginnings(service.now()).0).await
}

async fn owner(service: &Service, scope: &Scope) -> Result<User, UserError> {
    if let Some(owner) = service.store.users().list(scope).await?.into_iter().find(|user| user.email == OWNER)
    {
        return Ok(owner);
    }
    let new = NewUser { email: OWNER.to_owned(), name: "Nora Ashdown".to_owned(), role: Role::Owner };
    service.store.users().create(scope, &new, week::beginnings(service.now()).0).await
}

/// Returns a new key. Keys are not stored, so those of earlier starts are useless and are revoked.
async fn fresh_key(service: &Service, scope: &Scope, owner: &User) -> Result<FreshKey, DemoError> {
    for key in service.store.api_keys().list(scope).await?.into_iter().filter(|key| key.name == KEY) {
        service.store.api_keys().delete(scope, key.key_id).await?;
    }
    let wanted = WantedKey { user_id: owner.user_id, name: KEY.to_owned(), rate_per_minute: None };
    let keys = &service.config.keys;
    match issue_key(&service.store, keys, scope, wanted, service.now()).await {
        Ok(Some(issued)) => Ok(issued.key),
        Ok(None) | Err(KeyError::Key(ApiKeyError::NotAllowed { .. })) => Err(DemoError::NoOwner),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_demonstration_has_a_database_of_its_own() {
        for (url, expected) in [
            ("sqlite:frontdesk-data/frontdesk.db", "sqlite:frontdesk-data/demo.db"),
            ("sqlite:///var/lib/f.db?mode=rwc", "sqlite:///var/lib/demo.db"),
            ("sqlite::memory:", "sqlite::memory:"),
        ] {
            assert_eq!(database(url).unwrap(), expected);
        }
        assert!(matches!(database("postgres://db/frontdesk"), Err(DemoError::ForeignDatabase)));
    }

    #[tokio::test]
    async fn it_is_for_this_machine_only() {
        let mut config = Config { listen: "0.0.0.0:8080".parse().unwrap(), ..Config::default() };
        assert!(matches!(begin(&mut config).await, Err(DemoError::NotLocal(_))));
    }
}
