//! A program that is written against version 1.3.0 and is not changed after its release. It calls every
//! operation.
//!
//! It is built on the client generated from the released bundle and runs against the current service. A
//! bakery in Bristol uses the service for what its website promises: answering visitors, knowing its
//! customers, selling cakes. Each module is about one part of that, and can be read by itself. `surroundings`
//! says what the program is given. At the end it prints the operations that it has called, one on each line.

mod account;
mod activities;
mod called;
mod channels;
mod chatbots;
mod contacts;
mod conversations;
mod deals;
mod faqs;
mod surroundings;
mod threads;
mod training;
mod waiting;
mod webhooks;
mod websites;
mod widgets;

use std::error::Error;

use released_client::{Client, model::ChatbotId};

use self::{called::Called, surroundings::Surroundings};

/// What a step of the program returns; the first error ends the program.
type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// The bakery: its client, its chatbot, and what is around it.
struct Bakery {
    client: Client,
    chatbot_id: ChatbotId,
    surroundings: Surroundings,
}

#[tokio::main]
async fn main() -> Outcome {
    let surroundings = Surroundings::read()?;
    let called = Called::default();
    // The client is cheap to clone, retries what may be repeated, and sends the key with each request.
    let client = Client::builder(&surroundings.address)
        .api_key(&*surroundings.key)
        .middleware(called.clone())
        .build()?;

    let chatbot_id = chatbots::create(&client, &surroundings.site).await?;
    let bakery = Bakery { client, chatbot_id, surroundings };
    chatbots::answer(&bakery).await?;
    training::teach(&bakery).await?;
    websites::read(&bakery).await?;
    faqs::write(&bakery).await?;
    conversations::hand_over(&bakery).await?;
    widgets::show(&bakery).await?;
    contacts::know(&bakery).await?;
    deals::sell(&bakery).await?;
    activities::plan(&bakery).await?;
    channels::set_up(&bakery).await?;
    threads::reply(&bakery).await?;
    webhooks::receive(&bakery).await?;
    account::look(&bakery).await?;
    chatbots::delete(&bakery).await?;

    for operation in called.names() {
        println!("{operation}");
    }
    Ok(())
}
