//! Fingerprints of requests: two requests with the same one are the same request, sent twice.

use axum::body::Bytes;
use data_encoding::HEXLOWER;
use frontdesk_runtime::{HeaderMap, HeaderValue, codec};
use http::{header, request::Parts};
use sha2::{Digest, Sha256};

use crate::edge::event_stream;

/// Bodies from this size on, in bytes, are hashed where they keep no other request waiting.
const LARGE: usize = 256 << 10;

/// Returns the fingerprint of everything that makes a request what it is, beside its path: query, media type,
/// body, and whether the response is to be a stream.
pub(super) async fn of(parts: &Parts, body: &Bytes) -> String {
    let query = parts.uri.query().unwrap_or_default().to_owned();
    let media_type = parts.headers.get(header::CONTENT_TYPE).cloned();
    let streams = wants_stream(&parts.headers);
    if body.len() < LARGE {
        return hash(&query, media_type.as_ref(), body, streams);
    }
    let of_all = {
        let (query, media_type, body) = (query.clone(), media_type.clone(), body.clone());
        move || hash(&query, media_type.as_ref(), &body, streams)
    };
    // It fails at shutdown only, when there is no thread left to wait for.
    match tokio::task::spawn_blocking(of_all).await {
        Ok(hash) => hash,
        Err(_) => hash(&query, media_type.as_ref(), body, streams),
    }
}

fn hash(query: &str, media_type: Option<&HeaderValue>, body: &Bytes, streams: bool) -> String {
    let mut hasher = Sha256::new();
    hasher.update(query);
    hasher.update([0]);
    if !hash_parts(&mut hasher, media_type, body) {
        hasher.update(media_type.map_or(&b""[..], HeaderValue::as_bytes));
        hasher.update([0]);
        hasher.update(body);
    }
    if streams {
        // The same request without a stream has another response.
        hasher.update([0]);
        hasher.update(event_stream::MEDIA_TYPE);
    }
    HEXLOWER.encode(&hasher.finalize())
}

/// Hashes the parts of a form: every client draws a new boundary for each request, also when it repeats one.
/// Parts of different names may come in any order, as they mean the same in any. Hashes nothing, and returns
/// `false`, unless the body is a form that can be read.
fn hash_parts(hasher: &mut Sha256, media_type: Option<&HeaderValue>, body: &Bytes) -> bool {
    let Some(media_type) = media_type.and_then(|value| value.to_str().ok()) else { return false };
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    if !essence.eq_ignore_ascii_case("multipart/form-data") {
        return false;
    }
    let Ok(parts) = codec::decode_parts(media_type, body) else { return false };
    hasher.update("multipart/form-data");
    // With its length, no text can look like the beginning of the next one.
    let mut add = |text: Option<&[u8]>| {
        hasher.update(text.map_or(u64::MAX, |text| text.len() as u64).to_be_bytes());
        hasher.update(text.unwrap_or_default());
    };
    for (name, parts) in parts {
        for part in parts {
            add(Some(name.as_bytes()));
            add(part.file_name().map(str::as_bytes));
            add(part.content_type().map(str::as_bytes));
            add(Some(part.content()));
        }
    }
    true
}

fn wants_stream(headers: &HeaderMap) -> bool {
    headers
        .get_all(header::ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .any(|accepted| accepted.contains(event_stream::MEDIA_TYPE))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_form(boundary: &str, parts: &[(&str, &str)]) -> String {
        let mut body = String::new();
        for (head, content) in parts {
            body.push_str(&format!(
                "--{boundary}\r\nContent-Disposition: form-data; {head}\r\n\r\n{content}\r\n"
            ));
        }
        let body = format!("{body}--{boundary}--\r\n");
        let media_type = HeaderValue::try_from(format!("multipart/form-data; boundary={boundary}")).unwrap();
        hash("", Some(&media_type), &body.into(), false)
    }

    #[test]
    fn a_form_is_its_parts_whatever_is_between_them() {
        let parts = [("name=\"file\"; filename=\"a.txt\"", "one"), ("name=\"title\"", "two")];
        let first = of_form("aaa", &parts);
        assert_eq!(of_form("bbb", &parts), first);
        assert_eq!(of_form("aaa", &[parts[1], parts[0]]), first);
        for other in [
            &[("name=\"file\"; filename=\"b.txt\"", "one"), parts[1]][..],
            &[("name=\"file\"", "one"), parts[1]],
            &[("name=\"file\"; filename=\"a.txt\"\r\nContent-Type: text/plain", "one"), parts[1]],
            &[(parts[0].0, "one."), parts[1]],
            &[parts[0], ("name=\"titles\"", "two")],
            &parts[..1],
            &[parts[0], parts[1], parts[1]],
        ] {
            assert_ne!(of_form("aaa", other), first, "{other:?}");
        }
    }

    #[test]
    fn other_bodies_are_their_bytes_and_their_media_type() {
        let json = HeaderValue::from_static("application/json");
        let first = hash("a=b", Some(&json), &Bytes::from_static(b"{}"), false);
        assert_eq!(hash("a=b", Some(&json), &Bytes::from_static(b"{}"), false), first);
        assert_ne!(hash("a=c", Some(&json), &Bytes::from_static(b"{}"), false), first);
        assert_ne!(hash("a=b", None, &Bytes::from_static(b"{}"), false), first);
        assert_ne!(hash("a=b", Some(&json), &Bytes::from_static(b"{ }"), false), first);
        assert_ne!(hash("a=b", Some(&json), &Bytes::from_static(b"{}"), true), first);
        // A form that cannot be read is refused later; until then it is what it is.
        let form = HeaderValue::from_static("multipart/form-data; boundary=a");
        assert_ne!(
            hash("", Some(&form), &Bytes::from_static(b"x"), false),
            hash("", Some(&form), &Bytes::from_static(b"y"), false)
        );
    }
}
