//! A website on a loopback port that responds with a function of the requested path.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use frontdesk_knowledge::{CrawlBounds, Crawler, Hosts, Root};
use frontdesk_outbound::{Outbound, Policy};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

/// A response of a test site.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    /// Send the head and the first byte of the body, then nothing more.
    stalls: bool,
}

impl Answer {
    pub(crate) fn html(body: impl Into<String>) -> Self {
        Self::new(200, "text/html; charset=utf-8", body.into())
    }

    pub(crate) fn new(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            headers: vec![("Content-Type".to_owned(), content_type.to_owned())],
            body: body.into(),
            stalls: false,
        }
    }

    pub(crate) fn not_found() -> Self {
        Self::new(404, "text/plain", "not found")
    }

    pub(crate) fn redirect(target: impl Into<String>) -> Self {
        Self::new(301, "text/plain", "").with("Location", target)
    }

    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    pub(crate) fn stalling(mut self) -> Self {
        self.stalls = true;
        self
    }
}

/// A running site.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) root: Url,
    requested: Arc<Mutex<Vec<String>>>,
}

impl Site {
    /// Serves the result of `answer` for a path with its query. `{root}` in a body or header is replaced by
    /// the site's address.
    pub(crate) async fn serve(answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let root = Url::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
        let requested = Arc::new(Mutex::new(Vec::new()));
        let answer = Arc::new(answer);
        let (log, base) = (Arc::clone(&requested), root.as_str().trim_end_matches('/').to_owned());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (answer, log, base) = (Arc::clone(&answer), Arc::clone(&log), base.clone());
                tokio::spawn(async move {
                    let _ = converse(stream, &*answer, &log, &base).await;
                });
            }
        });
        Self { root, requested }
    }

    pub(crate) fn url(&self, path: &str) -> Url {
        self.root.join(path).unwrap()
    }

    /// Returns the paths requested so far.
    pub(crate) fn requested(&self) -> Vec<String> {
        self.requested.lock().unwrap().clone()
    }

    /// Returns a crawler of the site that may reach loopback addresses.
    pub(crate) fn crawler(&self, bounds: CrawlBounds) -> Crawler {
        crawler(std::slice::from_ref(&self.root), bounds)
    }
}

pub(crate) fn crawler(roots: &[Url], bounds: CrawlBounds) -> Crawler {
    crawler_with(roots.iter().cloned().map(Root::from), Hosts::new(), bounds)
}

/// A crawler that shares the pauses between requests with others.
pub(crate) fn crawler_with(
    roots: impl IntoIterator<Item = Root>,
    hosts: Hosts,
    bounds: CrawlBounds,
) -> Crawler {
    let mut policy = Policy::new("Frontdesk/1.0");
    policy.allow = vec!["127.0.0.0/8".parse().unwrap()];
    Crawler::new(Outbound::new(policy).unwrap(), hosts, roots, bounds)
}

/// Returns bounds for a site that responds at once.
pub(crate) fn quick() -> CrawlBounds {
    CrawlBounds { delay: Duration::ZERO, max_retry_wait: Duration::ZERO, ..CrawlBounds::default() }
}

async fn converse(
    mut stream: TcpStream,
    answer: &(impl Fn(&str) -> Answer + ?Sized),
    log: &Mutex<Vec<String>>,
    base: &str,
) -> std::io::Result<()> {
    let mut pending = Vec::new();
    loop {
        let end = loop {
            if let Some(end) = pending.windows(4).position(|window| window == b"\r\n\r\n") {
                break end + 4;
            }
            let mut buffer = [0; 4_096];
            let read = stream.read(&mut buffer).await?;
            if read == 0 {
                return Ok(());
            }
            pending.extend_from_slice(&buffer[..read]);
        };
        let head = String::from_utf8_lossy(&pending[..end]).into_owned();
        pending.drain(..end);
        let path = head.split_whitespace().nth(1).unwrap_or("/").to_owned();
        log.lock().unwrap().push(path.clone());
        let answer = answer(&path);
        let body = match String::from_utf8(answer.body.clone()) {
            Ok(text) => text.replace("{root}", base).into_bytes(),
            Err(_) => answer.body.clone(),
        };
        let mut head = format!("HTTP/1.1 {} Status\r\nContent-Length: {}\r\n", answer.status, body.len());
        for (name, value) in &answer.headers {
            head.push_str(&format!("{name}: {}\r\n", value.replace("{root}", base)));
        }
        head.push_str("\r\n");
        stream.write_all(head.as_bytes()).await?;
        if answer.stalls {
            stream.write_all(&body[..body.len().min(1)]).await?;
            std::future::pending::<()>().await;
        }
        stream.write_all(&body).await?;
    }
}
