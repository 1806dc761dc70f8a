//! Complete bodies: round trips, unusual and malformed ones.

use super::{Multipart, MultipartError, decode_multipart, encode_multipart};
use crate::{
    Patch, Value,
    codec::{ByteStream, File, StreamError},
};
use bytes::Bytes;
use futures_util::{FutureExt, StreamExt, stream};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Meta {
    depth: u8,
}

#[derive(Debug)]
struct Upload {
    file: File,
    more: Option<Vec<File>>,
    note: Option<String>,
    count: u32,
    meta: Patch<Meta>,
    tags: Vec<String>,
    rest: BTreeMap<String, Value>,
}

crate::multipart! {
    Upload {
        file: required file "file" as "image/png",
        more: optional list file "more[]",
        note: optional text "no\"te",
        count: required text "count",
        meta: patch json "meta",
        tags: required list text "tags",
        ..rest
    }
}

fn read<T: Multipart>(content_type: &str, body: impl Into<ByteStream>) -> Result<T, MultipartError> {
    decode_multipart(content_type, body.into(), 10_000).now_or_never().unwrap()
}

fn text(file: File) -> String {
    file.content.text(100).now_or_never().unwrap().unwrap()
}

fn upload() -> Upload {
    Upload {
        file: File::new("\r\n--x\r\n").named("ü \"a\\b\".png"),
        more: Some(vec![File::new("1").with_content_type("text/plain"), File::new("")]),
        note: Some("zwei\r\nZeilen".to_owned()),
        count: 7,
        meta: Patch::Value(Meta { depth: 2 }),
        tags: vec![String::new(), "b".to_owned()],
        rest: BTreeMap::from([("other".to_owned(), Value::from("x"))]),
    }
}

#[test]
fn what_is_written_is_read() {
    let (content_type, body) = encode_multipart(upload(), "multipart/form-data").unwrap();
    let length = body.length().unwrap();
    let bytes = body.bytes(10_000).now_or_never().unwrap().unwrap();
    assert_eq!(bytes.len() as u64, length);
    let back: Upload = read(&content_type, bytes).unwrap();
    assert_eq!(back.file.name.as_deref(), Some("b\".png"));
    assert_eq!(back.file.content_type.as_deref(), Some("image/png"));
    assert_eq!(text(back.file), "\r\n--x\r\n");
    let more: Vec<_> =
        back.more.unwrap().into_iter().map(|file| (file.content_type.clone(), text(file))).collect();
    assert_eq!(
        more,
        [
            (Some("text/plain".to_owned()), "1".to_owned()),
            (Some("application/octet-stream".to_owned()), String::new())
        ]
    );
    assert_eq!(back.note.as_deref(), Some("zwei\r\nZeilen"));
    assert_eq!((back.count, back.meta), (7, Patch::Value(Meta { depth: 2 })));
    assert_eq!(back.tags, ["", "b"]);
    assert_eq!(back.rest, upload().rest);
}

#[test]
fn the_length_is_known_only_if_every_file_has_one() {
    let pieces = stream::iter(["a", "b"]).map(|piece| Ok::<_, StreamError>(Bytes::from(piece)));
    let upload = Upload { file: File::new(ByteStream::new(pieces)), ..upload() };
    let (content_type, body) = encode_multipart(upload, "multipart/form-data").unwrap();
    assert_eq!(body.length(), None);
    assert_eq!(text(read::<Upload>(&content_type, body).unwrap().file), "ab");
}

const TYPE: &str = "multipart/form-data; charset=utf-8; boundary=\"x y\"";

#[test]
fn odd_bodies_are_read() {
    let body = "preamble\r\n--x y  \r\ncontent-disposition:form-data; NAME=count\r\n\r\n3\r\n\
                --x yz is no boundary\r\n--x y\r\nContent-Disposition: form-data; name=\"file\"; \
                filename=\"C:\\docs\\a.txt\"; filename*=UTF-8''%C3%BC.txt\r\n\r\n\r\n--x y--\r\nepilogue";
    let error = read::<Upload>(TYPE, body).unwrap_err();
    assert_eq!(error.to_string(), "count: must be an integer between 0 and 4294967295");
    let body = body.replace("\r\n--x yz is no boundary", "");
    let back: Upload = read(TYPE, body).unwrap();
    assert_eq!((back.count, back.file.name.as_deref()), (3, Some("ü.txt")));
    assert!(back.tags.is_empty() && back.more.is_none() && back.meta.is_absent());
    assert_eq!(text(back.file), "");
}

#[test]
fn every_part_that_does_not_fit_is_told() {
    let part = |name: &str, value: &str| {
        format!("--b\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    };
    let body = [
        part("count", "x"),
        part("meta", "{"),
        part("meta", "{}"),
        part("tags", "\u{fffd}"),
        "--b--\r\n".to_owned(),
    ]
    .concat();
    let MultipartError::Invalid(failures) =
        read::<Upload>("multipart/form-data; boundary=b", body).unwrap_err()
    else {
        panic!("the parts themselves are well formed")
    };
    let lines: Vec<String> = failures.iter().map(ToString::to_string).collect();
    assert_eq!(lines[0], "file: is required");
    assert_eq!(lines[1], "count: must be an integer between 0 and 4294967295");
    assert_eq!(lines[2], "meta: must be given once");
    assert!(lines[3].starts_with("meta: must be valid JSON: "), "{lines:?}");
    assert_eq!(lines.len(), 4);
}

#[derive(Debug)]
struct Picture {
    picture: File,
}

crate::multipart! {
    Picture {
        picture: required file "picture" as "image/png,image/jpeg , image/gif",
    }
}

#[test]
fn the_media_types_of_a_part_are_told_however_they_are_listed() {
    let picture = |media_type: &str| {
        let body = format!(
            "--b\r\nContent-Disposition: form-data; name=picture\r\nContent-Type: {media_type}\r\n\r\nx\r\n--b--"
        );
        read::<Picture>("multipart/form-data; boundary=b", body)
    };
    assert_eq!(text(picture("image/gif").unwrap().picture), "x");
    let error = picture("text/plain").unwrap_err();
    assert_eq!(error.to_string(), "picture: must be sent as image/png or image/jpeg or image/gif");
}

#[test]
fn broken_bodies_are_refused() {
    let form = "multipart/form-data; boundary=b";
    for (content_type, body, expected) in [
        ("multipart/form-data", "--b--", "must have a `boundary`"),
        ("multipart/form-data; boundary=\"\"", "--b--", "must have a `boundary`"),
        (form, "", "has no part"),
        (form, "--b\r\n", "ends before its last boundary"),
        (form, "--b\r\nContent-Disposition: form-data; name=a\r\n\r\nx", "ends before its last boundary"),
        (form, "--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--", "without a name"),
        (form, "--b\r\nnothing\r\n--b--", "head does not end"),
        (form, "--b\r\nContent-Transfer-Encoding: base64\r\n\r\neA==\r\n--b--", "RFC 7578"),
    ] {
        let error = read::<Value>(content_type, body).unwrap_err();
        assert!(matches!(error, MultipartError::Malformed(_)), "{body}");
        assert!(error.to_string().contains(expected), "{body}: {error}");
    }
    let long = decode_multipart::<Value>(form, "--b--".into(), 4).now_or_never().unwrap().unwrap_err();
    assert!(matches!(long, MultipartError::Stream(error) if error.is_too_long()));
}

#[test]
fn an_object_without_parts_is_empty() {
    let form = "multipart/form-data; boundary=b";
    assert_eq!(read::<Value>(form, "--b--\r\n").unwrap(), serde_json::json!({}));
    let value = serde_json::json!({"a": ["1", "2"], "b": {"c": [1]}, "d": "x"});
    let (content_type, body) = encode_multipart(value.clone(), "multipart/form-data").unwrap();
    assert_eq!(read::<Value>(&content_type, body).unwrap(), value);
}

#[derive(Debug, PartialEq)]
struct Lists {
    metas: Vec<Meta>,
    more: Option<Vec<Meta>>,
    rows: Patch<Vec<Vec<u8>>>,
}

crate::multipart! {
    Lists {
        metas: required whole json "metas",
        more: optional whole json "more",
        rows: patch whole json "rows",
    }
}

#[test]
fn a_list_in_json_is_one_part_or_a_part_for_each_entry() {
    let part = |name: &str, json: &str| {
        format!(
            "--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\
             Content-Type: application/json\r\n\r\n{json}\r\n"
        )
    };
    let lists = |parts: &[(&str, &str)]| {
        let parts: String = parts.iter().map(|(name, json)| part(name, json)).collect();
        read::<Lists>("multipart/form-data; boundary=x", format!("{parts}--x--\r\n"))
    };
    let metas = |depths: &[u8]| depths.iter().map(|depth| Meta { depth: *depth }).collect::<Vec<_>>();
    let expected = Lists { metas: metas(&[1, 2]), more: None, rows: Patch::Absent };
    assert_eq!(lists(&[("metas", r#"[{"depth": 1}, {"depth": 2}]"#)]).unwrap(), expected);
    assert_eq!(lists(&[("metas", r#"{"depth": 1}"#), ("metas", r#"{"depth": 2}"#)]).unwrap(), expected);
    let one = lists(&[("metas", r#"{"depth": 1}"#), ("more", "[]"), ("rows", "[1, 2]")]).unwrap();
    let rows = Patch::Value(vec![vec![1, 2]]);
    assert_eq!(one, Lists { metas: metas(&[1]), more: Some(Vec::new()), rows });
    let rows = lists(&[("metas", "[]"), ("rows", "[[1], [2]]")]).unwrap().rows;
    assert_eq!(rows, Patch::Value(vec![vec![1], vec![2]]));
    let (content_type, body) = encode_multipart(expected, "multipart/form-data").unwrap();
    assert_eq!(read::<Lists>(&content_type, body).unwrap().metas, metas(&[1, 2]));
    assert_eq!(lists(&[]).unwrap_err().to_string(), "metas: is required");
    for parts in
        [&[("metas", "[true]")][..], &[("metas", "7")], &[("metas", r#"{"depth": 1}"#), ("metas", "7")]]
    {
        assert!(lists(parts).is_err(), "{parts:?}");
    }
}

struct Note {
    text: String,
}

crate::multipart! {
    closed except ["id"] Note {
        text: required text "text",
    }
}

#[test]
fn only_servers_refuse_parts_that_a_closed_struct_does_not_have() {
    let part = |name: &str| format!("--b\r\nContent-Disposition: form-data; name={name}\r\n\r\nx\r\n");
    let body = |names: &[&str]| names.iter().map(|name| part(name)).collect::<String>() + "--b--\r\n";
    let read = |names: &[&str], received: bool| {
        let stream = ByteStream::from(body(names)).received(received);
        read::<Note>("multipart/form-data; boundary=b", stream)
    };
    assert_eq!(read(&["text", "id"], true).unwrap().text, "x");
    assert_eq!(read(&["text", "colour"], false).unwrap().text, "x");
    let error = read(&["colour", "text", "size"], true).err().unwrap().to_string();
    assert_eq!(error, "colour: is not a member of this object; size: is not a member of this object");
}
