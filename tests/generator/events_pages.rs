//! The lists of `ok/events`, page after page, in every style of pagination.

use events_client::{Client, Error};
use events_model::Item;

use crate::events_service::{NAMES, client};
use crate::script::{Act, Script};

const JSON: &str = "Content-Type: application/json";

fn named(items: &[Item]) -> Vec<&str> {
    items.iter().map(|item| item.name.as_str()).collect()
}

/// All entries of a stream.
macro_rules! entries {
    ($call:expr) => {{
        let mut stream = $call.stream();
        let mut items = Vec::new();
        while let Some(item) = stream.next().await {
            items.push(item.unwrap());
        }
        items
    }};
}

/// The number of entries of each page, up to the last.
macro_rules! lengths {
    ($call:expr, $page:ident => $items:expr) => {{
        let mut pages = $call.pages();
        let mut lengths = Vec::new();
        while let Some(page) = pages.next().await {
            let $page = page.unwrap();
            assert_eq!($page.status().as_u16(), 200);
            lengths.push($items.len());
        }
        lengths
    }};
}

#[tokio::test]
async fn every_style_gives_all_entries_in_order() {
    let client = client().await;
    let pages = client.pages();
    assert_eq!(named(&entries!(pages.list_by_cursor())), NAMES);
    assert_eq!(named(&entries!(pages.list_by_number())), NAMES);
    assert_eq!(named(&entries!(pages.list_by_offset())), NAMES);
    assert_eq!(named(&entries!(pages.list_by_link())), NAMES);
    assert_eq!(named(&entries!(pages.list_by_address())), NAMES);
    assert_eq!(named(&entries!(pages.list_whole())), NAMES);
}

#[tokio::test]
async fn pages_come_one_by_one() {
    let client = client().await;
    let pages = client.pages();
    assert_eq!(lengths!(pages.list_by_cursor(), page => page.data), [2, 2, 1]);
    // An empty page is how these two end.
    assert_eq!(lengths!(pages.list_by_number(), page => page.items), [2, 2, 1, 0]);
    assert_eq!(lengths!(pages.list_by_offset(), page => page), [2, 2, 1, 0]);
    assert_eq!(lengths!(pages.list_by_link(), page => page), [2, 2, 1]);
    assert_eq!(lengths!(pages.list_by_address(), page => page.value.as_ref().unwrap()), [2, 2, 1]);
    assert_eq!(lengths!(pages.list_whole(), page => page.items), [5]);
}

#[tokio::test]
async fn a_list_begins_where_the_call_says_and_keeps_what_else_it_says() {
    let client = client().await;
    let pages = client.pages();
    assert_eq!(named(&entries!(pages.list_by_cursor().after("1").limit(3))), NAMES[1..]);
    assert_eq!(lengths!(pages.list_by_cursor().after("1").limit(3), page => page.data), [3, 1]);
    assert_eq!(named(&entries!(pages.list_by_number().page(2))), NAMES[2..]);
    assert_eq!(named(&entries!(pages.list_by_offset().skip(3))), NAMES[3..]);
    assert_eq!(named(&entries!(pages.list_by_link().from("2"))), NAMES[2..]);
    assert_eq!(entries!(pages.list_by_number().page(9)), []);
}

#[tokio::test]
async fn an_empty_page_does_not_end_a_list_that_goes_on() {
    let client = client().await;
    assert_eq!(lengths!(client.pages().list_by_cursor().after("gap"), page => page.data), [0, 1]);
    assert_eq!(named(&entries!(client.pages().list_by_cursor().after("gap"))), ["e"]);
}

#[tokio::test]
async fn a_cursor_that_comes_again_ends_a_list_with_an_error() {
    let client = client().await;
    let mut stream = client.pages().list_by_cursor().after("again").stream();
    for name in ["a", "b"] {
        assert_eq!(stream.next().await.unwrap().unwrap().name, name);
    }
    let error = stream.next().await.unwrap().unwrap_err();
    assert!(matches!(&error, Error::Request(message) if message.contains("`again`")), "{error:?}");
    assert!(stream.next().await.is_none(), "an error is the last");
}

#[tokio::test]
async fn a_link_to_another_service_is_not_followed() {
    let client = client().await;
    let mut pages = client.pages().list_by_link().from("away").pages();
    assert_eq!(named(&pages.next().await.unwrap().unwrap()), ["a", "b"]);
    let error = pages.next().await.unwrap().unwrap_err();
    assert!(
        matches!(&error, Error::Request(message) if message.contains("http://elsewhere.example")),
        "{error:?}"
    );
    assert!(pages.next().await.is_none(), "an error is the last");
}

#[tokio::test]
async fn an_address_of_another_service_or_of_the_same_page_is_not_followed() {
    let client = client().await;
    for (from, named) in [("away", "http://elsewhere.example"), ("again", "/pages/address?from=again")] {
        let mut stream = client.pages().list_by_address().from(from).stream();
        for name in ["a", "b"] {
            assert_eq!(stream.next().await.unwrap().unwrap().name, name);
        }
        let error = stream.next().await.unwrap().unwrap_err();
        assert!(matches!(&error, Error::Request(message) if message.contains(named)), "{error:?}");
        assert!(stream.next().await.is_none(), "an error is the last");
    }
}

#[tokio::test]
async fn a_page_is_asked_for_when_it_is_needed_and_not_before() {
    let script = Script::new(&[
        Act::Answer("200 OK", &[JSON], r#"[{"name":"a"},{"name":"b"}]"#),
        Act::Answer("422 Unprocessable Entity", &[JSON], r#"{"message":"no further"}"#),
    ])
    .await;
    let client = Client::builder(script.url()).build().unwrap();
    let mut stream = client.pages().list_by_offset().skip(7).stream();
    assert!(script.requests().is_empty(), "nothing is sent before the first entry is asked for");
    for _ in 0..2 {
        stream.next().await.unwrap().unwrap();
    }
    assert_eq!(script.requests().len(), 1);
    let error = stream.next().await.unwrap().unwrap_err();
    assert!(
        matches!(error.declared(), Some(events_model::ListByOffsetError::UnprocessableEntity(_))),
        "{error:?}"
    );
    assert!(stream.next().await.is_none());
    let lines: Vec<_> =
        script.requests().iter().map(|request| request.lines().next().unwrap().to_owned()).collect();
    assert_eq!(lines, ["GET /pages/offset?skip=7 HTTP/1.1", "GET /pages/offset?skip=9 HTTP/1.1"]);
}
