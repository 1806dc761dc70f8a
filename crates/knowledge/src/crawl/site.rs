//! The site of a crawl: the hosts it stays on, and the paths it is confined to.

use url::Url;

use super::address;

/// Endings of addresses that are pages, so that the folder of the page is meant rather than pages below it.
const PAGE_ENDINGS: [&str; 14] =
    ["html", "htm", "xhtml", "shtml", "php", "asp", "aspx", "jsp", "jspx", "cfm", "cgi", "pl", "txt", "md"];

/// The hosts and paths a crawl stays on.
#[derive(Debug, Clone)]
pub(super) struct Site {
    hosts: Vec<SiteHost>,
    confine_to_path: bool,
    /// Whether subdomains of the hosts belong to the site, with all their paths.
    subdomains: bool,
}

#[derive(Debug, Clone)]
struct SiteHost {
    /// An address with the site's own spelling of scheme and host.
    home: Url,
    /// The paths that belong to the site, each with a slash at the end; `/` is the whole host.
    areas: Vec<String>,
}

impl Site {
    /// Returns the site of some roots. With `confine_to_path`, it has only the pages below the roots' paths.
    pub(super) fn of<'a>(roots: impl IntoIterator<Item = &'a Url>, confine_to_path: bool) -> Self {
        let mut site = Self { hosts: Vec::new(), confine_to_path, subdomains: false };
        for root in roots {
            site.add(root, site.area(root));
        }
        site
    }

    /// Returns the site with or without the subdomains of its hosts.
    pub(super) fn with_subdomains(self, subdomains: bool) -> Self {
        Self { subdomains, ..self }
    }

    fn add(&mut self, home: &Url, area: String) {
        match self.hosts.iter_mut().find(|host| is_same_host(&host.home, home)) {
            Some(host) if host.areas.contains(&area) => {}
            Some(host) => host.areas.push(area),
            None => self.hosts.push(SiteHost { home: home.clone(), areas: vec![area] }),
        }
    }

    /// Returns the part of its host that a root covers.
    fn area(&self, root: &Url) -> String {
        let path = root.path();
        if !self.confine_to_path {
            return "/".to_owned();
        }
        let (folder, last) = path.rsplit_once('/').unwrap_or_default();
        let is_page = last
            .rsplit_once('.')
            .is_some_and(|(_, ending)| PAGE_ENDINGS.iter().any(|page| ending.eq_ignore_ascii_case(page)));
        if is_page || last.is_empty() { format!("{folder}/") } else { format!("{path}/") }
    }

    /// Returns whether an address belongs to the site. `www.` makes no difference, nor does http or https.
    /// Servers keep files in folders of their own, so the paths of the site do not confine files.
    pub(super) fn contains(&self, url: &Url) -> bool {
        match self.host(url) {
            Some(host) => {
                address::file_extension(url).is_some()
                    || host.areas.iter().any(|area| is_within(url.path(), area))
            }
            None => self.has_subdomain(url),
        }
    }

    fn has_subdomain(&self, url: &Url) -> bool {
        self.subdomains && self.hosts.iter().any(|host| is_subdomain(url, &host.home))
    }

    /// Returns the address with scheme and host in the site's own spelling, or `None` if it belongs to
    /// another site.
    pub(super) fn align(&self, url: &Url) -> Option<Url> {
        let has_credentials = !url.username().is_empty() || url.password().is_some();
        if has_credentials || !matches!(url.scheme(), "http" | "https") || !self.contains(url) {
            return None;
        }
        let mut aligned = self.host(url).map_or_else(|| url.clone(), |host| host.home.clone());
        aligned.set_path(url.path());
        aligned.set_query(url.query());
        aligned.set_fragment(None);
        Some(aligned)
    }

    /// Extends the site by the address that a root redirects to. Its spelling of scheme and host is the
    /// site's own from now on. A root without a path covers a whole host wherever it redirects to.
    pub(super) fn adopt(&mut self, root: &Url, found_at: &Url) {
        let is_whole = self.area(root) == "/";
        let area = if is_whole { "/".to_owned() } else { self.area(found_at) };
        self.add(found_at, area);
        if let Some(host) = self.hosts.iter_mut().find(|host| is_same_host(&host.home, found_at)) {
            host.home.clone_from(found_at);
        }
        tracing::debug!(%root, %found_at, "the root redirects");
    }

    /// Returns one address of each host.
    pub(super) fn homes(&self) -> Vec<Url> {
        self.hosts.iter().map(|host| host.home.clone()).collect()
    }

    fn host(&self, url: &Url) -> Option<&SiteHost> {
        self.hosts.iter().find(|host| is_same_host(&host.home, url))
    }
}

fn is_within(path: &str, area: &str) -> bool {
    path.starts_with(area) || area.strip_suffix('/') == Some(path)
}

fn name(url: &Url) -> &str {
    let host = url.host_str().unwrap_or_default().trim_end_matches('.');
    host.strip_prefix("www.").unwrap_or(host)
}

/// Returns whether the host of an address is below that of another. Addresses of machines have no subdomains.
fn is_subdomain(url: &Url, home: &Url) -> bool {
    let is_below = name(url).strip_suffix(name(home)).is_some_and(|label| label.ends_with('.'));
    is_below && url.port() == home.port() && home.domain().is_some()
}

fn is_same_host(left: &Url, right: &Url) -> bool {
    // The default ports of http and https are the same server; any other port is another one.
    left.port() == right.port() && name(left) == name(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn site(roots: &[&str]) -> Site {
        let roots: Vec<Url> = roots.iter().map(|root| url(root)).collect();
        Site::of(&roots, true)
    }

    #[test]
    fn a_site_is_its_host_in_its_own_spelling() {
        let roots = [url("https://www.acme.example/help/")];
        let site = Site::of(&roots, false);
        let cases = [
            ("http://acme.example/a?b=1", Some("https://www.acme.example/a?b=1")),
            ("https://www.acme.example/", Some("https://www.acme.example/")),
            ("https://www.acme.example./x", Some("https://www.acme.example/x")),
            ("https://shop.acme.example/", None),
            ("https://acme.example.evil.example/", None),
            ("https://acme.example:8443/", None),
            ("https://user:pass@acme.example/", None),
            ("ftp://acme.example/", None),
        ];
        for (given, expected) in cases {
            assert_eq!(site.align(&url(given)).as_ref().map(Url::as_str), expected, "{given}");
        }
    }

    #[test]
    fn subdomains_belong_to_the_site_on_request() {
        let roots = [url("https://www.acme.example/")];
        let site = Site::of(&roots, true).with_subdomains(true);
        for (given, expected) in [
            ("https://shop.acme.example/a#b", Some("https://shop.acme.example/a")),
            ("http://a.b.acme.example/", Some("http://a.b.acme.example/")),
            ("http://acme.example/x", Some("https://www.acme.example/x")),
            ("https://evilacme.example/", None),
            ("https://acme.example.evil.example/", None),
            ("https://shop.acme.example:8443/", None),
        ] {
            assert_eq!(site.align(&url(given)).as_ref().map(Url::as_str), expected, "{given}");
        }
        assert!(!Site::of(&roots, true).contains(&url("https://shop.acme.example/")));
    }

    #[test]
    fn a_root_with_a_path_confines_the_site_to_it() {
        for (root, within, outside) in [
            (
                "https://a.example/shop/",
                &["/shop/", "/shop", "/shop/shoes?size=9", "/shop/a/b"][..],
                &["/", "/shopping", "/blog/shop/"][..],
            ),
            ("https://a.example/shop", &["/shop", "/shop/", "/shop/shoes"], &["/", "/shop.html"]),
            ("https://a.example/shop/index.html", &["/shop/", "/shop/shoes"], &["/", "/blog"]),
            ("https://a.example/de/v2.1", &["/de/v2.1", "/de/v2.1/x"], &["/de/", "/de/v2.2"]),
            ("https://a.example/", &["/", "/shop", "/a/b"], &[]),
            ("https://a.example/start.php?id=7", &["/", "/shop"], &[]),
        ] {
            let site = site(&[root]);
            let at = |path: &str| url("https://www.a.example").join(path).unwrap();
            for path in within {
                assert!(site.contains(&at(path)) && site.align(&at(path)).is_some(), "{root} {path}");
            }
            for path in outside {
                assert!(!site.contains(&at(path)) && site.align(&at(path)).is_none(), "{root} {path}");
            }
        }
    }

    #[test]
    fn a_root_with_a_path_does_not_confine_files() {
        let site = site(&["https://a.example/shop/"]);
        assert!(site.contains(&url("https://www.a.example/uploads/menu.pdf")));
        assert!(!site.contains(&url("https://a.example/uploads/")));
        assert!(!site.contains(&url("https://b.example/menu.pdf")));
    }

    #[test]
    fn several_roots_open_several_paths() {
        let site = site(&["https://a.example/shop/", "http://www.a.example/help/", "https://b.example/"]);
        assert!(site.contains(&url("https://a.example/help/x")));
        assert!(site.contains(&url("https://a.example/shop/x")));
        assert!(!site.contains(&url("https://a.example/x")));
        assert!(site.contains(&url("https://b.example/x")));
        assert_eq!(
            site.align(&url("http://www.a.example/help/x")).unwrap().as_str(),
            "https://a.example/help/x"
        );
    }

    #[test]
    fn a_root_that_redirects_takes_its_site_along() {
        let mut moved = site(&["http://acme.example/"]);
        moved.adopt(&url("http://acme.example/"), &url("https://www.acme.example/en/"));
        assert_eq!(
            moved.align(&url("http://acme.example/x")).unwrap().as_str(),
            "https://www.acme.example/x"
        );
        moved.adopt(&url("http://acme.example/"), &url("https://acme.shop/en/"));
        assert!(moved.contains(&url("https://acme.shop/x")));
        assert!(moved.contains(&url("http://acme.example/x")));

        let mut confined = site(&["http://acme.example/shop"]);
        confined.adopt(&url("http://acme.example/shop"), &url("https://acme.example/store/"));
        assert!(confined.contains(&url("https://acme.example/store/x")));
        assert!(confined.contains(&url("https://acme.example/shop/x")));
        assert!(!confined.contains(&url("https://acme.example/x")));
    }
}
