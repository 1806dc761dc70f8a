//! `SIGTERM`: requests under way are finished, new ones are not taken, training goes back to the queue.

use frontdesk_client::model::ChatbotStatus;
use frontdesk_store::{JobState, Plan};
use tokio::{io::AsyncWriteExt, net::TcpStream};

use crate::{
    database::Database,
    installation::{chatbot_for, client, trained},
    on_both_databases,
    patience::until,
    process::Process,
    site::{Page, Site},
    wire::{Request, answer, json},
};

on_both_databases!(a_signal_lets_requests_finish_and_training_wait);

async fn a_signal_lets_requests_finish_and_training_wait(database: Database) {
    let site = Site::of([
        ("/", Page::html("Home", "<p>Welcome to the mill of the valley.</p><a href=\"/gate\">on</a>")),
        ("/gate", Page::html("Gate", "<p>The gate is open on weekdays.</p>").gated()),
    ])
    .await;
    let customer = database.customer("mill", Plan::Growth).await;
    let mut process = Process::start(&database, &[]);
    let talking = client(process.address, &customer.key.text);
    let created = talking.chatbots().create(chatbot_for("Helper", &[site.origin()])).await.unwrap();
    site.someone_is_at_the_gate().await;

    // The head and half of the body are there when the signal comes.
    let body = r#"{"name":"Late","business_name":"Mill","training_urls":["http://127.0.0.2/"]}"#;
    let request = Request::new("POST", "/api/v1/chatbots").key(&customer.key.text).json(body);
    let mut under_way = TcpStream::connect(process.address).await.unwrap();
    under_way.write_all(&request.head()).await.unwrap();
    let (first, rest) = request.body().split_at(20);
    under_way.write_all(first).await.unwrap();
    // That it has been taken is seen by the next one having been answered.
    talking.chatbots().list().await.unwrap();
    process.terminate();
    let address = process.address;
    until("no new connections are taken", async || TcpStream::connect(address).await.is_err().then_some(()))
        .await;
    assert_eq!(process.ended(), None, "it did not wait for the request under way");
    under_way.write_all(rest).await.unwrap();
    let raw = answer(under_way).await;
    assert_eq!(raw.status, 201, "{raw:?}");
    let late = json(&raw)["chatbot_id"].as_str().unwrap().parse().unwrap();
    let status = until("the process ends", async || process.ended()).await;
    assert!(status.success(), "{status:?}\n{}", process.log().join("\n"));

    // The training is put back, and no attempt is counted for it.
    let counts = database.store.jobs().counts().await.unwrap();
    assert!(counts.iter().all(|count| count.state != JobState::Running), "{counts:?}");
    site.open_the_gate();
    let process = Process::start(&database, &[]);
    let talking = client(process.address, &customer.key.text);
    assert_eq!(trained(&talking, created.chatbot_id.uuid()).await.status, ChatbotStatus::Ready);
    assert_eq!(trained(&talking, late).await.status, ChatbotStatus::Failed);
}
