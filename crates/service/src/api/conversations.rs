//! Conversations: lists, handover to people and back, replies, ratings.

pub(super) mod poll;
pub(super) mod shown;

use frontdesk_model::{
    AnswerMode, CloseConversationError, Conflict, Conversation, ConversationList, ConversationMessage,
    ConversationMessageList, ConversationReplies, ConversationSource, ConversationStatus,
    CreateConversationMessageError, EscalateConversationError, EscalationReason, FeedbackRating,
    GetConversationError, ListConversationMessagesError, ListConversationsError, PollRepliesError,
    RateMessageError, ReturnConversationToAiError,
};
use frontdesk_runtime::Failure;
use frontdesk_server::{
    CloseConversation, Conversations, CreateConversationMessage, EscalateConversation, GetConversation,
    ListConversationMessages, ListConversations, PollReplies, RateMessage, ReturnConversationToAi,
};
use frontdesk_store::{
    self as store, Chatbot, ConversationError, ConversationFilter, ConversationMode, MessageRole,
    NewEscalation, PageRequest, Scope, StoreError,
};
use http::Extensions;
use jiff::Timestamp;
use uuid::Uuid;

use super::filters::check_known;
use super::references::References;
use crate::{
    api::Service,
    edge::{
        Caller, Edge,
        authorization::resources::{Resource, gone, loaded},
        pages::Listing,
        responses,
    },
    platform::chatbot_settings::Settings,
};

/// The messages that are returned with a conversation.
const NEWEST: u32 = 20;

impl Resource for store::Conversation {
    const PARAMETER: &'static str = "conversation_id";
    const NOT_FOUND: &'static str = "Conversation not found.";

    async fn load(
        service: &Edge,
        scope: Option<&Scope>,
        parents: &Extensions,
        id: Uuid,
    ) -> Result<Option<Self>, StoreError> {
        let (Some(scope), Some(chatbot)) = (scope, parents.get::<Chatbot>()) else { return Ok(None) };
        let found = service.store.conversations().find(scope, id).await?;
        Ok(found.filter(|conversation| conversation.chatbot_id == chatbot.chatbot_id))
    }
}

impl Resource for store::Message {
    const PARAMETER: &'static str = "message_id";
    const NOT_FOUND: &'static str = "Message not found.";

    async fn load(
        service: &Edge,
        scope: Option<&Scope>,
        parents: &Extensions,
        id: Uuid,
    ) -> Result<Option<Self>, StoreError> {
        let (Some(scope), Some(parent)) = (scope, parents.get::<store::Conversation>()) else {
            return Ok(None);
        };
        service.store.conversations().find_message(scope, parent.conversation_id, id).await
    }
}

impl Conversations for Service {
    type Caller = Caller;

    async fn list_conversations(
        &self,
        request: ListConversations<Caller>,
    ) -> Result<ConversationList, Failure<ListConversationsError>> {
        let ListConversations { caller, chatbot_id, limit, cursor, incoming, .. } = &request;
        let listing = Listing::new(&self.cursors, caller, incoming);
        let page = listing.page(*limit, cursor.as_deref())?;
        let mut failures = Vec::new();
        let (mode, status) = (request.mode.as_ref(), request.status.as_ref());
        let (source, feedback) = (request.source.as_ref(), request.feedback.as_ref());
        check_known("mode", mode.map(AnswerMode::as_str), AnswerMode::KNOWN, &mut failures);
        check_known(
            "status",
            status.map(ConversationStatus::as_str),
            ConversationStatus::KNOWN,
            &mut failures,
        );
        check_known(
            "source",
            source.map(ConversationSource::as_str),
            ConversationSource::KNOWN,
            &mut failures,
        );
        let mut references = References::new(self, caller.scope);
        references.contact("contact_id", request.contact_id.map(Into::into)).await?;
        failures.extend(references.failures);
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        let created_since = request.created_since.map(frontdesk_runtime::Timestamp::as_microseconds);
        let filter = ConversationFilter {
            mode: mode.map(|mode| mode.as_str().parse()).transpose()?,
            is_open: status.map(|status| *status == ConversationStatus::Open),
            needs_escalation: request.needs_escalation,
            contact_id: request.contact_id.map(Into::into),
            source: source.map(|source| source.as_str().to_owned()),
            feedback: feedback.map(|rating| rating.as_str().parse()).transpose()?,
            created_since: created_since.map(Timestamp::from_microsecond).transpose()?,
            text: request.q.clone(),
        };
        let page = self.store.conversations().page(&caller.scope, chatbot_id.uuid(), &filter, &page).await?;
        let pagination = listing.pagination(page.next.as_ref());
        Ok(ConversationList::new(page.items.into_iter().map(shown::listed), pagination))
    }

    async fn get_conversation(
        &self,
        request: GetConversation<Caller>,
    ) -> Result<Conversation, Failure<GetConversationError>> {
        let conversation: store::Conversation = loaded(&request.incoming)?;
        let (scope, id) = (&request.caller.scope, conversation.conversation_id);
        let newest = PageRequest::first(NEWEST);
        let newest = self.store.conversations().message_page(scope, id, &newest).await?;
        let messages = newest.items.into_iter().rev().map(shown::message).collect::<Result<Vec<_>, _>>()?;
        Ok(shown::conversation(conversation).messages(messages))
    }

    async fn list_conversation_messages(
        &self,
        request: ListConversationMessages<Caller>,
    ) -> Result<ConversationMessageList, Failure<ListConversationMessagesError>> {
        let ListConversationMessages { caller, conversation_id, limit, cursor, incoming, .. } = request;
        let listing = Listing::new(&self.cursors, &caller, &incoming);
        let page = listing.page(limit, cursor.as_deref())?;
        let page =
            self.store.conversations().message_page(&caller.scope, conversation_id.uuid(), &page).await?;
        let pagination = listing.pagination(page.next.as_ref());
        let messages = page.items.into_iter().map(shown::message).collect::<Result<Vec<_>, _>>()?;
        Ok(ConversationMessageList::new(messages, pagination))
    }

    async fn create_conversation_message(
        &self,
        request: CreateConversationMessage<Caller>,
    ) -> Result<ConversationMessage, Failure<CreateConversationMessageError>> {
        let CreateConversationMessage { caller, conversation_id, body, .. } = request;
        let conversations = self.store.conversations();
        let (author, now) = (caller.user_id, self.now());
        match conversations.reply(&caller.scope, conversation_id.uuid(), author, &body.text, now).await {
            Ok(reply) => Ok(shown::message(reply.ok_or_else(gone::<store::Conversation>)?.message)?),
            Err(ConversationError::WrongMode { mode }) => Err(wrong_mode(mode).into()),
            Err(error) => Err(error.into()),
        }
    }

    async fn rate_message(
        &self,
        request: RateMessage<Caller>,
    ) -> Result<ConversationMessage, Failure<RateMessageError>> {
        let RateMessage { caller, conversation_id, message_id, body, incoming, .. } = request;
        let Ok(rating) = body.rating.as_str().parse() else {
            let problem = format!("must be one of {}", FeedbackRating::KNOWN.join(", "));
            return Err(responses::validation_failed([responses::failure("rating", problem)]).into());
        };
        let message: store::Message = loaded(&incoming)?;
        if message.role == MessageRole::Visitor {
            return Err(responses::conflict("A visitor's own message cannot be rated.").into());
        }
        let comment = body.comment.value().map(String::as_str);
        let rated = self.store.conversations();
        let rated = rated
            .rate(&caller.scope, conversation_id.into(), message_id.into(), rating, comment, self.now())
            .await?;
        Ok(shown::message(rated.ok_or_else(gone::<store::Message>)?)?)
    }

    async fn poll_replies(
        &self,
        request: PollReplies<Caller>,
    ) -> Result<ConversationReplies, Failure<PollRepliesError>> {
        poll::poll(self, request).await
    }

    async fn escalate_conversation(
        &self,
        request: EscalateConversation<Caller>,
    ) -> Result<Conversation, Failure<EscalateConversationError>> {
        let EscalateConversation { caller, conversation_id, body, incoming, .. } = request;
        let reason = body.reason.unwrap_or(EscalationReason::UserRequest);
        let Ok(reason) = reason.as_str().parse() else {
            let problem = format!("must be one of {}", EscalationReason::KNOWN.join(", "));
            return Err(responses::validation_failed([responses::failure("reason", problem)]).into());
        };
        let chatbot: Chatbot = loaded(&incoming)?;
        let now = self.now();
        let unclaimed_at = Settings::of(&chatbot)?.unclaimed_at(now);
        let escalation = NewEscalation { reason, note: body.note.into_value(), unclaimed_at };
        let conversations = self.store.conversations();
        match conversations.escalate(&caller.scope, conversation_id.uuid(), &escalation, now).await {
            Ok(requested) => Ok(shown::conversation(requested.ok_or_else(gone::<store::Conversation>)?)),
            Err(ConversationError::WrongMode { mode }) => Err(wrong_mode(mode).into()),
            Err(error) => Err(error.into()),
        }
    }

    async fn return_conversation_to_ai(
        &self,
        request: ReturnConversationToAi<Caller>,
    ) -> Result<Conversation, Failure<ReturnConversationToAiError>> {
        let ReturnConversationToAi { caller, conversation_id, .. } = request;
        match self.store.conversations().return_to_ai(&caller.scope, conversation_id.uuid(), self.now()).await
        {
            Ok(returned) => Ok(shown::conversation(returned.ok_or_else(gone::<store::Conversation>)?)),
            Err(ConversationError::WrongMode { mode }) => Err(wrong_mode(mode).into()),
            Err(error) => Err(error.into()),
        }
    }

    async fn close_conversation(
        &self,
        request: CloseConversation<Caller>,
    ) -> Result<Conversation, Failure<CloseConversationError>> {
        let CloseConversation { caller, conversation_id, .. } = request;
        let closed =
            self.store.conversations().close(&caller.scope, conversation_id.uuid(), self.now()).await?;
        Ok(shown::conversation(closed.ok_or_else(gone::<store::Conversation>)?))
    }
}

/// Returns the 409 for a conversation whose mode does not allow the request.
pub(super) fn wrong_mode(mode: ConversationMode) -> Conflict {
    responses::conflict(match mode {
        ConversationMode::Closed => {
            "The conversation is closed. Its visitor can open it again with a new message."
        }
        ConversationMode::Human => "A person answers in this conversation already.",
        ConversationMode::HumanRequested => "A person was asked for in this conversation already.",
        ConversationMode::Ai => "The chatbot answers in this conversation.",
    })
}
