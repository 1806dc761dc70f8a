//! `POST /api/v1/chatbots/{chatbot_id}/messages`: checks a message completely, then has it answered.

use frontdesk_model::{Answer, SendMessageError};
use frontdesk_runtime::{Failure, check};
use frontdesk_server::SendMessage;
use frontdesk_store::{Chatbot, StoreError, Tag};
use uuid::Uuid;

use super::contact::{Refused, Visitor};
use super::conversation;
use super::credits::Allowance;
use super::refusals;
use super::turn::{Exchange, Unanswered};
use crate::answers;
use crate::service::{Caller, Service};
use crate::settings::Settings;

pub(super) async fn send(
    service: &Service,
    request: SendMessage<Caller>,
) -> Result<Answer, Failure<SendMessageError>> {
    let SendMessage { caller, chatbot_id, body, .. } = request;
    let chatbot =
        service.store.chatbot(&caller.scope, chatbot_id).await?.ok_or_else(answers::chatbot_not_found)?;
    let settings = Settings::of(&chatbot)?;

    let mut failures = Vec::new();
    let tags = tags(service, &chatbot, &body.source_tags.unwrap_or_default(), &mut failures).await?;
    let (contact, domain_id) = (body.contact.into_value(), body.domain_id.into_value());
    let now = service.now();
    let visitor =
        Visitor::read(&service.store, &service.sealer, &chatbot, contact.as_ref(), domain_id, now).await?;
    let visitor = match visitor {
        Ok(visitor) if failures.is_empty() => visitor,
        Err(Refused::Identity(distrust)) if failures.is_empty() => {
            return Err(refusals::invalid_identity(&distrust).into());
        }
        refused => {
            if let Err(Refused::Domain(problem)) = refused {
                failures.push(failure("domain_id", problem));
            }
            return Err(refusals::invalid_fields(failures).into());
        }
    };

    let conversation_id = body.conversation_id.into_value();
    let continued = conversation::known(&service.store, &chatbot, conversation_id, visitor.subject()).await?;
    let allowance = Allowance::of(service, &chatbot).await?.ok_or_else(answers::chatbot_not_found)?;
    let is_answered = continued.as_ref().is_none_or(|known| conversation::is_answered_by_ai(known.mode));
    let reservation = if is_answered {
        Some(allowance.reserve().await?.ok_or_else(refusals::credits_exhausted)?)
    } else {
        None
    };
    let exchange = Exchange {
        service: service.clone(),
        chatbot,
        settings,
        text: body.message,
        tags,
        visitor,
        continued,
        allowance,
        reservation,
    };
    exchange.run().await.map_err(|unanswered| match unanswered {
        Unanswered::ChatbotDeleted => answers::chatbot_not_found().into(),
        Unanswered::CreditsExhausted => refusals::credits_exhausted().into(),
        fault => fault.into(),
    })
}

/// The tags that are named. An unknown one is a failing field and never widens the search.
async fn tags(
    service: &Service,
    chatbot: &Chatbot,
    names: &[String],
    failures: &mut Vec<check::Failure>,
) -> Result<Vec<Uuid>, StoreError> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let known = service.store.tags(&chatbot.scope(), chatbot.chatbot_id).await?;
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

/// Tags are unique without regard to case, and are found so.
fn find<'a>(known: &'a [Tag], name: &str) -> Option<&'a Tag> {
    let name = name.trim().to_lowercase();
    known.iter().find(|tag| tag.name.to_lowercase() == name)
}
