//! [`Engine`]: a client for the JSON interfaces of SearXNG and Brave.

use std::time::Duration;

use frontdesk_outbound::{Limits, Outbound, OutboundError};
use frontdesk_store::Redacted;
use http::{HeaderName, HeaderValue, StatusCode, header};
use serde::Deserialize;
use url::Url;

use crate::platform::{
    config::{self, WebSearchApi},
    model_endpoint,
};

/// The longest question that is sent, in characters. Search engines refuse or ignore more.
const LONGEST_QUESTION: usize = 300;

const LIMITS: Limits = Limits {
    total: Duration::from_secs(4),
    connect: Duration::from_secs(2),
    max_bytes: 1 << 20,
    max_redirects: 0,
};

/// Why a search failed. No variant contains the question or the key.
#[derive(Debug, thiserror::Error)]
pub(super) enum EngineError {
    /// The request could not be sent, or its response not be read.
    #[error(transparent)]
    Outbound(#[from] OutboundError),
    /// SearXNG refuses the JSON format unless its administrator has enabled it.
    #[error(
        "it refused the request (403); enable `json` under `search.formats` in the settings.yml of SearXNG"
    )]
    JsonDisabled,
    /// It responded with an error status.
    #[error("it responded with status {0}")]
    Status(StatusCode),
    /// Its response is not that of the configured interface.
    #[error("its response is not that of the interface `web_search.api`")]
    Malformed(#[source] serde_json::Error),
}

/// The search engine of the operator.
pub(super) struct Engine {
    /// The address of a search, without the question.
    url: Url,
    api: WebSearchApi,
    key: Option<Redacted<String>>,
    outbound: Outbound,
}

/// A response of SearXNG, as far as it is used.
#[derive(Deserialize)]
struct Searxng {
    results: Vec<Found>,
}

/// A response of Brave, as far as it is used. Without results, `web` is missing.
#[derive(Deserialize)]
struct Brave {
    #[serde(default)]
    web: Option<BraveWeb>,
}

#[derive(Deserialize)]
struct BraveWeb {
    results: Vec<Found>,
}

#[derive(Deserialize)]
struct Found {
    url: String,
}

impl Engine {
    /// Returns the search engine at an address. Its client reaches public addresses on the port of that
    /// address, and the networks that are allowed for it.
    pub(super) fn open(base: &Url, settings: &config::WebSearch) -> Result<Self, OutboundError> {
        let outbound = model_endpoint::outbound(Some(base), &settings.allow_networks)?;
        let (url, api, key) = (address(base, settings.api), settings.api, settings.api_key.clone());
        Ok(Self { url, api, key, outbound })
    }

    /// Returns the addresses of pages, best first.
    pub(super) async fn search(&self, question: &str) -> Result<Vec<Url>, EngineError> {
        let question: String = question.chars().take(LONGEST_QUESTION).collect();
        let mut url = self.url.clone();
        url.query_pairs_mut().append_pair("q", &question);
        if self.api == WebSearchApi::Searxng {
            url.query_pairs_mut().append_pair("format", "json");
        }
        let fetched = self.outbound.get(&url, &self.headers(), &LIMITS).await?;
        match fetched.status {
            StatusCode::OK => {}
            StatusCode::FORBIDDEN if self.api == WebSearchApi::Searxng => {
                return Err(EngineError::JsonDisabled);
            }
            status => return Err(EngineError::Status(status)),
        }
        let results = match self.api {
            WebSearchApi::Searxng => {
                serde_json::from_slice::<Searxng>(&fetched.body).map(|found| found.results)
            }
            WebSearchApi::Brave => serde_json::from_slice::<Brave>(&fetched.body)
                .map(|found| found.web.map(|web| web.results).unwrap_or_default()),
        };
        let results = results.map_err(EngineError::Malformed)?;
        let urls = results.into_iter().filter_map(|found| Url::parse(&found.url).ok());
        Ok(urls.filter(|url| matches!(url.scheme(), "http" | "https")).collect())
    }

    fn headers(&self) -> Vec<(HeaderName, HeaderValue)> {
        let mut headers = vec![(header::ACCEPT, HeaderValue::from_static("application/json"))];
        let Some(key) = &self.key else { return headers };
        let (name, value) = match self.api {
            WebSearchApi::Searxng => (header::AUTHORIZATION, format!("Bearer {}", key.expose())),
            WebSearchApi::Brave => (HeaderName::from_static("x-subscription-token"), key.expose().clone()),
        };
        let mut value = HeaderValue::try_from(value).expect("the setting has only characters of a header");
        value.set_sensitive(true);
        headers.push((name, value));
        headers
    }
}

/// Returns the address for searches below a base address. The base may already be that address.
fn address(base: &Url, api: WebSearchApi) -> Url {
    let path: &[&str] = match api {
        WebSearchApi::Searxng => &["search"],
        WebSearchApi::Brave => &["res", "v1", "web", "search"],
    };
    let mut url = base.clone();
    if !base.path().trim_end_matches('/').ends_with(&format!("/{}", path.join("/")))
        && let Ok(mut segments) = url.path_segments_mut()
    {
        segments.pop_if_empty().extend(path);
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_lies_below_the_configured_address() {
        for (base, api, expected) in [
            ("https://searx.example", WebSearchApi::Searxng, "https://searx.example/search"),
            ("https://searx.example/search", WebSearchApi::Searxng, "https://searx.example/search"),
            ("https://a.example/searx/", WebSearchApi::Searxng, "https://a.example/searx/search"),
            ("https://a.example/?language=de", WebSearchApi::Searxng, "https://a.example/search?language=de"),
            ("https://b.example", WebSearchApi::Brave, "https://b.example/res/v1/web/search"),
            (
                "https://b.example/res/v1/web/search",
                WebSearchApi::Brave,
                "https://b.example/res/v1/web/search",
            ),
        ] {
            assert_eq!(address(&base.parse().unwrap(), api).as_str(), expected);
        }
    }
}
