//! Visitors: what the browser of a website's visitor calls with the token of its session.

use std::time::Duration;

use frontdesk_model::{
    CloseVisitorConversationError, DeleteVisitorError, EscalateVisitorConversationError, FeedbackRating,
    GetVisitorError, MessageRole, PollVisitorMessagesError, RateVisitorMessageError, SendVisitorMessageError,
    SendVisitorMessageOkBody, Source, UpdateVisitorContactError, Visitor, VisitorConversation,
    VisitorConversationRequired, VisitorMessage, VisitorMessageRequired, VisitorMessages,
    VisitorMessagesRequired, VisitorRequired,
};
use frontdesk_runtime::Failure;
use frontdesk_server::{
    CloseVisitorConversation, DeleteVisitor, EscalateVisitorConversation, GetVisitor, PollVisitorMessages,
    RateVisitorMessage, SendVisitorMessage, UpdateVisitorContact, Visitors,
};
use frontdesk_store::{
    self as store, Chatbot, ContactFields, ConversationError, EscalationReason, NewEscalation, PageRequest,
    Scope, StoreError, VisitorSession,
};
use http::Extensions;
use serde::Deserialize;
use uuid::Uuid;

use super::conversations::{poll, shown::mode, wrong_mode};
use crate::{
    answering,
    api::Service,
    edge::{
        Edge,
        authorization::resources::{Resolver, Resolvers, Resource, gone, loaded},
        responses::{self, timestamp},
    },
    platform::{chatbot_settings::Settings, files::delete_erased_objects},
};

/// The latest conversations that a visitor is shown.
const CONVERSATIONS: u32 = 20;
/// The newest messages that a visitor is shown.
const MESSAGES: u32 = 100;
/// After this many milliseconds a page should look for replies that has just read a conversation.
const AFTER_READING: i64 = 0;
/// After this time, what is left of an erasure is the work of a job. Nobody gets to see it any more.
const ERASURE_TIME: Duration = Duration::from_secs(10);

/// A conversation of the visitor.
#[derive(Clone, Debug)]
struct OwnConversation(store::Conversation);

impl Resource for OwnConversation {
    const PARAMETER: &'static str = "conversation_id";
    const NOT_FOUND: &'static str = "Conversation not found.";

    async fn load(
        service: &Edge,
        scope: Option<&Scope>,
        parents: &Extensions,
        id: Uuid,
    ) -> Result<Option<Self>, StoreError> {
        let (Some(scope), Some(session)) = (scope, parents.get::<VisitorSession>()) else { return Ok(None) };
        let found = service.store.visitors().find_conversation(scope, session.session_id, id).await?;
        Ok(found.map(Self))
    }
}

/// A message of a conversation of the visitor.
#[derive(Clone, Debug)]
struct OwnMessage(store::Message);

impl Resource for OwnMessage {
    const PARAMETER: &'static str = "message_id";
    const NOT_FOUND: &'static str = "Message not found.";

    async fn load(
        service: &Edge,
        scope: Option<&Scope>,
        parents: &Extensions,
        id: Uuid,
    ) -> Result<Option<Self>, StoreError> {
        let (Some(scope), Some(OwnConversation(parent))) = (scope, parents.get()) else { return Ok(None) };
        let found = service.store.conversations().find_message(scope, parent.conversation_id, id).await?;
        Ok(found.map(Self))
    }
}

/// The resolvers of the path parameters of visitors' operations.
pub(crate) fn resolvers() -> Resolvers {
    Resolvers::new([Resolver::of::<OwnConversation>(), Resolver::of::<OwnMessage>()])
}

impl Visitors for Service {
    type Caller = VisitorSession;

    async fn get_visitor(
        &self,
        request: GetVisitor<VisitorSession>,
    ) -> Result<Visitor, Failure<GetVisitorError>> {
        let session = request.caller;
        let visitors = self.store.visitors();
        let conversations =
            visitors.conversations(&session.scope(), session.session_id, CONVERSATIONS).await?;
        Ok(Visitor::new(VisitorRequired {
            widget_key: session.widget_key,
            identified: session.verified_subject.is_some(),
            has_contact: session.contact_id.is_some(),
            expires_at: timestamp(session.expires_at),
            conversations: conversations.iter().map(conversation).collect(),
        }))
    }

    async fn delete_visitor(
        &self,
        request: DeleteVisitor<VisitorSession>,
    ) -> Result<(), Failure<DeleteVisitorError>> {
        let session = request.caller;
        let (scope, now) = (session.scope(), self.now());
        let erased = self.store.visitors().forget(&session, ERASURE_TIME, now).await?;
        if erased {
            delete_erased_objects(self).await;
        }
        let (account_id, session_id) = (scope.account_id, session.session_id);
        tracing::info!(%account_id, %session_id, erased, "a visitor has ended a session");
        Ok(())
    }

    async fn send_visitor_message(
        &self,
        request: SendVisitorMessage<VisitorSession>,
    ) -> Result<SendVisitorMessageOkBody, Failure<SendVisitorMessageError>> {
        Box::pin(answering::send_as_visitor(self, request)).await
    }

    async fn poll_visitor_messages(
        &self,
        request: PollVisitorMessages<VisitorSession>,
    ) -> Result<VisitorMessages, Failure<PollVisitorMessagesError>> {
        let PollVisitorMessages { caller: session, after, wait, incoming, .. } = request;
        let OwnConversation(conversation) = loaded(&incoming)?;
        let (scope, conversations) = (session.scope(), self.store.conversations());
        let conversation_id = conversation.conversation_id;
        let shows_sources = shows_sources(self, &session).await?;
        let Some(after) = after else {
            let newest = PageRequest::first(MESSAGES);
            let newest = conversations.message_page(&scope, conversation_id, &newest).await?.items;
            let last = newest.first().ok_or_else(gone::<OwnConversation>)?.message_id;
            let messages = newest.into_iter().rev().map(|message| self::message(message, shows_sources));
            let messages = messages.collect::<Result<Vec<_>, _>>()?;
            return Ok(VisitorMessages::new(VisitorMessagesRequired {
                messages,
                mode: mode(conversation.mode),
                last_message_id: last.into(),
                poll_after_ms: AFTER_READING,
            }));
        };
        let Some(after) = conversations.find_message(&scope, conversation_id, after.uuid()).await? else {
            let failure = responses::failure("after", poll::NOT_OF_CONVERSATION);
            return Err(responses::validation_failed([failure]).into());
        };
        let replies = poll::replies(self, scope, session.session_id, after, wait).await?;
        let replies = replies.ok_or_else(gone::<OwnConversation>)?;
        let messages = replies.messages.into_iter().map(|message| self::message(message, shows_sources));
        let messages = messages.collect::<Result<Vec<_>, _>>()?;
        Ok(VisitorMessages::new(VisitorMessagesRequired {
            messages,
            mode: mode(replies.mode),
            last_message_id: replies.last_message_id.into(),
            poll_after_ms: replies.poll_after_ms,
        }))
    }

    async fn escalate_visitor_conversation(
        &self,
        request: EscalateVisitorConversation<VisitorSession>,
    ) -> Result<VisitorConversation, Failure<EscalateVisitorConversationError>> {
        let EscalateVisitorConversation { caller: session, conversation_id, body, .. } = request;
        let (scope, now) = (session.scope(), self.now());
        let chatbot = self.store.chatbots().find(&scope, session.chatbot_id).await?;
        let settings = Settings::of(&chatbot.ok_or_else(gone::<Chatbot>)?)?;
        let escalation = NewEscalation {
            reason: EscalationReason::UserRequest,
            note: body.note.into_value(),
            unclaimed_at: settings.unclaimed_at(now),
        };
        let conversations = self.store.conversations();
        match conversations.escalate(&scope, conversation_id.uuid(), &escalation, now).await {
            Ok(requested) => Ok(conversation(&requested.ok_or_else(gone::<OwnConversation>)?)),
            Err(ConversationError::WrongMode { mode }) => Err(wrong_mode(mode).into()),
            Err(error) => Err(error.into()),
        }
    }

    async fn close_visitor_conversation(
        &self,
        request: CloseVisitorConversation<VisitorSession>,
    ) -> Result<VisitorConversation, Failure<CloseVisitorConversationError>> {
        let CloseVisitorConversation { caller: session, conversation_id, .. } = request;
        let conversations = self.store.conversations();
        let closed = conversations.close(&session.scope(), conversation_id.uuid(), self.now()).await?;
        Ok(conversation(&closed.ok_or_else(gone::<OwnConversation>)?))
    }

    async fn rate_visitor_message(
        &self,
        request: RateVisitorMessage<VisitorSession>,
    ) -> Result<VisitorMessage, Failure<RateVisitorMessageError>> {
        let RateVisitorMessage { caller: session, conversation_id, message_id, body, incoming } = request;
        let Ok(rating) = body.rating.as_str().parse() else {
            let problem = format!("must be one of {}", FeedbackRating::KNOWN.join(", "));
            return Err(responses::validation_failed([responses::failure("rating", problem)]).into());
        };
        let OwnMessage(rated) = loaded(&incoming)?;
        if rated.role == store::MessageRole::Visitor {
            return Err(responses::conflict("A visitor's own message cannot be rated.").into());
        }
        let comment = body.comment.value().map(String::as_str);
        let (scope, conversations) = (session.scope(), self.store.conversations());
        let rated = conversations
            .rate(&scope, conversation_id.into(), message_id.into(), rating, comment, self.now())
            .await?;
        let shows_sources = shows_sources(self, &session).await?;
        Ok(message(rated.ok_or_else(gone::<OwnMessage>)?, shows_sources)?)
    }

    async fn update_visitor_contact(
        &self,
        request: UpdateVisitorContact<VisitorSession>,
    ) -> Result<(), Failure<UpdateVisitorContactError>> {
        let UpdateVisitorContact { caller: session, body, .. } = request;
        if body.email.as_deref().is_some_and(|email| frontdesk_address::email(email.trim()).is_none()) {
            let failure = responses::failure("email", "must be an email address");
            return Err(responses::validation_failed([failure]).into());
        }
        let chatbot = self.store.chatbots().find(&session.scope(), session.chatbot_id).await?;
        let chatbot = chatbot.ok_or_else(gone::<Chatbot>)?;
        let claimed = ContactFields {
            email: body.email,
            name: body.name,
            phone: body.phone,
            ..ContactFields::default()
        };
        Ok(answering::introduce_visitor(self, &session, &chatbot, claimed, body.consent).await?)
    }
}

/// Whether the chatbot shows the sources of its answers.
async fn shows_sources(service: &Service, session: &VisitorSession) -> Result<bool, ShowsSourcesError> {
    let chatbot = service.store.chatbots().find(&session.scope(), session.chatbot_id).await?;
    let settings = chatbot.as_ref().map(Settings::of).transpose()?;
    Ok(settings.and_then(|settings| settings.show_sources).unwrap_or(true))
}

/// Why it is unknown whether sources are shown.
#[derive(Debug, thiserror::Error)]
enum ShowsSourcesError {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The settings cannot be read.
    #[error(transparent)]
    Settings(#[from] crate::platform::chatbot_settings::UnreadableSettings),
}

/// Returns what a visitor sees of a conversation.
fn conversation(stored: &store::Conversation) -> VisitorConversation {
    VisitorConversation::new(VisitorConversationRequired {
        conversation_id: stored.conversation_id.into(),
        mode: mode(stored.mode),
        created_at: timestamp(stored.created_at),
        last_message_at: timestamp(stored.last_message_at),
    })
}

/// Returns what a visitor sees of a message. Fails if the stored sources cannot be read.
fn message(stored: store::Message, shows_sources: bool) -> Result<VisitorMessage, serde_json::Error> {
    let sources = if shows_sources { Vec::<Source>::deserialize(&stored.sources)? } else { Vec::new() };
    Ok(VisitorMessage::new(VisitorMessageRequired {
        message_id: stored.message_id.into(),
        role: MessageRole::from(stored.role.as_str()),
        text: stored.body,
        sources,
        rating: stored.feedback.map(|feedback| FeedbackRating::from(feedback.rating.as_str())),
        created_at: timestamp(stored.created_at),
    }))
}
