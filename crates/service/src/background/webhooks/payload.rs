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
    ($event:expr, $Event:ident, $Type:ident::$Variant:ident, $data:expr) => {
        serde_json::to_vec(&model::$Event::new(
            model::$Type::$Variant,
            $event.event_id,
            timestamp($event.created_at),
            $event.account_id,
            API_VERSION,
            i64::try_from($event.sequence).unwrap_or(i64::MAX),
            $data,
        ))
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
            let data = model::LeadCreated::new(contact(lead), *chatbot_id, *conversation_id);
            typed!(event, LeadCreatedEvent, LeadCreatedEventType::LeadCreated, data)
        }
        EventData::ConversationCreated { conversation: created, first_message } => {
            let data = model::ConversationCreated::new(conversation(created), message(first_message));
            typed!(event, ConversationCreatedEvent, ConversationCreatedEventType::ConversationCreated, data)
        }
        EventData::HandoffRequested {
            conversation: waiting,
            reason,
            note,
            last_messages,
            contact: visitor,
        } => {
            let reason = model::HandoffReason::from(reason.as_str());
            let messages = last_messages.iter().map(message);
            let visitor = visitor.as_ref().map(contact);
            let data = model::ConversationHandoffRequested::new(
                conversation(waiting),
                reason,
                note.clone(),
                messages,
                visitor,
            );
            let data = match waiting.thread_id {
                Some(thread_id) => data.thread_id(thread_id),
                None => data,
            };
            typed!(
                event,
                ConversationHandoffRequestedEvent,
                ConversationHandoffRequestedEventType::ConversationHandoffRequested,
                data
            )
        }
        EventData::MessageCreated { conversation: continued, message: created } => {
            let data = model::MessageCreated::new(message(created)).conversation(conversation(continued));
            let data = match continued.thread_id {
                Some(thread_id) => data.thread_id(thread_id),
                None => data,
            };
            typed!(event, MessageCreatedEvent, MessageCreatedEventType::MessageCreated, data)
        }
        EventData::ThreadMessageCreated { thread: continued, message: created } => {
            let data = model::MessageCreated::new(message(created))
                .thread(thread(continued))
                .thread_id(continued.thread_id);
            typed!(event, MessageCreatedEvent, MessageCreatedEventType::MessageCreated, data)
        }
        EventData::HandoffAccepted { conversation: taken, team_member_id } => {
            let data = model::ConversationHandoffAccepted::new(conversation(taken), *team_member_id);
            let data = match taken.thread_id {
                Some(thread_id) => data.thread_id(thread_id),
                None => data,
            };
            typed!(
                event,
                ConversationHandoffAcceptedEvent,
                ConversationHandoffAcceptedEventType::ConversationHandoffAccepted,
                data
            )
        }
        EventData::ConversationClosed { conversation: ended } => {
            let data = model::ConversationClosed::new(conversation(ended));
            let data = match ended.thread_id {
                Some(thread_id) => data.thread_id(thread_id),
                None => data,
            };
            typed!(event, ConversationClosedEvent, ConversationClosedEventType::ConversationClosed, data)
        }
        EventData::ThreadStatusChanged { thread: changed, previous_status } => {
            let data = model::ThreadStatusChanged::new(thread(changed), previous_status.as_str().into());
            typed!(event, ThreadStatusChangedEvent, ThreadStatusChangedEventType::ThreadStatusChanged, data)
        }
        EventData::TrainingCompleted { chatbot: trained, error } => {
            let data = model::ChatbotTrainingCompleted::new(chatbot(trained), error.as_ref().map(failure));
            typed!(
                event,
                ChatbotTrainingCompletedEvent,
                ChatbotTrainingCompletedEventType::ChatbotTrainingCompleted,
                data
            )
        }
        EventData::CrawlFailed { website: crawled, error } => {
            let data = model::WebsiteCrawlFailed::new(website(crawled), failure(error));
            typed!(event, WebsiteCrawlFailedEvent, WebsiteCrawlFailedEventType::WebsiteCrawlFailed, data)
        }
        EventData::ContactUpdated { contact: changed } => {
            let data = model::ContactUpdated::new(contact(changed));
            typed!(event, ContactUpdatedEvent, ContactUpdatedEventType::ContactUpdated, data)
        }
        EventData::ContactBecameCustomer { contact: customer, became_customer_at } => {
            let data = model::ContactBecameCustomer::new(contact(customer), timestamp(*became_customer_at));
            typed!(
                event,
                ContactBecameCustomerEvent,
                ContactBecameCustomerEventType::ContactBecameCustomer,
                data
            )
        }
        EventData::DealCreated { deal: created } => {
            let data = model::DealCreated::new(deal(created));
            typed!(event, DealCreatedEvent, DealCreatedEventType::DealCreated, data)
        }
        EventData::DealStatusChanged { deal: moved, from_deal_status_id, from_status_name } => {
            let data =
                model::DealStatusChanged::new(deal(moved), *from_deal_status_id, from_status_name.clone());
            typed!(event, DealStatusChangedEvent, DealStatusChangedEventType::DealStatusChanged, data)
        }
        EventData::DealWon { deal: won } => {
            typed!(event, DealWonEvent, DealWonEventType::DealWon, model::DealWon::new(deal(won)))
        }
        EventData::DealLost { deal: lost } => {
            typed!(event, DealLostEvent, DealLostEventType::DealLost, model::DealLost::new(deal(lost)))
        }
        EventData::WebhookTest { webhook_endpoint_id } => {
            let data = model::WebhookTest::new(*webhook_endpoint_id, "This is a test event.");
            typed!(event, WebhookTestEvent, WebhookTestEventType::WebhookTest, data)
        }
        // The store has a kind of event that this file does not know yet.
        other => Err(serde::ser::Error::custom(format!("{} has no payload", other.event_type()))),
    }
}

fn contact(contact: &EventContact) -> model::EventContact {
    model::EventContact::new(
        contact.contact_id,
        contact.contact_type.as_str().into(),
        contact.email.clone(),
        contact.name.clone(),
        contact.phone.clone(),
        contact.company.clone(),
        contact.is_verified,
        contact.source.clone(),
    )
}

fn conversation(conversation: &EventConversation) -> model::EventConversation {
    model::EventConversation::new(
        conversation.conversation_id,
        conversation.chatbot_id,
        conversation.contact_id,
        conversation.source.clone(),
        conversation.mode.as_str().into(),
        timestamp(conversation.created_at),
    )
}

fn thread(thread: &EventThread) -> model::EventThread {
    model::EventThread::new(
        thread.thread_id,
        thread.channel.as_str().into(),
        thread.channel_id,
        thread.external_key.clone(),
        thread.conversation_id,
        thread.chatbot_id,
        thread.contact_id,
        thread.subject.clone(),
        thread.status.as_str().into(),
        timestamp(thread.created_at),
    )
}

fn message(message: &EventMessage) -> model::EventMessage {
    model::EventMessage::new(
        message.message_id,
        message.role.as_str().into(),
        message.text.clone(),
        message.truncated,
        timestamp(message.created_at),
    )
}

fn chatbot(chatbot: &EventChatbot) -> model::EventChatbot {
    model::EventChatbot::new(chatbot.chatbot_id, chatbot.name.clone(), chatbot.status.as_str().into())
}

fn website(website: &EventWebsite) -> model::EventWebsite {
    model::EventWebsite::new(website.website_id, website.chatbot_id, website.url.clone())
}

fn failure(failure: &EventFailure) -> model::TrainingFailure {
    model::TrainingFailure::new(failure.code.clone(), failure.message.clone(), timestamp(failure.at))
}

fn deal(deal: &EventDeal) -> model::EventDeal {
    let closed_at = deal.closed_at.and_then(|micros| jiff::Timestamp::from_microsecond(micros).ok());
    model::EventDeal::new(
        deal.deal_id,
        deal.title.clone(),
        deal.deal_status_id,
        deal.status_name.clone(),
        deal.deal_row_id,
        deal.contact_ids.iter().copied(),
        deal.value.clone(),
        deal.currency.clone(),
        deal.outcome.as_str().into(),
        deal.lost_reason.clone(),
        deal.owner_id,
        closed_at.map(timestamp),
        timestamp(deal.created_at),
    )
}
