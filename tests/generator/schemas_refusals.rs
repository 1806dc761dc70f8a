//! What a server of `ok/schemas` refuses, and what a client of it takes all the same.

use serde_json::{Value, json};

use crate::schemas_service::{client, client_of, start};
use crate::script::{Act, Script};
use crate::socket::send_json;

/// The failures that a body gets, by place.
async fn failures(path: &str, body: &str) -> Value {
    let answer = send_json(start().await, &format!("POST /{path}"), body).await;
    assert_eq!(answer.status, 422, "{path} {body}: {answer:?}");
    answer.json()["errors"].clone()
}

/// The places at which a body fails.
async fn places(path: &str, body: &Value) -> Vec<String> {
    let failures = failures(path, &body.to_string()).await;
    failures.as_object().unwrap_or_else(|| panic!("{failures}")).keys().cloned().collect()
}

#[tokio::test]
async fn every_failure_of_a_body_is_told_in_one_answer() {
    for (path, body) in [
        (
            "scalars",
            json!({
                "string": 1, "password": 1, "byte": "?", "uuid": "6f1d", "date": "2025-02-29", "date_time": "today",
                "time": "25:00:00Z", "duration": "a day", "uri": "/relative", "email": "jo", "hostname": "a_b",
                "ipv4": "192.0.2.256", "ipv6": "192.0.2.1", "decimal_text": 1, "unknown_format": null,
                "boolean": "true", "integer": 1.5, "int32": 2_147_483_648_i64, "int64": u64::MAX, "uint8": 256,
                "uint32": -1, "uint64": -1, "number": "1", "float": [], "double": {}, "decimal": "1",
            }),
        ),
        (
            "bounds",
            json!({
                "short": "a", "code": "ab-1", "without_slash": "a//b", "somewhere": "ac", "from_zero": -1,
                "above_zero": 0, "percent": 101, "below_one": 1, "wide": 9_007_199_254_740_994_i64, "dozens": 13,
                "cents": 0.295, "some": [], "set": [1, 1], "set_of_points": [{ "x": 1, "y": 1 }, { "y": 1, "x": 1 }],
                "few": {}, "rows.0": [1, 2, 3],
            }),
        ),
        (
            "enumerations",
            json!({
                "text": "elated", "odd": "2", "single": "other", "whole": 3, "ratio": 0.7, "flag": false,
                "with_null": "c", "nullable": "c", "mixed": "b",
            }),
        ),
    ] {
        let expected: Vec<&String> = body.as_object().unwrap().keys().collect();
        let mut sent = body.clone();
        let members = sent.as_object_mut().unwrap();
        // A place inside a list is written as the list.
        if let Some(row) = members.remove("rows.0") {
            members.insert("rows".to_owned(), json!([row]));
        }
        assert_eq!(places(path, &sent).await.iter().collect::<Vec<_>>(), expected, "{path}");
    }
}

#[tokio::test]
async fn places_lead_into_lists_maps_and_branches() {
    for (path, body, expected) in [
        (
            "enumerations",
            json!({ "list": ["good", "x"], "by_name": { "a b": "y" } }),
            &["by_name.a b", "list.1", "text"][..],
        ),
        ("enumerations", json!({ "text": "good", "mixed": 1.5 }), &["mixed"]),
        ("enumerations", json!({ "text": "good", "mixed": false }), &["mixed"]),
        ("presence", json!({}), &["given", "given_or_null", "inner_given_or_null", "list_given"]),
        (
            "presence",
            json!({
                "given": null, "given_or_null": 1, "optional": null, "optional_or_null": 1, "inner_given_or_null": {},
                "inner_optional": null, "inner_optional_or_null": { "x": 1 }, "nothing": "123456",
                "list_given": [null, 1], "list_optional_or_null": [null], "map_of_nulls": { "a": "b" },
            }),
            &[
                "given",
                "given_or_null",
                "inner_given_or_null.x",
                "inner_given_or_null.y",
                "inner_optional",
                "inner_optional_or_null.y",
                "list_given.1",
                "list_optional_or_null.0",
                "map_of_nulls.a",
                "nothing",
                "optional",
                "optional_or_null",
            ],
        ),
        (
            "composition",
            json!({
                "merged": { "name": "", "team": [{ "born": "x" }] }, "required_only": { "x": 1 }, "narrowed": 11,
                "several_levels": { "name": "a", "team": [], "budget": -1 },
                "with_union": { "name": "", "phone": "x" }, "alone": "x", "inline": {},
            }),
            &[
                "alone",
                "inline.a",
                "merged.name",
                "merged.team.0.born",
                "merged.team.0.name",
                "narrowed",
                "required_only.label",
                "required_only.y",
                "several_levels.born",
                "several_levels.budget",
                "with_union.name",
                "with_union.phone",
            ],
        ),
        (
            "unions",
            json!({ "list": [{ "shape": "Circle", "radius": -1 }, { "shape": "Square", "side": "x" }], "numbers": -1 }),
            &["list.0.radius", "list.1.side", "numbers"],
        ),
        (
            "maps",
            json!({
                "open": {}, "closed": { "more": 1 }, "typed": { "a": "b" }, "of_text": { "a": "long" },
                "of_points": { "a": { "x": 1 } }, "of_lists": { "a": [1] }, "of_maps": { "a": { "b": "c" } },
                "of_inline": { "a": {} }, "bare": [], "empty": { "a": 1 },
            }),
            &[
                "bare",
                "closed.more",
                "empty.a",
                "of_inline.a.v",
                "of_lists.a.0",
                "of_maps.a.b",
                "of_points.a.y",
                "of_text.a",
                "open.known",
                "typed.a",
            ],
        ),
        (
            "recursion",
            json!({ "tree": { "value": 1, "children": [{ "children": [{ "value": "x" }] }] }, "nested": [[1]], "grouped": { "a": [] } }),
            &["grouped.a", "nested.0.0", "tree.children.0.children.0.value", "tree.children.0.value"],
        ),
        (
            "inline",
            json!({ "outer": { "inner": [{ "leaf": 1 }], "kind": "c" } }),
            &["outer.inner.0.leaf", "outer.kind"],
        ),
        ("sides", json!({ "name": "", "password": "short" }), &["name", "password"]),
    ] {
        assert_eq!(places(path, &body).await, expected, "{path} {body}");
    }
}

#[tokio::test]
async fn a_server_refuses_the_branches_that_it_does_not_know() {
    for body in [
        json!({ "by_kind": { "z": 1 } }),
        json!({ "by_kind": [1] }),
        json!({ "by_member": { "fax": "1" } }),
        json!({ "by_tag": { "shape": "Star" } }),
        json!({ "by_tag": { "radius": 1 } }),
        json!({ "by_mapping": { "species": "fish" } }),
        json!({ "by_value": { "do": "jump" } }),
        json!({ "any": { "c": 1 } }),
        json!({ "any": {} }),
        json!({ "nullable_union": true }),
        json!({ "with_null": "null" }),
        json!({ "numbers": 1.5 }),
        json!({ "numbers": "7" }),
    ] {
        let told = places("unions", &body).await;
        let member = body.as_object().unwrap().keys().next().unwrap();
        assert!(told.iter().all(|place| place.split('.').next() == Some(member)), "{body}: {told:?}");
    }
}

#[tokio::test]
async fn only_a_server_refuses_members_that_a_closed_object_does_not_have() {
    const BODY: &str = r#"{"closed":{"known":"a","later":1},"empty":{"later":1}}"#;
    assert_eq!(
        failures("maps", BODY).await.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["closed.later", "empty.later"]
    );
    let script = Script::new(&[Act::Answer("200 OK", &["Content-Type: application/json"], BODY)]).await;
    let answer = client_of(script.address).echo().maps(schemas_model::Maps::new()).await.unwrap();
    assert_eq!(answer.closed.as_ref().unwrap().known.as_deref(), Some("a"));
    assert!(answer.empty.is_some());
}

#[tokio::test]
async fn a_member_that_is_there_twice_is_refused_wherever_it_is() {
    for (path, body, place) in [
        (
            "presence",
            r#"{"given":"a","given_or_null":null,"inner_given_or_null":null,"list_given":[],"given":"b"}"#,
            "given",
        ),
        ("maps", r#"{"closed":{"known":"a","known":"b"}}"#, "closed.known"),
        ("maps", r#"{"open":{"known":"a","more":1,"more":2}}"#, "open.more"),
        ("maps", r#"{"of_text":{"a":"b","a":"c"}}"#, "of_text.a"),
        ("maps", r#"{"bare":{"a":[{"b":1,"b":1}]}}"#, "bare.a.0.b"),
        ("unions", r#"{"by_tag":{"shape":"Circle","radius":1,"radius":2}}"#, "by_tag.radius"),
        ("unions", r#"{"by_tag":{"shape":"Square","shape":"Circle","radius":1}}"#, "by_tag.shape"),
    ] {
        assert_eq!(failures(path, body).await, json!({ place: ["must not occur twice"] }), "{body}");
    }
}

#[tokio::test]
async fn a_refusal_reaches_the_client_as_the_document_declares_it() {
    let sent = schemas_model::Bounds::new().short("long enough to fail").percent(-1);
    let error = client().await.echo().bounds(sent).await.unwrap_err();
    let Some(schemas_model::EchoBoundsError::UnprocessableEntity(refused)) = error.declared() else {
        panic!("{error:?}")
    };
    let errors = refused.body.errors.as_ref().unwrap();
    assert_eq!(errors.keys().collect::<Vec<_>>(), ["percent", "short"]);
}
