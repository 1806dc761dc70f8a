//! Search by meaning with a model behind an OpenAI-compatible endpoint.
//!
//! The endpoint of these tests gives the vectors of the bundled model, moved so that its cosines lie
//! elsewhere, as those of other models do.

use std::{
    collections::BTreeSet,
    net::SocketAddr,
    sync::{
        Arc, LazyLock, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use axum::{Json, Router, extract::State, http::HeaderMap, http::StatusCode, routing::post};
use frontdesk_client::{
    Client,
    model::{AnswerMode, NewMessage, NewTextSnippet, RetrievalRequest},
};
use frontdesk_embedding::{Model, Vector};
use frontdesk_service::config::SearchModel;
use frontdesk_store::{Plan, Redacted};
use frontdesk_testkit::stand_in;
use jiff::SignedDuration;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    database::Database,
    installation::{Installation, learned},
    on_both_databases,
    patience::until,
    site::{Page, Site},
};

on_both_databases!(
    the_model_of_an_endpoint_finds_by_meaning,
    an_endpoint_that_fails_leaves_search_by_words,
    a_large_chatbot_shows_how_far_its_vectors_are,
);

const KEY: &str = "sk-test-key";

/// What the endpoint saw and how it behaves.
#[derive(Default)]
struct Endpoint {
    fails: AtomicBool,
    /// Whether vectors are made without a model: they say nothing, and take no time.
    is_quick: AtomicBool,
    requests: Mutex<Vec<Value>>,
    keys: Mutex<Vec<String>>,
}

async fn embeddings(
    State(endpoint): State<Arc<Endpoint>>,
    headers: HeaderMap,
    Json(request): Json<Value>,
) -> Result<Json<Value>, StatusCode> {
    let key = headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or_default();
    endpoint.keys.lock().unwrap().push(key.to_owned());
    endpoint.requests.lock().unwrap().push(request.clone());
    if endpoint.fails.load(Ordering::SeqCst) {
        return Err(StatusCode::INTERNAL_SERVER_ERROR);
    }
    let texts: Vec<String> = serde_json::from_value(request["input"].clone()).unwrap();
    let vector = if endpoint.is_quick.load(Ordering::SeqCst) { quick_vector } else { vector };
    let made = tokio::task::spawn_blocking(move || texts.iter().map(|text| vector(text)).collect::<Vec<_>>());
    let data = made.await.unwrap().into_iter().enumerate();
    // Endpoints may answer in any order.
    let data: Vec<Value> =
        data.rev().map(|(index, vector)| json!({ "index": index, "embedding": vector })).collect();
    Ok(Json(json!({ "object": "list", "model": request["model"], "data": data })))
}

/// The vector of a text in another band: most of what all texts have in common is taken away.
fn vector(text: &str) -> Vec<f32> {
    static COMMON: LazyLock<Vec<f32>> = LazyLock::new(|| {
        let texts =
            ["query: opening hours", "passage: The price is 5 euros.", "passage: Parcels take two days."];
        let vectors = texts.map(raw);
        (0..vectors[0].len())
            .map(|place| vectors.iter().map(|vector| vector[place]).sum::<f32>() / 3.0)
            .collect()
    });
    let moved = raw(text).iter().zip(&*COMMON).map(|(value, common)| value - 0.8 * common).collect();
    Vector::new(moved).unwrap().as_slice().to_vec()
}

fn quick_vector(text: &str) -> Vec<f32> {
    (1..5).map(|divisor: u8| text.bytes().map(|byte| f32::from(byte % (divisor + 1))).sum()).collect()
}

/// The vector of a text that begins with its prefix.
fn raw(text: &str) -> Vec<f32> {
    let model = Model::bundled().unwrap();
    let vector = match (text.strip_prefix("query: "), text.strip_prefix("passage: ")) {
        (Some(question), _) => model.embed_query(question, Some("de")).unwrap(),
        (_, Some(passage)) => model.embed_passages(&[passage]).unwrap().remove(0),
        _ => panic!("a text has no prefix: {text}"),
    };
    vector.as_slice().to_vec()
}

async fn endpoint() -> (Arc<Endpoint>, SocketAddr) {
    let endpoint = Arc::new(Endpoint::default());
    let app = Router::new().route("/v1/embeddings", post(embeddings)).with_state(Arc::clone(&endpoint));
    (endpoint, stand_in::serve(app).await)
}

async fn installation(database: Database, address: SocketAddr) -> Installation {
    Installation::start_with(database, |config| {
        config.search.model = SearchModel::Endpoint(format!("http://{address}/v1").parse().unwrap());
        config.search.endpoint_model = Some("small".to_owned());
        config.search.api_key = Some(Redacted::new(KEY.to_owned()));
        config.search.allow_networks = vec!["127.0.0.1/32".parse().unwrap()];
        config.search.query_prefix = "query: ".into();
        config.search.passage_prefix = "passage: ".into();
    })
    .await
}

async fn site() -> Site {
    let page = |text: &str| Page::html("Acme Hotel", &format!("<p>{text}</p>"));
    Site::of([
        (
            "/",
            page(
                "Acme is a small hotel by the lake. <a href='/pets'>Pets</a> <a href='/parking'>Parking</a> \
                 <a href='/breakfast'>Breakfast</a>",
            ),
        ),
        ("/pets", page("Dogs and cats may stay in all rooms on the ground floor for 8 euros a night.")),
        ("/parking", page("Guests leave their cars in the garage behind the station.")),
        ("/breakfast", page("Bread, eggs and fruit are served from 7 to 10 in the morning.")),
    ])
    .await
}

/// The first passage for a question.
async fn first(client: &Client, chatbot_id: Uuid, question: &str) -> Option<String> {
    let request = RetrievalRequest::new(question).limit(1);
    let found = client.passages().retrieve(chatbot_id.into(), request).await.unwrap().into_inner();
    found.passages.into_iter().next().map(|passage| passage.text)
}

/// How long a chatbot waits for its vectors after the crawl.
const LONGEST_WAIT: SignedDuration = SignedDuration::from_secs(10);

/// The time between the end of the crawl of the only chatbot and the end of its training.
async fn waited_for_vectors(client: &Client, chatbot_id: Uuid) -> SignedDuration {
    let events = client.events().list().await.unwrap().into_inner().events;
    let ended = events.iter().find(|event| event.r#type.as_str() == "chatbot.training_completed").unwrap();
    let website = client.websites().list(chatbot_id.into()).await.unwrap().into_inner().websites.remove(0);
    let crawled_at = website.last_crawled_at.unwrap().as_microseconds();
    SignedDuration::from_micros(ended.timestamp.as_microseconds() - crawled_at)
}

async fn the_model_of_an_endpoint_finds_by_meaning(database: Database) {
    let (endpoint, address) = endpoint().await;
    let service = installation(database, address).await;
    let customer = service.database.customer("acme", Plan::Scale).await;
    let client = service.client(&customer);
    let chatbot_id = learned(&client, &site().await).await;
    // A small chatbot is ready with its vectors, unless a busy machine takes longer than it waits.
    let chatbot = client.chatbots().get(chatbot_id.into()).await.unwrap().into_inner();
    let waited = waited_for_vectors(&client, chatbot_id).await;
    assert!(chatbot.search_ready == Some(true) || waited >= LONGEST_WAIT, "{waited:?} {chatbot:?}");
    assert_eq!(chatbot.search_ready, Some(chatbot.search_progress.is_none()));
    // No word of the question is in the passage.
    let question = "Darf ich meinen Hund mitbringen?";
    until("the vectors are made", async || {
        first(&client, chatbot_id, question).await.filter(|text| text.contains("8 euros"))
    })
    .await;
    let question = "May my dog stay in my room?";
    let said =
        client.messages().send(chatbot_id.into(), NewMessage::new(question)).await.unwrap().into_inner();
    assert!(said.response.contains("8 euros") && said.mode == AnswerMode::Ai, "{said:?}");
    // What the content does not say is refused, although all cosines are elsewhere than those of the bundled
    // model.
    let unknown = NewMessage::new("Who was the first person on the moon?");
    let said = client.messages().send(chatbot_id.into(), unknown).await.unwrap().into_inner();
    assert!(said.sources.is_empty(), "{said:?}");
    let requests = endpoint.requests.lock().unwrap().clone();
    assert!(requests.iter().all(|request| request["model"] == "small"), "{requests:?}");
    assert!(endpoint.keys.lock().unwrap().iter().all(|key| *key == format!("Bearer {KEY}")));
    service.stop().await;
}

async fn an_endpoint_that_fails_leaves_search_by_words(database: Database) {
    let (endpoint, address) = endpoint().await;
    endpoint.fails.store(true, Ordering::SeqCst);
    let service = installation(database, address).await;
    let customer = service.database.customer("acme", Plan::Scale).await;
    let client = service.client(&customer);
    // A model that fails does not keep the chatbot from becoming ready.
    let chatbot_id = learned(&client, &site().await).await;
    let chatbot = client.chatbots().get(chatbot_id.into()).await.unwrap().into_inner();
    let progress = chatbot.search_progress.as_ref().unwrap();
    assert!(chatbot.search_ready == Some(false) && progress.passages >= 4, "{chatbot:?}");
    assert_eq!(progress.searched_by_meaning, 0, "{chatbot:?}");
    assert!(waited_for_vectors(&client, chatbot_id).await >= LONGEST_WAIT);
    let question = "Where do guests leave their cars?";
    let said =
        client.messages().send(chatbot_id.into(), NewMessage::new(question)).await.unwrap().into_inner();
    assert!(said.response.contains("garage behind the station"), "{said:?}");
    // After a failure, further questions do not wait for it.
    let asked = |endpoint: &Endpoint| {
        let requests = endpoint.requests.lock().unwrap();
        let is_question =
            |request: &&Value| request["input"].as_array().is_some_and(|texts| texts.len() == 1);
        requests.iter().filter(is_question).count()
    };
    let before = asked(&endpoint);
    for _ in 0..3 {
        client.messages().send(chatbot_id.into(), NewMessage::new(question)).await.unwrap();
    }
    assert_eq!(asked(&endpoint), before);
    // It works again: what is learned from now on gets vectors.
    endpoint.fails.store(false, Ordering::SeqCst);
    let snippet = NewTextSnippet::new("Dogs", "Dogs stay for free.");
    client.text_snippets().create(chatbot_id.into(), snippet).await.unwrap();
    until("the vectors are made", async || {
        service.database.make_due(&["embed_chunks"]).await;
        endpoint
            .requests
            .lock()
            .unwrap()
            .iter()
            .any(|request| request.to_string().contains("stay for free"))
            .then_some(())
    })
    .await;
    until("everything is searched by meaning", async || {
        service.database.make_due(&["embed_chunks"]).await;
        let listed = client.chatbots().list().await.unwrap().into_inner().chatbots.remove(0);
        (listed.search_ready == Some(true) && listed.search_progress.is_none()).then_some(())
    })
    .await;
    service.stop().await;
}

async fn a_large_chatbot_shows_how_far_its_vectors_are(database: Database) {
    let (endpoint, address) = endpoint().await;
    endpoint.fails.store(true, Ordering::SeqCst);
    endpoint.is_quick.store(true, Ordering::SeqCst);
    let service = installation(database, address).await;
    let customer = service.database.customer("acme", Plan::Scale).await;
    let client = service.client(&customer);
    // A passage below each heading, more than are waited for.
    let sections: String = (0..240)
        .map(|number| {
            format!("<h2>Room {number}</h2><p>{}</p>", format!("room{number} has a bath. ").repeat(8))
        })
        .collect();
    let page = Page::html("Acme Hotel", &sections);
    let chatbot_id = learned(&client, &Site::of([("/", page)]).await).await;
    let chatbot = client.chatbots().get(chatbot_id.into()).await.unwrap().into_inner();
    assert_eq!(chatbot.search_ready, Some(false));
    assert!(chatbot.search_progress.unwrap().passages > 200);
    // It did not wait for the model, as a small one does.
    let waited = waited_for_vectors(&client, chatbot_id).await;
    assert!(waited < LONGEST_WAIT, "{waited:?}");
    endpoint.fails.store(false, Ordering::SeqCst);
    let mut seen = BTreeSet::new();
    until("everything is searched by meaning", async || {
        service.database.make_due(&["embed_chunks"]).await;
        let updated = client.chatbots().update(chatbot_id.into(), None).await.unwrap().into_inner();
        seen.extend(updated.search_progress.map(|progress| progress.searched_by_meaning));
        (updated.search_ready == Some(true)).then_some(())
    })
    .await;
    assert!(seen.len() > 2, "the number grows: {seen:?}");
    service.stop().await;
}
