//! The second factor: added on the profile, asked for at the sign-in, replaced by recovery codes, removed.

use serde_json::json;

use super::{
    desk::{Desk, EMAIL, PASSWORD},
    hands::{ENTER, Hands},
    has_no_barriers,
};
use crate::{
    browser::{Browser, DESKTOP, NARROW, Tab},
    console::factors::App,
    patience::until,
};

/// Adds a second factor on the profile, and returns the app and the recovery codes.
pub(super) async fn add(tab: &Tab) -> (App, Vec<String>) {
    let hands = Hands(tab);
    hands.press("Add a second factor").await;
    hands.sees("Or type this secret into the app").await;
    let shown = "return document.querySelector('dialog img').naturalWidth > 0";
    until("the picture is drawn", async || (tab.ask(shown, vec![]).await == json!(true)).then_some(())).await;
    let secret = tab.ask("return document.querySelector('dialog .copy .code').innerText", vec![]).await;
    let app = App::new(&secret.as_str().unwrap().replace(char::is_whitespace, ""));
    assert_eq!(hands.focused().await, "Code");
    tab.picture("console-second-factor").await;
    has_no_barriers(tab).await;
    hands.fill("Code", "no code").await;
    tab.press(ENTER).await;
    hands.sees("Is wrong, or was used already").await;
    hands.fill("Code", &app.code()).await;
    tab.press(ENTER).await;
    hands.sees("Your recovery codes").await;
    until("the heading has the focus", async || {
        (hands.focused().await == "Your recovery codes").then_some(())
    })
    .await;
    let codes = "return [...document.querySelectorAll('dialog .recovery li')].map(code => code.innerText)";
    let codes: Vec<String> = serde_json::from_value(tab.ask(codes, vec![]).await).unwrap();
    assert_eq!(codes.len(), 10);
    (app, codes)
}

/// Enters the password at the sign-in, after which a code is asked for.
async fn enter_password(hands: &Hands<'_>) {
    hands.fill("Email address", EMAIL).await;
    hands.fill("Password", PASSWORD).await;
    hands.0.press(ENTER).await;
    hands.sees("Enter your code").await;
}

pub(super) async fn fits(tab: &Tab) {
    let width = tab.ask("return [innerWidth, document.documentElement.scrollWidth]", vec![]).await;
    assert_eq!(width, json!([360, 360]), "it fits a small screen");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_code_is_asked_for_at_the_sign_in() {
    let Some(browser) = Browser::start("a_code_is_asked_for_at_the_sign_in") else { return };
    let desk = Desk::set_up().await;
    let tab = browser.tab(DESKTOP).await;
    let hands = Hands(&tab);
    desk.sign_in(&tab, "/profile").await;
    hands.sees("Add a second factor").await;
    tab.picture("console-second-factor-off").await;
    let (app, codes) = add(&tab).await;
    tab.picture("console-recovery-codes").await;
    has_no_barriers(&tab).await;
    let saved = "
        const { createObjectURL } = URL;
        return new Promise(resolve => {
            URL.createObjectURL = file => {
                file.text().then(resolve);
                return createObjectURL(file);
            };
            [...document.querySelectorAll('dialog button')].find(button => button.innerText === 'Download').click();
        });";
    let file = tab.ask(saved, vec![]).await;
    assert!(
        file.as_str().is_some_and(|file| file.contains(&codes.join("\n")) && file.contains(EMAIL)),
        "{file}"
    );
    hands.press("I have kept them").await;
    hands.sees("10 recovery codes are left.").await;
    tab.picture("console-second-factor-on").await;
    has_no_barriers(&tab).await;
    let whole = "return document.documentElement.outerHTML.includes(arguments[0])";
    assert_eq!(tab.ask(whole, vec![json!(codes[0])]).await, json!(false), "they are shown once");

    hands.press("Sign out").await;
    hands.sees("You are signed out.").await;
    tab.open(&desk.page("/profile")).await;
    enter_password(&hands).await;
    assert_eq!(hands.focused().await, "Code");
    let field = "const { autocomplete, inputMode } = document.querySelector('input'); return [autocomplete, inputMode]";
    assert_eq!(tab.ask(field, vec![]).await, json!(["one-time-code", "numeric"]));
    tab.picture("console-code").await;
    has_no_barriers(&tab).await;
    // A reload asks for the code again, and no other page opens without it.
    tab.open(&desk.page("/keys")).await;
    hands.sees("Enter your code").await;
    tab.open(&desk.page("/profile")).await;
    hands.sees("Enter your code").await;
    hands.fill("Code", "no code").await;
    tab.press(ENTER).await;
    hands.sees("Is wrong, or was used already").await;
    tab.picture("console-code-wrong").await;
    has_no_barriers(&tab).await;
    desk.let_codes_be_new().await;
    hands.fill("Code", &app.code()).await;
    tab.press(ENTER).await;
    hands.sees("Where you are signed in").await;

    tab.open(&desk.page("/team")).await;
    hands.sees("Second factor").await;
    let cell = "return document.querySelector('td[data-label=\"Second factor\"]').innerText";
    until("the team shows it", async || (tab.ask(cell, vec![]).await == json!("Yes")).then_some(())).await;
    tab.picture("console-team-second-factor").await;
    has_no_barriers(&tab).await;
    tab.open(&desk.page("/audit")).await;
    hands.sees("Added a second factor").await;

    // Nobody waits for ever, and a sign-in can be given up.
    hands.press("Sign out").await;
    enter_password(&hands).await;
    desk.let_sign_ins_end().await;
    hands.fill("Code", &app.code()).await;
    tab.press(ENTER).await;
    hands.sees("You took too long.").await;
    enter_password(&hands).await;
    hands.press("Back to the sign-in").await;
    hands.sees("Forgotten your password?").await;
    tab.open(&desk.page("")).await;
    hands.sees("Email address").await;

    // A new password that was chosen with a link is followed by the code, too.
    tab.open(&desk.reset_link().await).await;
    hands.fill("New password", "a wholly new password 7").await;
    tab.press(ENTER).await;
    hands.sees("Enter your code").await;
    desk.let_codes_be_new().await;
    hands.fill("Code", &app.code()).await;
    tab.press(ENTER).await;
    hands.sees("Hello, Imogen Hart").await;
    desk.is_clean(tab, &["/session", "/second-factor/confirm - "]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_recovery_code_replaces_the_app_on_a_phone() {
    let Some(browser) = Browser::start("a_recovery_code_replaces_the_app_on_a_phone") else { return };
    let desk = Desk::set_up().await;
    let tab = browser.tab(NARROW).await;
    tab.darken().await;
    let hands = Hands(&tab);
    desk.sign_in(&tab, "/profile").await;
    let (app, codes) = add(&tab).await;
    tab.picture("console-phone-recovery-codes").await;
    has_no_barriers(&tab).await;
    fits(&tab).await;
    hands.press("I have kept them").await;
    hands.sees("10 recovery codes are left.").await;
    hands.press("Menu").await;
    hands.press("Sign out").await;
    hands.sees("You are signed out.").await;
    tab.open(&desk.page("/profile")).await;
    enter_password(&hands).await;
    fits(&tab).await;
    tab.picture("console-phone-code").await;
    has_no_barriers(&tab).await;
    hands.press("Use a recovery code instead").await;
    hands.sees("Enter a recovery code").await;
    until("the field has the focus", async || (hands.focused().await == "Recovery code").then_some(())).await;
    hands.press("Neither app nor codes?").await;
    hands.sees("frontdesk user factors EMAIL --remove").await;
    tab.picture("console-phone-recovery").await;
    has_no_barriers(&tab).await;
    fits(&tab).await;
    hands.fill("Recovery code", &codes[0]).await;
    tab.press(ENTER).await;
    hands.sees("9 recovery codes are left.").await;

    // Few codes are a reason to make new ones.
    desk.leave_few_codes().await;
    tab.open(&desk.page("/profile")).await;
    hands.sees("Make new ones before you run out").await;
    fits(&tab).await;
    tab.picture("console-phone-second-factor").await;
    has_no_barriers(&tab).await;
    desk.let_codes_be_new().await;
    desk.let_confirmations_end().await;
    hands.press("Make new recovery codes").await;
    hands.fill("Code of the app, or a recovery code", &app.code()).await;
    tab.press(ENTER).await;
    hands.sees("Is it still you?").await;
    hands.fill("Password", PASSWORD).await;
    tab.press(ENTER).await;
    hands.sees("Your recovery codes").await;
    hands.press("I have kept them").await;
    hands.sees("10 recovery codes are left.").await;

    hands.press("Remove the second factor").await;
    hands.sees("Remove the second factor?").await;
    hands.fill("Code of the app, or a recovery code", "no code").await;
    tab.press(ENTER).await;
    hands.sees("Is wrong, or was used already").await;
    tab.picture("console-phone-remove").await;
    has_no_barriers(&tab).await;
    desk.let_codes_be_new().await;
    hands.fill("Code of the app, or a recovery code", &app.code()).await;
    tab.press(ENTER).await;
    hands.sees("Your second factor was removed.").await;
    hands.sees("Add a second factor").await;
    desk.is_clean(tab, &["/session", "/second-factor/"]).await;
}
