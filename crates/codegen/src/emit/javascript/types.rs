//! Schemas as TypeScript types, and the modules that they are declared in.

mod declaration;

pub(super) use self::declaration::{declare, shown};
use super::{
    Context, lines,
    names::Names,
    text::{literal, paragraphs, property, prose},
};
use crate::{
    emit::prose::bounds_beyond_values,
    ir::{Api, Coding, Constraint, Element, Form, Payload, Shape, Struct, Type, TypeId},
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The module of types that several tags use, or none.
const SHARED: &str = "types";

/// The module that each type is declared in.
#[derive(Debug)]
pub(super) struct Modules(Vec<String>);

impl Modules {
    pub(super) fn of(api: &Api, names: &Names) -> Self {
        let module = |groups: &[usize]| match groups {
            [only] => names.modules[*only].clone(),
            _ => SHARED.to_owned(),
        };
        Self(api.types.iter().map(|def| module(&def.groups)).collect())
    }

    /// The types that a module declares.
    pub(super) fn declared(&self, module: &str) -> impl Iterator<Item = TypeId> {
        self.0.iter().enumerate().filter(move |(_, own)| *own == module).map(|(index, _)| TypeId(index))
    }
}

/// A type that equals another one and has no name in the document: the other one is used instead.
pub(super) fn known(api: &Api, id: TypeId) -> TypeId {
    if api.type_def(id).component.is_some() { id } else { api.original(id) }
}

/// Writes types, and notes those that have to be imported.
pub(super) struct Writer<'a> {
    context: &'a Context<'a>,
    used: BTreeSet<TypeId>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(context: &'a Context<'a>) -> Self {
        Self { context, used: BTreeSet::new() }
    }

    /// A named type.
    pub(super) fn named(&mut self, id: TypeId) -> &'a str {
        let id = known(self.context.api, id);
        self.used.insert(id);
        self.context.names.ty(id)
    }

    /// A value in a place. An open place keeps values that later versions may add.
    pub(super) fn element(&mut self, element: &Element, is_open: bool) -> String {
        let values = element.constraints.iter().find_map(|constraint| match constraint {
            Constraint::OneOf(values) => literals(values, is_open),
            _ => None,
        });
        let ty = values.unwrap_or_else(|| self.ty(&element.ty, is_open));
        if element.nullable && ty != "unknown" && !ty.ends_with("| null") {
            format!("{ty} | null")
        } else {
            ty
        }
    }

    fn ty(&mut self, ty: &Type, is_open: bool) -> String {
        match ty {
            Type::Any | Type::Raw(_) | Type::Foreign(_) => "unknown".to_owned(),
            Type::Bool => "boolean".to_owned(),
            Type::I8
            | Type::I16
            | Type::I32
            | Type::I64
            | Type::U8
            | Type::U16
            | Type::U32
            | Type::U64
            | Type::F32
            | Type::F64
            | Type::Decimal { text: false } => "number".to_owned(),
            Type::String
            | Type::Secret
            | Type::Base64
            | Type::Uuid
            | Type::Timestamp
            | Type::Date
            | Type::Duration
            | Type::Ipv4
            | Type::Ipv6
            | Type::Decimal { text: true } => "string".to_owned(),
            Type::List(entry) => {
                let entry = self.element(entry, is_open);
                if is_one_word(&entry) { format!("{entry}[]") } else { format!("({entry})[]") }
            }
            Type::Map(value) => format!("{{ [name: string]: {} }}", self.element(value, is_open)),
            Type::Named(id) | Type::Boxed(id) => self.named(*id).to_owned(),
            Type::File => "runtime.Bytes".to_owned(),
        }
    }

    /// The body of a request.
    pub(super) fn sent(&mut self, form: &Form) -> String {
        match &form.coding {
            Coding::Json(element) | Coding::Urlencoded(element, _) | Coding::Multipart(element, _) => {
                self.element(element, false)
            }
            Coding::Text(_) => "string | runtime.ByteStream".to_owned(),
            Coding::Bytes | Coding::Events(_) => "runtime.ByteStream".to_owned(),
        }
    }

    /// The body of a response.
    pub(super) fn received<'f>(&mut self, forms: impl IntoIterator<Item = &'f Form>) -> String {
        let mut types: Vec<String> = Vec::new();
        for form in forms {
            let ty = match &form.coding {
                Coding::Json(element) => self.element(element, true),
                Coding::Urlencoded(..) | Coding::Multipart(..) => "runtime.Fields".to_owned(),
                Coding::Text(_) => "string".to_owned(),
                Coding::Bytes => "runtime.Binary".to_owned(),
                Coding::Events(element) => format!("runtime.EventStream<{}>", self.element(element, true)),
            };
            if !types.contains(&ty) {
                types.push(ty);
            }
        }
        if types.is_empty() { "undefined".to_owned() } else { types.join(" | ") }
    }

    /// The JSON of an event that the service sends.
    pub(super) fn event(&mut self, payload: &Payload) -> Option<String> {
        payload.forms.iter().find_map(|form| match &form.coding {
            Coding::Json(element) => Some(self.element(element, true)),
            _ => None,
        })
    }

    /// The imports of a module, with a blank line behind them.
    pub(super) fn imports(&self, module: &str, body: &str) -> String {
        let mut text = String::new();
        if body.contains("runtime.") {
            text.push_str("import type * as runtime from './runtime/index.js';\n");
        }
        let mut modules: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for id in &self.used {
            let from = self.context.modules.0[id.0].as_str();
            if from != module {
                modules.entry(from).or_default().insert(self.context.names.ty(*id));
            }
        }
        for (from, names) in modules {
            let names: Vec<&str> = names.into_iter().collect();
            text.push_str(&lines::names("import type", &names, &format!("./{from}.js")));
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text
    }
}

/// Whether brackets can stand behind a type.
fn is_one_word(ty: &str) -> bool {
    let is_object = ty.starts_with("{ ") && ty.find('}') == Some(ty.len() - 1);
    is_object || !ty.contains([' ', '{', '\''])
}

/// The values that a place may have, where all of them are scalars.
fn literals(values: &[Value], is_open: bool) -> Option<String> {
    let mut types: Vec<String> = Vec::new();
    for value in values {
        let ty = match value {
            Value::Null => "null".to_owned(),
            Value::Bool(value) => value.to_string(),
            Value::Number(number) => number.to_string(),
            Value::String(text) => literal(text),
            Value::Array(_) | Value::Object(_) => return None,
        };
        if !types.contains(&ty) {
            types.push(ty);
        }
    }
    if is_open && types.len() > 1 {
        for (is_kind, ty) in
            [(Value::is_number as fn(&Value) -> bool, "(number & {})"), (Value::is_string, "(string & {})")]
        {
            if values.iter().any(is_kind) {
                types.push(ty.to_owned());
            }
        }
    }
    // `null` is last, where others add it.
    if let Some(at) = types.iter().position(|ty| ty == "null") {
        let null = types.remove(at);
        types.push(null);
    }
    (!types.is_empty()).then(|| types.join(" | "))
}

/// What a text contains, where its type does not say it.
fn format(ty: &Type) -> Option<&'static str> {
    Some(match ty.innermost() {
        Type::Base64 => "Base64.",
        Type::Uuid => "A UUID.",
        Type::Timestamp => "A time of RFC 3339, such as `2026-01-31T09:30:00Z`.",
        Type::Date => "A date, such as `2026-01-31`.",
        Type::Duration => "A duration of ISO 8601, such as `P1DT2H`.",
        Type::Ipv4 => "An IPv4 address.",
        Type::Ipv6 => "An IPv6 address.",
        Type::Decimal { text: true } => "A decimal number.",
        _ => return None,
    })
}

/// What a comment says of a value: its description, and what its type does not say.
pub(super) fn described(docs: Option<&str>, element: &Element) -> String {
    let facts = [format(&element.ty).map(str::to_owned), bounds_beyond_values(element)];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    paragraphs(&[&prose(docs), &facts.join(" ")])
}

/// The type of further members beside known ones, which have to fit it in TypeScript.
fn further(writer: &mut Writer<'_>, shape: &Struct, is_open: bool) -> Option<String> {
    let extra = writer.element(shape.extra.as_ref()?, is_open);
    if extra == "unknown" {
        return Some(extra);
    }
    let mut types = vec![extra];
    for field in &shape.fields {
        let ty = writer.element(&field.element, is_open);
        if !types.contains(&ty) {
            types.push(ty);
        }
    }
    if shape.fields.iter().any(|field| !field.required) {
        types.push("undefined".to_owned());
    }
    Some(types.join(" | "))
}

/// Whether a type is an object with known members.
fn is_struct(api: &Api, ty: &Type) -> bool {
    matches!(ty, Type::Named(id) | Type::Boxed(id) if matches!(api.type_def(*id).shape, Shape::Struct(_)))
}

/// The module of types that several tags use, or none.
pub(super) fn files(context: &Context<'_>) -> Vec<(String, String)> {
    let mut writer = Writer::new(context);
    let body: Vec<String> =
        context.modules.declared(SHARED).filter_map(|id| declare(context.api, &mut writer, id)).collect();
    let body = body.join("\n");
    let header = context.header("types");
    let imports = writer.imports(SHARED, &body);
    let body = if body.is_empty() { "export {};\n".to_owned() } else { body };
    vec![
        (format!("{SHARED}.d.ts"), format!("{header}{imports}{body}")),
        (format!("{SHARED}.js"), format!("{}export {{}};\n", context.module_header("types", SHARED))),
    ]
}

/// A member of an object type with its comment, on lines of its own.
pub(super) fn member(name: &str, is_optional: bool, ty: &str, comment: &str) -> String {
    let mark = if is_optional { "?" } else { "" };
    comment.to_owned() + &lines::placed(&format!("  {}{mark}:", property(name)), ty)
}
