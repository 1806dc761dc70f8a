//! What must hold for the outermost object of the root: it is an OpenAPI 3.0 document, with the fields every one has.

use crate::codes;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::forest::{Forest, NodeId};

/// Checks version and required fields; `false` if nothing further about this document would be meaningful.
pub(crate) fn check(forest: &Forest, root: NodeId, found: &mut Diagnostics) -> bool {
    let start = forest.sources.span(root.file, forest.node(root).start..forest.node(root).start);
    if !forest.is_object(root) {
        found.push(
            Diagnostic::error(codes::INVALID_VALUE, forest.span(root), "an OpenAPI document is an object")
                .hint("begin the document with `openapi: 3.0.3`, `info` and `paths`"),
        );
        return false;
    }
    if let Some(swagger) = forest.member(root, "swagger") {
        found.push(
            Diagnostic::error(
                codes::UNSUPPORTED_VERSION,
                forest.span(swagger),
                "this is a Swagger 2.0 document",
            )
            .note("only OpenAPI 3.0 is supported")
            .hint("convert the document to OpenAPI 3.0.3 first"),
        );
        return false;
    }
    let Some(version) = forest.member(root, "openapi") else {
        found.push(
            Diagnostic::error(codes::MISSING_FIELD, start, "the document has no `openapi` field")
                .hint("begin the document with `openapi: 3.0.3`"),
        );
        return false;
    };
    let Some(number) = forest.string(version) else {
        found.push(
            Diagnostic::error(codes::INVALID_VALUE, forest.span(version), "`openapi` must be a string")
                .hint("write the whole version in quotes, such as `openapi: \"3.0.3\"`"),
        );
        return false;
    };
    let patch = number.strip_prefix("3.0.").and_then(|patch| patch.split(['-', '+']).next());
    if !patch.is_some_and(|patch| !patch.is_empty() && patch.bytes().all(|byte| byte.is_ascii_digit())) {
        let message = if number.starts_with("3.1") || number.starts_with("3.2") {
            format!("the document follows OpenAPI {number}, whose schemas are JSON Schema 2020-12")
        } else {
            format!("`{number}` is not a version of OpenAPI 3.0")
        };
        found.push(
            Diagnostic::error(codes::UNSUPPORTED_VERSION, forest.span(version), message)
                .note("only OpenAPI 3.0 (3.0.0 to 3.0.4) is supported")
                .hint("write `openapi: 3.0.3` and describe the API with the constructs of OpenAPI 3.0"),
        );
        return false;
    }
    match forest.member(root, "info") {
        None => found.push(
            Diagnostic::error(codes::MISSING_FIELD, start, "the document has no `info` field")
                .hint("write `info` with `title` and `version`"),
        ),
        Some(info) if forest.is_object(info) && forest.reference(info).is_none() => {
            for field in ["title", "version"] {
                match forest.member(info, field) {
                    None => found.push(
                        Diagnostic::error(
                            codes::MISSING_FIELD,
                            forest.key_span(info),
                            format!("`info` has no `{field}`"),
                        )
                        .hint(format!("write `{field}` with a text")),
                    ),
                    Some(value) if forest.string(value).is_none() => found.push(
                        Diagnostic::error(
                            codes::INVALID_VALUE,
                            forest.span(value),
                            format!("`info.{field}` must be a string"),
                        )
                        .hint("put the value in quotes"),
                    ),
                    Some(_) => {}
                }
            }
        }
        Some(info) if forest.is_object(info) => {}
        Some(info) => found.push(expected_object(forest, info, "info")),
    }
    match forest.member(root, "paths") {
        None => found.push(
            Diagnostic::warning(
                codes::MISSING_PATHS,
                start,
                "the document has no `paths` and is taken to have no operations",
            )
            .hint("write `paths: {}` if that is meant"),
        ),
        Some(paths) if !forest.is_object(paths) => found.push(expected_object(forest, paths, "paths")),
        Some(_) => {}
    }
    if let Some(components) = forest.member(root, "components").filter(|node| !forest.is_object(*node)) {
        found.push(expected_object(forest, components, "components"));
    }
    true
}

fn expected_object(forest: &Forest, node: NodeId, field: &str) -> Diagnostic {
    let kind = forest.node(node).data.name();
    Diagnostic::error(
        codes::INVALID_VALUE,
        forest.span(node),
        format!("`{field}` must be an object, and is {kind}"),
    )
}
