//! Responses that are not redirects, and the text formats among them.

use bytes::Bytes;
use frontdesk_outbound::Fetched;
use http::{HeaderMap, StatusCode};
use url::Url;

use super::reason::Reason;
use super::visit::{PageOutcome, Validators};
use crate::extract::{self, Directives, Extracted, Obstacle};
use crate::page::Page;

/// A response that is not a redirect.
#[derive(Debug, Clone)]
pub(super) struct Response {
    /// The address that responded.
    pub(super) url: Url,
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

impl Response {
    /// Returns the value of a header, if it is text.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// Returns the media type in lower case, without its parameters; empty if the server states none.
    pub(super) fn media_type(&self) -> String {
        let content_type = self.header("content-type").unwrap_or_default();
        content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
    }

    /// Returns the validators with which the next visit asks whether the content has changed.
    pub(super) fn validators(&self) -> Validators {
        Validators {
            url: self.url.clone(),
            etag: self.header("etag").map(str::to_owned),
            last_modified: self.header("last-modified").map(str::to_owned),
        }
    }

    /// Returns the directives of the headers for robots.
    pub(super) fn directives(&self, agent: &str) -> Directives {
        let mut directives = Directives::default();
        for value in self.headers.get_all("x-robots-tag").iter().filter_map(|value| value.to_str().ok()) {
            directives.read(value, agent);
        }
        directives
    }

    /// Returns whether the server says that its bot protection wrote the response.
    pub(super) fn is_marked_challenge(&self) -> bool {
        self.header("cf-mitigated").is_some_and(|value| value.contains("challenge"))
    }
}

/// The formats that contain text.
#[derive(Debug, Clone, Copy)]
pub(super) enum Format {
    Html,
    Text,
}

impl Format {
    /// Returns the format of a response by its content type and its first bytes.
    pub(super) fn of(response: &Response) -> Option<Self> {
        let media_type = response.media_type();
        let start = response.body.trim_ascii_start();
        let is_binary = response.body.iter().take(1_000).any(|byte| *byte == 0)
            && !response.body.starts_with(&[0xff, 0xfe])
            && !response.body.starts_with(&[0xfe, 0xff]);
        let starts_html =
            start.starts_with(b"<!") || start.get(..5).is_some_and(|tag| tag.eq_ignore_ascii_case(b"<html"));
        let ending = response.url.path().rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
        match media_type.as_str() {
            _ if is_binary || start.starts_with(b"%PDF-") => None,
            "text/html" | "application/xhtml+xml" => Some(Self::Html),
            "text/plain" | "" if starts_html => Some(Self::Html),
            "text/plain" | "text/markdown" | "text/x-markdown" | "" => Some(Self::Text),
            "application/octet-stream" if matches!(ending.as_str(), "txt" | "md") => Some(Self::Text),
            _ => None,
        }
    }

    /// Extracts the text and the links. CPU-bound: call it outside the async threads.
    pub(super) fn extract(self, response: &Response, url: &Url, agent: &str) -> Extracted {
        let content_type = response.header("content-type");
        match self {
            Self::Html => extract::extract_html(&response.body, content_type, url, agent),
            Self::Text => extract::extract_text(&response.body, content_type, url),
        }
    }
}

/// Returns the content of a page that was fetched by itself, by the rules of a crawl. `None` if it has no
/// text, shows something else in place of its content, or asks robots not to use it. `agent` is the product
/// token that directives address. CPU-bound: call it outside the async threads.
pub fn read_page(fetched: Fetched, agent: &str) -> Option<Page> {
    let Fetched { status, final_url: url, headers, body } = fetched;
    let response = Response { url, status, headers, body };
    if !response.status.is_success() || response.is_marked_challenge() {
        return None;
    }
    let extracted = Format::of(&response)?.extract(&response, &response.url, agent);
    let directives = extracted.directives.or(response.directives(agent));
    if directives.noindex || extracted.obstacle == Some(Obstacle::BotChallenge) {
        return None;
    }
    match outcome(response.url, extracted) {
        PageOutcome::Ready(page) => Some(*page),
        _ => None,
    }
}

/// Returns the outcome of a visit to an extracted page that may be indexed.
pub(super) fn outcome(final_url: Url, extracted: Extracted) -> PageOutcome {
    match extracted.obstacle {
        Some(Obstacle::LoginRequired) => {
            return PageOutcome::without_content(Reason::LoginRequired, "the page has a sign-in form");
        }
        Some(Obstacle::NeedsJavascript) => {
            return PageOutcome::without_content(Reason::NeedsJavascript, "the HTML has scripts but no text");
        }
        Some(Obstacle::ConsentRequired) => {
            return PageOutcome::without_content(Reason::ConsentRequired, "the page is a cookie wall");
        }
        Some(Obstacle::BotChallenge) | None => {}
    }
    if let Some(target) = &extracted.refresh {
        return PageOutcome::without_content(
            Reason::CanonicalElsewhere,
            format!("the page refreshes to {target}"),
        );
    }
    let page = Page::new(final_url, extracted);
    if page.has_text() {
        PageOutcome::Ready(Box::new(page))
    } else {
        PageOutcome::without_content(
            Reason::EmptyContent,
            "the page has no text apart from menus and headings",
        )
    }
}
