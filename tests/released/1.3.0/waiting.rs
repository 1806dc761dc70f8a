//! Waiting for what the service does in the background, and times.

use std::time::{Duration, Instant};

use released_client::runtime::Timestamp;

use crate::Outcome;

const INTERVAL: Duration = Duration::from_millis(25);
const LONGEST: Duration = Duration::from_secs(60);

/// Looks again and again until there is something, and returns it.
pub async fn eventually<T>(what: &str, mut look: impl AsyncFnMut() -> Outcome<Option<T>>) -> Outcome<T> {
    let began = Instant::now();
    while began.elapsed() < LONGEST {
        if let Some(found) = look().await? {
            return Ok(found);
        }
        tokio::time::sleep(INTERVAL).await;
    }
    Err(format!("gave up waiting until {what}").into())
}

/// Returns the time in so many hours. The service stores times in microseconds.
pub fn in_hours(hours: i64) -> Outcome<Timestamp> {
    let now = Timestamp::now().as_microseconds();
    Ok(Timestamp::from_microseconds(now + hours * 3_600_000_000).ok_or("a time")?)
}
