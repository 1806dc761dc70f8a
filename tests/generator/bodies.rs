//! Bodies of every coding on their way to a service and back.

use std::collections::BTreeMap;

use bodies_client::ByteStream;
use bodies_model::{
    Event, Form, FormColor, FormDeep, GetImageError, GetTokenBody, GetTokenBodyGrantType, Note, Parts, Point,
    PostBytesOkHeaders, PostDifferentBody, PostDifferentMultipartBody, PostDifferentOkBody,
    PostDifferentOrNothingBody, PostDifferentOrNothingConflictBody, PostDifferentOrNothingError,
    PostDifferentOrNothingOkBody, PostDifferentOrNothingSuccess, PostNullableJsonBody, PostOptionalFormBody,
    PostTableSuccess, PutBytesSuccess, StreamOrAnswerBody, Upload, UploadOneBody,
};
use frontdesk_runtime::codec::{self, File, StreamError};
use frontdesk_runtime::{HeaderName, HeaderValue, Secret};
use futures_util::{StreamExt, stream};
use serde_json::json;

use crate::bodies_service::{LIMIT, client};
use crate::service::moment;

/// Characters that mean something in a form, in a header or to a careless reader.
const AWKWARD: &str = "a,b;c&d=e/f?g#h%20 +\"|[x]{y}\r\n--z ü 😀";

fn note() -> Note {
    Note::new("title").text(AWKWARD).stars(5)
}

/// Bytes of which none is like the one before, in pieces.
fn pieces(count: usize, length: usize) -> (Vec<u8>, ByteStream) {
    let bytes: Vec<u8> = (0..count * length).map(|index| u8::try_from(index % 251).unwrap()).collect();
    let pieces: Vec<_> =
        bytes.chunks(length).map(|piece| Ok::<_, StreamError>(piece.to_vec().into())).collect();
    let stream = ByteStream::new(stream::iter(pieces));
    (bytes, stream)
}

#[tokio::test]
async fn json_bodies_come_back() {
    let client = client().await;
    let json = client.json();
    assert_eq!(*json.post(note()).await.unwrap(), note());
    assert_eq!(*json.post_suffix(note()).await.unwrap(), note());
    assert_eq!(*json.post_charset(note()).await.unwrap(), note());
    assert_eq!(*json.post_list(vec![]).await.unwrap(), []);
    assert_eq!(*json.post_list(vec![note()]).await.unwrap(), [note()]);
    assert_eq!(*json.post_scalar(AWKWARD.to_owned()).await.unwrap(), AWKWARD);
    for any in [json!(null), json!({ "a": [u64::MAX, i64::MIN, 0.1, AWKWARD] }), json!([]), json!("")] {
        assert_eq!(*json.post_anything(&any).await.unwrap(), any);
    }
    let answer = json.post_suffix(note()).await.unwrap();
    assert_eq!(answer.headers()["content-type"], "application/vnd.note+json");
}

#[tokio::test]
async fn no_body_is_not_null() {
    let client = client().await;
    assert_eq!(client.json().post_optional(None).await.unwrap().note, None);
    assert_eq!(client.json().post_optional(note()).await.unwrap().note, Some(note()));
    assert!(client.json().post_nullable(None).await.unwrap().is_none());
    let sent = PostNullableJsonBody::new(i64::MIN);
    assert_eq!(client.json().post_nullable(Some(sent)).await.unwrap().as_ref().unwrap().value, i64::MIN);
    let nothing = client.forms().post_optional(None).await.unwrap();
    assert_eq!((&nothing.text, nothing.limit), (&None, None));
    let some = client.forms().post_optional(PostOptionalFormBody::new().text("").limit(1)).await.unwrap();
    assert_eq!((some.text.as_deref(), some.limit), (Some(""), Some(1)));
}

#[tokio::test]
async fn forms_keep_every_member() {
    let client = client().await;
    let least = Form::new(AWKWARD);
    assert_eq!(*client.forms().post(&least).await.unwrap(), least);
    let full = Form::new(AWKWARD)
        .whole(i64::MIN)
        .flag(false)
        .color(FormColor::Green)
        .moment(moment())
        .exploded(["a,b", "", AWKWARD])
        .joined(["a,b", "c d", "😀"])
        .piped([i32::MIN, 0, i32::MAX])
        .spaced(["a,b", "c+d", "e|f"])
        .deep(FormDeep::new().a(AWKWARD).b(-1))
        .anything(json!({ "nested": [AWKWARD, { "whole": 1 }] }))
        .reserved("a:/?[]@!$'()*,;=b&c+d%20#")
        .point(Point::new(0.1, -1.5e300));
    assert_eq!(*client.forms().post(&full).await.unwrap(), full);
    let one = Form::new("a").exploded(["one"]).joined(["one"]).piped([1]).spaced(["one"]);
    assert_eq!(*client.forms().post(&one).await.unwrap(), one);
    let map = BTreeMap::from([AWKWARD, "a]b", "x.y"].map(|name| (name.to_owned(), AWKWARD.to_owned())));
    assert_eq!(*client.forms().post_map(&map).await.unwrap(), map);
}

#[tokio::test]
async fn an_answer_may_be_a_form() {
    let client = client().await;
    let body = GetTokenBody::new(GetTokenBodyGrantType::Password).password(Secret::from("p&w=")).scope("a b");
    let answer = client.forms().get_token(body).await.unwrap();
    assert_eq!((answer.token.as_str(), answer.lifetime), ("password|p&w=|a b", Some(i32::MAX)));
}

#[tokio::test]
async fn parts_and_files_keep_what_belongs_to_them() {
    let client = client().await;
    let bytes: Vec<u8> = (0..=255).chain(*b"\r\n--boundary--\r\n").collect();
    let picture = || File::new(bytes.clone()).named("a \"b\" ü 😀.png").with_content_type("image/png");
    let body = Upload::new(AWKWARD, picture())
        .attachments([File::new(Vec::new()).named("empty"), File::new("text")])
        .note(note())
        .xml("<a b=\"c\"/>")
        .words(["a,b", "", AWKWARD])
        .count(i32::MIN);
    let answer = client.multipart().upload(body).await.unwrap();
    assert_eq!((answer.name.as_str(), answer.count), (AWKWARD, Some(i32::MIN)));
    assert_eq!((answer.note.clone(), answer.xml.as_deref()), (Some(note()), Some("<a b=\"c\"/>")));
    assert_eq!(answer.words.as_deref().unwrap(), ["a,b", "", AWKWARD]);
    let files: Vec<_> = answer
        .files
        .iter()
        .map(|file| (file.member.as_str(), file.file_name.as_deref(), file.content_type.as_deref()))
        .collect();
    assert_eq!(files[0], ("picture", Some("a \"b\" ü 😀.png"), Some("image/png")));
    assert_eq!((files[1].0, files[1].1), ("attachments", Some("empty")));
    assert_eq!((files[2].0, files.len()), ("attachments", 3));
    let contents: Vec<&[u8]> = answer.files.iter().map(|file| file.bytes.as_ref()).collect();
    assert_eq!(contents, [bytes.as_slice(), b"", b"text"]);

    let answer = client.multipart().upload(Upload::new("a", picture())).await.unwrap();
    assert_eq!((answer.files.len(), &answer.note, &answer.words), (1, &None, &None));
}

#[tokio::test]
async fn parts_without_files_come_back() {
    let client = client().await;
    let points = [Point::new(0.1, 0.2), Point::new(-1.5e-300, 0.0)];
    for points in [&points[..1], &points[..]] {
        let expected = || {
            Parts::new(AWKWARD).whole(0).words(["one"]).point(Point::new(1.0, 2.0)).points(points.to_vec())
        };
        assert_eq!(*client.multipart().post_parts(expected()).await.unwrap(), expected());
    }
    assert_eq!(*client.multipart().post_parts(Parts::new("")).await.unwrap(), Parts::new(""));
}

#[tokio::test]
async fn files_are_streamed() {
    let client = client().await;
    let (bytes, stream) = pieces(20, 100_000);
    let answer = client.multipart().upload_one(UploadOneBody::new(File::new(stream))).await.unwrap();
    assert_eq!(answer.into_inner().bytes(LIMIT).await.unwrap(), bytes);
}

#[tokio::test]
async fn text_comes_back() {
    let client = client().await;
    let plain = client.plain();
    assert_eq!(*plain.post_text(AWKWARD).await.unwrap(), AWKWARD);
    assert_eq!(*plain.post_text("").await.unwrap(), "");
    assert_eq!(*plain.get_page().await.unwrap(), "<p>ü 😀</p>");
    assert!(matches!(*plain.post_table(None).await.unwrap(), PostTableSuccess::NoContent(_)));
    let table = "a;b\r\nc;ü\r\n".to_owned();
    let answer = plain.post_table(table.clone()).await.unwrap();
    assert!(matches!(&*answer, PostTableSuccess::Ok(answer) if answer.body == table), "{answer:?}");
}

#[tokio::test]
async fn bytes_stream_both_ways() {
    let client = client().await;
    let plain = client.plain();
    let (bytes, stream) = pieces(30, 100_000);
    let answer = plain.post_bytes(stream).await.unwrap();
    let headers: PostBytesOkHeaders = answer.typed_headers().unwrap();
    assert_eq!((headers.x_length, headers.content_disposition), (-1, None));
    assert_eq!(answer.into_inner().bytes(LIMIT).await.unwrap(), bytes);
    // A length that is known is told.
    let answer = plain.post_bytes(bytes.clone()).await.unwrap();
    let headers: PostBytesOkHeaders = answer.typed_headers().unwrap();
    assert_eq!(headers.x_length, i64::try_from(bytes.len()).unwrap());
    assert_eq!(headers.content_disposition.as_deref(), Some("attachment; filename=\"3000000\""));
    let mut came = 0;
    let mut body = answer.into_inner();
    while let Some(piece) = body.next().await {
        came += piece.unwrap().len();
    }
    assert_eq!(came, bytes.len());
    let answer = plain.post_bytes(ByteStream::empty()).await.unwrap().into_inner();
    assert_eq!(answer.bytes(LIMIT).await.unwrap(), "");

    assert!(matches!(*plain.put_bytes(None).await.unwrap(), PutBytesSuccess::NoContent(_)));
    let answer = plain.put_bytes(ByteStream::from("%PDF")).await.unwrap();
    assert_eq!(answer.headers()["content-type"], "application/pdf");
    let PutBytesSuccess::Ok(answer) = answer.into_inner() else { panic!("the bytes are lost") };
    assert_eq!(answer.body.bytes(LIMIT).await.unwrap(), "%PDF");
}

#[tokio::test]
async fn media_types_may_be_open() {
    let client = client().await;
    let header = (HeaderName::from_static("content-type"), HeaderValue::from_static("audio/ogg"));
    let answer = client.plain().put_any("sound").header(header.0, header.1).await.unwrap();
    assert_eq!(answer.into_inner().bytes(LIMIT).await.unwrap(), "sound");
    let image = client.plain().get_image("cat").await.unwrap().into_inner();
    assert_eq!(image.bytes(LIMIT).await.unwrap(), b"\x89PNG\0".as_slice());
    let error = client.plain().get_image("dög/1").await.unwrap_err();
    assert!(matches!(error.declared(), Some(GetImageError::NotFound(it)) if it.body == "there is no dög/1"));
}

#[tokio::test]
async fn one_of_several_bodies_is_told_by_its_media_type() {
    use PostDifferentOkBody as Answer;
    let client = client().await;
    let different = async |body| client.several().post_different(body).await.unwrap().into_inner();
    assert!(matches!(different(PostDifferentBody::Json(note())).await, Answer::Json(it) if it == note()));
    let text = PostDifferentBody::Text(AWKWARD.to_owned());
    assert!(matches!(different(text).await, Answer::Text(it) if it == AWKWARD));
    let parts = PostDifferentMultipartBody::new(File::new("file"));
    for (body, expected) in [
        (PostDifferentBody::Bytes("bytes".into()), "bytes"),
        (PostDifferentBody::Multipart(parts.title("a")), "file"),
    ] {
        let Answer::Bytes(bytes) = different(body).await else { panic!("{expected} came as something else") };
        assert_eq!(bytes.bytes(LIMIT).await.unwrap(), expected);
    }
    assert_eq!(*client.several().post_same(note()).await.unwrap(), note());
}

#[tokio::test]
async fn one_of_several_bodies_or_none() {
    use PostDifferentOrNothingBody as Body;
    use PostDifferentOrNothingOkBody as Answer;
    use PostDifferentOrNothingSuccess as Success;
    let client = client().await;
    let send = |body: Option<Body>| client.several().post_different_or_nothing(body);
    assert!(matches!(*send(None).await.unwrap(), Success::NoContent(_)));
    let answer = async |body| match send(Some(body)).await.unwrap().into_inner() {
        Success::Ok(answer) => answer.body,
        Success::NoContent(_) => panic!("the body is lost"),
    };
    assert_eq!(answer(Body::Json(note())).await, Answer::Json(note()));
    let text = || "a".to_owned();
    assert_eq!(answer(Body::Text(text())).await, Answer::Text(text()));
    // A failure has codings of its own.
    let conflict = async |body| match send(Some(body)).await.unwrap_err().declared() {
        Some(PostDifferentOrNothingError::Conflict(conflict)) => conflict.body.clone(),
        other => panic!("{other:?}"),
    };
    let problem = conflict(Body::Json(Note::new("conflict"))).await;
    assert!(matches!(problem, PostDifferentOrNothingConflictBody::Json(it) if it.message == "a conflict"));
    let text = conflict(Body::Text("conflict".to_owned())).await;
    assert_eq!(text, PostDifferentOrNothingConflictBody::Text("conflict".to_owned()));
    let error = send(Some(Body::Text("teapot".to_owned()))).await.unwrap_err();
    assert!(matches!(error.declared(), Some(PostDifferentOrNothingError::Other(status, it))
        if status.as_u16() == 418 && it.body.message == "teapot"));
}

#[tokio::test]
async fn events_come_one_by_one() {
    let client = client().await;
    for count in [0, 1, 3] {
        let events = client.events().stream(count).await.unwrap().into_inner();
        let events: Vec<codec::Event<Event>> = events.map(Result::unwrap).collect().await;
        let expected: Vec<_> = (0..count)
            .map(|number| {
                codec::Event::new(Event { number, text: Some(format!("{number}\nü 😀")) })
                    .with_id(number.to_string())
            })
            .collect();
        assert_eq!(events, expected);
    }
    let texts = ["a", "two\nlines", " led by a space", "data: x", "ü 😀"].map(str::to_owned).to_vec();
    let events = client.events().stream_text(&texts).await.unwrap().into_inner();
    let came: Vec<String> = events.map(|event| event.unwrap().data).collect().await;
    assert_eq!(came, texts);
}

#[tokio::test]
async fn an_answer_streams_if_it_is_asked_to() {
    let client = client().await;
    let words = ["a", "ü"];
    let answer = client.events().stream_or_answer(StreamOrAnswerBody::new(words)).await.unwrap();
    assert_eq!(answer.into_inner().words, words);
    let body = StreamOrAnswerBody::new(words).stream(true);
    let events = client.events().stream_or_answer_stream(body).await.unwrap().into_inner();
    let came: Vec<_> = events.map(|event| event.unwrap().data.text.unwrap()).collect().await;
    assert_eq!(came, words);
    // Each method refuses what the other one reads.
    let error = client.events().stream_or_answer_stream(StreamOrAnswerBody::new(words)).await.unwrap_err();
    assert!(error.to_string().contains("application/json"), "{error}");
    let body = StreamOrAnswerBody::new(words).stream(true);
    let error = client.events().stream_or_answer(body).await.unwrap_err();
    assert!(error.to_string().contains("text/event-stream"), "{error}");
}

#[tokio::test]
async fn a_refused_body_is_what_the_document_declares() {
    let client = client().await;
    let error = client.json().post(Note::new("").stars(6)).await.unwrap_err();
    let told = format!("{:?}", error.declared().unwrap());
    assert!(told.contains("title") && told.contains("stars"), "{told}");
    assert_eq!(error.status().map(|status| status.as_u16()), Some(422));
}
