//! Owns [`Call`]: one request on its way to a handler, and the reading of its parameters.

mod body;

use super::{Incoming, Refusal, media, template};
use crate::{
    check::{Field, Parameter, Path, Report, Validate},
    codec::{self, Param, Place},
};
use axum::body::Body;
use serde::de::{DeserializeOwned, DeserializeSeed};
use std::marker::PhantomData;

const NO_TEXT: &str = "must be plain ASCII text";
const NO_UTF8: &str = "must be text in UTF-8, percent-encoded";

/// Stands for a part of the request that could not be read; what was wrong with it is kept in the [`Call`].
#[derive(Clone, Copy, Debug)]
pub struct Invalid;

impl From<Invalid> for Refusal {
    fn from(Invalid: Invalid) -> Self {
        Self::Invalid { failures: Vec::new() }
    }
}

/// One request on its way to a handler.
///
/// Every part is read before any failure is told, so that the caller learns of all of them at once: read each part,
/// call [`finish`](Self::finish), then unwrap the parts with `?`.
#[derive(Debug)]
pub struct Call<C> {
    incoming: Incoming,
    caller: Option<C>,
    body: Option<Body>,
    body_limit: usize,
    expected: Expected,
    /// What failures of the next part are told under, where its own name would not tell it from another.
    label: Option<&'static str>,
    refusal: Option<Refusal>,
    report: Report,
}

/// Which media types the next reader of the body takes.
#[derive(Clone, Copy, Debug)]
enum Expected {
    /// Those of the coding that it reads.
    OfCoding,
    /// These.
    Stated(&'static [&'static str]),
    /// The media type has been judged.
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
            refusal: None,
            report: Report::default(),
        }
    }

    /// Who calls, where the operation asks for credentials.
    pub fn caller(&mut self) -> Result<C, Refusal> {
        self.caller.take().ok_or(Refusal::MissingCredentials { operation: self.incoming.operation() })
    }

    /// Who calls, where the operation also takes anonymous callers.
    pub fn optional_caller(&mut self) -> Option<C> {
        self.caller.take()
    }

    /// The head of the request.
    pub fn incoming(&self) -> &Incoming {
        &self.incoming
    }

    /// Refuses a caller whose `Accept` excludes everything that the operation answers with on success.
    pub fn answers_with(&mut self, offered: &'static [&'static str]) {
        if media::negotiate(offered, self.incoming.headers()).is_none() {
            self.refusal.get_or_insert(Refusal::NotAcceptable { offered });
        }
    }

    /// Which of several ways to write the same answer the caller likes best, by position.
    pub fn preferred(&self, offered: &[&str]) -> usize {
        media::negotiate(offered, self.incoming.headers()).unwrap_or_default()
    }

    /// Tells failures of the next part under this name: two parameters may have the same name in different places.
    pub fn labelled(&mut self, label: &'static str) -> &mut Self {
        self.label = Some(label);
        self
    }

    /// A path parameter. Text that does not have the type, or breaks its rules, names nothing that exists.
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

    /// A query parameter that must be sent.
    pub fn query<T: Parameter>(
        &mut self,
        name: &'static str,
        rules: impl Fn(Field<'_, T>),
    ) -> Result<T, Invalid> {
        let label = self.label.unwrap_or(name);
        let value = self.query_optional(name, rules)?;
        self.require(label, value)
    }

    /// A query parameter that may be left out.
    pub fn query_optional<T: Parameter>(
        &mut self,
        name: &'static str,
        rules: impl Fn(Field<'_, T>),
    ) -> Result<Option<T>, Invalid> {
        let read = if self.incoming.has_broken_query_value(name) {
            Err(NO_UTF8.to_owned())
        } else {
            self.incoming.query_value(name).map(T::from_text).transpose()
        };
        self.checked(name, read, rules)
    }

    /// A query parameter that is repeated, once for every value (`style: form` with `explode`).
    pub fn query_list<T: Parameter>(
        &mut self,
        name: &'static str,
        rules: impl Fn(Field<'_, Vec<T>>),
    ) -> Result<Vec<T>, Invalid> {
        let label = self.label.unwrap_or(name);
        let values = self.query_list_optional(name, rules)?;
        self.require(label, values)
    }

    /// Like [`query_list`](Self::query_list), for a parameter that may be left out.
    pub fn query_list_optional<T: Parameter>(
        &mut self,
        name: &'static str,
        rules: impl Fn(Field<'_, Vec<T>>),
    ) -> Result<Option<Vec<T>>, Invalid> {
        let read: Result<Vec<T>, String> = if self.incoming.has_broken_query_value(name) {
            Err(NO_UTF8.to_owned())
        } else {
            self.incoming.query_values(name).map(T::from_text).collect()
        };
        let read = read.map(|values| if values.is_empty() { None } else { Some(values) });
        self.checked(name, read, rules)
    }

    /// A header that must be sent.
    pub fn header<T: Parameter>(
        &mut self,
        name: &'static str,
        rules: impl Fn(Field<'_, T>),
    ) -> Result<T, Invalid> {
        let label = self.label.unwrap_or(name);
        let value = self.header_optional(name, rules)?;
        self.require(label, value)
    }

    /// A header that may be left out.
    pub fn header_optional<T: Parameter>(
        &mut self,
        name: &'static str,
        rules: impl Fn(Field<'_, T>),
    ) -> Result<Option<T>, Invalid> {
        let read = match self.incoming.headers().get(name).map(http::HeaderValue::to_str) {
            Some(Err(_)) => Err(NO_TEXT.to_owned()),
            Some(Ok(text)) => T::from_text(text).map(Some),
            None => Ok(None),
        };
        self.checked(name, read, rules)
    }

    /// A cookie that must be sent.
    pub fn cookie<T: Parameter>(
        &mut self,
        name: &'static str,
        rules: impl Fn(Field<'_, T>),
    ) -> Result<T, Invalid> {
        let label = self.label.unwrap_or(name);
        let value = self.cookie_optional(name, rules)?;
        self.require(label, value)
    }

    /// A cookie that may be left out.
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

    /// A parameter that must be sent, in any place and style.
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

    /// A parameter that may be left out, in any place and style.
    pub fn styled_optional<T: DeserializeOwned + Validate>(
        &mut self,
        param: Param,
        rules: impl Fn(Field<'_, T>),
    ) -> Result<Option<T>, Invalid> {
        let read = self.decode(&param);
        if param.place != Place::Path {
            return self.checked(param.name, read, rules);
        }
        self.label = None;
        match read {
            Ok(None) => Ok(None),
            Ok(Some(value)) if check(&value, param.name, &rules, &mut Report::default()) => Ok(Some(value)),
            Ok(Some(_)) | Err(_) => self.refuse(Refusal::UnknownResource { parameter: param.name }),
        }
    }

    fn decode<T: DeserializeOwned>(&self, param: &Param) -> Result<Option<T>, String> {
        self.decode_with(param, PhantomData::<T>, |_| true)
    }

    /// A parameter in any place and style as a seed reads it; `None` if it was not sent. Nothing is noted in the call.
    ///
    /// Of several readings of the text the first that `fits` is taken; see [`codec::decode_with`].
    ///
    /// # Errors
    ///
    /// The rule that the text breaks, to be shown behind the parameter's name.
    pub fn decode_with<T, S>(
        &self,
        param: &Param,
        seed: S,
        fits: impl Fn(&T) -> bool,
    ) -> Result<Option<T>, String>
    where
        S: for<'de> DeserializeSeed<'de, Value = T> + Copy,
    {
        let incoming = &self.incoming;
        let read = |found: &[(&str, &str)]| codec::decode_with(param, found, seed, fits);
        match param.place {
            Place::Path => match incoming.raw_path_text(param.name) {
                Some(text) => read(&[(param.name, text)]),
                None => Ok(None),
            },
            Place::Query => read(&incoming.raw_query().collect::<Vec<_>>()),
            Place::Cookie => read(&incoming.cookies().collect::<Vec<_>>()),
            Place::Header => {
                // Several lines of one header are one list (RFC 9110, section 5.3).
                let lines = incoming.headers().get_all(param.name).iter().map(http::HeaderValue::to_str);
                let lines: Vec<&str> = lines.collect::<Result<_, _>>().map_err(|_| NO_TEXT.to_owned())?;
                if lines.is_empty() {
                    return Ok(None);
                }
                read(&[(param.name, &lines.join(","))])
            }
        }
    }

    /// Tells everything that was wrong with the parts read so far.
    pub fn finish(&mut self) -> Result<(), Refusal> {
        if let Some(refusal) = self.refusal.take() {
            return Err(refusal);
        }
        let failures = std::mem::take(&mut self.report).into_failures();
        if failures.is_empty() { Ok(()) } else { Err(Refusal::Invalid { failures }) }
    }

    /// A value as it was read, checked against its rules.
    fn checked<T: Validate>(
        &mut self,
        name: &'static str,
        read: Result<Option<T>, String>,
        rules: impl Fn(Field<'_, T>),
    ) -> Result<Option<T>, Invalid> {
        let label = self.label.take().unwrap_or(name);
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

    /// Notes why nothing of the request is taken; the first reason is the one that is told.
    fn refuse<T>(&mut self, refusal: Refusal) -> Result<T, Invalid> {
        self.refusal.get_or_insert(refusal);
        Err(Invalid)
    }
}

/// Checks a parameter; whether it keeps all rules.
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
