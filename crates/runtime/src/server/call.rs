//! [`Call`]: a request whose parameters and body are being read for its handler.

mod body;

use super::{Incoming, Refusal, media, template};
use crate::{
    check::{BodyError, Failure, Field, Parameter, Path, Report, Validate, check_json_at},
    codec::{self, Param, Place, Style},
    object::refusing,
    union::choice::reads_union,
};
use axum::body::Body;
use serde::de::{DeserializeOwned, DeserializeSeed};
use std::{borrow::Cow, marker::PhantomData};

const NO_TEXT: &str = "must be plain ASCII text";
const NO_UTF8: &str = "must be text in UTF-8, percent-encoded";
const NOT_ONCE: &str = "must be given once";

/// Marks a part of the request that could not be read. The reason is recorded in the [`Call`].
#[derive(Clone, Copy, Debug)]
pub struct Invalid;

impl From<Invalid> for Refusal {
    fn from(Invalid: Invalid) -> Self {
        Self::Invalid { failures: Vec::new() }
    }
}

/// A request whose parts are being read for its handler.
///
/// All parts are read before failures are reported, so that the client learns of all of them at once: read
/// each part, call [`finish`](Self::finish), then unwrap the parts with `?`.
#[derive(Debug)]
pub struct Call<C> {
    incoming: Incoming,
    caller: Option<C>,
    body: Option<Body>,
    body_limit: usize,
    expected: Expected,
    /// The name under which failures of the next part are reported, if its own name is ambiguous.
    label: Option<&'static str>,
    /// Whether the next query parameter may be sent without a value.
    allows_empty: bool,
    refusal: Option<Refusal>,
    report: Report,
}

/// Which media types the next reader of the body accepts.
#[derive(Clone, Copy, Debug)]
enum Expected {
    /// The usual ones of its codec.
    OfCoding,
    /// These.
    Stated(&'static [&'static str]),
    /// The media type was checked before.
    Chosen,
}

impl<C> Call<C> {
    pub(super) fn new(incoming: Incoming, caller: Option<C>, body: Body, body_limit: usize) -> Self {
        Self {
            incoming,
            caller,
            body: Some(body),
            body_limit,
            expected: Expected::OfCoding,
            label: None,
            allows_empty: false,
            refusal: None,
            report: Report::default(),
        }
    }

    /// Returns the caller of an operation that requires credentials.
    pub fn caller(&mut self) -> Result<C, Refusal> {
        self.caller.take().ok_or(Refusal::MissingCredentials { operation: self.incoming.operation() })
    }

    /// Returns the caller of an operation that also allows anonymous callers.
    pub fn optional_caller(&mut self) -> Option<C> {
        self.caller.take()
    }

    /// Returns the head of the request.
    pub fn incoming(&self) -> &Incoming {
        &self.incoming
    }

    /// Returns the head of the request for the handler, after all parameters and the body have been read.
    pub fn into_incoming(self) -> Incoming {
        self.incoming
    }

    /// Refuses the request if its `Accept` header excludes every offered media type.
    pub fn require_acceptable(&mut self, offered: &'static [&'static str]) {
        if media::negotiate(offered, self.incoming.headers()).is_none() {
            self.refusal.get_or_insert(Refusal::NotAcceptable { offered });
        }
    }

    /// Reports failures of the next part under this name: two parameters may have the same name in different
    /// locations.
    pub fn labeled(&mut self, label: &'static str) -> &mut Self {
        self.label = Some(label);
        self
    }

    /// Accepts the next query parameter without a value, as in `?name` and `?name=` (`allowEmptyValue`). If
    /// the empty text is not a value of its type, the parameter counts as absent.
    pub fn allowing_empty(&mut self) -> &mut Self {
        self.allows_empty = true;
        self
    }

    /// Reads a path parameter. Text that does not have the type, or violates its rules, names nothing that
    /// exists.
    pub fn path<T: Parameter>(
        &mut self,
        name: &'static str,
        rules: impl Fn(Field<'_, T>),
    ) -> Result<T, Invalid> {
        self.label = None;
        let mut report = Report::default();
        let value = self.incoming.path_text(name).and_then(|text| T::from_text(text).ok());
        match value {
            Some(value) if check(&value, name, &rules, &mut report) => Ok(value),
            _ => self.refuse(Refusal::UnknownResource { parameter: name }),
        }
    }

    /// Reads a required query parameter.
    pub fn query<T: Parameter>(
        &mut self,
        name: &'static str,
        rules: impl Fn(Field<'_, T>),
    ) -> Result<T, Invalid> {
        let label = self.label.unwrap_or(name);
        let value = self.query_optional(name, rules)?;
        self.require(label, value)
    }

    /// Reads an optional query parameter. A parameter that is given twice is refused, because a proxy may use
    /// the other value.
    pub fn query_optional<T: Parameter>(
        &mut self,
        name: &'static str,
        rules: impl Fn(Field<'_, T>),
    ) -> Result<Option<T>, Invalid> {
        let read = if self.incoming.has_broken_query_value(name) {
            Err(NO_UTF8.to_owned())
        } else {
            let mut values = self.incoming.query_values(name);
            match (values.next(), values.next()) {
                (Some(_), Some(_)) => Err(NOT_ONCE.to_owned()),
                (value, _) => value.map(T::from_text).transpose(),
            }
        };
        self.checked(name, read, rules)
    }

    /// Reads a required query parameter that is repeated for each value (`style: form` with `explode`).
    pub fn query_list<T: Parameter>(
        &mut self,
        name: &'static str,
        rules: impl Fn(Field<'_, Vec<T>>),
    ) -> Result<Vec<T>, Invalid> {
        let label = self.label.unwrap_or(name);
        let values = self.query_list_optional(name, rules)?;
        self.require(label, values)
    }

    /// Like [`query_list`](Self::query_list), for an optional parameter.
    pub fn query_list_optional<T: Parameter>(
        &mut self,
        name: &'static str,
        rules: impl Fn(Field<'_, Vec<T>>),
    ) -> Result<Option<Vec<T>>, Invalid> {
        if self.incoming.has_broken_query_value(name) {
            return self.checked(name, Err(NO_UTF8.to_owned()), rules);
        }
        let (mut values, mut failures) = (Vec::new(), Vec::new());
        for (index, text) in self.incoming.query_values(name).enumerate() {
            match T::from_text(text) {
                Ok(value) => values.push(value),
                Err(rule) => failures.push((index, rule)),
            }
        }
        let is_empty = self.allows_empty && self.incoming.query_value(name) == Some("");
        if failures.is_empty() || is_empty {
            let values = (failures.is_empty() && !values.is_empty()).then_some(values);
            return self.checked(name, Ok(values), rules);
        }
        let label = self.label.take().unwrap_or(name);
        self.allows_empty = false;
        for (index, rule) in failures {
            self.report.push(&Path::ROOT.name(label).index(index), rule);
        }
        Err(Invalid)
    }

    /// Reads a required header.
    pub fn header<T: Parameter>(
        &mut self,
        name: &'static str,
        rules: impl Fn(Field<'_, T>),
    ) -> Result<T, Invalid> {
        let label = self.label.unwrap_or(name);
        let value = self.header_optional(name, rules)?;
        self.require(label, value)
    }

    /// Reads an optional header.
    pub fn header_optional<T: Parameter>(
        &mut self,
        name: &'static str,
        rules: impl Fn(Field<'_, T>),
    ) -> Result<Option<T>, Invalid> {
        let read = self.header_text(name);
        let read = read.and_then(|text| text.map(|text| T::from_text(&text)).transpose());
        self.checked(name, read, rules)
    }

    /// Reads a required cookie.
    pub fn cookie<T: Parameter>(
        &mut self,
        name: &'static str,
        rules: impl Fn(Field<'_, T>),
    ) -> Result<T, Invalid> {
        let label = self.label.unwrap_or(name);
        let value = self.cookie_optional(name, rules)?;
        self.require(label, value)
    }

    /// Reads an optional cookie.
    pub fn cookie_optional<T: Parameter>(
        &mut self,
        name: &'static str,
        rules: impl Fn(Field<'_, T>),
    ) -> Result<Option<T>, Invalid> {
        let read = match self.incoming.cookie(name) {
            Some(text) => match template::percent_decoded(text) {
                Some(text) => T::from_text(&text).map(Some),
                None => Err(NO_UTF8.to_owned()),
            },
            None => Ok(None),
        };
        self.checked(name, read, rules)
    }

    /// Reads a required parameter of any location and style.
    pub fn styled<T: DeserializeOwned + Validate>(
        &mut self,
        param: Param,
        rules: impl Fn(Field<'_, T>),
    ) -> Result<T, Invalid> {
        let label = self.label.unwrap_or(param.name);
        match self.styled_optional(param, rules) {
            Ok(None) if param.place == Place::Path => {
                self.refuse(Refusal::UnknownResource { parameter: param.name })
            }
            Ok(value) => self.require(label, value),
            Err(Invalid) => Err(Invalid),
        }
    }

    /// Reads an optional parameter of any location and style.
    pub fn styled_optional<T: DeserializeOwned + Validate>(
        &mut self,
        param: Param,
        rules: impl Fn(Field<'_, T>),
    ) -> Result<Option<T>, Invalid> {
        let label = self.label.take().unwrap_or(param.name);
        let empty = std::mem::take(&mut self.allows_empty);
        match self.decode_checked(&param, label, rules) {
            Ok(value) => Ok(value),
            Err(_) if empty && self.incoming.query_value(param.name) == Some("") => Ok(None),
            Err(_) if param.place == Place::Path => {
                self.refuse(Refusal::UnknownResource { parameter: param.name })
            }
            Err(failures) => {
                self.report.extend(failures);
                Err(Invalid)
            }
        }
    }

    /// Returns the value of an optional parameter. Where it is absent, that is the default that the document
    /// states, as JSON. One that is not a value of the type is reported like a wrong parameter.
    pub fn or_default<T: DeserializeOwned + Validate>(
        &mut self,
        name: &'static str,
        value: Option<T>,
        default: &'static str,
    ) -> Result<T, Invalid> {
        if let Some(value) = value {
            return Ok(value);
        }
        match check_json_at(default.as_bytes(), Path::ROOT.name(name), |_| ()) {
            Ok(value) => Ok(value),
            Err(BodyError::Invalid(failures)) => {
                self.report.extend(failures);
                Err(Invalid)
            }
            Err(BodyError::Malformed(reason)) => {
                self.report.push(&Path::ROOT.name(name), format!("has no readable default: {reason}"));
                Err(Invalid)
            }
        }
    }

    /// Decodes and checks a parameter, and returns everything that is wrong with it.
    fn decode_checked<T: DeserializeOwned + Validate>(
        &self,
        param: &Param,
        label: &str,
        rules: impl Fn(Field<'_, T>),
    ) -> Result<Option<T>, Vec<Failure>> {
        let at = Path::ROOT.name(label);
        let failed = |path: String, message| vec![Failure { path, message }];
        if param.style == Style::Json {
            let text = self.found(param, |found| codec::json_text(param, found));
            let Some(text) = text.map_err(|rule| failed(label.to_owned(), rule))? else { return Ok(None) };
            return check_json_at(text.as_bytes(), at, rules).map(Some).map_err(|error| match error {
                BodyError::Malformed(reason) => {
                    failed(label.to_owned(), format!("must be valid JSON: {reason}"))
                }
                BodyError::Invalid(failures) => failures,
            });
        }
        let violations = |value: &T| {
            let mut report = Report::default();
            Field::parameter(value, at, &mut report, &rules);
            report
        };
        let (read, has_union) =
            reads_union(|| refusing(|| self.decode_with(param, PhantomData::<T>, |_| true)));
        let value = read.map_err(|(place, rule)| {
            let path = if place.is_empty() { label.to_owned() } else { format!("{label}.{place}") };
            failed(path, rule)
        })?;
        let Some(value) = value else { return Ok(None) };
        let report = violations(&value);
        if report.is_empty() {
            return Ok(Some(value));
        }
        // A text that violates the rules of one variant of a union may be a number or `true` of another.
        let fits = |value: &T| violations(value).is_empty();
        let other = has_union.then(|| refusing(|| self.decode_with(param, PhantomData::<T>, fits)).ok());
        match other.flatten().flatten().filter(fits) {
            Some(other) => Ok(Some(other)),
            None => Err(report.into_failures()),
        }
    }

    /// Reads a parameter of any location and style with a deserialization seed; `None` if it is absent.
    /// Failures are returned, not recorded.
    ///
    /// Of several interpretations of the text, returns the first that `fits`; see [`codec::decode_with`].
    ///
    /// # Errors
    ///
    /// The location within the value, with dots between names, and the rule that the text violates there.
    pub fn decode_with<T, S>(
        &self,
        param: &Param,
        seed: S,
        fits: impl Fn(&T) -> bool,
    ) -> Result<Option<T>, (String, String)>
    where
        S: for<'de> DeserializeSeed<'de, Value = T> + Copy,
    {
        let whole = |rule: String| (String::new(), rule);
        self.found(param, |found| Ok(codec::decode_with(param, found, seed, fits))).map_err(whole)?
    }

    /// Reads the pairs that may belong to a parameter, still percent-encoded.
    fn found<T>(
        &self,
        param: &Param,
        read: impl FnOnce(&[(&str, &str)]) -> Result<T, String>,
    ) -> Result<T, String> {
        let incoming = &self.incoming;
        match param.place {
            Place::Path => {
                let own = incoming.raw_path_text(param.name).map(|text| (param.name, text));
                read(own.as_slice())
            }
            Place::Query => read(&incoming.raw_query().collect::<Vec<_>>()),
            Place::Cookie => read(&incoming.cookies().collect::<Vec<_>>()),
            Place::Header => {
                let text = self.header_text(param.name)?;
                read(text.as_deref().map(|text| (param.name, text)).as_slice())
            }
        }
    }

    /// Returns a header. Several lines of one header are one list (RFC 9110, section 5.3).
    fn header_text(&self, name: &str) -> Result<Option<Cow<'_, str>>, String> {
        let mut lines = self.incoming.headers().get_all(name).iter().map(http::HeaderValue::to_str);
        let text = |line: Option<Result<_, _>>| line.transpose().map_err(|_| NO_TEXT.to_owned());
        let Some(first) = text(lines.next())? else { return Ok(None) };
        let mut whole = Cow::Borrowed(first);
        while let Some(line) = text(lines.next())? {
            let whole = whole.to_mut();
            whole.push(',');
            whole.push_str(line);
        }
        Ok(Some(whole))
    }

    /// Fails if any of the parts that were read so far was invalid.
    pub fn finish(&mut self) -> Result<(), Refusal> {
        if let Some(refusal) = self.refusal.take() {
            return Err(refusal);
        }
        let failures = std::mem::take(&mut self.report).into_failures();
        if failures.is_empty() { Ok(()) } else { Err(Refusal::Invalid { failures }) }
    }

    /// Checks a decoded value against its rules and records failures.
    fn checked<T: Validate>(
        &mut self,
        name: &'static str,
        read: Result<Option<T>, String>,
        rules: impl Fn(Field<'_, T>),
    ) -> Result<Option<T>, Invalid> {
        let label = self.label.take().unwrap_or(name);
        if std::mem::take(&mut self.allows_empty) && self.incoming.query_value(name) == Some("") {
            let value = read.ok().flatten();
            return Ok(value.filter(|value| check(value, label, &rules, &mut Report::default())));
        }
        match read {
            Ok(None) => Ok(None),
            Ok(Some(value)) if check(&value, label, &rules, &mut self.report) => Ok(Some(value)),
            Ok(Some(_)) => Err(Invalid),
            Err(rule) => self.fail(label, rule),
        }
    }

    fn require<T>(&mut self, name: &'static str, value: Option<T>) -> Result<T, Invalid> {
        match value {
            Some(value) => Ok(value),
            None => self.fail(name, "is required".to_owned()),
        }
    }

    fn fail<T>(&mut self, name: &'static str, rule: String) -> Result<T, Invalid> {
        self.report.push(&Path::ROOT.name(name), rule);
        Err(Invalid)
    }

    /// Records a reason to refuse the whole request; the first reason counts.
    fn refuse<T>(&mut self, refusal: Refusal) -> Result<T, Invalid> {
        self.refusal.get_or_insert(refusal);
        Err(Invalid)
    }
}

/// Checks a parameter. Returns whether it complies with all rules.
fn check<T: Validate>(
    value: &T,
    name: &'static str,
    rules: &impl Fn(Field<'_, T>),
    report: &mut Report,
) -> bool {
    let mut found = Report::default();
    Field::parameter(value, Path::ROOT.name(name), &mut found, rules);
    let good = found.is_empty();
    report.extend(found.into_failures());
    good
}
