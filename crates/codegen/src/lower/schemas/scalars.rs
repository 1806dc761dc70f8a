//! Owns the lowering of strings, numbers and their bounds.

use super::Place;
use crate::{
    ir::{Constraint, EnumValue, Format, Shape, StringEnum, Type},
    lower::{Lowering, flag, names, shown, text},
};
use frontdesk_document::{Diagnostic, Kind, NodeRef};

impl<'d> Lowering<'d, '_> {
    pub(super) fn string(&mut self, node: NodeRef<'d>, place: &Place) -> (Type, Vec<Constraint>) {
        if let Some(values) = node.get("enum") {
            return (self.string_enum(node, values, place), Vec::new());
        }
        let mut constraints = Vec::new();
        constraints.extend(self.size(node, "minLength").map(Constraint::MinChars));
        constraints.extend(self.size(node, "maxLength").map(Constraint::MaxChars));
        if let Some(pattern) = node.get("pattern")
            && let Some(source) = pattern.as_str()
        {
            match regress::Regex::with_flags(source, "u").or_else(|_| regress::Regex::new(source)) {
                Ok(_) => constraints.push(Constraint::Pattern(source.to_owned())),
                Err(error) => self.problems.push(
                    Diagnostic::error("invalid-pattern", shown(pattern), format!("the pattern is no ECMA 262 regular expression: {error}"))
                        .hint("escape what is meant literally; look-behind and named groups follow JavaScript's syntax"),
                ),
            }
        }
        let ty = match text(node, "format") {
            Some("uuid") => Type::Uuid,
            Some("date-time") => Type::Timestamp,
            Some("password") => Type::Secret,
            Some(format) => {
                match format {
                    "uri" | "url" => constraints.push(Constraint::Format(Format::Uri)),
                    "email" => constraints.push(Constraint::Format(Format::Email)),
                    "hostname" => constraints.push(Constraint::Format(Format::Hostname)),
                    _ => {
                        let node = node.get("format").unwrap_or(node);
                        self.warn_once(
                            node,
                            "format-ignored",
                            format!("the format `{format}` is kept as text and not checked"),
                            "add a `pattern` if the form matters",
                        );
                    }
                }
                Type::String
            }
            None => Type::String,
        };
        if matches!(ty, Type::Uuid | Type::Timestamp) {
            constraints.clear();
        }
        (ty, constraints)
    }

    fn string_enum(&mut self, node: NodeRef<'d>, values: NodeRef<'d>, place: &Place) -> Type {
        let mut taken = names::Scope::default();
        let mut listed = Vec::new();
        taken.take("Unknown", "");
        for value in values.items() {
            match value.as_str() {
                Some(wire) => listed.push(EnumValue {
                    wire: wire.to_owned(),
                    rust: taken.take(&names::pascal(wire), "Value"),
                }),
                None if value.kind() == Kind::Null => {}
                None => {
                    self.warn_once(
                        value,
                        "enum-ignored",
                        "only string values make an enumeration; the values of this one are not checked",
                        "quote the values, or bound numbers with `minimum` and `maximum`",
                    );
                    return Type::Any;
                }
            }
        }
        if listed.is_empty() {
            self.problems.push(
                Diagnostic::error(
                    "empty-enum",
                    shown(values),
                    "an enumeration without values allows nothing",
                )
                .hint("list at least one value"),
            );
        }
        let id = self.open(node, place);
        self.types[id.0].shape =
            Shape::Enum(StringEnum { values: listed, extensible: flag(node, "x-extensible-enum") });
        Type::Named(id)
    }

    pub(super) fn integer(&mut self, node: NodeRef<'d>) -> Type {
        self.no_enum(node);
        match text(node, "format") {
            Some("int32") => Type::I32,
            Some("uint32") => Type::U32,
            Some("uint64") => Type::U64,
            _ => Type::I64,
        }
    }

    pub(super) fn no_enum(&mut self, node: NodeRef<'d>) {
        if let Some(values) = node.get("enum") {
            self.warn_once(
                values,
                "enum-ignored",
                "only string values make an enumeration; the values of this one are not checked",
                "bound numbers with `minimum` and `maximum`",
            );
        }
    }

    /// The bounds of a number, as literals of its type. One that every value of the type keeps is left out.
    pub(super) fn bounds(&mut self, node: NodeRef<'d>, ty: &Type) -> Vec<Constraint> {
        let lower = self.exclusive(node, "exclusiveMinimum", "minimum");
        let upper = self.exclusive(node, "exclusiveMaximum", "maximum");
        let mut constraints = Vec::new();
        for (key, make) in [
            (
                "minimum",
                if lower { Constraint::Above } else { Constraint::Minimum } as fn(String) -> Constraint,
            ),
            ("maximum", if upper { Constraint::Below } else { Constraint::Maximum }),
            ("multipleOf", Constraint::MultipleOf),
        ] {
            let Some(value) = node.get(key) else { continue };
            let fit = value.as_number().map_or(Fit::Wrong, |number| fit(ty, key, number));
            match fit {
                Fit::Literal(number) => constraints.push(make(number)),
                Fit::Always => {}
                Fit::Wrong => {
                    let (owner, wanted) = kind(ty);
                    let wanted =
                        if key == "multipleOf" { format!("{wanted} above 0") } else { wanted.to_owned() };
                    self.problems.push(
                        Diagnostic::error(
                            "invalid-bound",
                            shown(value),
                            format!("`{key}` of {owner} must be {wanted}"),
                        )
                        .hint("write a number of the type's range, without quotes, and without a fraction for an integer"),
                    );
                }
            }
        }
        constraints
    }

    /// Whether a bound excludes itself. OpenAPI 3.1 writes the bound in this place, which must not pass for a flag.
    fn exclusive(&mut self, node: NodeRef<'d>, key: &str, bound: &str) -> bool {
        let Some(value) = node.get(key) else { return false };
        if value.as_bool().is_none() {
            self.problems.push(
                Diagnostic::error(
                    "invalid-bound",
                    shown(value),
                    format!("`{key}` must be `true` or `false`"),
                )
                .hint(format!("write the number as `{bound}`, and `{key}: true` beside it")),
            );
        }
        value.as_bool().unwrap_or(false)
    }

    pub(super) fn size(&mut self, node: NodeRef<'d>, key: &str) -> Option<u64> {
        let value = node.get(key)?;
        let size = value.as_number().and_then(|number| number.parse().ok());
        if size.is_none() {
            self.problems.push(
                Diagnostic::error(
                    "invalid-bound",
                    shown(value),
                    format!("`{key}` must be a whole number from 0 up"),
                )
                .hint("write it without quotes and without a fraction"),
            );
        }
        size
    }
}

/// How a bound goes with the type that it bounds.
enum Fit {
    /// As this literal.
    Literal(String),
    /// Every value of the type keeps it.
    Always,
    /// Not at all.
    Wrong,
}

fn fit(ty: &Type, key: &str, number: &str) -> Fit {
    let range = match ty {
        Type::I32 => i128::from(i32::MIN)..=i128::from(i32::MAX),
        Type::I64 => i128::from(i64::MIN)..=i128::from(i64::MAX),
        Type::U32 => 0..=i128::from(u32::MAX),
        Type::U64 => 0..=i128::from(u64::MAX),
        _ => {
            let finite = match ty {
                Type::F32 => number.parse::<f32>().is_ok_and(f32::is_finite),
                _ => number.parse::<f64>().is_ok_and(f64::is_finite),
            };
            let positive = !number.starts_with('-') && number.parse() != Ok(0.0);
            let fits = finite && (key != "multipleOf" || positive);
            return if fits { Fit::Literal(number.to_owned()) } else { Fit::Wrong };
        }
    };
    match (key, number.parse::<i128>()) {
        ("multipleOf", Ok(step)) if step <= 0 => Fit::Wrong,
        (_, Ok(value)) if range.contains(&value) => Fit::Literal(number.to_owned()),
        ("minimum", Ok(value)) if value < *range.start() => Fit::Always,
        ("maximum", Ok(value)) if value > *range.end() => Fit::Always,
        _ => Fit::Wrong,
    }
}

/// What a type is called in a message, and what its bounds must be.
fn kind(ty: &Type) -> (&'static str, &'static str) {
    match ty {
        Type::I32 => ("an `int32`", "an integer of 32 bits"),
        Type::I64 => ("an integer", "an integer of 64 bits"),
        Type::U32 => ("a `uint32`", "an unsigned integer of 32 bits"),
        Type::U64 => ("a `uint64`", "an unsigned integer of 64 bits"),
        Type::F32 => ("a `float`", "a number of single precision"),
        _ => ("a number", "a number"),
    }
}
