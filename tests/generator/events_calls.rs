//! How the client of `ok/events` calls: servers, middleware, and services without a socket.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use events_client::{
    BoxFuture, Client, Middleware, Next, Request, Response, RetryPolicy, SendError, ServerError,
};
use events_model::{
    GetSubscriptionError, Item, NewSubscription, SubscribeCreatedHeaders, SubscribeError, Topic,
};
use frontdesk_runtime::{HeaderValue, Operation, Secret, Uuid};

use crate::events_service::{KNOWN, router, start};
use crate::script::{Act, Script};

const ITEM: Act = Act::Answer("200 OK", &["Content-Type: application/json"], r#"{"name":"a"}"#);
const DOWN: Act = Act::Answer("503 Service Unavailable", &[], "");

/// A policy without waits worth the name.
fn policy() -> RetryPolicy {
    RetryPolicy { retries: 2, base_delay: Duration::from_millis(1), longest_delay: Duration::from_secs(1) }
}

#[test]
fn servers_have_variables() {
    let [service, relative] = Client::SERVERS else { panic!("{:?}", Client::SERVERS) };
    assert_eq!(service.url(), "https://eu.example.com:443/v3");
    let url = service.url_with(&[("port", "8443"), ("region", "us")]).unwrap();
    assert_eq!(url, "https://us.example.com:8443/v3");
    assert!(matches!(
        service.url_with(&[("region", "mars")]),
        Err(ServerError::BadValue { name: "region", values: ["eu", "us"], .. })
    ));
    assert_eq!(service.url_with(&[("zone", "a")]), Err(ServerError::NoVariable("zone".to_owned())));
    // Where a document was found is not known to a client.
    assert_eq!(relative.url(), "/v3");
    assert!(Client::at(relative).build().is_err());
}

/// Notes the requests that come by, and adds its name to each.
#[derive(Clone)]
struct Witness {
    name: &'static str,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Witness {
    fn new(name: &'static str, seen: &Arc<Mutex<Vec<String>>>) -> Self {
        Self { name, seen: Arc::clone(seen) }
    }

    fn note(&self, what: impl fmt::Display) {
        self.seen.lock().unwrap().push(format!("{} {what}", self.name));
    }
}

impl fmt::Debug for Witness {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name)
    }
}

impl Middleware for Witness {
    fn handle(&self, mut request: Request, next: Next) -> BoxFuture<Result<Response, SendError>> {
        let witness = self.clone();
        Box::pin(async move {
            let before = request.headers().get_all("x-seen-by").iter().count();
            let operation = request.extensions().get::<&'static Operation>().map_or("?", |it| it.id);
            witness.note(format_args!("{operation} {} after {before}", request.uri()));
            request.headers_mut().append("x-seen-by", HeaderValue::from_static(witness.name));
            let response = next.run(request).await?;
            witness.note(response.status());
            Ok(response)
        })
    }
}

#[tokio::test]
async fn middleware_that_was_added_first_sees_a_request_first_and_its_answer_last() {
    let script = Script::new(&[DOWN, ITEM]).await;
    let seen = Arc::default();
    let client = Client::builder(script.url())
        .retry(policy())
        .middleware(Witness::new("outer", &seen))
        .middleware(Witness::new("inner", &seen))
        .build()
        .unwrap();
    client.changes().replace(KNOWN, Item::new("a")).await.unwrap();
    let url = format!("{}/changes/{KNOWN}", script.url());
    let attempt = |status: &str| {
        [
            format!("outer replace {url} after 0"),
            format!("inner replace {url} after 1"),
            format!("inner {status}"),
            format!("outer {status}"),
        ]
    };
    let expected = [attempt("503 Service Unavailable"), attempt("200 OK")].concat();
    assert_eq!(*seen.lock().unwrap(), expected);
    assert!(script.requests().iter().all(|request| request.contains("x-seen-by: outer\r\nx-seen-by: inner")));
}

#[tokio::test]
async fn an_operation_with_a_server_of_its_own_goes_there_if_the_address_is_the_documents() {
    for (documented, expected) in [
        (true, ["https://fast.example.com", "https://a.slow.example.com", "https://eu.example.com/v3"]),
        (false, ["http://localhost/base"; 3]),
    ] {
        let seen = Arc::default();
        let builder = if documented {
            Client::at(&Client::SERVERS[0])
        } else {
            Client::builder("http://localhost/base")
        };
        let client = builder
            .service(router())
            .middleware(Witness::new("it", &seen))
            .retry(RetryPolicy::NEVER)
            .build()
            .unwrap();
        // The paths of the base are none of the router's, so some answers are 404; the addresses are what
        // counts.
        let _ = client.subscriptions().get(KNOWN).await;
        let _ = client.subscriptions().unsubscribe(KNOWN).await;
        let _ = client.changes().discard(KNOWN).await;
        let seen = seen.lock().unwrap();
        let sent = seen.iter().filter(|line| line.contains("://")).collect::<Vec<_>>();
        assert_eq!(sent.len(), 3, "{seen:?}");
        for (line, base) in sent.iter().zip(expected) {
            assert!(line.contains(&format!(" {base}/")), "{line} {base}");
        }
    }
}

#[tokio::test]
async fn a_service_in_the_same_process_answers_as_over_a_socket() {
    let socket = Client::builder(format!("http://{}", start().await)).build().unwrap();
    let inside = Client::builder("http://localhost").service(router()).build().unwrap();
    let mut told = Vec::new();
    for client in [socket, inside] {
        let new = NewSubscription::new(
            "https://example.com/hook",
            [Topic::Orders, Topic::Unknown("new".to_owned())],
        )
        .secret(Secret::from("hunter2".to_owned()));
        let created = client.subscriptions().subscribe(&new).await.unwrap();
        assert_eq!(created.status().as_u16(), 201);
        let headers: SubscribeCreatedHeaders = created.typed_headers().unwrap();
        assert_eq!(headers.location, format!("/subscriptions/{KNOWN}"));
        assert_eq!((created.id, &created.topics), (KNOWN, &new.topics));

        let error = client.subscriptions().subscribe(NewSubscription::new("x", [])).await.unwrap_err();
        let Some(SubscribeError::UnprocessableEntity(refused)) = error.declared() else {
            panic!("{error:?}")
        };
        assert_eq!(refused.body.errors.as_ref().unwrap().keys().collect::<Vec<_>>(), ["topics", "url"]);
        let refused = refused.body.clone();

        let known = client.subscriptions().get(KNOWN).await.unwrap().into_inner();
        let error = client.subscriptions().get(Uuid::nil()).await.unwrap_err();
        assert!(matches!(error.declared(), Some(GetSubscriptionError::NotFound(_))), "{error:?}");
        client.subscriptions().unsubscribe(KNOWN).await.unwrap();
        assert!(client.subscriptions().unsubscribe(Uuid::nil()).await.is_err());
        client.changes().discard(KNOWN).await.unwrap();

        #[expect(deprecated, reason = "the document still declares it")]
        let amended =
            client.changes().amend(KNOWN, Item::new("a").cents(5)).force(true).await.unwrap().into_inner();
        assert_eq!((amended.name.as_str(), amended.cents), ("a Some(true)", Some(5)));

        let mut stream = client.pages().list_by_link().stream();
        let mut names = Vec::new();
        while let Some(item) = stream.next().await {
            names.push(item.unwrap().name);
        }
        let body = created.raw().body.clone();
        told.push((body, refused, known, error.raw().unwrap().body.clone(), amended, names));
    }
    assert_eq!(told[0], told[1]);
}
