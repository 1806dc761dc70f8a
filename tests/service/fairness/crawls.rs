//! A customer whose websites hang or never end, beside one with a small website.

use std::time::Duration;

use frontdesk_client::{Client, model::ChatbotStatus};
use frontdesk_store::Plan;
use uuid::Uuid;

use crate::{
    database::Database,
    installation::{Installation, chatbot_for, learned},
    on_both_databases,
    site::{self, Page, Site},
};

on_both_databases!(websites_that_hang_leave_workers_for_others, a_long_crawl_gives_its_worker_back);

async fn status(client: &Client, chatbot_id: Uuid) -> ChatbotStatus {
    client.chatbots().get(chatbot_id.into()).await.unwrap().status.clone()
}

async fn websites_that_hang_leave_workers_for_others(database: Database) {
    let service = Installation::start(database).await;
    let heavy = service.client(&service.database.customer("heavy", Plan::Growth).await);
    let small = service.client(&service.database.customer("small", Plan::Growth).await);
    let mut sites = Vec::new();
    let mut hanging = Vec::new();
    for number in 0..6 {
        let site = Site::of([("/", Page::html("Hangs", "It never arrives.").gated())]).await;
        let new = chatbot_for(&format!("Helper {number}"), &[site.origin()]);
        hanging.push(heavy.chatbots().create(new).await.unwrap().chatbot_id);
        sites.push(site);
    }
    sites[0].someone_is_at_the_gate().await;
    learned(&small, &site::bakery().await).await;
    for chatbot_id in hanging {
        assert_eq!(status(&heavy, chatbot_id.uuid()).await, ChatbotStatus::Training, "it was waited for");
    }
    sites.iter().for_each(Site::open_the_gate);
    service.stop().await;
}

async fn a_long_crawl_gives_its_worker_back(database: Database) {
    let service = Installation::start_with(database, |config| config.training.workers = 1).await;
    let heavy = service.client(&service.database.customer("heavy", Plan::Growth).await);
    let small = service.client(&service.database.customer("small", Plan::Growth).await);
    // A minute of pages, each of which is late.
    let endless = Site::answering(|path| {
        let links: String = (1..=150).map(|number| format!("<a href=\"/{number}\">{number}</a> ")).collect();
        let text = match path.trim_start_matches('/') {
            "" => format!("<p>Welcome to the shop of many things in the valley.</p>{links}"),
            number if number.parse::<u64>().is_ok() => {
                format!("<p>Article {number} of the shop costs {number} EUR and weighs {number} pounds.</p>")
            }
            _ => return Page::missing(),
        };
        Page::html(&format!("Shop {path}"), &text).late(Duration::from_millis(400))
    })
    .await;
    let long = heavy.chatbots().create(chatbot_for("Long", &[endless.origin()])).await.unwrap().chatbot_id;
    crate::patience::until("the long crawl has the worker", async || {
        (!endless.reads().is_empty()).then_some(())
    })
    .await;
    learned(&small, &site::bakery().await).await;
    assert_eq!(status(&heavy, long.uuid()).await, ChatbotStatus::Training, "the crawl was waited for");
    // It goes on afterwards.
    let read = endless.reads().len();
    crate::patience::until("the crawl goes on", async || (endless.reads().len() > read).then_some(())).await;
    service.stop().await;
}
