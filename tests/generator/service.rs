//! The service of `ok/widgets`: it answers with what it was sent.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::net::SocketAddr;

use frontdesk_runtime::server::{Incoming, Refusal, Refuse, Rejection};
use frontdesk_runtime::{Bytes, Failure, HeaderName, Operation, StatusCode, Timestamp, Uuid, Value};
use serde_json::json;
use widgets_client::Client;
use widgets_model as model;
use widgets_model::{Finish, NotFound, Problem, Refused, State, Throttled, Told, Widget};
use widgets_server::{self as server, Authenticator};

/// A widget that is there.
pub(crate) const KNOWN: Uuid = Uuid::from_u128(7);
/// A widget whose server fails.
pub(crate) const FAULTY: Uuid = Uuid::from_u128(500);

/// What the service is.
#[derive(Debug)]
pub(crate) struct Service;

/// Serves on a port of its own. `echoKind` reads smaller bodies than the other operations.
pub(crate) async fn start() -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let limit = |operation: &'static Operation| if operation.id == "echoKind" { 64 } else { 4096 };
    let routes = server::routes(Service, Keys).body_limits(limit);
    tokio::spawn(async move {
        let router = routes.into_router().into_make_service_with_connect_info::<SocketAddr>();
        axum::serve(listener, router).await
    });
    address
}

/// What authorization leaves for the handler when a request has the header `X-Note`.
#[derive(Clone, Debug)]
struct Note(String);

/// A client without credentials of a service on a port of its own.
pub(crate) async fn client() -> Client {
    Client::builder(format!("http://{}", start().await)).build().unwrap()
}

type Outcome<T, E> = Result<T, Failure<E>>;

fn missing() -> NotFound {
    NotFound { body: Problem { message: "there is no such widget".to_owned(), errors: None } }
}

fn refused(message: &str) -> Refused {
    Refused { body: Problem { message: message.to_owned(), errors: None } }
}

fn widget(id: Uuid, name: &str) -> Widget {
    Widget {
        name: name.to_owned(),
        code: None,
        weight: None,
        count: None,
        serial: None,
        mass: None,
        tags: None,
        contact: None,
        homepage: None,
        host: None,
        finish: Finish::Matte.into(),
        id: id.into(),
        state: State::InUse,
        created_at: "2026-01-31T09:30:00+02:00".parse().unwrap(),
        parts: None,
    }
}

impl server::Widgets for Service {
    type Caller = String;

    async fn list_widgets(
        &self,
        request: server::ListWidgets,
    ) -> Outcome<model::ListWidgetsOk, model::ListWidgetsError> {
        if request.limit == Some(99) {
            let refused = Problem { message: "too many".to_owned(), errors: None };
            return Err(model::ListWidgetsError::ClientError(StatusCode::IM_A_TEAPOT, refused.into()).into());
        }
        if request.limit == Some(98) {
            let other = model::ListWidgetsOther { x_incident: Some(KNOWN.into()) };
            return Err(model::ListWidgetsError::Other(StatusCode::BAD_GATEWAY, other.into()).into());
        }
        let mut seen = Seen::default();
        seen.list("tags", request.tags);
        seen.list("ids", request.ids);
        seen.one("state", request.state);
        seen.list("finishes", request.finishes);
        seen.one("limit", request.limit);
        seen.one("offset", request.offset);
        seen.one("page", request.page);
        seen.one("ratio", request.ratio);
        seen.one("scale", request.scale);
        seen.one("since", request.since);
        seen.one("owner", request.owner);
        seen.one("verbose", request.verbose);
        seen.one("type", request.r#type);
        seen.one("timeout", request.timeout);
        seen.one("filter[name]", request.filter_name);
        seen.list("X-Trace", request.x_trace);
        seen.one("X-Depth", request.x_depth);
        seen.one("X-Token", request.x_token.map(|token| token.expose().to_owned()));
        let few = seen.0.is_empty();
        Ok(model::ListWidgetsOk {
            x_total: i64::MAX,
            x_next: (!few).then(|| "next page".to_owned()),
            x_states: (!few).then(|| vec![State::New, State::Unknown("lost".to_owned())]),
            x_state: State::InUse,
            body: seen.0,
        })
    }

    async fn new_widget(
        &self,
        request: server::NewWidgetRequest,
    ) -> Outcome<model::NewWidgetRequestSuccess, model::NewWidgetRequestError> {
        use model::{NewWidgetRequestError as Error, NewWidgetRequestSuccess as Success};
        let sent = request.body;
        let made = Widget {
            code: sent.code,
            weight: sent.weight,
            count: sent.count,
            serial: sent.serial,
            mass: sent.mass,
            tags: sent.tags,
            contact: sent.contact,
            homepage: sent.homepage,
            host: sent.host,
            finish: sent.finish,
            parts: Some(sent.parts),
            ..widget(KNOWN, &sent.name)
        };
        Ok(match sent.name.as_str() {
            "later" => Success::Accepted(().into()),
            "elsewhere" => Success::NonAuthoritativeInformation(made.into()),
            "conflict" => return Err(Error::Conflict(refused("a conflict").into()).into()),
            "refused" => return Err(Error::UnprocessableEntity(refused("refused").into()).into()),
            "bad" => return Err(Error::BadRequest(refused("bad").into()).into()),
            _ => Success::Created(
                model::NewWidgetCreated { location: format!("/widgets/{}", made.id), body: made }.into(),
            ),
        })
    }

    async fn get_widget(&self, request: server::GetWidget) -> Outcome<Widget, model::GetWidgetError> {
        match request.widget_id.uuid() {
            KNOWN => Ok(widget(KNOWN, "known")),
            FAULTY => Err(std::io::Error::other("the disk with the password hunter2 is full"))?,
            _ => Err(missing())?,
        }
    }

    async fn delete_widget(&self, request: server::DeleteWidget) -> Outcome<(), model::DeleteWidgetError> {
        if request.widget_id == KNOWN.into() { Ok(()) } else { Err(missing())? }
    }

    async fn update_widget(&self, request: server::UpdateWidget) -> Outcome<Value, model::UpdateWidgetError> {
        Ok(serde_json::to_value(request.body)?)
    }

    async fn label_widget(&self, request: server::LabelWidget) -> Outcome<String, model::LabelWidgetError> {
        Ok(request.label)
    }

    async fn get_drawing(
        &self,
        request: server::GetDrawing,
    ) -> Outcome<model::GetDrawingSuccess, model::GetDrawingError> {
        if request.widget_id != KNOWN.into() {
            return Ok(model::GetDrawingSuccess::NoContent(().into()));
        }
        let mut seen = vec![request.name, request.format.to_string()];
        seen.extend(request.sizes.iter().map(ToString::to_string));
        Ok(model::GetDrawingSuccess::Ok(seen.into()))
    }
}

#[derive(Default)]
struct Seen(BTreeMap<String, Vec<String>>);

impl Seen {
    fn one(&mut self, name: &str, value: Option<impl Display>) {
        self.list(name, value.map(|value| vec![value]));
    }

    fn list(&mut self, name: &str, values: Option<Vec<impl Display>>) {
        if let Some(values) = values {
            self.0.insert(name.to_owned(), values.iter().map(ToString::to_string).collect());
        }
    }
}

impl server::Echo for Service {
    type Caller = String;

    async fn post_echo(&self, request: server::PostEcho) -> Outcome<model::Everything, model::PostEchoError> {
        Ok(request.body)
    }

    async fn kind(&self, request: server::EchoKind) -> Outcome<model::EchoKindSuccess, model::EchoKindError> {
        let Ok(status) = request.kind.parse() else {
            let found = model::EchoKindFound { location: request.kind };
            return Err(found)?;
        };
        Ok(model::EchoKindSuccess::Success(status, request.body.into()))
    }

    async fn maps(&self, request: server::EchoMaps) -> Outcome<model::EchoMapsSuccess, model::EchoMapsError> {
        if request.body.is_empty() {
            let other = json!("nothing came");
            return Err(model::EchoMapsError::Other(StatusCode::CONFLICT, other.into()).into());
        }
        let body = serde_json::to_value(request.body)?;
        Ok(model::EchoMapsSuccess::Success(StatusCode::CREATED, body.into()))
    }
}

macro_rules! access {
    ($($function:ident($request:ident $($generics:tt)*) -> $error:ident = $caller:expr;)+) => {
        impl server::Access for Service {
            type Caller = String;

            $(async fn $function(&self, request: server::$request $($generics)*) -> Outcome<Told, model::$error> {
                let caller: fn(server::$request $($generics)*) -> Option<String> = $caller;
                Ok(Told { caller: caller(request) })
            })+
        }
    };
}

access! {
    open(AccessOpen) -> AccessOpenError = |request| {
        if let Some(peer) = request.incoming.peer().and_then(|peer| peer.ip().to_string().parse().ok()) {
            request.incoming.add_response_header(HeaderName::from_static("x-peer"), peer);
        }
        let note = request.incoming.extensions().get::<Note>()?;
        Some(format!("{} from {:?}", note.0, request.incoming.headers().get("x-note")?))
    };
    bearer(AccessBearer<String>) -> AccessBearerError = |request| Some(request.caller);
    basic(AccessBasic<String>) -> AccessBasicError = |request| Some(request.caller);
    header(AccessHeader<String>) -> AccessHeaderError = |request| Some(request.caller);
    query(AccessQuery<String>) -> AccessQueryError = |request| Some(request.caller);
    cookie(AccessCookie<String>) -> AccessCookieError = |request| Some(request.caller);
    scopes(AccessScopes<String>) -> AccessScopesError = |request| Some(request.caller);
    either(AccessEither<String>) -> AccessEitherError = |request| Some(request.caller);
    certificate(AccessCertificate<String>) -> AccessCertificateError = |request| Some(request.caller);
    any(AccessAny<String>) -> AccessAnyError = |request| Some(request.caller);
    optional(AccessOptional<String>) -> AccessOptionalError = |request| request.caller;
}

impl server::CallGroup for Service {
    type Caller = String;

    async fn new_(&self, _request: server::New) -> Outcome<model::SuccessModel, model::NewError> {
        Ok(model::SuccessModel { ok: model::OkModel::Itself })
    }

    async fn caller(
        &self,
        request: server::CallerRequest<String>,
    ) -> Outcome<model::TransportModel, model::CallerRequestError> {
        let sent = request.body.ok_or_else(|| model::RawResponse {
            body: model::ReadModel { body: Some("no body".to_owned()) },
        })?;
        Ok(model::TransportModel { value: sent.default, self_: Some(request.caller), ..Default::default() })
    }

    async fn loop_call(&self, request: server::Loop) -> Outcome<Vec<String>, model::LoopError> {
        Ok(vec![
            request.self_,
            request.body_parameter,
            request.r#type,
            request.call_parameter,
            request.service_parameter,
            request.request,
            request.outcome,
            request.transport,
            request.incoming_parameter,
            request.caller_parameter,
        ])
    }

    async fn as_text(&self, _request: server::AsText) -> Outcome<(), model::AsTextError> {
        Ok(())
    }

    async fn from_text(&self, _request: server::FromText) -> Outcome<(), model::FromTextError> {
        Ok(())
    }

    async fn into_text(&self, _request: server::IntoText) -> Outcome<(), model::IntoTextError> {
        Ok(())
    }

    async fn is_text(&self, _request: server::IsText) -> Outcome<(), model::IsTextError> {
        Ok(())
    }

    async fn to_text(&self, _request: server::ToText) -> Outcome<(), model::ToTextError> {
        Ok(())
    }

    async fn mount_text(&self, _request: server::MountText) -> Outcome<(), model::MountTextError> {
        Ok(())
    }

    async fn crowd(&self, request: server::CrowdRequest) -> Outcome<Value, model::CrowdRequestError> {
        Ok(serde_json::to_value(request.body)?)
    }
}

impl server::Ping for Service {
    type Caller = String;

    async fn get_ping(&self, _request: server::GetPing) -> Outcome<(), model::GetPingError> {
        Ok(())
    }
}

/// Every scheme takes what begins with `good` and names the caller by it.
#[derive(Debug)]
pub(crate) struct Keys;

fn accept(scheme: &str, credential: &str) -> Result<String, Rejection> {
    match credential {
        good if good.starts_with("good") => Ok(format!("{scheme}:{good}")),
        "forbidden" => Err(Rejection::new(StatusCode::FORBIDDEN, format!("{scheme} is forbidden"))),
        "broken" => Err(Rejection::fault()),
        _ => Err(Rejection::new(StatusCode::UNAUTHORIZED, format!("{scheme} is wrong"))),
    }
}

impl Authenticator for Keys {
    type Caller = String;

    async fn token(&self, token: &str, _incoming: &Incoming) -> Result<String, Rejection> {
        accept("token", token)
    }

    async fn password(&self, user: &str, password: &str, _incoming: &Incoming) -> Result<String, Rejection> {
        accept("password", &format!("{password}/{user}"))
    }

    async fn header_key(&self, key: &str, _incoming: &Incoming) -> Result<String, Rejection> {
        accept("header", key)
    }

    async fn query_key(&self, key: &str, _incoming: &Incoming) -> Result<String, Rejection> {
        accept("query", key)
    }

    async fn cookie_key(&self, key: &str, _incoming: &Incoming) -> Result<String, Rejection> {
        accept("cookie", key)
    }

    async fn oauth(&self, token: &str, incoming: &Incoming) -> Result<String, Rejection> {
        let scopes = incoming.operation().security[0].schemes[0].scopes;
        accept("oauth", token).map(|caller| format!("{caller} for {}", scopes.join("+")))
    }

    /// The proxy in front of this server ends TLS and adds this header.
    async fn certificate(&self, incoming: &Incoming) -> Result<Option<String>, Rejection> {
        let subject = incoming.headers().get("x-certificate").and_then(|value| value.to_str().ok());
        subject.map(|subject| accept("certificate", subject)).transpose()
    }

    fn combine(&self, callers: Vec<String>) -> Result<String, Rejection> {
        Ok(callers.join(" and "))
    }

    async fn authorize(&self, caller: Option<&String>, incoming: &mut Incoming) -> Result<(), Rejection> {
        if incoming.headers().contains_key("x-note") {
            let note = Note(format!("a note for {}", incoming.operation().id));
            incoming.extensions_mut().insert(note);
        }
        if incoming.headers().contains_key("x-full") {
            let seen = caller.map_or("nobody", String::as_str);
            let wait = Wait { seconds: 7 };
            return Err(
                Rejection::new(StatusCode::TOO_MANY_REQUESTS, format!("no room for {seen}")).because(wait)
            );
        }
        Ok(())
    }

    fn inspects_body(&self, _caller: Option<&String>, incoming: &Incoming) -> bool {
        incoming.headers().contains_key("x-inspect")
    }

    async fn inspect_body(
        &self,
        _caller: Option<&String>,
        incoming: &mut Incoming,
        body: &Bytes,
    ) -> Result<(), Rejection> {
        incoming.extensions_mut().insert(Note(format!("{} bytes", body.len())));
        if body == "again" {
            return Err(Rejection::new(StatusCode::GONE, "this body was here before"));
        }
        Ok(())
    }
}

/// Why there is no room.
struct Wait {
    seconds: i64,
}

frontdesk_runtime::default_refusals!(Keys => NotFound, Problem, Refused, Value);

impl Refuse<model::MethodModel> for Keys {
    fn refuse(&self, refusal: &Refusal) -> model::MethodModel {
        model::MethodModel::new().method(refusal.message())
    }
}

impl Refuse<model::RawResponse> for Keys {
    fn refuse(&self, refusal: &Refusal) -> model::RawResponse {
        model::RawResponse { body: model::ReadModel::new().body(refusal.message()) }
    }
}

impl Refuse<model::ListWidgetsOther> for Keys {
    fn refuse(&self, _: &Refusal) -> model::ListWidgetsOther {
        model::ListWidgetsOther { x_incident: None }
    }
}

impl Refuse<Throttled> for Keys {
    fn refuse(&self, refusal: &Refusal) -> Throttled {
        Throttled { retry_after: refusal.reason::<Wait>().map_or(1, |wait| wait.seconds) }
    }
}

/// The moment of the tests.
pub(crate) fn moment() -> Timestamp {
    "2026-01-31T09:30:00.123456+02:00".parse().unwrap()
}
