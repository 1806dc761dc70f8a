//! Validation of request bodies: every invalid field, with its path.
//!
//! A generated type states its constraints once, in [`Validate::validate`], with one line for each field.
//! These lines are used in two ways. The fast path runs them over a decoded value, where they only check
//! limits. If a body cannot be decoded, they run over the raw JSON, where each line also reports a missing
//! field or a wrong type. A valid body is decoded and checked once. It is read a second time only if it may
//! have duplicate members, to report their locations.
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

mod decode;
mod duplicates;
mod exact;
mod field;
mod format;
mod parameter;
mod path;
#[cfg(feature = "validate")]
mod pattern;
mod report;
mod scalars;
mod validate;

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

use crate::{
    union::choice::{Choices, reads_union},
    whole_numbers,
};
use serde::de::DeserializeOwned;
use std::fmt;

/// The rule that a member violates which a closed object does not have.
pub(crate) const UNKNOWN_MEMBER: &str = "is not a member of this object";

/// Why a body is invalid.
#[derive(Debug)]
pub enum BodyError {
    /// The bytes are not JSON, with the reason and the location.
    Malformed(String),
    /// The JSON violates rules of the document.
    Invalid(Vec<Failure>),
}

impl BodyError {
    /// Returns every violation; empty for a text that is not JSON.
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

/// Returns every member that occurs twice in its object, for readers without a static type.
pub fn doubled_members(body: &[u8]) -> Vec<Failure> {
    let mut report = Report::default();
    duplicates::report_duplicates(body, &Path::ROOT, &mut report);
    report.into_failures()
}

/// Decodes and checks a JSON body. On failure, reports everything that is wrong with it.
pub fn check_json<T: DeserializeOwned + Validate>(body: &[u8]) -> Result<T, BodyError> {
    check_json_with(body, |_| ())
}

/// Like [`check_json`], with rules for the whole body.
pub fn check_json_with<T: DeserializeOwned + Validate>(
    body: &[u8],
    rules: impl Fn(Field<'_, T>),
) -> Result<T, BodyError> {
    check_json_at(body, Path::ROOT, rules).map_err(|error| match error {
        BodyError::Malformed(reason) => BodyError::Malformed(format!("the body is not valid JSON: {reason}")),
        invalid @ BodyError::Invalid(_) => invalid,
    })
}

/// Like [`check_json_with`], for JSON in another place than the body. The reason for malformed JSON is that
/// of the parser.
pub(crate) fn check_json_at<T: DeserializeOwned + Validate>(
    body: &[u8],
    at: Path<'_>,
    rules: impl Fn(Field<'_, T>),
) -> Result<T, BodyError> {
    // JSON is UTF-8. Validating all bytes at once is faster than validating each string.
    let Ok(text) = str::from_utf8(body) else { return Err(explain::<T>(body, at, rules, None)) };
    let read = |text: &str| {
        let names = decode::Names::default();
        let value = crate::object::refusing(|| decode::decode::<T>(text, &names))?;
        Ok((value, names.may_have_duplicates()))
    };
    let (outcome, has_union) = reads_union(|| whole_numbers::read(text, read));
    match outcome {
        Ok((value, may_have_duplicates)) => {
            let mut report = Report::default();
            if may_have_duplicates {
                duplicates::report_duplicates(body, &at, &mut report);
            }
            rules(Field::decoded(Some(&value), at, &mut report));
            let needs_raw = report.needs_raw();
            if needs_raw || has_union && !report.is_empty() {
                let (raw, choices) = Choices::made(|| inspected::<T>(body, at, &rules));
                if needs_raw || !choices.is_empty() {
                    report = raw.map_err(BodyError::Malformed)?;
                }
                if report.is_empty() && !choices.is_empty() {
                    // Only the rules say which variant of a union a value has.
                    let reread = choices.applied(|| whole_numbers::read(text, read));
                    return reread
                        .map(|(value, _)| value)
                        .map_err(|error| explain::<T>(body, at, &rules, Some(error)));
                }
            }
            if report.is_empty() { Ok(value) } else { Err(BodyError::Invalid(report.into_failures())) }
        }
        Err(error) => Err(explain::<T>(body, at, rules, Some(error))),
    }
}

/// Finds everything that is wrong with a body that could not be decoded. The decoder's own error is used if
/// nothing else is found.
#[cold]
fn explain<T: Validate>(
    body: &[u8],
    at: Path<'_>,
    rules: impl Fn(Field<'_, T>),
    error: Option<serde_json::Error>,
) -> BodyError {
    let mut report = match inspected::<T>(body, at, rules) {
        Ok(report) => report,
        Err(problem) => return BodyError::Malformed(problem),
    };
    if let Some(error) = error.filter(|_| report.is_empty()) {
        report.push(&at, error.to_string());
    }
    BodyError::Invalid(report.into_failures())
}

/// Checks raw JSON: every rule, on values as they are spelled. Fails if it is not JSON.
#[cold]
fn inspected<T: Validate>(body: &[u8], at: Path<'_>, rules: impl Fn(Field<'_, T>)) -> Result<Report, String> {
    let mut raw: Value = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    whole_numbers::write_digits(&mut raw);
    let mut report = Report::default();
    duplicates::report_duplicates(body, &at, &mut report);
    crate::object::refusing(|| rules(Field::undecoded(Some(&raw), at, &mut report)));
    Ok(report)
}
