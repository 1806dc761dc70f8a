//! A large website with everything that goes wrong on one: the crawl ends, reports each address, survives
//! kills, and a second crawl fetches only what has changed.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use frontdesk_client::{
    Client,
    model::{Website, WebsiteStatus},
};
use frontdesk_store::Plan;
use url::Url;
use uuid::Uuid;

use super::crashes::restart;
use crate::{
    database::Database,
    installation::{chatbot_for, client},
    on_both_databases,
    process::Process,
    site::{Page, Site},
};

on_both_databases!(a_large_site_is_crawled_through_kills);

/// Time without any progress after which a crawl is taken to hang.
const STANDSTILL: Duration = Duration::from_secs(90);

async fn a_large_site_is_crawled_through_kills(database: Database) {
    crawl_through_kills(database, 120, 3, Duration::from_millis(600)).await;
}

/// Takes some minutes on each database.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[ignore = "takes minutes; run it with --ignored after a change of crawling"]
async fn a_site_of_5000_pages_is_crawled_through_ten_kills() {
    crawl_through_kills(Database::sqlite().await, 5_000, 10, Duration::from_secs(12)).await;
    let name = "a_site_of_5000_pages_is_crawled_through_ten_kills";
    let Some(database) = Database::postgres(name).await else { return };
    let remains = database.remains();
    crawl_through_kills(database, 5_000, 10, Duration::from_secs(12)).await;
    remains.release().await;
}

/// What the page of a number is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Article,
    Late,
    Missing,
    Broken,
    /// Leads to the article before it.
    Moved,
    /// Has the content of the article before it.
    Copy,
    NotIndexed,
    Picture,
}

impl Kind {
    fn of(number: usize) -> Self {
        match number % 60 {
            10 => Self::Missing,
            20 => Self::Broken,
            30 => Self::Moved,
            40 => Self::Copy,
            50 => Self::NotIndexed,
            55 => Self::Picture,
            57 => Self::Late,
            _ => Self::Article,
        }
    }

    /// Outcome and reason in the report of the first crawl.
    fn reported(self) -> (&'static str, &'static str) {
        match self {
            Self::Article | Self::Late => ("ready", ""),
            Self::Missing | Self::Broken => ("failed", "http_error"),
            Self::Moved | Self::Copy => ("skipped", "duplicate"),
            Self::NotIndexed => ("skipped", "noindex"),
            Self::Picture => ("skipped", "not_html"),
        }
    }
}

/// Every fiftieth article has another text in its second version.
fn version(number: usize, is_later: bool) -> u8 {
    if is_later && number % 50 == 3 && Kind::of(number) == Kind::Article { 2 } else { 1 }
}

fn article(number: usize, version: u8, pages: usize) -> Page {
    let next = |step: usize| (number * 3 + step < pages).then(|| number * 3 + step);
    let links: String = (1..=3)
        .filter_map(next)
        .map(|next| format!("<a href=\"/page/{next}\">{next}</a> <a href=\"/page/{next}#top\">top</a> "))
        .collect();
    // A trap without end, a folder that links deeper into itself, and what robots.txt forbids.
    let traps = format!(
        "<a href=\"/calendar?day={number}\">day</a> <a href=\"/private/{number}\">private</a> <a href=\"/deep/\">deep</a>"
    );
    let text = format!(
        "<p>Article {number} has the order code B{number}X and weighs {} grams.</p>",
        number * usize::from(version)
    );
    Page::html(&format!("Article {number}"), &format!("{text}<p>{links}{traps}</p>"))
}

fn page(path: &str, pages: usize, is_later: bool) -> Option<(Page, u8)> {
    if let Some(day) = path.strip_prefix("/calendar?day=") {
        let next = day.parse::<usize>().ok()? + 100_000;
        let html =
            format!("<p>Nothing is planned on day {day}.</p><a href=\"/calendar?day={next}\">next</a>");
        return Some((Page::html(&format!("Day {day}"), &html), 1));
    }
    if path.starts_with("/deep/") {
        let html =
            format!("<p>Folder {} deep.</p><a href=\"deeper/\">on</a>", path.matches("deeper").count());
        return Some((Page::html("Deep", &html), 1));
    }
    let number = match path {
        "/" => 0,
        _ => path.strip_prefix("/page/")?.parse().ok().filter(|number| (1..pages).contains(number))?,
    };
    let version = version(number, is_later);
    let page = match Kind::of(number) {
        Kind::Article => article(number, version, pages),
        Kind::Late => article(number, version, pages).late(Duration::from_millis(300)),
        Kind::Missing => Page::missing(),
        Kind::Broken => Page::server_error(),
        Kind::Moved => Page::redirect(format!("/page/{}", number - 1)),
        Kind::Copy => article(number - 1, version, pages),
        Kind::NotIndexed => Page::html("Hidden", "<p>Not for search.</p>").header("X-Robots-Tag", "noindex"),
        Kind::Picture => Page::bytes("image/png", vec![0x89, b'P', b'N', b'G']),
    };
    Some((page, version))
}

/// A site of numbered pages, whether it shows the second version, and the paths whose content it has sent.
async fn large_site(pages: usize) -> (Site, Arc<AtomicBool>, Arc<Mutex<Vec<String>>>) {
    let (is_later, sent): (Arc<AtomicBool>, Arc<Mutex<Vec<String>>>) = Default::default();
    let (later, log) = (Arc::clone(&is_later), Arc::clone(&sent));
    let site = Site::conversing(move |path, head| {
        if path == "/robots.txt" {
            return Page::bytes("text/plain", "User-agent: *\nDisallow: /private/\n");
        }
        if path == "/sitemap.xml" {
            let host = head.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
            let entries: String = (1..pages)
                .map(|number| format!("<url><loc>http://{host}/page/{number}</loc></url>"))
                .collect();
            return Page::bytes("application/xml", format!("<urlset>{entries}</urlset>"));
        }
        let Some((page, version)) = page(path, pages, later.load(Ordering::SeqCst)) else {
            return Page::missing();
        };
        let tag = format!("\"{path}-{version}\"");
        if head.to_ascii_lowercase().contains(&format!("if-none-match: {tag}")) {
            return Page::not_modified();
        }
        log.lock().unwrap().push(path.to_owned());
        page.header("ETag", &tag)
    })
    .await;
    (site, is_later, sent)
}

async fn only_website(client: &Client, chatbot_id: Uuid) -> Website {
    let mut websites = client.websites().list(chatbot_id.into()).await.unwrap().into_inner().websites;
    assert_eq!(websites.len(), 1);
    websites.remove(0)
}

/// Waits for the end of the crawl as long as it makes progress.
async fn crawled(client: &Client, chatbot_id: Uuid, site: &Site) -> Website {
    let (mut reads, mut since) = (0, Instant::now());
    loop {
        let website = only_website(client, chatbot_id).await;
        let busy = [WebsiteStatus::Pending, WebsiteStatus::Crawling, WebsiteStatus::Processing];
        if !busy.contains(&website.status) {
            return website;
        }
        let now: usize = site.reads().values().sum();
        if now > reads {
            (reads, since) = (now, Instant::now());
        }
        assert!(since.elapsed() < STANDSTILL, "no page was read for {STANDSTILL:?}: {website:?}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Outcome and reason by path with query.
async fn report(client: &Client, chatbot_id: Uuid, website_id: Uuid) -> BTreeMap<String, (String, String)> {
    let mut report = BTreeMap::new();
    let mut cursor: Option<String> = None;
    loop {
        let mut call = client.websites().get_crawl_report(chatbot_id.into(), website_id.into()).limit(100);
        if let Some(cursor) = cursor {
            call = call.cursor(cursor);
        }
        let page = call.await.unwrap().into_inner();
        for entry in page.entries {
            let url = Url::parse(&entry.url).unwrap();
            let path = match url.query() {
                Some(query) => format!("{}?{query}", url.path()),
                None => url.path().to_owned(),
            };
            let reason = entry.reason.as_ref().map(|reason| reason.as_str().to_owned()).unwrap_or_default();
            let before = report.insert(path, (entry.outcome.as_str().to_owned(), reason));
            assert!(before.is_none(), "{} is reported twice", entry.url);
        }
        cursor = page.pagination.next_cursor;
        if cursor.is_none() {
            return report;
        }
    }
}

async fn crawl_through_kills(database: Database, pages: usize, kills: usize, span: Duration) {
    let (site, is_later, sent) = large_site(pages).await;
    let customer = database.customer("acme", Plan::Scale).await;
    let limit = (pages * 2).to_string();
    let settings = [
        "--crawl-delay-milliseconds",
        "0",
        "--max-pages",
        &limit,
        "--max-depth",
        "12",
        "--recrawl-pause-seconds",
        "0",
    ];
    let mut process = Process::start(&database, &settings);
    let talking = client(process.address, &customer.key.text);
    let created = talking.chatbots().create(chatbot_for("Helper", &[site.origin()])).await.unwrap();
    let chatbot_id = created.chatbot_id;
    let mut moments = Vec::new();
    for _ in 0..kills {
        let moment = span.mul_f64(f64::from(Uuid::new_v4().as_bytes()[0]) / 256.0);
        moments.push(moment);
        tokio::time::sleep(moment).await;
        process.kill();
        process = restart(&database, &settings).await;
    }
    let talking = client(process.address, &customer.key.text);
    let website = crawled(&talking, chatbot_id.uuid(), &site).await;
    let what = format!("{pages} pages, killed after {moments:?}");
    assert_eq!(website.status, WebsiteStatus::Partial, "{what}: {website:?}");

    let reported = report(&talking, chatbot_id.uuid(), website.website_id.uuid()).await;
    let ready = (1..pages).filter(|number| Kind::of(*number).reported().0 == "ready").count();
    for number in 1..pages {
        let (outcome, reason) = Kind::of(number).reported();
        let expected = (outcome.to_owned(), reason.to_owned());
        assert_eq!(reported.get(&format!("/page/{number}")), Some(&expected), "{what}: /page/{number}");
    }
    let reads = site.reads();
    assert!(!reads.keys().any(|path| path.starts_with("/private/")), "{what}: robots.txt was not obeyed");
    let private: Vec<_> = reported.iter().filter(|(path, _)| path.starts_with("/private/")).collect();
    assert!(!private.is_empty(), "{what}: what robots.txt forbids is reported");
    assert!(private.iter().all(|(_, (_, reason))| reason == "robots_disallowed"), "{what}: {private:?}");
    let variants = reads.keys().filter(|path| path.starts_with("/calendar")).count();
    // A process that is killed takes its counts along.
    assert!(variants <= 12 * (kills + 1), "{what}: the calendar was read {variants} times");
    let deep = reads.keys().filter(|path| path.starts_with("/deep")).count();
    assert!(deep <= 12, "{what}: the folder was read {deep} levels deep");
    // A kill costs at most the page that was being read.
    let again: usize = reads
        .iter()
        .filter(|(path, _)| {
            path.strip_prefix("/page/").is_some_and(|number| {
                number.parse::<usize>().is_ok_and(|number| Kind::of(number) == Kind::Article)
            })
        })
        .map(|(_, reads)| reads - 1)
        .sum();
    // Redirects and their targets are read twice as well.
    assert!(again <= kills + pages / 60 + 1, "{what}: {again} pages were read again");
    let scope = customer.scope();
    let stored = database.pages(&scope, chatbot_id.uuid()).await;
    let addresses: BTreeSet<&str> = stored.iter().map(|(page, _)| page.url.as_str()).collect();
    assert_eq!(addresses.len(), stored.len(), "{what}: an address is stored twice");
    let chunks: usize = stored.iter().map(|(_, chunks)| chunks.len()).sum();
    let statistics = database.store.search().corpus_stats(&scope, chatbot_id.uuid()).await.unwrap();
    assert_eq!(statistics.chunks, u64::try_from(chunks).unwrap(), "{what}: the index and the pages differ");
    let found = usize::try_from(website.pages_ready).unwrap();
    // Beside the articles: the start page, days of the calendar and levels of the folder.
    let most = ready + 1 + 12 * (kills + 1) + 12;
    assert!((ready..=most).contains(&found), "{what}: {found} pages are ready, {ready} are articles");

    is_later.store(true, Ordering::SeqCst);
    sent.lock().unwrap().clear();
    talking.websites().recrawl(chatbot_id, website.website_id, None).await.unwrap();
    crawled(&talking, chatbot_id.uuid(), &site).await;
    let expected: BTreeSet<String> = (1..pages)
        .filter(|number| version(*number, true) == 2)
        .map(|number| format!("/page/{number}"))
        .collect();
    let log = sent.lock().unwrap().clone();
    let articles = log.iter().filter(|path| {
        let number = path.strip_prefix("/page/").and_then(|number| number.parse().ok());
        // The target of a redirect is read with the redirect, which has no content to compare with.
        number.is_some_and(|number| {
            matches!(Kind::of(number), Kind::Article | Kind::Late) && Kind::of(number + 1) != Kind::Moved
        })
    });
    let articles: BTreeSet<String> = articles.cloned().collect();
    assert_eq!(articles, expected, "{what}: only changed pages are sent again");
}
