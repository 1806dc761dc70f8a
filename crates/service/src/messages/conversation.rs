//! Conversations: which one a message continues, and what was said in it before.

use frontdesk_assistant::{Action, Author, Turn};
use frontdesk_model::AnswerMode;
use frontdesk_store::{Chatbot, Conversation, ConversationMode, Message, MessageRole, Store, StoreError};
use serde_json::Value;
use uuid::Uuid;

/// Earlier messages that are looked at: enough for a question that leans on the one before, and for a question that
/// is asked three times.
const HISTORY: u32 = 20;

/// The conversation that a message of this visitor would continue, as it stands now. Any other id, whoever's it is,
/// is as good as none.
pub(super) async fn known(
    store: &Store,
    chatbot: &Chatbot,
    conversation_id: Option<Uuid>,
    subject: Option<&str>,
) -> Result<Option<Conversation>, StoreError> {
    let Some(conversation_id) = conversation_id else { return Ok(None) };
    let found = store.conversation(&chatbot.scope(), conversation_id).await?;
    Ok(found.filter(|conversation| {
        let is_own =
            conversation.verified_subject.is_none() || conversation.verified_subject.as_deref() == subject;
        conversation.chatbot_id == chatbot.chatbot_id && is_own
    }))
}

/// Whether the chatbot answers the next message. A closed conversation begins anew with it.
pub(super) fn is_answered_by_ai(mode: ConversationMode) -> bool {
    matches!(mode, ConversationMode::Ai | ConversationMode::Closed)
}

/// A mode as the interface names it.
pub(super) fn answer_mode(mode: ConversationMode) -> AnswerMode {
    match mode {
        ConversationMode::Ai => AnswerMode::Ai,
        ConversationMode::HumanRequested => AnswerMode::HumanRequested,
        ConversationMode::Human => AnswerMode::Human,
        ConversationMode::Closed => AnswerMode::Closed,
    }
}

/// What was said before a message, oldest first.
pub(super) async fn history(
    store: &Store,
    chatbot: &Chatbot,
    message: &Message,
) -> Result<Vec<Turn>, StoreError> {
    let recent = store.recent_messages(&chatbot.scope(), message.conversation_id, HISTORY + 1).await?;
    Ok(recent.iter().filter(|earlier| earlier.position < message.position).filter_map(turn).collect())
}

/// What the visitor said last before the present message.
pub(super) fn previous_question(history: &[Turn]) -> Option<String> {
    history.iter().rev().find(|turn| turn.author == Author::Visitor).map(|turn| turn.text.clone())
}

fn turn(message: &Message) -> Option<Turn> {
    let text = message.body.as_str();
    match message.role {
        MessageRole::Visitor => Some(Turn::visitor(text)),
        MessageRole::Assistant => Some(Turn {
            author: Author::Assistant,
            text: text.to_owned(),
            action: action(message),
            needs_escalation: message.needs_escalation,
        }),
        MessageRole::TeamMember => Some(Turn::team_member(text)),
        MessageRole::System => None,
    }
}

/// What an answer did, as far as it can be told from what is kept of it: only answers cite, and only what is no
/// answer is free.
fn action(message: &Message) -> Option<Action> {
    let cites = message.sources.as_array().is_some_and(|sources: &Vec<Value>| !sources.is_empty());
    match (cites, message.credits_used) {
        (true, _) => Some(Action::Answer),
        (false, 0) => Some(Action::Refuse),
        (false, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;
    use serde_json::json;

    fn message(role: MessageRole, sources: Value, credits_used: u64) -> Message {
        Message {
            message_id: Uuid::nil(),
            conversation_id: Uuid::nil(),
            position: 1,
            role,
            body: "words".into(),
            sources,
            needs_escalation: false,
            credits_used,
            created_at: Timestamp::UNIX_EPOCH,
        }
    }

    #[test]
    fn what_an_answer_did_is_told_from_what_is_kept() {
        let source = json!([{ "title": "T", "url": "", "type": "webpage" }]);
        assert_eq!(action(&message(MessageRole::Assistant, source, 1)), Some(Action::Answer));
        assert_eq!(action(&message(MessageRole::Assistant, json!([]), 0)), Some(Action::Refuse));
        assert_eq!(action(&message(MessageRole::Assistant, json!([]), 1)), None);
    }

    #[test]
    fn the_system_is_no_party_of_a_conversation() {
        assert_eq!(turn(&message(MessageRole::System, json!([]), 0)), None);
        let authors = [MessageRole::Visitor, MessageRole::Assistant, MessageRole::TeamMember]
            .map(|role| turn(&message(role, json!([]), 0)).unwrap().author);
        assert_eq!(authors, [Author::Visitor, Author::Assistant, Author::TeamMember]);
    }

    #[test]
    fn the_previous_question_is_the_visitors_last() {
        let history = [
            Turn::visitor("first"),
            Turn::visitor("second"),
            Turn::assistant("answer", Action::Answer, false),
        ];
        assert_eq!(previous_question(&history).as_deref(), Some("second"));
        assert_eq!(previous_question(&[]), None);
    }

    #[test]
    fn a_person_who_is_asked_for_silences_the_chatbot() {
        let answered = ConversationMode::ALL.iter().copied().filter(|mode| is_answered_by_ai(*mode));
        assert_eq!(answered.collect::<Vec<_>>(), [ConversationMode::Ai, ConversationMode::Closed]);
        for mode in ConversationMode::ALL {
            assert_eq!(answer_mode(*mode).as_str(), mode.as_str());
        }
    }
}
