//! What has to be done now and then so that nothing waits or grows for ever.

use std::time::Duration;

use frontdesk_store::{Day, StoreError};
use jiff::SignedDuration;
use tokio::sync::watch;

use super::{outcome, worker::stop_wanted};
use crate::service::Service;

/// How often abandoned jobs are looked for.
const INTERVAL: Duration = Duration::from_secs(30);
/// How long finished jobs are kept for people who look for a reason.
const KEEP_JOBS: SignedDuration = SignedDuration::from_hours(7 * 24);
/// How long the counts of keyless replies are kept; only today's is ever read.
const KEEP_COUNTS: SignedDuration = SignedDuration::from_hours(2 * 24);

/// Works until it is asked to stop. Any number of processes may do so at a time.
pub(super) async fn run(service: Service, mut stopped: watch::Receiver<bool>) {
    loop {
        if let Err(error) = once(&service).await {
            tracing::warn!(%error, "housekeeping could not be finished");
        }
        tokio::select! {
            () = tokio::time::sleep(INTERVAL) => {}
            () = stop_wanted(&mut stopped) => return,
        }
    }
}

async fn once(service: &Service) -> Result<(), StoreError> {
    let now = service.now();
    for job in service.store.fail_abandoned_jobs(now).await? {
        tracing::error!(job_id = %job.job_id, attempts = job.attempts, "a training job was given up");
    }
    // Found by what is stored and not by the jobs above, so that a crash in between strands nobody.
    for chatbot in service.store.stranded_chatbots().await? {
        outcome::give_up(service, &chatbot.scope(), chatbot.chatbot_id).await?;
    }
    if let Ok(before) = now.checked_sub(KEEP_JOBS) {
        service.store.prune_jobs(before).await?;
    }
    if let Ok(before) = now.checked_sub(KEEP_COUNTS) {
        service.store.prune_daily_replies(&Day::of(before)).await?;
    }
    Ok(())
}
