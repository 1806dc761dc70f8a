//! Security requirements: every scheme, alternatives, combinations, anonymous callers.

use widgets_client::{Client, Error};

use crate::service::start;
use crate::socket::exchange;

const BASIC_GOOD: &str = "Authorization: Basic am86Z29vZDp3b3Jk";

#[tokio::test]
async fn requirements_are_evaluated_as_the_document_says() {
    let address = start().await;
    for (path, headers, expected) in [
        ("open", &[][..], Ok("{}")),
        ("open", &["Authorization: Bearer bad"], Ok("{}")),
        ("bearer", &["Authorization: Bearer good"], Ok("token:good")),
        ("bearer", &["Authorization: bEARER  good"], Ok("token:good")),
        ("bearer", &["Authorization: Bearer bad"], Err("token is wrong")),
        ("bearer", &["Authorization: Bearer "], Err("")),
        ("bearer", &["Authorization: good"], Err("")),
        ("bearer", &[BASIC_GOOD], Err("")),
        ("bearer", &["X-Widget-Key: good"], Err("")),
        ("bearer", &[], Err("")),
        ("basic", &[BASIC_GOOD], Ok("password:good:word/jo")),
        ("basic", &["Authorization: Basic am86YmFk"], Err("password is wrong")),
        ("basic", &["Authorization: Basic am8="], Err("")),
        ("basic", &["Authorization: Basic ?"], Err("")),
        ("header", &["x-widget-key: good"], Ok("header:good")),
        ("header", &["x-widget-key: bad"], Err("header is wrong")),
        ("query?widget+key=good%26", &[], Ok("query:good&")),
        ("query?widget%20key=bad", &[], Err("query is wrong")),
        ("query", &["widget-key: good"], Err("")),
        ("cookie", &["Cookie: a=b; widget_session=good=; c=d"], Ok("cookie:good=")),
        ("cookie", &["Cookie: a=b", "Cookie: widget_session=good"], Ok("cookie:good")),
        ("cookie", &["Cookie: Widget_Session=good"], Err("")),
        ("scopes", &["Authorization: Bearer good"], Ok("oauth:good for read+write")),
        // One alternative is enough; of a combination, all parts are needed.
        ("either", &["Authorization: Bearer good"], Ok("token:good")),
        ("either", &["X-Widget-Key: good", "Cookie: widget_session=good"], Ok("header:good and cookie:good")),
        ("either", &["X-Widget-Key: bad", "Cookie: widget_session=good"], Err("header is wrong")),
        ("either", &["X-Widget-Key: good", "Cookie: widget_session=bad"], Err("cookie is wrong")),
        ("either", &["X-Widget-Key: good"], Err("")),
        ("either", &["Cookie: widget_session=good"], Err("")),
        // A credential that is refused does not keep another alternative from being met.
        (
            "either",
            &["Authorization: Bearer bad", "X-Widget-Key: good", "Cookie: widget_session=good"],
            Ok("header:good and cookie:good"),
        ),
        ("either", &["Authorization: Bearer bad", "X-Widget-Key: good"], Err("token is wrong")),
        ("any", &["Cookie: widget_session=bad", "Authorization: Bearer good"], Ok("token:good")),
        ("any", &["Cookie: widget_session=bad", "Authorization: Bearer bad"], Err("cookie is wrong")),
        ("any", &["Cookie: widget_session=bad", "X-Certificate: good"], Ok("certificate:good")),
        ("certificate", &["X-Certificate: good"], Ok("certificate:good")),
        ("certificate", &["X-Certificate: bad"], Err("certificate is wrong")),
        ("certificate", &[], Err("")),
        ("optional", &["Authorization: Bearer good"], Ok("token:good")),
        ("optional", &[], Ok("{}")),
        // Who presents a credential is judged by it.
        ("optional", &["Authorization: Bearer bad"], Err("token is wrong")),
    ] {
        let line = format!("GET /access/{path}");
        let answer = exchange(address, &line, headers, "").await;
        match expected {
            Ok(caller) => {
                assert_eq!(answer.status, 200, "{line} {headers:?}: {answer:?}");
                assert!(answer.body.contains(caller), "{line} {headers:?}: {answer:?}");
            }
            Err(message) => {
                assert_eq!(answer.status, 401, "{line} {headers:?}: {answer:?}");
                assert!(answer.body.contains(message), "{line} {headers:?}: {answer:?}");
                assert!(answer.headers.contains_key("www-authenticate"), "{line} {headers:?}: {answer:?}");
            }
        }
    }
}

#[tokio::test]
async fn the_most_helpful_refusal_is_sent() {
    let address = start().await;
    for (headers, status, message) in [
        (&["Cookie: widget_session=bad", "Authorization: Bearer forbidden"][..], 403, "token is forbidden"),
        (&["Cookie: widget_session=forbidden", "Authorization: Bearer bad"], 403, "cookie is forbidden"),
        (&["Cookie: widget_session=broken", "Authorization: Bearer bad"], 500, "on our side"),
        (&["Cookie: widget_session=broken", "Authorization: Bearer forbidden"], 403, "token is forbidden"),
        (&["Cookie: widget_session=broken", "Authorization: Bearer good"], 200, "token:good"),
        (&[], 401, "requires credentials"),
    ] {
        let answer = exchange(address, "GET /access/any", headers, "").await;
        assert_eq!(answer.status, status, "{headers:?}: {answer:?}");
        assert!(answer.body.contains(message), "{headers:?}: {answer:?}");
        let challenge = answer.headers.get("www-authenticate").map(String::as_str);
        let expected =
            "ApiKey in=\"cookie\", name=\"widget_session\", Bearer, ApiKey in=\"query\", name=\"widget key\"";
        assert_eq!(challenge, (status == 401).then_some(expected), "{headers:?}");
    }
}

#[tokio::test]
async fn authentication_comes_before_everything_but_the_route() {
    let address = start().await;
    for (line, headers, body, status) in [
        ("POST /names", &["Content-Type: text/plain"][..], "no JSON", 401),
        ("POST /names", &["Content-Type: text/plain", "Authorization: Bearer good"], "no JSON", 415),
        (
            "POST /names",
            &["Content-Type: text/plain", "Authorization: Bearer good", "X-Full: 1"],
            "no JSON",
            429,
        ),
        ("PUT /names", &[], "", 405),
        ("POST /nowhere", &[], "", 404),
    ] {
        assert_eq!(exchange(address, line, headers, body).await.status, status, "{line} {headers:?}");
    }
}

#[tokio::test]
async fn handlers_receive_the_head_with_what_authorization_added() {
    let address = start().await;
    let answer = exchange(address, "GET /access/open", &["X-Note: hello"], "").await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(
        answer.headers["x-peer"], "127.0.0.1",
        "a handler adds headers and sees the address of the peer"
    );
    let told: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(told["caller"], r#"a note for accessOpen from "hello""#);
}

#[tokio::test]
async fn a_body_is_inspected_once_the_request_is_authorized_and_within_its_limit() {
    let address = start().await;
    let seen = ["X-Note: hello", "X-Inspect: yes"];
    let answer = exchange(address, "GET /access/open", &seen, "abc").await;
    let told: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(told["caller"], r#"3 bytes from "hello""#);
    // The handler, which refuses an empty map, reads the body as if nobody had looked at it. A refusal comes
    // in its place.
    for (line, headers, body, status) in [
        ("PUT /echo/maps", &["Content-Type: application/json", "X-Inspect: yes"][..], "{}", 409),
        ("PUT /echo/maps", &["Content-Type: application/json", "X-Inspect: yes"], "again", 410),
        ("PUT /echo/maps", &["Content-Type: application/json"], "again", 400),
        ("PUT /echo/maps", &["Content-Type: application/json", "X-Inspect: yes"], &" ".repeat(4097), 413),
        ("PUT /echo/maps", &["X-Full: yes", "X-Inspect: yes"], &" ".repeat(4097), 429),
        ("PUT /echo/maps", &["Content-Encoding: gzip", "X-Inspect: yes"], "{}", 415),
        ("PUT /echo/maps", &["Content-Encoding: gzip"], "{}", 415),
    ] {
        let answer = exchange(address, line, headers, body).await;
        assert_eq!(answer.status, status, "{line} {headers:?}: {answer:?}");
    }
}

#[tokio::test]
async fn a_client_presents_what_an_operation_asks_for_and_nothing_more() {
    let address = start().await;
    let by_kind = Client::builder(format!("http://{address}"))
        .bearer("good token")
        .basic("jo", "good:word")
        .key("X-Widget-Key", "good header")
        .key("widget key", "good & query")
        .key("widget_session", "good-cookie");
    let by_scheme = Client::builder(format!("http://{address}"))
        .token("good token")
        .oauth("good token")
        .password("jo", "good:word")
        .header_key("good header")
        .query_key("good & query")
        .cookie_key("good-cookie");
    for builder in [by_kind, by_scheme] {
        presents_what_is_asked_for(&builder.build().unwrap()).await;
    }
}

async fn presents_what_is_asked_for(client: &Client) {
    let access = client.access();
    for (told, expected) in [
        (access.open().await.unwrap().into_inner(), None),
        (access.bearer().await.unwrap().into_inner(), Some("token:good token")),
        (access.basic().await.unwrap().into_inner(), Some("password:good:word/jo")),
        (access.header().await.unwrap().into_inner(), Some("header:good header")),
        (access.query().await.unwrap().into_inner(), Some("query:good & query")),
        (access.cookie().await.unwrap().into_inner(), Some("cookie:good-cookie")),
        (access.scopes().await.unwrap().into_inner(), Some("oauth:good token for read+write")),
        (access.either().await.unwrap().into_inner(), Some("token:good token")),
        (access.optional().await.unwrap().into_inner(), Some("token:good token")),
    ] {
        assert_eq!(told.caller.as_deref(), expected);
    }
}

#[tokio::test]
async fn a_client_uses_the_first_alternative_that_it_can_meet() {
    let address = start().await;
    let client = Client::builder(format!("http://{address}"))
        .key("X-Widget-Key", "good")
        .key("widget_session", "good")
        .build()
        .unwrap();
    let combined = client.access().either().await.unwrap().into_inner().caller;
    assert_eq!(combined.as_deref(), Some("header:good and cookie:good"));
    assert_eq!(client.access().optional().await.unwrap().caller, None);
    let error = client.access().bearer().await.unwrap_err();
    assert!(matches!(&error, Error::Request(problem) if problem.contains("`token`")), "{error:?}");
    let error = client.access().bearer().without_credentials().await.unwrap_err();
    assert!(error.is_unauthorized(), "{error:?}");
    // A clone with another credential leaves this client as it was.
    let other = client.with_bearer("good");
    assert_eq!(other.access().bearer().await.unwrap().caller.as_deref(), Some("token:good"));
    assert!(client.access().bearer().await.is_err());
    assert!(Client::builder("http://127.0.0.1:1").key("X-Unknown", "good").build().is_err());
}

#[tokio::test]
async fn a_refusal_names_the_scheme_that_was_missing() {
    let address = start().await;
    for (path, challenge) in [
        ("bearer", "Bearer"),
        ("basic", "Basic realm=\"api\""),
        ("header", "ApiKey in=\"header\", name=\"X-Widget-Key\""),
        ("query", "ApiKey in=\"query\", name=\"widget key\""),
        ("scopes", "Bearer scope=\"read write\""),
        (
            "either",
            "Bearer, ApiKey in=\"header\", name=\"X-Widget-Key\", ApiKey in=\"cookie\", name=\"widget_session\"",
        ),
    ] {
        let answer = exchange(address, &format!("GET /access/{path}"), &[], "").await;
        assert_eq!(answer.headers["www-authenticate"], challenge, "{path}");
    }
}

#[test]
fn secrets_do_not_show_in_debug() {
    let client = Client::builder("http://127.0.0.1:1").bearer("hunter2").basic("jo", "hunter2");
    let client = client.key("X-Widget-Key", "hunter2");
    let mut told = format!("{client:?}");
    told.push_str(&format!("{:?}", client.build().unwrap()));
    assert!(told.contains("Secret(…)") && !told.contains("hunter2"), "{told}");
}
