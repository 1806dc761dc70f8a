//! The last credits, wanted by many at once.

use frontdesk_client::model::{NewMessage, SendMessageError};
use frontdesk_store::{NewAccount, Plan};

use crate::{
    database::{Database, account},
    installation::{Installation, learned},
    on_both_databases, site,
};

on_both_databases!(the_last_credits_are_spent_exactly_once);

const CREDITS: usize = 10;
const MESSAGES: usize = 100;

async fn the_last_credits_are_spent_exactly_once(database: Database) {
    let service = Installation::start(database).await;
    let new = NewAccount { monthly_credits: Some(CREDITS as u64), ..account("acme", Plan::Growth) };
    let customer = service.database.customer_of(new).await;
    let client = service.client(&customer);
    let chatbot_id = learned(&client, &site::bakery().await).await;
    let calls: Vec<_> = (0..MESSAGES)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move {
                client.messages().send(chatbot_id.into(), NewMessage::new("What does delivery cost?")).await
            })
        })
        .collect();
    let mut remaining = Vec::new();
    let mut refused = 0;
    for call in calls {
        match call.await.unwrap() {
            Ok(answer) => {
                assert!(answer.response.contains("4.90 pounds"), "{answer:?}");
                assert_eq!(answer.usage.credits_used, 1);
                remaining.push(answer.usage.monthly_remaining);
            }
            Err(error) => {
                let declared = error.declared();
                assert!(matches!(declared, Some(SendMessageError::PaymentRequired(_))), "{error:?}");
                refused += 1;
            }
        }
    }
    assert_eq!((remaining.len(), refused), (CREDITS, MESSAGES - CREDITS));
    assert!(
        remaining.iter().all(|left| (0..i64::try_from(CREDITS).unwrap()).contains(left)),
        "{remaining:?}"
    );
    assert_eq!(service.database.credits_used(&customer.scope()).await, CREDITS as u64);
    service.stop().await;
}
