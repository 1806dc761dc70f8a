//! The page at `/`: what runs here, and where its reference is.
//!
//! It is the same for all callers, and is plain HTML because the policy of responses allows no style and no
//! script.

use axum::response::{IntoResponse, Response};
use frontdesk_runtime::{HeaderMap, HeaderValue};
use http::header;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// As long as the reference.
const CACHE_CONTROL: HeaderValue = HeaderValue::from_static("public, max-age=300");

/// Responds with a page to browsers, and with text to all others.
pub(super) async fn root(request: HeaderMap) -> Response {
    let (media_type, body) = if wants_page(&request) {
        ("text/html; charset=utf-8", page())
    } else {
        ("text/plain; charset=utf-8", text())
    };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(media_type)),
        (header::CACHE_CONTROL, CACHE_CONTROL),
        (header::VARY, HeaderValue::from_static("Accept")),
    ];
    (headers, body).into_response()
}

/// Returns whether a client names HTML among what it accepts. Browsers do, and programs accept anything.
fn wants_page(request: &HeaderMap) -> bool {
    let accepted = request.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepted.flat_map(|value| value.split(',')).any(|range| {
        let mut parts = range.split(';').map(str::trim);
        let is_html = parts.next().is_some_and(|media_type| media_type.eq_ignore_ascii_case("text/html"));
        let weight = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
        is_html && weight.is_none_or(|weight| weight.parse::<f32>().is_ok_and(|weight| weight > 0.0))
    })
}

// Addresses are relative, so they also work below a path prefix of a proxy.

fn page() -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Frontdesk API</title>\n<h1>Frontdesk API</h1>\n\
         <p>This is the REST interface of Frontdesk {VERSION}: AI chatbots and lead capture for small and medium businesses.</p>\n\
         <ul>\n<li><a href=\"docs\">Reference</a></li>\n\
         <li>OpenAPI document: <a href=\"openapi.json\">JSON</a>, <a href=\"openapi.yaml\">YAML</a></li>\n\
         <li><a href=\"health\">Health</a></li>\n</ul>\n</html>\n"
    )
}

fn text() -> String {
    format!(
        "Frontdesk {VERSION}: AI chatbots and lead capture for small and medium businesses.\n\n\
         This is its REST interface. Its operations are below /api/v1.\n\n\
         Reference         /docs\nOpenAPI document  /openapi.json, /openapi.yaml\nHealth            /health\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_get_a_page_and_programs_a_text() {
        let wants = |accept: &'static str| {
            wants_page(&HeaderMap::from_iter([(header::ACCEPT, HeaderValue::from_static(accept))]))
        };
        for accept in ["text/html", "text/html,application/xhtml+xml,*/*;q=0.8", "*/*;q=0.1, TEXT/HTML;q=0.9"]
        {
            assert!(wants(accept), "{accept}");
        }
        for accept in ["*/*", "text/plain", "application/json, text/plain, */*", "text/*", "text/html;q=0"] {
            assert!(!wants(accept), "{accept}");
        }
        assert!(!wants_page(&HeaderMap::new()));
    }
}
