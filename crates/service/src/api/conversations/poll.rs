//! Waiting for replies (long poll).
//!
//! A request watches its conversation before it looks for replies for the first time, so that no reply comes
//! between the two. It then sleeps until the conversation changes, and looks once for each report of changes.

use std::time::Duration;

use frontdesk_model::{ConversationReplies, ConversationRepliesRequired, PollRepliesError};
use frontdesk_runtime::Failure;
use frontdesk_server::PollReplies;
use frontdesk_store::{self as store, ConversationMode, Message, MessageRole, Scope, StoreError};
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
/// The problem of a message that is not there, such as that of an erased conversation.
pub(in crate::api) const NOT_OF_CONVERSATION: &str = "is not a message of this conversation";

/// What was written in a conversation after a message.
pub(in crate::api) struct Replies {
    /// The messages, without those of the visitor.
    pub(in crate::api) messages: Vec<Message>,
    /// Who answers.
    pub(in crate::api) mode: ConversationMode,
    /// The last message of the conversation that was looked at.
    pub(in crate::api) last_message_id: Uuid,
    /// When to ask again.
    pub(in crate::api) poll_after_ms: i64,
}

pub(super) async fn poll(
    service: &Service,
    request: PollReplies<Caller>,
) -> Result<ConversationReplies, Failure<PollRepliesError>> {
    let PollReplies { caller, conversation_id, after_message_id, wait, .. } = request;
    let conversations = service.store.conversations();
    let after =
        conversations.find_message(&caller.scope, conversation_id.into(), after_message_id.into()).await?;
    let Some(after) = after else {
        let failure = responses::failure("after_message_id", NOT_OF_CONVERSATION);
        return Err(responses::validation_failed([failure]).into());
    };
    let replies = replies(service, caller.scope, caller.key_id, after, wait).await?;
    let Replies { messages, mode, last_message_id, poll_after_ms } =
        replies.ok_or_else(gone::<store::Conversation>)?;
    let messages = messages.into_iter().map(shown::message).collect::<Result<Vec<_>, _>>()?;
    Ok(ConversationReplies::new(ConversationRepliesRequired {
        messages,
        mode: shown::mode(mode),
        last_message_id: last_message_id.into(),
        poll_after_ms,
    }))
}

/// Waits up to `wait` seconds for what is written after a message. `who` is the API key or the session that
/// waits. Returns `None` if the conversation is gone.
pub(in crate::api) async fn replies(
    service: &Service,
    scope: Scope,
    who: Uuid,
    after: Message,
    wait: Option<i64>,
) -> Result<Option<Replies>, StoreError> {
    let conversation_id = after.conversation_id;
    let mut look = Look {
        service,
        scope,
        conversation_id,
        position: after.position,
        last_message_id: after.message_id,
        mode: None,
        found: Vec::new(),
    };
    let seconds = wait.and_then(|seconds| u64::try_from(seconds).ok()).unwrap_or(0);
    if seconds == 0 {
        return Ok(look.look().await?.map(|_| look.end(WITHOUT_WAIT)));
    }
    let mut watch = service.store.conversations().watch(conversation_id);
    match look.look().await? {
        None => return Ok(None),
        Some(true) => return Ok(Some(look.end(0))),
        Some(false) => {}
    }
    // An agency takes a place of its own account.
    let account_id = scope.account_id;
    let Some(mut place) = service.waiters.enter(conversation_id, who, account_id) else {
        return Ok(Some(look.end(WITHOUT_PLACE)));
    };
    let end = Instant::now() + Duration::from_secs(seconds);
    loop {
        let next = if service.store.hears_all_processes() { end } else { end.min(Instant::now() + LOOK) };
        tokio::select! {
            () = watch.changed() => {}
            () = sleep_until(next) => {}
            () = place.ended() => return Ok(Some(look.end(WITHOUT_PLACE))),
        }
        match look.look().await? {
            None => return Ok(None),
            Some(has_news) if has_news || Instant::now() >= end => return Ok(Some(look.end(0))),
            Some(_) => {}
        }
    }
}

/// The state of a wait.
struct Look<'a> {
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

impl Look<'_> {
    /// Looks for messages, and returns whether the client should learn of something, or `None` if the
    /// conversation is gone. Without new messages this reads one row.
    async fn look(&mut self) -> Result<Option<bool>, StoreError> {
        let conversations = self.service.store.conversations();
        let found = conversations.find(&self.scope, self.conversation_id).await?;
        let Some(conversation) = found else { return Ok(None) };
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
        Ok(Some(has_changed || !self.found.is_empty()))
    }

    fn end(self, poll_after_ms: i64) -> Replies {
        let Self { found: messages, mode, last_message_id, .. } = self;
        Replies { messages, mode: mode.unwrap_or(ConversationMode::Ai), last_message_id, poll_after_ms }
    }
}
