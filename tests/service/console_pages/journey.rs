//! From an empty installation to a visitor whom a person answers, with nothing but what the pages say.

use serde_json::json;

use super::{
    desk::{Desk, PASSWORD},
    hands::{ENTER, Hands},
};
use crate::{
    browser::{Browser, DESKTOP},
    patience::until,
    site::{Page, Site, bakery},
    widget,
};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn from_set_up_to_an_answered_visitor() {
    let Some(browser) = Browser::start("from_set_up_to_an_answered_visitor") else { return };
    let desk = Desk::start().await;
    let site = bakery().await;
    let tab = browser.tab(DESKTOP).await;
    let hands = Hands(&tab);
    tab.open(desk.set_up_link()).await;
    hands.sees("Set up Frontdesk").await;
    hands.fill("Your name", "Imogen Hart").await;
    hands.fill("Name of your business", "Blue Door Bakery").await;
    hands.fill("Email address", "imogen@bakery.example").await;
    hands.fill("Password", PASSWORD).await;
    tab.press(ENTER).await;
    hands.sees("Hello, Imogen Hart").await;

    hands.press("Chatbots").await;
    hands.press("New chatbot").await;
    hands.fill("Address of your website", &site.url("/")).await;
    hands.fill("Name of your business", "Blue Door Bakery").await;
    tab.press(ENTER).await;
    hands.sees("The chatbot has learned your content").await;
    hands.press("Put it on your website").await;
    hands.sees("Paste this line").await;
    let line = tab.ask("return document.querySelector('.copy .code').innerText", vec![]).await;

    // The line is on a page of another website, and a visitor comes.
    let shop = Site::of([("/", Page::html("Blue Door Bakery", line.as_str().unwrap()))]).await;
    let visitor = browser.tab(DESKTOP).await;
    visitor.open(&shop.url("/")).await;
    widget::open(&visitor).await;
    visitor.press("What does delivery cost?").await;
    visitor.press(ENTER).await;
    widget::says(&visitor, "4.90 pounds").await;
    widget::answered(&visitor, 1).await;

    // The conversation appears by itself, and so does the wish to speak to a person.
    hands.press("Conversations").await;
    hands.sees("4.90 pounds").await;
    visitor.ask("document.querySelector('footer button').click()", vec![]).await;
    widget::says(&visitor, "We have asked a colleague").await;
    hands.sees("Waiting for a person (1)").await;
    until("the title counts who waits", async || tab.title().await.starts_with("(1) ").then_some(())).await;
    let link = "document.querySelector('.rows a').click()";
    tab.ask(link, vec![]).await;
    hands.press("Take over").await;
    hands.fill("Your reply", "Imogen here. How can I help?").await;
    hands.press("Send").await;
    widget::says(&visitor, "Imogen here. How can I help?").await;
    // The form for contact details has the focus.
    visitor.ask("document.querySelector('textarea').focus()", vec![]).await;
    visitor.press("Can you deliver on Friday?").await;
    visitor.press(ENTER).await;
    hands.sees("Can you deliver on Friday?").await;
    tab.picture("console-journey").await;
    assert_eq!(tab.ask("return document.querySelectorAll('[role=alert]').length", vec![]).await, json!(0));
    visitor.close().await;
    desk.is_clean(tab, &["/session - ", "/setup - "]).await;
}
