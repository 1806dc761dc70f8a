//! [`RetryPolicy`]: when and how often requests are retried.

use super::SendError;
use crate::Operation;
use http::{HeaderMap, StatusCode, header};
use std::{
    hash::{BuildHasher, Hasher, RandomState},
    time::Duration,
};

/// `Idempotency-Key`: a service that supports it processes requests with the same key only once.
pub(super) const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// When and how often requests are retried.
///
/// Only safe retries are made: if the request was not sent; if the service refused it with 429; or if the
/// request is idempotent, by its method (RFC 9110, section 9.2.2) or by an `Idempotency-Key`, and the
/// connection failed or the response was 502, 503 or 504.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The maximum number of retries; 0 disables them.
    pub retries: u32,
    /// The delay before the first retry, which doubles with each further one; a random part of it is
    /// subtracted.
    pub base_delay: Duration,
    /// The maximum delay. If `Retry-After` exceeds it, the call ends with that response.
    pub longest_delay: Duration,
}

impl Default for RetryPolicy {
    /// Two retries, with delays from half a second up to 30 seconds.
    fn default() -> Self {
        Self { retries: 2, base_delay: Duration::from_millis(500), longest_delay: Duration::from_secs(30) }
    }
}

impl RetryPolicy {
    /// No retries.
    pub const NEVER: Self = Self { retries: 0, base_delay: Duration::ZERO, longest_delay: Duration::ZERO };

    /// Returns the delay before the next attempt after this response, or `None` if there is none.
    pub(super) fn after_response(
        &self,
        attempt: u32,
        repeatable: bool,
        status: StatusCode,
        headers: &HeaderMap,
    ) -> Option<Duration> {
        let again = match status {
            StatusCode::TOO_MANY_REQUESTS => true,
            StatusCode::BAD_GATEWAY | StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT => {
                repeatable
            }
            _ => false,
        };
        if !again || attempt >= self.retries {
            return None;
        }
        let delay = retry_after(headers).unwrap_or_else(|| self.backoff(attempt));
        (delay <= self.longest_delay).then_some(delay)
    }

    /// Returns the delay before the next attempt after a request without response.
    pub(super) fn after_error(&self, attempt: u32, repeatable: bool, error: &SendError) -> Option<Duration> {
        (error.allows_retry(repeatable) && attempt < self.retries).then(|| self.backoff(attempt))
    }

    /// Exponential backoff whose upper half is random, so that clients that failed together do not retry
    /// together.
    fn backoff(&self, attempt: u32) -> Duration {
        let full = self.base_delay.saturating_mul(2_u32.saturating_pow(attempt)).min(self.longest_delay);
        let random = RandomState::new().build_hasher().finish() % 1_000;
        full / 2 + full / 2 * u32::try_from(random).unwrap_or(0) / 1_000
    }
}

/// Whether the request may be retried although the service may have processed it.
pub(super) fn is_repeatable(operation: &Operation, headers: &HeaderMap) -> bool {
    operation.is_idempotent() || headers.contains_key(IDEMPOTENCY_KEY)
}

/// Parses `Retry-After` (RFC 9110, section 10.2.3). A date is compared with the service's own clock, its
/// `Date` header; without that header it is ignored, because it requires synchronized clocks.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let now = http_date(headers.get(header::DATE)?.to_str().ok()?)?;
    Some(Duration::try_from(http_date(text)?.duration_since(now)).unwrap_or_default())
}

/// Parses a date such as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
fn http_date(text: &str) -> Option<jiff::Timestamp> {
    jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text.trim()).ok()
}

#[cfg(test)]
mod tests {
    use super::{HeaderMap, RetryPolicy, StatusCode, header};
    use std::time::Duration;

    #[test]
    fn answers_are_retried_only_where_that_is_safe() {
        let policy = RetryPolicy::default();
        let none = HeaderMap::new();
        for (status, repeatable, again) in [
            (429, false, true),
            (503, false, false),
            (503, true, true),
            (500, true, false),
            (404, true, false),
        ] {
            let status = StatusCode::from_u16(status).unwrap();
            assert_eq!(
                policy.after_response(0, repeatable, status, &none).is_some(),
                again,
                "{status} {repeatable}"
            );
        }
        assert_eq!(
            policy.after_response(2, true, StatusCode::TOO_MANY_REQUESTS, &none),
            None,
            "attempts are bounded"
        );
    }

    #[test]
    fn retry_after_is_honored_up_to_the_longest_delay() {
        let policy = RetryPolicy::default();
        for (seconds, expected) in [("7", Some(Duration::from_secs(7))), ("3600", None)] {
            let headers = HeaderMap::from_iter([(header::RETRY_AFTER, seconds.parse().unwrap())]);
            assert_eq!(policy.after_response(0, false, StatusCode::TOO_MANY_REQUESTS, &headers), expected);
        }
    }

    #[test]
    fn a_date_is_compared_with_the_clock_of_the_service() {
        let after = |retry: &'static str, date: Option<&'static str>| {
            let mut headers = HeaderMap::from_iter([(header::RETRY_AFTER, retry.parse().unwrap())]);
            headers.extend(date.map(|date| (header::DATE, date.parse().unwrap())));
            super::retry_after(&headers)
        };
        let date = Some("Sun, 06 Nov 1994 08:49:30 GMT");
        assert_eq!(after("Sun, 06 Nov 1994 08:49:37 GMT", date), Some(Duration::from_secs(7)));
        assert_eq!(after("Sun, 06 Nov 1994 08:49:07 GMT", date), Some(Duration::ZERO), "it has passed");
        assert_eq!(after("Sun, 06 Nov 1994 08:49:37 GMT", None), None);
        assert_eq!(after("soon", date), None);
    }

    #[test]
    fn backoff_grows_and_keeps_its_bounds() {
        let policy = RetryPolicy { retries: 9, ..RetryPolicy::default() };
        for attempt in 0..9 {
            let full = (policy.base_delay * 2_u32.pow(attempt)).min(policy.longest_delay);
            let delay = policy.backoff(attempt);
            assert!(delay >= full / 2 && delay <= full, "{attempt}: {delay:?}");
        }
    }
}
