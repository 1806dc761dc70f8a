//! Passkeys: added on the profile, used at the sign-in and after the password, renamed, removed.

use serde_json::json;

use super::{
    desk::{Desk, EMAIL, PASSWORD},
    factors::fits,
    hands::{ENTER, Hands},
    has_no_barriers,
};
use crate::{
    browser::{Browser, NARROW},
    patience::until,
};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_passkey_replaces_the_password_on_a_phone() {
    let Some(browser) = Browser::start("a_passkey_replaces_the_password_on_a_phone") else { return };
    let desk = Desk::set_up().await;
    let tab = browser.tab(NARROW).await;
    let hands = Hands(&tab);

    // At an address that cannot have passkeys, the pages name the one that can.
    desk.sign_in(&tab, "/profile").await;
    let desk = desk.at_localhost();
    hands.sees(&format!("Passkeys work at {} only.", desk.origin())).await;
    tab.picture("console-phone-passkeys-elsewhere").await;
    has_no_barriers(&tab).await;
    tab.close().await;

    let tab = browser.tab(NARROW).await;
    let hands = Hands(&tab);
    let device = tab.authenticator().await;
    desk.sign_in(&tab, "/profile").await;
    hands.press("Add a passkey").await;
    hands.sees("your password alone does not suffice").await;
    tab.picture("console-phone-passkey-new").await;
    has_no_barriers(&tab).await;
    fits(&tab).await;
    hands.fill("Name", "<b>My phone</b>").await;
    tab.press(ENTER).await;
    hands.sees("Your recovery codes").await;
    has_no_barriers(&tab).await;
    hands.press("I have kept them").await;
    hands.sees("<b>My phone</b>").await;
    hands.sees("Never used").await;
    hands.sees("10 recovery codes are left.").await;
    hands.press("Rename: <b>My phone</b>").await;
    hands.fill("Name", "Phone").await;
    tab.press(ENTER).await;
    hands.sees("The passkey has its new name.").await;
    // The device has one already.
    hands.press("Add a passkey").await;
    hands.fill("Name", "Phone again").await;
    tab.press(ENTER).await;
    hands.sees("This device has a passkey for you already.").await;
    has_no_barriers(&tab).await;
    hands.press("Cancel").await;
    tab.picture("console-phone-passkeys").await;
    has_no_barriers(&tab).await;
    fits(&tab).await;

    let sign_out = async || {
        hands.press("Menu").await;
        hands.press("Sign out").await;
        hands.sees("You are signed out.").await;
    };
    sign_out().await;
    hands.sees("Sign in with a passkey").await;
    tab.picture("console-phone-sign-in-passkey").await;
    has_no_barriers(&tab).await;
    fits(&tab).await;
    // Whom the device does not recognize is not signed in, and can try again.
    tab.recognize(&device, false).await;
    hands.press("Sign in with a passkey").await;
    hands.sees("No passkey was used.").await;
    tab.picture("console-phone-passkey-unused").await;
    has_no_barriers(&tab).await;
    tab.recognize(&device, true).await;
    hands.press("Sign in with a passkey").await;
    hands.sees("Hello, Imogen Hart").await;

    // After the password, it is the second step.
    tab.open(&desk.page("/profile")).await;
    hands.sees("Last used").await;
    sign_out().await;
    hands.fill("Email address", EMAIL).await;
    hands.fill("Password", PASSWORD).await;
    tab.press(ENTER).await;
    hands.sees("Now your passkey, or one of your recovery codes.").await;
    hands.sees("Use a passkey").await;
    tab.picture("console-phone-passkey-step").await;
    has_no_barriers(&tab).await;
    fits(&tab).await;
    hands.press("Use a passkey").await;
    hands.sees("Hello, Imogen Hart").await;

    tab.open(&desk.page("/audit")).await;
    hands.sees("Added the passkey").await;
    tab.open(&desk.page("/profile")).await;
    desk.let_confirmations_end().await;
    hands.press("Remove: Phone").await;
    hands.sees("It is your only second factor").await;
    has_no_barriers(&tab).await;
    hands.press_in_dialog("Remove").await;
    hands.sees("Is it still you?").await;
    hands.fill("Password", PASSWORD).await;
    tab.press(ENTER).await;
    hands.sees("Phone was removed.").await;
    let is_gone = "return document.querySelector('[aria-label=\"Remove: Phone\"]') === null";
    until("the passkey is gone", async || (tab.ask(is_gone, vec![]).await == json!(true)).then_some(()))
        .await;
    sign_out().await;
    desk.sign_in(&tab, "").await;
    // What was being read when somebody signed out is refused.
    desk.is_clean(tab, &["/session", "/me/"]).await;
}
