//! Claims on work, which end unless the process that does the work renews them: then it has died, and another
//! one may take over.

use std::{pin::pin, time::Duration};

/// Does some work, and renews the claim on it at this interval until it is done. A renewal that takes long
/// does not hold up the work.
pub(crate) async fn renewing<T, R>(work: impl Future<Output = T>, every: Duration, renew: impl Fn() -> R) -> T
where
    R: Future<Output = ()>,
{
    let mut work = pin!(work);
    loop {
        let renewal = async {
            tokio::time::sleep(every).await;
            renew().await;
        };
        tokio::select! {
            done = &mut work => return done,
            () = renewal => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use tokio::time::sleep;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_claim_is_renewed_until_the_work_is_done() {
        let (second, renewals) = (Duration::from_secs(1), Cell::new(0));
        let count = || async { renewals.set(renewals.get() + 1) };
        assert_eq!(renewing(async { 7 }, second, count).await, 7);
        assert_eq!(renewals.get(), 0);
        renewing(sleep(second * 7 / 2), second, count).await;
        assert_eq!(renewals.get(), 3);
        // One that hangs holds nothing up.
        renewing(sleep(second * 2), second, std::future::pending::<()>).await;
    }
}
