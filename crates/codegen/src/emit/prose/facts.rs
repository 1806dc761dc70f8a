//! What is said of a value beside its description: its bounds, its default, and that it is deprecated.

use super::{ended, first_line, first_paragraph};
use crate::{
    ir::{Constraint, Element, Parameter, Type},
    render::markdown,
};
use serde_json::Value;

/// Patterns and lists that are longer say nothing at a glance.
const LONGEST: usize = 60;

/// Returns the description of a parameter, if the document says anything of it: as Markdown, with all
/// paragraphs.
pub(in crate::emit) fn parameter_text(parameter: &Parameter) -> Option<String> {
    let docs = parameter.docs.as_deref().map(markdown);
    let facts = facts(parameter);
    match (docs, facts.is_empty()) {
        (docs, true) => docs,
        (Some(docs), false) => Some(format!("{docs}\n\n{facts}")),
        (None, false) => Some(facts),
    }
}

/// Returns the bounds of a value beside its type, where the type lists the values that it may have.
pub(in crate::emit) fn bounds_beyond_values(element: &Element) -> Option<String> {
    let mut beyond = element.clone();
    beyond.constraints.retain(|constraint| match constraint {
        Constraint::OneOf(values) => values.iter().any(|value| value.is_array() || value.is_object()),
        _ => true,
    });
    bounds(&beyond)
}

/// Returns the same for a list of arguments, on one line; empty if the document says nothing.
pub(in crate::emit) fn argument_line(parameter: &Parameter) -> String {
    let docs = paragraph_line(parameter.docs.as_deref());
    let facts = facts(parameter);
    let deprecated = if parameter.deprecated { "Deprecated." } else { "" };
    let docs = if docs.is_empty() { docs } else { ended(&docs) };
    [deprecated, &docs, &facts].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The first paragraph of a text on one line, as Markdown that rustdoc reads.
pub(in crate::emit) fn paragraph_line(text: Option<&str>) -> String {
    let text = markdown(&first_paragraph(text.unwrap_or_default()));
    let line = text.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    // A paragraph that announces a list ends where its first sentence does.
    if line.ends_with(':') { first_line(Some(&line)) } else { line }
}

fn facts(parameter: &Parameter) -> String {
    let mut sentences = Vec::new();
    sentences.extend(bounds(&parameter.element));
    let secret = parameter.element.ty == Type::Secret;
    let default = parameter.default.as_ref().map(shown).filter(|value| is_short(value) && !secret);
    sentences.extend(default.map(|value| format!("Absence means `{value}`.")));
    sentences.join(" ")
}

/// Returns one sentence with the bounds of a value.
pub(in crate::emit) fn bounds(element: &Element) -> Option<String> {
    let constraints = &element.constraints;
    let unsigned = matches!(element.ty, Type::U8 | Type::U16 | Type::U32 | Type::U64);
    let find = |of: fn(&Constraint) -> Option<String>| constraints.iter().find_map(of);
    // That a number of an unsigned type is not negative is said by the type.
    let least = find(|constraint| match constraint {
        Constraint::Minimum(bound) => Some(bound.clone()),
        _ => None,
    })
    .filter(|bound| !(unsigned && bound == "0"));
    let most = find(|constraint| match constraint {
        Constraint::Maximum(bound) => Some(bound.clone()),
        _ => None,
    });
    let count = |of: fn(&Constraint) -> Option<u64>| constraints.iter().find_map(of);
    let mut parts = Vec::new();
    parts.extend(between(least, most, ""));
    for (noun, least, most) in [
        (
            "character",
            count(|it| if let Constraint::MinChars(count) = it { Some(*count) } else { None }),
            count(|it| if let Constraint::MaxChars(count) = it { Some(*count) } else { None }),
        ),
        (
            "item",
            count(|it| if let Constraint::MinItems(count) = it { Some(*count) } else { None }),
            count(|it| if let Constraint::MaxItems(count) = it { Some(*count) } else { None }),
        ),
        (
            "member",
            count(|it| if let Constraint::MinMembers(count) = it { Some(*count) } else { None }),
            count(|it| if let Constraint::MaxMembers(count) = it { Some(*count) } else { None }),
        ),
    ] {
        let one = most.or(least) == Some(1);
        let noun = if one { format!(" {noun}") } else { format!(" {noun}s") };
        let least = least.filter(|least| *least > 0);
        parts.extend(between(least.map(|least| least.to_string()), most.map(|most| most.to_string()), &noun));
    }
    for constraint in constraints {
        parts.extend(match constraint {
            Constraint::Above(bound) => Some(format!("greater than {bound}")),
            Constraint::Below(bound) => Some(format!("less than {bound}")),
            Constraint::MultipleOf(unit) => Some(format!("a multiple of {unit}")),
            Constraint::UniqueItems => Some("no item twice".to_owned()),
            Constraint::Pattern { source, .. } => {
                is_short(source).then(|| format!("matches the pattern `{source}`"))
            }
            Constraint::OneOf(values) => {
                let shown: Vec<String> = values.iter().map(|value| format!("`{}`", shown(value))).collect();
                let list = shown.join(", ");
                let what = if values.len() == 1 { "always" } else { "one of" };
                (list.len() <= LONGEST && !list.contains('\n')).then(|| format!("{what} {list}"))
            }
            _ => None,
        });
    }
    (!parts.is_empty()).then(|| format!("{}.", super::capitalized(&parts.join(", "))))
}

/// Returns what is said of a number or a count that has one bound or both.
fn between(least: Option<String>, most: Option<String>, unit: &str) -> Option<String> {
    match (least, most) {
        (Some(least), Some(most)) if least == most => Some(format!("exactly {least}{unit}")),
        (Some(least), Some(most)) => Some(format!("{least} to {most}{unit}")),
        (Some(least), None) => Some(format!("at least {least}{unit}")),
        (None, Some(most)) => Some(format!("at most {most}{unit}")),
        (None, None) => None,
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn is_short(text: &str) -> bool {
    !text.is_empty() && text.len() <= LONGEST && !text.contains(['`', '\n', '\r']) && text.trim() == text
}

#[cfg(test)]
mod tests {
    use super::bounds;
    use crate::ir::{Constraint, Element, Type};

    #[test]
    fn bounds_are_one_sentence() {
        let number = |text: &str| text.to_owned();
        for (ty, constraints, said) in [
            (
                Type::I64,
                vec![Constraint::Minimum(number("1")), Constraint::Maximum(number("100"))],
                "1 to 100.",
            ),
            (Type::I64, vec![Constraint::Minimum(number("0"))], "At least 0."),
            (
                Type::F64,
                vec![Constraint::Above(number("0")), Constraint::Below(number("1"))],
                "Greater than 0, less than 1.",
            ),
            (Type::String, vec![Constraint::MinChars(1), Constraint::MaxChars(64)], "1 to 64 characters."),
            (Type::String, vec![Constraint::MinChars(2), Constraint::MaxChars(2)], "Exactly 2 characters."),
            (Type::String, vec![Constraint::MinChars(0), Constraint::MaxChars(1)], "At most 1 character."),
            (
                Type::String,
                vec![Constraint::MaxChars(9), Constraint::Pattern { source: "^a+$".to_owned(), rule: None }],
                "At most 9 characters, matches the pattern `^a+$`.",
            ),
            (Type::I64, vec![Constraint::OneOf(vec![1.into(), 2.into()])], "One of `1`, `2`."),
            (Type::Bool, vec![Constraint::OneOf(vec![true.into()])], "Always `true`."),
        ] {
            let element = Element { ty, nullable: false, constraints };
            assert_eq!(bounds(&element).as_deref(), Some(said));
        }
        let unsigned = Element {
            ty: Type::U32,
            nullable: false,
            constraints: vec![Constraint::Minimum("0".to_owned())],
        };
        assert_eq!(bounds(&unsigned), None);
        let long = Constraint::Pattern { source: "a".repeat(100), rule: None };
        assert_eq!(bounds(&Element { ty: Type::String, nullable: false, constraints: vec![long] }), None);
    }
}
