//! Headers of mock responses: those that the document describes, and warnings of the mock.

use crate::{operation::DescribedResponse, prefer::Preferences, value, violation::header_text};
use axum::response::Response;
use frontdesk_contract::Oracle;
use frontdesk_runtime::codec;
use http::{HeaderName, HeaderValue};
use serde_json::Value;

/// The header that lists the parts of a request that the mock could not honor.
pub(crate) const WARNING: HeaderName = HeaderName::from_static("x-mock-warning");

/// Adds the headers that the document describes, if they are required or have an example.
pub(crate) fn add_documented(
    response: &mut Response,
    described: &DescribedResponse,
    oracle: &Oracle,
    seed: u64,
) {
    /// How many values are generated in search of one that a header can carry.
    const ATTEMPTS: u64 = 8;
    for header in &described.headers {
        let text = |value: &Value| -> Option<HeaderValue> {
            let (_, text) = codec::encode(&header.param, value).ok()?.into_iter().next()?;
            HeaderValue::from_str(&text).ok()
        };
        let default = || header.schema?.resolve().ok()?.get("default");
        let named = || value::examples(header.node).into_iter().next().map(|(_, value)| value);
        let given = header.node.get("example").or_else(named);
        let given = given.or_else(|| value::of_schema(header.schema?)).or_else(default);
        let mut found = given.and_then(|given| text(&given.to_json()));
        if found.is_none() && header.required {
            found = (0..ATTEMPTS).find_map(|attempt| match header.schema {
                Some(schema) => {
                    let seed = seed.wrapping_add(attempt);
                    text(&value::instance(schema, &Preferences::default(), oracle, seed).ok()?)
                }
                None => Some(HeaderValue::from_static("value")),
            });
        }
        match found {
            Some(value) => {
                response.headers_mut().insert(header.name.clone(), value);
            }
            None if header.required => {
                let warning = format!("no valid value was found for the required header {}", header.name);
                response.headers_mut().append(WARNING, header_text(&warning));
            }
            None => {}
        }
    }
}

/// Adds a warning to a response.
pub(crate) fn with_warning(mut response: Response, warning: &str) -> Response {
    response.headers_mut().append(WARNING, header_text(warning));
    response
}
