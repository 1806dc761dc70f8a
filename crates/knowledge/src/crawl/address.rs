//! Addresses of pages: one spelling for each page, and the files that are not pages.

use url::Url;

/// Query parameters that record where a visitor came from and never change what the page shows.
const TRACKING: [&str; 24] = [
    "gclid",
    "gclsrc",
    "gbraid",
    "wbraid",
    "dclid",
    "fbclid",
    "msclkid",
    "yclid",
    "igshid",
    "twclid",
    "ttclid",
    "li_fat_id",
    "mc_cid",
    "mc_eid",
    "_ga",
    "_gl",
    "_hsenc",
    "_hsmi",
    "hsctatracking",
    "vero_id",
    "ref",
    "ref_src",
    "phpsessid",
    "jsessionid",
];

/// Endings of files that are parts of pages and never pages.
const ASSETS: [&str; 40] = [
    "avif", "bmp", "gif", "ico", "jpeg", "jpg", "png", "svg", "tif", "tiff", "webp", "avi", "m4a", "m4v",
    "mov", "mp3", "mp4", "mpeg", "ogg", "wav", "webm", "css", "js", "mjs", "map", "woff", "woff2", "ttf",
    "eot", "otf", "exe", "dmg", "apk", "iso", "msi", "deb", "rpm", "wasm", "ics", "vcf",
];

/// Endings of files that are read like pages.
const FILES: [&str; 10] = ["pdf", "docx", "docm", "xlsx", "xlsm", "pptx", "odt", "ods", "epub", "csv"];

/// Endings of files that appear in the report but are not downloaded.
const OTHER_FILES: [&str; 11] = ["doc", "xls", "ppt", "odp", "rtf", "zip", "gz", "tgz", "rar", "7z", "bz2"];

/// Returns the spelling of an address under which a page is known: without fragment, tracking parameters,
/// session id and default port.
///
/// ```
/// let url = "https://ACME.example:443/a?utm_source=x&id=7&fbclid=1#top".parse().unwrap();
/// assert_eq!(frontdesk_knowledge::normalize(&url).as_str(), "https://acme.example/a?id=7");
/// ```
pub fn normalize(url: &Url) -> Url {
    let mut url = url.clone();
    url.set_fragment(None);
    if let Some(query) = url.query() {
        let kept: Vec<&str> =
            query.split('&').filter(|pair| !pair.is_empty() && !is_tracking(pair)).collect();
        let kept = kept.join("&");
        url.set_query((!kept.is_empty()).then_some(&kept));
    }
    if let Some(session) = url.path().to_ascii_lowercase().find(";jsessionid=") {
        let path = url.path()[..session].to_owned();
        url.set_path(&path);
    }
    url
}

fn is_tracking(pair: &str) -> bool {
    let name = pair.split('=').next().unwrap_or_default().to_ascii_lowercase();
    name.starts_with("utm_") || TRACKING.contains(&name.as_str())
}

/// Returns whether two normalized addresses name the same page, as `x/`, `x` and `x/index.html` do.
pub(super) fn is_same_page(left: &Url, right: &Url) -> bool {
    fn stem(url: &Url) -> &str {
        let path = url.path();
        let path =
            path.strip_suffix("/index.html").or_else(|| path.strip_suffix("/index.htm")).unwrap_or(path);
        path.trim_end_matches('/')
    }
    stem(left) == stem(right) && left.query() == right.query() && left.host_str() == right.host_str()
}

/// Returns whether the address is that of a picture, a style sheet, a program or another part of a page.
pub(super) fn is_asset(url: &Url) -> bool {
    ends_with_one_of(url, &ASSETS)
}

/// Returns the extension of a file that is read like a page, if the address is one of a file.
pub(super) fn file_extension(url: &Url) -> Option<&'static str> {
    FILES.into_iter().find(|extension| ends_with_one_of(url, &[extension]))
}

/// Returns whether the address is that of a file that is not downloaded.
pub(super) fn is_other_file(url: &Url) -> bool {
    ends_with_one_of(url, &OTHER_FILES)
}

fn ends_with_one_of(url: &Url, endings: &[&str]) -> bool {
    let last = url.path().rsplit('/').next().unwrap_or_default();
    last.rsplit_once('.').is_some_and(|(_, ending)| endings.contains(&ending.to_ascii_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn one_spelling_for_each_page() {
        let cases = [
            ("https://a.example/x#frag", "https://a.example/x"),
            ("HTTPS://A.Example:443/x", "https://a.example/x"),
            ("http://a.example:80", "http://a.example/"),
            ("https://a.example/?utm_source=a&UTM_medium=b", "https://a.example/"),
            ("https://a.example/?b=2&gclid=x&a=1", "https://a.example/?b=2&a=1"),
            ("https://a.example/?", "https://a.example/"),
            ("https://a.example/?&&a=1&", "https://a.example/?a=1"),
            ("https://a.example/?reference=1&ref=x", "https://a.example/?reference=1"),
            ("https://a.example/a/../b/./c", "https://a.example/b/c"),
            ("https://a.example/shop;jsessionid=F00?id=1", "https://a.example/shop?id=1"),
        ];
        for (given, expected) in cases {
            let normal = normalize(&url(given));
            assert_eq!(normal.as_str(), expected);
            assert_eq!(normalize(&normal), normal, "normalising twice changes {given}");
        }
    }

    #[test]
    fn same_page_under_two_names() {
        for (left, right, same) in [
            ("https://a.example/x/", "https://a.example/x/index.html", true),
            ("https://a.example/x", "https://a.example/x/", true),
            ("https://a.example/x", "https://a.example/y", false),
            ("https://a.example/x?a", "https://a.example/x", false),
        ] {
            assert_eq!(is_same_page(&url(left), &url(right)), same, "{left} {right}");
        }
    }
}
