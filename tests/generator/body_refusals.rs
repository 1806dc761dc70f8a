//! Bodies that the router of `ok/bodies` refuses.

use bodies_client::{ByteStream, Error};
use frontdesk_runtime::codec::StreamError;
use futures_util::stream;
use serde_json::json;

use crate::bodies_service::{FILE_LIMIT, LIMIT, client, start};
use crate::socket::exchange;

const JSON: &str = "Content-Type: application/json";
const FORM: &str = "Content-Type: application/x-www-form-urlencoded";

#[tokio::test]
async fn an_unknown_media_type_is_told_what_is_taken() {
    let address = start().await;
    for (line, accepted) in [
        ("POST /json", "application/json"),
        ("POST /json/optional", "application/json"),
        ("POST /json/suffix", "application/vnd.note+json"),
        ("POST /form", "application/x-www-form-urlencoded"),
        ("POST /multipart", "multipart/form-data"),
        ("POST /text", "text/plain"),
        ("POST /csv/optional", "text/csv"),
        ("POST /bytes", "application/octet-stream"),
        ("PUT /bytes/optional", "application/pdf"),
        ("POST /several/same", "application/json, application/x-www-form-urlencoded"),
        (
            "POST /several/different",
            "application/json, text/plain, application/octet-stream, multipart/form-data",
        ),
        ("POST /several/optional", "application/json, text/plain"),
    ] {
        let answer = exchange(address, line, &["Content-Type: text/html"], "a").await;
        assert_eq!(answer.status, 415, "{line}: {answer:?}");
        assert_eq!(answer.headers["accept"], accepted, "{line}");
        assert!(answer.json()["message"].is_string(), "{line}: {answer:?}");
    }
}

#[tokio::test]
async fn a_json_body_of_any_json_type_is_taken() {
    let address = start().await;
    let note = r#"{"title":"a"}"#;
    for (line, content_type) in [
        ("POST /json", "application/problem+json"),
        ("POST /json/suffix", "application/json"),
        ("POST /json/charset", "application/json"),
        ("POST /json/charset", "application/json; charset=utf-8"),
    ] {
        let answer = exchange(address, line, &[&format!("Content-Type: {content_type}")], note).await;
        assert_eq!((answer.status, answer.json()), (200, json!({ "title": "a" })), "{line} {content_type}");
    }
}

#[tokio::test]
async fn the_same_is_written_as_the_caller_likes() {
    let address = start().await;
    for (content_type, body) in [(JSON, r#"{"title":"a b"}"#), (FORM, "title=a+b")] {
        for (accept, expected) in [
            ("*/*", "application/json"),
            ("application/vnd.note+json", "application/vnd.note+json"),
            ("application/json;q=0.5, application/vnd.note+json", "application/vnd.note+json"),
        ] {
            let accept = format!("Accept: {accept}");
            let answer = exchange(address, "POST /several/same", &[content_type, &accept], body).await;
            assert_eq!((answer.status, answer.json()), (200, json!({ "title": "a b" })), "{accept}");
            assert_eq!(answer.headers["content-type"], expected, "{accept}");
        }
    }
}

#[tokio::test]
async fn an_answer_that_nobody_wants_is_not_made() {
    let address = start().await;
    for (line, content_type, body, accept) in [
        ("POST /json", JSON, r#"{"title":"a"}"#, "text/html"),
        ("POST /json", JSON, r#"{"title":"a"}"#, "application/json;q=0"),
        ("GET /events?count=1", "X-None: a", "", "application/json"),
        ("GET /images/cat", "X-None: a", "", "text/css"),
    ] {
        let accept = format!("Accept: {accept}");
        let answer = exchange(address, line, &[content_type, &accept], body).await;
        assert_eq!(answer.status, 406, "{line} {accept}: {answer:?}");
    }
    // These do not declare the status, so that the header is only a wish.
    for (line, accept, media_type) in [
        ("POST /bytes", "application/json", "application/octet-stream"),
        ("POST /bytes", "application/octet-stream;q=0", "application/octet-stream"),
    ] {
        let headers = ["Content-Type: application/octet-stream", &format!("Accept: {accept}")];
        let answer = exchange(address, line, &headers, "a").await;
        let received = (answer.status, answer.headers["content-type"].as_str());
        assert_eq!(received, (200, media_type), "{line} {accept}");
    }
    let answer = exchange(address, "GET /events?count=1", &["Accept: text/*"], "").await;
    assert_eq!((answer.status, answer.headers["content-type"].as_str()), (200, "text/event-stream"));
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused_before_it_comes() {
    let address = start().await;
    let length = format!("Content-Length: {}", LIMIT + 1);
    for (line, content_type) in [
        ("POST /json", JSON),
        ("POST /bytes", "Content-Type: application/octet-stream"),
        ("PUT /bytes/any", "Content-Type: audio/ogg"),
        ("POST /multipart/one-file", "Content-Type: multipart/form-data; boundary=a"),
    ] {
        let answer = exchange(address, line, &[content_type, &length], "").await;
        assert_eq!(answer.status, 413, "{line}: {answer:?}");
    }
}

#[tokio::test]
async fn a_stream_over_the_limit_is_refused_where_the_handler_meets_it() {
    let client = client().await;
    let piece = || Ok::<_, StreamError>(vec![0_u8; 1 << 20].into());
    let long = ByteStream::new(stream::iter((0..5).map(move |_| piece())));
    let error = client.plain().put_any(long).await.unwrap_err();
    assert!(matches!(&error, Error::Undocumented(raw) if raw.status.as_u16() == 413), "{error:?}");
    let fitting = ByteStream::new(stream::iter((0..4).map(move |_| piece())));
    let answer = client.plain().put_any(fitting).await.unwrap();
    assert_eq!(answer.into_inner().bytes(LIMIT).await.unwrap().len(), LIMIT);
}

/// Parts of a form, each with its headers.
fn parts(parts: &[(&str, &str)]) -> String {
    let parts: String = parts
        .iter()
        .map(|(head, body)| format!("--line\r\nContent-Disposition: form-data; {head}\r\n\r\n{body}\r\n"))
        .collect();
    format!("{parts}--line--\r\n")
}

#[tokio::test]
async fn a_file_that_is_too_large_for_the_handler_is_refused_like_a_body() {
    let address = start().await;
    let multipart = "Content-Type: multipart/form-data; boundary=line";
    for (size, status) in [(FILE_LIMIT, 200), (FILE_LIMIT + 1, 413)] {
        let file = "x".repeat(size);
        let body = parts(&[("name=\"name\"", "a"), ("name=\"picture\"; filename=\"a\"", &file)]);
        let answer = exchange(address, "POST /multipart", &[multipart], &body).await;
        assert_eq!(answer.status, status, "{size}");
    }
}

#[tokio::test]
async fn parts_have_the_media_types_that_the_document_lists() {
    let address = start().await;
    let multipart = "Content-Type: multipart/form-data; boundary=line";
    for (picture, note, failures) in [
        ("image/png", "application/json", &[][..]),
        ("IMAGE/JPEG; q=1", "application/note+json", &[]),
        ("image/gif", "application/json", &["picture"]),
        ("text/html", "text/plain", &["note", "picture"]),
    ] {
        let picture = format!("name=\"picture\"; filename=\"a\"\r\nContent-Type: {picture}");
        let note = format!("name=\"note\"\r\nContent-Type: {note}");
        let body = parts(&[("name=\"name\"", "a"), (&picture, "x"), (&note, r#"{"title":"a"}"#)]);
        let answer = exchange(address, "POST /multipart", &[multipart], &body).await;
        if failures.is_empty() {
            assert_eq!(answer.status, 200, "{answer:?}");
            continue;
        }
        assert_eq!(answer.status, 422, "{answer:?}");
        let told = answer.json();
        let errors = told["errors"].as_object().unwrap();
        assert_eq!(errors.keys().collect::<Vec<_>>(), failures, "{told}");
        assert_eq!(errors["picture"][0], "must be sent as image/png or image/jpeg");
    }
}

#[tokio::test]
async fn broken_bodies_are_refused_by_the_names_of_their_members() {
    let address = start().await;
    let multipart = "Content-Type: multipart/form-data; boundary=line";
    let file = ("name=\"picture\"; filename=\"a\"", "bytes");
    let four = [("name=\"name\"", "a"), file]
        .into_iter()
        .chain([("name=\"attachments\"; filename=\"a\"", ""); 4])
        .collect::<Vec<_>>();
    for (line, content_type, body, names) in [
        ("POST /json", JSON, r#"{"title":"","stars":6}"#.to_owned(), &["stars", "title"][..]),
        ("POST /json", JSON, String::new(), &["body"]),
        ("POST /json/optional", JSON, "null".to_owned(), &["body"]),
        (
            "POST /json/list",
            JSON,
            r#"[{"title":""},{"title":"a","stars":"5"}]"#.to_owned(),
            &["0.title", "1.stars"],
        ),
        ("POST /json/scalar", JSON, "\"\"".to_owned(), &["body"]),
        ("POST /form", FORM, "whole=x&flag=1&moment=now".to_owned(), &["flag", "moment", "text", "whole"]),
        (
            "POST /form",
            FORM,
            "text=a&piped=1%7Cb&deep%5Bb%5D=c&point=%7B%22x%22:1%7D".to_owned(),
            &["deep.b", "piped.1", "point.y"],
        ),
        ("POST /form", FORM, "text=&color=blue".to_owned(), &["color", "text"]),
        ("POST /form/optional", FORM, "limit=0".to_owned(), &["limit"]),
        ("POST /token", FORM, "grant_type=magic".to_owned(), &["grant_type"]),
        ("POST /multipart", multipart, parts(&[("name=\"count\"", "x")]), &["count", "name", "picture"]),
        ("POST /multipart", multipart, parts(&[("name=\"name\"", ""), file]), &["name"]),
        (
            "POST /multipart",
            multipart,
            parts(&[("name=\"name\"", "a"), file, ("name=\"note\"", r#"{"title":""}"#)]),
            &["note.title"],
        ),
        ("POST /multipart", multipart, parts(&four), &["attachments"]),
        ("GET /events?count=-1", "X-None: a", String::new(), &["count"]),
    ] {
        let answer = exchange(address, line, &[content_type], &body).await;
        assert_eq!(answer.status, 422, "{line} {body}: {answer:?}");
        let told = answer.json();
        let errors = told["errors"].as_object().unwrap();
        assert_eq!(errors.keys().collect::<Vec<_>>(), names, "{line} {body}: {told}");
    }
    let answer = exchange(address, "POST /multipart", &[multipart], "--line\r\nno end").await;
    assert_eq!(answer.status, 400, "{answer:?}");
}
