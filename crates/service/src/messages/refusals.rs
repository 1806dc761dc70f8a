//! The declared answers that only these two operations give when they do not succeed.

use frontdesk_model as model;
use frontdesk_runtime::check;
use jiff::{Timestamp, ToSpan, tz::TimeZone};

use super::identity::Distrust;
use crate::answers;

/// Fields that break a rule which only the stored data can tell.
pub(super) fn invalid_fields(failures: Vec<check::Failure>) -> model::MessageRejected {
    model::MessageRejected {
        body: model::MessageRejectedBody::ValidationError(answers::validation(failures)),
    }
}

/// The identity assertion is not trusted.
pub(super) fn invalid_identity(distrust: &Distrust) -> model::MessageRejected {
    let error = model::InvalidIdentityErrorKind::InvalidIdentity;
    let body = model::InvalidIdentityError::new(error, distrust.to_string());
    model::MessageRejected { body: model::MessageRejectedBody::InvalidIdentityError(body) }
}

/// The month's credits are used up.
pub(super) fn credits_exhausted() -> model::CreditsExhausted {
    let error = model::CreditsExhaustedErrorKind::CreditsExhausted;
    let message = "The monthly AI credits of this account are used up.";
    model::CreditsExhausted { body: model::CreditsExhaustedError::new(error, message) }
}

/// The chatbot has nothing to answer from.
pub(super) fn no_training_data() -> model::ReplyRejected {
    let error = model::NoTrainingDataErrorKind::NoTrainingData;
    let body = model::NoTrainingDataError::new(error, "This chatbot has no trained content yet.");
    model::ReplyRejected { body: model::ReplyRejectedBody::NoTrainingDataError(body) }
}

/// The chatbot has drafted as much as it may on one day.
pub(super) fn day_used_up(now: Timestamp) -> model::ReplyRateLimited {
    let retry_after = seconds_to_midnight(now);
    let body = model::ReplyRateLimitedError::new(
        model::ReplyRateLimitedErrorKind::RateLimited,
        "This chatbot has drafted as many replies as it may today. Try again tomorrow (UTC).",
    );
    model::ReplyRateLimited { retry_after, body }
}

/// Whole seconds to the end of the day in UTC, at least 1.
fn seconds_to_midnight(now: Timestamp) -> i64 {
    let now = now.to_zoned(TimeZone::UTC);
    let midnight = now.start_of_day().and_then(|today| today.checked_add(1.day()));
    // Only the last day of the calendar has no next one.
    midnight.map_or(1, |midnight| now.duration_until(&midnight).as_secs() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_day_ends_at_midnight_in_utc() {
        for (now, seconds) in
            [("2026-11-20T23:59:59.5Z", 1), ("2026-11-20T23:00:00Z", 3601), ("2026-11-20T00:00:00Z", 86401)]
        {
            assert_eq!(seconds_to_midnight(now.parse().unwrap()), seconds, "{now}");
        }
        assert!(seconds_to_midnight(Timestamp::MAX) >= 1);
    }
}
