//! Redirects: their targets, and the headers that follow them.

use http::header::{ACCEPT, ACCEPT_LANGUAGE, LOCATION};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use url::Url;

use crate::error::OutboundError;

/// The only headers of the caller that follow a redirect to another origin. All others may be secrets of the
/// first.
const CROSS_ORIGIN: [HeaderName; 2] = [ACCEPT, ACCEPT_LANGUAGE];

/// Returns whether a status redirects to another URL (RFC 9110, section 15.4). `300` and `304` do not.
pub(crate) fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

/// Returns the target of a redirect, resolved against the URL that responded with it.
pub(crate) fn target(from: &Url, headers: &HeaderMap) -> Result<Url, OutboundError> {
    let invalid = |reason: &str| OutboundError::InvalidRedirect {
        host: from.host_str().unwrap_or_default().to_owned(),
        reason: reason.to_owned(),
    };
    let location = headers.get(LOCATION).ok_or_else(|| invalid("it has no target"))?;
    // Servers send UTF-8 here although RFC 9110 wants a percent-encoded URI reference.
    let location = std::str::from_utf8(location.as_bytes()).map_err(|_| invalid("its target is not text"))?;
    let mut target = from.join(location).map_err(|_| invalid("its target is not a valid URL"))?;
    target.set_fragment(None);
    Ok(target)
}

/// Removes the headers that must not be sent to `to` if it has another origin than `from`.
pub(crate) fn retain_allowed(headers: &mut Vec<(HeaderName, HeaderValue)>, from: &Url, to: &Url) {
    if from.origin() != to.origin() {
        headers.retain(|(name, _)| CROSS_ORIGIN.contains(name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_resolved_like_links() {
        let from: Url = "https://acme.example/help/start?x=1#top".parse().unwrap();
        for (location, expected) in [
            ("/pricing", Some("https://acme.example/pricing")),
            ("more", Some("https://acme.example/help/more")),
            ("//www.acme.example/", Some("https://www.acme.example/")),
            ("http://acme.example/a#b", Some("http://acme.example/a")),
            ("?page=2", Some("https://acme.example/help/start?page=2")),
            ("https://[::1", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(LOCATION, location.parse().unwrap());
            assert_eq!(target(&from, &headers).ok().as_ref().map(Url::as_str), expected, "{location}");
        }
        assert_eq!(target(&from, &HeaderMap::new()).unwrap_err().code(), "invalid_redirect");
    }

    #[test]
    fn an_origin_consists_of_scheme_host_and_port() {
        let secret = (http::header::AUTHORIZATION, HeaderValue::from_static("Bearer secret"));
        let accept = (ACCEPT, HeaderValue::from_static("text/html"));
        let from: Url = "https://acme.example/".parse().unwrap();
        for (to, kept) in [
            ("https://acme.example/other", 2),
            ("https://acme.example:443/", 2),
            ("http://acme.example/", 1),
            ("https://acme.example:8443/", 1),
            ("https://www.acme.example/", 1),
        ] {
            let mut headers = vec![secret.clone(), accept.clone()];
            retain_allowed(&mut headers, &from, &to.parse().unwrap());
            assert_eq!(headers.len(), kept, "{to}");
        }
    }
}
