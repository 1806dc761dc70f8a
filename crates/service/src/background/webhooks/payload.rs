//! Events as the contract describes them.

use frontdesk_model as model;
use frontdesk_store::{
    Event, EventChatbot, EventContact, EventConversation, EventData, EventDeal, EventFailure, EventMessage,
    EventThread, EventWebsite,
};

use crate::edge::responses::timestamp;

/// The version of the contract that describes events.
const API_VERSION: &str = "v1";

/// Writes an event with its type in the contract.
macro_rules! typed {
    ($event:expr, $Event:ident, $Required:ident, $Type:ident::$Variant:ident, $data:expr) => {
        serde_json::to_vec(&model::$Event::new(model::$Required {
            r#type: model::$Type::$Variant,
            id: $event.event_id.into(),
            timestamp: timestamp($event.created_at),
            account_id: $event.account_id.into(),
            api_version: API_VERSION.to_owned(),
            sequence: i64::try_from($event.sequence).unwrap_or(i64::MAX),
            data: $data,
        }))
    };
}

/// Returns the body of the requests that deliver an event.
pub(super) fn body(event: &Event) -> Option<Vec<u8>> {
    let event_id = event.event_id;
    write(event).inspect_err(|error| tracing::error!(%error, %event_id, "an event cannot be written")).ok()
}

/// Returns an event as an entry of the journal.
pub(crate) fn recorded(event: &Event) -> Result<model::RecordedEvent, serde_json::Error> {
    write(event).and_then(|body| serde_json::from_slice(&body))
}

fn write(event: &Event) -> Result<Vec<u8>, serde_json::Error> {
    match &event.data {
        EventData::LeadCreated { contact: lead, chatbot_id, conversation_id } => {
            let data = model::LeadCreated::new(
                contact(lead),
                chatbot_id.map(Into::into),
                conversation_id.map(Into::into),
            );
            typed!(event, LeadCreatedEvent, LeadCreatedEventRequired, LeadCreatedEventType::LeadCreated, data)
        }
        EventData::ConversationCreated { conversation: created, first_message } => {
            let data = model::ConversationCreated::new(conversation(created), message(first_message));
            typed!(
                event,
                ConversationCreatedEvent,
                ConversationCreatedEventRequired,
                ConversationCreatedEventType::ConversationCreated,
                data
            )
        }
        EventData::HandoffRequested {
            conversation: waiting,
            reason,
            note,
            last_messages,
            contact: visitor,
        } => {
            let reason = model::HandoffReason::from(reason.as_str());
            let messages = last_messages.iter().map(message).collect();
            let visitor = visitor.as_ref().map(contact);
            let data =
                model::ConversationHandoffRequested::new(model::ConversationHandoffRequestedRequired {
                    conversation: conversation(waiting),
                    reason,
                    note: note.clone(),
                    last_messages: messages,
                    contact: visitor,
                });
            let data = match waiting.thread_id {
                Some(thread_id) => data.thread_id(thread_id.into()),
                None => data,
            };
            typed!(
                event,
                ConversationHandoffRequestedEvent,
                ConversationHandoffRequestedEventRequired,
                ConversationHandoffRequestedEventType::ConversationHandoffRequested,
                data
            )
        }
        EventData::MessageCreated { conversation: continued, message: created } => {
            let data = model::MessageCreated::new(message(created)).conversation(conversation(continued));
            let data = match continued.thread_id {
                Some(thread_id) => data.thread_id(thread_id.into()),
                None => data,
            };
            typed!(
                event,
                MessageCreatedEvent,
                MessageCreatedEventRequired,
                MessageCreatedEventType::MessageCreated,
                data
            )
        }
        EventData::ThreadMessageCreated { thread: continued, message: created } => {
            let data = model::MessageCreated::new(message(created))
                .thread(thread(continued))
                .thread_id(continued.thread_id.into());
            typed!(
                event,
                MessageCreatedEvent,
                MessageCreatedEventRequired,
                MessageCreatedEventType::MessageCreated,
                data
            )
        }
        EventData::HandoffAccepted { conversation: taken, team_member_id } => {
            let data = model::ConversationHandoffAccepted::new(conversation(taken), (*team_member_id).into());
            let data = match taken.thread_id {
                Some(thread_id) => data.thread_id(thread_id.into()),
                None => data,
            };
            typed!(
                event,
                ConversationHandoffAcceptedEvent,
                ConversationHandoffAcceptedEventRequired,
                ConversationHandoffAcceptedEventType::ConversationHandoffAccepted,
                data
            )
        }
        EventData::ConversationClosed { conversation: ended } => {
            let data = model::ConversationClosed::new(conversation(ended));
            let data = match ended.thread_id {
                Some(thread_id) => data.thread_id(thread_id.into()),
                None => data,
            };
            typed!(
                event,
                ConversationClosedEvent,
                ConversationClosedEventRequired,
                ConversationClosedEventType::ConversationClosed,
                data
            )
        }
        EventData::ThreadStatusChanged { thread: changed, previous_status } => {
            let data = model::ThreadStatusChanged::new(thread(changed), previous_status.as_str().into());
            typed!(
                event,
                ThreadStatusChangedEvent,
                ThreadStatusChangedEventRequired,
                ThreadStatusChangedEventType::ThreadStatusChanged,
                data
            )
        }
        EventData::TrainingCompleted { chatbot: trained, error } => {
            let data = model::ChatbotTrainingCompleted::new(chatbot(trained), error.as_ref().map(failure));
            typed!(
                event,
                ChatbotTrainingCompletedEvent,
                ChatbotTrainingCompletedEventRequired,
                ChatbotTrainingCompletedEventType::ChatbotTrainingCompleted,
                data
            )
        }
        EventData::CrawlFailed { website: crawled, error } => {
            let data = model::WebsiteCrawlFailed::new(website(crawled), failure(error));
            typed!(
                event,
                WebsiteCrawlFailedEvent,
                WebsiteCrawlFailedEventRequired,
                WebsiteCrawlFailedEventType::WebsiteCrawlFailed,
                data
            )
        }
        EventData::ContactUpdated { contact: changed } => {
            let data = model::ContactUpdated::new(contact(changed));
            typed!(
                event,
                ContactUpdatedEvent,
                ContactUpdatedEventRequired,
                ContactUpdatedEventType::ContactUpdated,
                data
            )
        }
        EventData::ContactBecameCustomer { contact: customer, became_customer_at } => {
            let data = model::ContactBecameCustomer::new(contact(customer), timestamp(*became_customer_at));
            typed!(
                event,
                ContactBecameCustomerEvent,
                ContactBecameCustomerEventRequired,
                ContactBecameCustomerEventType::ContactBecameCustomer,
                data
            )
        }
        EventData::DealCreated { deal: created } => {
            let data = model::DealCreated::new(deal(created));
            typed!(event, DealCreatedEvent, DealCreatedEventRequired, DealCreatedEventType::DealCreated, data)
        }
        EventData::DealStatusChanged { deal: moved, from_deal_status_id, from_status_name } => {
            let data = model::DealStatusChanged::new(
                deal(moved),
                (*from_deal_status_id).into(),
                from_status_name.clone(),
            );
            typed!(
                event,
                DealStatusChangedEvent,
                DealStatusChangedEventRequired,
                DealStatusChangedEventType::DealStatusChanged,
                data
            )
        }
        EventData::DealWon { deal: won } => {
            typed!(
                event,
                DealWonEvent,
                DealWonEventRequired,
                DealWonEventType::DealWon,
                model::DealWon::new(deal(won))
            )
        }
        EventData::DealLost { deal: lost } => {
            typed!(
                event,
                DealLostEvent,
                DealLostEventRequired,
                DealLostEventType::DealLost,
                model::DealLost::new(deal(lost))
            )
        }
        EventData::WebhookTest { webhook_endpoint_id } => {
            let data = model::WebhookTest::new((*webhook_endpoint_id).into(), "This is a test event.");
            typed!(event, WebhookTestEvent, WebhookTestEventRequired, WebhookTestEventType::WebhookTest, data)
        }
        // The store has a kind of event that this file does not know yet.
        other => Err(serde::ser::Error::custom(format!("{} has no payload", other.event_type()))),
    }
}

fn contact(contact: &EventContact) -> model::EventContact {
    model::EventContact::new(model::EventContactRequired {
        contact_id: contact.contact_id.into(),
        r#type: contact.contact_type.as_str().into(),
        email: contact.email.clone(),
        name: contact.name.clone(),
        phone: contact.phone.clone(),
        company: contact.company.clone(),
        is_verified: contact.is_verified,
        source: contact.source.clone(),
    })
}

fn conversation(conversation: &EventConversation) -> model::EventConversation {
    model::EventConversation::new(model::EventConversationRequired {
        conversation_id: conversation.conversation_id.into(),
        chatbot_id: conversation.chatbot_id.into(),
        contact_id: conversation.contact_id.map(Into::into),
        source: conversation.source.clone(),
        mode: conversation.mode.as_str().into(),
        created_at: timestamp(conversation.created_at),
    })
}

fn thread(thread: &EventThread) -> model::EventThread {
    model::EventThread::new(model::EventThreadRequired {
        thread_id: thread.thread_id.into(),
        channel: thread.channel.as_str().into(),
        channel_id: thread.channel_id.map(Into::into),
        thread_key: thread.external_key.clone(),
        conversation_id: thread.conversation_id.map(Into::into),
        chatbot_id: thread.chatbot_id.map(Into::into),
        contact_id: thread.contact_id.map(Into::into),
        subject: thread.subject.clone(),
        status: thread.status.as_str().into(),
        created_at: timestamp(thread.created_at),
    })
}

fn message(message: &EventMessage) -> model::EventMessage {
    model::EventMessage::new(model::EventMessageRequired {
        message_id: message.message_id.into(),
        role: message.role.as_str().into(),
        text: message.text.clone(),
        truncated: message.truncated,
        created_at: timestamp(message.created_at),
    })
}

fn chatbot(chatbot: &EventChatbot) -> model::EventChatbot {
    model::EventChatbot::new(chatbot.chatbot_id.into(), chatbot.name.clone(), chatbot.status.as_str().into())
}

fn website(website: &EventWebsite) -> model::EventWebsite {
    model::EventWebsite::new(website.website_id.into(), website.chatbot_id.into(), website.url.clone())
}

fn failure(failure: &EventFailure) -> model::TrainingFailure {
    model::TrainingFailure::new(model::TrainingFailureRequired {
        code: failure.code.clone(),
        message: failure.message.clone(),
        at: timestamp(failure.at),
    })
}

fn deal(deal: &EventDeal) -> model::EventDeal {
    let closed_at = deal.closed_at.and_then(|micros| jiff::Timestamp::from_microsecond(micros).ok());
    model::EventDeal::new(model::EventDealRequired {
        deal_id: deal.deal_id.into(),
        title: deal.title.clone(),
        deal_status_id: deal.deal_status_id.into(),
        status_name: deal.status_name.clone(),
        deal_row_id: deal.deal_row_id.into(),
        contact_ids: deal.contact_ids.iter().copied().map(Into::into).collect(),
        value: deal.value.clone(),
        currency: deal.currency.clone(),
        outcome: deal.outcome.as_str().into(),
        lost_reason: deal.lost_reason.clone(),
        owner_id: deal.owner_id.map(Into::into),
        closed_at: closed_at.map(timestamp),
        created_at: timestamp(deal.created_at),
    })
}
