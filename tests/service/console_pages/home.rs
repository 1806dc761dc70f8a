//! The start page: the way to the first chatbot, and afterwards what needs a person.

use serde_json::{Value, json};

use super::{
    MARKUP,
    desk::Desk,
    hands::{ENTER, Hands},
    has_no_barriers,
};
use crate::{
    browser::{Browser, DESKTOP, NARROW, Tab},
    patience::until,
    site::bakery,
};

/// What needs a person: each thing with its page, without the ids in it.
async fn needs(tab: &Tab) -> Value {
    let script = "
        return [...document.querySelectorAll('.needs a')].map(link => [
            link.querySelector('strong').innerText, link.getAttribute('href').replace(/[0-9a-f-]{36}/g, 'ID').replace('/console/', '')]);";
    tab.ask(script, vec![]).await
}

async fn are(tab: &Tab, wanted: Value) {
    until(&format!("what needs a person is {wanted}"), async || (needs(tab).await == wanted).then_some(()))
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn home_says_what_needs_a_person() {
    let Some(browser) = Browser::start("home_says_what_needs_a_person") else { return };
    let desk = Desk::set_up().await;
    let site = bakery().await;
    let tab = browser.tab(DESKTOP).await;
    let hands = Hands(&tab);
    desk.sign_in(&tab, "").await;
    // A new account has one thing to do.
    hands.sees("Create a chatbot").await;
    hands.sees("AI credits this month").await;
    let first = "return document.querySelector('main .button.main').getAttribute('href')";
    assert_eq!(tab.ask(first, vec![]).await, json!("/console/chatbots/new"));
    assert!(
        !tab.ask("return document.body.innerText", vec![]).await.as_str().unwrap().contains("For you to do")
    );

    let chatbot =
        json!({ "name": MARKUP, "business_name": "Blue Door Bakery", "training_urls": [site.url("/")] });
    let chatbot = hands.call("POST", "/chatbots", chatbot).await;
    let path = format!("/chatbots/{}", chatbot["chatbot_id"].as_str().unwrap());
    until("the chatbot is ready", async || {
        (hands.call("GET", &path, Value::Null).await["status"] == "ready").then_some(())
    })
    .await;
    tab.open(&desk.page("")).await;
    hands.sees("Nobody waits for you.").await;
    tab.picture("console-home-done").await;
    has_no_barriers(&tab).await;

    let deal = hands.call("POST", "/deals", json!({ "title": "Roses" })).await;
    let activities = format!("/deals/{}/activities", deal["deal_id"].as_str().unwrap());
    // The end of today by the clock of the browser, and long ago.
    let today = tab
        .ask("const end = new Date(); end.setHours(23, 59, 59, 0); return end.toISOString()", vec![])
        .await;
    for (title, due_at) in [(MARKUP, today), ("Late", json!("2026-01-05T10:00:00Z"))] {
        let activity = json!({ "type": "call", "title": title, "due_at": due_at });
        hands.call("POST", &activities, activity).await;
    }
    let ask = async |message: &str| {
        hands.call("POST", &format!("{path}/messages"), json!({ "message": message })).await
    };
    ask("Do you sell tarantulas?").await;
    ask(MARKUP).await;
    let answer = ask("What does delivery cost?").await;
    let escalate = format!("{path}/conversations/{}/escalate", answer["conversation_id"].as_str().unwrap());
    hands.call("POST", &escalate, json!({ "reason": "user_request" })).await;
    let channel = hands.call("POST", "/inbox/channels", json!({ "kind": "api", "name": MARKUP })).await;
    let messages = format!("/inbox/channels/{}/messages", channel["channel_id"].as_str().unwrap());
    let message = json!({
        "thread_key": "1", "message_key": "1", "body": "Hello", "contact": { "email": "ann@customer.example" },
    });
    hands.call("POST", &messages, message).await;
    desk.break_channels("the key is no longer valid").await;

    tab.open(&desk.page("")).await;
    are(
        &tab,
        json!([
            ["2 threads wait for a reply", "inbox"],
            ["1 visitor waits for a person", "conversations?state=human_requested"],
            ["1 activity is overdue", "activities"],
            ["1 activity is due today", "activities"],
            ["2 questions without an answer", "chatbots/ID/questions"],
            [format!("The channel {MARKUP} does not work"), "channels/ID"],
        ]),
    )
    .await;
    hands.sees("The key is no longer valid.").await;
    tab.picture("console-home").await;
    has_no_barriers(&tab).await;

    // By keys, to the page and back; what was done elsewhere goes from the list without a reload.
    tab.press("jj").await;
    hands.has_focus("1 visitor waits").await;
    tab.press(ENTER).await;
    hands.sees("Waiting for a person (1)").await;
    tab.press("gh").await;
    hands.sees("For you to do").await;
    let close = format!("{path}/conversations/{}/close", answer["conversation_id"].as_str().unwrap());
    hands.call("POST", &close, Value::Null).await;
    until("the visitor no longer waits", async || {
        (!needs(&tab).await.to_string().contains("visitor")).then_some(())
    })
    .await;

    let phone = browser.tab(NARROW).await;
    phone.darken().await;
    desk.sign_in(&phone, "").await;
    Hands(&phone).sees("2 questions without an answer").await;
    let width = phone.ask("return [innerWidth, document.documentElement.scrollWidth]", vec![]).await;
    assert_eq!(width, json!([360, 360]));
    phone.picture("console-phone-home-needs").await;
    has_no_barriers(&phone).await;
    desk.is_clean(phone, &["/session - "]).await;
    desk.is_clean(tab, &["/session - "]).await;
}
