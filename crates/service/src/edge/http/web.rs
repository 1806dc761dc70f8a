//! The files of the pages for people, below `/web/HASH`, without an API key.
//!
//! The hash is that of all files, so browsers keep them for ever. Scripts of every origin may read them: the
//! chat of the widget has an origin of its own.

use axum::{
    body::Bytes,
    extract::Path,
    response::Response,
    routing::{MethodRouter, get},
};
use frontdesk_runtime::{HeaderMap, HeaderValue, StatusCode};
use http::header;

use super::content_encoding::accepted;
use crate::edge::{Edge, responses};

const CACHE_CONTROL: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// Returns the route of all files.
pub(super) fn routes() -> [(&'static str, MethodRouter<Edge>); 1] {
    [("/web/{release}/{*path}", get(file))]
}

async fn file(Path((release, path)): Path<(String, String)>, request: HeaderMap) -> Response {
    let known = frontdesk_web::file(&path).filter(|_| release == frontdesk_web::release());
    let Some(file) = known else {
        // A page of another version asks; the browser must not keep this.
        return responses::message(StatusCode::NOT_FOUND, "File not found.");
    };
    let gzip = move || Bytes::from_static(file.gzip());
    let mut response = accepted(&request, gzip, move || Bytes::from_static(file.text.as_bytes()));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(file.media_type));
    headers.insert(header::CACHE_CONTROL, CACHE_CONTROL);
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_file_is_kept_for_ever_under_its_hash_only() {
        let release = frontdesk_web::release().to_owned();
        let found = file(Path((release.clone(), "widget/panel.js".to_owned())), HeaderMap::new()).await;
        assert_eq!(found.status(), StatusCode::OK);
        assert_eq!(found.headers()[header::CACHE_CONTROL], CACHE_CONTROL);
        assert_eq!(found.headers()[header::CONTENT_TYPE], "text/javascript; charset=utf-8");
        assert!(!found.headers().contains_key(header::CONTENT_ENCODING));
        for (release, path) in [("0", "widget/panel.js"), (&*release, "../Cargo.toml"), (&*release, "")] {
            let missing = file(Path((release.to_owned(), path.to_owned())), HeaderMap::new()).await;
            assert_eq!(missing.status(), StatusCode::NOT_FOUND, "{release} {path}");
            assert!(!missing.headers().contains_key(header::CACHE_CONTROL), "{release} {path}");
        }
    }
}
