//! [`Parameter`]: a parameter of the document, and its validation in requests.

use crate::{
    shape::{Shape, ShapeDecoder},
    typed::Typed,
    violation::{Location, Violation, pointer},
};
use frontdesk_contract::Oracle;
use frontdesk_document::{NodeRef, Operation};
use frontdesk_runtime::codec::{self, Param, Style};
use frontdesk_runtime::server::{Call, media};
use serde_json::Value;
use std::marker::PhantomData;

/// A parameter of an operation.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) param: Param,
    pub(crate) location: Location,
    pub(crate) required: bool,
    /// Whether an empty text means that the parameter was sent without a value (`allowEmptyValue`).
    empty: bool,
    pub(crate) schema: Option<NodeRef<'static>>,
    pub(crate) shape: Shape,
}

/// Returns the parameters of an operation: its own, then those of its path that it does not override.
pub(crate) fn declared(operation: Operation<'static>) -> Vec<Parameter> {
    let declared = operation.distinct_parameters().filter_map(|parameter| Parameter::new(parameter.node));
    let mut declared: Vec<Parameter> = declared.collect();
    let names: Vec<Vec<&'static str>> = declared
        .iter()
        .enumerate()
        .map(|(index, parameter)| {
            let others = declared.iter().enumerate().filter(|(other, _)| *other != index);
            parameter.left_to(others.map(|(_, other)| other).collect())
        })
        .collect();
    for (parameter, names) in declared.iter_mut().zip(names) {
        parameter.param = parameter.param.beside(Box::leak(names.into_boxed_slice()));
    }
    declared
}

impl Parameter {
    fn new(node: NodeRef<'static>) -> Option<Self> {
        let name = node.get("name")?.as_str()?;
        let (location, param) = match node.get("in")?.as_str()? {
            "path" => (Location::Path, Param::path(name)),
            "query" => (Location::Query, Param::query(name)),
            // OpenAPI requires header parameters of these names to be ignored.
            "header"
                if ["accept", "authorization", "content-type"]
                    .contains(&name.to_ascii_lowercase().as_str()) =>
            {
                return None;
            }
            "header" => (Location::Header, Param::header(name)),
            "cookie" => (Location::Cookie, Param::cookie(name)),
            _ => return None,
        };
        let flag = |key| node.get(key).and_then(NodeRef::as_bool) == Some(true);
        let (param, schema, shape) = described(node, param);
        Some(Self {
            param: Param { reserved: location == Location::Query && flag("allowReserved"), ..param },
            location,
            required: location == Location::Path || flag("required"),
            empty: location == Location::Query && flag("allowEmptyValue"),
            schema,
            shape,
        })
    }

    /// Returns the names that an object which takes any member leaves to other parameters.
    fn left_to(&self, others: Vec<&Self>) -> Vec<&'static str> {
        if !self.is_among_others() {
            return Vec::new();
        }
        let same_place = others.into_iter().filter(|other| other.location == self.location);
        let names = same_place.flat_map(|other| {
            let members = if other.is_among_others() { other.shape.members() } else { Vec::new() };
            std::iter::once(other.param.name).chain(members)
        });
        names.filter(|name| *name != self.param.name && !self.shape.declares(name)).collect()
    }

    /// Returns the problems of the parameter in a request.
    pub(crate) fn validate(&self, call: &Call<()>, oracle: &Oracle) -> Vec<Violation> {
        let violation = |(place, rule): (String, String)| {
            vec![Violation::new(self.location, self.param.name, pointer(&place), rule)]
        };
        let fits = |value: &Value| self.schema.is_none_or(|schema| oracle.is_valid(schema, value));
        match self.read(call, oracle) {
            Err(_) if self.is_sent_empty(call) => Vec::new(),
            Err(problem) => violation(problem),
            // An exploded object without any members in the request is absent.
            Ok(Some(Value::Object(members))) if members.is_empty() && self.is_among_others() => self.absent(),
            Ok(Some(value)) if !fits(&value) && !self.is_sent_empty(call) => {
                let faults = self.schema.map(|schema| oracle.explained(schema, &value)).unwrap_or_default();
                Violation::of_faults(self.location, self.param.name, faults)
            }
            Ok(Some(_)) => Vec::new(),
            Ok(None) => self.absent(),
        }
    }

    /// Returns the value as a generated server reads it, before rules are checked; `None` if it is absent.
    fn read(&self, call: &Call<()>, oracle: &Oracle) -> Result<Option<Value>, (String, String)> {
        if self.param.style == Style::Json {
            return call.decode_with(&self.param, PhantomData::<Value>, |_| true);
        }
        if let Some(item) = self.repeated() {
            return self.items(item, call);
        }
        let Some(schema) = self.schema else {
            return call.decode_with(&self.param, self.decoder(), |_| true);
        };
        let typed = Typed { schema, shape: &self.shape, oracle };
        let value = call.decode_with(&self.param, self.decoder(), |value| typed.holds(value))?;
        Ok(value.map(|value| typed.interpreted(value)))
    }

    /// Returns the shape of the items of a list for which the parameter is repeated, each item as it is.
    fn repeated(&self) -> Option<&Shape> {
        match &self.shape {
            Shape::List(item)
                if self.location == Location::Query
                    && self.param.style == Style::Form
                    && self.param.explode
                    && item.is_scalar() =>
            {
                Some(item)
            }
            _ => None,
        }
    }

    /// Reads the items of a repeated parameter. No text within an item separates it: a comma is a part of it,
    /// and an empty one is an item too.
    fn items(&self, item: &Shape, call: &Call<()>) -> Result<Option<Value>, (String, String)> {
        let single = self.param.style(Style::Form, false);
        let mut items = Vec::new();
        for pair in call.incoming().raw_query() {
            let text = ShapeDecoder::of(&Shape::Text);
            if codec::decode_with(&single, &[pair], text, |_| true)?.is_some() {
                let value = codec::decode_with(&single, &[pair], ShapeDecoder::of(item), |_| true);
                items.extend(value.map_err(|(_, rule)| (items.len().to_string(), rule))?);
            }
        }
        Ok((!items.is_empty()).then_some(Value::Array(items)))
    }

    fn absent(&self) -> Vec<Violation> {
        if self.required {
            vec![Violation::new(self.location, self.param.name, "", "is required".to_owned())]
        } else {
            Vec::new()
        }
    }

    fn decoder(&self) -> ShapeDecoder<'_> {
        ShapeDecoder { shape: &self.shape, among_others: self.is_among_others() }
    }

    fn is_among_others(&self) -> bool {
        matches!(self.location, Location::Query | Location::Cookie)
            && self.param.style == Style::Form
            && self.param.explode
    }

    fn is_sent_empty(&self, call: &Call<()>) -> bool {
        self.empty && call.incoming().query_value(self.param.name) == Some("")
    }
}

/// Returns the style and the schema of a response header.
pub(crate) fn of_header(name: &'static str, node: NodeRef<'static>) -> (Param, Option<NodeRef<'static>>) {
    let (param, schema, _) = described(node, Param::header(name));
    (param, schema)
}

/// Returns the style, schema and shape of a Parameter Object or Header Object.
fn described(node: NodeRef<'static>, param: Param) -> (Param, Option<NodeRef<'static>>, Shape) {
    let content = node.get("content").and_then(|content| content.entries().next());
    let (schema, json) = match (node.get("schema"), content) {
        (Some(schema), _) => (Some(schema), false),
        (None, Some((key, media_type))) if media::is_json(key.text) => (media_type.get("schema"), true),
        // The text format of other media types is unknown.
        _ => (None, false),
    };
    let schema = schema.filter(|schema| schema.is_object());
    let shape = schema.map_or(Shape::Text, Shape::of);
    let param = if json { param.style(Style::Json, false) } else { styled(node, param, &shape) };
    (param, schema, shape)
}

/// Returns the parameter with the style of the document, if its location allows that style.
fn styled(node: NodeRef<'static>, param: Param, shape: &Shape) -> Param {
    let style = match (param.place, node.get("style").and_then(NodeRef::as_str)) {
        (codec::Place::Path, Some("label")) => Style::Label,
        (codec::Place::Path, Some("matrix")) => Style::Matrix,
        (codec::Place::Query, Some("deepObject")) if !shape.is_scalar() => Style::DeepObject,
        (codec::Place::Query, Some("spaceDelimited")) if !shape.is_scalar() => Style::SpaceDelimited,
        (codec::Place::Query, Some("pipeDelimited")) if !shape.is_scalar() => Style::PipeDelimited,
        _ => param.style,
    };
    let explode = node.get("explode").and_then(NodeRef::as_bool).unwrap_or(style == Style::Form);
    match style {
        Style::DeepObject => param.style(style, true),
        // Exploded entries are separate pairs, so there is nothing to join.
        Style::SpaceDelimited | Style::PipeDelimited if explode => param.style(Style::Form, true),
        // OpenAPI defines no style for nested values; generated crates use JSON for them too.
        _ if shape.is_nested() => param.style(Style::Json, false),
        style => param.style(style, explode),
    }
}
