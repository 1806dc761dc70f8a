//! Handwritten types of requests and responses, with serde's derives.

#![expect(clippy::option_option, reason = "serde has no other way to tell `null` from absence")]

use frontdesk_runtime::Timestamp;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use uuid::Uuid;

#[derive(Deserialize)]
pub(super) struct NewWidget {
    pub(super) name: String,
    pub(super) code: Option<String>,
    pub(super) weight: Option<f64>,
    pub(super) count: Option<i64>,
    pub(super) serial: Option<i64>,
    pub(super) mass: Option<u64>,
    pub(super) tags: Option<Vec<String>>,
    pub(super) contact: Option<String>,
    pub(super) homepage: Option<String>,
    pub(super) host: Option<String>,
    #[serde(default, deserialize_with = "sent")]
    pub(super) finish: Option<Option<Finish>>,
    pub(super) parts: Vec<Part>,
    pub(super) secret: Option<String>,
    #[expect(dead_code, reason = "the answer does not repeat it")]
    pub(super) note: Option<Note>,
}

#[derive(Clone, Serialize)]
pub(super) struct Widget {
    pub(super) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) weight: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) count: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) serial: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) mass: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tags: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) contact: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) homepage: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) host: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) finish: Option<Option<Finish>>,
    pub(super) id: Uuid,
    pub(super) state: State,
    pub(super) created_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) parts: Option<Vec<Part>>,
}

#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Part {
    pub(super) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) inside: Option<Box<Part>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) parts: Option<Vec<Part>>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Finish {
    Matte,
    Glossy,
}

#[derive(Clone, Copy, Serialize)]
pub(super) enum State {
    #[serde(rename = "in-use")]
    InUse,
}

#[derive(Deserialize)]
#[serde(untagged)]
#[expect(dead_code, reason = "the answer does not repeat it")]
pub(super) enum Note {
    Text(String),
    WithLanguage { text: String, language: Language },
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Language {
    De,
    En,
}

#[derive(Clone, Serialize)]
pub(super) struct Item {
    pub(super) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) price: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cents: Option<i64>,
}

#[derive(Deserialize)]
pub(super) struct PageQuery {
    pub(super) after: Option<String>,
    pub(super) limit: Option<i32>,
}

#[derive(Serialize)]
pub(super) struct Page {
    pub(super) data: Vec<Item>,
    pub(super) pagination: Pagination,
}

#[derive(Serialize)]
pub(super) struct Pagination {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next: Option<String>,
}

#[derive(Serialize)]
pub(super) struct Problem {
    pub(super) message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) errors: Option<BTreeMap<String, Vec<String>>>,
}

/// A member that is there, be it `null`.
fn sent<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}
