//! When a failed delivery is tried again.

use std::{hash::Hasher, time::Duration};

use frontdesk_runtime::HeaderMap;
use frontdesk_store::QueuedDelivery;
use http::{StatusCode, header::RETRY_AFTER};
use jiff::{SignedDuration, Timestamp};

/// The waits after each failed attempt, as Standard Webhooks proposes them: together about 75 hours. There is
/// no attempt after the last.
const WAITS: [SignedDuration; 9] = [
    SignedDuration::from_secs(5),
    SignedDuration::from_mins(5),
    SignedDuration::from_mins(30),
    SignedDuration::from_hours(2),
    SignedDuration::from_hours(5),
    SignedDuration::from_hours(10),
    SignedDuration::from_hours(14),
    SignedDuration::from_hours(20),
    SignedDuration::from_hours(24),
];

/// Returns when to try again after a failed attempt, or `None` if it was the last. Waits vary by 20 percent,
/// so that events that failed together do not come back together. `retry_after` can extend a wait up to twice
/// its length.
pub(super) fn next(
    delivery: &QueuedDelivery,
    retry_after: Option<SignedDuration>,
    now: Timestamp,
) -> Option<Timestamp> {
    let wait = *WAITS.get(delivery.failures as usize)?;
    let mut hasher = std::hash::DefaultHasher::new();
    hasher.write(delivery.webhook_delivery_id.as_bytes());
    hasher.write_u32(delivery.failures);
    let share = u32::try_from(hasher.finish() % 401).unwrap_or(0);
    let planned = Duration::try_from(wait).unwrap_or_default() * (800 + share) / 1_000;
    let planned = SignedDuration::try_from(planned).unwrap_or(wait);
    let wait = retry_after.map_or(planned, |asked| asked.clamp(planned, planned.saturating_add(planned)));
    Some(now.saturating_add(wait).unwrap_or(Timestamp::MAX))
}

/// Returns the wait that an overloaded endpoint asks for: whole seconds, or a date.
pub(super) fn retry_after(status: StatusCode, headers: &HeaderMap, now: Timestamp) -> Option<SignedDuration> {
    if !matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
        return None;
    }
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse::<u32>() {
        return Some(SignedDuration::from_secs(seconds.into()));
    }
    let date = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text).ok()?;
    Some(now.duration_until(date))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use uuid::Uuid;

    use super::*;

    fn delivery(id: u128, failures: u32) -> QueuedDelivery {
        QueuedDelivery { webhook_delivery_id: Uuid::from_u128(id), failures, attempts: Vec::new() }
    }

    fn wait(id: u128, failures: u32, asked: Option<i64>) -> Option<SignedDuration> {
        let now = Timestamp::UNIX_EPOCH;
        let asked = asked.map(SignedDuration::from_secs);
        next(&delivery(id, failures), asked, now).map(|at| now.duration_until(at))
    }

    #[test]
    fn waits_follow_the_schedule_within_a_fifth() {
        for (failures, planned) in WAITS.iter().enumerate() {
            let failures = u32::try_from(failures).unwrap();
            let waits: Vec<_> = (0..200).map(|id| wait(id, failures, None).unwrap()).collect();
            assert!(waits.iter().all(|wait| *wait * 10 >= *planned * 8 && *wait * 10 <= *planned * 12));
            assert!(waits.iter().max().unwrap().as_millis() * 100 > planned.as_millis() * 115, "{failures}");
            assert!(waits.iter().min().unwrap().as_millis() * 100 < planned.as_millis() * 85, "{failures}");
        }
        assert_eq!(wait(1, 9, None), None);
        let total: i64 = WAITS.iter().map(SignedDuration::as_secs).sum();
        assert!((74..=76).contains(&(total / 3_600)), "{total}");
    }

    #[test]
    fn an_endpoint_can_ask_for_twice_the_wait_at_most() {
        let planned = wait(7, 1, None).unwrap();
        assert_eq!(wait(7, 1, Some(1)), Some(planned));
        assert_eq!(wait(7, 1, Some(planned.as_secs() + 60)).unwrap().as_secs(), planned.as_secs() + 60);
        assert_eq!(wait(7, 1, Some(86_400)), Some(planned * 2));
        assert_eq!(wait(7, 1, Some(-5)), Some(planned));
    }

    #[test]
    fn only_overloaded_endpoints_are_asked() {
        let now: Timestamp = "2026-11-20T10:00:00Z".parse().unwrap();
        let asked = |status: u16, text: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, HeaderValue::from_static(text));
            retry_after(StatusCode::from_u16(status).unwrap(), &headers, now).map(|wait| wait.as_secs())
        };
        assert_eq!(asked(429, "120"), Some(120));
        assert_eq!(asked(503, "Fri, 20 Nov 2026 10:02:00 GMT"), Some(120));
        assert_eq!(asked(503, "soon"), None);
        assert_eq!(asked(500, "120"), None);
        assert_eq!(retry_after(StatusCode::TOO_MANY_REQUESTS, &HeaderMap::new(), now), None);
    }
}
