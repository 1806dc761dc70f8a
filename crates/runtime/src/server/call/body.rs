//! Owns the reading of a request's body: its size, its media type, its coding.
//!
//! Every reader has a twin for a body that may be left out. A body is left out if it has no bytes; without a `Content-Type`
//! only a body of plain bytes is taken.

use super::{Call, Expected, Invalid, Refusal};
use crate::{
    check::{BodyError, Failure, Field, Path, Report, Validate, check_json_with},
    codec::{self, ByteStream, Member, Multipart, MultipartError, StreamError},
    server::media::{choose, is_json, is_utf8},
};
use axum::body::{Body, HttpBody};
use bytes::Bytes;
use http::header;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::de::DeserializeOwned;

const JSON: &[&str] = &["application/json"];
const FORM: &[&str] = &["application/x-www-form-urlencoded"];
const MULTIPART: &[&str] = &["multipart/form-data"];
const TEXT: &[&str] = &["text/plain"];
const ANY: &[&str] = &["*/*"];

impl<C> Call<C> {
    /// States the media types that the next reader of the body takes, in place of the usual ones of its coding.
    pub fn taking(&mut self, media_types: &'static [&'static str]) -> &mut Self {
        self.expected = Expected::Stated(media_types);
        self
    }

    /// The one of several forms in which the body came, by position; the next reader takes it as it is.
    ///
    /// `None` if it came in none of them, or if there is no body: [`no_form`](Self::no_form) tells which.
    pub fn form_of(&mut self, forms: &'static [&'static str]) -> Option<usize> {
        self.expected = Expected::Stated(forms);
        let form = self.content_type().and_then(|content_type| choose(forms, content_type));
        if form.is_some() {
            self.expected = Expected::Chosen;
        }
        form
    }

    /// What stands for a body that must be sent and came in none of its forms.
    pub async fn no_form<T>(&mut self) -> Result<T, Invalid> {
        self.no_form_optional::<T>().await?;
        self.require("body", None)
    }

    /// What stands for a body that may be left out and came in none of its forms.
    pub async fn no_form_optional<T>(&mut self) -> Result<Option<T>, Invalid> {
        match self.whole(ANY, |_| false).await {
            Ok(_) => Ok(None),
            Err(refusal) => self.refuse(refusal),
        }
    }

    /// Every byte of the body, in one of the forms that were stated; `None` for a body without bytes.
    ///
    /// # Errors
    ///
    /// A body that is too large, came in another form, or broke off.
    pub async fn bytes_in_form(&mut self) -> Result<Option<Bytes>, Refusal> {
        self.whole(ANY, |_| true).await
    }

    /// A JSON body that must be sent.
    pub async fn json<T: DeserializeOwned + Validate>(&mut self) -> Result<T, Invalid> {
        self.json_with(|_| ()).await
    }

    /// A JSON body that may be left out.
    pub async fn json_optional<T: DeserializeOwned + Validate>(&mut self) -> Result<Option<T>, Invalid> {
        self.json_optional_with(|_| ()).await
    }

    /// A JSON body that must be sent, with rules for the whole of it.
    pub async fn json_with<T: DeserializeOwned + Validate>(
        &mut self,
        rules: impl Fn(Field<'_, T>),
    ) -> Result<T, Invalid> {
        let value = self.json_optional_with(rules).await?;
        self.require("body", value)
    }

    /// A JSON body that may be left out, with rules for the whole of it.
    pub async fn json_optional_with<T: DeserializeOwned + Validate>(
        &mut self,
        rules: impl Fn(Field<'_, T>),
    ) -> Result<Option<T>, Invalid> {
        let Some(bytes) = self.read(JSON, is_json).await? else { return Ok(None) };
        match check_json_with(&bytes, rules) {
            Ok(value) => Ok(Some(value)),
            Err(BodyError::Invalid(failures)) => self.invalid(failures),
            Err(BodyError::Malformed(message)) => self.refuse(Refusal::Malformed { message }),
        }
    }

    /// A form (`application/x-www-form-urlencoded`) that must be sent.
    pub async fn form<T: DeserializeOwned + Validate>(
        &mut self,
        members: &[Member],
        rules: impl Fn(Field<'_, T>),
    ) -> Result<T, Invalid> {
        let value = self.form_optional(members, rules).await?;
        self.require("body", value)
    }

    /// A form that may be left out.
    pub async fn form_optional<T: DeserializeOwned + Validate>(
        &mut self,
        members: &[Member],
        rules: impl Fn(Field<'_, T>),
    ) -> Result<Option<T>, Invalid> {
        let fits = |media_type: &str| choose(FORM, media_type).is_some() && is_utf8(media_type);
        let Some(bytes) = self.read(FORM, fits).await? else { return Ok(None) };
        let Ok(text) = str::from_utf8(&bytes) else { return self.refuse(no_utf8()) };
        match codec::decode_form::<T>(text, members) {
            Ok(value) => self.checked_body(value, rules).map(Some),
            Err(failures) => {
                let name = |path: String| if path.is_empty() { "body".to_owned() } else { path };
                self.invalid(
                    failures.into_iter().map(|(path, message)| Failure { path: name(path), message }),
                )
            }
        }
    }

    /// A multipart body that must be sent.
    pub async fn multipart<T: Multipart + Validate>(
        &mut self,
        rules: impl Fn(Field<'_, T>),
    ) -> Result<T, Invalid> {
        let value = self.multipart_optional(rules).await?;
        self.require("body", value)
    }

    /// A multipart body that may be left out.
    pub async fn multipart_optional<T: Multipart + Validate>(
        &mut self,
        rules: impl Fn(Field<'_, T>),
    ) -> Result<Option<T>, Invalid> {
        let content_type = self.content_type().unwrap_or_default().to_owned();
        let fits = |media_type: &str| choose(MULTIPART, media_type).is_some();
        let Some(bytes) = self.read(MULTIPART, fits).await? else { return Ok(None) };
        match codec::decode_multipart::<T>(&content_type, bytes.into(), self.body_limit).await {
            Ok(value) => self.checked_body(value, rules).map(Some),
            Err(MultipartError::Invalid(failures)) => self.invalid(failures),
            Err(MultipartError::Malformed(message)) => self.refuse(Refusal::Malformed { message }),
            Err(MultipartError::Stream(error)) => {
                let refusal = self.broken(&error);
                self.refuse(refusal)
            }
        }
    }

    /// A text that must be sent. A text without characters is one.
    pub async fn text(&mut self, rules: impl Fn(Field<'_, String>)) -> Result<String, Invalid> {
        let text = self.text_optional(&rules).await?;
        // Only a body that is announced can be an empty text.
        match text {
            None if self.content_type().is_some() => self.checked_body(String::new(), rules),
            text => self.require("body", text),
        }
    }

    /// A text that may be left out.
    pub async fn text_optional(
        &mut self,
        rules: impl Fn(Field<'_, String>),
    ) -> Result<Option<String>, Invalid> {
        let fits = |media_type: &str| choose(TEXT, media_type).is_some() && is_utf8(media_type);
        let Some(bytes) = self.read(TEXT, fits).await? else { return Ok(None) };
        match String::from_utf8(bytes.into()) {
            Ok(text) => self.checked_body(text, rules).map(Some),
            Err(_) => self.refuse(no_utf8()),
        }
    }

    /// A body of bytes, which the handler reads as they come; it ends with an error where it passes the limit.
    ///
    /// A handler that fails with this error (`?`) is answered for as if the length had been known before: with 413.
    pub fn bytes(&mut self) -> Result<ByteStream, Invalid> {
        Ok(self.bytes_optional()?.unwrap_or_default())
    }

    /// Like [`bytes`](Self::bytes); `None` where nothing is announced.
    pub fn bytes_optional(&mut self) -> Result<Option<ByteStream>, Invalid> {
        if let Err(refusal) = self.announced(ANY, |_| true) {
            return self.refuse(refusal);
        }
        let typed = self.content_type().is_some();
        let Some(body) = self.body.take() else { return Ok(None) };
        if !typed && body.is_end_stream() {
            return Ok(None);
        }
        let length = body.size_hint().exact();
        let stream = ByteStream::new(body.into_data_stream()).of_request(self.body_limit as u64);
        Ok(Some(match length {
            Some(length) => stream.with_length(length),
            None => stream,
        }))
    }

    pub(super) fn content_type(&self) -> Option<&str> {
        // A header that is no text names no media type, and fits none.
        self.incoming.headers().get(header::CONTENT_TYPE).map(|value| value.to_str().unwrap_or_default())
    }

    fn checked_body<T: Validate>(&mut self, value: T, rules: impl Fn(Field<'_, T>)) -> Result<T, Invalid> {
        let mut found = Report::default();
        Field::parameter(&value, Path::ROOT, &mut found, &rules);
        if found.is_empty() { Ok(value) } else { self.invalid(found.into_failures()) }
    }

    fn invalid<T>(&mut self, failures: impl IntoIterator<Item = Failure>) -> Result<T, Invalid> {
        self.report.extend(failures);
        Err(Invalid)
    }

    /// Every byte of the body, or `None` for an empty one.
    async fn read(
        &mut self,
        usual: &'static [&'static str],
        fits: impl Fn(&str) -> bool,
    ) -> Result<Option<Bytes>, Invalid> {
        match self.whole(usual, fits).await {
            Ok(bytes) => Ok(bytes),
            Err(refusal) => self.refuse(refusal),
        }
    }

    async fn whole(
        &mut self,
        usual: &'static [&'static str],
        fits: impl Fn(&str) -> bool,
    ) -> Result<Option<Bytes>, Refusal> {
        let expected = self.announced(usual, fits)?;
        let untyped = self.content_type().is_none();
        let Some(body) = self.body.take() else { return Ok(None) };
        let bytes = collect(body, self.body_limit).await?;
        if bytes.is_empty() {
            Ok(None)
        } else if untyped {
            Err(Refusal::UnsupportedMediaType { expected })
        } else {
            Ok(Some(bytes))
        }
    }

    /// Judges what the head says of the body: its length, and its media type where it states one.
    fn announced(
        &mut self,
        usual: &'static [&'static str],
        fits: impl Fn(&str) -> bool,
    ) -> Result<&'static [&'static str], Refusal> {
        let stated = std::mem::replace(&mut self.expected, Expected::OfCoding);
        let length = self.incoming.headers().get(header::CONTENT_LENGTH);
        let length = length.and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
        if length.is_some_and(|length| length > self.body_limit) {
            return Err(Refusal::TooLarge { limit: self.body_limit });
        }
        let (expected, good) = match (stated, self.content_type()) {
            (Expected::Stated(expected), None) => (expected, true),
            (Expected::Stated(expected), Some(given)) => (expected, choose(expected, given).is_some()),
            (Expected::OfCoding, Some(given)) => (usual, fits(given)),
            (Expected::OfCoding, None) | (Expected::Chosen, _) => (usual, true),
        };
        if good { Ok(expected) } else { Err(Refusal::UnsupportedMediaType { expected }) }
    }

    fn broken(&self, error: &StreamError) -> Refusal {
        if error.is_too_long() { Refusal::TooLarge { limit: self.body_limit } } else { incomplete() }
    }
}

async fn collect(body: Body, limit: usize) -> Result<Bytes, Refusal> {
    match Limited::new(body, limit).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(Refusal::TooLarge { limit }),
        Err(_) => Err(incomplete()),
    }
}

fn incomplete() -> Refusal {
    Refusal::Malformed { message: "the body ended before it was complete".to_owned() }
}

fn no_utf8() -> Refusal {
    Refusal::Malformed { message: "the body is not text in UTF-8".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::{Call, Refusal};
    use crate::{
        Operation, Stability,
        server::{Incoming, template::Captures},
    };
    use axum::body::Body;
    use futures_util::{FutureExt, StreamExt};
    use http::{Method, Request};

    static OPERATION: Operation = Operation {
        id: "put",
        method: Method::PUT,
        path: "/",
        tag: "tests",
        security: &[],
        stability: Stability::Stable,
        deprecated: false,
        statuses: &[],
    };

    fn call(content_type: Option<&str>, body: &'static str) -> Call<()> {
        let mut request = Request::put("/");
        if let Some(content_type) = content_type {
            request = request.header("content-type", content_type);
        }
        let (parts, body) = request.body(Body::from(body)).unwrap().into_parts();
        Call::new(Incoming::new(&OPERATION, parts, Captures::default()), None, body, 8)
    }

    #[test]
    fn text_must_be_announced_fit_and_be_utf8() {
        let read = |content_type, body| {
            let mut call = call(content_type, body);
            let text = call.text(|_| ()).now_or_never().unwrap();
            (text.ok(), call.finish().err().map(|refusal| refusal.status().as_u16()))
        };
        assert_eq!(read(Some("text/plain"), "häh"), (Some("häh".to_owned()), None));
        assert_eq!(read(Some("text/plain"), ""), (Some(String::new()), None));
        assert_eq!(read(None, ""), (None, Some(422)));
        assert_eq!(read(None, "a"), (None, Some(415)));
        assert_eq!(read(Some("text/plain; charset=latin1"), "a"), (None, Some(415)));
        assert_eq!(read(Some("text/plain"), "123456789"), (None, Some(413)));
    }

    #[test]
    fn the_form_of_a_body_is_told_by_its_media_type() {
        const FORMS: &[&str] = &["application/json", "text/csv"];
        assert_eq!(call(Some("text/csv; header=present"), "a").form_of(FORMS), Some(1));
        let mut absent = call(None, "");
        assert_eq!(absent.form_of(FORMS), None);
        assert!(matches!(absent.no_form_optional::<()>().now_or_never().unwrap(), Ok(None)));
        let mut other = call(Some("text/html"), "a");
        assert_eq!(other.form_of(FORMS), None);
        assert!(other.no_form::<()>().now_or_never().unwrap().is_err());
        let refusal = other.finish().unwrap_err();
        assert!(matches!(refusal, Refusal::UnsupportedMediaType { expected } if expected == FORMS));
    }

    #[test]
    fn bytes_are_bounded_while_they_come_and_need_no_media_type() {
        let bytes = call(None, "12345678").bytes().unwrap();
        assert_eq!(bytes.bytes(8).now_or_never().unwrap().unwrap(), "12345678");
        let mut long = call(None, "123456789").bytes().unwrap();
        assert!(long.next().now_or_never().unwrap().unwrap().unwrap_err().is_too_long());
        assert!(call(None, "").bytes_optional().unwrap().is_none());
    }
}
