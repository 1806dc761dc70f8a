//! Reading of request bodies: size, media type, decoding.
//!
//! Each reader has an `_optional` variant for a body that may be absent. A body without bytes is absent. A
//! body without `Content-Type` is accepted only as plain bytes.

use super::{Call, Expected, Invalid, Refusal};
use crate::{
    check::{BodyError, Failure, Field, Path, Report, Validate, check_json_with},
    codec::{self, ByteStream, Member, Multipart, MultipartError, StreamError, media_type::is_named_json},
    object::refusing,
    server::{
        media::{choose, foreign_charset},
        receive::{check_encoding, check_length, collect, incomplete},
    },
};
use axum::body::HttpBody;
use bytes::Bytes;
use http::header;
use serde::de::DeserializeOwned;

const JSON: &[&str] = &["application/json"];
const FORM: &[&str] = &["application/x-www-form-urlencoded"];
const MULTIPART: &[&str] = &["multipart/form-data"];
const TEXT: &[&str] = &["text/plain"];
const ANY: &[&str] = &["*/*"];

/// The longest charset that a response repeats, in characters.
const LONGEST_CHARSET: usize = 40;

/// The result of reading the bytes of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    /// Text, which must be UTF-8.
    Text,
    /// Bytes, or parts that have charsets of their own.
    Bytes,
}

impl<C> Call<C> {
    /// Sets the media types that the next reader of the body accepts, instead of the usual ones of its codec.
    pub fn expecting(&mut self, media_types: &'static [&'static str]) -> &mut Self {
        self.expected = Expected::Stated(media_types);
        self
    }

    /// Returns the position of the body's media type among several; the next reader accepts the body
    /// unchecked.
    ///
    /// `None` if it is none of them, or if there is no body:
    /// [`unexpected_media_type`](Self::unexpected_media_type) distinguishes the two.
    pub fn body_media_type(&mut self, forms: &'static [&'static str]) -> Option<usize> {
        self.expected = Expected::Stated(forms);
        let form = self.content_type().and_then(|content_type| choose(forms, content_type));
        if form.is_some() {
            self.expected = Expected::Chosen;
        }
        form
    }

    /// Fails because a required body is absent or has none of the accepted media types.
    pub async fn unexpected_media_type<T>(&mut self) -> Result<T, Invalid> {
        self.unexpected_media_type_optional::<T>().await?;
        self.require("body", None)
    }

    /// Fails if there is a body, because it has none of the accepted media types.
    pub async fn unexpected_media_type_optional<T>(&mut self) -> Result<Option<T>, Invalid> {
        match self.whole(ANY, Content::Bytes, |_| false).await {
            Ok(_) => Ok(None),
            Err(refusal) => self.refuse(refusal),
        }
    }

    /// Returns all bytes of a body that has one of the accepted media types; `None` for a body without bytes.
    ///
    /// # Errors
    ///
    /// The body is too large, incomplete, or of another media type.
    pub async fn body_bytes(&mut self) -> Result<Option<Bytes>, Refusal> {
        self.whole(ANY, Content::Bytes, |_| true).await
    }

    /// Like [`body_bytes`](Self::body_bytes), for a body that is text, which must be UTF-8: another charset
    /// in its `Content-Type` is an error too.
    pub async fn body_text(&mut self) -> Result<Option<Bytes>, Refusal> {
        self.whole(ANY, Content::Text, |_| true).await
    }

    /// Reads a required JSON body.
    pub async fn json<T: DeserializeOwned + Validate>(&mut self) -> Result<T, Invalid> {
        self.json_with(|_| ()).await
    }

    /// Reads an optional JSON body.
    pub async fn json_optional<T: DeserializeOwned + Validate>(&mut self) -> Result<Option<T>, Invalid> {
        self.json_optional_with(|_| ()).await
    }

    /// Reads a required JSON body, with rules for the whole body.
    pub async fn json_with<T: DeserializeOwned + Validate>(
        &mut self,
        rules: impl Fn(Field<'_, T>),
    ) -> Result<T, Invalid> {
        let value = self.json_optional_with(rules).await?;
        self.require("body", value)
    }

    /// Reads an optional JSON body, with rules for the whole body.
    pub async fn json_optional_with<T: DeserializeOwned + Validate>(
        &mut self,
        rules: impl Fn(Field<'_, T>),
    ) -> Result<Option<T>, Invalid> {
        let Some(bytes) = self.read(JSON, Content::Text, is_named_json).await? else { return Ok(None) };
        match check_json_with(&bytes, rules) {
            Ok(value) => Ok(Some(value)),
            Err(BodyError::Invalid(failures)) => self.invalid(failures),
            Err(BodyError::Malformed(message)) => self.refuse(Refusal::Malformed { message }),
        }
    }

    /// Reads a required form (`application/x-www-form-urlencoded`).
    pub async fn form<T: DeserializeOwned + Validate>(
        &mut self,
        members: &[Member],
        rules: impl Fn(Field<'_, T>),
    ) -> Result<T, Invalid> {
        let value = self.form_optional(members, rules).await?;
        self.require("body", value)
    }

    /// Reads an optional form.
    pub async fn form_optional<T: DeserializeOwned + Validate>(
        &mut self,
        members: &[Member],
        rules: impl Fn(Field<'_, T>),
    ) -> Result<Option<T>, Invalid> {
        let fits = |media_type: &str| choose(FORM, media_type).is_some();
        let Some(bytes) = self.read(FORM, Content::Text, fits).await? else { return Ok(None) };
        let Ok(text) = str::from_utf8(&bytes) else { return self.refuse(no_utf8()) };
        match refusing(|| codec::decode_form::<T>(text, members)) {
            Ok(value) => self.checked_body(value, rules).map(Some),
            Err(failures) => {
                let name = |path: String| if path.is_empty() { "body".to_owned() } else { path };
                self.invalid(
                    failures.into_iter().map(|(path, message)| Failure { path: name(path), message }),
                )
            }
        }
    }

    /// Reads a required multipart body.
    pub async fn multipart<T: Multipart + Validate>(
        &mut self,
        rules: impl Fn(Field<'_, T>),
    ) -> Result<T, Invalid> {
        let value = self.multipart_optional(rules).await?;
        self.require("body", value)
    }

    /// Reads an optional multipart body.
    pub async fn multipart_optional<T: Multipart + Validate>(
        &mut self,
        rules: impl Fn(Field<'_, T>),
    ) -> Result<Option<T>, Invalid> {
        let content_type = self.content_type().unwrap_or_default().to_owned();
        let fits = |media_type: &str| choose(MULTIPART, media_type).is_some();
        let Some(bytes) = self.read(MULTIPART, Content::Bytes, fits).await? else { return Ok(None) };
        let body = ByteStream::from(bytes).received(true);
        match codec::decode_multipart::<T>(&content_type, body, self.body_limit).await {
            Ok(value) => self.checked_body(value, rules).map(Some),
            Err(MultipartError::Invalid(failures)) => self.invalid(failures),
            Err(MultipartError::Malformed(message)) => self.refuse(Refusal::Malformed { message }),
            Err(MultipartError::Stream(error)) => {
                let refusal = self.broken(&error);
                self.refuse(refusal)
            }
        }
    }

    /// Reads a required text. Empty text counts as present.
    pub async fn text(&mut self, rules: impl Fn(Field<'_, String>)) -> Result<String, Invalid> {
        let text = self.text_optional(&rules).await?;
        // Without a `Content-Type`, an empty body is absent.
        match text {
            None if self.content_type().is_some() => self.checked_body(String::new(), rules),
            text => self.require("body", text),
        }
    }

    /// Reads an optional text.
    pub async fn text_optional(
        &mut self,
        rules: impl Fn(Field<'_, String>),
    ) -> Result<Option<String>, Invalid> {
        let fits = |media_type: &str| choose(TEXT, media_type).is_some();
        let Some(bytes) = self.read(TEXT, Content::Text, fits).await? else { return Ok(None) };
        match String::from_utf8(bytes.into()) {
            Ok(text) => self.checked_body(text, rules).map(Some),
            Err(_) => self.refuse(no_utf8()),
        }
    }

    /// Returns the body as a stream of bytes for the handler. It ends with an error if it exceeds the limit.
    /// As for text, an empty body counts as present if its media type is stated.
    ///
    /// A handler that returns this error with `?` responds with 413, as if the length had been known in
    /// advance.
    pub fn bytes(&mut self) -> Result<ByteStream, Invalid> {
        let bytes = self.bytes_optional()?;
        self.require("body", bytes)
    }

    /// Like [`bytes`](Self::bytes); `None` if there is no body.
    pub fn bytes_optional(&mut self) -> Result<Option<ByteStream>, Invalid> {
        if let Err(refusal) = self.announced(ANY, Content::Bytes, |_| true) {
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
        // A header that is not text matches no media type.
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

    /// Returns all bytes of the body, or `None` if it is empty.
    async fn read(
        &mut self,
        usual: &'static [&'static str],
        content: Content,
        fits: impl Fn(&str) -> bool,
    ) -> Result<Option<Bytes>, Invalid> {
        match self.whole(usual, content, fits).await {
            Ok(bytes) => Ok(bytes),
            Err(refusal) => self.refuse(refusal),
        }
    }

    async fn whole(
        &mut self,
        usual: &'static [&'static str],
        content: Content,
        fits: impl Fn(&str) -> bool,
    ) -> Result<Option<Bytes>, Refusal> {
        let expected = self.announced(usual, content, fits)?;
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

    /// Checks the headers of the body: its length, its encoding, and its media type and charset if they are
    /// stated.
    fn announced(
        &mut self,
        usual: &'static [&'static str],
        content: Content,
        fits: impl Fn(&str) -> bool,
    ) -> Result<&'static [&'static str], Refusal> {
        let stated = std::mem::replace(&mut self.expected, Expected::OfCoding);
        check_length(self.incoming.headers(), self.body_limit)?;
        let (expected, good) = match (stated, self.content_type()) {
            (Expected::Stated(expected), None) => (expected, true),
            (Expected::Stated(expected), Some(given)) => (expected, choose(expected, given).is_some()),
            (Expected::OfCoding, Some(given)) => (usual, fits(given)),
            (Expected::OfCoding, None) | (Expected::Chosen, _) => (usual, true),
        };
        if !good {
            return Err(Refusal::UnsupportedMediaType { expected });
        }
        let charset = self.content_type().filter(|_| content == Content::Text).and_then(foreign_charset);
        if let Some(charset) = charset {
            let charset = charset.chars().take(LONGEST_CHARSET).collect();
            return Err(Refusal::UnsupportedCharset { charset });
        }
        check_encoding(self.incoming.headers())?;
        Ok(expected)
    }

    fn broken(&self, error: &StreamError) -> Refusal {
        if error.is_too_long() { Refusal::TooLarge { limit: self.body_limit } } else { incomplete() }
    }
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
    use futures_util::FutureExt;
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
        extensions: &[],
        example: None,
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
    fn a_body_of_several_media_types_must_be_utf8_as_well() {
        const FORMS: &[&str] = &["application/json", "text/plain"];
        let mut call = call(Some("text/plain; charset=windows-1252"), "a");
        assert_eq!(call.body_media_type(FORMS), Some(1));
        assert!(call.text(|_| ()).now_or_never().unwrap().is_err());
        let refusal = call.finish().unwrap_err();
        assert!(matches!(&refusal, Refusal::UnsupportedCharset { charset } if charset == "windows-1252"));
        assert!(refusal.message().contains("windows-1252"), "{}", refusal.message());
    }

    #[test]
    fn every_reader_refuses_an_encoded_body() {
        let encoded = || {
            let request =
                Request::put("/").header("content-type", "text/plain").header("content-encoding", "br");
            let (parts, body) = request.body(Body::from("a")).unwrap().into_parts();
            Call::new(Incoming::new(&OPERATION, parts, Captures::default()), None::<()>, body, 8)
        };
        let refusal = |mut call: Call<()>| call.finish().unwrap_err();
        let mut text = encoded();
        assert!(text.text(|_| ()).now_or_never().unwrap().is_err());
        let mut bytes = encoded();
        assert!(bytes.bytes().is_err());
        for refusal in [refusal(text), refusal(bytes)] {
            assert_eq!(refusal.status().as_u16(), 415);
            assert!(refusal.message().contains("encoded as br"), "{}", refusal.message());
        }
    }

    #[test]
    fn the_form_of_a_body_is_told_by_its_media_type() {
        const FORMS: &[&str] = &["application/json", "text/csv"];
        assert_eq!(call(Some("text/csv; header=present"), "a").body_media_type(FORMS), Some(1));
        let mut absent = call(None, "");
        assert_eq!(absent.body_media_type(FORMS), None);
        assert!(matches!(absent.unexpected_media_type_optional::<()>().now_or_never().unwrap(), Ok(None)));
        let mut other = call(Some("text/html"), "a");
        assert_eq!(other.body_media_type(FORMS), None);
        assert!(other.unexpected_media_type::<()>().now_or_never().unwrap().is_err());
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
        assert!(call(None, "").bytes().is_err());
        assert!(call(Some("image/png"), "").bytes().is_ok());
    }
}
