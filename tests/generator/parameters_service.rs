//! The service of `ok/parameters`: it answers with the parameters that it got.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use frontdesk_runtime::{Failure, Value};
use frontdesk_testkit::stand_in;
use parameters_client::Client;
use parameters_model as model;
use parameters_model::{Color, ShapesBody};
use parameters_server::{self as server, Authenticator};

struct Service;

impl Authenticator for Service {
    type Caller = ();
}

frontdesk_runtime::default_refusals!(Service => model::Refused);

/// Serves on a port of its own.
pub(crate) async fn start() -> SocketAddr {
    stand_in::serve(server::router(Service, Service)).await
}

/// A client of a service on a port of its own.
pub(crate) async fn client() -> Client {
    Client::builder(format!("http://{}", start().await)).build().unwrap()
}

type Outcome<T, E> = Result<T, Failure<E>>;
type Texts = BTreeMap<String, Vec<String>>;

impl server::PathGroup for Service {
    type Caller = ();

    async fn scalars(
        &self,
        request: server::PathScalars,
    ) -> Outcome<model::PathScalarsOk, model::PathScalarsError> {
        let server::PathScalars { text, whole, wide, ratio, flag, id, day, color, .. } = request;
        Ok(model::PathScalarsOk { text, whole, wide, ratio, flag, id, day, color })
    }

    async fn simple(&self, request: server::PathSimple) -> Outcome<ShapesBody, model::PathSimpleError> {
        Ok(ShapesBody {
            scalar: None,
            list: Some(request.list),
            exploded_list: Some(request.exploded_list),
            object: Some(request.object),
            exploded_object: Some(request.exploded_object),
        })
    }

    async fn label(&self, request: server::PathLabel) -> Outcome<ShapesBody, model::PathLabelError> {
        Ok(ShapesBody {
            scalar: Some(request.scalar),
            list: Some(request.list),
            exploded_list: Some(request.exploded_list),
            object: Some(request.object),
            exploded_object: Some(request.exploded_object),
        })
    }

    async fn matrix(&self, request: server::PathMatrix) -> Outcome<ShapesBody, model::PathMatrixError> {
        Ok(ShapesBody {
            scalar: Some(request.scalar),
            list: Some(request.list),
            exploded_list: Some(request.exploded_list),
            object: Some(request.object),
            exploded_object: Some(request.exploded_object),
        })
    }

    async fn mixed(&self, request: server::PathMixed) -> Outcome<Texts, model::PathMixedError> {
        Ok(BTreeMap::from([
            ("name".to_owned(), vec![request.name]),
            ("extension".to_owned(), vec![request.extension.to_string()]),
            ("between".to_owned(), vec![request.from.to_string(), request.to.to_string()]),
        ]))
    }

    async fn spelled(&self, request: server::PathSpelled) -> Outcome<Texts, model::PathSpelledError> {
        Ok(BTreeMap::from([("size".to_owned(), vec![request.size])]))
    }

    async fn json(&self, request: server::PathJson) -> Outcome<model::Filter, model::PathJsonError> {
        Ok(request.filter)
    }
}

impl server::Query for Service {
    type Caller = ();

    async fn scalars(
        &self,
        request: server::QueryScalars,
    ) -> Outcome<model::QueryScalarsOk, model::QueryScalarsError> {
        let server::QueryScalars {
            text,
            optional,
            whole,
            wide,
            ratio,
            flag,
            moment,
            color,
            level,
            present,
            ..
        } = request;
        Ok(model::QueryScalarsOk { text, optional, whole, wide, ratio, flag, moment, color, level, present })
    }

    async fn form(&self, request: server::QueryForm) -> Outcome<ShapesBody, model::QueryFormError> {
        let server::QueryForm { scalar, list, exploded_list, object, exploded_object, .. } = request;
        Ok(ShapesBody { scalar, list, exploded_list, object, exploded_object })
    }

    async fn delimited(
        &self,
        request: server::QueryDelimited,
    ) -> Outcome<model::QueryDelimitedOk, model::QueryDelimitedError> {
        let server::QueryDelimited { spaces, pipes, numbers, .. } = request;
        Ok(model::QueryDelimitedOk { spaces, pipes, numbers })
    }

    async fn deep_object(
        &self,
        request: server::QueryDeepObject,
    ) -> Outcome<model::QueryDeepObjectOk, model::QueryDeepObjectError> {
        let server::QueryDeepObject { filter, labels, .. } = request;
        Ok(model::QueryDeepObjectOk { filter, labels })
    }

    async fn spread(
        &self,
        request: server::QuerySpread,
    ) -> Outcome<model::QuerySpreadOk, model::QuerySpreadError> {
        let server::QuerySpread { others, point, labels, words, flag, whole, text, .. } = request;
        Ok(model::QuerySpreadOk { others, point, labels, words, flag, whole, text })
    }

    async fn json(&self, request: server::QueryJson) -> Outcome<model::QueryJsonOk, model::QueryJsonError> {
        let server::QueryJson { filter, any, .. } = request;
        Ok(model::QueryJsonOk { filter, any })
    }

    async fn reserved(&self, request: server::QueryReserved) -> Outcome<Texts, model::QueryReservedError> {
        let one = |value: Option<String>| value.map(|value| vec![value]);
        let seen = [
            ("encoded", one(request.encoded)),
            ("reserved", one(request.reserved)),
            ("reserved_list", request.reserved_list),
            ("filter[name]", one(request.filter_name)),
            ("a+b&c", one(request.a_plus_b_and_c)),
            ("type", one(request.r#type)),
        ];
        Ok(seen.into_iter().filter_map(|(name, values)| Some((name.to_owned(), values?))).collect())
    }

    async fn defaults(
        &self,
        request: server::QueryDefaults,
    ) -> Outcome<model::QueryDefaultsOk, model::QueryDefaultsError> {
        Ok(model::QueryDefaultsOk {
            text: request.text,
            limit: request.limit,
            ratio: request.ratio,
            flag: request.flag,
            color: match request.color {
                model::QueryDefaultsColor::Red => Color::Red,
                model::QueryDefaultsColor::Green => Color::Green,
            },
            words: request.words,
            x_depth: request.x_depth,
        })
    }

    async fn default_values(
        &self,
        request: server::QueryDefaultValues,
    ) -> Outcome<model::QueryDefaultValuesOk, model::QueryDefaultValuesError> {
        let server::QueryDefaultValues { day, moment, id, span, days, filter, either, .. } = request;
        let filter = [("name", filter.name.map(Value::from)), ("most", filter.most.map(Value::from))];
        let filter = filter.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
        let either = format!("{either:?}");
        Ok(model::QueryDefaultValuesOk { day, moment, id, span, days, filter, either })
    }

    async fn limits(&self, _request: server::QueryLimits) -> Outcome<(), model::QueryLimitsError> {
        Ok(())
    }

    async fn same_name(&self, request: server::SameName) -> Outcome<model::SameNameOk, model::SameNameError> {
        Ok(model::SameNameOk {
            path: request.id,
            query: request.id_query,
            header: request.id_header,
            cookie: request.id_cookie,
        })
    }
}

impl server::Header for Service {
    type Caller = ();

    async fn headers(&self, request: server::Headers) -> Outcome<model::HeadersOk, model::HeadersError> {
        let body = model::HeadersOkBody {
            x_shared: request.x_shared,
            x_required: request.x_required,
            x_count: request.x_count,
            x_list: request.x_list,
            x_exploded_list: request.x_exploded_list,
            x_object: request.x_object,
            x_exploded_object: request.x_exploded_object,
            idempotency_key: request.idempotency_key,
            x_lower: request.x_lower.map(|secret| secret.expose().to_owned()),
            x_json: request.x_json,
        };
        Ok(model::HeadersOk {
            x_required: body.x_required.clone(),
            x_count: body.x_count,
            x_list: body.x_list.clone(),
            x_object: body.x_object.clone(),
            x_exploded_object: body.x_exploded_object.clone(),
            x_json: body.x_json.clone(),
            body,
        })
    }
}

impl server::Cookie for Service {
    type Caller = ();

    async fn cookies(&self, request: server::Cookies) -> Outcome<model::CookiesOk, model::CookiesError> {
        let server::Cookies { session, visits, flag, words, point, filter, .. } = request;
        Ok(model::CookiesOk { session, visits, flag, words, point, filter })
    }
}
