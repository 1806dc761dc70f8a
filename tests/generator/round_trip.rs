//! Values on their way to a service and back.

use std::collections::BTreeMap;

use frontdesk_runtime::{HeaderName, HeaderValue, Patch, Secret, Uuid};
use serde_json::json;
use widgets_model as model;
use widgets_model::{
    Choice, Circle, Everything, Finish, GetDrawingFormat, NewWidget, NewWidgetNote, OwnerId, Part, Size,
    Square, State, WidgetPatch,
};

use crate::service::{KNOWN, client, moment, start};
use crate::socket::{pretty, send_json};

/// Characters that mean something in a URL, in a header or to a careless reader.
const AWKWARD: &str = "a/b?c#d&e=f+g%20h:i;j@k!l,m'n\"o(p)q*r[s]{t} ü 😀";

#[tokio::test]
async fn parameters_arrive_as_they_were_sent() {
    let client = client().await;
    let answer = client
        .widgets()
        .list()
        .tags(["a&b", "ü 😀", "+%,"])
        .ids([i64::MAX, 0, i64::MIN])
        .state(State::Broken)
        .finishes([Finish::Glossy, Finish::Matte])
        .limit(1)
        .offset(u64::MAX)
        .page(u32::MAX)
        .ratio(-0.25)
        .scale(1.5e-7)
        .since(moment())
        .owner(Uuid::from_u128(u128::MAX).into())
        .verbose(true)
        .r#type(AWKWARD)
        .timeout_parameter("never")
        .filter_name("")
        .x_trace(["a", "b c"])
        .x_depth(0)
        .x_token("hunter2")
        .await
        .unwrap();
    insta::assert_snapshot!(pretty(&*answer));
    let answer: model::ListWidgetsOkHeaders = answer.typed_headers().unwrap();
    assert_eq!((answer.x_total, answer.x_next.as_deref()), (i64::MAX, Some("next page")));
    assert_eq!(answer.x_state, State::InUse);
    assert_eq!(answer.x_states, Some(vec![State::New, State::Unknown("lost".to_owned())]));
}

#[tokio::test]
async fn what_is_not_sent_does_not_arrive() {
    let client = client().await;
    let answer = client.widgets().list().await.unwrap();
    let headers: model::ListWidgetsOkHeaders = answer.typed_headers().unwrap();
    assert_eq!((&*answer, headers.x_next, headers.x_states), (&BTreeMap::new(), None, None));
    // A query has no form for a list without entries; `ids=` is the list of one empty text.
    let answer = client.widgets().list().tags([""; 0]).ids([]).await.unwrap();
    assert_eq!(serde_json::to_value(&*answer).unwrap(), json!({}));
}

#[tokio::test]
async fn path_parameters_stay_one_segment() {
    let client = client().await;
    for label in [AWKWARD, "a.b", "...", "%2F", "%", "\\", " ", "a//b", "\u{7f}"] {
        let label: String = label.chars().take(40).collect();
        assert_eq!(*client.widgets().label(KNOWN.into(), &label).await.unwrap(), label);
    }
}

#[tokio::test]
async fn a_segment_may_hold_several_parameters() {
    let client = client().await;
    // A parameter ends where the text after it first occurs, so a name with a dot would not be taken whole.
    for name in ["a", "a-b", "svg", "ü/x"] {
        let call = client.widgets().get_drawing(KNOWN.into(), name, GetDrawingFormat::Svg, [1, 2]);
        let expected = [name, "svg", "1", "2"].map(str::to_owned).to_vec();
        let answer = call.await.unwrap();
        assert!(matches!(&*answer, model::GetDrawingSuccess::Ok(it) if it.body == expected), "{answer:?}");
    }
    let call = client.widgets().get_drawing(Uuid::nil().into(), "a", GetDrawingFormat::Png, [1]);
    assert!(matches!(*call.await.unwrap(), model::GetDrawingSuccess::NoContent(_)));
}

fn part(name: &str) -> Part {
    Part { name: name.to_owned(), inside: None, parts: None }
}

#[expect(deprecated, reason = "the document still declares it")]
fn everything() -> Everything {
    let circle = Choice::from(Circle { radius: 1.5 });
    let square = Choice::Square(Square { side: 2.0, inner: Some(Box::new(circle.clone())) });
    let inside = Part { inside: Some(Box::new(part("innermost"))), ..part("inside") };
    Everything {
        id: Uuid::from_u128(1),
        owner: Some(Uuid::from_u128(2).into()),
        former_owners: Some(vec![Uuid::from_u128(3).into(), Uuid::from_u128(u128::MAX).into()]),
        owner_or_none: Patch::Null,
        owners_by_year: Some(BTreeMap::from([("2026".to_owned(), Uuid::from_u128(4).into())])),
        owner_or_flag: Some(OwnerId::new(Uuid::from_u128(5)).into()),
        big: i64::MIN,
        small: Some(i32::MAX),
        unsigned: Some(u64::MAX),
        count: Some(0),
        ratio: 0.1 + 0.2,
        half: Some(f32::MIN_POSITIVE),
        when: moment(),
        secret: Some(Secret::from("hunter2")),
        flag: Some(false),
        state: State::New,
        size: Some(Size::from("xxl")),
        nothing: None,
        maybe: Patch::Null,
        plain: Some(AWKWARD.to_owned()),
        root: Part {
            inside: Some(Box::new(inside)),
            parts: Some(vec![part("leaf"), part("leaf")]),
            ..part("r")
        },
        labels: Some(BTreeMap::new()),
        counts: Some(BTreeMap::from([(String::new(), None), ("a.b".to_owned(), Some(i64::MAX))])),
        anything: Some(json!({ "deep": [null, 1.5, "a", { "x": [] }] })),
        choice: Some(square.clone()),
        choices: Some(vec![
            Choice::String("1".to_owned()),
            Choice::Boolean(true),
            Choice::Integer(1),
            circle,
            square,
            Choice::List(vec![Choice::List(vec![])]),
        ]),
        matrix: Some(vec![vec![], vec![0.0, -1.0, 1e300]]),
        gaps: Some(vec![Some(1), None]),
        r#type: Some("a".to_owned()),
        self_: Some("b".to_owned()),
        at_id: Some("c".to_owned()),
        plus_1: Some(1),
        minus_1: Some(-1),
        größe: Some("d".to_owned()),
        kebab_case: Some("e".to_owned()),
        camel_case_: Some("f".to_owned()),
        camel_case: Some("g".to_owned()),
        new: Some("h".to_owned()),
        extra_: Some("i".to_owned()),
        quote_s: Some("j".to_owned()),
        extra: BTreeMap::from([("further".to_owned(), i64::MAX)]),
    }
}

#[tokio::test]
async fn a_body_of_every_type_comes_back_as_it_went() {
    let sent = everything();
    let answer = client().await.echo().post(&sent).await.unwrap();
    assert_eq!(*answer, sent);
    insta::assert_snapshot!(pretty(&sent));
}

#[test]
fn secrets_in_bodies_do_not_show_in_debug() {
    let new = NewWidget::new("a", []).secret("hunter2");
    let told = format!("{:?}{new:?}", everything());
    assert_eq!(told.matches("Secret(…)").count(), 2, "{told}");
    assert!(!told.contains("hunter2"), "{told}");
}

#[tokio::test]
async fn further_members_of_another_type_are_refused() {
    let mut body = serde_json::to_value(everything()).unwrap();
    body["further"] = json!("text");
    let answer = send_json(start().await, "POST /echo", &body.to_string()).await;
    assert_eq!(answer.status, 422, "{answer:?}");
    assert_eq!(answer.json()["errors"]["further"][0], "must be an integer of 64 bits, not a string");
}

#[tokio::test]
async fn absence_null_and_value_are_three_things() {
    let client = client().await;
    for (patch, expected) in [
        (WidgetPatch::new("a", None), json!({ "given": "a", "nullable_and_given": null })),
        (
            WidgetPatch::new("a", "b".to_owned()).nullable_and_optional(Patch::Null).optional("c"),
            json!({ "given": "a", "nullable_and_given": "b", "optional": "c", "nullable_and_optional": null }),
        ),
        (
            WidgetPatch::new("", None)
                .nullable_and_optional("d")
                .contact(part("p"))
                .entries(vec![None])
                .states([]),
            json!({
                "given": "", "nullable_and_given": null, "nullable_and_optional": "d", "contact": { "name": "p" },
                "entries": [null], "states": [],
            }),
        ),
    ] {
        assert_eq!(*client.widgets().update(KNOWN.into(), patch).await.unwrap(), expected);
    }
    // A body that may be left out is left out.
    assert_eq!(*client.widgets().update(KNOWN.into(), None).await.unwrap(), json!(null));
    let address = start().await;
    for (body, path) in [
        (json!({ "given": "a" }), "nullable_and_given"),
        (json!({ "given": null, "nullable_and_given": null }), "given"),
        (json!({ "given": "a", "nullable_and_given": null, "optional": null }), "optional"),
        (json!({ "given": "a", "nullable_and_given": "long" }), "nullable_and_given"),
        (
            json!({ "given": "a", "nullable_and_given": null, "nullable_and_optional": "long" }),
            "nullable_and_optional",
        ),
        (json!({ "given": "a", "nullable_and_given": null, "entries": ["a", null, "long"] }), "entries.2"),
        (json!({ "given": "a", "nullable_and_given": null, "contact": { "name": "" } }), "contact.name"),
        // What a client reads as a later value, a server does not take.
        (json!({ "given": "a", "nullable_and_given": null, "states": ["new", "rusty"] }), "states.1"),
    ] {
        let answer = send_json(address, &format!("PATCH /widgets/{KNOWN}"), &body.to_string()).await;
        let errors = answer.json()["errors"].as_object().cloned().unwrap_or_default();
        assert_eq!(errors.keys().collect::<Vec<_>>(), [path], "{body}: {answer:?}");
    }
}

#[tokio::test]
async fn every_declared_success_has_a_value() {
    use model::NewWidgetRequestSuccess as Success;
    let client = client().await;
    let create = |name: &str| {
        let note = NewWidgetNote::String("n".to_owned());
        let call = client.widgets().new_widget(NewWidget::new(name, [part("p")]).tags(["t"]).note(note));
        async { call.await.unwrap() }
    };
    let answer = create("now").await;
    assert_eq!(answer.status().as_u16(), 201);
    let Success::Created(created) = &*answer else { panic!("{answer:?}") };
    let headers: model::NewWidgetCreatedHeaders = created.typed_headers().unwrap();
    assert_eq!(headers.location, format!("/widgets/{KNOWN}"));
    assert_eq!(
        (created.body.name.as_str(), created.body.tags.as_deref()),
        ("now", Some(&["t".to_owned()][..]))
    );
    assert_eq!(created.body.finish, Patch::Absent);
    assert!(matches!(*create("later").await, Success::Accepted(_)));
    let answer = create("elsewhere").await;
    assert!(matches!(&*answer, Success::NonAuthoritativeInformation(it) if it.name == "elsewhere"));
    assert_eq!(answer.status().as_u16(), 203);
}

#[tokio::test]
async fn a_class_of_statuses_keeps_the_status() {
    let client = client().await;
    let sent = vec![Choice::String("a".to_owned()), Choice::List(vec![])];
    let answer = client.echo().kind("207", &sent).await.unwrap();
    assert_eq!((answer.status().as_u16(), answer.into_inner()), (207, sent));
}

#[tokio::test]
async fn with_nothing_but_a_default_success_and_failure_are_told_by_status() {
    let client = client().await;
    let sent = BTreeMap::from([(
        "a".to_owned(),
        BTreeMap::from([("b".to_owned(), None), ("c".to_owned(), Some(1))]),
    )]);
    let answer = client.echo().maps(&sent).await.unwrap();
    let expected = json!({ "a": { "b": null, "c": 1 } });
    assert_eq!((answer.status().as_u16(), answer.into_inner()), (201, expected));
    let error = client.echo().maps(BTreeMap::new()).await.unwrap_err();
    assert!(matches!(error.declared(), Some(model::EchoMapsError::Other(status, it))
        if status.as_u16() == 409 && it.body == json!("nothing came")));
}

#[tokio::test]
async fn names_that_the_crates_use_themselves_work_as_names() {
    let address = start().await;
    let client = widgets_client::Client::builder(format!("http://{address}")).bearer("good").build().unwrap();
    let call = client.call_group();
    assert_eq!(call.new_().await.unwrap().ok, model::OkModel::Itself);
    let sent = model::CallerModel::new().default_("d").check("c");
    let answer = call.caller(sent).await.unwrap();
    assert_eq!((answer.value.as_deref(), answer.self_.as_deref()), (Some("d"), Some("token:good")));
    let error = call.caller(None).await.unwrap_err();
    assert!(matches!(error.declared(), Some(model::CallerRequestError::NotFound(it))
        if it.body.body.as_deref() == Some("no body")));
    let arrived = call.loop_call("{body}", "b", "t", "c", "s", "r", "o", "w", "i", "h").await.unwrap();
    assert_eq!(*arrived, ["{body}", "b", "t", "c", "s", "r", "o", "w", "i", "h"]);
    client.ping().get().await.unwrap();
}

#[tokio::test]
async fn a_call_may_carry_headers_of_its_own() {
    let client = client().await;
    let header = (HeaderName::from_static("x-depth"), HeaderValue::from_static("4"));
    let answer = client.widgets().list().header(header.0, header.1).await.unwrap();
    assert_eq!(answer["X-Depth"], ["4"]);
}
