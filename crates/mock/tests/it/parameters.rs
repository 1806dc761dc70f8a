//! Tests of parameters: the mock accepts what generated clients send, in every location and style.

use crate::socket::{exchange, mock_of_file, mock_of_text, start};
use frontdesk_runtime::Uuid;
use parameters_client::{Client, Error, RetryPolicy};
use parameters_model::{Color, Filter, PathMixedExtension, Point, QueryDefaultsColor};
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::net::SocketAddr;

/// Characters that mean something in a URL, in a cookie or to a careless reader.
const AWKWARD: &str = "a,b;c&d=e/f?g#h%20 +\"|[x]{y}.z~'\\ ü 😀";

async fn fixture() -> (SocketAddr, Client) {
    let address = start(mock_of_file("tests/fixtures/ok/parameters/openapi.yaml")).await;
    let builder = Client::builder(format!("http://{address}")).retry(RetryPolicy::NEVER);
    (address, builder.build().unwrap())
}

/// Asserts that the mock accepts the request and the client its response.
fn assert_accepted<T, E: Debug>(outcome: Result<T, Error<E>>) {
    if let Err(error) = outcome {
        panic!("{error:?}: {:?}", error.raw().map(|raw| raw.headers.clone()));
    }
}

#[tokio::test]
async fn every_style_in_every_location_is_read() {
    let (_, client) = fixture().await;
    let filter = || Filter::new().color(Color::LightBlue).least(0.1).open(false).text(AWKWARD);
    let id = Uuid::from_u128(7);
    let day = "2024-02-29".parse().unwrap();
    let scalars =
        client.path().scalars(AWKWARD, i32::MIN, i64::MIN, 1.5e-300, true, id.into(), day, Color::AB);
    assert_accepted(scalars.await);
    for list in [vec!["one"], vec!["a,b", AWKWARD], vec!["", "a", ""]] {
        for point in [Point::new(1, -2), Point::new(0, 0).label(AWKWARD)] {
            let (one, two) = (|| point.clone(), || point.clone());
            assert_accepted(client.path().simple(&list, &list, one(), two()).await);
            assert_accepted(client.path().label(AWKWARD, &list, &list, one(), two()).await);
            assert_accepted(client.path().matrix(AWKWARD, &list, &list, one(), two()).await);
            let form = client.query().form().scalar(AWKWARD).list(&list).exploded_list(&list);
            assert_accepted(form.object(one()).exploded_object(two()).await);
            let cookies = client.cookie().cookies("a; b").visits(-1).flag(false).words(&list);
            assert_accepted(cookies.point(one()).filter(filter()).await);
        }
    }
    assert_accepted(client.query().form().await);
    assert_accepted(client.path().mixed("a-and-b/ü", PathMixedExtension::Svg, 0, u32::MAX).await);
    assert_accepted(client.path().json(filter()).await);
    assert_accepted(client.path().spelled("ü b").await);
    let others = BTreeMap::from([("wordsmith".to_owned(), "x".to_owned())]);
    let spread = client.query().spread().others(others).point(Point::new(1, 2)).words(["a", "b"]).flag(true);
    assert_accepted(spread.await);
    assert_accepted(client.query().json().filter(filter()).any(json!([1, null])).await);
    let pipes = ["a,b", "c d+e&f=g", "", "😀"];
    let delimited = client.query().delimited().spaces(["a,b", "c|d&e"]).pipes(pipes).numbers([i64::MAX, -1]);
    assert_accepted(delimited.await);
    let labels = BTreeMap::from([AWKWARD, "a.b"].map(|name| (name.to_owned(), AWKWARD.to_owned())));
    assert_accepted(client.query().deep_object().filter(filter()).labels(labels).await);
    let all = client.query().scalars(AWKWARD).optional("").whole(-10).wide(u64::MAX).ratio(0.1).flag(false);
    assert_accepted(all.color(Color::AB).level(3).present("").await);
    assert_accepted(client.query().defaults().limit(1).color(QueryDefaultsColor::Red).words(["c"]).await);
    let headers = client.header().headers("a,b;c").x_count(i32::MIN).x_list(["one", "b c"]);
    assert_accepted(
        headers.x_object(Point::new(1, 2)).x_exploded_object(Point::new(1, 2)).x_json(filter()).await,
    );
}

#[tokio::test]
async fn what_breaks_a_rule_is_told_with_its_place() {
    let (address, _) = fixture().await;
    for (target, headers, status, violation) in [
        ("/query/scalars", &[] as &[&str], 422, "query text: is required"),
        ("/query/scalars?text=a&whole=x", &[], 422, "query whole: must be an integer of 64 bits"),
        ("/query/scalars?text=a&whole=11", &[], 422, "query whole: 11 is greater than the maximum of 10"),
        (
            "/query/scalars?text=a&ratio=0",
            &[],
            422,
            "query ratio: 0.0 is less than or equal to the minimum of 0",
        ),
        ("/query/scalars?text=a&flag=yes", &[], 422, "query flag: must be true or false"),
        ("/query/scalars?text=a&moment=soon", &[], 422, "query moment: \"soon\" is not a \"date-time\""),
        ("/query/scalars?text=a&text=b", &[], 422, "query text: must be given once"),
        ("/query/scalars?text=%FF", &[], 422, "query text: must be text in UTF-8, percent-encoded"),
        (
            "/query/json?filter=%7B",
            &[],
            422,
            "query filter: must be valid JSON: EOF while parsing an object at line 1 column 1",
        ),
        (
            "/query/json?filter=%7B%22open%22%3A1%7D",
            &[],
            422,
            "query filter /open: 1 is not of type \"boolean\"",
        ),
        ("/query/deep-object?filter[least]=x", &[], 422, "query filter /least: must be a number"),
        ("/query/json?filter=%7B%7D&filter=%7B%7D", &[], 422, "query filter: must be given once"),
        (
            "/path/mixed/a.gif/between-1-and-2",
            &[],
            422,
            "path extension: \"gif\" is not one of \"png\" or \"svg\"",
        ),
        ("/header", &["X-Count: 1.5", "X-Required: a"], 422, "header X-Count: must be an integer of 64 bits"),
        ("/cookie", &["Cookie: visits=many; session=a"], 422, "cookie visits: must be an integer of 64 bits"),
    ] {
        let response = exchange(address, &format!("GET {target}"), headers, "").await;
        assert_eq!(response.status, status, "{target}: {response:?}");
        assert!(response.lines("x-mock-violation").contains(&violation), "{target}: {response:?}");
    }
}

#[tokio::test]
async fn spread_objects_empty_values_and_spellings_are_read_as_by_generated_servers() {
    let (address, _) = fixture().await;
    for (target, status) in [
        ("/query/spread?flag&whole=&text", 200),
        ("/query/spread?flag=x", 422),
        ("/query/spread?words=a&words=b&x=1&y=2&labels[a]=b&free=1", 200),
        ("/query/deep-object?labels%5Ba%5D=1&labels[b]=2", 200),
        ("/query/delimited?numbers=1|2", 200),
        ("/query/delimited?numbers=1%7C2", 200),
        ("/query/delimited?numbers=1%7Cx", 422),
        ("/path/gr%C3%B6%C3%9Fe%20in%20cm/7", 200),
    ] {
        let response = exchange(address, &format!("GET {target}"), &[], "").await;
        assert_eq!(response.status, status, "{target}: {response:?}");
    }
    // Browsers send a cookie for each of its paths, that of the longest one first.
    for (cookies, status) in [("visits=1; session=a; visits=x", 200), ("visits=x; session=a; visits=1", 422)]
    {
        let response = exchange(address, "GET /cookie", &[&format!("Cookie: {cookies}")], "").await;
        assert_eq!(response.status, status, "{cookies}: {response:?}");
    }
}

#[tokio::test]
async fn lists_and_objects_are_separated_as_their_style_says() {
    let parameter = |name: &str, style: &str, schema: &str| {
        format!("{{name: {name}, in: query, {style}, schema: {schema}}}")
    };
    let (state, names) = (
        "{type: string, enum: [open, paid]}",
        "{type: array, minItems: 2, items: {type: string, minLength: 1}}",
    );
    let states = format!("{{type: array, items: {state}}}");
    let period = "{type: object, required: [from], properties: {from: {type: string}}}";
    let all = [
        parameter("states", "explode: true", &states),
        parameter("numbers", "explode: true", "{type: array, items: {type: integer, nullable: true}}"),
        parameter("names", "explode: false", names),
        parameter("joined", "explode: false", &states),
        parameter("piped", "style: pipeDelimited, explode: false", &states),
        parameter("dates", "explode: false", "{type: array, items: {type: string, format: date}}"),
        parameter("period", "required: true", period),
    ];
    let document = format!(
        "{{openapi: 3.0.3, info: {{title: T, version: '1'}}, paths: {{/a: {{get: {{parameters: [{}], responses: {{'204': {{description: Done}}}}}}}}}}}}",
        all.join(", "),
    );
    let address = start(mock_of_text(&document)).await;
    for (query, refused) in [
        ("states=open&states=paid", false),
        // Where the name is repeated, a comma is a part of an item, encoded or not.
        ("states=open,paid", true),
        ("numbers=1,2", true),
        ("numbers=1%2C2", true),
        // Elsewhere only an encoded comma is, if the item can be a text with a comma.
        ("names=Ada,Grace", false),
        ("names=Ada%2CGrace", true),
        ("names=Ada%2CCountess,Grace", false),
        ("joined=open%2Cpaid", false),
        // A parameter without a text is a list without items where these are joined, unless the empty text
        // can be an item, and else a list of one empty item.
        ("states=", true),
        ("numbers=", true),
        ("joined=", false),
        ("piped=", false),
        ("dates=", false),
        ("names=", true),
    ] {
        let response = exchange(address, &format!("GET /a?from=x&{query}"), &[], "").await;
        assert_eq!(response.status, if refused { 422 } else { 204 }, "{query}: {response:?}");
    }
    // Spread over the query, the members are not behind the name of the parameter.
    let response = exchange(address, "GET /a?period=from,x", &[], "").await;
    assert_eq!(response.lines("x-mock-violation"), ["query period: is required"], "{response:?}");
}
