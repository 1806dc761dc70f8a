//! What a message costs that a chatbot of 200 pages answers, and how long it takes while other content is
//! read.
//!
//! `cargo bench --package frontdesk-tests --bench service -- answers` runs the service on SQLite in this
//! process, which also serves the websites that it crawls, and asks it through HTTP. With `words` or
//! `meaning` as well, it is run without or with the embedding model only.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{Path, State};
use axum::response::Html;
use axum::routing::get;
use frontdesk_client::Client;
use frontdesk_client::model::{ChatbotStatus, NewChatbot, NewMessage};
use frontdesk_embedding::Model;
use frontdesk_service::config::{Config, Keys, SearchModel};
use frontdesk_service::{Running, WantedKey, issue_key, start};
use frontdesk_store::{AccountKind, NewAccount, NewUser, Plan, Redacted, Role, Store};
use jiff::Timestamp;
use rustix::time::ClockId;
use uuid::Uuid;

use crate::Result;
use crate::content::Author;
use crate::times::{Times, processor_time};

const PAGES: usize = 200;
/// Pages of the website that is read while messages are answered.
const FURTHER_PAGES: usize = 2_000;
const MESSAGES: usize = 200;
const UNLIMITED: u32 = 1_000_000;

pub(crate) async fn measure_all(wanted: &[String]) -> Result<()> {
    let mut author = Author::new();
    let site = site(&mut author, PAGES).await?;
    let further = self::site(&mut author, FURTHER_PAGES).await?;
    let questions: Vec<String> = (0..MESSAGES).map(|_| author.question()).collect();
    // By words first: the model is still at work for a while after its service has ended.
    for (argument, name, model) in
        [("words", "words only", SearchModel::None), ("meaning", "words and meaning", SearchModel::Bundled)]
    {
        if !wanted.is_empty() && !wanted.iter().any(|wanted| wanted == argument) {
            continue;
        }
        let folder = tempfile::tempdir()?;
        let url = format!("sqlite:{}", folder.path().join("bench.db").display());
        let mut config = Config { database: Redacted::new(url), ..Config::default() };
        config.listen = SocketAddr::from(([127, 0, 0, 1], 0));
        config.files.directory = Some(folder.path().join("files"));
        config.training.allow_networks = vec!["127.0.0.1/32".parse()?];
        config.training.delay = Duration::ZERO;
        config.training.max_pages = 10_000;
        config.search.model = model;
        config.limits.requests_per_key = UNLIMITED;
        config.limits.replies_per_chatbot = UNLIMITED;
        config.limits.replies_per_client = UNLIMITED;
        let has_model = !matches!(config.search.model, SearchModel::None);
        let keys = config.keys.clone();
        let running = start(config).await?;
        let access = access(&running, &keys).await?;
        let client = access.client()?;

        let (chatbot_id, took) = trained(&client, site).await?;
        println!("{name}: {PAGES} pages were crawled in {:.1} s", took.as_secs_f64());
        if has_model {
            println!(
                "{name}: and their vectors made in {:.1} s",
                vectors(&running.store).await?.as_secs_f64()
            );
        }
        let Asked { cost, client: of_client, wall: idle } = ask(&access, chatbot_id, &questions).await?;
        println!("{name}: time of all cores for a message: {cost}");
        println!("{name}: and of the client, which that does not contain: {of_client}");
        println!("{name}: from request to response: {idle}");

        let reading = tokio::spawn({
            let client = client.clone();
            async move { trained(&client, further).await.map_err(|error| error.to_string()) }
        });
        // The first pages are read.
        tokio::time::sleep(Duration::from_secs(1)).await;
        let busy = ask(&access, chatbot_id, &questions).await?.wall;
        println!("{name}: the same while {FURTHER_PAGES} other pages are crawled: {busy}");
        println!("{name}: p95 is {:.2} times that of the idle service", busy.at(95) / idle.at(95));
        println!("{name}: the crawl has ended before the messages: {}", reading.is_finished());
        let (_, took) = reading.await??;
        println!("{name}: {FURTHER_PAGES} pages were crawled in {:.1} s", took.as_secs_f64());
        if has_model {
            let busy = ask(&access, chatbot_id, &questions).await?.wall;
            println!("{name}: the same while vectors are made: {busy}");
            println!("{name}: p95 is {:.2} times that of the idle service", busy.at(95) / idle.at(95));
        }
        println!();
        running.shutdown().await;
    }
    Ok(())
}

/// Serves a website of so many pages, to all of which the first one links.
async fn site(author: &mut Author, count: usize) -> Result<SocketAddr> {
    let pages: Vec<String> = (0..count)
        .map(|number| {
            let links = if number == 0 { 1..count } else { 0..0 };
            let links: String = links.map(|next| format!("<a href=/{next}>{next}</a> ")).collect();
            author.page(&format!("<nav>{links}</nav>"))
        })
        .collect();
    let page = |State(pages): State<Arc<Vec<String>>>, Path(number): Path<usize>| async move {
        Html(pages[number % pages.len()].clone())
    };
    let first = |State(pages): State<Arc<Vec<String>>>| async move { Html(pages[0].clone()) };
    let router =
        Router::new().route("/", get(first)).route("/{number}", get(page)).with_state(Arc::new(pages));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move { axum::serve(listener, router).await });
    Ok(address)
}

/// The address of the service, and a key for it.
#[derive(Clone, Debug)]
struct Access {
    url: String,
    key: String,
}

impl Access {
    fn client(&self) -> Result<Client> {
        Ok(Client::builder(&self.url).api_key(&*self.key).build()?)
    }
}

async fn access(running: &Running, keys: &Keys) -> Result<Access> {
    let now = Timestamp::now();
    let new = NewAccount {
        parent_id: None,
        kind: AccountKind::Standard,
        name: "bench".into(),
        plan: Plan::Scale,
        monthly_credits: Some(1_000_000),
    };
    let account = running.store.accounts().create(&new, now).await?;
    let new = NewUser { email: "owner@bench.example".into(), name: "Owner".into(), role: Role::Owner };
    let user = running.store.users().create(&account.scope(), &new, now).await?;
    let wanted = WantedKey { user_id: user.user_id, name: "bench".into(), rate_per_minute: None };
    let issued = issue_key(&running.store, keys, &account.scope(), wanted, now).await?;
    let issued = issued.ok_or("the account has the user")?;
    Ok(Access { url: format!("http://{}", running.address), key: issued.key.expose().to_owned() })
}

/// A chatbot that has read a website, and how long that took.
async fn trained(client: &Client, site: SocketAddr) -> Result<(Uuid, Duration)> {
    let begin = Instant::now();
    let new = NewChatbot::new("Help", "Shop", [format!("http://{site}/")]).language("en");
    let chatbot_id = client.chatbots().create(new).await?.chatbot_id;
    loop {
        let chatbot = client.chatbots().get(chatbot_id).await?;
        match chatbot.status {
            ChatbotStatus::Ready => {
                println!("the chatbot answers from {} pages", chatbot.training_sources);
                return Ok((chatbot_id.uuid(), begin.elapsed()));
            }
            ChatbotStatus::Training => tokio::time::sleep(Duration::from_millis(50)).await,
            _ => return Err(format!("the training has failed: {chatbot:?}").into()),
        }
    }
}

/// Waits until every chunk has its vectors.
async fn vectors(store: &Store) -> Result<Duration> {
    let begin = Instant::now();
    let model = Model::bundled()?;
    while !store.vectors().unembedded(model.id(), 1).await?.is_empty() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Ok(begin.elapsed())
}

/// What questions took.
#[derive(Debug, Default)]
struct Asked {
    /// Of all cores, without the client.
    cost: Times,
    /// Of a core, for the client.
    client: Times,
    /// From request to response.
    wall: Times,
}

/// Asks the questions one after the other. The client has a thread of its own, so that its time is not taken
/// for that of the service.
async fn ask(access: &Access, chatbot_id: Uuid, questions: &[String]) -> Result<Asked> {
    let (access, questions) = (access.clone(), questions.to_vec());
    let asked = tokio::task::spawn_blocking(move || {
        ask_one_by_one(&access, chatbot_id, &questions).map_err(|error| error.to_string())
    });
    Ok(asked.await??)
}

fn ask_one_by_one(access: &Access, chatbot_id: Uuid, questions: &[String]) -> Result<Asked> {
    let used = || [ClockId::ProcessCPUTime, ClockId::ThreadCPUTime].map(processor_time);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let client = access.client()?;
        let mut asked = Asked::default();
        for question in questions {
            let begin = Instant::now();
            let [of_all, own] = used();
            client.messages().send(chatbot_id.into(), NewMessage::new(question)).await?;
            let [all_since, own_since] = used();
            let own = own_since.saturating_sub(own);
            asked.cost.0.push(all_since.saturating_sub(of_all).saturating_sub(own));
            asked.client.0.push(own);
            asked.wall.0.push(begin.elapsed());
        }
        Ok(asked)
    })
}
