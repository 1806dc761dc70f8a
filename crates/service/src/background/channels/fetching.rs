//! Channels that are looked at for messages: mailboxes, and bots without a webhook.
//!
//! Each has a job that repeats itself. A recurring job of the installation sees that none is missing.

use frontdesk_channels::imap::{Bounds, Content, Cursor, Fetched, ImapServer, Security, Visit};
use frontdesk_mail::Limits;
use frontdesk_store::{ChannelKind, InboxChannel, Job, NewJob, Scope};
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    email::{
        self, EmailSettings,
        receiving::{self, Skip},
    },
    messengers::{self, TelegramSettings},
    visit::{VisitError, Visited},
};
use crate::background::{
    Background,
    jobs::{Backoff, BoxError, JobError, JobKind, JobSpec, NoPayload, Outcome, Queue},
};

static SPEC: JobSpec = JobSpec {
    name: "fetch_messages",
    queue: Queue::Fetch,
    max_attempts: 5,
    backoff: Backoff { first: SignedDuration::from_secs(5), longest: SignedDuration::from_mins(5) },
    time_limit: SignedDuration::from_hours(2),
    every: None,
};

/// Messages of one visit. Others follow at once, in the next one.
const PER_VISIT: usize = 20;
/// After an error, so many times the usual pause.
const PAUSES_AFTER_ERROR: i32 = 5;
/// From this attempt on, a message that cannot be stored is listed instead.
const LAST_TRY: u32 = 4;

/// The channel to look at.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Payload {
    channel_id: Uuid,
}

/// Returns the job that looks at a channel, if it is of a kind that is looked at.
pub(crate) fn fetch_job(channel: &InboxChannel) -> Option<NewJob> {
    let channel_id = channel.channel_id;
    is_fetched(channel).then(|| NewJob {
        dedupe_key: Some(format!("fetch {channel_id}")),
        ..SPEC.new_job(&Payload { channel_id })
    })
}

fn is_fetched(channel: &InboxChannel) -> bool {
    channel.enabled
        && match channel.kind {
            ChannelKind::Email => EmailSettings::of(channel).imap.is_some(),
            ChannelKind::Telegram => !TelegramSettings::of(channel).uses_webhook,
            _ => false,
        }
}

/// Looks at a channel for messages.
#[derive(Debug)]
pub(crate) struct FetchMessages(pub(crate) Background);

impl JobKind for FetchMessages {
    type Payload = Payload;

    fn spec(&self) -> &JobSpec {
        &SPEC
    }

    async fn run(&self, job: &Job, Payload { channel_id }: Payload) -> Result<Outcome, JobError> {
        let Self(service) = self;
        let Some(scope) = job.scope() else { return Ok(Outcome::Done) };
        let channels = service.store.inbox_channels();
        let Some(channel) = channels.find(&scope, channel_id).await?.filter(is_fetched) else {
            return Ok(Outcome::Done);
        };
        let visited = match channel.kind {
            ChannelKind::Email => visit_mailbox(service, &channel, job.attempts).await,
            _ => messengers::visit_bot(service, &channel).await,
        };
        let interval = SignedDuration::try_from(service.config.channels.poll_interval)?;
        let now = service.now();
        let next = match visited {
            Ok(visited) => {
                channels.note_progress(&scope, channel_id, Some(&visited.progress), None, now).await?;
                if visited.has_more { now } else { now.saturating_add(interval)? }
            }
            Err(VisitError::Outside(error)) => {
                channels.note_progress(&scope, channel_id, None, Some(&error), now).await?;
                now.saturating_add(interval * PAUSES_AFTER_ERROR)?
            }
            Err(VisitError::Inside(error)) => return Err(JobError::Retry(error)),
        };
        Ok(Outcome::RepeatAt(next))
    }
}

/// Fetches new e-mails, and stores each before the next one is fetched. The cursor is stored after them, so a
/// crash fetches some again, and they are recognized.
async fn visit_mailbox(
    service: &Background,
    channel: &InboxChannel,
    attempt: u32,
) -> Result<Visited, VisitError> {
    let unreadable = || VisitError::Outside("The password of the mail server cannot be read.".to_owned());
    let server = email::imap_server(service, channel).ok_or_else(unreadable)?;
    let cursor: Option<Cursor> =
        channel.progress.clone().and_then(|progress| serde_json::from_value(progress).ok());
    let limit = u32::try_from(Limits::default().bytes).unwrap_or(u32::MAX);
    let patience = service.config.channels.timeout;
    let bounds = Bounds { messages: PER_VISIT, bytes: limit, patience };
    let may_be_unencrypted = server.security == Security::None && is_internal(service, &server).await;
    let outbound = &service.mail_outbound;
    let visit = Visit::begin(outbound, &server, cursor.as_ref(), bounds, may_be_unencrypted, service.now());
    let mut visit = visit.await.map_err(|error| VisitError::Outside(error.to_string()))?;
    let mut cursor = visit.cursor().clone();
    let mut is_cut_short = false;
    while let Some(message) = visit.next().await {
        let uid_validity = visit.cursor().uid_validity;
        if let Err(error) = store(service, channel, uid_validity, message, attempt).await {
            // What is stored is not fetched again.
            let progress = serde_json::to_value(&cursor)?;
            let (scope, channels) = (Scope::of_account(channel.account_id), service.store.inbox_channels());
            channels.note_progress(&scope, channel.channel_id, Some(&progress), None, service.now()).await?;
            return Err(VisitError::Inside(error));
        }
        cursor = visit.cursor().clone();
        is_cut_short = service.job_signals.is_stopping();
        if is_cut_short {
            break;
        }
    }
    // Without another message, there may be one that could not be fetched.
    let progress = serde_json::to_value(if is_cut_short { &cursor } else { visit.cursor() })?;
    let has_more = is_cut_short || visit.has_more();
    visit.end().await;
    Ok(Visited { progress, has_more })
}

/// Stores an e-mail, as a message or in the list of those that are not read.
async fn store(
    service: &Background,
    channel: &InboxChannel,
    uid_validity: u32,
    message: Fetched,
    attempt: u32,
) -> Result<(), BoxError> {
    let limit = Limits::default().bytes;
    let skip = |reason, detail, size_bytes| Skip {
        reason,
        detail,
        mail_key: format!("uid:{uid_validity}:{}", message.uid),
        email: None,
        bytes: None,
        size_bytes,
    };
    let skipped = match message.content {
        Content::Bytes(bytes) => {
            let size = bytes.len() as u64;
            match receiving::receive(service, channel, bytes).await {
                Ok(_) => return Ok(()),
                Err(error) if attempt < LAST_TRY => return Err(error),
                Err(error) => {
                    tracing::error!(error = &*error, uid = message.uid, "an e-mail cannot be stored");
                    let detail = "The service could not store the message.".to_owned();
                    skip("damaged", detail, Some(size))
                }
            }
        }
        Content::TooLarge { bytes, beginning } => {
            match receiving::receive_beginning(service, channel, beginning, u64::from(bytes)).await {
                Ok(Some(_)) => return Ok(()),
                Ok(None) => {}
                Err(error) if attempt < LAST_TRY => return Err(error),
                Err(error) => {
                    tracing::error!(error = &*error, uid = message.uid, "an e-mail cannot be stored");
                }
            }
            let detail = format!("The message has {bytes} bytes; at most {limit} are read.");
            skip("too_large", detail, Some(u64::from(bytes)))
        }
        Content::Unavailable { reason } => skip("unavailable", reason, None),
    };
    receiving::skipped(service, channel, skipped).await?;
    Ok(())
}

/// Returns whether a server is in a network that the operator allows. Only there may a password be sent
/// without encryption.
async fn is_internal(service: &Background, server: &ImapServer) -> bool {
    let limit = std::time::Duration::from_secs(10).min(service.config.channels.timeout);
    let networks = &service.config.channels.allow_networks;
    match service.mail_outbound.addresses(&server.host, server.port, limit).await {
        Ok(addresses) => {
            addresses.iter().all(|address| networks.iter().any(|network| network.contains(&address.ip())))
        }
        Err(_) => false,
    }
}

static ALL: JobSpec = JobSpec {
    name: "fetch_all_messages",
    queue: Queue::Housekeeping,
    max_attempts: 3,
    backoff: Backoff { first: SignedDuration::from_secs(5), longest: SignedDuration::from_mins(1) },
    time_limit: SignedDuration::from_mins(10),
    every: Some(SignedDuration::from_mins(1)),
};

/// Channels that are read at a time.
const BATCH: u32 = 200;

/// Sees that every channel that is looked at has its job.
#[derive(Debug)]
pub(crate) struct FetchAllMessages(pub(crate) Background);

impl JobKind for FetchAllMessages {
    type Payload = NoPayload;

    fn spec(&self) -> &JobSpec {
        &ALL
    }

    async fn run(&self, _: &Job, NoPayload {}: NoPayload) -> Result<Outcome, JobError> {
        let Self(service) = self;
        for kind in [ChannelKind::Email, ChannelKind::Telegram] {
            let mut after = None;
            loop {
                let some = service.store.inbox_channels().enabled(kind, after, BATCH).await?;
                for channel in &some {
                    fetch(service, channel).await?;
                }
                let Some(last) = some.last().filter(|_| some.len() == BATCH as usize) else { break };
                after = Some(last.channel_id);
            }
        }
        Ok(Outcome::Done)
    }
}

/// Begins to look at a channel, unless it is looked at already or of a kind that is not.
pub(crate) async fn fetch(
    service: &Background,
    channel: &InboxChannel,
) -> Result<(), frontdesk_store::StoreError> {
    let Some(job) = fetch_job(channel) else { return Ok(()) };
    let scope = Scope::of_account(channel.account_id);
    let enqueued = service.store.jobs().enqueue(&scope, &job, service.now()).await?;
    if enqueued.is_some_and(|enqueued| enqueued.is_new) {
        service.job_signals.enqueued(Queue::Fetch);
    }
    Ok(())
}
