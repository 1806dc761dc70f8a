//! The conversation that a message continues, and its earlier messages as the context of an answer.

use frontdesk_assistant::{Action, Author, Offer, Turn};
use frontdesk_model::AnswerMode;
use frontdesk_store::{
    Chatbot, Conversation, ConversationMode, Message, MessageRole, Store, StoreError, VisitorSubject,
};
use serde_json::Value;
use uuid::Uuid;

/// The number of earlier messages that are read: enough for a question that refers to the one before, and to
/// detect a question that is asked three times.
const HISTORY: u32 = 20;

/// Returns the conversation with this id if a message of this visitor may continue it. The ids of all other
/// conversations are treated as unknown.
pub(super) async fn known(
    store: &Store,
    chatbot: &Chatbot,
    conversation_id: Option<Uuid>,
    subject: Option<&VisitorSubject>,
) -> Result<Option<Conversation>, StoreError> {
    let Some(conversation_id) = conversation_id else { return Ok(None) };
    let found = store.conversations().find(&chatbot.scope(), conversation_id).await?;
    Ok(found.filter(|conversation| {
        let is_own = conversation
            .verified_subject
            .as_deref()
            .is_none_or(|owner| subject.is_some_and(|subject| subject.as_str() == owner));
        conversation.chatbot_id == chatbot.chatbot_id && is_own
    }))
}

/// Returns whether the chatbot answers the next message. The next message reopens a closed conversation.
pub(super) fn is_answered_by_ai(mode: ConversationMode) -> bool {
    matches!(mode, ConversationMode::Ai | ConversationMode::Closed)
}

/// Converts a mode to the type of the interface.
pub(super) fn answer_mode(mode: ConversationMode) -> AnswerMode {
    match mode {
        ConversationMode::Ai => AnswerMode::Ai,
        ConversationMode::HumanRequested => AnswerMode::HumanRequested,
        ConversationMode::Human => AnswerMode::Human,
        ConversationMode::Closed => AnswerMode::Closed,
    }
}

/// The earlier messages of a conversation.
pub(super) struct Context {
    /// Earlier turns, oldest first.
    pub(super) turns: Vec<Turn>,
    /// Whether a person has been offered.
    pub(super) offer: Offer,
}

/// Loads the context of the visitor's message from its conversation.
pub(super) async fn context(
    store: &Store,
    chatbot: &Chatbot,
    conversation: &Conversation,
    message: &Message,
) -> Result<Context, StoreError> {
    // The first message has none before it.
    if message.position <= 1 {
        return Ok(Context { turns: Vec::new(), offer: Offer::NotMade });
    }
    let recent =
        store.conversations().recent_messages(&chatbot.scope(), message.conversation_id, HISTORY + 1).await?;
    let earlier: Vec<&Message> =
        recent.iter().filter(|earlier| earlier.position < message.position).collect();
    let offer = offer(conversation.offer_position, &earlier);
    Ok(Context { turns: earlier.into_iter().filter_map(turn).collect(), offer })
}

/// Returns whether a person has been offered, and whether the next message of the visitor may be the reply:
/// that is so until the chatbot has said something else.
fn offer(position: Option<u64>, earlier: &[&Message]) -> Offer {
    let last = earlier.iter().rev().find(|message| message.role == MessageRole::Assistant);
    match position {
        None => Offer::NotMade,
        Some(position) if last.is_some_and(|last| last.position == position) => Offer::Pending,
        Some(_) => Offer::Past,
    }
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

/// Infers the action of a stored answer, if possible: only answers have sources, and only other actions are
/// free.
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
            team_member_id: None,
            feedback: None,
            created_at: Timestamp::UNIX_EPOCH,
        }
    }

    #[test]
    fn the_action_is_inferred_from_the_stored_answer() {
        let source = json!([{ "title": "T", "url": "", "type": "webpage" }]);
        assert_eq!(action(&message(MessageRole::Assistant, source, 1)), Some(Action::Answer));
        assert_eq!(action(&message(MessageRole::Assistant, json!([]), 0)), Some(Action::Refuse));
        assert_eq!(action(&message(MessageRole::Assistant, json!([]), 1)), None);
    }

    #[test]
    fn an_offer_is_pending_until_the_chatbot_says_something_else() {
        let at = |position: u64, role| Message { position, ..message(role, json!([]), 0) };
        let (visitor, assistant) = (MessageRole::Visitor, MessageRole::Assistant);
        let messages = [at(1, visitor), at(2, assistant), at(3, visitor), at(4, assistant), at(5, visitor)];
        let messages: Vec<&Message> = messages.iter().collect();
        assert_eq!(offer(None, &messages), Offer::NotMade);
        assert_eq!(offer(Some(4), &messages), Offer::Pending);
        assert_eq!(offer(Some(2), &messages), Offer::Past);
        assert_eq!(offer(Some(2), &messages[..3]), Offer::Pending);
        // Older than everything that is looked at.
        assert_eq!(offer(Some(2), &messages[2..]), Offer::Past);
        assert_eq!(offer(Some(2), &[]), Offer::Past);
    }

    #[test]
    fn messages_of_the_system_are_not_turns() {
        assert_eq!(turn(&message(MessageRole::System, json!([]), 0)), None);
        let authors = [MessageRole::Visitor, MessageRole::Assistant, MessageRole::TeamMember]
            .map(|role| turn(&message(role, json!([]), 0)).unwrap().author);
        assert_eq!(authors, [Author::Visitor, Author::Assistant, Author::TeamMember]);
    }

    #[test]
    fn the_chatbot_answers_only_open_and_closed_conversations() {
        let answered = ConversationMode::ALL.iter().copied().filter(|mode| is_answered_by_ai(*mode));
        assert_eq!(answered.collect::<Vec<_>>(), [ConversationMode::Ai, ConversationMode::Closed]);
        for mode in ConversationMode::ALL {
            assert_eq!(answer_mode(*mode).as_str(), mode.as_str());
        }
    }
}
