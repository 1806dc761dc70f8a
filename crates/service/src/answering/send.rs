//! `POST /api/v1/chatbots/{chatbot_id}/messages`: validates a message against the stored data, then answers
//! it.

use frontdesk_model::{SendMessageError, SendMessageOkBody};
use frontdesk_runtime::{Failure, check};
use frontdesk_server::SendMessage;
use frontdesk_store::{Chatbot, StoreError, Tag};
use uuid::Uuid;

use super::contact::{SOURCE, Visitor, VisitorError};
use super::conversation;
use super::credits::Allowance;
use super::error_responses;
use super::stream;
use super::turn::{Exchange, ExchangeError};
use crate::edge::authorization::resources::{gone, loaded};
use crate::platform::chatbot_settings::Settings;
use crate::{
    answering::Answering,
    edge::{Caller, event_stream},
};

const JSON: &str = "application/json";

pub(crate) async fn send(
    service: &Answering,
    request: SendMessage<Caller>,
) -> Result<SendMessageOkBody, Failure<SendMessageError>> {
    let wants_stream = request.incoming.preferred(&[JSON, event_stream::MEDIA_TYPE]) == 1;
    let exchange = exchange(service, request).await?;
    let answered = if wants_stream {
        Box::pin(stream::answer(exchange)).await.map(SendMessageOkBody::Events)
    } else {
        Box::pin(exchange.run()).await.map(SendMessageOkBody::Json)
    };
    answered.map_err(|error| match error {
        ExchangeError::ChatbotDeleted => gone::<Chatbot>().into(),
        ExchangeError::CreditsExhausted { conversation_id } => {
            error_responses::not_answered(conversation_id).into()
        }
        fault => fault.into(),
    })
}

/// Validates a request against the stored data.
async fn exchange(
    service: &Answering,
    request: SendMessage<Caller>,
) -> Result<Exchange, Failure<SendMessageError>> {
    let answering = service.priority.begin();
    let SendMessage { caller, body, incoming, .. } = request;
    let chatbot: Chatbot = loaded(&incoming)?;
    let settings = Settings::of(&chatbot)?;

    let mut failures = Vec::new();
    let tags = tags(service, &chatbot, &body.source_tags.unwrap_or_default(), &mut failures).await?;
    let (contact, domain_id) = (body.contact.into_value(), body.domain_id.into_value());
    let visitor = Visitor::read(
        &service.store,
        &service.cipher,
        caller.account_id,
        &chatbot,
        contact.as_ref(),
        domain_id,
        service.now(),
    );
    let visitor = match visitor.await? {
        Ok(visitor) if failures.is_empty() => visitor,
        Err(VisitorError::Identity(error)) if failures.is_empty() => {
            return Err(error_responses::invalid_identity(&error).into());
        }
        visitor => {
            if let Err(VisitorError::Domain(problem)) = visitor {
                failures.push(failure("domain_id", problem));
            }
            return Err(error_responses::invalid_fields(failures).into());
        }
    };

    let conversation_id = body.conversation_id.into_value();
    let continued =
        conversation::known(&service.store, &chatbot, conversation_id.map(Into::into), visitor.subject())
            .await?;
    let allowance = Allowance::for_caller(service, &caller, &chatbot).await?.ok_or_else(gone::<Chatbot>)?;
    Ok(Exchange {
        service: service.clone(),
        chatbot,
        settings,
        text: body.message,
        tags,
        visitor,
        continued,
        allowance,
        source: SOURCE,
        sent_by: None,
        share: None,
        _answering: answering,
    })
}

/// Resolves names of tags to ids. An unknown name becomes a field failure and never widens the search.
pub(super) async fn tags(
    service: &Answering,
    chatbot: &Chatbot,
    names: &[String],
    failures: &mut Vec<check::Failure>,
) -> Result<Vec<Uuid>, StoreError> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let known = service.store.tags().list(&chatbot.scope(), chatbot.chatbot_id).await?;
    let mut tags = Vec::with_capacity(names.len());
    for (index, name) in names.iter().enumerate() {
        match find(&known, name) {
            Some(tag) => tags.push(tag.tag_id),
            None => failures.push(failure(&format!("source_tags.{index}"), "is not a tag of this chatbot")),
        }
    }
    Ok(tags)
}

fn failure(path: &str, problem: &str) -> check::Failure {
    check::Failure { path: path.to_owned(), message: problem.to_owned() }
}

/// Finds a tag by name, ignoring case, which does not distinguish tags.
fn find<'a>(known: &'a [Tag], name: &str) -> Option<&'a Tag> {
    let name = name.trim().to_lowercase();
    known.iter().find(|tag| tag.name.to_lowercase() == name)
}
