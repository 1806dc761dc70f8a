//! Recurring jobs that delete what is no longer needed, in short writes.

use std::time::Duration;

use frontdesk_store::{DEALS_RESTORABLE, Day, Job, Scope};
use jiff::SignedDuration;

use super::{
    kind::{Backoff, JobError, JobKind, JobSpec, NoPayload, Outcome},
    queue::Queue,
};
use crate::{
    background::Background,
    platform::{
        account_archive,
        files::{OBJECTS_PER_RUN, delete_erased_objects, delete_objects},
    },
};

/// How long finished jobs are kept for operators who look for a reason.
const KEEP_JOBS: SignedDuration = SignedDuration::from_hours(7 * 24);
/// How many jobs one write deletes.
const JOBS_PER_RUN: u32 = 1_000;
/// How many stored responses one write deletes. They may be large.
const KEYS_PER_RUN: u32 = 500;
/// How long the counts of keyless replies are kept. Only those of the present day are read.
const KEEP_COUNTS: SignedDuration = SignedDuration::from_hours(2 * 24);

/// How many ended sessions of visitors one write deletes.
const SESSIONS_PER_RUN: u32 = 1_000;
/// How many deals one write removes.
const DEALS_PER_RUN: u32 = 500;
/// How many conversations, threads and contacts each of one account a run removes.
const REMOVALS_PER_RUN: u32 = 1_000;
/// How many erasures a run goes on with.
const ERASURES_PER_RUN: u32 = 20;
/// After this time without a step, nobody works on an erasure any more: its request has ended, or its
/// process.
const ERASURE_IDLE: SignedDuration = SignedDuration::from_secs(30);
/// How long a run goes on with one erasure.
const ERASURE_TIME: Duration = Duration::from_secs(20);

/// How old an object has to be that no file names. The row of its file is written after it, by a request that
/// takes a minute at most.
const OBJECT_GRACE: SignedDuration = SignedDuration::from_mins(30);

/// How many skipped e-mails one run removes.
const SKIPPED_MAILS_PER_RUN: u32 = 500;

/// Returns the limits of a job that cleans up every hour.
pub(crate) const fn hourly(name: &'static str) -> JobSpec {
    JobSpec {
        name,
        queue: Queue::Housekeeping,
        max_attempts: 3,
        backoff: Backoff { first: SignedDuration::from_secs(5), longest: SignedDuration::from_mins(5) },
        time_limit: SignedDuration::from_mins(30),
        every: Some(SignedDuration::from_hours(1)),
    }
}

/// Deletes jobs that were finished or given up a week ago.
#[derive(Debug)]
pub(crate) struct PruneJobs(pub(crate) Background);

impl JobKind for PruneJobs {
    type Payload = NoPayload;

    fn spec(&self) -> &JobSpec {
        const { &hourly("prune_jobs") }
    }

    async fn run(&self, _: &Job, NoPayload {}: NoPayload) -> Result<Outcome, JobError> {
        let now = self.0.now();
        let pruned = self.0.store.jobs().prune(now.saturating_sub(KEEP_JOBS)?, JOBS_PER_RUN).await?;
        // Other housekeeping takes turns with a large backlog.
        Ok(if pruned < JOBS_PER_RUN.into() { Outcome::Done } else { Outcome::ContinueAt(now) })
    }
}

/// Deletes the counts of keyless replies of earlier days.
#[derive(Debug)]
pub(crate) struct PruneReplyCounts(pub(crate) Background);

impl JobKind for PruneReplyCounts {
    type Payload = NoPayload;

    fn spec(&self) -> &JobSpec {
        const { &hourly("prune_reply_counts") }
    }

    async fn run(&self, _: &Job, NoPayload {}: NoPayload) -> Result<Outcome, JobError> {
        let before = Day::of(self.0.now().saturating_sub(KEEP_COUNTS)?);
        self.0.store.credits().prune_daily_replies(&before).await?;
        self.0.store.reply_credits().prune(&before).await?;
        Ok(Outcome::Done)
    }
}

/// Deletes sessions of visitors that have ended.
#[derive(Debug)]
pub(crate) struct PruneVisitorSessions(pub(crate) Background);

impl JobKind for PruneVisitorSessions {
    type Payload = NoPayload;

    fn spec(&self) -> &JobSpec {
        const { &hourly("prune_visitor_sessions") }
    }

    async fn run(&self, _: &Job, NoPayload {}: NoPayload) -> Result<Outcome, JobError> {
        let now = self.0.now();
        let pruned = self.0.store.visitors().prune(now, SESSIONS_PER_RUN).await?;
        Ok(if pruned < SESSIONS_PER_RUN.into() { Outcome::Done } else { Outcome::ContinueAt(now) })
    }
}

/// Deletes sessions of people, links, invitations and challenges for passkeys that have ended, and audit
/// entries that are older than a year.
#[derive(Debug)]
pub(crate) struct PruneSessions(pub(crate) Background);

impl JobKind for PruneSessions {
    type Payload = NoPayload;

    fn spec(&self) -> &JobSpec {
        const { &hourly("prune_sessions") }
    }

    async fn run(&self, _: &Job, NoPayload {}: NoPayload) -> Result<Outcome, JobError> {
        let (store, now) = (&self.0.store, self.0.now());
        store.links().prune(now).await?;
        store.pending_sign_ins().prune(now).await?;
        store.people().delete_without_users().await?;
        let sessions = store.sessions().prune(now, SESSIONS_PER_RUN).await?;
        let entries = store.audit_entries().prune(now, SESSIONS_PER_RUN).await?;
        let invitations = store.invitations().prune(now, SESSIONS_PER_RUN).await?;
        let challenges = store.passkeys().prune_challenges(now, SESSIONS_PER_RUN).await?;
        let are_left = sessions.max(entries).max(invitations).max(challenges) >= SESSIONS_PER_RUN.into();
        Ok(if are_left { Outcome::ContinueAt(now) } else { Outcome::Done })
    }
}

/// Deletes responses that were kept for repeated requests and have expired.
#[derive(Debug)]
pub(crate) struct PruneIdempotency(pub(crate) Background);

impl JobKind for PruneIdempotency {
    type Payload = NoPayload;

    fn spec(&self) -> &JobSpec {
        const { &hourly("prune_idempotency") }
    }

    async fn run(&self, _: &Job, NoPayload {}: NoPayload) -> Result<Outcome, JobError> {
        let now = self.0.now();
        let pruned = self.0.store.idempotency().prune(now, KEYS_PER_RUN).await?;
        // Other housekeeping takes turns with a large backlog.
        Ok(if pruned < KEYS_PER_RUN.into() { Outcome::Done } else { Outcome::ContinueAt(now) })
    }
}

/// Removes deals that can no longer be restored.
#[derive(Debug)]
pub(crate) struct PurgeDeals(pub(crate) Background);

impl JobKind for PurgeDeals {
    type Payload = NoPayload;

    fn spec(&self) -> &JobSpec {
        const { &hourly("purge_deals") }
    }

    async fn run(&self, _: &Job, NoPayload {}: NoPayload) -> Result<Outcome, JobError> {
        let now = self.0.now();
        let before = now.saturating_sub(DEALS_RESTORABLE)?;
        let purged = self.0.store.deals().purge(before, DEALS_PER_RUN).await?;
        // Other housekeeping takes turns with a large backlog.
        Ok(if purged < DEALS_PER_RUN.into() { Outcome::Done } else { Outcome::ContinueAt(now) })
    }
}

/// Removes conversations and contacts that accounts do not keep any longer.
#[derive(Debug)]
pub(crate) struct ApplyRetention(pub(crate) Background);

impl JobKind for ApplyRetention {
    type Payload = NoPayload;

    fn spec(&self) -> &JobSpec {
        const { &hourly("apply_retention") }
    }

    async fn run(&self, _: &Job, NoPayload {}: NoPayload) -> Result<Outcome, JobError> {
        let now = self.0.now();
        let retention = self.0.store.retention();
        let (mut has_more, mut failure) = (false, None);
        for account_id in retention.accounts().await? {
            match retention.apply(&Scope::of_account(account_id), now, REMOVALS_PER_RUN).await {
                Ok(0) => {}
                Ok(removed) => {
                    tracing::info!(%account_id, removed, "conversations and contacts have reached their age");
                    has_more |= removed >= u64::from(REMOVALS_PER_RUN);
                }
                // Data that the other accounts no longer keep is still removed.
                Err(error) => {
                    tracing::error!(%account_id, error = &error as &dyn std::error::Error, "retention failed");
                    failure = Some(error);
                }
            }
        }
        delete_erased_objects(&self.0).await;
        if let Some(error) = failure {
            return Err(error.into());
        }
        // Other housekeeping takes turns with a large backlog.
        Ok(if has_more { Outcome::ContinueAt(now) } else { Outcome::Done })
    }
}

/// Goes on with erasures of contacts whose requests have ended before nothing was left.
#[derive(Debug)]
pub(crate) struct FinishErasures(pub(crate) Background);

impl JobKind for FinishErasures {
    type Payload = NoPayload;

    fn spec(&self) -> &JobSpec {
        const { &JobSpec { every: Some(SignedDuration::from_secs(15)), ..hourly("finish_erasures") } }
    }

    async fn run(&self, _: &Job, NoPayload {}: NoPayload) -> Result<Outcome, JobError> {
        let contacts = self.0.store.contacts();
        let before = self.0.now().saturating_sub(ERASURE_IDLE)?;
        let unfinished = contacts.unfinished_erasures(before, ERASURES_PER_RUN).await?;
        let mut has_more = unfinished.len() >= ERASURES_PER_RUN as usize;
        let mut failure = None;
        for contact_id in unfinished {
            match contacts.continue_erasure(contact_id, ERASURE_TIME, self.0.now()).await {
                Ok(is_finished) => {
                    tracing::info!(%contact_id, is_finished, "an erasure went on");
                    has_more |= !is_finished;
                }
                // The data of the others is still erased.
                Err(error) => {
                    tracing::error!(%contact_id, error = &error as &dyn std::error::Error, "an erasure failed");
                    failure = Some(error);
                }
            }
        }
        delete_erased_objects(&self.0).await;
        if let Some(error) = failure {
            return Err(error.into());
        }
        // Other housekeeping takes turns with a large backlog.
        let soon = self.0.now().saturating_add(ERASURE_IDLE)?;
        Ok(if has_more { Outcome::ContinueAt(soon) } else { Outcome::Done })
    }
}

/// Goes on with erasures of accounts whose requests have ended before nothing was left.
#[derive(Debug)]
pub(crate) struct EraseAccounts(pub(crate) Background);

impl JobKind for EraseAccounts {
    type Payload = NoPayload;

    fn spec(&self) -> &JobSpec {
        const { &JobSpec { every: Some(SignedDuration::from_mins(1)), ..hourly("erase_accounts") } }
    }

    async fn run(&self, _: &Job, NoPayload {}: NoPayload) -> Result<Outcome, JobError> {
        let before = self.0.now().saturating_sub(ERASURE_IDLE)?;
        let mut failure = None;
        for account_id in self.0.store.account_data().erasing(before).await? {
            match account_archive::erase(&self.0.store, &self.0.files, account_id, self.0.now()).await {
                Ok(_) => tracing::info!(%account_id, "an account was erased"),
                // The others are still erased.
                Err(error) => {
                    tracing::error!(%account_id, error = &error as &dyn std::error::Error, "an account was not erased");
                    failure = Some(error);
                }
            }
        }
        failure.map_or(Ok(Outcome::Done), |error| Err(error.into()))
    }
}

/// Removes e-mails that did not become messages, once they are old or take too much space. Their bytes are
/// deleted by the job that deletes what nothing names.
#[derive(Debug)]
pub(crate) struct PruneSkippedMails(pub(crate) Background);

impl JobKind for PruneSkippedMails {
    type Payload = NoPayload;

    fn spec(&self) -> &JobSpec {
        const { &hourly("prune_skipped_mails") }
    }

    async fn run(&self, _: &Job, NoPayload {}: NoPayload) -> Result<Outcome, JobError> {
        let now = self.0.now();
        let limits = &self.0.config.channels;
        let age = SignedDuration::from_hours(24 * i64::from(limits.skipped_mail_days));
        let before = now.saturating_sub(age)?;
        let bytes = u64::from(limits.skipped_mail_megabytes) << 20;
        let pruned = self.0.store.skipped_mails().prune(before, bytes, SKIPPED_MAILS_PER_RUN).await?;
        // Other housekeeping takes turns with a large backlog.
        Ok(if pruned < SKIPPED_MAILS_PER_RUN.into() { Outcome::Done } else { Outcome::ContinueAt(now) })
    }
}

/// Deletes objects of the storage of files that no file names.
#[derive(Debug)]
pub(crate) struct DeleteOrphanedObjects(pub(crate) Background);

impl JobKind for DeleteOrphanedObjects {
    type Payload = NoPayload;

    fn spec(&self) -> &JobSpec {
        const { &JobSpec { every: Some(SignedDuration::from_mins(10)), ..hourly("delete_orphaned_objects") } }
    }

    async fn run(&self, _: &Job, NoPayload {}: NoPayload) -> Result<Outcome, JobError> {
        let now = self.0.now();
        let before = now.saturating_sub(OBJECT_GRACE)?;
        let orphans = self.0.store.stored_objects().orphans(before, OBJECTS_PER_RUN).await?;
        delete_objects(&self.0.store, &self.0.files, &orphans, now).await?;
        // Other housekeeping takes turns with a large backlog.
        let is_all = orphans.len() < OBJECTS_PER_RUN as usize;
        Ok(if is_all { Outcome::Done } else { Outcome::ContinueAt(now) })
    }
}
