//! Redirects: each hop is checked like a request of its own.

use frontdesk_outbound::{Limits, Outbound};
use http::header::{ACCEPT, AUTHORIZATION, COOKIE};
use http::{HeaderName, HeaderValue, StatusCode};
use serde_json::json;

use crate::server::{Server, redirect_to, reply};
use crate::{Names, code_of, limits, loopback, policy, url};

#[tokio::test]
async fn a_chain_is_followed_to_its_end() {
    let server = Server::start(|target| match target {
        "/start" => redirect_to("/middle#section"),
        "/middle" => reply("308 Permanent Redirect", "Location: end?page=1\r\n", b""),
        _ => reply("404 Not Found", "Content-Type: text/plain\r\n", b"nothing here"),
    })
    .await;
    let fetched = loopback().get(&url(&server.url("/start#top")), &[], &limits()).await.unwrap();
    assert_eq!(fetched.status, StatusCode::NOT_FOUND);
    assert_eq!(fetched.final_url.as_str(), server.url("/end?page=1"));
    assert_eq!(fetched.headers["content-type"], "text/plain");
    assert_eq!(fetched.body, "nothing here");
}

#[tokio::test]
async fn a_redirect_inwards_is_refused_at_any_depth() {
    for inward in [
        "http://127.0.0.2/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::1]/",
        "http://[::ffff:10.0.0.5]/",
        "//0x0a000005/",
        "http://intranet.acme.example/",
    ] {
        let server = Server::start(move |target| match target {
            "/" => redirect_to("/once"),
            "/once" => redirect_to("/twice"),
            _ => redirect_to(inward),
        })
        .await;
        let names = Names::default().with("intranet.acme.example", &[&["10.0.0.5"]]);
        let outbound = Outbound::builder(policy(&["127.0.0.1/32"])).lookup(names).build().unwrap();
        assert_eq!(code_of(&outbound, &server.url("/twice")).await, "blocked_address", "{inward}");
        assert_eq!(code_of(&outbound, &server.url("/")).await, "blocked_address", "{inward}");
        assert_eq!(server.requests().len(), 4);
    }
}

#[tokio::test]
async fn redirects_that_cannot_be_requests_are_refused() {
    let outbound = loopback();
    for (location, code) in [
        ("file:///etc/passwd", "bad_url"),
        ("javascript:alert(1)", "bad_url"),
        ("http://user:password@127.0.0.1/", "bad_url"),
        ("http://[::1", "invalid_redirect"),
        ("http://93.184.216.34:25/", "blocked_port"),
    ] {
        let server = Server::start(move |_| redirect_to(location)).await;
        assert_eq!(code_of(&outbound, &server.url("/")).await, code, "{location}");
    }
    let server = Server::start(|_| reply("301 Moved Permanently", "", b"")).await;
    assert_eq!(code_of(&outbound, &server.url("/")).await, "invalid_redirect");
}

#[tokio::test]
async fn loops_end_at_once_and_long_chains_at_the_limit() {
    let server = Server::start(|target| match target {
        "/self" => redirect_to("/self#again"),
        "/ping" => redirect_to("/pong"),
        "/pong" => redirect_to("/ping"),
        counted => {
            let count: usize = counted.trim_start_matches('/').parse().unwrap();
            if count == 0 { reply("200 OK", "", b"end") } else { redirect_to(&format!("/{}", count - 1)) }
        }
    })
    .await;
    let outbound = loopback();
    assert_eq!(code_of(&outbound, &server.url("/self")).await, "redirect_loop");
    assert_eq!(server.requests().len(), 1);
    assert_eq!(code_of(&outbound, &server.url("/ping")).await, "redirect_loop");
    assert_eq!(server.requests().len(), 3);
    assert!(outbound.get(&url(&server.url("/5")), &[], &limits()).await.is_ok());
    assert_eq!(code_of(&outbound, &server.url("/6")).await, "too_many_redirects");

    let none = Limits { max_redirects: 0, ..limits() };
    let fetched = outbound.get(&url(&server.url("/3")), &[], &none).await.unwrap();
    assert_eq!((fetched.status, &fetched.headers["location"]), (StatusCode::FOUND, &"/2".parse().unwrap()));
}

#[tokio::test]
async fn secrets_stay_with_their_origin() {
    let other = Server::start(|_| reply("200 OK", "", b"")).await;
    let elsewhere = other.url("/landing");
    let server = Server::start(move |target| match target {
        "/away" => redirect_to(&elsewhere),
        "/here" => redirect_to("/end"),
        _ => reply("200 OK", "", b""),
    })
    .await;
    let secret = |name| (name, HeaderValue::from_static("s3cret"));
    let headers = [
        secret(AUTHORIZATION),
        secret(COOKIE),
        secret(HeaderName::from_static("x-api-key")),
        (ACCEPT, HeaderValue::from_static("text/html")),
    ];
    let outbound = loopback();
    outbound.get(&url(&server.url("/here")), &headers, &limits()).await.unwrap();
    assert_eq!(server.requests()[1].matches("s3cret").count(), 3);
    outbound.get(&url(&server.url("/away")), &headers, &limits()).await.unwrap();
    let landed = &other.requests()[0];
    assert!(!landed.contains("s3cret"), "{landed}");
    assert!(landed.contains("accept: text/html"), "{landed}");
}

#[tokio::test]
async fn posts_send_json_once() {
    let server = Server::start(|target| match target {
        "/moved" => reply("307 Temporary Redirect", "Location: /chat\r\n", b""),
        _ => reply("201 Created", "", b"{\"ok\":true}"),
    })
    .await;
    let outbound = loopback();
    let headers = [(AUTHORIZATION, HeaderValue::from_static("Bearer s3cret"))];
    let body = json!({ "question": "Wann öffnet ihr?" });
    let fetched = outbound.post_json(&url(&server.url("/chat")), &headers, &body, &limits()).await.unwrap();
    assert_eq!((fetched.status, &fetched.body[..]), (StatusCode::CREATED, &b"{\"ok\":true}"[..]));
    let request = &server.requests()[0];
    assert!(request.starts_with("POST /chat "), "{request}");
    assert!(request.contains("content-type: application/json"), "{request}");
    assert!(request.contains("authorization: Bearer s3cret"), "{request}");
    assert!(request.ends_with("{\"question\":\"Wann öffnet ihr?\"}"), "{request}");

    let fetched = outbound.post_json(&url(&server.url("/moved")), &headers, &body, &limits()).await.unwrap();
    assert_eq!(fetched.status, StatusCode::TEMPORARY_REDIRECT);
    assert_eq!(server.requests().len(), 2);

    let blocked = outbound.post_json(&url("http://10.0.0.5/"), &[], &body, &limits()).await;
    assert_eq!(blocked.unwrap_err().code(), "blocked_address");
}
