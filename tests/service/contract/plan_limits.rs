//! Limits of plans: what is refused with `plan_limit_reached`, what is stored all the same, and what `/usage`
//! shows.

use frontdesk_client::{
    Error,
    model::{ContactInfo, NewChatbot, NewContact, NewMessage, NewWebpage, NewWebpages, NewWebsite},
};
use frontdesk_store::{Plan, ResourceLimits};

use crate::{
    database::Database,
    installation::{Installation, learned},
    on_both_databases,
    site::{Page, Site},
};

on_both_databases!(plans_limit_what_is_created);

const REACHED: &str = "plan_limit_reached";

/// The code of a refusal.
fn code<T: std::fmt::Debug, E: std::fmt::Debug>(refused: Result<T, Error<E>>) -> String {
    let refused = refused.unwrap_err();
    let body: serde_json::Value = serde_json::from_slice(&refused.raw().unwrap().body).unwrap();
    assert_eq!(refused.status().unwrap().as_u16(), 409, "{body}");
    body["error"].as_str().unwrap().to_owned()
}

async fn plans_limit_what_is_created(database: Database) {
    let growth = ResourceLimits {
        chatbots: Some(1),
        webpages: Some(3),
        contacts: Some(2),
        ..ResourceLimits::default()
    };
    let service = Installation::start_with(database, |config| config.plans.growth = growth).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let site = Site::of([("/", Page::html("Shop", "<p>We deliver tulips on every day of the week.</p>"))]);
    let site = site.await;
    let bot = learned(&client, &site).await;
    let another = NewChatbot::new("Other", "Other", [site.origin()]);
    assert_eq!(code(client.chatbots().create(another).await), REACHED);

    let page = |number: u32| {
        let html = format!("<p>Number {number} is a page with some text.</p>");
        NewWebpage::new(format!("https://acme.example/{number}")).title("Page").html(html)
    };
    client.webpages().create(bot.into(), page(1)).await.unwrap();
    client.webpages().create(bot.into(), page(2)).await.unwrap();
    assert_eq!(code(client.webpages().create(bot.into(), page(3)).await), REACHED);
    client.webpages().create(bot.into(), page(2)).await.expect("a page that is there can be replaced");
    let list = NewWebpages::new([format!("{}/more", site.origin())]);
    let bulk = client.webpages().create_webpages(bot.into(), list).await.unwrap().into_inner();
    assert_eq!((bulk.webpages.len(), bulk.rejected.len()), (0, 1));
    assert!(bulk.rejected[0].message.contains("includes 3 webpages"), "{:?}", bulk.rejected);
    let website = NewWebsite::new("https://acme.example/");
    assert_eq!(code(client.websites().create(bot.into(), website).await), REACHED);

    client.contacts().create(NewContact::new().email("a@customer.example")).await.unwrap();
    client.contacts().create(NewContact::new().email("b@customer.example")).await.unwrap();
    assert_eq!(code(client.contacts().create(NewContact::new().email("c@customer.example")).await), REACHED);
    let csv = "email,name\na@customer.example,Ann\nd@customer.example,Dora\n";
    let report = client.contacts().import(csv).await.unwrap().into_inner();
    assert_eq!((report.created, report.updated, report.rejected), (0, 1, 1));
    let lead = ContactInfo::new().email("visitor@customer.example");
    client.messages().send(bot.into(), NewMessage::new("Do you deliver?").contact(lead)).await.unwrap();

    let usage = client.usage().get().await.unwrap().into_inner();
    assert_eq!((usage.chatbots.used, usage.chatbots.limit), (1, Some(1)));
    assert_eq!((usage.webpages.used, usage.webpages.limit), (3, Some(3)));
    assert_eq!((usage.contacts.used, usage.contacts.limit), (3, Some(2)), "no lead is lost");
    // Another plan has its own limits, and by default none.
    let other = service.database.customer("other", Plan::Business).await;
    let usage = service.client(&other).usage().get().await.unwrap().into_inner();
    assert_eq!((usage.chatbots.used, usage.chatbots.limit), (0, None));
    service.stop().await;
}
