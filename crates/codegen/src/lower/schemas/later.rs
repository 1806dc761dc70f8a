//! Keywords that OpenAPI 3.0 does not have: which are reported, and what can be used instead.

use crate::lower::Lowering;
use frontdesk_document::{NodeRef, Version};

/// Keywords of later versions that limit values, and what says the same in OpenAPI 3.0. Those that only
/// describe, such as `$comment`, `$schema` and `examples`, lose nothing.
const LATER: &[(&str, &str)] = &[
    ("const", "write `enum` with the one value, as in `enum: [a]`"),
    ("$defs", "move the schemas to `components.schemas`"),
    ("prefixItems", "describe what all elements have in common by `items`, or use an object"),
    ("additionalItems", "describe what all elements have in common by `items`"),
    (
        "unevaluatedItems",
        "describe what all elements have in common by `items`, and bound them by `maxItems`",
    ),
    ("contains", "describe in words which element must be there"),
    ("minContains", "describe in words how many such elements must be there"),
    ("maxContains", "describe in words how many such elements may be there"),
    ("patternProperties", "write `additionalProperties` with one schema for all other members"),
    ("propertyNames", "describe in words how members are named"),
    ("unevaluatedProperties", "write `additionalProperties: false` in a schema without `allOf`"),
    ("dependencies", "write a schema for each combination, and choose by `oneOf`"),
    ("dependentRequired", "write a schema for each combination, and choose by `oneOf`"),
    ("dependentSchemas", "write a schema for each combination, and choose by `oneOf`"),
    ("if", "write a schema for each case, and choose by `oneOf`"),
    ("then", "write a schema for each case, and choose by `oneOf`"),
    ("else", "write a schema for each case, and choose by `oneOf`"),
    ("contentEncoding", "write `format: byte` for base64, or `format: binary` for bytes"),
    ("contentMediaType", "write the media type under `content`, or in the description"),
    ("contentSchema", "describe in words what the text holds"),
    ("$dynamicRef", "write `$ref` to a schema of `components.schemas`"),
];

impl<'d> Lowering<'d, '_> {
    /// Reports the keywords of JSON Schema 2020-12 in the schema itself that generated code does not check:
    /// those that the reader of a 3.1 document could not rewrite, and all of them in a document of 3.0.
    pub(super) fn later(&mut self, schema: NodeRef<'d>) {
        let later = self.document.version() == Version::V3_1;
        for (key, value) in schema.entries() {
            let Some((keyword, instead)) = LATER.iter().find(|(keyword, _)| *keyword == key.text) else {
                continue;
            };
            if later && *keyword == "$defs" {
                continue;
            }
            if later {
                let message = format!("`{keyword}` has no counterpart in Rust types and is not checked");
                self.warn_once(value, "keyword-ignored", message, instead);
                continue;
            }
            let fate = match *keyword {
                "const" => "is read as an `enum` of one value",
                "$defs" => "is read only where a reference leads into it",
                _ => "is not checked",
            };
            let message = format!("`{keyword}` is not a keyword of OpenAPI 3.0; it {fate}");
            self.warn_once(value, "later-keyword", message, instead);
        }
    }
}
