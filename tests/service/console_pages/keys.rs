//! Keys of one letter: they go through lists and to pages, press the buttons of a page, and can be switched
//! off.

use serde_json::{Value, json};

use super::{
    MARKUP,
    desk::Desk,
    hands::{CONTROL, ESCAPE, Hands},
    has_no_barriers,
};
use crate::{
    browser::{Browser, DESKTOP, NARROW, Tab},
    patience::until,
    site::bakery,
};

/// A key of WebDriver.
const BACKSPACE: &str = "\u{e003}";

async fn is_at(tab: &Tab, address: &str) {
    until(&format!("the page is {address}"), async || (tab.address().await == address).then_some(())).await;
}

/// Waits until there is a dialog, or none.
async fn has_dialog(tab: &Tab, is_open: bool) {
    let open = "return document.querySelector('dialog[open]') !== null";
    until("the dialog is as it should be", async || {
        (tab.ask(open, vec![]).await == json!(is_open)).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn keys_go_through_lists_and_to_pages() {
    let Some(browser) = Browser::start("keys_go_through_lists_and_to_pages") else { return };
    let desk = Desk::set_up().await;
    let tab = browser.tab(DESKTOP).await;
    let hands = Hands(&tab);
    desk.sign_in(&tab, "/contacts").await;
    for name in ["Bea", "Ann"] {
        let contact = json!({ "name": name, "email": format!("{name}@customer.example") });
        hands.call("POST", "/contacts", contact).await;
    }
    hands.sees("Ann").await;
    hands.sees("Bea").await;

    tab.press("j").await;
    let first = hands.focused().await;
    tab.press("j").await;
    let second = hands.focused().await;
    assert!(
        first != second && ["Ann", "Bea"].iter().all(|name| [&first, &second].iter().any(|it| it == name))
    );
    tab.press("jk").await;
    assert_eq!(hands.focused().await, first, "it stays at the end of the list");

    // A search is a field, in which letters are letters.
    tab.press("/").await;
    hands.has_focus("Search contacts").await;
    tab.press("gi?n").await;
    let written = "return document.querySelector('main [type=search]').value";
    assert_eq!(tab.ask(written, vec![]).await, json!("gi?n"));
    has_dialog(&tab, false).await;
    hands.sees("Nobody matches").await;
    tab.press_with(CONTROL, "a").await;
    tab.press(BACKSPACE).await;
    hands.sees("Ann").await;
    tab.ask("document.activeElement.blur()", vec![]).await;

    // With a modifier, a key is not one of these. Something new has the key of its button.
    tab.press_with(CONTROL, "n").await;
    has_dialog(&tab, false).await;
    tab.press("n").await;
    has_dialog(&tab, true).await;
    tab.ask("document.activeElement.blur()", vec![]).await;
    tab.press("gi").await;
    tab.press(ESCAPE).await;
    has_dialog(&tab, false).await;
    assert!(tab.address().await.contains("/contacts"), "no key acts below a dialog");

    tab.press("?").await;
    has_dialog(&tab, true).await;
    for text in ["New contact", "Search on this page", "Next in the list", "Conversations", "Ctrl K"] {
        hands.sees(text).await;
    }
    tab.picture("console-keys-dialog").await;
    has_no_barriers(&tab).await;
    tab.press(ESCAPE).await;
    has_dialog(&tab, false).await;
    for (keys, page) in
        [("gi", "/inbox"), ("gb", "/board"), ("ga", "/activities"), ("gc", "/contacts"), ("gh", "")]
    {
        tab.press(keys).await;
        is_at(&tab, &desk.page(page)).await;
    }
    // No page has this letter, and the next one is by itself.
    tab.press("gx").await;
    tab.press("i").await;
    assert_eq!(tab.address().await, desk.page(""));

    // Switched off in the profile, they do nothing. The palette does not need them.
    tab.press("gp").await;
    hands.sees("Use single keys").await;
    has_no_barriers(&tab).await;
    tab.ask("document.getElementById('profile-keys').focus()", vec![]).await;
    tab.press(" ").await;
    tab.open(&desk.page("/contacts")).await;
    hands.sees("2 contacts").await;
    for keys in ["j", "n", "?", "gi"] {
        tab.press(keys).await;
    }
    has_dialog(&tab, false).await;
    assert_eq!(tab.address().await, desk.page("/contacts"));
    tab.press_with(CONTROL, "k").await;
    has_dialog(&tab, true).await;
    hands.sees("Show the keys").await;
    tab.press("keyboard").await;
    let found = "return document.querySelector('[role=option][aria-selected=true] bdi')?.innerText";
    until("the keys are found", async || {
        (tab.ask(found, vec![]).await == json!("Show the keys")).then_some(())
    })
    .await;
    tab.press(super::hands::ENTER).await;
    hands.sees("Keys of one letter are switched off.").await;
    has_no_barriers(&tab).await;

    // Somebody else in this browser has them.
    let kept = "return Object.keys(localStorage).filter(name => name.startsWith('frontdesk.keys'))";
    let kept = tab.ask(kept, vec![]).await;
    assert!(kept.as_array().is_some_and(|names| names.len() == 1), "{kept}");
    let person = "return fetch('/console/v1/me').then(response => response.json()).then(me => me.person_id ?? me.person?.person_id)";
    let person = tab.ask(person, vec![]).await;
    assert!(kept[0].as_str().unwrap().ends_with(person.as_str().unwrap()), "{kept} is for {person}");
    desk.is_clean(tab, &["/session - "]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn keys_press_the_buttons_of_a_page() {
    let Some(browser) = Browser::start("keys_press_the_buttons_of_a_page") else { return };
    let desk = Desk::set_up().await;
    let site = bakery().await;
    let tab = browser.tab(DESKTOP).await;
    let hands = Hands(&tab);
    desk.sign_in(&tab, "/activities").await;
    let deal = hands.call("POST", "/deals", json!({ "title": MARKUP })).await;
    let activities = format!("/deals/{}/activities", deal["deal_id"].as_str().unwrap());
    for title in ["Call Ann", "Write to Bea"] {
        hands.call("POST", &activities, json!({ "type": "call", "title": title })).await;
    }
    hands.sees("Call Ann").await;
    hands.sees("Write to Bea").await;

    // Without a row that has the focus, it is not known what is done.
    tab.press("e").await;
    tab.press("j").await;
    let first = hands.focused().await;
    assert!(first.starts_with("Mark as done: "), "{first}");
    tab.press("e").await;
    hands.sees("is done.").await;
    let count = "return document.querySelectorAll('.activity').length";
    until("one is left", async || (tab.ask(count, vec![]).await == json!(1)).then_some(())).await;
    hands.press("Undo").await;
    until("it is back", async || (tab.ask(count, vec![]).await == json!(2)).then_some(())).await;

    // Questions are answered and dismissed; what needs a proof asks for it as the button does.
    let chatbot =
        json!({ "name": "Baker", "business_name": "Blue Door Bakery", "training_urls": [site.url("/")] });
    let chatbot = hands.call("POST", "/chatbots", chatbot).await;
    let chatbot = chatbot["chatbot_id"].as_str().unwrap().to_owned();
    until("the chatbot is ready", async || {
        (hands.call("GET", &format!("/chatbots/{chatbot}"), Value::Null).await["status"] == "ready")
            .then_some(())
    })
    .await;
    for message in ["Do you sell tarantulas?", MARKUP] {
        hands.call("POST", &format!("/chatbots/{chatbot}/messages"), json!({ "message": message })).await;
    }
    tab.open(&desk.page(&format!("/chatbots/{chatbot}/questions"))).await;
    hands.sees("Do you sell tarantulas?").await;
    hands.sees(MARKUP).await;
    tab.press("jj").await;
    let second = hands.focused().await;
    assert!(second.starts_with("Answer it: "), "{second}");
    tab.press("r").await;
    hands.sees_dialog().await;
    tab.press(ESCAPE).await;
    has_dialog(&tab, false).await;
    hands.has_focus(&second).await;
    tab.press("e").await;
    hands.sees_dialog().await;
    has_no_barriers(&tab).await;
    hands.press_in_dialog("Dismiss").await;
    let count = "return document.querySelectorAll('.source-list > li').length";
    until("one is left", async || (tab.ask(count, vec![]).await == json!(1)).then_some(())).await;
    tab.press("j").await;
    hands.has_focus("Answer it: ").await;

    // A collaborator has no such buttons, so the keys do nothing.
    desk.demote().await;
    tab.open(&desk.page(&format!("/chatbots/{chatbot}/questions"))).await;
    hands.sees("asked once").await;
    tab.press("j").await;
    tab.press("e").await;
    tab.press("r").await;
    has_dialog(&tab, false).await;
    tab.press("?").await;
    has_dialog(&tab, true).await;
    hands.sees("Next in the list").await;
    let has_team = "return document.querySelector('dialog').innerText.includes('Team')";
    assert_eq!(tab.ask(has_team, vec![]).await, json!(false));

    let phone = browser.tab(NARROW).await;
    phone.darken().await;
    desk.sign_in(&phone, "/profile").await;
    Hands(&phone).press("Show the keys").await;
    Hands(&phone).sees("Search everything").await;
    phone.picture("console-phone-keys-dialog").await;
    has_no_barriers(&phone).await;
    let width = phone.ask("return [innerWidth, document.documentElement.scrollWidth]", vec![]).await;
    assert_eq!(width, json!([360, 360]));
    desk.is_clean(phone, &["/session - "]).await;
    desk.is_clean(tab, &["/session - "]).await;
}
