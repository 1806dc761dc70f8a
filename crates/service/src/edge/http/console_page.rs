//! The page of the console at `/console` and below, without a session: it asks for one itself.

use axum::{
    body::Bytes,
    response::Response,
    routing::{MethodRouter, get},
};
use frontdesk_runtime::{HeaderMap, HeaderValue, StatusCode};
use http::{Uri, header};

use super::content_encoding::accepted;
use crate::edge::Edge;

/// The page names the files of this version, so browsers ask for it each time.
const CACHE_CONTROL: HeaderValue = HeaderValue::from_static("no-cache");
const POLICY: HeaderValue = HeaderValue::from_static(frontdesk_web::CONSOLE_POLICY);

/// Returns the routes of the page.
pub(super) fn routes() -> impl Iterator<Item = (&'static str, MethodRouter<Edge>)> {
    let redirect = get(async || (StatusCode::PERMANENT_REDIRECT, [(header::LOCATION, "../console")]));
    let pages = frontdesk_web::CONSOLE_PATHS.into_iter().map(|path| (path, get(page)));
    pages.chain([("/console/", redirect)])
}

async fn page(uri: Uri, request: HeaderMap) -> Response {
    let html = frontdesk_web::console(uri.path());
    let gzip = || Bytes::from(frontdesk_web::gzip(&html));
    let mut response = accepted(&request, gzip, || Bytes::from(html.clone()));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(header::CACHE_CONTROL, CACHE_CONTROL);
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    headers.insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin"));
    response
}
