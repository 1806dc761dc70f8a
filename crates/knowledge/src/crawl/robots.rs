//! The robots exclusion protocol (RFC 9309): which pages each host allows.

use std::time::Duration;

use texting_robots::Robot;
use url::Url;

use super::reason::Reason;

/// How much of a robots.txt is read; the standard requires at least 500 KiB.
const READ_BYTES: usize = 500 * 1024;

/// The rules of one origin.
#[derive(Debug)]
pub(super) enum Robots {
    /// Rules to follow.
    Rules(Box<Robot>),
    /// There are no rules.
    AllowAll,
    /// The server failed to send its rules, so no page may be read (RFC 9309, section 2.3.1.4).
    DisallowAll(String),
    /// The host could not be reached, for a reason that applies to its pages too.
    Unreachable(Reason, String),
}

impl Robots {
    /// Returns why a page may not be read, or `None` if it may.
    pub(super) fn refusal(&self, url: &Url) -> Option<(Reason, String)> {
        match self {
            Self::AllowAll => None,
            Self::Rules(robot) if robot.allowed(url.as_str()) => None,
            Self::Rules(_) => {
                Some((Reason::RobotsDisallowed, "the site's robots.txt disallows this address".to_owned()))
            }
            Self::DisallowAll(detail) => Some((Reason::RobotsDisallowed, detail.clone())),
            Self::Unreachable(reason, detail) => Some((*reason, detail.clone())),
        }
    }

    /// Returns the pause between two requests that the site asks for.
    pub(super) fn crawl_delay(&self) -> Option<Duration> {
        let Self::Rules(robot) = self else { return None };
        robot.delay.and_then(|seconds| Duration::try_from_secs_f32(seconds).ok())
    }

    /// Returns the sitemaps that the robots.txt names.
    pub(super) fn sitemaps(&self) -> &[String] {
        match self {
            Self::Rules(robot) => &robot.sitemaps,
            _ => &[],
        }
    }

    /// Reads a robots.txt. `agent` is the product token whose group applies.
    pub(super) fn parse(body: &[u8], agent: &str) -> Self {
        let body = &body[..body.len().min(READ_BYTES)];
        let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
        match Robot::new(agent, body) {
            Ok(robot) => Self::Rules(Box::new(robot)),
            Err(error) => Self::DisallowAll(format!("the site's robots.txt cannot be parsed: {error}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_apply_by_the_longest_match() {
        let rules = "User-agent: *\nDisallow: /private\nAllow: /private/open\nDisallow: /*.cgi$\nDisallow: /search?\n\
                     User-agent: other\nDisallow: /\nSitemap: https://a.example/s.xml\nCrawl-delay: 2\n";
        let robots = Robots::parse(rules.as_bytes(), "frontdesk");
        for (path, allowed) in [
            ("/", true),
            ("/private/x", false),
            ("/private/open/x", true),
            ("/run.cgi", false),
            ("/run.cgi.html", true),
            ("/search?q=1", false),
            ("/search", true),
            ("/robots.txt", true),
        ] {
            let url = Url::parse("https://a.example").unwrap().join(path).unwrap();
            assert_eq!(robots.refusal(&url).is_none(), allowed, "{path}");
        }
        assert_eq!(robots.sitemaps(), ["https://a.example/s.xml"]);
    }

    #[test]
    fn the_crawlers_own_group_replaces_the_general_one() {
        let rules = "User-agent: *\nDisallow: /\n\nUser-agent: Frontdesk\nDisallow: /admin\nCrawl-delay: 3\n";
        let robots = Robots::parse(rules.as_bytes(), "frontdesk");
        assert!(robots.refusal(&Url::parse("https://a.example/x").unwrap()).is_none());
        assert!(robots.refusal(&Url::parse("https://a.example/admin/x").unwrap()).is_some());
        assert_eq!(robots.crawl_delay(), Some(Duration::from_secs(3)));
    }

    #[test]
    fn invalid_lines_are_ignored_and_long_files_are_cut() {
        let url = Url::parse("https://a.example/x").unwrap();
        assert!(Robots::parse(b"<!doctype html><p>Not found", "frontdesk").refusal(&url).is_none());
        assert!(Robots::parse(b"\xff\xfe\x00", "frontdesk").refusal(&url).is_none());
        let mut late = b"User-agent: *\n".to_vec();
        late.extend(std::iter::repeat_n(b"# padding padding padding padding\n", 20_000).flatten());
        late.extend(b"Disallow: /\n");
        assert!(Robots::parse(&late, "frontdesk").refusal(&url).is_none());
        let marked = Robots::parse(b"\xef\xbb\xbfUser-agent: *\nDisallow: /\n", "frontdesk");
        assert!(marked.refusal(&url).is_some());
    }
}
