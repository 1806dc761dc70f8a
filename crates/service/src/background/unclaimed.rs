//! Visitors who were promised a person, and for whom nobody has come: a recurring job tells them.

use frontdesk_store::{Conversation, Job, Scope};
use jiff::SignedDuration;

use crate::{
    background::{
        Background,
        jobs::{Backoff, BoxError, JobError, JobKind, JobSpec, NoPayload, Outcome, Queue},
    },
    platform::chatbot_settings::Settings,
};

static SPEC: JobSpec = JobSpec {
    name: "tell_unclaimed",
    queue: Queue::Housekeeping,
    max_attempts: 3,
    backoff: Backoff { first: SignedDuration::from_secs(5), longest: SignedDuration::from_mins(1) },
    time_limit: SignedDuration::from_mins(10),
    every: Some(SignedDuration::from_secs(15)),
};

/// Visitors who are informed in one run. Others follow in the next.
const BATCH: u32 = 200;

/// Sends visitors the text that nobody is available, once the time for it has come.
#[derive(Debug)]
pub(crate) struct TellUnclaimed(pub(crate) Background);

impl JobKind for TellUnclaimed {
    type Payload = NoPayload;

    fn spec(&self) -> &JobSpec {
        &SPEC
    }

    async fn run(&self, _: &Job, NoPayload {}: NoPayload) -> Result<Outcome, JobError> {
        let service = &self.0;
        let due = service.store.conversations().unclaimed(service.now(), BATCH).await?;
        let mut failed = None;
        for conversation in due {
            // One conversation that cannot be answered must not keep the others waiting.
            failed = self.tell(&conversation).await.err().or(failed);
        }
        failed.map_or(Ok(Outcome::Done), |error| Err(JobError::Retry(error)))
    }
}

impl TellUnclaimed {
    async fn tell(&self, conversation: &Conversation) -> Result<(), BoxError> {
        let Self(service) = self;
        let scope = Scope::of_account(conversation.account_id);
        let chatbot = service.store.chatbots().find(&scope, conversation.chatbot_id).await?;
        // A chatbot that was deleted has taken its conversations along.
        let Some(chatbot) = chatbot else { return Ok(()) };
        let text = Settings::of(&chatbot)?.handover_timeout_text();
        let conversations = service.store.conversations();
        conversations.tell_unclaimed(&scope, conversation.conversation_id, &text, service.now()).await?;
        Ok(())
    }
}
