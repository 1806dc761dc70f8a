//! [`RetryPolicy`]: when and how often requests are retried.

use super::{Raw, SendError};
use http::{HeaderMap, Method, StatusCode, header};
use std::{
    hash::{BuildHasher, Hasher, RandomState},
    time::Duration,
};

/// `Idempotency-Key`: a service that supports it processes requests with the same key only once.
pub(super) const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// When and how often requests are retried.
///
/// Only safe retries are made:
///
/// - if the request was not sent, or the service refused it with 429;
/// - if the request is idempotent, by its method (RFC 9110, section 9.2.2), by `x-idempotent` or by an
///   `Idempotency-Key`, and the connection failed or the response was 408, 500, 502, 503 or 504;
/// - if the request has an `Idempotency-Key` and the response is a 409 which says that the first request with
///   this key is still being processed: the member `error`, `code` or `type` of its JSON body, or of the
///   object `error` in it, is `in_progress`.
///
/// A request whose body can be read only once is never retried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The maximum number of retries; 0 disables them.
    pub retries: u32,
    /// The delay before the first retry, which doubles with each further one; a random part of it is
    /// subtracted.
    pub base_delay: Duration,
    /// The maximum delay. If `Retry-After` exceeds it, or the time that the call still has, the call ends
    /// with that response.
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
    pub(super) fn after_response(&self, attempt: u32, safety: Safety, response: &Raw) -> Option<Duration> {
        let again = match response.status {
            StatusCode::TOO_MANY_REQUESTS => true,
            StatusCode::REQUEST_TIMEOUT
            | StatusCode::INTERNAL_SERVER_ERROR
            | StatusCode::BAD_GATEWAY
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::GATEWAY_TIMEOUT => safety.is_repeatable(),
            StatusCode::CONFLICT => safety == Safety::Keyed && is_in_progress(response),
            _ => false,
        };
        if !again || attempt >= self.retries {
            return None;
        }
        let delay = retry_after(&response.headers).unwrap_or_else(|| self.backoff(attempt));
        (delay <= self.longest_delay).then_some(delay)
    }

    /// Returns the delay before the next attempt after a request without response.
    pub(super) fn after_error(&self, attempt: u32, safety: Safety, error: &SendError) -> Option<Duration> {
        (error.allows_retry(safety.is_repeatable()) && attempt < self.retries).then(|| self.backoff(attempt))
    }

    /// Exponential backoff whose upper half is random, so that clients that failed together do not retry
    /// together.
    fn backoff(&self, attempt: u32) -> Duration {
        let full = self.base_delay.saturating_mul(2_u32.saturating_pow(attempt)).min(self.longest_delay);
        let random = RandomState::new().build_hasher().finish() % 1_000;
        full / 2 + full / 2 * u32::try_from(random).unwrap_or(0) / 1_000
    }
}

/// Whether a request may be sent again although the service may have processed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Safety {
    /// Not at all.
    Unsafe,
    /// A second time has the effect of the first one.
    Idempotent,
    /// The service recognizes the request by its key.
    Keyed,
}

impl Safety {
    /// Returns how safe it is to repeat a request. `declared` is whether its operation is idempotent by
    /// declaration.
    pub(super) fn of(method: &Method, declared: bool, headers: &HeaderMap) -> Self {
        if headers.contains_key(IDEMPOTENCY_KEY) {
            Self::Keyed
        } else if declared || method.is_idempotent() {
            Self::Idempotent
        } else {
            Self::Unsafe
        }
    }

    pub(super) const fn is_repeatable(self) -> bool {
        !matches!(self, Self::Unsafe)
    }
}

/// Whether a 409 says that the first request with the same key is still being processed.
fn is_in_progress(response: &Raw) -> bool {
    let Ok(body) = response.json::<serde_json::Value>() else { return false };
    [&body, &body["error"]].into_iter().any(|object| {
        ["error", "code", "type"].iter().any(|member| object.get(member) == Some(&"in_progress".into()))
    })
}

/// Parses `Retry-After` (RFC 9110, section 10.2.3). A date is compared with the service's own clock, its
/// `Date` header; without that header it is ignored, because it requires synchronized clocks.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
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
    use super::{HeaderMap, Method, Raw, RetryPolicy, Safety, StatusCode, header};
    use std::time::Duration;

    fn response(status: u16, headers: &[(header::HeaderName, &str)], body: &'static str) -> Raw {
        let headers = headers.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect();
        Raw { status: StatusCode::from_u16(status).unwrap(), headers, body: body.into() }
    }

    #[test]
    fn answers_are_retried_only_where_that_is_safe() {
        let policy = RetryPolicy::default();
        for (status, never, idempotent) in [
            (429, true, true),
            (408, false, true),
            (500, false, true),
            (502, false, true),
            (503, false, true),
            (504, false, true),
            (501, false, false),
            (409, false, false),
            (404, false, false),
        ] {
            let response = response(status, &[], r#"{"error":"in_progress"}"#);
            let again = |safety| policy.after_response(0, safety, &response).is_some();
            assert_eq!((again(Safety::Unsafe), again(Safety::Idempotent)), (never, idempotent), "{status}");
        }
        let throttled = response(429, &[], "");
        let again = |attempt| policy.after_response(attempt, Safety::Keyed, &throttled).is_some();
        assert_eq!((again(1), again(2)), (true, false), "attempts are bounded");
    }

    #[test]
    fn a_conflict_is_retried_only_while_the_first_request_runs() {
        let policy = RetryPolicy::default();
        for (body, again) in [
            (r#"{"error":"in_progress","message":"a"}"#, true),
            (r#"{"code":"in_progress"}"#, true),
            (r#"{"error":{"code":"in_progress"}}"#, true),
            (r#"{"error":"already_exists"}"#, false),
            (r#"{"message":"in_progress"}"#, false),
            (r#"["in_progress"]"#, false),
            ("in_progress", false),
            ("", false),
        ] {
            let response = response(409, &[], body);
            assert_eq!(policy.after_response(0, Safety::Keyed, &response).is_some(), again, "{body}");
        }
    }

    #[test]
    fn methods_declarations_and_keys_make_requests_repeatable() {
        let keyed = HeaderMap::from_iter([(super::IDEMPOTENCY_KEY.parse().unwrap(), "a".parse().unwrap())]);
        for (method, declared, headers, safety) in [
            (Method::POST, false, &HeaderMap::new(), Safety::Unsafe),
            (Method::PATCH, true, &HeaderMap::new(), Safety::Idempotent),
            (Method::DELETE, false, &HeaderMap::new(), Safety::Idempotent),
            (Method::POST, false, &keyed, Safety::Keyed),
        ] {
            assert_eq!(Safety::of(&method, declared, headers), safety, "{method}");
        }
    }

    #[test]
    fn retry_after_is_honored_up_to_the_longest_delay() {
        let policy = RetryPolicy::default();
        for (seconds, expected) in
            [("7", Some(Duration::from_secs(7))), ("30", Some(Duration::from_secs(30))), ("31", None)]
        {
            let response = response(429, &[(header::RETRY_AFTER, seconds)], "");
            assert_eq!(policy.after_response(0, Safety::Unsafe, &response), expected);
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
