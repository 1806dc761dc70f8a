//! Conversations: a visitor who asks for a person, the person who replies, and the way back to the chatbot.

use released_client::model::{
    AnswerMode, ContactInfo, ConversationStatus, CreateConversationMessageError, EscalationReason,
    FeedbackRating, MessageId, MessageRole, NewConversationMessage, NewEscalation, NewFeedback, NewMessage,
};

use crate::{Bakery, Outcome};

/// Hands a conversation over to a person and back, and closes it.
pub async fn hand_over(bakery: &Bakery) -> Outcome {
    let (client, chatbot_id) = (&bakery.client, bakery.chatbot_id);
    let conversations = client.conversations();
    let visitor = ContactInfo::new().email("lee@customer.example").name("Lee");
    let question = NewMessage::new("What does delivery cost?").contact(visitor);
    let answer = client.messages().send(chatbot_id, question).await?.into_inner();
    let id = answer.conversation_id;
    let answer_id: MessageId = answer.message_id.parse()?;

    // The visitor likes the answer.
    let liked = NewFeedback::new(FeedbackRating::Up).comment("Quick!");
    let rated = conversations.rate_message(chatbot_id, id, answer_id, liked).await?.into_inner();
    let feedback = rated.feedback.ok_or("the message has no rating")?;
    assert_eq!((feedback.rating, feedback.comment.as_deref()), (FeedbackRating::Up, Some("Quick!")));
    let found = conversations.list(chatbot_id).feedback(FeedbackRating::Up).await?.into_inner().conversations;
    assert_eq!(found.iter().map(|found| found.conversation_id).collect::<Vec<_>>(), [id]);

    // But wants to talk to somebody.
    let request = NewEscalation::new().reason(EscalationReason::UserRequest).note("Asks for an offer");
    let escalated = conversations.escalate(chatbot_id, id, request).await?;
    assert_eq!((&escalated.mode, escalated.needs_escalation), (&AnswerMode::HumanRequested, true));
    let waiting = conversations.list(chatbot_id).mode(AnswerMode::HumanRequested).await?;
    assert_eq!(waiting.conversations[0].conversation_id, id);
    let written = NewConversationMessage::new("Hello Lee, this is Ann. How many cakes?");
    let written = conversations.create_message(chatbot_id, id, written).await?;
    assert_eq!(written.role, MessageRole::TeamMember);

    // The page of the visitor waits for replies.
    let replies = conversations.poll_replies(chatbot_id, id, answer_id).wait(5).await?;
    assert_eq!((&replies.mode, replies.last_message_id), (&AnswerMode::Human, written.message_id));
    assert_eq!(replies.messages[0].text, "Hello Lee, this is Ann. How many cakes?");
    let more = NewMessage::new("Forty, please.").conversation_id(id);
    let silent = client.messages().send(chatbot_id, more).await?;
    assert_eq!((&*silent.response, silent.usage.credits_used), ("", 0), "Ann answers, not the chatbot");

    let conversation = conversations.get(chatbot_id, id).await?;
    assert_eq!((conversation.message_count, &conversation.mode), (4, &AnswerMode::Human));
    let mut history = conversations.list_messages(chatbot_id, id).limit(3).stream();
    let mut roles = Vec::new();
    while let Some(message) = history.next().await {
        roles.push(message?.role);
    }
    roles.reverse();
    let expected =
        [MessageRole::Visitor, MessageRole::Assistant, MessageRole::TeamMember, MessageRole::Visitor];
    assert_eq!(roles, expected);

    let returned = conversations.return_to_ai(chatbot_id, id).await?;
    assert_eq!(returned.mode, AnswerMode::Ai);
    let next = NewMessage::new("When is the shop open on weekdays?").conversation_id(id);
    assert!(client.messages().send(chatbot_id, next).await?.response.contains("7 am"));

    let closed = conversations.close(chatbot_id, id).await?;
    assert_eq!((&closed.mode, &closed.status), (&AnswerMode::Closed, &ConversationStatus::Closed));
    let late = NewConversationMessage::new("One more thing …");
    let late = conversations.create_message(chatbot_id, id, late).await.expect_err("it is closed");
    let late = late.into_declared()?;
    assert!(matches!(late, CreateConversationMessageError::Conflict(_)), "{late:?}");
    Ok(())
}
