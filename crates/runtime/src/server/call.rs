//! Owns [`Call`]: one request on its way to a handler, and the reading of its parts.

use super::Refusal;
use crate::{
    Operation,
    check::{BodyError, Field, Parameter, Path, Report, Validate, check_json},
};
use axum::body::Body;
use http::{HeaderMap, header, request::Parts};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::de::DeserializeOwned;

/// A request whose operation is known and whose body has not been read.
#[derive(Debug)]
pub struct Incoming {
    operation: &'static Operation,
    parts: Parts,
    captures: Vec<(&'static str, String)>,
    query: Vec<(String, String)>,
}

impl Incoming {
    pub(super) fn new(
        operation: &'static Operation,
        parts: Parts,
        captures: Vec<(&'static str, String)>,
    ) -> Self {
        let query = match parts.uri.query() {
            Some(query) => url::form_urlencoded::parse(query.as_bytes())
                .map(|(name, value)| (name.into_owned(), value.into_owned()))
                .collect(),
            None => Vec::new(),
        };
        Self { operation, parts, captures, query }
    }

    /// The operation that is called.
    pub fn operation(&self) -> &'static Operation {
        self.operation
    }

    /// The request's headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.parts.headers
    }

    /// The request's head: method, address, headers, and what layers before the router left in its extensions.
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// A path parameter as text, percent-decoded.
    pub fn path_text(&self, name: &str) -> Option<&str> {
        self.captures.iter().find(|(key, _)| *key == name).map(|(_, value)| value.as_str())
    }

    /// The first value of a query parameter.
    pub fn query_value(&self, name: &str) -> Option<&str> {
        self.query_values(name).next()
    }

    /// Every value of a query parameter, in order.
    pub fn query_values(&self, name: &str) -> impl Iterator<Item = &str> {
        self.query.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

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
    refusal: Option<Refusal>,
    report: Report,
}

impl<C> Call<C> {
    pub(super) fn new(incoming: Incoming, caller: Option<C>, body: Body, body_limit: usize) -> Self {
        Self { incoming, caller, body: Some(body), body_limit, refusal: None, report: Report::default() }
    }

    /// Who calls, where the operation asks for credentials.
    pub fn caller(&mut self) -> Result<C, Refusal> {
        self.caller.take().ok_or(Refusal::MissingCredentials { operation: self.incoming.operation })
    }

    /// Who calls, where the operation also takes anonymous callers.
    pub fn optional_caller(&mut self) -> Option<C> {
        self.caller.take()
    }

    /// A path parameter. Text that does not have the type, or breaks its rules, names nothing that exists.
    pub fn path<T: Parameter>(
        &mut self,
        name: &'static str,
        rules: impl Fn(Field<'_, T>),
    ) -> Result<T, Invalid> {
        let mut report = Report::default();
        let value = self.incoming.path_text(name).and_then(|text| T::from_text(text).ok());
        match value {
            Some(value) if check(&value, name, &rules, &mut report) => Ok(value),
            _ => {
                self.refusal.get_or_insert(Refusal::UnknownResource { parameter: name });
                Err(Invalid)
            }
        }
    }

    /// A query parameter that must be sent.
    pub fn query<T: Parameter>(
        &mut self,
        name: &'static str,
        rules: impl Fn(Field<'_, T>),
    ) -> Result<T, Invalid> {
        let value = self.query_optional(name, rules)?;
        self.require(name, value)
    }

    /// A query parameter that may be left out.
    pub fn query_optional<T: Parameter>(
        &mut self,
        name: &'static str,
        rules: impl Fn(Field<'_, T>),
    ) -> Result<Option<T>, Invalid> {
        let text = self.incoming.query_value(name).map(str::to_owned);
        self.parameter(name, text, rules)
    }

    /// A query parameter that is repeated, once for every value (`style: form` with `explode`).
    pub fn query_list<T: Parameter>(
        &mut self,
        name: &'static str,
        rules: impl Fn(Field<'_, Vec<T>>),
    ) -> Result<Vec<T>, Invalid> {
        let values = self.query_list_optional(name, rules)?;
        self.require(name, values)
    }

    /// Like [`query_list`](Self::query_list), for a parameter that may be left out.
    pub fn query_list_optional<T: Parameter>(
        &mut self,
        name: &'static str,
        rules: impl Fn(Field<'_, Vec<T>>),
    ) -> Result<Option<Vec<T>>, Invalid> {
        let read: Result<Vec<T>, String> = self.incoming.query_values(name).map(T::from_text).collect();
        match read {
            Ok(values) if values.is_empty() => Ok(None),
            Ok(values) if check(&values, name, &rules, &mut self.report) => Ok(Some(values)),
            Ok(_) => Err(Invalid),
            Err(rule) => self.fail(name, rule),
        }
    }

    /// A header that must be sent.
    pub fn header<T: Parameter>(
        &mut self,
        name: &'static str,
        rules: impl Fn(Field<'_, T>),
    ) -> Result<T, Invalid> {
        let value = self.header_optional(name, rules)?;
        self.require(name, value)
    }

    /// A header that may be left out.
    pub fn header_optional<T: Parameter>(
        &mut self,
        name: &'static str,
        rules: impl Fn(Field<'_, T>),
    ) -> Result<Option<T>, Invalid> {
        let text = match self.incoming.headers().get(name).map(http::HeaderValue::to_str) {
            Some(Err(_)) => return self.fail(name, "must be plain ASCII text".to_owned()),
            Some(Ok(text)) => Some(text.to_owned()),
            None => None,
        };
        self.parameter(name, text, rules)
    }

    /// A JSON body that must be sent.
    pub async fn json<T: DeserializeOwned + Validate>(&mut self) -> Result<T, Invalid> {
        let value = self.json_optional().await?;
        self.require("body", value)
    }

    /// A JSON body that may be left out.
    pub async fn json_optional<T: DeserializeOwned + Validate>(&mut self) -> Result<Option<T>, Invalid> {
        let bytes = match self.read_body("application/json", is_json).await {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Ok(None),
            Err(refusal) => {
                self.refusal.get_or_insert(refusal);
                return Err(Invalid);
            }
        };
        match check_json(&bytes) {
            Ok(value) => Ok(Some(value)),
            Err(BodyError::Invalid(failures)) => {
                self.report.extend(failures);
                Err(Invalid)
            }
            Err(BodyError::Malformed(message)) => {
                self.refusal.get_or_insert(Refusal::Malformed { message });
                Err(Invalid)
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

    fn parameter<T: Parameter>(
        &mut self,
        name: &'static str,
        text: Option<String>,
        rules: impl Fn(Field<'_, T>),
    ) -> Result<Option<T>, Invalid> {
        match text.map(|text| T::from_text(&text)) {
            None => Ok(None),
            Some(Ok(value)) if check(&value, name, &rules, &mut self.report) => Ok(Some(value)),
            Some(Ok(_)) => Err(Invalid),
            Some(Err(rule)) => self.fail(name, rule),
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

    /// The bytes of the body, or `None` for an empty one.
    async fn read_body(
        &mut self,
        expected: &'static str,
        fits: fn(&str) -> bool,
    ) -> Result<Option<bytes::Bytes>, Refusal> {
        let headers = self.incoming.headers();
        let declared =
            headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
        if declared.is_some_and(|length| length > self.body_limit) {
            return Err(Refusal::TooLarge { limit: self.body_limit });
        }
        let media_type = headers.get(header::CONTENT_TYPE).map(|value| value.to_str().unwrap_or_default());
        if media_type.is_some_and(|media_type| !fits(media_type)) {
            return Err(Refusal::UnsupportedMediaType { expected });
        }
        let untyped = media_type.is_none();
        let Some(body) = self.body.take() else { return Ok(None) };
        let bytes = match Limited::new(body, self.body_limit).collect().await {
            Ok(collected) => collected.to_bytes(),
            Err(error) if error.is::<LengthLimitError>() => {
                return Err(Refusal::TooLarge { limit: self.body_limit });
            }
            Err(_) => {
                return Err(Refusal::Malformed {
                    message: "the body ended before it was complete".to_owned(),
                });
            }
        };
        if bytes.is_empty() {
            Ok(None)
        } else if untyped {
            Err(Refusal::UnsupportedMediaType { expected })
        } else {
            Ok(Some(bytes))
        }
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

/// `application/json` or any `+json`, with UTF-8 as the only charset (RFC 8259, section 8.1).
fn is_json(media_type: &str) -> bool {
    let mut parts = media_type.split(';');
    let essence = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
    let named =
        essence == "application/json" || essence.starts_with("application/") && essence.ends_with("+json");
    named
        && parts.all(|parameter| match parameter.split_once('=') {
            Some((name, value)) if name.trim().eq_ignore_ascii_case("charset") => {
                value.trim().trim_matches('"').eq_ignore_ascii_case("utf-8")
            }
            _ => true,
        })
}

#[cfg(test)]
mod tests {
    use super::is_json;

    #[test]
    fn json_media_types_are_told_from_others() {
        for good in [
            "application/json",
            "Application/JSON; charset=UTF-8",
            "application/problem+json",
            "application/json;x=y",
        ] {
            assert!(is_json(good), "{good}");
        }
        for bad in
            ["", "text/json", "application/jsonx", "application/json; charset=latin1", "text/plain", "*/*"]
        {
            assert!(!is_json(bad), "{bad}");
        }
    }
}
