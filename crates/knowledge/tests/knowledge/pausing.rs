//! Pauses between requests, servers that ask to come back later, and what a crawl visits first.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use frontdesk_knowledge::{CrawlBounds, CrawlEnd, Crawler, Hosts, Reason, Root};

use crate::frontier::MemoryFrontier;
use crate::site::{Answer, Site, crawler, crawler_with, quick};

/// A pause that is longer than the crawls of these tests sleep.
const PAUSE: Duration = Duration::from_millis(300);

/// Returns bounds by which a crawl ends at every pause.
fn pausing() -> CrawlBounds {
    CrawlBounds { delay: PAUSE, max_sleep: PAUSE / 3, max_retry_wait: Duration::from_secs(5), ..quick() }
}

/// Returns a page with enough text to be content.
fn page(name: &str, body: &str) -> Answer {
    Answer::html(format!(
        "<html><title>{name}</title><body>{body}<main><h1>{name}</h1><p>The page {name} says everything there is to say about {name}.</p></main>"
    ))
}

/// Crawls to the end, waiting as the crawl says. Returns the waits.
async fn crawl_with_waits(crawler: &mut Crawler, frontier: &mut MemoryFrontier) -> Vec<Duration> {
    let mut waits = Vec::new();
    loop {
        match crawler.crawl(frontier).await.unwrap() {
            CrawlEnd::Waiting { wait } => {
                waits.push(wait);
                tokio::time::sleep(wait).await;
            }
            end => {
                assert_eq!(end, CrawlEnd::Finished);
                return waits;
            }
        }
    }
}

fn count(site: &Site, path: &str) -> usize {
    site.requested().iter().filter(|requested| *requested == path).count()
}

#[tokio::test]
async fn links_of_the_start_page_come_before_the_rest_of_the_sitemap() {
    let site = Site::serve(|path| match path {
        "/sitemap.xml" => Answer::new(
            200,
            "text/xml",
            "<urlset><url><loc>/listed-1</loc></url><url><loc>/linked</loc></url><url><loc>/listed-2</loc></url></urlset>",
        ),
        "/" => page("home", "<nav><a href=/menu>menu</a></nav><p><a href=/linked>linked</a></p>"),
        "/menu" => page("menu", "<a href=/below-the-menu>below</a>"),
        path => page(path, ""),
    })
    .await;
    let mut frontier = MemoryFrontier::default();
    site.crawler(quick()).crawl(&mut frontier).await.unwrap();
    let order: Vec<&str> = frontier.entries.iter().map(|entry| entry.found.url.path()).collect();
    assert_eq!(order, ["/", "/menu", "/linked", "/listed-1", "/listed-2", "/below-the-menu"]);

    let mut frontier = MemoryFrontier::default();
    site.crawler(CrawlBounds { max_pages: 3, ..quick() }).crawl(&mut frontier).await.unwrap();
    for (path, outcome) in
        [("/", "ready"), ("/menu", "ready"), ("/linked", "ready"), ("/listed-1", "over_limit")]
    {
        assert_eq!(frontier.outcome(path), Some(outcome), "{path}");
    }
}

#[tokio::test]
async fn a_start_address_with_a_path_confines_the_crawl() {
    let site = Site::serve(|path| match path {
        "/sitemap.xml" => Answer::new(
            200,
            "text/xml",
            "<urlset><url><loc>/shop/listed</loc></url><url><loc>/blog/listed</loc></url></urlset>",
        ),
        "/shop/" => {
            page("shop", "<a href=shoes>s</a><a href=/>home</a><a href=/blog/>b</a><a href=moved>m</a>")
        }
        "/shop/moved" => Answer::redirect("/blog/moved"),
        "/shop/shoes" => page("shoes", "<link rel=canonical href=/blog/shoes>"),
        path => page(path, ""),
    })
    .await;
    let roots = [site.url("/shop/")];
    let mut frontier = MemoryFrontier::default();
    crawler(&roots, quick()).crawl(&mut frontier).await.unwrap();
    for (path, outcome) in [
        ("/shop/", Some("ready")),
        ("/shop/shoes", Some("ready")),
        ("/shop/listed", Some("ready")),
        ("/shop/moved", Some("canonical_elsewhere")),
        ("/", None),
        ("/blog/", None),
        ("/blog/listed", None),
        ("/blog/shoes", None),
    ] {
        assert_eq!(frontier.outcome(path), outcome, "{path}");
    }
    assert!(!site.requested().iter().any(|path| path == "/" || path.starts_with("/blog")));

    let mut frontier = MemoryFrontier::default();
    crawler(&roots, CrawlBounds { confine_to_path: false, ..quick() }).crawl(&mut frontier).await.unwrap();
    for path in ["/", "/blog/", "/blog/listed", "/blog/shoes", "/shop/listed"] {
        assert_eq!(frontier.outcome(path), Some("ready"), "{path}");
    }
}

#[tokio::test]
async fn a_crawl_ends_at_a_long_pause_and_continues_after_it() {
    let site = Site::serve(|path| match path {
        "/robots.txt" => Answer::new(200, "text/plain", "Sitemap: {root}/map.xml"),
        "/map.xml" => Answer::new(200, "text/xml", "<urlset><url><loc>/listed</loc></url></urlset>"),
        "/" => page("home", "<a href=/old>1</a>"),
        "/old" => Answer::redirect("/new"),
        path => page(path, ""),
    })
    .await;
    let mut crawler = site.crawler(pausing());
    let mut frontier = MemoryFrontier::default();
    let started = Instant::now();
    let waits = crawl_with_waits(&mut crawler, &mut frontier).await;
    // The sitemap, both steps of the redirect and the listed page each wait for the request before.
    assert_eq!(waits.len(), 4, "{waits:?}");
    assert!(waits.iter().all(|wait| *wait <= PAUSE && *wait > PAUSE / 3), "{waits:?}");
    assert!(started.elapsed() >= PAUSE * 4);
    assert_eq!(site.requested(), ["/robots.txt", "/", "/map.xml", "/old", "/new", "/listed"]);
    assert_eq!(frontier.pages().len(), 3);
}

#[tokio::test]
async fn short_pauses_are_slept_through() {
    let site = Site::serve(|path| match path {
        "/" => page("home", "<a href=/a>1</a>"),
        path => page(path, ""),
    })
    .await;
    let bounds = CrawlBounds { max_sleep: PAUSE, sitemaps: false, ..pausing() };
    let started = Instant::now();
    let mut frontier = MemoryFrontier::default();
    assert_eq!(site.crawler(bounds).crawl(&mut frontier).await.unwrap(), CrawlEnd::Finished);
    assert!(started.elapsed() >= PAUSE);
    assert_eq!(frontier.pages().len(), 2);
}

#[tokio::test]
async fn a_crawl_stops_for_others_after_its_time() {
    let site = Site::serve(|path| match path {
        "/" => page("home", "<a href=/a>1</a><a href=/b>2</a>"),
        path => page(path, ""),
    })
    .await;
    let bounds = CrawlBounds { slice: Duration::ZERO, sitemaps: false, ..quick() };
    let mut frontier = MemoryFrontier::default();
    let waits = crawl_with_waits(&mut site.crawler(bounds), &mut frontier).await;
    // A page at a time, and then the end.
    assert_eq!((waits, frontier.pages().len()), (vec![Duration::ZERO; 3], 3));
    assert_eq!(site.requested(), ["/robots.txt", "/", "/a", "/b"], "nothing is read again");
}

#[tokio::test]
async fn two_crawls_of_one_host_share_its_pause() {
    let site = Site::serve(|path| match path {
        "/" => page("home", "<a href=/a>1</a><a href=/b>2</a>"),
        path => page(path, ""),
    })
    .await;
    let hosts = Hosts::new();
    let crawl = |hosts: Hosts| {
        let mut crawler = crawler_with(
            [Root::from(site.root.clone())],
            hosts,
            CrawlBounds { sitemaps: false, ..pausing() },
        );
        async move {
            let mut frontier = MemoryFrontier::default();
            crawl_with_waits(&mut crawler, &mut frontier).await;
            frontier.pages().len()
        }
    };
    let started = Instant::now();
    let pages = tokio::join!(crawl(hosts.clone()), crawl(hosts.clone()));
    assert_eq!(pages, (3, 3));
    assert!(started.elapsed() >= PAUSE * 5, "six requests took {:?}", started.elapsed());
}

#[tokio::test]
async fn a_busy_server_is_asked_again_when_it_says() {
    let robots = AtomicUsize::new(0);
    let asked = AtomicUsize::new(0);
    let site = Site::serve(move |path| match path {
        "/robots.txt" if robots.fetch_add(1, Ordering::Relaxed) == 0 => {
            Answer::new(503, "text/plain", "busy").with("Retry-After", "1")
        }
        "/robots.txt" => Answer::not_found(),
        "/" if asked.fetch_add(1, Ordering::Relaxed) < 2 => {
            Answer::new(429, "text/plain", "busy").with("Retry-After", "1")
        }
        path => page(path, ""),
    })
    .await;
    let mut frontier = MemoryFrontier::default();
    let bounds = CrawlBounds { delay: Duration::ZERO, sitemaps: false, ..pausing() };
    let waits = crawl_with_waits(&mut site.crawler(bounds), &mut frontier).await;
    assert_eq!(waits.len(), 3, "{waits:?}");
    assert!(waits.iter().all(|wait| *wait <= Duration::from_secs(1)), "{waits:?}");
    assert_eq!(frontier.outcome("/"), Some("ready"));
    assert_eq!((count(&site, "/robots.txt"), count(&site, "/")), (2, 3));
}

#[tokio::test]
async fn a_server_that_stays_busy_is_reported() {
    let site = Site::serve(|path| match path {
        "/robots.txt" => Answer::not_found(),
        _ => Answer::new(503, "text/plain", "busy").with("Retry-After", "0"),
    })
    .await;
    let visit = site.crawler(quick()).visit(&site.root, 0).await;
    assert_eq!(visit.outcome.reason(), Some(Reason::ServerBusy));
    assert_eq!(visit.http_status, Some(503));
    assert_eq!(count(&site, "/"), 3);
}

#[tokio::test]
async fn pages_of_a_server_that_asks_for_too_long_a_wait_are_reported_and_not_waited_for() {
    let site = Site::serve(|path| match path {
        "/robots.txt" => Answer::not_found(),
        "/" => page(
            "home",
            "<a href=/1>1</a><a href=/open>o</a><a href=/2>2</a><a href=/3>3</a><a href=/4>4</a><a href=/5>5</a>",
        ),
        "/open" => page("open", ""),
        _ => Answer::new(503, "text/plain", "busy").with("Retry-After", "3600"),
    })
    .await;
    let mut frontier = MemoryFrontier::default();
    let bounds = CrawlBounds { delay: Duration::ZERO, sitemaps: false, ..pausing() };
    assert_eq!(site.crawler(bounds).crawl(&mut frontier).await.unwrap(), CrawlEnd::Finished);
    assert_eq!(frontier.outcome("/open"), Some("ready"), "one busy page does not stop the crawl");
    assert_eq!(frontier.count("server_busy"), 5);
    assert_eq!(count(&site, "/4"), 1);
    assert_eq!(count(&site, "/5"), 0, "a host that refuses three pages in a row is left alone");
}

#[tokio::test]
async fn pages_behind_too_long_a_crawl_delay_are_reported_and_not_waited_for() {
    let site = Site::serve(|path| match path {
        "/robots.txt" => Answer::new(200, "text/plain", "User-agent: *\nCrawl-delay: 3600\n"),
        "/" => page("home", "<a href=/a>1</a>"),
        path => page(path, ""),
    })
    .await;
    let mut frontier = MemoryFrontier::default();
    assert_eq!(site.crawler(quick()).crawl(&mut frontier).await.unwrap(), CrawlEnd::Finished);
    assert_eq!(frontier.outcome("/"), Some("ready"), "the first request needs no pause");
    assert_eq!(frontier.outcome("/a"), Some("crawl_delay_too_long"));
    assert_eq!(site.requested(), ["/robots.txt", "/"]);
}

#[tokio::test]
async fn a_new_crawler_knows_where_a_root_was_found() {
    let new = Site::serve(|path| match path {
        "/" => page("new home", "<a href=/a>1</a>"),
        "/a" => page("a", "<a href=/>home</a><a href=/b>2</a>"),
        path => page(path, ""),
    })
    .await;
    let target = new.root.to_string();
    let old = Site::serve(move |path| {
        if path == "/robots.txt" { Answer::not_found() } else { Answer::redirect(target.clone()) }
    })
    .await;
    let bounds = CrawlBounds { sitemaps: false, ..quick() };
    let mut frontier = MemoryFrontier { cancel_after: Some(1), ..MemoryFrontier::default() };
    let root = Root::from(old.root.clone());
    let end = crawler_with([root.clone()], Hosts::new(), bounds.clone()).crawl(&mut frontier).await.unwrap();
    assert_eq!(end, CrawlEnd::Cancelled);

    frontier.cancel_after = None;
    let final_url = frontier.entries[0].visit.as_ref().map(|visit| visit.final_url.clone());
    assert_eq!(final_url.as_ref(), Some(&new.root));
    let root = Root { final_url, ..root };
    crawler_with([root], Hosts::new(), bounds).crawl(&mut frontier).await.unwrap();
    assert_eq!(frontier.pages().len(), 3);
    assert_eq!(count(&new, "/"), 1, "the page that the root redirects to is known");
}

#[tokio::test]
async fn a_redirect_to_an_internal_address_is_not_repeated() {
    let site = Site::serve(|path| match path {
        "/robots.txt" => Answer::not_found(),
        _ => Answer::redirect("http://10.1.2.3/secret"),
    })
    .await;
    let visit = site.crawler(quick()).visit(&site.root, 0).await;
    assert_eq!(visit.outcome.reason(), Some(Reason::BlockedAddress));
    assert_eq!(visit.final_url, site.root);
    assert_eq!(visit.http_status, Some(301));
}
