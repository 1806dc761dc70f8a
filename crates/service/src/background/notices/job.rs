//! The recurring job that sends notices.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use frontdesk_outbound::Handover;
use frontdesk_store::{Job, LinkKind, NewLink, Notice, NoticeContent, NoticeStatus, Scope, StoreError, User};
use jiff::SignedDuration;
use uuid::Uuid;

use super::{
    smtp::{Mailer, SendError},
    text::{self, Text},
};
use crate::{
    background::{
        Background,
        jobs::{Backoff, JobError, JobKind, JobSpec, NoPayload, Outcome, Queue},
    },
    edge::links,
    platform::secrets::people_tokens::{PersonToken, Purpose},
};

static SPEC: JobSpec = JobSpec {
    name: "send_notices",
    queue: Queue::Mail,
    max_attempts: 3,
    backoff: Backoff { first: SignedDuration::from_secs(5), longest: SignedDuration::from_mins(1) },
    time_limit: SignedDuration::from_hours(1),
    every: Some(SignedDuration::from_secs(10)),
};

/// The waits after failed attempts. There is no attempt after the last.
const WAITS: [Duration; 6] = [
    Duration::from_secs(30),
    Duration::from_mins(2),
    Duration::from_mins(10),
    Duration::from_mins(30),
    Duration::from_hours(2),
    Duration::from_hours(6),
];
/// After this time, a notice is of no use.
const USEFUL: SignedDuration = SignedDuration::from_hours(24);
/// Notices that one run sends. Others follow in the next one.
const PER_RUN: usize = 100;

/// Sends notices that are due. Without a mail server, it lets them expire.
#[derive(Debug)]
pub(crate) struct SendNotices {
    service: Background,
    mailer: Option<Arc<Mailer>>,
    /// The account that was served last.
    turn: Mutex<Option<Uuid>>,
}

impl SendNotices {
    pub(crate) fn new(service: Background) -> Self {
        let mailer = service.mailer.clone();
        Self { service, mailer, turn: Mutex::default() }
    }

    fn turn(&self) -> MutexGuard<'_, Option<Uuid>> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends one notice, and notes what came of it.
    async fn send(&self, mailer: &Mailer, notice: &Notice) -> Result<(), StoreError> {
        let notices = self.service.store.notices();
        let now = self.service.now();
        if notice.created_at.duration_until(now) > USEFUL {
            self.service.metrics.notice("expired");
            return notices.finish(notice, NoticeStatus::Expired, None, now).await;
        }
        let Some((to, name, Text { subject, body })) = self.compose(notice).await? else {
            let reason = Some("its recipient or its subject is gone");
            return notices.finish(notice, NoticeStatus::Expired, reason, now).await;
        };
        let handover = self.handover(notice);
        let sent = mailer.send(notice.notice_id, &to, &name, &subject, body, &handover).await;
        let (notice_id, now) = (notice.notice_id, self.service.now());
        match sent {
            Ok(()) => {
                self.service.metrics.notice("sent");
                notices.finish(notice, NoticeStatus::Sent, None, now).await
            }
            Err(SendError::NotSent(error)) => {
                self.service.metrics.notice("not_sent");
                tracing::warn!(%notice_id, error, "an e-mail could not be sent");
                let attempt = usize::try_from(notice.attempts).unwrap_or(usize::MAX).saturating_sub(1);
                match WAITS.get(attempt) {
                    Some(wait) => notices.retry(notice, &error, now + *wait).await,
                    None => notices.finish(notice, NoticeStatus::Failed, Some(&error), now).await,
                }
            }
            Err(SendError::Refused(error)) => {
                self.service.metrics.notice("refused");
                tracing::warn!(%notice_id, error, "the mail server has refused an e-mail");
                notices.finish(notice, NoticeStatus::Failed, Some(&error), now).await
            }
            Err(SendError::Unknown(error)) => {
                self.service.metrics.notice("unknown");
                tracing::warn!(%notice_id, error, "an e-mail may have been sent; it is not sent again");
                notices.finish(notice, NoticeStatus::Failed, Some(&error), now).await
            }
        }
    }

    /// Marks a notice as being sent just before its text is handed over.
    fn handover(&self, notice: &Notice) -> Handover {
        let (service, notice) = (self.service.clone(), notice.clone());
        Handover::new(move || {
            let (service, notice) = (service.clone(), notice.clone());
            async move {
                let is_ours = service.store.notices().begin_sending(&notice).await?;
                if is_ours { Ok(()) } else { Err("another process sends it".into()) }
            }
        })
    }

    /// Returns the address and the name of the recipient, and the text. `None` if one of them is gone.
    async fn compose(&self, notice: &Notice) -> Result<Option<(String, String, Text)>, StoreError> {
        let Some(recipient) = self.service.store.notices().recipient(notice).await? else { return Ok(None) };
        match &notice.content {
            NoticeContent::Invitation { invitation_id } => self.invitation(notice, *invitation_id).await,
            NoticeContent::PasswordReset => {
                let text = self.password_reset(notice, &recipient).await?;
                Ok(text.map(|text| (recipient.email, recipient.name, text)))
            }
            content => {
                let text = match text::second_factor(content, &recipient.email, notice.created_at) {
                    Some(text) => Some(text),
                    None => self.text(notice).await?,
                };
                Ok(text.map(|text| (recipient.email, recipient.name, text)))
            }
        }
    }

    /// An invitation, which goes to whom it invites. Its link is made now: no token is stored as text.
    async fn invitation(
        &self,
        notice: &Notice,
        invitation_id: Uuid,
    ) -> Result<Option<(String, String, Text)>, StoreError> {
        let Some(base) = &self.service.config.mail.public_url else { return Ok(None) };
        let Some(token) = token() else { return Ok(None) };
        let (invitations, scope) = (self.service.store.invitations(), Scope::of_account(notice.account_id));
        let open = invitations.mailed(&scope, invitation_id, &token.hash(), self.service.now()).await?;
        let link = links::to_console(base.as_str(), "invite", token.expose());
        Ok(open.map(|open| {
            let text = text::invitation(&open, &link);
            (open.email, open.name, text)
        }))
    }

    /// A link for a new password, made now. One that has waited for too long is not sent any more.
    async fn password_reset(&self, notice: &Notice, user: &User) -> Result<Option<Text>, StoreError> {
        let Some(base) = &self.service.config.mail.public_url else { return Ok(None) };
        let now = self.service.now();
        if notice.created_at.duration_until(now) > LinkKind::Reset.validity() {
            return Ok(None);
        }
        let Some(token) = token() else { return Ok(None) };
        let new = NewLink { kind: LinkKind::Reset, hash: token.hash(), user: Some(user.clone()) };
        self.service.store.links().create(&new, now).await?;
        let link = links::to_console(base.as_str(), LinkKind::Reset.as_str(), token.expose());
        Ok(Some(text::password_reset(&user.email, &link)))
    }

    async fn text(&self, notice: &Notice) -> Result<Option<Text>, StoreError> {
        let Some(account) = self.service.store.accounts().find(notice.account_id).await? else {
            return Ok(None);
        };
        let name = account.name.as_str();
        Ok(match &notice.content {
            NoticeContent::HandoffRequested { event_id } => {
                let event = self.service.store.events().find(&account.scope(), *event_id).await?;
                event.and_then(|event| text::handoff(name, &event))
            }
            NoticeContent::WebhookFailing { url, since } => Some(text::webhook_failing(name, url, *since)),
            NoticeContent::WebhookDisabled { url, is_gone } => {
                Some(text::webhook_disabled(name, url, *is_gone))
            }
            NoticeContent::ActivityReminder { deal_id, deal_activity_id } => {
                let activities = self.service.store.deal_activities();
                let activity = activities.find(&account.scope(), *deal_id, *deal_activity_id).await?;
                activity.and_then(|activity| text::activity_reminder(name, &activity))
            }
            _ => None,
        })
    }
}

/// Returns the token of a link. Without random numbers there is none, and no e-mail.
fn token() -> Option<PersonToken> {
    let token = PersonToken::generate(Purpose::Link);
    token.inspect_err(|error| tracing::error!(%error, "a link could not be made")).ok()
}

impl JobKind for SendNotices {
    type Payload = NoPayload;

    fn spec(&self) -> &JobSpec {
        &SPEC
    }

    async fn run(&self, _: &Job, NoPayload {}: NoPayload) -> Result<Outcome, JobError> {
        let notices = self.service.store.notices();
        let Some(mailer) = &self.mailer else {
            // When a mail server is configured, nobody wants to read what has happened days ago.
            let now = self.service.now();
            notices.expire(now.saturating_sub(USEFUL)?, now).await?;
            // Soon, because links for new passwords do not wait for long after that.
            return Ok(Outcome::RepeatAt(now.saturating_add(SignedDuration::from_mins(1))?));
        };
        for _ in 0..PER_RUN {
            let now = self.service.now();
            if self.service.job_signals.is_stopping() || !notices.is_any_due(now).await? {
                return Ok(Outcome::Done);
            }
            let turn = *self.turn();
            let Some(notice) = notices.take_in_turn(turn, now).await? else { return Ok(Outcome::Done) };
            *self.turn() = Some(notice.account_id);
            self.send(mailer, &notice).await?;
        }
        Ok(Outcome::ContinueAt(self.service.now()))
    }
}
