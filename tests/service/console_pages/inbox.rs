//! The inbox and the conversations: threads with notes, replies and files, and a visitor whom a person takes
//! over from the chatbot while a colleague looks on.

use serde_json::{Value, json};

use super::{
    MARKUP,
    desk::Desk,
    hands::{ESCAPE, Hands},
    has_no_barriers,
};
use crate::{
    browser::{Browser, DESKTOP, PHONE, Tab},
    patience::until,
    site::bakery,
};

/// Sends a request of the public interface with the session of the page.
async fn send(tab: &Tab, path: &str, body: Value) -> Value {
    let script = "
        const [path, body] = arguments;
        const headers = { 'content-type': 'application/json' };
        return fetch('/console/api/v1' + path, { method: 'POST', headers, body: JSON.stringify(body) }).then(response => response.json());";
    tab.ask(script, vec![json!(path), body]).await
}

async fn read(tab: &Tab, path: &str) -> Value {
    let script = "return fetch('/console/api/v1' + arguments[0]).then(response => response.json());";
    tab.ask(script, vec![json!(path)]).await
}

/// Chooses an option of a list by its value.
async fn choose(tab: &Tab, id: &str, value: &str) {
    let script = "
        const select = document.getElementById(arguments[0]);
        select.value = arguments[1];
        select.dispatchEvent(new Event('change', { bubbles: true }));";
    tab.ask(script, vec![json!(id), json!(value)]).await;
}

async fn becomes(tab: &Tab, script: &str, wanted: Value) {
    until(&format!("{script} is {wanted}"), async || (tab.ask(script, vec![]).await == wanted).then_some(()))
        .await;
}

/// A channel of programs, and a contact who has written by it.
async fn channel(tab: &Tab) -> String {
    let channel = send(tab, "/inbox/channels", json!({ "kind": "api", "name": MARKUP })).await;
    channel["channel_id"].as_str().unwrap_or_else(|| panic!("{channel}")).to_owned()
}

async fn write(tab: &Tab, channel: &str, key: &str, subject: &str, body: &str) {
    let message = json!({
        "thread_key": key, "message_key": format!("{key} {body}"), "subject": subject, "body": body,
        "contact": { "email": format!("{key}@customer.example"), "name": MARKUP },
    });
    let received = send(tab, &format!("/inbox/channels/{channel}/messages"), message).await;
    assert!(received["thread_id"].is_string(), "{received}");
}

const VALUE: &str = "return document.getElementById('reply')?.value";

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn threads_are_answered() {
    let Some(browser) = Browser::start("threads_are_answered") else { return };
    let desk = Desk::set_up().await;
    let tab = browser.tab(DESKTOP).await;
    let hands = Hands(&tab);
    desk.sign_in(&tab, "/inbox").await;
    hands.sees("No open threads").await;
    hands.sees("Connect a channel").await;
    tab.picture("console-inbox-empty").await;
    has_no_barriers(&tab).await;

    // Threads appear without a reload, and the title counts who waits.
    let channel = channel(&tab).await;
    write(&tab, &channel, "first", "A question", "Do you have lilies?").await;
    write(&tab, &channel, "second", MARKUP, MARKUP).await;
    hands.sees("Do you have lilies?").await;
    tab.open(&desk.page("/inbox")).await;
    hands.sees("Choose a thread").await;
    becomes(&tab, "return document.title", json!("(2) Inbox – Frontdesk")).await;

    // By the keys: the first of the list is the latest one.
    tab.press("j").await;
    until("the thread is open", async || (tab.title().await.contains("<img")).then_some(())).await;
    hands.sees("Internal note").await;
    tab.press("r").await;
    assert_eq!(hands.focused().await, "Your reply");
    tab.type_text("j is not a key here").await;
    // A reload keeps what was written.
    let thread = tab.address().await;
    tab.open(&thread).await;
    becomes(&tab, VALUE, json!("j is not a key here")).await;

    hands.press("Internal note").await;
    becomes(&tab, VALUE, json!("")).await;
    hands.fill("Your note", MARKUP).await;
    hands.press("Add the note").await;
    hands.sees("Your note was added.").await;
    hands.press("Reply").await;
    hands.fill("Your reply", MARKUP).await;
    // A file that is pasted is uploaded and sent.
    let paste = "
        const data = new DataTransfer();
        data.items.add(new File(['We are open.'], '<b>hours</b>.txt', { type: 'text/plain' }));
        document.getElementById('reply').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));";
    tab.ask(paste, vec![]).await;
    hands.sees("12 B").await;
    choose(&tab, "reply-after", "pending").await;
    hands.press("Send").await;
    hands.sees("Your reply was sent.").await;
    becomes(&tab, "return document.getElementById('thread-status').value", json!("pending")).await;
    becomes(&tab, "return document.querySelectorAll('.bubble .files a').length", json!(1)).await;
    hands.press("Assign to me").await;
    hands.sees("Assigned to you.").await;
    hands.press("Details").await;
    hands.fill("Tags", "<i>urgent</i>").await;
    hands.press("Add the tag").await;
    hands.press("Remove the tag: <i>urgent</i>").await;
    becomes(&tab, "return document.querySelectorAll('.tags li').length", json!(0)).await;
    choose(&tab, "thread-status", "snoozed").await;
    hands.sees("Snooze until").await;
    has_no_barriers(&tab).await;
    hands.press_in_dialog("Tomorrow morning").await;
    hands.sees("The thread is snoozed.").await;
    tab.picture("console-thread").await;
    has_no_barriers(&tab).await;

    // A new thread to the contact who is known.
    hands.press("New thread").await;
    hands.fill("To", "first@customer").await;
    hands.press_in_dialog("<img").await;
    hands.fill("Message", "Your lilies are here.").await;
    tab.picture("console-new-thread").await;
    has_no_barriers(&tab).await;
    hands.press_in_dialog("Send").await;
    hands.sees("The thread has begun.").await;
    hands.sees("Your lilies are here.").await;
    // The heading has the focus, so a key acts.
    until("the heading has the focus", async || {
        hands.focused().await.starts_with("Message from").then_some(())
    })
    .await;
    tab.press("e").await;
    hands.sees("The thread is resolved.").await;
    tab.press("?").await;
    hands.sees("Use single keys").await;
    has_no_barriers(&tab).await;
    hands.press_in_dialog("Test the sound").await;
    tab.press(ESCAPE).await;

    let phone = browser.tab(PHONE).await;
    phone.darken().await;
    desk.sign_in(&phone, "/inbox?status=all").await;
    Hands(&phone).sees("Do you have lilies?").await;
    fits(&phone, "inbox").await;
    phone.open(&thread).await;
    Hands(&phone).sees("Internal note").await;
    fits(&phone, "thread").await;
    desk.is_clean(phone, &["/session - "]).await;
    desk.is_clean(tab, &["/session - "]).await;
}

async fn fits(tab: &Tab, name: &str) {
    let width = tab.ask("return [innerWidth, document.documentElement.scrollWidth]", vec![]).await;
    assert_eq!(width, json!([390, 390]), "{name} fits a small screen");
    tab.picture(&format!("console-phone-{name}")).await;
    has_no_barriers(tab).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_person_takes_over() {
    let Some(browser) = Browser::start("a_person_takes_over") else { return };
    let desk = Desk::set_up().await;
    let site = bakery().await;
    let tab = browser.tab(DESKTOP).await;
    let hands = Hands(&tab);
    desk.sign_in(&tab, "/conversations").await;
    hands.sees("No chatbot yet").await;
    let body =
        json!({ "name": MARKUP, "business_name": "Blue Door Bakery", "training_urls": [site.url("/")] });
    let chatbot = send(&tab, "/chatbots", body).await;
    let chatbot = chatbot["chatbot_id"].as_str().unwrap_or_else(|| panic!("{chatbot}")).to_owned();
    until("the chatbot is ready", async || {
        (read(&tab, &format!("/chatbots/{chatbot}")).await["status"] == "ready").then_some(())
    })
    .await;
    let ask = async |body: Value| send(&tab, &format!("/chatbots/{chatbot}/messages"), body).await;
    let other = ask(json!({ "message": "When are you open?" })).await;
    let answer = ask(json!({ "message": "What does delivery cost?" })).await;
    let conversation = answer["conversation_id"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned();
    let at = format!("/chatbots/{chatbot}/conversations/{conversation}");
    let rating = format!("{at}/messages/{}/feedback", answer["message_id"].as_str().unwrap());
    send(&tab, &rating, json!({ "rating": "down", "comment": MARKUP })).await;
    send(&tab, &format!("{at}/escalate"), json!({ "reason": "user_request", "note": MARKUP })).await;

    tab.open(&desk.page("/conversations")).await;
    hands.sees("Waiting for a person (1)").await;
    hands.sees("All other conversations").await;
    tab.picture("console-conversations").await;
    has_no_barriers(&tab).await;
    // Who waits comes first.
    tab.press("j").await;
    hands.sees("The visitor asked for a person.").await;
    hands.sees("The visitor did not find this helpful").await;
    assert!(tab.address().await.ends_with(&conversation));

    // A colleague, in another browser, is writing.
    let second = browser.tab(DESKTOP).await;
    let seconds = Hands(&second);
    desk.sign_in(&second, &format!("/conversations/{chatbot}/{conversation}")).await;
    seconds.fill("Your reply", "I am writing.").await;

    hands.press("Take over").await;
    hands.sees("You answer now.").await;
    seconds.sees("You answer").await;
    hands.fill("Your reply", MARKUP).await;
    hands.press("Send").await;
    hands.sees("Your reply was sent.").await;
    becomes(&second, "return document.querySelectorAll('.bubble.ours').length", json!(1)).await;
    assert_eq!(second.ask(VALUE, vec![]).await, json!("I am writing."), "nothing that was written is lost");
    tab.picture("console-conversation").await;
    has_no_barriers(&tab).await;

    // The reply comes too late, and is kept.
    hands.press("Close").await;
    hands.sees("Close the conversation?").await;
    let stop = "window.fetched = window.fetch; const late = new Promise(done => { window.letGo = done; }); \
                window.fetch = (url, options) => options?.method === 'GET' ? late.then(() => window.fetched(url, options)) : window.fetched(url, options);";
    second.ask(stop, vec![]).await;
    hands.press_in_dialog("Close").await;
    hands.sees("The conversation is closed.").await;
    seconds.press("Send").await;
    second.ask("window.fetch = window.fetched; window.letGo();", vec![]).await;
    seconds.sees("Your reply was not sent").await;
    let kept = "return document.getElementById('kept-reply')?.value";
    becomes(&second, kept, json!("I am writing.")).await;
    second.picture("console-conversation-closed").await;
    has_no_barriers(&second).await;

    // The visitor writes again: the chatbot answers, and the reply can be sent.
    ask(json!({ "message": "Do you sell rye bread?", "conversation_id": conversation })).await;
    becomes(&second, VALUE, json!("I am writing.")).await;
    seconds.press("Send").await;
    seconds.sees("Your reply was sent.").await;
    hands.press("Hand back to the chatbot").await;
    hands.sees("The chatbot answers again.").await;

    let phone = browser.tab(PHONE).await;
    phone.darken().await;
    desk.sign_in(&phone, "/conversations").await;
    Hands(&phone).sees("I am writing.").await;
    fits(&phone, "conversations").await;
    let first = other["conversation_id"].as_str().unwrap();
    phone.open(&desk.page(&format!("/conversations/{chatbot}/{first}"))).await;
    Hands(&phone).sees("Your message stops the chatbot").await;
    fits(&phone, "conversation").await;
    desk.is_clean(phone, &["/session - "]).await;
    desk.is_clean(second, &["/session - ", "/messages - "]).await;
    desk.is_clean(tab, &["/session - "]).await;
}
