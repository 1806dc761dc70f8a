//! What the browsers of visitors call: who a visitor is, and messages, each of which is stored and answered
//! once.
//!
//! A page names each message by an id of its own. If it repeats one, because a connection broke, it gets the
//! answer that is stored. If there is none, because writing failed or the credits were used up, the repeat
//! writes it; and soon also when no end of the writing is known, because the process has died (`claim`).

use frontdesk_model::{
    AnswerEvent, ContactInfo, CreateVisitorSessionError, NewVisitorSession, NotFound,
    SendVisitorMessageError, SendVisitorMessageOkBody, SessionRejected, SessionRejectedBody, Source,
    VisitorAnswer, VisitorAnswerCompletedEvent, VisitorAnswerCompletedEventType, VisitorAnswerEvent,
    VisitorAnswerRequired, VisitorUnauthorized,
};
use frontdesk_runtime::{
    Failure,
    codec::{Event, EventStream},
};
use frontdesk_server::SendVisitorMessage;
use frontdesk_store::{
    Chatbot, ContactFields, Message, SentBy, SentMessage, StoreError, Turn, VisitorSession, VisitorSubject,
};
use futures_util::StreamExt;
use jiff::SignedDuration;
use serde::Deserialize;
use uuid::Uuid;

use super::claim::HELD;
use super::contact::{Visitor, VisitorError, WIDGET};
use super::credits::Allowance;
use super::turn::{Exchange, ExchangeError, Progress};
use super::{conversation, error_responses, stream};
use crate::answering::Answering;
use crate::edge::{
    authorization::{client, resources::gone},
    event_stream,
    rate_limit::{Exceeded, Subject},
    responses,
};
use crate::platform::chatbot_settings::Settings;

const JSON: &str = "application/json";
/// The time over which messages of a session are counted, beside the minute of all limits.
const HOUR: SignedDuration = SignedDuration::from_hours(1);
/// The text of the 404 for a conversation of somebody else.
pub(crate) const NO_CONVERSATION: &str = "Conversation not found.";

/// A visitor whose identity is proven, or about whom nothing is known.
pub(crate) type Identified = (Option<VisitorSubject>, Option<Uuid>);

/// Finds out who the visitor of a new session is: the subject and the contact of a proven identity.
pub(crate) async fn identify(
    service: &Answering,
    chatbot: &Chatbot,
    new: &NewVisitorSession,
) -> Result<Identified, Failure<CreateVisitorSessionError>> {
    let contact = new.jwt.value().map(|jwt| ContactInfo::new().jwt(jwt.clone()));
    let (domain_id, now) = (new.domain_id.value().copied(), service.now());
    let (store, cipher, account_id) = (&service.store, &service.cipher, chatbot.account_id);
    let mut visitor =
        Visitor::read(store, cipher, account_id, chatbot, contact.as_ref(), domain_id, now).await?;
    // Anybody can name a domain that requires nothing. Without an assertion, every domain counts.
    if contact.is_none() && domain_id.is_some() && visitor.is_ok() {
        visitor = Visitor::read(store, cipher, account_id, chatbot, None, None, now).await?;
    }
    match visitor {
        Ok(visitor) => {
            let subject = visitor.subject().cloned();
            let contact_id = visitor.store(&service.store, chatbot, None, None, now).await?;
            Ok((subject, contact_id))
        }
        Err(VisitorError::Domain(problem)) => {
            let failures = [responses::failure("domain_id", problem)];
            let body = SessionRejectedBody::ValidationError(responses::validation(failures));
            Err(SessionRejected { body }.into())
        }
        Err(VisitorError::Identity(error)) => {
            let body = SessionRejectedBody::InvalidIdentityError(error_responses::identity_error(&error));
            Err(SessionRejected { body }.into())
        }
    }
}

/// Stores what a visitor says of themselves, for the session and its conversations. `consent` is what they
/// say to news and offers.
pub(crate) async fn introduce(
    service: &Answering,
    session: &VisitorSession,
    chatbot: &Chatbot,
    claimed: ContactFields,
    consent: Option<bool>,
) -> Result<(), StoreError> {
    let (scope, now, visitors) = (session.scope(), service.now(), service.store.visitors());
    let visitor = Visitor::of_session(session, claimed);
    let latest = visitors.conversations(&scope, session.session_id, 1).await?.pop();
    let latest_id = latest.as_ref().map(|conversation| conversation.conversation_id);
    let contact_id = visitor.store(&service.store, chatbot, latest.as_ref(), latest_id, now).await?;
    let Some(contact_id) = contact_id else { return Ok(()) };
    visitors.set_contact(&scope, session.session_id, contact_id).await?;
    if let Some(wants_news) = consent {
        visitors.note_consent(&scope, contact_id, wants_news, now).await?;
    }
    Ok(())
}

/// Answers a message of a visitor.
pub(crate) async fn send(
    service: &Answering,
    request: SendVisitorMessage<VisitorSession>,
) -> Result<SendVisitorMessageOkBody, Failure<SendVisitorMessageError>> {
    let wants_stream = request.incoming.preferred(&[JSON, event_stream::MEDIA_TYPE]) == 1;
    let session = &request.caller;
    let chatbots = service.store.chatbots();
    let chatbot = chatbots.find(&session.scope(), session.chatbot_id).await?.ok_or_else(gone::<Chatbot>)?;
    let shows_sources = Settings::of(&chatbot)?.show_sources.unwrap_or(true);
    let client_message_id = request.body.client_message_id;
    let visitors = service.store.visitors();
    let sent = visitors.find_message(&session.scope(), session.session_id, client_message_id).await?;
    let progress = match sent {
        Some(sent) => match repeated(service, &request, &chatbot, &sent).await? {
            Repeat::Answered(answer) => Ok(Progress::LeftToPerson(answer)),
            Repeat::Interrupted(turn) => {
                let exchange = exchange(service, &request, chatbot).await?;
                Box::pin(exchange.resume(*turn)).await
            }
        },
        None => {
            check_limits(service, &request).await?;
            let exchange = exchange(service, &request, chatbot).await?;
            Box::pin(exchange.accept()).await
        }
    };
    let progress = progress.map_err(refused)?;
    if wants_stream {
        let events =
            stream::of(progress).map(move |event| event.map(|event| shown_event(event, shows_sources)));
        return Ok(SendVisitorMessageOkBody::Events(EventStream::new(events)));
    }
    let answer = Box::pin(progress.finish()).await.map_err(refused)?;
    Ok(SendVisitorMessageOkBody::Json(shown(answer, shows_sources)))
}

/// Returns the response to a message that is not answered.
fn refused(error: ExchangeError) -> Failure<SendVisitorMessageError> {
    match error {
        ExchangeError::ChatbotDeleted => gone::<Chatbot>().into(),
        ExchangeError::CreditsExhausted { conversation_id } => {
            error_responses::visitor_not_answered(conversation_id).into()
        }
        ExchangeError::Repeated => responses::being_answered().into(),
        ExchangeError::SessionEnded => {
            VisitorUnauthorized { body: responses::invalid_visitor_token() }.into()
        }
        fault => fault.into(),
    }
}

/// Checks how much the visitor has written.
async fn check_limits(
    service: &Answering,
    request: &SendVisitorMessage<VisitorSession>,
) -> Result<(), Failure<SendVisitorMessageError>> {
    let (session, limits) = (&request.caller, &service.config.limits);
    let (from_client, of_visitor) = (
        Subject::MessagesOfClient(session.chatbot_id, client(&request.incoming)),
        Subject::MessagesOfVisitor(session.session_id),
    );
    for (subject, limit) in
        [(of_visitor, limits.messages_per_visitor), (from_client, limits.messages_per_client)]
    {
        service.rate_limits.take(subject, limit).await.map_err(responses::too_many)?;
    }
    let most = limits.messages_per_visitor_and_hour;
    let earlier = service.store.visitors().sent_at(&session.scope(), session.session_id, most).await?;
    let age = earlier.map(|earlier| service.now().duration_since(earlier));
    match age.filter(|age| *age < HOUR) {
        Some(age) => {
            let wait = (HOUR - age.max(SignedDuration::ZERO)).as_secs().unsigned_abs().max(1);
            Err(responses::too_many(Exceeded { retry_after: wait }).into())
        }
        None => Ok(()),
    }
}

/// Validates a message against the stored data.
async fn exchange(
    service: &Answering,
    request: &SendVisitorMessage<VisitorSession>,
    chatbot: Chatbot,
) -> Result<Exchange, Failure<SendVisitorMessageError>> {
    let answering = service.priority.begin();
    let (session, body) = (&request.caller, &request.body);
    let settings = Settings::of(&chatbot)?;
    let continued = match body.conversation_id.value() {
        None => None,
        Some(conversation_id) => {
            let visitors = service.store.visitors();
            let own = visitors
                .find_conversation(&session.scope(), session.session_id, conversation_id.uuid())
                .await?;
            Some(own.ok_or_else(|| NotFound { body: responses::not_found(NO_CONVERSATION) })?)
        }
    };
    let allowance = Allowance::of(service, &chatbot).await?.ok_or_else(gone::<Chatbot>)?;
    let share = allowance.share_of_visitors(service.config.limits.visitor_percent_per_day).await?;
    let sent_by = SentBy { session_id: session.session_id, client_message_id: body.client_message_id };
    Ok(Exchange {
        service: service.clone(),
        chatbot,
        settings,
        text: body.message.clone(),
        tags: Vec::new(),
        visitor: Visitor::of_session(session, ContactFields::default()),
        continued,
        allowance,
        source: WIDGET,
        sent_by: Some(sent_by),
        share: Some(share),
        _answering: answering,
    })
}

/// What a message that was sent before comes to.
enum Repeat {
    /// It has this answer, or is left to a person.
    Answered(frontdesk_model::Answer),
    /// Nobody is writing its answer.
    Interrupted(Box<Turn>),
}

/// Looks for the answer to a message that was sent before.
async fn repeated(
    service: &Answering,
    request: &SendVisitorMessage<VisitorSession>,
    chatbot: &Chatbot,
    sent: &SentMessage,
) -> Result<Repeat, Failure<SendVisitorMessageError>> {
    let (scope, conversations) = (chatbot.scope(), service.store.conversations());
    let not_found = || NotFound { body: responses::not_found(NO_CONVERSATION) };
    let message = conversations.find_message(&scope, sent.conversation_id, sent.message_id).await?;
    let conversation = conversations.find(&scope, sent.conversation_id).await?;
    let (message, conversation) = message.zip(conversation).ok_or_else(not_found)?;
    // A text that was erased is empty, and the message is answered as it was.
    if !message.body.is_empty() && message.body != frontdesk_store::replace_nul(request.body.message.clone())
    {
        let failure = responses::failure("client_message_id", "was used for another message");
        return Err(responses::validation_failed([failure]).into());
    }
    if let Some(answer_id) = sent.answer_id {
        let answer = conversations.find_message(&scope, sent.conversation_id, answer_id).await?;
        let answer = stored_answer(answer.ok_or_else(not_found)?, &conversation)?;
        return Ok(Repeat::Answered(answer));
    }
    let turn = Turn { conversation, message, is_new: false, reserved: None };
    if !conversation::is_answered_by_ai(turn.conversation.mode) {
        return Ok(Repeat::Interrupted(Box::new(turn)));
    }
    let now = service.now();
    let is_free = sent.claimed_at.is_none_or(|since| now.duration_since(since) > HELD);
    if !is_free {
        return Err(responses::being_answered().into());
    }
    // It costs as much as a new message.
    check_limits(service, request).await?;
    if service.store.visitors().claim(&scope, sent, now).await? {
        Ok(Repeat::Interrupted(Box::new(turn)))
    } else {
        Err(responses::being_answered().into())
    }
}

/// Returns a stored answer as it was sent. What it cost is not shown to visitors.
fn stored_answer(
    message: Message,
    conversation: &frontdesk_store::Conversation,
) -> Result<frontdesk_model::Answer, serde_json::Error> {
    Ok(frontdesk_model::Answer::new(frontdesk_model::AnswerRequired {
        message_id: message.message_id.to_string(),
        conversation_id: message.conversation_id.into(),
        response: message.body,
        needs_escalation: message.needs_escalation,
        mode: conversation::answer_mode(conversation.mode),
        sources: Vec::<Source>::deserialize(&message.sources)?,
        usage: frontdesk_model::Usage::new(frontdesk_model::UsageRequired {
            credits_used: 0,
            monthly_remaining: 0,
            monthly_limit: 0,
        }),
        created_at: responses::timestamp(message.created_at),
    }))
}

/// Returns what a visitor sees of an answer.
fn shown(answer: frontdesk_model::Answer, shows_sources: bool) -> VisitorAnswer {
    let sources = if shows_sources { answer.sources } else { Vec::new() };
    VisitorAnswer::new(VisitorAnswerRequired {
        message_id: answer.message_id,
        conversation_id: answer.conversation_id,
        response: answer.response,
        needs_escalation: answer.needs_escalation,
        mode: answer.mode,
        sources,
        created_at: answer.created_at,
    })
}

/// Returns what a visitor sees of an event.
fn shown_event(event: Event<AnswerEvent>, shows_sources: bool) -> Event<VisitorAnswerEvent> {
    let Event { kind, id, retry, data } = event;
    let data = match data {
        AnswerEvent::AnswerTextEvent(text) => VisitorAnswerEvent::AnswerTextEvent(text),
        AnswerEvent::AnswerCompletedEvent(completed) => {
            let kind = VisitorAnswerCompletedEventType::Answer;
            VisitorAnswerCompletedEvent::new(kind, shown(completed.answer, shows_sources)).into()
        }
        AnswerEvent::AnswerFailedEvent(failed) => VisitorAnswerEvent::AnswerFailedEvent(failed),
        AnswerEvent::Unknown(value) => VisitorAnswerEvent::Unknown(value),
    };
    Event { kind, id, retry, data }
}
