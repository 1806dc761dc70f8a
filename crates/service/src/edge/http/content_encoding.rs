//! Which form of a file a client accepts.

use axum::{
    body::{Body, Bytes},
    response::{IntoResponse, Response},
};
use frontdesk_runtime::{HeaderMap, HeaderValue};
use http::header;

/// Returns a response with a file in the form that the client accepts: compressed with gzip, or plain.
pub(super) fn accepted(
    request: &HeaderMap,
    gzip: impl FnOnce() -> Bytes,
    plain: impl FnOnce() -> Bytes,
) -> Response {
    let is_compressed = accepts_gzip(request);
    let mut response = Body::from(if is_compressed { gzip() } else { plain() }).into_response();
    let headers = response.headers_mut();
    if is_compressed {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    response
}

/// Returns whether the client accepts gzip (RFC 9110, section 12.5.3): `gzip` or `*`, with a weight above
/// zero.
fn accepts_gzip(request: &HeaderMap) -> bool {
    let values = request.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let mut wildcard = false;
    for coding in values.flat_map(|value| value.split(',')) {
        let mut parts = coding.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let weight = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
        let accepted = weight.is_none_or(|weight| weight.parse::<f32>().is_ok_and(|weight| weight > 0.0));
        match name {
            name if name.eq_ignore_ascii_case("gzip") => return accepted,
            "*" => wildcard = accepted,
            _ => {}
        }
    }
    wildcard
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(name: header::HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
    }

    #[test]
    fn compressed_files_are_sent_to_clients_that_accept_them() {
        for value in
            ["gzip", "gzip, deflate, br", "br;q=1.0, GZIP;q=0.5", "*", "gzip, *;q=0", "deflate, *;q=0.1"]
        {
            assert!(accepts_gzip(&request(header::ACCEPT_ENCODING, value)), "{value}");
        }
        for value in ["", "br", "identity", "gzip;q=0", "gzip; q=0.0, *", "*;q=0", "gzip;q=much"] {
            assert!(!accepts_gzip(&request(header::ACCEPT_ENCODING, value)), "{value}");
        }
        assert!(!accepts_gzip(&HeaderMap::new()));
    }
}
