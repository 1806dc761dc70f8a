//! Error responses that only the two operations of this module declare.

use frontdesk_model as model;
use frontdesk_runtime::check;
use jiff::{Timestamp, ToSpan, tz::TimeZone};
use uuid::Uuid;

use super::identity::IdentityError;
use crate::edge::{rate_limit::Exceeded, responses};

/// The wait that is suggested while too many replies are drafted at a time, in seconds.
const BUSY_SECONDS: i64 = 2;

/// Returns the 422 for fields that are valid by the contract but refused by the stored data, such as an
/// unknown tag.
pub(super) fn invalid_fields(failures: Vec<check::Failure>) -> model::MessageRejected {
    model::MessageRejected {
        body: model::MessageRejectedBody::ValidationError(responses::validation(failures)),
    }
}

/// Returns the 422 for an identity assertion that cannot be trusted.
pub(super) fn invalid_identity(error: &IdentityError) -> model::MessageRejected {
    let body = identity_error(error);
    model::MessageRejected { body: model::MessageRejectedBody::InvalidIdentityError(body) }
}

/// Returns why an identity assertion cannot be trusted.
pub(super) fn identity_error(error: &IdentityError) -> model::InvalidIdentityError {
    model::InvalidIdentityError::new(model::InvalidIdentityErrorKind::InvalidIdentity, error.to_string())
}

/// Returns the 402 for a message that was stored but not answered.
pub(super) fn not_answered(conversation_id: Uuid) -> model::CreditsExhausted {
    let message =
        "The monthly AI credits of this account are used up. The message was stored but not answered.";
    let body = credits_exhausted_error(message).conversation_id(conversation_id.into());
    model::CreditsExhausted { body }
}

/// Returns the 402 for a visitor's message that was stored but not answered.
pub(super) fn visitor_not_answered(conversation_id: Uuid) -> model::CreditsExhausted {
    let message = "The chatbot cannot answer at the moment. The message was stored.";
    let body = credits_exhausted_error(message).conversation_id(conversation_id.into());
    model::CreditsExhausted { body }
}

/// Returns the 402 for a draft that the account cannot pay for.
pub(super) fn credits_exhausted() -> model::CreditsExhausted {
    let message = "The monthly AI credits of this account are used up.";
    model::CreditsExhausted { body: credits_exhausted_error(message) }
}

fn credits_exhausted_error(message: &str) -> model::CreditsExhaustedError {
    model::CreditsExhaustedError::new(model::CreditsExhaustedErrorKind::CreditsExhausted, message)
}

/// Returns the 422 for a chatbot without trained content.
pub(super) fn no_training_data() -> model::ReplyRejected {
    let error = model::NoTrainingDataErrorKind::NoTrainingData;
    let body = model::NoTrainingDataError::new(error, "This chatbot has no trained content yet.");
    model::ReplyRejected { body: model::ReplyRejectedBody::NoTrainingDataError(body) }
}

/// Returns the 402 for a draft beyond the share of the monthly credits that replies may use.
pub(super) fn reply_share_used_up() -> model::CreditsExhausted {
    let message = "The share of the monthly AI credits that email replies may use is used up.";
    model::CreditsExhausted { body: credits_exhausted_error(message) }
}

/// Returns the 429 for a limit that ends with the day (UTC).
pub(super) fn day_used_up(now: Timestamp) -> model::ReplyRateLimited {
    let message = "This chatbot has drafted as many replies as it may today. Try again tomorrow (UTC).";
    reply_rate_limited(seconds_to_midnight(now), message.to_owned())
}

/// Returns the 429 for more drafts of one chatbot than it may write in a minute.
pub(super) fn too_many_replies(exceeded: Exceeded) -> model::ReplyRateLimited {
    let message = responses::rate_limited(exceeded).message;
    reply_rate_limited(exceeded.retry_after.try_into().unwrap_or(i64::MAX), message)
}

/// Returns the 429 for more drafts at a time than the service writes.
pub(super) fn replies_busy() -> model::ReplyRateLimited {
    let message = format!("Too many replies are being drafted. Try again in {BUSY_SECONDS} seconds.");
    reply_rate_limited(BUSY_SECONDS, message)
}

fn reply_rate_limited(retry_after: i64, message: String) -> model::ReplyRateLimited {
    let body = model::ReplyRateLimitedError::new(model::ReplyRateLimitedErrorKind::RateLimited, message);
    model::ReplyRateLimited { retry_after, body }
}

/// Returns the whole seconds to the end of the day in UTC, at least 1.
fn seconds_to_midnight(now: Timestamp) -> i64 {
    let now = now.to_zoned(TimeZone::UTC);
    let midnight = now.start_of_day().and_then(|today| today.checked_add(1.day()));
    // Only the last day that the calendar can represent has no next one.
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
