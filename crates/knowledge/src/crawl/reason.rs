//! Why a visited page gave no content.

use std::fmt;

/// Why a page was skipped or failed; its text form is part of the crawl report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Reason {
    /// The site's robots.txt does not let us read it.
    RobotsDisallowed,
    /// The page asks not to be indexed.
    Noindex,
    /// Another page has the same content.
    Duplicate,
    /// The page is a copy or a redirect, and says where the original is.
    CanonicalElsewhere,
    /// Neither a web page nor text.
    NotHtml,
    /// Larger than a page may be.
    TooLarge,
    /// No text besides menus.
    EmptyContent,
    /// The content is only built by scripts.
    NeedsJavascript,
    /// The page asks to sign in.
    LoginRequired,
    /// The site asks for proof of being a person.
    BotChallenge,
    /// The server answered with an error, or not in HTTP.
    HttpError,
    /// The server took too long.
    Timeout,
    /// The address is not public.
    BlockedAddress,
    /// The crawl reached its bounds first.
    OverLimit,
    /// The content is the same as at the last visit.
    Unchanged,
    /// The page redirects in a circle or too often.
    RedirectLoop,
    /// The host name does not resolve.
    DnsError,
    /// The server cannot be reached.
    ConnectionFailed,
    /// No secure connection could be made.
    TlsError,
}

impl Reason {
    /// Every reason, in the order of the crawl report's documentation.
    pub const ALL: [Self; 19] = [
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
    ];

    /// The reason's stable name.
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
        }
    }

    /// The reason of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == name)
    }

    /// Whether something went wrong that the site's owner or another visit may put right; the other reasons are
    /// the site's wish or a plain fact about the page.
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
}
