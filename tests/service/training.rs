//! The training of chatbots on websites: what becomes of it when the service stops, when an address is not
//! public, when the chatbot is deleted, and when a crawl takes long or is due again.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use frontdesk_client::{
    Client,
    model::{ChatbotStatus, RefreshInterval, Website, WebsiteStatus, WebsiteUpdate},
};
use frontdesk_service::Clock;
use frontdesk_store::{JobState, Plan};
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::{
    database::Database,
    installation::{Installation, chatbot_for, learned, status, trained},
    on_both_databases,
    patience::until,
    site::{Page, Site},
};

on_both_databases!(
    an_address_that_is_not_public_fails_with_a_reason_for_the_owner,
    a_crawl_goes_on_after_a_restart_where_it_stopped,
    the_job_of_a_dead_worker_is_taken_up_at_the_next_start,
    deleting_a_chatbot_ends_its_training_and_nobody_elses,
    a_large_site_is_answered_from_before_it_is_complete,
    a_website_is_crawled_again_when_it_is_due,
    text_that_every_page_repeats_is_not_learned,
);

/// The queue of crawls, as it is stored.
const CRAWLS: &str = "crawl";

/// A clock that shows the time at which it was made, and later what the test adds. The store keeps
/// microseconds.
fn clock() -> (Timestamp, Arc<AtomicI64>, Clock) {
    let began_at = Timestamp::from_second(Timestamp::now().as_second()).unwrap();
    let minutes = Arc::new(AtomicI64::new(0));
    let passed = Arc::clone(&minutes);
    let now = move || began_at + SignedDuration::from_mins(passed.load(Ordering::SeqCst));
    (began_at, minutes, Clock::from_fn(now))
}

/// Creates a chatbot that is to learn a page of a site and what it links to.
async fn create(client: &Client, site: &Site, path: &str) -> Uuid {
    client.chatbots().create(chatbot_for("Helper", &[site.url(path)])).await.unwrap().chatbot_id.uuid()
}

/// A site whose second page is sent once its gate is open.
async fn gated_site() -> Site {
    Site::of([
        ("/", Page::html("Shop", "<p>Welcome to the shop of all shops.</p><a href='/a'>a</a>")),
        ("/a", Page::html("Delivery", "<p>Delivery takes three working days.</p><a href='/gate'>on</a>")),
        ("/gate", Page::html("Gate", "<p>The gate is open on weekdays only.</p><a href='/b'>b</a>").gated()),
        ("/b", Page::html("Returns", "<p>Returns are free within a month.</p>")),
        ("/other", Page::html("Other", "<p>Another page for another chatbot.</p>")),
    ])
    .await
}

async fn an_address_that_is_not_public_fails_with_a_reason_for_the_owner(database: Database) {
    let site = gated_site().await;
    let service = Installation::start_with(database, |config| config.training.allow_networks.clear()).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let chatbot_id = create(&client, &site, "/").await;
    let failed = trained(&client, chatbot_id).await;
    assert_eq!((&failed.status, failed.training_sources), (&ChatbotStatus::Failed, 0));
    let error = failed.last_error.into_value().unwrap();
    assert!(error.message.contains("127.0.0.1") && error.message.ends_with('.'), "{error:?}");
    assert_eq!(error.code.as_str(), "blocked_address");
    assert!(site.reads().is_empty());
    service.stop().await;
}

async fn a_crawl_goes_on_after_a_restart_where_it_stopped(database: Database) {
    let site = gated_site().await;
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let chatbot_id = create(&service.client(&acme), &site, "/").await;
    site.someone_is_at_the_gate().await;
    let database = service.stop_for_another().await;

    site.open_the_gate();
    let service = Installation::start(database).await;
    let chatbot = trained(&service.client(&acme), chatbot_id).await;
    assert_eq!((&chatbot.status, chatbot.training_sources), (&ChatbotStatus::Ready, 4));
    assert_eq!(chatbot.last_error.value(), None);
    let reads = site.reads();
    assert_eq!((reads["/a"], reads["/gate"]), (1, 2), "a finished page is not read again");
    let pages = service.database.pages(&acme.scope(), chatbot_id).await;
    assert_eq!(pages.iter().map(|(_, chunks)| chunks.len()).sum::<usize>(), 4);
    let mut counts = service.database.store.jobs().counts().await.unwrap();
    // Housekeeping is never done.
    counts.retain(|count| count.queue == CRAWLS);
    assert!(!counts.is_empty() && counts.iter().all(|count| count.state == JobState::Done), "{counts:?}");
    service.stop().await;
}

async fn the_job_of_a_dead_worker_is_taken_up_at_the_next_start(database: Database) {
    let site = gated_site().await;
    let idle = Installation::start_with(database, |config| config.training.workers = 0).await;
    let acme = idle.database.customer("acme", Plan::Growth).await;
    let chatbot_id = create(&idle.client(&acme), &site, "/other").await;
    // On PostgreSQL, other processes may be at work, so a lease is only void when it has ended.
    let lease = SignedDuration::from_secs(if idle.database.is_postgres() { 1 } else { 3_600 });
    let claimed = idle.database.store.jobs().claim(CRAWLS, "dead", lease, Timestamp::now()).await.unwrap();
    assert!(claimed.is_some());
    let database = idle.stop_for_another().await;

    let service = Installation::start(database).await;
    let chatbot = trained(&service.client(&acme), chatbot_id).await;
    assert_eq!(chatbot.status, ChatbotStatus::Ready);
    service.stop().await;
}

async fn deleting_a_chatbot_ends_its_training_and_nobody_elses(database: Database) {
    let site = gated_site().await;
    let service = Installation::start_with(database, |config| config.training.workers = 1).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let deleted = create(&client, &site, "/").await;
    site.someone_is_at_the_gate().await;
    let other = create(&client, &site, "/other").await;
    client.chatbots().delete(deleted.into()).await.unwrap();
    site.open_the_gate();
    assert_eq!(trained(&client, other).await.status, ChatbotStatus::Ready);
    assert_eq!(status(&client.chatbots().get(deleted.into()).await), 404);
    assert!(!site.reads().contains_key("/b"), "the crawl of the deleted chatbot went on");
    service.stop().await;
}

async fn a_large_site_is_answered_from_before_it_is_complete(database: Database) {
    let site = gated_site().await;
    let (_, minutes, clock) = clock();
    let service = Installation::start_at(database, clock, |_| {}).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let chatbot_id = create(&client, &site, "/").await;
    site.someone_is_at_the_gate().await;
    let early = client.chatbots().get(chatbot_id.into()).await.unwrap().into_inner();
    assert_eq!((&early.status, early.training_sources), (&ChatbotStatus::Training, 2));

    // A chatbot is in training for two minutes at most.
    minutes.store(3, Ordering::SeqCst);
    site.open_the_gate();
    let chatbot = trained(&client, chatbot_id).await;
    assert_eq!(chatbot.status, ChatbotStatus::Ready);
    let complete = async || {
        let chatbot = client.chatbots().get(chatbot_id.into()).await.unwrap().into_inner();
        (chatbot.training_sources == 4).then_some(())
    };
    until("the rest is read", complete).await;
    service.stop().await;
}

async fn a_website_is_crawled_again_when_it_is_due(database: Database) {
    let site = Site::of([("/", Page::html("Shop", "<p>Welcome to the shop of all shops.</p>"))]).await;
    let (began_at, minutes, clock) = clock();
    let service = Installation::start_at(database, clock, |_| {}).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let chatbot_id = learned(&client, &site).await;
    let website_id =
        client.websites().list(chatbot_id.into()).await.unwrap().into_inner().websites[0].website_id;
    let website = async || -> Website {
        client.websites().get(chatbot_id.into(), website_id).await.unwrap().into_inner()
    };
    let daily = WebsiteUpdate::new().refresh_interval(RefreshInterval::Daily);
    client.websites().update(chatbot_id.into(), website_id, daily).await.unwrap();
    let at = |hour: i64| began_at + SignedDuration::from_hours(hour);
    assert_eq!(website().await.next_crawl_at.unwrap().to_string(), at(24).to_string());
    for (hour, reads, next) in [(23, 1, 24), (25, 2, 49), (26, 2, 49), (50, 3, 74)] {
        minutes.store(hour * 60, Ordering::SeqCst);
        until("the schedule is looked at", async || {
            (service.database.next_run("begin_scheduled_crawls").await > at(hour)).then_some(())
        })
        .await;
        let website = until("the crawl ends", async || {
            let website = website().await;
            matches!(website.status, WebsiteStatus::Ready).then_some(website)
        })
        .await;
        assert_eq!((site.reads()["/"], website.pages_ready), (reads, 1), "after {hour} hours");
        assert_eq!(website.next_crawl_at.unwrap().to_string(), at(next).to_string());
    }
    service.stop().await;
}

async fn text_that_every_page_repeats_is_not_learned(database: Database) {
    const NOTE: &str = "<p>We are pleased to tell you about our cookies and our newsletter.</p>";
    let page = |title: &str, own: &str| Page::html(title, &format!("{NOTE}<p>{own}</p>"));
    let site = Site::of([
        (
            "/",
            page(
                "Shop",
                "Welcome to the shop of all shops. <a href=/a>a</a> <a href=/b>b</a> <a href=/c>c</a> <a href=/d>d</a>",
            ),
        ),
        ("/a", page("Delivery", "Delivery takes three working days.")),
        ("/b", page("Returns", "Returns are free within a month.")),
        ("/c", page("Workshop", "The workshop sharpens shears and spades.")),
        ("/d", page("Gift cards", "Gift cards are valid for three years.")),
    ])
    .await;
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let chatbot_id = learned(&client, &site).await;
    assert_eq!(trained(&client, chatbot_id).await.training_sources, 5);
    let scope = acme.scope();
    let pages = service.database.pages(&scope, chatbot_id).await;
    let texts: Vec<String> =
        pages.into_iter().flat_map(|(_, chunks)| chunks).map(|chunk| chunk.text).collect();
    assert!(texts.iter().any(|text| text.contains("three working days")), "{texts:?}");
    assert!(!texts.iter().any(|text| text.contains("cookies")), "{texts:?}");
    let stem = frontdesk_knowledge::analyze("newsletter", Some("en"));
    let search = service.database.store.search();
    assert_eq!(search.document_frequencies(&scope, chatbot_id, &stem).await.unwrap(), [0]);
    service.stop().await;
}
