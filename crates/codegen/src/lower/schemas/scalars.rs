//! Owns the lowering of strings, numbers and their bounds.

use super::Place;
use crate::{
    ir::{Constraint, EnumValue, Format, Shape, StringEnum, Type},
    lower::{Lowering, flag, names, text},
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
                    Diagnostic::error("invalid-pattern", pattern.span(), format!("the pattern is no ECMA 262 regular expression: {error}"))
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
                    values.span(),
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

    pub(super) fn bounds(&mut self, node: NodeRef<'d>) -> Vec<Constraint> {
        let integer = text(node, "type") == Some("integer");
        let mut constraints = Vec::new();
        let mut bound = |key: &str, make: fn(String) -> Constraint| {
            if let Some(value) = node.get(key) {
                match value.as_number() {
                    Some(number) if !integer || number.parse::<i64>().is_ok() => {
                        constraints.push(make(number.to_owned()));
                    }
                    _ => self.problems.push(
                        Diagnostic::error(
                            "invalid-bound",
                            value.span(),
                            format!(
                                "`{key}` of {} must be {}",
                                if integer { "an integer" } else { "a number" },
                                if integer { "an integer of 64 bits" } else { "a number" }
                            ),
                        )
                        .hint("write it without quotes, and without a fraction for an integer"),
                    ),
                }
            }
        };
        bound(
            "minimum",
            if flag(node, "exclusiveMinimum") { Constraint::Above } else { Constraint::Minimum },
        );
        bound(
            "maximum",
            if flag(node, "exclusiveMaximum") { Constraint::Below } else { Constraint::Maximum },
        );
        bound("multipleOf", Constraint::MultipleOf);
        constraints
    }

    pub(super) fn size(&mut self, node: NodeRef<'d>, key: &str) -> Option<u64> {
        let value = node.get(key)?;
        let size = value.as_number().and_then(|number| number.parse().ok());
        if size.is_none() {
            self.problems.push(
                Diagnostic::error(
                    "invalid-bound",
                    value.span(),
                    format!("`{key}` must be a whole number from 0 up"),
                )
                .hint("write it without quotes and without a fraction"),
            );
        }
        size
    }
}
