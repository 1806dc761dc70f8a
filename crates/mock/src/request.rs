//! [`validate`]: checks a request against the document.
//!
//! The order is that of generated servers: path parameters; then size, media type and syntax of the body;
//! then all other parameters and the body together, so that one response reports everything that is wrong.

use crate::{
    media::{BodyFormat, Content},
    operation::{RequestBody, ServedOperation},
    shape::{Shape, ShapeDecoder},
    typed::Typed,
    violation::{Location, Violation, Violations, pointer},
};
use bytes::Bytes;
use frontdesk_contract::Oracle;
use frontdesk_runtime::check;
use frontdesk_runtime::codec::{self, MultipartError, Part};
use frontdesk_runtime::server::{Call, Refusal};
use http::{HeaderMap, StatusCode, header};
use serde_json::{Map, Value, json};

/// Statuses for a body that is not valid for its media type.
const MALFORMED: &[StatusCode] = &[StatusCode::BAD_REQUEST, StatusCode::UNPROCESSABLE_ENTITY];

/// A rejected request.
#[derive(Clone, Debug)]
pub(crate) struct Rejected {
    /// Suitable statuses, the best first; the document may declare only a later one.
    pub(crate) statuses: &'static [StatusCode],
    pub(crate) violations: Violations,
}

impl Rejected {
    pub(crate) fn new(statuses: &'static [StatusCode], violations: Vec<Violation>) -> Self {
        Self { statuses, violations: Violations(violations) }
    }

    /// Converts the runtime's error for a body that cannot be read.
    fn of_body(refusal: &Refusal) -> Self {
        let (statuses, rule): (&[StatusCode], String) = match refusal {
            Refusal::TooLarge { limit } => {
                (&[StatusCode::PAYLOAD_TOO_LARGE], format!("is larger than {limit} bytes"))
            }
            Refusal::UnsupportedMediaType { expected } => {
                (&[StatusCode::UNSUPPORTED_MEDIA_TYPE], format!("must be sent as {}", expected.join(" or ")))
            }
            Refusal::UnsupportedEncoding { .. } | Refusal::UnsupportedCharset { .. } => {
                (&[StatusCode::UNSUPPORTED_MEDIA_TYPE], refusal.message())
            }
            Refusal::Malformed { message } => (MALFORMED, message.clone()),
            other => (MALFORMED, other.message()),
        };
        Self::new(statuses, vec![Violation::new(Location::Body, "", "", rule)])
    }

    fn malformed(rule: impl Into<String>) -> Self {
        Self::new(MALFORMED, vec![Violation::new(Location::Body, "", "", rule)])
    }
}

/// Returns the bytes of the body if the request is valid.
pub(crate) async fn validate(
    call: &mut Call<()>,
    served: &ServedOperation,
    oracle: &Oracle,
    limit: usize,
) -> Result<Bytes, Rejected> {
    const UNKNOWN: &[StatusCode] =
        &[StatusCode::NOT_FOUND, StatusCode::UNPROCESSABLE_ENTITY, StatusCode::BAD_REQUEST];
    const INVALID: &[StatusCode] = &[StatusCode::UNPROCESSABLE_ENTITY, StatusCode::BAD_REQUEST];
    let (mut unknown, mut invalid) = (Vec::new(), Vec::new());
    for parameter in &served.parameters {
        // Parameters that the path template does not contain are ignored.
        if parameter.location != Location::Path {
            invalid.extend(parameter.validate(call, oracle));
        } else if call.incoming().raw_path_text(parameter.param.name).is_some() {
            unknown.extend(parameter.validate(call, oracle));
        }
    }
    if !unknown.is_empty() {
        return Err(Rejected::new(UNKNOWN, unknown));
    }
    let bytes = match &served.body {
        Some(body) => {
            let (bytes, violations) = read(call, body, oracle, limit).await?;
            invalid.extend(violations);
            bytes
        }
        None => Bytes::new(),
    };
    if invalid.is_empty() { Ok(bytes) } else { Err(Rejected::new(INVALID, invalid)) }
}

async fn read(
    call: &mut Call<()>,
    body: &RequestBody,
    oracle: &Oracle,
    limit: usize,
) -> Result<(Bytes, Vec<Violation>), Rejected> {
    if body.contents.is_empty() {
        return Ok((Bytes::new(), Vec::new()));
    }
    let content_type = content_type(call.incoming().headers()).map(str::to_owned);
    if content_type.is_none()
        && let [content] = body.contents.as_slice()
        && content.format == BodyFormat::Bytes
    {
        // A body of plain bytes needs no media type, unless it is one of several.
        return plain(call, body, limit).await;
    }
    let form = call.body_media_type(body.media_types);
    let content = form.and_then(|form| body.contents.get(form));
    let bytes = if content.is_some_and(|content| content.format.is_text()) {
        call.body_text().await
    } else {
        call.body_bytes().await
    };
    let bytes = bytes.map_err(|refusal| Rejected::of_body(&refusal))?;
    match (bytes, content) {
        (Some(bytes), Some(content)) => {
            let violations = examine(content, content_type.as_deref().unwrap_or_default(), &bytes, oracle)?;
            Ok((bytes, violations))
        }
        // For text and bytes, an empty body is a value.
        (None, Some(content)) if matches!(content.format, BodyFormat::Text | BodyFormat::Bytes) => {
            Ok((Bytes::new(), examine(content, "", &Bytes::new(), oracle)?))
        }
        _ => Ok((Bytes::new(), absent(body))),
    }
}

async fn plain(
    call: &mut Call<()>,
    body: &RequestBody,
    limit: usize,
) -> Result<(Bytes, Vec<Violation>), Rejected> {
    let Ok(Some(stream)) = call.bytes_optional() else {
        call.finish().map_err(|refusal| Rejected::of_body(&refusal))?;
        return Ok((Bytes::new(), absent(body)));
    };
    match stream.bytes(limit).await {
        Ok(bytes) if bytes.is_empty() => Ok((bytes, absent(body))),
        Ok(bytes) => Ok((bytes, Vec::new())),
        Err(error) if error.is_too_long() => Err(Rejected::of_body(&Refusal::TooLarge { limit })),
        Err(error) => Err(Rejected::malformed(error.to_string())),
    }
}

fn absent(body: &RequestBody) -> Vec<Violation> {
    if body.required { vec![Violation::new(Location::Body, "", "", "is required")] } else { Vec::new() }
}

fn content_type(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::CONTENT_TYPE).map(|value| value.to_str().unwrap_or_default())
}

/// Returns the problems of a body of this content.
fn examine(
    content: &Content,
    content_type: &str,
    bytes: &Bytes,
    oracle: &Oracle,
) -> Result<Vec<Violation>, Rejected> {
    let text = || str::from_utf8(bytes).map_err(|_| Rejected::malformed("must be text in UTF-8"));
    let fits = |value: &Value| content.schema.is_none_or(|schema| oracle.is_valid(schema, value));
    let mut violations = Vec::new();
    let value = match content.format {
        BodyFormat::Json => serde_json::from_slice(bytes)
            .map_err(|error| Rejected::malformed(format!("must be JSON: {error}")))?,
        BodyFormat::Form => {
            let decoder = ShapeDecoder::of(&content.shape);
            let typed = content.schema.map(|schema| Typed { schema, shape: &content.shape, oracle });
            let holds = |value: &Value| typed.is_none_or(|typed| typed.holds(value));
            match codec::decode_form_with(text()?, &content.members, decoder, holds) {
                Ok(value) => match typed {
                    Some(typed) => typed.interpreted(value),
                    None => value,
                },
                Err(failures) => return Ok(of_fields(failures)),
            }
        }
        BodyFormat::Multipart => {
            let value = parts(content, content_type, bytes, &mut violations)?;
            with_empty_lists(content, value, oracle)
        }
        BodyFormat::Text => scalar(&content.shape, text()?),
        BodyFormat::Events | BodyFormat::Bytes => return Ok(Vec::new()),
    };
    let is_good = fits(&value);
    if let Some(schema) = content.schema.filter(|_| !is_good) {
        let mut found = Violation::of_faults(Location::Body, "", oracle.explained(schema, &value));
        // A part that could not be read is not missing.
        found.retain(|fault| !violations.iter().any(|unread| unread.member() == fault.member()));
        violations.extend(found);
    }
    if content.format == BodyFormat::Json {
        let doubled = check::doubled_members(bytes).into_iter();
        violations.extend(of_fields(doubled.map(|failure| (failure.path, failure.message)).collect()));
    }
    Ok(violations)
}

/// Converts failures of members, named by dotted paths, to violations.
fn of_fields(failures: Vec<(String, String)>) -> Vec<Violation> {
    let violations =
        failures.into_iter().map(|(field, rule)| Violation::new(Location::Body, "", pointer(&field), rule));
    violations.collect()
}

/// Parses a text body as a scalar value.
fn scalar(shape: &Shape, text: &str) -> Value {
    let number = matches!(shape, Shape::Bool | Shape::Integer | Shape::Unsigned | Shape::Number);
    let read = || serde_json::from_str(text.trim()).ok();
    number.then(read).flatten().unwrap_or_else(|| text.into())
}

/// Returns the object that the parts of a multipart body form. Members that cannot be read are reported and
/// left out.
fn parts(
    content: &Content,
    content_type: &str,
    bytes: &Bytes,
    violations: &mut Vec<Violation>,
) -> Result<Value, Rejected> {
    let found = codec::decode_parts(content_type, bytes).map_err(|error| match error {
        MultipartError::Malformed(message) => Rejected::malformed(message),
        other => Rejected::malformed(other.to_string()),
    })?;
    let mut object = Map::new();
    for (name, mut parts) in found {
        let shape = content.shape.member(&name);
        let declared = content.shape.declares(&name).then(|| content.media_types_of(&name)).flatten();
        if let Some(declared) =
            declared.filter(|declared| parts.iter().any(|part| !part.is_sent_as(declared)))
        {
            let declared: Vec<&str> = declared.split(',').map(str::trim).collect();
            violations.extend(of_fields(vec![(name, format!("must be sent as {}", declared.join(" or ")))]));
            continue;
        }
        let of_part = |rule: String| vec![(name.clone(), rule)];
        let read = match shape {
            Shape::List(entry) => {
                let whole = match parts.as_slice() {
                    [only] => json(only).filter(Value::is_array),
                    _ => None,
                };
                whole.map_or_else(|| listed(entry, &name, parts), Ok)
            }
            Shape::Any if parts.len() > 1 && !content.shape.declares(&name) => {
                let list: Result<Value, String> =
                    parts.into_iter().map(|part| part_value(&Shape::Any, part)).collect();
                list.map_err(of_part)
            }
            shape => match (parts.pop(), parts.is_empty()) {
                (Some(part), true) => part_value(shape, part).map_err(of_part),
                _ => Err(of_part("must be given once".to_owned())),
            },
        };
        match read {
            Ok(value) => {
                object.insert(name, value);
            }
            Err(failures) => violations.extend(of_fields(failures)),
        }
    }
    Ok(Value::Object(object))
}

/// Adds the required lists that have no part: each entry is a part, so an empty list has none.
fn with_empty_lists(content: &Content, mut value: Value, oracle: &Oracle) -> Value {
    let faults = content.schema.map(|schema| oracle.explained(schema, &value)).unwrap_or_default();
    let Value::Object(members) = &mut value else { return value };
    for name in faults.into_iter().filter(|fault| fault.pointer.is_empty()).filter_map(|fault| fault.missing)
    {
        if let Shape::List(entry) = content.shape.member(&name)
            && !matches!(**entry, Shape::Object { .. } | Shape::List(_))
        {
            members.insert(name, json!([]));
        }
    }
    value
}

/// Returns the list whose entries are these parts, or what is wrong with each.
fn listed(shape: &Shape, name: &str, parts: Vec<Part>) -> Result<Value, Vec<(String, String)>> {
    let many = parts.len() > 1;
    let (mut list, mut failures) = (Vec::new(), Vec::new());
    for (index, part) in parts.into_iter().enumerate() {
        match part_value(shape, part) {
            Ok(value) => list.push(value),
            Err(rule) if many => failures.push((format!("{name}.{index}"), rule)),
            Err(rule) => failures.push((name.to_owned(), rule)),
        }
    }
    if failures.is_empty() { Ok(Value::Array(list)) } else { Err(failures) }
}

fn part_value(shape: &Shape, part: Part) -> Result<Value, String> {
    match shape {
        Shape::Bytes => Ok(String::from_utf8_lossy(part.content()).into()),
        Shape::Object { .. } | Shape::List(_) => part.json(),
        shape => part.text_with(ShapeDecoder::of(shape), |_| true),
    }
}

fn json(part: &Part) -> Option<Value> {
    serde_json::from_slice(part.content()).ok()
}
