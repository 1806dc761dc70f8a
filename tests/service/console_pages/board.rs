//! The board, a deal, activities, and the columns of the board: what a person does with them.

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
};

const RIGHT: &str = "\u{e014}";

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_deal_goes_over_the_board() {
    let Some(browser) = Browser::start("a_deal_goes_over_the_board") else { return };
    let desk = Desk::set_up().await;
    let tab = browser.tab(DESKTOP).await;
    let hands = Hands(&tab);
    desk.sign_in(&tab, "/board").await;
    hands.sees("There are no deals yet.").await;
    tab.picture("console-board-empty").await;
    has_no_barriers(&tab).await;
    create(&tab, "/deals", json!({ "title": "Second" })).await;
    lies(&tab, 0, &["Second"]).await;

    hands.press("New deal in New").await;
    hands.press_in_dialog("Add the deal").await;
    hands.sees("Please fill in this field.").await;
    hands.fill("Title", MARKUP).await;
    hands.fill("Value", "1,250").await;
    has_no_barriers(&tab).await;
    hands.press_in_dialog("Add the deal").await;
    hands.sees("was added.").await;
    hands.sees("€1,250").await;
    until("the new card has the focus", async || (hands.focused().await == MARKUP).then_some(())).await;

    // By keys: every step is announced, and others who change the board meanwhile do not disturb it.
    tab.press(" ").await;
    says(&tab, "Picked up.").await;
    tab.press(RIGHT).await;
    says(&tab, "Contacted, position 1 of 1.").await;
    create(&tab, "/deals", json!({ "title": "Third" })).await;
    tab.press(ESCAPE).await;
    says(&tab, "Cancelled.").await;
    hands.sees("Third").await;
    assert_eq!(cards(&tab).await[0][0], MARKUP);
    for key in [" ", RIGHT, RIGHT, " "] {
        tab.press(key).await;
    }
    hands.sees("was moved to Proposal.").await;
    tab.picture("console-board").await;
    has_no_barriers(&tab).await;
    hands.press("Undo").await;
    hands.sees("Undone.").await;
    lies(&tab, 0, &[MARKUP, "Second", "Third"]).await;

    // By a pointer: below the second card.
    tab.ask(
        "const [card, second] = document.querySelectorAll('.deal');
         const point = (type, element, x, y) => element.dispatchEvent(new PointerEvent(type, {
             bubbles: true, cancelable: true, pointerId: 7, isPrimary: true, pointerType: 'mouse', button: 0, clientX: x, clientY: y }));
         const [from, to] = [card, second].map(element => element.getBoundingClientRect());
         point('pointerdown', card.querySelector('a'), from.left + 40, from.top + 20);
         point('pointermove', document.body, from.left + 60, from.top + 40);
         point('pointermove', document.body, to.left + 60, to.bottom - 4);
         point('pointerup', document.body, to.left + 60, to.bottom - 4);",
        vec![],
    )
    .await;
    lies(&tab, 0, &["Second", MARKUP, "Third"]).await;
    assert_eq!(tab.address().await, desk.page("/board"), "the card was not opened");

    // By a dialog, which asks for the reason of a loss.
    hands.press("Actions for Third").await;
    hands.press("Mark as lost").await;
    hands.fill("Reason", MARKUP).await;
    has_no_barriers(&tab).await;
    hands.press_in_dialog("Mark as lost").await;
    hands.sees("is lost.").await;
    lies(&tab, 5, &["Third"]).await;
    hands.press("Actions for Second").await;
    hands.press("Move to").await;
    hands.press_in_dialog("Cancel").await;
    hands.press("Actions for Second").await;
    hands.press("Delete").await;
    hands.press_in_dialog("Delete").await;
    hands.sees("was deleted.").await;
    hands.press("Undo").await;
    hands.sees("Undone.").await;
    lies(&tab, 0, &["Second", MARKUP]).await;
    desk.is_clean(tab, &["/session - "]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_deal_has_activities() {
    let Some(browser) = Browser::start("a_deal_has_activities") else { return };
    let desk = Desk::set_up().await;
    let tab = browser.tab(DESKTOP).await;
    let hands = Hands(&tab);
    desk.sign_in(&tab, "/activities").await;
    hands.sees("Nothing to do").await;
    has_no_barriers(&tab).await;
    let contact = create(&tab, "/contacts", json!({ "name": MARKUP, "email": "ann@customer.example" })).await;
    let deal =
        create(&tab, "/deals", json!({ "title": "First", "contact_ids": [contact["contact_id"]] })).await;
    let page = desk.page(&format!("/deals/{}", deal["deal_id"].as_str().unwrap()));
    tab.open(&page).await;
    hands.sees("added the deal to New").await;
    hands.fill("Title", MARKUP).await;
    hands.sees("Not saved yet").await;
    // A draft survives a reload.
    tab.open(&page).await;
    hands.sees("Not saved yet").await;
    hands.fill("Value", "much").await;
    hands.press("Save").await;
    hands.sees("Must be a decimal number").await;
    hands.fill("Value", "80.50").await;
    hands.press("Save").await;
    hands.sees("The deal was saved.").await;
    hands.sees("€80.50").await;
    hands.press("Mark as won").await;
    hands.sees("won it, from New").await;

    hands.press("New activity").await;
    hands.sees_dialog().await;
    hands.fill("Title", MARKUP).await;
    hands.fill("Note", MARKUP).await;
    has_no_barriers(&tab).await;
    hands.press_in_dialog("Add the activity").await;
    hands.sees("was added.").await;
    tab.picture("console-deal").await;
    has_no_barriers(&tab).await;
    hands.press("Activities").await;
    hands.sees("No date").await;
    tab.picture("console-activities").await;
    has_no_barriers(&tab).await;
    hands.press("Mark as done").await;
    hands.sees("is done.").await;
    hands.sees("Nothing to do").await;
    hands.press("Undo").await;
    hands.sees("No date").await;
    desk.is_clean(tab, &["/session - ", "/deals/"]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_board_has_columns_and_fits_a_phone() {
    let Some(browser) = Browser::start("the_board_has_columns_and_fits_a_phone") else { return };
    let desk = Desk::set_up().await;
    let tab = browser.tab(PHONE).await;
    tab.darken().await;
    let hands = Hands(&tab);
    desk.sign_in(&tab, "/board/columns").await;
    hands.press("New column").await;
    hands.fill("Name", "won").await;
    hands.press_in_dialog("Add").await;
    hands.sees("This name is taken already.").await;
    hands.fill("Name", MARKUP).await;
    has_no_barriers(&tab).await;
    hands.press_in_dialog("Add").await;
    hands.sees("was added.").await;
    hands.press(&format!("Move {MARKUP} up")).await;
    until("the new column is before the last one", async || {
        let names =
            "return [...document.querySelectorAll('.orders h3')].slice(0, 7).map(name => name.textContent)";
        let names = tab.ask(names, vec![]).await;
        (names[5] == MARKUP && names[6] == "Lost").then_some(())
    })
    .await;
    hands.press("New row").await;
    hands.fill("Name", MARKUP).await;
    hands.press_in_dialog("Add").await;
    until("there are two rows", async || {
        let rows = "return document.querySelectorAll('.orders')[1].querySelectorAll('h3').length";
        (tab.ask(rows, vec![]).await == json!(2)).then_some(())
    })
    .await;
    let deal = create(&tab, "/deals", json!({ "title": MARKUP, "value": "1.00", "currency": "EUR" })).await;
    hands.sees("1 deal").await;
    for (name, page, text) in [
        ("board-columns", "/board/columns".to_owned(), "For new deals"),
        ("board", "/board".to_owned(), "1 deal"),
        ("board-deleted", "/board?show=deleted".to_owned(), "No deleted deals"),
        ("deal", format!("/deals/{}", deal["deal_id"].as_str().unwrap()), "added the deal to New"),
        ("activities", "/activities".to_owned(), "Nothing to do"),
    ] {
        tab.open(&desk.page(&page)).await;
        hands.sees(text).await;
        let width = tab.ask("return [innerWidth, document.documentElement.scrollWidth]", vec![]).await;
        assert_eq!(width, json!([390, 390]), "{name} fits a small screen");
        tab.picture(&format!("console-phone-{name}")).await;
        has_no_barriers(&tab).await;
    }
    tab.open(&desk.page("/board/columns")).await;
    hands.press("Delete New").await;
    hands.sees("It has 1 deal.").await;
    has_no_barriers(&tab).await;
    hands.press_in_dialog("Delete").await;
    hands.sees("“New” was deleted.").await;
    tab.open(&desk.page("/board")).await;
    // The deal has gone to the column that was proposed.
    lies(&tab, 0, &[MARKUP]).await;
    desk.is_clean(tab, &["/session - ", "/deal-statuses - "]).await;
}

/// Makes something as a program would, with the session of the page.
async fn create(tab: &Tab, path: &str, body: Value) -> Value {
    let script = "
        return fetch(`/console/api/v1${arguments[0]}`, {
            method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(arguments[1]),
        }).then(response => response.json());";
    let made = tab.ask(script, vec![json!(path), body]).await;
    assert!(made["message"].is_null(), "{made}");
    made
}

/// Waits until screen readers announce this.
async fn says(tab: &Tab, text: &str) {
    let script = "return document.querySelector('[aria-live=assertive]').innerText.includes(arguments[0])";
    until(&format!("{text:?} is announced"), async || {
        (tab.ask(script, vec![json!(text)]).await == json!(true)).then_some(())
    })
    .await;
}

/// The titles of the cards of each column.
async fn cards(tab: &Tab) -> Value {
    let script = "
        return [...document.querySelectorAll('.cell')]
            .map(cell => [...cell.querySelectorAll('.deal > .title')].map(title => title.textContent));";
    tab.ask(script, vec![]).await
}

/// Waits until a column has these cards.
async fn lies(tab: &Tab, column: usize, titles: &[&str]) {
    until(&format!("column {column} has {titles:?}"), async || {
        (cards(tab).await[column] == json!(titles)).then_some(())
    })
    .await;
}
