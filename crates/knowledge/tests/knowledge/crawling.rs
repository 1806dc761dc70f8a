//! Crawling sites that are well made, badly made and hostile.

use std::fmt::Write as _;
use std::io::Write as _;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use frontdesk_knowledge::{CrawlBounds, CrawlEnd, PageOutcome, Reason, Visit};

use crate::frontier::MemoryFrontier;
use crate::site::{Answer, Site, crawler, quick};

/// A page with enough text to be content, its own by `name`.
fn page(name: &str, body: &str) -> Answer {
    Answer::html(format!(
        "<html><title>{name}</title><body><main><h1>{name}</h1><p>The page {name} tells visitors what there is to know about {name}.</p>{body}</main>"
    ))
}

async fn crawl(site: &Site, bounds: CrawlBounds) -> MemoryFrontier {
    let mut frontier = MemoryFrontier::default();
    site.crawler(bounds).crawl(&mut frontier).await.unwrap();
    frontier
}

async fn visit(site: &Site, path: &str) -> Visit {
    site.crawler(quick()).visit(&site.url(path), 0).await
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn links_lead_through_a_site_and_not_out_of_it() {
    let site = Site::serve(|path| match path {
        "/" => page(
            "home",
            "<a href=/a>a</a><a href='/a?utm_source=x#y'>a again</a><a href=https://elsewhere.example/>out</a>\
             <a href=/pic.png>picture</a><a href=/price.pdf>pdf</a><a rel=nofollow href=/nofollow>n</a>",
        ),
        "/a" => page("a", "<a href=b/>b</a><a href=/missing>m</a>"),
        "/b/" => page("b", "<a href=/>home</a>"),
        _ => Answer::not_found(),
    })
    .await;
    let frontier = crawl(&site, quick()).await;
    for (path, outcome) in [
        ("/", Some("ready")),
        ("/a", Some("ready")),
        ("/b/", Some("ready")),
        ("/missing", Some("http_error")),
        ("/price.pdf", Some("excluded")),
        ("/pic.png", None),
        ("/nofollow", None),
    ] {
        assert_eq!(frontier.outcome(path), outcome, "{path}");
    }
    assert_eq!(frontier.entries.len(), 5);
    assert!(
        !site.requested().contains(&"/price.pdf".to_owned()),
        "files are not downloaded if nothing reads them"
    );
}

#[tokio::test]
async fn robots_rules_are_obeyed_on_the_way_and_after_redirects() {
    let site = Site::serve(|path| match path {
        "/robots.txt" => {
            Answer::new(200, "text/plain", "User-agent: *\nDisallow: /private\nAllow: /private/open\n")
        }
        "/" => page("home", "<a href=/private/x>x</a><a href=/private/open>o</a><a href=/moved>m</a>"),
        "/moved" => Answer::redirect("/private/secret"),
        "/private/open" => page("open", ""),
        _ => page("secret", ""),
    })
    .await;
    let frontier = crawl(&site, quick()).await;
    assert_eq!(frontier.outcome("/private/x"), Some("robots_disallowed"));
    assert_eq!(frontier.outcome("/moved"), Some("robots_disallowed"));
    assert_eq!(frontier.outcome("/private/open"), Some("ready"));
    assert!(!site.requested().iter().any(|path| path.starts_with("/private/") && path != "/private/open"));
    assert_eq!(site.requested().iter().filter(|path| *path == "/robots.txt").count(), 1);
}

#[tokio::test]
async fn an_unavailable_robots_file_is_judged_by_its_status() {
    for (status, outcome) in [
        (404, "ready"),
        (403, "ready"),
        (500, "robots_disallowed"),
        (503, "robots_disallowed"),
        (429, "robots_disallowed"),
    ] {
        let site = Site::serve(move |path| match path {
            "/robots.txt" => Answer::new(status, "text/plain", "no"),
            _ => page("home", ""),
        })
        .await;
        assert_eq!(crawl(&site, quick()).await.outcome("/"), Some(outcome), "{status}");
    }
}

#[tokio::test]
async fn sitemaps_are_read_once_even_when_they_contain_themselves() {
    let site = Site::serve(|path| match path {
        "/robots.txt" => Answer::new(200, "text/plain", "Sitemap: {root}/index.xml\n"),
        "/index.xml" => Answer::new(
            200,
            "application/xml",
            "<sitemapindex><sitemap><loc>{root}/index.xml</loc></sitemap><sitemap><loc>{root}/deep.xml.gz</loc></sitemap></sitemapindex>",
        ),
        "/deep.xml.gz" => Answer::new(
            200,
            "application/gzip",
            gzip(b"<urlset><url><loc>/only-here</loc></url><url><loc>https://elsewhere.example/x</loc></url></urlset>"),
        ),
        "/" => page("home", ""),
        "/only-here" => page("only here", ""),
        _ => Answer::not_found(),
    })
    .await;
    let frontier = crawl(&site, quick()).await;
    assert_eq!(frontier.outcome("/only-here"), Some("ready"));
    assert_eq!(frontier.entries.len(), 2);
    assert_eq!(site.requested().iter().filter(|path| *path == "/index.xml").count(), 1);
}

#[tokio::test]
async fn the_usual_sitemap_is_found_without_being_named() {
    let site = Site::serve(|path| match path {
        "/sitemap.xml" => {
            Answer::new(200, "text/xml", "<urlset><url><loc>{root}/listed</loc></url></urlset>")
        }
        "/" => page("home", ""),
        "/listed" => page("listed", ""),
        _ => Answer::not_found(),
    })
    .await;
    assert_eq!(crawl(&site, quick()).await.outcome("/listed"), Some("ready"));
    let without = crawl(&site, CrawlBounds { sitemaps: false, ..quick() }).await;
    assert_eq!(without.outcome("/listed"), None);
}

#[tokio::test]
async fn an_endless_calendar_ends() {
    let site = Site::serve(|path| {
        let (year, month) =
            path.strip_prefix("/events/").and_then(|rest| rest.split_once('/')).unwrap_or(("2026", "1"));
        let (year, month): (u32, u32) = (year.parse().unwrap_or(2026), month.parse().unwrap_or(1));
        let (next_year, next) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
        page(&format!("{year} in month {month}"), &format!("<a href=/events/{next_year}/{next}>next</a>"))
    })
    .await;
    let frontier = crawl(&site, CrawlBounds { max_depth: 1_000, ..quick() }).await;
    assert!(frontier.pages().len() <= 13, "{}", frontier.pages().len());
}

#[tokio::test]
async fn a_site_that_generates_links_is_bounded() {
    let site = Site::serve(|path| {
        let mut links = String::new();
        for name in ["x", "y", "z"] {
            write!(
                links,
                "<a href='{}{name}/'>{name}</a><a href='?q={name}{}'>q</a>",
                if path.ends_with('/') { "" } else { "./" },
                path.len()
            )
            .unwrap();
        }
        page(path, &links)
    })
    .await;
    let bounds = CrawlBounds { max_pages: 30, ..quick() };
    let mut frontier = MemoryFrontier::default();
    let end = site.crawler(bounds).crawl(&mut frontier).await.unwrap();
    assert_eq!(end, CrawlEnd::OverLimit);
    assert_eq!(frontier.pages().len(), 30);
    assert_eq!(frontier.count("pending"), 0);
    assert!(frontier.count("over_limit") > 0);
}

#[tokio::test]
async fn visits_are_bounded_when_nothing_is_content() {
    let site = Site::serve(|path| {
        if path == "/robots.txt" || path == "/sitemap.xml" || path == "/sitemap_index.xml" {
            return Answer::not_found();
        }
        let number: usize = path.trim_start_matches("/n").parse().unwrap_or(0);
        Answer::html(format!("<a href=/n{}>1</a><a href=/n{}>2</a>", number * 2 + 1, number * 2 + 2))
    })
    .await;
    let frontier = crawl(&site, CrawlBounds { max_visits: 40, max_depth: 100, ..quick() }).await;
    assert_eq!(frontier.entries.iter().filter(|entry| entry.visit.is_some()).count(), 40);
    assert_eq!(frontier.count("empty_content"), 40);
}

#[tokio::test]
async fn depth_is_bounded() {
    let site = Site::serve(|path| {
        let number: usize = path.trim_start_matches("/p").parse().unwrap_or(0);
        page(&format!("number {number}"), &format!("<a href=/p{}>next</a>", number + 1))
    })
    .await;
    let frontier = crawl(&site, CrawlBounds { max_depth: 3, ..quick() }).await;
    assert_eq!(frontier.pages().len(), 4);
    let frontier = crawl(&site, CrawlBounds { max_depth: 0, ..quick() }).await;
    assert_eq!(frontier.pages().len(), 1);
}

#[tokio::test]
async fn duplicates_and_copies_are_distinguished_from_originals() {
    let site = Site::serve(|path| match path {
        "/" => page("home", "<a href=/a>a</a><a href=/a/index.html>same</a><a href=/print>print</a><a href=/home-canonical>h</a><a href=/other-site>o</a>"),
        "/a" | "/a/index.html" => page("a", ""),
        "/print" => page("a to print", "<link rel=canonical href=/original>"),
        "/original" => page("original", ""),
        "/home-canonical" => page("template mistake", "<link rel=canonical href=/>"),
        "/other-site" => page("syndicated", "<link rel=canonical href='https://elsewhere.example/x'>"),
        _ => Answer::not_found(),
    })
    .await;
    let frontier = crawl(&site, quick()).await;
    for (path, outcome) in [
        ("/a", "ready"),
        ("/a/index.html", "duplicate"),
        ("/print", "canonical_elsewhere"),
        ("/original", "ready"),
        ("/home-canonical", "ready"),
        ("/other-site", "ready"),
    ] {
        assert_eq!(frontier.outcome(path), Some(outcome), "{path}");
    }
}

#[tokio::test]
async fn pages_say_what_robots_may_do() {
    let site = Site::serve(|path| match path {
        "/" => page(
            "home",
            "<a href=/meta>1</a><a href=/header>2</a><a href=/nofollow>3</a><a href=/others>4</a>",
        ),
        "/meta" => page("meta", "<meta name=robots content=noindex><a href=/from-noindex>x</a>"),
        "/header" => page("header", "").with("X-Robots-Tag", "noindex"),
        "/nofollow" => page("nofollow", "<a href=/unreachable>x</a>").with("X-Robots-Tag", "nofollow"),
        "/others" => page("others", "").with("X-Robots-Tag", "otherbot: noindex"),
        "/from-noindex" => page("reached", ""),
        _ => Answer::not_found(),
    })
    .await;
    let frontier = crawl(&site, quick()).await;
    for (path, outcome) in [
        ("/meta", Some("noindex")),
        ("/header", Some("noindex")),
        ("/nofollow", Some("ready")),
        ("/others", Some("ready")),
        ("/from-noindex", Some("ready")),
        ("/unreachable", None),
    ] {
        assert_eq!(frontier.outcome(path), outcome, "{path}");
    }
}

#[tokio::test]
async fn redirects_are_followed_within_the_site() {
    let site = Site::serve(|path| match path {
        "/" => page("home", "<a href=/old>1</a><a href=/loop>2</a><a href=/chain0>3</a><a href=/out>4</a><a href=/stub>5</a><a href=/broken>6</a>"),
        "/old" => Answer::redirect("/new?utm_source=old"),
        "/new?utm_source=old" | "/new" => page("new", ""),
        "/loop" => Answer::redirect("/loop2"),
        "/loop2" => Answer::redirect("/loop"),
        "/out" => Answer::redirect("https://elsewhere.example/"),
        "/stub" => Answer::html("<meta http-equiv=refresh content='0; url=/after-stub'><p>This page has moved to a new address, follow it.</p>"),
        "/after-stub" => page("after stub", ""),
        "/broken" => Answer::redirect("http://["),
        path => match path.strip_prefix("/chain").and_then(|number| number.parse::<u32>().ok()) {
            Some(number) => Answer::redirect(format!("/chain{}", number + 1)),
            None => Answer::not_found(),
        },
    })
    .await;
    let frontier = crawl(&site, quick()).await;
    for (path, outcome) in [
        ("/old", "ready"),
        ("/loop", "redirect_loop"),
        ("/chain0", "redirect_loop"),
        ("/out", "canonical_elsewhere"),
        ("/stub", "canonical_elsewhere"),
        ("/after-stub", "ready"),
        ("/broken", "http_error"),
    ] {
        assert_eq!(frontier.outcome(path), Some(outcome), "{path}");
    }
    let new = frontier.pages().into_iter().find(|page| page.title == "new").unwrap().url.clone();
    assert_eq!(new, site.url("/new"), "the address to cite is the normalised final one");
}

#[tokio::test]
async fn a_root_that_moved_takes_its_site_along() {
    let new = Site::serve(|path| match path {
        "/" => page("new home", "<a href=/inner>i</a>"),
        "/inner" => page("inner", ""),
        _ => Answer::not_found(),
    })
    .await;
    let target = new.root.to_string();
    let old = Site::serve(move |path| {
        if path == "/robots.txt" { Answer::not_found() } else { Answer::redirect(target.clone()) }
    })
    .await;
    let mut frontier = MemoryFrontier::default();
    old.crawler(quick()).crawl(&mut frontier).await.unwrap();
    let mut urls: Vec<_> = frontier.pages().into_iter().map(|page| page.url.clone()).collect();
    urls.sort();
    assert_eq!(urls, [new.url("/"), new.url("/inner")]);
}

#[tokio::test]
async fn responses_without_content_are_reported_by_reason() {
    let site = Site::serve(|path| match path {
        "/image" => Answer::new(200, "image/png", vec![0x89, b'P', b'N', b'G', 0, 1]),
        "/pdf" => Answer::new(200, "text/html", "%PDF-1.7 rest"),
        "/binary" => Answer::new(200, "text/plain", vec![b'a', 0, 1, 2]),
        "/text" => Answer::new(200, "text/plain", "OPENING HOURS\n\nWe are open every day from nine to six."),
        "/notes.md" => Answer::new(200, "application/octet-stream", "# Notes\n\nWe are open every day from *nine* to six."),
        "/mislabelled" => Answer::new(200, "text/plain", "<!doctype html><title>t</title><p>This is a web page that is labelled as text."),
        "/empty" => Answer::html("<nav>a b c</nav><main><h1>Title</h1></main>"),
        "/login" => Answer::html("<title>Sign in</title><form><h1>Sign in</h1><input name=u><input type=password name=p></form>"),
        "/unauthorized" => Answer::new(401, "text/html", "<p>no</p>"),
        "/challenge" => Answer::new(403, "text/html", "<title>Just a moment...</title><script src='/cdn-cgi/challenge-platform/x.js'></script>"),
        "/challenge-ok" => Answer::html("<title>Just a moment...</title><p>Checking your browser before you may go on to the site.</p>"),
        "/mitigated" => Answer::new(403, "text/html", "<p>no</p>").with("cf-mitigated", "challenge"),
        "/app" => Answer::html("<div id=root></div><script src=/main.js></script><noscript>You need to enable JavaScript to run this app.</noscript>"),
        "/large" => Answer::html("x".repeat(6_000_000)),
        "/bomb" => Answer::new(200, "text/html", gzip(&vec![b'a'; 50_000_000])).with("Content-Encoding", "gzip"),
        "/error" => Answer::new(500, "text/html", "<p>Internal error, please come back at another time.</p>"),
        "/slow" => page("slow", "").stalling(),
        _ => Answer::not_found(),
    })
    .await;
    let bounds = CrawlBounds { page_time: Duration::from_millis(1_500), ..quick() };
    for (path, reason) in [
        ("/image", Some(Reason::NotHtml)),
        ("/pdf", Some(Reason::Excluded)),
        ("/binary", Some(Reason::NotHtml)),
        ("/text", None),
        ("/notes.md", None),
        ("/mislabelled", None),
        ("/empty", Some(Reason::EmptyContent)),
        ("/login", Some(Reason::LoginRequired)),
        ("/unauthorized", Some(Reason::LoginRequired)),
        ("/challenge", Some(Reason::BotChallenge)),
        ("/challenge-ok", Some(Reason::BotChallenge)),
        ("/mitigated", Some(Reason::BotChallenge)),
        ("/app", Some(Reason::NeedsJavascript)),
        ("/large", Some(Reason::TooLarge)),
        ("/bomb", Some(Reason::TooLarge)),
        ("/error", Some(Reason::HttpError)),
        ("/missing", Some(Reason::HttpError)),
        ("/slow", Some(Reason::Timeout)),
    ] {
        let bounds = if path == "/slow" { bounds.clone() } else { quick() };
        let visit = site.crawler(bounds).visit(&site.url(path), 0).await;
        assert_eq!(visit.outcome.reason(), reason, "{path}: {:?}", visit.outcome);
        let failed = matches!(visit.outcome, PageOutcome::Failed { .. });
        assert_eq!(failed, reason.is_some_and(Reason::is_failure), "{path}");
    }
}

#[tokio::test]
async fn hosts_that_cannot_be_reached_say_why() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let closed = format!("http://{}/", listener.local_addr().unwrap()).parse().unwrap();
    drop(listener);
    for (root, reason) in [
        (closed, Reason::ConnectionFailed),
        ("http://10.0.0.1/".parse().unwrap(), Reason::BlockedAddress),
        ("http://169.254.169.254/latest/meta-data/".parse().unwrap(), Reason::BlockedAddress),
    ] {
        let mut frontier = MemoryFrontier::default();
        let roots = [root];
        crawler(&roots, quick()).crawl(&mut frontier).await.unwrap();
        let visit = frontier.entries[0].visit.as_ref().unwrap();
        assert_eq!(visit.outcome.reason(), Some(reason), "{:?}", visit.outcome);
    }
}

#[tokio::test]
async fn the_words_of_a_page_survive_its_charset_and_its_mistakes() {
    let site = Site::serve(|path| match path {
        "/latin" => Answer::new(200, "text/html; charset=iso-8859-1", b"<title>Men\xfc</title><p>Caf\xe9 cr\xe8me kostet vier Euro und f\xfcnfzig Cent.".to_vec()),
        "/lie" => Answer::new(200, "text/html; charset=iso-8859-1", "<title>Menü</title><p>Café crème kostet vier Euro und fünfzig Cent."),
        "/broken" => Answer::html("<title>Menü</tilte></title><div><p>Café <b>crème kostet</p> vier Euro <table><tr><td>und fünfzig</div> Cent."),
        _ => Answer::not_found(),
    })
    .await;
    for path in ["/latin", "/lie", "/broken"] {
        let PageOutcome::Ready(page) = visit(&site, path).await.outcome else {
            panic!("{path} is not ready")
        };
        let text = page.text();
        for word in ["Café", "crème", "kostet", "vier", "fünfzig", "Cent"] {
            assert!(text.contains(word), "{path}: {text}");
        }
    }
}

#[tokio::test]
async fn a_busy_server_is_asked_once_more() {
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let site = Site::serve(move |path| match path {
        "/busy" if asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 0 => {
            Answer::new(503, "text/plain", "busy").with("Retry-After", "0")
        }
        "/busy" => page("busy", ""),
        "/always" => Answer::new(429, "text/plain", "busy").with("Retry-After", "3600"),
        _ => Answer::not_found(),
    })
    .await;
    assert_eq!(visit(&site, "/busy").await.outcome.reason(), None);
    assert_eq!(visit(&site, "/always").await.outcome.reason(), Some(Reason::ServerBusy));
    assert_eq!(site.requested().iter().filter(|path| *path == "/always").count(), 1);
}

#[tokio::test]
async fn a_lost_crawl_continues_with_the_first_unfinished_page() {
    let site = Site::serve(|path| {
        let number: usize = path.trim_start_matches("/p").parse().unwrap_or(0);
        if number > 9 {
            Answer::not_found()
        } else {
            page(&format!("number {number}"), &format!("<a href=/p{}>next</a>", number + 1))
        }
    })
    .await;
    let mut frontier = MemoryFrontier { cancel_after: Some(4), ..MemoryFrontier::default() };
    let bounds = CrawlBounds { max_depth: 50, sitemaps: false, ..quick() };
    assert_eq!(site.crawler(bounds.clone()).crawl(&mut frontier).await.unwrap(), CrawlEnd::Cancelled);
    assert_eq!(frontier.pages().len(), 4);
    frontier.cancel_after = None;
    assert_eq!(site.crawler(bounds).crawl(&mut frontier).await.unwrap(), CrawlEnd::Finished);
    assert_eq!(frontier.pages().len(), 10);
    let visits = site.requested().iter().filter(|path| *path == "/p3").count();
    assert_eq!(visits, 1, "a finished page was visited again");
}

#[tokio::test]
async fn unchanged_pages_are_recognised_on_a_second_crawl() {
    let site = Site::serve(|path| if path == "/" { page("home", "") } else { Answer::not_found() }).await;
    let mut frontier = crawl(&site, quick()).await;
    let hash = frontier.pages()[0].content_hash.clone();
    frontier.entries[0].known_hash = Some(hash);
    frontier.entries[0].visit = None;
    site.crawler(quick()).crawl(&mut frontier).await.unwrap();
    assert_eq!(frontier.outcome("/"), Some("unchanged"));
}

#[tokio::test]
async fn crawl_delay_is_honoured() {
    let site = Site::serve(|path| match path {
        "/robots.txt" => Answer::new(200, "text/plain", "User-agent: *\nCrawl-delay: 1\n"),
        path => page(path, ""),
    })
    .await;
    let mut crawler = site.crawler(quick());
    let start = std::time::Instant::now();
    crawler.visit(&site.url("/a"), 0).await;
    crawler.visit(&site.url("/b"), 0).await;
    assert!(start.elapsed() >= Duration::from_secs(1));
}

#[tokio::test]
async fn pages_that_do_not_exist_are_recognized_behind_a_200() {
    let missing = |path: &str| {
        Answer::html(format!(
            "<title>Mill</title><main><h1>Oh no</h1><p>We could not find the page {path} that you wanted.</p>\
             <p>Perhaps the search helps you to find what you were looking for in our shop.</p></main>"
        ))
    };
    let site = Site::serve(move |path| match path {
        "/robots.txt" => Answer::not_found(),
        "/" => page("home", "<a href=/flour>f</a><a href=/old>o</a><a href=/lost>l</a>"),
        "/flour" => page("flour", ""),
        "/lost" => page("lost property", "<p>Things whose owner was not found are sold in May.</p>"),
        path => missing(path),
    })
    .await;
    let frontier = crawl(&site, quick()).await;
    for (path, outcome) in [("/", "ready"), ("/flour", "ready"), ("/lost", "ready"), ("/old", "not_found")] {
        assert_eq!(frontier.outcome(path), Some(outcome), "{path}");
    }
    let known = ["/", "/flour", "/old", "/lost", "/robots.txt", "/sitemap.xml", "/sitemap_index.xml"];
    let probes = site.requested().into_iter().filter(|path| !known.contains(&path.as_str())).count();
    assert!(probes <= 3, "a random address is asked for once: {:?}", site.requested());
}

#[tokio::test]
async fn cookie_walls_are_not_content() {
    let wall = "<title>Mill</title><body><div class=box><h2>Before you continue</h2>\
        <p>We use cookies and similar technologies to process personal data and to measure how our site is used.</p>\
        <p>You can withdraw your consent at any time in our privacy policy.</p>\
        <button>Accept all</button> <button>Reject</button> <a href=/privacy>Privacy</a></div></body>";
    let site = Site::serve(move |path| match path {
        "/wall" => Answer::html(wall),
        "/banner" => page("banner", &format!("{wall}<p>Our mill grinds rye and wheat every day from eight in the morning. \
            The shop beside it sells flour, oats and bread, and the cafe has pancakes. Groups of up to twenty people can \
            book a tour of the mill on the telephone or at the counter of the shop.</p>")),
        "/policy" => page("cookie policy", &"<p>This cookie is set by the shop and keeps the basket for a day.</p>".repeat(30)),
        _ => Answer::not_found(),
    })
    .await;
    for (path, reason) in [("/wall", Some(Reason::ConsentRequired)), ("/banner", None), ("/policy", None)] {
        assert_eq!(visit(&site, path).await.outcome.reason(), reason, "{path}");
    }
}
