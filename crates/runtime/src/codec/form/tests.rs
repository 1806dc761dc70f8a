//! Encoding and decoding of forms as services use them.

use super::{Member, decode_form, encode_form};
use crate::codec::Style;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Order {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    lines: Vec<Line>,
    #[serde(default)]
    meta: BTreeMap<String, String>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Line {
    id: u32,
    open: bool,
}

fn order() -> Order {
    Order {
        name: "a b&c=d".to_owned(),
        note: None,
        tags: vec!["x,y".to_owned(), String::new()],
        lines: vec![Line { id: 1, open: true }, Line { id: 2, open: false }],
        meta: BTreeMap::from([("k[1]".to_owned(), "ü".to_owned())]),
    }
}

#[test]
fn a_form_is_read_as_it_was_written() {
    let text = encode_form(&order(), &[]).unwrap();
    assert_eq!(
        text,
        "name=a%20b%26c%3Dd&tags=x%2Cy&tags=&lines[0][id]=1&lines[0][open]=true\
         &lines[1][id]=2&lines[1][open]=false&meta[k%5B1%5D]=%C3%BC"
    );
    assert_eq!(decode_form::<Order>(&text, &[]).unwrap(), order());
}

#[test]
fn members_are_written_as_they_are_told() {
    let member = |name, style, explode| Member { name, style, explode, reserved: false };
    let members = [
        member("tags", Style::PipeDelimited, false),
        member("lines", Style::Json, false),
        member("meta", Style::DeepObject, true),
    ];
    let text = encode_form(&order(), &members).unwrap();
    assert!(text.contains("&tags=x%2Cy%7C&"), "{text}");
    assert!(text.contains("&lines=%5B%7B%22id%22%3A1%2C%22open%22%3Atrue%7D"), "{text}");
    assert_eq!(decode_form::<Order>(&text, &members).unwrap(), order());
}

#[test]
fn browsers_are_understood() {
    let order: Order = decode_form("name=J%C3%B6+B&tags%5B%5D=a&tags%5B%5D=b&note=&", &[]).unwrap();
    assert_eq!((order.name.as_str(), order.note.as_deref()), ("Jö B", Some("")));
    assert_eq!(order.tags, ["a", "b"]);
}

#[test]
fn every_member_that_does_not_fit_is_told() {
    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only what does not fit is looked at")]
    struct Strict {
        a: i64,
        b: bool,
        c: Vec<u8>,
        d: String,
    }
    let failures = decode_form::<Strict>("a=x&b=y&c=1&c=z&d=1", &[]).unwrap_err();
    let lines: Vec<String> = failures.iter().map(|(name, rule)| format!("{name} {rule}")).collect();
    assert_eq!(
        lines,
        [
            "a must be an integer of 64 bits",
            "b must be true or false",
            "c.1 must be an integer between 0 and 255"
        ]
    );
    let missing = decode_form::<Strict>("a=1&b=true", &[]).unwrap_err();
    assert_eq!(missing, [("c".to_owned(), "is required".to_owned())]);
    assert_eq!(decode_form::<Strict>("a=%FF", &[]).unwrap_err()[0].0, "a");
}

#[test]
fn only_objects_are_forms() {
    assert_eq!(encode_form(&[1], &[]).unwrap_err(), "the body of a form must be an object");
}

#[test]
fn a_member_that_is_only_reserved_is_written_like_one_without_a_rule() {
    let members = [Member { name: "point", style: Style::Form, explode: true, reserved: true }];
    let form = BTreeMap::from([("point", BTreeMap::from([("at", "a/b&c")]))]);
    let text = encode_form(&form, &members).unwrap();
    assert_eq!(text, "point[at]=a/b%26c");
    let read: BTreeMap<String, BTreeMap<String, String>> = decode_form(&text, &members).unwrap();
    assert_eq!(read["point"]["at"], "a/b&c");
}

#[test]
fn nested_values_of_unknown_type_are_json_and_others_are_not() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Note {
        any: serde_json::Value,
    }
    let members = [Member { name: "any", style: Style::JsonIfNested, explode: true, reserved: false }];
    for (any, text) in [
        (serde_json::json!({ "a": [1, true] }), "any=%7B%22a%22%3A%5B1%2Ctrue%5D%7D"),
        (serde_json::json!([{ "a": null }]), "any=%5B%7B%22a%22%3Anull%7D%5D"),
        (serde_json::json!("[a"), "any=%5Ba"),
        (serde_json::json!(["a", "b"]), "any=a&any=b"),
    ] {
        let note = Note { any };
        assert_eq!(encode_form(&note, &members).unwrap(), text);
        assert_eq!(decode_form::<Note>(text, &members).unwrap(), note);
    }
    // Whoever writes brackets is understood as well.
    let read = decode_form::<Note>("any[a]=b", &members).unwrap();
    assert_eq!(read.any, serde_json::json!({ "a": "b" }));
}
