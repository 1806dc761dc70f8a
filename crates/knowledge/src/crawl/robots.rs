//! The robots exclusion protocol (RFC 9309): what each host lets us read.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use frontdesk_outbound::{Limits, Outbound, OutboundError};
use texting_robots::Robot;
use url::Url;

use super::fetch::reason_of;
use super::{CrawlBounds, Reason};

/// How much of a robots.txt is read; the standard asks for at least 500 KiB.
const READ_BYTES: usize = 500 * 1024;

/// Largest robots.txt downloaded. What is larger still is no robots.txt.
const MAX_BYTES: u64 = 4_000_000;

/// What a host's robots.txt came to.
#[derive(Debug)]
pub(super) enum Robots {
    /// Rules to follow.
    Rules(Box<Robot>),
    /// There are no rules.
    AllowAll,
    /// The server could not say, so nothing may be read (RFC 9309, section 2.3.1.4).
    DisallowAll(String),
    /// The host could not be asked at all, for a reason that its pages share.
    Unreachable(Reason, String),
}

impl Robots {
    /// Why a page may not be read; `None` when it may.
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

    /// The pause the site asks for.
    pub(super) fn crawl_delay(&self) -> Option<Duration> {
        let Self::Rules(robot) = self else { return None };
        robot.delay.and_then(|seconds| Duration::try_from_secs_f32(seconds).ok())
    }

    /// The sitemaps that the robots.txt names.
    pub(super) fn sitemaps(&self) -> &[String] {
        match self {
            Self::Rules(robot) => &robot.sitemaps,
            _ => &[],
        }
    }

    fn parse(body: &[u8], agent: &str) -> Self {
        let body = &body[..body.len().min(READ_BYTES)];
        let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
        match Robot::new(agent, body) {
            Ok(robot) => Self::Rules(Box::new(robot)),
            Err(error) => Self::DisallowAll(format!("the site's robots.txt cannot be understood: {error}")),
        }
    }
}

/// The rules of each origin, asked for once.
#[derive(Debug, Default)]
pub(super) struct RobotsCache {
    origins: HashMap<String, Arc<Robots>>,
}

impl RobotsCache {
    /// The rules for the origin of `url`.
    pub(super) async fn get(&mut self, url: &Url, outbound: &Outbound, bounds: &CrawlBounds) -> Arc<Robots> {
        let origin = url.origin().ascii_serialization();
        if let Some(robots) = self.origins.get(&origin) {
            return Arc::clone(robots);
        }
        let robots = Arc::new(fetch(url, outbound, bounds).await);
        self.origins.insert(origin, Arc::clone(&robots));
        robots
    }
}

async fn fetch(url: &Url, outbound: &Outbound, bounds: &CrawlBounds) -> Robots {
    let Ok(address) = url.join("/robots.txt") else { return Robots::AllowAll };
    let limits = Limits {
        total: bounds.page_time,
        connect: bounds.connect_time,
        max_bytes: MAX_BYTES,
        max_redirects: 5,
    };
    match outbound.get(&address, &[], &limits).await {
        Ok(answer) if answer.status.is_success() => Robots::parse(&answer.body, &bounds.agent),
        Ok(answer) if answer.status.is_server_error() || answer.status.as_u16() == 429 => {
            Robots::DisallowAll(format!(
                "robots.txt answered {}, so nothing may be crawled for now",
                answer.status
            ))
        }
        // A redirect that leads nowhere is an unavailable file, not an unavailable server.
        Ok(_)
        | Err(
            OutboundError::RedirectLoop { .. }
            | OutboundError::TooManyRedirects { .. }
            | OutboundError::InvalidRedirect { .. },
        ) => Robots::AllowAll,
        Err(OutboundError::TooLarge { limit, .. }) => {
            Robots::DisallowAll(format!("robots.txt is larger than {limit} bytes"))
        }
        Err(error) => Robots::Unreachable(reason_of(&error), error.to_string()),
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
    fn our_own_group_replaces_the_general_one() {
        let rules = "User-agent: *\nDisallow: /\n\nUser-agent: Frontdesk\nDisallow: /admin\nCrawl-delay: 3\n";
        let robots = Robots::parse(rules.as_bytes(), "frontdesk");
        assert!(robots.refusal(&Url::parse("https://a.example/x").unwrap()).is_none());
        assert!(robots.refusal(&Url::parse("https://a.example/admin/x").unwrap()).is_some());
        assert_eq!(robots.crawl_delay(), Some(Duration::from_secs(3)));
    }

    #[test]
    fn rubbish_is_no_rule_and_the_rest_is_cut() {
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
