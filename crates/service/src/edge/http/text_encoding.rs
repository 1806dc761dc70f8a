//! CSV files in the encodings of spreadsheets: the operations that read them get UTF-8.
//!
//! The body is converted while it is read, so nothing is stored here. A file that names no encoding is UTF-8
//! up to the first bytes that are not, and Windows-1252 from there on, which spreadsheets still write in
//! Western Europe and America: its letters with accents are never valid UTF-8 in a row of words.

use axum::{
    body::{Body, Bytes},
    extract::Request,
    middleware::Next,
    response::Response,
};
use encoding_rs::{Decoder, Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use frontdesk_runtime::HeaderValue;
use futures_util::{StreamExt, stream};
use http::header;

/// The media type of the files.
const CSV: &str = "text/csv";

/// Bytes by which an encoding is recognized.
const RECOGNIZED_BY: usize = 4;

/// Converts the body of a request with a CSV file to UTF-8. With a `charset` that nobody knows it stays as it
/// is, and the operation refuses what is not UTF-8.
pub(super) async fn convert_csv(request: Request, next: Next) -> Response {
    let Some(decoding) = decoding(&request) else { return next.run(request).await };
    let (mut parts, body) = request.into_parts();
    parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(CSV));
    // It counts the bytes that were sent, and the converted ones are more or fewer.
    parts.headers.remove(header::CONTENT_LENGTH);
    let pieces = body.into_data_stream().map(Some).chain(stream::iter([None]));
    let converted = pieces.scan(decoding, |decoding, piece| {
        let converted = match piece {
            Some(Ok(bytes)) => Ok(decoding.convert(bytes, false)),
            Some(Err(error)) => Err(error),
            None => Ok(decoding.convert(Bytes::new(), true)),
        };
        std::future::ready(Some(converted))
    });
    next.run(Request::from_parts(parts, Body::from_stream(converted))).await
}

/// Returns how the body of a request is converted, or `None` if it is not a CSV file or its encoding is not
/// known.
fn decoding(request: &Request) -> Option<Decoding> {
    let header = |name| request.headers().get(name).and_then(|value| value.to_str().ok());
    let mut parts = header(header::CONTENT_TYPE)?.split(';').map(str::trim);
    // A compressed body is not text yet.
    let is_plain =
        header(header::CONTENT_ENCODING).is_none_or(|coding| coding.eq_ignore_ascii_case("identity"));
    if !parts.next()?.eq_ignore_ascii_case(CSV) || !is_plain {
        return None;
    }
    let mut parameters = parts.filter_map(|parameter| parameter.split_once('='));
    let charset = parameters.find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"));
    let label = charset.map(|(_, value)| value.trim().trim_matches('"'));
    let named = match label {
        Some(label) => Some(Encoding::for_label(label.as_bytes())?),
        None => None,
    };
    Some(Decoding::Undecided { named, first: Vec::new() })
}

/// How bytes become UTF-8.
enum Decoding {
    /// Too few bytes have arrived.
    Undecided {
        /// The encoding that the media type names.
        named: Option<&'static Encoding>,
        first: Vec<u8>,
    },
    /// Everything has been UTF-8 so far, but for the beginning of a character.
    Utf8 { rest: Vec<u8> },
    /// Another encoding.
    Other(Box<Decoder>),
}

impl Decoding {
    /// Converts bytes; `last` says that they are the last ones.
    fn convert(&mut self, bytes: Bytes, last: bool) -> Bytes {
        match self {
            Self::Undecided { named, first } => {
                first.extend_from_slice(&bytes);
                if first.len() < RECOGNIZED_BY && !last {
                    return Bytes::new();
                }
                let first = std::mem::take(first);
                *self = Self::of(*named, &first);
                self.convert(first.into(), last)
            }
            Self::Utf8 { rest } => {
                let bytes = if rest.is_empty() { bytes } else { [&rest[..], &bytes].concat().into() };
                let Err(error) = std::str::from_utf8(&bytes) else {
                    rest.clear();
                    return bytes;
                };
                let valid = error.valid_up_to();
                if error.error_len().is_none() && !last {
                    *rest = bytes[valid..].to_vec();
                    return bytes.slice(..valid);
                }
                let mut decoder = WINDOWS_1252.new_decoder_without_bom_handling();
                let text = decoded(&mut decoder, &bytes[valid..], last);
                *self = Self::Other(Box::new(decoder));
                [&bytes[..valid], text.as_bytes()].concat().into()
            }
            Self::Other(decoder) => decoded(decoder, &bytes, last).into(),
        }
    }

    /// Returns how a file with these first bytes is converted.
    fn of(named: Option<&'static Encoding>, first: &[u8]) -> Self {
        // What a file begins with is more reliable than what the program that sends it says.
        let marked = Encoding::for_bom(first).map(|(encoding, _)| encoding);
        match marked.or_else(|| unmarked_utf16(first)).or(named) {
            None => Self::Utf8 { rest: Vec::new() },
            Some(encoding) if encoding == UTF_8 => Self::Utf8 { rest: Vec::new() },
            Some(encoding) => Self::Other(Box::new(encoding.new_decoder_with_bom_removal())),
        }
    }
}

/// Recognizes UTF-16 without a byte order mark by the zeros beside the first letters.
fn unmarked_utf16(first: &[u8]) -> Option<&'static Encoding> {
    match first {
        [0, high, 0, low, ..] if *high != 0 && *low != 0 => Some(UTF_16BE),
        [high, 0, low, 0, ..] if *high != 0 && *low != 0 => Some(UTF_16LE),
        _ => None,
    }
}

fn decoded(decoder: &mut Decoder, bytes: &[u8], last: bool) -> String {
    let longest = decoder.max_utf8_buffer_length(bytes.len()).unwrap_or(bytes.len());
    let mut text = String::with_capacity(longest);
    // The text has room for all of it, so nothing is left over.
    let _: (encoding_rs::CoderResult, usize, bool) = decoder.decode_to_string(bytes, &mut text, last);
    text
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use axum::{Router, middleware, routing::post};
    use http_body_util::BodyExt;
    use tower::ServiceExt;

    use super::*;

    const WRITTEN: &str = "email;name\r\na@x.example;Jürgen Große – 5 €\r\n";

    /// Sends bytes in pieces of this length, and returns what an operation gets.
    async fn received(media_type: &str, bytes: &[u8], piece: usize) -> String {
        let pieces: Vec<Result<Bytes, Infallible>> =
            bytes.chunks(piece).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
        let request = Request::post("/").header(header::CONTENT_TYPE, media_type);
        let request = request.header(header::CONTENT_LENGTH, bytes.len());
        let request = request.body(Body::from_stream(stream::iter(pieces))).unwrap();
        let app = Router::new()
            .route(
                "/",
                post(async |headers: http::HeaderMap, body: Bytes| {
                    let kind = headers[header::CONTENT_TYPE].to_str().unwrap().to_owned();
                    let is_converted = kind == CSV;
                    assert_ne!(headers.contains_key(header::CONTENT_LENGTH), is_converted, "{kind}");
                    format!("{kind}\n{}", String::from_utf8_lossy(&body))
                }),
            )
            .layer(middleware::from_fn(convert_csv));
        let body = app.oneshot(request).await.unwrap().into_body().collect().await.unwrap();
        String::from_utf8(body.to_bytes().to_vec()).unwrap()
    }

    fn utf16(byte: fn(u16) -> [u8; 2]) -> Vec<u8> {
        WRITTEN.encode_utf16().flat_map(byte).collect()
    }

    #[tokio::test]
    async fn files_of_spreadsheets_arrive_as_utf8_however_they_are_cut() {
        let windows = WINDOWS_1252.encode(WRITTEN).0.into_owned();
        let (little, big) = (utf16(u16::to_le_bytes), utf16(u16::to_be_bytes));
        let marked = |mark: &[u8], bytes: &[u8]| [mark, bytes].concat();
        for (media_type, bytes) in [
            ("text/csv", WRITTEN.as_bytes().to_vec()),
            ("text/csv; charset=utf-8", WRITTEN.as_bytes().to_vec()),
            ("text/csv", windows.clone()),
            ("text/csv; charset=windows-1252", windows.clone()),
            ("Text/CSV; header=present; Charset=\"ISO-8859-1\"", windows.clone()),
            // Programs often name UTF-8 without writing it.
            ("text/csv; charset=utf-8", windows),
            ("text/csv", marked(b"\xff\xfe", &little)),
            ("text/csv; charset=utf-8", marked(b"\xff\xfe", &little)),
            ("text/csv", marked(b"\xfe\xff", &big)),
            ("text/csv; charset=utf-16le", little.clone()),
            ("text/csv", little),
            ("text/csv", big),
        ] {
            for piece in [1, 3, 1000] {
                let received = received(media_type, &bytes, piece).await;
                assert_eq!(received, format!("text/csv\n{WRITTEN}"), "{media_type}, in pieces of {piece}");
            }
        }
        assert_eq!(received("text/csv", b"", 1).await, "text/csv\n");
        assert_eq!(received("text/csv", b"a", 1).await, "text/csv\na");
    }

    #[tokio::test]
    async fn other_bodies_stay_as_they_are() {
        let unknown = received("text/csv; charset=klingon", b"J\xfcrgen", 9).await;
        assert_eq!(unknown, "text/csv; charset=klingon\nJ\u{fffd}rgen");
        assert_eq!(received("text/plain", b"J\xfcrgen", 9).await, "text/plain\nJ\u{fffd}rgen");
    }
}
