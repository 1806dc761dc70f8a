//! The widget: how the chatbot appears on the website of the bakery, and a visitor who uses it there.

use released_client::{
    model::{
        AnswerMode, ConversationId, FeedbackRating, MessageId, MessageRole, NewConversationMessage,
        NewFeedback, NewVisitorEscalation, NewVisitorMessage, NewVisitorSession, VisitorContact,
        WidgetPosition, WidgetUpdate,
    },
    runtime::Uuid,
};

use crate::{Bakery, Outcome};

/// Puts the chatbot on the website, and asks it something there.
pub async fn show(bakery: &Bakery) -> Outcome {
    let (client, chatbot_id) = (&bakery.client, bakery.chatbot_id);
    let widgets = client.widgets();
    let widget = widgets.get(chatbot_id).await?.into_inner();
    assert!(widget.enabled && widget.allowed_origins.is_empty());
    let appearance = WidgetUpdate::new()
        .color("#0b3d91")
        .position(WidgetPosition::Start)
        .notice("A program answers.")
        .allowed_origins(["https://www.bakery.example"]);
    let changed = widgets.update(chatbot_id, appearance).await?.into_inner();
    assert_eq!((&*changed.color, changed.position), ("#0b3d91", WidgetPosition::Start));
    let widget = widgets.rotate_key(chatbot_id).await?.into_inner();
    assert_ne!(widget.widget_key, changed.widget_key, "a key that was found elsewhere");

    // From here on it is the browser of a visitor.
    let public = widgets.get_public(widget.widget_key).await?.into_inner();
    assert_eq!((&*public.color, public.notice.as_deref()), ("#0b3d91", Some("A program answers.")));
    let session = NewVisitorSession::new().language("en");
    let session = widgets.create_visitor_session(widget.widget_key, session).await?.into_inner();
    let browser = client.with_visitor_token(session.token);
    let visitors = browser.visitors();
    let question = NewVisitorMessage::new("What does delivery cost?", new_id());
    let answer = visitors.send_message(question).await?.into_inner();
    assert!(answer.response.contains("4.90 pounds"), "{answer:?}");
    let (id, answer_id): (ConversationId, MessageId) = (answer.conversation_id, answer.message_id.parse()?);

    // The visitor reloads the page.
    let visitor = visitors.get().await?.into_inner();
    assert_eq!(visitor.conversations[0].conversation_id, id);
    let read = visitors.poll_messages(id).await?.into_inner();
    assert_eq!((&read.messages[0].role, read.last_message_id), (&MessageRole::Visitor, answer_id));
    let liked = visitors.rate_message(id, answer_id, NewFeedback::new(FeedbackRating::Up)).await?;
    assert_eq!(liked.rating, Some(FeedbackRating::Up));

    // And would rather talk to somebody.
    let asked = visitors.escalate_conversation(id, NewVisitorEscalation::new().note("A wedding")).await?;
    assert_eq!(asked.mode, AnswerMode::HumanRequested);
    visitors.update_contact(VisitorContact::new().email("kim@customer.example").name("Kim")).await?;
    let hello = NewConversationMessage::new("This is Ann. When is the wedding?");
    client.conversations().create_message(chatbot_id, id, hello).await?;
    let replies = visitors.poll_messages(id).after(answer_id).wait(5).await?.into_inner();
    assert_eq!(
        (&*replies.messages[0].text, &replies.mode),
        ("This is Ann. When is the wedding?", &AnswerMode::Human)
    );
    let known = client.conversations().get(chatbot_id, id).await?.contact_id.ok_or("nobody is known")?;
    assert_eq!(client.contacts().get(known).await?.name.as_deref(), Some("Kim"));
    assert_eq!(visitors.close_conversation(id).await?.mode, AnswerMode::Closed);
    visitors.delete().await?;
    assert!(visitors.get().await.is_err(), "the session has ended");
    Ok(())
}

/// A page would take a random one; the program sends one message only.
fn new_id() -> Uuid {
    Uuid::from_u128(0x0f4b_7c92_6a1d_4e38_b5c7_9d8e_2f1a_3b60)
}
