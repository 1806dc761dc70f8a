//! Websites: crawls that begin, end and are stopped, and what happens to their pages.

use std::borrow::Cow;
use std::path::Path;

use frontdesk_store::{
    CrawlScope, NewPage, NewWebpage, PageFinish, PageOutcome, PageRequest, PageStatus, PageVisit, PushedPage,
    RecrawlRefused, RefreshInterval, Scope, Store, Subject, VisitOutcome, WebpageContent, WebpageFilter,
    WebpageUpdate, Website, WebsiteError, WebsiteStatus,
};
use jiff::SignedDuration;
use sqlx::migrate::Migrator;
use sqlx::{AnyPool, Executor};
use uuid::Uuid;

use crate::database::Database;
use crate::on_both_databases;
use crate::world::{LEASE, World, at, candidates, chunk, job, new_website, outcome};

on_both_databases!(
    a_crawl_begins_and_ends_and_begins_again,
    a_stopped_crawl_stores_nothing_more,
    a_page_belongs_to_the_website_that_found_it,
    websites_that_are_due_are_found,
    a_disabled_page_is_never_found,
    a_pushed_page_replaces_the_one_with_its_address,
    chatbots_from_before_websites_get_them,
);

fn visit(outcome: PageOutcome) -> PageVisit {
    let result = outcome.status.into();
    PageVisit { outcome, result, validators: Some((Some("\"v1\"".into()), None)) }
}

/// Visits all pages in the frontier of a website and ends its crawl.
async fn crawl(database: &Database, website: &Website, now: i64) -> Website {
    let (store, scope) = (&database.store, website.account_scope());
    while let Some(page) = store.websites().next_page(&scope, website.website_id).await.unwrap() {
        let mut found = outcome(vec![chunk("Shop", "tulips and roses")]);
        found.content_hash = Some(page.url.clone());
        let finished = store.websites().finish_page(&scope, &page, &visit(found), at(now)).await.unwrap();
        assert_eq!(finished, PageFinish::Stored);
    }
    store.websites().finish(&scope, website.website_id, None, at(now)).await.unwrap().unwrap()
}

async fn a_crawl_begins_and_ends_and_begins_again(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let (scope, website) = (world.scope(), &world.website);
    assert_eq!((website.status, website.pages_found, website.pages_ready), (WebsiteStatus::Pending, 1, 0));
    let more = [NewPage { depth: 1, ..NewPage::root("https://one.example/shop/a") }];
    let added = store.websites().add_pages(&scope, website, &more, 100, at(5)).await.unwrap().unwrap();
    assert_eq!(added.added, 1);
    let ready = crawl(database, website, 10).await;
    assert_eq!(
        (ready.status, ready.pages_ready, ready.last_crawled_at),
        (WebsiteStatus::Ready, 2, Some(at(10)))
    );
    assert_eq!(ready.tag_ids, [world.tag.tag_id]);
    let pages = WebpageFilter {
        tag_id: Some(world.tag.tag_id),
        website_id: Some(website.website_id),
        ..Default::default()
    };
    let first = PageRequest::first(10);
    let tagged = store.webpages().page(&scope, world.chatbot.chatbot_id, &pages, &first).await.unwrap();
    assert_eq!(tagged.items.len(), 2, "pages inherit the tags of their website");

    let minute = Some(SignedDuration::from_mins(1));
    let recrawl = async |what, now| {
        store.websites().recrawl(&scope, website, what, &job("crawl_website"), minute, at(now)).await
    };
    let begun = recrawl(CrawlScope::Changed, 20).await.unwrap().unwrap();
    assert_eq!((begun.status, begun.pages_ready), (WebsiteStatus::Pending, 2), "content stays in use");
    assert_eq!(begun.recrawl_available_at, Some(at(80)));
    assert!(matches!(recrawl(CrawlScope::All, 21).await, Err(RecrawlRefused::InProgress)));
    let page = store.websites().next_page(&scope, website.website_id).await.unwrap().unwrap();
    assert_eq!(page.etag.as_deref(), Some("\"v1\""));
    let mut gone = PageOutcome::without_content(PageStatus::Skipped, "gone");
    gone.chunks = Some(Vec::new());
    let removed = PageVisit { outcome: gone, result: VisitOutcome::Removed, validators: None };
    let finish = async || store.websites().finish_page(&scope, &page, &removed, at(22)).await.unwrap();
    assert_eq!(finish().await, PageFinish::Stored);
    assert_eq!(finish().await, PageFinish::Gone, "it was finished");
    let after = crawl(database, website, 23).await;
    assert_eq!((after.pages_ready, after.pages_skipped), (1, 1));
    match recrawl(CrawlScope::Failed, 30).await {
        Err(RecrawlRefused::TooSoon { available_at }) => assert_eq!(available_at, at(80)),
        other => panic!("{other:?}"),
    }
    recrawl(CrawlScope::Failed, 90).await.unwrap().unwrap();
    assert_eq!(store.websites().next_page(&scope, website.website_id).await.unwrap(), None);
    let report = store.websites().report(&scope, website.website_id, None, &first).await.unwrap().items;
    let report: Vec<_> = report.iter().map(|entry| (entry.url.as_str(), entry.outcome)).collect();
    assert_eq!(
        report,
        [
            ("https://one.example/shop/", VisitOutcome::Removed),
            ("https://one.example/shop/a", VisitOutcome::Ready)
        ]
    );
}

async fn a_stopped_crawl_stores_nothing_more(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let (scope, website) = (world.scope(), &world.website);
    let page = store.websites().next_page(&scope, website.website_id).await.unwrap().unwrap();
    let cancelled = store.websites().cancel(&scope, website, at(5)).await.unwrap().unwrap();
    assert_eq!((cancelled.status, cancelled.pages_skipped), (WebsiteStatus::Cancelled, 1));
    let late = visit(outcome(vec![chunk("Late", "late")]));
    let finished = store.websites().finish_page(&scope, &page, &late, at(6)).await.unwrap();
    assert_eq!(finished, PageFinish::Gone);
    assert_eq!(store.websites().finish(&scope, website.website_id, None, at(6)).await.unwrap(), None);
    assert!(store.websites().stranded().await.unwrap().is_empty());
    let again = store.websites().cancel(&scope, website, at(7)).await.unwrap().unwrap();
    assert_eq!(again.updated_at, cancelled.updated_at);
    let begun = store
        .websites()
        .recrawl(&scope, website, CrawlScope::Failed, &job("crawl_website"), None, at(8))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(begun.status, WebsiteStatus::Pending);
    assert!(store.websites().next_page(&scope, website.website_id).await.unwrap().is_some());
}

async fn a_page_belongs_to_the_website_that_found_it(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let (scope, bot) = (world.scope(), world.chatbot.chatbot_id);
    let taken = new_website(&world.website.url, Vec::new());
    let refused = store.websites().create(&scope, bot, &taken, at(5)).await;
    assert!(
        matches!(refused, Err(WebsiteError::AlreadyExists { website_id }) if website_id == world.website.website_id)
    );
    let other = new_website("https://one.example/other/", Vec::new());
    let other = store.websites().create(&scope, bot, &other, at(5)).await.unwrap().unwrap();
    let start = [NewPage::root(&world.website.url)];
    let added = store.websites().add_pages(&scope, &other, &start, 100, at(6)).await.unwrap().unwrap();
    assert_eq!((added.added, added.duplicate), (0, 1));
    // A page of another website becomes the start page of a new one.
    let adopted = new_website("https://one.example/pending", Vec::new());
    let adopted = store.websites().create(&scope, bot, &adopted, at(7)).await.unwrap().unwrap();
    assert_eq!(adopted.pages_found, 1);
    assert!(store.websites().delete(&scope, &adopted).await.unwrap());
    assert!(!store.websites().delete(&scope, &adopted).await.unwrap());
    let filter = WebpageFilter { website_id: Some(adopted.website_id), ..Default::default() };
    let left = store.webpages().page(&scope, bot, &filter, &PageRequest::first(10)).await.unwrap();
    assert!(left.items.is_empty());
}

async fn websites_that_are_due_are_found(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let (scope, website) = (world.scope(), &world.website);
    let daily = store
        .websites()
        .update(&scope, website, None, at(5), |options| options.refresh_interval = RefreshInterval::Daily)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(daily.next_crawl_at, None, "the first crawl has not ended");
    let ended = crawl(database, website, 10).await;
    let day = 24 * 60 * 60;
    assert_eq!(ended.next_crawl_at, Some(at(10 + day)));
    assert!(store.websites().due(at(9 + day), 10).await.unwrap().is_empty());
    let due = store.websites().due(at(10 + day), 10).await.unwrap();
    assert_eq!(due.iter().map(|website| website.website_id).collect::<Vec<_>>(), [website.website_id]);
    let never = store
        .websites()
        .update(&scope, website, None, at(11), |options| options.refresh_interval = RefreshInterval::Never)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(never.next_crawl_at, None);
}

async fn a_disabled_page_is_never_found(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let (scope, bot) = (world.scope(), world.chatbot.chatbot_id);
    let words = ["deliver".to_owned()];
    let found = candidates(store, &scope, bot, &words, &[], 10).await.unwrap();
    let ids = [found[0].chunk_id, Uuid::nil()];
    assert_eq!(found.len(), 1);
    assert_eq!(store.search().findable(&scope, bot, &ids).await.unwrap(), ids[..1]);
    let before = store.chatbots().find(&scope, bot).await.unwrap().unwrap().training_sources;
    let update = WebpageUpdate { enabled: Some(false), ..Default::default() };
    let page = store.webpages().update(&scope, &world.page, &update, at(9)).await.unwrap().unwrap();
    assert!(!page.enabled && page.chunk_count == 2 && page.char_count > 0, "{page:?}");
    assert!(candidates(store, &scope, bot, &words, &[], 10).await.unwrap().is_empty());
    assert!(store.search().findable(&scope, bot, &ids).await.unwrap().is_empty());
    let after = store.chatbots().find(&scope, bot).await.unwrap().unwrap().training_sources;
    assert_eq!(after, before - 1);
}

async fn a_pushed_page_replaces_the_one_with_its_address(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let (scope, bot) = (world.scope(), world.chatbot.chatbot_id);
    let pushed = |url: &str, text: &str| PushedPage {
        url: url.into(),
        custom_title: Some("Own title".into()),
        content: WebpageContent {
            title: "Title".into(),
            content_hash: text.into(),
            language: Some("en".into()),
            chunks: vec![chunk("Own title", text)],
        },
        tag_ids: Some(vec![world.tag.tag_id]),
    };
    let url = world.page.url.as_str();
    let (page, is_new) = store
        .webpages()
        .push(&scope, bot, &pushed(url, "sundials cost nine pounds"), at(9))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        (page.webpage_id, is_new, page.website_id, page.queued),
        (world.page.webpage_id, false, None, false)
    );
    let words = ["sundials".to_owned(), "deliver".to_owned()];
    assert_eq!(candidates(store, &scope, bot, &words, &[], 10).await.unwrap().len(), 1);
    let fresh = pushed("https://one.example/fresh", "barometers are repaired");
    let (fresh, is_new) = store.webpages().push(&scope, bot, &fresh, at(9)).await.unwrap().unwrap();
    assert!(is_new && fresh.status == PageStatus::Ready && fresh.tag_ids == [world.tag.tag_id], "{fresh:?}");
    let filter = WebpageFilter { standalone: Some(true), text: Some("OWN tit".into()), ..Default::default() };
    let found = store.webpages().page(&scope, bot, &filter, &PageRequest::first(10)).await.unwrap();
    assert_eq!(found.items.len(), 2);
    let filter = WebpageFilter { text: Some("_%".into()), ..Default::default() };
    assert!(
        store.webpages().page(&scope, bot, &filter, &PageRequest::first(10)).await.unwrap().items.is_empty()
    );
    let new = NewWebpage { url: url.into(), custom_title: None, tag_ids: Vec::new() };
    assert!(store.webpages().create(&scope, bot, &new, |_| job("fetch_webpage"), at(9)).await.is_err());
    let refreshed =
        store.webpages().refresh(&scope, &page, &job("fetch_webpage"), at(9)).await.unwrap().unwrap();
    assert!(refreshed.queued && refreshed.status == PageStatus::Ready);
}

async fn chatbots_from_before_websites_get_them(database: &Database) {
    let url = database.empty().await;
    let folder = if database.is_postgres() { "migrations/postgres" } else { "migrations/sqlite" };
    let mut before = Migrator::new(Path::new(folder)).await.unwrap();
    before.migrations =
        Cow::Owned(before.migrations.iter().filter(|step| step.version < 9).cloned().collect());
    let separator = if database.is_postgres() { "" } else { "?mode=rwc" };
    let pool = AnyPool::connect(&format!("{url}{separator}")).await.unwrap();
    before.run(&pool).await.unwrap();
    let [account, trained, training, root, shop, page, failed, next, job] =
        std::array::from_fn(|n| Uuid::from_u128(n as u128 + 1));
    let chatbot = |id: Uuid, status: &str| {
        format!(
            "INSERT INTO chatbots (chatbot_id, account_id, name, status, settings, created_at, updated_at) \
             VALUES ('{id}', '{account}', 'Bot', '{status}', '{{}}', 0, 0); "
        )
    };
    let webpage = |id: Uuid, bot: Uuid, path: &str, parent: Option<&str>, status: &str| {
        let parent = parent.map_or("NULL".to_owned(), |parent| format!("'https://a.example{parent}'"));
        let depth = i64::from(parent != "NULL");
        format!(
            "INSERT INTO webpages (webpage_id, chatbot_id, account_id, url, root_url, parent_url, depth, status, created_at) \
             VALUES ('{id}', '{bot}', '{account}', 'https://a.example{path}', 'https://a.example/', {parent}, {depth}, '{status}', 7); "
        )
    };
    let mut sql = format!(
        "INSERT INTO accounts (account_id, kind, name, plan, created_at) VALUES ('{account}', 'standard', 'One', 'growth', 0); "
    );
    sql += &(chatbot(trained, "ready") + &chatbot(training, "training"));
    sql += &webpage(root, trained, "/", None, "ready");
    sql += &webpage(shop, trained, "/shop/", None, "failed");
    sql += &webpage(page, trained, "/shop/a", Some("/shop/"), "ready");
    sql += &webpage(failed, trained, "/x", Some("/"), "failed");
    sql += &webpage(next, training, "/", None, "pending");
    sql += &format!(
        "INSERT INTO jobs (job_id, queue, kind, account_id, subject, subject_id, payload, state, attempts, max_attempts, runs, \
         run_at, time_limit, created_at) VALUES ('{job}', 'crawl', 'train', '{account}', 'chatbot', '{training}', '{{}}', \
         'queued', 0, 8, 0, 5, 1000000, 3);"
    );
    pool.execute(sqlx::AssertSqlSafe(sql)).await.unwrap();
    pool.close().await;

    let store = Store::open(&url).await.unwrap();
    let scope = Scope::of_account(account);
    let first = PageRequest::first(10);
    let websites = store.websites().page(&scope, trained, None, None, &first).await.unwrap().items;
    let websites: Vec<_> = websites
        .iter()
        .map(|website| (website.website_id, website.status, website.pages_found, website.pages_failed))
        .collect();
    assert_eq!(websites, [(root, WebsiteStatus::Partial, 2, 1), (shop, WebsiteStatus::Partial, 2, 1)]);
    let page = store.webpages().find(&scope, page).await.unwrap().unwrap();
    assert_eq!((page.website_id, page.enabled, page.queued), (Some(shop), true, false));
    assert_eq!(store.chatbots().find(&scope, trained).await.unwrap().unwrap().training_sources, 2);
    let waiting = store.websites().get(&scope, next).await.unwrap().unwrap();
    assert_eq!(waiting.status, WebsiteStatus::Pending);
    assert!(store.websites().next_page(&scope, next).await.unwrap().is_some());
    assert!(store.chatbots().stranded().await.unwrap().is_empty());
    let claimed = store.jobs().claim("crawl", "worker", LEASE, at(0)).await.unwrap().unwrap();
    assert_eq!((claimed.kind.as_str(), claimed.subject), ("crawl_website", Some(Subject::website(next))));
    assert_eq!(store.jobs().claim("crawl", "worker", LEASE, at(0)).await.unwrap(), None);
    store.close().await;
}
