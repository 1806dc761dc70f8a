//! Generated servers, with handlers that do the same as the handwritten ones.

use super::{CREATED_AT, KNOWN};
use axum::Router;
use events_model::{
    Item, ListByAddressError, ListByAddressOk, ListByCursorError, ListByCursorOk, ListByCursorOkPagination,
    ListByLinkError, ListByLinkOk, ListByNumberError, ListByNumberOk, ListByOffsetError, ListWholeError,
    ListWholeOk,
};
use frontdesk_runtime::{
    Failure, Fault, Value,
    server::{Incoming, Refusal, Refuse, Rejection, Routes},
};
use std::sync::Arc;
use widgets_model::{
    self as model, NewWidgetCreated, NewWidgetRequestSuccess, NotFound, Problem, State, Widget,
    WidgetRequired,
};

/// The operations of the tag `widgets`.
pub(crate) fn widgets() -> Router {
    let known = Widget::new(WidgetRequired {
        name: "Lamp".to_owned(),
        id: KNOWN.into(),
        state: State::InUse,
        created_at: *CREATED_AT,
    })
    .tags(["red", "small"])
    .contact("jo@example.com")
    .weight(12.25);
    let mut routes = Routes::new(widgets_server::Gate::new(Anybody)).body_limit(BODY_LIMIT);
    widgets_server::mount_widgets(&mut routes, &Arc::new(Widgets { known }));
    routes.into_router()
}

/// The operations of the tag `pages`.
pub(crate) fn pages() -> Router {
    let items = (0..100).map(|number| Item::new(super::item_name(number)).cents(number)).collect();
    let mut routes = Routes::new(events_server::Gate::new(Anybody)).body_limit(BODY_LIMIT);
    events_server::mount_pages(&mut routes, &Arc::new(Pages { items }));
    routes.into_router()
}

/// The limit that axum sets where nobody says otherwise.
const BODY_LIMIT: usize = 2 << 20;

struct Widgets {
    known: Widget,
}

struct Pages {
    items: Vec<Item>,
}

type Outcome<T, E> = Result<T, Failure<E>>;

/// What an operation answers that is not measured.
fn not_measured<T, E>() -> Outcome<T, E> {
    Err(Failure::Fault(Fault::new("this operation is not measured")))
}

impl widgets_server::Widgets for Widgets {
    type Caller = ();

    async fn get_widget(&self, request: widgets_server::GetWidget) -> Outcome<Widget, model::GetWidgetError> {
        if request.widget_id != self.known.id {
            return Err(NotFound { body: Problem::new("there is no such widget") }.into());
        }
        Ok(self.known.clone())
    }

    async fn new_widget(
        &self,
        request: widgets_server::NewWidgetRequest,
    ) -> Outcome<NewWidgetRequestSuccess, model::NewWidgetRequestError> {
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
            ..Widget::new(WidgetRequired {
                name: sent.name,
                id: KNOWN.into(),
                state: State::InUse,
                created_at: *CREATED_AT,
            })
        };
        let location = format!("/widgets/{}", made.id);
        Ok(NewWidgetRequestSuccess::Created(NewWidgetCreated { location, body: made }.into()))
    }

    async fn list_widgets(
        &self,
        _: widgets_server::ListWidgets,
    ) -> Outcome<model::ListWidgetsOk, model::ListWidgetsError> {
        not_measured()
    }

    async fn delete_widget(&self, _: widgets_server::DeleteWidget) -> Outcome<(), model::DeleteWidgetError> {
        not_measured()
    }

    async fn update_widget(
        &self,
        _: widgets_server::UpdateWidget,
    ) -> Outcome<Value, model::UpdateWidgetError> {
        not_measured()
    }

    async fn label_widget(&self, _: widgets_server::LabelWidget) -> Outcome<String, model::LabelWidgetError> {
        not_measured()
    }

    async fn get_drawing(
        &self,
        _: widgets_server::GetDrawing,
    ) -> Outcome<model::GetDrawingSuccess, model::GetDrawingError> {
        not_measured()
    }
}

impl events_server::Pages for Pages {
    type Caller = ();

    async fn list_by_cursor(
        &self,
        request: events_server::ListByCursor,
    ) -> Outcome<ListByCursorOk, ListByCursorError> {
        let limit = usize::try_from(request.limit).unwrap_or_default();
        let pagination = match request.after {
            Some(after) => ListByCursorOkPagination::new().next(after),
            None => ListByCursorOkPagination::new(),
        };
        Ok(ListByCursorOk::new(self.items.iter().take(limit).cloned(), pagination))
    }

    async fn list_by_number(
        &self,
        _: events_server::ListByNumber,
    ) -> Outcome<ListByNumberOk, ListByNumberError> {
        not_measured()
    }

    async fn list_by_offset(&self, _: events_server::ListByOffset) -> Outcome<Vec<Item>, ListByOffsetError> {
        not_measured()
    }

    async fn list_by_link(&self, _: events_server::ListByLink) -> Outcome<ListByLinkOk, ListByLinkError> {
        not_measured()
    }

    async fn list_by_address(
        &self,
        _: events_server::ListByAddress,
    ) -> Outcome<ListByAddressOk, ListByAddressError> {
        not_measured()
    }

    async fn list_whole(&self, _: events_server::ListWhole) -> Outcome<ListWholeOk, ListWholeError> {
        not_measured()
    }
}

/// None of the operations asks for credentials.
struct Anybody;

frontdesk_runtime::default_refusals!(Anybody => events_model::Missing, events_model::Refused, NotFound, Problem, widgets_model::Refused);

impl Refuse<widgets_model::ListWidgetsOther> for Anybody {
    fn refuse(&self, _: &Refusal) -> widgets_model::ListWidgetsOther {
        widgets_model::ListWidgetsOther { x_incident: None }
    }
}

impl Refuse<widgets_model::Throttled> for Anybody {
    fn refuse(&self, _: &Refusal) -> widgets_model::Throttled {
        widgets_model::Throttled { retry_after: 1 }
    }
}

impl events_server::Authenticator for Anybody {
    type Caller = ();
}

impl widgets_server::Authenticator for Anybody {
    type Caller = ();

    async fn token(&self, _: &str, _: &Incoming) -> Result<(), Rejection> {
        Err(Rejection::fault())
    }

    async fn password(&self, _: &str, _: &str, _: &Incoming) -> Result<(), Rejection> {
        Err(Rejection::fault())
    }

    async fn header_key(&self, _: &str, _: &Incoming) -> Result<(), Rejection> {
        Err(Rejection::fault())
    }

    async fn query_key(&self, _: &str, _: &Incoming) -> Result<(), Rejection> {
        Err(Rejection::fault())
    }

    async fn cookie_key(&self, _: &str, _: &Incoming) -> Result<(), Rejection> {
        Err(Rejection::fault())
    }

    async fn certificate(&self, _: &Incoming) -> Result<Option<()>, Rejection> {
        Ok(None)
    }

    async fn oauth(&self, _: &str, _: &Incoming) -> Result<(), Rejection> {
        Err(Rejection::fault())
    }
}
