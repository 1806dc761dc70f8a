//! Bodies of requests before they are decoded: their size and their encoding.

use super::Refusal;
use axum::body::Body;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};

/// The longest name of an encoding that a response repeats, in characters.
const LONGEST_NAME: usize = 40;

/// Refuses a body whose `Content-Length` exceeds the limit, before any of it is read.
pub(super) fn check_length(headers: &HeaderMap, limit: usize) -> Result<(), Refusal> {
    let length =
        headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > limit as u64) { Err(Refusal::TooLarge { limit }) } else { Ok(()) }
}

/// Refuses a body that is compressed, or encoded in another way (RFC 9110, section 8.4; RFC 9112, section
/// 6.1).
///
/// Bodies are not decoded: a few bytes can become gigabytes, and readers would treat the encoded bytes as the
/// content.
pub(super) fn check_encoding(headers: &HeaderMap) -> Result<(), Refusal> {
    let contents = encodings(headers, header::CONTENT_ENCODING);
    // The server has read the chunks already.
    let transfers = encodings(headers, header::TRANSFER_ENCODING).filter(|name| name != "chunked");
    let encoding = contents.chain(transfers).find(|name| !name.is_empty() && name != "identity");
    encoding.map_or(Ok(()), |encoding| Err(Refusal::UnsupportedEncoding { encoding }))
}

/// Returns the names that a header lists, in lower case, without their parameters.
fn encodings(headers: &HeaderMap, header: HeaderName) -> impl Iterator<Item = String> {
    let lines = headers.get_all(header).into_iter().map(|line| String::from_utf8_lossy(line.as_bytes()));
    let names: Vec<String> = lines
        .flat_map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>())
        .map(|name| {
            let name = name.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
            name.chars().filter(|character| !character.is_control()).take(LONGEST_NAME).collect()
        })
        .collect();
    names.into_iter()
}

/// Reads a whole body of at most this many bytes.
pub(super) async fn collect(body: Body, limit: usize) -> Result<Bytes, Refusal> {
    match Limited::new(body, limit).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(Refusal::TooLarge { limit }),
        Err(_) => Err(incomplete()),
    }
}

pub(super) fn incomplete() -> Refusal {
    Refusal::Malformed { message: "the body ended before it was complete".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::{Refusal, check_encoding, check_length};
    use http::{HeaderMap, HeaderName, HeaderValue};

    fn headers(lines: &[(&'static str, &'static str)]) -> HeaderMap {
        let lines = lines
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(name, value);
        }
        headers
    }

    #[test]
    fn encodings_are_refused_by_name_unless_they_change_nothing() {
        for (lines, refused) in [
            (&[][..], None),
            (&[("content-encoding", "identity")], None),
            (&[("content-encoding", " Identity , ")], None),
            (&[("content-encoding", "")], None),
            (&[("transfer-encoding", "chunked")], None),
            (&[("content-encoding", "gzip")], Some("gzip")),
            (&[("content-encoding", "BR;q=1")], Some("br")),
            (&[("content-encoding", "identity, deflate")], Some("deflate")),
            (&[("content-encoding", "identity"), ("content-encoding", "zstd")], Some("zstd")),
            (&[("transfer-encoding", "gzip, chunked")], Some("gzip")),
            (
                &[("content-encoding", "a-name-that-goes-on-and-on-and-on-and-on-and-on")],
                Some("a-name-that-goes-on-and-on-and-on-and-on"),
            ),
        ] {
            let found = check_encoding(&headers(lines)).err().map(|refusal| match refusal {
                Refusal::UnsupportedEncoding { encoding } => encoding,
                other => panic!("{other:?}"),
            });
            assert_eq!(found.as_deref(), refused, "{lines:?}");
        }
    }

    #[test]
    fn lengths_are_compared_before_anything_is_read() {
        for (length, fits) in [("8", true), ("9", false), ("18446744073709551615", false), ("many", true)] {
            assert_eq!(check_length(&headers(&[("content-length", length)]), 8).is_ok(), fits, "{length}");
        }
        assert!(check_length(&HeaderMap::new(), 8).is_ok());
    }
}
