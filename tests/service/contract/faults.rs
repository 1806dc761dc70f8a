//! Faults of the service: they use no credits, and the service recovers.

use frontdesk_client::model::{ChatbotStatus, NewMessage};
use frontdesk_store::Plan;

use crate::{
    database::Database,
    installation::{Installation, learned, status},
    on_both_databases,
    patience::until,
    site,
};

on_both_databases!(a_fault_costs_nothing_and_passes);

async fn a_fault_costs_nothing_and_passes(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let chatbot_id = learned(&client, &site::bakery().await).await;
    let ask = || client.messages().send(chatbot_id.into(), NewMessage::new("What does delivery cost?"));
    ask().await.unwrap();
    let used = service.database.credits_used(&acme.scope()).await;
    assert_eq!(used, 1);

    service.database.run("ALTER TABLE conversations RENAME TO conversations_away").await;
    assert_eq!(status(&ask().await), 500);
    service.database.run("ALTER TABLE conversations_away RENAME TO conversations").await;
    until("the credit of the failed message is back", async || {
        (service.database.credits_used(&acme.scope()).await == used).then_some(())
    })
    .await;

    ask().await.unwrap();
    assert_eq!(client.chatbots().get(chatbot_id.into()).await.unwrap().status, ChatbotStatus::Ready);
    assert_eq!(service.database.credits_used(&acme.scope()).await, 2);
    service.stop().await;
}
