//! Waiting for what another task or process does: often looked for, and given up only when it is surely not
//! coming.

use std::time::{Duration, Instant};

/// The time between two looks.
pub(crate) const INTERVAL: Duration = Duration::from_millis(25);
const LONGEST: Duration = Duration::from_secs(90);

/// What `look` finds, as soon as it finds something.
pub(crate) async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(began.elapsed() < LONGEST, "gave up waiting until {what}");
        tokio::time::sleep(INTERVAL).await;
    }
}
