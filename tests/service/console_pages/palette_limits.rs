//! The palette on a phone, beside problems of the service, and for people who may see less.

use serde_json::json;

use super::{
    desk::Desk,
    hands::{CONTROL, ENTER, Hands},
    has_no_barriers,
    palette::{FIELD, close, fill, offered, offers, open},
};
use crate::browser::{Browser, NARROW};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_palette_is_quiet_about_problems_and_fits_a_phone() {
    let Some(browser) = Browser::start("the_palette_is_quiet_about_problems_and_fits_a_phone") else {
        return;
    };
    let desk = Desk::set_up().await;
    let tab = browser.tab(NARROW).await;
    tab.darken().await;
    let hands = Hands(&tab);
    desk.sign_in(&tab, "/usage").await;
    hands.sees("AI credits").await;
    fill(&hands).await;

    // Phones have a button. The focus goes back to it.
    hands.press("Search").await;
    hands.has_focus(FIELD).await;
    tab.picture("console-phone-palette").await;
    has_no_barriers(&tab).await;
    let width = tab.ask("return [innerWidth, document.documentElement.scrollWidth]", vec![]).await;
    assert_eq!(width, json!([360, 360]));
    tab.press("nothing of this kind").await;
    hands.sees("Nothing found").await;
    has_no_barriers(&tab).await;
    close(&tab).await;
    hands.has_focus("Search").await;

    // Too many searches: it says so and goes on by itself. What fails otherwise is said in a line.
    let refuse = "
        window.asked = window.fetch;
        window.fetch = (url, init) => {
            const status = String(url).includes('/inbox/threads?') ? 429 : String(url).includes('/deals?') ? 500 : 0;
            const headers = { 'content-type': 'application/json', 'retry-after': '1' };
            const body = JSON.stringify({ status, code: 'refused', message: 'Refused.', request_id: '1' });
            return status === 0 || window.isOver && status === 429 ? window.asked(url, init) : Promise.resolve(new Response(body, { status, headers }));
        };";
    tab.ask(refuse, vec![]).await;
    hands.press("Search").await;
    hands.has_focus(FIELD).await;
    tab.press("lilies").await;
    hands.sees("Too many searches.").await;
    has_no_barriers(&tab).await;
    tab.ask("window.isOver = true", vec![]).await;
    offers(&tab, "A question").await;
    hands.sees("Some results are missing").await;
    tab.picture("console-phone-palette-found").await;
    has_no_barriers(&tab).await;
    tab.press(ENTER).await;
    hands.sees("Do you have lilies?").await;
    tab.ask("window.fetch = window.asked", vec![]).await;

    // Who may see less is offered less.
    desk.demote().await;
    tab.open(&desk.page("/usage")).await;
    hands.sees("AI credits").await;
    open(&tab).await;
    tab.press("team").await;
    hands.sees("Nothing found").await;
    tab.press_with(CONTROL, "a").await;
    tab.press("new").await;
    offers(&tab, "New deal").await;
    assert!(!offered(&tab).await.iter().any(|title| title == "New contact"));
    desk.is_clean(tab, &["/session - "]).await;
}
