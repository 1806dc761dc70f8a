//! Websites that ask for long pauses between requests: they delay their own chatbot and nobody else's.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use frontdesk_client::{Client, model::ChatbotStatus};
use frontdesk_store::Plan;
use uuid::Uuid;

use crate::{
    database::Database,
    installation::{Installation, chatbot_for, trained},
    on_both_databases,
    patience::until,
    site::{Page, Site},
};

on_both_databases!(others_train_while_slow_hosts_are_waited_for);

/// A fifth of the ten seconds that a crawl honors at most.
const CRAWL_DELAY: Duration = Duration::from_secs(2);
const SLOW_PAGES: usize = 4;
const OTHERS: usize = 20;

/// A site that asks for pauses, and the moments of the requests to it.
async fn slow_site(host: &str) -> (Site, Arc<Mutex<Vec<Instant>>>) {
    let requests = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&requests);
    let site = Site::at(host, move |path| {
        seen.lock().unwrap().push(Instant::now());
        let number = match path {
            "/robots.txt" => {
                let rules = format!("User-agent: *\nCrawl-delay: {}\n", CRAWL_DELAY.as_secs());
                return Page::bytes("text/plain", rules);
            }
            "/" => 0,
            _ => match path.strip_prefix("/page/").and_then(|number| number.parse::<usize>().ok()) {
                Some(number) if number < SLOW_PAGES => number,
                _ => return Page::missing(),
            },
        };
        let links: String =
            (1..SLOW_PAGES).map(|next| format!("<a href=\"/page/{next}\">{next}</a> ")).collect();
        let text =
            format!("<p>Article {number} has the order code S{number}X and weighs {number} grams.</p>");
        Page::html(&format!("Article {number}"), &format!("{text}<p>{links}</p>"))
    })
    .await;
    (site, requests)
}

/// Trains chatbots on a quick site, and returns how long all of them took together.
async fn train_others(client: &Client, site: &Site) -> Duration {
    let began = Instant::now();
    let mut chatbots: Vec<Uuid> = Vec::new();
    for number in 0..OTHERS {
        let new = chatbot_for(&format!("Other {number}"), &[site.origin()]);
        chatbots.push(client.chatbots().create(new).await.unwrap().chatbot_id.uuid());
    }
    for chatbot_id in chatbots {
        assert_eq!(trained(client, chatbot_id).await.status, ChatbotStatus::Ready);
    }
    began.elapsed()
}

async fn others_train_while_slow_hosts_are_waited_for(database: Database) {
    let patient = database.customer("patient", Plan::Growth).await;
    let others = database.customer("others", Plan::Growth).await;
    let quick = Site::of([
        ("/", Page::html("Mill", "<p>Welcome to the mill of the valley.</p><a href=\"/tours\">Tours</a>")),
        ("/tours", Page::html("Tours", "<p>Tours of the mill take two hours.</p>")),
    ])
    .await;
    // As many workers as slow hosts: if pauses were spent in a worker, nobody else would be trained
    // meanwhile.
    let installation = Installation::start_with(database, |config| {
        config.training.workers = 2;
        config.training.allow_networks = vec!["127.0.0.0/8".parse().unwrap()];
    })
    .await;
    let patient = installation.client(&patient);
    let others = installation.client(&others);
    let alone = train_others(&others, &quick).await;

    let slow = [slow_site("127.0.0.2").await, slow_site("127.0.0.3").await];
    let mut waiting = Vec::new();
    for (site, requests) in &slow {
        let created = patient.chatbots().create(chatbot_for("Slow", &[site.origin()])).await.unwrap();
        waiting.push(created.chatbot_id);
        until("the slow site is visited", async || (!requests.lock().unwrap().is_empty()).then_some(()))
            .await;
    }
    let beside = train_others(&others, &quick).await;
    for chatbot_id in &waiting {
        let chatbot = patient.chatbots().get(*chatbot_id).await.unwrap().into_inner();
        assert_eq!(chatbot.status, ChatbotStatus::Training, "alone {alone:?}, beside slow hosts {beside:?}");
    }
    // Twice the time leaves room for a machine that does other things; waiting for a slow host takes far
    // longer.
    assert!(beside < alone * 2 + CRAWL_DELAY, "alone {alone:?}, beside slow hosts {beside:?}");

    for (chatbot_id, (_, requests)) in waiting.into_iter().zip(&slow) {
        let chatbot = trained(&patient, chatbot_id.uuid()).await;
        assert_eq!(chatbot.status, ChatbotStatus::Ready);
        assert_eq!(chatbot.training_sources, i64::try_from(SLOW_PAGES).unwrap());
        // The pauses were kept, whichever worker made the next request. The first request asked for the
        // rules.
        let requests = requests.lock().unwrap().clone();
        for pair in requests[1..].windows(2) {
            let pause = pair[1] - pair[0];
            assert!(pause + Duration::from_millis(100) >= CRAWL_DELAY, "{pause:?} between two requests");
        }
    }
    installation.stop().await;
}
