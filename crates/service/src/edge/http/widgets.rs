//! The script that websites include, `/widget/KEY.js`, and the page of the chat in its frame,
//! `/widget/KEY/panel`. Both are public: the key stands in the source of the website. The console shows
//! drafts in `/widget/preview/panel`, which contains nothing of anybody.

use axum::{
    body::{Body, Bytes},
    extract::{Path, State},
    response::{IntoResponse, Response},
    routing::{MethodRouter, get},
};
use frontdesk_runtime::{HeaderMap, HeaderValue, StatusCode};
use frontdesk_store::{StoreError, Widget, WidgetButtonStyle, WidgetPosition};
use frontdesk_web::{Look, PanelPage};
use http::header;
use uuid::Uuid;

use super::content_encoding::accepted;
use crate::{
    edge::{Edge, responses},
    platform::chatbot_settings::Settings,
};

/// How long browsers may keep the script, which says how the button looks.
const SCRIPT_CACHE_CONTROL: HeaderValue = HeaderValue::from_static("public, max-age=300");
/// The page names the files of this version and the websites that may show it, so it is asked for each time.
const PAGE_CACHE_CONTROL: HeaderValue = HeaderValue::from_static("no-cache");

/// Returns the routes.
pub(super) fn routes() -> [(&'static str, MethodRouter<Edge>); 3] {
    [
        ("/widget/{file}", get(script)),
        ("/widget/{key}/panel", get(page)),
        ("/widget/preview/panel", get(async || page_of(frontdesk_web::preview()))),
    ]
}

/// Why a widget is not shown.
enum NotShown {
    /// It does not exist, or is switched off.
    Unknown,
    /// It cannot be read.
    Fault(StoreError),
}

impl From<StoreError> for NotShown {
    fn from(error: StoreError) -> Self {
        Self::Fault(error)
    }
}

impl IntoResponse for NotShown {
    fn into_response(self) -> Response {
        match self {
            Self::Unknown => responses::message(StatusCode::NOT_FOUND, "Widget not found."),
            Self::Fault(error) => {
                tracing::error!(error = &error as &dyn std::error::Error, "a widget cannot be read");
                responses::message(StatusCode::INTERNAL_SERVER_ERROR, responses::FAULT)
            }
        }
    }
}

/// Returns a widget that visitors may use, and the settings of its chatbot.
async fn shown(service: &Edge, key: &str) -> Result<(Widget, Settings), NotShown> {
    let key = key.parse::<Uuid>().map_err(|_| NotShown::Unknown)?;
    let widget = service.store.widgets().find_public(key).await?.filter(|widget| widget.enabled);
    let widget = widget.ok_or(NotShown::Unknown)?;
    let (_, chatbot) =
        service.store.chatbots().find_public(widget.chatbot_id).await?.ok_or(NotShown::Unknown)?;
    let settings = Settings::of(&chatbot).unwrap_or_else(|error| {
        tracing::error!(error = &error as &dyn std::error::Error, chatbot_id = %widget.chatbot_id, "a widget has no texts");
        Settings::default()
    });
    Ok((widget, settings))
}

async fn script(
    State(service): State<Edge>,
    Path(file): Path<String>,
    request: HeaderMap,
) -> Result<Response, NotShown> {
    let key = file.strip_suffix(".js").ok_or(NotShown::Unknown)?;
    let (widget, settings) = shown(&service, key).await?;
    let shows_text = widget.button_style == WidgetButtonStyle::Text;
    let text = frontdesk_web::loader(&Look {
        key,
        title: &settings.business_name,
        button_text: settings.button_text.as_deref().filter(|_| shows_text),
        color: &widget.color,
        is_at_start: widget.position == WidgetPosition::Start,
    });
    let gzip = || Bytes::from(frontdesk_web::gzip(&text));
    let mut response = accepted(&request, gzip, || Bytes::from(text.clone()));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/javascript; charset=utf-8"));
    headers.insert(header::CACHE_CONTROL, SCRIPT_CACHE_CONTROL);
    // For websites that load scripts with `crossorigin`, or demand `Cross-Origin-Resource-Policy`.
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("cross-origin"));
    Ok(response)
}

async fn page(State(service): State<Edge>, Path(key): Path<String>) -> Result<Response, NotShown> {
    let (widget, settings) = shown(&service, &key).await?;
    Ok(page_of(frontdesk_web::panel(&PanelPage {
        title: &settings.business_name,
        language: settings.language.as_deref(),
        origins: &widget.origins(),
    })))
}

fn page_of((html, policy): (String, String)) -> Response {
    // Without a policy, the page would have all rights.
    let policy = HeaderValue::try_from(policy).unwrap_or(HeaderValue::from_static("default-src 'none'"));
    let mut response = Body::from(html).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(header::CACHE_CONTROL, PAGE_CACHE_CONTROL);
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    response
}
