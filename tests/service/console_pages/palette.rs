//! The palette: pages, actions and records, found from wherever somebody is, by the keyboard alone.

use serde_json::{Value, json};

use super::{
    MARKUP,
    desk::Desk,
    hands::{CONTROL, DOWN, END, ENTER, ESCAPE, HOME, Hands, UP},
    has_no_barriers,
};
use crate::{
    browser::{Browser, DESKTOP, Tab},
    patience::until,
};

pub(super) const FIELD: &str = "Search for pages, actions and records";

/// What can be chosen: the titles.
pub(super) async fn offered(tab: &Tab) -> Vec<String> {
    let script = "return [...document.querySelectorAll('.palette [role=option] bdi:first-child')].map(title => title.innerText)";
    serde_json::from_value(tab.ask(script, vec![]).await).unwrap()
}

/// The option that the field names as the active one.
async fn marked(tab: &Tab) -> String {
    let script = "
        const field = document.activeElement;
        const option = document.getElementById(field.getAttribute('aria-activedescendant'));
        return field.role === 'combobox' && option?.ariaSelected === 'true' ? option.querySelector('bdi').innerText : '';";
    tab.ask(script, vec![]).await.as_str().unwrap().to_owned()
}

/// Waits until something is offered.
pub(super) async fn offers(tab: &Tab, title: &str) {
    until(&format!("{title:?} is offered"), async || {
        offered(tab).await.iter().any(|one| one == title).then_some(())
    })
    .await;
}

pub(super) async fn open(tab: &Tab) {
    tab.press_with(CONTROL, "k").await;
    Hands(tab).has_focus(FIELD).await;
}

pub(super) async fn close(tab: &Tab) {
    tab.press(ESCAPE).await;
    let closed = "return document.querySelector('dialog[open]') === null";
    until("the palette is closed", async || (tab.ask(closed, vec![]).await == json!(true)).then_some(()))
        .await;
}

/// A contact, a deal and a thread.
pub(super) async fn fill(hands: &Hands<'_>) -> String {
    let contact = json!({ "name": MARKUP, "email": "lily@customer.example", "phone": "+44 20 7946 0018" });
    let contact = hands.call("POST", "/contacts", contact).await;
    hands.call("POST", "/deals", json!({ "title": "Lilies for a wedding" })).await;
    let channel = json!({ "kind": "api", "name": "Shop" });
    let channel = hands.call("POST", "/inbox/channels", channel).await;
    let message = json!({
        "thread_key": "1", "message_key": "1", "subject": "A question", "body": "Do you have lilies?",
        "contact": { "email": "lily@customer.example" },
    });
    let path = format!("/inbox/channels/{}/messages", channel["channel_id"].as_str().unwrap());
    hands.call("POST", &path, message).await;
    contact["contact_id"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn everything_is_found_at_once() {
    let Some(browser) = Browser::start("everything_is_found_at_once") else { return };
    let desk = Desk::set_up().await;
    let tab = browser.tab(DESKTOP).await;
    let hands = Hands(&tab);
    desk.sign_in(&tab, "/usage").await;
    hands.sees("AI credits").await;
    let contact = fill(&hands).await;

    // Pages and actions are there at once, also where somebody writes.
    open(&tab).await;
    assert_eq!(marked(&tab).await, "New contact");
    tab.picture("console-palette").await;
    has_no_barriers(&tab).await;
    tab.press(END).await;
    assert_eq!(marked(&tab).await, "Profile");
    tab.press(DOWN).await;
    assert_eq!(marked(&tab).await, "New contact");
    tab.press(UP).await;
    tab.press(HOME).await;
    tab.press(DOWN).await;
    assert_eq!(marked(&tab).await, "New thread");
    tab.press("mailbo").await;
    until("the page is marked", async || (marked(&tab).await == "Channels").then_some(())).await;
    tab.press(ENTER).await;
    until("the page is open", async || (tab.address().await == desk.page("/channels")).then_some(())).await;
    hands.has_focus("Channels").await;

    // Records: what was typed last is searched for, and nothing of what was typed before.
    drop(tab.requests().await);
    open(&tab).await;
    tab.press("lilie").await;
    for title in ["Lilies for a wedding", "A question"] {
        offers(&tab, title).await;
    }
    tab.picture("console-palette-found").await;
    has_no_barriers(&tab).await;
    let searches: Vec<String> =
        tab.requests().await.into_iter().filter(|address| address.contains("q=")).collect();
    assert!(searches.iter().all(|address| address.contains("q=lilie")), "{searches:?}");
    let of_deals = searches.iter().filter(|address| address.contains("/deals?")).count();
    assert_eq!(of_deals, 1, "{searches:?}");
    // Which list was there first decides what is marked, until somebody moves the mark.
    tab.press(HOME).await;
    tab.press(ENTER).await;
    until("the deal is open", async || tab.title().await.contains("Lilies").then_some(())).await;

    // A contact by name, address and number. What others have written is text.
    for text in ["onerror", "lily@cust", "020 7946"] {
        open(&tab).await;
        tab.press(text).await;
        offers(&tab, MARKUP).await;
        close(&tab).await;
    }
    open(&tab).await;
    tab.press("lily@cust").await;
    offers(&tab, MARKUP).await;
    until("the contact is marked", async || (marked(&tab).await == MARKUP).then_some(())).await;
    assert_ne!(tab.title().await, "run");

    // Another tab gets what is chosen with the control key.
    tab.ask("window.open = (...given) => { window.opened = given; }", vec![]).await;
    tab.press_with(CONTROL, ENTER).await;
    let address = format!("/console/contacts/{contact}");
    until("another tab is opened", async || {
        (tab.ask("return window.opened ?? null", vec![]).await == json!([address, "_blank", "noopener"]))
            .then_some(())
    })
    .await;
    assert!(tab.title().await.contains("Lilies"), "this one stays where it is");

    // What was opened last comes first. Only paths are kept, and what is gone is forgotten.
    tab.open(&desk.page(&format!("/contacts/{contact}"))).await;
    hands.sees("lily@customer.example").await;
    tab.open(&desk.page("/usage")).await;
    hands.sees("AI credits").await;
    open(&tab).await;
    until("the contact is there", async || (marked(&tab).await == MARKUP).then_some(())).await;
    has_no_barriers(&tab).await;
    let kept =
        "return Object.entries(localStorage).find(([name]) => name.startsWith('frontdesk.recent.'))[1]";
    let kept = tab.ask(kept, vec![]).await.as_str().unwrap().to_owned();
    assert!(kept.starts_with(&format!("contacts/{contact} deals/")), "{kept}");
    close(&tab).await;
    hands.call("DELETE", &format!("/contacts/{contact}?mode=erase"), Value::Null).await;
    open(&tab).await;
    until("the deal is the first", async || (marked(&tab).await == "Lilies for a wedding").then_some(()))
        .await;
    close(&tab).await;

    // An action is done by the button of its page.
    open(&tab).await;
    tab.press("new deal").await;
    until("the action is marked", async || (marked(&tab).await == "New deal").then_some(())).await;
    tab.press(ENTER).await;
    hands.sees_dialog().await;
    assert_eq!(tab.address().await, desk.page("/board"));
    hands.fill("Title", "Roses").await;
    hands.press_in_dialog("Add the deal").await;
    hands.sees("was added.").await;
    desk.is_clean(tab, &["/session - ", "/contacts/"]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn content_is_found_too() {
    let Some(browser) = Browser::start("content_is_found_too") else { return };
    let desk = Desk::set_up().await;
    let site = crate::site::bakery().await;
    let tab = browser.tab(DESKTOP).await;
    let hands = Hands(&tab);
    desk.sign_in(&tab, "/usage").await;
    let chatbot =
        json!({ "name": "Baker", "business_name": "Blue Door Bakery", "training_urls": [site.url("/")] });
    let chatbot = hands.call("POST", "/chatbots", chatbot).await;
    let path = format!("/chatbots/{}", chatbot["chatbot_id"].as_str().unwrap());
    until("the chatbot is ready", async || {
        (hands.call("GET", &path, Value::Null).await["status"] == "ready").then_some(())
    })
    .await;
    hands.call("POST", &format!("{path}/messages"), json!({ "message": "What does delivery cost?" })).await;
    let faq = hands.call("POST", "/faqs", json!({ "name": "Parcels" })).await;
    let items = format!("/faqs/{}/items", faq["faq_id"].as_str().unwrap());
    for question in ["Is delivery free?", "Do you bake at night?"] {
        hands.call("POST", &items, json!({ "question": question, "answer": MARKUP })).await;
    }

    for (text, title) in [("baker", "Baker"), ("baker que", "Baker: Questions"), ("parcels", "Parcels")] {
        open(&tab).await;
        tab.press(text).await;
        offers(&tab, title).await;
        close(&tab).await;
    }
    // A word of a conversation, of an item and of a page.
    open(&tab).await;
    tab.press("delivery").await;
    hands.sees("Visitor ·").await;
    offers(&tab, "Is delivery free?").await;
    hands.sees(&site.url("/delivery")).await;
    tab.picture("console-palette-content").await;
    has_no_barriers(&tab).await;
    close(&tab).await;

    // The way leads to the item itself.
    open(&tab).await;
    tab.press("is delivery free").await;
    offers(&tab, "Is delivery free?").await;
    // An answer of the chatbot may have the same words, and comes first.
    tab.press(END).await;
    assert_eq!(marked(&tab).await, "Is delivery free?");
    tab.press(ENTER).await;
    hands.sees("1 of 2").await;
    // And to the page among all of the website.
    open(&tab).await;
    tab.press("/delivery").await;
    hands.sees(&site.url("/delivery")).await;
    tab.press(END).await;
    tab.press(ENTER).await;
    hands.sees("Show its text").await;
    let shown = "return document.querySelectorAll('.source-list > li').length";
    until("one page is shown", async || (tab.ask(shown, vec![]).await == json!(1)).then_some(())).await;
    desk.is_clean(tab, &["/session - "]).await;
}
