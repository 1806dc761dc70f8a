//! Conversations and messages of the store as types of the contract.

use frontdesk_model::{
    AnswerMode, Conversation, ConversationMessage, ConversationMessageRequired, ConversationRequired,
    ConversationSource, ConversationStatus, Escalation, EscalationReason, Feedback, FeedbackRating,
    MessageRole, Source,
};
use frontdesk_store::{self as store, ConversationMode, ListedConversation};
use serde::Deserialize;

use crate::{api::count, edge::responses::timestamp};

pub(super) fn conversation(stored: store::Conversation) -> Conversation {
    let status = match stored.mode {
        ConversationMode::Closed => ConversationStatus::Closed,
        _ => ConversationStatus::Open,
    };
    let escalation = stored.escalation.map(|request| {
        let reason = EscalationReason::from(request.reason.as_str());
        Escalation::new(reason, request.note, timestamp(request.escalated_at))
    });
    let thread_id = stored.thread_id;
    let shown = Conversation::new(ConversationRequired {
        conversation_id: stored.conversation_id.into(),
        chatbot_id: stored.chatbot_id.into(),
        contact_id: stored.contact_id.map(Into::into),
        mode: mode(stored.mode),
        status,
        source: ConversationSource::from(stored.source),
        needs_escalation: stored.needs_escalation,
        escalation,
        feedback: stored.feedback.map(|rating| FeedbackRating::from(rating.as_str())),
        message_count: count(stored.message_count),
        created_at: timestamp(stored.created_at),
        last_message_at: timestamp(stored.last_message_at),
    });
    match thread_id {
        Some(thread_id) => shown.thread_id(thread_id.into()),
        None => shown,
    }
}

pub(super) fn listed(listed: ListedConversation) -> Conversation {
    conversation(listed.conversation).last_message_preview(listed.preview)
}

/// Fails if the stored sources cannot be read.
pub(super) fn message(stored: store::Message) -> Result<ConversationMessage, serde_json::Error> {
    let sources = Vec::<Source>::deserialize(&stored.sources)?;
    let feedback = stored.feedback.map(|feedback| {
        let rating = FeedbackRating::from(feedback.rating.as_str());
        Feedback::new(rating, feedback.comment, timestamp(feedback.rated_at))
    });
    Ok(ConversationMessage::new(ConversationMessageRequired {
        message_id: stored.message_id.into(),
        role: MessageRole::from(stored.role.as_str()),
        text: stored.body,
        sources,
        needs_escalation: stored.needs_escalation,
        credits_used: count(stored.credits_used),
        team_member_id: stored.team_member_id.map(Into::into),
        feedback,
        created_at: timestamp(stored.created_at),
    }))
}

pub(in crate::api) fn mode(stored: ConversationMode) -> AnswerMode {
    AnswerMode::from(stored.as_str())
}
