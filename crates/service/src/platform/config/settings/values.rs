//! Values of settings: how they are read from texts, and how they are shown.

use std::{fmt::Display, net::IpAddr, num::NonZeroU32, path::PathBuf, str::FromStr, time::Duration};

use frontdesk_store::Redacted;
use ipnet::IpNet;
use url::Url;

/// Returns the only value of a setting that takes one.
pub(super) fn one<T: FromStr>(texts: &[String]) -> Result<T, String>
where
    T::Err: Display,
{
    match texts {
        [text] if text.is_empty() => Err("it is empty".to_owned()),
        [text] => text.parse().map_err(|error| format!("`{text}` cannot be used: {error}")),
        _ => Err("it takes one value".to_owned()),
    }
}

pub(super) fn number<T: FromStr>(texts: &[String]) -> Result<T, String> {
    let text: String = one(texts)?;
    text.parse().map_err(|_| format!("`{text}` is not a whole number in its range"))
}

pub(super) fn positive(texts: &[String]) -> Result<u32, String> {
    let count: NonZeroU32 = number(texts).map_err(|problem| format!("{problem} (1 to {})", u32::MAX))?;
    Ok(count.get())
}

/// Parses the address of a service.
pub(super) fn web_address(texts: &[String]) -> Result<Url, String> {
    let text: String = one(texts)?;
    let url: Url = text.parse().map_err(|_| format!("`{text}` is not a web address"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!("`{text}` does not start with https:// or http://"));
    }
    Ok(url)
}

/// Parses an API key that is sent in a header.
pub(super) fn bearer_token(texts: &[String]) -> Result<Redacted<String>, String> {
    let key: String = one(texts)?;
    if key.is_empty() || http::HeaderValue::from_str(&key).is_err() {
        return Err(
            "it is empty or has characters that a header cannot have, such as a line break".to_owned()
        );
    }
    Ok(Redacted::new(key))
}

pub(super) fn percentage(texts: &[String]) -> Result<u32, String> {
    let percent = positive(texts)?;
    if percent > 100 {
        return Err(format!("`{percent}` is not a percentage (1 to 100)"));
    }
    Ok(percent)
}

pub(super) fn seconds(texts: &[String]) -> Result<Duration, String> {
    positive(texts).map(|count| Duration::from_secs(count.into()))
}

/// Parses networks in CIDR notation; a single address is a network of one.
pub(super) fn networks(texts: &[String]) -> Result<Vec<IpNet>, String> {
    texts
        .iter()
        .map(|text| {
            text.parse::<IpNet>()
                .or_else(|_| text.parse::<IpAddr>().map(IpNet::from))
                .map_err(|_| format!("`{text}` is neither an IP address nor a network such as `10.0.0.0/8`"))
        })
        .collect()
}

pub(super) fn shown<'v, T: Display + 'v>(values: impl IntoIterator<Item = &'v T>) -> Vec<String> {
    values.into_iter().map(ToString::to_string).collect()
}

pub(super) fn paths(path: Option<&PathBuf>) -> Vec<String> {
    path.map(|path| path.display().to_string()).into_iter().collect()
}

pub(super) fn redacted(secret: Option<&Redacted<String>>) -> Vec<String> {
    secret.map(|_| "[redacted]".to_owned()).into_iter().collect()
}

/// Returns a URL without its password.
pub(super) fn without_password(database: &str) -> String {
    let Ok(mut url) = Url::parse(database) else { return "[unreadable]".to_owned() };
    if url.password().is_some() && url.set_password(Some("redacted")).is_err() {
        return "[redacted]".to_owned();
    }
    // The query may also contain a password, as libpq and Redis accept it there.
    if url.query_pairs().any(|(name, _)| name == "password") {
        url.set_query(Some("redacted"));
    }
    url.to_string()
}
