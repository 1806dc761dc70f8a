//! The pages of the console in a real browser, by the keyboard: set-up, sign-in, keys, and a chatbot from
//! the address of a website to an answer. Each area of pages has a file with its own tests; `journey` goes
//! from an empty installation to a visitor whom a person answers.

mod account;
mod board;
mod chatbots;
mod contacts;
mod desk;
mod factors;
mod hands;
mod home;
mod inbox;
mod journey;
mod keys;
mod palette;
mod palette_limits;
mod passkeys;
mod settings;
mod team;

use std::{
    io::{BufRead, BufReader},
    process::Stdio,
    time::Duration,
};

use serde_json::json;

use self::{
    desk::{Desk, EMAIL, PASSWORD},
    hands::{ENTER, ESCAPE, Hands},
};
use crate::{
    browser::{Browser, DESKTOP, PHONE, Tab},
    patience::until,
    process::{Guard, command},
    site::bakery,
    wire::{Request, header, json as body_of},
};

/// What every field of people holds somewhere in these tests.
const MARKUP: &str = "<img src=x onerror=document.title='run'><b>Bold</b>";

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_set_up_link_leads_to_a_key() {
    let Some(browser) = Browser::start("a_set_up_link_leads_to_a_key") else { return };
    let desk = Desk::start().await;
    let tab = browser.tab(DESKTOP).await;
    tab.open(desk.set_up_link()).await;
    let hands = Hands(&tab);
    hands.sees("Set up Frontdesk").await;
    assert_eq!(tab.address().await, desk.page(""), "the token is in the address");
    tab.picture("console-set-up").await;
    has_no_barriers(&tab).await;

    // Nothing is sent before every field is filled in; the first of them has the focus.
    hands.press("Create the account").await;
    hands.sees("Please fill in this field.").await;
    assert_eq!(hands.focused().await, "Name of your business");
    hands.fill("Name of your business", MARKUP).await;
    hands.fill("Your name", MARKUP).await;
    hands.fill("Email address", "Imogen@Fern.example").await;
    hands.fill("Password", "too short").await;
    hands.press("Create the account").await;
    hands.sees("12").await;
    until("the password has the focus", async || (hands.focused().await == "Password").then_some(())).await;
    // A reload loses neither the link nor what was written, but the password.
    tab.open(&desk.page("")).await;
    hands.sees("Set up Frontdesk").await;
    let values = "return [...document.querySelectorAll('input')].map(input => input.value)";
    assert_eq!(tab.ask(values, vec![]).await, json!([MARKUP, MARKUP, "Imogen@Fern.example", ""]));
    hands.fill("Password", PASSWORD).await;
    hands.press("Create the account").await;
    hands.sees(&format!("Hello, {MARKUP}")).await;
    hands.sees("Create a chatbot").await;
    tab.picture("console-home-new").await;
    has_no_barriers(&tab).await;

    hands.press("API keys").await;
    hands.sees("No API keys").await;
    assert_eq!(tab.address().await, desk.page("/keys"));
    assert_eq!(hands.focused().await, "API keys", "the heading of the new page has the focus");
    hands.press("Create a key").await;
    hands.fill("Name", MARKUP).await;
    tab.press(ENTER).await;
    hands.sees("You will not see it again.").await;
    tab.picture("console-key").await;
    has_no_barriers(&tab).await;
    let key = tab.ask("return document.querySelector('dialog .code').innerText", vec![]).await;
    let key = key.as_str().unwrap().trim().to_owned();
    assert!(key.starts_with("sk_live_"), "{key}");
    hands.press("I have copied it").await;
    hands.sees("Last used").await;
    hands.sees(MARKUP).await;
    let whole = "return document.documentElement.outerHTML.includes(arguments[0])";
    assert_eq!(tab.ask(whole, vec![json!(key)]).await, json!(false), "the key is shown once");
    tab.picture("console-keys").await;
    has_no_barriers(&tab).await;
    let status =
        async || Request::new("GET", "/api/v1/chatbots").key(&key).send(desk.address()).await.status.as_u16();
    assert_ne!(status().await, 401, "the key is known");

    // Escape keeps the key, and the focus goes back.
    hands.press("Delete").await;
    hands.sees("Programs that use it are refused at once.").await;
    tab.press(ESCAPE).await;
    until("the button has the focus again", async || {
        hands.focused().await.starts_with("Delete").then_some(())
    })
    .await;
    hands.press("Delete").await;
    hands.sees("Programs that use it are refused at once.").await;
    hands.press_in_dialog("Delete").await;
    hands.sees("No API keys").await;
    assert_eq!(status().await, 401, "a deleted key is refused at once");

    hands.press("Audit log").await;
    for action in ["Set up the account", "Created the API key", "Deleted the API key"] {
        hands.sees(action).await;
    }
    has_no_barriers(&tab).await;

    // The link works once.
    hands.press("Sign out").await;
    hands.sees("You are signed out.").await;
    tab.open(desk.set_up_link()).await;
    hands.sees("Set up Frontdesk").await;
    for (label, value) in [
        ("Name of your business", "Other"),
        ("Your name", "Other"),
        ("Email address", "other@fern.example"),
        ("Password", PASSWORD),
    ] {
        hands.fill(label, value).await;
    }
    hands.press("Create the account").await;
    hands.sees("This link is not valid").await;
    desk.is_clean(tab, &["/setup - ", "/session - "]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn people_sign_in_and_out() {
    let Some(browser) = Browser::start("people_sign_in_and_out") else { return };
    let desk = Desk::set_up().await;
    let tab = browser.tab(DESKTOP).await;
    let hands = Hands(&tab);
    tab.open(&desk.page("/profile")).await;
    hands.sees("Sign in").await;
    assert_eq!(hands.focused().await, "Email address");
    has_no_barriers(&tab).await;
    hands.fill("Email address", EMAIL).await;
    hands.fill("Password", "not the password").await;
    tab.press(ENTER).await;
    hands.sees("The email address or the password is wrong.").await;
    tab.picture("console-wrong-password").await;
    has_no_barriers(&tab).await;
    hands.fill("Password", PASSWORD).await;
    tab.press(ENTER).await;
    // The page that was asked for.
    hands.sees("Where you are signed in").await;
    hands.sees("This browser").await;
    assert_eq!(tab.title().await, "Profile – Frontdesk");
    let readable = tab.ask("return document.cookie", vec![]).await;
    assert_eq!(readable, json!(""), "scripts can read the cookie");

    // Another browser ends the sessions of this one.
    let other = browser.tab(PHONE).await;
    let others = Hands(&other);
    desk.sign_in(&other, "/profile").await;
    others.fill("Current password", PASSWORD).await;
    others.fill("New password", "a wholly new password 7").await;
    others.press("Change the password").await;
    others.sees("Your password was changed.").await;
    hands.fill("Name", "Somebody").await;
    hands.press("Save").await;
    hands.sees("Your session has ended.").await;
    tab.picture("console-session-ended").await;

    hands.fill("Email address", EMAIL).await;
    hands.fill("Password", "a wholly new password 7").await;
    tab.press(ENTER).await;
    hands.sees("Where you are signed in").await;
    hands.fill("Name", MARKUP).await;
    hands.press("Save").await;
    hands.sees("Your name was saved.").await;
    hands.press("Sign out").await;
    hands.sees("You are signed out.").await;
    tab.open(&desk.page("/keys")).await;
    hands.sees("Email address").await;
    desk.is_clean(other, &["/session - "]).await;
    desk.is_clean(tab, &["/session - ", "/me - "]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn links_let_people_in_once() {
    let Some(browser) = Browser::start("links_let_people_in_once") else { return };
    let desk = Desk::set_up().await;
    let tab = browser.tab(DESKTOP).await;
    let hands = Hands(&tab);
    let link = desk.reset_link().await;
    tab.open(&link).await;
    hands.sees("Choose a new password").await;
    assert_eq!(tab.address().await, desk.page(""), "the token is in the address");
    tab.picture("console-new-password").await;
    has_no_barriers(&tab).await;
    hands.fill("New password", "imogen@fern.example").await;
    tab.press(ENTER).await;
    until("a password that is the email address is refused", async || {
        let wrong = "return document.querySelector('.wrong')?.innerText ?? ''";
        tab.ask(wrong, vec![]).await.as_str().filter(|text| !text.is_empty()).map(drop)
    })
    .await;
    hands.fill("New password", "a wholly new password 7").await;
    tab.press(ENTER).await;
    hands.sees("Hello, Imogen Hart").await;
    hands.press("Sign out").await;
    hands.sees("You are signed out.").await;

    tab.open("about:blank").await;
    tab.open(&link).await;
    hands.fill("New password", "another new password 8").await;
    tab.press(ENTER).await;
    hands.sees("This link is not valid").await;
    tab.picture("console-used-link").await;
    has_no_barriers(&tab).await;
    hands.press("To the sign-in").await;
    hands.sees("Email address").await;

    // A link to sign in with, which somebody pastes into the page that is open.
    tab.ask("location.hash = 'link=unknown'", vec![]).await;
    hands.sees("Sign in with a link").await;
    has_no_barriers(&tab).await;
    hands.press("Sign in").await;
    hands.sees("This link is not valid").await;
    desk.is_clean(tab, &["/session", "/redeem - ", "about:blank"]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_demonstration_signs_its_owner_in() {
    let Some(browser) = Browser::start("the_demonstration_signs_its_owner_in") else { return };
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["serve", "--demo", "--listen", "127.0.0.1:0", "--search-model", "none"];
    let url = format!("sqlite:{}/demo.db", folder.path().display());
    let mut command = command(&url, folder.path(), &arguments);
    let mut process = Guard(command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap());
    // It is read until the end of the test, so that printing never fails.
    let mut printed = BufReader::new(process.0.stdout.take().unwrap()).lines().map(Result::unwrap);
    let prefix = "The console, signed in as the owner of the shop: ";
    let link = printed.find_map(|line| Some(line.strip_prefix(prefix)?.to_owned()));
    let link = link.expect("it prints a link");
    let tab = browser.tab(DESKTOP).await;
    let hands = Hands(&tab);
    tab.open(&link).await;
    hands.sees("Sign in with a link").await;
    assert!(!tab.address().await.contains('#'), "the token is in the address");
    tab.picture("console-link").await;
    hands.press("Sign in").await;
    hands.sees("Hello, ").await;
    hands.press("Chatbots").await;
    hands.sees("Fern & Fable helper").await;
    tab.picture("console-demonstration").await;

    // Contacts that cannot be read are asked for once each, not again and again.
    let refuse = "
        const real = window.fetch;
        window.refused = 0;
        window.fetch = (url, init) => {
            if (!/\\/contacts\\/[0-9a-f-]{36}$/.test(url)) return real(url, init);
            window.refused += 1;
            return Promise.resolve(new Response('{}', { status: 429, headers: { 'Content-Type': 'application/json' } }));
        };";
    tab.ask(refuse, vec![]).await;
    hands.press("Conversations").await;
    let refused = async || tab.ask("return window.refused", vec![]).await.as_i64().unwrap();
    until("a contact is asked for", async || (refused().await > 0).then_some(())).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let refused = refused().await;
    assert!(refused < 50, "{refused} requests for the contacts of one list");

    let links =
        tab.ask("return [...document.querySelectorAll('nav a')].map(link => link.href)", vec![]).await;
    let links: Vec<&str> = links.as_array().unwrap().iter().filter_map(|link| link.as_str()).collect();
    assert!(links.len() > 10, "{links:?}");
    // Each page is loaded anew, which takes long on a busy machine, so every fourth is.
    for link in links.into_iter().step_by(4) {
        tab.open(link).await;
        let shown = "return document.querySelector('main h1') !== null && document.querySelector('[aria-busy=true]') === null";
        let is_shown = async || (tab.ask(shown, vec![]).await == json!(true)).then_some(());
        until(&format!("{link} is shown"), is_shown).await;
    }
    // Before the sign-in, there is no session.
    let is_meant = |error: &&String| error.contains("/console/v1/session - ") && error.contains(" 401 ");
    let errors = tab.errors().await;
    let errors: Vec<_> = errors.iter().filter(|error| !is_meant(error)).collect();
    assert!(errors.is_empty(), "{errors:?}");
    tab.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn keys_need_a_recent_sign_in() {
    let Some(browser) = Browser::start("keys_need_a_recent_sign_in") else { return };
    let desk = Desk::set_up().await;
    let tab = browser.tab(DESKTOP).await;
    let hands = Hands(&tab);
    desk.sign_in(&tab, "/keys").await;
    hands.sees("No API keys").await;
    desk.let_confirmations_end().await;
    hands.press("Create a key").await;
    hands.fill("Name", "Shop").await;
    tab.press(ENTER).await;
    hands.sees("Is it still you?").await;
    tab.picture("console-confirmation").await;
    has_no_barriers(&tab).await;
    hands.fill("Password", "not the password").await;
    tab.press(ENTER).await;
    until("the wrong password is refused", async || {
        let wrong = "return document.querySelector('dialog:last-of-type .wrong')?.innerText ?? ''";
        tab.ask(wrong, vec![]).await.as_str().filter(|text| !text.is_empty()).map(drop)
    })
    .await;
    hands.fill("Password", PASSWORD).await;
    tab.press(ENTER).await;
    // What was asked for is done, without being asked for again.
    hands.sees("You will not see it again.").await;
    hands.press("I have copied it").await;
    hands.sees("Shop").await;

    desk.let_confirmations_end().await;
    hands.press("Delete").await;
    hands.press_in_dialog("Delete").await;
    hands.sees("Is it still you?").await;
    hands.press_in_dialog("Cancel").await;
    hands.sees("Last used").await;
    desk.is_clean(tab, &["/session - ", "/keys", "/confirm - "]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_website_becomes_a_chatbot_that_answers() {
    let Some(browser) = Browser::start("a_website_becomes_a_chatbot_that_answers") else { return };
    let desk = Desk::set_up().await;
    let site = bakery().await;
    let tab = browser.tab(DESKTOP).await;
    let hands = Hands(&tab);
    desk.sign_in(&tab, "/chatbots").await;
    hands.sees("No chatbot yet").await;
    tab.picture("console-chatbots-empty").await;
    has_no_barriers(&tab).await;
    hands.press("New chatbot").await;
    hands.fill("Address of your website", "no address").await;
    hands.fill("Name of your business", MARKUP).await;
    hands.press("Create the chatbot").await;
    hands.sees("This is not a web address.").await;
    // A draft survives a reload.
    tab.open(&desk.page("/chatbots/new")).await;
    hands.sees("Name of your business").await;
    let drafted = "return document.querySelector('[name=business_name]').value";
    until("the draft is back", async || (tab.ask(drafted, vec![]).await == json!(MARKUP)).then_some(()))
        .await;
    hands.fill("Address of your website", &site.url("/")).await;
    tab.press(ENTER).await;
    hands.sees("is being created.").await;
    hands.sees("The chatbot has learned your content").await;
    hands.sees("5\nready").await;
    tab.picture("console-chatbot").await;
    has_no_barriers(&tab).await;
    let chatbot = tab.address().await;

    hands.press("What became of each page").await;
    hands.sees("/opening-hours").await;
    tab.picture("console-report").await;
    has_no_barriers(&tab).await;
    tab.ask(
        "const select = document.querySelector('select'); select.value = 'failed'; \
         select.dispatchEvent(new Event('change'))",
        vec![],
    )
    .await;
    hands.sees("There are no pages with this outcome.").await;

    tab.open(&format!("{chatbot}/playground")).await;
    hands.sees("Ask what your customers ask").await;
    hands.fill("Your question", "What does delivery cost?").await;
    hands.press("Send").await;
    hands.sees("4.90 pounds").await;
    hands.sees("Why this answer?").await;
    let links = "return [...document.querySelectorAll('.sources a')].map(link => link.href)";
    let links = tab.ask(links, vec![]).await;
    assert_eq!(links[0], json!(site.url("/delivery")), "{links}");
    hands.press("Why this answer?").await;
    hands.sees("What it found, best first").await;
    hands.sees("Quoted").await;
    tab.picture("console-playground").await;
    has_no_barriers(&tab).await;
    hands.fill("Your question", MARKUP).await;
    hands.press("Send").await;
    until("there are two answers", async || {
        let answers = "return document.querySelectorAll('.answer .words').length > 0 \
                       && document.querySelectorAll('.answer > .link').length === 2";
        (tab.ask(answers, vec![]).await == json!(true)).then_some(())
    })
    .await;
    hands.sees(MARKUP).await;

    hands.press("Put it on your website").await;
    hands.sees("Paste this line").await;
    tab.picture("console-widget").await;
    has_no_barriers(&tab).await;
    let line = tab.ask("return document.querySelector('.copy .code').innerText", vec![]).await;
    let line = line.as_str().unwrap();
    let script = line.split('"').nth(1).unwrap().strip_prefix(&desk.origin()).unwrap();
    let script = Request::new("GET", script).send(desk.address()).await;
    assert_eq!(
        (script.status.as_u16(), header(&script, "content-type")),
        (200, "text/javascript; charset=utf-8")
    );

    hands.press("Websites").await;
    hands.press("Delete this chatbot").await;
    hands.press_in_dialog("Delete").await;
    hands.sees("No chatbot yet").await;
    desk.is_clean(tab, &["/session - "]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_page_fits_a_phone_and_the_dark() {
    let Some(browser) = Browser::start("every_page_fits_a_phone_and_the_dark") else { return };
    let desk = Desk::set_up().await;
    let site = bakery().await;
    let tab = browser.tab(PHONE).await;
    tab.darken().await;
    let hands = Hands(&tab);
    desk.sign_in(&tab, "/chatbots/new").await;
    hands.fill("Address of your website", &site.url("/")).await;
    hands.fill("Name of your business", "Blue Door Bakery").await;
    tab.press(ENTER).await;
    hands.sees("The chatbot has learned your content").await;
    let chatbot = tab.address().await;
    let report = "return document.querySelector('.site a').href";
    let report = tab.ask(report, vec![]).await.as_str().unwrap().to_owned();
    for (name, address, text) in [
        ("home", desk.page(""), "Get started"),
        ("chatbots", desk.page("/chatbots"), "Created on"),
        ("new-chatbot", desk.page("/chatbots/new"), "First message"),
        ("chatbot", chatbot.clone(), "Websites"),
        ("playground", format!("{chatbot}/playground"), "Ask what"),
        ("widget", format!("{chatbot}/widget"), "Paste this line"),
        ("report", report, "/delivery"),
        ("keys", desk.page("/keys"), "No API keys"),
        ("team", desk.page("/team"), "Owner"),
        ("audit", desk.page("/audit"), "Signed in"),
        ("account", desk.page("/account"), "How long data is kept"),
        ("profile", desk.page("/profile"), "This browser"),
    ] {
        tab.open(&address).await;
        hands.sees(text).await;
        let width = tab.ask("return [innerWidth, document.documentElement.scrollWidth]", vec![]).await;
        assert_eq!(width, json!([390, 390]), "{name} fits a small screen");
        tab.picture(&format!("console-phone-{name}")).await;
        has_no_barriers(&tab).await;
    }
    hands.press("Menu").await;
    hands.press("Home").await;
    hands.sees("Get started").await;
    desk.is_clean(tab, &["/session - "]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_is_not_a_page_is_none() {
    let desk = Desk::start().await;
    let get = async |path: &str| Request::new("GET", path).send(desk.address()).await;
    for path in ["/console", "/console/keys", "/console/chatbots/1/websites/2"] {
        let page = get(path).await;
        assert_eq!(page.status.as_u16(), 200, "{path}");
        assert_eq!(header(&page, "content-type"), "text/html; charset=utf-8");
        assert_eq!(header(&page, "cache-control"), "no-cache");
        let policy = header(&page, "content-security-policy");
        for part in [
            "default-src 'none'",
            "script-src 'self'",
            "frame-ancestors 'none'",
            "require-trusted-types-for 'script'",
        ] {
            assert!(policy.contains(part), "{path}: {part} is missing in {policy}");
        }
    }
    for path in ["/console/nothing", "/console/v1/nothing", "/console/v1"] {
        let missing = get(path).await;
        assert_eq!(missing.status.as_u16(), 404, "{path}");
        assert!(body_of(&missing)["message"].is_string(), "{path}");
    }
    assert_eq!(Request::new("POST", "/console/keys").send(desk.address()).await.status.as_u16(), 405);
}

async fn has_no_barriers(tab: &Tab) {
    let barriers = tab.barriers().await;
    assert!(barriers.is_empty(), "{barriers:#?}");
}
