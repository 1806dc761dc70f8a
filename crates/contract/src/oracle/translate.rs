//! Translation of OpenAPI 3.0 schemas to JSON Schema (draft 4): one flat definition for every schema object.

use std::collections::{BTreeSet, HashMap};

use frontdesk_document::{Kind, NodeId, NodeRef, closed_members, part_members, schema_parts};
use serde_json::{Map, Value, json};

use super::formats::{ASSERTED, integer_bounds};
use crate::sent_schemas::Direction;

/// The keyword for ECMA patterns. A separate name keeps the engine from compiling them in its own dialect.
pub(super) const PATTERN: &str = "x-ecma-pattern";

/// The keyword for integers; its value is whether `null` is one. Draft 4 refuses integers that are written
/// with a fraction of zero.
pub(super) const INTEGER: &str = "x-integer";

/// The extension key that says in words what the pattern beside it requires.
pub(super) const RULE: &str = "x-pattern-rule";

/// The maximum nesting of unions in which a discriminator is searched; deeper ones may be cyclic.
const DEEPEST: usize = 4;

/// Follows references; `None` if that fails, or if the target is not an object.
pub(crate) fn resolve(schema: NodeRef<'_>) -> Option<NodeRef<'_>> {
    schema.resolve().ok().filter(|schema| schema.is_object())
}

/// Returns the number of each of these schemas and of all reachable ones, the names of those that are
/// components, and the definitions, by number. With `later`, they include keywords of JSON Schema 2020-12.
pub(super) fn definitions<'d>(
    schemas: impl IntoIterator<Item = NodeRef<'d>>,
    direction: Direction,
    later: bool,
) -> (HashMap<NodeId, usize>, HashMap<usize, String>, Map<String, Value>) {
    let (numbers, bare, open) = (HashMap::new(), HashMap::new(), HashMap::new());
    let mut work = Work { direction, later, numbers, bare, open, waiting: Vec::new() };
    let mut names = HashMap::new();
    for schema in schemas {
        work.refer(schema);
    }
    let mut definitions = Map::new();
    while let Some((number, schema, form)) = work.waiting.pop() {
        if let Some(name) = schema.key().filter(|_| is_component(schema)) {
            names.insert(number, name.text.to_owned());
        }
        let children = if form == Form::Whole { family(schema) } else { Vec::new() };
        let definition = if children.is_empty() {
            work.translate(schema, form)
        } else {
            work.inherited(schema, &children)
        };
        definitions.insert(number.to_string(), definition);
    }
    (work.numbers, names, definitions)
}

/// What of a schema a definition says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Everything.
    Whole,
    /// As a part of another schema: its own keywords, not those of its children.
    Bare,
    /// As [`Bare`](Self::Bare), but without `additionalProperties: false`: the whole says it for all parts.
    Open,
}

pub(super) struct Work<'d> {
    direction: Direction,
    /// Whether keywords of JSON Schema 2020-12 are translated too.
    later: bool,
    numbers: HashMap<NodeId, usize>,
    /// The definitions of schemas with children for which only their own keywords count.
    bare: HashMap<NodeId, usize>,
    /// The definitions of parts whose members are limited by the whole.
    open: HashMap<NodeId, usize>,
    waiting: Vec<(usize, NodeRef<'d>, Form)>,
}

impl<'d> Work<'d> {
    /// Returns a reference to the definition of a schema; anything that is not a schema allows every value.
    pub(super) fn refer(&mut self, schema: NodeRef<'d>) -> Value {
        let Some(schema) = resolve(schema) else { return json!({}) };
        self.referred(schema, Form::Whole)
    }

    /// Returns a reference to a definition of a schema, which is made if there is none yet.
    fn referred(&mut self, schema: NodeRef<'d>, form: Form) -> Value {
        let next = self.numbers.len() + self.bare.len() + self.open.len();
        let known = match form {
            Form::Whole => &mut self.numbers,
            Form::Bare => &mut self.bare,
            Form::Open => &mut self.open,
        };
        let number = *known.entry(schema.id()).or_insert_with(|| {
            self.waiting.push((next, schema, form));
            next
        });
        json!({ "$ref": format!("#/definitions/{number}") })
    }

    /// Returns a reference for a part of another schema: a schema with children then stands only for its own
    /// keywords.
    fn refer_part(&mut self, schema: NodeRef<'d>) -> Value {
        let heads = |schema: NodeRef<'_>| {
            !family(schema).is_empty() || ["oneOf", "anyOf"].iter().any(|union| lists_children(schema, union))
        };
        let Some(head) = resolve(schema).filter(|schema| heads(*schema)) else { return self.refer(schema) };
        self.referred(head, Form::Bare)
    }

    /// Translates a schema with children: a value is one of the children, named by the discriminator.
    fn inherited(&mut self, head: NodeRef<'d>, children: &[NodeRef<'d>]) -> Value {
        let mut branches: Vec<Value> = children.iter().map(|child| self.branch(head, *child)).collect();
        if describes_values(head)
            && let Some((property, names)) = discriminated(head, head)
        {
            branches.push(json!({
                "allOf": [
                    self.refer_part(head),
                    { "type": "object", "required": [property], "properties": { property: { "enum": names } } },
                ],
            }));
        }
        if head.get("nullable").and_then(NodeRef::as_bool) == Some(true) {
            branches.push(json!({ "enum": [null] }));
        }
        json!({ "anyOf": branches })
    }

    /// Translates a branch of a union, including the discriminator that names it.
    fn branch(&mut self, union: NodeRef<'d>, branch: NodeRef<'d>) -> Value {
        if only_nullable(branch) {
            return json!({ "enum": [null] });
        }
        let referred = self.refer(branch);
        match discriminated(union, branch) {
            Some((property, values)) if !values.is_empty() => json!({
                "allOf": [
                    referred,
                    { "type": "object", "required": [property], "properties": { property: { "enum": values } } },
                ],
            }),
            _ => referred,
        }
    }

    fn translate(&mut self, schema: NodeRef<'d>, form: Form) -> Value {
        let mut said = Map::new();
        Self::scalars(schema, &mut said);
        self.containers(schema, &mut said);
        // Generated code knows one list of members for all parts; a document says one for each part.
        let whole = (!self.later && form != Form::Open).then(|| closed_over(schema)).flatten();
        let form = if whole.is_some() { Form::Open } else { form };
        if form == Form::Open && said.get("additionalProperties") == Some(&Value::Bool(false)) {
            said.remove("additionalProperties");
        }
        let mut composed = self.compositions(schema, form, &mut said);
        if let Some(members) = whole {
            all_of(&mut said, members);
        }
        if self.later {
            let parts = self.later_keywords(schema);
            composed |= !parts.is_empty();
            for part in parts {
                all_of(&mut said, part);
            }
        }
        if schema.get("nullable").and_then(NodeRef::as_bool) == Some(true) {
            if composed {
                return json!({ "anyOf": [{ "enum": [null] }, said] });
            }
            if let Some(kind) = said.get_mut("type") {
                *kind = json!([kind.take(), "null"]);
            }
            if let Some(nullable) = said.get_mut(INTEGER) {
                *nullable = true.into();
            }
            if let Some(Value::Array(values)) = said.get_mut("enum")
                && !values.contains(&Value::Null)
            {
                values.push(Value::Null);
            }
        }
        Value::Object(said)
    }

    fn scalars(schema: NodeRef<'d>, said: &mut Map<String, Value>) {
        let kind = kind(schema);
        if kind == Some("integer") {
            said.insert(INTEGER.to_owned(), false.into());
        } else if let Some(kind) = kind {
            said.insert("type".to_owned(), kind.into());
        }
        if let Some(only) = schema.get("const") {
            all_of(said, json!({ "enum": [only.to_json()] }));
        }
        if let Some(values) = schema.get("enum").filter(|values| !values.is_empty() && !is_open(schema)) {
            let mut distinct: Vec<Value> = Vec::new();
            for value in values.items().map(NodeRef::to_json) {
                if !distinct.contains(&value) {
                    distinct.push(value);
                }
            }
            said.insert("enum".to_owned(), Value::Array(distinct));
        }
        for keyword in ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"] {
            if let Some(count) = schema.get(keyword).and_then(NodeRef::as_i128)
                && let Ok(count) = u64::try_from(count)
            {
                said.insert(keyword.to_owned(), count.into());
            }
        }
        for (bound, exclusive) in [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")] {
            if let Some(value) = schema.get(bound).filter(|value| value.as_number().is_some()) {
                said.insert(bound.to_owned(), value.to_json());
                if schema.get(exclusive).and_then(NodeRef::as_bool) == Some(true) {
                    said.insert(exclusive.to_owned(), true.into());
                }
            }
        }
        if let Some(step) =
            schema.get("multipleOf").filter(|step| step.as_f64().is_some_and(|step| step > 0.0))
        {
            said.insert("multipleOf".to_owned(), step.to_json());
        }
        if schema.get("uniqueItems").and_then(NodeRef::as_bool) == Some(true) {
            said.insert("uniqueItems".to_owned(), true.into());
        }
        if let Some(pattern) = schema.get("pattern").and_then(NodeRef::as_str) {
            said.insert(PATTERN.to_owned(), pattern.into());
            if let Some(rule) = schema.get(RULE).and_then(NodeRef::as_str) {
                said.insert(RULE.to_owned(), rule.into());
            }
        }
        if let Some(format) = schema.get("format").and_then(NodeRef::as_str) {
            if let Some((least, greatest)) = integer_bounds(format).filter(|_| kind == Some("integer")) {
                // The engine uses 64-bit bounds, so these are exact.
                let bound = |value: i128| {
                    i64::try_from(value).map(Value::from).or_else(|_| u64::try_from(value).map(Value::from))
                };
                if let (Ok(least), Ok(greatest)) = (bound(least), bound(greatest)) {
                    all_of(said, json!({ "minimum": least, "maximum": greatest }));
                }
            } else if kind.is_none_or(|kind| kind == "string") && ASSERTED.contains(&format) {
                said.insert("format".to_owned(), format.into());
            }
        }
    }

    fn containers(&mut self, schema: NodeRef<'d>, said: &mut Map<String, Value>) {
        if let Some(items) = schema.get("items").filter(|items| items.is_object()) {
            let items = self.refer(items);
            said.insert("items".to_owned(), items);
        }
        let mut members = Map::new();
        for (name, member) in schema.get("properties").into_iter().flat_map(NodeRef::entries) {
            let member = self.refer(member);
            members.insert(name.text.to_owned(), member);
        }
        let further = schema.get("additionalProperties");
        let closed = further.and_then(NodeRef::as_bool) == Some(false);
        // The engine names the members that a closed object may not have only beside `properties`.
        if !members.is_empty() || closed {
            said.insert("properties".to_owned(), Value::Object(members));
        }
        match further {
            Some(_) if closed => {
                said.insert("additionalProperties".to_owned(), false.into());
            }
            Some(further) if further.is_object() => {
                let further = self.refer(further);
                said.insert("additionalProperties".to_owned(), further);
            }
            _ => {}
        }
        let required: BTreeSet<&str> = schema
            .get("required")
            .into_iter()
            .flat_map(NodeRef::items)
            .filter_map(NodeRef::as_str)
            .filter(|name| !self.stays(schema, name))
            .collect();
        if !required.is_empty() {
            said.insert("required".to_owned(), json!(required));
        }
    }

    /// Returns whether a member may not be sent in this direction.
    fn stays(&self, schema: NodeRef<'d>, name: &str) -> bool {
        let member = schema.get("properties").and_then(|members| members.get(name)).and_then(resolve);
        member
            .zip(self.direction.absent())
            .and_then(|(member, keyword)| member.get(keyword))
            .and_then(NodeRef::as_bool)
            == Some(true)
    }

    /// Translates compositions, and returns whether there are any.
    fn compositions(&mut self, schema: NodeRef<'d>, form: Form, said: &mut Map<String, Value>) -> bool {
        let mut composed = false;
        for part in schema.get("allOf").into_iter().flat_map(NodeRef::items) {
            let part = match resolve(part).filter(|_| form == Form::Open) {
                Some(part) => self.referred(part, Form::Open),
                None if is_alias(schema) => self.refer(part),
                None => self.refer_part(part),
            };
            all_of(said, part);
            composed = true;
        }
        for keyword in ["oneOf", "anyOf"] {
            let branches: Vec<_> = schema.get(keyword).into_iter().flat_map(NodeRef::items).collect();
            if branches.is_empty() || form != Form::Whole && lists_children(schema, keyword) {
                continue;
            }
            let branches: Vec<Value> =
                branches.into_iter().map(|branch| self.branch(schema, branch)).collect();
            said.insert(keyword.to_owned(), Value::Array(branches));
            composed = true;
        }
        if let Some(not) = schema.get("not").filter(|not| not.is_object()) {
            let not = self.refer(not);
            said.insert("not".to_owned(), not);
            composed = true;
        }
        composed
    }
}

/// Returns which members the parts of an `allOf` allow together, if `additionalProperties: false` in one of
/// them forbids members that another one declares or requires, or `unevaluatedProperties: false` those that
/// none does.
///
/// Parts with a choice are left alone, because what they declare depends on the value, and so are those with
/// a schema for further members.
fn closed_over(schema: NodeRef<'_>) -> Option<Value> {
    let parts = schema_parts(schema);
    let each = |keyword: &'static str| parts.iter().filter_map(move |part| part.get(keyword));
    let has = |keyword| each(keyword).any(|said| !said.is_empty());
    let has_schema = each("additionalProperties").any(|further| further.is_object() && !further.is_empty());
    if has("oneOf") || has("anyOf") || has_schema {
        return None;
    }
    let names = part_members(&parts);
    let is_closed = |further: NodeRef<'_>| further.as_bool() == Some(false);
    let together = parts.iter().any(|part| closed_members(*part).is_some());
    let forbids = |part: &NodeRef<'_>| {
        let declares = |name: &str| part.get("properties").is_some_and(|own| own.get(name).is_some());
        part.get("additionalProperties").is_some_and(is_closed) && !names.iter().all(|name| declares(name))
    };
    if !together && !parts.iter().any(forbids) {
        return None;
    }
    if !each("additionalProperties").all(is_closed) {
        return Some(json!({}));
    }
    let members: Map<String, Value> = names.into_iter().map(|name| (name.to_owned(), json!({}))).collect();
    Some(json!({ "properties": members, "additionalProperties": false }))
}

fn all_of(said: &mut Map<String, Value>, part: Value) {
    if let Value::Array(parts) = said.entry("allOf").or_insert_with(|| json!([])) {
        parts.push(part);
    }
}

/// Returns whether an enumeration is open, so that unlisted values are allowed.
pub(crate) fn is_open(schema: NodeRef<'_>) -> bool {
    schema.get("x-extensible-enum").and_then(NodeRef::as_bool) == Some(true)
}

/// Returns the discriminator property of a union, and its values that name a branch.
///
/// The mapping takes precedence. A branch that is not mapped is named by the only value that the branch
/// allows for the property, as in documents without a mapping, or else by the last segment of its reference.
/// An inline branch without such a value has no name.
pub(crate) fn discriminated<'d>(union: NodeRef<'d>, branch: NodeRef<'d>) -> Option<(&'d str, Vec<String>)> {
    tag(union, branch, 0)
}

fn tag<'d>(union: NodeRef<'d>, branch: NodeRef<'d>, depth: usize) -> Option<(&'d str, Vec<String>)> {
    let discriminator = union.get("discriminator")?;
    let property = discriminator.get("propertyName").and_then(NodeRef::as_str)?;
    let target = resolve(branch)?;
    let mut values: Vec<String> = discriminator
        .get("mapping")
        .into_iter()
        .flat_map(NodeRef::entries)
        .filter(|(_, value)| value.kind() == Kind::String && value.referred() == Some(target))
        .map(|(key, _)| key.text.to_owned())
        .collect();
    if values.is_empty() && target.get("discriminator").is_some() && depth < DEEPEST {
        // The same discriminator may apply to a nested union.
        let within = ["oneOf", "anyOf"].iter().filter_map(|union| target.get(union)).flat_map(NodeRef::items);
        let tags = within.filter_map(|branch| tag(target, branch, depth + 1));
        values.extend(tags.filter(|(own, _)| *own == property).flat_map(|(_, values)| values));
    }
    let own = target.get("properties").and_then(|members| members.get(property)).and_then(resolve);
    if values.is_empty()
        && let Some([only]) =
            own.and_then(|own| own.get("enum")).map(|own| own.items().collect::<Vec<_>>()).as_deref()
    {
        values.extend(only.as_str().map(str::to_owned));
    } else if values.is_empty()
        && let Some(reference) = branch.reference()
    {
        values.extend(reference.rsplit('/').next().map(|name| name.replace("~1", "/").replace("~0", "~")));
    } else if values.is_empty() && is_component(branch) {
        values.extend(branch.key().map(|key| key.text.to_owned()));
    }
    Some((property, values))
}

/// Returns the component schemas that extend this one by `allOf`, if it has a discriminator but no union. On
/// its own, such a schema stands for any of them.
pub(crate) fn family(head: NodeRef<'_>) -> Vec<NodeRef<'_>> {
    let union = |keyword: &str| head.get(keyword).is_some_and(|branches| !branches.is_empty());
    if head.get("discriminator").is_none() || union("oneOf") || union("anyOf") {
        return Vec::new();
    }
    let components = head.document().root().get("components").and_then(|parts| parts.get("schemas"));
    let schemas = components.into_iter().flat_map(NodeRef::entries).map(|(_, schema)| schema);
    schemas.filter(|schema| extends(*schema, head)).collect()
}

/// Returns whether the branches of a schema's union extend the schema by `allOf`, so that a branch is already
/// chosen.
pub(crate) fn lists_children(head: NodeRef<'_>, union: &str) -> bool {
    let mut branches = head.get(union).into_iter().flat_map(NodeRef::items).filter_map(resolve);
    branches.any(|branch| extends(branch, head))
}

/// Returns whether a schema extends another one by `allOf`, itself or through others.
fn extends(schema: NodeRef<'_>, head: NodeRef<'_>) -> bool {
    let mut seen = BTreeSet::from([schema.id()]);
    let mut open = vec![schema];
    while let Some(next) = open.pop() {
        for part in next.get("allOf").into_iter().flat_map(NodeRef::items) {
            let Some(base) = resolve(part) else { continue };
            if part.reference().is_some() && base == head && schema != head {
                return true;
            }
            if seen.insert(base.id()) {
                open.push(base);
            }
        }
    }
    false
}

/// Returns whether the head of a family describes values itself, rather than only naming the family.
fn describes_values(head: NodeRef<'_>) -> bool {
    ["allOf", "properties"].iter().any(|keyword| head.get(keyword).is_some_and(|said| !said.is_empty()))
}

fn is_component(schema: NodeRef<'_>) -> bool {
    let components = schema.document().root().get("components").and_then(|parts| parts.get("schemas"));
    components.is_some_and(|components| schema.parent() == Some(components))
}

/// Returns whether a schema only describes another one, referenced by an `allOf` with one entry.
pub(crate) fn is_alias(schema: NodeRef<'_>) -> bool {
    const DESCRIPTIVE: [&str; 11] = [
        "allOf",
        "default",
        "deprecated",
        "description",
        "example",
        "externalDocs",
        "nullable",
        "readOnly",
        "title",
        "writeOnly",
        "xml",
    ];
    // A component that extends its target is one of the target's children.
    !is_component(schema)
        && schema.get("allOf").is_some_and(|parts| parts.len() == 1)
        && schema.entries().all(|(key, value)| {
            DESCRIPTIVE.contains(&key.text)
                || key.text.starts_with("x-")
                || key.text == "type" && value.as_str() == Some("object")
        })
}

/// Returns whether a schema only allows `null`; as a branch of a union it stands for `null`.
pub(crate) fn only_nullable(schema: NodeRef<'_>) -> bool {
    schema.len() == 1 && schema.get("nullable").and_then(NodeRef::as_bool) == Some(true)
}

/// Returns the type of a schema as a JSON Schema name: the declared one, or the one implied by its other
/// keywords.
///
/// `null` is a type of OpenAPI 3.1 that also occurs as a branch in 3.0 documents.
pub(crate) fn kind(schema: NodeRef<'_>) -> Option<&'static str> {
    const TYPES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];
    const KEYWORDS: [(&str, &[&str]); 4] = [
        ("object", &["properties", "additionalProperties", "minProperties", "maxProperties"]),
        ("array", &["items", "minItems", "maxItems", "uniqueItems"]),
        ("string", &["pattern", "minLength", "maxLength"]),
        ("number", &["minimum", "maximum", "multipleOf"]),
    ];
    if let Some(own) = schema.get("type") {
        let own = own.as_str()?;
        return TYPES.into_iter().find(|kind| *kind == own);
    }
    if schema.get("enum").is_some() || schema.get("const").is_some() {
        return None;
    }
    let implied = KEYWORDS.into_iter().find(|(_, keys)| keys.iter().any(|key| schema.get(key).is_some()));
    let required = schema.get("required").is_some_and(|names| !names.is_empty());
    implied.map(|(kind, _)| kind).or(required.then_some("object"))
}
