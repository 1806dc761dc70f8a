//! Lists whose pages are fetched one after the other.

use super::{LIST, Script, block_on, builder};
use crate::{
    Operation,
    client::{Call, Endpoint, Error, Following, Outcome, Paged, Reading, Received},
};
use futures_util::StreamExt;

/// A list of numbers, with each way to find the next page.
macro_rules! list {
    ($($name:ident $following:expr;)+) => {
        $(
            pub(super) enum $name {}

            impl Endpoint for $name {
                type Success = serde_json::Value;
                type Failure = ();

                const OPERATION: &'static Operation = &LIST;

                fn read(response: &mut Received) -> Outcome<Self> {
                    Ok(match response.status.as_u16() {
                        200 => Reading::Success(response.json()?),
                        404 => Reading::Failure(()),
                        _ => Reading::Undocumented,
                    })
                }
            }

            impl Paged for $name {
                type Item = i64;

                const FOLLOWING: Following = $following;
                const ITEMS: &'static str = "/data";

                fn items(page: Self::Success) -> Vec<i64> {
                    page["data"].as_array().into_iter().flatten().filter_map(serde_json::Value::as_i64).collect()
                }
            }
        )+
    };
}

list! {
    ByCursor Following::Cursor { parameter: "after", next: "/next" };
    ByNumber Following::Number { parameter: "page", first: 1 };
    ByOffset Following::Offset { parameter: "offset" };
    ByLink Following::Link;
    ByAddress Following::Address { next: "/odata.nextLink" };
    AllAtOnce Following::Single;
}

fn items<E: Paged<Item = i64, Success = serde_json::Value, Failure = ()>>(
    script: &Script,
) -> Vec<Result<i64, Error<()>>> {
    let transport = builder(script).build().unwrap();
    let call = Call::<E>::new(&transport).path("id", 7).query("q", "a b&c");
    block_on(call.stream().collect())
}

#[test]
fn pages_follow_a_cursor_and_keep_all_else() {
    let script = Script::of([
        (200, &[][..], r#"{"data": [1, 2], "next": "x/y"}"#),
        (200, &[], r#"{"data": [], "next": 5}"#),
        (200, &[], r#"{"data": [3], "next": null}"#),
    ]);
    let got: Vec<i64> = items::<ByCursor>(&script).into_iter().map(Result::unwrap).collect();
    assert_eq!(got, [1, 2, 3]);
    assert_eq!(
        script.uris(),
        [
            "http://a.example/api/list/7?q=a%20b%26c",
            "http://a.example/api/list/7?q=a%20b%26c&after=x%2Fy",
            "http://a.example/api/list/7?q=a%20b%26c&after=5",
        ]
    );
}

#[test]
fn a_cursor_that_comes_again_ends_the_list_with_an_error() {
    let page = (200, &[][..], r#"{"data": [1], "next": "x"}"#);
    let got = items::<ByCursor>(&Script::of([page, page]));
    assert!(matches!(&got[..], [Ok(1), Ok(1), Err(Error::Request(_))]), "{got:?}");
}

#[test]
fn pages_are_counted_until_one_is_empty() {
    let pages = [
        (200, &[][..], r#"{"data": [1, 2]}"#),
        (200, &[], r#"{"data": [3]}"#),
        (200, &[], r#"{"data": []}"#),
    ];
    let script = Script::of(pages);
    assert_eq!(items::<ByNumber>(&script).len(), 3);
    let ends: Vec<String> =
        script.uris().iter().map(|uri| uri.rsplit('&').next().unwrap().to_owned()).collect();
    assert_eq!(ends[1..], ["page=2", "page=3"]);
    let script = Script::of(pages);
    assert_eq!(items::<ByOffset>(&script).len(), 3);
    let ends: Vec<String> =
        script.uris().iter().map(|uri| uri.rsplit('&').next().unwrap().to_owned()).collect();
    assert_eq!(ends[1..], ["offset=2", "offset=3"]);
}

#[test]
fn links_lead_on_but_never_to_another_service() {
    let script = Script::of([
        (200, &[("link", "</api/list/7?p=2>; rel=\"next\"")][..], r#"{"data": [1]}"#),
        (200, &[("link", "<https://evil.example/>; rel=next")], r#"{"data": [2]}"#),
    ]);
    let got = items::<ByLink>(&script);
    assert_eq!(script.uris()[1], "http://a.example/api/list/7?p=2");
    assert!(
        matches!(&got[..], [Ok(1), Ok(2), Err(Error::Request(problem))] if problem.contains("evil.example")),
        "{got:?}"
    );
}

#[test]
fn declared_errors_end_a_list() {
    let got = items::<ByNumber>(&Script::of([(404, &[][..], "gone")]));
    assert!(matches!(&got[..], [Err(Error::Declared(declared))] if declared.raw.body == "gone"), "{got:?}");
}

#[test]
fn an_address_in_the_body_leads_on_with_the_credentials_of_the_call() {
    let script = Script::of([
        (200, &[][..], r#"{"data": [1], "odata.nextLink": "7?skip=1"}"#),
        (200, &[], r#"{"data": [2], "odata.nextLink": "http://a.example/api/list/7?skip=2"}"#),
        (200, &[], r#"{"data": [3], "odata.nextLink": ""}"#),
    ]);
    let transport = builder(&script).bearer("t").build().unwrap();
    let call = Call::<ByAddress>::new(&transport).path("id", 7).query("q", "a");
    let got: Vec<i64> = block_on(call.stream().map(Result::unwrap).collect());
    assert_eq!(got, [1, 2, 3]);
    assert_eq!(
        script.uris(),
        [
            "http://a.example/api/list/7?q=a",
            "http://a.example/api/list/7?skip=1",
            "http://a.example/api/list/7?skip=2",
        ]
    );
    for request in 0..3 {
        assert_eq!(script.header(request, "authorization").as_deref(), Some("Bearer t"));
    }
}

#[test]
fn an_address_at_another_service_gets_no_request() {
    for body in [
        r#"{"data": [1], "odata.nextLink": "https://evil.example/list"}"#,
        r#"{"data": [1], "odata.nextLink": "//evil.example/list"}"#,
        r#"{"data": [1], "odata.nextLink": "http://a.example@evil.example/list"}"#,
    ] {
        let script = Script::of([(200, &[][..], body)]);
        let got = items::<ByAddress>(&script);
        assert!(
            matches!(&got[..], [Ok(1), Err(Error::Request(problem))] if problem.contains("evil.example")),
            "{got:?}"
        );
        assert_eq!(script.uris().len(), 1);
    }
}

#[test]
fn an_address_of_the_same_page_ends_the_list_with_an_error() {
    let page = (200, &[][..], r#"{"data": [1], "odata.nextLink": "?skip=1"}"#);
    let got = items::<ByAddress>(&Script::of([page, page]));
    assert!(matches!(&got[..], [Ok(1), Ok(1), Err(Error::Request(_))]), "{got:?}");
}

#[test]
fn the_address_of_a_list_that_is_posted_for_is_fetched_without_the_body() {
    enum Query {}

    impl Endpoint for Query {
        type Success = serde_json::Value;
        type Failure = ();

        const OPERATION: &'static Operation = &super::SEND;

        fn read(response: &mut Received) -> Outcome<Self> {
            Ok(Reading::Success(response.json()?))
        }
    }

    impl Paged for Query {
        type Item = i64;

        const FOLLOWING: Following = Following::Address { next: "/next" };
        const ITEMS: &'static str = "/data";

        fn items(page: Self::Success) -> Vec<i64> {
            page["data"].as_array().into_iter().flatten().filter_map(serde_json::Value::as_i64).collect()
        }
    }

    let script =
        Script::of([(200, &[][..], r#"{"data": [1], "next": "/api/send"}"#), (200, &[], r#"{"data": [2]}"#)]);
    let transport = builder(&script).build().unwrap();
    let got: Vec<_> = block_on(Call::<Query>::new(&transport).json(&1).stream().collect());
    assert!(matches!(&got[..], [Ok(1), Ok(2)]), "{got:?}");
    assert_eq!(script.methods(), ["POST", "GET"]);
    assert_eq!(script.header(0, "content-type").as_deref(), Some("application/json"));
    assert_eq!(script.header(1, "content-type"), None);
}

#[test]
fn a_list_of_one_page_ends_with_it() {
    let script = Script::of([(200, &[("link", "</2>; rel=next")][..], r#"{"data": [1, 2], "next": "x"}"#)]);
    assert_eq!(items::<AllAtOnce>(&script).len(), 2);
}
