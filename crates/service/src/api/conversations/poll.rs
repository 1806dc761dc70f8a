//! Waiting for replies (long poll).
//!
//! A request watches its conversation before it looks for replies for the first time, so that no reply comes
//! between the two. It then sleeps until the conversation changes, and looks once for each report of changes.

use std::time::Duration;

use frontdesk_model::{ConversationReplies, PollRepliesError};
use frontdesk_runtime::Failure;
use frontdesk_server::PollReplies;
use frontdesk_store::{self as store, ConversationMode, Message, MessageRole, Scope};
use tokio::time::{Instant, sleep_until};
use uuid::Uuid;

use super::shown;
use crate::{
    api::Service,
    edge::{Caller, authorization::resources::gone, responses},
};

/// The most messages that a response contains, with those of the visitor, which are left out.
const MESSAGES: u32 = 100;
/// The interval between looks while changes by other processes are not reported.
const LOOK: Duration = Duration::from_secs(2);
/// After this many milliseconds a client that does not wait should ask again.
const WITHOUT_WAIT: i64 = 2_000;
/// After this many milliseconds a client should ask again that could not wait: there are too many, or another
/// request has taken its place. Without a pause, two clients that take each other's place would never rest.
const WITHOUT_PLACE: i64 = 5_000;

pub(super) async fn poll(
    service: &Service,
    request: PollReplies<Caller>,
) -> Result<ConversationReplies, Failure<PollRepliesError>> {
    let PollReplies { caller, conversation_id, after_message_id, wait, .. } = request;
    let conversations = service.store.conversations();
    let after = conversations.find_message(&caller.scope, conversation_id, after_message_id).await?;
    let Some(after) = after else {
        let failure = responses::failure("after_message_id", "is not a message of this conversation");
        return Err(responses::validation_failed([failure]).into());
    };
    let mut replies = Replies {
        service,
        scope: caller.scope,
        conversation_id,
        position: after.position,
        last_message_id: after.message_id,
        mode: None,
        found: Vec::new(),
    };
    let seconds = wait.and_then(|seconds| u64::try_from(seconds).ok()).unwrap_or(0);
    if seconds == 0 {
        replies.look().await?;
        return replies.respond(WITHOUT_WAIT);
    }
    let mut watch = conversations.watch(conversation_id);
    if replies.look().await? {
        return replies.respond(0);
    }
    let Some(mut place) = service.waiters.enter(conversation_id, caller.key_id, caller.account_id) else {
        return replies.respond(WITHOUT_PLACE);
    };
    let end = Instant::now() + Duration::from_secs(seconds);
    loop {
        let next = if service.store.hears_all_processes() { end } else { end.min(Instant::now() + LOOK) };
        tokio::select! {
            () = watch.changed() => {}
            () = sleep_until(next) => {}
            () = place.ended() => return replies.respond(WITHOUT_PLACE),
        }
        if replies.look().await? || Instant::now() >= end {
            return replies.respond(0);
        }
    }
}

/// What was written after a message.
struct Replies<'a> {
    service: &'a Service,
    scope: Scope,
    conversation_id: Uuid,
    /// The position of the last message that is known.
    position: u64,
    last_message_id: Uuid,
    /// The mode at the last look; `None` before the first.
    mode: Option<ConversationMode>,
    found: Vec<Message>,
}

impl Replies<'_> {
    /// Looks for messages, and returns whether the client should learn of something. Without new messages
    /// this reads one row.
    async fn look(&mut self) -> Result<bool, Failure<PollRepliesError>> {
        let conversations = self.service.store.conversations();
        let found = conversations.find(&self.scope, self.conversation_id).await?;
        let conversation = found.ok_or_else(gone::<store::Conversation>)?;
        if conversation.message_count > self.position {
            let id = self.conversation_id;
            let messages = conversations.messages(&self.scope, id, self.position, MESSAGES).await?;
            if let Some(last) = messages.last() {
                (self.position, self.last_message_id) = (last.position, last.message_id);
            }
            self.found.extend(messages.into_iter().filter(|message| message.role != MessageRole::Visitor));
        }
        let before = self.mode.replace(conversation.mode);
        let has_changed = before.is_some_and(|before| before != conversation.mode);
        Ok(has_changed || !self.found.is_empty())
    }

    fn respond(self, poll_after_ms: i64) -> Result<ConversationReplies, Failure<PollRepliesError>> {
        let messages = self.found.into_iter().map(shown::message).collect::<Result<Vec<_>, _>>()?;
        let mode = shown::mode(self.mode.unwrap_or(ConversationMode::Ai));
        Ok(ConversationReplies::new(messages, mode, self.last_message_id, poll_after_ms))
    }
}
