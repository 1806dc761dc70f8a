//! Unbounded lists in responses.

use frontdesk_document::{NodeRef, Operation};
use heck::ToSnakeCase;

use super::finding::Drafts;
use super::rules::UNPAGED_LIST;
use super::survey::{Survey, object, success_schemas, text};
use crate::oracle::kind;

/// Words in the names of parameters that limit or paginate a list.
const PAGING: &[&str] = &[
    "after", "before", "count", "cursor", "first", "last", "limit", "marker", "max", "offset", "page",
    "pagesize", "perpage", "size", "skip", "start", "take", "top",
];

/// Checks the responses of GET operations.
pub(super) fn check<'d>(survey: &Survey<'d>, drafts: &mut Drafts<'d>) {
    for operation in survey.operations.iter().filter(|operation| operation.method == "get") {
        if operation.node.get("x-pagination").is_some() || is_paged(operation) || has_link_header(operation) {
            continue;
        }
        let Some(list) = success_schemas(operation).filter_map(object).find_map(list) else { continue };
        if list.get("maxItems").is_none() {
            let message = format!("{} returns an unbounded list", operation.name());
            let hint =
                "add parameters such as `limit` and `cursor`, with `x-pagination`, or `maxItems` to the list";
            drafts.report(UNPAGED_LIST, operation.node, message, hint);
        }
    }
}

fn is_paged(operation: &Operation<'_>) -> bool {
    operation.distinct_parameters().any(|parameter| {
        let parameter = parameter.node;
        let name = text(parameter, "name").unwrap_or_default().to_snake_case();
        matches!(text(parameter, "in"), Some("query" | "header"))
            && name.split('_').any(|word| PAGING.contains(&word))
    })
}

/// Returns whether a `Link` header paginates the list.
fn has_link_header(operation: &Operation<'_>) -> bool {
    operation
        .responses()
        .filter_map(|(_, response)| object(response)?.get("headers"))
        .any(|headers| headers.members().any(|(name, _)| name.eq_ignore_ascii_case("link")))
}

/// Returns the array that a schema is, or the only array of objects among the properties of an object.
fn list(schema: NodeRef<'_>) -> Option<NodeRef<'_>> {
    match kind(schema) {
        Some("array") => Some(schema),
        Some("object") => {
            let members = schema.get("properties").into_iter().flat_map(NodeRef::members);
            let members: Vec<NodeRef<'_>> = members.filter_map(|(_, member)| object(member)).collect();
            let mut lists =
                members.iter().filter(|member| kind(**member) == Some("array") && holds_objects(**member));
            // An envelope has an array and counts of it; a resource also has other properties.
            let alone = members
                .iter()
                .filter(|member| !matches!(kind(**member), Some("integer" | "boolean")))
                .count();
            lists.next().copied().filter(|_| alone == 1)
        }
        _ => None,
    }
}

fn holds_objects(list: NodeRef<'_>) -> bool {
    let items = list.get("items").and_then(object);
    items.is_some_and(|items| {
        kind(items) == Some("object")
            || ["allOf", "oneOf", "anyOf"].iter().any(|key| items.get(key).is_some())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use frontdesk_document::{Document, MemoryLoader};

    #[test]
    fn an_envelope_is_distinguished_from_a_resource() {
        for (schema, is_list) in [
            ("{type: array, items: {type: string}}", true),
            ("{properties: {pets: {type: array, items: {type: object}}, total: {type: integer}}}", true),
            ("{properties: {pets: {type: array, items: {type: object}}, name: {type: string}}}", false),
            ("{properties: {tags: {type: array, items: {type: string}}}}", false),
            ("{type: object}", false),
        ] {
            let text = format!(
                "openapi: 3.0.3\ninfo: {{title: A, version: '1'}}\npaths: {{}}\nx-schema: {schema}\n"
            );
            let (document, _) = Document::read("a.yaml", &MemoryLoader::new().with("a.yaml", text));
            let document = document.expect("the document is valid");
            let schema = document.root().get("x-schema").expect("it is there");
            assert_eq!(list(schema).is_some(), is_list, "{schema:?}");
        }
    }
}
