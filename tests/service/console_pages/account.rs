//! The pages about the account: usage, channels, domains and webhooks.

use serde_json::{Value, json};

use super::{MARKUP, desk::Desk, hands::Hands, has_no_barriers};
use crate::{
    browser::{Browser, DESKTOP, PHONE, Tab},
    patience::until,
    webhooks::{Receiver, Reply},
    wire::{Request, json as body_of},
};

const PUSH_SECRET: &str = "0123456789abcdef";

/// Ticks a box or chooses one of some, by its label.
pub(super) async fn tick(tab: &Tab, label: &str) {
    let script = "
        const label = [...document.querySelectorAll('label')].find(label => label.innerText.trim().startsWith(arguments[0]));
        label?.control.click();
        return label !== undefined;";
    until(&format!("there is a box {label:?}"), async || {
        (tab.ask(script, vec![json!(label)]).await == json!(true)).then_some(())
    })
    .await;
}

/// What a script finds on the page, as text.
async fn found(tab: &Tab, script: &str) -> String {
    until(&format!("{script} finds something"), async || match tab.ask(script, vec![]).await {
        Value::String(text) if !text.is_empty() => Some(text),
        _ => None,
    })
    .await
}

/// The secret that a dialog shows.
async fn shown_secret(tab: &Tab) -> String {
    found(tab, "return [...document.querySelectorAll('dialog .code')].at(-1)?.innerText.trim() ?? ''").await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_channel_says_whether_it_works_and_what_it_has_skipped() {
    let Some(browser) = Browser::start("a_channel_says_whether_it_works_and_what_it_has_skipped") else {
        return;
    };
    let desk = Desk::set_up().await;
    let tab = browser.tab(DESKTOP).await;
    let hands = Hands(&tab);
    desk.sign_in(&tab, "/channels").await;
    hands.sees("No channel yet").await;
    has_no_barriers(&tab).await;
    hands.press("Add a channel").await;
    hands.sees("What do you want to connect?").await;
    tab.picture("console-channels-kinds").await;
    has_no_barriers(&tab).await;

    // A form: the address in its HTML takes what visitors write.
    hands.press("Contact form").await;
    hands.fill("Name", MARKUP).await;
    hands.fill("Most links in a message", "99").await;
    hands.fill("Blocked words and addresses", MARKUP).await;
    hands.press("Add the channel").await;
    hands.sees("Must be at most 50.").await;
    hands.fill("Most links in a message", "2").await;
    hands.press("Add the channel").await;
    hands.sees("Put it on your website").await;
    tab.picture("console-channel-form").await;
    has_no_barriers(&tab).await;
    let html = found(&tab, "return document.querySelector('.listing pre').innerText").await;
    let (_, rest) = html.split_once(&format!("action=\"{}", desk.origin())).expect("the form has an address");
    let (action, _) = rest.split_once('"').unwrap();
    // Modules are served without their indentation, but not texts without theirs.
    assert!(html.contains("\n  <p><label>Email"), "{html}");
    let written = json!({ "email": "jo@customer.example", "message": "Do you have lilies?" });
    let sent = Request::new("POST", action).json(written.to_string()).send(desk.address()).await;
    assert_eq!(sent.status.as_u16(), 201, "{}", body_of(&sent));

    // A mailbox to which programs post emails.
    tab.open(&desk.page("/channels/new?kind=email")).await;
    hands.fill("Email address", "support@fern.example").await;
    tick(&tab, "Receive emails (IMAP)").await;
    tick(&tab, "Send replies (SMTP)").await;
    tick(&tab, "Let programs post emails").await;
    hands.fill("Secret for posting", PUSH_SECRET).await;
    hands.press("Add the channel").await;
    hands.sees("They are not shown again.").await;
    assert_eq!(shown_secret(&tab).await, PUSH_SECRET);
    hands.press("I have copied them").await;
    hands.sees("Every email that arrived became a message.").await;
    let command = found(&tab, "return document.querySelector('.listing pre').innerText").await;
    let path = command.split('\'').nth(1).unwrap().strip_prefix(&desk.origin()).unwrap();
    let post = Request::new("POST", path).header("x-channel-secret", PUSH_SECRET);
    let skipped =
        post.body_of("message/rfc822", format!("Subject: {MARKUP}\n\nHello")).send(desk.address()).await;
    assert_eq!(body_of(&skipped)["outcome"], "skipped");
    // Without a reload.
    hands.sees("It has no sender").await;
    tab.picture("console-channel-mailbox").await;
    has_no_barriers(&tab).await;
    hands.press("Delete: ").await;
    hands.press_in_dialog("Delete").await;
    hands.sees("The email was deleted.").await;

    // What somebody writes stays while the page follows along, and after a reload.
    hands.fill("Name of the sender", MARKUP).await;
    hands.press("Pause").await;
    hands.sees("This channel is paused.").await;
    let address = tab.address().await;
    tab.open(&address).await;
    hands.sees("Discard changes").await;
    hands.press("Save").await;
    hands.sees("The channel was saved.").await;
    hands.press("Channels").await;
    hands.sees("Paused").await;
    // When the form was last used.
    hands.sees("minute").await;
    tab.picture("console-channels").await;
    has_no_barriers(&tab).await;
    desk.is_clean(tab, &["/session - ", "/inbox/channels - "]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_webhook_shows_what_was_delivered() {
    let Some(browser) = Browser::start("a_webhook_shows_what_was_delivered") else { return };
    let desk = Desk::set_up().await;
    // It refuses until it is asked a second time.
    let receiver = Receiver::replying(|all| Reply::Status(if all.len() == 1 { 503 } else { 204 })).await;
    let tab = browser.tab(DESKTOP).await;
    let hands = Hands(&tab);
    desk.sign_in(&tab, "/webhooks/new").await;
    hands.fill("Address", "ftp://crm.example").await;
    hands.fill("Description", MARKUP).await;
    hands.press("None: Events").await;
    hands.press("Add the webhook").await;
    hands.sees("Choose at least one event.").await;
    tick(&tab, "New lead").await;
    hands.press("Add the webhook").await;
    hands.sees("Must start with https://.").await;
    has_no_barriers(&tab).await;
    hands.fill("Address", &receiver.url()).await;
    hands.press("Add the webhook").await;
    hands.sees("You will not see it again.").await;
    let secret = shown_secret(&tab).await;
    has_no_barriers(&tab).await;
    hands.press("I have copied it").await;
    hands.sees("Nothing sent yet").await;

    hands.press("Send a test").await;
    hands.sees("The receiver refused it (HTTP 503)").await;
    let received = receiver.has_received(1).await;
    received[0].verified(&secret).expect("the event is signed with the secret that was shown");
    hands.press("Attempts and content").await;
    hands.sees("This is a test event.").await;
    tab.picture("console-webhook").await;
    has_no_barriers(&tab).await;
    hands.press("Send again").await;
    hands.sees("Accepted (HTTP 204)").await;
    hands.press("Failed").await;
    hands.sees("There are no deliveries with this status.").await;
    hands.press("Send missed events").await;
    hands.sees("Delivered and waiting events are not sent again.").await;
    has_no_barriers(&tab).await;
    hands.press_in_dialog("Send again").await;
    hands.sees("No events were missed in this period.").await;

    hands.press("Settings").await;
    hands.press("Make a new secret").await;
    hands.sees("For 24 hours events are signed with both").await;
    hands.press_in_dialog("Make a new secret").await;
    hands.sees("You will not see it again.").await;
    assert_ne!(shown_secret(&tab).await, secret);
    hands.press("I have copied it").await;
    hands.sees("also signed with the previous secret").await;
    tick(&tab, "New deal").await;
    hands.press("Save").await;
    hands.sees("The webhook was saved.").await;
    tab.picture("console-webhook-settings").await;
    has_no_barriers(&tab).await;
    hands.press("Webhooks").await;
    hands.sees("2 events").await;
    tab.picture("console-webhooks").await;
    has_no_barriers(&tab).await;
    desk.is_clean(tab, &["/session - ", "/webhook-endpoints - "]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_domain_shows_its_secret_once() {
    let Some(browser) = Browser::start("a_domain_shows_its_secret_once") else { return };
    let desk = Desk::set_up().await;
    let tab = browser.tab(DESKTOP).await;
    let hands = Hands(&tab);
    desk.sign_in(&tab, "/domains").await;
    hands.sees("No domain yet").await;
    has_no_barriers(&tab).await;
    hands.press("Add a domain").await;
    hands.fill("Host name", MARKUP).await;
    hands.press_in_dialog("Add").await;
    hands.sees("Must be a host name").await;
    // A whole address is what people have at hand.
    hands.fill("Host name", "https://www.fern.example/shop").await;
    hands.press_in_dialog("Add").await;
    hands.sees("You will not see it again.").await;
    let secret = shown_secret(&tab).await;
    assert_eq!(secret.len(), 43, "{secret}");
    has_no_barriers(&tab).await;
    hands.press("I have copied it").await;
    hands.sees("audience: 'www.fern.example'").await;
    let address = tab.address().await;
    tab.open(&address).await;
    hands.sees("It was shown when it was made").await;
    let whole = "return document.documentElement.outerHTML.includes(arguments[0])";
    assert_eq!(tab.ask(whole, vec![json!(secret)]).await, json!(false), "the secret is shown once");

    tick(&tab, "Required").await;
    hands.press("Add a key").await;
    hands.fill("Public key in PEM", MARKUP).await;
    hands.press("Save").await;
    hands.sees("Must be a public key in PEM").await;
    has_no_barriers(&tab).await;
    hands.press("Remove key 1").await;
    hands.press("Save").await;
    hands.sees("The domain was saved.").await;
    hands.press("Make a new secret").await;
    hands.press_in_dialog("Make a new secret").await;
    hands.sees("You will not see it again.").await;
    hands.press("I have copied it").await;
    hands.sees("previous secret are accepted until").await;
    tab.picture("console-domain").await;
    has_no_barriers(&tab).await;
    hands.press("Domains").await;
    hands.sees("the chat works only for people who are signed in").await;
    tab.picture("console-domains").await;
    desk.is_clean(tab, &["/session - ", "/domains"]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn pages_of_the_account_fit_a_phone_and_the_dark() {
    let Some(browser) = Browser::start("pages_of_the_account_fit_a_phone_and_the_dark") else { return };
    let desk = Desk::set_up().await;
    let tab = browser.tab(PHONE).await;
    tab.darken().await;
    let hands = Hands(&tab);
    desk.sign_in(&tab, "/channels/new?kind=api").await;
    hands.fill("Name", MARKUP).await;
    hands.press("Add the channel").await;
    hands.sees("Push messages").await;
    let channel = tab.address().await;
    tab.open(&desk.page("/webhooks/new")).await;
    hands
        .fill("Address", "https://crm.fern.example/hooks/a-long-address-that-has-to-be-broken-somewhere")
        .await;
    hands.press("Add the webhook").await;
    hands.press("I have copied it").await;
    hands.sees("Nothing sent yet").await;
    let webhook = tab.address().await;
    for (name, address, text) in [
        ("usage", desk.page("/usage"), "In your account now"),
        ("channels", desk.page("/channels"), "Working"),
        ("new-channel", desk.page("/channels/new?kind=email"), "Sending (SMTP)"),
        ("channel", channel, "Push messages"),
        ("domains", desk.page("/domains"), "No domain yet"),
        ("webhooks", desk.page("/webhooks"), "Nothing sent yet"),
        ("webhook", webhook.clone(), "Events of the last 30 days"),
        ("webhook-settings", format!("{webhook}/settings"), "How your receiver verifies events"),
    ] {
        tab.open(&address).await;
        hands.sees(text).await;
        let width = tab.ask("return [innerWidth, document.documentElement.scrollWidth]", vec![]).await;
        assert_eq!(width, json!([390, 390]), "{name} fits a small screen");
        tab.picture(&format!("console-phone-{name}")).await;
        has_no_barriers(&tab).await;
    }
    desk.is_clean(tab, &["/session - "]).await;
}
