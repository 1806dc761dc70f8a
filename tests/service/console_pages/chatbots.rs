//! What a chatbot answers from beside its websites, and its settings with a preview of its widget.

use serde_json::{Value, json};

use super::{
    MARKUP,
    desk::Desk,
    hands::{DOWN, ENTER, Hands},
    has_no_barriers,
};
use crate::{
    browser::{Browser, DESKTOP, PHONE, Tab},
    patience::until,
    site::{Site, bakery},
    wire::{Request, header},
};

/// Signs in and creates a chatbot. Returns the address of its page.
async fn chatbot(desk: &Desk, site: &Site, tab: &Tab) -> String {
    let hands = Hands(tab);
    desk.sign_in(tab, "/chatbots/new").await;
    hands.fill("Address of your website", &site.url("/")).await;
    hands.fill("Name of your business", "Blue Door Bakery").await;
    tab.press(ENTER).await;
    hands.sees("The chatbot has learned your content").await;
    tab.address().await
}

/// Chooses a file as the dialog of a browser does, which WebDriver cannot see.
async fn choose(tab: &Tab, input: &str, name: &str, text: &str) {
    let script = "
        const input = document.querySelector(arguments[0]);
        if (!input) return false;
        const files = new DataTransfer();
        files.items.add(new File([arguments[2]], arguments[1]));
        input.files = files.files;
        input.dispatchEvent(new Event('change'));
        return true;";
    until("a file can be chosen", async || {
        let chosen = tab.ask(script, vec![json!(input), json!(name), json!(text)]).await;
        (chosen == json!(true)).then_some(())
    })
    .await;
}

/// Checks a page with the preview. The frame has an opaque origin, to which axe-core cannot post: the browser
/// complains of that, and of nothing else.
async fn has_no_barriers_around_the_preview(tab: &Tab) {
    let is_meant = |error: &String| error.contains("postMessage") || error.contains("a status of 4");
    let before = tab.errors().await;
    assert!(before.iter().all(|error| error.contains("a status of 4")), "{before:?}");
    has_no_barriers(tab).await;
    let errors = tab.errors().await;
    assert!(errors.iter().all(is_meant), "{errors:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_chatbot_gets_content() {
    let Some(browser) = Browser::start("a_chatbot_gets_content") else { return };
    let desk = Desk::set_up().await;
    let site = bakery().await;
    let tab = browser.tab(DESKTOP).await;
    let hands = Hands(&tab);
    let chatbot = chatbot(&desk, &site, &tab).await;

    tab.open(&format!("{chatbot}/content?kind=tags")).await;
    hands.press("Create a tag").await;
    // A tag has at most 50 characters.
    hands.fill("Name", "<b>Bold</b>").await;
    hands.press("Save").await;
    hands.sees("was saved").await;
    has_no_barriers(&tab).await;

    hands.press("Texts").await;
    hands.sees("No texts").await;
    hands.press("Write a text").await;
    hands.fill("Title", MARKUP).await;
    hands.fill("Text", "The bakery has a parrot. It is called Biscuit.").await;
    // What is written survives a reload.
    tab.open(&format!("{chatbot}/content?kind=texts")).await;
    hands.press("Write a text").await;
    tab.picture("console-content-text").await;
    has_no_barriers(&tab).await;
    hands.press("Save").await;
    hands.sees("The bakery has a parrot.").await;
    tab.picture("console-content-texts").await;
    has_no_barriers(&tab).await;

    hands.press("Files").await;
    hands.sees("No files").await;
    choose(&tab, ".drop input", "<b>prices</b>.txt", "Prices\n\nA rye loaf costs 3.80 pounds.").await;
    hands.sees("<b>prices</b>.txt").await;
    hands.press("Show its text").await;
    hands.sees("A rye loaf costs 3.80 pounds.").await;
    tab.picture("console-content-file").await;
    has_no_barriers(&tab).await;
    hands.press("Close").await;
    choose(&tab, ".drop input", "empty.txt", "").await;
    hands.sees("The file is empty.").await;
    tab.picture("console-content-files").await;
    has_no_barriers(&tab).await;
    hands.press("Delete").await;
    hands.press_in_dialog("Delete").await;
    hands.sees("No files").await;

    hands.press("Webpages").await;
    hands.press("Add webpages").await;
    hands.fill("Addresses", &format!("{}\nno address", site.url("/opening-hours?again"))).await;
    hands.press_in_dialog("Add").await;
    hands.sees("These addresses cannot be used. The others were added.").await;
    tab.picture("console-content-rejected").await;
    has_no_barriers(&tab).await;
    hands.press("Cancel").await;
    // It has the same content as a page of the website.
    hands.sees("Left out").await;
    tab.picture("console-content-webpages").await;
    has_no_barriers(&tab).await;
    desk.is_clean(tab, &["/session - "]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_question_without_an_answer_gets_one() {
    let Some(browser) = Browser::start("a_question_without_an_answer_gets_one") else { return };
    let desk = Desk::set_up().await;
    let site = bakery().await;
    let tab = browser.tab(DESKTOP).await;
    let hands = Hands(&tab);
    chatbot(&desk, &site, &tab).await;
    hands.press("Questions").await;
    hands.sees("No open questions").await;
    has_no_barriers(&tab).await;
    hands.press("Try it").await;
    for question in ["Do you sell tarantulas?", MARKUP] {
        hands.fill("Your question", question).await;
        hands.press("Send").await;
        hands.sees(question).await;
        hands.sees("The chatbot has answered.").await;
    }
    hands.press("Questions").await;
    hands.sees("Do you sell tarantulas?").await;
    tab.picture("console-questions").await;
    has_no_barriers(&tab).await;
    hands.press("Answer it: Do you sell tarantulas?").await;
    hands.fill("Answer", MARKUP).await;
    tab.picture("console-question").await;
    has_no_barriers(&tab).await;
    hands.press("Publish the answer").await;
    hands.sees("The answer is published.").await;

    hands.press("FAQs").await;
    hands.sees("1 question").await;
    tab.picture("console-faqs").await;
    has_no_barriers(&tab).await;
    hands.press("Questions for Blue Door Bakery").await;
    hands.sees("from an unanswered question").await;
    hands.press("Import").await;
    hands.fill("Or paste the table", "question;answer\nIs there parking?;Behind the house.\n;nothing").await;
    hands.press_in_dialog("Import").await;
    hands.sees("1 question was imported.").await;
    hands.sees("Line 3").await;
    has_no_barriers(&tab).await;
    hands.press("Done").await;
    hands.press("Add a question").await;
    hands.fill("Question", "Do you bake at night?").await;
    hands.fill("Answer", "From four in the morning.").await;
    hands.press("Save").await;
    hands.sees("From four in the morning.").await;

    // By the keyboard, and with the focus on what was moved.
    let order = "return [...document.querySelectorAll('.items h3')].map(heading => heading.innerText)";
    hands.press("Move: Do you sell tarantulas?").await;
    tab.press(DOWN).await;
    let expected = json!(["Is there parking?", "Do you sell tarantulas?", "Do you bake at night?"]);
    until("it has moved", async || (tab.ask(order, vec![]).await == expected).then_some(())).await;
    assert_eq!(hands.focused().await, "Move: Do you sell tarantulas?");
    hands.sees("Moved to place 2 of 3.").await;
    tab.picture("console-faq").await;
    has_no_barriers(&tab).await;
    tab.open(&tab.address().await).await;
    until("the order was kept", async || (tab.ask(order, vec![]).await == expected).then_some(())).await;
    hands.press("Delete this FAQ").await;
    hands.press_in_dialog("Delete").await;
    hands.sees("No FAQs").await;
    desk.is_clean(tab, &["/session - "]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn settings_are_seen_before_they_are_saved() {
    let Some(browser) = Browser::start("settings_are_seen_before_they_are_saved") else { return };
    let desk = Desk::set_up().await;
    let site = bakery().await;
    let tab = browser.tab(DESKTOP).await;
    let hands = Hands(&tab);
    let chatbot = chatbot(&desk, &site, &tab).await;
    hands.press("Settings").await;
    hands.sees("What visitors read").await;
    let panel = async || -> Value {
        tab.enter_frame("return document.querySelector('.preview iframe')").await;
        let shown = tab.ask("return document.body.innerText", vec![]).await;
        tab.leave_frame().await;
        shown
    };
    let shows = async |text: &str| {
        until(&format!("the preview shows {text:?}"), async || {
            panel().await.as_str().is_some_and(|shown| shown.contains(text)).then_some(())
        })
        .await;
    };
    shows("Blue Door Bakery").await;
    hands.fill("First message", MARKUP).await;
    shows(MARKUP).await;
    hands.press("Add a quick question").await;
    tab.type_text("Do you bake rye?").await;
    shows("Do you bake rye?").await;
    hands.sees("You have unsaved changes.").await;
    tab.picture("console-settings").await;
    has_no_barriers_around_the_preview(&tab).await;

    // A draft stays when the page is left.
    hands.press("Try it").await;
    hands.sees("Ask what").await;
    hands.press("Settings").await;
    hands.sees("You have unsaved changes.").await;
    shows(MARKUP).await;
    hands.fill("Color", "red").await;
    hands.press("Save").await;
    hands.sees("Must be a color").await;
    assert_eq!(hands.focused().await, "Color");
    has_no_barriers_around_the_preview(&tab).await;
    hands.fill("Color", "#8a2be2").await;
    hands.press("Save").await;
    hands.sees("The settings were saved.").await;
    let bar = "return document.querySelector('.save') === null";
    until("nothing is unsaved", async || (tab.ask(bar, vec![]).await == json!(true)).then_some(())).await;
    tab.open(&format!("{chatbot}/settings")).await;
    shows("Do you bake rye?").await;
    shows(MARKUP).await;

    // The preview belongs to no widget, and only the console may show it.
    let preview = Request::new("GET", "/widget/preview/panel").send(desk.address()).await;
    assert_eq!(preview.status.as_u16(), 200);
    assert!(header(&preview, "content-security-policy").contains("; frame-ancestors 'self'; "));
    let pages: Vec<_> =
        tab.requests().await.into_iter().filter(|address| address.contains("/public/")).collect();
    assert!(pages.is_empty(), "the preview asks the service: {pages:?}");
    tab.open(&format!("{chatbot}/settings")).await;
    hands.sees("What visitors read").await;
    desk.is_clean(tab, &["/session - ", "/widget - "]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn pages_about_content_fit_a_phone_and_the_dark() {
    let Some(browser) = Browser::start("pages_about_content_fit_a_phone_and_the_dark") else { return };
    let desk = Desk::set_up().await;
    let site = bakery().await;
    let tab = browser.tab(PHONE).await;
    tab.darken().await;
    let hands = Hands(&tab);
    let chatbot = chatbot(&desk, &site, &tab).await;
    for (name, address, text) in [
        ("content", format!("{chatbot}/content"), "No webpages"),
        ("files", format!("{chatbot}/content?kind=files"), "No files"),
        ("texts", format!("{chatbot}/content?kind=texts"), "No texts"),
        ("tags", format!("{chatbot}/content?kind=tags"), "No tags"),
        ("questions", format!("{chatbot}/questions"), "No open questions"),
        ("settings", format!("{chatbot}/settings"), "What visitors read"),
        ("faqs", desk.page("/faqs"), "No FAQs"),
    ] {
        tab.open(&address).await;
        hands.sees(text).await;
        let width = tab.ask("return [innerWidth, document.documentElement.scrollWidth]", vec![]).await;
        assert_eq!(width, json!([390, 390]), "{name} fits a small screen");
        tab.picture(&format!("console-phone-{name}")).await;
        has_no_barriers_around_the_preview(&tab).await;
    }
    desk.is_clean(tab, &["/session - "]).await;
}
