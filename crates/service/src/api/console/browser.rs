//! The browser of a request: its address, its name, and its cookie.

use frontdesk_runtime::server::Incoming;
use http::header;

use crate::edge::{
    console::SessionCookie,
    http::{ClientAddress, UsedHttps},
};

/// The cookie of a request has not been read: its route lacks the layer.
#[derive(Debug, thiserror::Error)]
#[error("the cookie of a request to the console was not read")]
pub(super) struct NoCookie;

/// Returns the client address of a request.
pub(super) fn address(incoming: &Incoming) -> Option<String> {
    incoming.parts().extensions.get::<ClientAddress>().map(|client| client.0.to_string())
}

/// Returns the address of the service as the browser of a request knows it.
pub(super) fn origin(incoming: &Incoming) -> String {
    let parts = incoming.parts();
    let is_secure = parts.extensions.get::<UsedHttps>().is_some_and(|https| https.0);
    let of_header = parts.headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let host = of_header.or_else(|| parts.uri.authority().map(http::uri::Authority::as_str));
    format!("{}://{}", if is_secure { "https" } else { "http" }, host.unwrap_or_default())
}

/// Returns the cookie of a request.
pub(super) fn cookie(incoming: &Incoming) -> Result<SessionCookie, NoCookie> {
    incoming.parts().extensions.get::<SessionCookie>().cloned().ok_or(NoCookie)
}

/// Returns the browser and its system, as people recognize them in the list of their sessions.
pub(super) fn name(incoming: &Incoming) -> String {
    let header = incoming.parts().headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok());
    header.map(short).unwrap_or_default()
}

/// What is looked for in a header, the more specific first: most browsers name others too.
const BROWSERS: [(&str, &str); 6] = [
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("CriOS/", "Chrome"),
    ("Safari/", "Safari"),
];
const SYSTEMS: [(&str, &str); 6] = [
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
];

fn short(header: &str) -> String {
    let find = |list: &[(&str, &'static str)]| {
        list.iter().find(|(part, _)| header.contains(part)).map(|(_, name)| *name)
    };
    match (find(&BROWSERS), find(&SYSTEMS)) {
        (Some(browser), Some(system)) => format!("{browser} on {system}"),
        (Some(one), None) | (None, Some(one)) => one.to_owned(),
        (None, None) => header.split(['/', ' ']).next().unwrap_or_default().chars().take(40).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_are_recognized() {
        for (header, name) in [
            ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0",
                "Edge on Windows",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1",
                "Safari on iPhone",
            ),
            ("curl/8.5.0", "curl"),
            ("", ""),
        ] {
            assert_eq!(short(header), name, "{header}");
        }
    }
}
