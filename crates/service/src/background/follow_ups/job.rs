//! The recurring jobs that make the attempts of follow-ups, and write reminders of activities.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use frontdesk_outbound::Handover;
use frontdesk_store::{ClaimedFollowUp, DeliveryResult, Job, NextFollowUp, OutgoingEmail, StoreError};
use futures_util::future;
use jiff::SignedDuration;
use uuid::Uuid;

use super::CivilPlan;
use crate::background::{
    Background,
    jobs::{Backoff, JobError, JobKind, JobSpec, NoPayload, Outcome, Queue},
    notices::{Mail, Mailer, SendError},
};

static SENDING: JobSpec = JobSpec {
    name: "send_follow_ups",
    queue: Queue::Mail,
    max_attempts: 3,
    backoff: Backoff { first: SignedDuration::from_secs(5), longest: SignedDuration::from_mins(1) },
    time_limit: SignedDuration::from_hours(1),
    every: Some(SignedDuration::from_secs(5)),
};

static REMINDING: JobSpec = JobSpec {
    name: "remind_of_activities",
    queue: Queue::Housekeeping,
    max_attempts: 3,
    backoff: Backoff { first: SignedDuration::from_secs(5), longest: SignedDuration::from_mins(1) },
    time_limit: SignedDuration::from_mins(10),
    every: Some(SignedDuration::from_secs(15)),
};

/// The waits after tries that certainly have sent nothing. There is no try after the last.
const WAITS: [Duration; 6] = [
    Duration::from_secs(30),
    Duration::from_mins(2),
    Duration::from_mins(10),
    Duration::from_mins(30),
    Duration::from_hours(2),
    Duration::from_hours(6),
];
/// How long a process may take from the claim to the result besides the exchange with the mail server. A
/// claim whose time has ended is of a process that has died.
const MARGIN: Duration = Duration::from_mins(3);
/// E-mails that a run hands over at a time.
const AT_A_TIME: usize = 4;
/// How many follow-ups of each kind a run handles. The next run, perhaps in another process, handles the
/// rest.
const PER_RUN: usize = 50;
/// The wait while another process changes what is due.
const BUSY: Duration = Duration::from_millis(50);
/// Reminders of one run.
const REMINDERS_PER_RUN: usize = 500;

/// Makes the attempts of follow-ups that are due. Any number of processes may do so at a time.
#[derive(Debug)]
pub(crate) struct SendFollowUps {
    service: Background,
    mailer: Option<Arc<Mailer>>,
    /// The account that was served last.
    turn: Mutex<Option<Uuid>>,
}

impl SendFollowUps {
    pub(crate) fn new(service: Background) -> Self {
        let mailer = service.mailer.clone();
        Self { service, mailer, turn: Mutex::default() }
    }

    fn turn(&self) -> MutexGuard<'_, Option<Uuid>> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes attempts until none is due. Returns `false` if there may be more.
    async fn work(&self) -> Result<bool, StoreError> {
        let activities = self.service.store.deal_activities();
        let public_url = self.service.config.mail.public_url.as_ref();
        let mailer = self.mailer.as_deref().zip(public_url);
        let lease = self.service.config.channels.timeout.saturating_add(MARGIN);
        let lease = SignedDuration::try_from(lease).unwrap_or(SignedDuration::MAX);
        for _ in 0..PER_RUN {
            if self.service.job_signals.is_stopping() {
                return Ok(false);
            }
            let now = self.service.now();
            let mut turn = *self.turn();
            let next =
                activities.claim_follow_up(&mut turn, &CivilPlan, mailer.is_some(), lease, now).await?;
            *self.turn() = turn;
            match next {
                NextFollowUp::Nothing => return Ok(true),
                NextFollowUp::Busy => tokio::time::sleep(BUSY).await,
                NextFollowUp::Finished => {}
                NextFollowUp::Send(email) => {
                    // Only claimed if both are there.
                    let Some((mailer, public_url)) = mailer else { return Ok(true) };
                    self.deliver(mailer, public_url, &email).await?;
                }
            }
        }
        Ok(false)
    }

    /// Hands an e-mail to the mail server, and records the result.
    async fn deliver(
        &self,
        mailer: &Mailer,
        public_url: &url::Url,
        email: &OutgoingEmail,
    ) -> Result<(), StoreError> {
        let claimed = &email.claimed;
        let unsubscribe = crate::edge::links::unsubscribe_url(public_url, email.unsubscribe_token);
        let mail = Mail {
            // The same for every try of an attempt, so that mail servers recognize repeats.
            id: format!("{}.{}", claimed.deal_activity_id, claimed.attempt),
            from_name: Some(email.account_name.clone()),
            to: email.to.clone(),
            to_name: email.to_name.clone().unwrap_or_default(),
            reply_to: email.reply_to.clone(),
            subject: email.subject.clone(),
            body: format!(
                "{}\n\n-- \n{} has sent you this e-mail because you have talked to us.\nTo get no more such e-mails: {unsubscribe}\n",
                email.body, email.account_name,
            ),
            is_automatic: true,
            unsubscribe: Some(unsubscribe),
            attached: Vec::new(),
        };
        let sent = mailer.deliver(mail, &self.handover(claimed)).await;
        let now = self.service.now();
        let (result, outcome, error) = match sent {
            Ok(()) => (DeliveryResult::Sent, "sent", None),
            Err(SendError::NotSent(error)) => {
                let tries = usize::try_from(claimed.tries).unwrap_or(usize::MAX);
                let wait = WAITS.get(tries.saturating_sub(1));
                (DeliveryResult::NotSent(wait.map(|wait| now + *wait)), "not_sent", Some(error))
            }
            Err(SendError::Refused(error)) => (DeliveryResult::Refused, "refused", Some(error)),
            Err(SendError::Unknown(error)) => (DeliveryResult::Unknown, "unknown", Some(error)),
        };
        self.service.metrics.follow_up(outcome);
        let (deal_activity_id, attempt) = (claimed.deal_activity_id, claimed.attempt);
        if error.is_some() {
            // The response of a mail server may repeat the address of the contact, so it is not logged.
            tracing::warn!(%deal_activity_id, attempt, outcome, "a follow-up was not sent");
        }
        let activities = self.service.store.deal_activities();
        if !activities.finish_follow_up(claimed, result, &CivilPlan, now).await? {
            tracing::warn!(%deal_activity_id, attempt, outcome, "the result of a follow-up came too late");
        }
        Ok(())
    }
}

impl SendFollowUps {
    /// Marks an attempt as being sent just before its e-mail is handed over.
    fn handover(&self, claimed: &ClaimedFollowUp) -> Handover {
        let (service, claimed) = (self.service.clone(), claimed.clone());
        Handover::new(move || {
            let (service, claimed) = (service.clone(), claimed.clone());
            async move {
                let is_ours = service.store.deal_activities().begin_follow_up(&claimed).await?;
                if is_ours { Ok(()) } else { Err("it was ended, or another process sends it".into()) }
            }
        })
    }
}

impl JobKind for SendFollowUps {
    type Payload = NoPayload;

    fn spec(&self) -> &JobSpec {
        &SENDING
    }

    async fn run(&self, _: &Job, NoPayload {}: NoPayload) -> Result<Outcome, JobError> {
        if !self.service.store.deal_activities().is_follow_up_due(self.service.now()).await? {
            return Ok(Outcome::Done);
        }
        let finished = future::try_join_all((0..AT_A_TIME).map(|_| self.work())).await?;
        if finished.into_iter().all(|finished| finished) {
            return Ok(Outcome::Done);
        }
        Ok(Outcome::ContinueAt(self.service.now()))
    }
}

/// Writes the notices of activities that are due soon.
#[derive(Debug)]
pub(crate) struct RemindOfActivities(pub(crate) Background);

impl JobKind for RemindOfActivities {
    type Payload = NoPayload;

    fn spec(&self) -> &JobSpec {
        &REMINDING
    }

    async fn run(&self, _: &Job, NoPayload {}: NoPayload) -> Result<Outcome, JobError> {
        let activities = self.0.store.deal_activities();
        for _ in 0..REMINDERS_PER_RUN {
            let now = self.0.now();
            if !activities.is_reminder_due(now).await? || !activities.remind(now).await? {
                return Ok(Outcome::Done);
            }
        }
        Ok(Outcome::ContinueAt(self.0.now()))
    }
}
