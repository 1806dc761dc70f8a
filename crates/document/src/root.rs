//! Requirements on the outermost object of the root: it is an OpenAPI document of a supported version, with
//! the fields every one has.

use crate::codes;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::forest::{Forest, NodeId};
use crate::version::Version;

/// The dialect that a document has unless it says otherwise, and the one that it extends.
const DIALECTS: [&str; 2] =
    ["https://spec.openapis.org/oas/3.1/dialect/base", "https://json-schema.org/draft/2020-12/schema"];

/// Checks version and required fields; `None` if nothing further about this document would be meaningful.
pub(crate) fn check(forest: &Forest, root: NodeId, strict: bool, found: &mut Diagnostics) -> Option<Version> {
    let version = version(forest, root, strict, found)?;
    let start = forest.sources.span(root.file, forest.node(root).start..forest.node(root).start);
    let mut defect = |diagnostic: Diagnostic, reading: &str| {
        found.push(if strict { diagnostic } else { diagnostic.tolerated(reading) });
    };
    match forest.member(root, "info") {
        None => defect(
            Diagnostic::error(codes::MISSING_FIELD, start, "the document has no `info` field")
                .hint("write `info` with `title` and `version`"),
            "it is read as an API without a title and version",
        ),
        Some(info) if forest.is_object(info) && forest.reference(info).is_none() => {
            for field in ["title", "version"] {
                match forest.member(info, field) {
                    None => defect(
                        Diagnostic::error(
                            codes::MISSING_FIELD,
                            forest.key_span(info),
                            format!("`info` has no `{field}`"),
                        )
                        .hint(format!("write `{field}` with a text")),
                        "it is read as an empty text",
                    ),
                    Some(value) if forest.string(value).is_none() => defect(
                        Diagnostic::error(
                            codes::INVALID_VALUE,
                            forest.span(value),
                            format!("`info.{field}` must be a string"),
                        )
                        .hint("put the value in quotes"),
                        "a number is read as the text of its digits, anything else as an empty text",
                    ),
                    Some(_) => {}
                }
            }
        }
        Some(info) if forest.is_object(info) => {}
        Some(info) => defect(expected_object(forest, info, "info"), "it is read as if it were absent"),
    }
    let mut without_paths = false;
    let optional = version == Version::V3_1
        && ["components", "webhooks"].iter().any(|field| forest.member(root, field).is_some());
    match forest.member(root, "paths") {
        None if optional => {}
        None => without_paths = true,
        Some(paths) if !forest.is_object(paths) => {
            defect(expected_object(forest, paths, "paths"), "the document is read as one without operations");
        }
        Some(_) => {}
    }
    if let Some(components) = forest.member(root, "components").filter(|node| !forest.is_object(*node)) {
        defect(expected_object(forest, components, "components"), "it is read as if it were absent");
    }
    if without_paths {
        found.push(
            Diagnostic::warning(
                codes::MISSING_PATHS,
                start,
                "the document has no `paths` and is taken to have no operations",
            )
            .hint("write `paths: {}` if that is meant"),
        );
    }
    if let Some(dialect) = forest.member(root, "jsonSchemaDialect")
        && version == Version::V3_1
        && !forest.string(dialect).is_some_and(|text| DIALECTS.contains(&text.trim_end_matches('#')))
    {
        found.push(
            Diagnostic::warning(
                codes::UNKNOWN_DIALECT,
                forest.span(dialect),
                "the schemas are written in a dialect that is not known here",
            )
            .note("they are read as JSON Schema 2020-12; keywords of other vocabularies are ignored")
            .hint("remove `jsonSchemaDialect` if the schemas use no other vocabulary"),
        );
    }
    Some(version)
}

/// Returns the version of OpenAPI that the document follows; `None` if it is none that can be read.
fn version(forest: &Forest, root: NodeId, strict: bool, found: &mut Diagnostics) -> Option<Version> {
    let start = forest.sources.span(root.file, forest.node(root).start..forest.node(root).start);
    if !forest.is_object(root) {
        found.push(
            Diagnostic::error(codes::INVALID_VALUE, forest.span(root), "an OpenAPI document is an object")
                .hint("begin the document with `openapi: 3.0.3`, `info` and `paths`"),
        );
        return None;
    }
    if let Some(swagger) = forest.member(root, "swagger") {
        found.push(
            Diagnostic::error(
                codes::UNSUPPORTED_VERSION,
                forest.span(swagger),
                "this is a Swagger 2.0 document",
            )
            .note("only OpenAPI 3.0 and 3.1 are supported")
            .hint("convert the document to OpenAPI 3.0.3 first"),
        );
        return None;
    }
    let Some(version) = forest.member(root, "openapi") else {
        found.push(
            Diagnostic::error(codes::MISSING_FIELD, start, "the document has no `openapi` field")
                .hint("begin the document with `openapi: 3.0.3`"),
        );
        return None;
    };
    let known = forest.string(version).and_then(Version::parse);
    if known.is_some() {
        return known;
    }
    let written = forest.string(version).or_else(|| forest.number(version));
    let meant = written.and_then(Version::loosely).filter(|_| !strict);
    let is_text = forest.string(version).is_some();
    let problem = match written {
        _ if !is_text => Diagnostic::error(
            codes::INVALID_VALUE,
            forest.span(version),
            "`openapi` must be a string",
        )
        .hint("write the whole version in quotes, such as `openapi: \"3.0.3\"`"),
        number => Diagnostic::error(
            codes::UNSUPPORTED_VERSION,
            forest.span(version),
            format!("`{}` is not a version of OpenAPI 3.0 or 3.1", number.unwrap_or_default()),
        )
        .note("only OpenAPI 3.0 (3.0.0 to 3.0.4) and 3.1 (3.1.0 and later) are supported")
        .hint("write `openapi: 3.1.0` or `openapi: 3.0.3`, and describe the API with the constructs of that version"),
    };
    found.push(match meant {
        Some(meant) => problem.tolerated(format!("the document is read as one of OpenAPI {meant}")),
        None => problem,
    });
    meant
}

fn expected_object(forest: &Forest, node: NodeId, field: &str) -> Diagnostic {
    let kind = forest.node(node).data.name();
    Diagnostic::error(
        codes::INVALID_VALUE,
        forest.span(node),
        format!("`{field}` must be an object, and is {kind}"),
    )
}
