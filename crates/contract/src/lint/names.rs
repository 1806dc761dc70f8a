//! Names that become equal in generated code.

use std::collections::HashMap;

use frontdesk_document::NodeRef;
use heck::{ToPascalCase, ToSnakeCase};

use super::finding::Drafts;
use super::rules::{
    ENUM_VALUE_COLLISION, OPERATION_ID_CASE, OPERATION_ID_MISSING, PARAMETER_NAME_COLLISION,
    PROPERTY_NAME_COLLISION, Rule, SCHEMA_NAME_COLLISION,
};
use super::survey::{Survey, text};

const HINT: &str = "rename one of them, or give one an `x-rust-name`";

/// Checks names that the generator would have to number. The generator checks the names of operations.
pub(super) fn check<'d>(survey: &Survey<'d>, drafts: &mut Drafts<'d>) {
    operation_ids(survey, drafts);
    // Schemas of other files may have the same name; bundling resolves that.
    let root = survey.document.root().file();
    let schemas = survey.components.iter().filter(|it| it.section == "schemas" && it.node.file() == root);
    let schemas = schemas.map(|schema| (schema.name, schema.node));
    collisions(schemas, Spelling::Type, SCHEMA_NAME_COLLISION, "the schemas", HINT, drafts);
    for schema in &survey.schemas {
        let properties = schema.node.get("properties").into_iter().flat_map(NodeRef::members);
        collisions(properties, Spelling::Field, PROPERTY_NAME_COLLISION, "the properties", HINT, drafts);
        enum_values(schema.node, drafts);
    }
    for operation in &survey.operations {
        let parameters = operation.distinct_parameters().map(|parameter| parameter.node);
        let parameters = parameters.filter_map(|node| Some((text(node, "name")?, node)));
        collisions(parameters, Spelling::Field, PARAMETER_NAME_COLLISION, "the parameters", HINT, drafts);
    }
}

fn operation_ids<'d>(survey: &Survey<'d>, drafts: &mut Drafts<'d>) {
    for operation in &survey.operations {
        let Some(id) = operation.node.get("operationId") else {
            let message = format!("{} has no `operationId`", operation.name());
            drafts.report(
                OPERATION_ID_MISSING,
                operation.node,
                message,
                "name it: a verb and a noun, such as `listPets`",
            );
            continue;
        };
        let camel = |id: &str| {
            id.starts_with(|first: char| first.is_ascii_lowercase())
                && id.bytes().all(|byte| byte.is_ascii_alphanumeric())
                && id.contains(|letter: char| letter.is_ascii_uppercase())
        };
        if let Some(written) = id.as_str().filter(|id| !camel(id)) {
            let message = format!("`{written}` is not a verb and a noun in camel case");
            drafts.report(OPERATION_ID_CASE, id, message, "rename it, following the example `createChatbot`");
        }
    }
}

fn enum_values<'d>(schema: NodeRef<'d>, drafts: &mut Drafts<'d>) {
    let named = ["x-enum-varnames", "x-enumNames"].iter().any(|key| schema.get(key).is_some());
    let Some(values) = schema.get("enum").filter(|_| !named) else { return };
    let values = values.items().filter_map(|value| Some((value.as_str()?, value)));
    let hint = "rename one of them, or name all by `x-enum-varnames`";
    collisions(values, Spelling::Type, ENUM_VALUE_COLLISION, "the values", hint, drafts);
}

/// The kind of name in generated code, which determines its spelling.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spelling {
    Type,
    Field,
}

fn collisions<'d>(
    names: impl Iterator<Item = (&'d str, NodeRef<'d>)>,
    spelling: Spelling,
    rule: &'static Rule,
    whose: &str,
    hint: &str,
    drafts: &mut Drafts<'d>,
) {
    let mut seen: HashMap<String, (&str, NodeRef<'d>)> = HashMap::new();
    for (written, node) in names {
        let name = folded(text(node, "x-rust-name").unwrap_or(written), spelling);
        match seen.get(&name) {
            // A repeated value is reported by another rule.
            Some((earlier, other))
                if *earlier != written || (other.get("in").is_some() && *other != node) =>
            {
                let places = match (text(*other, "in"), text(node, "in")) {
                    (Some(one), Some(two)) if *earlier == written => format!(" ({one} and {two})"),
                    _ => String::new(),
                };
                let message = format!(
                    "{whose} `{earlier}` and `{written}`{places} have the same name in generated code"
                );
                drafts.report(rule, node, message, hint);
            }
            Some(_) => {}
            None => {
                seen.insert(name, (written, node));
            }
        }
    }
}

/// Returns a name without what languages remove from names: case and punctuation, unless the whole name is
/// punctuation. Signs that distinguish values, as in `+1` and `-1`, become words.
fn folded(name: &str, spelling: Spelling) -> String {
    let mut words = String::with_capacity(name.len());
    let worded = name.chars().any(char::is_alphanumeric);
    let negative =
        name.strip_prefix('-').is_some_and(|rest| rest.starts_with(|next: char| next.is_ascii_digit()));
    for (index, letter) in name.chars().enumerate() {
        match letter {
            _ if letter.is_alphanumeric() => words.push(letter),
            '-' | '_' | '.' | '/' | ' ' | ':' if worded && !(negative && index == 0) => words.push(' '),
            sign => words.push_str(&format!(" u{:x} ", u32::from(sign))),
        }
    }
    match spelling {
        Spelling::Type => words.to_pascal_case(),
        Spelling::Field => words.to_snake_case(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_distinguish_names_and_case_does_not() {
        let same = |one, two, spelling| folded(one, spelling) == folded(two, spelling);
        for (one, two) in [("userId", "user_id"), ("User ID", "user-id"), ("a.b", "aB")] {
            assert!(same(one, two, Spelling::Field) && same(one, two, Spelling::Type), "{one} {two}");
        }
        for (one, two) in [
            ("+1", "-1"),
            ("1", "-1"),
            ("-", "_"),
            ("é", "è"),
            (">", ">="),
            ("a", "b"),
            ("userid", "user_id"),
        ] {
            assert!(!same(one, two, Spelling::Field) && !same(one, two, Spelling::Type), "{one} {two}");
        }
        assert!(same("a1", "a_1", Spelling::Type) && !same("a1", "a_1", Spelling::Field));
    }
}
