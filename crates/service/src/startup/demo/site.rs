//! Website of Fern & Fable, a fictional garden shop: bundled, and served on a loopback port for the crawler
//! and for people who follow the links in answers.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{StatusCode, Uri, header};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

const HTML: &str = "text/html; charset=utf-8";

/// A file of the website.
struct File {
    path: &'static str,
    content_type: &'static str,
    text: &'static str,
}

macro_rules! file {
    ($path:literal, $content_type:expr, $name:literal) => {
        File {
            path: $path,
            content_type: $content_type,
            text: include_str!(concat!("../../../demo/", $name)),
        }
    };
}

const FILES: &[File] = &[
    file!("/", HTML, "index.html"),
    file!("/delivery", HTML, "delivery.html"),
    file!("/opening-hours", HTML, "opening-hours.html"),
    file!("/returns", HTML, "returns.html"),
    file!("/repairs", HTML, "repairs.html"),
    file!("/gift-cards", HTML, "gift-cards.html"),
    file!("/plant-care", HTML, "plant-care.html"),
    file!("/workshops", HTML, "workshops.html"),
    file!("/faq", HTML, "faq.html"),
    file!("/contact", HTML, "contact.html"),
    file!("/staff/rota", HTML, "staff/rota.html"),
    file!("/style.css", "text/css; charset=utf-8", "style.css"),
    file!("/robots.txt", "text/plain; charset=utf-8", "robots.txt"),
    file!("/sitemap.xml", "application/xml", "sitemap.xml"),
];

/// The running website; dropping it stops it.
#[derive(Debug)]
pub(super) struct Site {
    address: SocketAddr,
    server: JoinHandle<()>,
    widget: Arc<OnceLock<String>>,
}

/// What the pages differ in from the files.
#[derive(Clone, Debug)]
struct Surroundings {
    origin: String,
    /// The address of the script of the widget, once there is one.
    widget: Arc<OnceLock<String>>,
}

impl Site {
    /// Serves the website on a loopback port: the requested one, or any if it is taken or none is requested.
    pub(super) async fn serve(port: Option<u16>) -> io::Result<Self> {
        let requested = match port {
            Some(port) => TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.ok(),
            None => None,
        };
        let listener = match requested {
            Some(listener) => listener,
            None => TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?,
        };
        let address = listener.local_addr()?;
        let widget = Arc::new(OnceLock::new());
        let surroundings = Surroundings { origin: origin(address), widget: Arc::clone(&widget) };
        let router = Router::new().fallback(serve_file).with_state(surroundings);
        let server = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                tracing::error!(%error, "the demo website stopped");
            }
        });
        Ok(Self { address, server, widget })
    }

    /// Adds a widget, named by the address of its script, to every page.
    pub(super) fn show_widget(&self, script: String) {
        // There is one chatbot, so another call would say the same.
        let _ = self.widget.set(script);
    }

    pub(super) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns scheme, host and port, without a trailing slash.
    pub(super) fn origin(&self) -> String {
        origin(self.address)
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.server.abort();
    }
}

fn origin(address: SocketAddr) -> String {
    format!("http://{address}")
}

async fn serve_file(State(surroundings): State<Surroundings>, address: Uri) -> Response {
    match FILES.iter().find(|file| file.path == address.path()) {
        Some(file) => {
            let mut text = file.text.replace("{{origin}}", &surroundings.origin);
            if let Some(script) = surroundings.widget.get() {
                text = text.replace("</head>", &format!("<script async src=\"{script}\"></script>\n</head>"));
            }
            ([(header::CONTENT_TYPE, file.content_type)], text).into_response()
        }
        None => (StatusCode::NOT_FOUND, [(header::CONTENT_TYPE, HTML)], "<h1>Not found</h1>").into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the values of an attribute or element, between two delimiters.
    fn between<'a>(text: &'a str, from: &str, to: &str) -> Vec<&'a str> {
        text.split(from).skip(1).filter_map(|rest| rest.split(to).next()).collect()
    }

    #[test]
    fn every_link_leads_to_a_page() {
        for file in FILES.iter().filter(|file| file.content_type == HTML) {
            for link in between(file.text, "href=\"", "\"") {
                assert!(FILES.iter().any(|file| file.path == link), "{} links to {link}", file.path);
            }
        }
    }

    #[test]
    fn the_sitemap_lists_every_public_page() {
        let sitemap = FILES.iter().find(|file| file.path == "/sitemap.xml").unwrap();
        let mut listed: Vec<_> = between(sitemap.text, "<loc>{{origin}}", "</loc>");
        let mut pages: Vec<_> =
            FILES.iter().filter(|file| file.content_type == HTML).map(|file| file.path).collect();
        pages.retain(|path| !path.starts_with("/staff/"));
        listed.sort_unstable();
        pages.sort_unstable();
        assert_eq!(listed, pages);
    }

    #[tokio::test]
    async fn every_page_has_the_widget_once_there_is_one() {
        let site = Site::serve(None).await.unwrap();
        let surroundings = Surroundings { origin: site.origin(), widget: Arc::clone(&site.widget) };
        let text = async |path: &'static str| {
            let response = serve_file(State(surroundings.clone()), Uri::from_static(path)).await;
            let body = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap();
            String::from_utf8(body.to_vec()).unwrap()
        };
        assert!(!text("/faq").await.contains("<script"));
        site.show_widget("http://127.0.0.1:1/widget/7.js".to_owned());
        for file in FILES {
            let has_script =
                text(file.path).await.contains("<script async src=\"http://127.0.0.1:1/widget/7.js\">");
            assert_eq!(has_script, file.content_type == HTML, "{}", file.path);
        }
    }

    #[tokio::test]
    async fn a_taken_port_is_replaced_by_a_free_one() {
        let first = Site::serve(None).await.unwrap();
        let second = Site::serve(Some(first.address().port())).await.unwrap();
        assert_ne!(first.address(), second.address());
        assert!(second.address().ip().is_loopback());
    }
}
