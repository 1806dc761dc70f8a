//! What a client makes of answers that no document foresaw, and of those that it did.

use std::error::Error as _;
use std::time::Duration;

use widgets_client::{ApiError, Client, Error, RetryPolicy};
use widgets_model::{
    DownHeaders, GetWidgetError, ListWidgetsError, ListWidgetsOkHeaders, ListWidgetsOtherHeaders, NewWidget,
    NewWidgetRequestError, Part, State, ThrottledHeaders,
};

use crate::script::{Act, Script};
use crate::service::{KNOWN, client};

async fn scripted(acts: &'static [Act]) -> (Script, Client) {
    let script = Script::new(acts).await;
    let client = Client::builder(script.url()).retry(RetryPolicy::NEVER).build().unwrap();
    (script, client)
}

#[tokio::test]
async fn an_undocumented_status_keeps_what_came() {
    let (_script, client) = scripted(&[Act::Answer("418 I'm a teapot", &["X-Pot: short"], "<stout>")]).await;
    let error = client.widgets().get(KNOWN.into()).await.unwrap_err();
    assert!(matches!(error, Error::Undocumented(_)), "{error:?}");
    let raw = error.raw().unwrap();
    assert_eq!((raw.status.as_u16(), &raw.body[..]), (418, &b"<stout>"[..]));
    assert_eq!(raw.headers["x-pot"], "short");
    assert!(error.declared().is_none() && error.to_string().contains("<stout>"), "{error}");
}

#[tokio::test]
async fn a_body_that_does_not_fit_keeps_what_came_and_says_where() {
    let (_script, client) = scripted(&[Act::Answer("200 OK", &[], r#"{"name": 7}"#)]).await;
    let error = client.widgets().get(KNOWN.into()).await.unwrap_err();
    assert!(matches!(error, Error::Unreadable { .. }), "{error:?}");
    assert_eq!(&error.raw().unwrap().body[..], br#"{"name": 7}"#);
    let expected = "name: invalid type: integer `7`, expected a string";
    assert_eq!(error.source().unwrap().to_string(), expected, "{error}");
}

#[tokio::test]
async fn a_required_header_must_come_and_an_optional_one_may() {
    let (_script, client) = scripted(&[
        Act::Answer("429 Too Many Requests", &[], ""),
        Act::Answer("429 Too Many Requests", &["Retry-After: 7"], ""),
        Act::Answer("503 Service Unavailable", &[], ""),
        Act::Answer("503 Service Unavailable", &["Retry-After: soon"], ""),
        Act::Answer("503 Service Unavailable", &["Retry-After: 8"], ""),
    ])
    .await;
    let get = || async { client.widgets().get(KNOWN.into()).await.unwrap_err() };
    let error = get().await;
    // The error itself is not lost because a header is missing.
    let Some(GetWidgetError::TooManyRequests(it)) = error.declared() else { panic!("{error:?}") };
    assert!(it.typed_headers::<ThrottledHeaders>().is_err());
    let error = get().await;
    let Some(GetWidgetError::TooManyRequests(it)) = error.declared() else { panic!("{error:?}") };
    assert_eq!(it.typed_headers::<ThrottledHeaders>().unwrap().retry_after, 7);
    for expected in [None, None, Some(8)] {
        let error = get().await;
        let Some(GetWidgetError::ServiceUnavailable(it)) = error.declared() else { panic!("{error:?}") };
        assert_eq!(it.typed_headers::<DownHeaders>().unwrap().retry_after, expected);
    }
}

#[tokio::test]
async fn a_header_of_a_list_or_an_enumeration_is_read_as_one() {
    let (_script, client) = scripted(&[
        Act::Answer("200 OK", &["X-Total: 1", "X-State: rusty", "X-States: new,in-use"], "{}"),
        Act::Answer("200 OK", &["X-Total: 1"], "{}"),
    ])
    .await;
    let answer = client.widgets().list().await.unwrap();
    let headers: ListWidgetsOkHeaders = answer.typed_headers().unwrap();
    assert_eq!(headers.x_state, State::Unknown("rusty".to_owned()));
    assert_eq!(headers.x_states, Some(vec![State::New, State::InUse]));
    // A missing header makes only itself unreadable.
    let answer = client.widgets().list().await.unwrap();
    let error = answer.typed_headers::<ListWidgetsOkHeaders>().unwrap_err();
    assert_eq!(error.to_string(), "the header x-state is missing or not readable");
}

#[tokio::test]
async fn answers_may_hold_more_than_this_version_knows() {
    let body = r#"{"name": "a", "id": "00000000-0000-0000-0000-000000000007", "state": "rusty", "finish": "velvet",
        "created_at": "2026-01-31T09:30:00+02:00", "colour": "red"}"#;
    let acts: &'static [Act] = Box::leak(Box::new([Act::Answer("200 OK", &[], body)]));
    let (_script, client) = scripted(acts).await;
    let widget = client.widgets().get(KNOWN.into()).await.unwrap();
    assert_eq!(widget.state, State::Unknown("rusty".to_owned()));
    assert_eq!(widget.finish.value().unwrap().as_str(), "velvet");
    assert_eq!(widget.created_at.to_string(), "2026-01-31T07:30:00Z");
    // What is written back is what came.
    assert_eq!(serde_json::to_value(&widget.state).unwrap(), "rusty");
}

#[tokio::test]
async fn errors_are_told_apart_by_status_even_where_they_look_alike() {
    let client = client().await;
    let create = |name: &str| {
        let call = client.widgets().new_widget(NewWidget::new(name, []));
        async { call.await.unwrap_err() }
    };
    assert!(matches!(create("conflict").await.declared(), Some(NewWidgetRequestError::Conflict(_))));
    assert!(matches!(create("bad").await.declared(), Some(NewWidgetRequestError::BadRequest(_))));
    let error = create("refused").await;
    assert!(matches!(error.declared(), Some(NewWidgetRequestError::UnprocessableEntity(_))));
    assert_eq!(&error.raw().unwrap().body[..], br#"{"message":"refused"}"#);
    assert_eq!(error.to_string(), "the service responded with 422 Unprocessable Entity: refused");
    // The server's own refusal of a body has the form that the document declares.
    let error = client.widgets().new_widget(NewWidget::new("", [Part::default_named("")])).await.unwrap_err();
    let Some(NewWidgetRequestError::UnprocessableEntity(refused)) = error.declared() else {
        panic!("{error:?}")
    };
    let errors = refused.body.errors.as_ref().unwrap();
    assert_eq!(errors.keys().collect::<Vec<_>>(), ["name", "parts.0.name"]);
    assert!(!error.to_string().contains("parts"), "the rest of a body stays out of logs: {error}");
}

trait Named {
    fn default_named(name: &str) -> Self;
}

impl Named for Part {
    fn default_named(name: &str) -> Self {
        Self { name: name.to_owned(), inside: None, parts: None }
    }
}

#[tokio::test]
async fn classes_and_default_keep_the_status() {
    let client = client().await;
    let error = client.widgets().list().limit(99).await.unwrap_err();
    assert!(matches!(error.declared(), Some(ListWidgetsError::ClientError(status, it))
        if status.as_u16() == 418 && it.message == "too many"));
    let error = client.widgets().list().limit(98).await.unwrap_err();
    assert!(matches!(error.declared(), Some(ListWidgetsError::Other(status, it))
        if status.as_u16() == 502
            && it.typed_headers::<ListWidgetsOtherHeaders>().unwrap().x_incident == Some(KNOWN.into())));
}

#[tokio::test]
async fn what_breaks_on_the_way_is_told_as_that() {
    let (_script, client) = scripted(&[Act::Hang, Act::Truncate]).await;
    for _ in 0..2 {
        let error = client.widgets().get(KNOWN.into()).await.unwrap_err();
        assert!(matches!(error, Error::Connection(_)), "{error:?}");
        assert_eq!(error.status(), None);
    }
    let (script, client) = scripted(&[Act::Silence]).await;
    let error = client.widgets().get(KNOWN.into()).timeout(Duration::from_millis(50)).await.unwrap_err();
    assert!(matches!(error, Error::TimedOut(_)), "{error:?}");
    assert_eq!(script.requests().len(), 1);
}

#[tokio::test]
async fn what_cannot_be_sent_is_not_sent() {
    let (script, client) = scripted(&[Act::Hang]).await;
    let widgets = client.widgets();
    for label in ["", ".", ".."] {
        let error = widgets.label(KNOWN.into(), label).await.unwrap_err();
        assert!(matches!(error, Error::Request(_)), "{label:?}: {error:?}");
    }
    let error = widgets.list().x_token("two\nlines").await.unwrap_err();
    assert!(matches!(error, Error::Request(_)) && !error.to_string().contains("lines"), "{error}");
    assert!(script.requests().is_empty());
    for url in ["", "127.0.0.1", "ftp://127.0.0.1", "http://", "http://127.0.0.1/?a=b", "http://127.0.0.1/#a"]
    {
        assert!(Client::builder(url).build().is_err(), "{url}");
    }
}

#[tokio::test]
async fn a_redirect_is_an_answer_and_credentials_stay_here() {
    let elsewhere = Script::new(&[Act::Answer("200 OK", &[], "[]")]).await;
    let client = client().await;
    let error = client.echo().kind(elsewhere.url(), vec![]).await.unwrap_err();
    let location = match error.declared() {
        Some(widgets_model::EchoKindError::Found(found)) => {
            found.typed_headers::<widgets_model::EchoKindFoundHeaders>().unwrap().location
        }
        None => panic!("{error:?}"),
    };
    assert_eq!(location, elsewhere.url());
    assert!(elsewhere.requests().is_empty());
}

#[tokio::test]
async fn null_for_an_optional_member_counts_as_absent() {
    let body = r#"{"name": "a", "id": "00000000-0000-0000-0000-000000000007", "state": "new", "finish": "matt",
        "created_at": "2026-01-31T09:30:00+02:00", "code": null, "tags": null}"#;
    let acts: &'static [Act] = Box::leak(Box::new([Act::Answer("200 OK", &[], body)]));
    let (_script, client) = scripted(acts).await;
    let widget = client.widgets().get(KNOWN.into()).await.unwrap();
    assert_eq!((&widget.code, &widget.tags), (&None, &None));
}

#[tokio::test]
async fn single_operations_can_be_faked() {
    use widgets_client::{Fake, runtime::StatusCode};
    use widgets_model::operations::widgets::{GET_WIDGET, NEW_WIDGET};

    let fake = Fake::new()
        .on(&GET_WIDGET, StatusCode::NOT_FOUND, &serde_json::json!({"message": "gone"}))
        .on_raw(&NEW_WIDGET, StatusCode::ACCEPTED, [], "");
    let client = Client::builder("http://localhost").service(fake.clone()).build().unwrap();
    let error = client.widgets().get(KNOWN.into()).await.unwrap_err();
    assert!(error.is_not_found());
    assert!(
        matches!(error.into_declared(), Ok(GetWidgetError::NotFound(gone)) if gone.body.message == "gone")
    );
    client.widgets().new_widget(NewWidget::new("a", [])).await.unwrap();
    let error = client.widgets().list().retry(RetryPolicy::NEVER).await.unwrap_err();
    assert_eq!(error.status().map(|status| status.as_u16()), Some(501));
    let called: Vec<&str> = fake.requests().iter().map(|(operation, _)| operation.id).collect();
    assert_eq!(called, ["getWidget", "newWidget", "listWidgets"]);
}

#[tokio::test]
async fn requests_say_who_sends_them_and_that_they_have_no_body() {
    let (script, client) = scripted(&[Act::Answer("200 OK", &[], "{}")]).await;
    let _ = client.with_bearer("good").call_group().caller(None).await;
    let _ = client.widgets().list().with_query("trace", "a b").header("x-own", "1").await;
    let requests = script.requests();
    let agent = format!("\r\nuser-agent: widgets-client/{}\r\n", env!("CARGO_PKG_VERSION"));
    assert!(requests.iter().all(|request| request.contains(&agent)), "{requests:?}");
    assert!(requests[0].contains("\r\ncontent-length: 0\r\n"), "{requests:?}");
    assert!(requests[1].contains("?trace=a%20b HTTP/1.1\r\n") && requests[1].contains("\r\nx-own: 1\r\n"));
    let error = client.widgets().list().header("no name", "1").await.unwrap_err();
    assert!(matches!(error, Error::Request(_)), "{error:?}");
}

/// A handler's `?` takes only responses that its operation declares, also where it shares its errors with
/// others: two implementations could be meant if a conversion existed, and this would not compile.
const _: fn() = || {
    use widgets_model::{DeleteWidgetError, NotFound, Throttled, UpdateWidgetError};

    trait Converts<Marker> {
        fn check() {}
    }
    struct Undeclared;
    impl<E> Converts<()> for E {}
    impl<E: From<Throttled>> Converts<Undeclared> for E {}

    <UpdateWidgetError as Converts<_>>::check();
    <DeleteWidgetError as Converts<_>>::check();
    let _: [fn(NotFound) -> UpdateWidgetError; 2] = [UpdateWidgetError::from, DeleteWidgetError::from];
    let _ = [GetWidgetError::from as fn(Throttled) -> GetWidgetError];
};

#[tokio::test]
async fn errors_of_different_operations_are_one_in_a_program() {
    let (_script, client) = scripted(&[
        Act::Answer("202 Accepted", &[], ""),
        Act::Answer(
            "404 Not Found",
            &["Content-Type: application/json", "X-Request-Id: r1"],
            r#"{"message": "There is no such widget.", "code": "absent"}"#,
        ),
    ])
    .await;
    let program = async || -> Result<(), ApiError> {
        client.widgets().new_widget(NewWidget::new("a", [])).await?;
        client.widgets().get(KNOWN.into()).await?;
        Ok(())
    };
    let error = program().await.unwrap_err();
    assert!(error.is_not_found() && !error.is_conflict(), "{error:?}");
    assert_eq!(error.to_string(), "the service responded with 404 Not Found: There is no such widget.");
    assert_eq!((error.code().as_deref(), error.request_id().as_deref()), (Some("absent"), Some("r1")));
}
