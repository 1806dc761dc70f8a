//! Values of every schema of `ok/schemas`, on their way to a service and back.

use std::fmt::Debug;
use std::future::IntoFuture;

use schemas_client::{Client, ResponseValue};
use schemas_model::{
    AccountInput, Channel, Composition, Contact, Defaults, DefaultsInlineMood, Input, Json, Loose, Maps,
    Mood, Nested, Pet, PostInlineBody, PostInlineOkKind, ProfileInput, Reachable, Recursion, Shape, Step,
    Unions,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::schemas_service::{client, client_of};
use crate::script::{Act, Script};

/// Sends each body by its Rust type, and compares what came back by type and as JSON.
macro_rules! echo {
    ($client:expr, $method:ident, $bodies:expr) => {
        let client: &Client = $client;
        for body in $bodies {
            there_and_back(body, |sent| client.echo().$method(sent)).await;
        }
    };
}

async fn there_and_back<T, C, E>(body: Value, call: impl FnOnce(T) -> C)
where
    T: Clone + Debug + DeserializeOwned + PartialEq + Serialize,
    C: IntoFuture<Output = Result<ResponseValue<T>, E>>,
    E: Debug,
{
    let sent: T = serde_json::from_value(body.clone()).unwrap_or_else(|error| panic!("{error}: {body}"));
    assert_eq!(serde_json::to_value(&sent).unwrap(), body, "a type keeps what it reads");
    let answer = call(sent.clone()).await.unwrap_or_else(|error| panic!("{error:?}: {body}"));
    assert_eq!(serde_json::to_value(&*answer).unwrap(), body);
    assert_eq!(answer.into_inner(), sent);
}

#[tokio::test]
async fn every_type_and_format() {
    let client = client().await;
    echo!(
        &client,
        scalars,
        [
            json!({}),
            json!({
                "string": "a\u{0}\"\\/\n ü 😀", "password": "hunter2", "byte": "AAH/", "date": "2024-02-29",
                "uuid": "6f1d5a5c-6f6e-4a56-8e0f-3c2f8f9d7a10", "date_time": "2026-01-31T07:30:00.123456Z",
                "time": "09:30:00Z", "duration": "P1DT2H30M", "uri": "urn:isbn:0451450523",
                "email": "jo@example.com", "hostname": "a-1.example", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1",
                "decimal_text": "1234567890123456789.123456700", "unknown_format": "teal", "boolean": false,
                "integer": i64::MIN, "int32": i32::MIN, "int64": i64::MAX, "uint8": 255, "uint32": u32::MAX,
                "uint64": u64::MAX, "number": 2.5e-7, "float": 0.5, "double": f64::MAX, "decimal": 12.25,
                "anything": { "b": [null, 1.5, u64::MAX], "a": "" },
            }),
            json!({ "integer": 9_007_199_254_740_993_i64, "decimal": -0.001, "anything": [] }),
        ]
    );
}

#[tokio::test]
async fn numbers_keep_their_last_digit() {
    let client = client().await;
    let largest = "79228162514264337593543950335";
    let sent = schemas_model::Scalars::new()
        .decimal_text(largest.parse().unwrap())
        .decimal("9007199254740993".parse().unwrap())
        .int64(9_007_199_254_740_993)
        .uint64(u64::MAX);
    let answer = client.echo().scalars(&sent).await.unwrap();
    let raw = std::str::from_utf8(&answer.raw().body).unwrap();
    for member in [
        format!(r#""decimal_text":"{largest}""#),
        r#""decimal":9007199254740993"#.to_owned(),
        r#""int64":9007199254740993"#.to_owned(),
        r#""uint64":18446744073709551615"#.to_owned(),
    ] {
        assert!(raw.contains(&member), "{member}: {raw}");
    }
    assert_eq!(answer.into_inner(), sent);
}

#[tokio::test]
async fn bounds_at_their_edges() {
    let client = client().await;
    echo!(
        &client,
        bounds,
        [
            json!({
                "short": "ßß", "code": "AB-12", "without_slash": "a/b/", "somewhere": "xabbbcx", "from_zero": 0,
                "above_zero": 5e-324, "percent": 100, "below_one": -1.0, "wide": 9_007_199_254_740_993_i64,
                "dozens": -24, "cents": 0.29, "some": ["a"], "set": [0, 50], "few": { "a": true },
                "set_of_points": [{ "x": 0.5, "y": 1.5 }, { "x": 1.5, "y": 0.5 }], "rows": [[], [0.5, 1.5]],
            }),
            json!({ "wide": -9_007_199_254_740_993_i64 }),
        ]
    );
}

#[tokio::test]
async fn enumerations_of_every_kind() {
    let client = client().await;
    let odd = ["", " ", "a b", "a-b", "A_B", "1", "+1", "-1", "self", "null", "é", "😀"];
    echo!(&client, enumerations, odd.map(|odd| json!({ "text": "good", "odd": odd })));
    echo!(
        &client,
        enumerations,
        [
            json!({
                "text": "indifferent", "open": "web", "single": "only", "whole": -3, "ratio": 0.5, "flag": true,
                "with_null": null, "nullable": null, "mixed": null, "list": ["bad", "good"], "by_name": { "a": "bad" },
            }),
            // An open enumeration takes values of later versions, a mixed one keeps the kind of each value.
            json!({ "text": "bad", "open": "pigeon", "with_null": "b", "nullable": "a", "mixed": "a" }),
            json!({ "text": "bad", "mixed": 1 }),
            json!({ "text": "bad", "mixed": true }),
        ]
    );
}

#[tokio::test]
async fn absence_null_and_values_are_three_things() {
    let client = client().await;
    let given = json!({ "given": "", "given_or_null": null, "inner_given_or_null": null, "list_given": [] });
    let with = |more: Value| {
        let mut body = given.clone();
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    echo!(
        &client,
        presence,
        [
            given.clone(),
            with(json!({
                "optional_or_null": null, "inner_optional_or_null": null, "nothing": null,
                "list_given": [null, "a", null], "list_optional_or_null": null, "map_of_nulls": { "a": null, "b": 1 },
            })),
            with(json!({
                "given_or_null": "a", "optional": "b", "optional_or_null": "c", "nothing": "12345",
                "inner_given_or_null": { "x": 0.5, "y": 1.5 }, "inner_optional": { "x": 0.5, "y": 1.5 },
                "inner_optional_or_null": { "x": 0.5, "y": 1.5 }, "list_optional_or_null": [1], "map_of_nulls": {},
            })),
        ]
    );
}

#[tokio::test]
async fn compositions_are_one_object() {
    let client = client().await;
    echo!(
        &client,
        composition,
        [
            json!({}),
            json!({
                "merged": { "name": "a", "team": [{ "name": "b", "born": "2000-01-01" }] },
                "required_only": { "label": "", "x": 0.5, "y": -0.5 },
                "narrowed": 10,
                "several_levels": { "name": "a", "born": "2000-01-01", "team": [], "budget": 0.5 },
                "with_union": { "name": "a", "mail": "a@example.com" },
                "alone": "bad",
                "inline": { "a": "", "b": 1 },
            }),
            json!({ "with_union": { "name": "a", "born": "2000-01-01", "phone": "+1 23" } }),
        ]
    );
    let body: Composition =
        serde_json::from_value(json!({ "with_union": { "name": "a", "phone": "123" } })).unwrap();
    assert!(matches!(body.with_union, Some(Reachable::WithPhone(it)) if it.phone == "123" && it.name == "a"));
}

#[tokio::test]
async fn unions_keep_their_branch() {
    let client = client().await;
    let kinds = [json!("a"), json!(false), json!(1.5), json!(["a"]), json!({ "x": 0.5, "y": 0.5 })];
    echo!(&client, unions, kinds.map(|kind| json!({ "by_kind": kind })));
    echo!(
        &client,
        unions,
        [
            json!({
                "by_member": { "mail": "a@example.com" }, "by_tag": { "shape": "Circle", "radius": 1.5 },
                "by_mapping": { "species": "kitten", "lives": 9 }, "by_value": { "do": "wait", "seconds": 3 },
                "any": { "a": "" }, "nullable_union": null, "with_null": null, "numbers": 0,
            }),
            json!({
                "by_member": { "place": "here", "when": "2026-01-31T07:30:00Z" },
                "by_mapping": { "species": "dog", "good": true, "name": "Rex" },
                "by_value": { "do": "say", "text": "" }, "any": { "b": i64::MIN }, "nullable_union": i64::MAX,
                "with_null": { "x": 0.5, "y": 0.5 }, "numbers": "7%",
                "list": [{ "shape": "Square", "side": 0.5, "inner": { "shape": "Circle", "radius": 0.5 } }],
            }),
            json!({ "by_member": { "phone": "123" }, "nullable_union": "text" }),
        ]
    );
    let read = |body: Value| serde_json::from_value::<Unions>(body).unwrap();
    assert!(
        matches!(read(json!({ "by_kind": 1 })).by_kind, Some(Input::Number(number)) if (number - 1.0).abs() < f64::EPSILON)
    );
    assert!(matches!(
        read(json!({ "by_mapping": { "species": "kitten" } })).by_mapping,
        Some(Pet::Cat(cat)) if cat.species == "kitten"
    ));
}

#[tokio::test]
async fn a_client_keeps_what_only_later_versions_know() {
    const BODY: &str = r#"{"by_kind":{"z":[1]},"by_member":{"fax":"1"},"by_tag":{"shape":"Star","points":5},
        "by_mapping":{"species":"fish"},"by_value":{"do":"jump","far":1.50},"any":{"c":[]},"numbers":false}"#;
    let script = Script::new(&[
        Act::Answer("200 OK", &["Content-Type: application/json"], BODY),
        Act::Answer("200 OK", &["Content-Type: application/json"], r#"{"text":"elated","open":"fax"}"#),
    ])
    .await;
    let client = client_of(script.address);
    let unions = client.echo().unions(Unions::new()).await.unwrap().into_inner();
    assert!(matches!(unions.by_kind, Some(Input::Unknown(_))), "{unions:?}");
    assert!(matches!(unions.by_member, Some(Contact::Unknown(_))), "{unions:?}");
    assert!(matches!(unions.by_tag, Some(Shape::Unknown(_))), "{unions:?}");
    assert!(matches!(unions.by_mapping, Some(Pet::Unknown(_))), "{unions:?}");
    assert!(matches!(unions.by_value, Some(Step::Unknown(_))), "{unions:?}");
    assert!(matches!(unions.any, Some(Loose::Unknown(_))), "{unions:?}");
    // What is written back is what came.
    let came: Value = serde_json::from_str(BODY).unwrap();
    assert_eq!(serde_json::to_value(&unions).unwrap(), came);

    let sent = schemas_model::Enumerations::new(Mood::Good);
    let enumerations = client.echo().enumerations(sent).await.unwrap().into_inner();
    assert_eq!(enumerations.text, Mood::Unknown("elated".to_owned()));
    assert_eq!(enumerations.open, Some(Channel::Unknown("fax".to_owned())));
    assert_eq!(serde_json::to_value(&enumerations).unwrap(), json!({ "text": "elated", "open": "fax" }));
}

#[tokio::test]
async fn maps_keep_every_member_that_they_stand_for() {
    let client = client().await;
    echo!(
        &client,
        maps,
        [
            json!({}),
            json!({
                "open": { "known": "a", "more": { "b": [1, null] }, "known2": null },
                "closed": { "known": "a" },
                "typed": { "known": "a", "b": i64::MAX, "": -1 },
                "silent": { "known": "a" },
                "of_text": { "": "abc", "ü 😀": "" },
                "of_points": { "a": { "x": 0.5, "y": 0.5 } },
                "of_lists": { "a": [], "b": [true, false] },
                "of_maps": { "a": {}, "b": { "c": 0.5 } },
                "of_anything": { "a": null, "b": [1], "c": u64::MAX },
                "of_inline": { "a": { "v": "" } },
                "bare": { "a": null, "b": { "c": 1 } },
                "empty": {},
            }),
        ]
    );
    let maps: Maps = serde_json::from_value(json!({ "typed": { "known": "a", "b": 2 } })).unwrap();
    let typed = maps.typed.unwrap();
    assert_eq!((typed.known.as_deref(), typed.extra.get("b")), (Some("a"), Some(&2)));
}

#[tokio::test]
async fn each_side_of_an_account_has_its_own_members() {
    let client = client().await;
    let sent = AccountInput::new("a", "hunter2 and more").profile(ProfileInput::new().motto("b").pin("c"));
    assert_eq!(
        serde_json::to_value(&sent).unwrap(),
        json!({ "name": "a", "password": "hunter2 and more", "profile": { "motto": "b", "pin": "c" } })
    );
    let stored = client.echo().store_account(sent).await.unwrap().into_inner();
    assert_eq!(
        serde_json::to_value(&stored).unwrap(),
        json!({
            "id": "6f1d5a5c-6f6e-4a56-8e0f-3c2f8f9d7a10", "name": "a", "profile": { "visits": 1, "motto": "b" },
        })
    );
}

#[tokio::test]
async fn absence_means_the_default() {
    let client = client().await;
    let filled = client.echo().defaults(Defaults::new()).await.unwrap().into_inner();
    assert_eq!(
        serde_json::to_value(&filled).unwrap(),
        json!({
            "text": "", "whole": 7, "wide": i64::MAX, "ratio": 2.5e-7, "flag": true, "mood": "indifferent",
            "inline_mood": "b", "words": [],
        })
    );
    let sent = Defaults::new()
        .text("a")
        .whole(1)
        .wide(-1)
        .ratio(0.5)
        .flag(false)
        .mood(Mood::Good)
        .inline_mood(DefaultsInlineMood::A)
        .words(["b"])
        .numbers([3])
        .day("2024-02-29".parse().unwrap())
        .nullable("c".to_owned());
    assert_eq!(client.echo().defaults(&sent).await.unwrap().into_inner(), sent);
}

#[tokio::test]
async fn recursion_ends_where_the_value_does() {
    let client = client().await;
    let mut chain = json!({});
    for _ in 0..50 {
        chain = json!({ "next": chain });
    }
    echo!(
        &client,
        recursion,
        [
            json!({}),
            json!({
                "tree": { "value": 1, "children": [{ "value": 2, "children": [] }, { "value": 3 }] },
                "chain": chain,
                "nested": [[], [[], [[]]]],
                "grouped": { "a": {}, "b": { "c": { "": {} } } },
                "json": { "a": ["b", true, 1.5, [], { "c": {} }] },
                "even": { "odd": { "even": { "odd": { "even": {} } } } },
            }),
        ]
    );
    let body: Recursion = serde_json::from_value(json!({ "nested": [[]], "json": [1.5] })).unwrap();
    assert_eq!(body.nested, Some(Nested(vec![Nested(vec![])])));
    assert_eq!(body.json, Some(Json::List(vec![Json::Number(1.5)])));
}

#[tokio::test]
async fn names_stay_apart_on_the_wire() {
    let client = client().await;
    let names = [
        "type", "self", "Self", "crate", "async", "r#match", "fooBar", "foo_bar", "FooBar", "foo-bar", "@id",
        "$ref_", "1st", "", " ", "a.b", "größe", "漢字", "😀", "renamed",
    ];
    let mut body: Value = names.iter().map(|name| ((*name).to_owned(), json!(name))).collect();
    body["nested"] = json!({ "a": "a" });
    body["other"] = json!({ "b": "b" });
    echo!(&client, names, [body]);
    let body = schemas_model::Type { chosen: Some("a".to_owned()), ..schemas_model::Type::default() };
    assert_eq!(serde_json::to_value(&body).unwrap(), json!({ "renamed": "a" }));
}

#[tokio::test]
async fn schemas_without_a_name_have_one() {
    let client = client().await;
    let body = json!({ "outer": { "inner": [{ "leaf": "a" }, {}], "kind": "b" } });
    let sent: PostInlineBody = serde_json::from_value(body).unwrap();
    let answer = client.echo().post_inline(sent).await.unwrap().into_inner();
    assert_eq!(answer.kinds, [PostInlineOkKind::B, PostInlineOkKind::Unknown("later".to_owned())]);
}
