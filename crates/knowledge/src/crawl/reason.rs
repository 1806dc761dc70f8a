//! Why a visited page has no content.

use std::fmt;

/// Why a page was skipped or failed. The name is part of the crawl report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Reason {
    /// The site's robots.txt does not allow it, or cannot be read.
    RobotsDisallowed,
    /// The page asks not to be indexed.
    Noindex,
    /// Another page has the same content.
    Duplicate,
    /// The page is a copy or a redirect, and names the original.
    CanonicalElsewhere,
    /// Neither a web page nor text.
    NotHtml,
    /// Larger than a page may be.
    TooLarge,
    /// No text apart from menus.
    EmptyContent,
    /// Scripts build the content in the browser.
    NeedsJavascript,
    /// The page asks visitors to sign in.
    LoginRequired,
    /// The site checks that visitors are people.
    BotChallenge,
    /// The server responded with an error, or not in HTTP.
    HttpError,
    /// The server took too long.
    Timeout,
    /// The address is not public.
    BlockedAddress,
    /// The crawl reached its limits first.
    OverLimit,
    /// The content is the same as at the last visit.
    Unchanged,
    /// The page redirects in a circle or too often.
    RedirectLoop,
    /// The host name does not resolve.
    DnsError,
    /// The server cannot be reached.
    ConnectionFailed,
    /// No secure connection could be established.
    TlsError,
    /// The server is overloaded, and asks to come back later than the crawl waits.
    ServerBusy,
    /// The site's robots.txt asks for a longer pause between two requests than the crawl waits.
    CrawlDelayTooLong,
    /// The page had content and no longer exists.
    Gone,
    /// The owner has excluded the path.
    Excluded,
    /// The crawl was stopped before the page was visited.
    Cancelled,
    /// The account may have no more pages.
    PlanLimitReached,
    /// The page says that it does not exist, although the server responds with 200.
    NotFound,
    /// The page shows nothing but a request to accept cookies.
    ConsentRequired,
    /// The page is a file without readable text.
    UnreadableFile,
}

impl Reason {
    /// Every reason, in the order of the crawl report's documentation.
    pub const ALL: [Self; 28] = [
        Self::RobotsDisallowed,
        Self::Noindex,
        Self::Duplicate,
        Self::CanonicalElsewhere,
        Self::NotHtml,
        Self::TooLarge,
        Self::EmptyContent,
        Self::NeedsJavascript,
        Self::LoginRequired,
        Self::BotChallenge,
        Self::HttpError,
        Self::Timeout,
        Self::BlockedAddress,
        Self::OverLimit,
        Self::Unchanged,
        Self::RedirectLoop,
        Self::DnsError,
        Self::ConnectionFailed,
        Self::TlsError,
        Self::ServerBusy,
        Self::CrawlDelayTooLong,
        Self::Gone,
        Self::Excluded,
        Self::Cancelled,
        Self::PlanLimitReached,
        Self::NotFound,
        Self::ConsentRequired,
        Self::UnreadableFile,
    ];

    /// Returns the stable name of the reason, for example `not_html`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RobotsDisallowed => "robots_disallowed",
            Self::Noindex => "noindex",
            Self::Duplicate => "duplicate",
            Self::CanonicalElsewhere => "canonical_elsewhere",
            Self::NotHtml => "not_html",
            Self::TooLarge => "too_large",
            Self::EmptyContent => "empty_content",
            Self::NeedsJavascript => "needs_javascript",
            Self::LoginRequired => "login_required",
            Self::BotChallenge => "bot_challenge",
            Self::HttpError => "http_error",
            Self::Timeout => "timeout",
            Self::BlockedAddress => "blocked_address",
            Self::OverLimit => "over_limit",
            Self::Unchanged => "unchanged",
            Self::RedirectLoop => "redirect_loop",
            Self::DnsError => "dns_error",
            Self::ConnectionFailed => "connection_failed",
            Self::TlsError => "tls_error",
            Self::ServerBusy => "server_busy",
            Self::CrawlDelayTooLong => "crawl_delay_too_long",
            Self::Gone => "gone",
            Self::Excluded => "excluded",
            Self::Cancelled => "cancelled",
            Self::PlanLimitReached => "plan_limit_reached",
            Self::NotFound => "not_found",
            Self::ConsentRequired => "consent_required",
            Self::UnreadableFile => "unreadable_file",
        }
    }

    /// Returns the reason as a clause for customers, without a full stop. It names no address, so it never
    /// reveals an internal one.
    pub fn explanation(self) -> &'static str {
        match self {
            Self::RobotsDisallowed => {
                "the site's robots.txt does not allow the crawler to read it, or could not be read itself"
            }
            Self::Noindex => "the page asks not to be indexed",
            Self::Duplicate => "another page has the same content",
            Self::CanonicalElsewhere => "the page refers to another address",
            Self::NotHtml => "it is neither a web page nor text",
            Self::TooLarge => "the page is too large",
            Self::EmptyContent => "the page has no text apart from menus and headings",
            Self::NeedsJavascript => {
                "scripts build the page in the browser; offer its text in the HTML or add it as a text snippet"
            }
            Self::LoginRequired => "the page asks visitors to sign in",
            Self::BotChallenge => {
                "the site's bot protection stopped the crawler; allow the crawler in its settings"
            }
            Self::HttpError => "the server responded with an error",
            Self::Timeout => "the server took too long to respond",
            Self::BlockedAddress => {
                "it leads to an address that is not public; only public addresses on the standard ports of http and \
                 https are crawled"
            }
            Self::OverLimit => "the limit of pages was reached",
            Self::Unchanged => "the content has not changed",
            Self::RedirectLoop => "the page redirects in a circle or too often",
            Self::DnsError => "the host name could not be resolved",
            Self::ConnectionFailed => "no connection to the server could be established",
            Self::TlsError => {
                "no secure connection to the server could be established; check its certificate"
            }
            Self::ServerBusy => "the server is overloaded and asks to come back later; train again then",
            Self::CrawlDelayTooLong => {
                "the site's robots.txt asks for a longer pause between two requests than the crawler waits; lower its \
                 Crawl-delay"
            }
            Self::Gone => "the page no longer exists",
            Self::Excluded => "the settings of the website leave the page out",
            Self::Cancelled => "the crawl was stopped before the page was read",
            Self::PlanLimitReached => "the plan of the account includes no more webpages",
            Self::NotFound => "the page says that it does not exist, although the server responds with 200",
            Self::ConsentRequired => {
                "the page shows only a request to accept cookies; let the crawler read it without one"
            }
            Self::UnreadableFile => {
                "the file has no readable text: it may be damaged, protected or a scan, or it is too large or not \
                 supported; upload it to see the reason"
            }
        }
    }

    /// Returns the reason with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == name)
    }

    /// Returns whether something went wrong that the site's owner or another visit may correct. The other
    /// reasons are choices of the site or facts about the page.
    pub fn is_failure(self) -> bool {
        matches!(
            self,
            Self::BotChallenge
                | Self::HttpError
                | Self::Timeout
                | Self::BlockedAddress
                | Self::RedirectLoop
                | Self::DnsError
                | Self::ConnectionFailed
                | Self::TlsError
                | Self::ServerBusy
                | Self::UnreadableFile
        )
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_parse_back() {
        for reason in Reason::ALL {
            assert_eq!(Reason::parse(reason.as_str()), Some(reason));
        }
        assert_eq!(Reason::parse("no_such_reason"), None);
    }

    #[test]
    fn explanations_are_distinct_clauses() {
        let explanations: std::collections::BTreeSet<_> = Reason::ALL.map(Reason::explanation).into();
        assert_eq!(explanations.len(), Reason::ALL.len());
        for explanation in explanations {
            assert!(!explanation.is_empty() && !explanation.ends_with('.'), "{explanation}");
            assert!(!explanation.contains("  "), "{explanation}");
        }
    }
}
