//! The team: inviting somebody, who joins and gets another role; and a person of two accounts.

use serde_json::json;

use super::{
    MARKUP,
    desk::{Desk, PASSWORD},
    hands::{ENTER, Hands},
    has_no_barriers,
};
use crate::{
    browser::{Browser, DESKTOP, PHONE, Tab},
    patience::until,
};

const LINK: &str = "return document.querySelector('dialog .code').innerText.trim()";

async fn fits(tab: &Tab) {
    let width = tab.ask("return [innerWidth, document.documentElement.scrollWidth]", vec![]).await;
    assert_eq!(width, json!([390, 390]), "it fits a small screen");
}

/// Invites somebody on the page of the team, and returns the link.
async fn invite(hands: &Hands<'_>, email: &str, name: &str) -> String {
    hands.press("Invite somebody").await;
    hands.fill("Email address", email).await;
    hands.fill("Name", name).await;
    hands.press("Make the invitation").await;
    hands.sees("With this link they join.").await;
    let link = hands.0.ask(LINK, vec![]).await;
    link.as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn somebody_is_invited_joins_and_gets_another_role() {
    let Some(browser) = Browser::start("somebody_is_invited_joins_and_gets_another_role") else { return };
    let desk = Desk::set_up().await;
    let tab = browser.tab(DESKTOP).await;
    let hands = Hands(&tab);
    desk.sign_in(&tab, "/team").await;
    hands.sees("The people of your account").await;
    has_no_barriers(&tab).await;
    hands.press("Invite somebody").await;
    hands.sees("Make the invitation").await;
    tab.picture("console-team-invite").await;
    has_no_barriers(&tab).await;
    hands.press_in_dialog("Cancel").await;
    let link = invite(&hands, "jo@fern.example", MARKUP).await;
    tab.picture("console-team-link").await;
    has_no_barriers(&tab).await;
    hands.press_in_dialog("Done").await;
    hands.sees("Open invitations").await;
    hands.sees(MARKUP).await;

    let other = browser.tab(PHONE).await;
    let others = Hands(&other);
    other.open(&link).await;
    others.sees("Join Fern & Fable").await;
    others.sees("jo@fern.example").await;
    assert_eq!(other.address().await, desk.page(""), "the token is in the address");
    assert_eq!(others.focused().await, "Your name");
    fits(&other).await;
    other.picture("console-phone-join").await;
    has_no_barriers(&other).await;
    others.fill("Your name", "Jo Marsh").await;
    others.fill("Choose a password", "too short").await;
    others.press("Join").await;
    others.sees("12").await;
    others.fill("Choose a password", "nine daisies on a sill").await;
    other.press(ENTER).await;
    others.sees("Hello, Jo Marsh").await;
    // What a collaborator may not do is not offered.
    other.open(&desk.page("/team")).await;
    others.sees("Not for your role").await;

    tab.open(&desk.page("/team")).await;
    hands.sees("Jo Marsh").await;
    hands.press("Manage Jo Marsh").await;
    hands.sees("Access").await;
    tab.picture("console-team-member").await;
    has_no_barriers(&tab).await;
    tab.ask(
        "const select = document.querySelector('dialog select'); select.value = 'admin'; \
         select.dispatchEvent(new Event('change'))",
        vec![],
    )
    .await;
    desk.let_confirmations_end().await;
    hands.press_in_dialog("Save").await;
    hands.sees("Is it still you?").await;
    hands.fill("Password", PASSWORD).await;
    tab.press(ENTER).await;
    hands.sees("Jo Marsh is admin now.").await;
    other.open(&desk.page("/team")).await;
    others.sees("Imogen Hart").await;
    fits(&other).await;
    other.picture("console-phone-team").await;
    has_no_barriers(&other).await;

    hands.press("Manage Jo Marsh").await;
    hands.press_in_dialog("Disable").await;
    hands.sees("Disable Jo Marsh?").await;
    hands.press_in_dialog("Disable").await;
    hands.sees("Jo Marsh was disabled.").await;
    other.open(&desk.page("")).await;
    others.sees("Email address").await;
    hands.press("Manage Jo Marsh").await;
    hands.press_in_dialog("Remove from the account").await;
    hands.sees("Remove Jo Marsh?").await;
    hands.press_in_dialog("Remove").await;
    hands.sees("Jo Marsh was removed.").await;
    tab.picture("console-team").await;

    // Without mail, the page says whom to ask.
    others.press("Forgotten your password?").await;
    others.sees("frontdesk user link EMAIL").await;
    other.open(&link).await;
    others.sees("This link is not valid").await;
    has_no_barriers(&other).await;
    // Whoever is disabled while a page is read is refused by what the page still asks for.
    desk.is_clean(other, &["/session", "/invitations", "/members"]).await;
    desk.is_clean(tab, &["/session - ", "/members/", "/invitations"]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_person_of_two_accounts_goes_from_one_to_the_other() {
    let Some(browser) = Browser::start("a_person_of_two_accounts_goes_from_one_to_the_other") else { return };
    let desk = Desk::set_up().await;
    let tab = browser.tab(DESKTOP).await;
    let hands = Hands(&tab);
    tab.open(&desk.other_account("Quill & Co", "nora@quill.example").await).await;
    hands.fill("New password", "a wholly new password 7").await;
    tab.press(ENTER).await;
    hands.sees("Your new password is set.").await;
    hands.press("Team").await;
    let link = invite(&hands, super::desk::EMAIL, "").await;
    hands.press_in_dialog("Done").await;
    hands.press("Sign out").await;
    hands.sees("You are signed out.").await;

    tab.open(&link).await;
    hands.sees("Join Quill & Co").await;
    hands.fill("Your name", "Imogen").await;
    hands.fill("Choose a password", "not the password at all").await;
    hands.press("Join").await;
    hands.sees("There is a person with this email address already.").await;
    tab.picture("console-join-known").await;
    has_no_barriers(&tab).await;
    hands.fill("Your password", "not the password at all").await;
    hands.press("Join").await;
    hands.sees("Is wrong.").await;
    hands.fill("Your password", PASSWORD).await;
    hands.press("Join").await;
    hands.sees("Hello, Imogen Hart").await;
    hands.press("Quill & Co: switch to another account").await;
    hands.sees("Your accounts").await;
    tab.picture("console-accounts").await;
    has_no_barriers(&tab).await;
    hands.press_in_dialog("Fern & Fable").await;
    let name = "return document.querySelector('dialog') === null && document.querySelector('.me')?.innerText.includes('Fern & Fable')";
    until("the page is that of the other account", async || {
        (tab.ask(name, vec![]).await == json!(true)).then_some(())
    })
    .await;
    hands.press("Team").await;
    hands.sees("imogen@fern.example").await;
    desk.is_clean(tab, &["/session - ", "/invitations/redeem - "]).await;
}
