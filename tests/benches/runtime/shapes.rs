//! The decoded types: a generated type, and the same fields with serde's derive.

use frontdesk_model as model;
use frontdesk_runtime::{Patch, Secret, Uuid, check::Validate};
use serde::{Deserialize, de::DeserializeOwned};
use std::{collections::BTreeMap, fmt::Write};

/// What is done with each shape.
pub(crate) trait Visitor {
    /// Takes a shape as its plain and its generated type, and a body of it.
    fn shape<Plain: DeserializeOwned, Checked: DeserializeOwned + Validate>(
        &mut self,
        name: &str,
        body: &[u8],
    );
}

/// Every shape.
pub(crate) fn each(visitor: &mut impl Visitor) {
    visitor.shape::<NewMessage, model::NewMessage>("small object", SMALL.as_bytes());
    visitor.shape::<NewMessage, model::NewMessage>("small object, one object inside", INSIDE.as_bytes());
    visitor.shape::<ChatbotUpdate, model::ChatbotUpdate>("large object, lists inside", LARGE.as_bytes());
    visitor.shape::<Part, widgets_model::Part>("nested, 5 deep", tree(5).as_bytes());
    visitor.shape::<Vec<Item>, Vec<events_model::Item>>("list of 100 small objects", items().as_bytes());
    visitor.shape::<NewReply, model::NewReply>("list of 100 texts", thread().as_bytes());
    visitor.shape::<Maps, schemas_model::Maps>(
        "map of 100 texts, sorted",
        map("of_text", 1, |_| "\"abc\"".to_owned()).as_bytes(),
    );
    visitor.shape::<Maps, schemas_model::Maps>(
        "map of 100 texts, unsorted",
        map("of_text", 37, |_| "\"abc\"".to_owned()).as_bytes(),
    );
    visitor.shape::<Maps, schemas_model::Maps>(
        "map of 100 objects",
        map("of_points", 37, |number| format!(r#"{{"x": {number}.25, "y": -{number}}}"#)).as_bytes(),
    );
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "decoding is what is measured")]
struct NewMessage {
    message: String,
    #[serde(default)]
    conversation_id: Patch<Uuid>,
    #[serde(default)]
    contact: Patch<ContactInfo>,
    #[serde(default)]
    domain_id: Patch<i64>,
    source_tags: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "decoding is what is measured")]
struct ContactInfo {
    #[serde(default)]
    email: Patch<String>,
    #[serde(default)]
    name: Patch<String>,
    #[serde(default)]
    phone: Patch<String>,
    #[serde(default)]
    company: Patch<String>,
    custom: Option<Vec<Option<String>>>,
    #[serde(default)]
    jwt: Patch<Secret>,
}

const SMALL: &str = r#"{"message":"When do you open on Sundays?","conversation_id":"0190b6a5-5f0e-7c62-9c7e-0f3a5b6d7e8f","domain_id":12,"source_tags":["opening hours","shops"]}"#;

const INSIDE: &str = r#"{
  "message": "When do you open on Sundays?",
  "conversation_id": "0190b6a5-5f0e-7c62-9c7e-0f3a5b6d7e8f",
  "contact": {"email": "jo@example.com", "name": "Jo Doe", "phone": null, "custom": ["gold", null, "north"]},
  "source_tags": ["opening hours", "shops"]
}"#;

#[derive(Deserialize)]
#[expect(dead_code, reason = "decoding is what is measured")]
struct ChatbotUpdate {
    name: Option<String>,
    business_name: Option<String>,
    business_description: Option<String>,
    opening_text: Option<String>,
    placeholder_text: Option<String>,
    button_text: Option<String>,
    custom_instructions: Option<String>,
    specific_instructions: Option<Vec<Instruction>>,
    quick_buttons: Option<Vec<QuickButton>>,
    quick_prompts_display: Option<model::QuickPromptsDisplay>,
    ai_tone: Option<model::AiTone>,
    tone_of_voice: Option<String>,
    ai_response_length: Option<model::AiResponseLength>,
    ai_follow_up_questions: Option<bool>,
    focus: Option<model::ChatbotFocus>,
    primary_goal: Option<String>,
    language: Option<String>,
    respond_in_user_language: Option<bool>,
    web_search_enabled: Option<bool>,
    show_sources: Option<bool>,
    allowed_sensitive_topics: Option<Vec<model::SensitiveTopic>>,
    custom_blocked_topics: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "decoding is what is measured")]
struct Instruction {
    text: String,
    is_critical: Option<bool>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "decoding is what is measured")]
struct QuickButton {
    text: String,
}

const LARGE: &str = r#"{
  "name": "Front desk",
  "business_name": "Lamps and Sons",
  "business_description": "We sell lamps, and repair those that others sold.",
  "opening_text": "Hello! What can I do for you?",
  "placeholder_text": "Ask anything",
  "button_text": "Chat with us",
  "custom_instructions": "Be brief.",
  "specific_instructions": [
    {"text": "Never promise a delivery date.", "is_critical": true},
    {"text": "Offer a visit to the shop."}
  ],
  "quick_buttons": [{"text": "Opening hours"}, {"text": "Repairs"}, {"text": "Delivery"}],
  "quick_prompts_display": "always",
  "ai_tone": "friendly",
  "tone_of_voice": "Warm, and to the point.",
  "ai_follow_up_questions": true,
  "primary_goal": "Get visitors into the shop.",
  "language": "en",
  "respond_in_user_language": true,
  "web_search_enabled": false,
  "show_sources": true,
  "custom_blocked_topics": ["politics", "competitors"]
}"#;

#[derive(Deserialize)]
#[expect(dead_code, reason = "decoding is what is measured")]
struct Part {
    name: String,
    inside: Option<Box<Part>>,
    parts: Option<Vec<Part>>,
}

/// A part with two parts and one inside of it, each with as many of their own.
fn tree(depth: usize) -> String {
    if depth == 0 {
        return r#"{"name": "leaf"}"#.to_owned();
    }
    let inner = tree(depth - 1);
    format!(r#"{{"name": "part at {depth}", "inside": {{"name": "core"}}, "parts": [{inner}, {inner}]}}"#)
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "decoding is what is measured")]
struct Item {
    name: String,
    price: Option<f64>,
    cents: Option<i64>,
}

fn items() -> String {
    let items: Vec<String> =
        (0..100).map(|number| format!(r#"{{"name": "Item {number}", "cents": {}}}"#, number * 95)).collect();
    format!("[{}]", items.join(", "))
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "decoding is what is measured")]
struct NewReply {
    subject: String,
    messages: Vec<ThreadMessage>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "decoding is what is measured")]
struct ThreadMessage {
    from: String,
    body: String,
    #[serde(default)]
    delivered_at: Patch<String>,
}

fn thread() -> String {
    let messages: Vec<String> = (0..100)
        .map(|number| {
            format!(
                r#"{{"from": "jo{number}@example.com", "body": "My lamp is broken, and this is mail {number} about it.\nWhen may I bring it?", "delivered_at": "2026-01-31T09:30:00Z"}}"#
            )
        })
        .collect();
    format!(r#"{{"subject": "My lamp is broken", "messages": [{}]}}"#, messages.join(", "))
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "decoding is what is measured")]
struct Maps {
    of_text: Option<BTreeMap<String, String>>,
    of_points: Option<BTreeMap<String, Point>>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "decoding is what is measured")]
struct Point {
    x: f64,
    y: f64,
}

/// A map of 100 members, with a step from one name to the next.
fn map(name: &str, step: usize, value: impl Fn(usize) -> String) -> String {
    let mut body = format!(r#"{{"{name}": {{"#);
    for index in 0..100 {
        let number = 100 + index * step % 100;
        let comma = if index == 0 { "" } else { ", " };
        let _ = write!(body, r#"{comma}"label {number}": {}"#, value(number));
    }
    body.push_str("}}");
    body
}
