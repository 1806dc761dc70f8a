//! The reference page in a real browser: from the service, and from the folder that `cargo xtask docs`
//! writes. Contact forms are beside it (`forms`).
//!
//! What must be on it is read from the bundle. The browser is a Chromium that `FRONTDESK_BROWSER` names, with
//! its `chromedriver` in the path; without it these tests say that they are skipped.

mod expected;
mod forms;

use std::{path::Path, time::Duration};

use frontdesk_openapi::command_line::DocsArguments;
use serde_json::json;

use self::expected::{Expected, Operation};
use crate::{
    browser::{Browser, DESKTOP, PHONE, Tab},
    database::Database,
    patience::until,
    process::Process,
};

/// How often a section is looked at, and how long the page has in between, to show it.
const LOOKS: usize = 400;
const PAUSE: Duration = Duration::from_millis(250);

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_service_shows_every_operation() {
    let Some(browser) = Browser::start("the_service_shows_every_operation") else { return };
    let database = Database::sqlite().await;
    let service = Process::start(&database, &[]);
    let origin = format!("http://{}/", service.address);
    // The list beside the page is held to all operations. Their sections take seconds each, so one of every
    // third tag is looked at, and some of these are searched for and looked at on a small screen.
    let operations: Vec<Operation> = Expected::read().one_of_each_tag().into_iter().step_by(3).collect();
    let sample = sample(&operations);
    assert!(sample.iter().any(|operation| operation.word.is_some()), "no description is searched for");
    judge(browser.tab(DESKTOP).await, &origin, "docs", &operations, &sample).await;
    judge(browser.tab(PHONE).await, &origin, "docs", &sample, &sample).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_folder_shows_every_operation() {
    let Some(browser) = Browser::start("the_folder_shows_every_operation") else { return };
    let folder = tempfile::tempdir().unwrap();
    write(folder.path());
    // A second time over what is there, as after a change.
    write(folder.path());
    // The files are those of the service, so a sample of their operations is enough.
    let sample = sample(&Expected::read().one_of_each_tag());
    judge(browser.tab(DESKTOP).await, &address(folder.path()), "index.html", &sample, &sample).await;
}

/// The judgment itself: a page that does what it must not is noticed.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_a_page_must_not_do_is_noticed() {
    let Some(browser) = Browser::start("what_a_page_must_not_do_is_noticed") else { return };
    let folder = tempfile::tempdir().unwrap();
    write(folder.path());
    let origin = address(folder.path());
    let place = folder.path().join("index.html");
    let page = std::fs::read_to_string(&place).unwrap();
    let foreign = r#"<link rel="stylesheet" href="http://fonts.example/font.css"></head>"#;

    // The policy within the page stops it, and the browser says so.
    std::fs::write(&place, page.replace("</head>", foreign)).unwrap();
    let tab = browser.tab(DESKTOP).await;
    tab.open(&format!("{origin}index.html")).await;
    let errors = tab.errors().await;
    assert!(errors.iter().any(|error| error.contains("Content Security Policy")), "{errors:?}");
    tab.close().await;

    // Without the policy it goes out.
    let start = page.find("<meta http-equiv").unwrap();
    let end = start + page[start..].find('>').unwrap() + 1;
    std::fs::write(&place, page.replace(&page[start..end], "").replace("</head>", foreign)).unwrap();
    let tab = browser.tab(DESKTOP).await;
    tab.open(&format!("{origin}index.html")).await;
    let requests = tab.requests().await;
    assert!(requests.iter().any(|address| address.starts_with("http://fonts.example/")), "{requests:?}");
    tab.close().await;
}

/// What `cargo xtask docs` writes.
fn write(folder: &Path) {
    let arguments = DocsArguments { file: None, out: Some(folder.to_owned()) };
    assert_eq!(
        frontdesk_openapi::docs::run(&xtask::workspace::program().unwrap(), &arguments).unwrap(),
        frontdesk_commands::Exit::Done
    );
}

fn address(folder: &Path) -> String {
    url::Url::from_directory_path(folder).unwrap().into()
}

/// Three operations: of the first tag, of the last, and of one between.
fn sample(operations: &[Operation]) -> Vec<Operation> {
    [0, operations.len() / 2, operations.len() - 1].map(|index| operations[index].clone()).into()
}

/// Checks the page of an origin: the list of all operations, the sections of `operations`, and searches for
/// `searched`.
async fn judge(tab: Tab, origin: &str, page: &str, operations: &[Operation], searched: &[Operation]) {
    let expected = Expected::read();
    let page = format!("{origin}{page}");
    tab.open(&page).await;
    assert_eq!(tab.title().await, expected.title);
    if tab.screen.has_sidebar() {
        until("the list has every operation", async || all_listed(&tab, &expected.operations).await).await;
    }
    for operation in operations {
        // Another page between, because a change of the fragment alone would not load this one.
        tab.open("about:blank").await;
        tab.open(&link(&page, operation)).await;
        shows(&tab, operation).await;
    }
    let wide = tab.ask("return document.documentElement.scrollWidth - window.innerWidth", vec![]).await;
    assert!(wide.as_i64().unwrap() <= 0, "the page is {wide} pixels wider than {:?}", tab.screen);
    for operation in searched {
        finds(&tab, operation, &operation.summary).await;
        if let Some(word) = &operation.word {
            finds(&tab, operation, word).await;
        }
    }

    let requests: Vec<String> = tab.requests().await;
    let script = format!("{origin}docs/scalar.js");
    assert!(requests.contains(&script), "what the page asks for was not noted: {requests:?}");
    let foreign: Vec<_> = requests.iter().filter(|address| !address.starts_with(origin)).collect();
    assert!(foreign.iter().all(|address| *address == "about:blank"), "{foreign:?}");
    let errors = tab.errors().await;
    assert!(errors.is_empty(), "{errors:?}");
    tab.close().await;
}

fn link(page: &str, operation: &Operation) -> String {
    format!("{page}#tag/{}/{}", operation.tag, operation.id)
}

/// Whether every operation stands in the list beside the page, under its summary.
async fn all_listed(tab: &Tab, operations: &[Operation]) -> Option<()> {
    let script = "
        return [...document.querySelectorAll('aside a')].map(link => [link.getAttribute('href'), link.innerText]);";
    let listed = tab.ask(script, vec![]).await;
    let links: Vec<(&str, &str)> = listed
        .as_array()?
        .iter()
        .filter_map(|link| Some((link.get(0)?.as_str()?, link.get(1)?.as_str()?)))
        .collect();
    let is_listed = |operation: &Operation| {
        let fragment = link("", operation);
        links.iter().any(|(href, text)| href.ends_with(&fragment) && text.contains(&operation.summary))
    };
    operations.iter().all(is_listed).then_some(())
}

/// Waits until the section of the operation is in sight and says everything that it must.
async fn shows(tab: &Tab, operation: &Operation) {
    let script = "
        const [id] = arguments;
        const section = [...document.querySelectorAll('section[id]')].find(section => section.id.endsWith(id));
        if (!section) return null;
        const { top, bottom } = section.getBoundingClientRect();
        if (top >= window.innerHeight || bottom <= 0) return null;
        return section.innerText.replace(/\\u200b/g, '').replace(/\\s+/g, ' ');";
    let id = format!("/{}", operation.id);
    // Once for all texts: each look lays out the whole page.
    let mut missing = String::new();
    for _ in 0..LOOKS {
        let said = tab.ask(script, vec![json!(id)]).await;
        let said = said.as_str().unwrap_or_default();
        let Some(text) = operation.texts.iter().find(|text| !said.contains(text.as_str())) else { return };
        missing.clone_from(text);
        tokio::time::sleep(PAUSE).await;
    }
    panic!("{} is not in sight, or does not say {missing:?}", operation.id);
}

/// Types a text into the search, takes the operation from what it finds, and waits until it is in sight.
async fn finds(tab: &Tab, operation: &Operation, text: &str) {
    if !tab.screen.has_sidebar() {
        press(tab, "Open Menu").await;
    }
    press(tab, "Open Search").await;
    let focus = "return document.activeElement.tagName === 'INPUT'";
    let focused = async || (tab.ask(focus, vec![]).await == json!(true)).then_some(());
    until("the search has the focus", focused).await;
    tab.type_text(text).await;
    let script = "
        const [id] = arguments;
        const found = [...document.querySelectorAll('[role=option]')].find(option => option.id.endsWith(id));
        found?.click();
        return found !== undefined;";
    let id = format!("/{}", operation.id);
    let taken = async || (tab.ask(script, vec![json!(id)]).await == json!(true)).then_some(());
    until(&format!("a search for {text:?} finds {}", operation.id), taken).await;
    shows(tab, operation).await;
    let address = tab.address().await;
    assert!(address.ends_with(&id), "{address} is no link to {}", operation.id);
}

/// Presses the button that says this, once it is there.
async fn press(tab: &Tab, says: &str) {
    let script = "
        const [says] = arguments;
        const shown = [...document.querySelectorAll('button')].filter(button => button.offsetParent !== null);
        const button = shown.find(button => button.innerText.includes(says));
        button?.click();
        return button !== undefined;";
    let pressed = async || (tab.ask(script, vec![json!(says)]).await == json!(true)).then_some(());
    until(&format!("there is a button {says:?}"), pressed).await;
}
