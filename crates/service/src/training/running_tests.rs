//! Training as it runs: a real service on a file, and a site on this machine.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::response::{Html, IntoResponse, Response};
use frontdesk_store::{
    Account, AccountKind, Chatbot, ChatbotStatus, JobState, NewAccount, NewChatbot, PageRequest, PageStatus,
    Plan, Redacted, RefreshInterval, Scope, WebsiteOptions, WebsiteStatus,
};
use http::{StatusCode, Uri};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use uuid::Uuid;

use super::{BeginScheduledCrawls, job, start_pages};
use crate::config::Config;
use crate::jobs::Queue;
use crate::service::Clock;
use crate::startup::{Running, start, start_with_clock};

/// A site whose pages are counted when they are read. The page `/gate` answers only when the gate is open.
struct Site {
    pages: BTreeMap<&'static str, String>,
    reads: Mutex<BTreeMap<String, usize>>,
    gate: Semaphore,
    at_gate: watch::Sender<bool>,
}

impl Site {
    async fn serve(pages: &[(&'static str, &str)]) -> (Arc<Self>, String) {
        let site = Arc::new(Self {
            pages: pages.iter().map(|(path, body)| (*path, (*body).to_owned())).collect(),
            reads: Mutex::default(),
            gate: Semaphore::new(0),
            at_gate: watch::Sender::new(false),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new().fallback(page).with_state(Arc::clone(&site));
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        (site, origin)
    }

    fn reads(&self, path: &str) -> usize {
        self.reads.lock().unwrap().get(path).copied().unwrap_or_default()
    }

    async fn someone_is_at_the_gate(&self) {
        self.at_gate.subscribe().wait_for(|at_gate| *at_gate).await.unwrap();
    }
}

async fn page(State(site): State<Arc<Site>>, address: Uri) -> Response {
    let path = address.path();
    *site.reads.lock().unwrap().entry(path.to_owned()).or_default() += 1;
    if path == "/gate" {
        site.at_gate.send_replace(true);
        site.gate.acquire().await.unwrap().forget();
    }
    match site.pages.get(path) {
        Some(body) => Html(format!("<title>{path}</title><main>{body}</main>")).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

fn config(folder: &Path) -> Config {
    let mut config = Config {
        database: Redacted::new(format!("sqlite:{}/test.db", folder.display())),
        listen: "127.0.0.1:0".parse().unwrap(),
        ..Config::default()
    };
    config.training.delay = Duration::ZERO;
    config.training.workers = 1;
    config.training.allow_networks = vec!["127.0.0.0/8".parse().unwrap()];
    config
}

async fn account(running: &Running) -> Account {
    let new = NewAccount {
        parent_id: None,
        kind: AccountKind::Standard,
        name: "Shop".into(),
        plan: Plan::Growth,
        monthly_credits: None,
    };
    running.store.accounts().create(&new, running.service().now()).await.unwrap()
}

async fn create(running: &Running, scope: &Scope, address: &str) -> Chatbot {
    let new = NewChatbot {
        name: "Help".into(),
        language: None,
        settings: json!({ "business_name": "Shop" }),
        pages: start_pages(&[address.to_owned()]).unwrap(),
        job: job(),
    };
    let chatbot = running.store.chatbots().create(scope, &new, running.service().now()).await.unwrap();
    running.service().job_signals.enqueued(Queue::Crawl);
    chatbot
}

/// The chatbot once its training has ended.
async fn trained(running: &Running, scope: &Scope, chatbot_id: Uuid) -> Chatbot {
    for _ in 0..1_200 {
        let chatbot = running.store.chatbots().find(scope, chatbot_id).await.unwrap().unwrap();
        if chatbot.status != ChatbotStatus::Training {
            return chatbot;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the training does not end");
}

async fn texts(running: &Running, scope: &Scope, chatbot_id: Uuid) -> Vec<String> {
    let mut texts = Vec::new();
    for page in
        running.store.webpages().list(scope, chatbot_id, Some(PageStatus::Ready), None, 100).await.unwrap()
    {
        let chunks = running.store.chunks().of_page(scope, page.webpage_id).await.unwrap();
        texts.extend(chunks.into_iter().map(|chunk| chunk.text));
    }
    texts
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_that_is_not_public_fails_with_a_reason_for_the_owner() {
    let (site, origin) = Site::serve(&[("/", "<p>This must never be read by anybody.</p>")]).await;
    let folder = tempfile::tempdir().unwrap();
    let mut config = config(folder.path());
    config.training.allow_networks.clear();
    let running = start(config).await.unwrap();
    let scope = account(&running).await.scope();
    let chatbot = create(&running, &scope, &origin).await;
    let failed = trained(&running, &scope, chatbot.chatbot_id).await;
    assert_eq!((failed.status, failed.training_sources), (ChatbotStatus::Failed, 0));
    let error = failed.last_error.unwrap();
    assert!(error.message.contains("127.0.0.1") && error.message.ends_with('.'), "{error:?}");
    assert_eq!(error.code, "blocked_address");
    assert!(site.reads.lock().unwrap().is_empty());
    running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crawl_goes_on_after_a_restart_where_it_stopped() {
    let (site, origin) = Site::serve(&[
        ("/", "<p>Welcome to the shop of all shops.</p><a href='/a'>a</a>"),
        ("/a", "<p>Delivery takes three working days.</p><a href='/gate'>on</a>"),
        ("/gate", "<p>The gate is open on weekdays only.</p><a href='/b'>b</a>"),
        ("/b", "<p>Returns are free within a month.</p>"),
    ])
    .await;
    let folder = tempfile::tempdir().unwrap();
    let running = start(config(folder.path())).await.unwrap();
    let scope = account(&running).await.scope();
    let chatbot_id = create(&running, &scope, &origin).await.chatbot_id;
    site.someone_is_at_the_gate().await;
    running.shutdown().await;

    site.gate.add_permits(10);
    let running = start(config(folder.path())).await.unwrap();
    let chatbot = trained(&running, &scope, chatbot_id).await;
    assert_eq!((chatbot.status, chatbot.training_sources), (ChatbotStatus::Ready, 4));
    assert_eq!(chatbot.last_error, None);
    assert_eq!(site.reads("/a"), 1, "a finished page was read again");
    assert_eq!(site.reads("/gate"), 2);
    assert_eq!(texts(&running, &scope, chatbot_id).await.len(), 4);
    let mut counts = running.store.jobs().counts().await.unwrap();
    // Housekeeping is never done.
    counts.retain(|count| count.queue == Queue::Crawl.name());
    assert!(!counts.is_empty() && counts.iter().all(|count| count.state == JobState::Done), "{counts:?}");
    running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_job_of_a_dead_worker_is_taken_up_at_the_next_start() {
    let (_site, origin) = Site::serve(&[("/", "<p>Welcome to the shop of all shops.</p>")]).await;
    let folder = tempfile::tempdir().unwrap();
    let mut idle = config(folder.path());
    idle.training.workers = 0;
    let running = start(idle).await.unwrap();
    let scope = account(&running).await.scope();
    let chatbot_id = create(&running, &scope, &origin).await.chatbot_id;
    let now = running.service().now();
    let claimed = running
        .store
        .jobs()
        .claim(Queue::Crawl.name(), "dead", SignedDuration::from_hours(1), now)
        .await
        .unwrap();
    assert!(claimed.is_some());
    running.shutdown().await;

    let running = start(config(folder.path())).await.unwrap();
    assert_eq!(trained(&running, &scope, chatbot_id).await.status, ChatbotStatus::Ready);
    running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deleting_a_chatbot_ends_its_training_and_nobody_elses() {
    let (site, origin) = Site::serve(&[
        ("/", "<p>Welcome to the shop of all shops.</p><a href='/gate'>on</a>"),
        ("/gate", "<p>The gate is open on weekdays only.</p>"),
        ("/other", "<p>Another page for another chatbot.</p>"),
    ])
    .await;
    let folder = tempfile::tempdir().unwrap();
    let running = start(config(folder.path())).await.unwrap();
    let scope = account(&running).await.scope();
    let deleted = create(&running, &scope, &origin).await.chatbot_id;
    let other = create(&running, &scope, &format!("{origin}/other")).await.chatbot_id;
    site.someone_is_at_the_gate().await;
    assert!(running.store.chatbots().delete(&scope, deleted).await.unwrap());
    site.gate.add_permits(10);
    let other = trained(&running, &scope, other).await;
    assert_eq!(other.status, ChatbotStatus::Ready);
    assert_eq!(running.store.chatbots().find(&scope, deleted).await.unwrap(), None);
    running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_large_site_is_answered_from_before_it_is_complete() {
    let (site, origin) = Site::serve(&[
        ("/", "<p>Welcome to the shop of all shops.</p><a href='/gate'>on</a>"),
        ("/gate", "<p>The gate is open on weekdays only.</p><a href='/gate?next'>on</a>"),
    ])
    .await;
    let folder = tempfile::tempdir().unwrap();
    let minutes = Arc::new(AtomicI64::new(0));
    let began_at = Timestamp::now();
    let clock = {
        let minutes = Arc::clone(&minutes);
        Clock::from_fn(move || began_at + SignedDuration::from_mins(minutes.load(Ordering::SeqCst)))
    };
    let running = start_with_clock(config(folder.path()), clock).await.unwrap();
    let scope = account(&running).await.scope();
    let chatbot_id = create(&running, &scope, &origin).await.chatbot_id;
    site.someone_is_at_the_gate().await;
    let early = running.store.chatbots().find(&scope, chatbot_id).await.unwrap().unwrap();
    assert_eq!((early.status, early.training_sources), (ChatbotStatus::Training, 1));

    minutes.store(3, Ordering::SeqCst);
    site.gate.add_permits(1);
    let chatbot = trained(&running, &scope, chatbot_id).await;
    assert_eq!((chatbot.status, chatbot.training_sources), (ChatbotStatus::Ready, 2));
    assert_eq!(running.store.webpages().counts(&scope, chatbot_id).await.unwrap().pending, 1);
    running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_website_is_crawled_again_when_it_is_due() {
    let (site, origin) = Site::serve(&[("/", "<p>Welcome to the shop of all shops.</p>")]).await;
    let folder = tempfile::tempdir().unwrap();
    let hours = Arc::new(AtomicI64::new(0));
    // The store keeps microseconds.
    let began_at = Timestamp::from_second(Timestamp::now().as_second()).unwrap();
    let clock = {
        let hours = Arc::clone(&hours);
        Clock::from_fn(move || began_at + SignedDuration::from_hours(hours.load(Ordering::SeqCst)))
    };
    let running = start_with_clock(config(folder.path()), clock).await.unwrap();
    let scope = account(&running).await.scope();
    let chatbot_id = create(&running, &scope, &origin).await.chatbot_id;
    trained(&running, &scope, chatbot_id).await;
    let websites = running.store.websites();
    let first = PageRequest::first(10);
    let website = websites.page(&scope, chatbot_id, None, None, &first).await.unwrap().items.remove(0);
    let daily = |options: &mut WebsiteOptions| options.refresh_interval = RefreshInterval::Daily;
    let daily =
        websites.update(&scope, &website, None, running.service().now(), daily).await.unwrap().unwrap();
    assert_eq!(daily.next_crawl_at, Some(began_at + SignedDuration::from_hours(24)));
    let schedule = BeginScheduledCrawls(running.service().clone());
    for (hour, reads) in [(23, 1), (25, 2), (26, 2), (50, 3)] {
        hours.store(hour, Ordering::SeqCst);
        schedule.begin_due().await.unwrap();
        while websites.is_unfinished(&scope, website.website_id).await.unwrap() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert_eq!(site.reads("/"), reads, "after {hour} hours");
    }
    let website = websites.get(&scope, website.website_id).await.unwrap().unwrap();
    assert_eq!((website.status, website.pages_ready), (WebsiteStatus::Ready, 1));
    running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn text_that_every_page_repeats_is_not_learned() {
    const NOTE: &str = "<p>We are pleased to tell you about our cookies and our newsletter.</p>";
    let body = |own: &str| format!("{NOTE}<p>{own}</p>");
    let home = body(
        "Welcome to the shop of all shops. <a href=/a>a</a> <a href=/b>b</a> <a href=/c>c</a> <a href=/d>d</a>",
    );
    let (_site, origin) = Site::serve(&[
        ("/", &home),
        ("/a", &body("Delivery takes three working days.")),
        ("/b", &body("Returns are free within a month.")),
        ("/c", &body("The workshop sharpens shears and spades.")),
        ("/d", &body("Gift cards are valid for three years.")),
    ])
    .await;
    let folder = tempfile::tempdir().unwrap();
    let running = start(config(folder.path())).await.unwrap();
    let scope = account(&running).await.scope();
    let chatbot_id = create(&running, &scope, &origin).await.chatbot_id;
    assert_eq!(trained(&running, &scope, chatbot_id).await.training_sources, 5);
    let texts = texts(&running, &scope, chatbot_id).await;
    assert!(texts.iter().any(|text| text.contains("three working days")), "{texts:?}");
    assert!(!texts.iter().any(|text| text.contains("cookies")), "{texts:?}");
    let stem = frontdesk_knowledge::analyze("newsletter", Some("en"));
    assert_eq!(running.store.search().document_frequencies(&scope, chatbot_id, &stem).await.unwrap(), [0]);
    running.shutdown().await;
}
