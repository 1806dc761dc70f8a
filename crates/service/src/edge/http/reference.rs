//! Reference page of the interface: served at `/docs`, with its files below, without an API key.
//!
//! The page contains the same information as `/openapi.json` and is the same for all callers.

use std::sync::{Arc, LazyLock, OnceLock};

use axum::{
    body::{Body, Bytes},
    response::{IntoResponse, Response},
    routing::{MethodRouter, get},
};
use data_encoding::HEXLOWER;
use frontdesk_reference::{Content, POLICY, Page};
use frontdesk_runtime::{HeaderMap, HeaderValue, StatusCode};
use http::header;
use sha2::{Digest, Sha256};

use super::{content_encoding::accepted, openapi_document::OPENAPI_JSON};
use crate::edge::Edge;

/// The path of the page. Its files have relative names, so it also works below a path prefix of a proxy.
const PAGE: &str = "/docs";

/// How long browsers may cache a file: as long as the OpenAPI document itself.
const CACHE_CONTROL: HeaderValue = HeaderValue::from_static("public, max-age=300");

/// The page is made from the document of this build, so failing to make it is a bug of the build.
static REFERENCE: LazyLock<Page> = LazyLock::new(|| {
    frontdesk_reference::page(OPENAPI_JSON).expect("the bundle of this build is a document")
});

/// The page and its files, each with its path.
static FILES: LazyLock<Vec<(String, Arc<File>)>> = LazyLock::new(|| {
    let page = File::new("text/html; charset=utf-8", Content::Text(&REFERENCE.html)).with_policy();
    let assets = REFERENCE.assets.iter();
    let assets = assets.map(|asset| (format!("/{}", asset.path), File::new(asset.media_type, asset.content)));
    let files = [(PAGE.to_owned(), page)].into_iter().chain(assets);
    files.map(|(path, file)| (path, Arc::new(file))).collect()
});

/// Returns the routes of the page and its files.
pub(super) fn routes() -> Vec<(String, MethodRouter<Edge>)> {
    let redirect = get(async || (StatusCode::PERMANENT_REDIRECT, [(header::LOCATION, "../docs")]));
    let files = FILES.iter().map(|(path, file)| (path.clone(), Arc::clone(file).route()));
    [(format!("{PAGE}/"), redirect)].into_iter().chain(files).collect()
}

/// A file with its representations.
struct File {
    media_type: &'static str,
    content: Content,
    /// The decompressed content, after the first request of a client that does not accept gzip.
    plain: OnceLock<Bytes>,
    tag: HeaderValue,
    policy: Option<HeaderValue>,
}

impl File {
    fn new(media_type: &'static str, content: Content) -> Self {
        let bytes = match content {
            Content::Text(text) => text.as_bytes(),
            Content::Gzip(bytes) => bytes,
        };
        let digest = HEXLOWER.encode(&Sha256::digest(bytes)[..16]);
        // Weak, because the compressed and the plain representation share it.
        let tag = HeaderValue::try_from(format!("W/\"{digest}\"")).expect("hexadecimal digits in quotes");
        Self { media_type, content, plain: OnceLock::new(), tag, policy: None }
    }

    fn with_policy(mut self) -> Self {
        let policy = format!("{POLICY}; frame-ancestors 'none'");
        self.policy = Some(HeaderValue::try_from(policy).expect("a policy is visible ASCII"));
        self
    }

    fn route(self: Arc<Self>) -> MethodRouter<Edge> {
        get(async move |request: HeaderMap| self.respond(&request))
    }

    fn respond(&self, request: &HeaderMap) -> Response {
        let mut response = if is_current(request, &self.tag) {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            self.whole(request)
        };
        let headers = response.headers_mut();
        headers.insert(header::ETAG, self.tag.clone());
        headers.insert(header::CACHE_CONTROL, CACHE_CONTROL);
        if matches!(self.content, Content::Gzip(_)) {
            headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
        }
        if let Some(policy) = &self.policy {
            headers.insert(header::CONTENT_SECURITY_POLICY, policy.clone());
        }
        response
    }

    fn whole(&self, request: &HeaderMap) -> Response {
        let mut response = match self.content {
            Content::Text(text) => Body::from(text).into_response(),
            Content::Gzip(bytes) => {
                let plain = || self.plain.get_or_init(|| self.content.text().into_owned().into()).clone();
                accepted(request, || Bytes::from_static(bytes), plain)
            }
        };
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(self.media_type));
        response
    }
}

/// Returns whether the client has this version already (RFC 9110, section 13.1.2).
fn is_current(request: &HeaderMap, tag: &HeaderValue) -> bool {
    let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let current = tag.to_str().map(opaque).unwrap_or_default();
    let known = request.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    known.flat_map(|value| value.split(',')).any(|known| known.trim() == "*" || opaque(known) == current)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(name: header::HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
    }

    #[test]
    fn a_version_is_recognized_by_its_tag() {
        let tag = HeaderValue::from_static("W/\"a1\"");
        for value in ["W/\"a1\"", "\"a1\"", "\"b2\", W/\"a1\"", "*"] {
            assert!(is_current(&request(header::IF_NONE_MATCH, value), &tag), "{value}");
        }
        for value in ["W/\"a2\"", "a1", ""] {
            assert!(!is_current(&request(header::IF_NONE_MATCH, value), &tag), "{value}");
        }
        assert!(!is_current(&HeaderMap::new(), &tag));
    }
}
