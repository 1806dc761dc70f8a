//! Strings and numbers: the type of each format, and the bounds that apply to it.

use super::{Key, Part, Place, View};
use crate::{
    ir::{Constraint, Element, Format, Shape, Type},
    lower::{Lowering, flag, last_segment},
};
use frontdesk_document::NodeRef;
use frontdesk_pattern::{Pattern, PatternError};

/// Formats that only describe text: nothing could be checked that a reader would miss.
const DESCRIPTIVE: &[&str] = &["string", "text", "markdown", "html", "multiline", "json"];

/// Names of components that say no more than that they are UUIDs.
const NAMES_OF_THE_FORMAT: &[&str] = &["guid", "id", "uuid", "uuid4", "uuid7", "uuidv4", "uuidv7"];

/// The type of a string in this format, and what is checked beside.
fn string_format(format: &str) -> Option<(Type, Option<Format>)> {
    Some(match format {
        "uuid" | "guid" => (Type::Uuid, None),
        "date-time" => (Type::Timestamp, None),
        "date" => (Type::Date, None),
        "duration" => (Type::Duration, None),
        "byte" | "base64" => (Type::Base64, None),
        "decimal" => (Type::Decimal { text: true }, None),
        "ipv4" => (Type::Ipv4, None),
        "ipv6" => (Type::Ipv6, None),
        "password" => (Type::Secret, None),
        "uri" | "url" => (Type::String, Some(Format::Uri)),
        "email" => (Type::String, Some(Format::Email)),
        "hostname" => (Type::String, Some(Format::Hostname)),
        "time" => (Type::String, Some(Format::Time)),
        _ if DESCRIPTIVE.contains(&format) => (Type::String, None),
        _ => return None,
    })
}

/// The type of a number in this format.
fn number_format(format: &str, integer: bool) -> Option<Type> {
    Some(match (format, integer) {
        ("int8", true) => Type::I8,
        ("int16", true) => Type::I16,
        ("int32", true) => Type::I32,
        ("uint8", true) => Type::U8,
        ("uint16", true) => Type::U16,
        ("uint32", true) => Type::U32,
        ("uint64" | "uint", true) => Type::U64,
        ("int64" | "int" | "long" | "integer", true) => Type::I64,
        ("float", false) => Type::F32,
        ("double" | "number", false) => Type::F64,
        ("decimal", false) => Type::Decimal { text: false },
        _ => return None,
    })
}

impl<'d> Lowering<'d, '_> {
    pub(super) fn string(
        &mut self,
        parts: &[Part<'d>],
        view: &View<'d>,
        key: &Key,
        place: &Place,
    ) -> Element {
        if view.lists().next().is_some() {
            return self.string_enum(parts, view, key, place);
        }
        let mut constraints = Vec::new();
        for (key, make) in [
            ("minLength", Constraint::MinChars as fn(u64) -> Constraint),
            ("maxLength", Constraint::MaxChars),
        ] {
            constraints.extend(self.sizes(view, key).into_iter().map(make));
        }
        for part in &view.parts {
            constraints.extend(part.get("pattern").and_then(|pattern| self.pattern(*part, pattern)));
        }
        let mut ty = Type::String;
        for format in view.all("format") {
            let Some(name) = format.as_str() else { continue };
            match string_format(name) {
                Some((own, check)) => {
                    ty = own;
                    constraints.extend(check.map(Constraint::Format));
                }
                None if name == "binary" => self.schemas.binary.push(format.id()),
                None => self.unknown_format(format, name),
            }
        }
        if ty == Type::Uuid && constraints.is_empty() && self.names_a_kind(parts) {
            let id = self.open(parts, key, place);
            self.types[id.0].shape = Shape::Id;
            ty = Type::Named(id);
        }
        Element { ty, nullable: false, constraints }
    }

    /// Whether a schema of UUIDs is a component whose name says what they identify, such as `DealId`. One
    /// that is called `Uuid` says no more than its format.
    fn names_a_kind(&self, parts: &[Part<'d>]) -> bool {
        let [part] = parts else { return false };
        let is_component = !part.bare && self.schemas.reserved.contains_key(&part.node.id());
        let name = last_segment(part.node).to_ascii_lowercase().replace(['-', '_', '.'], "");
        is_component && !NAMES_OF_THE_FORMAT.contains(&name.as_str())
    }

    pub(super) fn number(&mut self, view: &View<'d>, integer: bool) -> Element {
        let mut ty = None;
        for format in view.all("format") {
            let Some(name) = format.as_str() else { continue };
            match number_format(name, integer) {
                Some(own) => ty = Some(own),
                None => self.unknown_format(format, name),
            }
        }
        let ty = ty.unwrap_or_else(|| {
            if !integer {
                Type::F64
            } else if unsigned(view) {
                Type::U64
            } else {
                Type::I64
            }
        });
        let constraints = self.bounds(view, &ty);
        Element { ty, nullable: false, constraints }
    }

    fn unknown_format(&mut self, format: NodeRef<'d>, name: &str) {
        if self.schemas.formats.insert(name.to_owned()) {
            self.warn_once(
                format,
                "format-ignored",
                format!("the format `{name}` is not known here; such values are read by their plain type, everywhere in the document"),
                "add a `pattern` or bounds if the form matters",
            );
        }
    }

    /// Reports rules for the text of a value that can be spelled in several ways: where the value is not
    /// JSON, nothing but the value is known when rules are checked.
    pub(in crate::lower) fn tell_unchecked_spelling(
        &mut self,
        schema: NodeRef<'d>,
        element: &Element,
        place: &str,
    ) {
        let (mut schema, mut element) = (schema, element);
        while let (Type::List(entry), Some(items)) =
            (&element.ty, schema.resolve().ok().and_then(|schema| schema.get("items")))
        {
            (schema, element) = (items, entry);
        }
        let Ok(schema) = schema.resolve() else { return };
        if !element.ty.has_several_spellings() || element.constraints.is_empty() {
            return;
        }
        let keyword = ["pattern", "minLength", "maxLength"].iter().find_map(|key| schema.get(key));
        self.warn_once(
            keyword.unwrap_or(schema),
            "bound-ignored",
            format!(
                "rules for the text of {place} are not checked beside a `format` whose values have several \
                 spellings"
            ),
            "leave out `format`, or the rule",
        );
    }

    /// Reports such rules of the members of a form.
    pub(in crate::lower) fn tell_unchecked_members(
        &mut self,
        element: &Element,
        schema: Option<NodeRef<'d>>,
    ) {
        let Some(id) = element.ty.named() else { return };
        let Shape::Struct(shape) = &self.types[id.0].shape else { return };
        let fields: Vec<(String, Element)> =
            shape.fields.iter().map(|field| (field.wire.clone(), field.element.clone())).collect();
        let Some(members) =
            schema.and_then(|schema| schema.resolve().ok()).and_then(|schema| schema.get("properties"))
        else {
            return;
        };
        for (wire, element) in fields {
            if let Some(member) = members.get(&wire) {
                self.tell_unchecked_spelling(member, &element, "a member of a form");
            }
        }
    }

    /// The `pattern` of a schema, with what the schema says of it in words.
    fn pattern(&mut self, schema: NodeRef<'d>, pattern: NodeRef<'d>) -> Option<Constraint> {
        let source = pattern.as_str()?;
        let Err(error) = Pattern::new(source) else {
            let rule = schema.get("x-pattern-rule").and_then(NodeRef::as_str).map(str::to_owned);
            return Some(Constraint::Pattern { source: source.to_owned(), rule });
        };
        let foreign =
            ["(?i", "(?s", "(?m", "(?x", "(?-", "(?P<", "\\A", "\\z", "\\Z", "[[:", "(?#", "\\p{", "\\P{"];
        if foreign.iter().any(|form| source.contains(form)) {
            self.warn_once(
                pattern,
                "pattern-ignored",
                "the pattern is written for another dialect than ECMA 262 and is not checked",
                "write it as JavaScript would: `^` and `$` for the ends, `[aA]` for either case",
            );
        } else if let PatternError::Engine(_) = error {
            self.warn_once(
                pattern,
                "pattern-ignored",
                format!(
                    "the pattern is not checked, as no text could be judged by it in a bounded time: {error}"
                ),
                "repeat less often, or look at less at a time",
            );
        } else {
            self.warn_once(
                pattern,
                "invalid-pattern",
                format!("the pattern is not an ECMA 262 regular expression and is not checked: {error}"),
                "escape what is meant literally; look-behind and named groups follow JavaScript's syntax",
            );
        }
        None
    }

    /// The bounds of a number, as literals of its type. One that every value of the type keeps is left out.
    fn bounds(&mut self, view: &View<'d>, ty: &Type) -> Vec<Constraint> {
        let mut constraints = Vec::new();
        for part in &view.parts {
            let lower = self.exclusive(*part, "exclusiveMinimum", "minimum");
            let upper = self.exclusive(*part, "exclusiveMaximum", "maximum");
            for (key, make) in [
                (
                    "minimum",
                    if lower { Constraint::Above } else { Constraint::Minimum } as fn(String) -> Constraint,
                ),
                ("maximum", if upper { Constraint::Below } else { Constraint::Maximum }),
                ("multipleOf", Constraint::MultipleOf),
            ] {
                let Some(value) = part.get(key) else { continue };
                match fit(ty, key, value) {
                    Fit::Literal(number) => {
                        let constraint = make(number);
                        if !constraints.contains(&constraint) {
                            constraints.push(constraint);
                        }
                    }
                    Fit::Always => {}
                    Fit::Never => self.warn_once(
                        value,
                        "bound-ignored",
                        format!("no value of the type meets `{key}`, which is not checked"),
                        "correct the bound, or choose a wider `format`",
                    ),
                    Fit::Wrong => self.warn_once(
                        value,
                        "invalid-bound",
                        if key == "multipleOf" {
                            "`multipleOf` must be a number above 0; it is ignored".to_owned()
                        } else {
                            format!("`{key}` must be a number; it is ignored")
                        },
                        "write a number, without quotes",
                    ),
                }
            }
        }
        constraints
    }

    /// Whether a bound excludes itself. A number in this place, as OpenAPI 3.1 has it, has become a flag
    /// while reading.
    fn exclusive(&mut self, node: NodeRef<'d>, key: &'static str, bound: &str) -> bool {
        let Some(value) = node.get(key) else { return false };
        if value.as_bool().is_none() {
            self.warn_once(
                value,
                "invalid-bound",
                format!("`{key}` must be `true` or `false`; it is ignored"),
                &format!("write the number as `{bound}`, and `{key}: true` beside it"),
            );
        }
        flag(node, key)
    }

    /// The values of a bound of a size, each once.
    pub(super) fn sizes(&mut self, view: &View<'d>, key: &'static str) -> Vec<u64> {
        let mut sizes = Vec::new();
        for value in view.all(key) {
            match value.as_i128().map(u64::try_from) {
                Some(Ok(size)) => {
                    if !sizes.contains(&size) {
                        sizes.push(size);
                    }
                }
                _ => self.warn_once(
                    value,
                    "invalid-bound",
                    format!("`{key}` must be a whole number from 0 up; it is ignored"),
                    "write it without quotes and without a fraction",
                ),
            }
        }
        sizes
    }
}

/// Whether the bounds of an integer leave out all below zero and reach beyond a signed integer.
fn unsigned(view: &View<'_>) -> bool {
    let least = view.all("minimum").filter_map(NodeRef::as_i128).max();
    let most = view.all("maximum").filter_map(NodeRef::as_i128).min();
    least.is_some_and(|least| least >= 0) && most.is_some_and(|most| most > i128::from(i64::MAX))
}

/// How a bound goes with the type that it bounds.
enum Fit {
    /// As this literal.
    Literal(String),
    /// Every value of the type keeps it.
    Always,
    /// No value of the type keeps it.
    Never,
    /// It is not a bound.
    Wrong,
}

/// The whole numbers that are multiples of a decimal fraction are those of this number: of 1.5, the multiples
/// of 3.
fn whole_step(fraction: &str) -> Option<i128> {
    let (whole, decimals) = fraction.split_once('.')?;
    let digits: i128 = format!("{whole}{decimals}").parse().ok()?;
    let scale = 10_i128.checked_pow(u32::try_from(decimals.len()).ok()?)?;
    let (mut divisor, mut rest) = (digits, scale);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    digits.checked_div(divisor)
}

fn fit(ty: &Type, key: &str, value: NodeRef<'_>) -> Fit {
    let (Some(text), Some(number)) = (value.as_number(), value.as_f64()) else { return Fit::Wrong };
    if key == "multipleOf" && number <= 0.0 {
        return Fit::Wrong;
    }
    let Some((least, most)) = ty.range() else {
        let finite = match ty {
            Type::F32 => text.parse::<f32>().is_ok_and(f32::is_finite),
            _ => number.is_finite(),
        };
        return if finite { Fit::Literal(text.to_owned()) } else { Fit::Always };
    };
    if key == "multipleOf"
        && value.as_i128().is_none()
        && let Some(step) = whole_step(text).filter(|step| *step <= most)
    {
        return Fit::Literal(step.to_string());
    }
    // A bound with a fraction means the next whole number inside; so large a number has no fraction.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a float beyond the range saturates, which is out of any type's range"
    )]
    let whole = value.as_i128().unwrap_or_else(|| match key {
        "minimum" => number.ceil() as i128,
        _ => number.floor() as i128,
    });
    match key {
        "multipleOf" if value.as_i128().is_none() || whole > most => Fit::Never,
        "minimum" if whole < least => Fit::Always,
        "maximum" if whole > most => Fit::Always,
        "minimum" | "maximum" if whole > most || whole < least => Fit::Never,
        _ => Fit::Literal(whole.to_string()),
    }
}
