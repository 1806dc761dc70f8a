//! Chatbots: one that is trained on a website and answers visitors.

use released_client::{
    Client,
    model::{
        AiResponseLength, Answer, AnswerEvent, AnswerMode, ChatbotId, ChatbotStatus, ChatbotUpdate,
        DraftReplyError, GetChatbotError, NewChatbot, NewMessage, NewReply, QuickButton, RetrievalRequest,
        SourceType, ThreadMessage,
    },
};

use crate::{Bakery, Outcome, waiting::eventually};

/// Creates a chatbot and waits until it has read the website.
pub async fn create(client: &Client, site: &str) -> Outcome<ChatbotId> {
    let chatbots = client.chatbots();
    let new = NewChatbot::new("Crumb", "Blue Door Bakery", [site]).language("en");
    // Whoever repeats a request with the same key gets the response of the first one.
    let created = chatbots.create(&new).idempotency_key("journey").await?;
    assert_eq!(created.status, ChatbotStatus::Training);
    let again = chatbots.create(&new).idempotency_key("journey").await?;
    assert_eq!(again.chatbot_id, created.chatbot_id);

    let chatbot_id = created.chatbot_id;
    let trained = eventually("the chatbot is trained", async || {
        let chatbot = chatbots.get(chatbot_id).await?.into_inner();
        Ok((chatbot.status != ChatbotStatus::Training).then_some(chatbot))
    })
    .await?;
    assert_eq!(trained.status, ChatbotStatus::Ready, "{trained:?}");
    assert!(trained.training_sources >= 5, "the pages of the website: {trained:?}");
    // Answers are as good as they will be once everything is searched by meaning.
    eventually("the search is ready", async || {
        let chatbot = chatbots.get(chatbot_id).await?.into_inner();
        if let Some(progress) = &chatbot.search_progress {
            assert!(progress.searched_by_meaning < progress.passages, "{progress:?}");
        }
        Ok((chatbot.search_ready == Some(true)).then_some(()))
    })
    .await?;

    let update = ChatbotUpdate::new()
        .opening_text("Hello! What may it be?")
        .ai_response_length(AiResponseLength::Short)
        .quick_buttons([QuickButton::new("Opening hours")])
        .show_sources(true);
    let updated = chatbots.update(chatbot_id, update).await?;
    assert_eq!(updated.settings.opening_text, "Hello! What may it be?");
    // What is not sent stays as it is, and so does everything without a body.
    assert_eq!((&*updated.name, &*updated.settings.business_name), ("Crumb", "Blue Door Bakery"));
    assert_eq!(chatbots.update(chatbot_id, None).await?.settings, updated.settings);
    let listed = chatbots.list().await?;
    assert!(listed.chatbots.iter().any(|chatbot| chatbot.chatbot_id == chatbot_id), "{listed:?}");
    Ok(chatbot_id)
}

/// Asks the chatbot in three ways, and looks at what it answers from.
pub async fn answer(bakery: &Bakery) -> Outcome {
    let (client, chatbot_id) = (&bakery.client, bakery.chatbot_id);
    let messages = client.messages();
    let answer: Answer =
        messages.send(chatbot_id, NewMessage::new("What does delivery cost?")).await?.into_inner();
    assert!(answer.response.contains("4.90"), "{answer:?}");
    assert_eq!((&answer.mode, answer.usage.credits_used), (&AnswerMode::Ai, 1));
    assert_eq!(answer.sources[0].url, bakery.surroundings.page("delivery"));

    // The next question of the same conversation, answered sentence by sentence.
    let next = NewMessage::new("When is the shop open on weekdays?").conversation_id(answer.conversation_id);
    let mut events = messages.send_stream(chatbot_id, next).await?.into_inner();
    let (mut text, mut completed) = (String::new(), None);
    while let Some(event) = events.next().await {
        match event?.data {
            AnswerEvent::AnswerTextEvent(part) => text.push_str(&part.text),
            AnswerEvent::AnswerCompletedEvent(whole) => completed = Some(whole.answer),
            other => return Err(format!("{other:?}").into()),
        }
    }
    let completed = completed.ok_or("the stream ended without the whole answer")?;
    assert!(text.contains("7 am to 6 pm"), "{text}");
    assert_eq!((&completed.response, completed.conversation_id), (&text, answer.conversation_id));

    // A draft for an e-mail needs no key, only the chatbot's id.
    let thread = [ThreadMessage::new("jo@customer.example", "Hello, what does delivery cost?")];
    let draft = messages.draft_reply(chatbot_id, NewReply::new("Delivery", thread.clone()));
    let draft = draft.without_credentials().await?;
    assert!(draft.reply.contains("4.90"), "{draft:?}");
    // It can be switched off.
    let switch =
        async |on| client.chatbots().update(chatbot_id, ChatbotUpdate::new().email_replies_enabled(on)).await;
    switch(false).await?;
    let refused = messages.draft_reply(chatbot_id, NewReply::new("Delivery", thread)).await;
    let refused = refused.expect_err("drafts are switched off").into_declared()?;
    assert!(matches!(refused, DraftReplyError::NotFound(_)), "{refused:?}");
    switch(true).await?;

    let request = RetrievalRequest::new("What does delivery cost?").limit(2);
    let found = client.passages().retrieve(chatbot_id, request).await?;
    assert!(found.is_supported && found.passages.len() <= 2, "{found:?}");
    assert_eq!(found.passages[0].r#type, SourceType::Webpage);
    assert!(found.passages[0].text.contains("4.90 pounds"), "{found:?}");
    let decision = found.decision.as_ref().expect("the decision is explained");
    assert!(decision.quote.contains("4.90 pounds") && decision.unknown_words.is_empty(), "{found:?}");
    assert!(found.passages[0].score_by_words.is_some(), "{found:?}");
    Ok(())
}

/// Deletes the chatbot with all that it has learned.
pub async fn delete(bakery: &Bakery) -> Outcome {
    let chatbots = bakery.client.chatbots();
    chatbots.delete(bakery.chatbot_id).await?;
    let gone = chatbots.get(bakery.chatbot_id).await.expect_err("it was deleted");
    assert!(matches!(gone.declared(), Some(GetChatbotError::NotFound(_))), "{gone:?}");
    assert!(chatbots.list().await?.chatbots.iter().all(|left| left.chatbot_id != bakery.chatbot_id));
    Ok(())
}
