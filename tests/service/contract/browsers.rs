//! What scripts of other websites may call from a visitor's browser, and what a browser sees at `/`.

use frontdesk_client::Raw;
use frontdesk_runtime::Operation;
use frontdesk_server::OPERATIONS;
use frontdesk_store::{ChannelKind, NewInboxChannel, Plan};
use jiff::Timestamp;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    database::Database,
    installation::Installation,
    on_both_databases,
    wire::{Request, header, json as body_of},
};

on_both_databases!(a_page_of_another_website_submits_a_form);

const ORIGIN: &str = "https://www.customer.example";

/// Returns whether the contract opens an operation to scripts of every website.
fn is_open(operation: &Operation) -> bool {
    let policy: Value = serde_json::from_str(operation.extension("x-policy").unwrap()).unwrap();
    policy["origins"] == "any"
}

fn path_of(operation: &Operation) -> String {
    let unknown = Uuid::new_v4().to_string();
    let parts = operation.path.split(['{', '}']).enumerate();
    parts.map(|(index, part)| if index % 2 == 1 { &*unknown } else { part }).collect()
}

fn cors(raw: &Raw) -> Vec<&str> {
    let names = raw.headers.keys().map(http::HeaderName::as_str);
    names.filter(|name| name.starts_with("access-control-")).collect()
}

fn preflight(path: &str, method: &str) -> Request {
    Request::new("OPTIONS", path)
        .header("Origin", ORIGIN)
        .header("Access-Control-Request-Method", method)
        .header("Access-Control-Request-Headers", "content-type")
}

#[tokio::test(flavor = "multi_thread")]
async fn only_what_the_contract_opens_can_be_called_by_scripts_of_other_websites() {
    let service = Installation::start(Database::sqlite().await).await;
    let (open, closed): (Vec<&Operation>, Vec<&Operation>) =
        OPERATIONS.iter().copied().partition(|operation| is_open(operation));
    assert!(!open.is_empty() && closed.len() > open.len());
    for operation in open {
        let (path, method) = (path_of(operation), operation.method.as_str());
        let allowed = preflight(&path, method).send(service.address()).await;
        assert_eq!(allowed.status, 204, "{}: {allowed:?}", operation.id);
        assert_eq!(header(&allowed, "access-control-allow-origin"), "*", "{}", operation.id);
        assert!(header(&allowed, "access-control-allow-methods").split(", ").any(|known| known == method));
        let headers = header(&allowed, "access-control-allow-headers").to_ascii_lowercase();
        assert!(headers.split(", ").any(|name| name == "content-type"), "{headers}");
        let takes_token = headers.split(", ").any(|name| name == "authorization");
        assert_eq!(takes_token, !operation.allows_anonymous(), "{}: {headers}", operation.id);
        assert!(header(&allowed, "access-control-max-age").parse::<u32>().unwrap() > 0);
        // An error can be read, too.
        let unknown =
            Request::new(method, &path).header("Origin", ORIGIN).json("{}").send(service.address()).await;
        let expected = if takes_token { 401 } else { 404 };
        assert_eq!(unknown.status, expected, "{}: {unknown:?}", operation.id);
        assert_eq!(header(&unknown, "access-control-allow-origin"), "*", "{}", operation.id);
        assert!(allowed.headers.get("access-control-allow-credentials").is_none());
    }
    for operation in closed {
        let (path, method) = (path_of(operation), operation.method.as_str());
        let refused = preflight(&path, method).send(service.address()).await;
        assert_eq!(refused.status, 405, "{}: {refused:?}", operation.id);
        assert_eq!(cors(&refused), Vec::<&str>::new(), "{}", operation.id);
        let called = Request::new(method, &path).header("Origin", ORIGIN).send(service.address()).await;
        assert_eq!(cors(&called), Vec::<&str>::new(), "{}", operation.id);
    }
    service.stop().await;
}

async fn a_page_of_another_website_submits_a_form(database: Database) {
    let service =
        Installation::start_with(database, |config| config.limits.form_requests_per_client = 4).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let mut new = NewInboxChannel::new(ChannelKind::ContactForm, "Form".to_owned());
    new.settings = json!({ "redirect_url": "https://www.customer.example/thanks" });
    let channels = service.database.store.inbox_channels();
    let form = channels.create(&acme.scope(), &new, u64::MAX, Timestamp::now()).await.unwrap().public_key;
    let path = |what: &str| format!("/api/v1/public/forms/{form}/{what}");
    // The browser asks first, as often as it likes.
    for _ in 0..10 {
        assert_eq!(preflight(&path("submissions"), "POST").send(service.address()).await.status, 204);
    }
    let from_page = |request: Request| request.header("Origin", ORIGIN).header("Sec-Fetch-Mode", "cors");
    let token = from_page(Request::new("POST", &path("token"))).send(service.address()).await;
    assert_eq!((token.status.as_u16(), header(&token, "access-control-allow-origin")), (200, "*"));
    let token = body_of(&token)["token"].clone();
    let fields =
        json!({ "name": "Ann", "email": "ann@customer.example", "message": "Hello?", "token": token });
    let posted = from_page(Request::new("POST", &path("submissions"))).json(fields.to_string());
    let posted = posted.send(service.address()).await;
    assert_eq!(
        (posted.status.as_u16(), header(&posted, "access-control-allow-origin")),
        (201, "*"),
        "{posted:?}"
    );
    // A script that posts the fields of a form could not read what the redirect leads to; a browser that
    // shows the response follows it.
    let text = "message=Hello&email=bob%40customer.example";
    let urlencoded = |request: Request| request.body_of("application/x-www-form-urlencoded", text);
    let by_script =
        urlencoded(from_page(Request::new("POST", &path("submissions")))).send(service.address()).await;
    assert_eq!(by_script.status, 201, "{by_script:?}");
    let shown = Request::new("POST", &path("submissions")).header("Sec-Fetch-Mode", "navigate");
    let shown = urlencoded(shown).send(service.address()).await;
    assert_eq!(
        (shown.status.as_u16(), header(&shown, "location")),
        (303, "https://www.customer.example/thanks")
    );
    // The script learns how long it has to wait.
    let many = from_page(Request::new("POST", &path("token"))).send(service.address()).await;
    assert_eq!((many.status.as_u16(), header(&many, "access-control-allow-origin")), (429, "*"));
    assert!(!header(&many, "retry-after").is_empty());
    let readable = header(&many, "access-control-expose-headers").to_ascii_lowercase();
    assert!(readable.contains("retry-after"), "{readable}");
    let threads = service.client(&acme).inbox().list_threads().await.unwrap();
    assert_eq!(threads.threads.len(), 3);
    service.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_root_says_what_runs_here() {
    let service = Installation::start(Database::sqlite().await).await;
    let get = async |request: Request| request.send(service.address()).await;
    let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    let page = get(Request::new("GET", "/").header("Accept", browser)).await;
    assert_eq!((page.status.as_u16(), header(&page, "content-type")), (200, "text/html; charset=utf-8"));
    assert_eq!(header(&page, "content-security-policy"), "default-src 'none'; frame-ancestors 'none'");
    assert_eq!(header(&page, "x-content-type-options"), "nosniff");
    assert_eq!(header(&page, "vary"), "Accept");
    let html = String::from_utf8(page.body.to_vec()).unwrap();
    assert!(html.contains("Frontdesk"), "{html}");
    assert!(!html.contains("<script") && !html.contains("style"), "the policy allows neither: {html}");
    // Each address on the page leads somewhere.
    let addresses: Vec<&str> =
        html.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(addresses.contains(&"docs") && addresses.contains(&"openapi.json"), "{addresses:?}");
    for address in addresses {
        let found = get(Request::new("GET", &format!("/{address}"))).await;
        assert_eq!(found.status, 200, "{address}");
    }
    for request in [Request::new("GET", "/"), Request::new("GET", "/").header("Accept", "text/plain")] {
        let text = get(request).await;
        assert_eq!((text.status.as_u16(), header(&text, "content-type")), (200, "text/plain; charset=utf-8"));
        let text = String::from_utf8(text.body.to_vec()).unwrap();
        assert!(
            text.contains("Frontdesk") && text.contains("/docs") && text.contains("/openapi.json"),
            "{text}"
        );
    }
    let head = get(Request::new("HEAD", "/")).await;
    assert_eq!((head.status.as_u16(), head.body.len()), (200, 0));
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"] {
        let refused = get(Request::new(method, "/")).await;
        assert_eq!((refused.status.as_u16(), header(&refused, "allow")), (405, "GET, HEAD"), "{method}");
    }
    service.stop().await;
}
