//! Keyless replies over HTTP: who is limited, and replies that are switched off.

use frontdesk_client::{
    Client,
    model::{ChatbotUpdate, EmailReply, NewReply, ThreadMessage},
};
use frontdesk_store::Plan;
use uuid::Uuid;

use crate::{
    database::Database,
    installation::{Installation, anonymous, learned, status},
    on_both_databases, site,
};

on_both_databases!(invalid_bodies_leave_the_limit_of_the_chatbot_alone, switched_off_replies_give_no_hint,);

fn question() -> NewReply {
    NewReply::new("Delivery", [ThreadMessage::new("jo@customer.example", "What does delivery cost?")])
}

/// A body that breaks a rule of the contract: a thread without messages.
fn invalid() -> NewReply {
    NewReply::new("Delivery", [])
}

/// The status and the body of a draft.
async fn draft(client: &Client, chatbot_id: Uuid, body: NewReply) -> (u16, String) {
    let outcome = client.messages().draft_reply(chatbot_id.into(), body).await;
    let text = match &outcome {
        Ok(reply) => serde_json::to_string::<EmailReply>(reply).unwrap(),
        Err(error) => String::from_utf8(error.raw().unwrap().body.to_vec()).unwrap(),
    };
    (status(&outcome), text)
}

async fn invalid_bodies_leave_the_limit_of_the_chatbot_alone(database: Database) {
    let service = Installation::start_with(database, |config| config.limits.replies_per_chatbot = 2).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let chatbot_id = learned(&service.client(&acme), &site::bakery().await).await;
    let nobody = anonymous(service.address());
    for _ in 0..5 {
        assert_eq!(draft(&nobody, chatbot_id, invalid()).await.0, 422);
    }
    for _ in 0..2 {
        assert_eq!(draft(&nobody, chatbot_id, question()).await.0, 200);
    }
    assert_eq!(draft(&nobody, chatbot_id, question()).await.0, 429);
    // The body is judged first, so it is never a way to learn how busy a chatbot is.
    assert_eq!(draft(&nobody, chatbot_id, invalid()).await.0, 422);
    service.stop().await;
}

async fn switched_off_replies_give_no_hint(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let chatbot_id = learned(&client, &site::bakery().await).await;
    let nobody = anonymous(service.address());
    assert_eq!(draft(&nobody, chatbot_id, question()).await.0, 200);

    let off = ChatbotUpdate::new().email_replies_enabled(false);
    client.chatbots().update(chatbot_id.into(), off).await.unwrap();
    for body in [question, invalid] {
        let unknown = draft(&nobody, Uuid::new_v4(), body()).await;
        assert_eq!(unknown.0, 404);
        assert_eq!(draft(&nobody, chatbot_id, body()).await, unknown);
    }

    let on = ChatbotUpdate::new().email_replies_enabled(true);
    client.chatbots().update(chatbot_id.into(), on).await.unwrap();
    assert_eq!(draft(&nobody, chatbot_id, question()).await.0, 200);
    service.stop().await;
}
