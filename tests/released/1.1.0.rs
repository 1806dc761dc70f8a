//! A program that was written against version 1.1.0 and is never changed again. It calls every operation.
//!
//! It is built on the client generated from the released bundle and runs against the current service. Its
//! arguments are the service's address, a key, and a website to learn from. At the end it prints the
//! operations that it has called, one on each line.

use std::{
    collections::BTreeSet,
    env,
    error::Error,
    sync::{Arc, Mutex},
    time::Duration,
};

use frontdesk_runtime::{
    Operation, Uuid,
    client::{BoxFuture, Middleware, Next, Request, Response, SendError},
};
use released_client::{
    Client,
    model::{
        AiResponseLength, Answer, AnswerMode, Chatbot, ChatbotStatus, ChatbotUpdate, GetChatbotError,
        NewChatbot, NewMessage, NewReply, NewTag, NewTextSnippet, TagUpdate, TextSnippetUpdate, ThreadMessage,
    },
};

/// Notes the operations that are called.
#[derive(Clone, Debug, Default)]
struct Called(Arc<Mutex<BTreeSet<&'static str>>>);

impl Middleware for Called {
    fn handle(&self, request: Request, next: Next) -> BoxFuture<Result<Response, SendError>> {
        if let (Some(operation), Ok(mut called)) =
            (request.extensions().get::<&'static Operation>(), self.0.lock())
        {
            called.insert(operation.id);
        }
        next.run(request)
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [address, key, site] = arguments.as_slice() else { return Err("ADDRESS KEY SITE".into()) };
    let called = Called::default();
    let client = Client::builder(address).bearer(key).middleware(called.clone()).build()?;

    let created =
        client.chatbots().create(NewChatbot::new("Helper", "Acme Bakery", [site]).language("en")).await?;
    let chatbot_id = created.chatbot_id;
    let chatbot = trained(&client, chatbot_id).await?;
    assert_eq!(chatbot.status, ChatbotStatus::Ready, "{chatbot:?}");
    let listed = client.chatbots().list().await?;
    assert!(listed.chatbots.iter().any(|listed| listed.chatbot_id == chatbot_id), "{listed:?}");

    let update =
        ChatbotUpdate::new().name("Bread").ai_response_length(AiResponseLength::Short).show_sources(true);
    let updated = client.chatbots().update(chatbot_id, update).await?;
    assert_eq!(updated.name, "Bread");

    let answer: Answer =
        client.messages().send(chatbot_id, NewMessage::new("What does delivery cost?")).await?.into_inner();
    assert!(answer.response.contains("4.90"), "{answer:?}");
    assert_eq!(answer.mode, AnswerMode::Ai);
    let next = NewMessage::new("When is the shop open on weekdays?").conversation_id(answer.conversation_id);
    let next = client.messages().send(chatbot_id, next).await?;
    assert_eq!(next.conversation_id, answer.conversation_id);

    let thread = [ThreadMessage::new("jo@customer.example", "Hello, what does delivery cost?")];
    let reply = client.messages().draft_reply(chatbot_id, NewReply::new("Delivery", thread)).await?;
    assert!(!reply.reply.is_empty(), "{reply:?}");

    training_content(&client, chatbot_id).await?;
    let team = client.team_members().list().limit(1).await?;
    let owner = client.team_members().get(team.team_members[0].team_member_id).await?;
    assert_eq!(owner.email, team.team_members[0].email);

    client.chatbots().delete(chatbot_id).await?;
    let gone = client.chatbots().get(chatbot_id).await.expect_err("it was deleted");
    assert!(matches!(gone.declared(), Some(GetChatbotError::NotFound(_))), "{gone:?}");

    for operation in called.0.lock().map_err(|error| error.to_string())?.iter() {
        println!("{operation}");
    }
    Ok(())
}

/// Tags and text snippets, from their creation to their deletion.
async fn training_content(client: &Client, chatbot_id: Uuid) -> Result<(), Box<dyn Error>> {
    let new = || client.tags().create(chatbot_id, NewTag::new("Visit")).idempotency_key("journey");
    let tag = new().await?.into_inner();
    assert_eq!(new().await?.tag_id, tag.tag_id, "the same request again");
    let renamed = client.tags().update(chatbot_id, tag.tag_id, TagUpdate::new().name("Visits")).await?;
    assert_eq!(renamed.name, "Visits");

    let new = NewTextSnippet::new("Parking", "You can park free of charge behind the shop.").tag_ids([tag.tag_id]);
    let snippet = client.text_snippets().create(chatbot_id, new).await?.into_inner();
    let id = snippet.text_snippet_id;
    let question = NewMessage::new("Where can I park?").source_tags(["Visits".to_owned()]);
    let answer = client.messages().send(chatbot_id, question).await?;
    assert!(answer.response.contains("behind the shop"), "{answer:?}");
    let off = TextSnippetUpdate::new().enabled(false);
    assert!(!client.text_snippets().update(chatbot_id, id, off).await?.enabled);
    assert_eq!(client.text_snippets().get(chatbot_id, id).await?.tag_ids, [tag.tag_id]);
    let listed = client.text_snippets().list(chatbot_id).tag_id(tag.tag_id).await?;
    assert_eq!(listed.text_snippets.len(), 1);
    client.text_snippets().delete(chatbot_id, id).await?;

    assert_eq!(client.tags().get(chatbot_id, tag.tag_id).await?.usage_count, 0);
    assert_eq!(client.tags().list(chatbot_id).await?.tags.len(), 1);
    client.tags().delete(chatbot_id, tag.tag_id).await?;
    Ok(())
}

/// The chatbot once it has learned; two minutes are more than enough.
async fn trained(client: &Client, chatbot_id: Uuid) -> Result<Chatbot, Box<dyn Error>> {
    for _ in 0..1200 {
        let chatbot = client.chatbots().get(chatbot_id).await?.into_inner();
        if chatbot.status != ChatbotStatus::Training {
            return Ok(chatbot);
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Err("the training does not end".into())
}
