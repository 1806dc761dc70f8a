//! Rewrites schemas in the forms of OpenAPI 3.0, so that every stage after reading sees one form.
//!
//! A schema of OpenAPI 3.1 is JSON Schema 2020-12. Most of its additions have a counterpart:
//!
//! | OpenAPI 3.1 | form after reading |
//! |---|---|
//! | `type: [string, 'null']` | `type: string`, `nullable: true` |
//! | `type: [string, integer]` | `anyOf` of one schema for each type, with the keywords that apply to it |
//! | `anyOf` or `oneOf` with a branch `type: 'null'` | the other branches, `nullable: true` |
//! | `const: x` | `enum: [x]` |
//! | `exclusiveMinimum: 1` | `minimum: 1`, `exclusiveMinimum: true` |
//! | `$ref` with other keywords | `allOf: [{$ref}]` beside the keywords |
//! | `$dynamicRef`, `$recursiveRef`, `$anchor`, `$id` | `$ref` with a pointer; copies of the schemas between a `$dynamicAnchor` and what it gives another meaning |
//! | `examples: [x, …]` | `example: x` |
//! | `contentEncoding: base64` | `format: byte` |
//! | `contentMediaType` of bytes | `format: binary` |
//! | `true`, `false` as schemas | `{}`, `{not: {}}` |
//! | `patternProperties`, `unevaluatedProperties` | `additionalProperties`, as far as it says the same |
//! | `webhooks` | `x-webhooks` |
//!
//! `nullable: true` beside a `$ref`, which OpenAPI 3.0 ignores, is read in the same way: `allOf: [{$ref}]`
//! beside it.
//!
//! All other keywords stay as they are, and the generator says of each that it is not checked. Nodes keep
//! their identity and their place in the source, so references and problems are not affected.

mod dynamic;
mod keywords;
mod schema;
mod unions;

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use crate::codes;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::document::Document;
use crate::edit::Edit;
use crate::forest::NodeId;
use crate::source::FileId;
use crate::tree::Data;
use crate::version::Version;

use self::schema::Rewriter;

/// Returns the document with these schemas rewritten; the document before that stays with it.
pub(crate) fn normalize(
    document: Document,
    schemas: &[NodeId],
    strict: bool,
    problems: &mut Diagnostics,
) -> Document {
    let later = document.version == Version::V3_1;
    if !later && !schemas.iter().any(|schema| has_later_form(&document, *schema)) {
        return document;
    }
    let written = Document {
        forest: document.forest.clone(),
        targets: document.targets.clone(),
        forwards: document.forwards.clone(),
        version: document.version,
        ends: OnceLock::new(),
        defects: Vec::new(),
        written: None,
    };
    let Document { mut forest, mut targets, forwards, version, defects, .. } = document;
    let repeated = repeated_types(&written, schemas);
    let mut schemas = schemas.to_vec();
    if later {
        dynamic::bind(&mut forest, &mut targets, &mut schemas);
    }
    let schemas = &schemas[..];
    let referred: HashSet<NodeId> = targets.values().chain(forwards.values()).copied().collect();
    let known: HashSet<NodeId> = schemas.iter().copied().collect();
    let sources = Arc::clone(&forest.sources);
    for (index, slot) in forest.trees.iter_mut().enumerate() {
        let Ok(number) = u32::try_from(index) else { continue };
        let file = FileId(number);
        let (Some(tree), Some(source)) = (slot.as_mut(), sources.get(file)) else { continue };
        let mut rewriter = Rewriter {
            edit: Edit::new(tree, source.text()),
            file,
            version,
            written: &written,
            known: &known,
            referred: &referred,
            repeated: &repeated,
            targets: &mut targets,
            foreign: Vec::new(),
        };
        // Children have higher numbers than what holds them, so that each schema finds its parts rewritten.
        for schema in schemas.iter().rev().filter(|schema| schema.file == file) {
            rewriter.schema(schema.node);
        }
        if file == FileId::ROOT && later {
            rename_webhooks(&mut rewriter.edit);
        }
        let foreign = std::mem::take(&mut rewriter.foreign);
        // A copy has the problems of the schema that it copies.
        let own = foreign.into_iter().filter(|(node, ..)| written.forest.has(NodeId { file, node: *node }));
        problems.extend(own.map(|(node, message, hint)| {
            let span = written.forest.key_span(NodeId { file, node });
            let problem = Diagnostic::error(codes::VERSION_MISMATCH, span, message).hint(hint);
            if strict {
                problem
            } else {
                problem.tolerated("it has the meaning that the other version gives it")
            }
        }));
    }
    let ends = OnceLock::new();
    Document { forest, targets, forwards, ends, version, defects, written: Some(Box::new(written)) }
}

/// Returns whether a schema of a document of 3.0 has a form of 3.1 that would be an error otherwise, or a
/// form that means what it says in no version.
fn has_later_form(document: &Document, schema: NodeId) -> bool {
    let forest = &document.forest;
    let data = |key: &str| forest.member(schema, key).map(|value| forest.node(value).data);
    matches!(data("type"), Some(Data::Array { .. }))
        || ["exclusiveMinimum", "exclusiveMaximum"]
            .iter()
            .any(|key| matches!(data(key), Some(Data::Integer(_) | Data::Number(_))))
        // OpenAPI 3.0 ignores what is beside a reference, but this is always meant.
        || document.targets.contains_key(&schema) && matches!(data("nullable"), Some(Data::Bool(true)))
}

/// Schemas with a `$ref` whose `type` says the same as that of the target.
fn repeated_types(document: &Document, schemas: &[NodeId]) -> HashSet<NodeId> {
    let forest = &document.forest;
    let of = |schema: NodeId| forest.member(schema, "type").and_then(|ty| forest.string(ty));
    let said = |schema: &&NodeId| {
        let Some(own) = document.targets.get(schema).and(of(**schema)) else { return false };
        let mut current = **schema;
        // A chain without a circle visits each reference once.
        while let Some(next) = document.targets.get(&current) {
            current = *next;
        }
        of(current) == Some(own)
    };
    schemas.iter().filter(said).copied().collect()
}

/// `webhooks` have the name that documents of 3.0 give them.
fn rename_webhooks(edit: &mut Edit<'_>) {
    let members = edit.children(0);
    if let Some(webhooks) = edit.find(&members, "webhooks")
        && edit.find(&members, "x-webhooks").is_none()
    {
        edit.rename(webhooks, "x-webhooks");
        edit.set_members(0, members);
    }
}
