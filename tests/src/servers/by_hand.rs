//! Handwritten servers: axum, serde's derives and checks in plain Rust, without generated code.

mod checks;
mod wire;

use self::wire::{Item, NewWidget, Page, PageQuery, Pagination, Problem, State, Widget};
use super::{CREATED_AT, KNOWN};
use axum::{
    Json, Router,
    extract::{
        Path, Query, State as Shared,
        rejection::{JsonRejection, PathRejection, QueryRejection},
    },
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use std::{collections::BTreeMap, sync::Arc};
use uuid::Uuid;

/// `GET /widgets/{id}` and `POST /widgets`.
pub(crate) fn widgets() -> Router {
    let known = Widget {
        tags: Some(vec!["red".to_owned(), "small".to_owned()]),
        contact: Some("jo@example.com".to_owned()),
        weight: Some(12.25),
        ..Widget::new("Lamp".to_owned())
    };
    Router::new()
        .route("/widgets", axum::routing::post(create_widget))
        .route("/widgets/{id}", get(get_widget))
        .with_state(Arc::new(known))
}

/// `GET /pages/cursor`.
pub(crate) fn pages() -> Router {
    let items =
        (0..100).map(|number| Item { name: super::item_name(number), price: None, cents: Some(number) });
    Router::new().route("/pages/cursor", get(list_items)).with_state(Arc::new(items.collect::<Vec<_>>()))
}

async fn get_widget(
    Shared(known): Shared<Arc<Widget>>,
    id: Result<Path<Uuid>, PathRejection>,
) -> Result<Json<Widget>, Refused> {
    match id {
        Ok(Path(id)) if id == known.id => Ok(Json(Widget::clone(&known))),
        Ok(_) => Err(Refused::new(StatusCode::NOT_FOUND, "there is no such widget")),
        Err(_) => Err(Refused::new(StatusCode::NOT_FOUND, "There is no such resource.")),
    }
}

async fn create_widget(body: Result<Json<NewWidget>, JsonRejection>) -> Result<Response, Refused> {
    let Json(sent) = body.map_err(|rejection| Refused::new(rejection.status(), rejection.body_text()))?;
    let errors = checks::of_widget(&sent);
    if !errors.is_empty() {
        return Err(Refused::invalid(errors));
    }
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
        ..Widget::new(sent.name)
    };
    let location = format!("/widgets/{}", made.id);
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], Json(made)).into_response())
}

async fn list_items(
    Shared(items): Shared<Arc<Vec<Item>>>,
    query: Result<Query<PageQuery>, QueryRejection>,
) -> Result<Json<Page>, Refused> {
    let Query(query) =
        query.map_err(|rejection| Refused::new(StatusCode::UNPROCESSABLE_ENTITY, rejection.body_text()))?;
    let limit = query.limit.unwrap_or(2);
    let errors = checks::of_limit(limit);
    if !errors.is_empty() {
        return Err(Refused::invalid(errors));
    }
    let data = items.iter().take(usize::try_from(limit).unwrap_or_default()).cloned().collect();
    Ok(Json(Page { data, pagination: Pagination { next: query.after } }))
}

impl Widget {
    fn new(name: String) -> Self {
        Self {
            name,
            code: None,
            weight: None,
            count: None,
            serial: None,
            mass: None,
            tags: None,
            contact: None,
            homepage: None,
            host: None,
            finish: None,
            id: KNOWN,
            state: State::InUse,
            created_at: *CREATED_AT,
            parts: None,
        }
    }
}

/// An answer other than success.
struct Refused {
    status: StatusCode,
    problem: Problem,
}

impl Refused {
    fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, problem: Problem { message: message.into(), errors: None } }
    }

    fn invalid(errors: BTreeMap<String, Vec<String>>) -> Self {
        let message = "The request violates the rules listed under errors.".to_owned();
        Self { status: StatusCode::UNPROCESSABLE_ENTITY, problem: Problem { message, errors: Some(errors) } }
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        (self.status, Json(self.problem)).into_response()
    }
}
