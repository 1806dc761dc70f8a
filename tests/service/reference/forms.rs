//! A contact form on a page of another origin, in a real browser.

use frontdesk_store::{ChannelKind, NewInboxChannel, Plan};
use jiff::Timestamp;

use crate::{
    browser::{Browser, DESKTOP},
    database::Database,
    installation::Installation,
    patience::until,
    site::{Page, Site},
};

/// What a customer writes into the own website: the token when the page is loaded, and the submission
/// afterwards.
const PAGE: &str = r#"<!doctype html><html><head><meta charset="utf-8"><title>loading</title></head><body><script>
(async () => {
  const form = "SERVICE/api/v1/public/forms/KEY";
  const { token } = await (await fetch(form + "/token", { method: "POST" })).json();
  const fields = { name: "Änne", email: "aenne@customer.example", message: "Hello from a page", token };
  const headers = { "Content-Type": "application/json" };
  const sent = await fetch(form + "/submissions", { method: "POST", headers, body: JSON.stringify(fields) });
  const posted = await fetch(form + "/submissions", { method: "POST", body: new URLSearchParams({ message: "Posted" }) });
  const wrong = await fetch(form + "/submissions", { method: "POST", headers, body: "{}" });
  const problem = Object.keys((await wrong.json()).errors).join();
  let keyed = "refused";
  try { await fetch("SERVICE/api/v1/chatbots", { headers: { Authorization: "Bearer sk_live_x" } }); keyed = "sent"; } catch {}
  document.title = ["done", sent.status, posted.status, wrong.status, problem, keyed].join(" ");
})().catch((error) => { document.title = "failed: " + error; });
</script></body></html>"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_page_of_another_origin_submits_a_form() {
    let Some(browser) = Browser::start("a_page_of_another_origin_submits_a_form") else { return };
    let service = Installation::start(Database::sqlite().await).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let mut new = NewInboxChannel::new(ChannelKind::ContactForm, "Form".to_owned());
    new.settings = serde_json::json!({ "redirect_url": "https://www.customer.example/thanks" });
    let channels = service.database.store.inbox_channels();
    let form = channels.create(&acme.scope(), &new, u64::MAX, Timestamp::now()).await.unwrap().public_key;
    let page = PAGE.replace("SERVICE", &format!("http://{}", service.address()));
    let page = Page::bytes("text/html; charset=utf-8", page.replace("KEY", &form.to_string()));
    let site = Site::of([("/", page)]).await;
    let tab = browser.tab(DESKTOP).await;
    tab.open(&site.origin()).await;
    let title = until("the form is submitted", async || {
        let title = tab.title().await;
        (title != "loading").then_some(title)
    })
    .await;
    assert_eq!(title, "done 201 201 422 message refused");
    tab.close().await;
    let threads = service.client(&acme).inbox().list_threads().await.unwrap();
    assert_eq!(threads.threads.len(), 2);
    service.stop().await;
}
