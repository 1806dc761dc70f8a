//! A server that responds as Telegram and the Graph API do, and keeps what it was asked.

use std::sync::{Arc, Mutex};

use axum::{
    Router,
    body::Bytes,
    extract::{DefaultBodyLimit, State},
    http::{HeaderMap, Method, Uri},
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

/// What the server was asked, and what it has.
pub(crate) struct Asked {
    /// Paths and bodies of the requests, except those for updates. Forms are texts there.
    pub(crate) requests: Vec<(String, Value)>,
    /// The bodies of requests that are not JSON, as they were sent.
    pub(crate) forms: Vec<Bytes>,
    /// The updates of bots.
    pub(crate) updates: Vec<Value>,
    /// The file that it has.
    pub(crate) file: ServedFile,
}

/// A file that people have sent.
pub(crate) struct ServedFile {
    pub(crate) name: &'static str,
    pub(crate) media_type: &'static str,
    pub(crate) content: Vec<u8>,
}

pub(crate) type StandIn = Arc<Mutex<Asked>>;

/// The beginning of a PNG file, enough to recognize it.
pub(crate) const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01";

/// Returns a stand-in that has a picture.
pub(crate) fn new() -> StandIn {
    let file = ServedFile { name: "file_1.png", media_type: "image/png", content: PNG.to_vec() };
    Arc::new(Mutex::new(Asked { requests: Vec::new(), forms: Vec::new(), updates: Vec::new(), file }))
}

/// Starts a stand-in that has a picture. Returns its address, too.
pub(crate) async fn stand_in() -> (StandIn, url::Url) {
    let asked = new();
    let app = Router::new().fallback(respond).layer(DefaultBodyLimit::disable());
    let url = serve(app.with_state(Arc::clone(&asked))).await;
    (asked, url)
}

/// Serves an interface on a port of its own, and returns its address.
pub(crate) async fn serve(app: Router) -> url::Url {
    format!("http://{}/", frontdesk_testkit::stand_in::serve(app).await).parse().unwrap()
}

/// Starts a stand-in of Telegram that has a message for every bot, and returns its address.
pub(crate) async fn telegram(text: &str) -> url::Url {
    let (asked, url) = stand_in().await;
    asked.lock().unwrap().updates.push(update(1, text));
    url
}

/// A message to a bot, as Telegram sends it.
pub(crate) fn update(id: i64, text: &str) -> Value {
    json!({ "update_id": id, "message": {
        "message_id": id, "date": 1_441_645_532, "text": text,
        "chat": { "id": 5, "type": "private", "first_name": "Sam" },
        "from": { "id": 5, "is_bot": false, "first_name": "Sam", "last_name": "Reed" },
    } })
}

/// Responds to a request.
pub(crate) async fn respond(
    State(asked): State<StandIn>,
    method: Method,
    headers: HeaderMap,
    uri: Uri,
    bytes: Bytes,
) -> Response {
    let mut asked = asked.lock().unwrap();
    let path = uri.path().to_owned();
    if path.starts_with("/content/") || path.starts_with("/file/") {
        return asked.file.content.clone().into_response();
    }
    let body: Value = serde_json::from_slice(&bytes).unwrap_or_else(|_| {
        if !bytes.is_empty() {
            asked.forms.push(bytes.clone());
        }
        Value::from(String::from_utf8_lossy(&bytes).into_owned())
    });
    let host = headers["host"].to_str().unwrap();
    let number = asked.requests.len() + 100;
    let response = match path.rsplit('/').next().unwrap() {
        "getUpdates" => {
            let offset = body["offset"].as_i64().unwrap_or(0);
            let due = asked.updates.iter().filter(|update| update["update_id"].as_i64() >= Some(offset));
            json!({ "ok": true, "result": due.collect::<Vec<_>>() })
        }
        "sendMessage" | "sendPhoto" | "sendDocument" => {
            json!({ "ok": true, "result": { "message_id": number, "chat": { "id": 5 } } })
        }
        "getFile" => {
            json!({ "ok": true, "result": { "file_id": "f", "file_path": format!("files/{}", asked.file.name) } })
        }
        "media" => json!({ "id": "1037543291543636" }),
        "message_attachments" => json!({ "attachment_id": "1857777774821032" }),
        // What WhatsApp says of a file, by its id.
        id if method == Method::GET => json!({
            "messaging_product": "whatsapp", "url": format!("http://{host}/content/{id}"), "sha256": "x", "id": id,
            "mime_type": asked.file.media_type, "file_size": asked.file.content.len(),
        }),
        _ if body["messaging_product"] == "whatsapp" => {
            json!({ "messages": [{ "id": format!("wamid.{number}") }] })
        }
        _ => json!({ "recipient_id": "77", "message_id": format!("m_{number}") }),
    };
    if !path.ends_with("getUpdates") {
        asked.requests.push((path, body));
    }
    axum::Json(response).into_response()
}
