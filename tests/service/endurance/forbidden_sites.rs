//! Addresses that are not public are not contacted, however they are written and wherever they come from.

use std::fmt::Write as _;

use frontdesk_client::model::ChatbotStatus;
use frontdesk_store::Plan;

use crate::{
    database::Database,
    installation::{Installation, chatbot_for, trained},
    site::{Page, Site},
};

#[tokio::test(flavor = "multi_thread")]
async fn addresses_that_are_not_public_are_not_contacted() {
    let service = Installation::start_with(Database::sqlite().await, |config| {
        config.training.workers = 4;
    })
    .await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let inside = Site::at("127.0.0.2", |_| Page::html("Inside", "<p>This is for nobody's eyes.</p>")).await;
    let port = inside.port();
    let doors = Site::answering(move |path| match path {
        "/to-loopback" => Page::redirect(format!("http://127.0.0.2:{port}/")),
        "/to-metadata" => Page::redirect("http://169.254.169.254/latest/meta-data/"),
        "/to-private" => Page::redirect("//10.0.0.1/"),
        "/in-two-steps" => Page::redirect("/to-loopback"),
        "/to-a-file" => Page::redirect("file:///etc/passwd"),
        _ => Page::missing(),
    })
    .await;
    // The crawler goes to the doors, which are on an address that is open to it, and no further.
    let addresses = [
        format!("http://127.0.0.2:{port}/"),
        "http://127.0.0.2/".to_owned(),
        format!("http://[::ffff:127.0.0.2]:{port}/"),
        format!("http://[::ffff:7f00:2]:{port}/"),
        format!("http://0x7f.2:{port}/"),
        format!("http://2130706434:{port}/"),
        "http://[::1]/".to_owned(),
        "http://[::]/".to_owned(),
        "http://0.0.0.0/".to_owned(),
        "http://10.0.0.1/".to_owned(),
        "http://172.16.0.1/".to_owned(),
        "http://192.168.1.1/".to_owned(),
        "http://100.64.0.1/".to_owned(),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "http://[fe80::1]/".to_owned(),
        "http://[fd00::1]/".to_owned(),
        "http://[64:ff9b::7f00:2]/".to_owned(),
        "http://[2002:7f00:2::]/".to_owned(),
        doors.url("/to-loopback"),
        doors.url("/to-metadata"),
        doors.url("/to-private"),
        doors.url("/in-two-steps"),
        doors.url("/to-a-file"),
        "http://no-such-host.invalid/".to_owned(),
    ];
    let mut chatbots = Vec::new();
    for address in &addresses {
        let new = chatbot_for("Helper", std::slice::from_ref(address));
        chatbots.push(client.chatbots().create(new).await.unwrap().chatbot_id);
    }
    let mut told = String::new();
    for (address, chatbot_id) in addresses.iter().zip(chatbots) {
        let chatbot = trained(&client, chatbot_id.uuid()).await;
        assert_eq!(chatbot.status, ChatbotStatus::Failed, "{address}");
        let failure = chatbot.last_error.into_value().unwrap();
        writeln!(told, "{address}\n  {}: {}", failure.code, failure.message).unwrap();
    }
    assert!(inside.reads().is_empty(), "somebody was inside: {:?}", inside.reads());
    let told = told.replace(&doors.origin(), "http://[doors]/").replace(&port.to_string(), "[port]");
    insta::assert_snapshot!("forbidden_sites", told);
    service.stop().await;
}
