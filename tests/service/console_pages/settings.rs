//! The account itself: how long it keeps data, the archive, its end, and the second factor that it requires.

use serde_json::json;

use super::{
    MARKUP,
    account::tick,
    desk::{Desk, EMAIL, PASSWORD},
    factors::add,
    hands::{ENTER, Hands},
    has_no_barriers,
};
use crate::browser::{Browser, DESKTOP, NARROW, Tab};

async fn fits(tab: &Tab) {
    let width = tab.ask("return [innerWidth, document.documentElement.scrollWidth]", vec![]).await;
    assert_eq!(width, json!([360, 360]), "it fits a small screen");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_owner_sets_a_retention_takes_the_data_and_erases_the_account() {
    let name = "an_owner_sets_a_retention_takes_the_data_and_erases_the_account";
    let Some(browser) = Browser::start(name) else { return };
    let desk = Desk::set_up().await;
    let tab = browser.tab(DESKTOP).await;
    let hands = Hands(&tab);
    desk.sign_in(&tab, "").await;
    hands.press("Account").await;
    hands.sees("Conversations are kept without limit.").await;
    tab.picture("console-account").await;
    has_no_barriers(&tab).await;

    hands.fill("Name of your business", MARKUP).await;
    hands.fill("Conversations: days to keep", "half a year").await;
    hands.press("Save").await;
    hands.sees("Enter a whole number of days").await;
    assert_eq!(hands.focused().await, "Conversations: days to keep (optional)");
    has_no_barriers(&tab).await;
    hands.fill("Conversations: days to keep", "180").await;
    hands.sees("Conversations are deleted 180 days after their last message").await;
    // What was written survives a reload.
    tab.open(&desk.page("/account")).await;
    hands.sees("Discard changes").await;
    hands.sees("Conversations are deleted 180 days after their last message").await;
    // What was kept and is not any more is gone for good, so that is asked about; a proof is asked for, too.
    desk.let_confirmations_end().await;
    hands.press("Save").await;
    hands.sees("Delete older data?").await;
    has_no_barriers(&tab).await;
    hands.press_in_dialog("Save and delete").await;
    hands.sees("Is it still you?").await;
    hands.fill("Password", PASSWORD).await;
    tab.press(ENTER).await;
    hands.sees("The settings were saved.").await;
    tab.picture("console-account-saved").await;
    tab.open(&desk.page("/account")).await;
    hands.sees("Conversations are deleted 180 days after their last message").await;
    hands.sees("You can require a second factor of everybody once you have one yourself.").await;

    let saved = "
        const { createObjectURL } = URL;
        return new Promise(resolve => {
            URL.createObjectURL = file => {
                file.slice(0, 2).text().then(begin => resolve([begin, file.size > 1000]));
                return createObjectURL(file);
            };
            [...document.querySelectorAll('main button')].find(button => button.innerText === 'Download all data').click();
        });";
    assert_eq!(tab.ask(saved, vec![]).await, json!(["PK", true]), "the archive arrives");
    hands.sees("The archive was downloaded.").await;

    hands.press("Erase this account").await;
    hands.sees("This deletes at once:").await;
    tab.picture("console-account-erase").await;
    has_no_barriers(&tab).await;
    hands.fill("Type “", "erase").await;
    hands.press_in_dialog("Erase for good").await;
    hands.sees("This is not the name of the account.").await;
    has_no_barriers(&tab).await;
    hands.fill("Type “", MARKUP).await;
    tab.press(ENTER).await;
    hands.sees("The account is erased").await;
    tab.picture("console-account-erased").await;
    has_no_barriers(&tab).await;
    hands.press("To the sign-in").await;
    hands.fill("Email address", EMAIL).await;
    hands.fill("Password", PASSWORD).await;
    tab.press(ENTER).await;
    hands.sees("The email address or the password is wrong.").await;
    desk.is_clean(tab, &["/session", "/account - "]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_required_second_factor_is_added_on_a_phone() {
    let Some(browser) = Browser::start("a_required_second_factor_is_added_on_a_phone") else { return };
    let desk = Desk::set_up().await;
    let tab = browser.tab(NARROW).await;
    tab.darken().await;
    let hands = Hands(&tab);
    desk.sign_in(&tab, "/account").await;
    hands.press("Add one on your profile").await;
    hands.sees("Add a second factor").await;
    add(&tab).await;
    hands.press("I have kept them").await;
    tab.open(&desk.page("/account")).await;
    tick(&tab, "Everybody needs a second factor").await;
    hands.press("Save").await;
    hands.sees("The settings were saved.").await;
    tab.picture("console-phone-account").await;
    has_no_barriers(&tab).await;
    fits(&tab).await;
    hands.press("Erase this account").await;
    hands.sees("This deletes at once:").await;
    tab.picture("console-phone-account-erase").await;
    fits(&tab).await;
    hands.press_in_dialog("Cancel").await;

    // Somebody whose app is lost, whom the operator has helped, adds another one before anything else.
    desk.lose_factors().await;
    tab.open(&desk.page("/keys")).await;
    hands.sees("requires a second factor of everybody").await;
    tab.picture("console-phone-required-factor").await;
    has_no_barriers(&tab).await;
    fits(&tab).await;
    add(&tab).await;
    hands.press("I have kept them").await;
    hands.sees("No API keys").await;
    desk.is_clean(tab, &["/session", "/second-factor/confirm - "]).await;
}
