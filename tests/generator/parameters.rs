//! Parameters of every place, style and shape on their way to a service and back.

use std::collections::BTreeMap;

use frontdesk_runtime::Uuid;
use parameters_client::Error;
use parameters_model::{
    Color, CookiesOk, Filter, HeadersOkBody, HeadersOkHeaders, PathMixedExtension, PathScalarsOk, Point,
    QueryDeepObjectOk, QueryDefaultsColor, QueryDefaultsOk, QueryDefaultsOkRequired, QueryDelimitedOk,
    QueryJsonOk, QueryLimitsError, QueryScalarsOk, QuerySpreadOk, SameNameOk, ShapesBody,
};
use serde_json::json;

use crate::parameters_service::{client, start};
use crate::service::moment;
use crate::socket::exchange;

/// Characters that mean something in a URL, in a header, in a cookie or to a careless reader.
const AWKWARD: &str = "a,b;c&d=e/f?g#h%20 +\"|[x]{y}.z~'\\ ü 😀";

/// Lists that a careless reader would take for others.
fn lists() -> Vec<Vec<String>> {
    let lists: [&[&str]; 6] =
        [&["one"], &["a", "b", "c"], &["a,b"], &["a,b", AWKWARD], &["", "a", ""], &["ü", "😀", "null"]];
    lists.iter().map(|list| list.iter().map(|&entry| entry.to_owned()).collect()).collect()
}

fn points() -> [Point; 3] {
    [Point::new(1, -2), Point::new(i32::MAX, i32::MIN).label(AWKWARD), Point::new(0, 0).label("")]
}

fn filters() -> [Filter; 4] {
    [
        Filter::new().color(Color::AB),
        Filter::new().color(Color::LightBlue).least(0.1).open(false).text(AWKWARD),
        Filter::new().least(-1.5e-300).text(""),
        Filter::new().least(12_345_678_901_234.5).open(true),
    ]
}

#[tokio::test]
async fn path_scalars_keep_their_values() {
    let client = client().await;
    for (text, whole, wide, ratio, flag, color) in [
        (AWKWARD, i32::MIN, i64::MIN, 1.5e-300, true, Color::LightBlue),
        ("a..b/.", i32::MAX, i64::MAX, -0.1, false, Color::AB),
        ("%2F", 0, -1, 1e300, true, Color::Green),
    ] {
        let expected = PathScalarsOk {
            text: text.to_owned(),
            whole,
            wide,
            ratio,
            flag,
            id: Uuid::from_u128(u128::MAX).into(),
            day: "2024-02-29".parse().unwrap(),
            color: color.clone(),
        };
        let call = client.path().scalars(text, whole, wide, ratio, flag, expected.id, expected.day, color);
        assert_eq!(*call.await.unwrap(), expected);
    }
}

#[tokio::test]
async fn path_styles_keep_lists_and_objects() {
    let client = client().await;
    for list in lists() {
        for point in points() {
            let shapes = ShapesBody {
                scalar: None,
                list: Some(list.clone()),
                exploded_list: Some(list.clone()),
                object: Some(point.clone()),
                exploded_object: Some(point.clone()),
            };
            let (first, second) = (point.clone(), point.clone());
            let answer = client.path().simple(&list, &list, first, second).await.unwrap();
            assert_eq!(*answer, shapes, "simple");
            let shapes = ShapesBody { scalar: Some(AWKWARD.to_owned()), ..shapes };
            let (first, second) = (point.clone(), point.clone());
            let answer = client.path().label(AWKWARD, &list, &list, first, second).await.unwrap();
            assert_eq!(*answer, shapes, "label");
            let answer = client.path().matrix(AWKWARD, &list, &list, point.clone(), point).await.unwrap();
            assert_eq!(*answer, shapes, "matrix");
        }
    }
}

#[tokio::test]
async fn a_path_has_no_place_for_nothing() {
    let client = client().await;
    let point = Point::new(1, 2);
    // A segment without characters would be another path, so the call is not sent.
    let error = client.path().simple([""; 0], ["a"], point.clone(), point).await.unwrap_err();
    assert!(matches!(error, Error::Request(_)), "{error:?}");
    assert!(error.to_string().contains("list"), "{error}");
}

#[tokio::test]
async fn a_segment_takes_its_parameters_apart() {
    let client = client().await;
    let answer = client.path().mixed("a-and-b/ü", PathMixedExtension::Svg, 0, u32::MAX).await.unwrap();
    let expected = BTreeMap::from([
        ("name".to_owned(), vec!["a-and-b/ü".to_owned()]),
        ("extension".to_owned(), vec!["svg".to_owned()]),
        ("between".to_owned(), vec!["0".to_owned(), "4294967295".to_owned()]),
    ]);
    assert_eq!(*answer, expected);
}

#[tokio::test]
async fn words_of_a_path_are_matched_as_they_are_sent() {
    let client = client().await;
    let answer = client.path().spelled("ü b/c").await.unwrap();
    assert_eq!(*answer, BTreeMap::from([("size".to_owned(), vec!["ü b/c".to_owned()])]));
    let address = start().await;
    for (path, status) in [
        ("/path/gr%C3%B6%C3%9Fe%20in%20cm/7", 200),
        ("/path/gr%c3%b6%c3%9fe%20in%20cm/7", 200),
        ("/path/gr%C3%B6%C3%9Fe+in+cm/7", 404),
    ] {
        assert_eq!(exchange(address, &format!("GET {path}"), &[], "").await.status, status, "{path}");
    }
}

#[tokio::test]
async fn a_map_takes_the_names_that_no_other_parameter_has() {
    let client = client().await;
    let labels = || BTreeMap::from([("size".to_owned(), "1".to_owned())]);
    let others =
        || BTreeMap::from([("a".to_owned(), "b".to_owned()), ("wordsmith".to_owned(), String::new())]);
    let point = Point::new(1, 2);
    let answer = client
        .query()
        .spread()
        .others(others())
        .point(point.clone())
        .labels(labels())
        .words(["x", "y"])
        .flag(true)
        .text("t")
        .await
        .unwrap();
    let expected = QuerySpreadOk::new()
        .others(others())
        .point(point.clone())
        .labels(labels())
        .words(["x", "y"])
        .flag(true)
        .text("t");
    assert_eq!(*answer, expected);
    let answer = client.query().spread().point(point.clone()).words(["x"]).await.unwrap();
    assert_eq!(*answer, QuerySpreadOk::new().point(point).words(["x"]));
    let clash = BTreeMap::from([("words".to_owned(), "x".to_owned())]);
    let error = client.query().spread().others(clash).await.unwrap_err();
    assert!(error.to_string().contains("`words`, which is another parameter"), "{error}");
}

#[tokio::test]
async fn a_parameter_may_come_without_a_value_where_the_document_says_so() {
    let address = start().await;
    for (query, expected) in [
        ("flag&whole=&text", json!({ "text": "" })),
        ("flag=&whole&text=", json!({ "text": "" })),
        ("flag=true&whole=2", json!({ "flag": true, "whole": 2 })),
    ] {
        let answer = exchange(address, &format!("GET /query/spread?{query}"), &[], "").await;
        assert_eq!((answer.status, answer.json()), (200, expected), "{query}");
    }
    for query in ["flag=x", "whole=0", "flag=%20"] {
        let answer = exchange(address, &format!("GET /query/spread?{query}"), &[], "").await;
        assert_eq!(answer.status, 422, "{query}: {answer:?}");
    }
}

#[tokio::test]
async fn a_setter_that_is_called_again_replaces_the_value() {
    let client = client().await;
    let labels = |name: &str| BTreeMap::from([(name.to_owned(), "1".to_owned())]);
    let answer = client
        .query()
        .spread()
        .others(labels("a"))
        .words(["x", "y"])
        .labels(labels("a"))
        .text("t")
        .others(labels("b"))
        .words(["z"])
        .labels(labels("b"))
        .text("u")
        .await
        .unwrap();
    let expected = QuerySpreadOk::new().others(labels("b")).words(["z"]).labels(labels("b")).text("u");
    assert_eq!(*answer, expected);
}

#[tokio::test]
async fn brackets_and_bars_of_a_query_are_read_in_both_spellings() {
    let address = start().await;
    for query in ["labels[a]=1&labels%5Bb%5D=2", "labels%5Ba%5D=1&labels%5bb%5d=2", "labels[a]=1&labels[b]=2"]
    {
        let answer = exchange(address, &format!("GET /query/deep-object?{query}"), &[], "").await;
        assert_eq!(answer.json(), json!({ "labels": { "a": "1", "b": "2" } }), "{query}");
    }
    for query in ["pipes=a|b", "pipes=a%7Cb", "pipes=a%7cb"] {
        let answer = exchange(address, &format!("GET /query/delimited?{query}"), &[], "").await;
        assert_eq!(answer.json(), json!({ "pipes": ["a", "b"] }), "{query}");
    }
}

#[tokio::test]
async fn json_stands_in_any_place() {
    let client = client().await;
    for filter in filters() {
        assert_eq!(*client.path().json(filter.clone()).await.unwrap(), filter);
        let any = json!({ "a": [1, null, AWKWARD], "b": u64::MAX });
        let answer = client.query().json().filter(filter.clone()).any(any.clone()).await.unwrap();
        assert_eq!(*answer, QueryJsonOk { filter: Some(filter), any: Some(any) });
    }
    let nothing = QueryJsonOk { filter: None, any: None };
    assert_eq!(*client.query().json().await.unwrap(), nothing);
    assert_eq!(
        *client.query().json().any(json!("")).await.unwrap(),
        QueryJsonOk { any: Some(json!("")), ..nothing }
    );
}

#[tokio::test]
async fn query_scalars_are_there_or_not() {
    let client = client().await;
    // Required text may be empty; what is optional is absent, not empty.
    assert_eq!(*client.query().scalars("").await.unwrap(), QueryScalarsOk::new(""));
    let all = QueryScalarsOk::new(AWKWARD)
        .optional("")
        .whole(-10)
        .wide(u64::MAX)
        .ratio(0.1)
        .flag(false)
        .moment(moment())
        .color(Color::AB)
        .level(3)
        .present("");
    let answer = client
        .query()
        .scalars(AWKWARD)
        .optional("")
        .whole(-10)
        .wide(u64::MAX)
        .ratio(0.1)
        .flag(false)
        .moment(moment())
        .color(Color::AB)
        .level(3)
        .present("")
        .await
        .unwrap();
    assert_eq!(*answer, all);
}

#[tokio::test]
async fn query_forms_keep_lists_and_objects() {
    let client = client().await;
    for list in lists() {
        for point in points() {
            let answer = client
                .query()
                .form()
                .scalar(AWKWARD)
                .list(&list)
                .exploded_list(&list)
                .object(point.clone())
                .exploded_object(point.clone())
                .await
                .unwrap();
            let expected = ShapesBody {
                scalar: Some(AWKWARD.to_owned()),
                list: Some(list.clone()),
                exploded_list: Some(list.clone()),
                object: Some(point.clone()),
                exploded_object: Some(point),
            };
            assert_eq!(*answer, expected);
        }
    }
    assert_eq!(*client.query().form().await.unwrap(), ShapesBody::new());
    // A list without entries has nothing to show itself by in a query.
    let answer = client.query().form().list([""; 0]).exploded_list([""; 0]).await.unwrap();
    assert_eq!(*answer, ShapesBody::new());
}

#[tokio::test]
async fn delimited_lists_keep_what_is_no_delimiter() {
    let client = client().await;
    let spaces = ["a,b", "c|d&e", "ü", "😀"];
    let pipes = ["a,b", "c d+e&f=g", "", "😀"];
    let numbers = [i64::MAX, 0, i64::MIN, -1];
    let answer = client.query().delimited().spaces(spaces).pipes(pipes).numbers(numbers).await.unwrap();
    assert_eq!(*answer, QueryDelimitedOk::new().spaces(spaces).pipes(pipes).numbers(numbers));
    let answer = client.query().delimited().spaces(["one"]).numbers([7]).await.unwrap();
    assert_eq!(*answer, QueryDelimitedOk::new().spaces(["one"]).numbers([7]));
    // What would be read as two entries is not sent.
    let error = client.query().delimited().spaces(["a b"]).await.unwrap_err();
    assert!(matches!(error, Error::Request(_)), "{error:?}");
    assert!(error.to_string().contains("spaces"), "{error}");
}

#[tokio::test]
async fn deep_objects_keep_their_members() {
    let client = client().await;
    for filter in filters() {
        let labels =
            BTreeMap::from([AWKWARD, "a", "a.b", "x y"].map(|name| (name.to_owned(), AWKWARD.to_owned())));
        let answer =
            client.query().deep_object().filter(filter.clone()).labels(labels.clone()).await.unwrap();
        assert_eq!(*answer, QueryDeepObjectOk { filter: Some(filter), labels: Some(labels) });
    }
    assert_eq!(*client.query().deep_object().await.unwrap(), QueryDeepObjectOk::new());
}

#[tokio::test]
async fn reserved_characters_arrive() {
    let client = client().await;
    let reserved = "a:/?[]@!$'()*,;=b";
    let list = [reserved, "c&d#e+f%20 g", "ü 😀"];
    let answer = client
        .query()
        .reserved()
        .encoded(AWKWARD)
        .reserved(reserved)
        .reserved_list(list)
        .filter_name(AWKWARD)
        .a_plus_b_and_c(AWKWARD)
        .r#type("+")
        .await
        .unwrap();
    let expected = [
        ("encoded", vec![AWKWARD]),
        ("reserved", vec![reserved]),
        ("reserved_list", list.to_vec()),
        ("filter[name]", vec![AWKWARD]),
        ("a+b&c", vec![AWKWARD]),
        ("type", vec!["+"]),
    ];
    assert_eq!(serde_json::to_value(&*answer).unwrap(), json!(BTreeMap::from(expected)));
}

#[tokio::test]
async fn the_server_fills_defaults_in() {
    let client = client().await;
    let filled = QueryDefaultsOk::new(QueryDefaultsOkRequired {
        text: "a b".to_owned(),
        limit: 20,
        ratio: 0.5,
        flag: true,
        color: Color::Green,
        words: ["a", "b"].map(String::from).into(),
        x_depth: 3,
    });
    assert_eq!(*client.query().defaults().await.unwrap(), filled);
    // What is sent counts, be it empty, zero or false.
    let answer = client
        .query()
        .defaults()
        .text("")
        .limit(1)
        .ratio(0.0)
        .flag(false)
        .color(QueryDefaultsColor::Red)
        .words(["c"])
        .x_depth(0)
        .await
        .unwrap();
    assert_eq!(
        *answer,
        QueryDefaultsOk::new(QueryDefaultsOkRequired {
            text: String::new(),
            limit: 1,
            ratio: 0.0,
            flag: false,
            color: Color::Red,
            words: vec!["c".to_owned()],
            x_depth: 0,
        })
    );
}

#[tokio::test]
async fn the_server_fills_in_defaults_that_have_no_literal() {
    let client = client().await;
    let filled = client.query().default_values().await.unwrap();
    assert_eq!(
        serde_json::to_value(&*filled).unwrap(),
        json!({
            "day": "2024-02-29",
            "moment": "2024-02-29T08:00:00Z",
            "id": "d3a81f6e-4b27-4c95-8e10-7f2c9d5b6a34",
            "span": "P1DT12H",
            "days": ["2024-01-01", "2024-12-31"],
            "filter": { "name": "a b", "most": 3 },
            "either": "Boolean(true)",
        })
    );
    let sent =
        client.query().default_values().days(["2024-05-05".parse().unwrap()]).either(7.into()).await.unwrap();
    let sent = serde_json::to_value(&*sent).unwrap();
    assert_eq!((&sent["days"], &sent["either"]), (&json!(["2024-05-05"]), &json!("Integer(7)")));
}

#[tokio::test]
async fn headers_keep_their_values_both_ways() {
    let client = client().await;
    let text = "a,b;c&d=e/f?g#h%20 +\"";
    for point in [Point::new(1, -2), Point::new(i32::MAX, i32::MIN).label("a;b=c/d \"e\"")] {
        for filter in filters() {
            let list = ["one", "b c", "d=e"];
            let answer = client
                .header()
                .headers(text)
                .x_shared(text)
                .x_count(i32::MIN)
                .x_list(list)
                .x_exploded_list(["one"])
                .x_object(point.clone())
                .x_exploded_object(point.clone())
                .x_lower("hunter2")
                .idempotency_key("a key")
                .x_json(filter.clone())
                .await
                .unwrap();
            let expected = HeadersOkBody::new(text)
                .x_shared(text)
                .x_count(i32::MIN)
                .x_list(list)
                .x_exploded_list(["one"])
                .x_object(point.clone())
                .x_exploded_object(point.clone())
                .x_lower("hunter2")
                .idempotency_key("a key")
                .x_json(filter.clone());
            assert_eq!(*answer, expected);
            let answer: HeadersOkHeaders = answer.typed_headers().unwrap();
            assert_eq!((answer.x_required.as_str(), answer.x_count), (text, Some(i32::MIN)));
            assert_eq!(answer.x_list, expected.x_list);
            assert_eq!(answer.x_object.as_ref(), Some(&point));
            assert_eq!(answer.x_exploded_object.as_ref(), Some(&point));
            assert_eq!(answer.x_json, Some(filter));
        }
    }
    let answer = client.header().headers("a").await.unwrap();
    // A call without a key has one of its own.
    let key = answer.idempotency_key.clone().unwrap();
    assert!(key.parse::<Uuid>().is_ok(), "{key}");
    assert_eq!(*answer, HeadersOkBody::new("a").idempotency_key(key));
    let answer: HeadersOkHeaders = answer.typed_headers().unwrap();
    assert_eq!((&answer.x_count, &answer.x_list, &answer.x_object), (&None, &None, &None));
}

#[tokio::test]
async fn cookies_keep_their_values() {
    let client = client().await;
    assert_eq!(*client.cookie().cookies(AWKWARD).await.unwrap(), CookiesOk::new(AWKWARD));
    for (list, point) in lists().into_iter().zip(points().into_iter().cycle()) {
        for filter in filters() {
            let answer = client
                .cookie()
                .cookies("a; b")
                .visits(-1)
                .flag(false)
                .words(&list)
                .point(point.clone())
                .filter(filter.clone())
                .await
                .unwrap();
            let expected = CookiesOk::new("a; b")
                .visits(-1)
                .flag(false)
                .words(list.clone())
                .point(point.clone())
                .filter(filter);
            assert_eq!(*answer, expected);
        }
    }
}

#[tokio::test]
async fn one_name_stands_in_every_place() {
    let client = client().await;
    let answer = client.query().same_name("p").id_query("q").id_header("h").id_cookie("c").await.unwrap();
    assert_eq!(*answer, SameNameOk::new("p").query("q").header("h").cookie("c"));
    assert_eq!(*client.query().same_name("p").await.unwrap(), SameNameOk::new("p"));
}

#[tokio::test]
async fn broken_parameters_are_refused_by_name() {
    let address = start().await;
    for (line, headers, names) in [
        ("GET /query/scalars", &[][..], &["text"][..]),
        (
            "GET /query/scalars?text=&whole=11&wide=-1&ratio=0&flag=yes",
            &[],
            &["flag", "ratio", "whole", "wide"],
        ),
        ("GET /query/scalars?text=&color=blue&level=4&moment=today", &[], &["color", "level", "moment"]),
        // Integers that no type of the machine holds.
        ("GET /query/scalars?text=&whole=2147483648&wide=18446744073709551616", &[], &["whole", "wide"]),
        ("GET /query/scalars?text=%FF", &[], &["text"]),
        ("GET /query/form?object=x,1,y", &[], &["object"]),
        ("GET /query/form?x=1", &[], &["exploded_object.y"]),
        ("GET /query/delimited?numbers=1%7C2%7C3%7C4%7C5", &[], &["numbers"]),
        ("GET /query/delimited?numbers=1%7Ctwo", &[], &["numbers.1"]),
        ("GET /query/deep-object?filter[color]=blue", &[], &["filter.color"]),
        ("GET /query/json?filter=%7B", &[], &["filter"]),
        ("GET /query/defaults?limit=0&color=blue", &["X-Depth: deep"], &["X-Depth", "color", "limit"]),
        ("GET /query/limits?short=a&code=ab&mail=x&even=3", &[], &["code", "even", "mail", "short"]),
        ("GET /query/limits?few=a&few=a", &[], &["few"]),
        ("GET /query/limits?few=a&few=b&few=c", &[], &["few"]),
        ("GET /query/limits?few=a&few=", &[], &["few.1"]),
        ("GET /header", &[], &["X-Required"]),
        ("GET /header", &["X-Required: a", "X-Count: 1.5", "X-Json: {"], &["X-Count", "X-Json"]),
        ("GET /cookie", &["Cookie: visits=many; session="], &["session", "visits"]),
        ("GET /cookie", &["Cookie: session=a; filter=%7B%22open%22:1%7D"], &["filter.open"]),
        // As in a body, a member that is not nullable is not `null`.
        ("GET /query/json?filter=%7B%22text%22:null%7D", &[], &["filter.text"]),
        ("GET /query/deep-object?filter[least]=x", &[], &["filter.least"]),
        ("GET /query/delimited?numbers=1%7C2%7Ctwo", &[], &["numbers.2"]),
        ("GET /query/scalars?text=a&text=b", &[], &["text"]),
        ("GET /query/json?filter=%7B%7D&filter=%7B%7D", &[], &["filter"]),
        ("GET /header", &["X-Required: a", "X-Count: 1", "X-Count: 1"], &["X-Count"]),
    ] {
        let answer = exchange(address, line, headers, "").await;
        assert_eq!(answer.status, 422, "{line}: {answer:?}");
        let told = answer.json();
        let errors = told["errors"].as_object().unwrap();
        assert_eq!(errors.keys().collect::<Vec<_>>(), names, "{line}: {told}");
    }
}

/// Lines of a header are one list, and browsers send the cookie of the longest path first.
#[tokio::test]
async fn headers_are_joined_and_the_first_cookie_counts() {
    let address = start().await;
    let answer = exchange(address, "GET /header", &["X-Required: a", "X-Required: b", "X-List: c"], "").await;
    assert_eq!((answer.status, &answer.json()["X-Required"]), (200, &json!("a,b")), "{answer:?}");
    let cookies = "Cookie: session=a; words=b; filter=%7B%22text%22:%22c%22%7D; session=d; words=e; filter=f";
    let answer = exchange(address, "GET /cookie", &[cookies], "").await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!((&answer.json()["session"], &answer.json()["filter"]["text"]), (&json!("a"), &json!("c")));
}

#[tokio::test]
async fn a_client_reads_a_refusal_as_what_the_document_declares() {
    let client = client().await;
    let error = client.query().limits().short("a").nullable("b").await.unwrap_err();
    let Some(QueryLimitsError::UnprocessableEntity(refused)) = error.declared() else { panic!("{error:?}") };
    assert_eq!(refused.body.errors.as_ref().unwrap().keys().collect::<Vec<_>>(), ["short"]);
    client
        .query()
        .limits()
        .short("ab")
        .code("AB1")
        .mail("a@b.example")
        .even(-2)
        .few(["a", "b"])
        .await
        .unwrap();
}
