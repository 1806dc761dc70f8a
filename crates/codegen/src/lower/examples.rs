//! The document's own examples of requests and responses, as far as the generated types read them.
//!
//! Of several examples, the first that the type can read is used. An example that does not match its schema
//! is left out without a warning; linters report it.

use super::{
    defects::Visited,
    media::essence,
    responses::parse_status,
    schemas::{is_plain, kept},
    texts,
};
use crate::ir::{
    Answer, Api, Coding, Content, Element, Form, JsonKind, Operation, Payload, ResponseExample, Shape,
    Status, Test, Type, TypeDef, Union,
};
use frontdesk_document::NodeRef;
use serde_json::Value;
use std::collections::BTreeMap;

/// Adds the examples to the operations. Called when the types have their final form.
pub(super) fn add(api: &mut Api, visited: &[Visited<'_>]) {
    let mut places = BTreeMap::new();
    for (group, operations) in api.groups.iter().map(|group| &group.operations).enumerate() {
        for (place, operation) in operations.iter().enumerate() {
            places.insert(operation.function.clone(), (group, place));
        }
    }
    for visited in visited {
        // Several operations may have the same id.
        let Some((group, place)) = places.get(&visited.function).copied() else { continue };
        let operation = &api.groups[group].operations[place];
        let request = request(api, operation, visited.node);
        let response = response(api, operation, visited.node);
        let operation = &mut api.groups[group].operations[place];
        operation.request_example = request;
        operation.response_example = response;
    }
}

fn request(api: &Api, operation: &Operation, node: NodeRef<'_>) -> Option<Value> {
    let payload = &operation.body.as_ref()?.payload;
    let body = node.get("requestBody")?.resolve().ok()?;
    of_payload(api, payload, body)
}

/// The example of the first success that has one, with its status. A success without a body is used only if
/// none has a body.
fn response(api: &Api, operation: &Operation, node: NodeRef<'_>) -> Option<ResponseExample> {
    let responses = node.get("responses")?;
    let has_body = |answer: &Answer| answer.content.payload(&api.responses).is_some();
    let with_body = operation.successes.iter().any(has_body);
    let mut successes = operation.successes.iter().filter(|answer| has_body(answer) == with_body);
    successes.find_map(|answer| {
        let Status::Code(status) = answer.status else { return None };
        let mut listed = responses.entries();
        let (_, response) = listed.find(|(key, _)| parse_status(key.text) == Some(answer.status))?;
        if let Content::Response(id) = answer.content
            && api.response(id).headers.iter().any(|header| header.required)
        {
            return None;
        }
        let body = match answer.content.payload(&api.responses) {
            Some(payload) => Some(of_payload(api, payload, response.resolve().ok()?)?),
            None => None,
        };
        Some(ResponseExample { status, body })
    })
}

/// The first example of a body as JSON that its type reads.
fn of_payload(api: &Api, payload: &Payload, body: NodeRef<'_>) -> Option<Value> {
    // Beside it there may be other forms, such as a stream of events.
    let is_json = |form: &&Form| essence(&form.media_type) == "application/json";
    let form = payload.forms.iter().find(is_json).or_else(|| payload.only())?;
    let Coding::Json(element) = &form.coding else { return None };
    let mut content = body.get("content")?.entries();
    let (_, media) = content.find(|(key, _)| essence(key.text) == essence(&form.media_type))?;
    let named = media.get("examples").into_iter().flat_map(NodeRef::entries);
    let named = named.filter_map(|(_, example)| example.resolve().ok()?.get("value"));
    let mut examples = media.get("example").into_iter().chain(named).map(NodeRef::to_json);
    examples.find(|example| is_read(&api.types, element, example))
}

/// Whether the generated type surely reads the value.
fn is_read(types: &[TypeDef], element: &Element, value: &Value) -> bool {
    if value.is_null() {
        return element.nullable || matches!(element.ty, Type::Any | Type::Raw(_));
    }
    let fits = match &element.ty {
        Type::Any | Type::Raw(_) => true,
        Type::String => value.is_string(),
        Type::Uuid
        | Type::Timestamp
        | Type::Date
        | Type::Ipv4
        | Type::Ipv6
        | Type::Decimal { text: true } => {
            value.as_str().is_some_and(|text| texts::is_read(&element.ty, text))
        }
        Type::List(entry) => {
            value.as_array().is_some_and(|entries| entries.iter().all(|value| is_read(types, entry, value)))
        }
        Type::Map(entry) => value
            .as_object()
            .is_some_and(|members| members.values().all(|value| is_read(types, entry, value))),
        Type::Named(id) | Type::Boxed(id) => is_read_as(types, &types[id.0].shape, value),
        // A secret in an example is shown wherever the example is, and the others are read by rules that are
        // not at hand.
        Type::Secret | Type::Duration | Type::Base64 | Type::File | Type::Foreign(_) => false,
        Type::Bool
        | Type::I8
        | Type::I16
        | Type::I32
        | Type::I64
        | Type::U8
        | Type::U16
        | Type::U32
        | Type::U64
        | Type::F32
        | Type::F64
        | Type::Decimal { text: false } => is_plain(&element.ty, value),
    };
    fits && element.constraints.iter().all(|constraint| kept(constraint, value))
}

fn is_read_as(types: &[TypeDef], shape: &Shape, value: &Value) -> bool {
    match shape {
        Shape::Enum(shape) => value
            .as_str()
            .is_some_and(|text| shape.extensible || shape.values.iter().any(|value| value.wire == text)),
        Shape::Struct(shape) => value.as_object().is_some_and(|members| {
            let declared = shape.fields.iter().all(|field| match members.get(&field.wire) {
                Some(value) => is_read(types, &field.element, value),
                None => !field.required,
            });
            let is_known = |name: &String| {
                shape.fields.iter().any(|field| field.wire == *name) || shape.skipped.contains(name)
            };
            let mut others = members.iter().filter(|(name, _)| !is_known(name));
            let further = match &shape.extra {
                Some(extra) => others.all(|(_, value)| is_read(types, extra, value)),
                None => !shape.closed || others.next().is_none(),
            };
            declared && further
        }),
        Shape::Id => value.as_str().is_some_and(|text| texts::is_read(&Type::Uuid, text)),
        Shape::Newtype(element) => is_read(types, element, value),
        Shape::Union(union) => is_read_as_branch(types, union, value),
    }
}

/// Whether a union reads the value: as the branch that its tag names, or else as the only one that takes
/// values of this kind.
fn is_read_as_branch(types: &[TypeDef], union: &Union, value: &Value) -> bool {
    if let Some(tag) = &union.tag {
        let named = value.get(&tag.wire).and_then(Value::as_str);
        let branch = tag.values.iter().find(|(text, _)| Some(text.as_str()) == named);
        return branch.is_some_and(|(_, branch)| is_read(types, &union.branches[*branch].element, value));
    }
    let mut reading = union.branches.iter().filter(|branch| may_be(&branch.test, value));
    reading.next().is_some_and(|branch| is_read(types, &branch.element, value)) && reading.next().is_none()
}

/// Whether the test of a branch accepts the value.
fn may_be(test: &Test, value: &Value) -> bool {
    let is_kind = |kind: &JsonKind| match kind {
        JsonKind::Null => value.is_null(),
        JsonKind::Bool => value.is_boolean(),
        JsonKind::Integer => value.is_i64() || value.is_u64(),
        JsonKind::Number => value.is_number(),
        JsonKind::String => value.is_string(),
        JsonKind::Array => value.is_array(),
        JsonKind::Object => value.is_object(),
    };
    let kind = test.kinds.is_empty() || test.kinds.iter().any(is_kind);
    let required = test.required.iter().all(|name| value.get(name).is_some());
    let fixed = test.fixed.iter().all(|(name, values)| {
        let member = if name.is_empty() { Some(value) } else { value.get(name) };
        member.is_none_or(|member| member.is_null() || values.contains(member))
    });
    kind && required && fixed
}
