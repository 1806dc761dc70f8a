//! Selection, reading, writing and validation of union variants.

use crate::{
    Value,
    check::{Check, Path, Report, Validate, check_json},
    macros::inspect_union,
    object,
};
use serde_json::{from_value, json, to_value};
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq)]
struct Cat {
    name: String,
    lives: Option<i64>,
}

object! {
    closed Cat {
        name: required "name",
        lives: optional "lives",
    }
}

impl Validate for Cat {
    fn validate(check: &mut Check<'_, Self>) {
        check.required("name", |it| &it.name).max_chars(3);
        check.optional("lives", |it| &it.lives);
        check.closed(&["name", "lives"]);
    }
}

#[derive(Clone, Debug, PartialEq)]
struct Dog {
    kind: String,
    name: String,
    tricks: Vec<String>,
}

object! {
    Dog {
        kind: required "kind",
        name: required "name",
        tricks: required "tricks",
    }
}

impl Validate for Dog {
    fn validate(check: &mut Check<'_, Self>) {
        check.required("kind", |it| &it.kind);
        check.required("name", |it| &it.name);
        check.required("tricks", |it| &it.tricks);
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Pet {
    Cat(Cat),
    Dog(Box<Dog>),
}

union! {
    Pet by "kind" {
        Cat: = ["cat", "kitty"] adds "cat" [Object] required ["name"] known ["name", "lives"],
        Dog: = ["dog"] [Object] required ["kind", "name", "tricks"] known ["kind", "name", "tricks"],
    }
}

impl Validate for Pet {
    fn validate(check: &mut Check<'_, Self>) {
        check.branch(0, |it| if let Self::Cat(value) = it { Some(value) } else { None });
        check.branch(1, |it| if let Self::Dog(value) = it { Some(value) } else { None });
    }

    fn inspect(value: &Value, at: &Path<'_>, report: &mut Report) {
        inspect_union::<Self>(value, at, report);
    }
}

#[derive(Debug, PartialEq)]
enum Later {
    Pet(Pet),
    Cat(Cat),
    Dog(Dog),
    Unknown(Value),
}

union! {
    Later by "kind" {
        Pet: = ["pet"] [Object],
        Cat: = ["tom"] [Object] required ["name"] known ["name", "lives"],
        Dog: = ["wolf"] [Object] fixed ["kind": "wolf" | "fox"] known ["kind", "name", "tricks"],
        ..Unknown
    }
}

#[test]
fn a_tag_that_names_nothing_is_for_forms_that_know_it_themselves() {
    let read = |kind: &str| from_value::<Later>(json!({ "kind": kind, "name": "A", "tricks": [] })).unwrap();
    assert!(matches!(read("tom"), Later::Cat(_)));
    assert!(matches!(read("dog"), Later::Pet(Pet::Dog(_))), "a union may know the tag");
    assert!(matches!(read("fox"), Later::Dog(_)), "so may a form that lists its values");
    assert!(matches!(read("cow"), Later::Unknown(_)));
}

#[derive(Clone, Debug, PartialEq)]
enum Answer {
    Count(i64),
    Text(String),
    Small(Cat),
    Large(Dog),
    Unknown(Value),
}

union! {
    Answer {
        Count: [Integer],
        Text: [String] fixed ["": "a" | "b"],
        Small: [Object] required ["name"] known ["name", "lives"],
        Large: [Object] required ["name"] fixed ["kind": "dog"] known ["kind", "name", "tricks"],
        ..Unknown
    }
}

fn failures(body: &Value) -> Vec<String> {
    failures_of::<Pet>(body)
}

fn failures_of<T: serde::de::DeserializeOwned + Validate>(body: &Value) -> Vec<String> {
    let refused = check_json::<T>(body.to_string().as_bytes()).err().expect("the body is refused");
    refused.failures().iter().map(ToString::to_string).collect()
}

#[test]
fn the_tag_decides_and_is_written_by_forms_that_do_not_hold_it() {
    let cat = Pet::Cat(Cat { name: "Tom".to_owned(), lives: None });
    assert_eq!(to_value(&cat).unwrap(), json!({ "kind": "cat", "name": "Tom" }));
    for kind in ["cat", "kitty"] {
        let body = json!({ "kind": kind, "name": "Tom" });
        assert_eq!(check_json::<Pet>(body.to_string().as_bytes()).unwrap(), cat);
    }
    let dog = json!({ "kind": "dog", "name": "Rex", "tricks": ["sit"] });
    assert_eq!(to_value(from_value::<Pet>(dog.clone()).unwrap()).unwrap(), dog);
}

#[test]
fn failures_are_those_of_the_form_that_was_meant() {
    for (body, expected) in [
        (
            json!({ "kind": "dog", "name": 1 }),
            &["name: must be a string, not a number", "tricks: is required"][..],
        ),
        (
            json!({ "kind": "cat", "name": "Long", "tail": 1 }),
            &["name: must have at most 3 characters", "tail: is not a member of this object"],
        ),
        (
            json!({ "name": "Rex", "tricks": [1] }),
            &["kind: is required", "tricks.0: must be a string, not a number"],
        ),
        (json!(7), &["body: must have a `kind` out of: cat, kitty, dog, and the form that it names"]),
        (json!({ "kind": "cat", "name": "Long" }), &["name: must have at most 3 characters"]),
        (
            json!({ "kind": "cow", "name": "Tom" }),
            &["body: must have a `kind` out of: cat, kitty, dog, and the form that it names"],
        ),
    ] {
        assert_eq!(failures(&body), expected, "{body}");
    }
}

#[test]
fn without_a_tag_kinds_and_members_decide() {
    for (value, expected) in [
        (json!(1), Answer::Count(1)),
        (json!("b"), Answer::Text("b".to_owned())),
        (json!("c"), Answer::Unknown(json!("c"))),
        (json!(1.5), Answer::Unknown(json!(1.5))),
        (json!({ "name": "Tom" }), Answer::Small(Cat { name: "Tom".to_owned(), lives: None })),
        (
            json!({ "name": "Rex", "kind": "dog", "tricks": [] }),
            Answer::Large(Dog { name: "Rex".to_owned(), kind: "dog".to_owned(), tricks: Vec::new() }),
        ),
        (
            json!({ "name": "Rex", "kind": "cow", "tricks": [] }),
            Answer::Small(Cat { name: "Rex".to_owned(), lives: None }),
        ),
    ] {
        assert_eq!(from_value::<Answer>(value.clone()).unwrap(), expected, "{value}");
    }
    let unknown = json!({ "x": [1] });
    assert_eq!(to_value(from_value::<Answer>(unknown.clone()).unwrap()).unwrap(), unknown);
}

#[derive(Debug, PartialEq)]
enum Options {
    Cat(Lives),
    Further(BTreeMap<String, String>),
}

#[derive(Debug, PartialEq)]
enum Outer {
    Lives(Lives),
    Pet(Pet),
}

union! {
    Outer {
        Lives: [Object] known ["lives"],
        Pet: [] within ["name", "lives", "kind", "tricks"],
    }
}

#[test]
fn a_union_within_is_tried_first_where_its_forms_know_more() {
    let cat = || Cat { name: "Tom".to_owned(), lives: Some(9) };
    for (value, expected) in [
        (json!({ "lives": 9 }), Outer::Lives(Lives { lives: Some(9) })),
        (json!({ "lives": 9, "name": "Tom" }), Outer::Pet(Pet::Cat(cat()))),
        (json!({ "lives": 9, "name": 1 }), Outer::Lives(Lives { lives: Some(9) })),
    ] {
        assert_eq!(from_value::<Outer>(value.clone()).unwrap(), expected, "{value}");
    }
}

#[derive(Debug, PartialEq)]
struct Lives {
    lives: Option<i64>,
}

object! {
    Lives {
        lives: optional "lives",
    }
}

union! {
    Options {
        Cat: [Object] known ["lives"],
        Further: [Object],
    }
}

#[test]
fn a_map_keeps_what_no_form_knows() {
    for (value, expected) in [
        (json!({}), Options::Cat(Lives { lives: None })),
        (json!({ "lives": 9, "name": "Tom" }), Options::Cat(Lives { lives: Some(9) })),
        (json!({ "name": "Tom" }), Options::Further([("name".to_owned(), "Tom".to_owned())].into())),
        (json!({ "name": 7 }), Options::Cat(Lives { lives: None })),
    ] {
        assert_eq!(from_value::<Options>(value.clone()).unwrap(), expected, "{value}");
    }
}

#[derive(Debug, PartialEq)]
struct Named {
    value: Cat,
}

object! {
    Named {
        value: required "value",
    }
}

#[derive(Debug, PartialEq)]
struct Trained {
    value: Tricks,
}

object! {
    Trained {
        value: required "value",
    }
}

#[derive(Debug, PartialEq)]
struct Tricks {
    name: String,
    tricks: Option<Vec<String>>,
}

object! {
    Tricks {
        name: required "name",
        tricks: optional "tricks",
    }
}

#[derive(Debug, PartialEq)]
enum Change {
    Named(Named),
    Trained(Trained),
}

union! {
    Change {
        Named: [Object] required ["value"] known ["value"],
        Trained: [Object] required ["value"] known ["value"],
    }
}

#[derive(Debug, PartialEq)]
enum Changes {
    First(Vec<Change>),
    Second(Vec<Lives>),
}

union! {
    Changes {
        First: [Array],
        Second: [Array],
    }
}

#[test]
fn forms_that_know_the_same_are_told_apart_by_what_they_keep_within() {
    for value in [
        json!({ "value": { "name": "Tom", "lives": 9 } }),
        json!({ "value": { "name": "Tom", "tricks": ["sit"] } }),
    ] {
        assert_eq!(to_value(from_value::<Change>(value.clone()).unwrap()).unwrap(), value);
        let list = json!([value, value]);
        assert_eq!(
            to_value(from_value::<Changes>(list.clone()).unwrap()).unwrap(),
            list,
            "unions count, too"
        );
    }
    let named = |value| matches!(from_value::<Change>(value).unwrap(), Change::Named(_));
    assert!(named(json!({ "value": { "name": "Tom" } })), "alike, the first");
    assert!(named(json!({ "value": { "name": "Tom", "lives": 9, "later": 1 } })), "the one that loses least");
    assert!(!named(json!({ "value": { "name": "Tom", "tricks": [], "later": 1 } })));
    let list = json!([{ "value": { "name": "Tom", "later": 1 } }, { "lives": 9 }]);
    assert!(matches!(from_value::<Changes>(list).unwrap(), Changes::Second(_)), "the first does not take it");
}

#[derive(Debug, PartialEq)]
struct Link {
    next: Option<Box<Chain>>,
    end: Option<i64>,
}

object! {
    Link {
        next: optional "next",
        end: optional "end",
    }
}

#[derive(Debug, PartialEq)]
enum Chain {
    Left(Link),
    Right(Link),
}

union! {
    Chain {
        Left: [Object] known ["next", "end"],
        Right: [Object] known ["next", "end"],
    }
}

#[test]
fn forms_that_hold_each_other_are_not_tried_in_every_way() {
    for end in [json!({ "end": "no number" }), json!({ "end": 1, "later": 1 })] {
        let sound = end["end"].is_number();
        let chain = (0..100).fold(end, |next, _| json!({ "next": next }));
        assert_eq!(from_value::<Chain>(chain).is_ok(), sound);
    }
}

#[derive(Debug, PartialEq)]
struct Up {
    up: String,
    next: Option<Box<Step>>,
}

object! {
    Up {
        up: required "up",
        next: optional "next",
    }
}

#[derive(Debug, PartialEq)]
struct Down {
    down: String,
    next: Option<Box<Step>>,
}

object! {
    Down {
        down: required "down",
        next: optional "next",
    }
}

#[derive(Debug, PartialEq)]
enum Step {
    Up(Up),
    Down(Down),
}

union! {
    Step {
        Up: [Object] required ["up"] known ["up", "next"],
        Down: [Object] required ["down"] known ["down", "next"],
    }
}

impl Validate for Up {
    fn validate(check: &mut Check<'_, Self>) {
        check.required("up", |it| &it.up);
        check.optional("next", |it| &it.next);
    }
}

impl Validate for Down {
    fn validate(check: &mut Check<'_, Self>) {
        check.required("down", |it| &it.down);
        check.optional("next", |it| &it.next);
    }
}

impl Validate for Step {
    fn validate(check: &mut Check<'_, Self>) {
        check.branch(0, |it| if let Self::Up(value) = it { Some(value) } else { None });
        check.branch(1, |it| if let Self::Down(value) = it { Some(value) } else { None });
    }

    fn inspect(value: &Value, at: &Path<'_>, report: &mut Report) {
        inspect_union::<Self>(value, at, report);
    }
}

#[test]
fn a_fault_deep_within_forms_that_hold_each_other_is_found_once() {
    let chain = |step: fn(Value) -> Value, end: Value| (0..100).fold(end, |next, _| step(next));
    let up = |next| json!({ "up": "a", "next": next });
    let both = |next| json!({ "up": "a", "down": "b", "next": next });
    let deep = format!("next{}", ".next".repeat(99));
    for (end, place) in [(json!({ "left": 1 }), ""), (json!({ "up": 1 }), ".up"), (json!(3), "")] {
        let body = chain(up, end.clone());
        let failures = failures_of::<Step>(&body);
        assert_eq!(failures.len(), 1);
        assert!(failures[0].starts_with(&format!("{deep}{place}: must ")), "{failures:?}");
        from_value::<Step>(body).unwrap_err();

        // A form that is not unique at any place is none that the value was meant for.
        let body = chain(both, end);
        assert_eq!(failures_of::<Step>(&body), ["body: must have the form of one of: Up, Down"]);
        from_value::<Step>(body).unwrap_err();
    }
}

#[test]
fn the_error_names_the_form_and_what_is_wrong_with_it() {
    let error = from_value::<Pet>(json!({ "kind": "dog", "name": "Rex" })).unwrap_err().to_string();
    assert_eq!(error, "matches none of: Cat, Dog; as `Dog`: missing field `tricks`");
}

#[derive(Debug, PartialEq)]
enum Hour {
    Early(f64),
    Late(f64),
    Places(Vec<Room>),
    Few(Vec<Room>),
}

union! {
    Hour {
        Early: [Number],
        Late: [Number],
        Places: [Array],
        Few: [Array],
    }
}

#[derive(Debug, PartialEq)]
enum Room {
    Low(i64),
    High(i64),
}

union! {
    Room {
        Low: [Integer],
        High: [Integer],
    }
}

impl Validate for Hour {
    fn validate(check: &mut Check<'_, Self>) {
        check.branch(0, |it| if let Self::Early(value) = it { Some(value) } else { None }).maximum(9.0);
        check.branch(1, |it| if let Self::Late(value) = it { Some(value) } else { None }).minimum(18.0);
        check.branch(2, |it| if let Self::Places(value) = it { Some(value) } else { None }).min_items(3);
        check.branch(3, |it| if let Self::Few(value) = it { Some(value) } else { None }).max_items(1);
    }

    fn inspect(value: &Value, at: &Path<'_>, report: &mut Report) {
        inspect_union::<Self>(value, at, report);
    }
}

impl Validate for Room {
    fn validate(check: &mut Check<'_, Self>) {
        check.branch(0, |it| if let Self::Low(value) = it { Some(value) } else { None }).maximum(5);
        check.branch(1, |it| if let Self::High(value) = it { Some(value) } else { None }).minimum(100);
    }

    fn inspect(value: &Value, at: &Path<'_>, report: &mut Report) {
        inspect_union::<Self>(value, at, report);
    }
}

#[test]
fn rules_decide_between_variants_of_the_same_form() {
    let checked = |text: &str| crate::check::check_json::<Vec<Hour>>(text.as_bytes());
    let read = checked("[8, 20.5, [1, 100, 101], [100], [2]]").unwrap();
    let expected = [
        Hour::Early(8.0),
        Hour::Late(20.5),
        Hour::Places(vec![Room::Low(1), Room::High(100), Room::High(101)]),
        Hour::Few(vec![Room::High(100)]),
        Hour::Few(vec![Room::Low(2)]),
    ];
    assert_eq!(read, expected);
    // What no variant allows is reported as a violation of the first; the others are judged by themselves.
    let failures: Vec<String> =
        checked("[12, 20, [50], [1, 2]]").unwrap_err().failures().iter().map(ToString::to_string).collect();
    assert_eq!(
        failures,
        [
            "0: must be at most 9",
            "2.0: must be at most 5",
            "2: must have at least 3 entries",
            "3: must have at least 3 entries"
        ]
    );
}
