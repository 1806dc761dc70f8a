//! Contacts and calendars: searched, added, changed, merged, imported and erased by a person.

use serde_json::{Value, json};

use super::{
    MARKUP,
    desk::Desk,
    hands::{ENTER, Hands},
    has_no_barriers,
};
use crate::{
    browser::{Browser, DESKTOP, PHONE, Tab},
    patience::until,
    wire::Request,
};

/// Markup that is short enough for a label.
const LABEL: &str = "<img src=x onerror=document.title='run'>";

/// Calls the interface with the session of the tab.
async fn call(tab: &Tab, method: &str, path: &str, body: Value) -> Value {
    let script = "
        const [method, path, body] = arguments;
        const headers = { 'content-type': 'application/json' };
        return fetch(`/console/api/v1${path}`, { method, headers, body: body === null ? undefined : JSON.stringify(body) })
            .then(async response => ({ status: response.status, body: await response.text() }));";
    let response = tab.ask(script, vec![json!(method), json!(path), body]).await;
    let status = response["status"].as_u64().unwrap();
    assert!((200..300).contains(&status), "{method} {path}: {response}");
    serde_json::from_str(response["body"].as_str().unwrap()).unwrap_or(Value::Null)
}

/// Chooses a value of a select by its label.
async fn choose(tab: &Tab, label: &str, value: &str) {
    let script = "
        const select = [...document.querySelectorAll('select')].find(select =>
            select.getAttribute('aria-label') === arguments[0] || select.labels[0]?.innerText.startsWith(arguments[0]));
        if (!select) return false;
        select.value = arguments[1];
        select.dispatchEvent(new Event('change', { bubbles: true }));
        return select.value === arguments[1];";
    until(&format!("{label:?} can be {value:?}"), async || {
        (tab.ask(script, vec![json!(label), json!(value)]).await == json!(true)).then_some(())
    })
    .await;
}

/// Waits until the table has so many rows.
async fn has_rows(tab: &Tab, count: usize) {
    let rows = "return document.querySelectorAll('tbody tr').length";
    until(&format!("there are {count} rows"), async || {
        (tab.ask(rows, vec![]).await == json!(count)).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn contacts_are_found_added_and_changed() {
    let Some(browser) = Browser::start("contacts_are_found_added_and_changed") else { return };
    let desk = Desk::set_up().await;
    let tab = browser.tab(DESKTOP).await;
    let hands = Hands(&tab);
    desk.sign_in(&tab, "/contacts").await;
    hands.sees("No contacts yet").await;
    tab.picture("console-contacts-empty").await;
    has_no_barriers(&tab).await;

    hands.press("New contact").await;
    hands.press("Add contact").await;
    hands.sees("Give an email address, a phone number or your own ID.").await;
    hands.fill("Name", MARKUP).await;
    hands.fill("Company", MARKUP).await;
    hands.fill("Email address", "not an address").await;
    hands.press("Add contact").await;
    until("the address is refused", async || (hands.focused().await == "Email address").then_some(())).await;
    has_no_barriers(&tab).await;
    hands.fill("Email address", "Ann@Customer.example").await;
    tab.press(ENTER).await;
    hands.sees("was added").await;
    hands.sees("ann@customer.example").await;
    has_no_barriers(&tab).await;

    // What somebody is writing survives a reload, and is saved with what was there.
    hands.press("Edit").await;
    hands.fill("Phone number", "+44 20 7946 0018").await;
    hands.press("Add a detail").await;
    tab.type_text(MARKUP).await;
    let address = tab.address().await;
    tab.open(&address).await;
    hands.sees("This is what you were writing before.").await;
    tab.picture("console-contact-edit").await;
    has_no_barriers(&tab).await;
    hands.press("Save").await;
    hands.sees("Your changes were saved.").await;
    hands.sees("+442079460018").await;

    tab.ask("document.getElementById('contact-label').focus()", vec![]).await;
    tab.type_text(LABEL).await;
    tab.press(ENTER).await;
    hands.sees(&format!("Label added: {LABEL}")).await;
    let member = tab.ask("return document.querySelector('.facts option:nth-of-type(2)').value", vec![]).await;
    choose(&tab, "Owner", member.as_str().unwrap()).await;
    hands.sees("Owner: Imogen Hart").await;
    hands.press("Mark as customer").await;
    hands.fill("Amount", "49,90").await;
    hands.fill("Currency", "gbp").await;
    hands.press("Mark as customer").await;
    hands.sees("49.90 GBP").await;
    tab.picture("console-contact").await;
    has_no_barriers(&tab).await;

    // Somebody who is here already is not added twice.
    hands.press("Contacts").await;
    hands.sees("1 contact, the newest first").await;
    hands.press("New contact").await;
    hands.fill("Email address", "ann@customer.example").await;
    hands.press("Add contact").await;
    hands.sees("This email address belongs to").await;
    hands.press("Open that contact").await;
    hands.sees("49.90 GBP").await;

    // The search is in the address, and a link to it is as good.
    for number in 0..3 {
        let name = format!("Bo {number}");
        call(&tab, "POST", "/contacts", json!({ "name": name, "external_id": number.to_string() })).await;
    }
    tab.open(&desk.page("/contacts")).await;
    has_rows(&tab, 4).await;
    hands.fill("Search contacts", "bo 1").await;
    has_rows(&tab, 1).await;
    assert!(tab.address().await.ends_with("/contacts?q=bo+1"));
    tab.open(&desk.page("/contacts?q=020+7946+0018&type=customer")).await;
    has_rows(&tab, 1).await;
    hands.sees(MARKUP).await;
    choose(&tab, "Type", "lead").await;
    hands.sees("Nobody matches").await;
    hands.press("Clear all").await;
    has_rows(&tab, 4).await;
    tab.picture("console-contacts").await;
    has_no_barriers(&tab).await;
    desk.is_clean(tab, &["/session - ", "/contacts - "]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn contacts_are_imported_merged_and_erased() {
    let Some(browser) = Browser::start("contacts_are_imported_merged_and_erased") else { return };
    let desk = Desk::set_up().await;
    let tab = browser.tab(DESKTOP).await;
    let hands = Hands(&tab);
    desk.sign_in(&tab, "/contacts/import").await;
    hands.sees("What the file needs").await;
    has_no_barriers(&tab).await;
    let drop = "
        const files = new DataTransfer();
        files.items.add(new File([arguments[0]], 'people.csv'));
        document.querySelector('.drop').dispatchEvent(new DragEvent('drop', { dataTransfer: files, bubbles: true, cancelable: true }));";
    tab.ask(drop, vec![json!("Bemerkung;Firma\r\nx;y\r\n")]).await;
    hands.sees("No column has email addresses").await;
    let file = format!(
        "E-Mail-Adresse;Vorname;Nachname;Firma;Geburtstag\r\nann@one.example;{MARKUP};Baker;{MARKUP};1.1.\r\n\
         ann@two.example;Ann;Baker;;\r\nwrong;Bo;Carter;;\r\n"
    );
    tab.ask(drop, vec![json!(file)]).await;
    hands.sees("How the columns are understood").await;
    hands.sees("1 column is not imported").await;
    hands.sees(&format!("{MARKUP} Baker")).await;
    tab.picture("console-import").await;
    has_no_barriers(&tab).await;
    hands.press("Import 3 rows").await;
    hands.sees("Some rows could not be used").await;
    hands.sees("The email is not an email address.").await;
    hands.sees("Columns that were not imported: Geburtstag").await;
    tab.picture("console-import-result").await;
    has_no_barriers(&tab).await;

    hands.press("To the contacts").await;
    hands.press("Ann Baker").await;
    hands.sees("ann@two.example").await;
    hands.press("Merge with another contact").await;
    hands.fill("Which other contact is the same person?", "one.example").await;
    hands.press(&format!("Choose {MARKUP} Baker")).await;
    hands.sees("What happens").await;
    tab.picture("console-merge").await;
    has_no_barriers(&tab).await;
    hands.press("Merge").await;
    hands.press_in_dialog("Merge").await;
    hands.sees("The contacts were merged into Ann Baker.").await;
    hands.sees(MARKUP).await;

    hands.press("Download all data").await;
    hands.sees("The file was downloaded.").await;
    hands.press("Archive").await;
    hands.sees("Archived on").await;
    hands.press("Erase").await;
    hands.sees("This removes for good:").await;
    hands.press_in_dialog("Erase for good").await;
    hands.sees("Please fill in this field.").await;
    hands.fill("Type “erase” to confirm", "erase").await;
    tab.picture("console-erase").await;
    has_no_barriers(&tab).await;
    hands.press("Erase for good").await;
    hands.sees("Ann Baker was erased.").await;
    hands.sees("No contacts yet").await;
    desk.is_clean(tab, &["/session - "]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn calendars_have_a_secret_address() {
    let Some(browser) = Browser::start("calendars_have_a_secret_address") else { return };
    let desk = Desk::set_up().await;
    let tab = browser.tab(DESKTOP).await;
    let hands = Hands(&tab);
    desk.sign_in(&tab, "/calendars").await;
    hands.sees("No calendars").await;
    has_no_barriers(&tab).await;
    hands.press("New calendar").await;
    hands.fill("Name", MARKUP).await;
    tab.press(ENTER).await;
    hands.sees("you will not see it again").await;
    tab.picture("console-calendar").await;
    has_no_barriers(&tab).await;
    let shown = async || {
        let address = tab.ask("return document.querySelector('dialog .code').innerText.trim()", vec![]).await;
        address.as_str().unwrap().strip_prefix(&desk.origin()).unwrap().to_owned()
    };
    let status = async |path: &str| Request::new("GET", path).send(desk.address()).await.status.as_u16();
    let first = shown().await;
    assert_eq!(status(&first).await, 200);
    hands.press("I have copied it").await;
    hands.sees(MARKUP).await;
    hands.press("New address").await;
    hands.press_in_dialog("New address").await;
    hands.sees("The new address").await;
    let second = shown().await;
    assert_eq!((status(&first).await, status(&second).await), (404, 200));
    hands.press("I have copied it").await;
    tab.picture("console-calendars").await;
    has_no_barriers(&tab).await;
    hands.press("Delete").await;
    hands.press_in_dialog("Delete").await;
    hands.sees("No calendars").await;
    assert_eq!(status(&second).await, 404);
    desk.is_clean(tab, &["/session - "]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn contacts_fit_a_phone_and_the_dark() {
    let Some(browser) = Browser::start("contacts_fit_a_phone_and_the_dark") else { return };
    let desk = Desk::set_up().await;
    let tab = browser.tab(PHONE).await;
    tab.darken().await;
    let hands = Hands(&tab);
    desk.sign_in(&tab, "/contacts").await;
    hands.sees("No contacts yet").await;
    let long = "Wolfeschlegelsteinhausenbergerdorff".repeat(3);
    let contact = json!({
        "email": format!("{}@customer.example", "a".repeat(60)), "name": long, "company": long, "tags": ["a".repeat(50), LABEL],
        "custom_fields": { MARKUP: long }, "consent": { "marketing": true, "source": MARKUP },
    });
    let id = call(&tab, "POST", "/contacts", contact).await["contact_id"].as_str().unwrap().to_owned();
    let other = call(&tab, "POST", "/contacts", json!({ "external_id": MARKUP })).await;
    let other = other["contact_id"].as_str().unwrap();
    for (name, page, text) in [
        ("contacts", "/contacts".to_owned(), "2 contacts"),
        ("contacts-filtered", "/contacts?owner_id=x&tag=y".to_owned(), "Clear all"),
        ("contact", format!("/contacts/{id}"), "No deals."),
        ("contact-merge", format!("/contacts/{other}/merge?with={id}"), "What happens"),
        ("contact-gone", "/contacts/nobody".to_owned(), "This contact is gone"),
        ("contacts-import", "/contacts/import".to_owned(), "What the file needs"),
        ("calendars", "/calendars".to_owned(), "No calendars"),
    ] {
        tab.open(&desk.page(&page)).await;
        hands.sees(text).await;
        let width = tab.ask("return [innerWidth, document.documentElement.scrollWidth]", vec![]).await;
        assert_eq!(width, json!([390, 390]), "{name} fits a small screen");
        tab.picture(&format!("console-phone-{name}")).await;
        has_no_barriers(&tab).await;
    }
    desk.is_clean(tab, &["/session - ", "/contacts?owner_id=x", "/contacts/nobody"]).await;
}
