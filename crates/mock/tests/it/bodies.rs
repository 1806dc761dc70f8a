//! Tests of bodies in every format: the mock accepts what generated clients send, and they can read its
//! responses.

use crate::socket::{LIMIT, exchange, mock_of_file, mock_of_text, start};
use bodies_client::{ByteStream, Client, Error, RetryPolicy};
use bodies_model::{
    Form, FormColor, FormDeep, GetTokenBody, GetTokenBodyGrantType, Note, Parts, Point, PostDifferentBody,
    PostDifferentMultipartBody, PostNullableJsonBody, StreamOrAnswerBody, Upload, UploadOneBody,
};
use frontdesk_runtime::codec::File;
use futures_util::StreamExt;
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::net::SocketAddr;

const AWKWARD: &str = "a,b;c&d=e/f?g#h%20 +\"|[x]{y}\r\n--z ü 😀";

async fn fixture() -> (SocketAddr, Client) {
    let address = start(mock_of_file("tests/fixtures/ok/bodies/openapi.yaml")).await;
    let builder = Client::builder(format!("http://{address}")).retry(RetryPolicy::NEVER);
    (address, builder.build().unwrap())
}

fn accepted<T, E: Debug>(outcome: Result<T, Error<E>>) -> T {
    outcome.unwrap_or_else(|error| panic!("{error:?}: {:?}", error.raw().map(|raw| raw.headers.clone())))
}

fn note() -> Note {
    Note::new("title").text(AWKWARD).stars(5)
}

#[tokio::test]
async fn json_media_types() {
    let (_, client) = fixture().await;
    let json = client.json();
    accepted(json.post(note()).await);
    let response = accepted(json.post_suffix(note()).await);
    assert_eq!(response.headers()["content-type"], "application/vnd.note+json");
    accepted(json.post_charset(note()).await);
    assert!(!accepted(json.post_list(vec![note()]).await).is_empty());
    accepted(json.post_scalar(AWKWARD.to_owned()).await);
    accepted(json.post_anything(json!({ "a": [null] })).await);
    accepted(json.post_optional(None).await);
    accepted(json.post_nullable(None).await);
    accepted(json.post_nullable(Some(PostNullableJsonBody::new(i64::MIN))).await);
}

#[tokio::test]
async fn forms_and_parts() {
    let (_, client) = fixture().await;
    let full =
        Form::new(AWKWARD).whole(i64::MIN).flag(false).color(FormColor::Green).exploded(["a,b", "", AWKWARD]);
    let full = full.joined(["a,b", "c d"]).piped([i32::MIN, 0]).spaced(["a,b", "c+d"]);
    let full = full.deep(FormDeep::new().a(AWKWARD).b(-1)).point(Point::new(0.1, -1.5e300));
    accepted(client.forms().post(&full).await);
    accepted(client.forms().post_optional(None).await);
    accepted(client.forms().post_map(BTreeMap::from([("a]b".to_owned(), AWKWARD.to_owned())])).await);
    accepted(client.forms().get_token(GetTokenBody::new(GetTokenBodyGrantType::Password)).await);
    let picture = || File::new((0..=255).collect::<Vec<u8>>()).named("a.png").with_content_type("image/png");
    let upload = Upload::new(AWKWARD, picture()).attachments([File::new("a"), File::new("b")]).note(note());
    accepted(client.multipart().upload(upload.words(["a,b", "", AWKWARD]).count(i32::MIN)).await);
    let parts =
        Parts::new("a").whole(0).words(["one"]).point(Point::new(1.0, 2.0)).points([Point::new(0.1, 0.2)]);
    accepted(client.multipart().post_parts(parts).await);
    let response = accepted(client.multipart().upload_one(UploadOneBody::new(File::new("a"))).await);
    assert_bytes(response.into_inner()).await;
}

async fn assert_bytes(body: ByteStream) {
    body.bytes(LIMIT).await.unwrap();
}

#[tokio::test]
async fn text_bytes_and_choices() {
    let (_, client) = fixture().await;
    let plain = client.plain();
    accepted(plain.post_text(AWKWARD).await);
    accepted(plain.post_text("").await);
    accepted(plain.get_page().await);
    accepted(plain.post_table(None).await);
    let response = accepted(plain.post_bytes("bytes").await).into_inner();
    assert_bytes(response).await;
    accepted(plain.put_bytes(None).await);
    accepted(plain.put_bytes(ByteStream::from("%PDF")).await);
    accepted(plain.get_image("cat").await);
    let parts = PostDifferentMultipartBody::new(File::new("file")).title("a");
    for body in [
        PostDifferentBody::Json(note()),
        PostDifferentBody::Text(AWKWARD.to_owned()),
        PostDifferentBody::Bytes("bytes".into()),
        PostDifferentBody::Multipart(parts),
    ] {
        accepted(client.several().post_different(body).await);
    }
    accepted(client.several().post_same(note()).await);
    accepted(client.several().post_different_or_nothing(None).await);
}

#[tokio::test]
async fn events_end() {
    let (_, client) = fixture().await;
    let events = accepted(client.events().stream(2).await).into_inner();
    let events: Vec<_> = events.map(Result::unwrap).collect().await;
    assert!(!events.is_empty());
    let texts = accepted(client.events().stream_text(vec!["a".to_owned()]).await).into_inner();
    assert!(texts.map(Result::unwrap).count().await > 0);
    accepted(client.events().stream_or_answer(StreamOrAnswerBody::new(["a"])).await);
    let streamed = client.events().stream_or_answer_stream(StreamOrAnswerBody::new(["a"])).await;
    assert!(accepted(streamed).into_inner().map(Result::unwrap).count().await > 0);
}

#[tokio::test]
async fn what_is_wrong_with_a_body_is_told_by_pointer() {
    const FORM: &str = "Content-Type: application/x-www-form-urlencoded";
    const PARTS: &str = "Content-Type: multipart/form-data; boundary=b";
    let (address, _) = fixture().await;
    for (line, header, body, status, violation) in [
        (
            "POST /json",
            "Content-Type: application/json",
            "{\"title\":\"\",\"stars\":6}",
            422,
            "body /stars: 6 is greater than the maximum of 5",
        ),
        (
            "POST /json",
            "Content-Type: application/json",
            "{\"title\":\"a\",\"title\":\"b\"}",
            422,
            "body /title: must not occur twice",
        ),
        ("POST /json", "Content-Type: application/json", "[]", 422, "body: [] is not of type \"object\""),
        (
            "POST /json",
            "Content-Type: application/json",
            "{\"title\":",
            // The document describes no 400.
            422,
            "body: must be JSON: EOF while parsing a value at line 1 column 9",
        ),
        (
            "POST /json",
            "Content-Type: application/xml",
            "<a/>",
            415,
            "body: must be sent as application/json",
        ),
        ("POST /form", FORM, "whole=x&text=a", 422, "body /whole: must be an integer of 64 bits"),
        ("POST /form", FORM, "whole=1", 422, "body /text: is required"),
        ("POST /multipart/without-files", PARTS, "--b--", 422, "body /text: is required"),
        (
            "POST /multipart/without-files",
            PARTS,
            "--b\r\nContent-Disposition: form-data; name=\"whole\"\r\n\r\nx\r\n--b--\r\n",
            422,
            "body /whole: must be an integer of 64 bits",
        ),
        (
            "POST /multipart/without-files",
            PARTS,
            "--b\r\nContent-Disposition: form-data; name=\"whole\"\r\n\r\nx\r\n--b--\r\n",
            422,
            "body /text: is required",
        ),
        (
            "POST /multipart/without-files",
            "Content-Type: multipart/form-data",
            "--b--",
            422,
            "body: the Content-Type of a multipart body must have a `boundary` of 1 to 70 characters",
        ),
    ] {
        let response = exchange(address, line, &[header], body).await;
        assert_eq!(response.status, status, "{line} {body}: {response:?}");
        assert!(response.lines("x-mock-violation").contains(&violation), "{line} {body}: {response:?}");
    }
}

#[tokio::test]
async fn members_that_an_object_may_not_have_are_named() {
    let closed = "{type: object, additionalProperties: false, required: [room], properties: {room: {type: integer}, guest: {type: object, additionalProperties: false}}}";
    let document = format!(
        "{{openapi: 3.0.3, info: {{title: T, version: '1'}}, paths: {{/a: {{post: {{
           parameters: [
             {{name: deep, in: query, style: deepObject, explode: true, schema: {closed}}},
             {{name: json, in: query, content: {{application/json: {{schema: {closed}}}}}}}],
           requestBody: {{content: {{application/json: {{schema: {closed}}}, application/x-www-form-urlencoded: {{schema: {closed}}}}}}},
           responses: {{'204': {{description: Done}}}}}}}}}}}}"
    );
    let address = start(mock_of_text(&document)).await;
    for (query, media_type, body, told) in [
        ("", "json", r#"{"room": 1, "nights": 2, "Room": 3}"#, &["body /Room", "body /nights"] as &[_]),
        ("", "json", r#"{"nights": 2}"#, &["body /nights", "body /room"]),
        ("", "json", r#"{"room": 1, "": 2}"#, &["body /"]),
        ("", "json", r#"{"room": 1, "guest": {"a/b": null}}"#, &["body /guest/a~1b"]),
        ("", "x-www-form-urlencoded", "room=1&colour=red", &["body /colour"]),
        ("?deep[room]=1&deep[colour]=red", "json", r#"{"room": 1}"#, &["query deep /colour"]),
        ("?json=%7B%22room%22%3A1%2C%22colour%22%3A2%7D", "json", r#"{"room": 1}"#, &["query json /colour"]),
    ] {
        let header = format!("Content-Type: application/{media_type}");
        let response = exchange(address, &format!("POST /a{query}"), &[&header], body).await;
        assert_eq!(response.status, 422, "{query} {body}: {response:?}");
        let lines = response.lines("x-mock-violation");
        let mut places: Vec<&str> = lines.iter().filter_map(|line| Some(line.split_once(": ")?.0)).collect();
        places.sort_unstable();
        assert_eq!(places, told, "{query} {body}: {response:?}");
    }
}

#[tokio::test]
async fn media_types_and_charsets_are_judged_as_by_generated_servers() {
    let (address, _) = fixture().await;
    let latin = "; charset=iso-8859-1";
    for (path, media_type, charset, body, status) in [
        ("/json", "application/json", "; charset=UTF-8", "{\"title\":\"a\"}", 200),
        ("/json", "application/json", latin, "{\"title\":\"a\"}", 415),
        ("/text", "text/plain", latin, "a", 415),
        ("/form", "application/x-www-form-urlencoded", latin, "text=a", 415),
        ("/bytes", "application/octet-stream", latin, "a", 200),
        // A body of bytes needs no media type, unless it may be something else.
        ("/bytes", "", "", "a", 200),
        ("/several/different", "", "", "a", 415),
    ] {
        let header = format!("Content-Type: {media_type}{charset}");
        let headers: &[&str] = if media_type.is_empty() { &[] } else { &[&header] };
        let response = exchange(address, &format!("POST {path}"), headers, body).await;
        assert_eq!(response.status, status, "{path} {media_type}{charset}: {response:?}");
    }
}

#[tokio::test]
async fn parts_have_the_media_types_that_the_document_lists() {
    let (address, _) = fixture().await;
    let part = |head: &str, content: &str| {
        format!("--x\r\nContent-Disposition: form-data; {head}\r\n\r\n{content}\r\n")
    };
    for (media_type, status) in [("image/png", 200), ("image/gif", 422)] {
        let picture = format!("name=\"picture\"; filename=\"a\"\r\nContent-Type: {media_type}");
        let body = [part("name=\"name\"", "a"), part(&picture, "b"), "--x--\r\n".to_owned()].concat();
        let multipart = "Content-Type: multipart/form-data; boundary=x";
        let response = exchange(address, "POST /multipart", &[multipart], &body).await;
        assert_eq!(response.status, status, "{response:?}");
        if status == 422 {
            let rule = "body /picture: must be sent as image/png or image/jpeg";
            assert_eq!(response.lines("x-mock-violation"), [rule]);
        }
    }
}
