//! The header `Idempotency-Key` of an operation: clients send a random one unless the caller gives one.

use crate::ir::{Constraint, Location, Operation, Parameter, Type};
use frontdesk_pattern::Pattern;

/// A key as clients make it.
const KEY: &str = "5b1f3c80-8a44-4f5e-9d1f-6a3f0f3c2b11";

/// Returns whether clients make a key for each call: the operation declares the header, and a UUID is one of
/// the values that the document allows.
pub(super) fn is_keyed(operation: &Operation) -> bool {
    operation.parameters.iter().any(|parameter| is_key(parameter) && allows_uuid(parameter))
}

/// Returns a note about the key for the docs of the method.
pub(super) fn note(operation: &Operation) -> Option<&'static str> {
    let optional = operation.parameters.iter().any(|parameter| is_key(parameter) && !parameter.required);
    (optional && is_keyed(operation)).then_some(
        "A call without `idempotency_key` sends a random one, the same in each attempt, so it is retried safely.\n\n",
    )
}

/// Returns whether a parameter is the header.
pub(super) fn is_key(parameter: &Parameter) -> bool {
    parameter.location == Location::Header && parameter.wire.eq_ignore_ascii_case("idempotency-key")
}

fn allows_uuid(parameter: &Parameter) -> bool {
    let element = &parameter.element;
    let length = KEY.len() as u64;
    matches!(element.ty, Type::String | Type::Uuid | Type::Secret | Type::Any)
        && element.constraints.iter().all(|constraint| match constraint {
            Constraint::MinChars(least) => *least <= length,
            Constraint::MaxChars(most) => *most >= length,
            Constraint::Pattern { source, .. } => {
                Pattern::new(source).is_ok_and(|pattern| pattern.is_match(KEY))
            }
            _ => false,
        })
}

#[cfg(test)]
mod tests {
    use super::{Constraint, Location, Parameter, Type, allows_uuid, is_key};
    use crate::ir::{Element, Format, Style};

    fn header(name: &str, ty: Type, constraints: Vec<Constraint>) -> Parameter {
        Parameter {
            wire: name.to_owned(),
            rust: "idempotency_key".to_owned(),
            docs: None,
            deprecated: false,
            location: Location::Header,
            allow_empty: false,
            required: false,
            style: Style::Simple,
            explode: false,
            allow_reserved: false,
            default: None,
            element: Element { ty, nullable: false, constraints },
        }
    }

    #[test]
    fn the_header_is_found_by_its_name() {
        for (name, location, found) in [
            ("Idempotency-Key", Location::Header, true),
            ("idempotency-key", Location::Header, true),
            ("Idempotency-Key", Location::Query, false),
            ("X-Idempotency-Key", Location::Header, false),
        ] {
            let parameter = Parameter { location, ..header(name, Type::String, Vec::new()) };
            assert_eq!(is_key(&parameter), found, "{name} {location:?}");
        }
    }

    #[test]
    fn a_key_that_the_document_refuses_is_not_made() {
        let pattern = |source: &str| Constraint::Pattern { source: source.to_owned(), rule: None };
        for (ty, constraints, allowed) in [
            (Type::String, Vec::new(), true),
            (Type::Uuid, Vec::new(), true),
            (Type::I64, Vec::new(), false),
            (Type::String, vec![Constraint::MinChars(1), Constraint::MaxChars(36)], true),
            (Type::String, vec![Constraint::MaxChars(35)], false),
            (Type::String, vec![Constraint::MinChars(36)], true),
            (Type::String, vec![Constraint::MinChars(37)], false),
            (Type::String, vec![pattern("^[ -~]+$")], true),
            (Type::String, vec![pattern("^[0-9]+$")], false),
            (Type::String, vec![Constraint::Format(Format::Uri)], false),
        ] {
            let parameter = header("Idempotency-Key", ty, constraints);
            assert_eq!(allows_uuid(&parameter), allowed, "{:?}", parameter.element);
        }
    }
}
