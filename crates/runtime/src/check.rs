//! Checking of request bodies: every failing field, with its path.
//!
//! A generated type says its constraints once, in [`Validate::validate`], one line a field. The lines run in two ways:
//! over a decoded value, which is the fast path and only looks at the limits; and, when a body could not be decoded,
//! over the raw JSON, where each line also reports a missing field or a wrong type. So one description finds all
//! failures of a body, and none of it runs twice for a good one. The body itself is read once: only where a member may
//! stand twice in it, or in what no type of the document looks at, is it walked again to tell.
//!
//! ```
//! use frontdesk_runtime::check::{Check, Validate, check_json};
//!
//! #[derive(serde::Deserialize)]
//! struct Note {
//!     title: String,
//!     tags: Vec<String>,
//! }
//!
//! impl Validate for Note {
//!     fn validate(check: &mut Check<'_, Self>) {
//!         check.required("title", |it| &it.title).max_chars(10);
//!         check.required("tags", |it| &it.tags).max_items(3).each(|tag| {
//!             tag.min_chars(1);
//!         });
//!     }
//! }
//!
//! let failures = check_json::<Note>(br#"{"tags": ["a", ""]}"#).err().unwrap().failures();
//! let lines: Vec<String> = failures.iter().map(ToString::to_string).collect();
//! assert_eq!(lines, ["title: is required", "tags.1: must have at least 1 character"]);
//! ```

mod doubled;
mod exact;
mod field;
mod format;
mod leaves;
mod parameter;
mod path;
#[cfg(feature = "validate")]
mod pattern;
mod report;
mod validate;
mod watched;

#[cfg(feature = "validate")]
pub use self::pattern::Pattern;
pub use self::{
    field::{Check, Field, Number, Text},
    format::Format,
    parameter::{Parameter, enum_from_text},
    path::Path,
    report::{Failure, Report},
    validate::Validate,
};
#[cfg(feature = "validate")]
pub use crate::pattern;

pub use serde_json::Value;

use serde::de::DeserializeOwned;
use std::fmt;

/// Why a body was not taken.
#[derive(Debug)]
pub enum BodyError {
    /// The bytes are no JSON text; what is wrong, and where.
    Malformed(String),
    /// The JSON text breaks the document's rules.
    Invalid(Vec<Failure>),
}

impl BodyError {
    /// Every field that breaks a rule; empty for a text that is no JSON.
    pub fn failures(self) -> Vec<Failure> {
        match self {
            Self::Malformed(_) => Vec::new(),
            Self::Invalid(failures) => failures,
        }
    }
}

impl fmt::Display for BodyError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(message) => formatter.write_str(message),
            Self::Invalid(failures) => {
                for (index, failure) in failures.iter().enumerate() {
                    write!(formatter, "{}{failure}", if index == 0 { "" } else { "; " })?;
                }
                Ok(())
            }
        }
    }
}

impl std::error::Error for BodyError {}

/// Decodes a JSON body and checks it; on failure, reports everything that is wrong with it.
pub fn check_json<T: DeserializeOwned + Validate>(body: &[u8]) -> Result<T, BodyError> {
    check_json_with(body, |_| ())
}

/// Like [`check_json`], with rules for the body as a whole.
pub fn check_json_with<T: DeserializeOwned + Validate>(
    body: &[u8],
    rules: impl Fn(Field<'_, T>),
) -> Result<T, BodyError> {
    // Bytes that are not UTF-8 are no JSON text. Looked at all at once, they need not be looked at string by string.
    let Ok(text) = str::from_utf8(body) else { return Err(explain::<T>(body, rules, None)) };
    let names = watched::Names::default();
    match crate::object::refusing(|| watched::decode::<T>(text, &names)) {
        Ok(value) => {
            let mut report = Report::default();
            if names.may_be_doubled() {
                doubled::note_doubled(body, &mut report);
            }
            rules(Field::decoded(Some(&value), Path::ROOT, &mut report));
            if report.is_empty() { Ok(value) } else { Err(BodyError::Invalid(report.into_failures())) }
        }
        Err(error) => Err(explain::<T>(body, rules, Some(error))),
    }
}

/// Finds everything that is wrong with a body that could not be decoded; the decoder's own error is for what nothing else sees.
#[cold]
fn explain<T: Validate>(
    body: &[u8],
    rules: impl Fn(Field<'_, T>),
    error: Option<serde_json::Error>,
) -> BodyError {
    let raw: Value = match serde_json::from_slice(body) {
        Ok(raw) => raw,
        Err(error) => return BodyError::Malformed(format!("the body is not valid JSON: {error}")),
    };
    let mut report = Report::default();
    doubled::note_doubled(body, &mut report);
    crate::object::refusing(|| rules(Field::undecoded(Some(&raw), Path::ROOT, &mut report)));
    if let Some(error) = error.filter(|_| report.is_empty()) {
        report.push(&Path::ROOT, error.to_string());
    }
    BodyError::Invalid(report.into_failures())
}
