//! Calls against a service in the same process: requests, retries, and reading of responses.

mod pages;

use self::pages::ByNumber;
use super::{
    Body, BoxFuture, Builder, ByteStream, Call, Endpoint, Error, Middleware, Next, Outcome, Reading,
    Received, Request, Response, RetryPolicy, SendError, Server, Streamed, Transport, Variable,
};
use crate::{Credential, Method, Operation, Requirement, Scheme, Stability};
use futures_util::{StreamExt, stream};
use http::{HeaderValue, StatusCode, header};
use std::{
    collections::VecDeque,
    convert::Infallible,
    future::{Ready, ready},
    sync::{Arc, Mutex},
    task::{Context, Poll},
    time::Duration,
};

impl super::Document for Transport {}

const BEARER: Scheme = Scheme { name: "token", credential: Credential::Bearer, scopes: &[] };
const SESSION: Scheme = Scheme { name: "session", credential: Credential::Cookie("session"), scopes: &[] };

static LIST: Operation = Operation {
    id: "list",
    method: Method::GET,
    path: "/list/{id}",
    tag: "",
    security: &[
        Requirement { schemes: &[BEARER] },
        Requirement { schemes: &[SESSION] },
        Requirement { schemes: &[] },
    ],
    stability: Stability::Stable,
    deprecated: false,
    statuses: &[200],
    extensions: &[],
    example: None,
};

static SEND: Operation = sending(&[]);

const fn sending(security: &'static [Requirement]) -> Operation {
    Operation {
        id: "send",
        method: Method::POST,
        path: "/send",
        tag: "",
        security,
        stability: Stability::Stable,
        deprecated: false,
        statuses: &[200],
        extensions: &[],
        example: None,
    }
}

/// Sends bytes and receives a stream.
enum Send {}

impl Endpoint for Send {
    type Success = ByteStream;
    type Failure = ();

    const OPERATION: &'static Operation = &SEND;
    const ACCEPT: &'static str = "video/mp4";
    const KEYED: bool = true;
    const SERVER: Option<&'static str> = Some("https://upload.example.com/v2");
    const STREAMED: &'static [Streamed] = &[Streamed { statuses: (200, 200), forms: &[("video/mp4", true)] }];

    fn read(response: &mut Received) -> Outcome<Self> {
        Ok(match response.status.as_u16() {
            200 => Reading::Success(response.bytes()),
            _ => Reading::Undocumented,
        })
    }
}

/// Sends prepared responses in order, and records the requests.
#[derive(Clone, Default)]
struct Script(Arc<Mutex<Scene>>);

type Scene = (VecDeque<Response>, Vec<Request>);

impl Script {
    fn of(
        answers: impl IntoIterator<Item = (u16, &'static [(&'static str, &'static str)], &'static str)>,
    ) -> Self {
        let script = Self::default();
        for (status, headers, body) in answers {
            let mut response = http::Response::new(Body::from(bytes::Bytes::from(body)));
            *response.status_mut() = StatusCode::from_u16(status).unwrap();
            for (name, value) in headers {
                response.headers_mut().insert(*name, HeaderValue::from_static(value));
            }
            script.0.lock().unwrap().0.push_back(response);
        }
        script
    }

    fn uris(&self) -> Vec<String> {
        self.0.lock().unwrap().1.iter().map(|request| request.uri().to_string()).collect()
    }

    fn methods(&self) -> Vec<String> {
        self.0.lock().unwrap().1.iter().map(|request| request.method().to_string()).collect()
    }

    fn bodies(&self) -> Vec<bytes::Bytes> {
        let requests = self.0.lock().unwrap();
        requests.1.iter().map(|request| request.body().as_bytes().cloned().unwrap_or_default()).collect()
    }

    fn header(&self, request: usize, name: &str) -> Option<String> {
        let value = self.0.lock().unwrap().1[request].headers().get(name).cloned();
        value.map(|value| value.to_str().unwrap().to_owned())
    }
}

impl tower_service::Service<Request> for Script {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Ready<Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let mut state = self.0.lock().unwrap();
        state.1.push(request);
        ready(Ok(state.0.pop_front().expect("the script has an answer for every request")))
    }
}

fn builder(script: &Script) -> Builder<Transport> {
    let policy = RetryPolicy { base_delay: Duration::ZERO, ..RetryPolicy::default() };
    Builder::new("http://a.example/api/").service(script.clone()).retry(policy)
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
}

#[test]
fn one_idempotency_key_serves_all_attempts_of_a_call() {
    let script = Script::of([(503, &[][..], ""), (200, &[("content-type", "video/mp4")], "film")]);
    let transport = builder(&script).build().unwrap();
    let answer = block_on(async { Call::<Send>::new(&transport).json(&1).await }).unwrap();
    assert!(answer.raw().body.is_empty(), "what streams is not held");
    assert_eq!(block_on(answer.into_inner().collect::<Vec<_>>()).len(), 1);
    let key = script.header(0, "idempotency-key").unwrap();
    assert_eq!(script.header(1, "idempotency-key"), Some(key));
    assert_eq!(script.header(0, "accept").as_deref(), Some("video/mp4"));
}

#[test]
fn a_body_that_streams_is_sent_once() {
    let script = Script::of([(503, &[][..], "busy")]);
    let transport = builder(&script).build().unwrap();
    let once = ByteStream::new(stream::iter([Ok::<_, Infallible>("once".into())]));
    let error = block_on(async { Call::<Send>::new(&transport).bytes(once).await }).unwrap_err();
    assert!(matches!(&error, Error::Undocumented(raw) if raw.body == "busy"), "{error:?}");
    assert_eq!(script.uris().len(), 1);
}

#[test]
fn a_body_in_memory_is_sent_again() {
    let script = Script::of([(503, &[][..], "busy"), (200, &[("content-type", "video/mp4")], "")]);
    let transport = builder(&script).build().unwrap();
    block_on(async { Call::<Send>::new(&transport).bytes("twice").await }).unwrap();
    assert_eq!(script.bodies(), ["twice", "twice"]);
}

#[test]
fn a_call_has_a_retry_policy_of_its_own() {
    let script = Script::of([(503, &[][..], "busy")]);
    let transport = builder(&script).build().unwrap();
    let call = Call::<ByNumber>::new(&transport).path("id", 1).retry(RetryPolicy::NEVER);
    assert_eq!(block_on(async { call.await }).unwrap_err().status(), Some(StatusCode::SERVICE_UNAVAILABLE));
}

#[test]
fn operations_have_servers_of_their_own_only_where_the_user_has_none() {
    const SERVER: Server = Server {
        url: "https://{name}.example.com/v1",
        description: "",
        variables: &[Variable { name: "name", default: "api", values: &[] }],
    };
    let answer = || Script::of([(200, &[("content-type", "video/mp4")][..], "")]);
    for (documented, uri) in
        [(true, "https://upload.example.com/v2/send"), (false, "https://api.example.com/v1/send")]
    {
        let script = answer();
        let builder: Builder<Transport> =
            if documented { Builder::at(&SERVER) } else { Builder::new(SERVER.url()) };
        let transport = builder.service(script.clone()).build().unwrap();
        block_on(async { Call::<Send>::new(&transport).await }).unwrap();
        assert_eq!(script.uris(), [uri]);
    }
}

#[test]
fn cookies_of_parameters_and_credentials_share_one_header() {
    let script = Script::of([(200, &[][..], "{}")]);
    let transport = builder(&script).key("session", "s3").build().unwrap();
    let call = Call::<ByNumber>::new(&transport).path("id", 1).cookie("theme", "dark; mode");
    block_on(async { call.await }).unwrap();
    assert_eq!(script.header(0, "cookie").as_deref(), Some("theme=dark%3B%20mode; session=s3"));
}

#[test]
fn dots_do_not_lead_out_of_a_path() {
    let script = Script::default();
    let transport = builder(&script).build().unwrap();
    for value in ["", ".", ".."] {
        let error =
            block_on(async { Call::<ByNumber>::new(&transport).path("id", value).await }).unwrap_err();
        assert!(matches!(error, Error::Request(_)), "{error:?}");
    }
}

/// Refreshes a token after it was refused.
#[derive(Debug)]
struct Renew;

impl Middleware for Renew {
    fn handle(&self, mut request: Request, next: Next) -> BoxFuture<Result<Response, SendError>> {
        Box::pin(async move {
            assert_eq!(request.extensions().get::<&'static Operation>().unwrap().id, "list");
            let again = super::try_clone(&request);
            request.headers_mut().insert(header::AUTHORIZATION, HeaderValue::from_static("Bearer old"));
            let response = next.clone().run(request).await?;
            match again {
                Some(mut again) if response.status() == StatusCode::UNAUTHORIZED => {
                    again.headers_mut().insert(header::AUTHORIZATION, HeaderValue::from_static("Bearer new"));
                    next.run(again).await
                }
                _ => Ok(response),
            }
        })
    }
}

/// Adds its name to a header.
#[derive(Debug)]
struct Mark(&'static str);

impl Middleware for Mark {
    fn handle(&self, mut request: Request, next: Next) -> BoxFuture<Result<Response, SendError>> {
        let before = request.headers().get("mark").map_or("", |mark| mark.to_str().unwrap()).to_owned();
        request.headers_mut().insert("mark", HeaderValue::try_from(before + self.0).unwrap());
        next.run(request)
    }
}

#[test]
fn middleware_sees_requests_in_order_and_may_send_them_again() {
    let script = Script::of([(401, &[][..], ""), (200, &[], r#"{"data": [1]}"#)]);
    let builder = builder(&script).middleware(Mark("a")).middleware(Renew).middleware(Mark("b"));
    let transport = builder.build().unwrap();
    let call = Call::<ByNumber>::new(&transport).path("id", 1);
    assert_eq!(block_on(async { call.await }).unwrap()["data"][0], 1);
    assert_eq!(script.header(0, "authorization").as_deref(), Some("Bearer old"));
    assert_eq!(script.header(1, "authorization").as_deref(), Some("Bearer new"));
    assert_eq!(script.header(1, "mark").as_deref(), Some("ab"));
}

#[test]
fn parameters_in_styles_of_their_own_go_to_their_places() {
    use super::{Param, Style};

    let script = Script::of([(200, &[][..], "{}")]);
    let transport = builder(&script).build().unwrap();
    let call = Call::<ByNumber>::new(&transport)
        .parameter(Param::path("id").style(Style::Label, true), ["a", "b"])
        .parameter(Param::query("ids").style(Style::PipeDelimited, false), [1, 2])
        .parameter(Param::header("x-list"), ["c", "d"])
        .parameter(Param::cookie("e"), "f");
    block_on(async { call.await }).unwrap();
    let uri = &script.uris()[0];
    assert!(uri.starts_with("http://a.example/api/list/.a.b?ids=1"), "{uri}");
    assert_eq!(script.header(0, "x-list").as_deref(), Some("c,d"));
    assert_eq!(script.header(0, "cookie").as_deref(), Some("e=f"));
}

/// An operation that a token, or a key together with a session, may call; nobody else.
static GUARDED: Operation = sending(&[
    Requirement { schemes: &[KEY, SESSION] },
    Requirement { schemes: &[Scheme { scopes: &["read"], ..BEARER }] },
]);
const KEY: Scheme = Scheme { name: "key", credential: Credential::Header("x-key"), scopes: &[] };

enum Guarded {}

impl Endpoint for Guarded {
    type Success = ();
    type Failure = ();

    const OPERATION: &'static Operation = &GUARDED;

    fn read(response: &mut Received) -> Outcome<Self> {
        Ok(if response.status == StatusCode::OK { Reading::Success(()) } else { Reading::Undocumented })
    }
}

/// A client of a document with these schemes.
struct Described(Transport);

impl From<Transport> for Described {
    fn from(transport: Transport) -> Self {
        Self(transport)
    }
}

impl super::Document for Described {
    const SCHEMES: &'static [Scheme] = &[BEARER, SESSION, KEY];
    const USER_AGENT: &'static str = "shop-client/1.2.3";
}

/// A client of a document with schemes that no operation uses, or that connections prove.
#[derive(Debug)]
struct Open;

impl From<Transport> for Open {
    fn from(_: Transport) -> Self {
        Self
    }
}

impl super::Document for Open {
    const DESCRIBES_CREDENTIALS: bool = true;
}

fn described(script: &Script) -> Builder<Described> {
    Builder::new("http://a.example").service(script.clone()).retry(RetryPolicy::NEVER)
}

fn send(transport: &Transport) -> Result<(), Error<()>> {
    let call = Call::<Guarded>::new(transport);
    block_on(async { call.await }).map(|_| ())
}

const OK: (u16, &[(&str, &str)], &str) = (200, &[], "");
const REFUSED: (u16, &[(&str, &str)], &str) = (401, &[], "");

#[test]
fn a_requirement_that_cannot_be_met_is_never_an_anonymous_call() {
    let script = Script::of([OK, OK, OK]);
    let client = described(&script).key("x-key", "k").build().unwrap().0;
    let error = send(&client).unwrap_err();
    let expected =
        "`send` requires the credential `key` and `session`, or `token`, which the client does not have";
    assert!(matches!(&error, Error::Request(problem) if problem == expected), "{error:?}");
    assert!(script.uris().is_empty());
    // The caller may set it by hand, or do without.
    let call = Call::<Guarded>::new(&client).header("Authorization", "Bearer own");
    block_on(async { call.await }).unwrap();
    assert_eq!(script.header(0, "authorization").as_deref(), Some("Bearer own"));
    let call = Call::<Guarded>::new(&client).without_credentials();
    block_on(async { call.await }).unwrap();
    assert_eq!((script.header(1, "authorization"), script.header(1, "x-key")), (None, None));
    // A clone with another credential shares all else.
    send(&client.with_token(&SESSION, "s")).unwrap();
    assert_eq!(script.header(2, "cookie").as_deref(), Some("session=s"));
    assert_eq!(script.header(2, "x-key").as_deref(), Some("k"));
    assert_eq!(script.header(2, "user-agent").as_deref(), Some("shop-client/1.2.3"));
}

#[test]
fn an_empty_requirement_comes_last() {
    static FIRST: Operation = sending(&[Requirement { schemes: &[] }, Requirement { schemes: &[BEARER] }]);
    enum Optional {}

    impl Endpoint for Optional {
        type Success = ();
        type Failure = ();

        const OPERATION: &'static Operation = &FIRST;

        fn read(_response: &mut Received) -> Outcome<Self> {
            Ok(Reading::Success(()))
        }
    }

    let script = Script::of([OK, OK]);
    for (token, expected) in [(Some("t"), Some("Bearer t")), (None, None)] {
        let builder = described(&script);
        let client = match token {
            Some(token) => builder.bearer(token),
            None => builder,
        };
        let client = client.build().unwrap().0;
        block_on(async { Call::<Optional>::new(&client).await }).unwrap();
        let sent = script.uris().len() - 1;
        assert_eq!(script.header(sent, "authorization").as_deref(), expected);
    }
}

#[test]
fn a_credential_that_no_scheme_uses_is_an_error_and_without_schemes_it_is_sent() {
    let script = Script::of([OK]);
    let error = described(&script).basic("jo", "x").build().err().unwrap();
    assert!(error.to_string().contains("a user name and a password"), "{error}");
    let error = described(&script).key("x-other", "x").build().err().unwrap();
    assert!(error.to_string().contains("`x-other`"), "{error}");
    let error = Builder::<Open>::new("http://a.example").service(script.clone()).bearer("t").build();
    let error = error.unwrap_err();
    assert!(error.to_string().contains("a bearer token"), "{error}");
    // This document describes no schemes, and the operation requires nothing.
    let transport = builder(&script).bearer("t").key("x-key", "k").build().unwrap();
    block_on(async { Call::<Send>::new(&transport).await }).unwrap();
    assert_eq!(script.header(0, "authorization").as_deref(), Some("Bearer t"));
    assert_eq!(script.header(0, "x-key").as_deref(), Some("k"));
}

#[test]
fn a_token_is_obtained_when_it_is_needed_and_again_when_it_is_refused() {
    use super::{ObtainedToken, Token, TokenRequest};

    let asked = Arc::new(Mutex::new(Vec::new()));
    let log = asked.clone();
    let token = Token::from_source(move |request: TokenRequest| {
        let mut log = log.lock().unwrap();
        log.push((request.scheme.scopes, request.refused.map(crate::Secret::into_inner)));
        let token = format!("t{}", log.len());
        async move { Ok::<_, Infallible>(ObtainedToken::new(token).expires_in(Duration::from_hours(1))) }
    });
    let script = Script::of([OK, OK, REFUSED, OK, REFUSED, REFUSED]);
    let client = described(&script).bearer(token).build().unwrap().0;
    // It is given only to operations that need it.
    block_on(async { Call::<Send>::new(&client).await }).unwrap();
    assert!(asked.lock().unwrap().is_empty());
    send(&client).unwrap();
    send(&client).unwrap();
    assert_eq!(*asked.lock().unwrap(), [(&["read"][..], None), (&["read"], Some("t1".to_owned()))]);
    let sent: Vec<_> = (1..4).map(|request| script.header(request, "authorization").unwrap()).collect();
    assert_eq!(sent, ["Bearer t1", "Bearer t1", "Bearer t2"]);
    // A service that refuses every token gets two of them.
    assert_eq!(send(&client).unwrap_err().status(), Some(StatusCode::UNAUTHORIZED));
    assert_eq!(script.uris().len(), 6);
}

#[test]
fn a_token_is_renewed_before_it_expires_and_its_absence_ends_the_call() {
    use super::{ObtainedToken, Token};

    let count = Arc::new(Mutex::new(0));
    let log = count.clone();
    let token = Token::from_source(move |_| {
        *log.lock().unwrap() += 1;
        let result = if *log.lock().unwrap() < 3 { Ok("t") } else { Err("no network") };
        async move { result.map(|token| ObtainedToken::new(token).expires_in(Duration::ZERO)) }
    });
    let script = Script::of([OK, OK]);
    let client = described(&script).bearer(token).build().unwrap().0;
    send(&client).unwrap();
    send(&client).unwrap();
    let error = send(&client).unwrap_err();
    assert!(matches!(&error, Error::Connection(cause) if cause.to_string() == "no network"), "{error:?}");
    assert_eq!((*count.lock().unwrap(), script.uris().len()), (3, 2));
}

#[test]
fn a_pause_that_exceeds_the_deadline_is_not_begun() {
    let script = Script::of([(503, &[][..], "busy"), (503, &[], "")]);
    let policy = RetryPolicy {
        base_delay: Duration::from_secs(50),
        longest_delay: Duration::from_mins(2),
        retries: 2,
    };
    let transport = builder(&script).retry(policy).build().unwrap();
    let call = Call::<ByNumber>::new(&transport).path("id", 1).deadline(Duration::from_secs(20));
    let error = block_on(async { call.await }).unwrap_err();
    assert!(matches!(&error, Error::Undocumented(raw) if raw.body == "busy"), "{error:?}");
    assert_eq!(script.uris().len(), 1);
}

#[test]
fn an_undescribed_request_is_sent_as_the_client_is_configured() {
    let busy = (503, &[("retry-after", "0")][..], "");
    let script = Script::of([busy, (418, &[], r#"{"a":1}"#), OK]);
    let client = described(&script).retry(RetryPolicy::default()).bearer("t").key("x-key", "k");
    let client = client.build().unwrap().0;
    let call = super::RawCall::new(&client, &Method::GET, "/new/thing").query("a b", "c&d");
    let raw = block_on(async { call.await }).unwrap();
    assert_eq!((raw.status.as_u16(), &raw.body[..]), (418, &br#"{"a":1}"#[..]));
    assert_eq!(script.uris(), ["http://a.example/new/thing?a%20b=c%26d"; 2]);
    assert_eq!(script.header(1, "authorization").as_deref(), Some("Bearer t"));
    assert_eq!(script.header(1, "x-key").as_deref(), Some("k"));
    assert_eq!(script.header(1, "user-agent").as_deref(), Some("shop-client/1.2.3"));
    let call = super::RawCall::new(&client, &Method::POST, "/new").json(&[1]).without_credentials();
    block_on(async { call.await }).unwrap();
    assert_eq!(script.header(2, "content-type").as_deref(), Some("application/json"));
    assert_eq!((script.header(2, "authorization"), script.header(2, "x-key")), (None, None));
    for (method, path) in [(Method::GET, "new"), (Method::TRACE, "/new")] {
        let call = super::RawCall::new(&client, &method, path);
        assert!(matches!(block_on(async { call.await }), Err(Error::Request(_))), "{method} {path}");
    }
    assert_eq!(script.uris().len(), 3);
}
