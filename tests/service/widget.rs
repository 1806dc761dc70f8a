//! The chat on the pages of a shop, in a real browser: the demonstration's own shop, and pages that make it
//! hard. What visitors type and see is on another origin than the service, as it is on real websites.

mod shop;

use axum::Router;
use frontdesk_testkit::stand_in;
use serde_json::{Value, json};

use self::shop::Shop;
use crate::{
    browser::{Browser, DESKTOP, PHONE, Tab},
    patience::until,
    site::{Page, Site},
    wire::{Request, json as body_of},
};

const ENTER: &str = "\u{e007}";
const ESCAPE: &str = "\u{e00c}";
const TAB: &str = "\u{e004}";

/// What every field of people holds somewhere in these tests.
const MARKUP: &str = "<img src=x onerror=document.title='run'><b>Bold</b>";

const BUTTON: &str = "document.getElementById('frontdesk').shadowRoot.querySelector('button')";
const FRAME: &str = "document.getElementById('frontdesk').shadowRoot.querySelector('iframe')";

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_visitor_asks_on_the_demonstration_shop() {
    let Some(browser) = Browser::start("a_visitor_asks_on_the_demonstration_shop") else { return };
    let shop = Shop::open().await;
    let tab = browser.tab(DESKTOP).await;
    tab.open(&format!("{}/faq", shop.site)).await;
    button_is_there(&tab).await;
    tab.picture("widget-closed").await;
    has_no_barriers(&tab).await;

    // By the keyboard alone: the button is the last thing on the page.
    tab.ask(&format!("{BUTTON}.focus()"), vec![]).await;
    tab.press(ENTER).await;
    enter(&tab).await;
    says(&tab, "Ask me about plants").await;
    tab.picture("widget-open").await;
    has_focus(&tab, "TEXTAREA").await;
    tab.press("Do you deliver on Sundays?").await;
    tab.press(ENTER).await;
    let sources = until("the answer has a source", async || {
        let links = tab
            .ask("return [...document.querySelectorAll('.sources a')].map(link => link.href)", vec![])
            .await;
        links.as_array().filter(|links| !links.is_empty()).cloned()
    })
    .await;
    assert!(sources.iter().all(|link| link.as_str().unwrap().starts_with(&shop.site)), "{sources:?}");
    let answer =
        tab.ask("return [...document.querySelectorAll('.bot .text')].at(-1).innerText", vec![]).await;
    assert!(answer.as_str().unwrap().contains("Sunday"), "{answer}");
    tab.picture("widget-answered").await;
    has_no_barriers(&tab).await;

    // A draft and the conversation are there on the next page, and after a reload.
    tab.press("half a question").await;
    tab.press(ESCAPE).await;
    tab.leave_frame().await;
    let focused =
        format!("return document.getElementById('frontdesk').shadowRoot.activeElement === {BUTTON}");
    until("the button has the focus again", async || {
        (tab.ask(&focused, vec![]).await == json!(true)).then_some(())
    })
    .await;
    until("the draft is kept", async || {
        let stored = tab.ask("return JSON.stringify(localStorage)", vec![]).await;
        stored.as_str().unwrap().contains("half a question").then_some(())
    })
    .await;
    tab.open(&format!("{}/delivery", shop.site)).await;
    open(&tab).await;
    says(&tab, answer.as_str().unwrap().lines().last().unwrap()).await;
    let draft = "return document.querySelector('textarea').value";
    until("the draft is back", async || {
        (tab.ask(draft, vec![]).await == json!("half a question")).then_some(())
    })
    .await;
    tab.leave_frame().await;
    is_clean(tab, &[&shop.site, &shop.origin()]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nothing_is_stored_before_the_first_message() {
    let Some(browser) = Browser::start("nothing_is_stored_before_the_first_message") else { return };
    let shop = Shop::open().await;
    let tab = browser.tab(PHONE).await;
    tab.darken().await;
    tab.open(&format!("{}/", shop.site)).await;
    open(&tab).await;
    says(&tab, "Ask me about plants").await;
    let width = tab.ask("return [innerWidth, document.documentElement.scrollWidth]", vec![]).await;
    assert_eq!(width, json!([390, 390]), "the chat fills a small screen, and no more");
    tab.picture("widget-phone").await;
    // Requests of a frame with an origin of its own have no cookies, whatever it asks for.
    tab.leave_frame().await;
    let stored =
        tab.ask("return [localStorage.length, sessionStorage.length, document.cookie]", vec![]).await;
    assert_eq!(stored, json!([0, 0, ""]));
    enter(&tab).await;
    tab.ask("document.querySelector('.questions button').click()", vec![]).await;
    answered(&tab, 1).await;
    tab.picture("widget-phone-answered").await;
    has_no_barriers(&tab).await;
    tab.leave_frame().await;
    assert_eq!(tab.ask("return localStorage.length", vec![]).await, json!(1));
    // Another visitor of the same computer sees nothing of it.
    tab.ask("frontdesk('reset')", vec![]).await;
    until("everything is forgotten", async || {
        (tab.ask("return localStorage.length", vec![]).await == json!(0)).then_some(())
    })
    .await;
    enter(&tab).await;
    until("the conversation is gone", async || {
        (tab.ask("return document.querySelectorAll('.visitor').length", vec![]).await == json!(0))
            .then_some(())
    })
    .await;
    tab.leave_frame().await;
    is_clean(tab, &[&shop.site, &shop.origin()]).await;
}

/// A page with a strict policy, whose body is replaced, and which has no storage.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_page_that_makes_it_hard_has_the_chat() {
    let Some(browser) = Browser::start("a_page_that_makes_it_hard_has_the_chat") else { return };
    let shop = Shop::open().await;
    let texts = json!({ "opening_text": MARKUP, "placeholder_text": MARKUP, "quick_buttons": [{ "text": MARKUP[..50] }] });
    shop.put("", &texts).await;
    shop.put("/widget", &json!({ "notice": MARKUP })).await;
    let origin = shop.origin();
    let policy = format!(
        "default-src 'none'; script-src {origin}; frame-src {origin}; img-src data:; require-trusted-types-for 'script'; trusted-types 'none'"
    );
    let site = Site::of([("/", shop.page().header("Content-Security-Policy", &policy))]).await;
    let tab = browser.tab(DESKTOP).await;
    let blocked = "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('blocked', 'SecurityError'); } });";
    tab.begin_pages_with(blocked).await;
    tab.open(&site.origin()).await;
    open(&tab).await;
    says(&tab, "<b>Bold</b>").await;
    tab.press("<b>Where</b> is the shop?").await;
    tab.press(ENTER).await;
    answered(&tab, 1).await;
    let elements = tab.ask("return document.querySelectorAll('img, b').length", vec![]).await;
    assert_eq!(elements, json!(0), "a text was interpreted");
    tab.press("kept").await;
    tab.leave_frame().await;

    // As frameworks do that load the next page by themselves.
    tab.ask("const next = document.createElement('body'); next.append('The next page'); document.body.replaceWith(next);", vec![]).await;
    tab.enter_frame(&format!("return {FRAME}")).await;
    let state =
        "return [document.querySelectorAll('.visitor').length, document.querySelector('textarea').value]";
    assert_eq!(tab.ask(state, vec![]).await, json!([1, "kept"]), "the frame was not touched");
    tab.leave_frame().await;
    // And as those do that replace everything.
    tab.ask("document.getElementById('frontdesk').remove()", vec![]).await;
    button_is_there(&tab).await;
    enter(&tab).await;
    until("the chat is as it was", async || {
        (tab.ask(state, vec![]).await == json!([1, "kept"])).then_some(())
    })
    .await;
    tab.leave_frame().await;
    assert_ne!(tab.title().await, "run", "markup was run");
    is_clean(tab, &[&site.origin(), &origin]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn another_website_does_not_get_the_chat() {
    let Some(browser) = Browser::start("another_website_does_not_get_the_chat") else { return };
    let shop = Shop::open().await;
    shop.put("/widget", &json!({ "allowed_origins": [shop.site] })).await;
    let site = Site::of([("/", shop.page())]).await;
    let tab = browser.tab(DESKTOP).await;
    tab.open(&site.origin()).await;
    button_is_there(&tab).await;
    tab.ask(
        "window.events = []; frontdesk('on', 'ready', () => events.push('ready')); frontdesk('open')",
        vec![],
    )
    .await;
    until("the frame is given up", async || {
        (tab.ask(&format!("return {FRAME} === null"), vec![]).await == json!(true)).then_some(())
    })
    .await;
    assert_eq!(tab.ask("return events", vec![]).await, json!([]));
    assert!(tab.errors().await.iter().any(|error| error.contains("frame-ancestors")));
    tab.close().await;

    let tab = browser.tab(DESKTOP).await;
    tab.open(&format!("{}/", shop.site)).await;
    open(&tab).await;
    says(&tab, "Ask me about plants").await;
    tab.close().await;
}

/// The service is killed before a message reaches it, and again while it writes the answer.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_message_survives_the_end_of_the_service() {
    let Some(browser) = Browser::start("a_message_survives_the_end_of_the_service") else { return };
    let mut shop = Shop::open().await;
    let site = Site::of([("/", shop.page())]).await;
    let tab = browser.tab(DESKTOP).await;
    tab.open(&site.origin()).await;
    open(&tab).await;
    shop.kill();
    tab.press("Do you deliver on Sundays?").await;
    tab.press(ENTER).await;
    says(&tab, "Do you deliver on Sundays?").await;

    // A model that takes requests and never answers.
    let model = stand_in::serve(Router::new().fallback(std::future::pending::<()>)).await;
    let model = format!("http://{model}/v1");
    shop.restart(&[
        "--assistant-base-url",
        &model,
        "--assistant-model",
        "none",
        "--assistant-allow-network",
        "127.0.0.0/8",
    ]);
    until("the service has the message", async || {
        let last = shop.latest_messages().await.pop().unwrap();
        (last["text"] == "Do you deliver on Sundays?").then_some(())
    })
    .await;
    shop.kill();
    shop.restart(&[]);
    answered(&tab, 1).await;
    let failed = tab.ask("return document.querySelectorAll('.problem').length", vec![]).await;
    assert_eq!(failed, json!(0));
    let stored = shop.latest_messages().await;
    assert_eq!(stored.len(), 2, "stored once and answered once: {stored:?}");
    tab.leave_frame().await;
    tab.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_person_answers_in_the_same_chat() {
    let Some(browser) = Browser::start("a_person_answers_in_the_same_chat") else { return };
    let shop = Shop::open().await;
    let tab = browser.tab(DESKTOP).await;
    tab.open(&format!("{}/", shop.site)).await;
    tab.ask(
        "window.events = []; for (const event of ['handoff', 'unread', 'message', 'contact']) \
         frontdesk('on', event, detail => events.push([event, detail])); frontdesk('ask', 'Where is the shop?');",
        vec![],
    )
    .await;
    enter(&tab).await;
    answered(&tab, 1).await;
    tab.ask("document.querySelector('footer button').click()", vec![]).await;
    says(&tab, "We have asked a colleague").await;
    tab.picture("widget-person").await;
    // The form for contact details has the focus.
    has_focus(&tab, "INPUT").await;
    has_no_barriers(&tab).await;
    tab.press("jo@customer.example").await;
    tab.press(TAB).await;
    tab.press("Jo").await;
    tab.press(ENTER).await;
    says(&tab, "We will be in touch").await;
    tab.press(ESCAPE).await;
    tab.leave_frame().await;

    let reply = json!({ "text": format!("Imogen here. {MARKUP}") });
    let conversation = shop.get("/conversations").await["conversations"][0]["conversation_id"].clone();
    let path = format!("/conversations/{}/messages", conversation.as_str().unwrap());
    shop.send("POST", &path, &reply).await;
    let unread = "return events.filter(([event]) => event === 'unread').map(([, detail]) => detail.count)";
    until("the button counts the reply", async || {
        (tab.ask(unread, vec![]).await == json!([1])).then_some(())
    })
    .await;
    let badge = format!("return {BUTTON}.innerText");
    assert!(tab.ask(&badge, vec![]).await.as_str().unwrap().contains('1'));
    tab.picture("widget-unread").await;
    let events = tab.ask("return events.map(([event]) => event)", vec![]).await;
    for event in ["handoff", "contact", "message"] {
        assert!(events.as_array().unwrap().contains(&json!(event)), "{events}");
    }
    open(&tab).await;
    says(&tab, "Imogen here. <img").await;
    tab.picture("widget-reply").await;
    tab.leave_frame().await;
    is_clean(tab, &[&shop.site, &shop.origin()]).await;
}

/// A page with rules for everything, and another page of the website, which forgets the visitor.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn pages_of_a_website_know_the_same_visitor() {
    let Some(browser) = Browser::start("pages_of_a_website_know_the_same_visitor") else { return };
    let shop = Shop::open().await;
    let tab = browser.tab(DESKTOP).await;
    tab.open(&format!("{}/", shop.site)).await;
    button_is_there(&tab).await;
    tab.ask(
        "const style = document.createElement('style'); style.textContent = 'div:empty { display: none !important }'; \
         document.head.append(style); window.events = []; frontdesk('on', 'ready', () => events.push('ready')); \
         frontdesk('ask', 'Where is the shop?'); frontdesk('ask', 'When are you open on Saturdays?');",
        vec![],
    )
    .await;
    enter(&tab).await;
    answered(&tab, 2).await;
    tab.leave_frame().await;
    let display = "return getComputedStyle(document.getElementById('frontdesk')).display";
    assert_ne!(tab.ask(display, vec![]).await, json!("none"), "a rule of the page hides the chat");

    let forget = "const other = document.createElement('iframe'); other.src = '/faq'; \
                  other.onload = () => other.contentWindow.localStorage.clear(); document.body.append(other);";
    tab.ask(forget, vec![]).await;
    until("the chat begins anew", async || {
        (tab.ask("return events", vec![]).await == json!(["ready", "ready"])).then_some(())
    })
    .await;
    enter(&tab).await;
    let visitor = "return document.querySelectorAll('.visitor').length";
    assert_eq!(tab.ask(visitor, vec![]).await, json!(0));
    tab.leave_frame().await;
    is_clean(tab, &[&shop.site, &shop.origin()]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_unknown_widget_is_no_script() {
    let shop = Shop::open().await;
    let status = async |path: &str| Request::new("GET", path).send(shop.service).await.status.as_u16();
    let key = &shop.widget;
    assert_eq!(status(&format!("/widget/{key}.js")).await, 200);
    assert_eq!(status(&format!("/widget/{key}/panel")).await, 200);
    for path in [
        format!("/widget/{key}"),
        format!("/widget/{key}.css"),
        format!("/widget/{}.js", uuid::Uuid::nil()),
        format!("/widget/{}/panel", uuid::Uuid::nil()),
        "/widget/%00.js".to_owned(),
        "/widget/x/panel".to_owned(),
        "/web/0/widget/panel.js".to_owned(),
    ] {
        assert_eq!(status(&path).await, 404, "{path}");
    }
    shop.put("/widget", &json!({ "enabled": false })).await;
    assert_eq!(status(&format!("/widget/{key}.js")).await, 404);
    assert_eq!(status(&format!("/widget/{key}/panel")).await, 404);
}

impl Shop {
    /// A page of another website that shows the widget.
    fn page(&self) -> Page {
        let html = format!(
            "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>A page</title>\
             <link rel=\"icon\" href=\"data:,\"></head><body><h1>A page</h1>\
             <script async src=\"{}/widget/{}.js\"></script></body></html>",
            self.origin(),
            self.widget
        );
        Page::bytes("text/html; charset=utf-8", html)
    }

    /// Returns the messages of the latest conversation.
    async fn latest_messages(&self) -> Vec<Value> {
        let listed = self.get("/conversations?limit=1").await;
        let id = listed["conversations"][0]["conversation_id"].as_str().unwrap();
        self.get(&format!("/conversations/{id}/messages")).await["messages"].as_array().unwrap().clone()
    }

    async fn get(&self, path: &str) -> Value {
        body_of(&Request::new("GET", &self.path(path)).key(&self.key).send(self.service).await)
    }

    async fn put(&self, path: &str, body: &Value) {
        self.send("PUT", path, body).await;
    }

    async fn send(&self, method: &str, path: &str, body: &Value) {
        let request = Request::new(method, &self.path(path)).key(&self.key).json(body.to_string());
        let response = request.send(self.service).await;
        assert!(response.status.is_success(), "{method} {path}: {}", body_of(&response));
    }
}

async fn button_is_there(tab: &Tab) {
    let script = format!("return Boolean(document.getElementById('frontdesk')?.isConnected && {BUTTON})");
    until("the page has the button", async || (tab.ask(&script, vec![]).await == json!(true)).then_some(()))
        .await;
}

/// Presses the button and looks into the chat.
pub(crate) async fn open(tab: &Tab) {
    button_is_there(tab).await;
    tab.ask(&format!("{BUTTON}.click()"), vec![]).await;
    enter(tab).await;
}

/// Looks into the chat once it is shown.
pub(crate) async fn enter(tab: &Tab) {
    let script =
        format!("return Boolean(document.getElementById('frontdesk') && {FRAME} && !{FRAME}.hidden)");
    until("the chat is shown", async || (tab.ask(&script, vec![]).await == json!(true)).then_some(())).await;
    tab.enter_frame(&format!("return {FRAME}")).await;
    let script = "return document.querySelector('textarea') !== null";
    until("the chat is ready", async || (tab.ask(script, vec![]).await == json!(true)).then_some(())).await;
}

/// Waits until the chat says this.
pub(crate) async fn says(tab: &Tab, text: &str) {
    let script = "return document.querySelector('.log').innerText.includes(arguments[0])";
    let said = async || (tab.ask(script, vec![json!(text)]).await == json!(true)).then_some(());
    until(&format!("the chat says {text:?}"), said).await;
}

/// Waits until so many answers are complete.
pub(crate) async fn answered(tab: &Tab, answers: usize) {
    let script = "return document.querySelectorAll('.rating').length";
    until("the answer is complete", async || (tab.ask(script, vec![]).await == json!(answers)).then_some(()))
        .await;
}

async fn has_no_barriers(tab: &Tab) {
    let barriers = tab.barriers().await;
    assert!(barriers.is_empty(), "{barriers:#?}");
}

async fn has_focus(tab: &Tab, element: &str) {
    let script = "return document.activeElement.tagName";
    until(&format!("{element} has the focus"), async || {
        (tab.ask(script, vec![]).await == json!(element)).then_some(())
    })
    .await;
}

/// Checks that nothing was asked of others, and that the browser had nothing to complain about.
async fn is_clean(tab: Tab, origins: &[&str]) {
    let requests = tab.requests().await;
    assert!(
        requests.iter().any(|address| address.contains("/widget/")),
        "requests are not noted: {requests:?}"
    );
    let is_own = |address: &&String| {
        address.starts_with("about:")
            || origins.iter().any(|origin| address.starts_with(origin.trim_end_matches('/')))
    };
    let foreign: Vec<_> = requests.iter().filter(|address| !is_own(address)).collect();
    assert!(foreign.is_empty(), "{foreign:?}");
    let errors = tab.errors().await;
    // The shop of the demonstration has no icon, which every browser asks for.
    let errors: Vec<_> = errors.iter().filter(|error| !error.contains("/favicon.ico")).collect();
    assert!(errors.is_empty(), "{errors:?}");
    tab.close().await;
}
